//! The soft nearest neighbor loss (Salakhutdinov and Hinton 2007; Frosst, Papernot and Hinton 2019).

use serde::{Deserialize, Serialize};

use super::{OneStep, Roles, Round, RoundSize, StepLoss, Workspace};
use crate::loss::DistanceScale;
use crate::matrix::Matrix;
use crate::real::Real;

/// DBS without the choice: all points are references.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
}

impl OneStep for SoftNn {
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R> {
        let (n_references, queries) = self.roles.of(round);
        work.members.clear();
        work.members.extend(0..n_references);
        work.soft_neighbor_loss(self.scale, representations, round.labels, queries)
    }
}
