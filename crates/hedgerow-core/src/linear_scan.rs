//! Exact k-nearest-neighbor search by looking at everything. Also the oracle of every other structure's tests.

use crate::distance::Distance;
use crate::error::{EditError, InsertError, ParamError, QueryError};
use crate::examples::{ExampleStore, Examples};
use crate::flat::{self, Answers, Rows};
use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::metric::Row;
use crate::nearest_rows::RankedRow;
use crate::neighbor_search::{Edit, Effort, Insertion, IsStopped, Neighbor, NeighborSearch};
use crate::points::{Point, PointsRef};
use crate::snapshot::{RestoreError, Snapshot, check_none};
use crate::traversal::Traversal;
use crate::vote::Vote;

/// How to set up a [`LinearScan`].
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct LinearScanParams {
    task: Task,
    distance: Distance,
    n_neighbors: usize,
    vote: Vote,
}

impl Default for LinearScanParams {
    /// Classification by the one nearest neighbor, Euclidean.
    fn default() -> Self {
        Self { task: Task::default(), distance: Distance::default(), n_neighbors: 1, vote: Vote::Majority }
    }
}

impl LinearScanParams {
    /// Sets what the labels are for.
    pub fn task(self, task: Task) -> Self {
        Self { task, ..self }
    }

    /// Sets the distance.
    pub fn distance(self, distance: Distance) -> Self {
        Self { distance, ..self }
    }

    /// Sets how many nearest examples vote.
    pub fn n_neighbors(self, n_neighbors: usize) -> Self {
        Self { n_neighbors, ..self }
    }

    /// Sets how they vote.
    pub fn vote(self, vote: Vote) -> Self {
        Self { vote, ..self }
    }

    /// Makes an empty scan.
    ///
    /// # Errors
    /// [`ParamError::ZeroNeighbors`], [`ParamError::Epsilon`].
    pub fn build(self) -> Result<LinearScan, ParamError> {
        self.task.check()?;
        if self.n_neighbors == 0 {
            return Err(ParamError::ZeroNeighbors);
        }
        Ok(LinearScan { params: self, store: ExampleStore::default() })
    }

    /// Makes the scan that a [snapshot](LinearScan::snapshot) was taken of. These are the parameters that it was built with.
    /// Takes time in proportion to the size of the snapshot, and measures no distances.
    ///
    /// # Errors
    /// What [`Self::build`] refuses, and a snapshot that contradicts itself or the parameters.
    pub fn restore(self, mut snapshot: Snapshot) -> Result<LinearScan, RestoreError> {
        let mut scan = self.build()?;
        snapshot.check_flat("a linear scan")?;
        check_none("members", snapshot.members.len(), "a linear scan")?;
        check_none("answers", snapshot.answers.len(), "a linear scan")?;
        scan.store = snapshot.take_store(&scan.params.distance, scan.params.task, History::Full)?;
        Ok(scan)
    }
}

/// Keeps every example and compares a query with all of them.
///
/// # Example
/// ```
/// use hedgerow_core::{Examples, Label, LinearScanParams, NeighborSearch, Point, Points};
/// let points = Points::from_f32(1, vec![0.0, 1.0, 10.0])?;
/// let labels = [Label::class(0), Label::class(0), Label::class(1)];
/// let mut scan = LinearScanParams::default().build()?;
/// scan.insert_all(&Examples::new(points.view(), &labels)?)?;
/// assert_eq!(scan.predict(Point::F32(&[7.0]))?.label, Label::class(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearScan {
    params: LinearScanParams,
    store: ExampleStore,
}

impl LinearScan {
    fn answers(&self) -> Answers<'_> {
        Answers { store: &self.store, distance: &self.params.distance, rows: Rows::All(self.store.len()) }
    }

    /// The scan as plain arrays, from which [`LinearScanParams::restore`] makes it again.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.store, self.store.len())
    }

    fn find(&self, id: ExampleId) -> Result<Row, EditError> {
        self.store.find(id).ok_or(EditError::UnknownId { id, history: History::Full })
    }
}

impl NeighborSearch for LinearScan {
    fn task(&self) -> Task {
        self.params.task
    }

    fn distance(&self) -> &Distance {
        &self.params.distance
    }

    fn vote(&self) -> Vote {
        self.params.vote
    }

