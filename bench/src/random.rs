//! Seeded random numbers, good enough for test data and fast enough to make a lot of it.

/// SplitMix64 (Steele, Lea and Flood 2014): a counter, mixed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Independent streams for different pairs of seed and stream.
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

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// Mean 0, variance 1 and nearly normal: the sum of four uniform numbers, which takes one draw.
    pub fn normal(&mut self) -> f32 {
        let bits = self.bits();
        let sum = (0..4).map(|part| ((bits >> (16 * part)) & 0xffff) as f32).sum::<f32>() / 65536.0;
        // A uniform number has mean 1/2 and variance 1/12, four of them 2 and 1/3.
        (sum - 2.0) * 3_f32.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_their_mean_and_variance() {
        let mut random = Random::new(1, 2);
        let numbers = (0..10_000).map(|_| random.normal()).collect::<Vec<_>>();
        let mean = numbers.iter().sum::<f32>() / 1e4;
        let variance = numbers.iter().map(|number| number * number).sum::<f32>() / 1e4;
        // Five standard errors: 5 / sqrt(10000), and less than twice that for the variance.
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.1, "{mean} {variance}");
    }

    #[test]
    fn streams_differ_and_repeat() {
        assert_eq!(Random::new(3, 1).bits(), Random::new(3, 1).bits());
        assert_ne!(Random::new(3, 1).bits(), Random::new(3, 2).bits());
        assert_ne!(Random::new(3, 1).bits(), Random::new(4, 1).bits());
    }
}
