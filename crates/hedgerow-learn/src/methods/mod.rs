//! The methods: each reads like its paper, and says which points are compared and what is made small.
//!
//! A method knows a [`Transform`](crate::Transform) through a [`Learner`] only: it asks for representations and hands back their gradient. It gets the data in
//! *rounds*, the subsets of Algorithm 1 of the DBS paper: some points to choose references from, then the queries.

mod dbs;
mod dbt;
mod mlp_classifier;
mod random_set;
mod siamese;
mod soft_nn;
mod triplet;

use hedgerow_core::random::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::error::StepError;
use crate::learner::Learner;
use crate::loss::{DistanceScale, RepresentationGradient, SoftNeighbor, SoftNeighbors};
use crate::matrix::Matrix;
use crate::real::Real;
use crate::selection::Pair;
use crate::transform::Transform;
pub use dbs::Dbs;
pub use dbt::{Dbt, NodeGradient};
pub use mlp_classifier::MlpClassifier;
pub use random_set::RandomSet;
pub use siamese::Siamese;
pub use soft_nn::SoftNn;
pub use triplet::TripletNetwork;

/// How representations are learned.
///
/// People ask for a method by one of [`NAMES`](Self::NAMES), which gives it with its defaults:
/// ```
/// use hedgerow_learn::{Dbt, Method};
///
/// let method: Method = "dbt-v1".parse()?;
/// assert_eq!(method, Method::Dbt(Dbt::v1()));
/// # Ok::<(), hedgerow_learn::UnknownMethod>(())
/// ```
/// Written down with its parameters it has the same name in the field `method`, but for the two trees: both are `dbt` there, told apart by
/// the field `gradient`, since they share all fields. What is left out is as in [`Dbt::v2`] then: a v1 written by hand should say its
/// `scale` too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "method")]
#[non_exhaustive]
pub enum Method {
    /// Differentiable boundary sets (Adikari and Draper 2018).
    Dbs(Dbs),
    /// Differentiable boundary trees (Zoran et al. 2017), v1 and v2 of the DBS paper.
    Dbt(Dbt),
    /// NNet*: a classifier with one more layer.
    #[serde(rename = "classifier")]
    MlpClassifier(MlpClassifier),
    /// Pairs and the contrastive loss.
    Siamese(Siamese),
    /// Semi-hard triplets.
    Triplet(TripletNetwork),
    /// The soft nearest neighbor loss: DBS with all points as references.
    SoftNn(SoftNn),
    /// DBS with random points in the place of the boundary set.
    RandomSet(RandomSet),
}

impl Default for Method {
    fn default() -> Self {
        Self::Dbs(Dbs::default())
    }
}

/// Whether the points of a round are references or queries, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Roles {
    /// The first N_b are what references are chosen from, the others are queries, as in the DBS paper.
    #[default]
    Apart,
    /// Every point is a query, and a possible reference of all others.
    Both,
}

impl Roles {
    /// How many points, from the first on, references are chosen from, and which are queries.
    fn of(self, round: &Round<'_>) -> (usize, std::ops::Range<usize>) {
        match self {
            Self::Apart => (round.n_boundary, round.queries()),
            Self::Both => (round.rows.len(), 0..round.rows.len()),
        }
    }
}

/// What the queries of a round are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComparedWith {
    /// Points of its other side, or some of them.
    Boundary,
    /// All its other points, or some of them.
    All,
    /// No points.
    Nothing,
}

/// How many points a round has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundSize {
    /// Points that references are chosen from: N_b in the papers.
    pub n_boundary: usize,
    /// Queries: N_t.
    pub n_train: usize,
}

impl RoundSize {
    /// Points of a round; the largest number there is if they are more. [`TrainingParams::check`](crate::TrainingParams::check)
    /// refuses such sizes.
    pub fn total(self) -> usize {
        self.n_boundary.saturating_add(self.n_train)
    }
}

