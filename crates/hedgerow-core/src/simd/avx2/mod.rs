//! The kernels of [`super::portable`] with AVX2: the same sums in the same order, eight floats or sixteen bytes at a time.
//!
//! `floats.rs` has the kernels over `f32`, `bytes.rs` those over `u8` and over the 16-bit numbers of sketches.
//!
//! Written with intrinsics because the compiler's own vectorisation of the portable source proved fragile: the same
//! function took 44 or 176 ns depending on where it was inlined, and byte sums stayed at half speed.

#![allow(unsafe_code)]
// Compilers from 1.87 on count arithmetic intrinsics as safe here; those before, which we support, do not.
#![allow(unused_unsafe)]

mod bytes;
mod floats;

use super::{Job, Kernel};

/// A kernel that exists only where the processor has AVX2: the field is private, and [`Avx2::detect`] looks.
#[derive(Clone, Copy)]
pub(crate) struct Avx2<M>(M);

impl<M> Avx2<M> {
    #[inline]
    pub(crate) fn detect(measure: M) -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(measure))
    }
}

/// Compiles a job with AVX2 allowed, so that the kernel is inlined into its loop.
///
/// # Safety
/// The processor must have AVX2, which any [`Avx2`] kernel proves.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run<T, K: Kernel<T>, J: Job<T>>(kernel: K, job: J) -> J::Output {
    job.with(kernel)
}

/// The terms that kernels sum.
const SQUARE: u8 = 0;
const ABSOLUTE: u8 = 1;
const PRODUCT: u8 = 2;
