//! Matrices: rows of numbers one after another, and the same with the zeros left out.
//!
//! `sparse_rows.rs` has the rows without their zeros, `sparse.rs` the three products that training needs of them. Products of dense
//! matrices are [`hedgerow_core::matrix`]'s.

mod aligned;
mod sparse;
mod sparse_rows;

use hedgerow_core::matrix::MatrixRef;
use rayon::prelude::*;

use crate::real::Real;
pub(crate) use aligned::Aligned;
pub(crate) use sparse::{Additions, SparseColumns, masked_product, sparse_rows_times};
pub(crate) use sparse_rows::SparseRows;

/// Columns that are transposed together: those of a row are one line of the cache.
const TRANSPOSED_AT_A_TIME: usize = 16;

/// A matrix of numbers, row after row. Its memory is kept when it is given another size.
#[derive(Debug, PartialEq)]
pub struct Matrix<R = f32> {
    rows: usize,
    columns: usize,
    values: Aligned<R>,
}

impl<R: Real> Matrix<R> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: Aligned::zeros(rows * columns) }
    }

    /// Takes numbers that stand row after row.
    ///
    /// # Panics
    /// If there are not `rows` times `columns` of them.
    #[allow(clippy::needless_pass_by_value, reason = "numbers that nobody else needs any more")]
    pub fn from_values(rows: usize, columns: usize, values: Vec<R>) -> Self {
        assert_eq!(values.len(), rows * columns, "a matrix of {rows} x {columns}");
        Self { rows, columns, values: Aligned::copy_of(&values) }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns
    }

    /// One row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[R] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// One row, to be written.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [R] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[R] {
        &self.values
    }

    /// All numbers, to be written.
    pub fn values_mut(&mut self) -> &mut [R] {
        &mut self.values
    }

    /// Gives the matrix another size; what its numbers are then is not defined.
    pub(crate) fn resize(&mut self, rows: usize, columns: usize) {
        (self.rows, self.columns) = (rows, columns);
        self.values.resize(rows * columns);
    }

    /// Gives the matrix another size and sets all numbers to 0.
    pub(crate) fn clear(&mut self, rows: usize, columns: usize) {
        self.resize(rows, columns);
        self.values.fill(R::zero());
    }

    /// Becomes the given rows of another matrix.
    pub(crate) fn take_rows(&mut self, from: &Self, rows: &[usize]) {
        self.resize(rows.len(), from.columns);
        rows.iter().enumerate().for_each(|(to, &row)| self.row_mut(to).copy_from_slice(from.row(row)));
    }

    /// Becomes the transpose of a matrix of so many columns, whose rows stand one after another.
    pub(crate) fn transpose_of(&mut self, values: &[R], columns: usize) {
        let rows = values.len() / columns;
        self.resize(columns, rows);
        let blocks = self.values.par_chunks_mut(rows * TRANSPOSED_AT_A_TIME);
        blocks.enumerate().for_each(|(block, out)| {
            let first = block * TRANSPOSED_AT_A_TIME;
            let n = out.len() / rows;
            for (row, values) in values.chunks_exact(columns).enumerate() {
                for (at, &value) in values[first..first + n].iter().enumerate() {
                    out[at * rows + row] = value;
                }
            }
        });
    }

    pub(crate) fn view(&self) -> MatrixRef<'_, R> {
        MatrixRef::new(&self.values, self.rows, self.columns)
    }
}

impl<R> Default for Matrix<R> {
    fn default() -> Self {
        Self { rows: 0, columns: 0, values: Aligned::default() }
    }
}

impl<R: Clone> Clone for Matrix<R> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), ..*self }
    }

    /// Keeps the memory.
    fn clone_from(&mut self, source: &Self) {
        (self.rows, self.columns) = (source.rows, source.columns);
        self.values.clone_from(&source.values);
    }
}

/// Runs `work` compiled for the vectors that this machine has. `work` must be a closure marked `#[inline(always)]`, and call
/// functions so marked: what is not inlined is compiled for the oldest machine.
#[inline(always)]
pub(crate) fn vectorized<T>(mut work: impl FnMut() -> T) -> T {
    vectorized_fused(
        #[inline(always)]
        |_| work(),
    )
}

/// The same, and tells `work` whether these vectors have fused multiplications and additions: `mul_add` where there are none is a
/// function of the system, many times slower than the two apart.
#[inline(always)]
pub(crate) fn vectorized_fused<T>(work: impl FnMut(bool) -> T) -> T {
    pulp::Arch::new().dispatch(Vectorized(work))
}

/// Called through `FnMut`: a call through `FnOnce` goes by way of a function of its own, which is not inlined.
struct Vectorized<F>(F);

impl<T, F: FnMut(bool) -> T> pulp::WithSimd for Vectorized<F> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) -> T {
        // Of the vectors of `pulp`, those of eight numbers and more come with fused ones, and so do those of ARM.
        (self.0)(S::F32_LANES >= 8 || cfg!(target_arch = "aarch64"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transpose_has_rows_for_columns_whatever_the_size() {
        for (rows, columns) in [(1, 1), (1, 40), (40, 1), (3, 16), (17, 35)] {
            let numbers: Vec<f32> = (0..rows * columns).map(|at| at as f32).collect();
            let mut transposed = Matrix::default();
            transposed.transpose_of(&numbers, columns);
            assert_eq!((transposed.n_rows(), transposed.n_columns()), (columns, rows));
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(transposed.row(column)[row], numbers[row * columns + column]);
                }
            }
        }
    }
}
