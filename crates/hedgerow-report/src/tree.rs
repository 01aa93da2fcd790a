//! A tree of stored examples.

use std::collections::HashMap;

use serde::Serialize;

use crate::ExampleView;

/// A boundary tree as it is shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TreeView {
    /// The nodes, in any order. A node whose parent is not among them stands beside the root, as a root of its own.
    pub nodes: Vec<TreeNodeView>,
}

/// A node and its stored example.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TreeNodeView {
    /// The node. Of nodes with the same id the first counts.
    pub id: u32,
    /// Its parent; the root has none.
    pub parent: Option<u32>,
    /// Its example, with label.
    pub example: ExampleView,
}

/// Who is whose child, by place in `nodes`.
pub(crate) struct Family {
    pub(crate) roots: Vec<usize>,
    pub(crate) children: Vec<Vec<usize>>,
}

impl Family {
    pub(crate) fn of(tree: &TreeView) -> Self {
        let mut places = HashMap::with_capacity(tree.nodes.len());
        for (place, node) in tree.nodes.iter().enumerate() {
            places.entry(node.id).or_insert(place);
        }
        let mut family = Self { roots: Vec::new(), children: vec![Vec::new(); tree.nodes.len()] };
        for (place, node) in tree.nodes.iter().enumerate() {
            if places[&node.id] != place {
                continue;
            }
            match node.parent.and_then(|parent| places.get(&parent)) {
                Some(&parent) => family.children[parent].push(place),
                None => family.roots.push(place),
            }
        }
        family
    }

    /// Level by level from the roots, at most `most`. Nodes that are their own ancestors are never reached.
    pub(crate) fn top(&self, most: usize) -> Vec<usize> {
        let mut order = self.roots.iter().copied().take(most).collect::<Vec<_>>();
        let mut next = 0;
        while next < order.len() && order.len() < most {
            let room = most - order.len();
            order.extend(self.children[order[next]].iter().take(room));
            next += 1;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: u32, parent: Option<u32>) -> TreeNodeView {
        TreeNodeView { id, parent, ..TreeNodeView::default() }
    }

    #[test]
    fn orphans_are_roots_and_circles_are_not_reached() {
        let nodes = vec![
            node(5, None),
            node(7, Some(5)),
            node(8, Some(99)),
            node(1, Some(2)),
            node(2, Some(1)),
            node(5, Some(7)),
        ];
        let family = Family::of(&TreeView { nodes });
        assert_eq!(family.roots, [0, 2]); // 5, and 8 whose parent is missing; the second 5 does not count
        assert_eq!(family.top(10), [0, 2, 1]);
        assert_eq!(family.top(1), [0]);
        assert!(Family::of(&TreeView::default()).top(3).is_empty());
    }
}
