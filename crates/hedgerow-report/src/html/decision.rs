//! One decision: asked, said, voters, rival, walk.

use super::escape::{Safe, shorten};
use super::example::{described, image, item, small_item};
use super::palette::{color_class, named_class};
use crate::comparison::compare;
use crate::number::{count, number, percent};
use crate::wording::{judgement_text, margin_text, novelty_text, plural};
use crate::{Answer, CandidateView, DecisionView, StepView, WalkView};

const MOST_CLASSES: usize = 6;
const MOST_VOTERS: usize = 12;
const MOST_WALKS: usize = 3;
const MOST_LOOKED_AT: usize = 24;
/// Longer walks show their ends.
const MOST_STEPS: usize = 24;

/// `heading` is the level of the heading: 2 on a page of its own, 3 within a section.
pub(super) fn decision(view: &DecisionView, heading: u8) -> String {
    let asked = view.query.picture.as_ref().map_or(String::new(), |picture| {
        let color = color_class(view.query.class);
        format!(
            "<div class=\"asked {color}\">{}</div>",
            image(picture, 140, &format!("asked: {}", described(&view.query)))
        )
    });
    let source = if view.query.source.is_empty() { "a query" } else { view.query.source.as_str() };
    let mut said = format!("<h{heading}>{}</h{heading}><p class=\"source\">Asked: {}</p>", verdict(view), Safe(source));
    if let Answer::Unknown { why, .. } = &view.answer {
        said.push_str(&if why.is_empty() { String::new() } else { format!("<p>{}</p>", Safe(why)) });
    }
    said.push_str(&probabilities(view));
    said.push_str(
        &view
            .novelty
            .as_ref()
            .map_or(String::new(), |novelty| format!("<p class=\"note\">{}</p>", Safe(&novelty_text(novelty)))),
    );
    let sides = [voters(view), rival(view)];
    let sides =
        sides.iter().filter(|side| !side.is_empty()).map(|side| format!("<div>{side}</div>")).collect::<String>();
    let sides = if sides.is_empty() { sides } else { format!("<div class=\"pair\">{sides}</div>") };
    format!(
        "<article class=\"decision\">{asked}<div class=\"said\">{said}</div>{sides}{}{}</article>",
        features(view),
        walks(view)
    )
}

fn verdict(view: &DecisionView) -> String {
    let truth = view.query.label.as_ref().map(|label| named_class(view.query.class, &shorten(label, 120)));
    let badge = |kind: &str, text: &str| format!("<span class=\"verdict {kind}\">{text}</span>");
    match &view.answer {
        Answer::Label { label, class } => {
            let said = named_class(*class, &shorten(label, 120));
            if let Some((off, truth)) = view.off_by.filter(|off| off.difference > 0.0).zip(view.query.label.as_ref()) {
                let is_right = off.difference <= off.epsilon;
                let judged = judgement_text(&shorten(truth, 120), is_right, Some(off));
                // Where only equal values count as the same, being off is what is expected.
                let kind = match (is_right, off.epsilon > 0.0) {
                    (true, _) => badge("good", "right"),
                    (false, true) => badge("bad", "off"),
                    (false, false) => badge("open", "off"),
                };
                return format!("{kind}said {said}, {}", Safe(&judged));
            }
            match (view.is_right(), truth) {
                (Some(true), _) => format!("{}said {said}", badge("good", "right")),
                (Some(false), Some(truth)) => format!("{}said {said}, but it is {truth}", badge("bad", "wrong")),
                _ => format!("{}said {said}", badge("open", "answer")),
            }
        }
        Answer::Unknown { instead_of, .. } => {
            let otherwise = instead_of
                .as_ref()
                .map_or(String::new(), |label| format!(", otherwise {}", Safe(&shorten(label, 120))));
            let truth = truth.map_or(String::new(), |truth| format!("; it is {truth}"));
            format!("{}said unknown{otherwise}{truth}", badge("open", "unknown"))
        }
    }
}

fn probabilities(view: &DecisionView) -> String {
    if view.class_probabilities.is_empty() {
        return String::new();
    }
    let row = |of: &crate::ClassProbability| {
        let share = if of.probability.is_finite() { of.probability.clamp(0.0, 1.0) } else { 0.0 };
        format!(
            "<li><span>{}</span><span class=\"track {}\"><i style=\"width:{:.1}%\"></i></span><span class=\"amount\">{}</span></li>",
            named_class(of.class, &shorten(&of.label, 60)),
            color_class(of.class),
            100.0 * share,
            percent(of.probability)
        )
    };
    let rows = view.class_probabilities.iter().take(MOST_CLASSES).map(row).collect::<String>();
    let more = view.class_probabilities.len().saturating_sub(MOST_CLASSES);
    let more = if more > 0 {
        format!("<li><span class=\"whole source\">and {} with less</span></li>", plural(more, "class", "classes"))
    } else {
        String::new()
    };
    format!("<ul class=\"probabilities\" aria-label=\"Probabilities of classes\">{rows}{more}</ul>")
}

