//! A tree as indented lines.

use super::{Characters, cut, tame};
use crate::number::count;
use crate::tree::Family;
use crate::{TreeNodeView, TreeView};

/// One line for each node, children below their parent, cut to `width` cells. Of very deep trees the upper levels are shown, and how many nodes are
/// left out.
pub fn render_tree_text(tree: &TreeView, width: usize, characters: Characters) -> String {
    let (fork, last, through) = match characters {
        Characters::Unicode => ("├─ ", "└─ ", "│  "),
        Characters::Ascii => ("|- ", "`- ", "|  "),
    };
    let deepest = (width / 2 / 3).max(4);
    let family = Family::of(tree);
    let mut text = String::new();
    let mut n_shown = 0;
    // Place, what stands before it, and what stands before its children.
    let mut waiting =
        family.roots.iter().rev().map(|&root| (root, String::new(), String::new(), 0)).collect::<Vec<_>>();
    while let Some((place, before, below, level)) = waiting.pop() {
        n_shown += 1;
        let line = cut(&format!("{before}{}", describe(&tree.nodes[place])), width.max(1));
        text.push_str(&line);
        text.push('\n');
        if level == deepest {
            continue;
        }
        for (nth, &child) in family.children[place].iter().enumerate().rev() {
            let is_last = nth + 1 == family.children[place].len();
            let before = format!("{below}{}", if is_last { last } else { fork });
            let further = format!("{below}{}", if is_last { "   " } else { through });
            waiting.push((child, before, further, level + 1));
        }
    }
    if n_shown < tree.nodes.len() {
        text.push_str(&format!("({} nodes below these are not shown)\n", count((tree.nodes.len() - n_shown) as u64)));
    }
    text
}

fn describe(node: &TreeNodeView) -> String {
    let label = node.example.label.as_deref().unwrap_or("-");
    let source = if node.example.source.is_empty() { String::new() } else { format!(" ({})", node.example.source) };
    tame(&format!("{}: {label}{source}", node.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExampleView;

    fn node(id: u32, parent: Option<u32>, label: &str) -> TreeNodeView {
        let example = ExampleView { label: Some(label.to_owned()), ..ExampleView::default() };
        TreeNodeView { id, parent, example }
    }

    #[test]
    fn children_stand_below_their_parent() {
        let nodes = vec![node(0, None, "a"), node(1, Some(0), "b"), node(2, Some(1), "a"), node(3, Some(0), "c\n")];
        let tree = TreeView { nodes };
        assert_eq!(render_tree_text(&tree, 80, Characters::Unicode), "0: a\n├─ 1: b\n│  └─ 2: a\n└─ 3: c?\n");
        assert_eq!(render_tree_text(&tree, 80, Characters::Ascii), "0: a\n|- 1: b\n|  `- 2: a\n`- 3: c?\n");
        assert_eq!(render_tree_text(&TreeView::default(), 80, Characters::Ascii), "");
    }

    #[test]
    fn a_chain_of_many_nodes_is_cut_and_says_so() {
        let nodes = (0..20_000).map(|id| node(id, id.checked_sub(1), "a")).collect();
        let text = render_tree_text(&TreeView { nodes }, 80, Characters::Ascii);
        // 80 / 2 / 3 = 13 levels below the root.
        assert!(text.ends_with("(19,986 nodes below these are not shown)\n"), "{text}");
    }
}
