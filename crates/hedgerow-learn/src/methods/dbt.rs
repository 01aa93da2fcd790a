//! Differentiable boundary trees (Zoran et al. 2017), in the two variants of the DBS paper, section 4.

use serde::{Deserialize, Serialize};

use super::{Round, RoundReport, Workspace};
use crate::error::StepError;
use crate::learner::Learner;
use crate::loss::DistanceScale;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::selection::{FinalTransition, Voters};
use crate::transform::Transform;

/// Whether the nodes of the tree move with the queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeGradient {
    /// No: they are constants, as they were when the tree was built. This is DBT-v1.
    Frozen,
    /// Yes: this is DBT-v2.
    #[default]
    Joint,
}

/// DBT. A tree is built from the first points of a round; each query is compared with the voters at the end of its walk. Walks go by the
/// nodes as they were when the tree was built; where nodes move, the loss is of the nodes as they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dbt {
    /// N_b: points that the tree of a round is built from.
    pub boundary_batch_size: usize,
    /// N_t: queries of a round.
    pub train_batch_size: usize,
    /// Queries of one gradient step. 1 is the paper's sequence of steps; N_t is one step for all.
    pub queries_per_step: usize,
    /// Whether nodes move.
    pub gradient: NodeGradient,
    /// Who votes.
    pub voters: Voters,
    /// The distance and its sigma.
    pub scale: DistanceScale,
}

impl Dbt {
    /// DBT-v1 as in the paper, but for the squared distance: frozen nodes, sigma 1, 1000 sequential steps to a tree of 1000 points.
    /// (Its learning rate there is 1e-4.)
    pub fn v1() -> Self {
        Self { gradient: NodeGradient::Frozen, scale: DistanceScale::SquaredEuclidean(1.0), ..Self::v2() }
    }

    /// DBT-v2 as in the paper, but for the squared distance: nodes that move, sigma 60, 1000 sequential steps to a tree of 1000 points.
    /// (Its learning rate there is 1e-4.)
    pub fn v2() -> Self {
        Self {
            boundary_batch_size: 1000,
            train_batch_size: 1000,
            queries_per_step: 1,
            gradient: NodeGradient::Joint,
            voters: Voters::default(),
            scale: DistanceScale::default(),
        }
    }

    /// The same with one gradient step for all queries of a round.
    #[must_use]
    pub fn batched(self) -> Self {
        Self { queries_per_step: self.train_batch_size, ..self }
    }
}

impl Default for Dbt {
    fn default() -> Self {
        Self::v2()
    }
}

impl Dbt {
    pub(super) fn round<R: Real, T: Transform<R>>(
        self,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> Result<RoundReport, StepError> {
        let boundary = &round.rows[..round.n_boundary];
        // The tree, and its nodes as they are now.
        let nodes = learner.forward(boundary).clone();
        let tree = FinalTransition::build(&nodes, round.boundary_labels(), self.voters)?;
        let (mut sum, mut n_left_out) = (0.0, 0);
        let n_queries = round.queries().len();
        let queries: Vec<usize> = round.queries().collect();
        let mut step = Step::new(round.n_boundary);
        for queries in queries.chunks(self.queries_per_step.max(1)) {
            step.find_voters(self.gradient, &tree, learner, round, queries, work)?;
            let (loss, left_out) = match self.gradient {
                // The queries have just gone forward, and nothing has moved since.
                NodeGradient::Frozen => step.loss(self.scale, learner.last(), &nodes, None, round, work),
                NodeGradient::Joint => {
                    let representations = learner.forward(&step.rows);
                    step.loss(self.scale, representations, representations, Some(&step.place), round, work)
                }
            };
            let n_counted = queries.len() - left_out;
            n_left_out += left_out;
            if n_counted > 0 {
                learner.descend(&mut work.gradient, loss)?;
                sum += loss.wide() * n_counted as f64;
            }
        }
        let loss = sum / (n_queries - n_left_out).max(1) as f64;
        Ok(RoundReport { loss, n_references: tree.n_nodes(), n_left_out })
    }
}

/// One gradient step: queries, and who votes for each. The memory is kept from step to step, so that a step to one query does not go
/// over all points of the tree.
#[derive(Default)]
struct Step {
    /// Numbers within the round.
    queries: Vec<usize>,
    /// The voters of one query after another, as numbers within the points that the tree was built from.
    voters: Vec<usize>,
    /// For each query, where its voters end.
    ends: Vec<usize>,
    /// Rows of the data that go through the network.
    rows: Vec<usize>,
    /// Where each point that the tree was built from stands in `rows`; [`NOWHERE`] if it does not.
    place: Vec<usize>,
}

const NOWHERE: usize = usize::MAX;

impl Step {
    /// Memory for steps with a tree of so many points.
    fn new(n_boundary: usize) -> Self {
        Self { place: vec![NOWHERE; n_boundary], ..Self::default() }
    }

    /// Walks the queries of a step through the tree, and collects the rows that the step needs: the queries, then, if nodes
    /// move, every voter once.
    fn find_voters<R: Real, T: Transform<R>>(
        &mut self,
        gradient: NodeGradient,
        tree: &FinalTransition,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        queries: &[usize],
        work: &mut Workspace<R>,
    ) -> Result<(), StepError> {
        let Self { queries: own, voters, ends, rows, place } = self;
        own.clear();
        own.extend_from_slice(queries);
        // The step before has placed its voters and no other points.
        voters.drain(..).for_each(|voter| place[voter] = NOWHERE);
        ends.clear();
        rows.clear();
        rows.extend(queries.iter().map(|&query| round.rows[query]));
        let representations = learner.forward(rows);
        for at in 0..queries.len() {
            tree.voters(representations.row(at), &mut work.rows)?;
            voters.extend_from_slice(&work.rows);
            ends.push(voters.len());
        }
        if gradient == NodeGradient::Joint {
            for &voter in &*voters {
                if place[voter] == NOWHERE {
                    place[voter] = rows.len();
                    rows.push(round.rows[voter]);
                }
            }
        }
        Ok(())
    }

    /// Who votes for the query at this place of the step.
    fn voters_of(&self, at: usize) -> &[usize] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.voters[start..self.ends[at]]
    }

    /// The mean loss and its gradient, and how many queries had no voter of their class. `places` says where voters stand in
    /// `nodes` if they are to move.
    fn loss<R: Real>(
        &self,
        scale: DistanceScale,
        queries: &Matrix<R>,
        nodes: &Matrix<R>,
        places: Option<&[usize]>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> (R, usize) {
        let place = |voter: usize| places.map_or(voter, |places| places[voter]);
        work.gradient.clear(queries.n_rows(), queries.n_columns());
        let (mut sum, mut n_counted) = (R::zero(), 0);
        for (at, &query) in self.queries.iter().enumerate() {
            let (point, voters) = (queries.row(at), self.voters_of(at));
            let references = voters.iter().map(|&voter| (nodes.row(place(voter)), round.labels[voter]));
            let Some(loss) = work.neighbors.loss(scale, point, round.labels[query], references) else { continue };
            sum += loss;
            n_counted += 1;
            for (&factor, &voter) in work.neighbors.factors().iter().zip(voters) {
                let node = nodes.row(place(voter));
                work.gradient.add_difference(at, factor, point, node);
                if places.is_some() {
                    work.gradient.add_difference(place(voter), factor, node, point);
                }
            }
        }
        (work.mean(sum, n_counted), self.queries.len() - n_counted)
    }
}
