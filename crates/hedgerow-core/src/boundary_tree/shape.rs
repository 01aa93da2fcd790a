//! The shape of one boundary tree: which examples are nodes, and who is whose child.
//!
//! A shape knows examples by their row in a store that it does not own, so that the trees of a forest share one store.
//! Here are the walk (the query of Mathy et al. 2015) and the training rule; blocks are in `route.rs`, edits in `edit.rs`.

use crate::examples::{DROPPED, ExampleStore};
use crate::history::History;
use crate::label::Task;
use crate::metric::{Metric, Query, Row};

/// A node, by its number in the order of addition.
pub(crate) type NodeIndex = u32;

/// The root's parent, and the stop of the example that became the root.
pub(crate) const NO_NODE: NodeIndex = NodeIndex::MAX;

/// What a tree is built by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rules {
    pub(crate) task: Task,
    /// `usize::MAX` for no bound.
    pub(crate) max_children: usize,
    pub(crate) history: History,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) row: Row,
    pub(crate) parent: NodeIndex,
    /// Place of the node's example in the order of showing; among the nodes, where the history is not kept.
    pub(crate) shown_at: u32,
    /// In the order of addition.
    pub(crate) children: Vec<Child>,
}

/// A child, with its row beside its number: a step of the walk then reads one array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Child {
    pub(crate) node: NodeIndex,
    pub(crate) row: Row,
}

/// An example that was shown, and the node that answered it then.
///
/// The stop tells the whole walk, because there is one way from the root to a node. That is what makes exact edits cheap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shown {
    pub(crate) row: Row,
    pub(crate) stop: NodeIndex,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TreeShape {
    pub(crate) nodes: Vec<Node>,
    /// Every example shown, in order; empty unless the full history is kept.
    pub(crate) shown: Vec<Shown>,
}

/// A node that a walk has reached, and the rank of the query's distance to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stop {
    pub(crate) node: NodeIndex,
    pub(crate) rank: f64,
}

impl TreeShape {
    pub(crate) fn node(&self, node: NodeIndex) -> &Node {
        &self.nodes[node as usize]
    }

    /// The walk from the root. The tree is not empty.
    pub(crate) fn walk(&self, metric: &Metric<'_>, query: Query<'_>, max_children: usize) -> Stop {
        self.walk_from(metric, query, self.stop_at(metric, query, 0), max_children)
    }

    pub(crate) fn stop_at(&self, metric: &Metric<'_>, query: Query<'_>, node: NodeIndex) -> Stop {
        Stop { node, rank: metric.rank(query.point, self.node(node).row) }
    }

    /// The walk from a node that it has reached.
    pub(crate) fn walk_from(&self, metric: &Metric<'_>, query: Query<'_>, from: Stop, max_children: usize) -> Stop {
        let mut at = from;
        while let Some(next) = self.step(metric, query, at, max_children) {
            at = next;
        }
        at
    }

    /// Where the walk goes from `at`, or nothing if it ends there.
    ///
    /// Candidates are the children and, while there is room for another child, the node itself. Ties: stay; among children
    /// the earliest.
    pub(crate) fn step(&self, metric: &Metric<'_>, query: Query<'_>, at: Stop, max_children: usize) -> Option<Stop> {
        let children = &self.node(at.node).children;
        let may_stop = children.len() < max_children;
        let best = if may_stop { at.rank } else { f64::INFINITY };
        match metric.nearest_of(query, children.len(), |place| children[place].row, best) {
            Some((place, rank)) => Some(Stop { node: children[place].node, rank }),
            None if may_stop => None,
            // Full, and no child is at a finite distance (which a caller's closure may do): the earliest it is.
            None => Some(Stop { node: children[0].node, rank: f64::INFINITY }),
        }
    }

    /// Settles an example whose walk has ended at `stop` (`None` for the first one): adds it unless it is redundant.
    pub(crate) fn settle(&mut self, store: &ExampleStore, row: Row, stop: Option<NodeIndex>, rules: &Rules) -> bool {
        let added = match stop {
            None => true,
            Some(stop) => !rules.task.is_redundant(store.label(self.node(stop).row), store.label(row)),
        };
        let stop = stop.unwrap_or(NO_NODE);
        let shown_at = match rules.history {
            History::Full => self.shown.len(),
            History::NodesOnly => self.nodes.len(),
        };
        if added {
            self.add_node(row, stop, shown_at as u32);
        }
        if rules.history == History::Full {
            self.shown.push(Shown { row, stop });
        }
        added
    }

    pub(crate) fn add_node(&mut self, row: Row, parent: NodeIndex, shown_at: u32) -> NodeIndex {
        let node = self.nodes.len() as NodeIndex;
        if parent != NO_NODE {
            self.nodes[parent as usize].children.push(Child { node, row });
        }
        self.nodes.push(Node { row, parent, shown_at, children: Vec::new() });
        node
    }

    /// Shows one example.
    pub(crate) fn show(&mut self, store: &ExampleStore, metric: &Metric<'_>, row: Row, rules: &Rules) -> bool {
        let stop = match self.nodes.is_empty() {
            true => None,
            false => Some(self.walk(metric, metric.stored().row(row), rules.max_children).node),
        };
        self.settle(store, row, stop, rules)
    }

    /// As [`Self::move_rows`] where only rows from `start` on have moved, all of them shown last and without a history.
    pub(crate) fn move_last_rows(&mut self, start: Row, moved: &[Row]) {
        for node in (0..self.nodes.len()).rev() {
            let Node { row, parent, .. } = self.nodes[node];
            if row < start {
                break;
            }
            let row = moved[(row - start) as usize];
            self.nodes[node].row = row;
            if parent != NO_NODE {
                let siblings = self.nodes[parent as usize].children.iter_mut().rev();
                siblings.filter(|child| child.node as usize == node).take(1).for_each(|child| child.row = row);
            }
        }
    }

    /// Follows rows to where the store has moved them. No node's row was dropped.
    pub(crate) fn move_rows(&mut self, moved: &[Row]) {
        let follow = |row: &mut Row| {
            *row = moved[*row as usize];
            debug_assert_ne!(*row, DROPPED);
        };
        for node in &mut self.nodes {
            follow(&mut node.row);
            node.children.iter_mut().for_each(|child| follow(&mut child.row));
        }
        self.shown.iter_mut().for_each(|shown| follow(&mut shown.row));
    }

    pub(crate) fn size_bytes(&self) -> usize {
        let children = self.nodes.iter().map(|node| node.children.capacity()).sum::<usize>();
        self.nodes.capacity() * size_of::<Node>()
            + children * size_of::<Child>()
            + self.shown.capacity() * size_of::<Shown>()
    }
}
