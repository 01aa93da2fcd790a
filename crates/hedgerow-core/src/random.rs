//! Seeded random numbers and orders.
//!
//! Written here rather than taken from a crate of random numbers because forests, splits and synthetic data are
//! functions of their seed: the same seed must give the same result in every release, which those crates do not promise.
//! Not for secrets.

/// SplitMix64 (Steele, Lea and Flood 2014): a counter, mixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Numbers that depend on a seed and on a stream within it, so that two uses of one seed need not share numbers.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed);
        Self(random.bits() ^ stream.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, by the high half of a product; the bias, below `bound` / 2^64, does not matter here.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not including, 1: a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from the normal distribution with mean 0 and variance 1 (Box and Muller 1958; one of the pair is dropped).
    pub fn normal(&mut self) -> f64 {
        // 1 - unit() is never 0, so that the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Shuffles `items` (Fisher and Yates) by a seed and a stream within it.
pub fn shuffle<T>(items: &mut [T], seed: u64, stream: u64) {
    let mut random = SplitMix64::new(seed, stream);
    for end in (1..items.len()).rev() {
        items.swap(end, random.below(end + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_its_published_numbers() {
        // First outputs for seed 1234567, as printed by the reference implementation.
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn orders_differ_by_seed_and_stream_and_are_fair() {
        let order = |seed, stream| {
            let mut items = [0, 1, 2, 3, 4, 5, 6, 7];
            shuffle(&mut items, seed, stream);
            items
        };
        assert_eq!(order(1, 2), order(1, 2));
        assert_ne!(order(1, 2), order(1, 3));
        assert_ne!(order(1, 2), order(2, 2));
        // Each item comes first about 1000 times in 8000: within five standard deviations (about 30 each).
        let mut firsts = [0_u32; 8];
        (0..8000).for_each(|stream| firsts[order(7, stream)[0]] += 1);
        assert!(firsts.iter().all(|count| count.abs_diff(1000) < 150), "{firsts:?}");
    }

    #[test]
    fn normal_numbers_have_their_moments_and_tails() {
        let mut random = SplitMix64::new(1, 2);
        let numbers = (0..10_000).map(|_| random.normal()).collect::<Vec<_>>();
        let mean = numbers.iter().sum::<f64>() / 1e4;
        let variance = numbers.iter().map(|number| number * number).sum::<f64>() / 1e4;
        let beyond_two = numbers.iter().filter(|number| number.abs() > 2.0).count();
        // Five standard errors: 5 / 100, 5 sqrt(2) / 100, and about 5 sqrt(455) around 455.
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.07, "{mean} {variance}");
        assert!(beyond_two.abs_diff(455) < 105, "{beyond_two}");
    }
}
