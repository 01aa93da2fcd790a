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
