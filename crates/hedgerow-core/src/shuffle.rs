//! Seeded orders.
//!
//! Written here rather than taken from a crate of random numbers because a forest is a function of its seed: the same
//! seed must give the same order in every release, which those crates do not promise of their shuffles.

/// SplitMix64 (Steele, Lea and Flood 2014): a counter, mixed.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, by the high half of a product; the bias, below `bound` / 2^64, does not matter here.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// Shuffles `items` (Fisher and Yates) by a seed and a stream within it.
pub(crate) fn shuffle<T>(items: &mut [T], seed: u64, stream: u64) {
    let mut random = SplitMix64(seed);
    let mut random = SplitMix64(random.next() ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
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
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
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
}
