//! Examples and their pictures.

use super::escape::{Safe, shorten};
use super::palette::{color_class, named_class};
use crate::number::{number, percent};
use crate::picture::data_uri;
use crate::wording::away;
use crate::{ExampleView, Picture};

/// A picture whose longer side takes `size` pixels of the page.
pub(super) fn image(picture: &Picture, size: usize, described: &str) -> String {
    let longer = picture.width().max(picture.height());
    let side = |pixels: usize| (pixels * size / longer).max(1);
    format!(
        "<img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\"/>",
        data_uri(picture),
        side(picture.width()),
        side(picture.height()),
        Safe(described)
    )
}

/// What a picture shows, for those who do not see it.
pub(super) fn described(example: &ExampleView) -> String {
    let label = example.label.as_deref().unwrap_or("unknown");
    let source = if example.source.is_empty() { String::new() } else { format!(" ({})", example.source) };
    shorten(&format!("example of {label}{source}"), 200)
}

pub(super) fn labelled(example: &ExampleView) -> String {
    named_class(example.class, example.label.as_deref().unwrap_or("no label"))
}

/// An item of a list of examples; `facts` stand under its label, distance and weight.
pub(super) fn item(example: &ExampleView, facts: &[String]) -> String {
    let picture = example.picture.as_ref().map_or(String::new(), |picture| image(picture, 56, &described(example)));
    // Held together by a blank that does not break.
    let weight = example.weight.map(|weight| format!("weight {}", percent(weight).replace(' ', "\u{a0}")));
    let distance = example.distance.filter(|distance| distance.is_finite()).map(away);
    let facts = distance.into_iter().chain(weight).chain(facts.iter().cloned());
    let facts = facts.map(|fact| format!("<small>{}</small>", Safe(&fact))).collect::<String>();
    let source = if example.source.is_empty() {
        example.id.map_or(String::new(), |id| format!("example {id}"))
    } else {
        shorten(&example.source, 80)
    };
    let source = if source.is_empty() { String::new() } else { format!("<small>{}</small>", Safe(&source)) };
    format!(
        "<li class=\"{}\">{picture}<span><b>{}</b>{facts}{source}</span></li>",
        color_class(example.class),
        labelled(example)
    )
}

/// An item of a row of examples that were looked at: a picture alone, or a label and distance.
pub(super) fn small_item(example: &ExampleView, node: u32, is_taken: bool) -> String {
    let distance = example.distance.map_or(String::new(), |distance| format!(", {}", away(distance)));
    let title = format!("node {node}: {}{distance}", example.label.as_deref().unwrap_or("no label"));
    let shown = match &example.picture {
        Some(picture) => image(picture, 32, &described(example)),
        None => format!("{} {}", labelled(example), example.distance.map_or(String::new(), number)),
    };
    let taken = if is_taken { " taken" } else { "" };
    format!("<li class=\"{}{taken}\" title=\"{}\">{shown}</li>", color_class(example.class), Safe(&title))
}
