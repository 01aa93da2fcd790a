//! The boundary tree of Mathy et al. (2015): examples near class boundaries, arranged so that a query walks to an
//! approximate neighbor in about `log N` steps.
//!
//! Start with `shape.rs` (the walk and the training rule), then `route.rs` (blocks), `edit.rs` (exact removal) and
//! `restore.rs` (trees from what was written down).

mod edit;
pub(crate) mod grove;
mod neighborhood;
mod restore;
mod route;
pub(crate) mod shape;
mod tree_ref;

use crate::distance::Distance;
use crate::error::{EditError, InsertError, ParamError, QueryError};
use crate::examples::Examples;
use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::neighbor_search::{Edit, Effort, Insertion, IsStopped, Neighbor};
use crate::points::{Point, PointsRef};
use crate::snapshot::{RestoreError, Snapshot};
use crate::traversal::Traversal;
use crate::vote::Vote;
use grove::{Grove, Orders};
use shape::Rules;

pub use tree_ref::TreeRef;

/// How to set up a [`BoundaryTree`].
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use]
pub struct BoundaryTreeParams {
    task: Task,
    distance: Distance,
    max_children: Option<usize>,
    history: History,
}

impl BoundaryTreeParams {
    /// Sets what the labels are for.
    pub fn task(self, task: Task) -> Self {
        Self { task, ..self }
    }

    /// Sets the distance.
    pub fn distance(self, distance: Distance) -> Self {
        Self { distance, ..self }
    }

    /// Bounds the children of a node (the `k` of Mathy et al.). A node with that many can no longer be an answer. Without a
    /// bound, which is the default and the DBS paper's use, every node can.
    pub fn max_children(self, max_children: usize) -> Self {
        Self { max_children: Some(max_children), ..self }
    }

    /// Sets what is remembered of the examples shown.
    pub fn history(self, history: History) -> Self {
        Self { history, ..self }
    }

    /// Makes an empty tree.
    ///
    /// # Errors
    /// [`ParamError::ZeroChildren`], [`ParamError::Epsilon`].
    pub fn build(self) -> Result<BoundaryTree, ParamError> {
        let (distance, rules) = self.checked()?;
        Ok(BoundaryTree { grove: Grove::new(distance, rules, Orders::AsGiven, 1) })
    }

    /// Makes the tree that a [snapshot](BoundaryTree::snapshot) was taken of. These are the parameters that it was built
    /// with. Takes time in proportion to the size of the snapshot, and measures no distances.
    ///
    /// # Errors
    /// What [`Self::build`] refuses, and a snapshot that contradicts itself or the parameters.
    pub fn restore(self, snapshot: Snapshot) -> Result<BoundaryTree, RestoreError> {
        Ok(BoundaryTree { grove: self.build()?.grove.restored(snapshot)? })
    }

    pub(crate) fn checked(self) -> Result<(Distance, Rules), ParamError> {
        self.task.check()?;
        if self.max_children == Some(0) {
            return Err(ParamError::ZeroChildren);
        }
        let max_children = self.max_children.unwrap_or(usize::MAX);
        Ok((self.distance, Rules { task: self.task, max_children, history: self.history }))
    }
}

/// A boundary tree.
///
/// A query starts at the root and moves to the nearest of the node and its children until the node itself is nearest.
/// An example is added as a child of the node it stops at if the labels differ.
///
/// # Example
/// ```
/// use hedgerow_core::{BoundaryTreeParams, ExampleId, Insertion, Label, NeighborSearch, Point};
/// let mut tree = BoundaryTreeParams::default().build()?;
/// tree.insert(ExampleId(7), Point::F32(&[0.0, 0.0]), Label::class(0))?;
/// tree.insert(ExampleId(8), Point::F32(&[1.0, 1.0]), Label::class(1))?;
/// let shown = tree.insert(ExampleId(9), Point::F32(&[0.9, 1.1]), Label::class(1))?;
/// assert_eq!(shown, Insertion::Redundant); // example 8 already says so
/// let walk = &tree.traverse(Point::F32(&[0.8, 0.9]))?[0];
/// assert_eq!(walk.path().map(|at| at.neighbor.id.0).collect::<Vec<_>>(), [7, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryTree {
    grove: Grove,
}

