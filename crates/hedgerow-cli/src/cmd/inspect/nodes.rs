//! The stored examples of a model, as nodes of a tree or members of a flat structure.

use hedgerow::{ExampleId, Label, Model, Point};
use hedgerow_report::{Characters, ExampleView, TreeNodeView, TreeView, render_tree_text};
use serde::Serialize;

/// Cells of a line of the tree.
const WIDTH: usize = 110;

#[derive(Serialize)]
pub(super) struct Node<'a> {
    node: u32,
    /// The id of its example.
    id: u64,
    /// Where the example came from.
    source: String,
    label: LabelValue,
    /// The node that it hangs from; none for the root, and in a set and knn.
    parent: Option<u32>,
    representation: Representation<'a>,
    #[serde(skip)]
    class: Option<usize>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LabelValue {
    Class(String),
    Value(f32),
    Unlabeled,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Representation<'a> {
    Numbers(&'a [f32]),
    Bytes(&'a [u8]),
}

impl<'a> Node<'a> {
    fn of(model: &Model, node: u32, parent: Option<u32>, id: ExampleId, (point, label): (Point<'a>, Label)) -> Self {
        Self {
            node,
            id: id.0,
            source: model.source_text(id),
            label: match label {
                Label::Class(_) => LabelValue::Class(model.label_text(label)),
                Label::Value(value) => LabelValue::Value(value),
                Label::Unlabeled => LabelValue::Unlabeled,
            },
            parent,
            representation: match point {
                Point::F32(values) => Representation::Numbers(values),
                Point::U8(values) => Representation::Bytes(values),
            },
            class: label.as_class().map(|class| class.0 as usize),
        }
    }

    fn view(&self) -> TreeNodeView {
        let label = match &self.label {
            LabelValue::Class(name) => Some(name.clone()),
            LabelValue::Value(value) => Some(value.to_string()),
            LabelValue::Unlabeled => None,
        };
        let source = format!("example {}, {}", self.id, self.source);
        let example = ExampleView { id: Some(self.id), source, label, class: self.class, ..ExampleView::default() };
        TreeNodeView { id: self.node, parent: self.parent, example }
    }
}

/// The nodes of a tree, or the members of a flat structure, in the order in which they came.
pub(super) fn of(model: &Model, tree: Option<usize>) -> Vec<Node<'_>> {
    let trees = model.structure().trees();
    let Some(tree) = tree.and_then(|tree| trees.get(tree).copied()) else {
        let ids = model.search().stored_ids();
        let member = |(place, id): (usize, ExampleId)| {
            Some(Node::of(model, place as u32, None, id, model.search().example(id)?))
        };
        return ids.into_iter().enumerate().filter_map(member).collect();
    };
    let node = |node: hedgerow::NodeId| {
        let parent = tree.parent(node).map(|parent| parent.0);
        Node::of(model, node.0, parent, tree.id(node), (tree.point(node), tree.label(node)))
    };
    tree.nodes().map(node).collect()
}

/// The nodes as they are drawn.
pub(super) fn view(nodes: &[Node<'_>]) -> TreeView {
    TreeView { nodes: nodes.iter().map(Node::view).collect() }
}

/// The first nodes, each below its parent. (A parent always comes before its children, so that none hangs from nothing.)
pub(super) fn text(nodes: &[Node<'_>], is_tree: bool, limit: usize) -> String {
    let shown = &nodes[..nodes.len().min(limit)];
    let mut text = render_tree_text(&view(shown), WIDTH, Characters::Unicode);
    if shown.len() < nodes.len() {
        let what = if is_tree { "nodes" } else { "stored examples" };
        text += &format!("the first {} of {} {what}: --limit shows more, --json all\n", shown.len(), nodes.len());
    }
    text
}
