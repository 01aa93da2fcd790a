//! The one module with `unsafe`: distance kernels for the vectors this machine has, and the matrix product.
//!
//! [`portable`] is plain safe Rust and defines the arithmetic; [`avx2`] does the same arithmetic in the same order with
//! 256-bit vectors, chosen at run time. Because sums run over a fixed number of lanes and no multiplication is fused with
//! an addition, both have the same bits: **distances, and with them whole trees, do not depend on the machine**.
//! `docs/decisions/0001-kernels.md` has what this costs and what the alternatives measured.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod matrix;
mod portable;

use portable::Portable;

#[cfg(target_arch = "x86_64")]
use avx2::Avx2 as Wide;
/// Elsewhere compilers vectorise the portable kernels for the baseline (NEON on 64-bit ARM).
#[cfg(not(target_arch = "x86_64"))]
use portable::Portable as Wide;

/// Squared Euclidean distance; also the rank of the Euclidean one.
#[derive(Clone, Copy)]
pub(crate) struct SquaredEuclidean;

/// Sum of absolute differences.
#[derive(Clone, Copy)]
pub(crate) struct Manhattan;

/// One minus the cosine of the angle.
#[derive(Clone, Copy)]
pub(crate) struct Cosine;

/// Measures pairs of points that hold `T`s. The slices of a call have equal lengths.
pub(crate) trait Kernel<T>: Copy {
    /// The rank of the pair.
    fn rank(self, a: &[T], b: &[T]) -> f64;

    /// The rank of the pair if it is below `bound`; otherwise any number that is not below `bound`.
    #[inline(always)]
    fn rank_below(self, a: &[T], b: &[T], _bound: f64) -> f64 {
        self.rank(a, b)
    }

    /// Lays out a group of points for [`Self::group_ranks`], where that helps.
    #[inline(always)]
    fn pack(self, _group: &[&[T]], _packed: &mut Vec<i16>) {}

    /// The ranks of one point to each of a group that was packed into `packed`, each with the bits of [`Self::rank`].
    #[inline(always)]
    fn group_ranks(self, group: &[&[T]], _packed: &[i16], b: &[T], out: &mut [f64]) {
        for (a, out) in group.iter().zip(out) {
            *out = self.rank(a, b);
        }
    }
}

/// One minus `dot / sqrt(a_square * b_square)`, within 0 and 2.
///
/// A zero vector has no direction: it is at 0 from another zero vector and at 1, the distance of a right angle, from
/// everything else. In IEEE arithmetic `sqrt(x * x)` is exactly `x`, so that a point is at exactly 0 from itself.
#[inline(always)]
fn cosine_distance(dot: f64, a_square: f64, b_square: f64) -> f64 {
    if a_square == 0.0 || b_square == 0.0 {
        return if a_square == b_square { 0.0 } else { 1.0 };
    }
    (1.0 - dot / (a_square * b_square).sqrt()).clamp(0.0, 2.0)
}

/// A loop over pairs, to be compiled once for each kernel.
pub(crate) trait Job<T> {
    type Output;

    /// Runs the loop. Implementations are `#[inline(always)]`, so that the kernel is compiled into the loop.
    fn with<K: Kernel<T>>(self, kernel: K) -> Self::Output;
}

/// Runs `job` with the fastest kernel of `measure` that this machine has.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn run<T, M, J>(measure: M, job: J) -> J::Output
where
    M: Copy,
    Portable<M>: Kernel<T>,
    Wide<M>: Kernel<T>,
    J: Job<T>,
{
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = Wide::detect(measure) {
        // SAFETY: the kernel exists only where the processor has AVX2; nothing else is required.
        return unsafe { avx2::run(kernel, job) };
    }
    job.with(Portable(measure))
}

/// Asks for values that will soon be read, while there is other work to do.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of_val(values)).step_by(64) {
        // SAFETY: a prefetch reads nothing and may name any address; SSE, which it needs, is part of x86-64.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().cast::<i8>().wrapping_add(line));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

#[cfg(test)]
mod tests;
