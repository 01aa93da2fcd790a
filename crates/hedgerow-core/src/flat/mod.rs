//! Exact search over a list of rows: the engine of the linear scan and of the boundary set.
//!
//! Many queries at once go block by block. Wide points may have sketches (see [`crate::sketch`]) that rule most rows out.
//! For Euclidean distances over `f32` without them a matrix product does: a
//! product of two rows is known to within a bound on its rounding, so a row whose distance is *surely* too large is
//! passed over, and only the few others are measured by the kernel that decides. The answer is therefore the same, to the last bit and
//! tie, as that of the plain loop.

mod answers;

pub(crate) use answers::Answers;

use std::ops::Range;

use rayon::prelude::*;

use crate::distance::Distance;
use crate::metric::{Metric, Queries, Row};
use crate::nearest_rows::{NearestRows, RankedRow};
use crate::points::{Point, PointsRef};
use crate::simd::matrix::products_of_rows;
use crate::sketch::square;

/// Queries and rows of one matrix product: its result, and the rows that go into it, stay in the cache.
const QUERIES: usize = 128;
const ROWS: usize = 256;

/// Fewer queries than this are not worth a matrix product.
const FEW: usize = 8;

/// Queries measured together where there is no matrix product: what is packed of them stays next to the core.
const GROUP: usize = 16;

/// The rows to search. Results name a row by its *place* here, and of equals the earlier place is nearer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// All rows from the first on.
    All(usize),
    /// Those named, in this order.
    Listed(&'a [Row]),
}

impl Rows<'_> {
    fn len(&self) -> usize {
        match self {
            Self::All(len) => *len,
            Self::Listed(rows) => rows.len(),
        }
    }

    fn at(&self, place: usize) -> Row {
        match self {
            Self::All(_) => place as Row,
            Self::Listed(rows) => rows[place],
        }
    }
}

/// The `k` nearest places for one query, nearest first.
pub(crate) fn k_nearest(metric: &Metric<'_>, rows: Rows<'_>, query: Point<'_>, k: usize) -> Vec<RankedRow> {
    if k == 1 {
        let nearest = metric.nearest_of(query.into(), rows.len(), |place| rows.at(place), f64::INFINITY);
        // Nothing at a finite distance: all are equal, so the first.
        let (place, rank) = nearest.unwrap_or((0, f64::INFINITY));
        return Vec::from_iter((rows.len() > 0).then_some(RankedRow { rank, row: place as Row }));
    }
    let mut nearest = NearestRows::new(k);
    let mut ranks = Vec::with_capacity(ROWS);
    for start in (0..rows.len()).step_by(ROWS) {
        let block = start..rows.len().min(start + ROWS);
        ranks.clear();
        metric.ranks_of(query, block.clone().map(|place| rows.at(place)), &mut ranks);
        for (place, &rank) in block.zip(&ranks) {
            nearest.offer(RankedRow { rank, row: place as Row });
        }
    }
    nearest.into_sorted()
}

/// The `k` nearest places for each of the queries named, in parallel.
pub(crate) fn k_nearest_of_all(
    metric: &Metric<'_>,
    rows: Rows<'_>,
    queries: Queries<'_>,
    which: &[Row],
    k: usize,
) -> Vec<Vec<RankedRow>> {
    let points = queries.points;
    if let &[one] = which {
        return vec![k_nearest(metric, rows, points.row(one as usize), k)];
    }
    let sketched = metric.sketches().is_some() && queries.sketches.is_some();
    let filter = match (metric.distance(), metric.points().as_f32(), points.as_f32()) {
        (Distance::Euclidean | Distance::SquaredEuclidean, Some(stored), Some(asked))
            if which.len() >= FEW && !sketched =>
        {
            Some(Filter::new(rows, stored, asked, metric.points().width()))
        }
        _ => None,
    };
    // Few queries still make work for every thread.
    let chunk = which.len().div_ceil(rayon::current_num_threads()).clamp(FEW, QUERIES);
    let search = |which: &[Row]| match &filter {
        Some(filter) => filter.search(metric, rows, points, which, k),
        None if sketched => search_by_sketches(metric, rows, queries, which, k),
        None => search_plainly(metric, rows, points, which, k),
    };
    which.par_chunks(chunk).flat_map_iter(search).collect()
}

/// Passes over the rows whose sketches prove them too far.
fn search_by_sketches(
    metric: &Metric<'_>,
    rows: Rows<'_>,
    queries: Queries<'_>,
    which: &[Row],
    k: usize,
) -> Vec<Vec<RankedRow>> {
    let mut nearest = vec![NearestRows::new(k); which.len()];
    for start in (0..rows.len()).step_by(ROWS) {
        let block = start..rows.len().min(start + ROWS);
        for (&query, nearest) in which.iter().zip(&mut nearest) {
            metric.offer_by_sketches(queries.row(query), block.clone(), |place| rows.at(place), nearest);
        }
    }
    nearest.into_iter().map(NearestRows::into_sorted).collect()
}

