//! Differentiable boundary sets: Algorithm 1 of the DBS paper, in its batch version.

use serde::{Deserialize, Serialize};

use super::{OneStep, Roles, Round, RoundSize, StepLoss, Workspace};
use crate::loss::DistanceScale;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::selection::boundary_set;

/// DBS. Queries are compared with the boundary set of other points of the round, and both move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dbs {
    /// N_b: points that the boundary set of a step is made from.
    pub boundary_batch_size: usize,
    /// N_t: queries of a step.
    pub train_batch_size: usize,
    /// Whether a point can be both a query and one that the set is made from. The paper keeps them apart.
    pub roles: Roles,
    /// The distance and its sigma.
    pub scale: DistanceScale,
}

impl Default for Dbs {
    /// 100 and 100 points, as in the paper; sigma 60, under the squared distance.
    fn default() -> Self {
        let (roles, scale) = (Roles::default(), DistanceScale::default());
        Self { boundary_batch_size: 100, train_batch_size: 100, roles, scale }
    }
}

impl Dbs {
    pub(super) fn round_size(self) -> RoundSize {
        RoundSize { n_boundary: self.boundary_batch_size, n_train: self.train_batch_size }
    }
}

impl OneStep for Dbs {
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R> {
        // The representations are U of the paper. S: the boundary set of its first N_b elements.
        let (n_boundary, queries) = self.roles.of(round);
        boundary_set(representations, &round.labels[..n_boundary], &mut work.members);
        // d, h with its sigma, y-hat and L, for each of the other elements of U as the query. Points outside S that are no queries get no
        // gradient.
        work.soft_neighbor_loss(self.scale, representations, round.labels, queries)
    }
}
