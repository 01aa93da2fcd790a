//! Kernels over `f32`.

use std::arch::x86_64::*;

use super::super::portable::{LANES, STRIDE};
use super::super::{Cosine, Kernel, Manhattan, SquaredEuclidean, cosine_distance};
use super::{ABSOLUTE, Avx2, PRODUCT, SQUARE};

// SAFETY of every function below: the callers hold an `Avx2` kernel, so the processor has AVX2. Memory is read through
// slices whose bounds are checked before, at each place that reads.

type Lanes = [__m256; LANES / 8];

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(values: &[f32], at: usize) -> __m256 {
    let eight = &values[at..at + 8];
    // SAFETY: eight floats stand there; the load needs no alignment.
    unsafe { _mm256_loadu_ps(eight.as_ptr()) }
}

/// The values, of which there are fewer than eight, followed by zeros.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_part(values: &[f32]) -> __m256 {
    const MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    let mask = &MASKS[8 - values.len()..][..8];
    // SAFETY: eight mask words stand there; masked-out floats, those past the end, are not read.
    unsafe { _mm256_maskload_ps(values.as_ptr(), _mm256_loadu_si256(mask.as_ptr().cast())) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_term<const TERM: u8>(sum: __m256, a: __m256, b: __m256) -> __m256 {
    // SAFETY: AVX2 is there; no memory is touched.
    unsafe {
        let term = match TERM {
            SQUARE => {
                let difference = _mm256_sub_ps(a, b);
                _mm256_mul_ps(difference, difference)
            }
            ABSOLUTE => _mm256_andnot_ps(_mm256_set1_ps(-0.0), _mm256_sub_ps(a, b)),
            _ => _mm256_mul_ps(a, b),
        };
        _mm256_add_ps(sum, term)
    }
}

/// Adds the terms of any number of features. A stretch but the last must be a multiple of [`LANES`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_terms<const TERM: u8>(mut lanes: Lanes, a: &[f32], b: &[f32]) -> Lanes {
    let whole = a.len() / LANES * LANES;
    // SAFETY: AVX2 is there; the loads check their bounds.
    unsafe {
        for (a, b) in a[..whole].chunks_exact(LANES).zip(b[..whole].chunks_exact(LANES)) {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                *sum = add_term::<TERM>(*sum, load(a, 8 * lane), load(b, 8 * lane));
            }
        }
        let (a, b) = (&a[whole..], &b[whole..]);
        for (lane, sum) in lanes.iter_mut().enumerate() {
            let at = 8 * lane;
            if at + 8 <= a.len() {
                *sum = add_term::<TERM>(*sum, load(a, at), load(b, at));
            } else if at < a.len() {
                // A sum is never -0, so that adding the zeros past the end changes no bit.
                *sum = add_term::<TERM>(*sum, load_part(&a[at..]), load_part(&b[at..]));
            }
        }
    }
    lanes
}

/// Halves 32 sums to 16, 8, 4, 2 and 1, as the portable kernel does.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn total(lanes: Lanes) -> f64 {
    let [a, b, c, d] = lanes;
    // SAFETY: AVX2 is there; no memory is touched.
    unsafe {
        let eight = _mm256_add_ps(_mm256_add_ps(a, c), _mm256_add_ps(b, d));
        let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        f64::from(_mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two))))
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum<const TERM: u8>(a: &[f32], b: &[f32]) -> f64 {
    // SAFETY: AVX2 is there.
    unsafe { total(add_terms::<TERM>([_mm256_setzero_ps(); 4], a, b)) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_below<const TERM: u8>(a: &[f32], b: &[f32], bound: f64) -> f64 {
    // SAFETY: AVX2 is there.
    unsafe {
        if a.len() <= STRIDE {
            return sum::<TERM>(a, b);
        }
        let mut lanes = [_mm256_setzero_ps(); 4];
        let mut so_far = 0.0;
        for (a, b) in a.chunks(STRIDE).zip(b.chunks(STRIDE)) {
            lanes = add_terms::<TERM>(lanes, a, b);
            so_far = total(lanes);
            if so_far >= bound {
                break;
            }
        }
        so_far
    }
}

/// Two sums that share `b`, so that it is loaded once.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_two<const TERM: u8>(first: &[f32], second: &[f32], b: &[f32]) -> [f64; 2] {
    let whole = b.len() / LANES * LANES;
    // SAFETY: AVX2 is there; the loads check their bounds.
    unsafe {
        let (mut sums, mut others) = ([_mm256_setzero_ps(); 4], [_mm256_setzero_ps(); 4]);
        let both = first[..whole].chunks_exact(LANES).zip(second[..whole].chunks_exact(LANES));
        for ((first, second), b) in both.zip(b[..whole].chunks_exact(LANES)) {
            for (lane, (sum, other)) in sums.iter_mut().zip(&mut others).enumerate() {
                let shared = load(b, 8 * lane);
                *sum = add_term::<TERM>(*sum, load(first, 8 * lane), shared);
                *other = add_term::<TERM>(*other, load(second, 8 * lane), shared);
            }
        }
        let rest = &b[whole..];
        [
            total(add_terms::<TERM>(sums, &first[whole..], rest)),
            total(add_terms::<TERM>(others, &second[whole..], rest)),
        ]
    }
}

macro_rules! float_kernel {
    ($measure:ty, $term:ident) => {
        impl Kernel<f32> for Avx2<$measure> {
            #[inline(always)]
            fn rank(self, a: &[f32], b: &[f32]) -> f64 {
                // SAFETY: this kernel exists only where the processor has AVX2.
                unsafe { sum::<$term>(a, b) }
            }

            #[inline(always)]
            fn rank_below(self, a: &[f32], b: &[f32], bound: f64) -> f64 {
                // SAFETY: as above.
                unsafe { sum_below::<$term>(a, b, bound) }
            }

            #[inline(always)]
            fn group_ranks(self, group: &[&[f32]], _packed: &[i16], b: &[f32], out: &mut [f64]) {
                let pairs = group.chunks_exact(2);
                if let ([last], Some(out)) = (pairs.remainder(), out.last_mut()) {
                    *out = self.rank(last, b);
                }
                for (pair, out) in pairs.zip(out.chunks_exact_mut(2)) {
                    // SAFETY: as above.
                    out.copy_from_slice(&unsafe { sum_two::<$term>(pair[0], pair[1], b) });
                }
            }
        }
    };
}

float_kernel!(SquaredEuclidean, SQUARE);
float_kernel!(Manhattan, ABSOLUTE);

impl Kernel<f32> for Avx2<Cosine> {
    #[inline(always)]
    fn rank(self, a: &[f32], b: &[f32]) -> f64 {
        // SAFETY: this kernel exists only where the processor has AVX2.
        let (dot, a_square, b_square) = unsafe { (sum::<PRODUCT>(a, b), sum::<PRODUCT>(a, a), sum::<PRODUCT>(b, b)) };
        cosine_distance(dot, a_square, b_square)
    }
}
