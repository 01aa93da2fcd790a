//! What can be wrong, with the numbers and the remedy.

use std::path::PathBuf;

use hedgerow_core::{PointKind, PointsError};
use thiserror::Error;

/// Points that a network cannot take, or weights or a shape that make none.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A network that takes nothing.
    #[error("a network of 0 features has nothing to learn from; give at least one")]
    NoFeatures,
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
    /// Layers that make no network.
    #[error("the layers are {layers:?}; give at least one layer, none of them of 0 numbers")]
    Layers {
        /// The layers.
        layers: Vec<usize>,
    },
    /// A network that no memory holds.
    #[error(
        "a network of {n_inputs} inputs and layers of {layers:?} has {n_parameters} weights, more than the {most} that are possible; give smaller layers, or points of fewer features"
    )]
    TooLarge {
        /// Features of a point.
        n_inputs: usize,
        /// The layers.
        layers: Vec<usize>,
        /// Weights and biases.
        n_parameters: u128,
        /// As many as are possible.
        most: usize,
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
    /// An output that is not a number: the class with the largest output is anybody's guess then.
    #[error(
        "output {output} of the network for row {row} is {value}; it has diverged, or the points are far from what it has learned from"
    )]
    OutputNotFinite {
        /// The row, from 0.
        row: usize,
        /// The output, from 0.
        output: usize,
        /// What it is.
        value: f64,
    },
    /// Labels that are not those of the points.
    #[error("there are {points} points but {labels} labels; give one for each point")]
    LabelCount {
        /// How many points.
        points: usize,
        /// How many labels.
        labels: usize,
    },
    /// A divisor that bytes cannot be divided by.
    #[error(
        "bytes are to be divided by {divisor}; give a positive number, such as the largest byte, 255 in most pictures"
    )]
    Divisor {
        /// The divisor.
        divisor: f32,
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
    /// Weights, or what the optimizer remembers of gradients, have left the range of numbers.
    #[error("{what} number {at} is {value}")]
    NotFinite {
        /// A weight or a mean.
        what: &'static str,
        /// Which.
        at: usize,
        /// What it is.
        value: f64,
    },
    /// The representations are no usable numbers any more.
    #[error("the representations are no usable numbers: {reason}")]
    Unusable {
        /// What the tree says of them.
        reason: String,
    },
}

/// The last loss, where what happened is not told as one.
fn last_loss(cause: &StepError, loss: Option<f64>) -> String {
    match (cause, loss) {
        (StepError::Diverged { .. }, _) | (_, None) => String::new(),
        (_, Some(loss)) => format!(" (the last loss was {loss})"),
    }
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
    /// A set of examples for validation that has none.
    #[error(
        "the set of examples for validation is empty; give at least one, or give no set, and a validation_share of the others is kept"
    )]
    ValidationEmpty,
    /// A network to start from that is not one of this run.
    #[error(
        "the {what} of the network to start from: {got}; in this run: {expected}; give a network that fits, change the parameters, or leave `initial` out"
    )]
    Initial {
        /// What differs.
        what: &'static str,
        /// What it is in this run.
        expected: String,
        /// What it is in the network.
        got: String,
    },
    /// Examples for validation that are not like those to learn from.
    #[error(
        "the examples for validation have {got} features, those to learn from {expected}; give both the same features"
    )]
    Validation {
        /// Features to learn from.
        expected: usize,
        /// Features of the examples for validation.
        got: usize,
    },
    /// Examples for validation that hold bytes where the others hold numbers, or the other way round.
    #[error(
        "the examples for validation hold {got} values, those to learn from {expected}; read or convert both in the same way"
    )]
    ValidationKind {
        /// What the examples to learn from hold.
        expected: PointKind,
        /// What the examples for validation hold.
        got: PointKind,
    },
    /// An example for validation without a class.
    #[error(
        "row {row} of the examples for validation is {label}, not of a class; its answer could not be checked: leave such rows out"
    )]
    ValidationNotAClass {
        /// The row.
        row: usize,
        /// What it has for a label.
        label: hedgerow_core::Label,
    },
    /// An epoch that taught nothing.
    #[error(
        "up to epoch {epoch} no query, of {n_queries} in each, had an example of its class to be compared with, so that there was nothing to learn; use larger batches (they have {batch_size} examples), or give more examples of each class"
    )]
    NothingCounted {
        /// The last epoch, from 0 on.
        epoch: usize,
        /// Queries of an epoch.
        n_queries: usize,
        /// Points of a round.
        batch_size: usize,
    },
    /// Images of another size than the points.
    #[error("pictures of {height} x {width} x {channels} have {} numbers, but the points have {n_features}; correct `picture` or leave it out", height.saturating_mul(*width).saturating_mul(*channels))]
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
        "training diverged at step {step} (epoch {epoch}): {cause}{}; use a smaller learning rate (it was {learning_rate:.2e}), scale the features to similar ranges{}",
        last_loss(cause, *loss),
        if *has_sigma { ", or use a larger sigma" } else { "" }
    )]
    Diverged {
        /// The step.
        step: u64,
        /// The epoch.
        epoch: usize,
        /// The learning rate at that step.
        learning_rate: f64,
        /// The loss of the last step, if there was any since the run was begun or taken up again.
        loss: Option<f64>,
        /// Whether the method has a sigma.
        has_sigma: bool,
        /// What happened.
        cause: StepError,
    },
    /// A checkpoint of a run with other parameters, or other numbers that were found for the data.
    #[error("{}: this checkpoint belongs to another run: {parameter} is {then} there and {now} here; give the same parameters, or start without it", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The name of a parameter that differs, with dots, such as `adam.beta1`.
        parameter: String,
        /// Its value in the checkpoint, as JSON.
        then: String,
        /// Its value now.
        now: String,
    },
    /// A checkpoint of a run on other data.
    #[error("{}: this checkpoint belongs to another run: the data differs; give the same examples in the same order, or start without it", path.display())]
    OtherData {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint that would be lost.
    #[error("{}: there is a file already, and a checkpoint would replace it; set resume to take that run up again, remove the file, or give another name", path.display())]
    CheckpointExists {
        /// The file.
        path: PathBuf,
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
    #[error("{}: {act} the checkpoint failed; see that its folder exists, that you may read and write there, and that the disk has space left", path.display())]
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
