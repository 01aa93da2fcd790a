//! Triplet networks with semi-hard triplets.

use serde::{Deserialize, Serialize};

use super::{OneStep, Round, StepLoss, Workspace};
use crate::loss::{squared_distance, triplet_margin};
use crate::matrix::{Matrix, vectorized};
use crate::real::Real;
use crate::selection::semi_hard_triplets;

/// The triplet margin loss over the semi-hard triplets of a batch, Euclidean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TripletNetwork {
    /// Points of a step.
    pub batch_size: usize,
    /// How much farther away an example of another class shall be.
    pub margin: f64,
}

impl Default for TripletNetwork {
    fn default() -> Self {
        Self { batch_size: 200, margin: 1.0 }
    }
}

impl OneStep for TripletNetwork {
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R> {
        let gradient = &mut work.gradient;
        gradient.clear(representations.n_rows(), representations.n_columns());
        let (mut sum, mut n_triplets) = (R::zero(), 0);
        semi_hard_triplets(representations, round.labels, |triplets| {
            n_triplets += triplets.len();
            vectorized(
                #[inline(always)]
                || {
                    for triplet in triplets {
                        let [anchor, positive, negative] =
                            [triplet.anchor, triplet.positive, triplet.negative].map(|row| representations.row(row));
                        let [near, far] = [positive, negative].map(|other| squared_distance(anchor, other).sqrt());
                        let (loss, by_near, by_far) = triplet_margin(near, far, R::of(self.margin));
                        sum += loss;
                        for (slope, distance, row, other) in
                            [(by_near, near, triplet.positive, positive), (by_far, far, triplet.negative, negative)]
                        {
                            // At distance 0 there is no direction to move in.
                            if slope != R::zero() && distance > R::zero() {
                                let factor = slope / distance;
                                gradient.add_difference(triplet.anchor, factor, anchor, other);
                                gradient.add_difference(row, factor, other, anchor);
                            }
                        }
                    }
                },
            );
        });
        StepLoss::of(work.mean(sum, n_triplets), n_triplets, round)
    }
}
