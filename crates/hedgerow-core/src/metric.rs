//! Distances from a query to rows of a block: where a distance, a number type and an instruction set become one loop.
//!
//! Everything is in *ranks* (see [`Distance::of_rank`]). Widths and kinds have been checked by the callers.

use crate::distance::{Distance, DistanceFunction};
use crate::points::{Point, PointsRef};
use crate::simd::{Cosine, Job, Kernel, Manhattan, SquaredEuclidean, run};

/// A row number within a block of points.
pub(crate) type Row = u32;

/// A distance over a block of points.
#[derive(Clone, Copy)]
pub(crate) struct Metric<'a> {
    distance: &'a Distance,
    points: PointsRef<'a>,
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
        Self { distance, points }
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

    /// The nearest of `rows` that is strictly nearer than `best`, with its place in `rows`; the earliest of equals.
    #[inline]
    pub(crate) fn nearest_of(
        &self,
        query: Point<'_>,
        rows: impl Iterator<Item = Row>,
        best: f64,
    ) -> Option<(usize, f64)> {
        let width = self.points.width();
        run_job!(self, query, |query, values| NearestOf { query, values, width, rows, best })
    }

    /// Appends the rank of each of `rows` to `out`.
    pub(crate) fn ranks_of(&self, query: Point<'_>, rows: impl Iterator<Item = Row>, out: &mut Vec<f64>) {
        let width = self.points.width();
        run_job!(self, query, |query, values| RanksOf { query, values, width, rows, out });
    }

    /// The ranks of `point` to each of `rows`, four at a time so that `point` is read a quarter as often.
    ///
    /// The rows are the queries here and `point` is the stored example, which matters to closures that are not symmetric.
    pub(crate) fn group_ranks(&self, rows: &[Row], point: Point<'_>, out: &mut [f64]) {
        let width = self.points.width();
        run_job!(self, point, |point, values| GroupRanks { values, width, rows, point, out });
    }
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

struct NearestOf<'a, T, I> {
    query: &'a [T],
    values: &'a [T],
    width: usize,
    rows: I,
    best: f64,
}

impl<T, I: Iterator<Item = Row>> Job<T> for NearestOf<'_, T, I> {
    type Output = Option<(usize, f64)>;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> Self::Output {
        let (mut best, mut nearest) = (self.best, None);
        for (place, row) in self.rows.enumerate() {
            let rank = kernel.rank_below(self.query, at(self.values, self.width, row), best);
            if rank < best {
                best = rank;
                nearest = Some(place);
            }
        }
        nearest.map(|place| (place, best))
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

struct GroupRanks<'a, T> {
    values: &'a [T],
    width: usize,
    rows: &'a [Row],
    point: &'a [T],
    out: &'a mut [f64],
}

impl<T> Job<T> for GroupRanks<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) {
        let row = |row| at(self.values, self.width, row);
        let fours = self.rows.chunks_exact(4);
        let rest = fours.remainder();
        let (out, rest_out) = self.out.split_at_mut(self.rows.len() - rest.len());
        for (four, out) in fours.zip(out.chunks_exact_mut(4)) {
            let four = [row(four[0]), row(four[1]), row(four[2]), row(four[3])];
            out.copy_from_slice(&kernel.rank_four(four, self.point));
        }
        for (&one, out) in rest.iter().zip(rest_out) {
            *out = kernel.rank(row(one), self.point);
        }
    }
}
