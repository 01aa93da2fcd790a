//! Many examples at once: walks grouped by node, and insertion of whole blocks.
//!
//! Both give exactly what one example after another would give, to the last bit: a distance has the same bits however
//! it is reached, and a block's walks through the frozen tree are redone from the first node that has changed since.

use rayon::prelude::*;

use super::shape::{NO_NODE, NodeIndex, Rules, Stop, TreeShape};
use crate::examples::ExampleStore;
use crate::metric::{Metric, Row};
use crate::points::PointsRef;

/// Walks that go together in one task: enough to share the top of the tree, few enough to stay in the cache.
const CHUNK: usize = 256;

/// From this size on a group at a node is measured child by child, so that each child is read once for the whole group;
/// smaller groups walk on alone, giving up on each child as soon as it is known to be farther.
const GROUP: usize = 16;

impl TreeShape {
    /// Walks of many queries, in parallel. `rows` names the queries within `queries`.
    pub(crate) fn walk_all(
        &self,
        metric: &Metric<'_>,
        queries: PointsRef<'_>,
        rows: &[Row],
        max_children: usize,
    ) -> Vec<Stop> {
        if rows.len() <= CHUNK {
            return self.walk_group(metric, queries, rows, max_children);
        }
        let chunks = rows.par_chunks(CHUNK).map(|rows| self.walk_group(metric, queries, rows, max_children));
        chunks.flatten_iter().collect()
    }

    /// Walks of a group of queries, level by level, sorted by the node reached.
    fn walk_group(&self, metric: &Metric<'_>, queries: PointsRef<'_>, rows: &[Row], max_children: usize) -> Vec<Stop> {
        let turned = Metric::new(metric.distance(), queries);
        let stored = |row: Row| metric.points().row(row as usize);
        let mut ranks = vec![0.0; rows.len()];
        turned.group_ranks(rows, stored(self.node(0).row), &mut ranks);
        let mut stops = ranks.iter().map(|&rank| Stop { node: 0, rank }).collect::<Vec<_>>();

        let mut walking = (0..rows.len()).collect::<Vec<_>>();
        let (mut group_rows, mut best) = (Vec::new(), Vec::new());
        while !walking.is_empty() {
            walking.sort_unstable_by_key(|&walker| (stops[walker].node, walker));
            let mut moved = Vec::with_capacity(walking.len());
            let mut rest = walking.as_slice();
            while let Some(&first) = rest.first() {
                let at = stops[first].node;
                let n_here = rest.iter().take_while(|&&walker| stops[walker].node == at).count();
                let (group, later) = rest.split_at(n_here);
                rest = later;
                let children = &self.node(at).children;
                let may_stop = children.len() < max_children;
                if group.len() < GROUP || children.is_empty() {
                    for &walker in group {
                        let query = queries.row(rows[walker] as usize);
                        stops[walker] = self.walk_from(metric, query, stops[walker], max_children);
                    }
                    continue;
                }
                group_rows.clear();
                group_rows.extend(group.iter().map(|&walker| rows[walker]));
                best.clear();
                best.extend(group.iter().map(|&walker| match may_stop {
                    true => stops[walker],
                    // A full node is no candidate; its earliest child is one even at an infinite distance.
                    false => Stop { node: children[0].node, rank: f64::INFINITY },
                }));
                for child in children {
                    turned.group_ranks(&group_rows, stored(child.row), &mut ranks[..group.len()]);
                    for (best, &rank) in best.iter_mut().zip(&ranks) {
                        if rank < best.rank {
                            *best = Stop { node: child.node, rank };
                        }
                    }
                }
                for (&walker, &best) in group.iter().zip(&best) {
                    stops[walker] = best;
                    if best.node != at {
                        moved.push(walker);
                    }
                }
            }
            walking = moved;
        }
        stops
    }

    /// Shows many examples in order; gives how many were added.
    ///
    /// Each block is walked through the tree as it stands, in parallel, then settled in order. An addition changes the
    /// walk of those only who came through the node that got the child: they walk again from there.
    pub(crate) fn show_all(&mut self, store: &ExampleStore, metric: &Metric<'_>, rows: &[Row], rules: &Rules) -> usize {
        let mut n_added = 0;
        let mut rest = rows;
        let mut grown = Vec::new();
        while let Some(&first) = rest.first() {
            // A small tree changes with nearly every example, and a block walked through it would be walked again.
            let size = (self.nodes.len() / 2).clamp(1, 4 * CHUNK).min(rest.len());
            if size < GROUP {
                n_added += usize::from(self.show(store, metric, first, rules));
                rest = &rest[1..];
                continue;
            }
            let (block, later) = rest.split_at(size);
            rest = later;
            let stops = self.walk_all(metric, metric.points(), block, rules.max_children);
            grown.clear();
            grown.resize(self.nodes.len(), false);
            for (&row, stop) in block.iter().zip(stops) {
                let mut stop = stop.node;
                if let Some(changed) = self.first_grown(stop, &grown) {
                    let query = metric.points().row(row as usize);
                    let from = self.stop_at(metric, query, changed);
                    stop = self.walk_from(metric, query, from, rules.max_children).node;
                }
                if self.settle(store, row, Some(stop), rules) {
                    n_added += 1;
                    // Nodes added within the block are on no walk that was taken before.
                    if let Some(grown) = grown.get_mut(stop as usize) {
                        *grown = true;
                    }
                }
            }
        }
        n_added
    }

    /// The first node on the way from the root to `stop` that has got a child.
    fn first_grown(&self, stop: NodeIndex, grown: &[bool]) -> Option<NodeIndex> {
        let mut first = None;
        let mut at = stop;
        while at != NO_NODE {
            if grown[at as usize] {
                first = Some(at);
            }
            at = self.node(at).parent;
        }
        first
    }
}
