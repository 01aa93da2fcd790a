//! Trees from what was written down: the training rule applied once more, with the answers given instead of walks.
//!
//! Nothing of a snapshot is believed that can be checked without measuring: see [`crate::snapshot`].

use rayon::prelude::*;

use super::grove::{Grove, Orders};
use super::shape::{NO_NODE, NodeIndex, Rules, TreeShape};
use crate::examples::ExampleStore;
use crate::history::History;
use crate::metric::Row;
use crate::snapshot::{NONE, RestoreError, Snapshot, TreeError, TreeSnapshot, check_none, some};

const _: () = assert!(NO_NODE == NONE);

impl Grove {
    pub(crate) fn snapshot(&self) -> Snapshot {
        let trees = self.trees.iter().map(TreeShape::snapshot).collect();
        Snapshot { trees, is_rooted: self.rooted, ..Snapshot::of(&self.store, self.n_shown) }
    }

    /// Fills a grove that is new.
    pub(crate) fn restored(mut self, mut snapshot: Snapshot) -> Result<Self, RestoreError> {
        check_none("members", snapshot.members.len(), "a structure of trees")?;
        check_none("answers of a set", snapshot.answers.len(), "a structure of trees")?;
        let (got, expected) = (snapshot.trees.len(), self.trees.len());
        if got != expected {
            return Err(RestoreError::Trees { got, expected });
        }
        self.store = snapshot.take_store(&self.distance, self.rules.task, self.rules.history)?;
        self.n_shown = snapshot.n_shown;
        self.rooted = snapshot.is_rooted;
        self.check_rooted()?;

        let is_ordered = !self.rooted || self.orders == Orders::AsGiven;
        let restore = |tree: &TreeSnapshot| TreeShape::restored(tree, &self.store, &self.rules, is_ordered);
        let trees = snapshot.trees.par_iter().map(restore).collect::<Vec<_>>();
        // Collected first, so that of several damaged trees always the same one is named.
        let named = trees
            .into_iter()
            .enumerate()
            .map(|(tree, restored)| restored.map_err(|source| RestoreError::Tree { tree, source }));
        self.trees = named.collect::<Result<_, _>>()?;
        self.check_stored()?;
        self.sketch();
        Ok(self)
    }

    fn check_rooted(&self) -> Result<(), RestoreError> {
        let (n_rows, n_trees) = (self.store.len(), self.trees.len());
        let fits = match (self.orders, self.rooted) {
            // Removals may leave fewer rows than trees, but with the last one all begins anew.
            (Orders::DistinctRoots { .. }, true) => n_rows > 0,
            (Orders::DistinctRoots { .. }, false) => n_rows < n_trees,
            (Orders::AsGiven | Orders::Permuted { .. }, is_rooted) => is_rooted,
        };
        if fits { Ok(()) } else { Err(RestoreError::Rooted { is_rooted: self.rooted, n_rows, n_trees }) }
    }

    fn check_stored(&self) -> Result<(), RestoreError> {
        if !self.rooted {
            if let Some(tree) = self.trees.iter().position(|tree| *tree != self.trees[0]) {
                return Err(RestoreError::TreesDiffer { tree });
            }
            if self.trees[0].nodes.is_empty() && !self.store.is_empty() {
                let source = TreeError::Empty { n_rows: self.store.len() };
                return Err(RestoreError::Tree { tree: 0, source });
            }
        } else if self.rules.history == History::NodesOnly {
            if let Some(row) = self.stored_flags().iter().position(|is_stored| !is_stored) {
                return Err(RestoreError::Unstored { row });
            }
        }
        Ok(())
    }
}

impl TreeShape {
    fn snapshot(&self) -> TreeSnapshot {
        let is_ordered = self.shown.iter().enumerate().all(|(place, shown)| shown.row as usize == place);
        TreeSnapshot {
            nodes: self.nodes.iter().map(|node| node.row).collect(),
            parents: self.nodes.iter().map(|node| node.parent).collect(),
            order: if is_ordered { Vec::new() } else { self.shown.iter().map(|shown| shown.row).collect() },
            answers: self.shown.iter().map(|shown| shown.stop).collect(),
        }
    }

