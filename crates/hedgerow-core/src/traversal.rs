//! A walk through a boundary tree, as data.

use crate::error::ParamError;
use crate::neighbor_search::Neighbor;

/// A node of one tree. Nodes are numbered in the order in which they were added; the root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// One node that a step of the walk looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The node.
    pub node: NodeId,
    /// Its example and the distance to the query.
    pub neighbor: Neighbor,
}

/// One step of the walk: a node was reached, it and its children were compared, and the nearest was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The node reached.
    pub at: Candidate,
    /// Whether the walk was allowed to stop here: not at a node that has `max_children` children.
    pub may_stop: bool,
    /// The children, in the order in which they were added.
    pub children: Vec<Candidate>,
    /// The node taken next; the node reached itself if the walk ended here.
    pub next: NodeId,
}

/// The walk of one query from the root to its approximate neighbor.
#[derive(Debug, Clone, PartialEq)]
pub struct Traversal {
    /// The steps, from the root. There is at least one, and the last one ends where it stands.
    pub steps: Vec<Step>,
}

impl Traversal {
    /// The node that the walk ended at: the approximate neighbor of the query.
    pub fn answer(&self) -> &Candidate {
        &self.steps.last().expect("a walk starts at the root").at
    }

    /// The nodes walked, from the root to the answer.
    pub fn path(&self) -> impl Iterator<Item = &Candidate> {
        self.steps.iter().map(|step| &step.at)
    }

    /// Probability of each transition walked (the paper's eq. 1, with `d / sigma` for `d`): the softmax of `-d / sigma`
    /// over the node left, the child taken and its siblings. One number per transition, so one less than there are steps. A
    /// node that is full, where the walk may not stop, has no share.
    ///
    /// # Errors
    /// [`ParamError::Sigma`] unless `sigma` is a positive number.
    pub fn transition_probabilities(&self, sigma: f64) -> Result<Vec<f64>, ParamError> {
        if !(sigma.is_finite() && sigma > 0.0) {
            return Err(ParamError::Sigma { sigma });
        }
        let moves = self.steps.iter().zip(self.steps.iter().skip(1));
        Ok(moves.map(|(step, next)| step.probability_of(next.at.neighbor.distance, sigma)).collect())
    }
}

impl Step {
    fn probability_of(&self, taken: f64, sigma: f64) -> f64 {
        let stay = self.may_stop.then_some(&self.at);
        let distances = self.children.iter().chain(stay).map(|candidate| candidate.neighbor.distance);
        // Relative to the distance taken: exp(-d / sigma) alone underflows to 0 when all candidates are far away.
        let share = |distance: f64| if distance == taken { 1.0 } else { ((taken - distance) / sigma).exp() };
        1.0 / distances.map(share).sum::<f64>()
    }
}
