//! Differentiable boundary sets: Algorithm 1 of the DBS paper, in its batch version.

use serde::{Deserialize, Serialize};

use super::{Roles, Round, RoundReport, RoundSize, Workspace};
use crate::error::StepError;
use crate::learner::Learner;
use crate::loss::DistanceScale;
use crate::real::Real;
use crate::selection::boundary_set;
use crate::transform::Transform;

/// DBS. Queries are compared with the boundary set of other points of the round, and both move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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

    pub(super) fn round<R: Real, T: Transform<R>>(
        self,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> Result<RoundReport, StepError> {
        // U: the representations of the subset.
        let representations = learner.forward(round.rows);
        // S: the boundary set of the first N_b elements of U.
        let (n_boundary, queries) = self.roles.of(round);
        boundary_set(representations, &round.labels[..n_boundary], &mut work.members);
        // d, h, y-hat and L, for each of the other elements of U as the query.
        let (loss, n_left_out) = work.soft_neighbor_loss(representations, round.labels, queries);
        // One step to make L smaller. Points outside S that are no queries have no gradient.
        learner.descend(&mut work.gradient, loss)?;
        Ok(RoundReport { loss: loss.wide(), n_references: work.members.len(), n_left_out })
    }
}
