//! Sentences that pages and terminals share.

use crate::number::{count, number, percent};
use crate::{Answer, DecisionView, NoveltyView, OffByView, RivalView};

pub(crate) fn plural(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {many}", count(n as u64)) }
}

pub(crate) fn away(distance: f64) -> String {
    format!("{} away", number(distance))
}

/// What was asked, said and is true, in one sentence or two.
pub(crate) fn verdict_text(decision: &DecisionView) -> String {
    let asked = if decision.query.source.is_empty() { "Asked" } else { decision.query.source.as_str() };
    let truth = decision.query.label.as_deref();
    match &decision.answer {
        Answer::Label { label, .. } => match (truth, decision.is_right()) {
            (Some(truth), Some(is_right)) => {
                format!("{asked}: said {label}, {}.", judgement_text(truth, is_right, decision.off_by))
            }
            _ => format!("{asked}: said {label}."),
        },
        Answer::Unknown { why, instead_of } => {
            let mut text = format!("{asked}: said unknown");
            if !why.is_empty() {
                text.push_str(&format!(" ({why})"));
            }
            text.push_str(&instead_of.as_ref().map_or(String::new(), |label| format!(", otherwise {label}")));
            text.push('.');
            text.push_str(&truth.map_or(String::new(), |truth| format!(" It is {truth}.")));
            text
        }
    }
}

/// How an answer is to be judged, after what was said: values by how far they are from the truth.
pub(crate) fn judgement_text(truth: &str, is_right: bool, off_by: Option<OffByView>) -> String {
    match off_by.filter(|off| off.difference > 0.0) {
        None if is_right => "which is right".to_owned(),
        None => format!("but it is {truth}"),
        Some(off) => {
            let off_by = format!("off by {}: it is {truth}", number(off.difference));
            if is_right { format!("{off_by}, which is right within {}", number(off.epsilon)) } else { off_by }
        }
    }
}

/// Why not the next best class.
pub(crate) fn margin_text(rival: &RivalView) -> String {
    let example = &rival.example;
    let class = example.label.as_deref().unwrap_or("another class");
    let which = match (example.source.as_str(), example.id) {
        ("", Some(id)) => format!(", {id},"),
        ("", None) => String::new(),
        (source, _) => format!(", {source},"),
    };
    let compared = if rival.margin < 0.0 {
        format!("{} nearer than the nearest of what was said", number(-rival.margin))
    } else if rival.margin == 0.0 {
        "just as near as the nearest of what was said".to_owned()
    } else {
        format!("{} farther away than the nearest of what was said", number(rival.margin))
    };
    format!("Why not {class}? Its nearest stored example{which} is {compared}.")
}

/// How unusual the query is.
pub(crate) fn novelty_text(novelty: &NoveltyView) -> String {
    let distance = number(novelty.distance);
    match novelty.share_farther {
        Some(share) => {
            format!(
                "Novelty: {distance} from the nearest voter; {} of known examples are at least as far from their own answer.",
                percent(share)
            )
        }
        None => format!("Novelty: {distance} from the nearest voter."),
    }
}
