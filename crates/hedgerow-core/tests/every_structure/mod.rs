//! Every neighbor structure in every way of setting it up, to run one test over all of them.

#![allow(dead_code)] // each test file uses its own part of this

use std::ops::Range;

use crate::oracle::{Data, Far, SlowTree, row_of};
use hedgerow_core::{
    BoundaryForest, BoundaryForestParams, BoundarySet, BoundarySetParams, BoundaryTree, BoundaryTreeParams, Distance,
    Examples, History, Initialization, LinearScan, LinearScanParams, NeighborSearch, Passes, RestoreError, Snapshot,
    Task, TreeRef, Vote,
};

/// One of the structures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Structure {
    Scan(LinearScan),
    Set(BoundarySet),
    Tree(BoundaryTree),
    Forest(BoundaryForest),
}

impl Structure {
    pub(crate) fn search(&self) -> &dyn NeighborSearch {
        match self {
            Self::Scan(scan) => scan,
            Self::Set(set) => set,
            Self::Tree(tree) => tree,
            Self::Forest(forest) => forest,
        }
    }

    pub(crate) fn search_mut(&mut self) -> &mut dyn NeighborSearch {
        match self {
            Self::Scan(scan) => scan,
            Self::Set(set) => set,
            Self::Tree(tree) => tree,
            Self::Forest(forest) => forest,
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        match self {
            Self::Scan(scan) => scan.snapshot(),
            Self::Set(set) => set.snapshot(),
            Self::Tree(tree) => tree.snapshot(),
            Self::Forest(forest) => forest.snapshot(),
        }
    }

    /// The trees, if it has some.
    pub(crate) fn trees(&self) -> Vec<TreeRef<'_>> {
        match self {
            Self::Scan(_) | Self::Set(_) => Vec::new(),
            Self::Tree(tree) => vec![tree.tree()],
            Self::Forest(forest) => forest.trees().collect(),
        }
    }

    /// Shows a range of the data as one block.
    pub(crate) fn show(&mut self, data: &Data, rows: Range<usize>) -> usize {
        show(self.search_mut(), data, rows)
    }
}

/// Shows a range of the data as one block.
pub(crate) fn show(search: &mut dyn NeighborSearch, data: &Data, rows: Range<usize>) -> usize {
    let examples = Examples::new(data.view().slice(rows.clone()), &data.labels[rows.clone()]).unwrap();
    search.insert_all(&examples.with_ids(&data.ids[rows]).unwrap()).unwrap()
}

/// Shows a range of the data one by one.
pub(crate) fn show_singly(search: &mut dyn NeighborSearch, data: &Data, rows: Range<usize>) {
    for row in rows {
        search.insert(data.ids[row], data.point(row), data.labels[row]).unwrap();
    }
}

/// How to set up a structure, but for task and distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Plan {
    Scan { n_neighbors: usize, vote: Vote },
    Set { passes: Passes, history: History, n_neighbors: usize },
    Tree { max_children: Option<usize>, history: History },
    Forest { initialization: Initialization, n_trees: usize, max_children: Option<usize>, history: History, vote: Vote },
}

use History::{Full, NodesOnly};
use Initialization::{DistinctRoots, Permuted};

/// All the plans that the suites run over.
pub(crate) const PLANS: [Plan; 18] = [
    Plan::Scan { n_neighbors: 1, vote: Vote::Majority },
    Plan::Scan { n_neighbors: 4, vote: Vote::Shepard },
    Plan::Set { passes: Passes::One, history: Full, n_neighbors: 1 },
    Plan::Set { passes: Passes::One, history: Full, n_neighbors: 3 },
    Plan::Set { passes: Passes::One, history: NodesOnly, n_neighbors: 1 },
    Plan::Set { passes: Passes::UntilConsistent, history: Full, n_neighbors: 1 },
    Plan::Tree { max_children: None, history: Full },
    Plan::Tree { max_children: Some(1), history: Full },
    Plan::Tree { max_children: Some(2), history: Full },
    Plan::Tree { max_children: Some(5), history: Full },
    Plan::Tree { max_children: None, history: NodesOnly },
    Plan::Tree { max_children: Some(2), history: NodesOnly },
    forest(DistinctRoots, 5, Some(3), Full, Vote::Shepard),
    forest(DistinctRoots, 5, None, Full, Vote::Majority),
    forest(DistinctRoots, 5, Some(3), NodesOnly, Vote::Shepard),
    forest(Permuted, 4, Some(3), Full, Vote::Shepard),
    forest(Permuted, 4, None, Full, Vote::Nearest),
    forest(Permuted, 4, None, NodesOnly, Vote::Majority),
];

pub(crate) const fn forest(
    initialization: Initialization,
    n_trees: usize,
    max_children: Option<usize>,
    history: History,
    vote: Vote,
) -> Plan {
    Plan::Forest { initialization, n_trees, max_children, history, vote }
}

/// The seed of [`Plan::build`].
const SEED: u64 = 11;

