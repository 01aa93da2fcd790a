//! The boundary set of the DBS paper: the examples that the set so far answers wrongly, without any tree over them.
//!
//! `members.rs` has the algorithm, `restore.rs` makes a set of what was written down; this file makes it a
//! [`NeighborSearch`].

mod members;
mod restore;

use crate::distance::Distance;
use crate::error::{EditError, InsertError, ParamError, QueryError};
use crate::examples::{ExampleStore, Examples};
use crate::flat::{Answers, Rows};
use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::metric::Row;
use crate::neighbor_search::{Edit, Effort, Insertion, IsStopped, Neighbor, NeighborSearch};
use crate::points::{Point, PointsRef};
use crate::snapshot::{RestoreError, Snapshot};
use crate::traversal::Traversal;
use crate::vote::Vote;
use members::{Members, NO_MEMBER};

/// Examples taken in at a time where the redundant ones are not kept: bounds the memory beyond what is stored.
const BLOCK: usize = 8192;

/// How often the examples are gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Passes {
    /// Once, as in the DBS paper. Suits streams.
    #[default]
    One,
    /// Until a pass adds nothing: the condensed-nearest-neighbor rule of Hart (1968). The nearest member of every example
    /// shown then has its label, or a value within epsilon (unless the same point was shown with two labels). Needs the full history; the set is a
    /// function of it, found again after each insertion that changes it, so insert many examples together.
    UntilConsistent,
}

/// How to set up a [`BoundarySet`].
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct BoundarySetParams {
    task: Task,
    distance: Distance,
    history: History,
    passes: Passes,
    n_neighbors: usize,
    vote: Vote,
}

impl Default for BoundarySetParams {
    /// Classification by the one nearest member, Euclidean, one pass, full history.
    fn default() -> Self {
        Self {
            task: Task::default(),
            distance: Distance::default(),
            history: History::default(),
            passes: Passes::default(),
            n_neighbors: 1,
            vote: Vote::Majority,
        }
    }
}

impl BoundarySetParams {
    /// Sets what the labels are for.
    pub fn task(self, task: Task) -> Self {
        Self { task, ..self }
    }

    /// Sets the distance.
    pub fn distance(self, distance: Distance) -> Self {
        Self { distance, ..self }
    }

    /// Sets what is remembered of the examples shown.
    pub fn history(self, history: History) -> Self {
        Self { history, ..self }
    }

    /// Sets how often the examples are gone over.
    pub fn passes(self, passes: Passes) -> Self {
        Self { passes, ..self }
    }

    /// Sets how many nearest members vote.
    pub fn n_neighbors(self, n_neighbors: usize) -> Self {
        Self { n_neighbors, ..self }
    }

    /// Sets how they vote.
    pub fn vote(self, vote: Vote) -> Self {
        Self { vote, ..self }
    }

    /// Makes an empty set.
    ///
    /// # Errors
    /// [`ParamError::ZeroNeighbors`], [`ParamError::Epsilon`], [`ParamError::PassesNeedHistory`].
    pub fn build(self) -> Result<BoundarySet, ParamError> {
        self.task.check()?;
        if self.n_neighbors == 0 {
            return Err(ParamError::ZeroNeighbors);
        }
        if self.passes == Passes::UntilConsistent && self.history != History::Full {
            return Err(ParamError::PassesNeedHistory { history: self.history });
        }
        Ok(BoundarySet { params: self, store: ExampleStore::default(), members: Members::default(), n_shown: 0 })
    }

    /// Makes the set that a [snapshot](BoundarySet::snapshot) was taken of. These are the parameters that it was built with.
    /// Takes time in proportion to the size of the snapshot, and measures no distances.
    ///
    /// # Errors
    /// What [`Self::build`] refuses, and a snapshot that contradicts itself or the parameters.
    pub fn restore(self, mut snapshot: Snapshot) -> Result<BoundarySet, RestoreError> {
        let mut set = self.build()?;
        let BoundarySetParams { task, history, passes, .. } = set.params;
        snapshot.check_flat("a boundary set")?;
        set.store = snapshot.take_store(&set.params.distance, task, history)?;
        set.n_shown = snapshot.n_shown;
        set.members = Members::restored(&snapshot, &set.store, task, history, passes)?;
        set.store.sketch(&set.params.distance);
        Ok(set)
    }
}

