//! The answers of a structure that looks at a list of rows: what the linear scan and the boundary set have in common.

use super::{Rows, k_nearest, k_nearest_of_all};
use crate::distance::Distance;
use crate::error::QueryError;
use crate::examples::ExampleStore;
use crate::label::Label;
use crate::metric::{Queries, Row};
use crate::nearest_rows::RankedRow;
use crate::neighbor_search::Neighbor;
use crate::points::{Point, PointsRef};
use crate::sketch::Sketches;

/// Queries answered at a time: bounds the memory of answers that have not been handed out.
const BLOCK: usize = 16384;

/// From this many queries on, sketches of all stored points save more time than they take.
const MANY_QUERIES: usize = 512;

/// Rows of a store that answer.
#[derive(Clone, Copy)]
pub(crate) struct Answers<'a> {
    pub(crate) store: &'a ExampleStore,
    pub(crate) distance: &'a Distance,
    pub(crate) rows: Rows<'a>,
}

impl Answers<'_> {
    fn neighbor(&self, found: &RankedRow) -> Neighbor {
        self.store.neighbor(self.rows.at(found.row as usize), self.distance.of_rank(found.rank))
    }

    pub(crate) fn check_query(&self, query: Point<'_>) -> Result<(), QueryError> {
        if self.store.is_empty() {
            return Err(QueryError::Empty);
        }
        Ok(self.store.check_point(self.distance, query)?)
    }

    pub(crate) fn nearest(&self, query: Point<'_>) -> Result<Neighbor, QueryError> {
        self.k_nearest(query, 1)?.first().copied().ok_or(QueryError::Empty)
    }

    pub(crate) fn k_nearest(&self, query: Point<'_>, k: usize) -> Result<Vec<Neighbor>, QueryError> {
        self.check_query(query)?;
        if k == 0 {
            return Err(QueryError::ZeroNeighbors);
        }
        let nearest = k_nearest(&self.store.metric(self.distance), self.rows, query, k);
        Ok(nearest.iter().map(|found| self.neighbor(found)).collect())
    }

    pub(crate) fn k_nearest_of_all(&self, asked: PointsRef<'_>, k: usize) -> Result<Vec<Vec<Neighbor>>, QueryError> {
        if self.store.is_empty() {
            return Err(QueryError::Empty);
        }
        if k == 0 {
            return Err(QueryError::ZeroNeighbors);
        }
        self.store.check_shape(self.distance, asked)?;
        let metric = self.store.metric(self.distance);
        let made = self.sketches_for(asked.len());
        let sketches = made.as_ref().or(metric.sketches());
        let metric = metric.with_sketches(sketches);
        let mut all = Vec::with_capacity(asked.len());
        for start in (0..asked.len()).step_by(BLOCK) {
            let block = asked.slice(start..asked.len().min(start + BLOCK));
            let which = (0..block.len() as Row).collect::<Vec<_>>();
            let query_sketches = sketches.map(|sketches| sketches.queries(block));
            let block = Queries::new(block, query_sketches.as_ref());
            let found = k_nearest_of_all(&metric, self.rows, block, &which, k);
            all.extend(found.iter().map(|found| found.iter().map(|found| self.neighbor(found)).collect::<Vec<_>>()));
        }
        Ok(all)
    }

    pub(crate) fn nearest_labelled(
        &self,
        query: Point<'_>,
        accept: &dyn Fn(Label) -> bool,
    ) -> Result<Option<Neighbor>, QueryError> {
        self.check_query(query)?;
        let all = (0..self.rows.len()).map(|place| self.rows.at(place));
        let rows = all.filter(|row| accept(self.store.label(*row))).collect::<Vec<_>>();
        let nearest = k_nearest(&self.store.metric(self.distance), Rows::Listed(&rows), query, 1);
        let neighbor =
            |found: &RankedRow| self.store.neighbor(rows[found.row as usize], self.distance.of_rank(found.rank));
        Ok(nearest.first().map(neighbor))
    }

    /// Sketches of the stored points, if they have none and there are enough queries to make up for the time they take.
    pub(crate) fn sketches_for(&self, n_queries: usize) -> Option<Sketches> {
        let points = self.store.points()?;
        let worth_it = n_queries >= MANY_QUERIES && self.store.metric(self.distance).sketches().is_none();
        if worth_it { Sketches::of(self.distance, points) } else { None }
    }
}