enum Params {
    Scan(LinearScanParams),
    Set(BoundarySetParams),
    Tree(BoundaryTreeParams),
    Forest(BoundaryForestParams),
}

impl Plan {
    pub(crate) fn build(self, task: Task, distance: &Distance) -> Structure {
        self.seeded(task, distance, SEED)
    }

    pub(crate) fn seeded(self, task: Task, distance: &Distance, seed: u64) -> Structure {
        match self.params(task, distance, seed) {
            Params::Scan(params) => Structure::Scan(params.build().unwrap()),
            Params::Set(params) => Structure::Set(params.build().unwrap()),
            Params::Tree(params) => Structure::Tree(params.build().unwrap()),
            Params::Forest(params) => Structure::Forest(params.build().unwrap()),
        }
    }

    /// The structure of this plan, as [`Self::build`] sets it up, that a snapshot was taken of.
    pub(crate) fn restore(
        self,
        task: Task,
        distance: &Distance,
        snapshot: Snapshot,
    ) -> Result<Structure, RestoreError> {
        Ok(match self.params(task, distance, SEED) {
            Params::Scan(params) => Structure::Scan(params.restore(snapshot)?),
            Params::Set(params) => Structure::Set(params.restore(snapshot)?),
            Params::Tree(params) => Structure::Tree(params.restore(snapshot)?),
            Params::Forest(params) => Structure::Forest(params.restore(snapshot)?),
        })
    }

    fn params(self, task: Task, distance: &Distance, seed: u64) -> Params {
        let distance = distance.clone();
        let tree = |max_children: Option<usize>, history: History| {
            let params = BoundaryTreeParams::default().task(task).distance(distance.clone()).history(history);
            match max_children {
                Some(max_children) => params.max_children(max_children),
                None => params,
            }
        };
        match self {
            Self::Scan { n_neighbors, vote } => {
                let params = LinearScanParams::default().task(task).distance(distance);
                Params::Scan(params.n_neighbors(n_neighbors).vote(vote))
            }
            Self::Set { passes, history, n_neighbors } => {
                let params = BoundarySetParams::default().task(task).distance(distance).passes(passes);
                Params::Set(params.history(history).n_neighbors(n_neighbors))
            }
            Self::Tree { max_children, history } => Params::Tree(tree(max_children, history)),
            Self::Forest { initialization, n_trees, max_children, history, vote } => {
                let params = BoundaryForestParams::default().tree(tree(max_children, history)).n_trees(n_trees);
                Params::Forest(params.initialization(initialization).vote(vote).seed(seed))
            }
        }
    }

    pub(crate) fn history(self) -> History {
        match self {
            Self::Scan { .. } => Full,
            Self::Set { history, .. } | Self::Tree { history, .. } | Self::Forest { history, .. } => history,
        }
    }

    pub(crate) fn max_children(self) -> Option<usize> {
        match self {
            Self::Tree { max_children, .. } | Self::Forest { max_children, .. } => max_children,
            _ => None,
        }
    }

    pub(crate) fn is_hart(self) -> bool {
        matches!(self, Self::Set { passes: Passes::UntilConsistent, .. })
    }

    pub(crate) fn is_forest(self) -> bool {
        matches!(self, Self::Forest { .. })
    }

    pub(crate) fn is_permuted(self) -> bool {
        matches!(self, Self::Forest { initialization: Permuted, .. })
    }
}

/// The nodes of a tree in order, as example and parent.
pub(crate) fn nodes_of(tree: &TreeRef<'_>) -> Vec<(usize, Option<usize>)> {
    tree.nodes().map(|node| (row_of(tree.id(node)), tree.parent(node).map(|parent| parent.0 as usize))).collect()
}

/// The nodes of a slow tree in order, as example and parent.
pub(crate) fn slow_nodes_of(tree: &SlowTree) -> Vec<(usize, Option<usize>)> {
    tree.nodes.iter().map(|node| (node.example, node.parent)).collect()
}

/// Checks that a tree has exactly the nodes and edges of the slow one that is shown `order`.
pub(crate) fn assert_tree_is_slow_tree(
    tree: &TreeRef<'_>,
    task: Task,
    max_children: Option<usize>,
    order: &[usize],
    data: &Data,
    far: &Far<'_>,
) {
    let slow = SlowTree::grown(task, max_children, order.iter().copied(), &data.labels, far);
    assert_eq!(nodes_of(tree), slow_nodes_of(&slow));
    for (node, slow) in tree.nodes().zip(&slow.nodes) {
        let children = tree.children(node).map(|child| child.0 as usize).collect::<Vec<_>>();
        assert_eq!(children, slow.children, "children of node {node}");
        assert_eq!(tree.label(node), data.labels[slow.example], "label of node {node}");
        assert_eq!(tree.point(node), data.point(slow.example), "point of node {node}");
    }
}

/// The examples that a tree was shown, in its order.
pub(crate) fn shown_to(tree: &TreeRef<'_>) -> Vec<usize> {
    tree.shown().map(row_of).collect()
}
