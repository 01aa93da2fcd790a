//! The boundary forest: boundary trees shown the same examples in different orders, voting together.

use crate::boundary_tree::grove::{Grove, Orders};
use crate::boundary_tree::{BoundaryTreeParams, TreeRef, search_by_grove};
use crate::distance::Distance;
use crate::error::{EditError, InsertError, ParamError, QueryError};
use crate::examples::Examples;
use crate::history::History;
use crate::label::{ExampleId, Label, Task};
use crate::neighbor_search::{Edit, Effort, Insertion, IsStopped, Neighbor};
use crate::points::{Point, PointsRef};
use crate::snapshot::{RestoreError, Snapshot};
use crate::traversal::Traversal;
use crate::vote::Vote;

/// The most trees that a forest may have.
pub(crate) const MAX_TREES: usize = 1 << 16;

/// How the trees of a forest come to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Initialization {
    /// Tree `i` has example `i` of the first `n_trees` as its root and takes the others of these in a random order of its own;
    /// after that all trees are shown all examples in the same order (Mathy et al. 2015). Works online: until there are
    /// `n_trees` examples all trees are alike; then these are dealt out to the roots, once.
    #[default]
    DistinctRoots,
    /// Each tree is shown each block of examples in a random order of its own (the DBS paper). Examples inserted one by one
    /// make blocks of one, and equal trees: give them together.
    Permuted,
}

/// How to set up a [`BoundaryForest`].
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct BoundaryForestParams {
    tree: BoundaryTreeParams,
    n_trees: usize,
    initialization: Initialization,
    vote: Vote,
    seed: u64,
}

impl Default for BoundaryForestParams {
    /// 50 trees of at most 50 children, distinct roots and Shepard's vote: BF(50, 50) of Mathy et al. (2015).
    fn default() -> Self {
        Self {
            tree: BoundaryTreeParams::default().max_children(50),
            n_trees: 50,
            initialization: Initialization::default(),
            vote: Vote::Shepard,
            seed: 0,
        }
    }
}

impl BoundaryForestParams {
    /// Sets what each tree is like.
    pub fn tree(self, tree: BoundaryTreeParams) -> Self {
        Self { tree, ..self }
    }

    /// Sets the number of trees.
    pub fn n_trees(self, n_trees: usize) -> Self {
        Self { n_trees, ..self }
    }

    /// Sets how the trees come to differ.
    pub fn initialization(self, initialization: Initialization) -> Self {
        Self { initialization, ..self }
    }

    /// Sets how the trees' answers vote.
    pub fn vote(self, vote: Vote) -> Self {
        Self { vote, ..self }
    }

    /// Sets the seed of the random orders. The same seed and examples give the same forest, on any number of threads.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Makes an empty forest.
    ///
    /// # Errors
    /// [`ParamError::ZeroTrees`], [`ParamError::TooManyTrees`], and what [`BoundaryTreeParams::build`] refuses.
    pub fn build(self) -> Result<BoundaryForest, ParamError> {
        if self.n_trees == 0 {
            return Err(ParamError::ZeroTrees);
        }
        if self.n_trees > MAX_TREES {
            return Err(ParamError::TooManyTrees { n_trees: self.n_trees });
        }
        let (distance, rules) = self.tree.checked()?;
        let orders = match self.initialization {
            Initialization::DistinctRoots => Orders::DistinctRoots { seed: self.seed },
            Initialization::Permuted => Orders::Permuted { seed: self.seed },
        };
        Ok(BoundaryForest { grove: Grove::new(distance, rules, orders, self.n_trees), vote: self.vote })
    }

    /// Makes the forest that a [snapshot](BoundaryForest::snapshot) was taken of. These are the parameters that it was built
    /// with. Takes time in proportion to the size of the snapshot, and measures no distances.
    ///
    /// # Errors
    /// What [`Self::build`] refuses, and a snapshot that contradicts itself or the parameters.
    pub fn restore(self, snapshot: Snapshot) -> Result<BoundaryForest, RestoreError> {
        let BoundaryForest { grove, vote } = self.build()?;
        Ok(BoundaryForest { grove: grove.restored(snapshot)?, vote })
    }
}

/// A boundary forest. The trees share one store of examples.
///
/// Removal and relabelling are exact tree by tree: each tree becomes what its own order of showing, less or with the
/// changed example, would have built.
///
/// # Example
/// ```
/// use hedgerow_core::{BoundaryForestParams, Examples, Label, NeighborSearch, Point, Points};
/// let points = Points::from_u8(2, vec![0, 0, 9, 9, 1, 0, 8, 9, 0, 1, 9, 8])?;
/// let labels = [0, 1, 0, 1, 0, 1].map(Label::class);
/// let mut forest = BoundaryForestParams::default().n_trees(5).build()?;
/// forest.insert_all(&Examples::new(points.view(), &labels)?)?;
/// let prediction = forest.predict(Point::U8(&[7, 7]))?;
/// assert_eq!(prediction.label, Label::class(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryForest {
    grove: Grove,
    vote: Vote,
}

impl BoundaryForest {
    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        self.grove.trees.len()
    }

    /// The trees' nodes and edges.
    pub fn trees(&self) -> impl Iterator<Item = TreeRef<'_>> {
        self.grove.trees.iter().map(|shape| TreeRef::new(&self.grove.store, shape))
    }

    /// The forest as plain arrays, from which [`BoundaryForestParams::restore`] makes it again.
    pub fn snapshot(&self) -> Snapshot {
        self.grove.snapshot()
    }
}

search_by_grove!(BoundaryForest, |forest| forest.vote);
