//! Products that touch only what is not zero, over the rows of `sparse_rows.rs`.
//!
//! Four fifths of an MNIST image are zero, and half and more of what comes out of a rectified layer. A product that walks
//! over the rest alone does the same additions in the same order: adding `0 * w` changes nothing. Each number of a result
//! is summed by one thread in the order of the columns (or rows), so that its bits depend neither on the number of threads,
//! nor on how many rows are computed together. With [`Additions::Separate`] they do not depend on the processor either.

use rayon::prelude::*;

use super::sparse_rows::{PIECE, SparseRows, n_pieces};
use super::{Matrix, vectorized, vectorized_fused};
use crate::real::Real;

/// Numbers of a result row that are summed together: as many as fit into vector registers beside the factors.
const PANEL: usize = 80;

/// Some rows of [`SparseRows`], column by column. A row is named by its place among those taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct SparseColumns<R> {
    /// Numbers that each column has room for: at least one of each row, so that one pass over the rows puts every number in its place.
    room: usize,
    /// How many numbers each column has.
    counts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<R>,
}

impl<R: Real> SparseColumns<R> {
    /// Becomes the given rows.
    pub(crate) fn take_rows(&mut self, from: &SparseRows<R>, rows: &[usize]) {
        // An odd number of cache lines: the starts of columns at a power of two from each other would share few places of the cache.
        self.room = (rows.len().div_ceil(LINE) | 1) * LINE;
        let (room, width) = (self.room, from.width());
        self.counts.clear();
        self.counts.resize(width, 0);
        self.rows.resize(self.rows.len().max(width * room), 0);
        self.values.resize(self.values.len().max(width * room), R::zero());
        let places = self.rows.par_chunks_mut(room * PIECE).zip(self.values.par_chunks_mut(room * PIECE));
        // Piece by piece: the lines that its columns are written to stay in the nearest cache.
        let pieces = self.counts.par_chunks_mut(PIECE).zip(places).enumerate();
        pieces.for_each(|(piece, (counts, (to_rows, to_values)))| {
            for (place, &row) in rows.iter().enumerate() {
                let (columns, values) = from.piece(row, piece);
                for (&column, &value) in columns.iter().zip(values) {
                    let column = column as usize - piece * PIECE;
                    let at = column * room + counts[column] as usize;
                    to_rows[at] = place as u32;
                    to_values[at] = value;
                    counts[column] += 1;
                }
            }
        });
    }

    fn column(&self, column: usize) -> (&[u32], &[R]) {
        let start = column * self.room;
        let range = start..start + self.counts[column] as usize;
        (&self.rows[range.clone()], &self.values[range])
    }

    /// The product of these columns, as rows, with a matrix: `out[c] = sum over rows r of value[r, c] * factor[r]`.
    ///
    /// With rows of activations here and those of the gradient behind a layer as the factor, this is the gradient of the
    /// layer's weights.
    pub(crate) fn times(&self, factor: &Matrix<R>, out: &mut [R]) {
        let width = factor.n_columns();
        out.par_chunks_mut(width * COLUMNS_AT_A_TIME).enumerate().for_each(|(block, out)| {
            vectorized_fused(
                #[inline(always)]
                |is_fused| {
                    let mut start = 0;
                    while start < width {
                        let panel = panel_width(width - start);
                        for (at, out) in out.chunks_exact_mut(width).enumerate() {
                            let (rows, values) = self.column(block * COLUMNS_AT_A_TIME + at);
                            sum_rows(rows, values, factor.values(), width, is_fused, SumStart::Zero, start, panel, out);
                        }
                        start += panel;
                    }
                },
            );
        });
    }
}

/// Numbers of a cache line.
const LINE: usize = 16;

/// Columns of a [`SparseColumns`] that are one task: their results fit into the nearest cache.
const COLUMNS_AT_A_TIME: usize = 16;

/// Rows of a masked product that are one task, at most.
const ROWS_AT_A_TIME: usize = 64;

