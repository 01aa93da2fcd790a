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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, CandidateView, ClassProbability, NoveltyView, Picture, RivalView, StepView};

    fn example(id: u64, label: &str, distance: Option<f64>) -> ExampleView {
        let picture = Picture::new(1, 2, 1, vec![255, 128]).ok();
        ExampleView {
            id: Some(id),
            source: format!("row {id}"),
            label: Some(label.to_owned()),
            distance,
            picture,
            ..ExampleView::default()
        }
    }

    #[test]
    fn a_small_decision_reads_as_written_by_hand() {
        let at = |node: u32, id: u64, label: &str, distance: f64| CandidateView {
            node,
            example: example(id, label, Some(distance)),
        };
        let steps = vec![
            StepView {
                at: at(0, 7, "4", 40.8),
                children: vec![at(2, 9, "9", 33.3)],
                may_stop: true,
                next: 2,
                transition_probability: Some(0.9),
            },
            StepView {
                at: at(2, 9, "9", 33.3),
                children: Vec::new(),
                may_stop: true,
                next: 2,
                transition_probability: None,
            },
        ];
        let voter = ExampleView { weight: Some(1.0), ..example(9, "9", Some(33.3)) };
        let probability =
            |label: &str, probability| ClassProbability { label: label.to_owned(), class: None, probability };
        let decision = DecisionView {
            query: example(5, "9", None),
            answer: Answer::Label { label: "9".to_owned(), class: None },
            class_probabilities: vec![probability("9", 0.75), probability("4", 0.25)],
            walks: vec![WalkView { tree: 0, steps }],
            voters: vec![voter],
            rival: Some(RivalView { example: example(3, "3", Some(33.32)), margin: 0.02 }),
            novelty: Some(NoveltyView { distance: 33.3, share_farther: Some(0.5) }),
            off_by: None,
        };
        let expected = "\
@@++    @@++        @@++        @@++
asked   walked      walked      rival
9       4           9           3
        40.8 away   33.3 away   33.3 away

row 5: said 9, which is right.

9 ##############################             75.0 %
4 ##########                                 25.0 %

The walk: node 0 (4, 40.8 away) -> node 2 (9, 33.3 away, of 1 child, probability 0.900)

voter  label  distance  weight  source
9      9          33.3   100 %  row 9

Why not 3? Its nearest stored example, row 3, is 0.0200 farther away than the nearest of what was said.

Novelty: 33.3 from the nearest voter; 50.0 % of known examples are at least as far from their own answer.
";
        assert_eq!(render_decision_text(&decision, 110, Characters::Ascii), expected);
    }

    #[test]
    fn what_a_view_does_not_have_is_left_out() {
        let answer = Answer::Unknown { why: "too new".to_owned(), instead_of: Some("9".to_owned()) };
        let decision = DecisionView { answer, ..DecisionView::default() };
        assert_eq!(
            render_decision_text(&decision, 80, Characters::Unicode),
            "Asked: said unknown (too new), otherwise 9.\n"
        );
    }
}
