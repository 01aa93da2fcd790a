//! The vector kernels against the portable ones, bit by bit, and both against a naive loop.
//!
//! Here rather than in `tests/` because kernels are private. Where the processor has no AVX2 the vector kernels are the
//! portable ones, and these tests compare those with the naive loop alone.

use super::portable::{BYTES, Portable};
use super::{Cosine, Job, Kernel, Manhattan, SquaredEuclidean, Wide, run};

/// All lengths up to some vectors, and those around the strides of the kernels.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=200).chain(255..=257).chain(511..=513).chain(783..=785).chain([1000])
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn floats(&mut self, len: usize, magnitude: Magnitude) -> Vec<f32> {
        let value = |random: &mut Self| match magnitude {
            Magnitude::About(scale) => random.unit() * scale,
            Magnitude::Mixed => random.unit() * 10_f32.powi((random.next() % 40) as i32 - 25),
            Magnitude::Sparse => [0.0, -0.0, 1.0, -3.5][(random.next() % 4) as usize],
        };
        (0..len).map(|_| value(self)).collect()
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| [self.next() as u8, 0, 255][(self.next() % 5).min(2) as usize]).collect()
    }
}

#[derive(Debug, Clone, Copy)]
enum Magnitude {
    About(f32),
    Mixed,
    Sparse,
}

const MAGNITUDES: [Magnitude; 7] = [
    Magnitude::About(1.0),
    Magnitude::About(255.0),
    Magnitude::About(1e-22),
    Magnitude::About(1e-39),
    Magnitude::About(1e15),
    Magnitude::Mixed,
    Magnitude::Sparse,
];

/// Everything that a kernel can be asked about one pair, and about a group.
struct AskAll<'a, T> {
    a: &'a [T],
    b: &'a [T],
    bound: f64,
    group: &'a [&'a [T]],
}

#[derive(Debug, PartialEq)]
struct Answers {
    rank: u64,
    below: f64,
    group: Vec<u64>,
}

impl<T> Job<T> for AskAll<'_, T> {
    type Output = Answers;
    fn with<K: Kernel<T>>(self, kernel: K) -> Answers {
        let mut packed = vec![9; 5]; // what an earlier group has left
        let mut ranks = vec![-1.0; self.group.len()];
        if !self.b.is_empty() {
            kernel.pack(self.group, &mut packed);
            kernel.group_ranks(self.group, &packed, self.b, &mut ranks);
        }
        Answers {
            rank: kernel.rank(self.a, self.b).to_bits(),
            below: kernel.rank_below(self.a, self.b, self.bound),
            group: ranks.into_iter().map(f64::to_bits).collect(),
        }
    }
}

/// Checks one pair and a group with one measure, on both kernels; gives the rank.
fn check_pair<T, M>(measure: M, a: &[T], b: &[T], group: &[&[T]], what: &str) -> f64
where
    M: Copy,
    Portable<M>: Kernel<T>,
    Wide<M>: Kernel<T>,
{
    let ask = |bound: f64| AskAll { a, b, bound, group };
    let portable = ask(f64::INFINITY).with(Portable(measure));
    let wide = run(measure, ask(f64::INFINITY));
    assert_eq!(wide, portable, "{what}");
    let rank = f64::from_bits(portable.rank);
    assert_eq!(rank.to_bits(), portable.below.to_bits(), "{what}: below an infinite bound is exact");
    for bound in [
        next(rank),
        rank,
        f64::from_bits(rank.to_bits().saturating_sub(1)),
        rank / 2.0,
        rank / 100.0,
        2.0 * rank + 1.0,
        0.0,
    ] {
        for below in [ask(bound).with(Portable(measure)).below, run(measure, ask(bound)).below] {
            match rank < bound {
                true => assert_eq!(below.to_bits(), rank.to_bits(), "{what}: below the bound {bound} is exact"),
                false => assert!(below >= bound, "{what}: {below} for {rank} at the bound {bound}"),
            }
        }
    }
    if !b.is_empty() {
        for (member, found) in group.iter().zip(&portable.group) {
            assert_eq!(Portable(measure).rank(member, b).to_bits(), *found, "{what}: a group has the bits of pairs");
        }
    }
    rank
}

