//! A tree of stored examples.

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
