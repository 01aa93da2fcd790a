//! What every neighbor structure can do: the trait [`NeighborSearch`] and the answers it gives.
//!
//! The structures are [`LinearScan`](crate::LinearScan) (exact, the oracle of the others),
//! [`BoundarySet`](crate::BoundarySet), [`BoundaryTree`](crate::BoundaryTree) and
//! [`BoundaryForest`](crate::BoundaryForest). How voters become a prediction is in [`crate::vote`].

use crate::distance::Distance;
use crate::error::{EditError, InsertError, QueryError};
use crate::examples::Examples;
use crate::explanation::{Calibration, Explanation};
use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::points::{Point, PointsRef};
use crate::traversal::Traversal;
use crate::vote::{Prediction, Vote};

/// A stored example as an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// The caller's id of the example.
    pub id: ExampleId,
    /// Its label.
    pub label: Label,
    /// Its distance from the query.
    pub distance: f64,
}

/// What became of an example that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    /// It was kept (by at least one tree, in a forest).
    Added,
    /// The structure already answers with its label: it was not kept as a stored example.
    Redundant,
}

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// Whether the example was a stored one before the edit (in at least one tree, in a forest).
    pub was_stored: bool,
    /// How many decisions about examples were taken anew to find the new structure, over all trees: what it cost.
    pub replayed: usize,
}

/// How much further than the first walk a search for several neighbors goes.
///
/// The unit is nodes of a tree whose children are looked at, beyond those on the walk (and beyond what is needed to
/// find as many neighbors as asked for). [`Effort::FULL`] looks at every node and is exact. Flat structures are always exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Effort(pub usize);

impl Effort {
    /// Look at everything.
    pub const FULL: Self = Self(usize::MAX);
}

/// Asked now and then, by any thread, whether to give up.
pub type IsStopped<'a> = &'a (dyn Fn() -> bool + Sync);

/// A set of stored examples that answers by nearness, and learns one example at a time.
///
/// **Ties.** Of equally near examples the one stored earlier answers, but a walk through a tree stays at the node
/// it has reached rather than move to an equally near child.
///
/// **Order.** What is stored depends on the order in which examples are shown, except in a linear scan.
pub trait NeighborSearch: Send + Sync {
    /// The task that labels serve.
    fn task(&self) -> Task;

    /// The distance in use.
    fn distance(&self) -> &Distance;

    /// How the voters decide.
    fn vote(&self) -> Vote;

    /// What is remembered of the examples shown.
    fn history(&self) -> History;

    /// Number of stored examples: those that answers come from. A forest counts an example once.
    fn n_stored(&self) -> usize;

    /// Number of examples shown, less those removed.
    fn n_shown(&self) -> usize;

    /// Bytes of memory held, nearly.
    fn size_bytes(&self) -> usize;

    /// Number of features, once the first example has come.
    fn width(&self) -> Option<usize>;

    /// Ids of the stored examples, in the order in which they came.
    fn stored_ids(&self) -> Vec<ExampleId>;

    /// Ids of all examples kept, in the order in which they came: the stored ones and, where the history is full, those found
    /// redundant.
    fn kept_ids(&self) -> Vec<ExampleId>;