    fn restored(tree: &TreeSnapshot, store: &ExampleStore, rules: &Rules, is_ordered: bool) -> Result<Self, TreeError> {
        check_counts(tree, store.len(), rules.history)?;
        let node_of = node_of_rows(tree, store.len(), is_ordered)?;
        check_order(&tree.order, store.len(), is_ordered)?;
        let (order, answers) = match rules.history {
            History::Full => (&tree.order, &tree.answers),
            // As if only the nodes had ever been shown.
            History::NodesOnly => (&tree.nodes, &tree.parents),
        };
        let mut shape = Self::default();
        for (place, &answer) in answers.iter().enumerate() {
            let row = order.get(place).copied().unwrap_or(place as Row);
            let n_nodes = shape.nodes.len();
            if (answer as usize) >= n_nodes && (place, answer) != (0, NO_NODE) {
                return Err(TreeError::Answer { row, answer: some(answer), n_nodes });
            }
            let stop = some(answer);
            if let Some(node) = stop.filter(|&stop| shape.node(stop).children.len() >= rules.max_children) {
                return Err(TreeError::Full { row, node, max_children: rules.max_children });
            }
            let is_node = shape.settle(store, row, stop, rules);
            let node = some(node_of[row as usize]);
            match (is_node, node, stop) {
                (false, None, _) => {}
                (true, Some(node), _) if node as usize == n_nodes => {
                    let parent = tree.parents[n_nodes];
                    if parent != answer {
                        return Err(TreeError::ParentAnswer { node: n_nodes, parent: some(parent), answer: stop });
                    }
                }
                (true, None, Some(stop)) | (false, Some(_), Some(stop)) => {
                    let (label, answer) = (store.label(row), store.label(shape.node(stop).row));
                    return Err(TreeError::Redundancy { row, label, answer, is_node: !is_node });
                }
                _ => return Err(TreeError::Turn { row, node, expected: n_nodes }),
            }
        }
        Ok(shape)
    }
}

fn check_counts(tree: &TreeSnapshot, n_rows: usize, history: History) -> Result<(), TreeError> {
    let check = |what, got: usize, of, expected: usize| {
        if got == expected { Ok(()) } else { Err(TreeError::Count { what, got, of, expected }) }
    };
    check("parents", tree.parents.len(), "nodes", tree.nodes.len())?;
    match history {
        History::Full => {
            check("answers", tree.answers.len(), "rows", n_rows)?;
            match tree.order.len() {
                0 => Ok(()),
                n_places => check("places in the order of showing", n_places, "rows", n_rows),
            }
        }
        History::NodesOnly => {
            check("answers", tree.answers.len(), "without history", 0)?;
            check("places in the order of showing", tree.order.len(), "without history", 0)
        }
    }
}

/// The node of each row, [`NONE`] if it is none. Checks that nodes have rows of their own and hang from earlier ones.
fn node_of_rows(tree: &TreeSnapshot, n_rows: usize, is_ordered: bool) -> Result<Vec<NodeIndex>, TreeError> {
    let mut node_of = vec![NONE; n_rows];
    for (node, (&row, &parent)) in tree.nodes.iter().zip(&tree.parents).enumerate() {
        let in_turn = !is_ordered || node == 0 || tree.nodes[node - 1] < row;
        match node_of.get_mut(row as usize) {
            Some(of_row) if *of_row == NONE && in_turn => *of_row = node as NodeIndex,
            _ => return Err(TreeError::Node { node, row, n_rows, is_ordered }),
        }
        if (parent as usize) >= node && (node, parent) != (0, NONE) {
            return Err(TreeError::Parent { node, parent: some(parent) });
        }
    }
    Ok(node_of)
}

/// Checks that an order of showing, unless left out, names every row once.
fn check_order(order: &[Row], n_rows: usize, is_ordered: bool) -> Result<(), TreeError> {
    let mut is_shown = vec![false; if order.is_empty() { 0 } else { n_rows }];
    for (place, &row) in order.iter().enumerate() {
        let in_turn = !is_ordered || row as usize == place;
        match is_shown.get_mut(row as usize) {
            Some(is_shown) if !*is_shown && in_turn => *is_shown = true,
            _ => return Err(TreeError::Order { place, row, n_rows, is_ordered }),
        }
    }
    Ok(())
}
