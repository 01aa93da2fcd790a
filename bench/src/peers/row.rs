//! One way to do the thing, with every measurement of it, and its lines of CSV.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::interleaved::median;

/// One way to do the thing, on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The data.
    pub data: String,
    /// Who does it, and how.
    pub method: String,
    /// The effort or the number of examples, where data and method do not name the row alone.
    pub at: Option<u64>,
    /// Whether it is one of ours.
    pub is_ours: bool,
    /// Its threads.
    pub threads: usize,
    /// The measurements by name: one number for each repeat.
    pub values: BTreeMap<String, Vec<f64>>,
    /// What the reader must know of it.
    pub note: String,
    /// Whether it has failed, as the note says. It is not asked again.
    pub has_failed: bool,
    /// How many values of each measurement, and which note, have been given by [`Row::new_lines`].
    given: BTreeMap<String, usize>,
    given_note: String,
}

/// The first line of a CSV of measurements. A line with `failed` for its measurement has a note that says why; one with none has a note alone.
pub const CSV_HEAD: &str = "question,data,method,at,ours,threads,measurement,repeat,value,note\n";

/// The measurement of a line whose note says why a row has failed.
pub const FAILED: &str = "failed";

impl Row {
    /// A row without measurements.
    pub fn new(data: &str, method: &str, is_ours: bool, threads: usize) -> Self {
        Self {
            data: data.to_owned(),
            method: method.to_owned(),
            at: None,
            is_ours,
            threads,
            values: BTreeMap::new(),
            note: String::new(),
            has_failed: false,
            given: BTreeMap::new(),
            given_note: String::new(),
        }
    }

    /// The same at an effort, or with so many examples.
    #[must_use]
    pub fn at(self, at: u64) -> Self {
        Self { at: Some(at), ..self }
    }

    /// A row with the same data, method, threads and note, but other measurements.
    pub fn like(&self) -> Self {
        let Self { note, has_failed, .. } = self.clone();
        Self { note, has_failed, ..Self::new(&self.data, &self.method, self.is_ours, self.threads) }
    }

    /// Whether two rows are of the same thing.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.data, &self.method, self.at, self.is_ours, self.threads)
            == (&other.data, &other.method, other.at, other.is_ours, other.threads)
    }

    /// Says why there are no more measurements.
    pub fn fail(&mut self, reason: &str) {
        self.note = reason.to_owned();
        self.has_failed = true;
    }

    /// Adds a measurement.
    pub fn push(&mut self, name: &str, value: f64) {
        self.values.entry(name.to_owned()).or_default().push(value);
    }

    /// The median of a measurement.
    pub fn median(&self, name: &str) -> Option<f64> {
        self.values.get(name).filter(|values| !values.is_empty()).map(|values| median(values))
    }

    /// The newest of a measurement.
    pub fn last(&self, name: &str) -> Option<f64> {
        self.values.get(name).and_then(|values| values.last().copied())
    }

    /// How often it was measured.
    pub fn n_repeats(&self) -> usize {
        self.values.values().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether this repeat, counted from 0, need not be made: it is there, or the row has failed.
    pub fn has(&self, repeat: usize) -> bool {
        self.has_failed || self.n_repeats() > repeat
    }

    /// Leaves out what belongs to a repeat that was not written to its end.
    pub(super) fn cut_to_whole_repeats(&mut self) {
        let whole = self.values.values().map(Vec::len).min().unwrap_or(0);
        self.values.values_mut().for_each(|values| values.truncate(whole));
    }

    /// Takes all that it has as given: it was read from lines.
    pub(super) fn mark_given(&mut self) {
        self.given = self.values.iter().map(|(name, values)| (name.clone(), values.len())).collect();
        self.given_note.clone_from(&self.note);
    }

    /// Lines of CSV with what has come since this was last called.
    pub fn new_lines(&mut self, question: &str) -> String {
        let text = self.csv_lines(question, &self.given, &self.given_note);
        self.mark_given();
        text
    }

    /// Lines of CSV with everything.
    pub fn lines(&self, question: &str) -> String {
        self.csv_lines(question, &BTreeMap::new(), "")
    }

    /// Lines of CSV with every measurement but for the first so many, and the note but for one that is known.
    fn csv_lines(&self, question: &str, but: &BTreeMap<String, usize>, known_note: &str) -> String {
        let Self { data, method, is_ours, threads, .. } = self;
        let at = self.at.map(|at| at.to_string()).unwrap_or_default();
        let head = format!("{question},{},{},{at},{is_ours},{threads}", quoted(data), quoted(method));
        let mut text = String::new();
        for (name, values) in &self.values {
            for (repeat, value) in values.iter().enumerate().skip(but.get(name).copied().unwrap_or(0)) {
                let _ = writeln!(text, "{head},{name},{repeat},{value},\"\"");
            }
        }
        if self.note != known_note {
            let what = if self.has_failed { FAILED } else { "" };
            let _ = writeln!(text, "{head},{what},,,{}", quoted(&self.note));
        }
        text
    }
}

/// A number with so many digits behind the point, large ones without any.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    match value.abs() {
        1000.0.. => format!("{value:.0}"),
        _ => format!("{value:.decimals$}"),
    }
}

/// A text as CSV has it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_method_are_told_apart_by_their_effort() {
        let row = |effort| Row::new("digits", "tree", true, 2).at(effort);
        assert!(row(50).is_same(&row(50)) && !row(50).is_same(&row(200)));
        let mut some = row(50);
        some.push("s", 1.5);
        assert_eq!(some.lines("neighbors"), "neighbors,\"digits\",\"tree\",50,true,2,s,0,1.5,\"\"\n");
    }

    #[test]
    fn a_failure_and_a_note_are_told_apart() {
        let mut row = Row::new("digits", "tree", false, 2);
        row.note = "asked less".to_owned();
        assert_eq!(row.new_lines("raw"), "raw,\"digits\",\"tree\",,false,2,,,,\"asked less\"\n");
        row.fail("no \"tree\"");
        assert_eq!(row.new_lines("raw"), "raw,\"digits\",\"tree\",,false,2,failed,,,\"no \"\"tree\"\"\"\n");
        assert_eq!(row.new_lines("raw"), "");
    }

    #[test]
    fn a_repeat_that_was_cut_off_is_made_again() {
        let mut row = Row::new("digits", "tree", true, 2);
        for (name, value) in [("error", 1.0), ("seconds", 2.0), ("error", 1.0)] {
            row.push(name, value);
        }
        assert!(row.has(1), "it seems to have two repeats");
        row.cut_to_whole_repeats();
        assert!(row.has(0) && !row.has(1));
        row.fail("gave up after 300 s");
        assert!(row.has(1), "what has failed is not asked again");
    }
}