/// The next number after one that is not negative.
fn next(value: f64) -> f64 {
    f64::from_bits(value.to_bits() + 1)
}

/// Slices that start off any alignment.
fn unaligned<T>(values: &[T], len: usize, start: usize) -> &[T] {
    &values[start..start + len]
}

fn naive(a: &[f32], b: &[f32], term: impl Fn(f64, f64) -> f64) -> f64 {
    a.iter().zip(b).map(|(a, b)| term(f64::from(*a), f64::from(*b))).sum()
}

/// What the rounding of a float sum of `len` terms may amount to, if the terms' magnitudes sum to `sum`.
fn rounding(len: usize, sum: f64) -> f64 {
    let relative = (len as f64 / 32.0 + 10.0) * f64::from(f32::EPSILON) / 2.0;
    1.01 * relative * sum + len as f64 * f64::from(f32::MIN_POSITIVE) * f64::from(f32::EPSILON)
}

#[test]
fn float_kernels_have_the_same_bits_and_are_right() {
    let mut random = Random(1);
    for (number, len) in lengths().enumerate() {
        for magnitude in MAGNITUDES {
            let (a, b) = (random.floats(len + 3, magnitude), random.floats(len + 3, magnitude));
            let (a, b) = (unaligned(&a, len, number % 4), unaligned(&b, len, (number + 1) % 3));
            let members = (0..1 + number % 9).map(|_| random.floats(len, magnitude)).collect::<Vec<_>>();
            let group = members.iter().map(Vec::as_slice).collect::<Vec<_>>();
            let what = format!("{len} of {magnitude:?}");

            let squares = naive(a, b, |a, b| (a - b) * (a - b));
            let found = check_pair(SquaredEuclidean, a, b, &group, &what);
            assert!((found - squares).abs() <= rounding(len, squares), "{what}: {found} for {squares}");

            let absolutes = naive(a, b, |a, b| (a - b).abs());
            let found = check_pair(Manhattan, a, b, &group, &what);
            assert!((found - absolutes).abs() <= rounding(len, absolutes), "{what}: {found} for {absolutes}");

            let found = check_pair(Cosine, a, b, &group, &what);
            assert!((0.0..=2.0).contains(&found), "{what}: {found}");
            let dot = naive(a, b, |a, b| a * b);
            let lengths = (naive(a, a, |a, b| a * b) * naive(b, b, |a, b| a * b)).sqrt();
            if lengths > 1e-30 {
                let allowed = 4.0 * rounding(len, naive(a, b, |a, b| (a * b).abs()) + lengths) / lengths + 1e-15;
                assert!((found - (1.0 - dot / lengths)).abs() <= allowed, "{what}: {found}");
            }
        }
    }
}

#[test]
fn a_point_is_at_zero_from_itself() {
    let mut random = Random(2);
    for len in lengths() {
        for magnitude in MAGNITUDES {
            let a = random.floats(len, magnitude);
            assert_eq!(check_pair(SquaredEuclidean, &a, &a, &[&a], "itself"), 0.0);
            assert_eq!(check_pair(Manhattan, &a, &a, &[&a], "itself"), 0.0);
            assert_eq!(check_pair(Cosine, &a, &a, &[&a], "itself"), 0.0, "{len} of {magnitude:?}");
        }
        let a = random.bytes(len);
        assert_eq!(check_pair(SquaredEuclidean, &a, &a, &[&a], "itself"), 0.0);
        assert_eq!(check_pair(Manhattan, &a, &a, &[&a], "itself"), 0.0);
        assert_eq!(check_pair(Cosine, &a, &a, &[&a], "itself"), 0.0);
    }
}

fn exact(a: &[u8], b: &[u8], term: impl Fn(u64, u64) -> u64) -> f64 {
    a.iter().zip(b).map(|(a, b)| term(u64::from(*a), u64::from(*b))).sum::<u64>() as f64
}

