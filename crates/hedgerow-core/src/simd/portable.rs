//! Distance kernels in safe Rust: the arithmetic that every other kernel repeats, bit by bit.
//!
//! Floats are summed in [`LANES`] interleaved sums, element `i` into sum `i % LANES`; the sums are then added up by halving.
//! That is four AVX2 registers, enough to hide the latency of an addition. Bytes are summed exactly.

use super::{Cosine, Kernel, Manhattan, SquaredEuclidean, cosine_distance};

/// Interleaved sums of a float kernel.
pub(super) const LANES: usize = 32;

/// Features between two looks at whether the sum is already too large.
pub(super) const STRIDE: usize = 8 * LANES;

/// Bytes whose squared differences surely fit a `u32` sum: 65536 * 255^2 < 2^32.
pub(super) const BYTES: usize = 65536;

/// A kernel without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable<M>(pub(crate) M);

/// Sums `term(a[i], b[i])`, giving up once the sum has reached `bound`.
///
/// Giving up is exact: terms are not negative and float addition is monotone, so each lane, and the total in its fixed
/// order, can only grow.
fn sum_below(a: &[f32], b: &[f32], bound: f64, term: fn(f32, f32) -> f32) -> f64 {
    let mut lanes = [0.0; LANES];
    for (a, b) in a.chunks(STRIDE).zip(b.chunks(STRIDE)) {
        add_terms(&mut lanes, a, b, term);
        let so_far = f64::from(total(lanes));
        if so_far >= bound {
            return so_far;
        }
    }
    f64::from(total(lanes))
}

#[inline(always)]
fn add_terms(lanes: &mut [f32; LANES], a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) {
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += term(*a, *b);
        }
    }
}

/// Adds up the lanes in an order that does not depend on the vector width.
#[inline(always)]
fn total(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0; LANES];
    add_terms(&mut lanes, a, b, |a, b| a * b);
    f64::from(total(lanes))
}

fn square_of_difference(a: f32, b: f32) -> f32 {
    let difference = a - b;
    difference * difference
}

fn absolute_difference(a: f32, b: f32) -> f32 {
    (a - b).abs()
}

impl Kernel<f32> for Portable<SquaredEuclidean> {
    #[inline]
    fn rank(self, a: &[f32], b: &[f32]) -> f64 {
        let mut lanes = [0.0; LANES];
        add_terms(&mut lanes, a, b, square_of_difference);
        f64::from(total(lanes))
    }

    #[inline]
    fn rank_below(self, a: &[f32], b: &[f32], bound: f64) -> f64 {
        sum_below(a, b, bound, square_of_difference)
    }
}

impl Kernel<f32> for Portable<Manhattan> {
    #[inline]
    fn rank(self, a: &[f32], b: &[f32]) -> f64 {
        let mut lanes = [0.0; LANES];
        add_terms(&mut lanes, a, b, absolute_difference);
        f64::from(total(lanes))
    }

    #[inline]
    fn rank_below(self, a: &[f32], b: &[f32], bound: f64) -> f64 {
        sum_below(a, b, bound, absolute_difference)
    }
}

impl Kernel<f32> for Portable<Cosine> {
    #[inline]
    fn rank(self, a: &[f32], b: &[f32]) -> f64 {
        cosine_distance(dot(a, b), dot(a, a), dot(b, b))
    }
}

/// Sums `term` exactly: `u32` sums over stretches that cannot overflow.
#[inline(always)]
fn sum_bytes(a: &[u8], b: &[u8], term: impl Fn(u8, u8) -> u32) -> f64 {
    let stretches = a.chunks(BYTES).zip(b.chunks(BYTES));
    stretches.map(|(a, b)| u64::from(a.iter().zip(b).map(|(a, b)| term(*a, *b)).sum::<u32>())).sum::<u64>() as f64
}

fn square_of_byte_difference(a: u8, b: u8) -> u32 {
    // Through i16: compilers then use the multiply-and-add of 16-bit pairs.
    let difference = i16::from(a) - i16::from(b);
    (i32::from(difference) * i32::from(difference)) as u32
}

fn absolute_byte_difference(a: u8, b: u8) -> u32 {
    u32::from(a.abs_diff(b))
}

fn byte_product(a: u8, b: u8) -> u32 {
    u32::from(u16::from(a) * u16::from(b))
}

impl Kernel<u8> for Portable<SquaredEuclidean> {
    #[inline]
    fn rank(self, a: &[u8], b: &[u8]) -> f64 {
        sum_bytes(a, b, square_of_byte_difference)
    }
}

impl Kernel<u8> for Portable<Manhattan> {
    #[inline]
    fn rank(self, a: &[u8], b: &[u8]) -> f64 {
        sum_bytes(a, b, absolute_byte_difference)
    }
}

impl Kernel<u8> for Portable<Cosine> {
    #[inline]
    fn rank(self, a: &[u8], b: &[u8]) -> f64 {
        let product = |a, b| sum_bytes(a, b, byte_product);
        cosine_distance(product(a, b), product(a, a), product(b, b))
    }
}

/// Sketches: differences fit 16 bits and the sum fits 32 (see `crate::sketch`).
impl Kernel<i16> for Portable<SquaredEuclidean> {
    #[inline]
    fn rank(self, a: &[i16], b: &[i16]) -> f64 {
        let squares = a.iter().zip(b).map(|(a, b)| i32::from(a - b) * i32::from(a - b));
        f64::from(squares.map(|square| square as u32).sum::<u32>())
    }
}
