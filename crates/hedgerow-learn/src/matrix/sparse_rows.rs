//! Rows without their zeros: how they are kept, and how they are made.
//!
//! The products over them are in `sparse.rs`.

use rayon::prelude::*;

use super::{Matrix, vectorized};
use crate::real::Real;

/// The numbers of a matrix that are not zero, row by row. Room for a row is its whole width, in whole groups, so that
/// rows can be filled at the same time.
#[derive(Debug, Clone, Default)]
pub(crate) struct SparseRows<R> {
    width: usize,
    n_rows: usize,
    /// For each row and each piece of its columns, how many numbers it has up to the end of the piece.
    ends: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<R>,
}

impl<R: Real> SparseRows<R> {
    /// Becomes rows of numbers: row r is `row_of(r)`, each number of it made by `number`.
    ///
    /// `number` must make 0 of the default of `S`. Eight such numbers in a row are passed over at once, since the zeros of pictures
    /// stand together.
    pub(crate) fn fill<'s, S: Copy + Default + PartialEq + Sync + 's>(
        &mut self,
        width: usize,
        n_rows: usize,
        row_of: impl Fn(usize) -> &'s [S] + Sync,
        number: impl Fn(S) -> R + Sync,
    ) {
        let (n_pieces, room) = (n_pieces(width), room(width));
        (self.width, self.n_rows) = (width, n_rows);
        self.ends.resize(n_rows * n_pieces, 0);
        self.columns.resize(n_rows * room, 0);
        self.values.resize(n_rows * room, R::zero());
        let rows =
            self.columns.par_chunks_mut(room * ROWS_AT_A_TIME).zip(self.values.par_chunks_mut(room * ROWS_AT_A_TIME));
        rows.zip(self.ends.par_chunks_mut(n_pieces * ROWS_AT_A_TIME)).enumerate().with_min_len(2).for_each(
            |(task, ((columns, values), ends))| {
                vectorized(
                    #[inline(always)]
                    || {
                        let first = task * ROWS_AT_A_TIME;
                        let ends = ends.chunks_exact_mut(n_pieces);
                        for row in first..first + ends.len() {
                            touch(row_of(row));
                        }
                        let rows = columns.chunks_exact_mut(room).zip(values.chunks_exact_mut(room)).zip(ends);
                        for (at, ((columns, values), ends)) in rows.enumerate() {
                            fill_row(row_of(first + at), &number, columns, values, ends);
                        }
                    },
                );
            },
        );
    }

    /// Becomes the rows of a matrix.
    pub(crate) fn fill_from(&mut self, matrix: &Matrix<R>) {
        self.fill(matrix.n_columns(), matrix.n_rows(), |row| matrix.row(row), |number| number);
    }

    /// Writes the rows with their zeros.
    pub(crate) fn write_to(&self, dense: &mut Matrix<R>) {
        dense.clear(self.n_rows(), self.width);
        dense.values_mut().par_chunks_mut(self.width).enumerate().with_min_len(16).for_each(|(row, out)| {
            let (columns, values) = self.row(row);
            columns.iter().zip(values).for_each(|(&column, &value)| out[column as usize] = value);
        });
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Columns of the matrix, zeros and all.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The columns and numbers of one row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[R]) {
        let (start, count) = (row * room(self.width), self.count(row));
        (&self.columns[start..start + count], &self.values[start..start + count])
    }

    /// The same of one piece of [`PIECE`] columns.
    #[inline(always)]
    pub(super) fn piece(&self, row: usize, piece: usize) -> (&[u32], &[R]) {
        let (at, start) = (row * n_pieces(self.width) + piece, row * room(self.width));
        let first = if piece == 0 { 0 } else { self.ends[at - 1] as usize };
        let range = start + first..start + self.ends[at] as usize;
        (&self.columns[range.clone()], &self.values[range])
    }

    /// How many numbers of a row are not zero.
    #[inline(always)]
    fn count(&self, row: usize) -> usize {
        self.ends[(row + 1) * n_pieces(self.width) - 1] as usize
    }

    /// How many numbers are not zero.
    pub(crate) fn n_filled(&self) -> usize {
        (0..self.n_rows).map(|row| self.count(row)).sum()
    }
}

/// Columns of a piece: so many rows of weights, as wide as a panel of a product, fit into the nearest cache. A multiple of [`GROUP`].
pub(super) const PIECE: usize = 96;

/// Numbers that are looked at together.
const GROUP: usize = 8;

/// Pieces of a row; at least one.
#[inline(always)]
pub(super) fn n_pieces(width: usize) -> usize {
    width.div_ceil(PIECE).max(1)
}

/// Numbers that a row has room for: whole groups.
#[inline(always)]
fn room(width: usize) -> usize {
    width.next_multiple_of(GROUP)
}

/// Rows that are one task.
const ROWS_AT_A_TIME: usize = 8;

