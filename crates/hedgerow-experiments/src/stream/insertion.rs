//! What one insertion costs, at the size of models that are in use.
//!
//! A tree in memory that was shown many examples; and a whole model in its folder, where an insertion goes through the network and the tree and is on
//! the disk when it returns.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use hedgerow::{Addition, FitEvent, FitOptions, FitParams, Model};
use hedgerow_core::{BoundaryTreeParams, ExampleId, NeighborSearch as _, Point};
use hedgerow_learn::TrainingParams;
use hedgerow_learn::evaluation::EvaluationError;

use super::drift::Drift;
use crate::Extent;
use crate::error::ExperimentError;
use crate::event::{Event, Listener};
use crate::learn::training::tell;

/// What single insertions cost.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct InsertionCost {
    /// Into what.
    pub what: String,
    /// Examples shown before.
    pub n_shown: usize,
    /// Examples stored before.
    pub n_stored: usize,
    /// Insertions measured.
    pub n_measured: usize,
    /// The middle one, in microseconds.
    pub p50_microseconds: f64,
    /// One in a hundred takes longer, in microseconds.
    pub p99_microseconds: f64,
}

impl InsertionCost {
    fn of(what: &str, n_shown: usize, n_stored: usize, mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = ((seconds.len() as f64 * share).ceil() as usize).clamp(1, seconds.len().max(1)) - 1;
            seconds.get(place).copied().unwrap_or(f64::NAN) * 1e6
        };
        Self {
            what: what.to_owned(),
            n_shown,
            n_stored,
            n_measured: seconds.len(),
            p50_microseconds: at(0.5),
            p99_microseconds: at(0.99),
        }
    }
}

/// Measures both.
pub(super) fn measure(
    extent: Extent,
    folder: &Path,
    listener: &mut Listener<'_>,
) -> Result<Vec<InsertionCost>, ExperimentError> {
    let (n_shown, n_measured, n_durable) = match extent {
        Extent::Full => (60_000, 10_000, 1000),
        Extent::Quick => (6000, 1000, 50),
    };
    let mut go_on = |done: usize| {
        let event = Event::Working { run: "single insertions", act: "measuring", done, total: 2 };
        let interrupted = || ExperimentError::Interrupted { folder: folder.to_owned() };
        tell(listener, &event).ok_or_else(interrupted)
    };
    go_on(0)?;
    let mut costs = vec![in_memory(n_shown, n_measured)?];
    go_on(1)?;
    costs.extend(durable(extent, n_durable)?);
    Ok(costs)
}

/// A tree that was shown many examples of a stream that does not drift, with the history that exact edits need.
fn in_memory(n_shown: usize, n_measured: usize) -> Result<InsertionCost, ExperimentError> {
    let drift = Drift { n_examples: n_shown + n_measured, turns: 0.0, n_noise: 18, ..Drift::default() };
    let mut stream = drift.examples();
    let mut tree = BoundaryTreeParams::default().build().map_err(EvaluationError::from)?;
    let (before, measured) = (stream.block(n_shown).unwrap_or_default(), stream.block(n_measured).unwrap_or_default());
    for (id, (point, label)) in before.iter().enumerate() {
        tree.insert(ExampleId(id as u64), Point::F32(point), *label).map_err(EvaluationError::from)?;
    }
    let (shown, stored) = (tree.n_shown(), tree.n_stored());
    let mut seconds = Vec::with_capacity(measured.len());
    for (id, (point, label)) in (before.len()..).zip(&measured) {
        let start = Instant::now();
        tree.insert(ExampleId(id as u64), Point::F32(point), *label).map_err(EvaluationError::from)?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(InsertionCost::of("tree in memory, 20 numbers", shown, stored, seconds))
}

/// A model of the embedded digits, learned and saved in a temporary folder: in memory, and opened there.
fn durable(extent: Extent, n_measured: usize) -> Result<Vec<InsertionCost>, ExperimentError> {
    let digits = hedgerow_data::embedded::optdigits();
    let epochs = (extent == Extent::Quick).then_some(5);
    let learning = TrainingParams { epochs, ..TrainingParams::default() };
    let params = FitParams { learning: Some(learning), ..FitParams::default() };
    let mut hear = |_: &FitEvent<'_>| ControlFlow::Continue(());
    let mut model = Model::fit(&digits, &params, &FitOptions::default(), &mut hear)?;
    let folder = tempfile::tempdir().map_err(ExperimentError::of_file(&std::env::temp_dir()))?;
    let path = folder.path().join("model");
    model.save(&path)?;
    let mut on_disk = Model::open(&path)?;
    let mut costs = Vec::new();
    for (what, model) in
        [("model of the digits, in memory", &mut model), ("model of the digits, in its folder, durable", &mut on_disk)]
    {
        let test = digits.test();
        let (shown, stored) = (model.search().n_shown(), model.search().n_stored());
        let mut seconds = Vec::with_capacity(n_measured);
        for row in 0..n_measured.min(test.len()) {
            let label = digits.label_text(test.labels()[row]);
            let addition = Addition { point: test.row(row), label: Some(&label), id: None, note: None };
            let start = Instant::now();
            model.insert(&[addition])?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        costs.push(InsertionCost::of(what, shown, stored, seconds));
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_slow_ones() {
        let seconds: Vec<f64> = (1..=200).map(|n| f64::from(n) * 1e-6).rev().collect();
        let cost = InsertionCost::of("x", 1, 1, seconds);
        assert!(
            (cost.p50_microseconds - 100.0).abs() < 1e-9 && (cost.p99_microseconds - 198.0).abs() < 1e-9,
            "{cost:?}"
        );
        assert!(InsertionCost::of("x", 1, 1, Vec::new()).p50_microseconds.is_nan());
    }
}
