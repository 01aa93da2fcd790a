//! One or more tree shapes over one store of examples: all that a boundary tree and a boundary forest have in common.

use rayon::prelude::*;

use super::edit::{Change, Edited};
use super::shape::{NO_NODE, Rules, Stop, TreeShape};
use crate::distance::Distance;
use crate::error::{EditError, InsertError, QueryError};
use crate::examples::{ExampleStore, Examples};
use crate::flat::{Answers, Rows};
use crate::history::History;
use crate::label::{ExampleId, Label};
use crate::metric::{Metric, Queries, Query, Row};
use crate::nearest_rows::{NearestRows, RankedRow};
use crate::neighbor_search::{Edit, Effort, Insertion, IsStopped, Neighbor};
use crate::points::{Point, PointsRef};
use crate::random::shuffle;
use crate::sketch::QuerySketches;
use crate::traversal::Traversal;

/// Examples taken in at a time where the redundant ones are not kept: bounds the memory beyond what is stored.
const BLOCK: usize = 8192;

/// Queries answered at a time: bounds the memory of walks whose answers have not been handed out.
const QUERIES: usize = 16384;

/// From this many trees on, sketches save more time than they take.
const MANY_TREES: usize = 8;

/// The order in which each tree is shown the examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Orders {
    /// As they come.
    AsGiven,
    /// As they come, but tree `i` starts with example `i`, followed by the other first examples in an order of its own.
    DistinctRoots { seed: u64 },
    /// Each block in an order of its own.
    Permuted { seed: u64 },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grove {
    pub(crate) distance: Distance,
    pub(crate) rules: Rules,
    pub(crate) orders: Orders,
    pub(crate) store: ExampleStore,
    pub(crate) trees: Vec<TreeShape>,
    pub(super) n_shown: usize,
    /// Whether the first examples have been dealt out to the roots, after which no tree is started anew.
    pub(super) rooted: bool,
}

impl Grove {
    pub(crate) fn new(distance: Distance, rules: Rules, orders: Orders, n_trees: usize) -> Self {
        let rooted = !matches!(orders, Orders::DistinctRoots { .. });
        let trees = vec![TreeShape::default(); n_trees];
        Self { distance, rules, orders, store: ExampleStore::default(), trees, n_shown: 0, rooted }
    }

    /// The trees that can answer: all of them, unless a lossy removal took the only node of one.
    fn grown_trees(&self) -> impl Iterator<Item = &TreeShape> + Clone {
        self.trees.iter().filter(|tree| !tree.nodes.is_empty())
    }

