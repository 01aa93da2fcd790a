//! Random numbers for a lot of test data: one draw for each.

use hedgerow_core::random::SplitMix64;

/// Mean 0, variance 1 and nearly normal: the sum of four uniform numbers, which takes one draw and no logarithm.
pub fn nearly_normal(random: &mut SplitMix64) -> f32 {
    let bits = random.bits();
    let sum = (0..4).map(|part| ((bits >> (16 * part)) & 0xffff) as f32).sum::<f32>() / 65536.0;
    // A uniform number has mean 1/2 and variance 1/12, four of them 2 and 1/3.
    (sum - 2.0) * 3_f32.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_normal_numbers_have_their_mean_and_variance() {
        let mut random = SplitMix64::new(1, 2);
        let numbers = (0..10_000).map(|_| nearly_normal(&mut random)).collect::<Vec<_>>();
        let mean = numbers.iter().sum::<f32>() / 1e4;
        let variance = numbers.iter().map(|number| number * number).sum::<f32>() / 1e4;
        // Five standard errors: 5 / sqrt(10000), and less than twice that for the variance.
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.1, "{mean} {variance}");
    }
}