impl BoundaryTree {
    /// The tree's nodes and edges.
    pub fn tree(&self) -> TreeRef<'_> {
        TreeRef::new(&self.grove.store, &self.grove.trees[0])
    }

    /// The tree as plain arrays, from which [`BoundaryTreeParams::restore`] makes it again.
    pub fn snapshot(&self) -> Snapshot {
        self.grove.snapshot()
    }
}

/// Implements [`NeighborSearch`](crate::NeighborSearch) for a type by its `grove` field and the vote given.
macro_rules! search_by_grove {
    ($structure:ty, |$this:ident| $vote:expr) => {
        impl $crate::neighbor_search::NeighborSearch for $structure {
            fn task(&self) -> Task {
                self.grove.rules.task
            }

            fn distance(&self) -> &Distance {
                &self.grove.distance
            }

            fn vote(&self) -> Vote {
                let $this = self;
                $vote
            }

            fn history(&self) -> History {
                self.grove.rules.history
            }

            fn n_stored(&self) -> usize {
                self.grove.stored_rows().len()
            }

            fn n_shown(&self) -> usize {
                self.grove.n_shown()
            }

            fn size_bytes(&self) -> usize {
                self.grove.size_bytes()
            }

            fn width(&self) -> Option<usize> {
                self.grove.store.points().map(|points| points.width())
            }

            fn stored_ids(&self) -> Vec<ExampleId> {
                self.grove.stored_rows().into_iter().map(|row| self.grove.store.id(row)).collect()
            }

            fn kept_ids(&self) -> Vec<ExampleId> {
                self.grove.store.ids().to_vec()
            }

            fn example(&self, id: ExampleId) -> Option<(Point<'_>, Label)> {
                self.grove.store.example(id)
            }

            fn nearest(&self, query: Point<'_>) -> Result<Neighbor, QueryError> {
                self.grove.nearest(query)
            }

            fn k_nearest(&self, query: Point<'_>, k: usize, effort: Effort) -> Result<Vec<Neighbor>, QueryError> {
                self.grove.k_nearest(query, k, effort)
            }

            fn k_nearest_of_all(
                &self,
                queries: PointsRef<'_>,
                k: usize,
                effort: Effort,
            ) -> Result<Vec<Vec<Neighbor>>, QueryError> {
                self.grove.k_nearest_of_all(queries, k, effort)
            }

            fn voters(&self, query: Point<'_>) -> Result<Vec<Neighbor>, QueryError> {
                self.grove.voters(query)
            }

            fn voters_of_all(&self, queries: PointsRef<'_>) -> Result<Vec<Vec<Neighbor>>, QueryError> {
                self.grove.voters_of_all(queries)
            }

            fn traverse(&self, query: Point<'_>) -> Result<Vec<Traversal>, QueryError> {
                self.grove.traverse(query)
            }

            fn nearest_labelled(
                &self,
                query: Point<'_>,
                accept: &dyn Fn(Label) -> bool,
            ) -> Result<Option<Neighbor>, QueryError> {
                self.grove.nearest_labelled(query, accept)
            }

            fn answer_distances(&self) -> Result<Vec<f64>, QueryError> {
                self.grove.answer_distances()
            }

            fn insert(&mut self, id: ExampleId, point: Point<'_>, label: Label) -> Result<Insertion, InsertError> {
                self.grove.insert(id, point, label)
            }

            fn insert_all_unless(
                &mut self,
                examples: &Examples<'_>,
                is_stopped: IsStopped<'_>,
            ) -> Result<Option<usize>, InsertError> {
                self.grove.insert_all_unless(examples, is_stopped)
            }

            fn remove(&mut self, id: ExampleId) -> Result<Edit, EditError> {
                self.grove.remove(id)
            }

            fn remove_lossy(&mut self, id: ExampleId) -> Result<Edit, EditError> {
                self.grove.remove_lossy(id)
            }

            fn relabel(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
                self.grove.relabel(id, label)
            }

            fn relabel_lossy(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
                self.grove.relabel_lossy(id, label)
            }
        }
    };
}
pub(crate) use search_by_grove;

search_by_grove!(BoundaryTree, |_tree| Vote::Nearest);
