//! The ablation of DBS: as many references, but random ones.

use serde::{Deserialize, Serialize};

use super::{Dbs, OneStep, Round, StepLoss, Workspace};
use crate::matrix::Matrix;
use crate::real::Real;
use crate::selection::{boundary_set, random_set};

/// DBS in all but one thing: the references are random points, as many as the boundary set has, of every class that it has.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RandomSet(pub Dbs);

impl OneStep for RandomSet {
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R> {
        let (n_boundary, queries) = self.0.roles.of(round);
        let labels = &round.labels[..n_boundary];
        boundary_set(representations, labels, &mut work.members);
        random_set(labels, work.members.len(), &mut round.random(), &mut work.members);
        work.soft_neighbor_loss(self.0.scale, representations, round.labels, queries)
    }
}
