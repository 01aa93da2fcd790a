//! What one insertion costs, at the size of models that are in use.
//!
//! A tree in memory that was shown many examples; and whole models, of the embedded digits and of as many examples as the tree was shown, in memory and
//! in their folders, where an insertion goes through the network and the tree and is on the disk when it returns.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use hedgerow::{Addition, FitError, FitEvent, FitOptions, FitParams, Model};
use hedgerow_core::{BoundaryTreeParams, ExampleId, Label, NeighborSearch as _, Point, Points};
use hedgerow_data::Dataset;
use hedgerow_learn::TrainingParams;
use hedgerow_learn::evaluation::EvaluationError;

use super::StreamExample;
use super::drift::Drift;
use crate::Extent;
use crate::error::ExperimentError;
use crate::event::{Event, Listener};
use crate::provenance::Provenance;

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
    /// Threads.
    pub threads: usize,
    /// Of the program.
    pub revision: String,
}

impl InsertionCost {
    fn of(what: &str, (n_shown, n_stored): (usize, usize), mut seconds: Vec<f64>, revision: &str) -> Self {
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
            threads: rayon::current_num_threads(),
            revision: revision.to_owned(),
        }
    }
}

/// Measures all of them. Models are put on the disk that `folder` is on.
pub(super) fn measure(
    extent: Extent,
    folder: &Path,
    provenance: &Provenance,
    listener: &mut Listener<'_>,
) -> Result<Vec<InsertionCost>, ExperimentError> {
    let (n_shown, n_measured, n_durable) = match extent {
        Extent::Full => (60_000, 10_000, 1000),
        Extent::Quick => (6000, 1000, 50),
    };
    let drift = Drift { n_examples: n_shown + n_measured, turns: 0.0, n_noise: 18, ..Drift::default() };
    let mut stream = drift.examples();
    let (before, new) = (stream.block(n_shown).unwrap_or_default(), stream.block(n_measured).unwrap_or_default());
    let mut bench = Bench { folder, revision: &provenance.revision, listener, done: 0 };
    let mut costs = vec![bench.in_memory(&before, &new)?];

    let digits = hedgerow_data::embedded::optdigits();
    let test = digits.test();
    let rows = 0..n_durable.min(test.len());
    let asked: Vec<(Point<'_>, String)> =
        rows.map(|row| (test.row(row), digits.label_text(test.labels()[row]))).collect();
    let epochs = (extent == Extent::Quick).then_some(5);
    costs.extend(bench.models("model of the digits", &digits, epochs, &asked)?);

    let numbers: Vec<f32> = before.iter().flat_map(|(point, _)| point.iter().copied()).collect();
    let labels: Vec<Label> = before.iter().map(|(_, label)| *label).collect();
    let width = before.first().map_or(0, |(point, _)| point.len());
    let points = Points::from_f32(width, numbers).expect("all points are as wide");
    let many = Dataset::new("stream", points, labels).expect("as many labels as points");
    let new = new.iter().take(n_durable);
    let asked: Vec<(Point<'_>, String)> =
        new.map(|(point, label)| (Point::F32(point), many.label_text(*label))).collect();
    // What a network has learned makes no difference to what an insertion costs but by the examples stored.
    costs.extend(bench.models(&format!("model of {n_shown} examples"), &many, Some(3), &asked)?);
    Ok(costs)
}

/// Where and for whom is measured.
struct Bench<'a, 'b> {
    folder: &'a Path,
    revision: &'a str,
    listener: &'a mut Listener<'b>,
    done: usize,
}

impl Bench<'_, '_> {
    /// A tree that was shown many examples of a stream that does not drift, with the history that exact edits need.
    fn in_memory(&mut self, before: &[StreamExample], new: &[StreamExample]) -> Result<InsertionCost, ExperimentError> {
        self.go_on()?;
        let mut tree = BoundaryTreeParams::default().build().map_err(EvaluationError::from)?;
        for (id, (point, label)) in before.iter().enumerate() {
            tree.insert(ExampleId(id as u64), Point::F32(point), *label).map_err(EvaluationError::from)?;
        }
        let sizes = (tree.n_shown(), tree.n_stored());
        let mut seconds = Vec::with_capacity(new.len());
        for (id, (point, label)) in (before.len()..).zip(new) {
            let start = Instant::now();
            tree.insert(ExampleId(id as u64), Point::F32(point), *label).map_err(EvaluationError::from)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        self.done += 1;
        Ok(InsertionCost::of("tree in memory, 20 numbers", sizes, seconds, self.revision))
    }

    /// A model that is learned and saved in a folder that is there for this alone: in memory, and opened there.
    fn models(
        &mut self,
        name: &str,
        data: &Dataset,
        epochs: Option<usize>,
        new: &[(Point<'_>, String)],
    ) -> Result<[InsertionCost; 2], ExperimentError> {
        let learning = TrainingParams { epochs, ..TrainingParams::default() };
        let params = FitParams { learning: Some(learning), ..FitParams::default() };
        let done = self.done;
        let mut hear = |_: &FitEvent<'_>| (self.listener)(&event(done));
        let mut model = match Model::fit(data, &params, &FitOptions::default(), &mut hear) {
            Err(FitError::Stopped { .. }) => return Err(self.interrupted()),
            fitted => fitted?,
        };
        fs::create_dir_all(self.folder).map_err(ExperimentError::of_file(self.folder))?;
        let place = tempfile::tempdir_in(self.folder).map_err(ExperimentError::of_file(self.folder))?;
        let path = place.path().join("model");
        model.save(&path)?;
        let mut opened = Model::open(&path)?;
        let costs = [
            self.insertions(&format!("{name}, in memory"), &mut model, new)?,
            self.insertions(&format!("{name}, in its folder, durable"), &mut opened, new)?,
        ];
        Ok(costs)
    }

    fn insertions(
        &mut self,
        what: &str,
        model: &mut Model,
        new: &[(Point<'_>, String)],
    ) -> Result<InsertionCost, ExperimentError> {
        self.go_on()?;
        let sizes = (model.search().n_shown(), model.search().n_stored());
        let mut seconds = Vec::with_capacity(new.len());
        for (point, label) in new {
            let addition = Addition { point: *point, label: Some(label), id: None, note: None };
            let start = Instant::now();
            model.insert(&[addition])?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        self.done += 1;
        Ok(InsertionCost::of(what, sizes, seconds, self.revision))
    }

    fn go_on(&mut self) -> Result<(), ExperimentError> {
        match (self.listener)(&event(self.done)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(self.interrupted()),
        }
    }

    fn interrupted(&self) -> ExperimentError {
        ExperimentError::Interrupted { folder: self.folder.to_owned() }
    }
}

/// One tree and two models, each model in memory and on the disk.
fn event(done: usize) -> Event<'static> {
    Event::Working { run: "single insertions", act: "measuring", done, total: 5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_slow_ones() {
        let seconds: Vec<f64> = (1..=200).map(|n| f64::from(n) * 1e-6).rev().collect();
        let cost = InsertionCost::of("x", (1, 1), seconds, "1");
        assert!(
            (cost.p50_microseconds - 100.0).abs() < 1e-9 && (cost.p99_microseconds - 198.0).abs() < 1e-9,
            "{cost:?}"
        );
        assert!(InsertionCost::of("x", (1, 1), Vec::new(), "1").p50_microseconds.is_nan());
    }

    #[test]
    fn whoever_stops_it_is_heard_while_a_model_is_learned_and_nothing_is_left_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let provenance = Provenance { command: String::new(), revision: "1".into(), setup: String::new() };
        let mut n_events = 0;
        let mut listener = |_: &Event<'_>| {
            n_events += 1;
            // The tree is one event; then come those of learning.
            if n_events > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let measured = measure(Extent::Quick, folder.path(), &provenance, &mut listener);
        assert!(matches!(measured, Err(ExperimentError::Interrupted { .. })), "{measured:?}");
        assert_eq!(n_events, 4);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
