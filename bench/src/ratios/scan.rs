//! An exact scan for many queries at once, against a scalar loop and against two bounds.
//!
//! The bounds do less than a scan: the *matrix product* of queries and rows finds no nearest, and *reading* the rows once
//! for each block of queries computes nothing. A ratio below 1 says what share of such a bound is reached. Ours may beat
//! the matrix product where it rules rows out without one.

use std::hint::black_box;

use hedgerow_core::{LinearScanParams, NeighborSearch, PointKind};
use rayon::prelude::*;

use super::matrix::{self, products};
use super::table::Row;
use super::{RatioError, check_equal, pool};
use crate::interleaved::{interleaved, timed};
use crate::plain::{self, FloatSum};
use crate::synthetic::{SEED, Synthetic};

const QUERIES: usize = 1000;
const ROWS: usize = 20_000;
const THREADS: usize = 2;

pub(super) fn measure(repeats: usize) -> Result<Vec<Row>, RatioError> {
    let mut rows = Vec::new();
    for width in [20, 64, 784] {
        rows.extend(compare(width, repeats)?);
    }
    Ok(rows)
}

fn compare(width: usize, repeats: usize) -> Result<Vec<Row>, RatioError> {
    eprintln!("batched scan, d = {width}");
    let data = Synthetic::new(width, ROWS + QUERIES, SEED);
    let (stored, asked) = data.floats().split_at(ROWS * width);
    let queries = data.rest(ROWS, PointKind::F32);
    let mut scan = LinearScanParams::default().build()?;
    scan.insert_all(&data.first(ROWS, PointKind::F32))?;
    let pool = pool(THREADS)?;

    let per_query = |nanoseconds: f64| nanoseconds / QUERIES as f64;
    let mut our_answers = Ok(Vec::new());
    let mut ours = |_| {
        let (answers, nanoseconds) = timed(|| pool.install(|| scan.voters_of_all(queries)));
        our_answers = answers;
        per_query(nanoseconds)
    };
    // The loop takes many seconds for all queries: each repeat answers its share of them, and all are answered in the end.
    let share = QUERIES.div_ceil(repeats);
    let mut plain_answers = vec![0; QUERIES];
    let mut plain = |repeat: usize| {
        let first = (repeat * share).min(QUERIES - 1);
        let part = first..QUERIES.min(first + share);
        let asked = &asked[part.start * width..part.end * width];
        let search =
            || asked.par_chunks(width).map(|query| plain::nearest(FloatSum, stored, query)).collect::<Vec<_>>();
        let (answers, nanoseconds) = timed(|| pool.install(search));
        plain_answers[part.clone()].copy_from_slice(&answers);
        nanoseconds / part.len() as f64
    };
    let blocks = || asked.par_chunks(matrix::QUERIES * width);
    let mut product = |_| {
        let multiply = || blocks().map(|queries| products(queries, stored, width)).sum::<f32>();
        per_query(timed(|| black_box(pool.install(multiply))).1)
    };
    let mut reading = |_| {
        let read = || blocks().map(|_| sum_of_bits(black_box(stored))).max();
        per_query(timed(|| black_box(pool.install(read))).1)
    };
    let times = interleaved(repeats, &mut [&mut ours, &mut plain, &mut product, &mut reading]);

    let our_answers = our_answers?.iter().map(|voters| voters[0].id.0 as usize).collect::<Vec<_>>();
    check_equal(&format!("batched scan, d = {width}"), &our_answers, &plain_answers)?;
    let row = |other: usize, against: &'static str| Row {
        what: "batched scan f32".into(),
        against,
        sizes: format!("d = {width}, {QUERIES} queries, {ROWS} rows"),
        threads: [THREADS; 2],
        per: "query",
        ours: times[0].clone(),
        other: times[other].clone(),
        target: None,
    };
    Ok(vec![row(1, "scalar loop"), row(2, "bound: the bare matrix product"), row(3, "bound: reading the rows")])
}

/// Reads everything as fast as the memory gives it: integer sums can be vectorised.
fn sum_of_bits(values: &[f32]) -> u32 {
    values.iter().fold(0, |sum, value| sum.wrapping_add(value.to_bits()))
}