    fn metric(&self) -> Metric<'_> {
        self.store.metric(&self.distance)
    }

    // --- Asking ---

    pub(crate) fn check_query(&self, query: Point<'_>) -> Result<(), QueryError> {
        if self.store.is_empty() {
            return Err(QueryError::Empty);
        }
        Ok(self.store.check_point(&self.distance, query)?)
    }

    fn neighbor(&self, ranked: RankedRow) -> Neighbor {
        self.store.neighbor(ranked.row, self.distance.of_rank(ranked.rank))
    }

    fn ranked(tree: &TreeShape, stop: Stop) -> RankedRow {
        RankedRow { rank: stop.rank, row: tree.node(stop.node).row }
    }

    fn walk(&self, tree: &TreeShape, query: Query<'_>) -> RankedRow {
        Self::ranked(tree, tree.walk(&self.metric(), query, self.rules.max_children))
    }

    pub(crate) fn nearest(&self, query: Point<'_>) -> Result<Neighbor, QueryError> {
        self.check_query(query)?;
        let sketches = self.sketch_queries(PointsRef::one(query));
        let query = Queries::new(PointsRef::one(query), sketches.as_ref()).row(0);
        let nearest = self.grown_trees().map(|tree| self.walk(tree, query)).min();
        nearest.map(|nearest| self.neighbor(nearest)).ok_or(QueryError::Empty)
    }

    pub(crate) fn voters(&self, query: Point<'_>) -> Result<Vec<Neighbor>, QueryError> {
        self.check_query(query)?;
        let sketches = self.sketch_queries(PointsRef::one(query));
        let query = Queries::new(PointsRef::one(query), sketches.as_ref()).row(0);
        Ok(self.grown_trees().map(|tree| self.neighbor(self.walk(tree, query))).collect())
    }

    /// Sketches of queries, if the stored points have some.
    fn sketch_queries(&self, queries: PointsRef<'_>) -> Option<QuerySketches> {
        self.metric().sketches().map(|sketches| sketches.queries(queries))
    }

    pub(crate) fn voters_of_all(&self, asked: PointsRef<'_>) -> Result<Vec<Vec<Neighbor>>, QueryError> {
        if self.store.is_empty() {
            return Err(QueryError::Empty);
        }
        self.store.check_shape(&self.distance, asked)?;
        let mut voters = Vec::with_capacity(asked.len());
        for start in (0..asked.len()).step_by(QUERIES) {
            let block = asked.slice(start..asked.len().min(start + QUERIES));
            let sketches = self.sketch_queries(block);
            let block = Queries::new(block, sketches.as_ref());
            let rows = (0..block.points.len() as Row).collect::<Vec<_>>();
            // Tree by tree rather than query by query: the nodes of one tree then stay in the cache.
            let walk = |tree: &TreeShape| tree.walk_all(&self.metric(), block, &rows, self.rules.max_children);
            let trees = self.grown_trees().collect::<Vec<_>>();
            let stops = trees.par_iter().map(|tree| walk(tree)).collect::<Vec<_>>();
            voters.extend((0..rows.len()).map(|query| {
                let trees = trees.iter().zip(&stops);
                trees.map(|(tree, stops)| self.neighbor(Self::ranked(tree, stops[query]))).collect::<Vec<_>>()
            }));
        }
        Ok(voters)
    }

    pub(crate) fn traverse(&self, query: Point<'_>) -> Result<Vec<Traversal>, QueryError> {
        self.check_query(query)?;
        let metric = self.metric();
        let traverse = |tree: &TreeShape| tree.traverse(&self.store, &metric, query.into(), self.rules.max_children);
        Ok(self.grown_trees().map(traverse).collect())
    }

    pub(crate) fn k_nearest(&self, query: Point<'_>, k: usize, effort: Effort) -> Result<Vec<Neighbor>, QueryError> {
        self.check_query(query)?;
        if k == 0 {
            return Err(QueryError::ZeroNeighbors);
        }
        let gather = |tree: &TreeShape| {
            let mut nearest = NearestRows::new(k);
            tree.gather(&self.metric(), query.into(), self.rules.max_children, effort, &mut nearest);
            nearest.into_sorted()
        };
        let mut all = self.grown_trees().flat_map(gather).collect::<Vec<_>>();
        all.sort_unstable();
        all.dedup();
        all.truncate(k);
        Ok(all.into_iter().map(|ranked| self.neighbor(ranked)).collect())
    }

    pub(crate) fn k_nearest_of_all(
        &self,
        queries: PointsRef<'_>,
        k: usize,
        effort: Effort,
    ) -> Result<Vec<Vec<Neighbor>>, QueryError> {
        (0..queries.len()).into_par_iter().map(|row| self.k_nearest(queries.row(row), k, effort)).collect()
    }

    pub(crate) fn nearest_labelled(
        &self,
        query: Point<'_>,
        accept: &dyn Fn(Label) -> bool,
    ) -> Result<Option<Neighbor>, QueryError> {
        let rows = self.stored_rows();
        let answers = Answers { store: &self.store, distance: &self.distance, rows: Rows::Listed(&rows) };
        answers.nearest_labelled(query, accept)
    }

    pub(crate) fn answer_distances(&self) -> Result<Vec<f64>, QueryError> {
        if self.rules.history != History::Full {
            return Err(QueryError::HistoryNeeded { history: self.rules.history });
        }
        if self.store.is_empty() {
            return Ok(Vec::new());
        }
        let metric = self.metric();
        let unanswered = || vec![None; self.store.len()];
        let nearer = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let least = self
            .trees
            .par_iter()
            .fold(unanswered, |mut least, tree| {
                for shown in tree.shown.iter().filter(|shown| shown.stop != NO_NODE) {
                    let rank = metric.rank(self.store.point(shown.row), tree.node(shown.stop).row);
                    let least = &mut least[shown.row as usize];
                    *least = nearer(*least, Some(rank));
                }
                least
            })
            .reduce(unanswered, |a, b| a.into_iter().zip(b).map(|(a, b)| nearer(a, b)).collect());
        Ok(least.into_iter().flatten().map(|rank| self.distance.of_rank(rank)).collect())
    }

    pub(crate) fn n_shown(&self) -> usize {
        self.n_shown
    }

    /// Rows that are a node of at least one tree.
    pub(crate) fn stored_rows(&self) -> Vec<Row> {
        let stored = self.stored_flags();
        (0..self.store.len() as Row).filter(|&row| stored[row as usize]).collect()
    }

    pub(super) fn stored_flags(&self) -> Vec<bool> {
        let mut stored = vec![false; self.store.len()];
        for node in self.trees.iter().flat_map(|tree| &tree.nodes) {
            stored[node.row as usize] = true;
        }
        stored
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.store.size_bytes() + self.trees.iter().map(TreeShape::size_bytes).sum::<usize>()
    }

    // --- Showing ---

    pub(crate) fn insert(&mut self, id: ExampleId, point: Point<'_>, label: Label) -> Result<Insertion, InsertError> {
        point.check()?;
        let examples = Examples::one(id, point, &label);
        self.store.check(&self.distance, self.rules.task, &examples)?;
        Ok(match self.take_in(&examples, &|| false) {
            Some(0) | None => Insertion::Redundant,
            Some(_) => Insertion::Added,
        })
    }

    pub(crate) fn insert_all_unless(
        &mut self,
        examples: &Examples<'_>,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<usize>, InsertError> {
        self.store.check(&self.distance, self.rules.task, examples)?;
        let block = match (self.rules.history, self.orders) {
            (History::NodesOnly, Orders::AsGiven | Orders::DistinctRoots { .. }) => BLOCK,
            _ => examples.len().max(1),
        };
        let mut blocks = (0..examples.len()).step_by(block);
        let n_added = blocks.try_fold(0, |n_added, start| {
            let block = examples.slice(start..examples.len().min(start + block));
            Some(n_added + self.take_in(&block, is_stopped)?)
        });
        if n_added.is_none() {
            *self = Self::new(self.distance.clone(), self.rules, self.orders, self.trees.len());
        }
        Ok(n_added)
    }

    /// Shows a block that has been checked; gives how many of its examples at least one tree added, or nothing if it was stopped.
    fn take_in(&mut self, examples: &Examples<'_>, is_stopped: IsStopped<'_>) -> Option<usize> {
        if examples.is_empty() {
            return Some(0);
        }
        let block = self.store.extend(examples);
        self.sketch();
        let (n_before, was_rooted) = (self.n_shown, self.rooted);
        self.n_shown += examples.len();
        let mut rows = block.clone().collect::<Vec<_>>();
        if !self.rooted && self.store.len() >= self.trees.len() {
            self.deal_out();
            rows.retain(|row| *row as usize >= self.trees.len());
        }
        let metric = self.store.metric(&self.distance);
        let (store, rules, orders) = (&self.store, &self.rules, self.orders);
        let show = |(tree, shape): (usize, &mut TreeShape)| match orders {
            Orders::Permuted { seed } => {
                let mut rows = rows.clone();
                shuffle(&mut rows, seed, (n_before as u64).wrapping_mul(1 << 20).wrapping_add(tree as u64));
                shape.show_all_unless(store, &metric, &rows, rules, is_stopped)
            }
            _ => shape.show_all_unless(store, &metric, &rows, rules, is_stopped),
        };
        if rows.len() == 1 {
            // One walk per tree is shorter than waking the other threads.
            self.trees.iter_mut().enumerate().try_for_each(show)?;
        } else {
            self.trees.par_iter_mut().enumerate().try_for_each(show)?;
        }
        Some(self.drop_redundant(block.start, was_rooted))
    }

    /// Sketches the stored points from now on, where that is likely to pay.
    pub(super) fn sketch(&mut self) {
        if self.trees.len() >= MANY_TREES {
            self.store.sketch(&self.distance);
        }
    }

    /// Starts every tree anew with as many examples as there are trees: tree `i` has example `i` as its root and takes the
    /// others in an order of its own.
    fn deal_out(&mut self) {
        let Orders::DistinctRoots { seed } = self.orders else { return };
        let metric = self.store.metric(&self.distance);
        let (store, rules, n_trees) = (&self.store, &self.rules, self.trees.len());
        self.trees.par_iter_mut().enumerate().for_each(|(tree, shape)| {
            let root = tree as Row;
            let mut order = (0..n_trees as Row).filter(|row| *row != root).collect::<Vec<_>>();
            shuffle(&mut order, seed, tree as u64);
            order.insert(0, root);
            *shape = TreeShape::default();
            shape.show_all(store, &metric, &order, rules);
        });
        self.rooted = true;
    }

    /// Drops the rows that no tree added, if they are not to be kept; gives how many from `start` on were added.
    fn drop_redundant(&mut self, start: Row, was_rooted: bool) -> usize {
        // What came before the block was looked at before, unless the first examples have just been dealt out anew.
        let from = if was_rooted { start } else { 0 };
        let mut added = vec![false; self.store.len() - from as usize];
        for tree in &self.trees {
            // Nodes stand in the order of showing, so that those of the block come last.
            for node in tree.nodes.iter().rev().take_while(|node| node.row >= from) {
                added[(node.row - from) as usize] = true;
            }
        }
        let n_added = added.iter().skip((start - from) as usize).filter(|added| **added).count();
        if self.rules.history == History::NodesOnly && self.rooted && added.contains(&false) {
            let moved = self.store.retain_from(from, &added);
            self.trees.par_iter_mut().for_each(|tree| tree.move_last_rows(from, &moved));
        }
        n_added
    }

    fn keep_rows(&mut self, keep: &[bool]) {
        let moved = self.store.retain_from(0, keep);
        self.trees.par_iter_mut().for_each(|tree| tree.move_rows(&moved));
    }

    // --- Editing ---

    fn find(&self, id: ExampleId) -> Result<Row, EditError> {
        self.store.find(id).ok_or(EditError::UnknownId { id, history: self.rules.history })
    }

    fn check_history(&self, id: ExampleId) -> Result<(), EditError> {
        match self.rules.history {
            History::Full => Ok(()),
            _ if !self.rooted => Ok(()), // the first examples are all kept, to be dealt out

            history => Err(EditError::HistoryNeeded { id, history }),
        }
    }

    pub(crate) fn remove(&mut self, id: ExampleId) -> Result<Edit, EditError> {
        self.find(id)?;
        self.check_history(id)?;
        self.remove_lossy(id)
    }

    /// Exact where the full history is kept.
    pub(crate) fn remove_lossy(&mut self, id: ExampleId) -> Result<Edit, EditError> {
        let row = self.find(id)?;
        let edit = match self.rooted {
            true => self.edit(row, Change::Remove),
            false => Edit { was_stored: self.stored_flags()[row as usize], replayed: 0 },
        };
        let mut keep = match self.rules.history {
            History::NodesOnly if self.rooted => self.stored_flags(),
            _ => vec![true; self.store.len()],
        };
        keep[row as usize] = false;
        self.n_shown -= 1;
        if keep.iter().all(|keep| !keep) {
            let n_shown = self.n_shown;
            *self = Self::new(self.distance.clone(), self.rules, self.orders, self.trees.len());
            self.n_shown = n_shown;
            return Ok(edit);
        }
        if self.rooted {
            self.keep_rows(&keep);
            return Ok(edit);
        }
        self.store.retain_from(0, &keep);
        Ok(self.show_again(edit))
    }

    pub(crate) fn relabel(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
        self.find(id)?;
        self.check_history(id)?;
        self.relabel_lossy(id, label)
    }

    /// Exact where the full history is kept.
    pub(crate) fn relabel_lossy(&mut self, id: ExampleId, label: Label) -> Result<Edit, EditError> {
        let row = self.find(id)?;
        self.rules.task.check_label(label)?;
        let was_stored = self.trees.iter().any(|tree| tree.nodes.iter().any(|node| node.row == row));
        if self.store.label(row) == label {
            return Ok(Edit { was_stored, replayed: 0 });
        }
        self.store.set_label(row, label);
        if !self.rooted {
            return Ok(self.show_again(Edit { was_stored, replayed: 0 }));
        }
        let edit = self.edit(row, Change::Relabel);
        if self.rules.history == History::NodesOnly {
            let keep = self.stored_flags();
            self.keep_rows(&keep);
        }
        Ok(edit)
    }

    /// Before the first examples have been dealt out, all trees are alike and the few examples are simply shown again.
    fn show_again(&mut self, edit: Edit) -> Edit {
        let rows = (0..self.store.len() as Row).collect::<Vec<_>>();
        let metric = self.store.metric(&self.distance);
        let (store, rules) = (&self.store, &self.rules);
        self.trees.par_iter_mut().for_each(|shape| {
            *shape = TreeShape::default();
            shape.show_all(store, &metric, &rows, rules);
        });
        Edit { replayed: rows.len() * self.trees.len(), ..edit }
    }

    fn edit(&mut self, row: Row, change: Change) -> Edit {
        let metric = self.store.metric(&self.distance);
        let (store, rules) = (&self.store, &self.rules);
        let edit = |tree: &mut TreeShape| match rules.history {
            History::Full => tree.edit(store, &metric, row, change, rules),
            History::NodesOnly => {
                tree.edit_lossy(store, &metric, row, change, rules).unwrap_or(Edited { was_node: false, replayed: 0 })
            }
        };
        let edits = self.trees.par_iter_mut().map(edit).collect::<Vec<_>>();
        Edit {
            was_stored: edits.iter().any(|edit| edit.was_node),
            replayed: edits.iter().map(|edit| edit.replayed).sum(),
        }
    }
}
