//! Accuracy against the number of examples added, a figure for each data set.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::record::Method;
use super::summary::Row;
use crate::error::ExperimentError;
use crate::figure::{AxisKind, Figure, Panel, Series, Stroke};

/// Writes the figures and gives their paths.
pub(super) fn write(folder: &Path, rows: &[Row]) -> Result<Vec<PathBuf>, ExperimentError> {
    let data: BTreeSet<&str> = rows.iter().map(|row| row.data.as_str()).collect();
    let write_one = |data: &str| {
        let plain: String = data.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        let path = folder.join(format!("new-class-{plain}.svg"));
        let mine: Vec<&Row> = rows.iter().filter(|row| row.data == data && row.n_added > 0).collect();
        fs::write(&path, draw(data, &mine)).map_err(ExperimentError::of_file(&path))?;
        Ok(path)
    };
    data.into_iter().map(write_one).collect()
}

fn draw(data: &str, rows: &[&Row]) -> String {
    let classes = match rows.first().map_or(&[][..], |row| &row.new_classes) {
        [one] => format!("class {one}"),
        several => format!("one of {} classes, in turn,", several.len()),
    };
    let panel = |what: &str, mean: fn(&Row) -> f64, range: fn(&Row) -> (f64, f64)| Panel {
        y_label: format!("accuracy on test examples of the {what}, percent"),
        y_kind: AxisKind::Linear,
        y_within: (0.0, 100.5),
        series: Method::ALL.into_iter().filter_map(|method| series(method, rows, mean, range)).collect(),
    };
    Figure {
        title: format!("{data}: {classes} comes after learning"),
        x_label: "examples of the new class".to_owned(),
        x_kind: AxisKind::Log,
        marks: Vec::new(),
        panels: vec![
            panel("new class", |row| row.new_accuracy, |row| row.new_accuracy_range),
            panel("old classes", |row| row.old_accuracy, |row| row.old_accuracy_range),
        ],
    }
    .draw()
}

fn series(method: Method, rows: &[&Row], mean: fn(&Row) -> f64, range: fn(&Row) -> (f64, f64)) -> Option<Series> {
    let mut mine: Vec<&&Row> = rows.iter().filter(|row| row.method == method).collect();
    mine.sort_by_key(|row| row.n_added);
    if mine.is_empty() {
        return None;
    }
    let curve = mine.iter().map(|row| (row.n_added as f64, mean(row))).collect();
    let has_spread = mine.iter().any(|row| row.trials > 1);
    let band = mine.iter().map(|row| (row.n_added as f64, range(row).0, range(row).1));
    let is_rare = matches!(method, Method::Classifier | Method::Relearned);
    Some(Series {
        name: method.title().to_owned(),
        curves: vec![curve],
        band: if has_spread { band.collect() } else { Vec::new() },
        stroke: if is_rare { Stroke::Dotted } else { Stroke::Line },
    })
}