/// How products are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Additions {
    /// Each product is rounded, and then the sum: the same bits on every processor.
    Separate,
    /// Rounded once where the processor can do so: half the instructions, which counts where two threads share a core.
    Fused,
}

/// Writes `bias + row * weights` for each row. `weights` has a row for each column of `rows`.
pub(crate) fn sparse_rows_times<R: Real>(
    rows: &SparseRows<R>,
    weights: &[R],
    bias: &[R],
    additions: Additions,
    out: &mut Matrix<R>,
) {
    let width = bias.len();
    out.resize(rows.n_rows(), width);
    panels_of(out).into_par_iter().for_each(|Panel { start, first_row, mut out }| {
        vectorized_fused(
            #[inline(always)]
            |can_fuse| {
                let is_fused = can_fuse && additions == Additions::Fused;
                let Some(panel) = out.first().map(|out| out.len()) else { return };
                for out in &mut out {
                    out.copy_from_slice(&bias[start..start + panel]);
                }
                let weights = &weights[start.min(weights.len())..];
                // All rows go over a piece of the weights while it is in the nearest cache. Their sums wait in `out`.
                for piece in 0..n_pieces(rows.width()) {
                    for (at, out) in out.iter_mut().enumerate() {
                        let (columns, values) = rows.piece(first_row + at, piece);
                        // Two calls, each with a constant: the loop is compiled for each, and does not ask.
                        if is_fused {
                            sum_rows(columns, values, weights, width, true, SumStart::Out, 0, panel, out);
                        } else {
                            sum_rows(columns, values, weights, width, false, SumStart::Out, 0, panel, out);
                        }
                    }
                }
            },
        );
    });
}

/// Some neighboring numbers of some neighboring rows of a result: one task.
struct Panel<'a, R> {
    /// Where the numbers stand in their rows.
    start: usize,
    first_row: usize,
    out: Vec<&'a mut [R]>,
}

/// A result cut up into tasks. By columns first, so that a thread reads few of the weights: with tasks of whole rows each read all of them, and an epoch
/// took 3 to 7 % longer with one thread, 1 to 10 % with two.
fn panels_of<R: Real>(out: &mut Matrix<R>) -> Vec<Panel<'_, R>> {
    let (n_rows, width) = (out.n_rows(), out.n_columns());
    let at_a_time = n_rows.div_ceil(ROW_BLOCKS).clamp(1, ROWS_OF_A_PANEL);
    let n_blocks = n_rows.div_ceil(at_a_time);
    let mut panels = Vec::new();
    let mut start = 0;
    while start < width {
        let block = |block: usize| Panel { start, first_row: block * at_a_time, out: Vec::with_capacity(at_a_time) };
        panels.extend((0..n_blocks).map(block));
        start += panel_width(width - start);
    }
    for (row, mut rest) in out.values_mut().chunks_exact_mut(width.max(1)).enumerate() {
        let mut at = row / at_a_time;
        while !rest.is_empty() {
            let (panel, after) = rest.split_at_mut(panel_width(rest.len()));
            panels[at].out.push(panel);
            (rest, at) = (after, at + n_blocks);
        }
    }
    panels
}

/// Blocks of rows that a panel is cut into, at least: with them, two threads share the five panels of a layer of 400 evenly.
const ROW_BLOCKS: usize = 2;

/// Rows of a block, at most: what has been summed of them stays in the second cache, and many rows are many tasks.
const ROWS_OF_A_PANEL: usize = 128;

/// Enough tasks for the threads to share them evenly. It changes no result.
fn rows_at_a_time(n_rows: usize) -> usize {
    n_rows.div_ceil(2 * rayon::current_num_threads()).clamp(1, ROWS_AT_A_TIME)
}

/// The widest panel that is compiled and not wider than what is left.
fn panel_width(left: usize) -> usize {
    [PANEL, 40, 20, 16, 8, 4, 2].into_iter().find(|&width| width <= left).unwrap_or(1)
}

/// What a sum starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SumStart {
    Zero,
    /// What stands where the sum goes.
    Out,
}

