//! Kernels over `f32`.

use std::arch::x86_64::*;

use super::super::portable::{LANES, STRIDE};
use super::super::{Cosine, Kernel, Manhattan, SquaredEuclidean, cosine_distance};
use super::{ABSOLUTE, Avx2, PRODUCT, SQUARE};

// SAFETY of every function below: the callers hold an `Avx2` kernel, so the processor has AVX2. Memory is read through
// slices whose bounds are checked before, at each place that reads.

type Lanes = [__m256; LANES / 8];

/// Eight floats from `at` on.
///
/// # Safety
/// They must be there: callers check lengths once per point, because a check per load doubles the time of narrow points.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(values: &[f32], at: usize) -> __m256 {
    debug_assert!(at + 8 <= values.len());
    // SAFETY: the caller has seen to it; the load needs no alignment.
    unsafe { _mm256_loadu_ps(values.as_ptr().add(at)) }
}

/// The last `n` floats, fewer than eight, followed by zeros.
///
/// # Safety
/// There must be as many.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_last(values: &[f32], n: usize) -> __m256 {
    const MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    debug_assert!(n < 8 && n <= values.len());
    // SAFETY: eight mask words stand from 8 - n on; masked-out floats, those past the end, are not read.
    unsafe {
        let mask = _mm256_loadu_si256(MASKS.as_ptr().add(8 - n).cast());
        _mm256_maskload_ps(values.as_ptr().add(values.len() - n), mask)
    }
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
unsafe fn add_terms<const TERM: u8>(lanes: Lanes, a: &[f32], b: &[f32]) -> Lanes {
    assert_eq!(a.len(), b.len(), "points of different widths are refused at the door");
    // Four names rather than an array: an indexed array goes through memory.
    let [mut first, mut second, mut third, mut fourth] = lanes;
    // SAFETY: AVX2 is there; all loads are within `a`, and `b` is as long.
    unsafe {
        let mut at = 0;
        while at + LANES <= a.len() {
            first = add_term::<TERM>(first, load(a, at), load(b, at));
            second = add_term::<TERM>(second, load(a, at + 8), load(b, at + 8));
            third = add_term::<TERM>(third, load(a, at + 16), load(b, at + 16));
            fourth = add_term::<TERM>(fourth, load(a, at + 24), load(b, at + 24));
            at += LANES;
        }
        let rest = a.len() - at;
        if rest >= 8 {
            first = add_term::<TERM>(first, load(a, at), load(b, at));
        }
        if rest >= 16 {
            second = add_term::<TERM>(second, load(a, at + 8), load(b, at + 8));
        }
        if rest >= 24 {
            third = add_term::<TERM>(third, load(a, at + 16), load(b, at + 16));
        }
        if rest % 8 > 0 {
            // A sum is never -0, so that adding the zeros past the end changes no bit.
            let (a, b) = (load_last(a, rest % 8), load_last(b, rest % 8));
            match rest / 8 {
                0 => first = add_term::<TERM>(first, a, b),
                1 => second = add_term::<TERM>(second, a, b),
                2 => third = add_term::<TERM>(third, a, b),
                _ => fourth = add_term::<TERM>(fourth, a, b),
            }
        }
    }
    [first, second, third, fourth]
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

/// The sum of many terms, given up once it has reached `bound`. Not inlined, so that the loops over narrow points, which
/// have no use for it, stay small.
#[inline(never)]
#[target_feature(enable = "avx2")]
unsafe fn sum_below<const TERM: u8>(a: &[f32], b: &[f32], bound: f64) -> f64 {
    // SAFETY: AVX2 is there.
    unsafe {
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
    // SAFETY: AVX2 is there; each chunk has the floats that its loads read.
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
                unsafe { if a.len() <= STRIDE { sum::<$term>(a, b) } else { sum_below::<$term>(a, b, bound) } }
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
