//! Siamese networks: pairs, drawn together or pushed apart.

use serde::{Deserialize, Serialize};

use super::{OneStep, Round, StepLoss, Workspace};
use crate::loss::contrastive;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::selection::random_pairs;

/// The contrastive loss over random pairs: for each point one partner of its class and one of another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Siamese {
    /// Points of a step.
    pub batch_size: usize,
    /// Distance from which on examples of different classes are left alone.
    pub margin: f64,
}

impl Default for Siamese {
    fn default() -> Self {
        Self { batch_size: 200, margin: 5.0 }
    }
}

impl OneStep for Siamese {
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R> {
        random_pairs(round.labels, &mut round.random(), &mut work.pairs);
        work.gradient.clear(representations.n_rows(), representations.n_columns());
        let mut sum = R::zero();
        for pair in &work.pairs {
            let (a, b) = (representations.row(pair.first), representations.row(pair.second));
            let (loss, factor) = contrastive(a, b, pair.is_same_class, R::of(self.margin));
            sum += loss;
            if factor != R::zero() {
                work.gradient.add_difference(pair.first, factor, a, b);
                work.gradient.add_difference(pair.second, factor, b, a);
            }
        }
        let n_pairs = work.pairs.len();
        StepLoss::of(work.mean(sum, n_pairs), n_pairs, round)
    }
}
