//! What a run gives.

use hedgerow_core::ClassId;
use serde::Serialize;

use super::classifier::Classifier;
use super::event::{EpochRecord, Notice, Validation};
use super::params::TrainingParams;
use crate::transform::DenseNetwork;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// What the weights reached on the examples for validation, if there were some. Of a run that the listener stopped, it is the last
    /// that is known, since an evaluation would keep whoever stopped it waiting: none if there was no evaluation yet, and with
    /// [`Keep::Last`](crate::Keep::Last) that of an earlier step, if there were steps since.
    ///
    /// With [`Keep::Best`](crate::Keep::Best) it is the lowest of some twenty, each of one tree in one order: a little lower than
    /// other examples will have it. Ask test examples for a fair number.
    pub validation: Option<Validation>,
    /// The classes that were learned, in rising order.
    pub classes: Vec<ClassId>,
    /// The parameters, with what was left to the data: layers, learning rate, epochs, and epochs between evaluations.
    pub params: TrainingParams,
    /// The rows of the examples that were learned from, in rising order.
    pub train_rows: Vec<usize>,
    /// The rows that were kept for validation; none if examples of their own were given for that.
    pub validation_rows: Vec<usize>,
    /// Every epoch.
    pub records: Vec<EpochRecord>,
    /// What the user should know of.
    pub notices: Vec<Notice>,
    /// Gradient steps.
    pub n_steps: u64,
    /// Seconds of learning, evaluations left out.
    pub train_seconds: f64,
}
