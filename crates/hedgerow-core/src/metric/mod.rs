//! Distances from a query to rows of a block: where a distance, a number type and an instruction set become one loop.
//!
//! Everything is in *ranks* (see [`Distance::of_rank`]). Widths and kinds have been checked by the callers.

mod jobs;
mod query;

use std::ops::Range;

use crate::distance::{Distance, DistanceFunction};
use crate::nearest_rows::{NearestRows, RankedRow, just_above};
use crate::points::{Point, PointsRef, Scalar};
use crate::simd::{Cosine, Job, Kernel, Manhattan, SquaredEuclidean, run};
use crate::sketch::{SketchRef, Sketches};
use jobs::{MeasureGroup, NearestOf, Pair, PairBelow, RanksOf, SKETCHES, SketchSquares, at};
use query::QueryOrStored;

pub(crate) use query::{Queries, Query};

/// A row number within a block of points.
pub(crate) type Row = u32;

/// A distance over a block of points.
#[derive(Clone, Copy)]
pub(crate) struct Metric<'a> {
    distance: &'a Distance,
    points: PointsRef<'a>,
    sketches: Option<&'a Sketches>,
}

/// The caller's closure as a kernel.
#[derive(Clone, Copy)]
struct Closure<'a>(&'a DistanceFunction);

impl Kernel<f32> for Closure<'_> {
    #[inline(always)]
    fn rank(self, a: &[f32], b: &[f32]) -> f64 {
        let distance = self.0(a, b);
        if distance.is_nan() { f64::INFINITY } else { distance }
    }
}

/// Builds a job over the typed slices of a query and a block, and runs it with the kernel of the distance.
macro_rules! run_job {
    ($metric:expr, $query:expr, |$q:ident, $values:ident| $job:expr) => {
        match ($query, $metric.points.as_f32(), $metric.points.as_u8()) {
            (Point::F32($q), Some($values), _) => match $metric.distance {
                Distance::SquaredEuclidean | Distance::Euclidean => run::<f32, _, _>(SquaredEuclidean, $job),
                Distance::Manhattan => run::<f32, _, _>(Manhattan, $job),
                Distance::Cosine => run::<f32, _, _>(Cosine, $job),
                Distance::Custom(custom) => $job.with(Closure(custom.function())),
            },
            (Point::U8($q), _, Some($values)) => match $metric.distance {
                Distance::SquaredEuclidean | Distance::Euclidean => run::<u8, _, _>(SquaredEuclidean, $job),
                Distance::Manhattan => run::<u8, _, _>(Manhattan, $job),
                Distance::Cosine => run::<u8, _, _>(Cosine, $job),
                Distance::Custom(_) => unreachable!("closures over u8 points are refused at the door"),
            },
            _ => unreachable!("points of different kinds are refused at the door"),
        }
    };
}

impl<'a> Metric<'a> {
    pub(crate) fn new(distance: &'a Distance, points: PointsRef<'a>) -> Self {
        Self { distance, points, sketches: None }
    }

    pub(crate) fn with_sketches(self, sketches: Option<&'a Sketches>) -> Self {
        Self { sketches, ..self }
    }

