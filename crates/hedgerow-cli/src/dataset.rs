//! Loading data for a verb: as it is, or as a model wants it.

use hedgerow::Model;
use hedgerow::data::{ConstantLabel, Dataset, ReadOptions, load_with};

use crate::context::Context;
use crate::reading::ReadingArgs;

/// Loads data, and tells how many rows were left out.
pub(crate) fn load(name: &str, options: &ReadOptions, context: &Context) -> anyhow::Result<Dataset> {
    let dataset = load_with(name, options, &mut context.listener())?;
    match dataset.dropped_rows() {
        0 => {}
        1 => context.note("left out 1 row that lacks a value"),
        n => context.note(format_args!("left out {n} rows that lack a value")),
    }
    Ok(dataset)
}

/// Loads data by the schema of a model: the same columns, categories and classes. Labels may be missing.
#[allow(dead_code, reason = "for verbs that need labels")]
pub(crate) fn load_for(model: &Model, name: &str, reading: &ReadingArgs, context: &Context) -> anyhow::Result<Dataset> {
    load(name, &options_for(model, reading), context)
}

/// The flags about reading with what a model records, for readers of blocks.
pub(crate) fn options_for(model: &Model, reading: &ReadingArgs) -> ReadOptions {
    let recorded = model.read_options();
    ReadOptions { schema: recorded.schema, constant_label: ConstantLabel::Allow, ..reading.options() }
}
