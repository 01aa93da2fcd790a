//! The ablation of DBS: as many references, but random ones.

use serde::{Deserialize, Serialize};

use super::{Dbs, Round, RoundReport, Workspace};
use crate::error::StepError;
use crate::learner::Learner;
use crate::real::Real;
use crate::selection::{boundary_set, random_set};
use crate::transform::Transform;

/// DBS in all but one thing: the references are random points, as many as the boundary set has, of every class that it has.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RandomSet(pub Dbs);

impl RandomSet {
    pub(super) fn round<R: Real, T: Transform<R>>(
        self,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> Result<RoundReport, StepError> {
        let representations = learner.forward(round.rows);
        let (n_boundary, queries) = self.0.roles.of(round);
        let labels = &round.labels[..n_boundary];
        boundary_set(representations, labels, &mut work.members);
        random_set(labels, work.members.len(), &mut round.random(), &mut work.members);
        let (loss, n_left_out) = work.soft_neighbor_loss(representations, round.labels, queries);
        learner.descend(&mut work.gradient, loss)?;
        Ok(RoundReport { loss: loss.wide(), n_references: work.members.len(), n_left_out })
    }
}
