//! What a run tells while it goes on.

use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

use crate::methods::RoundSize;

/// Something that happened in a run. Progress bars, logs and live curves are listeners to these.
///
/// In this order: `Started`, notices, then for each epoch its `Round`s, `Evaluating` if there is an evaluation, and `Epoch`; checkpoints
/// and notices of those that failed stand between rounds and at the end. A run whose time is up may have an `Evaluating` last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins, or is taken up again.
    Started {
        /// Epochs in all.
        n_epochs: usize,
        /// Rounds in each.
        n_rounds: usize,
        /// The epoch that it begins with.
        epoch: usize,
        /// The round in it; as many as there are rounds if only the evaluation of the epoch is left.
        round: usize,
        /// Numbers that come out of each layer, that of the classes included if there is one.
        layers: &'a [usize],
        /// Weights and biases.
        n_weights: usize,
        /// The learning rate that the schedule starts from.
        learning_rate: f64,
        /// Examples that are learned from.
        n_train: usize,
        /// Examples that are not, for validation.
        n_validation: usize,
    },
    /// Something that the user should know of.
    Notice(&'a Notice),
    /// A round is over.
    Round {
        /// The epoch, from 0.
        epoch: usize,
        /// The round in it, from 0.
        round: usize,
        /// Gradient steps so far.
        step: u64,
        /// The mean loss of the queries of the round that had a reference of their class; 0 if none had.
        loss: f64,
        /// Points that queries were compared with.
        n_references: usize,
        /// The learning rate.
        learning_rate: f64,
    },
    /// An evaluation begins. On large data it takes long, and nothing is told meanwhile.
    Evaluating {
        /// The epoch, from 0.
        epoch: usize,
        /// Gradient steps so far.
        step: u64,
    },
    /// An epoch is over.
    Epoch(&'a EpochRecord),
    /// A checkpoint has been written.
    Checkpoint(#[serde(serialize_with = "as_text")] &'a Path),
}

/// A path for people: one that is no text is shown as well as it can be, rather than making an event that cannot be written.
fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Something that the user should know of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Notice {
    /// There are fewer examples than a round should have.
    RoundsShrunk {
        /// What was asked for.
        #[serde(with = "RoundSizeFields")]
        wanted: RoundSize,
        /// What it is now.
        #[serde(with = "RoundSizeFields")]
        now: RoundSize,
    },
    /// Rounds hold some of the classes only.
    RoundsByClass {
        /// Classes in all.
        n_classes: usize,
    },
    /// A checkpoint could not be written while the run went on; it is tried again when the next one is due. A result has the last of
    /// these only.
    NoCheckpoint {
        /// Why.
        cause: String,
    },
    /// The checkpoint could not be written when the run ended.
    NoLastCheckpoint {
        /// Why.
        cause: String,
    },
    /// The run is taken up from a checkpoint of another version of this crate, which may have learned to other bits.
    OtherVersion {
        /// Of the checkpoint.
        then: String,
        /// Of this crate.
        now: String,
    },
    /// There are too few examples to keep some for validation.
    NoValidation {
        /// How many there are.
        n_examples: usize,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RoundsShrunk { wanted, now } => write!(
                f,
                "there are fewer examples than the {} of a batch; batches have {} (of these, {} for the boundary)",
                wanted.total(),
                now.total(),
                now.n_boundary
            ),
            Self::RoundsByClass { n_classes } => write!(
                f,
                "batches are small for {n_classes} classes; each holds some of the classes, with several examples of each"
            ),
            Self::NoCheckpoint { cause } => write!(
                f,
                "a checkpoint could not be written, and the run goes on without it; it is tried again when the next one is due. {cause}"
            ),
            Self::NoLastCheckpoint { cause } => write!(
                f,
                "the checkpoint could not be written at the end of the run; what was learned is not lost, but the run can be taken \
                 up again from its last checkpoint only. {cause}"
            ),
            Self::OtherVersion { then, now } => write!(
                f,
                "the checkpoint is of version {then} of hedgerow-learn, this is {now}; the run goes on, but may end with other bits \
                 than if either version had made it alone"
            ),
            Self::NoValidation { n_examples } => {
                write!(f, "{n_examples} examples are too few to keep some for validation; the last weights are used")
            }
        }
    }
}

/// What is written of a [`RoundSize`].
#[derive(Serialize)]
#[serde(remote = "RoundSize")]
struct RoundSizeFields {
    n_boundary: usize,
    n_train: usize,
}

/// How a set of representations answers examples that were not learned from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Share of wrong answers, in percent: of one boundary tree, or of the class layer if there is one.
    pub error_percent: f64,
    /// Nodes of the boundary tree over all examples that are learned from.
    pub n_nodes: usize,
}

/// One epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Its number, from 0.
    pub epoch: usize,
    /// Seconds of learning so far, evaluations left out.
    pub train_seconds: f64,
    /// The mean loss of all queries that had a reference of their class; 0 if none had.
    pub loss: f64,
    /// Mean number of points that queries were compared with.
    pub n_references: f64,
    /// Queries that had no reference of their class.
    pub n_left_out: usize,
    /// The learning rate at its end.
    pub learning_rate: f64,
    /// What an evaluation found, if there was one.
    pub validation: Option<Validation>,
}
