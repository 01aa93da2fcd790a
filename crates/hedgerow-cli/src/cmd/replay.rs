//! `hedgerow replay MODEL`: builds a model from its history again, to prove what it is or to have it as it was.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{anyhow, bail};
use clap::Args;
use hedgerow::{Model, is_model};
use serde::Serialize;

use super::changes::count;
use crate::context::Context;
use crate::error::WithHint;
use crate::model;

const EXAMPLES: &str = "\
Examples:
  hedgerow replay MODEL                      is it what its history gives?
  hedgerow replay MODEL --until 12           was it, after change 12?
  hedgerow replay MODEL --until 12 --out OLD undo: the model as it was after change 12
  hedgerow replay MODEL --until 0 --out OLD  as it was fitted, even if the journal is lost
  hedgerow replay MODEL --fold               write it anew in its place: what was changed need not be done again to load it";

/// Build a model from its history again: prove what it is, or have it as it was.
///
/// Every example that the model was shown and has not removed is shown to empty structures once more, in the same order, and every distance is
/// measured anew. If that gives another structure than the model has, or if its examples and labels are not those that its journal leaves, the
/// command says so and ends with 1.
///
/// What it proves: the answers are those of the examples that the model says it has, and removed ones have no part in them. It proves nothing of
/// the learned representation, which still carries what was removed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// As the model was after this change; 0 is as it was fitted. [default: after the last]
    #[arg(long, value_name = "N")]
    until: Option<u64>,

    /// Write the model of that time to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace the model that is in that folder, with all that was changed in it since.
    #[arg(long, requires = "out")]
    force: bool,

    /// Write the model anew in its place. Its changes stay in its history, and it loads as fast as before them: each change makes every command a
    /// little slower. What others do to it at the same time is kept, or refused by an error.
    #[arg(long, conflicts_with_all = ["until", "out"])]
    fold: bool,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    /// Changes since the fit that are in it.
    changes: u64,
    /// Examples that were shown once more.
    examples: usize,
    /// Examples that are stored.
    nodes: usize,
    /// Whether the structure is the same.
    same: bool,
    seconds: f64,
    out: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    if let Some(out) = arguments.out.as_ref().filter(|out| is_model(out) && !arguments.force) {
        return Err(is_taken(out)).hint("--force replaces it; or give another --out");
    }
    let place = match &arguments.out {
        _ if arguments.fold => Some(&arguments.model),
        out => out.as_ref(),
    };
    // Without --until, its own place is no other: what others do there meanwhile stays.
    let is_own = arguments.until.is_none() && place.is_some_and(|out| is_same(out, &arguments.model));
    let model = match arguments.until {
        Some(until) => model::load_as_of(&arguments.model, until)?,
        None if is_own => model::open(&arguments.model)?,
        None => model::load(&arguments.model)?,
    };
    let started = Instant::now();
    let same = context.compute(|| model.is_what_its_history_gives())??;
    let seconds = started.elapsed().as_secs_f64();
    let name = |path: &PathBuf| path.to_string_lossy().into_owned();
    let answer = Answer {
        model: name(&arguments.model),
        changes: model.n_changes(),
        examples: model.search().n_shown(),
        nodes: model.search().n_stored(),
        same,
        seconds,
        out: place.filter(|_| same).map(name),
    };
    if let Some(out) = place.filter(|_| same) {
        match (is_own, arguments.force) {
            (true, _) => model.save(out)?,
            (false, true) => model.save_over(out)?,
            (false, false) => model.save_new(out)?,
        }
    }
    context.answer(&answer, text)?;
    if !same {
        let unwritten = if place.is_some() { "; nothing was written" } else { "" };
        bail!("the model is not what its history gives{unwritten}: restore it from a copy, or fit again");
    }
    note_on_removed(&model, context);
    Ok(())
}

fn is_taken(out: &Path) -> anyhow::Error {
    anyhow!("{}: there is a model here already", out.display())
}

/// Whether two paths lead to the same folder.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn note_on_removed(model: &Model, context: &Context) {
    let has_removed = model.history().is_ok_and(|entries| entries.iter().any(|e| e.change.action() == "remove"));
    if has_removed && model.transform().is_some() {
        context.note(super::changes::STILL_CARRIED);
    }
}

fn text(answer: &Answer) -> String {
    let verdict = if answer.same { "the same structure" } else { "ANOTHER structure" };
    let mut text = format!(
        "{}, {} since the fit: {verdict} of {}, every distance measured anew ({:.2} s)\n",
        count(answer.examples, "example"),
        count(answer.changes as usize, "change"),
        count(answer.nodes, "stored example"),
        answer.seconds
    );
    if let Some(out) = &answer.out {
        text += &format!("written to {out}\n");
    }
    text
}
