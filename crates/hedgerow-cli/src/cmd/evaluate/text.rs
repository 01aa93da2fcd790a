//! An evaluation for people: what matters first, tables after it, none of them long.

use hedgerow::{Evaluation, RejectionPoint};
use hedgerow_report::{Column, confusion_view, render_confusion_text, text_table};

use super::Answer;
use crate::table::{bytes_text, facts_text};

/// Classes that are listed; JSON has them all.
const MOST_CLASSES: usize = 30;

/// The widest matrix that is drawn; a wider one is told as the pairs confused most often.
const WIDTH: usize = 100;

/// Shares of the queries answered that the rejection curve is told at.
const SHARES: [f64; 5] = [1.0, 0.95, 0.9, 0.8, 0.5];

pub(super) fn text(answer: &Answer) -> String {
    let evaluation = &answer.evaluation;
    let mut text = facts_text(&facts(answer));
    if let Some(confusion) = confusion_view(evaluation) {
        for part in [
            classes(evaluation),
            render_confusion_text(&confusion, WIDTH),
            calibration(evaluation),
            rejection(evaluation),
        ] {
            text += "\n";
            text += &part;
        }
    }
    text
}

fn facts(answer: &Answer) -> Vec<(&'static str, String)> {
    let evaluation = &answer.evaluation;
    let n = evaluation.n_queries;
    let rows = if answer.split == "all" { format!("all {n} rows") } else { format!("{n} rows of {}", answer.split) };
    let mut facts = vec![("model", answer.model.clone()), ("data", format!("{}, {rows}", answer.data))];
    if let Some(error) = evaluation.error_percent {
        let n_wrong = (error * n as f64 / 100.0).round();
        facts.push(("error", format!("{error:.2} % ({n_wrong} of {n})")));
    }
    if evaluation.n_unknown > 0 {
        let among = evaluation.error_percent_of_answered;
        let among = among.map_or_else(String::new, |error| format!("; error among the others {error:.2} %"));
        let share = 100.0 * evaluation.n_unknown as f64 / n.max(1) as f64;
        facts.push(("unknown", format!("{} ({share:.2} %){among}", evaluation.n_unknown)));
    }
    if let Some(values) = evaluation.values {
        facts.push(("mean absolute error", format!("{:.4}", values.mean_absolute_error)));
        facts.push(("root mean squared error", format!("{:.4}", values.root_mean_squared_error)));
        let r_squared =
            values.r_squared.map_or_else(|| "- (all true values are the same)".to_owned(), |r| format!("{r:.4}"));
        facts.push(("R squared", r_squared));
    }
    facts.push(("stored examples", evaluation.nodes.to_string()));
    facts.push(("memory", bytes_text(evaluation.bytes as u64)));
    let alone = &answer.latency;
    let alone = match (alone.microseconds_per_single_query_p50, alone.microseconds_per_single_query_p99) {
        (Some(half), Some(most)) => format!("; asked alone {half:.1} us (99 of 100 within {most:.1} us)"),
        _ => String::new(),
    };
    facts.push(("time", format!("{:.2} us for each of many{alone}", evaluation.microseconds_per_query)));
    if let (Some(log_loss), Some(calibration)) = (evaluation.log_loss, evaluation.calibration_error_percent) {
        facts.push(("probabilities", format!("log loss {log_loss:.4}, {calibration:.2} % off on average")));
    }
    facts
}

fn classes(evaluation: &Evaluation) -> String {
    let percent = |percent: Option<f64>| percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.2}"));
    let row = |class: &hedgerow::ClassResult| {
        let (error, precision) = (percent(class.error_percent), percent(class.precision_percent));
        vec![class.class.clone(), class.n_queries.to_string(), error, precision]
    };
    let columns =
        [Column::left("class"), Column::right("rows"), Column::right("error %"), Column::right("precision %")];
    let rows: Vec<_> = evaluation.per_class.iter().take(MOST_CLASSES).map(row).collect();
    let more = match evaluation.per_class.len().saturating_sub(MOST_CLASSES) {
        0 => String::new(),
        n => format!("and {n} more classes: --json has them all\n"),
    };
    text_table(&columns, &rows) + &more
}

fn calibration(evaluation: &Evaluation) -> String {
    let row = |bin: &hedgerow::CalibrationBin| {
        vec![
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.n.to_string(),
            format!("{:.1}", 100.0 * bin.mean_probability),
            format!("{:.1}", 100.0 * bin.share_right),
        ]
    };
    let columns =
        [Column::left("probability"), Column::right("answers"), Column::right("said %"), Column::right("right %")];
    text_table(&columns, &evaluation.calibration.iter().map(row).collect::<Vec<_>>())
}

/// What the error would be if only some of the queries were answered.
fn rejection(evaluation: &Evaluation) -> String {
    let nearest = |curve: &[RejectionPoint], share: f64| {
        let distance = |point: &&RejectionPoint| (point.share_answered - share).abs();
        curve.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied()
    };
    let row = |share: f64| {
        let by_probability = nearest(&evaluation.rejection_by_probability, share)?;
        let by_novelty = nearest(&evaluation.rejection_by_novelty, share)?;
        Some(vec![
            format!("{:.0}", 100.0 * by_probability.share_answered),
            format!("{:.2}", by_probability.error_percent),
            format!("{:.3}", by_probability.threshold),
            format!("{:.0}", 100.0 * by_novelty.share_answered),
            format!("{:.2}", by_novelty.error_percent),
            format!("{:.4}", by_novelty.threshold),
        ])
    };
    let columns = ["answered %", "error %", "--reject-probability", "answered %", "error %", "--reject-novelty"];
    let mut rows: Vec<_> = SHARES.into_iter().filter_map(row).collect();
    // Where many answers are equally sure, several shares have the same nearest point.
    rows.dedup();
    text_table(&columns.map(Column::right), &rows)
}