/// A boundary set: members are the examples whose nearest member, when they were shown, had another label.
///
/// # Example
/// ```
/// use hedgerow_core::{BoundarySetParams, Examples, Label, NeighborSearch, Points};
/// let points = Points::from_f32(1, vec![0.0, 10.0, 1.0, 9.0, 4.0])?;
/// let labels = [0, 1, 0, 1, 1].map(Label::class);
/// let mut set = BoundarySetParams::default().build()?;
/// set.insert_all(&Examples::new(points.view(), &labels)?)?;
/// let ids = set.stored_ids().iter().map(|id| id.0).collect::<Vec<_>>();
/// assert_eq!(ids, [0, 1, 4]); // 4.0 is nearer to 0.0, which has the other class
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoundarySet {
    params: BoundarySetParams,
    store: ExampleStore,
    members: Members,
    n_shown: usize,
}

impl BoundarySet {
    fn answers(&self) -> Answers<'_> {
        Answers { store: &self.store, distance: &self.params.distance, rows: Rows::Listed(&self.members.rows) }
    }

    /// The set as plain arrays, from which [`BoundarySetParams::restore`] makes it again.
    pub fn snapshot(&self) -> Snapshot {
        let (members, answers) = (self.members.rows.clone(), self.members.answers.clone());
        Snapshot { members, answers, ..Snapshot::of(&self.store, self.n_shown) }
    }

    fn keeps_all(&self) -> bool {
        self.params.history == History::Full
    }

    /// Shows a block that has been checked; gives how many of its examples became members, or nothing if it was stopped.
    fn take_in(&mut self, examples: &Examples<'_>, is_stopped: IsStopped<'_>) -> Option<usize> {
        if examples.is_empty() {
            return Some(0);
        }
        let block = self.store.extend(examples);
        self.store.sketch(&self.params.distance);
        self.n_shown += examples.len();
        let (task, keeps_all) = (self.params.task, self.keeps_all());
        let metric = self.store.metric(&self.params.distance);
        let hart = self.members.rows.split_off(self.members.n_first_pass);
        let n_added = self.members.show_all(&self.store, &metric, block.clone(), task, keeps_all, is_stopped)?;
        if self.params.passes == Passes::UntilConsistent {
            let settled = block.len() == 1 && n_added == 0 && {
                self.members.rows.extend(&hart);
                self.members.is_settled_by_all_passes(&self.store, &metric, block.start, task)
            };
            if !settled {
                self.members.make_consistent(&self.store, &metric, task, is_stopped)?;
            }
            return Some(self.members.rows.iter().filter(|row| block.contains(row)).count());
        }
        if !keeps_all && n_added < block.len() {
            let new = self.members.rows.iter_mut().rev().take_while(|row| **row >= block.start);
            let mut keep = vec![false; block.len()];
            let new = new.map(|row| {
                keep[(*row - block.start) as usize] = true;
                row
            });
            let new = new.collect::<Vec<_>>();
            let moved = self.store.retain_from(block.start, &keep);
            new.into_iter().for_each(|row| *row = moved[(*row - block.start) as usize]);
        }
        Some(n_added)
    }

    fn keep_rows(&mut self, keep: &[bool]) {
        let moved = self.store.retain_from(0, keep);
        self.members.move_rows(&moved);
    }

    fn find(&self, id: ExampleId) -> Result<Row, EditError> {
        self.store.find(id).ok_or(EditError::UnknownId { id, history: self.params.history })
    }

    fn find_with_history(&self, id: ExampleId) -> Result<Row, EditError> {
        let row = self.find(id)?;
        match self.params.history {
            History::Full => Ok(row),
            history => Err(EditError::HistoryNeeded { id, history }),
        }
    }

    /// Finds the members anew after the label of a row was changed or, if `without`, takes the row out.
    fn edit(&mut self, row: Row, without: bool) -> Edit {
        let was_stored = self.members.rows.contains(&row);
        let metric = self.store.metric(&self.params.distance);
        let replayed = self.members.replay(&self.store, &metric, row, without, self.params.task);
        if without {
            let mut keep = vec![true; self.store.len()];
            keep[row as usize] = false;
            self.keep_rows(&keep);
            self.n_shown -= 1;
        }
        if self.params.passes == Passes::UntilConsistent && !self.store.is_empty() {
            let metric = self.store.metric(&self.params.distance);
            let _ = self.members.make_consistent(&self.store, &metric, self.params.task, &|| false);
        }
        Edit { was_stored, replayed }
    }

    /// Shows the stored examples alone again, but for the row `without`, and keeps those that are members now.
    fn rebuild_from_members(&mut self, without: Option<Row>) -> Edit {
        let metric = self.store.metric(&self.params.distance);
        let mut members = Members::default();
        let rows = (0..self.store.len() as Row).filter(|row| Some(*row) != without);
        let _ = members.show_all(&self.store, &metric, rows, self.params.task, false, &|| false);
        let replayed = self.store.len() - usize::from(without.is_some());
        let mut keep = vec![false; self.store.len()];
        members.rows.iter().for_each(|&row| keep[row as usize] = true);
        self.members = members;
        self.n_shown -= usize::from(without.is_some());
        self.keep_rows(&keep);
        Edit { was_stored: true, replayed }
    }
}

