//! `hedgerow relabel MODEL ID LABEL`: an example that had the wrong label.

use std::path::PathBuf;

use clap::Args;
use hedgerow::ExampleId;
use hedgerow_report::tame;
use serde::Serialize;

use super::changes::{Place, changes_text, count, make};
use crate::context::Context;
use crate::model;

const EXAMPLES: &str = "\
Examples:
  hedgerow relabel MODEL 4711 9
  hedgerow relabel MODEL 17 'climbing rose' --note 'the label of the file was wrong'";

/// Give an example of a model another label, exactly.
///
/// The neighbor structure becomes the one that the same history with this label would have built; `hedgerow replay` proves it. The learned
/// representation stays as it was learned. When the command ends with 0 the change is on the disk.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// The id of the example, as explanations, `hedgerow inspect` and `hedgerow history` show it.
    #[arg(value_name = "ID")]
    id: u64,

    /// Its new label. One that the model does not know is a new class.
    #[arg(value_name = "LABEL", allow_hyphen_values = true)]
    label: String,

    /// What people should know of this, kept in the history.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    id: u64,
    old_label: Option<String>,
    label: String,
    new_class: bool,
    was_stored: bool,
    is_stored: bool,
    /// Decisions about examples that were taken anew.
    replayed: usize,
    change: Option<u64>,
    nodes: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut model = model::open(&arguments.model)?;
    let id = ExampleId(arguments.id);
    let old_label = model.search().example(id).map(|(_, label)| model.label_text(label));
    let n_classes = model.class_names().len();
    let (label, note) = (&arguments.label, arguments.note.as_deref());
    let edit = make(&arguments.model, &mut model, context, |model| model.relabel(id, label, note))?;
    let place = Place::of(&arguments.model, &model, 1);
    let label = model.search().example(id).map(|(_, label)| model.label_text(label));
    let answer = Answer {
        id: id.0,
        old_label: old_label.filter(|label| !label.is_empty()),
        new_class: model.class_names().iter().skip(n_classes).any(|name| Some(name) == label.as_ref()),
        label: label.unwrap_or_default(),
        was_stored: edit.was_stored,
        is_stored: model.search().stored_ids().contains(&id),
        replayed: edit.replayed,
        change: place.last_change,
        nodes: place.nodes,
        model: place.model,
    };
    context.answer_done(format_args!("relabelled as {}", changes_text(answer.change, answer.change)), &answer, text);
    Ok(())
}

fn text(answer: &Answer) -> String {
    let old = tame(answer.old_label.as_deref().unwrap_or("no label"));
    let new = if answer.new_class { ", a new class" } else { "" };
    let stored = |is: bool| if is { "stored" } else { "redundant" };
    format!(
        "example {}: {old} -> {}{new}; it was {} and is {}\n{} taken anew; {}; the model stores {} now\n",
        answer.id,
        tame(&answer.label),
        stored(answer.was_stored),
        stored(answer.is_stored),
        count(answer.replayed, "decision"),
        changes_text(answer.change, answer.change),
        count(answer.nodes, "example")
    )
}
