//! The gradient of a loss by the representations, of which only some rows have one.

use crate::matrix::Matrix;
use crate::real::Real;

/// For each representation of a step, how the loss changes with it; and which rows the loss depends on at all.
///
/// Rows that nobody added to are dead: they stay out of the backward pass, and cost nothing.
#[derive(Debug, Clone, Default)]
pub struct RepresentationGradient<R = f32> {
    values: Matrix<R>,
    is_live: Vec<bool>,
    /// The live rows in rising order, and their gradients; made by [`settle`](Self::settle).
    rows: Vec<usize>,
    live: Matrix<R>,
}

impl<R: Real> RepresentationGradient<R> {
    /// Forgets everything; the next step has so many rows of so many numbers.
    pub fn clear(&mut self, n_rows: usize, width: usize) {
        self.values.clear(n_rows, width);
        self.is_live.clear();
        self.is_live.resize(n_rows, false);
    }

    /// The gradient of one row, to be added to. The row counts as live from now on.
    pub fn row_mut(&mut self, row: usize) -> &mut [R] {
        self.is_live[row] = true;
        self.values.row_mut(row)
    }

    /// Adds `factor * (a - b)` to the gradient of a row: what a change of the distance between a and b does to a.
    #[inline(always)]
    pub fn add_difference(&mut self, row: usize, factor: R, a: &[R], b: &[R]) {
        let gradient = self.row_mut(row);
        for ((gradient, &a), &b) in gradient.iter_mut().zip(a).zip(b) {
            *gradient += factor * (a - b);
        }
    }

    /// The gradient of one row; zeros for a dead one.
    pub fn row(&self, row: usize) -> &[R] {
        self.values.row(row)
    }

    /// Multiplies everything.
    pub fn scale(&mut self, factor: R) {
        self.values.values_mut().iter_mut().for_each(|value| *value *= factor);
    }

    /// Collects the live rows.
    pub fn settle(&mut self) {
        let Self { values, is_live, rows, live } = self;
        rows.clear();
        rows.extend((0..is_live.len()).filter(|&row| is_live[row]));
        live.take_rows(values, rows);
    }

    /// The live rows, in rising order. As of the last [`settle`](Self::settle).
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The gradients of the live rows. As of the last [`settle`](Self::settle).
    pub fn live(&self) -> &Matrix<R> {
        &self.live
    }
}
