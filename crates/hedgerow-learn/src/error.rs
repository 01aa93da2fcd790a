//! What can be wrong, with the numbers and the remedy.

use std::path::PathBuf;

use hedgerow_core::{PointKind, PointsError};
use thiserror::Error;

/// Points that a network cannot take, or weights that are none.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// Points of another width.
    #[error(
        "the points have {got} features but the network has learned from points of {expected}; give it the same features"
    )]
    FeatureCount {
        /// Features the network takes.
        expected: usize,
        /// Features of the points.
        got: usize,
    },
    /// Bytes instead of numbers, or the other way round.
    #[error("the points hold {got} values, but the network has learned from {expected}; give it points of that kind")]
    PointKind {
        /// What the network takes.
        expected: PointKind,
        /// What the points hold.
        got: PointKind,
    },
    /// Too few or too many weights.
    #[error("{got} parameters given, but the architecture has {expected}; the weights belong to another network")]
    ParameterCount {
        /// What the architecture has.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// A weight that is not a number.
    #[error("parameter {at} is not finite; the weights are damaged or the run that made them diverged")]
    ParameterNotFinite {
        /// Which.
        at: usize,
    },
    /// Representations that no structure can hold.
    #[error(
        "the network makes representations that are no usable numbers; it has diverged, or the points are far from what it has learned from"
    )]
    Representation {
        /// Row and column.
        source: PointsError,
    },
}

/// What can go wrong within a step.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The loss is not a number any more.
    #[error("the loss is {loss}")]
    Diverged {
        /// The loss.
        loss: f64,
    },
    /// The representations are no usable numbers any more.
    #[error("the representations are no usable numbers: {reason}")]
    Unusable {
        /// What the tree says of them.
        reason: String,
    },
}

/// Why a run could not start, or had to end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A parameter that makes no sense.
    #[error("{parameter} is {got}; {expected}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// Its value.
        got: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A row without a class.
    #[error("row {row} is {label}, not of a class; learning needs the class of every example: leave such rows out")]
    NotAClass {
        /// The row.
        row: usize,
        /// What it has for a label.
        label: hedgerow_core::Label,
    },
    /// Data of one class.
    #[error(
        "all {n_examples} examples are of one class; there is no boundary to learn: give examples of at least two classes"
    )]
    OneClass {
        /// How many there are.
        n_examples: usize,
    },
    /// Too few examples.
    #[error("{n_examples} examples are too few to learn from; give at least {least}")]
    TooFew {
        /// How many there are.
        n_examples: usize,
        /// How many are needed.
        least: usize,
    },
    /// Examples for validation that are not like those to learn from.
    #[error(
        "the examples for validation have {got} features; they must be like those to learn from, of {expected} {kind} features"
    )]
    Validation {
        /// Features to learn from.
        expected: usize,
        /// Features of the examples for validation.
        got: usize,
        /// The kind of points to learn from.
        kind: PointKind,
    },
    /// Images of another size than the points.
    #[error("pictures of {height} x {width} x {channels} have {} numbers, but the points have {n_features}; correct the shape, or leave augmentation out", height * width * channels)]
    ImageShape {
        /// Height.
        height: usize,
        /// Width.
        width: usize,
        /// Channels.
        channels: usize,
        /// Features of the points.
        n_features: usize,
    },
    /// The run went astray.
    #[error(
        "training diverged at step {step} (epoch {epoch}): {cause}; use a smaller learning rate (it was {learning_rate:.2e}), scale the features to similar ranges, or use a larger sigma"
    )]
    Diverged {
        /// The step.
        step: u64,
        /// The epoch.
        epoch: usize,
        /// The learning rate at that step.
        learning_rate: f64,
        /// What happened.
        cause: StepError,
    },
    /// A checkpoint of something else.
    #[error("{}: this checkpoint belongs to another run: {what} differs; give the same data and parameters, or start without it", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What is different.
        what: &'static str,
    },
    /// A file that is no checkpoint.
    #[error("{}: this is no checkpoint that can be read: {reason}; start without it", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Reading or writing a checkpoint failed.
    #[error("{}: {act} the checkpoint failed", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Reading or writing.
        act: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// Points that the network cannot take.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}
