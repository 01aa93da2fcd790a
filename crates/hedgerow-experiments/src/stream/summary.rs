//! The streams put together: means over seeds, as data and as Markdown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::drift::Drift;
use super::insertion::InsertionCost;
use super::learners::Learner;
use super::record::{Line, Records, Window};
use crate::error::ExperimentError;
use crate::provenance::Provenance;

/// How a learner followed the stream: means over seeds. Accuracies are in percent.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Row {
    /// Who.
    pub learner: Learner,
    /// Seeds.
    pub seeds: usize,
    /// Share of right answers over the whole stream.
    pub accuracy: f64,
    /// In the tenth of the stream before everything changes.
    pub accuracy_before_change: f64,
    /// In the first window after it.
    pub accuracy_after_change: f64,
    /// In the last tenth of the stream.
    pub accuracy_at_end: f64,
    /// Stored examples at the end.
    pub stored: f64,
    /// Examples asked about and shown in a second.
    pub examples_per_second: f64,
}

/// A row for each learner.
pub(super) fn rows(records: &Records, drift: &Drift) -> Vec<Row> {
    let row = |learner: Learner| {
        let lines: Vec<&Line> = records.lines().iter().filter(|line| line.learner == learner).collect();
        let seeds: BTreeSet<u64> = lines.iter().map(|line| line.seed).collect();
        let accuracy = |from: usize, to: usize| {
            let within = || lines.iter().map(|line| &line.window).filter(|w| w.end > from && w.end <= to);
            let total = |of: fn(&Window) -> usize| within().map(of).sum::<usize>() as f64;
            100.0 * total(|window| window.n_right) / total(|window| window.n).max(1.0)
        };
        let (n, change, tenth) = (drift.n_examples, drift.change_at(), drift.n_examples / 10);
        let window = lines.first().map_or(0, |line| line.window.n);
        let last = lines.iter().filter(|line| line.window.end == n);
        let seconds: f64 = lines.iter().map(|line| line.window.seconds).sum();
        let examples: usize = lines.iter().map(|line| line.window.n).sum();
        Row {
            learner,
            seeds: seeds.len(),
            accuracy: accuracy(0, n),
            accuracy_before_change: accuracy(change - tenth, change),
            accuracy_after_change: accuracy(change, change + window),
            accuracy_at_end: accuracy(n - tenth, n),
            stored: last.map(|line| line.window.n_stored as f64).sum::<f64>() / seeds.len().max(1) as f64,
            examples_per_second: examples as f64 / seconds.max(1e-9),
        }
    };
    Learner::ALL.into_iter().filter(|learner| records.lines().iter().any(|l| l.learner == *learner)).map(row).collect()
}

/// Two tables and what there is to say.
pub(super) fn markdown(rows: &[Row], costs: &[InsertionCost], drift: &Drift) -> String {
    let Drift { n_examples, n_classes, turns, n_noise, wrong_labels, .. } = drift;
    let best = 100.0 * (1.0 - wrong_labels * (1.0 - 1.0 / f64::from(*n_classes)));
    let mut text = format!(
        "Each of {n_examples} examples is first asked about, then shown. {n_classes} classes are sectors of a plane that turns by {turns} of a full turn; halfway they change \
         their names; {n_noise} further coordinates mean nothing; {:.0} % of the labels are drawn at random, so that {best:.1} % is the most that can be right. Means over seeds, \
         accuracies in percent. A tree begun anew starts from the last {} examples, every {}; a tree that forgets has the last {} by exact removal; the static one \
         the first {}.\n\n",
        100.0 * wrong_labels,
        n_examples / 20,
        n_examples / 40,
        n_examples / 20,
        n_examples / 20,
    );
    text += "| learner | seeds | accuracy | before the change | just after it | at the end | stored | examples a second |\n";
    text += "|---|--:|--:|--:|--:|--:|--:|--:|\n";
    for row in rows {
        text += &format!(
            "| {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {} |\n",
            row.learner.title(),
            row.seeds,
            row.accuracy,
            row.accuracy_before_change,
            row.accuracy_after_change,
            row.accuracy_at_end,
            row.stored,
            two_digits(row.examples_per_second)
        );
    }
    text += "\nOne insertion, of a single example:\n\n| into | shown before | stored | measured | p50 | p99 |\n|---|--:|--:|--:|--:|--:|\n";
    for cost in costs {
        text += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            cost.what,
            cost.n_shown,
            cost.n_stored,
            cost.n_measured,
            microseconds(cost.p50_microseconds),
            microseconds(cost.p99_microseconds)
        );
    }
    text
}

/// A rate with two digits that count, which is as much as is known of it.
fn two_digits(rate: f64) -> String {
    if rate < 1.0 || !rate.is_finite() {
        return format!("{rate:.1}");
    }
    let unit = 10_f64.powf(rate.log10().floor() - 1.0).max(1.0);
    format!("{:.0}", (rate / unit).round() * unit)
}

fn microseconds(number: f64) -> String {
    match number {
        n if n < 1000.0 => format!("{n:.1} us"),
        n => format!("{:.1} ms", n / 1000.0),
    }
}

/// Writes the summary beside the measurements.
pub(super) fn write(
    folder: &Path,
    summary: &str,
    records: &Records,
    provenance: &Provenance,
) -> Result<(), ExperimentError> {
    let of_lines = records.lines().iter().map(|line| line.revision.as_str());
    let revisions: BTreeSet<&str> = of_lines.chain(records.costs().iter().map(|cost| cost.revision.as_str())).collect();
    let text = format!(
        "# stream\n\n- command: `{}`\n- revisions: {}\n\n{summary}\n## Setup\n\n{}",
        provenance.command,
        revisions.into_iter().collect::<Vec<_>>().join(", "),
        provenance.setup
    );
    let path = folder.join("stream-summary.md");
    fs::create_dir_all(folder).map_err(ExperimentError::of_file(folder))?;
    fs::write(&path, text).map_err(ExperimentError::of_file(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracies_are_of_their_part_of_the_stream() {
        let folder = tempfile::tempdir().unwrap();
        let drift = Drift { n_examples: 100, ..Drift::default() };
        let mut records = Records::open(folder.path(), &drift).unwrap();
        let provenance = Provenance { command: String::new(), revision: "1".into(), setup: String::new() };
        let right = |number: usize| match number {
            4 => 9, // before the change
            5 => 1, // after it
            9 => 8, // the last
            _ => 5,
        };
        let window =
            |at: usize| Window { end: 10 * (at + 1), n: 10, n_right: right(at), n_stored: 7 * at, seconds: 0.1 };
        records.add(Learner::Tree, 0, (0..10).map(window).collect(), &provenance).unwrap();
        let rows = rows(&records, &drift);
        assert_eq!(rows.len(), 1);
        let Row { accuracy_before_change, accuracy_after_change, accuracy_at_end, stored, .. } = rows[0];
        assert_eq!((accuracy_before_change, accuracy_after_change, accuracy_at_end, stored), (90.0, 10.0, 80.0, 63.0));
        assert!((rows[0].examples_per_second - 100.0).abs() < 1e-6);
        assert!(
            markdown(&rows, &[], &drift).contains("| tree that learns on | 1 | 53.0 | 90.0 | 10.0 | 80.0 | 63 | 100 |")
        );
        assert_eq!([123_456.0, 87.6, 9.4].map(two_digits), ["120000", "88", "9"]);
    }
}
