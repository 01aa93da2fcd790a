//! A tree in the language of Graphviz.

use crate::number::count;
use crate::tree::Family;
use crate::{TreeNodeView, TreeView};

/// The tree for `dot -Tsvg`: one box per node, with its id, its label and where its example came from. Nodes that are their own ancestors
/// are left out, with a comment.
pub fn to_dot(tree: &TreeView) -> String {
    let family = Family::of(tree);
    let order = family.top(usize::MAX);
    let mut text = "digraph boundary_tree {\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
    for &place in &order {
        let node = &tree.nodes[place];
        text.push_str(&format!("  {} [label=\"{}\"];\n", node.id, quoted(&describe(node))));
    }
    for &place in &order {
        for &child in &family.children[place] {
            text.push_str(&format!("  {} -> {};\n", tree.nodes[place].id, tree.nodes[child].id));
        }
    }
    if order.len() < tree.nodes.len() {
        let n_lost = count((tree.nodes.len() - order.len()) as u64);
        text.push_str(&format!("  // {n_lost} nodes without a way to the root are left out\n"));
    }
    text.push_str("}\n");
    text
}

fn describe(node: &TreeNodeView) -> String {
    let example = &node.example;
    let texts = [Some(node.id.to_string()), example.label.clone(), Some(example.source.clone())];
    texts.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Inside quotes: a quote and a backslash are escaped, a line end becomes Graphviz's own, other control characters a question mark.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control.is_control() => quoted.push('?'),
            other => quoted.push(other),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExampleView;

    #[test]
    fn names_cannot_break_out_of_their_quotes() {
        let label = |label: &str| ExampleView { label: Some(label.to_owned()), ..ExampleView::default() };
        let nodes = vec![
            TreeNodeView { id: 0, parent: None, example: label("\"];\\") },
            TreeNodeView { id: 4, parent: Some(0), example: label("b") },
            TreeNodeView { id: 9, parent: Some(9), example: label("c") },
        ];
        let expected = "digraph boundary_tree {\n  node [shape=box, fontname=\"sans-serif\"];\n  0 [label=\"0\\n\\\"];\\\\\"];\n  \
                        4 [label=\"4\\nb\"];\n  0 -> 4;\n  // 1 nodes without a way to the root are left out\n}\n";
        assert_eq!(to_dot(&TreeView { nodes }), expected);
    }
}
