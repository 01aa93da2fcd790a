//! Distances from a query to rows of a block: where a distance, a number type and an instruction set become one loop.
//!
//! Everything is in *ranks* (see [`Distance::of_rank`]). Widths and kinds have been checked by the callers.

use std::ops::Range;

use crate::distance::{Distance, DistanceFunction};
use crate::nearest_rows::{NearestRows, RankedRow};
use crate::points::{Point, PointsRef, Scalar};
use crate::simd::{Cosine, Job, Kernel, Manhattan, SquaredEuclidean, prefetch, run};
use crate::sketch::{DIRECTIONS, QuerySketches, SketchRef, Sketches};

/// A row number within a block of points.
pub(crate) type Row = u32;

/// A distance over a block of points.
#[derive(Clone, Copy)]
pub(crate) struct Metric<'a> {
    distance: &'a Distance,
    points: PointsRef<'a>,
    sketches: Option<&'a Sketches>,
}

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
    /// them farther than that.
    fn nearest_by_sketches(
        &self,
        sketches: &Sketches,
        query: Point<'_>,
        sketch: SketchRef<'_>,
        n: usize,
        row_at: impl Fn(usize) -> Row + Copy,
        best: f64,
    ) -> Option<(usize, f64)> {
        let (mut best, mut nearest) = (best, None);
        let mut squares = [0.0; SKETCHES];
        for start in (0..n).step_by(SKETCHES) {
            let squares = &mut squares[..SKETCHES.min(n - start)];
            let job = SketchSquares { sketch: sketch.sketch, values: sketches.values(), start, row_at, squares };
            let first = run::<i16, _, _>(SquaredEuclidean, job);
            let mut ceiling = sketch.allowance.ceiling(best);
            let mut waiting = [0_u8; SKETCHES];
            let mut n_waiting = 0;
            if squares[first] <= ceiling {
                let place = start + first;
                let rank = self.rank_below(query, row_at(place), best.next_up());
                if rank < best || (rank == best && nearest.is_some_and(|nearest| place < nearest)) {
                    best = rank;
                    nearest = Some(place);
                    ceiling = sketch.allowance.ceiling(best);
                }
                for (at, &square) in squares.iter().enumerate() {
                    waiting[n_waiting] = at as u8;
                    n_waiting += usize::from(square <= ceiling && at != first);
                }
                if let Some(&at) = waiting[..n_waiting].first() {
                    self.prefetch(row_at(start + usize::from(at)));
                }
            }
            for next in 0..n_waiting {
                let at = usize::from(waiting[next]);
                if next + 1 < n_waiting {
                    self.prefetch(row_at(start + usize::from(waiting[next + 1])));
                }
                if squares[at] > ceiling {
                    continue;
                }
                let place = start + at;
                let rank = self.rank_below(query, row_at(place), best.next_up());
                // Not in the order of the places, so that an earlier place may come with an equal rank.
                if rank < best || (rank == best && nearest.is_some_and(|nearest| place < nearest)) {
                    best = rank;
                    nearest = Some(place);
                    ceiling = sketch.allowance.ceiling(best);
                }
            }
        }
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

#[inline(always)]
fn at<T>(values: &[T], width: usize, row: Row) -> &[T] {
    &values[row as usize * width..][..width]
}

struct Pair<'a, T> {
    query: &'a [T],
    row: &'a [T],
}

impl<T> Job<T> for Pair<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> f64 {
        kernel.rank(self.query, self.row)
    }
}

struct PairBelow<'a, T> {
    query: &'a [T],
    row: &'a [T],
    bound: f64,
}

impl<T> Job<T> for PairBelow<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> f64 {
        kernel.rank_below(self.query, self.row, self.bound)
    }
}

struct NearestOf<'a, T, F> {
    query: &'a [T],
    values: &'a [T],
    width: usize,
    n: usize,
    row_at: F,
    best: f64,
}

impl<T, F: Fn(usize) -> Row> Job<T> for NearestOf<'_, T, F> {
    type Output = Option<(usize, f64)>;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> Self::Output {
        let (mut best, mut nearest) = (self.best, None);
        for place in 0..self.n {
            let row = at(self.values, self.width, (self.row_at)(place));
            let rank = kernel.rank_below(self.query, row, best);
            if rank < best {
                best = rank;
                nearest = Some(place);
            }
        }
        nearest.map(|place| (place, best))
    }
}

/// Sketches compared at a time.
const SKETCHES: usize = 64;

/// Writes the squared distances of some sketches from `sketch`; gives the place of the least.
struct SketchSquares<'a, F> {
    sketch: &'a [i16],
    values: &'a [i16],
    start: usize,
    row_at: F,
    squares: &'a mut [f64],
}

impl<F: Fn(usize) -> Row> Job<i16> for SketchSquares<'_, F> {
    type Output = usize;
    #[inline(always)]
    fn with<K: Kernel<i16>>(self, kernel: K) -> usize {
        let (mut least, mut first) = (f64::INFINITY, 0);
        for (place, square) in self.squares.iter_mut().enumerate() {
            *square = kernel.rank(self.sketch, at(self.values, DIRECTIONS, (self.row_at)(self.start + place)));
            if *square < least {
                least = *square;
                first = place;
            }
        }
        first
    }
}

struct RanksOf<'a, T, I> {
    query: &'a [T],
    values: &'a [T],
    width: usize,
    rows: I,
    out: &'a mut Vec<f64>,
}

impl<T, I: Iterator<Item = Row>> Job<T> for RanksOf<'_, T, I> {
    type Output = ();
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) {
        for row in self.rows {
            self.out.push(kernel.rank(self.query, at(self.values, self.width, row)));
        }
    }
}

struct MeasureGroup<'a, T, I, V> {
    queries: &'a [T],
    values: &'a [T],
    width: usize,
    group: &'a [Row],
    stored: I,
    packed: &'a mut Vec<i16>,
    visit: V,
}

impl<T, I: Iterator<Item = Row>, V: FnMut(usize, &[f64])> Job<T> for MeasureGroup<'_, T, I, V> {
    type Output = ();
    #[inline(always)]
    fn with<K: Kernel<T>>(mut self, kernel: K) {
        let group = self.group.iter().map(|&row| at(self.queries, self.width, row)).collect::<Vec<_>>();
        let mut ranks = vec![0.0; group.len()];
        kernel.pack(&group, self.packed);
        for (place, row) in self.stored.enumerate() {
            kernel.group_ranks(&group, self.packed, at(self.values, self.width, row), &mut ranks);
            (self.visit)(place, &ranks);
        }
    }
}