/// All measures over one pair of byte points, against exact sums.
fn check_bytes(a: &[u8], b: &[u8], group: &[&[u8]]) {
    let what = format!("{} bytes, a group of {}", a.len(), group.len());
    let squares = exact(a, b, |a, b| a.abs_diff(b).pow(2));
    assert_eq!(check_pair(SquaredEuclidean, a, b, group, &what), squares, "{what}");
    assert_eq!(check_pair(Manhattan, a, b, group, &what), exact(a, b, u64::abs_diff), "{what}");
    let product = |a: u64, b: u64| a * b;
    let (a_square, b_square) = (exact(a, a, product), exact(b, b, product));
    let expected = match (a_square == 0.0, b_square == 0.0) {
        (true, true) => 0.0,
        (false, false) => (1.0 - exact(a, b, product) / (a_square * b_square).sqrt()).clamp(0.0, 2.0),
        _ => 1.0,
    };
    assert_eq!(check_pair(Cosine, a, b, group, &what), expected, "{what}");
}

#[test]
fn byte_kernels_are_exact() {
    let mut random = Random(3);
    for (number, len) in lengths().enumerate() {
        let (a, b) = (random.bytes(len + 17), random.bytes(len + 17));
        let (a, b) = (unaligned(&a, len, number % 16), unaligned(&b, len, (number + 5) % 17));
        let members = (0..1 + number % 9).map(|_| random.bytes(len)).collect::<Vec<_>>();
        check_bytes(a, b, &members.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}

#[test]
fn the_largest_byte_sums_do_not_overflow() {
    let (full, none) = (vec![255_u8; 2 * BYTES + 77], vec![0_u8; 2 * BYTES + 77]);
    for len in [1, 31, 256, 784, BYTES - 1, BYTES, BYTES + 1, 2 * BYTES, 2 * BYTES + 77] {
        let (full, none) = (&full[..len], &none[..len]);
        check_bytes(full, none, &[full, none, full, full, none]);
        check_bytes(full, full, &[full]);
        check_bytes(none, full, &[none; 4]);
    }
}

#[test]
fn groups_of_every_size_have_the_bits_of_pairs() {
    let mut random = Random(4);
    for size in 1..=9 {
        for len in [1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 257, 784] {
            let floats = (0..=size).map(|_| random.floats(len, Magnitude::Mixed)).collect::<Vec<_>>();
            let group = floats[1..].iter().map(Vec::as_slice).collect::<Vec<_>>();
            let what = format!("a group of {size}, {len} wide");
            check_pair(SquaredEuclidean, &floats[0], &floats[1], &group, &what);
            check_pair(Manhattan, &floats[0], &floats[1], &group, &what);
            check_pair(Cosine, &floats[0], &floats[1], &group, &what);
            let bytes = (0..=size).map(|_| random.bytes(len)).collect::<Vec<_>>();
            check_bytes(&bytes[0], &bytes[1], &bytes[1..].iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
    }
}

#[test]
fn sketches_are_compared_exactly() {
    // The largest sum that sketches can have: 96 coordinates, 6000 apart.
    let extremes = (vec![3000_i16; 96], vec![-3000_i16; 96]);
    assert_eq!(Portable(SquaredEuclidean).rank(&extremes.0, &extremes.1), 96.0 * 6000.0 * 6000.0);
    let mut random = Random(5);
    let mut sketch = || (0..96).map(|_| (random.next() % 6001) as i16 - 3000).collect::<Vec<_>>();
    let mut pairs = (0..200).map(|_| (sketch(), sketch())).collect::<Vec<_>>();
    pairs.push(extremes);
    for (a, b) in &pairs {
        let squares = a.iter().zip(b).map(|(a, b)| (i64::from(*a) - i64::from(*b)).pow(2)).sum::<i64>() as f64;
        assert_eq!(check_pair(SquaredEuclidean, a, b, &[a, b], "a sketch"), squares);
    }
}

#[test]
fn cosines_of_zero_vectors_are_defined() {
    for len in [1, 8, 33, 300] {
        let (zero, one) = (vec![0.0_f32; len], vec![1.0_f32; len]);
        assert_eq!(check_pair(Cosine, &zero, &zero, &[&zero], "zeros"), 0.0);
        assert_eq!(check_pair(Cosine, &zero, &one, &[&one], "zero and one"), 1.0);
        assert_eq!(check_pair(Cosine, &one, &zero, &[&one], "one and zero"), 1.0);
    }
}