    fn history(&self) -> History {
        History::Full
    }

    fn n_stored(&self) -> usize {
        self.store.len()
    }

    fn n_shown(&self) -> usize {
        self.store.len()
    }

    fn size_bytes(&self) -> usize {
        self.store.size_bytes()
    }

    fn width(&self) -> Option<usize> {
        self.store.points().map(|points| points.width())
    }

    fn stored_ids(&self) -> Vec<ExampleId> {
        self.store.ids().to_vec()
    }

    fn kept_ids(&self) -> Vec<ExampleId> {
        self.store.ids().to_vec()
    }

    fn example(&self, id: ExampleId) -> Option<(Point<'_>, Label)> {
        self.store.example(id)
    }

    fn nearest(&self, query: Point<'_>) -> Result<Neighbor, QueryError> {
        self.answers().nearest(query)
    }

    fn k_nearest(&self, query: Point<'_>, k: usize, _effort: Effort) -> Result<Vec<Neighbor>, QueryError> {
        self.answers().k_nearest(query, k)
    }

    fn k_nearest_of_all(
        &self,
        queries: PointsRef<'_>,
        k: usize,
        _effort: Effort,
    ) -> Result<Vec<Vec<Neighbor>>, QueryError> {
        self.answers().k_nearest_of_all(queries, k)
    }

    fn voters(&self, query: Point<'_>) -> Result<Vec<Neighbor>, QueryError> {
        self.answers().k_nearest(query, self.params.n_neighbors)
    }

    fn voters_of_all(&self, queries: PointsRef<'_>) -> Result<Vec<Vec<Neighbor>>, QueryError> {
        self.answers().k_nearest_of_all(queries, self.params.n_neighbors)
    }

    fn traverse(&self, query: Point<'_>) -> Result<Vec<Traversal>, QueryError> {
        self.answers().check_query(query)?;
        Ok(Vec::new())
    }

    fn nearest_labelled(
        &self,
        query: Point<'_>,
        accept: &dyn Fn(Label) -> bool,
    ) -> Result<Option<Neighbor>, QueryError> {
        self.answers().nearest_labelled(query, accept)
    }

    fn answer_distances(&self) -> Result<Vec<f64>, QueryError> {
        if self.store.len() < 2 {
            return Ok(Vec::new());
        }
        let which = (0..self.store.len() as Row).collect::<Vec<_>>();
        let answers = self.answers();
        let sketches = answers.sketches_for(which.len());
        let metric = self.store.metric(&self.params.distance).with_sketches(sketches.as_ref());
        let found = flat::k_nearest_of_all(&metric, answers.rows, metric.stored(), &which, 2);
        let other = |(row, found): (usize, &Vec<RankedRow>)| {
            found.iter().find(|found| found.row != row as Row).map(|found| self.params.distance.of_rank(found.rank))
        };
        Ok(found.iter().enumerate().filter_map(other).collect())
    }

    fn insert(&mut self, id: ExampleId, point: Point<'_>, label: Label) -> Result<Insertion, InsertError> {
        point.check()?;
        self.insert_all(&Examples::one(id, point, &label))?;
        Ok(Insertion::Added)
    }

    fn insert_all_unless(
        &mut self,
        examples: &Examples<'_>,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<usize>, InsertError> {
        self.store.check(&self.params.distance, self.params.task, examples)?;
        if examples.is_empty() {
            return Ok(Some(0));
        }
        // Asked once: to take in is to copy.
        if is_stopped() {
            self.store = ExampleStore::default();
            return Ok(None);
        }
        Ok(Some(self.store.extend(examples).len()))
    }

    fn remove(&mut self, id: ExampleId) -> Result<Edit, EditError> {
        let row = self.find(id)?;
        let mut keep = vec![true; self.store.len()];
        keep[row as usize] = false;
        self.store.retain_from(0, &keep);
        Ok(Edit { was_stored: true, replayed: 0 })
    }

    fn remove_lossy(&mut self, id: ExampleId) -> Result<Edit, EditError> {
        self.remove(id)
    }

    fn relabel(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
        let row = self.find(id)?;
        self.params.task.check_label(label)?;
        self.store.set_label(row, label);
        Ok(Edit { was_stored: true, replayed: 0 })
    }

    fn relabel_lossy(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
        self.relabel(id, label)
    }
}