/// Writes the sum of `values[i] * factor[rows[i]]` to `out`, over the columns from `start` on, as many as the panel has.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "one place for what differs between the two products")]
fn sum_rows<R: Real>(
    rows: &[u32],
    values: &[R],
    factor: &[R],
    width: usize,
    is_fused: bool,
    from: SumStart,
    start: usize,
    panel: usize,
    out: &mut [R],
) {
    match panel {
        PANEL => sum_panel::<R, PANEL>(rows, values, factor, width, is_fused, from, start, out),
        40 => sum_panel::<R, 40>(rows, values, factor, width, is_fused, from, start, out),
        20 => sum_panel::<R, 20>(rows, values, factor, width, is_fused, from, start, out),
        16 => sum_panel::<R, 16>(rows, values, factor, width, is_fused, from, start, out),
        8 => sum_panel::<R, 8>(rows, values, factor, width, is_fused, from, start, out),
        4 => sum_panel::<R, 4>(rows, values, factor, width, is_fused, from, start, out),
        2 => sum_panel::<R, 2>(rows, values, factor, width, is_fused, from, start, out),
        _ => sum_panel::<R, 1>(rows, values, factor, width, is_fused, from, start, out),
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "as above")]
fn sum_panel<R: Real, const N: usize>(
    rows: &[u32],
    values: &[R],
    factor: &[R],
    width: usize,
    is_fused: bool,
    from: SumStart,
    start: usize,
    out: &mut [R],
) {
    let out = &mut out[start..start + N];
    if rows.is_empty() {
        // There may be no factor at all then.
        if from == SumStart::Zero {
            out.fill(R::zero());
        }
        return;
    }
    let mut sums = [R::zero(); N];
    if from == SumStart::Out {
        sums.copy_from_slice(out);
    }
    let factor = &factor[start..];
    let last = factor.len().checked_sub(N).expect("a panel is no wider than what is left of a row");
    for (&row, &value) in rows.iter().zip(values) {
        let at = row as usize * width;
        // One comparison in the place of two: the compiler knows then that the sum below does not overflow.
        assert!(at <= last, "a row of the factor");
        let factor = &factor[at..at + N];
        for lane in 0..N {
            sums[lane] =
                if is_fused { value.mul_add(factor[lane], sums[lane]) } else { sums[lane] + value * factor[lane] };
        }
    }
    out.copy_from_slice(&sums);
}

/// Bytes of weights that [`masked_product`] goes over at a time: they stay in the nearest cache while all rows of a task use them.
const BLOCK_BYTES: usize = 128 * 1024;

/// Writes `gradient[r] . weights[c]` at the places (r, c) where `active` has a number, and 0 elsewhere. Row r of the result
/// belongs to row `rows[r]` of `active`.
///
/// Behind a rectified layer this is the gradient of what went into it: where nothing came out, nothing goes back.
pub(crate) fn masked_product<R: Real>(
    gradient: &Matrix<R>,
    weights: &[R],
    active: &SparseRows<R>,
    rows: &[usize],
    out: &mut Matrix<R>,
) {
    let (width, inputs) = (gradient.n_columns(), active.width());
    let block = (BLOCK_BYTES / (width * size_of::<R>())).max(1) as u32;
    out.clear(rows.len(), inputs);
    let at_a_time = rows_at_a_time(rows.len());
    out.values_mut().par_chunks_mut(inputs * at_a_time).zip(rows.par_chunks(at_a_time)).enumerate().for_each(
        |(task, (out, rows))| {
            // Of each row, how many of its columns are done.
            let mut done = vec![0; rows.len()];
            vectorized(
                #[inline(always)]
                || {
                    let mut end = 0;
                    while (end as usize) < inputs {
                        end += block;
                        for (at, out) in out.chunks_exact_mut(inputs).enumerate() {
                            let gradient = gradient.row(task * at_a_time + at);
                            let columns = &active.row(rows[at]).0[done[at]..];
                            let n = columns.partition_point(|&column| column < end);
                            done[at] += n;
                            masked_row(gradient, weights, &columns[..n], out);
                        }
                    }
                },
            );
        },
    );
}

