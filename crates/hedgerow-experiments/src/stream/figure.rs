//! Accuracy and stored examples over the stream.

use std::fs;
use std::path::{Path, PathBuf};

use super::drift::Drift;
use super::learners::Learner;
use super::record::{Records, Window};
use crate::error::ExperimentError;
use crate::figure::{AxisKind, Figure, Mark, Panel, Series};

/// Writes the figure and gives its path.
pub(super) fn write(folder: &Path, records: &Records, drift: &Drift) -> Result<PathBuf, ExperimentError> {
    let path = folder.join("stream.svg");
    let svg = draw(records, drift);
    fs::write(&path, svg).map_err(ExperimentError::of_file(&path))?;
    Ok(path)
}

fn draw(records: &Records, drift: &Drift) -> String {
    let accuracy = |windows: &[Window]| {
        let total = |of: fn(&Window) -> usize| windows.iter().map(of).sum::<usize>() as f64;
        100.0 * total(|window| window.n_right) / total(|window| window.n).max(1.0)
    };
    let stored =
        |windows: &[Window]| windows.iter().map(|window| window.n_stored as f64).sum::<f64>() / windows.len() as f64;
    let panel = |y_label: &str, y_kind: AxisKind, y_within: (f64, f64), of: &dyn Fn(&[Window]) -> f64| Panel {
        y_label: y_label.to_owned(),
        y_kind,
        y_within,
        series: Learner::ALL.into_iter().map(|learner| series(records, learner, of)).collect(),
    };
    Figure {
        title: "A stream that drifts: each example is asked about, then shown".to_owned(),
        x_label: "examples of the stream".to_owned(),
        x_kind: AxisKind::Linear,
        marks: vec![Mark { x: drift.change_at() as f64, label: "classes change their names".to_owned() }],
        panels: vec![
            panel("right answers in each window, percent", AxisKind::Linear, (0.0, 100.0), &accuracy),
            panel("stored examples", AxisKind::Log, (1.0, f64::INFINITY), &stored),
        ],
    }
    .draw()
}

/// The mean over seeds, window by window.
fn series(records: &Records, learner: Learner, of: &dyn Fn(&[Window]) -> f64) -> Series {
    let mine: Vec<Window> =
        records.lines().iter().filter(|line| line.learner == learner).map(|line| line.window).collect();
    let mut ends: Vec<usize> = mine.iter().map(|window| window.end).collect();
    ends.sort_unstable();
    ends.dedup();
    let point = |end: usize| {
        let windows: Vec<Window> = mine.iter().filter(|window| window.end == end).copied().collect();
        (end as f64 - windows[0].n as f64 / 2.0, of(&windows))
    };
    Series {
        name: learner.title().to_owned(),
        curves: vec![ends.into_iter().map(point).collect()],
        ..Series::default()
    }
}
