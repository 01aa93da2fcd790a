//! The weights that learning starts from.

use hedgerow_core::random::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::real::Real;

/// How weights are drawn before the first step. Biases start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WeightInitialization {
    /// Normal with variance 2 / inputs (He et al. 2015), which keeps the size of signals through rectified layers.
    #[default]
    He,
    /// Normal with standard deviation 0.01, as in the public code of the DBS paper's authors.
    Small,
}

impl WeightInitialization {
    /// Draws the weights of a layer with so many inputs.
    pub(crate) fn draw<R: Real>(self, weights: &mut [R], n_inputs: usize, random: &mut SplitMix64) {
        let deviation = match self {
            Self::He => (2.0 / n_inputs as f64).sqrt(),
            Self::Small => 0.01,
        };
        weights.iter_mut().for_each(|weight| *weight = R::of(deviation * random.normal()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::{Activation, Architecture, DenseNetwork, InputScale};

    /// The mean of numbers and their standard deviation.
    fn mean_and_deviation<R: Real>(numbers: &[R]) -> (f64, f64) {
        let n = numbers.len() as f64;
        let mean = numbers.iter().map(|number| number.wide()).sum::<f64>() / n;
        let variance = numbers.iter().map(|number| (number.wide() - mean).powi(2)).sum::<f64>() / n;
        (mean, variance.sqrt())
    }

    /// Draws two layers of other widths and compares each with what it should be. Of n normal numbers the mean is off by deviation / sqrt(n), and
    /// the deviation by deviation / sqrt(2 n), on average; five times that is allowed.
    fn check<R: Real>(initialization: WeightInitialization, deviations: [f64; 2]) {
        let architecture = Architecture { n_inputs: 800, layers: vec![50, 400], activation: Activation::Relu };
        for seed in 0..3 {
            let network = DenseNetwork::<R>::new(architecture.clone(), InputScale::Numbers, initialization, seed);
            for (layer, expected) in network.layers().zip(deviations) {
                let (mean, deviation) = mean_and_deviation(layer.weights);
                let error = expected / (layer.weights.len() as f64).sqrt();
                assert!(mean.abs() < 5.0 * error, "{initialization:?}: mean {mean}");
                assert!((deviation - expected).abs() < 5.0 * error / 2.0_f64.sqrt(), "{initialization:?}: {deviation}");
                // Normal: 32 % lie beyond one deviation, 0.27 % beyond three.
                let share = |far: f64| {
                    let n = layer.weights.iter().filter(|weight| weight.wide().abs() > far * expected).count();
                    n as f64 / layer.weights.len() as f64
                };
                assert!(
                    (0.30..0.335).contains(&share(1.0)) && (0.001..0.005).contains(&share(3.0)),
                    "{initialization:?}"
                );
                assert!(layer.bias.iter().all(|bias| bias.wide() == 0.0));
            }
        }
    }

    #[test]
    fn he_goes_by_the_inputs_of_each_layer() {
        // sqrt(2 / 800) and sqrt(2 / 50).
        check::<f32>(WeightInitialization::He, [0.05, 0.2]);
        check::<f64>(WeightInitialization::He, [0.05, 0.2]);
    }

    #[test]
    fn small_weights_deviate_by_a_hundredth_whatever_the_layer() {
        check::<f32>(WeightInitialization::Small, [0.01, 0.01]);
        check::<f64>(WeightInitialization::Small, [0.01, 0.01]);
    }
}
