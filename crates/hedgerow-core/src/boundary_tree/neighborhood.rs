//! More than the answer of a walk: the walk as data, and several neighbors from one tree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::shape::{NodeIndex, TreeShape};
use crate::examples::ExampleStore;
use crate::metric::{Metric, Query, Row};
use crate::nearest_rows::{NearestRows, RankedRow};
use crate::neighbor_search::Effort;
use crate::traversal::{Candidate, NodeId, Step, Traversal};

impl TreeShape {
    /// The walk of a query, with everything it looked at.
    pub(crate) fn traverse(
        &self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        query: Query<'_>,
        max_children: usize,
    ) -> Traversal {
        let candidate = |node: NodeIndex, row: Row, rank: f64| Candidate {
            node: NodeId(node),
            neighbor: store.neighbor(row, metric.distance().of_rank(rank)),
        };
        let mut steps = Vec::new();
        let mut at = self.stop_at(metric, query, 0);
        let mut ranks = Vec::new();
        loop {
            let node = self.node(at.node);
            ranks.clear();
            metric.ranks_of(query.point, node.children.iter().map(|child| child.row), &mut ranks);
            let next = self.step(metric, query, at, max_children);
            steps.push(Step {
                at: candidate(at.node, node.row, at.rank),
                may_stop: node.children.len() < max_children,
                children: node
                    .children
                    .iter()
                    .zip(&ranks)
                    .map(|(child, &rank)| candidate(child.node, child.row, rank))
                    .collect(),
                next: NodeId(next.map_or(at.node, |next| next.node)),
            });
            match next {
                Some(next) => at = next,
                None => return Traversal { steps },
            }
        }
    }

    /// Puts the neighborhood of the walk into `nearest`, then looks further, nearest node first.
    ///
    /// The walk looks at the children of each node on its way. After that `effort` more nodes have their children looked
    /// at, always the nearest node whose children are still unseen, and more if fewer than `k` examples have been seen.
    /// Unlike the walk's answer, a node that is full may be among the neighbors.
    pub(crate) fn gather(
        &self,
        metric: &Metric<'_>,
        query: Query<'_>,
        max_children: usize,
        effort: Effort,
        nearest: &mut NearestRows,
    ) {
        let mut unopened = BinaryHeap::new();
        let mut ranks = Vec::new();
        let mut n_seen = 1;
        let mut at = self.stop_at(metric, query, 0);
        nearest.offer(RankedRow { rank: at.rank, row: self.node(0).row });

        let mut open = |node: NodeIndex, nearest: &mut NearestRows, unopened: &mut BinaryHeap<_>| {
            let children = &self.node(node).children;
            ranks.clear();
            metric.ranks_of(query.point, children.iter().map(|child| child.row), &mut ranks);
            for (child, &rank) in children.iter().zip(&ranks) {
                let seen = RankedRow { rank, row: child.row };
                nearest.offer(seen);
                unopened.push(Reverse((seen, child.node)));
            }
            children.len()
        };

        // In ascending order, because a child is younger than its parent.
        let mut walked = vec![at.node];
        n_seen += open(at.node, nearest, &mut unopened);
        while let Some(next) = self.step(metric, query, at, max_children) {
            at = next;
            walked.push(at.node);
            n_seen += open(at.node, nearest, &mut unopened);
        }
        let mut effort = effort.0;
        while effort > 0 || n_seen < nearest.wanted() {
            let Some(Reverse((_, node))) = unopened.pop() else { break };
            if walked.binary_search(&node).is_ok() {
                continue;
            }
            if n_seen >= nearest.wanted() {
                effort -= 1;
            }
            n_seen += open(node, nearest, &mut unopened);
        }
    }
}
