//! Kernels over `u8`, and over the 16-bit numbers of sketches. Sums are exact.

use std::arch::x86_64::*;

use super::super::portable::{BYTES, STRIDE};
use super::super::{Cosine, Kernel, Manhattan, SquaredEuclidean, cosine_distance};
use super::{Avx2, PRODUCT, SQUARE};

// SAFETY of every function below: the callers hold an `Avx2` kernel, so the processor has AVX2. Memory is read through
// slices whose bounds are checked before, at each place that reads.

/// Sixteen bytes from `at` on, as 16-bit numbers.
///
/// # Safety
/// They must be there: callers check lengths once per point.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn widen(values: &[u8], at: usize) -> __m256i {
    debug_assert!(at + 16 <= values.len());
    // SAFETY: the caller has seen to it; the load needs no alignment.
    unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(values.as_ptr().add(at).cast())) }
}

/// The last `n` bytes, fewer than sixteen, followed by zeros, as 16-bit numbers.
///
/// # Safety
/// There must be as many.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn widen_last(values: &[u8], n: usize) -> __m256i {
    /// From place 16 - n on: the places of the last `n` of sixteen bytes, then places that read as zero.
    const PLACES: [u8; 32] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
        128, 128, 128, 128, 128,
    ];
    debug_assert!(n < 16 && n <= values.len());
    // SAFETY: AVX2 is there; sixteen bytes are read at the end of `values` only if it has them, and sixteen of PLACES.
    unsafe {
        if values.len() < 16 {
            let mut sixteen = [0; 16];
            sixteen[..n].copy_from_slice(&values[values.len() - n..]);
            return widen(&sixteen, 0);
        }
        // The sixteen bytes up to the end, moved to the front: far cheaper than copying a few bytes.
        let end = _mm_loadu_si128(values.as_ptr().add(values.len() - 16).cast());
        let places = _mm_loadu_si128(PLACES.as_ptr().add(16 - n).cast());
        _mm256_cvtepu8_epi16(_mm_shuffle_epi8(end, places))
    }
}

/// Adds sixteen terms in eight 32-bit sums. `ABSOLUTE` is not among them: those have an instruction of their own.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_byte_terms<const TERM: u8>(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: AVX2 is there; no memory is touched.
    unsafe {
        let (a, b) = match TERM {
            SQUARE => {
                let difference = _mm256_sub_epi16(a, b);
                (difference, difference)
            }
            _ => (a, b),
        };
        _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
    }
}

/// The sum of eight unsigned 32-bit numbers, which the callers keep from overflowing.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn byte_total(sums: __m256i) -> u32 {
    // SAFETY: AVX2 is there; no memory is touched.
    unsafe {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two))) as u32
    }
}

