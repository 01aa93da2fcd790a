//! A boundary tree (Mathy et al. 2015) in its plainest form: one example at a time, one distance at a time.

use hedgerow_core::Label;

use super::PlainDistance;

struct Node {
    row: usize,
    children: Vec<usize>,
}

/// A boundary tree over borrowed examples. To copy no point favors this side.
pub struct PlainTree<'a, T, D> {
    points: &'a [T],
    labels: &'a [Label],
    width: usize,
    distance: D,
    max_children: usize,
    nodes: Vec<Node>,
}

impl<'a, T, D: PlainDistance<T>> PlainTree<'a, T, D> {
    /// An empty tree.
    pub fn new(points: &'a [T], labels: &'a [Label], width: usize, distance: D, max_children: usize) -> Self {
        Self { points, labels, width, distance, max_children, nodes: Vec::new() }
    }

    /// Shows one example: adds it where its walk ends, unless the labels agree.
    pub fn insert(&mut self, row: usize) {
        if self.nodes.is_empty() {
            self.nodes.push(Node { row, children: Vec::new() });
            return;
        }
        let stop = self.walk(row);
        if self.labels[self.nodes[stop].row] != self.labels[row] {
            let node = self.nodes.len();
            self.nodes[stop].children.push(node);
            self.nodes.push(Node { row, children: Vec::new() });
        }
    }

    /// The rows that are nodes, in the order in which they were added.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|node| node.row)
    }

    fn rank(&self, query: usize, node: usize) -> f64 {
        let point = |row: usize| &self.points[row * self.width..(row + 1) * self.width];
        self.distance.between(point(query), point(self.nodes[node].row))
    }

    /// Ties: stay; among children the earliest. A full node is passed through.
    fn walk(&self, query: usize) -> usize {
        let (mut at, mut rank) = (0, self.rank(query, 0));
        loop {
            let children = &self.nodes[at].children;
            let (mut best, mut nearest) =
                if children.len() < self.max_children { (rank, at) } else { (f64::INFINITY, at) };
            for &child in children {
                let rank = self.rank(query, child);
                if rank < best {
                    best = rank;
                    nearest = child;
                }
            }
            if nearest == at {
                return at;
            }
            (at, rank) = (nearest, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use hedgerow_core::{BoundaryTreeParams, NeighborSearch, PointKind};

    use super::*;
    use crate::plain::{FloatSum, IntegerSum};
    use crate::synthetic::Synthetic;

    #[test]
    fn builds_the_tree_of_the_library() {
        let data = Synthetic::new(20, 600, 7);
        let mut ours = BoundaryTreeParams::default().max_children(4).build().unwrap();
        ours.insert_all(&data.first(600, PointKind::F32)).unwrap();
        let expected = ours.stored_ids().iter().map(|id| id.0 as usize).collect::<Vec<_>>();
        let mut floats = PlainTree::new(data.floats(), data.labels(), 20, FloatSum, 4);
        let mut bytes = PlainTree::new(data.bytes(), data.labels(), 20, IntegerSum, 4);
        (0..600).for_each(|row| {
            floats.insert(row);
            bytes.insert(row);
        });
        assert!(expected.len() > 50);
        assert_eq!(floats.rows().collect::<Vec<_>>(), expected);
        assert_eq!(bytes.rows().collect::<Vec<_>>(), expected);
    }
}
