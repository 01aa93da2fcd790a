//! A boundary tree written down a second time, as plainly as can be: what tests compare with.

/// Nodes with their class, parent and children; the root is node 0.
pub(crate) struct SlowTree {
    nodes: Vec<Vec<f64>>,
    labels: Vec<u32>,
    /// The number that each node's point had among those shown.
    pub(crate) shown_as: Vec<usize>,
    parent: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

impl SlowTree {
    pub(crate) fn new(points: &[Vec<f64>], labels: &[u32]) -> Self {
        let mut tree = Self { nodes: vec![], labels: vec![], shown_as: vec![], parent: vec![], children: vec![] };
        for (number, (point, &label)) in points.iter().zip(labels).enumerate() {
            let parent = (number > 0).then(|| tree.end_of_walk(point));
            if parent.is_none_or(|parent| tree.labels[parent] != label) {
                parent.into_iter().for_each(|parent| tree.children[parent].push(tree.nodes.len()));
                tree.nodes.push(point.clone());
                tree.labels.push(label);
                tree.shown_as.push(number);
                tree.parent.push(parent);
                tree.children.push(vec![]);
            }
        }
        tree
    }

    pub(crate) fn end_of_walk(&self, query: &[f64]) -> usize {
        let mut at = 0;
        loop {
            let mut next = at;
            for &child in &self.children[at] {
                if distance(query, &self.nodes[child]) < distance(query, &self.nodes[next]) {
                    next = child;
                }
            }
            if next == at {
                return at;
            }
            at = next;
        }
    }

    pub(crate) fn label(&self, node: usize) -> u32 {
        self.labels[node]
    }

    pub(crate) fn point(&self, node: usize) -> &[f64] {
        &self.nodes[node]
    }

    /// The node where a walk ends with its siblings, then their parent if it votes; or the root and its children.
    pub(crate) fn voters(&self, query: &[f64], with_parent: bool) -> Vec<usize> {
        let end = self.end_of_walk(query);
        let Some(parent) = self.parent[end] else {
            return [vec![0], self.children[0].clone()].concat();
        };
        let mut voters = self.children[parent].clone();
        if with_parent {
            voters.push(parent);
        }
        voters
    }
}
