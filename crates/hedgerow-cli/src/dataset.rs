//! Loading data for a verb: as it is, or as a model wants it.

use std::path::Path;

use hedgerow::Model;
use hedgerow::data::{ConstantLabel, Dataset, LoadError, ReadOptions, RowIds, Split, load_with, nearest_name};

use crate::context::Context;
use crate::error::Hinted;
use crate::reading::ReadingArgs;

/// Loads data, and tells how many rows were left out.
pub(crate) fn load(name: &str, options: &ReadOptions, context: &Context) -> anyhow::Result<Dataset> {
    let dataset = load_with(name, options, &mut context.listener()).map_err(with_hint)?;
    note_dropped(dataset.dropped_rows() as u64, context);
    Ok(dataset)
}

/// Tells how many rows were left out.
pub(crate) fn note_dropped(n_rows: u64, context: &Context) {
    match n_rows {
        0 => {}
        1 => context.note("left out 1 row that lacks a value"),
        n => context.note(format_args!("left out {n} rows that lack a value")),
    }
}

/// The flags about reading with what a model records: the same columns, categories and classes. Labels may be missing.
pub(crate) fn options_for(model: &Model, reading: &ReadingArgs) -> ReadOptions {
    let recorded = model.read_options();
    ReadOptions { schema: recorded.schema, constant_label: ConstantLabel::Allow, ..reading.options() }
}

/// What a row is called: as `hedgerow explain` takes it, by its name, or by its place among the rows that are counted.
pub(crate) fn row_source(dataset: &Dataset, split: Option<Split>, row: usize) -> String {
    let name = dataset.name();
    match (dataset.row_ids(), split) {
        (RowIds::Names(names), _) => format!("{} of {name}", names[row]),
        (RowIds::Numbers(_), Some(split)) => format!("{split} row {} of {name}", row - dataset.rows(split).start),
        (RowIds::Numbers(_), None) => format!("row {row} of {name}"),
    }
}

/// The error, with a file that may have been meant where there is none of the name.
pub(crate) fn with_hint(error: LoadError) -> anyhow::Error {
    let LoadError::NoSuchData { asked, nearest: None, .. } = &error else { return error.into() };
    let place = Path::new(asked);
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    match nearest_name(&name, names.iter().map(String::as_str)) {
        Some(nearest) => {
            let meant = place.with_file_name(nearest);
            Hinted::new(error, format_args!("did you mean {}?", meant.display())).into()
        }
        None => error.into(),
    }
}
