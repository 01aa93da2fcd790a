//! NNet* of the DBS paper: the same network with one more layer, which names the class.

use serde::{Deserialize, Serialize};

use super::{Round, RoundReport, Workspace};
use crate::error::StepError;
use crate::learner::Learner;
use crate::loss::cross_entropy;
use crate::real::Real;
use crate::transform::Transform;

/// A classifier with softmax cross entropy. Its representation is what comes out of the layer before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MlpClassifier {
    /// Points of a step.
    pub batch_size: usize,
}

impl Default for MlpClassifier {
    fn default() -> Self {
        Self { batch_size: 100 }
    }
}

impl MlpClassifier {
    pub(super) fn round<R: Real, T: Transform<R>>(
        self,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> Result<RoundReport, StepError> {
        let outputs = learner.forward(round.rows);
        work.gradient.clear(outputs.n_rows(), outputs.n_columns());
        let mut sum = R::zero();
        for (row, &label) in round.labels.iter().enumerate() {
            sum += cross_entropy(outputs.row(row), label, work.gradient.row_mut(row));
        }
        let loss = work.mean(sum, round.rows.len());
        learner.descend(&mut work.gradient, loss)?;
        Ok(RoundReport { loss: loss.wide(), ..RoundReport::default() })
    }
}