fn voters(view: &DecisionView) -> String {
    if view.voters.is_empty() {
        return String::new();
    }
    let items = view.voters.iter().take(MOST_VOTERS).map(|voter| item(voter, &[])).collect::<String>();
    let more = view.voters.len().saturating_sub(MOST_VOTERS);
    let more = if more > 0 {
        format!("<p class=\"note\">and {}</p>", plural(more, "more voter", "more voters"))
    } else {
        String::new()
    };
    format!(
        "<h4>{}</h4><ul class=\"examples voters\">{items}</ul>{more}",
        if view.voters.len() == 1 { "Who decided" } else { "Who voted" }
    )
}

fn rival(view: &DecisionView) -> String {
    let Some(rival) = &view.rival else { return String::new() };
    format!(
        "<h4>The nearest of another class</h4><ul class=\"examples\">{}</ul><p class=\"note\">{}</p>",
        item(&rival.example, &[]),
        Safe(&margin_text(rival))
    )
}

fn features(view: &DecisionView) -> String {
    let Some(compared) = compare(view) else { return String::new() };
    let headings =
        compared.others.iter().map(|other| format!("<th class=\"num\" scope=\"col\">{}</th>", Safe(&other.heading)));
    let row = |row: &crate::comparison::Row| {
        let others =
            row.others.iter().map(|value| format!("<td class=\"num\">{}</td>", value.map_or("-".to_owned(), number)));
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td>{}</tr>",
            Safe(&row.name),
            number(row.query),
            others.collect::<String>()
        )
    };
    format!(
        "<div><h4>The features that differ most</h4><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Features\"><table><tr>\
         <th scope=\"col\">feature</th><th class=\"num\" scope=\"col\">asked</th>{}</tr>{}</table></div></div>",
        headings.collect::<String>(),
        compared.rows.iter().map(row).collect::<String>()
    )
}

fn walks(view: &DecisionView) -> String {
    let shown = view.walks.iter().filter(|walk| !walk.steps.is_empty()).take(MOST_WALKS);
    let mut text = shown.map(|walk| walk_html(walk, view.walks.len())).collect::<String>();
    let more = view.walks.len().saturating_sub(MOST_WALKS);
    if more > 0 {
        text.push_str(&format!(
            "<p class=\"note\">and {}</p>",
            plural(more, "more tree was walked", "more trees were walked")
        ));
    }
    text
}

fn walk_html(walk: &WalkView, n_walks: usize) -> String {
    let n = walk.steps.len();
    let mut items = String::new();
    for (nth, step) in walk.steps.iter().enumerate() {
        let is_left_out = n > MOST_STEPS && (MOST_STEPS / 2..n - MOST_STEPS / 2).contains(&nth);
        if is_left_out {
            if nth == MOST_STEPS / 2 {
                items.push_str(&format!("<li>{} more</li>", count((n - 2 * (MOST_STEPS / 2)) as u64)));
            }
            continue;
        }
        let mut facts =
            vec![if nth == 0 { format!("node {}, the root", step.at.node) } else { format!("node {}", step.at.node) }];
        if let Some(from) = nth.checked_sub(1).map(|before| &walk.steps[before]) {
            let probability = from
                .transition_probability
                .map_or(String::new(), |probability| format!(", p = {}", number(probability)));
            facts.push(format!("1 of {}{probability}", plural(from.children.len(), "child", "children")));
        }
        items.push_str(&item(&step.at.example, &facts));
    }
    let title = if n_walks > 1 { format!("The walk through tree {}", walk.tree) } else { "The walk".to_owned() };
    let looked = walk.steps.iter().take(MOST_STEPS).map(looked_at).collect::<String>();
    format!(
        "<div><h4>{title}</h4><ol class=\"examples walk\">{items}</ol><details><summary>What each step looked at</summary>{looked}</details></div>"
    )
}

/// The node and its children, nearest first.
fn looked_at(step: &StepView) -> String {
    let mut candidates = step.children.iter().collect::<Vec<_>>();
    candidates.extend(step.may_stop.then_some(&step.at));
    let distance = |candidate: &CandidateView| candidate.example.distance.unwrap_or(f64::INFINITY);
    candidates.sort_by(|one, two| distance(one).total_cmp(&distance(two)));
    let shown = candidates.iter().take(MOST_LOOKED_AT);
    let items = shown.map(|of| small_item(&of.example, of.node, of.node == step.next)).collect::<String>();
    let more = candidates.len().saturating_sub(MOST_LOOKED_AT);
    let more = if more > 0 { format!("<li>and {} farther away</li>", count(more as u64)) } else { String::new() };
    let end = match (step.next == step.at.node, step.may_stop) {
        (true, _) => "it is the nearest itself, and the walk ends",
        (false, true) => "the nearest of it and its children is taken",
        (false, false) => "it is full, and the nearest of its children is taken",
    };
    format!("<p>At node {}: {end}.</p><ul class=\"looked\">{items}{more}</ul>", step.at.node)
}
