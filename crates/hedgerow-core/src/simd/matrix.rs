//! A safe face for the matrix product of the `gemm` crate.

#![allow(unsafe_code)]

/// Writes the products of every row of `a` with every row of `b` into `out`: `out[i * n_b + j] = a_i . b_j`.
///
/// On the calling thread. The order of summation is the crate's own, so that the last bits depend on the machine:
/// callers use products to rule rows out, never as an answer.
///
/// # Panics
/// If the lengths do not agree.
pub(crate) fn products_of_rows(a: &[f32], b: &[f32], width: usize, out: &mut [f32]) {
    let (n_a, n_b) = (a.len() / width, b.len() / width);
    assert!(a.len() == n_a * width && b.len() == n_b * width && out.len() == n_a * n_b, "lengths do not agree");
    // SAFETY: the three matrices are exactly as long as the sizes and strides given say, as asserted above, and `out`
    // overlaps neither input because it is borrowed mutably.
    unsafe {
        gemm::gemm(
            n_a,
            n_b,
            width,
            out.as_mut_ptr(),
            1,
            n_b as isize,
            false,
            a.as_ptr(),
            1,
            width as isize,
            b.as_ptr(),
            width as isize,
            1,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
