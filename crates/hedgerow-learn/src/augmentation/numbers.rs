//! Changes of numbers, whatever they are of.

use hedgerow_core::random::SplitMix64;

use super::{Augment, NOT_BELOW_0, PictureShape};

/// Adds normal noise of this standard deviation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise(pub(super) f64);

/// Sets each number to 0 with this probability, and makes the others larger to make up for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drop(pub(super) f64);

impl Augment for Noise {
    fn check(&self, _: Option<PictureShape>) -> Result<(), &'static str> {
        if self.0.is_finite() && self.0 >= 0.0 { Ok(()) } else { Err(NOT_BELOW_0) }
    }

    fn change(&self, _: PictureShape, row: &mut [f32], _: &mut [f32], random: &mut SplitMix64) {
        row.iter_mut().for_each(|value| *value += (self.0 * random.normal()) as f32);
    }
}

impl Augment for Drop {
    fn check(&self, _: Option<PictureShape>) -> Result<(), &'static str> {
        if (0.0..1.0).contains(&self.0) { Ok(()) } else { Err("give a probability from 0 up to, but not including, 1") }
    }

    fn change(&self, _: PictureShape, row: &mut [f32], _: &mut [f32], random: &mut SplitMix64) {
        let others = (1.0 / (1.0 - self.0)) as f32;
        row.iter_mut().for_each(|value| *value = if random.unit() < self.0 { 0.0 } else { *value * others });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PICTURE, changed};
    use super::*;

    #[test]
    fn numbers_are_dropped_and_the_others_made_larger() {
        let dropped = changed(&Drop(0.5), 1);
        assert!(dropped.iter().zip(PICTURE).all(|(&now, was)| now == 0.0 || now == 2.0 * was));
        assert!(dropped.contains(&0.0) && dropped.iter().any(|&value| value != 0.0));
    }

    #[test]
    fn noise_has_its_deviation_and_no_bias() {
        let noise: Vec<f32> = (0..500)
            .flat_map(|seed| std::array::from_fn::<f32, 9, _>(|at| changed(&Noise(0.5), seed)[at] - PICTURE[at]))
            .collect();
        let mean = noise.iter().sum::<f32>() / noise.len() as f32;
        let variance = noise.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / noise.len() as f32;
        assert!(mean.abs() < 0.03 && (variance.sqrt() - 0.5).abs() < 0.03, "{mean} {variance}");
    }
}