impl NeighborSearch for BoundarySet {
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
        self.params.history
    }

    fn n_stored(&self) -> usize {
        self.members.rows.len()
    }

    fn n_shown(&self) -> usize {
        self.n_shown
    }

    fn size_bytes(&self) -> usize {
        self.store.size_bytes() + (self.members.rows.capacity() + self.members.answers.capacity()) * size_of::<Row>()
    }

    fn width(&self) -> Option<usize> {
        self.store.points().map(|points| points.width())
    }

    fn stored_ids(&self) -> Vec<ExampleId> {
        let mut rows = self.members.rows.clone();
        rows.sort_unstable();
        rows.into_iter().map(|row| self.store.id(row)).collect()
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
        if !self.keeps_all() {
            return Err(QueryError::HistoryNeeded { history: self.params.history });
        }
        let answered = self.members.answers.iter().enumerate().filter(|(_, member)| **member != NO_MEMBER);
        let distance = |(row, &member): (usize, &Row)| {
            let metric = self.store.metric(&self.params.distance);
            self.params.distance.of_rank(metric.rank(self.store.point(row as Row), member))
        };
        Ok(answered.map(distance).collect())
    }

    fn insert(&mut self, id: ExampleId, point: Point<'_>, label: Label) -> Result<Insertion, InsertError> {
        point.check()?;
        let examples = Examples::one(id, point, &label);
        self.store.check(&self.params.distance, self.params.task, &examples)?;
        Ok(match self.take_in(&examples, &|| false) {
            Some(0) | None => Insertion::Redundant,
            Some(_) => Insertion::Added,
        })
    }

    fn insert_all_unless(
        &mut self,
        examples: &Examples<'_>,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<usize>, InsertError> {
        self.store.check(&self.params.distance, self.params.task, examples)?;
        let block = if self.keeps_all() { examples.len().max(1) } else { BLOCK };
        let mut blocks = (0..examples.len()).step_by(block);
        let n_added = blocks.try_fold(0, |n_added, start| {
            let block = examples.slice(start..examples.len().min(start + block));
            Some(n_added + self.take_in(&block, is_stopped)?)
        });
        if n_added.is_none() {
            (self.store, self.members, self.n_shown) = (ExampleStore::default(), Members::default(), 0);
        }
        Ok(n_added)
    }

    fn remove(&mut self, id: ExampleId) -> Result<Edit, EditError> {
        let row = self.find_with_history(id)?;
        Ok(self.edit(row, true))
    }

    fn remove_lossy(&mut self, id: ExampleId) -> Result<Edit, EditError> {
        let row = self.find(id)?;
        if self.keeps_all() {
            return Ok(self.edit(row, true));
        }
        Ok(self.rebuild_from_members(Some(row)))
    }

    fn relabel(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
        self.find_with_history(id)?;
        self.relabel_lossy(id, label)
    }

    fn relabel_lossy(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
        let row = self.find(id)?;
        self.params.task.check_label(label)?;
        if self.store.label(row) == label {
            return Ok(Edit { was_stored: self.members.rows.contains(&row), replayed: 0 });
        }
        self.store.set_label(row, label);
        if self.keeps_all() {
            return Ok(self.edit(row, false));
        }
        Ok(self.rebuild_from_members(None))
    }
}
