//! A row typed by hand (`--values 5.1,3.5,red`), read as a file with the columns of the model is.

use anyhow::anyhow;
use hedgerow::Model;
use hedgerow::data::{Dataset, Format, Header, ReadOptions, RoleColumn, read_bytes};

use crate::error::WithHint;
use crate::queries::MatchingArgs;

/// Columns that are named to who typed others; of more, their number is told.
const MOST_NAMED: usize = 20;

/// The data set of one row that the values are.
pub(crate) fn read(values: &str, model: &Model, matching: &MatchingArgs) -> anyhow::Result<Dataset> {
    let asked = matching.options(model);
    let delimiter = asked.delimiter.unwrap_or(b',');
    let encoding = model.encoding();
    let between = char::from(delimiter).to_string();
    let names: Vec<&str> = encoding.columns().iter().map(|column| column.name()).collect();
    // Under the names of the columns, so that errors say which one is meant.
    let (header, titles) = if encoding.is_named() {
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
        (Header::Present, quoted.join(&between) + "\n")
    } else {
        (Header::Absent, String::new())
    };
    let options = ReadOptions {
        format: Some(Format::Csv),
        header,
        delimiter: Some(delimiter),
        label: RoleColumn::None,
        labels_from: None,
        id_column: RoleColumn::None,
        split_column: RoleColumn::None,
        ..asked
    };
    let wants = if encoding.is_named() && names.len() <= MOST_NAMED {
        format!("the model wants {} values: {}", names.len(), names.join(&between))
    } else {
        let kind = if model.data().bytes { "whole numbers from 0 to 255" } else { "values" };
        format!("the model wants {} {kind} with {between} between them", model.data().n_features)
    };
    let read = read_bytes("--values", format!("{titles}{values}\n").as_bytes(), &options);
    let dataset = read.hint(&wants)?;
    match dataset.len() {
        1 => Ok(dataset),
        n => Err(anyhow!("--values is one row, but this has {n}; give several rows as --data")).hint(wants),
    }
}