impl Method {
    /// All names, in the order of the papers and then of what they are compared with.
    pub const NAMES: [&'static str; 8] =
        ["dbs", "dbt-v1", "dbt-v2", "classifier", "siamese", "triplet", "soft-nn", "random-set"];

    /// The name by which users ask for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dbs(_) => "dbs",
            Self::Dbt(Dbt { gradient: NodeGradient::Frozen, .. }) => "dbt-v1",
            Self::Dbt(Dbt { gradient: NodeGradient::Joint, .. }) => "dbt-v2",
            Self::MlpClassifier(_) => "classifier",
            Self::Siamese(_) => "siamese",
            Self::Triplet(_) => "triplet",
            Self::SoftNn(_) => "soft-nn",
            Self::RandomSet(_) => "random-set",
        }
    }

    /// How many points a round has. Where all points of a round are alike, they count as queries.
    pub fn round_size(&self) -> RoundSize {
        let all = |n_train: usize| RoundSize { n_boundary: 0, n_train };
        match self {
            Self::Dbs(method) => method.round_size(),
            Self::Dbt(method) => RoundSize { n_boundary: method.boundary_batch_size, n_train: method.train_batch_size },
            Self::MlpClassifier(method) => all(method.batch_size),
            Self::Siamese(method) => all(method.batch_size),
            Self::Triplet(method) => all(method.batch_size),
            Self::SoftNn(method) => method.round_size(),
            Self::RandomSet(method) => method.0.round_size(),
        }
    }

    /// Queries of a round of this size: all its points, where a point can be both a query and a reference.
    pub fn n_queries(&self, size: RoundSize) -> usize {
        match self.compared_with() {
            ComparedWith::Boundary => size.n_train,
            ComparedWith::All | ComparedWith::Nothing => size.total(),
        }
    }

    /// What queries are compared with.
    pub(crate) fn compared_with(&self) -> ComparedWith {
        let by = |roles: Roles| match roles {
            Roles::Apart => ComparedWith::Boundary,
            Roles::Both => ComparedWith::All,
        };
        match self {
            Self::Dbs(method) => by(method.roles),
            Self::SoftNn(method) => by(method.roles),
            Self::RandomSet(method) => by(method.0.roles),
            Self::Dbt(_) => ComparedWith::Boundary,
            Self::Siamese(_) | Self::Triplet(_) => ComparedWith::All,
            Self::MlpClassifier(_) => ComparedWith::Nothing,
        }
    }

    /// Gradient steps of a round of this size, at most: queries that are left out take none.
    pub(crate) fn n_steps(&self, size: RoundSize) -> usize {
        match self {
            Self::Dbt(method) => size.n_train.div_ceil(method.queries_per_step.max(1)),
            _ => 1,
        }
    }

    /// The distance that the loss is made of, if it is one with sigma.
    pub fn scale(&self) -> Option<DistanceScale> {
        match self {
            Self::Dbs(method) => Some(method.scale),
            Self::Dbt(method) => Some(method.scale),
            Self::SoftNn(method) => Some(method.scale),
            Self::RandomSet(method) => Some(method.0.scale),
            Self::MlpClassifier(_) | Self::Siamese(_) | Self::Triplet(_) => None,
        }
    }

    /// Whether the network ends with a layer that names the class, which representations do not have.
    pub fn has_class_layer(&self) -> bool {
        matches!(self, Self::MlpClassifier(_))
    }

    /// Learns from one round. If no query of it counts, no step is taken and nothing moves: Adam would else go on along the slopes of the
    /// rounds before. A round whose queries count is a step, even if its gradient is exactly 0, as with all margins kept: the weights go on
    /// by what Adam remembers then.
    ///
    /// # Errors
    /// A loss that is not a number any more.
    pub fn round<R: Real, T: Transform<R>>(
        &self,
        learner: &mut Learner<'_, R, T>,
        round: &Round<'_>,
        work: &mut Workspace<R>,
    ) -> Result<RoundReport, StepError> {
        match self {
            Self::Dbs(method) => one_step(method, learner, round, work),
            Self::Dbt(method) => method.round(learner, round, work),
            Self::MlpClassifier(method) => one_step(method, learner, round, work),
            Self::Siamese(method) => one_step(method, learner, round, work),
            Self::Triplet(method) => one_step(method, learner, round, work),
            Self::SoftNn(method) => one_step(method, learner, round, work),
            Self::RandomSet(method) => one_step(method, learner, round, work),
        }
    }
}

impl std::str::FromStr for Method {
    type Err = UnknownMethod;

    /// The method of this name, with its defaults.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "dbs" => Self::Dbs(Dbs::default()),
            "dbt-v1" => Self::Dbt(Dbt::v1()),
            "dbt-v2" => Self::Dbt(Dbt::v2()),
            "classifier" => Self::MlpClassifier(MlpClassifier::default()),
            "siamese" => Self::Siamese(Siamese::default()),
            "triplet" => Self::Triplet(TripletNetwork::default()),
            "soft-nn" => Self::SoftNn(SoftNn::default()),
            "random-set" => Self::RandomSet(RandomSet::default()),
            _ => return Err(UnknownMethod(text.to_owned())),
        })
    }
}

