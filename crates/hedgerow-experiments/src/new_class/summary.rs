//! The trials put together: means over held-out classes and seeds, as data and as Markdown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::record::{Line, Method, Records};
use crate::error::ExperimentError;
use crate::provenance::Provenance;

/// Means over held-out classes and seeds, with the least and the most where a figure shows them. Accuracies are in percent.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Row {
    /// The data set.
    pub data: String,
    /// The classes that were held out, one at a time.
    pub new_classes: Vec<String>,
    /// How the new class is taken in.
    pub method: Method,
    /// Examples of the new class.
    pub n_added: usize,
    /// Whether these are all that there are. Classes may have different numbers of them; this row has them all, and their mean as number.
    pub is_all: bool,
    /// Trials.
    pub trials: usize,
    /// Accuracy on test examples of the new class.
    pub new_accuracy: f64,
    /// The least and the most of the trials.
    pub new_accuracy_range: (f64, f64),
    /// Accuracy on test examples of the old classes.
    pub old_accuracy: f64,
    /// The least and the most of the trials.
    pub old_accuracy_range: (f64, f64),
    /// Stored examples.
    pub stored: Option<f64>,
    /// Seconds to get there.
    pub seconds: f64,
}

/// The rows, by data set, method and number of examples.
pub(super) fn rows(lines: &[Line]) -> Vec<Row> {
    let mut keys: BTreeSet<(String, Method, bool, usize)> = BTreeSet::new();
    let key = |line: &Line| {
        let is_all = is_all(lines, line);
        (line.data.clone(), line.method, is_all, if is_all { 0 } else { line.n_added })
    };
    keys.extend(lines.iter().map(key));
    keys.into_iter()
        .map(|wanted| row(&lines.iter().filter(|line| key(line) == wanted).collect::<Vec<_>>(), wanted.2))
        .collect()
}

/// Whether a line has all examples of its class: no line of its trial has more.
fn is_all(lines: &[Line], line: &Line) -> bool {
    let mut of_trial = lines
        .iter()
        .filter(|other| other.data == line.data && other.new_class == line.new_class && other.seed == line.seed);
    line.n_added > 0 && !of_trial.any(|other| other.n_added > line.n_added)
}

fn row(lines: &[&Line], is_all: bool) -> Row {
    let mean = |of: &dyn Fn(&Line) -> f64| lines.iter().map(|line| of(line)).sum::<f64>() / lines.len() as f64;
    let range = |of: fn(&Line) -> f64| {
        let numbers = lines.iter().map(|line| of(line));
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| (least.min(n), most.max(n)))
    };
    let first = lines[0];
    let classes: BTreeSet<&str> = lines.iter().map(|line| line.new_class.as_str()).collect();
    Row {
        data: first.data.clone(),
        new_classes: classes.into_iter().map(str::to_owned).collect(),
        method: first.method,
        n_added: mean(&|line| line.n_added as f64).round() as usize,
        is_all,
        trials: lines.len(),
        new_accuracy: mean(&|line| line.new_accuracy),
        new_accuracy_range: range(|line| line.new_accuracy),
        old_accuracy: mean(&|line| line.old_accuracy),
        old_accuracy_range: range(|line| line.old_accuracy),
        stored: first.n_stored.map(|_| mean(&|line| line.n_stored.unwrap_or(0) as f64)),
        seconds: mean(&|line| line.seconds),
    }
}

