//! `hedgerow remove MODEL ID...`: examples that a model is to answer without.

use std::path::PathBuf;

use clap::Args;
use hedgerow::ExampleId;
use hedgerow_report::tame;
use serde::Serialize;

use super::changes::{Place, STILL_CARRIED, changes_text, count, make};
use crate::context::Context;
use crate::model;

const EXAMPLES: &str = "\
Examples:
  hedgerow remove MODEL 4711
  hedgerow remove MODEL 17 18 19 --note 'asked to by letter of May 3'
  hedgerow replay MODEL                      proves that the model is what it would be without them";

/// Remove examples from a model, exactly.
///
/// The neighbor structure becomes the one that the same history without these examples would have built; `hedgerow replay` proves it. All
/// are removed, or none; when the command ends with 0 that is on the disk.
///
/// The learned representation still carries the examples, and so do scaling and the scale of novelty, which were fitted with them; only a new fit
/// without them does not. The files of the model still have them, too: the arrays until the model is written anew (`hedgerow replay --fold`),
/// the journal for good, if it has added them.
///
/// An example that is stored only now, in the place of a removed one, is in the structure as its representation: explanations cannot show it as it
/// was given, unless nothing was learned or scaled, or it was added.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// The ids of the examples, as explanations, `hedgerow inspect` and `hedgerow history` show them.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<u64>,

    /// What people should know of this, kept in the history.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    removed: Vec<Removed>,
    first_change: Option<u64>,
    last_change: Option<u64>,
    nodes: usize,
    /// Whether a representation was learned, which still carries what was removed.
    representation_carries: bool,
}

#[derive(Serialize)]
struct Removed {
    id: u64,
    label: Option<String>,
    was_stored: bool,
    /// Decisions about other examples that were taken anew.
    replayed: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut model = model::open(&arguments.model)?;
    let ids: Vec<ExampleId> = arguments.ids.iter().copied().map(ExampleId).collect();
    let label = |id: &ExampleId| model.search().example(*id).map(|(_, label)| model.label_text(label));
    let labels: Vec<Option<String>> = ids.iter().map(label).collect();
    let note = arguments.note.as_deref();
    let edits = make(&arguments.model, &mut model, context, |model| model.remove_all(&ids, note))?;
    let place = Place::of(&arguments.model, &model, edits.len());
    let removed = ids.iter().zip(labels).zip(&edits).map(|((id, label), edit)| Removed {
        id: id.0,
        label: label.filter(|label| !label.is_empty()),
        was_stored: edit.was_stored,
        replayed: edit.replayed,
    });
    let answer = Answer {
        removed: removed.collect(),
        first_change: place.first_change,
        last_change: place.last_change,
        nodes: place.nodes,
        representation_carries: model.transform().is_some(),
        model: place.model,
    };
    let done = format!("removed as {}", changes_text(answer.first_change, answer.last_change));
    context.answer_done(done, &answer, text);
    if answer.representation_carries {
        context.note(STILL_CARRIED);
    }
    Ok(())
}

fn text(answer: &Answer) -> String {
    let mut text = String::new();
    for Removed { id, label, was_stored, replayed } in &answer.removed {
        let label = label.as_ref().map_or_else(String::new, |label| format!(" ({})", tame(label)));
        let was = if *was_stored { "was stored" } else { "was redundant" };
        text += &format!("example {id}{label} {was}: {} taken anew\n", count(*replayed, "decision"));
    }
    text += &format!(
        "removed {}; {}; the model stores {} now\n",
        count(answer.removed.len(), "example"),
        changes_text(answer.first_change, answer.last_change),
        count(answer.nodes, "example")
    );
    text
}