/// Sums at most [`BYTES`] terms.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_stretch<const TERM: u8>(a: &[u8], b: &[u8]) -> u32 {
    assert_eq!(a.len(), b.len(), "points of different widths are refused at the door");
    // SAFETY: AVX2 is there; all loads are within `a`, and `b` is as long.
    unsafe {
        let (mut first, mut second) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let mut at = 0;
        while at + 32 <= a.len() {
            first = add_byte_terms::<TERM>(first, widen(a, at), widen(b, at));
            second = add_byte_terms::<TERM>(second, widen(a, at + 16), widen(b, at + 16));
            at += 32;
        }
        if at + 16 <= a.len() {
            first = add_byte_terms::<TERM>(first, widen(a, at), widen(b, at));
        }
        let rest = a.len() % 16;
        if rest > 0 {
            second = add_byte_terms::<TERM>(second, widen_last(a, rest), widen_last(b, rest));
        }
        byte_total(_mm256_add_epi32(first, second))
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_bytes<const TERM: u8>(a: &[u8], b: &[u8]) -> f64 {
    // SAFETY: AVX2 is there.
    unsafe {
        if a.len() <= BYTES {
            return f64::from(sum_stretch::<TERM>(a, b));
        }
        let stretches = a.chunks(BYTES).zip(b.chunks(BYTES));
        stretches.map(|(a, b)| u64::from(sum_stretch::<TERM>(a, b))).sum::<u64>() as f64
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_bytes_below(a: &[u8], b: &[u8], bound: f64) -> f64 {
    // SAFETY: AVX2 is there.
    unsafe {
        if a.len() <= STRIDE {
            return sum_bytes::<SQUARE>(a, b);
        }
        let mut so_far = 0;
        for (a, b) in a.chunks(STRIDE).zip(b.chunks(STRIDE)) {
            so_far += u64::from(sum_stretch::<SQUARE>(a, b));
            if so_far as f64 >= bound {
                break;
            }
        }
        so_far as f64
    }
}

/// Points of a packed group that are measured together.
const FOUR: usize = 4;

/// Features of a packed chunk.
const CHUNK: usize = 16;

/// Lays out byte points as 16-bit numbers, four points side by side: for each chunk of 16 features, those of the first
/// point, then of the second, third and fourth. What is missing is zero.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn pack_bytes(group: &[&[u8]], packed: &mut Vec<i16>) {
    let n_chunks = group.first().map_or(0, |point| point.len()).div_ceil(CHUNK);
    packed.clear();
    packed.resize(group.len().div_ceil(FOUR) * n_chunks * FOUR * CHUNK, 0);
    for (four, points) in packed.chunks_exact_mut(n_chunks * FOUR * CHUNK).zip(group.chunks(FOUR)) {
        for (place, point) in points.iter().enumerate() {
            for (chunk, features) in four.chunks_exact_mut(FOUR * CHUNK).zip(point.chunks(CHUNK)) {
                let to = &mut chunk[place * CHUNK..][..CHUNK];
                // SAFETY: AVX2 is there; sixteen numbers stand where sixteen are stored.
                unsafe {
                    let n = features.len();
                    let wide = if n == CHUNK { widen(features, 0) } else { widen_last(features, n) };
                    _mm256_storeu_si256(to.as_mut_ptr().cast(), wide);
                }
            }
        }
    }
}

/// The sums of `b`, of at most [`BYTES`] features, with four packed points.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_packed(four: &[i16], b: &[u8]) -> [u32; FOUR] {
    let whole = b.len() / CHUNK;
    assert!(four.len() >= b.len().div_ceil(CHUNK) * FOUR * CHUNK, "a chunk of four points for each chunk of the point");
    // SAFETY: AVX2 is there. The packed chunks have the 64 numbers that four loads read, as asserted above (checked once
    // here because a check for each load costs a fifth of the time), and `b` has 16 bytes for each whole chunk.
    unsafe {
        let mut sums = [_mm256_setzero_si256(); FOUR];
        let mut add = |chunk: usize, shared: __m256i| {
            for (place, sum) in sums.iter_mut().enumerate() {
                let wide = _mm256_loadu_si256(four.as_ptr().add((chunk * FOUR + place) * CHUNK).cast());
                *sum = add_byte_terms::<SQUARE>(*sum, wide, shared);
            }
        };
        for chunk in 0..whole {
            add(chunk, _mm256_cvtepu8_epi16(_mm_loadu_si128(b.as_ptr().add(chunk * CHUNK).cast())));
        }
        if whole * CHUNK < b.len() {
            add(whole, widen_last(b, b.len() % CHUNK));
        }
        let [first, second, third, fourth] = sums;
        [byte_total(first), byte_total(second), byte_total(third), byte_total(fourth)]
    }
}

impl Kernel<u8> for Avx2<SquaredEuclidean> {
    #[inline(always)]
    fn rank(self, a: &[u8], b: &[u8]) -> f64 {
        // SAFETY: this kernel exists only where the processor has AVX2.
        unsafe { sum_bytes::<SQUARE>(a, b) }
    }

    #[inline(always)]
    fn rank_below(self, a: &[u8], b: &[u8], bound: f64) -> f64 {
        // SAFETY: as above.
        unsafe { sum_bytes_below(a, b, bound) }
    }

    #[inline(always)]
    fn pack(self, group: &[&[u8]], packed: &mut Vec<i16>) {
        // SAFETY: as above.
        unsafe { pack_bytes(group, packed) };
    }

    #[inline(always)]
    fn group_ranks(self, group: &[&[u8]], packed: &[i16], b: &[u8], out: &mut [f64]) {
        if b.len() > BYTES {
            return group.iter().zip(out).for_each(|(a, out)| *out = self.rank(a, b));
        }
        let fours = packed.chunks_exact(b.len().div_ceil(CHUNK) * FOUR * CHUNK);
        for (four, out) in fours.zip(out.chunks_mut(FOUR)) {
            // SAFETY: as above.
            let sums = unsafe { sum_packed(four, b) };
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = f64::from(sum);
            }
        }
    }
}

/// Sketches: differences fit 16 bits and the sum fits 32 (see `crate::sketch`).
impl Kernel<i16> for Avx2<SquaredEuclidean> {
    #[inline(always)]
    fn rank(self, a: &[i16], b: &[i16]) -> f64 {
        // SAFETY: this kernel exists only where the processor has AVX2.
        f64::from(unsafe { sum_sketch(a, b) })
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_sketch(a: &[i16], b: &[i16]) -> u32 {
    // SAFETY: AVX2 is there; each chunk has the sixteen numbers that a load reads.
    unsafe {
        let mut sum = _mm256_setzero_si256();
        for (a, b) in a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)) {
            let (a, b) = (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast()));
            sum = add_byte_terms::<SQUARE>(sum, a, b);
        }
        byte_total(sum)
    }
}

impl Kernel<u8> for Avx2<Manhattan> {
    #[inline(always)]
    fn rank(self, a: &[u8], b: &[u8]) -> f64 {
        // SAFETY: this kernel exists only where the processor has AVX2.
        unsafe { sum_absolute_bytes(a, b) as f64 }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sum_absolute_bytes(a: &[u8], b: &[u8]) -> u64 {
    let (a, b) = (a.chunks_exact(32), b.chunks_exact(32));
    let rest = a.remainder().iter().zip(b.remainder()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
    // SAFETY: AVX2 is there; each chunk has the 32 bytes that a load reads, and the sums are stored into four words.
    unsafe {
        let mut sums = _mm256_setzero_si256();
        for (a, b) in a.zip(b) {
            let (a, b) = (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast()));
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(a, b));
        }
        let mut words = [0_u64; 4];
        _mm256_storeu_si256(words.as_mut_ptr().cast(), sums);
        rest + words.iter().sum::<u64>()
    }
}

impl Kernel<u8> for Avx2<Cosine> {
    #[inline(always)]
    fn rank(self, a: &[u8], b: &[u8]) -> f64 {
        // SAFETY: this kernel exists only where the processor has AVX2.
        let (dot, a_square, b_square) =
            unsafe { (sum_bytes::<PRODUCT>(a, b), sum_bytes::<PRODUCT>(a, a), sum_bytes::<PRODUCT>(b, b)) };
        cosine_distance(dot, a_square, b_square)
    }
}
