//! A tree, node by node.

use super::Views;
use crate::{TreeNodeView, TreeView};

pub(super) fn view(views: &Views<'_>, number: usize) -> Option<TreeView> {
    let trees = views.model.structure().trees();
    let tree = trees.get(number)?;
    let node = |node: hedgerow::NodeId| TreeNodeView {
        id: node.0,
        parent: tree.parent(node).map(|parent| parent.0),
        example: views.kept(tree.id(node), tree.label(node)),
    };
    Some(TreeView { nodes: tree.nodes().map(node).collect() })
}