/// A name that no method has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no method \"{0}\"; the methods are {names}", names = Method::NAMES.join(", "))]
pub struct UnknownMethod(String);

/// A method that takes one step in a round, down the gradient of a loss of the round's representations.
trait OneStep {
    /// The loss; its gradient is left in the workspace. Row r of `representations` is that of the round's point r.
    fn loss<R: Real>(&self, representations: &Matrix<R>, round: &Round<'_>, work: &mut Workspace<R>) -> StepLoss<R>;
}

/// What a step makes smaller.
struct StepLoss<R> {
    /// The mean loss.
    loss: R,
    /// Points that queries were compared with.
    n_references: usize,
    /// Queries left out because no reference had their class.
    n_left_out: usize,
    /// Queries that were not.
    n_counted: usize,
}

impl<R> StepLoss<R> {
    /// The loss of a method without references, the mean of so many terms. Where there are none, no point of the round counts.
    fn of(loss: R, n_terms: usize, round: &Round<'_>) -> Self {
        let n_points = round.rows.len();
        let (n_left_out, n_counted) = if n_terms == 0 { (n_points, 0) } else { (0, n_points) };
        Self { loss, n_references: 0, n_left_out, n_counted }
    }
}

fn one_step<R: Real, T: Transform<R>>(
    method: &impl OneStep,
    learner: &mut Learner<'_, R, T>,
    round: &Round<'_>,
    work: &mut Workspace<R>,
) -> Result<RoundReport, StepError> {
    let representations = learner.forward(round.rows);
    let StepLoss { loss, n_references, n_left_out, n_counted } = method.loss(representations, round, work);
    if n_counted > 0 {
        learner.descend(&mut work.gradient, loss)?;
    }
    Ok(RoundReport { loss: loss.wide(), n_references, n_left_out })
}

/// The points of one round.
#[derive(Debug, Clone)]
pub struct Round<'a> {
    /// Their rows in the data: first those that references are chosen from, then the queries.
    pub rows: &'a [usize],
    /// Their classes, from 0.
    pub labels: &'a [u32],
    /// How many references are chosen from.
    pub n_boundary: usize,
    /// The seed of what the method draws in this round.
    pub seed: u64,
}

impl Round<'_> {
    pub(crate) fn boundary_labels(&self) -> &[u32] {
        &self.labels[..self.n_boundary]
    }

    pub(crate) fn queries(&self) -> std::ops::Range<usize> {
        self.n_boundary..self.rows.len()
    }

    pub(crate) fn random(&self) -> SplitMix64 {
        SplitMix64::new(self.seed, 0)
    }
}

/// What became of a round.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RoundReport {
    /// The mean loss over the queries that had a reference of their class; 0 if none had.
    pub loss: f64,
    /// Points that queries were compared with: the boundary set, the nodes of the tree, ...
    pub n_references: usize,
    /// Queries left out because no reference had their class; all points of a batch without a pair or triplet.
    pub n_left_out: usize,
}

/// Memory that methods keep from round to round. It says nothing of how they learn, so that one serves any method.
#[derive(Debug, Clone, Default)]
pub struct Workspace<R> {
    pub(crate) gradient: RepresentationGradient<R>,
    pub(crate) neighbors: SoftNeighbor<R>,
    batch: SoftNeighbors<R>,
    pub(crate) members: Vec<usize>,
    pub(crate) rows: Vec<usize>,
    pub(crate) pairs: Vec<Pair>,
}

impl<R: Real> Workspace<R> {
    /// The mean soft-neighbor loss of queries over the references in `members`, and its gradient. A query is no reference of its
    /// own.
    fn soft_neighbor_loss(
        &mut self,
        scale: DistanceScale,
        representations: &Matrix<R>,
        labels: &[u32],
        queries: std::ops::Range<usize>,
    ) -> StepLoss<R> {
        let Self { batch, members, gradient, .. } = self;
        let n_queries = queries.len();
        let (loss, n_left_out) = batch.loss(scale, representations, labels, queries, members, gradient);
        StepLoss { loss, n_references: members.len(), n_left_out, n_counted: n_queries - n_left_out }
    }

    /// Divides a sum and its gradient by how many there were.
    pub(crate) fn mean(&mut self, sum: R, n: usize) -> R {
        let share = R::one() / R::of(n.max(1) as f64);
        self.gradient.scale(share);
        sum * share
    }
}

#[cfg(test)]
mod tests;