/// The table, a line for each number of examples, and what there is to say.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "The representation is learned without one class (DBS); then its examples are added to the boundary tree alone. Accuracies are of test examples, in \
         percent, `new / old classes`: means over held-out classes and seeds. Seconds of a tree are those of adding, one example at a time through network and \
         tree; without any added, and of what is trained or learned anew, those of learning. A tree built anew is built from the representations of all old and these new examples, shuffled; the network stays.\n",
    );
    let data: BTreeSet<&str> = rows.iter().map(|row| row.data.as_str()).collect();
    for data in data {
        let mine: Vec<&Row> = rows.iter().filter(|row| row.data == data).collect();
        let classes = mine.first().map_or(String::new(), |row| row.new_classes.join(", "));
        let trials = mine.iter().map(|row| row.trials).max().unwrap_or(0);
        text +=
            &format!("\n{data}, held out: {classes} ({trials} {})\n\n", if trials == 1 { "trial" } else { "trials" });
        text += "| added | tree | stored | seconds | tree built anew | stored | seconds | NNet* trained anew | seconds | DBS learned anew | stored | seconds |\n";
        text += "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        let numbers: BTreeSet<(bool, usize)> = mine.iter().map(|row| (row.is_all, row.n_added)).collect();
        for (is_all, n_added) in numbers {
            let of = |method: Method| {
                mine.iter().find(|row| row.method == method && row.is_all == is_all && row.n_added == n_added).copied()
            };
            let accuracy = |method: Method| {
                cell(of(method), |row| Some(format!("{:.1} / {:.1}", row.new_accuracy, row.old_accuracy)))
            };
            let stored = |method: Method| cell(of(method), |row| row.stored.map(|stored| format!("{stored:.0}")));
            let seconds = |method: Method| cell(of(method), |row| Some(seconds_text(row.seconds)));
            let added = if is_all { format!("all ({n_added})") } else { n_added.to_string() };
            let (tree, rebuilt) = (Method::Tree, Method::Rebuilt);
            let (classifier, relearned) = (Method::Classifier, Method::Relearned);
            text += &format!(
                "| {added} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                accuracy(tree),
                stored(tree),
                seconds(tree),
                accuracy(rebuilt),
                stored(rebuilt),
                seconds(rebuilt),
                accuracy(classifier),
                seconds(classifier),
                accuracy(relearned),
                stored(relearned),
                seconds(relearned)
            );
        }
    }
    text
}

fn cell(row: Option<&Row>, text: impl Fn(&Row) -> Option<String>) -> String {
    row.and_then(text).unwrap_or_else(|| "-".to_owned())
}

fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// Writes the summary beside the measurements.
pub(super) fn write(
    folder: &Path,
    summary: &str,
    records: &Records,
    provenance: &Provenance,
) -> Result<(), ExperimentError> {
    let of = |what: fn(&Line) -> String| {
        let all: BTreeSet<String> = records.lines().iter().map(what).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "# new-class\n\n- command: `{}`\n- revisions: {}\n- threads: {}\n\n{summary}\n## Setup\n\n{}",
        provenance.command,
        of(|line| line.revision.clone()),
        of(|line| line.threads.to_string()),
        provenance.setup
    );
    let path = folder.join("new-class-summary.md");
    fs::create_dir_all(folder).map_err(ExperimentError::of_file(folder))?;
    fs::write(&path, text).map_err(ExperimentError::of_file(&path))
}

#[cfg(test)]
mod tests {
    use super::super::record::line;
    use super::*;

    #[test]
    fn trials_are_put_together_by_number_and_all_by_being_all() {
        let mut lines =
            vec![line(Method::Tree, 0, 0, 0.0), line(Method::Tree, 0, 1, 40.0), line(Method::Tree, 0, 9, 90.0)];
        // The other trial has fewer examples in all: 7.
        lines.extend([line(Method::Tree, 1, 0, 0.0), line(Method::Tree, 1, 1, 60.0), line(Method::Tree, 1, 7, 100.0)]);
        lines.push(line(Method::Classifier, 0, 9, 99.0));
        let rows = rows(&lines);
        assert_eq!(rows.len(), 4);
        let one = rows.iter().find(|row| row.n_added == 1).unwrap();
        assert_eq!((one.trials, one.new_accuracy, one.new_accuracy_range), (2, 50.0, (40.0, 60.0)));
        let all = rows.iter().find(|row| row.is_all && row.method == Method::Tree).unwrap();
        assert_eq!((all.n_added, all.new_accuracy, all.stored), (8, 95.0, Some(28.0)));
        let text = markdown(&rows);
        assert!(text.contains("| 1 | 50.0 / 98.5 | 21 | 250.0 ms | - |"), "{text}");
        assert!(text.contains("| all (8) | 95.0 / 98.5 |"), "{text}");
    }
}
