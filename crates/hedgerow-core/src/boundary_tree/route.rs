//! Many examples at once: walks grouped by node, and insertion of whole blocks.
//!
//! Both give exactly what one example after another would give, to the last bit: a distance has the same bits however
//! it is reached, and a block's walks through the frozen tree are redone from the first node that has changed since.

use rayon::prelude::*;

use super::shape::{NO_NODE, NodeIndex, Rules, Stop, TreeShape};
use crate::examples::ExampleStore;
use crate::metric::{Metric, Queries, Query, Row};
use crate::neighbor_search::IsStopped;

/// Examples walked and then settled together.
const BLOCK: usize = 4096;

/// Fewer walks than this are not worth a task of their own.
const CHUNK: usize = 256;

/// From this size on a group is measured child by child, if there are no sketches that rule most children out. In smaller
/// ones each walk gives up on each child as soon as it is known to be farther.
const GROUP: usize = 8;

/// Groups smaller than this walk to the end, one after another.
const ALONE: usize = 3;

/// Walks of a group that are measured together: with the children of a node they fit the cache next to the core.
const TILE: usize = 32;

impl TreeShape {
    /// Walks of many queries, in parallel. `rows` names the queries within `queries`.
    pub(crate) fn walk_all(
        &self,
        metric: &Metric<'_>,
        queries: Queries<'_>,
        rows: &[Row],
        max_children: usize,
    ) -> Vec<Stop> {
        let chunk = rows.len().div_ceil(rayon::current_num_threads()).clamp(CHUNK, BLOCK);
        if rows.len() <= chunk {
            return self.walk_group(metric, queries, rows, max_children);
        }
        let chunks = rows.par_chunks(chunk).map(|rows| self.walk_group(metric, queries, rows, max_children));
        chunks.flatten_iter().collect()
    }

    /// Walks of a group of queries, level by level, sorted by the node reached: whatever is at a node is read once for all
    /// that come to it.
    fn walk_group(&self, metric: &Metric<'_>, queries: Queries<'_>, rows: &[Row], max_children: usize) -> Vec<Stop> {
        let mut packed = Vec::new();
        let mut stops = vec![Stop { node: 0, rank: 0.0 }; rows.len()];
        for (rows, stops) in rows.chunks(TILE).zip(stops.chunks_mut(TILE)) {
            let root = std::iter::once(self.node(0).row);
            metric.measure_group(queries.points, rows, root, &mut packed, |_, ranks| {
                stops.iter_mut().zip(ranks).for_each(|(stop, &rank)| stop.rank = rank);
            });
        }
        // Walkers, keyed by the node they have reached: sorting the keys groups them.
        let key = |node: NodeIndex, walker: usize| u64::from(node) << 32 | walker as u64;
        let walker = |key: u64| key as u32 as usize;
        let mut walking = (0..rows.len()).map(|walker| key(0, walker)).collect::<Vec<_>>();
        let mut moved = Vec::with_capacity(rows.len());
        while !walking.is_empty() {
            walking.sort_unstable();
            for group in walking.chunk_by(|a, b| a >> 32 == b >> 32) {
                let at = (group[0] >> 32) as NodeIndex;
                if group.len() < ALONE || self.node(at).children.is_empty() {
                    for walker in group.iter().map(|&key| walker(key)) {
                        stops[walker] = self.walk_from(metric, queries.row(rows[walker]), stops[walker], max_children);
                    }
                } else if queries.sketches.is_some() || group.len() < GROUP {
                    for (place, walker) in group.iter().map(|&key| walker(key)).enumerate() {
                        if let Some(&next) = group.get(place + 1) {
                            queries.row(rows[next as u32 as usize]).prefetch();
                        }
                        if let Some(next) = self.step(metric, queries.row(rows[walker]), stops[walker], max_children) {
                            stops[walker] = next;
                            moved.push(key(next.node, walker));
                        }
                    }
                } else {
                    for tile in group.chunks(TILE) {
                        let walkers = tile.iter().map(|&key| walker(key)).collect::<Vec<_>>();
                        self.step_together(metric, queries, rows, &walkers, &mut stops, max_children, &mut packed);
                        let left = walkers.iter().filter(|&&walker| stops[walker].node != at);
                        moved.extend(left.map(|&walker| key(stops[walker].node, walker)));
                    }
                }
            }
            walking.clear();
            std::mem::swap(&mut walking, &mut moved);
        }
        stops
    }

