//! `hedgerow history MODEL`: what happened to a model since it was fitted.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::model;
use crate::table::{Align, Table};
use crate::time::iso8601;

/// Show what was added to a model, removed and relabelled since it was fitted.
///
/// The same is in `journal.sqlite` in the folder of the model, for every tool that reads SQLite.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    changes: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    number: u64,
    /// ISO 8601, in UTC.
    at: String,
    action: &'static str,
    example: u64,
    label: Option<String>,
    note: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let entries = model::load(&arguments.model)?.history()?;
    let changes = entries.into_iter().map(|entry| Entry {
        number: entry.number,
        at: iso8601(entry.at),
        action: entry.change.action(),
        example: entry.change.id().0,
        label: entry.change.label().map(str::to_owned),
        note: entry.note,
    });
    let answer = Answer { model: arguments.model.to_string_lossy().into_owned(), changes: changes.collect() };
    context.answer(&answer, text)?;
    if answer.changes.is_empty() {
        context.note("nothing was changed since the model was fitted");
    }
    Ok(())
}

fn text(answer: &Answer) -> String {
    let mut table = Table::new(&[
        ("change", Align::Right),
        ("at", Align::Left),
        ("action", Align::Left),
        ("example", Align::Right),
        ("label", Align::Left),
        ("note", Align::Left),
    ]);
    for entry in &answer.changes {
        table.row([
            entry.number.to_string(),
            entry.at.clone(),
            entry.action.to_owned(),
            entry.example.to_string(),
            entry.label.clone().unwrap_or_default(),
            entry.note.clone().unwrap_or_default(),
        ]);
    }
    if answer.changes.is_empty() { String::new() } else { table.text() }
}
