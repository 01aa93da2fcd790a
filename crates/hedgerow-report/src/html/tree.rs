//! The tree, drawn with its examples.

use super::escape::{At, Safe, shorten};
use super::palette::{color_class, marker_path};
use crate::number::count;
use crate::tree::Family;
use crate::tree_layout::{Place, tidy};
use crate::{TreeNodeView, TreeView};

/// Larger trees show their top levels.
const MOST_NODES: usize = 300;
const THUMB: f64 = 44.0;
const MARGIN: f64 = 8.0;
/// Trees are drawn smaller to fit, down to this; then they scroll.
const SMALLEST: f64 = 0.8;
/// The longest label under a node.
const LONGEST_LABEL: usize = 9;

pub(super) fn tree(view: &TreeView) -> String {
    let family = Family::of(view);
    let shown = family.top(MOST_NODES);
    if shown.is_empty() {
        return "<p class=\"empty\">The tree has no nodes.</p>".to_owned();
    }
    let has_pictures = shown.iter().any(|&place| view.nodes[place].example.picture.is_some());
    let longest =
        shown.iter().map(|&place| label_of(&view.nodes[place]).chars().count().min(LONGEST_LABEL)).max().unwrap_or(0);
    let apart = (7.6 * longest as f64 + 8.0).max(if has_pictures { 60.0 } else { 44.0 });
    let (node, level) = if has_pictures { (THUMB, 112.0) } else { (30.0, 78.0) };
    let sizes = Sizes { node, level, apart };
    // Places among the nodes shown.
    let mut rank = vec![usize::MAX; view.nodes.len()];
    shown.iter().enumerate().for_each(|(nth, &place)| rank[place] = nth);
    let is_shown = |place: &&usize| rank[**place] != usize::MAX;
    let children_of =
        |place: &usize| family.children[*place].iter().filter(is_shown).map(|child| rank[*child]).collect::<Vec<_>>();
    let children = shown.iter().map(children_of).collect::<Vec<_>>();
    let roots = family.roots.iter().filter(is_shown).map(|root| rank[*root]).collect::<Vec<_>>();
    let places = tidy(&roots, &children);

    let widest = places.iter().map(|place| place.x).fold(0.0, f64::max);
    let n_levels = places.iter().map(|place| place.level).max().unwrap_or(0) + 1;
    let width = (widest + 1.0) * apart + 2.0 * MARGIN;
    // Below the last level there is room for the label, and for the number of children left out.
    let below = if shown.len() < view.nodes.len() { 38.0 } else { 20.0 };
    let height = (n_levels - 1) as f64 * sizes.level + sizes.node + below + 2.0 * MARGIN;
    let mut edges = String::new();
    let mut nodes = String::new();
    for (nth, &place) in shown.iter().enumerate() {
        let (x, y) = sizes.middle(places[nth]);
        for &child in &children[nth] {
            let (to_x, to_y) = sizes.middle(places[child]);
            let (start, end) = (y + sizes.node / 2.0 + 20.0, to_y - sizes.node / 2.0);
            let half = (start + end) / 2.0;
            edges.push_str(&format!(
                "M{} {}C{} {} {} {} {} {}",
                At(x),
                At(start),
                At(x),
                At(half),
                At(to_x),
                At(half),
                At(to_x),
                At(end)
            ));
        }
        let n_hidden = family.children[place].len() - children[nth].len();
        nodes.push_str(&draw_node(&view.nodes[place], x, y, &sizes, n_hidden));
    }
    let told = told(view.nodes.len(), shown.len(), n_levels);
    let root_at = sizes.middle(places[0]).0 / width * 100.0;
    format!(
        "<figure class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The tree\"><div class=\"tree\" \
         style=\"max-width:{0}px;min-width:{2}px\"><i style=\"left:{3}%\"></i><svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{4}\">\
         <path class=\"edge\" d=\"{edges}\"/>{nodes}</svg></div></div><p class=\"note\">{4}</p></figure>",
        At(width),
        At(height),
        At(width * SMALLEST),
        At(root_at),
        Safe(&told)
    )
}

struct Sizes {
    node: f64,
    level: f64,
    apart: f64,
}

impl Sizes {
    fn middle(&self, place: Place) -> (f64, f64) {
        (MARGIN + (place.x + 0.5) * self.apart, MARGIN + self.node / 2.0 + place.level as f64 * self.level)
    }
}

fn told(n_nodes: usize, n_shown: usize, n_levels: usize) -> String {
    let levels = if n_levels == 1 { "1 level".to_owned() } else { format!("{n_levels} levels") };
    if n_shown == n_nodes {
        let nodes = if n_nodes == 1 {
            "1 stored example".to_owned()
        } else {
            format!("{} stored examples", count(n_nodes as u64))
        };
        return format!("{nodes} on {levels}. A node and its children are of different classes.");
    }
    format!(
        "The top: {} of {} stored examples, on {levels}; {} are left out, and numbers below nodes count their children among these.",
        count(n_shown as u64),
        count(n_nodes as u64),
        count((n_nodes - n_shown) as u64)
    )
}

fn label_of(node: &TreeNodeView) -> &str {
    node.example.label.as_deref().unwrap_or("-")
}

fn draw_node(node: &TreeNodeView, x: f64, y: f64, sizes: &Sizes, n_hidden: usize) -> String {
    let example = &node.example;
    let label = label_of(node);
    let half = sizes.node / 2.0;
    let shape = match &example.picture {
        Some(picture) => {
            // The larger side fills the node.
            let longer = picture.width().max(picture.height()) as f64;
            let (wide, high) =
                (sizes.node * picture.width() as f64 / longer, sizes.node * picture.height() as f64 / longer);
            let frame = |by: f64| {
                format!(
                    "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                    At(x - wide / 2.0 - by),
                    At(y - high / 2.0 - by),
                    At(wide + 2.0 * by),
                    At(high + 2.0 * by)
                )
            };
            format!(
                "<rect class=\"frame\" {} rx=\"3\"/><image href=\"{}\" {}/>",
                frame(2.0),
                crate::picture::data_uri(picture),
                frame(0.0)
            )
        }
        None => format!("<path class=\"node\" d=\"{}\"/>", marker_path(example.class, x, y, half * 0.7)),
    };
    let hidden = if n_hidden == 0 {
        String::new()
    } else {
        format!("<text class=\"more\" x=\"{}\" y=\"{}\">+{}</text>", At(x), At(y + half + 33.0), count(n_hidden as u64))
    };
    let source = if example.source.is_empty() { String::new() } else { format!(", {}", example.source) };
    format!(
        "<g class=\"{}\"><title>node {}: {}{}</title>{shape}<text x=\"{}\" y=\"{}\">{}</text>{hidden}</g>",
        color_class(example.class),
        node.id,
        Safe(label),
        Safe(&source),
        At(x),
        At(y + half + 16.0),
        Safe(&shorten(label, LONGEST_LABEL))
    )
}
