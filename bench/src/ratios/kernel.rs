//! The distance of one pair.
//!
//! Our side is a whole [`LinearScan`](hedgerow_core::LinearScan) query by the rows that it looks at: the check of the
//! query, the search for the least and the choice of the kernel are in it, as a caller pays them. It may stop a distance
//! early once it exceeds the least so far, which the plain loop does not.

use std::hint::black_box;

use hedgerow_core::{LinearScanParams, NeighborSearch, QueryError};

use super::table::Row;
use super::{RatioError, check_equal};
use crate::interleaved::{interleaved, timed};
use crate::plain::{self, FloatSum, IntegerSum, PlainDistance};
use crate::synthetic::{SEED, Scalar, Synthetic};

/// Rows of a scan: at 784 floats they are past the second-level cache, as stored points usually are.
const ROWS: usize = 1000;

/// Different queries asked in turn, so that no branch is learnt by heart.
const QUERIES: usize = 64;

/// Numbers compared in one measurement, at the least: some milliseconds.
const NUMBERS: usize = 20_000_000;

pub(super) fn measure(repeats: usize) -> Result<Vec<Row>, RatioError> {
    let mut rows = Vec::new();
    for width in [20, 64, 784] {
        let data = Synthetic::new(width, ROWS + QUERIES, SEED);
        let target = (width == 784).then_some(4.0);
        rows.push(compare::<f32, _>(&data, FloatSum, "scalar loop", target, repeats)?);
        rows.push(compare::<u8, _>(&data, FloatSum, "scalar loop, summed in f32", target, repeats)?);
        rows.push(compare::<u8, _>(&data, IntegerSum, "integer loop, vectorised by the compiler", target, repeats)?);
    }
    Ok(rows)
}

fn compare<T: Scalar, D: PlainDistance<T>>(
    data: &Synthetic,
    distance: D,
    against: &'static str,
    target: Option<f64>,
    repeats: usize,
) -> Result<Row, RatioError> {
    let (kind, width) = (T::KIND, data.width());
    eprintln!("pair kernel {kind}, d = {width}, {against}");
    let (stored, asked) = T::values(data).split_at(ROWS * width);
    let mut scan = LinearScanParams::default().build()?;
    scan.insert_all(&data.first(ROWS, kind))?;
    let queries = data.rest(ROWS, kind);
    let our_nearest =
        |query: usize| -> Result<usize, QueryError> { Ok(scan.nearest(black_box(queries.row(query)))?.id.0 as usize) };
    let plain_nearest =
        |query: usize| plain::nearest(distance, black_box(stored), black_box(&asked[query * width..][..width]));

    let what = format!("pair kernel {kind}");
    let expected = (0..QUERIES).map(our_nearest).collect::<Result<Vec<_>, _>>()?;
    check_equal(&what, &expected, &(0..QUERIES).map(plain_nearest).collect::<Vec<_>>())?;

    let calls = (NUMBERS / (ROWS * width)).next_multiple_of(QUERIES);
    let per_pair = |nanoseconds: f64| nanoseconds / (calls * ROWS) as f64;
    let mut ours = |_| {
        let ask = || (0..calls).filter_map(|call| our_nearest(call % QUERIES).ok()).max();
        per_pair(timed(|| black_box(ask())).1)
    };
    let mut other = |_| {
        let ask = || (0..calls).map(|call| plain_nearest(call % QUERIES)).max();
        per_pair(timed(|| black_box(ask())).1)
    };
    let [ours, other] = in_two(interleaved(repeats, &mut [&mut ours, &mut other]));
    let sizes = format!("d = {width}, {ROWS} rows a call");
    Ok(Row { what, against, sizes, threads: [1, 1], per: "pair", ours, other, target })
}

/// The times of two sides.
pub(super) fn in_two(times: Vec<Vec<f64>>) -> [Vec<f64>; 2] {
    times.try_into().expect("two sides were timed")
}
