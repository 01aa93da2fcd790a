//! The time to a low validation error from a cold start: ours and PyTorch's, by the same recipe.
//!
//! What is compared is time to the same quality. Both sides' representations are judged by our boundary tree, and the time
//! that this takes counts on neither side.

use std::path::Path;

use hedgerow_core::{Label, PointsRef};
use hedgerow_learn::evaluation::{EvaluationError, ShownExamples, Structure};

use super::MeasureError;
use super::ours::{self, Ours, ROUND};
use super::pictures::Pictures;
use super::pytorch::{Files, PyTorch};
use super::table::{Epoch, Kind};

/// The error that both sides train to, in percent.
pub const TARGET_PERCENT: f64 = 1.6;
/// Epochs of the recipe, over which the learning rate falls to 0. Enough to come clearly below the target: over 30, a side reached it or not by luck.
pub const EPOCHS: usize = 60;
/// Pictures that are not learned from: the last.
pub const N_VALIDATION: usize = 5_000;
/// Orders of the learned examples that the error is the mean over.
pub const ORDERS: u64 = 10;
/// Of both sides.
const THREADS: usize = 2;

/// How one side got there.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Which side.
    pub kind: Kind,
    /// Its threads.
    pub threads: usize,
    /// Each epoch and the error after it, in percent.
    pub epochs: Vec<(Epoch, f64)>,
}

impl Course {
    fn new(kind: Kind) -> Self {
        Self { kind, threads: THREADS, epochs: Vec::new() }
    }

    /// Whether the last epoch reached the error.
    pub fn is_there(&self) -> bool {
        self.epochs.last().is_some_and(|(_, error)| *error <= TARGET_PERCENT)
    }

    /// Seconds of training so far.
    pub fn seconds(&self) -> f64 {
        self.epochs.iter().map(|(epoch, _)| epoch.seconds).sum()
    }
}

/// Trains both sides, one epoch of each in turn, each until it is there or its epochs are over.
pub(super) fn measure(
    pictures: &Pictures,
    files: &Files,
    folder: &Path,
    python: Option<&Path>,
) -> Result<Vec<Course>, MeasureError> {
    let (name, n) = (pictures.name(), pictures.classes().len());
    let n_learned = match n.checked_sub(N_VALIDATION) {
        Some(n_learned) if n_learned >= ROUND => n_learned,
        _ => return Err(MeasureError::TooFew { name, n, least: N_VALIDATION + ROUND }),
    };
    let mut ours = Ours::new(pictures.points(), pictures.classes(), THREADS, Some(EPOCHS))?;
    let mut pytorch = match python {
        None => None,
        Some(python) => {
            let folder = folder.join("to-error");
            Some(PyTorch::start(python, folder, files, Kind::Eager, THREADS, Some(EPOCHS))?)
        }
    };
    let (mut our_course, mut their_course) = (Course::new(Kind::Ours), Course::new(Kind::Eager));
    for number in 0..EPOCHS {
        let order = ours::order(n_learned, number);
        if !our_course.is_there() {
            let epoch = ours.epoch(&order, number)?;
            let representations = ours.represent(pictures.points())?;
            let error = error_percent(representations.view(), pictures.labels(), n_learned)?;
            tell(&mut our_course, epoch, error);
        }
        if let Some(pytorch) = pytorch.as_mut().filter(|_| !their_course.is_there()) {
            let epoch = pytorch.epoch(&order, number)?;
            let error = error_percent(pytorch.represent()?.view(), pictures.labels(), n_learned)?;
            tell(&mut their_course, epoch, error);
        }
    }
    Ok([our_course, their_course].into_iter().filter(|course| !course.epochs.is_empty()).collect())
}

fn tell(course: &mut Course, epoch: Epoch, error: f64) {
    course.epochs.push((epoch, error));
    let (name, n, seconds) = (course.kind.name(), course.epochs.len(), course.seconds());
    eprintln!("to {TARGET_PERCENT} %: {name}, epoch {n}, {seconds:.1} s, error {error:.2} %");
}

/// The mean error of boundary trees of the first rows, in some orders, asked about the others. One order alone is a throw of dice.
fn error_percent(representations: PointsRef<'_>, labels: &[Label], n_learned: usize) -> Result<f64, EvaluationError> {
    let rows = (0..n_learned).collect::<Vec<_>>();
    let queries = representations.slice(n_learned..labels.len());
    let mut sum = 0.0;
    for order in 0..ORDERS {
        let shown = ShownExamples::shuffled(representations, labels, &rows, order)?;
        sum += shown.evaluate(Structure::Tree, queries, &labels[n_learned..], order)?.error_percent;
    }
    Ok(sum / ORDERS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_ends_at_the_first_low_error() {
        let mut course = Course::new(Kind::Ours);
        assert!(!course.is_there());
        let epoch = Epoch { seconds: 1.5, loss: Some(0.1), n_references: Some(12.0) };
        for (error, is_there) in [(2.0, false), (1.61, false), (1.6, true)] {
            course.epochs.push((epoch, error));
            assert_eq!(course.is_there(), is_there);
        }
        assert_eq!(course.seconds(), 4.5);
    }

    #[test]
    fn the_error_is_that_of_rows_not_shown() {
        let points = PointsRef::from_f32(1, &[0.0, 10.0, 1.0, 9.0, 2.0, 8.0]).unwrap();
        let labels = [0, 1, 0, 1, 0, 0].map(Label::class);
        // Of the last two, 2 is near class 0 and so it is; 8 is near class 1 but is not.
        assert_eq!(error_percent(points, &labels, 4).unwrap(), 50.0);
    }
}
