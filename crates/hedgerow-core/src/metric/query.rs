//! Queries on their way into a search, with their sketches if there are any.

use super::Row;
use crate::points::{Point, PointsRef};
use crate::simd::prefetch;
use crate::sketch::{QuerySketches, SketchRef, Sketches};

/// A query, with its sketch if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) point: Point<'a>,
    pub(crate) sketch: Option<SketchRef<'a>>,
}

impl<'a> From<Point<'a>> for Query<'a> {
    fn from(point: Point<'a>) -> Self {
        Self { point, sketch: None }
    }
}

/// A block of queries, with their sketches if there are any.
#[derive(Clone, Copy)]
pub(crate) struct Queries<'a> {
    pub(crate) points: PointsRef<'a>,
    pub(crate) sketches: Option<QueryOrStored<'a>>,
}

impl Query<'_> {
    /// Asks for the query's values ahead of their use.
    pub(crate) fn prefetch(&self) {
        match self.point {
            Point::F32(values) => prefetch(values),
            Point::U8(values) => prefetch(values),
        }
        if let Some(sketch) = self.sketch {
            prefetch(sketch.sketch);
        }
    }
}

/// Sketches of queries: made for them, or those of stored points that are queries themselves.
#[derive(Clone, Copy)]
pub(crate) enum QueryOrStored<'a> {
    Query(&'a QuerySketches),
    Stored(&'a Sketches),
}

impl<'a> Queries<'a> {
    pub(crate) fn new(points: PointsRef<'a>, sketches: Option<&'a QuerySketches>) -> Self {
        Self { points, sketches: sketches.map(QueryOrStored::Query) }
    }

    pub(crate) fn row(&self, row: Row) -> Query<'a> {
        let sketch = self.sketches.map(|sketches| match sketches {
            QueryOrStored::Query(sketches) => sketches.row(row),
            QueryOrStored::Stored(sketches) => sketches.row(row),
        });
        Query { point: self.points.row(row as usize), sketch }
    }
}