/// Products of one row with some rows of weights, four at a time.
#[inline(always)]
fn masked_row<R: Real>(gradient: &[R], weights: &[R], columns: &[u32], out: &mut [R]) {
    let mut at = 0;
    while at < columns.len() {
        // Of fewer than four, the last again in the place of those that are missing: faster than one by one.
        let last = columns.len() - 1;
        let group = [columns[at], columns[last.min(at + 1)], columns[last.min(at + 2)], columns[last.min(at + 3)]];
        let products = dot(gradient, group.map(|column| weights_of(weights, column, gradient.len())));
        for n in 0..4 {
            out[group[n] as usize] = products[n];
        }
        at += 4;
    }
}

#[inline(always)]
fn weights_of<R>(weights: &[R], row: u32, width: usize) -> &[R] {
    &weights[row as usize * width..(row as usize + 1) * width]
}

/// Products of one row with four others. Eight running sums each, added in a fixed order.
#[inline(always)]
fn dot<R: Real>(a: &[R], others: [&[R]; 4]) -> [R; 4] {
    let whole = a.len() / LANES * LANES;
    let mut sums = [[R::zero(); LANES]; 4];
    for at in (0..whole).step_by(LANES) {
        let a = &a[at..at + LANES];
        for n in 0..4 {
            let b = &others[n][at..at + LANES];
            sums[n] = std::array::from_fn(|lane| sums[n][lane] + a[lane] * b[lane]);
        }
    }
    // `from_fn` and no loop: a loop here makes the compiler keep the sums above in memory, at twice the time.
    std::array::from_fn(|n| {
        let s = &sums[n];
        let sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
        a[whole..].iter().zip(&others[n][whole..]).fold(sum, |sum, (&a, &b)| sum + a * b)
    })
}

