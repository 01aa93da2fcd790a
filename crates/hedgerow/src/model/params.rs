//! What a model is fitted with.

use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Distance, History, Initialization, LinearScanParams,
    ParamError, Passes, RestoreError, Snapshot, Task, Vote,
};
use hedgerow_data::Scaling;
use hedgerow_learn::TrainingParams;
use serde::{Deserialize, Serialize};

use super::structure::Structure;

/// Everything that decides what a model becomes. The same parameters and data give the same model, to the bit.
///
/// # Example
/// ```
/// use hedgerow::{FitParams, StructureParams};
///
/// // A boundary forest over the features as they are, nothing learned.
/// let params = FitParams { learning: None, structure: StructureParams::forest(), ..FitParams::default() };
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitParams {
    /// What labels are for. None: classes are told apart, numbers are estimated, examples without labels are found again.
    pub task: Option<Task>,
    /// How a representation is learned. None: distances are between the points themselves.
    pub learning: Option<TrainingParams>,
    /// What keeps the examples.
    pub structure: StructureParams,
    /// How many of its nearest neighbors tell whether an example is shown to the structure: one whose class they outvote is left out, for good ([`hedgerow_learn::editing`]).
    /// Where classes overlap the structure becomes far smaller, and errs less. A class of which nothing would be left keeps all of its examples. None: all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editing: Option<usize>,
    /// How features are scaled before everything else. None: numbers to mean 0 and variance 1; bytes, which are pictures, not at all.
    pub scaling: Option<Vec<Scaling>>,
    /// The distance between representations, or between points if nothing is learned.
    pub distance: Distance,
    /// What is remembered of the examples shown. With [`History::NodesOnly`] the model is smaller, and removal and relabelling are
    /// refused.
    pub history: History,
    /// Whether stored examples are kept as they were given, beside their representations, so that explanations can show them.
    pub originals: Originals,
    /// When the model says that it does not know.
    pub rejection: Rejection,
    /// The seed of everything random, but for learning, which has its own in [`TrainingParams::seed`].
    pub seed: u64,
}

impl Default for FitParams {
    /// Differentiable boundary sets with their defaults, and one boundary tree.
    fn default() -> Self {
        Self {
            task: None,
            learning: Some(TrainingParams::default()),
            structure: StructureParams::default(),
            editing: None,
            scaling: None,
            distance: Distance::default(),
            history: History::default(),
            originals: Originals::default(),
            rejection: Rejection::default(),
            seed: 0,
        }
    }
}

/// Which examples are kept as they were given. Without a learned representation and without scaling all that are kept are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Originals {
    /// Those stored when the model is fitted, and those added later.
    #[default]
    Stored,
    /// None: explanations name examples but cannot show them.
    None,
}

/// When a model answers "unknown".
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rejection {
    /// Where a smaller share than this of the training examples is as far from its own answer as the query is: 0.01 turns away what
    /// is stranger than 99 of 100 training examples. None: never.
    pub novelty: Option<f64>,
    /// Where the most probable class has a smaller probability than this. None: never.
    pub probability: Option<f64>,
}

impl Rejection {
    /// Whether nothing is ever turned away.
    pub fn is_none(&self) -> bool {
        self.novelty.is_none() && self.probability.is_none()
    }
}

/// A neighbor structure and how it is set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
#[non_exhaustive]
pub enum StructureParams {
    /// One boundary tree.
    Tree {
        /// Children of a node at most; none: as many as come.
        max_children: Option<usize>,
    },
    /// A boundary forest.
    Forest {
        /// Trees.
        n_trees: usize,
        /// Children of a node at most; none: as many as come.
        max_children: Option<usize>,
        /// How the trees come to differ.
        initialization: Initialization,
        /// How their answers vote.
        vote: Vote,
    },
    /// A boundary set.
    Set {
        /// How often the examples are gone over.
        passes: Passes,
        /// Nearest members that vote.
        n_neighbors: usize,
        /// How they vote.
        vote: Vote,
    },
    /// All examples, searched exactly.
    Knn {
        /// Nearest examples that vote.
        n_neighbors: usize,
        /// How they vote.
        vote: Vote,
    },
}

