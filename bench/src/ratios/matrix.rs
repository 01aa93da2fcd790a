//! The bare matrix product: what an exact scan by products takes at the least.
//!
//! The only unsafe code here, because the `gemm` crate has no safe face.

/// Queries and rows of one product, as in the library's scan: the result stays in the cache.
pub(super) const QUERIES: usize = 128;
const ROWS: usize = 256;

/// Computes the products of up to [`QUERIES`] queries with all rows, block by block, and gives one number of each block
/// so that nothing can be left out.
pub(super) fn products(queries: &[f32], rows: &[f32], width: usize) -> f32 {
    let n_queries = queries.len() / width;
    let mut out = vec![0.0; n_queries * ROWS];
    let mut some = 0.0;
    for rows in rows.chunks(ROWS * width) {
        products_of_rows(queries, rows, width, &mut out[..n_queries * (rows.len() / width)]);
        some += out[0];
    }
    some
}

/// Writes `out[i * n_b + j] = a_i . b_j`.
///
/// # Panics
/// If the lengths do not agree.
#[allow(unsafe_code)]
fn products_of_rows(a: &[f32], b: &[f32], width: usize, out: &mut [f32]) {
    let (n_a, n_b) = (a.len() / width, b.len() / width);
    assert!(a.len() == n_a * width && b.len() == n_b * width && out.len() == n_a * n_b, "lengths do not agree");
    let (one, row, out_row) = (1, width as isize, n_b as isize);
    // SAFETY: the three matrices are exactly as long as the sizes and strides given say, as asserted above, and `out`
    // overlaps neither input because it is borrowed mutably.
    unsafe {
        gemm::gemm(
            n_a,
            n_b,
            width,
            out.as_mut_ptr(),
            one,
            out_row,
            false,
            a.as_ptr(),
            one,
            row,
            b.as_ptr(),
            row,
            one,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        let mut out = [0.0; 4];
        products_of_rows(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 2, &mut out);
        assert_eq!(out, [17.0, 23.0, 39.0, 53.0]); // 1*5 + 2*6, 1*7 + 2*8, 3*5 + 4*6, 3*7 + 4*8
    }
}