const LANES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_core::random::SplitMix64;

    /// Small whole numbers, many of them zero: every order of summation gives the same sum.
    fn matrix(rows: usize, columns: usize, seed: u64) -> Matrix<f32> {
        let mut random = SplitMix64::new(seed, 0);
        let values = (0..rows * columns).map(|_| (random.below(9) as f32 - 4.0).max(0.0) * 0.5).collect();
        Matrix::from_values(rows, columns, values)
    }

    fn sparse(matrix: &Matrix<f32>) -> SparseRows<f32> {
        let mut rows = SparseRows::default();
        rows.fill_from(matrix);
        rows
    }

    #[test]
    fn rows_times_weights_are_those_of_a_loop_for_every_width() {
        for (n, inputs, width) in
            [(1, 1, 1), (3, 5, 7), (70, 13, 20), (9, 31, 135), (2, 6, 400), (5, 96, 8), (5, 97, 90), (4, 300, 45)]
        {
            let (a, w) = (matrix(n, inputs, 1), matrix(inputs, width, 2));
            let bias = matrix(1, width, 3);
            let mut out = Matrix::default();
            for additions in [Additions::Separate, Additions::Fused] {
                sparse_rows_times(&sparse(&a), w.values(), bias.values(), additions, &mut out);
                for row in 0..n {
                    for column in 0..width {
                        let product: f32 = (0..inputs).map(|k| a.row(row)[k] * w.row(k)[column]).sum();
                        assert_eq!(out.row(row)[column], bias.values()[column] + product, "{n} {inputs} {width}");
                    }
                }
            }
        }
    }

    #[test]
    fn columns_times_rows_are_those_of_a_loop_for_chosen_rows() {
        let (a, gradient) = (matrix(9, 35, 1), matrix(3, 27, 2));
        let chosen = [7, 0, 4];
        let mut columns = SparseColumns::default();
        columns.take_rows(&sparse(&a), &chosen);
        let mut out = vec![-1.0; 35 * 27];
        columns.times(&gradient, &mut out);
        for input in 0..35 {
            for output in 0..27 {
                let sum: f32 = (0..3).map(|r| a.row(chosen[r])[input] * gradient.row(r)[output]).sum();
                assert_eq!(out[input * 27 + output], sum);
            }
        }
    }

    #[test]
    fn masked_products_are_those_of_a_loop_where_something_came_out_and_zero_elsewhere() {
        // Weights of one block; of four blocks, the last of which is not full; and rows of weights that are larger than a block.
        for (n, inputs, width, n_blocks) in [(6, 23_usize, 37, 1), (90, 300, 400, 4), (3, 5, 40_000, 5)] {
            let block = (BLOCK_BYTES / (width * size_of::<f32>())).max(1);
            assert_eq!(inputs.div_ceil(block), n_blocks);
            let active = matrix(n, inputs, 1);
            // Every other row, from the last one on.
            let chosen: Vec<usize> = (0..n).rev().step_by(2).collect();
            let (weights, gradient) = (matrix(inputs, width, 2), matrix(chosen.len(), width, 3));
            let mut out = Matrix::default();
            masked_product(&gradient, weights.values(), &sparse(&active), &chosen, &mut out);
            for (r, &row) in chosen.iter().enumerate() {
                for c in 0..inputs {
                    let product: f32 = gradient.row(r).iter().zip(weights.row(c)).map(|(a, b)| a * b).sum();
                    let expected = if active.row(row)[c] == 0.0 { 0.0 } else { product };
                    assert_eq!(out.row(r)[c], expected, "{n} {inputs} {width}: ({r}, {c})");
                }
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        let mut random = SplitMix64::new(5, 0);
        let mut numbers = |n: usize| (0..n).map(|_| random.normal() as f32).collect::<Vec<_>>();
        let (a, w, bias) = (Matrix::from_values(50, 30, numbers(1500)), numbers(30 * 45), numbers(45));
        let (mut all, mut one) = (Matrix::default(), Matrix::default());
        for additions in [Additions::Separate, Additions::Fused] {
            sparse_rows_times(&sparse(&a), &w, &bias, additions, &mut all);
            for row in 0..50 {
                let alone = sparse(&Matrix::from_values(1, 30, a.row(row).to_vec()));
                sparse_rows_times(&alone, &w, &bias, additions, &mut one);
                assert_eq!(one.values(), all.row(row));
            }
        }
    }

    #[test]
    fn separate_additions_round_each_product_by_the_loop_that_every_processor_has() {
        let mut random = SplitMix64::new(6, 0);
        let mut numbers = |n: usize| (0..n).map(|_| random.normal() as f32).collect::<Vec<_>>();
        let (a, w, bias) = (Matrix::from_values(4, 130, numbers(4 * 130)), numbers(130 * 90), numbers(90));
        let mut out = Matrix::default();
        sparse_rows_times(&sparse(&a), &w, &bias, Additions::Separate, &mut out);
        for row in 0..4 {
            for column in 0..90 {
                let sum = (0..130).fold(bias[column], |sum, k| sum + a.row(row)[k] * w[k * 90 + column]);
                assert_eq!(out.row(row)[column].to_bits(), sum.to_bits(), "({row}, {column})");
            }
        }
    }

    #[test]
    fn columns_of_more_rows_and_wider_than_a_piece_are_those_of_a_loop_and_forget_what_was_there() {
        let mut columns = SparseColumns::default();
        // From many rows to few, and to none.
        for (n, chosen) in [(150, 130), (150, 128), (9, 2), (9, 0)] {
            let (a, gradient) = (matrix(n, 205, 1), matrix(chosen, 100, 2));
            let rows: Vec<usize> = (0..n).rev().take(chosen).collect();
            columns.take_rows(&sparse(&a), &rows);
            let mut out = vec![-1.0; 205 * 100];
            columns.times(&gradient, &mut out);
            for input in 0..205 {
                for output in 0..100 {
                    let products = rows.iter().enumerate().map(|(r, &row)| a.row(row)[input] * gradient.row(r)[output]);
                    assert_eq!(out[input * 100 + output], products.sum::<f32>() + 0.0, "{chosen}: ({input}, {output})");
                }
            }
        }
    }
}
