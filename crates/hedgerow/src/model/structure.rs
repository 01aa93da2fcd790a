//! Any of the four neighbor structures.

use hedgerow_core::{BoundaryForest, BoundarySet, BoundaryTree, LinearScan, NeighborSearch, Snapshot, TreeRef};

/// The neighbor structure of a model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Structure {
    /// One boundary tree.
    Tree(BoundaryTree),
    /// A boundary forest.
    Forest(BoundaryForest),
    /// A boundary set.
    Set(BoundarySet),
    /// All examples.
    Knn(LinearScan),
}

impl Structure {
    /// What all structures can do.
    pub fn search(&self) -> &dyn NeighborSearch {
        match self {
            Self::Tree(tree) => tree,
            Self::Forest(forest) => forest,
            Self::Set(set) => set,
            Self::Knn(scan) => scan,
        }
    }

    pub(crate) fn search_mut(&mut self) -> &mut dyn NeighborSearch {
        match self {
            Self::Tree(tree) => tree,
            Self::Forest(forest) => forest,
            Self::Set(set) => set,
            Self::Knn(scan) => scan,
        }
    }

    /// The trees; none of a flat structure.
    pub fn trees(&self) -> Vec<TreeRef<'_>> {
        match self {
            Self::Tree(tree) => vec![tree.tree()],
            Self::Forest(forest) => forest.trees().collect(),
            Self::Set(_) | Self::Knn(_) => Vec::new(),
        }
    }

    /// The structure as plain arrays.
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::Tree(tree) => tree.snapshot(),
            Self::Forest(forest) => forest.snapshot(),
            Self::Set(set) => set.snapshot(),
            Self::Knn(scan) => scan.snapshot(),
        }
    }
}
