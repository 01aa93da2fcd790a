//! What a run tells while it goes on.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::methods::RoundSize;

/// Something that happened in a run. Progress bars, logs and live curves are listeners to these.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// An epoch is over.
    Epoch(&'a EpochRecord),
    /// A checkpoint has been written.
    Checkpoint(&'a Path),
}

/// Something that the user should know of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// There are fewer examples than a round should have.
    RoundsShrunk {
        /// What was asked for.
        wanted: RoundSize,
        /// What it is now.
        now: RoundSize,
    },
    /// Rounds hold some of the classes only.
    RoundsByClass {
        /// Classes in all.
        n_classes: usize,
    },
    /// The checkpoint could not be written when the run ended.
    NoLastCheckpoint,
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
            Self::NoLastCheckpoint => f.write_str(
                "the checkpoint could not be written at the end of the run (is the disk full?); what was learned is not lost, but \
                 the run can be taken up again from its last checkpoint only",
            ),
            Self::NoValidation { n_examples } => {
                write!(f, "{n_examples} examples are too few to keep some for validation; the last weights are used")
            }
        }
    }
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