impl Default for StructureParams {
    fn default() -> Self {
        Self::tree()
    }
}

impl StructureParams {
    /// The names of the structures.
    pub const NAMES: [&'static str; 4] = ["tree", "forest", "set", "knn"];

    /// One tree with any number of children, as in the DBS paper.
    pub fn tree() -> Self {
        Self::Tree { max_children: None }
    }

    /// 50 trees of at most 50 children: BF(50, 50) of Mathy et al. (2015).
    pub fn forest() -> Self {
        let (initialization, vote) = (Initialization::DistinctRoots, Vote::Shepard);
        Self::Forest { n_trees: 50, max_children: Some(50), initialization, vote }
    }

    /// A set of one pass; the nearest member answers.
    pub fn set() -> Self {
        Self::Set { passes: Passes::One, n_neighbors: 1, vote: Vote::Majority }
    }

    /// All examples; so many nearest ones vote, each the same.
    pub fn knn(n_neighbors: usize) -> Self {
        Self::Knn { n_neighbors, vote: Vote::Majority }
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tree { .. } => "tree",
            Self::Forest { .. } => "forest",
            Self::Set { .. } => "set",
            Self::Knn { .. } => "knn",
        }
    }

    /// An empty structure.
    pub(crate) fn build(&self, common: &Common) -> Result<Structure, ParamError> {
        Ok(match self.core_params(common) {
            CoreParams::Tree(params) => Structure::Tree(params.build()?),
            CoreParams::Forest(params) => Structure::Forest(params.build()?),
            CoreParams::Set(params) => Structure::Set(params.build()?),
            CoreParams::Knn(params) => Structure::Knn(params.build()?),
        })
    }

    /// A structure that was written down.
    pub(crate) fn restore(&self, common: &Common, snapshot: Snapshot) -> Result<Structure, RestoreError> {
        Ok(match self.core_params(common) {
            CoreParams::Tree(params) => Structure::Tree(params.restore(snapshot)?),
            CoreParams::Forest(params) => Structure::Forest(params.restore(snapshot)?),
            CoreParams::Set(params) => Structure::Set(params.restore(snapshot)?),
            CoreParams::Knn(params) => Structure::Knn(params.restore(snapshot)?),
        })
    }

    fn core_params(&self, common: &Common) -> CoreParams {
        let Common { task, distance, history, seed } = common.clone();
        let tree = |max_children: Option<usize>| {
            let params = BoundaryTreeParams::default().task(task).distance(distance.clone()).history(history);
            max_children.map_or(params.clone(), |most| params.max_children(most))
        };
        match *self {
            Self::Tree { max_children } => CoreParams::Tree(tree(max_children)),
            Self::Forest { n_trees, max_children, initialization, vote } => {
                let params = BoundaryForestParams::default().tree(tree(max_children)).n_trees(n_trees);
                CoreParams::Forest(params.initialization(initialization).vote(vote).seed(seed))
            }
            Self::Set { passes, n_neighbors, vote } => {
                let params = BoundarySetParams::default().task(task).distance(distance).history(history);
                CoreParams::Set(params.passes(passes).n_neighbors(n_neighbors).vote(vote))
            }
            Self::Knn { n_neighbors, vote } => {
                let params = LinearScanParams::default().task(task).distance(distance);
                CoreParams::Knn(params.n_neighbors(n_neighbors).vote(vote))
            }
        }
    }
}

/// What all structures are told.
#[derive(Debug, Clone)]
pub(crate) struct Common {
    pub(crate) task: Task,
    pub(crate) distance: Distance,
    pub(crate) history: History,
    pub(crate) seed: u64,
}

impl Common {
    pub(crate) fn of(params: &FitParams, task: Task) -> Self {
        Self { task, distance: params.distance.clone(), history: params.history, seed: params.seed }
    }
}

enum CoreParams {
    Tree(BoundaryTreeParams),
    Forest(BoundaryForestParams),
    Set(BoundarySetParams),
    Knn(LinearScanParams),
}