    /// The point and label of an example that is kept, whether stored or found redundant; nothing if there is none with
    /// this id.
    fn example(&self, id: ExampleId) -> Option<(Point<'_>, Label)>;

    /// The nearest stored example: the exact one in a flat structure, the approximate one of the walk in a tree (the
    /// nearest of the walks in a forest).
    ///
    /// # Errors
    /// An empty structure, and a point that cannot be compared.
    fn nearest(&self, query: Point<'_>) -> Result<Neighbor, QueryError>;

    /// The `k` nearest stored examples, or all if there are fewer, nearest first: exact in a flat structure, the nearest of
    /// those looked at in a tree. Nodes that are full, which [`Self::nearest`] passes by, may be among them.
    ///
    /// # Errors
    /// As [`Self::nearest`], and `k` = 0.
    fn k_nearest(&self, query: Point<'_>, k: usize, effort: Effort) -> Result<Vec<Neighbor>, QueryError>;

    /// [`Self::k_nearest`] of many queries, in parallel; the same answers to the last bit.
    ///
    /// # Errors
    /// As [`Self::k_nearest`].
    fn k_nearest_of_all(
        &self,
        queries: PointsRef<'_>,
        k: usize,
        effort: Effort,
    ) -> Result<Vec<Vec<Neighbor>>, QueryError>;

    /// The stored examples that decide about `query`, in the order in which they vote.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn voters(&self, query: Point<'_>) -> Result<Vec<Neighbor>, QueryError>;

    /// [`Self::voters`] of many queries, together and in parallel; the same answers to the last bit.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn voters_of_all(&self, queries: PointsRef<'_>) -> Result<Vec<Vec<Neighbor>>, QueryError>;

    /// The walk of `query` through each tree, as data. Flat structures walk nowhere and give none.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn traverse(&self, query: Point<'_>) -> Result<Vec<Traversal>, QueryError>;

    /// The nearest stored example among those with a label that `accept` takes, found exactly.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn nearest_labelled(
        &self,
        query: Point<'_>,
        accept: &dyn Fn(Label) -> bool,
    ) -> Result<Option<Neighbor>, QueryError>;

    /// For each example shown, its distance from the example that answered when it was shown: the nearest of these, in a
    /// forest. An example that nothing could answer, as the first one, has none.
    ///
    /// A linear scan, which stores everything, gives the distance from the nearest *other* example.
    ///
    /// # Errors
    /// [`QueryError::HistoryNeeded`] where redundant examples were not kept.
    fn answer_distances(&self) -> Result<Vec<f64>, QueryError>;

    /// Shows one example: keeps it unless it is redundant.
    ///
    /// # Errors
    /// A bad point or label, or an id in use; then nothing has changed.
    fn insert(&mut self, id: ExampleId, point: Point<'_>, label: Label) -> Result<Insertion, InsertError>;

    /// Shows many examples, in order; gives how many were kept. The result is the same as by one [`Self::insert`] after
    /// another (but see [`Initialization::Permuted`](crate::Initialization::Permuted)), found faster. To show progress, give
    /// the examples in blocks of some thousands.
    ///
    /// # Errors
    /// As [`Self::insert`], with the row; then nothing of the block has been taken in.
    fn insert_all(&mut self, examples: &Examples<'_>) -> Result<usize, InsertError> {
        Ok(self.insert_all_unless(examples, &|| false)?.unwrap_or(0))
    }

    /// [`Self::insert_all`] that can be stopped, for where all examples must come in one block: `is_stopped` is asked before each
    /// part of a tree's or a pass's work, of some thousands of examples at most. As long as it says no, it changes nothing.
    ///
    /// Gives nothing once it says yes. The structure is empty then: trees that have seen some examples and others that have seen none
    /// are no structure.
    ///
    /// # Errors
    /// As [`Self::insert_all`].
    fn insert_all_unless(
        &mut self,
        examples: &Examples<'_>,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<usize>, InsertError>;

    /// Removes an example, so that the structure is the one that the same history without it would have built. In a forest
    /// this holds for each tree and the order in which *it* was shown the examples.
    ///
    /// # Errors
    /// An unknown id, and [`EditError::HistoryNeeded`] where redundant examples were not kept.
    fn remove(&mut self, id: ExampleId) -> Result<Edit, EditError>;

    /// Removes a stored example where the history was not kept: the structure becomes the one that the *stored* examples
    /// alone, without it, would have built (in a forest: each tree what its own nodes would have). Examples that only it had
    /// made redundant stay forgotten.
    ///
    /// # Errors
    /// An unknown id.
    fn remove_lossy(&mut self, id: ExampleId) -> Result<Edit, EditError>;

    /// Changes the label of an example, so that the structure is the one that the same history with the new label would
    /// have built.
    ///
    /// # Errors
    /// As [`Self::remove`], and a label that does not fit the task.
    fn relabel(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError>;

    /// As [`Self::relabel`], by replaying the stored examples alone where the history was not kept.
    ///
    /// # Errors
    /// An unknown id, and a label that does not fit the task.
    fn relabel_lossy(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError>;

    /// Predicts the label of `query` from its [voters](Self::voters).
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn predict(&self, query: Point<'_>) -> Result<Prediction, QueryError> {
        Ok(self.vote().decide(self.task(), &self.voters(query)?))
    }

    /// Predicts the labels of many queries, together and in parallel.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn predict_all(&self, queries: PointsRef<'_>) -> Result<Vec<Prediction>, QueryError> {
        let voters = self.voters_of_all(queries)?;
        Ok(voters.iter().map(|voters| self.vote().decide(self.task(), voters)).collect())
    }

    /// Says why `query` gets its prediction, with a calibrated novelty if a calibration is given.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    fn explain(&self, query: Point<'_>, calibration: Option<&Calibration>) -> Result<Explanation, QueryError> {
        Explanation::of(self, query, calibration)
    }
}