/// Reads a number of each cache line of a row. The rows of a step lie far from each other in memory: asked for all at once, their lines
/// come together, and not one after another while the branches of [`fill_row`] wait for them.
#[inline(always)]
fn touch<S: Copy + Default + PartialEq>(row: &[S]) {
    let mut is_zero = true;
    for number in row.iter().step_by(64 / size_of::<S>()) {
        is_zero &= *number == S::default();
    }
    std::hint::black_box(is_zero);
}

/// Writes the numbers of a row that are not zero, and their columns, and for each piece how many there are up to its end.
///
/// Every number of a group is written, and kept by counting on: there is no branch to guess wrong.
#[inline(always)]
fn fill_row<S: Copy + Default + PartialEq, R: Real>(
    row: &[S],
    number: &impl Fn(S) -> R,
    columns: &mut [u32],
    values: &mut [R],
    ends: &mut [u32],
) {
    let (mut n, mut first) = (0, 0);
    for (numbers, end) in row.chunks(PIECE).zip(ends) {
        for numbers in numbers.chunks(GROUP) {
            let mut group = [S::default(); GROUP];
            match numbers.first_chunk() {
                Some(whole) => group = *whole,
                None => group[..numbers.len()].copy_from_slice(numbers),
            }
            if group != [S::default(); GROUP] {
                // A loop and not `map`, which might not be inlined into a caller compiled for wider vectors.
                let mut made = [R::zero(); GROUP];
                for at in 0..GROUP {
                    made[at] = number(group[at]);
                }
                n += fill_group(&made, first, &mut columns[n..], &mut values[n..]);
            }
            first += GROUP as u32;
        }
        *end = n as u32;
    }
}

/// Writes the numbers of a group that are not zero, and their columns, of which the first is given. Returns how many they are.
#[inline(always)]
fn fill_group<R: Real>(group: &[R; GROUP], first: u32, columns: &mut [u32], values: &mut [R]) -> usize {
    let room = "no more numbers than the groups before have places, and room for this one";
    let columns: &mut [u32; GROUP] = columns.first_chunk_mut().expect(room);
    let values: &mut [R; GROUP] = values.first_chunk_mut().expect(room);
    let mut n = 0;
    for (at, &value) in group.iter().enumerate() {
        // `n` is below GROUP: the remainder changes nothing, and spares a check.
        columns[n % GROUP] = first + at as u32;
        values[n % GROUP] = value;
        n += usize::from(value != R::zero());
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_core::random::SplitMix64;

    /// By a plain loop: columns and numbers of a row that are not zero.
    fn slow<S: Copy>(row: &[S], number: impl Fn(S) -> f32) -> (Vec<u32>, Vec<f32>) {
        let all = row.iter().enumerate().map(|(column, &from)| (column as u32, number(from)));
        all.filter(|&(_, value)| value != 0.0).unzip()
    }

    #[test]
    fn rows_are_those_of_a_loop_for_every_width_and_share_of_zeros() {
        let mut random = SplitMix64::new(31, 0);
        let mut rows = SparseRows::default();
        for width in [1, 2, 7, 8, 9, 95, 96, 97, 103, 104, 192, 300] {
            for share_of_zeros in [0.0, 0.3, 0.9, 1.0] {
                let n_rows = 5;
                let mut is_zero = || random.unit() < share_of_zeros;
                let is_zero: Vec<bool> = (0..n_rows * width).map(|_| is_zero()).collect();
                let bytes: Vec<u8> =
                    is_zero.iter().enumerate().map(|(at, &zero)| u8::from(!zero) * (at % 255 + 1) as u8).collect();
                // Some bytes that are not 0 become 0, as numbers below 0 do in a rectifier.
                let made = |byte: u8| if byte % 4 == 3 { 0.0 } else { f32::from(byte) };
                rows.fill(width, n_rows, |row| &bytes[row * width..(row + 1) * width], made);
                let mut n_filled = 0;
                for row in 0..n_rows {
                    let (columns, values) = slow(&bytes[row * width..(row + 1) * width], made);
                    assert_eq!(rows.row(row), (&columns[..], &values[..]), "{width} {share_of_zeros}");
                    n_filled += columns.len();
                    let pieces = (0..n_pieces(width)).map(|piece| rows.piece(row, piece));
                    let joined: Vec<u32> = pieces.flat_map(|(columns, _)| columns).copied().collect();
                    assert_eq!(joined, columns, "{width} {share_of_zeros}");
                    for piece in 0..n_pieces(width) {
                        let range = (piece * PIECE) as u32..((piece + 1) * PIECE) as u32;
                        assert!(rows.piece(row, piece).0.iter().all(|column| range.contains(column)));
                    }
                }
                assert_eq!(rows.n_filled(), n_filled);
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_not_left_out() {
        let matrix = Matrix::from_values(1, 3, vec![0.0, f32::NAN, -0.0]);
        let mut rows = SparseRows::default();
        rows.fill_from(&matrix);
        assert_eq!((rows.row(0).0, rows.row(0).1.len()), (&[1][..], 1));
        assert!(rows.row(0).1[0].is_nan());
    }
}
