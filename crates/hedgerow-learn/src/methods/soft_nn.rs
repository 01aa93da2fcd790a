//! The soft nearest neighbor loss (Salakhutdinov and Hinton 2007; Frosst, Papernot and Hinton 2019).

use serde::{Deserialize, Serialize};

use super::{Roles, Round, RoundReport, RoundSize, Workspace};
use crate::error::StepError;
use crate::learner::Learner;
use crate::loss::DistanceScale;
use crate::real::Real;
use crate::transform::Transform;

/// DBS without the choice: all points are references.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SoftNn {
    /// Points that are references.
    pub boundary_batch_size: usize,
    /// Queries.
    pub train_batch_size: usize,
    /// Whether a point can be both.
    pub roles: Roles,
    /// The distance and its sigma.
    pub scale: DistanceScale,
}

impl Default for SoftNn {
    fn default() -> Self {
        Self { boundary_batch_size: 100, train_batch_size: 100, roles: Roles::Apart, scale: DistanceScale::default() }
    }
}

impl SoftNn {
    pub(super) fn round_size(self) -> RoundSize {
        RoundSize { n_boundary: self.boundary_batch_size, n_train: self.train_batch_size }
    }

    pub(super) fn round<R: Real, T: Transform<R>>(
        self,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> Result<RoundReport, StepError> {
        let representations = learner.forward(round.rows);
        let (n_references, queries) = self.roles.of(round);
        work.members.clear();
        work.members.extend(0..n_references);
        let (loss, n_left_out) = work.soft_neighbor_loss(representations, round.labels, queries);
        learner.descend(&mut work.gradient, loss)?;
        Ok(RoundReport { loss: loss.wide(), n_references: work.members.len(), n_left_out })
    }
}