    /// One step of walkers that stand at the same node, measured child by child.
    #[allow(clippy::too_many_arguments)]
    fn step_together(
        &self,
        metric: &Metric<'_>,
        queries: Queries<'_>,
        rows: &[Row],
        walkers: &[usize],
        stops: &mut [Stop],
        max_children: usize,
        packed: &mut Vec<i16>,
    ) {
        let children = &self.node(stops[walkers[0]].node).children;
        let group = walkers.iter().map(|&walker| rows[walker]).collect::<Vec<_>>();
        if children.len() >= max_children {
            // A full node is no candidate; its earliest child is one even at an infinite distance.
            walkers.iter().for_each(|&walker| stops[walker] = Stop { node: children[0].node, rank: f64::INFINITY });
        }
        let child_rows = children.iter().map(|child| child.row);
        metric.measure_group(queries.points, &group, child_rows, packed, |place, ranks| {
            let node = children[place].node;
            for (&walker, &rank) in walkers.iter().zip(ranks) {
                if rank < stops[walker].rank {
                    stops[walker] = Stop { node, rank };
                }
            }
        });
    }

    /// Shows many examples in order.
    pub(crate) fn show_all(&mut self, store: &ExampleStore, metric: &Metric<'_>, rows: &[Row], rules: &Rules) {
        let _ = self.show_all_unless(store, metric, rows, rules, &|| false);
    }

    /// Shows many examples in order, unless it is stopped before a block: nothing is given then, and the tree has seen some of them.
    ///
    /// Each block is walked through the tree as it stands, in parallel, then settled in order. An addition changes the
    /// walk of those only who came through the node that got the child: they are compared with the new children.
    pub(crate) fn show_all_unless(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        rows: &[Row],
        rules: &Rules,
        is_stopped: IsStopped<'_>,
    ) -> Option<()> {
        let mut rest = rows;
        let mut before = Vec::new();
        while let Some(&first) = rest.first() {
            // A small tree changes with nearly every example, and a block walked through it would be walked again.
            let size = (self.nodes.len() / 2).clamp(1, BLOCK).min(rest.len());
            if size < GROUP {
                self.show(store, metric, first, rules);
                rest = &rest[1..];
                continue;
            }
            if is_stopped() {
                return None;
            }
            let (block, later) = rest.split_at(size);
            rest = later;
            let stops = self.walk_all(metric, metric.stored(), block, rules.max_children);
            before.clear();
            before.resize(self.nodes.len(), NOT_GROWN);
            for (&row, frozen) in block.iter().zip(stops) {
                let stop = self.mend_walk(metric, metric.stored().row(row), frozen, &before, rules.max_children);
                let n_children = self.node(stop).children.len() as u32;
                if self.settle(store, row, Some(stop), rules) {
                    // Nodes added within the block are on no walk that was taken before it.
                    if let Some(before) = before.get_mut(stop as usize) {
                        *before = n_children.min(*before);
                    }
                }
            }
        }
        Some(())
    }

    /// Where a walk ends now that ended at `frozen` when each node had as many children as `before` says.
    fn mend_walk(
        &self,
        metric: &Metric<'_>,
        query: Query<'_>,
        frozen: Stop,
        before: &[u32],
        max_children: usize,
    ) -> NodeIndex {
        let parent = |&node: &NodeIndex| Some(self.node(node).parent).filter(|&parent| parent != NO_NODE);
        let has_grown = |node: NodeIndex| before[node as usize] != NOT_GROWN;
        if !std::iter::successors(Some(frozen.node), parent).any(has_grown) {
            return frozen.node;
        }
        let trail = std::iter::successors(Some(frozen.node), parent).collect::<Vec<_>>();
        // From the root on: the first node from which the walk now goes elsewhere decides.
        for (place, &at) in trail.iter().enumerate().rev().filter(|(_, at)| has_grown(**at)) {
            let children = &self.node(at).children;
            let best = match place {
                // It stopped here, and the node has become full.
                0 if children.len() >= max_children => {
                    return self.walk_from(metric, query, frozen, max_children).node;
                }
                0 => frozen.rank,
                _ => metric.rank(query.point, self.node(trail[place - 1]).row),
            };
            let new = &children[before[at as usize] as usize..];
            if let Some((place, rank)) = metric.nearest_of(query, new.len(), |place| new[place].row, best) {
                return self.walk_from(metric, query, Stop { node: new[place].node, rank }, max_children).node;
            }
        }
        frozen.node
    }
}

/// In place of a number of children: the node has got none since.
const NOT_GROWN: u32 = u32::MAX;
