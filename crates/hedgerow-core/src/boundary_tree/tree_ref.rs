//! A tree to look at: nodes, parents, children.

use super::shape::{NO_NODE, Node, TreeShape};
use crate::examples::ExampleStore;
use crate::label::{ExampleId, Label};
use crate::points::Point;
use crate::traversal::NodeId;

/// The nodes and edges of one boundary tree. Every method panics on a node of another tree that this one does not have.
#[derive(Debug, Clone, Copy)]
pub struct TreeRef<'a> {
    store: &'a ExampleStore,
    shape: &'a TreeShape,
}

impl<'a> TreeRef<'a> {
    pub(crate) fn new(store: &'a ExampleStore, shape: &'a TreeShape) -> Self {
        Self { store, shape }
    }

    fn node(&self, node: NodeId) -> &'a Node {
        self.shape.node(node.0)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.shape.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.shape.nodes.is_empty()
    }

    /// All nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.shape.nodes.len() as u32).map(NodeId)
    }

    /// The root, unless the tree is empty.
    pub fn root(&self) -> Option<NodeId> {
        self.nodes().next()
    }

    /// The node that `node` hangs from; the root hangs from none.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.node(node).parent;
        (parent != NO_NODE).then_some(NodeId(parent))
    }

    /// The children of a node, in the order in which they were added.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        self.node(node).children.iter().map(|child| NodeId(child.node))
    }

    /// The other children of the node's parent.
    pub fn siblings(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let parent = self.parent(node);
        let children = parent.into_iter().flat_map(|parent| self.node(parent).children.iter());
        children.map(|child| NodeId(child.node)).filter(move |child| *child != node).collect::<Vec<_>>().into_iter()
    }

    /// Edges between the root and a node.
    pub fn depth(&self, node: NodeId) -> usize {
        std::iter::successors(self.parent(node), |node| self.parent(*node)).count()
    }

    /// The id of a node's example.
    pub fn id(&self, node: NodeId) -> ExampleId {
        self.store.id(self.node(node).row)
    }

    /// The label of a node's example.
    pub fn label(&self, node: NodeId) -> Label {
        self.store.label(self.node(node).row)
    }

    /// The point of a node's example.
    pub fn point(&self, node: NodeId) -> Point<'a> {
        self.store.point(self.node(node).row)
    }

    /// Every example that this tree was shown, in its order; empty unless the full history is kept.
    pub fn shown(&self) -> impl Iterator<Item = ExampleId> + use<'a> {
        let store = self.store;
        self.shape.shown.iter().map(move |shown| store.id(shown.row))
    }
}
