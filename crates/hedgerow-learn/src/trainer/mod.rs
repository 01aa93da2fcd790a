//! A run: epochs of rounds, evaluations, checkpoints, and an end.
//!
//! [`train`] is the whole of it. `params.rs` says what a run can be told, `options.rs` how it is carried out, `event.rs` what it
//! tells, `checkpoint.rs` what it leaves on disk, `setup.rs` how it begins, `run.rs` how it goes, `verdict.rs` what is found out about
//! its weights, `trained.rs` what it gives.

mod checkpoint;
mod classifier;
mod data;
mod difference;
mod event;
mod info;
mod options;
mod params;
mod progress;
mod records;
mod run;
mod setup;
mod trained;
mod verdict;
mod watch;

use std::ops::ControlFlow;

use hedgerow_core::Examples;

use crate::error::TrainError;
pub use classifier::Classifier;
pub use event::{EpochRecord, Event, Notice, Validation};
pub use info::CheckpointInfo;
pub use options::RunOptions;
pub use params::{Keep, TrainingParams};
pub use trained::{Outcome, Trained};

/// Hears of what happens in a run, and says whether to go on. It can be sent to other threads, so that a run can be made within a pool
/// of its own: `pool.install(|| train(.., listener))`.
pub type Listener<'a> = dyn FnMut(&Event<'_>) -> ControlFlow<()> + Send + 'a;

/// A listener that does nothing and never stops the run.
pub fn silent() -> impl FnMut(&Event<'_>) -> ControlFlow<()> + Send {
    |_| ControlFlow::Continue(())
}

/// Learns representations from labelled examples.
///
/// The same examples and parameters give the same bits, for any number of threads, and whether the run was interrupted and
/// taken up again or not.
///
/// # Errors
/// Parameters or options that make no sense, examples without a class or all of one class, a run that diverges or in which no example
/// is compared with one of its class, a first checkpoint that cannot be written, and one that is damaged or not of this run.
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
/// As [`train`], and examples for validation that are none or not like the others.
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