    pub(crate) fn sketches(&self) -> Option<&'a Sketches> {
        self.sketches
    }

    /// The stored points as queries.
    pub(crate) fn stored(&self) -> Queries<'a> {
        Queries { points: self.points, sketches: self.sketches.map(QueryOrStored::Stored) }
    }

    pub(crate) fn points(&self) -> PointsRef<'a> {
        self.points
    }

    pub(crate) fn distance(&self) -> &'a Distance {
        self.distance
    }

    /// The rank of one pair.
    #[inline]
    pub(crate) fn rank(&self, query: Point<'_>, row: Row) -> f64 {
        let width = self.points.width();
        run_job!(self, query, |query, values| Pair { query, row: at(values, width, row) })
    }

    /// The rank of one pair if it is below `bound`; otherwise any number that is not.
    #[inline]
    fn rank_below(&self, query: Point<'_>, row: Row, bound: f64) -> f64 {
        let width = self.points.width();
        run_job!(self, query, |query, values| PairBelow { query, row: at(values, width, row), bound })
    }

    /// The nearest of `n` rows that is strictly nearer than `best`, with its place; the earliest of equals.
    #[inline]
    pub(crate) fn nearest_of(
        &self,
        query: Query<'_>,
        n: usize,
        row_at: impl Fn(usize) -> Row + Copy,
        best: f64,
    ) -> Option<(usize, f64)> {
        if let (Some(sketches), Some(sketch)) = (self.sketches, query.sketch) {
            return self.nearest_by_sketches(sketches, query.point, sketch, n, row_at, best);
        }
        let width = self.points.width();
        run_job!(self, query.point, |query, values| NearestOf { query, values, width, n, row_at, best })
    }

    /// As [`Self::nearest_of`]: measures first the row with the nearest sketch, then those only whose sketches do not prove
    /// them farther than that, each asked for while the one before is measured.
    fn nearest_by_sketches(
        &self,
        sketches: &Sketches,
        query: Point<'_>,
        sketch: SketchRef<'_>,
        n: usize,
        row_at: impl Fn(usize) -> Row + Copy,
        best: f64,
    ) -> Option<(usize, f64)> {
        let mut best = (best, None);
        // Not in the order of the places, so that an earlier place may come with an equal rank.
        let measure = |place: usize, (best, nearest): (f64, Option<usize>)| {
            let rank = self.rank_below(query, row_at(place), just_above(best));
            let nearer = rank < best || (rank == best && nearest.is_some_and(|nearest| place < nearest));
            if nearer { (rank, Some(place)) } else { (best, nearest) }
        };
        let (mut squares, mut waiting) = ([0.0; SKETCHES], [0_usize; SKETCHES]);
        for start in (0..n).step_by(SKETCHES) {
            let squares = &mut squares[..SKETCHES.min(n - start)];
            let job = SketchSquares { sketch: sketch.sketch, values: sketches.values(), start, row_at, squares };
            let first = run::<i16, _, _>(SquaredEuclidean, job);
            if squares[first] > sketch.allowance.ceiling(best.0) {
                continue;
            }
            best = measure(start + first, best);
            let ceiling = sketch.allowance.ceiling(best.0);
            let mut n_waiting = 0;
            for (at, &square) in squares.iter().enumerate() {
                waiting[n_waiting] = at;
                n_waiting += usize::from(square <= ceiling && at != first);
            }
            let waiting = &waiting[..n_waiting];
            waiting.iter().take(1).for_each(|at| self.prefetch(row_at(start + at)));
            for (place, &at) in waiting.iter().enumerate() {
                waiting.iter().skip(place + 1).take(1).for_each(|at| self.prefetch(row_at(start + at)));
                if squares[at] <= sketch.allowance.ceiling(best.0) {
                    best = measure(start + at, best);
                }
            }
        }
        let (best, nearest) = best;
        nearest.map(|place| (place, best))
    }

    fn prefetch(&self, row: Row) {
        Query::from(self.points.row(row as usize)).prefetch();
    }

    /// Offers those of a range of places whose sketches do not prove them too far.
    pub(crate) fn offer_by_sketches(
        &self,
        query: Query<'_>,
        places: Range<usize>,
        row_at: impl Fn(usize) -> Row + Copy,
        nearest: &mut NearestRows,
    ) {
        let (Some(sketches), Some(sketch)) = (self.sketches, query.sketch) else { return };
        let mut squares = [0.0; SKETCHES];
        let mut ceiling = sketch.allowance.ceiling(nearest.bound());
        for start in places.clone().step_by(SKETCHES) {
            let squares = &mut squares[..SKETCHES.min(places.end - start)];
            let job = SketchSquares { sketch: sketch.sketch, values: sketches.values(), start, row_at, squares };
            let first = run::<i16, _, _>(SquaredEuclidean, job);
            if squares[first] > ceiling {
                continue;
            }
            for (at, &square) in squares.iter().enumerate() {
                if square <= ceiling {
                    let place = start + at;
                    let rank = self.rank(query.point, row_at(place));
                    nearest.offer(RankedRow { rank, row: place as Row });
                    ceiling = sketch.allowance.ceiling(nearest.bound());
                }
            }
        }
    }

    /// Appends the rank of each of `rows` to `out`.
    pub(crate) fn ranks_of(&self, query: Point<'_>, rows: impl Iterator<Item = Row>, out: &mut Vec<f64>) {
        let width = self.points.width();
        run_job!(self, query, |query, values| RanksOf { query, values, width, rows, out });
    }

    /// Measures a group of queries against each of the `stored` rows, and hands the ranks over row by row.
    ///
    /// Each stored row is read once for the whole group, while the group stays in the cache. `visit` gets the place of
    /// the row among `stored` and the ranks in the order of the group. `packed` is memory to reuse.
    pub(crate) fn measure_group(
        &self,
        queries: PointsRef<'_>,
        group: &[Row],
        stored: impl Iterator<Item = Row>,
        packed: &mut Vec<i16>,
        visit: impl FnMut(usize, &[f64]),
    ) {
        let Some(&first) = group.first() else { return };
        let width = self.points.width();
        run_job!(self, queries.row(first as usize), |_first, values| MeasureGroup {
            queries: values_like(queries, values),
            values,
            width,
            group,
            stored,
            packed,
            visit
        });
    }
}

/// The values of `queries`, which hold the same number type as `values`.
fn values_like<'a, T: Scalar>(queries: PointsRef<'a>, _values: &[T]) -> &'a [T] {
    T::values_of(queries).expect("points of different kinds are refused at the door")
}
