//! What can be wrong with a snapshot, with the place and the numbers that disagree.

use crate::error::{InsertError, ParamError, PointError};
use crate::history::History;
use crate::label::{ExampleId, Label};

const DAMAGED: &str = "the snapshot is damaged: take an undamaged copy, or build the structure again";
const MISMATCH: &str = "restore with the parameters that the structure was built with; \
                        if these are the ones, the snapshot is damaged";

fn node_or_none(node: &Option<u32>) -> String {
    node.map_or_else(|| "no node".to_owned(), |node| format!("node {node}"))
}

fn row_or_none(row: &Option<u32>) -> String {
    row.map_or_else(|| "no row".to_owned(), |row| format!("row {row}"))
}

/// Why a structure could not be restored from a [`Snapshot`](crate::Snapshot).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The parameters themselves are bad.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Arrays that must agree in length do not.
    #[error("there are {got} {what} but {expected} {of}; {damaged}", damaged = DAMAGED)]
    Count {
        /// What there is too much or too little of: "labels", "ids", ...
        what: &'static str,
        /// How many there are.
        got: usize,
        /// What they must agree with: "points", ...
        of: &'static str,
        /// How many there are of these.
        expected: usize,
    },
    /// The structure to restore has no use for a part of the snapshot.
    #[error("there are {got} {what}, but {structure} has none; {mismatch}", mismatch = MISMATCH)]
    Unexpected {
        /// What there is: "trees", "members", "answers".
        what: &'static str,
        /// How many there are.
        got: usize,
        /// What is to be restored: "a linear scan", ...
        structure: &'static str,
    },
    /// More rows than a structure can number.
    #[error("there are {got} rows, but a structure holds at most {max}; {damaged}", max = u32::MAX - 1, damaged = DAMAGED)]
    TooMany {
        /// Rows of the snapshot.
        got: usize,
    },
    /// The number of examples shown does not fit the number of rows.
    #[error(
        "{n_shown} examples were shown and {n_rows} rows are kept, but history is {history} and {rule}; {mismatch}",
        rule = match history {
            History::Full => "keeps as many rows as were shown",
            History::NodesOnly => "keeps at most as many rows as were shown, and nobody could have shown that many more",
        },
        mismatch = MISMATCH
    )]
    Shown {
        /// Examples shown, as the snapshot has it.
        n_shown: usize,
        /// Rows of the snapshot.
        n_rows: usize,
        /// The history of the structure to restore.
        history: History,
    },
    /// The distance cannot measure the points.
    #[error("the points do not fit the distance: {source}")]
    Points {
        /// What is wrong.
        #[from]
        source: PointError,
    },
    /// A label that does not fit the task.
    #[error("row {row}: {source}; {mismatch}", mismatch = MISMATCH)]
    Label {
        /// The row.
        row: usize,
        /// What is wrong with its label.
        #[source]
        source: InsertError,
    },
    /// Two rows with one id.
    #[error("rows {first} and {row} both have the id {id}; {damaged}", damaged = DAMAGED)]
    DuplicateId {
        /// The id.
        id: ExampleId,
        /// The first row that has it.
        first: usize,
        /// The other one.
        row: usize,
    },
    /// Whether the roots have been dealt out contradicts the number of rows or the kind of structure.
    #[error(
        "the first examples are said {said} been dealt out to the roots, which cannot be with {n_rows} rows, {n_trees} trees \
         and this initialization; {mismatch}",
        said = if *is_rooted { "to have" } else { "not to have" },
        mismatch = MISMATCH
    )]
    Rooted {
        /// What the snapshot says.
        is_rooted: bool,
        /// Rows of the snapshot.
        n_rows: usize,
        /// Trees of the structure.
        n_trees: usize,
    },
    /// The structure to restore has another number of trees.
    #[error("there are {got} trees, but the structure has {expected}; {mismatch}", mismatch = MISMATCH)]
    Trees {
        /// Trees of the snapshot.
        got: usize,
        /// Trees of the structure.
        expected: usize,
    },
    /// Before the first examples are dealt out to the roots all trees are alike.
    #[error(
        "tree {tree} differs from tree 0, but no examples have been dealt out to the roots, so all trees must be alike; \
         {damaged}",
        damaged = DAMAGED
    )]
    TreesDiffer {
        /// The first tree that differs.
        tree: usize,
    },
    /// A row that is no stored example, without a history to be kept for.
    #[error(
        "row {row} is not stored in any tree, but history is nodes only, so redundant examples are not kept; {mismatch}",
        mismatch = MISMATCH
    )]
    Unstored {
        /// The row.
        row: usize,
    },
    /// One of the trees is damaged.
    #[error("tree {tree}: {source}; {mismatch}", mismatch = MISMATCH)]
    Tree {
        /// Its number, from 0.
        tree: usize,
        /// What is wrong with it.
        #[source]
        source: TreeError,
    },
    /// A member of a set is not the row that the answers and labels make one, is no row, or stands twice.
    #[error(
        "member {place} is {got}, but must be {expected}; {mismatch}",
        got = row_or_none(got),
        expected = expected.map_or_else(|| "a row that is no member yet, or not there".to_owned(), |row| format!("row {row}")),
        mismatch = MISMATCH
    )]
    Member {
        /// Place in the list of members, from 0.
        place: usize,
        /// The row that stands there; `None` if the list is too short.
        got: Option<u32>,
        /// The row that must stand there, if only one can.
        expected: Option<u32>,
    },
    /// The answer of an example in a set was no member when the example was shown.
    #[error(
        "row {row} was answered by {answer}, but every row after the first is answered by an earlier member, and the first by \
         none; {damaged}",
        answer = row_or_none(answer),
        damaged = DAMAGED
    )]
    Answer {
        /// The row.
        row: usize,
        /// The row that is said to have answered it.
        answer: Option<u32>,
    },
}

