//! One decision as text.

use super::{CaptionedPicture, Characters, cut, pad, render_pictures_text, tame, text_bar, text_table, wrap};
use crate::comparison::{Compared, compare};
use crate::number::{count, number, percent};
use crate::wording::{away, margin_text, novelty_text, plural, verdict_text};
use crate::{Column, DecisionView, ExampleView, WalkView};

use unicode_width::UnicodeWidthStr;

/// At most so many classes, voters and walks are listed; more are counted.
const MOST_LISTED: usize = 8;
const MOST_WALKS: usize = 3;

/// A decision in lines of at most `width` cells (of which there should be 60 or more): pictures, the answer, probabilities, the walk, the voters,
/// the rival and the novelty. Parts that the view does not have are left out.
pub fn render_decision_text(decision: &DecisionView, width: usize, characters: Characters) -> String {
    let width = width.max(20);
    let parts = [
        pictures(decision, width, characters),
        paragraph(&verdict_text(decision), width),
        probabilities(decision, width, characters),
        walks(decision, width, characters),
        voters(decision, width),
        features(decision, width),
        paragraph(&decision.rival.as_ref().map_or(String::new(), margin_text), width),
        paragraph(&decision.novelty.as_ref().map_or(String::new(), novelty_text), width),
    ];
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
}

fn paragraph(text: &str, width: usize) -> String {
    wrap(&tame(text), width).iter().map(|line| format!("{line}\n")).collect()
}

/// The query, the nodes of the first walk or else the voters, and the rival.
fn pictures(decision: &DecisionView, width: usize, characters: Characters) -> String {
    let told = |what: &str, example: &ExampleView| {
        let label = example.label.as_deref().unwrap_or("");
        format!("{what}\n{}\n{}", tame(label), example.distance.map_or(String::new(), away))
    };
    let mut shown = vec![(&decision.query, told("asked", &decision.query))];
    match decision.walks.first() {
        Some(walk) => shown.extend(walk.steps.iter().map(|step| (&step.at.example, told("walked", &step.at.example)))),
        None => shown.extend(decision.voters.iter().take(MOST_LISTED).map(|voter| (voter, told("voter", voter)))),
    }
    shown.extend(decision.rival.iter().map(|rival| (&rival.example, told("rival", &rival.example))));
    let pictures = shown.iter().filter_map(|(example, caption)| {
        let picture = example.picture.as_ref()?;
        Some(CaptionedPicture { picture, caption })
    });
    render_pictures_text(&pictures.collect::<Vec<_>>(), width, characters)
}

fn probabilities(decision: &DecisionView, width: usize, characters: Characters) -> String {
    let shown = decision.class_probabilities.iter().take(MOST_LISTED).collect::<Vec<_>>();
    let name = |label: &str| cut(&tame(label), width / 3);
    let name_width = shown.iter().map(|of| name(&of.label).width()).max().unwrap_or(0);
    let bar_width = width.saturating_sub(name_width + 11).min(40);
    let mut text = String::new();
    for of in &shown {
        let bar = text_bar(of.probability, bar_width, characters);
        text.push_str(&format!("{} {bar} {:>8}\n", pad(&name(&of.label), name_width), percent(of.probability)));
    }
    text.push_str(&left_out(decision.class_probabilities.len(), shown.len(), "class", "classes"));
    text
}

fn walks(decision: &DecisionView, width: usize, characters: Characters) -> String {
    let walks = decision.walks.iter().take(MOST_WALKS);
    let mut text =
        walks.map(|walk| paragraph(&walk_text(walk, decision.walks.len(), characters), width)).collect::<String>();
    text.push_str(&left_out(decision.walks.len(), MOST_WALKS, "tree was walked", "trees were walked"));
    text
}

fn walk_text(walk: &WalkView, n_walks: usize, characters: Characters) -> String {
    let arrow = if characters == Characters::Unicode { " → " } else { " -> " };
    let place = if n_walks > 1 { format!("The walk through tree {}: ", walk.tree) } else { "The walk: ".to_owned() };
    let mut taken_from: Option<&crate::StepView> = None;
    let mut steps = Vec::new();
    for step in &walk.steps {
        let example = &step.at.example;
        let mut facts = vec![example.label.clone().unwrap_or_else(|| "no label".to_owned())];
        facts.extend(example.distance.map(away));
        if let Some(from) = taken_from {
            facts.push(format!("of {}", plural(from.children.len(), "child", "children")));
            facts.extend(from.transition_probability.map(|probability| format!("probability {}", number(probability))));
        }
        steps.push(format!("node {} ({})", step.at.node, facts.join(", ")));
        taken_from = Some(step);
    }
    format!("{place}{}", steps.join(arrow))
}

fn voters(decision: &DecisionView, width: usize) -> String {
    if decision.voters.is_empty() {
        return String::new();
    }
    let columns = [
        Column::left("voter"),
        Column::left("label"),
        Column::right("distance"),
        Column::right("weight"),
        Column::left("source"),
    ];
    let or_dash = |value: Option<f64>| value.map_or("-".to_owned(), number);
    let row = |voter: &ExampleView| {
        vec![
            voter.id.map_or("-".to_owned(), |id| id.to_string()),
            short(voter.label.as_deref().unwrap_or(""), width / 4),
            or_dash(voter.distance),
            voter.weight.map_or("-".to_owned(), percent),
            short(&voter.source, width / 3),
        ]
    };
    let rows = decision.voters.iter().take(MOST_LISTED).map(row).collect::<Vec<_>>();
    text_table(&columns, &rows) + &left_out(decision.voters.len(), rows.len(), "voter", "voters")
}

/// The features that tell the query from its nearest voter and from the rival.
fn features(decision: &DecisionView, width: usize) -> String {
    let Some(Compared { others, rows }) = compare(decision) else { return String::new() };
    let mut columns = vec![Column::left("feature"), Column::right("asked")];
    columns.extend(others.iter().map(|other| Column::right(short(&other.heading, width / 4))));
    let row = |row: &crate::comparison::Row| {
        let mut cells = vec![short(&row.name, width / 4), number(row.query)];
        cells.extend(row.others.iter().map(|value| value.map_or("-".to_owned(), number)));
        cells
    };
    text_table(&columns, &rows.iter().map(row).collect::<Vec<_>>())
}

fn short(text: &str, width: usize) -> String {
    cut(&tame(text), width.max(8))
}

fn left_out(all: usize, shown: usize, one: &str, many: &str) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        1 => format!("and 1 more {one}\n"),
        n => format!("and {} more {many}\n", count(n as u64)),
    }
}
