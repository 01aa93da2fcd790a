//! `hedgerow data verify [NAME...]`.

use anyhow::bail;
use clap::Args;
use hedgerow::data::fetch::{FetchError, FileCheck, FileState, Presence, RegisteredSet, Store, sets};
use serde::Serialize;

use super::{json_path, registered, store};
use crate::context::Context;
use crate::table::{Align, Table};

/// Compare the files of data sets with their known SHA-256.
///
/// Without names, all sets that are in the data directory; that others are absent is no failure then. Ends with 1 if a file is
/// missing or not what it should be; `hedgerow data get` mends that.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The sets, as `hedgerow data list` has them.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

#[derive(Serialize)]
struct Answer {
    data_dir: String,
    ok: bool,
    sets: Vec<SetChecks>,
}

#[derive(Serialize)]
struct SetChecks {
    name: String,
    /// verified, damaged or absent
    state: &'static str,
    folder: String,
    files: Vec<Checked>,
    /// Why no file could be looked at, if so.
    problem: Option<String>,
}

#[derive(Serialize)]
struct Checked {
    name: String,
    state: &'static str,
    message: String,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let store = store(context)?;
    let is_asked_for = !arguments.names.is_empty();
    let asked: Vec<&RegisteredSet> = if is_asked_for {
        arguments.names.iter().map(|name| registered(name)).collect::<Result<_, _>>()?
    } else {
        sets().iter().collect()
    };
    let checked: Vec<SetChecks> =
        asked.into_iter().map(|set| SetChecks::of(&store, set, context)).collect::<Result<_, _>>()?;
    let fails = |set: &&SetChecks| set.state == "damaged" || (is_asked_for && set.state == "absent");
    let failing: Vec<String> = checked.iter().filter(fails).map(|set| set.name.clone()).collect();
    let answer = Answer { data_dir: json_path(store.dir()), ok: failing.is_empty(), sets: checked };
    context.answer(&answer, text)?;
    if !failing.is_empty() {
        bail!(
            "not as it should be: {}; run `hedgerow data get {}` to get what is missing or wrong",
            failing.join(", "),
            failing.join(" ")
        );
    }
    Ok(())
}

impl SetChecks {
    fn of(store: &Store, set: &RegisteredSet, context: &Context) -> anyhow::Result<Self> {
        let (checks, problem) = match store.verify(set, &mut context.listener()) {
            Ok(checks) => (checks, None),
            Err(stopped @ FetchError::Stopped { .. }) => return Err(stopped.into()),
            Err(problem) => (Vec::new(), Some(problem.to_string())),
        };
        let is_absent = store.info(&set.name).is_ok_and(|status| status.presence == Presence::Absent)
            && checks.iter().all(|check| check.state == FileState::Missing);
        let state = match () {
            () if problem.is_some() => "damaged",
            () if is_absent => "absent",
            () if checks.iter().all(|check| check.state == FileState::Verified) => "verified",
            () => "damaged",
        };
        let files = checks.into_iter().map(Checked::of).collect();
        Ok(Self { name: set.name.clone(), state, folder: json_path(&store.folder(set)), files, problem })
    }
}

impl Checked {
    fn of(check: FileCheck) -> Self {
        let state = match check.state {
            FileState::Verified => "verified",
            FileState::Missing => "missing",
            FileState::WrongSize { .. } => "wrong_size",
            FileState::WrongHash { .. } => "wrong_hash",
            FileState::NotAFile => "not_a_file",
            _ => "unreadable",
        };
        Self { name: check.file, state, message: check.state.to_string() }
    }
}

fn text(answer: &Answer) -> String {
    let mut table = Table::new(&[("set", Align::Left), ("file", Align::Left), ("state", Align::Left)]);
    for set in &answer.sets {
        if let Some(problem) = &set.problem {
            table.row([set.name.clone(), "-".to_owned(), problem.clone()]);
        } else if set.state == "absent" {
            table.row([set.name.clone(), "-".to_owned(), "absent".to_owned()]);
        }
        let files: &[Checked] = if set.state == "absent" { &[] } else { &set.files };
        for file in files {
            table.row([set.name.clone(), file.name.clone(), file.message.clone()]);
        }
    }
    table.text()
}
