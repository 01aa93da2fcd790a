//! A safe face for the matrix product of the `gemm` crate.

#![allow(unsafe_code)]

/// A number that matrices hold: `f32` or `f64`.
pub trait Element: Copy + Send + Sync + 'static + sealed::Sealed {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Element for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
}

impl Element for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
}

/// A borrowed matrix: numbers row after row, read as they stand or transposed.
#[derive(Debug, Clone, Copy)]
pub struct MatrixRef<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, T> MatrixRef<'a, T> {
    /// Numbers that stand row after row.
    ///
    /// # Panics
    /// If there are not `rows` times `columns` of them.
    pub fn new(values: &'a [T], rows: usize, columns: usize) -> Self {
        assert_eq!(Some(values.len()), rows.checked_mul(columns), "a matrix of {rows} x {columns}");
        Self { values, rows, columns, row_stride: columns, column_stride: 1 }
    }

    /// The same numbers with rows and columns exchanged; nothing is copied.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// Who computes a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread.
    One,
    /// All threads of the rayon pool that the call is made in.
    All,
}

/// Writes the product of two matrices into `out`, row after row; with `add`, adds it to what is there.
///
/// The order of summation is the crate's own, so that the last bits depend on the machine.
///
/// # Panics
/// If the sizes do not agree.
pub fn multiply<T: Element>(out: &mut [T], a: MatrixRef<'_, T>, b: MatrixRef<'_, T>, add: bool, threads: Threads) {
    assert_eq!(a.columns, b.rows, "columns of the left and rows of the right factor");
    assert_eq!(out.len(), a.rows * b.columns, "the product has {} x {} numbers", a.rows, b.columns);
    let parallelism = match threads {
        Threads::One => gemm::Parallelism::None,
        Threads::All => gemm::Parallelism::Rayon(0),
    };
    // SAFETY: `MatrixRef` is only made over slices that are exactly as long as its sizes and strides say, `out` has been
    // compared with the size of the product above, and it overlaps neither factor because it is borrowed mutably.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out.as_mut_ptr(),
            1,
            b.columns as isize,
            add,
            a.values.as_ptr(),
            a.column_stride as isize,
            a.row_stride as isize,
            b.values.as_ptr(),
            b.column_stride as isize,
            b.row_stride as isize,
            if add { T::ONE } else { T::ZERO },
            T::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}

/// Writes the products of every row of `a` with every row of `b` into `out`: `out[i * n_b + j] = a_i . b_j`.
///
/// On the calling thread. Callers use products to rule rows out, never as an answer, since their last bits depend on the
/// machine.
///
/// # Panics
/// If the lengths do not agree.
pub(crate) fn products_of_rows(a: &[f32], b: &[f32], width: usize, out: &mut [f32]) {
    let (a, b) = (MatrixRef::new(a, a.len() / width, width), MatrixRef::new(b, b.len() / width, width).transposed());
    multiply(out, a, b, false, Threads::One);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_either_orientation_are_those_of_a_loop() {
        // Small whole numbers, so that every order of summation gives the same.
        let number = |at: usize| (at * 7 % 11) as f64 - 5.0;
        let (n, k, m) = (5, 9, 4);
        let a: Vec<f64> = (0..n * k).map(number).collect();
        let b: Vec<f64> = (0..k * m).map(|at| number(at + 3)).collect();
        let expected: Vec<f64> =
            (0..n * m).map(|at| (0..k).map(|inner| a[at / m * k + inner] * b[inner * m + at % m]).sum()).collect();
        let mut out = vec![1.0; n * m];
        multiply(&mut out, MatrixRef::new(&a, n, k), MatrixRef::new(&b, k, m), false, Threads::All);
        assert_eq!(out, expected);
        multiply(&mut out, MatrixRef::new(&a, n, k), MatrixRef::new(&b, k, m), true, Threads::One);
        assert_eq!(out, expected.iter().map(|value| 2.0 * value).collect::<Vec<_>>());
        // (a b)^T = b^T a^T
        let mut turned = vec![0.0; n * m];
        let (a, b) = (MatrixRef::new(&a, n, k).transposed(), MatrixRef::new(&b, k, m).transposed());
        multiply(&mut turned, b, a, false, Threads::All);
        assert!((0..n * m).all(|at| turned[at % m * n + at / m] == expected[at]));
    }
}
