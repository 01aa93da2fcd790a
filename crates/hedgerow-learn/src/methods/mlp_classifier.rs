//! NNet* of the DBS paper: the same network with one more layer, which names the class.

use serde::{Deserialize, Serialize};

use super::{OneStep, Round, StepLoss, Workspace};
use crate::loss::cross_entropy;
use crate::matrix::Matrix;
use crate::real::Real;

/// A classifier with softmax cross entropy. Its representation is what comes out of the layer before the last, before its activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlpClassifier {
    /// Points of a step.
    pub batch_size: usize,
}

impl Default for MlpClassifier {
    fn default() -> Self {
        Self { batch_size: 100 }
    }
}

impl OneStep for MlpClassifier {
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R> {
        work.gradient.clear(representations.n_rows(), representations.n_columns());
        let mut sum = R::zero();
        for (row, &label) in round.labels.iter().enumerate() {
            sum += cross_entropy(representations.row(row), label, work.gradient.row_mut(row));
        }
        let n_points = round.rows.len();
        StepLoss::of(work.mean(sum, n_points), n_points, round)
    }
}
