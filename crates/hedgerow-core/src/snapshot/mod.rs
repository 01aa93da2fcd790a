//! Structures as plain arrays, to be written down and restored without measuring a distance.
//!
//! `snapshot()` of a structure gives a [`Snapshot`]; `restore` of the parameters that the structure was built with takes it
//! back. The restored structure equals the original, answers as it does and learns on as it would have. What a snapshot
//! says is checked against itself before anything is built (see [`RestoreError`]), so that it may come from a file that
//! is damaged or was made to do harm. Whether the points truly lead each example to the node that is said to have
//! answered it is *not* checked: that would measure what restoring is there to save. A snapshot that lies about this gives
//! a structure that answers differently, never one that panics.
//!
//! Not for files: how the arrays are laid out in bytes is up to the caller. Parameters are not part of a snapshot, because
//! a distance may be a closure. Restoring trees is in `boundary_tree/restore.rs`, sets in `boundary_set/restore.rs`.
//!
//! # Example
//! ```
//! use hedgerow_core::{BoundaryTreeParams, Examples, Label, NeighborSearch, Point, Points};
//!
//! let points = Points::from_f32(1, vec![0.0, 4.0, 1.0, 5.0])?;
//! let labels = [0, 1, 0, 1].map(Label::class);
//! let params = BoundaryTreeParams::default();
//! let mut tree = params.clone().build()?;
//! tree.insert_all(&Examples::new(points.view(), &labels)?)?;
//!
//! let mut snapshot = tree.snapshot();
//! assert_eq!(snapshot.trees[0].nodes, [0, 1]); // two of the four rows are nodes ...
//! assert_eq!(snapshot.trees[0].answers[1..], [0, 0, 1]); // ... and these answered when the rows were shown
//! assert_eq!(params.clone().restore(snapshot.clone())?, tree);
//!
//! snapshot.trees[0].parents[1] = 1;
//! let error = params.restore(snapshot).unwrap_err().to_string();
//! assert!(error.starts_with("tree 0: node 1 hangs from node 1"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod restore_error;

pub use restore_error::{RestoreError, TreeError};

use crate::distance::Distance;
use crate::examples::ExampleStore;
use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::points::Points;

/// In place of the number of a node or row: there is none.
pub const NONE: u32 = u32::MAX;

/// A neighbor structure as plain arrays, but for its parameters.
///
/// *Rows* number the examples that the structure keeps: all that were shown and not removed where the history is full,
/// else the stored ones (and, in a forest with distinct roots, all until they are dealt out).
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The point of each row, in the order in which the examples came; `None`, or a block without rows, if there are none.
    pub points: Option<Points>,
    /// The label of each row.
    pub labels: Vec<Label>,
    /// The id of each row.
    pub ids: Vec<ExampleId>,
    /// Number of examples shown, less those removed: the number of rows where the history is full, else at least that.
    pub n_shown: usize,
    /// Forests with distinct roots: whether the first examples have been dealt out to the roots. True elsewhere.
    pub is_rooted: bool,
    /// The trees: one of a tree, all of a forest, none of a flat structure.
    pub trees: Vec<TreeSnapshot>,
    /// Boundary sets: the rows of the members in the order in which they were added, those of the first pass before those
    /// that Hart's rule found. Empty elsewhere.
    pub members: Vec<u32>,
    /// Boundary sets with a full history: for each row the row of the member that answered it in the first pass, [`NONE`]
    /// for the first. Empty elsewhere.
    pub answers: Vec<u32>,
}

/// One tree of a [`Snapshot`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeSnapshot {
    /// The row of each node, in the order of addition.
    pub nodes: Vec<u32>,
    /// The node that each node hangs from; [`NONE`] for the root.
    pub parents: Vec<u32>,
    /// Full history: the rows in the order in which this tree was shown them; empty if that is 0, 1, 2, ... Empty without
    /// history.
    pub order: Vec<u32>,
    /// Full history: for each place in that order the node that answered when it was shown; [`NONE`] for the first. Empty
    /// without history.
    pub answers: Vec<u32>,
}

/// More examples than this cannot have been shown. Leaves room to count on.
const MOST_SHOWN: usize = usize::MAX / 2;

impl Snapshot {
    /// The examples of a store, and nothing else.
    pub(crate) fn of(store: &ExampleStore, n_shown: usize) -> Self {
        Self {
            points: store.points().map(|points| points.to_owned()),
            labels: store.labels().to_vec(),
            ids: store.ids().to_vec(),
            n_shown,
            is_rooted: true,
            trees: Vec::new(),
            members: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Takes the examples out, checked.
    pub(crate) fn take_store(
        &mut self,
        distance: &Distance,
        task: Task,
        history: History,
    ) -> Result<ExampleStore, RestoreError> {
        let (labels, ids) = (std::mem::take(&mut self.labels), std::mem::take(&mut self.ids));
        let store = ExampleStore::restored(self.points.take(), labels, ids, distance, task)?;
        let (n_shown, n_rows) = (self.n_shown, store.len());
        let fits = match history {
            History::Full => n_shown == n_rows,
            History::NodesOnly => n_rows <= n_shown && n_shown <= MOST_SHOWN,
        };
        if fits { Ok(store) } else { Err(RestoreError::Shown { n_shown, n_rows, history }) }
    }

    /// Refuses what only trees have.
    pub(crate) fn check_flat(&self, structure: &'static str) -> Result<(), RestoreError> {
        check_none("trees", self.trees.len(), structure)?;
        match self.is_rooted {
            true => Ok(()),
            false => Err(RestoreError::Rooted { is_rooted: false, n_rows: self.ids.len(), n_trees: 0 }),
        }
    }
}

/// Refuses a part of a snapshot that the structure has no use for.
pub(crate) fn check_none(what: &'static str, got: usize, structure: &'static str) -> Result<(), RestoreError> {
    if got == 0 { Ok(()) } else { Err(RestoreError::Unexpected { what, got, structure }) }
}

/// A number that may be [`NONE`].
pub(crate) fn some(number: u32) -> Option<u32> {
    Some(number).filter(|number| *number != NONE)
}