/// What is wrong with one tree of a snapshot.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// Arrays that must agree in length do not.
    #[error("there are {got} {what} but {expected} {of}")]
    Count {
        /// What there is too much or too little of.
        what: &'static str,
        /// How many there are.
        got: usize,
        /// What they must agree with.
        of: &'static str,
        /// How many there are of these.
        expected: usize,
    },
    /// A node whose row does not exist, has another node, or comes out of turn.
    #[error("node {node} is row {row}, but there are {n_rows} rows, and each is at most one node, {order}", order = order_of(*is_ordered))]
    Node {
        /// The node.
        node: usize,
        /// Its row.
        row: u32,
        /// Rows of the snapshot.
        n_rows: usize,
        /// Whether this tree is shown rows in their order.
        is_ordered: bool,
    },
    /// The root hangs from a node, or another node does not hang from an earlier one.
    #[error(
        "node {node} hangs from {parent}, but node 0 is the root and every other node hangs from an earlier one",
        parent = node_or_none(parent)
    )]
    Parent {
        /// The node.
        node: usize,
        /// The node that it is said to hang from.
        parent: Option<u32>,
    },
    /// A row or place that an example cannot have in the order of showing.
    #[error(
        "row {row} was shown at place {place}, but there are {n_rows} rows, and each is shown once, {order}",
        order = order_of(*is_ordered)
    )]
    Order {
        /// Place in the order of showing, from 0.
        place: usize,
        /// The row that stands there.
        row: u32,
        /// Rows of the snapshot.
        n_rows: usize,
        /// Whether this tree is shown rows in their order.
        is_ordered: bool,
    },
    /// An example is said to have been answered by a node that was not there when it was shown.
    #[error(
        "row {row} was answered by {answer}, but the first row shown is answered by none and every other one by a node that \
         was there, of which there were {n_nodes}",
        answer = node_or_none(answer)
    )]
    Answer {
        /// The row.
        row: u32,
        /// The node that is said to have answered it.
        answer: Option<u32>,
        /// Nodes that there were.
        n_nodes: usize,
    },
    /// A node that had no room for another child when an example is said to have stopped there.
    #[error("row {row} stopped at node {node}, which already had the {max_children} children that a node may have")]
    Full {
        /// The row.
        row: u32,
        /// The full node.
        node: u32,
        /// The most children that a node may have.
        max_children: usize,
    },
    /// A node that its parent makes redundant, or an example that its answer does not and that is no node.
    #[error(
        "row {row} ({label}) was answered with {answer}, which makes it {expected}, but it is {got}",
        expected = if *is_node { "redundant" } else { "a node" },
        got = if *is_node { "a node" } else { "none" }
    )]
    Redundancy {
        /// The row.
        row: u32,
        /// Its label.
        label: Label,
        /// The label of the node that answered it.
        answer: Label,
        /// Whether it is a node.
        is_node: bool,
    },
    /// A node hangs from another node than the one that answered it.
    #[error("node {node} hangs from {parent} but was answered by {answer}", parent = node_or_none(parent), answer = node_or_none(answer))]
    ParentAnswer {
        /// The node.
        node: usize,
        /// The node that it hangs from.
        parent: Option<u32>,
        /// The node that answered it.
        answer: Option<u32>,
    },
    /// An example that is another node than its place in the order of showing makes it, or none where it must be one.
    #[error("row {row} is {node}, but by the order of showing must be node {expected}", node = node_or_none(node))]
    Turn {
        /// The row.
        row: u32,
        /// The node that it is.
        node: Option<u32>,
        /// The node that it must be.
        expected: usize,
    },
    /// A tree without nodes beside examples that it must have been shown.
    #[error("it has no nodes, but {n_rows} examples were shown to it")]
    Empty {
        /// Rows of the snapshot.
        n_rows: usize,
    },
}

fn order_of(is_ordered: bool) -> &'static str {
    if is_ordered { "in the order of the rows" } else { "in any order" }
}