/// Measures every pair: a few queries, and a block of rows, at a time stay in the cache.
fn search_plainly(
    metric: &Metric<'_>,
    rows: Rows<'_>,
    queries: PointsRef<'_>,
    which: &[Row],
    k: usize,
) -> Vec<Vec<RankedRow>> {
    let mut nearest = vec![NearestRows::new(k); which.len()];
    let mut packed = Vec::new();
    for start in (0..rows.len()).step_by(ROWS) {
        let block = start..rows.len().min(start + ROWS);
        for (group, nearest) in which.chunks(GROUP).zip(nearest.chunks_mut(GROUP)) {
            let stored = block.clone().map(|place| rows.at(place));
            metric.measure_group(queries, group, stored, &mut packed, |place, ranks| {
                for (&rank, nearest) in ranks.iter().zip(&mut *nearest) {
                    nearest.offer(RankedRow { rank, row: (start + place) as Row });
                }
            });
        }
    }
    nearest.into_iter().map(NearestRows::into_sorted).collect()
}

/// Rules rows out by `|q|^2 + |r|^2 - 2 q.r`, the squared distance but for rounding.
struct Filter<'a> {
    stored: &'a [f32],
    asked: &'a [f32],
    width: usize,
    /// Half of each row's squared length, made smaller by the slack.
    half_squares: Vec<f32>,
    /// `1 - slack`: by so much of `|q|^2 + |r|^2` may the estimate be off, and by `tiny` besides.
    kept: f64,
    tiny: f64,
}

impl<'a> Filter<'a> {
    fn new(rows: Rows<'_>, stored: &'a [f32], asked: &'a [f32], width: usize) -> Self {
        // With unit roundoff u, a product of two rows is off by at most width * u * |q||r|, which is at most half of that
        // times |q|^2 + |r|^2, and counts twice; the kernel's own sum is off by (width / 32 + 8) * u of a squared
        // distance that is at most 2 (|q|^2 + |r|^2). The rest covers the few roundings of the test itself.
        let slack = (1.25 * width as f64 + 64.0) * f64::from(f32::EPSILON) / 2.0;
        // Sums of numbers too small for a relative bound.
        let tiny = 8.0 * (width as f64 + 8.0) * f64::from(f32::MIN_POSITIVE);
        let kept = 1.0 - slack;
        let half = |place: usize| (kept * square(row_of(stored, width, rows.at(place))) / 2.0) as f32;
        let half_squares = (0..rows.len()).into_par_iter().with_min_len(1024).map(half).collect();
        Self { stored, asked, width, half_squares, kept, tiny }
    }

    /// Products below this much more than half the row's square rule the row out.
    fn threshold(&self, query_square: f64, bound: f64) -> f32 {
        ((self.kept * query_square - bound) / 2.0 - self.tiny) as f32
    }

    fn search(
        &self,
        metric: &Metric<'_>,
        rows: Rows<'_>,
        queries: PointsRef<'_>,
        which: &[Row],
        k: usize,
    ) -> Vec<Vec<RankedRow>> {
        let each = which.iter().map(|&query| row_of(self.asked, self.width, query));
        let squares = each.clone().map(square).collect::<Vec<_>>();
        let asked = each.flatten().copied().collect::<Vec<_>>();
        let mut nearest = vec![NearestRows::new(k); which.len()];
        let mut gathered = Vec::new();
        let mut products = vec![0.0; which.len() * ROWS];
        for start in (0..rows.len()).step_by(ROWS) {
            let block = start..rows.len().min(start + ROWS);
            let stored = self.block(rows, block.clone(), &mut gathered);
            let products = &mut products[..which.len() * block.len()];
            products_of_rows(&asked, stored, self.width, products);
            let half_squares = &self.half_squares[block.clone()];
            for (query, products) in products.chunks_exact(block.len()).enumerate() {
                let point = queries.row(which[query] as usize);
                let nearest = &mut nearest[query];
                let mut threshold = self.threshold(squares[query], nearest.bound());
                let eights = products.chunks(8).zip(half_squares.chunks(8));
                for (eight, (products, halves)) in eights.enumerate() {
                    // Eight at a time without a branch: nearly all are ruled out.
                    let none = products.iter().zip(halves).all(|(product, half)| product - half < threshold);
                    if none {
                        continue;
                    }
                    for (at, (product, half)) in products.iter().zip(halves).enumerate() {
                        if product - half >= threshold {
                            let place = start + 8 * eight + at;
                            let rank = metric.rank(point, rows.at(place));
                            nearest.offer(RankedRow { rank, row: place as Row });
                            threshold = self.threshold(squares[query], nearest.bound());
                        }
                    }
                }
            }
        }
        nearest.into_iter().map(NearestRows::into_sorted).collect()
    }

    /// The rows of a block, one after another.
    fn block<'b>(&'b self, rows: Rows<'_>, places: Range<usize>, gathered: &'b mut Vec<f32>) -> &'b [f32] {
        match rows {
            Rows::All(_) => &self.stored[places.start * self.width..places.end * self.width],
            Rows::Listed(rows) => {
                gathered.clear();
                rows[places].iter().for_each(|&row| gathered.extend_from_slice(row_of(self.stored, self.width, row)));
                gathered
            }
        }
    }
}

fn row_of(values: &[f32], width: usize, row: Row) -> &[f32] {
    &values[row as usize * width..][..width]
}
