//! A run: epochs of rounds, evaluations, checkpoints, and an end.
//!
//! [`train`] is the whole of it. `params.rs` says what a run can be told, `options.rs` how it is carried out, `event.rs` what it
//! tells, `checkpoint.rs` what it leaves on disk, `run.rs` how it goes.

mod checkpoint;
mod data;
mod difference;
mod event;
mod options;
mod params;
mod run;
mod watch;

use std::ops::ControlFlow;

use hedgerow_core::{ClassId, Examples, Label, PointsRef};

use crate::error::{ApplyError, TrainError};
use crate::transform::DenseNetwork;
pub use event::{EpochRecord, Event, Notice, Validation};
pub use options::RunOptions;
pub use params::{Keep, TrainingParams};

/// Hears of what happens in a run, and says whether to go on.
pub type Listener<'a> = dyn FnMut(&Event<'_>) -> ControlFlow<()> + 'a;

/// A listener that does nothing and never stops the run.
pub fn silent() -> impl FnMut(&Event<'_>) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// All epochs are done.
    Finished,
    /// The validation error fell no more.
    StoppedEarly,
    /// The time was over.
    TimeUp,
    /// The listener said so.
    Stopped,
}

/// What a run has learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// From points to representations.
    pub transform: DenseNetwork,
    /// If the method was a classifier, it with the layer that names the class.
    pub classifier: Option<Classifier>,
    /// Why the run ended.
    pub outcome: Outcome,
    /// What the weights reached on the examples kept for validation, if there were some.
    pub validation: Option<Validation>,
    /// Every epoch.
    pub records: Vec<EpochRecord>,
    /// What the user should know of.
    pub notices: Vec<Notice>,
    /// Gradient steps.
    pub n_steps: u64,
    /// Seconds of learning, evaluations left out.
    pub train_seconds: f64,
}

/// A network whose last layer has a number for each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    /// The whole network.
    pub network: DenseNetwork,
    /// The class that each of its outputs stands for.
    pub classes: Vec<ClassId>,
}

impl Classifier {
    /// The class with the largest output for each point; among equals the first.
    ///
    /// # Errors
    /// Points that the network cannot take.
    pub fn predict(&self, points: PointsRef<'_>) -> Result<Vec<ClassId>, ApplyError> {
        let outputs = self.network.represent(points)?;
        let class = |row: usize| {
            let row = outputs.row(row);
            let best = (1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best });
            self.classes[best]
        };
        Ok((0..outputs.n_rows()).map(class).collect())
    }

    /// Share of points, in percent, that are given another class than their label says.
    ///
    /// # Errors
    /// Points that the network cannot take.
    pub fn error_percent(&self, points: PointsRef<'_>, labels: &[Label]) -> Result<f64, ApplyError> {
        let answers = self.predict(points)?;
        let n_wrong = answers.iter().zip(labels).filter(|(class, label)| Label::Class(**class) != **label).count();
        Ok(100.0 * n_wrong as f64 / labels.len().max(1) as f64)
    }
}

/// Learns representations from labelled examples.
///
/// The same examples and parameters give the same bits, for any number of threads, and whether the run was interrupted and
/// taken up again or not.
///
/// # Errors
/// Parameters or options that make no sense, examples without a class or all of one class, a run that diverges or in which no example
/// is compared with one of its class, a checkpoint that cannot be written, is damaged or is not of this run.
///
/// # Example
/// ```
/// use hedgerow_core::{Examples, Label, Points};
/// use hedgerow_learn::{RunOptions, TrainingParams, silent, train};
///
/// // Class 1 is inside, class 0 around it.
/// let points: Vec<f32> = (0..200).flat_map(|i| {
///     let (angle, radius) = (i as f32 * 0.7, if i % 2 == 0 { 2.0 } else { 0.5 });
///     [radius * angle.cos(), radius * angle.sin()]
/// }).collect();
/// let points = Points::from_f32(2, points)?;
/// let labels: Vec<Label> = (0..200).map(|i| Label::class(i % 2)).collect();
/// let examples = Examples::new(points.view(), &labels)?;
///
/// let params = TrainingParams { layers: Some(vec![16, 2]), epochs: Some(100), ..TrainingParams::default() };
/// let learned = train(&examples, &params, &RunOptions::default(), &mut silent())?;
/// assert_eq!(learned.validation.map(|validation| validation.error_percent), Some(0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train(
    examples: &Examples<'_>,
    params: &TrainingParams,
    options: &RunOptions,
    listener: &mut Listener<'_>,
) -> Result<Trained, TrainError> {
    train_validated(examples, None, params, options, listener)
}

/// As [`train`], with examples of their own for validation, if they are given, and no share of the others.
///
/// # Errors
/// As [`train`], and examples for validation that are not like the others.
pub fn train_validated(
    examples: &Examples<'_>,
    validation: Option<&Examples<'_>>,
    params: &TrainingParams,
    options: &RunOptions,
    listener: &mut Listener<'_>,
) -> Result<Trained, TrainError> {
    params.check()?;
    options.check()?;
    if params.patience.is_some() && validation.is_none() && params.validation_share == 0.0 {
        let expected = "stopping early needs examples for validation, or a validation_share above 0";
        return Err(TrainError::Parameter { parameter: "patience", got: "set".to_owned(), expected });
    }
    run::Run::new(examples, validation, params, options)?.carry_out(options, listener)
}
