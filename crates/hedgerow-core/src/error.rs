//! What can be wrong with parameters, points, labels and requests, each with the numbers and the remedy.
//!
//! One enum per act: setting up ([`ParamError`]), handing over points ([`PointError`], [`PointsError`]), inserting
//! ([`InsertError`]), asking ([`QueryError`]) and editing ([`EditError`]). What can be wrong with a snapshot stands beside it, in
//! [`RestoreError`](crate::RestoreError). Nothing in this crate panics on data.

use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::points::PointKind;

/// A parameter that no structure can work with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// `max_children` is 0, so that no node could ever be given a child.
    #[error("max_children is 0, so the root could never have a child; use at least 1, or leave it unset for no bound")]
    ZeroChildren,
    /// A forest without trees.
    #[error("n_trees is 0; a forest needs at least 1 tree (the usual choice is 50)")]
    ZeroTrees,
    /// More trees than anybody could mean.
    #[error("n_trees is {n_trees}; at most {max} are possible (the usual choice is 50)", max = crate::boundary_forest::MAX_TREES)]
    TooManyTrees {
        /// The number asked for.
        n_trees: usize,
    },
    /// A distance scale that is not a positive number.
    #[error("sigma is {sigma}; distances are divided by it, so it must be a positive number")]
    Sigma {
        /// The scale asked for.
        sigma: f64,
    },
    /// A vote of no neighbors.
    #[error("n_neighbors is 0, so nobody would vote; use at least 1")]
    ZeroNeighbors,
    /// A regression tolerance below zero, or not a number.
    #[error(
        "epsilon is {epsilon}; values that differ by more than epsilon are kept apart, so it must be 0 or a positive number"
    )]
    Epsilon {
        /// The tolerance asked for.
        epsilon: f32,
    },
    /// Hart's rule goes over everything shown again, so everything shown must be kept.
    #[error(
        "passes = until consistent reads every example again, but history is {history}; set history to full, or passes to one"
    )]
    PassesNeedHistory {
        /// The history asked for.
        history: History,
    },
}

/// What is wrong with one point.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointError {
    /// The point is wider or narrower than those already stored.
    #[error("the point has {got} features but the stored ones have {expected}; prepare every point in the same way")]
    FeatureCount {
        /// Features of the stored points.
        expected: usize,
        /// Features of this point.
        got: usize,
    },
    /// The point holds another number type than those already stored.
    #[error("the point holds {got} values but the stored ones hold {expected}; convert it first")]
    Kind {
        /// Number type of the stored points.
        expected: PointKind,
        /// Number type of this point.
        got: PointKind,
    },
    /// A point without features.
    #[error("the point has no features; a distance needs at least 1")]
    NoFeatures,
    /// NaN, infinity, or a value so large that its square would overflow.
    #[error("the value {value} in column {column} is not a number of magnitude at most {max:e}; remove, replace or scale it", max = crate::points::MAX_MAGNITUDE)]
    NotFinite {
        /// Column of the value, from 0.
        column: usize,
        /// The value itself.
        value: f32,
    },
    /// A closure measures `f32` points only.
    #[error("the distance \"{name}\" is a closure over f32 values, but the points hold u8 values; convert them to f32")]
    CustomNeedsF32 {
        /// The name given to the closure.
        name: String,
    },
}

/// What is wrong with a block of points.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// A block whose values do not divide into whole rows.
    #[error(
        "{values} values do not divide into rows of {width} features; check the width, or whether the data is cut off"
    )]
    Ragged {
        /// Values in the block.
        values: usize,
        /// Features of a row.
        width: usize,
    },
    /// One row is bad.
    #[error("row {row}: {source}")]
    Row {
        /// The row, from 0.
        row: usize,
        /// What is wrong with it.
        #[source]
        source: PointError,
    },
    /// Labels or ids that do not match the points in number.
    #[error("there are {points} points but {others} {what}; give one for each point")]
    Count {
        /// Number of points.
        points: usize,
        /// Number of labels or ids.
        others: usize,
        /// "labels" or "ids".
        what: &'static str,
    },
    /// Rows without features.
    #[error("the rows have no features; a distance needs at least 1")]
    NoFeatures,
}

/// Why an example could not be taken in. Nothing has been changed when this comes back.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// The point itself is bad.
    #[error(transparent)]
    Point(#[from] PointError),
    /// A label of another kind than the task predicts.
    #[error("the label is {label} but the task is {task}; {remedy}", remedy = task.label_remedy())]
    LabelKind {
        /// The task of the structure.
        task: Task,
        /// The label given.
        label: Label,
    },
    /// A regression target that is NaN or infinite.
    #[error("the target {value} is not a finite number; remove the example or replace its target")]
    TargetNotFinite {
        /// The target given.
        value: f32,
    },
    /// The id is already in use.
    #[error("an example with id {id} is already here; give each example its own id, or remove the old one first")]
    DuplicateId {
        /// The id given.
        id: ExampleId,
    },
    /// Ids that count up beyond the largest number.
    #[error("{len} ids from {first} on would go beyond the largest number; start at a smaller one")]
    IdsRunOut {
        /// The first id.
        first: ExampleId,
        /// How many were wanted.
        len: usize,
    },
    /// More examples than row numbers.
    #[error("a structure holds at most {max} examples; split the data over several structures", max = u32::MAX - 1)]
    TooMany,
    /// One example of a block is bad; none of the block has been taken in.
    #[error("row {row}: {source}; nothing of this block was inserted")]
    Row {
        /// The row within the block, from 0.
        row: usize,
        /// What is wrong with it.
        #[source]
        source: Box<InsertError>,
    },
}

/// Why a question could not be answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Nothing has been inserted yet.
    #[error("the structure is empty; insert at least one example before asking")]
    Empty,
    /// The query point itself is bad.
    #[error(transparent)]
    Point(#[from] PointError),
    /// Zero neighbors were asked for.
    #[error("0 neighbors were asked for; ask for at least 1")]
    ZeroNeighbors,
    /// The answer needs what a structure without history has thrown away.
    #[error("this needs every example that was shown, but history is {history}; set history to full before inserting")]
    HistoryNeeded {
        /// The history that is kept.
        history: History,
    },
}

/// Why an example could not be removed or relabelled. Nothing has been changed when this comes back.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// No such example.
    #[error("no example with id {id} is here; {remedy}", remedy = history.unknown_id_remedy())]
    UnknownId {
        /// The id given.
        id: ExampleId,
        /// The history that is kept: without the full one, redundant examples are not remembered.
        history: History,
    },
    /// An exact edit needs the examples that were found redundant.
    #[error(
        "example {id} is stored, and examples that it made redundant may be needed without it, but history is {history}; \
         keep the full history, or ask for the lossy edit, which replays the stored examples only"
    )]
    HistoryNeeded {
        /// The id given.
        id: ExampleId,
        /// The history that is kept.
        history: History,
    },
    /// The new label does not fit the task.
    #[error(transparent)]
    Label(#[from] InsertError),
}
