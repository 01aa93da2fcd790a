//! What a question to the peers gives: rows of ours and of theirs, as Markdown, as CSV with every measurement, and as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::remark::{Remark, escaped, with_code};
use crate::interleaved::median;

/// One way to do the thing, on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The data.
    pub data: String,
    /// Who does it, and how.
    pub method: String,
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

/// The first line of a CSV of measurements.
pub const CSV_HEAD: &str = "question,data,method,ours,threads,measurement,repeat,value,note\n";

impl Row {
    /// A row without measurements.
    pub fn new(data: &str, method: &str, is_ours: bool, threads: usize) -> Self {
        let (data, method) = (data.to_owned(), method.to_owned());
        let (values, given) = (BTreeMap::new(), BTreeMap::new());
        let (note, given_note) = (String::new(), String::new());
        Self { data, method, is_ours, threads, values, note, has_failed: false, given, given_note }
    }

    /// A row with the same data, method, threads and note, but other measurements.
    pub fn like(&self) -> Self {
        let Self { note, has_failed, .. } = self.clone();
        Self { note, has_failed, ..Self::new(&self.data, &self.method, self.is_ours, self.threads) }
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

    /// Lines of CSV with what has come since this was last called.
    pub fn new_lines(&mut self, question: &str) -> String {
        let text = self.csv_lines(question, &self.given, &self.given_note);
        self.given = self.values.iter().map(|(name, values)| (name.clone(), values.len())).collect();
        self.given_note.clone_from(&self.note);
        text
    }

    /// Lines of CSV with every measurement but for the first so many, and the note but for one that is known.
    fn csv_lines(&self, question: &str, but: &BTreeMap<String, usize>, known_note: &str) -> String {
        let Self { data, method, is_ours, threads, .. } = self;
        let head = format!("{question},{},{},{is_ours},{threads}", quoted(data), quoted(method));
        let mut text = String::new();
        for (name, values) in &self.values {
            for (repeat, value) in values.iter().enumerate().skip(but.get(name).copied().unwrap_or(0)) {
                let _ = writeln!(text, "{head},{name},{repeat},{value},\"\"");
            }
        }
        if self.note != known_note {
            let _ = writeln!(text, "{head},,,,{}", quoted(&self.note));
        }
        text
    }
}

/// A column of the summary.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The measurement.
    pub name: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
}

/// The measurement by which rows are compared: smaller is better.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// The measurement.
    pub name: &'static str,
    /// The row of ours that others are compared with.
    pub with: &'static str,
    /// A measurement that both must have alike, as the number of examples, if data and method do not name the row alone.
    pub at_equal: Option<&'static str>,
}

/// Everything that was measured for a question.
#[derive(Debug, Clone)]
pub struct Table {
    /// The question, as in the command.
    pub question: &'static str,
    /// What is asked, for people.
    pub title: &'static str,
    /// The columns behind data, method and threads.
    pub columns: &'static [Column],
    /// What ratios are of.
    pub compared: Option<Compared>,
    /// The rows, those of one data set together.
    pub rows: Vec<Row>,
    /// Python and the peers, or why there are none.
    pub versions: String,
    /// What belongs below the table: fitted exponents, what was left out.
    pub remarks: Vec<Remark>,
    /// Figures: SVG.
    pub figures: Vec<String>,
}

impl Table {
    /// What stands above the table.
    fn intro(&self) -> String {
        let mut text = format!("Peers: {}. Medians of {} repeats.", self.versions, self.repeats());
        if let Some(Compared { name, with, at_equal }) = self.compared {
            let title_of = |name: &'static str| {
                self.columns.iter().find(|column| column.name == name).map_or(name, |column| column.title)
            };
            let title = title_of(name);
            let equal = at_equal.map(|name| format!(" at as many {}", title_of(name))).unwrap_or_default();
            let _ = write!(
                text,
                " `ratio` is {title} of the row, divided by that of `{with}`{equal}: above 1, ours is faster."
            );
        }
        text
    }

    /// The summary.
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n\n{}", self.title, self.intro());
        text.push_str("\n\n| data | method | threads |");
        for Column { title, .. } in self.columns {
            let _ = write!(text, " {title} |");
        }
        text.push_str(if self.compared.is_some() { " ratio |" } else { "" });
        text.push_str(" note |\n|---|---|--:|");
        let n_numbers = self.columns.len() + usize::from(self.compared.is_some());
        text.push_str(&"--:|".repeat(n_numbers));
        text.push_str("---|\n");
        for row in &self.rows {
            let method = if row.is_ours { format!("**{}**", row.method) } else { row.method.clone() };
            let _ = write!(text, "| {} | {method} | {} |", row.data, row.threads);
            for cell in self.cells(row) {
                let _ = write!(text, " {cell} |");
            }
            let _ = writeln!(text, " {} |", row.note.replace('|', "/"));
        }
        for remark in &self.remarks {
            let _ = write!(text, "\n{}", remark.markdown());
        }
        text
    }

    /// The numbers of a row, as text.
    fn cells(&self, row: &Row) -> Vec<String> {
        let number =
            |column: &Column| row.median(column.name).map_or("-".to_owned(), |value| fixed(value, column.decimals));
        let mut cells: Vec<String> = self.columns.iter().map(number).collect();
        if self.compared.is_some() {
            cells.push(self.ratio(row).map_or("-".to_owned(), |ratio| fixed(ratio, 2)));
        }
        cells
    }

    /// How many times the reference's time a row takes, on the same data.
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        let Compared { name, with, at_equal } = self.compared?;
        let is_alike = |other: &Row| at_equal.is_none_or(|name| other.median(name) == row.median(name));
        let mut of_data = self.rows.iter().filter(|other| other.data == row.data && is_alike(other));
        let reference = of_data.find(|other| other.is_ours && other.method == with)?;
        Some(row.median(name)? / reference.median(name)?)
    }

    fn repeats(&self) -> usize {
        self.rows.iter().flat_map(|row| row.values.values()).map(Vec::len).max().unwrap_or(0)
    }

    /// Every measurement, and why others are missing.
    pub fn csv(&self) -> String {
        let lines = self.rows.iter().map(|row| row.csv_lines(self.question, &BTreeMap::new(), ""));
        std::iter::once(CSV_HEAD.to_owned()).chain(lines).collect()
    }

    /// The table and its figures as one page that needs nothing else.
    pub fn html(&self) -> String {
        let mut rows = String::new();
        for row in &self.rows {
            let cells: String = self.cells(row).iter().map(|cell| format!("<td class=n>{cell}</td>")).collect();
            let class = if row.is_ours { " class=ours" } else { "" };
            let (data, method, note) = (escaped(&row.data), escaped(&row.method), escaped(&row.note));
            let _ = writeln!(
                rows,
                "<tr{class}><td>{data}</td><td>{method}</td><td class=n>{}</td>{cells}<td>{note}</td></tr>",
                row.threads
            );
        }
        let mut heads: String =
            self.columns.iter().map(|column| format!("<th>{}</th>", escaped(column.title))).collect();
        heads.push_str(if self.compared.is_some() { "<th>ratio</th>" } else { "" });
        let remarks: String = self.remarks.iter().map(Remark::html).collect();
        format!(
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n<title>{title}</title>\n{STYLE}\
             <h1>{title}</h1>\n<p>{intro} Rows of ours are marked.</p>\n{figures}\n\
             <div class=wide><table><tr><th>data</th><th>method</th><th>threads</th>{heads}<th>note</th></tr>\n{rows}</table></div>\n{remarks}</html>\n",
            title = escaped(self.title),
            intro = with_code(&self.intro()),
            figures = self.figures.join("\n"),
        )
    }
}

const STYLE: &str = "<style>:root{color-scheme:light dark}body{font:16px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
.wide{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.25rem .6rem;border-bottom:1px solid #8884;text-align:left}.n{text-align:right;\
font-variant-numeric:tabular-nums}.ours{font-weight:600;background:#0a73}svg{max-width:100%;height:auto}</style>\n";

/// A number with so many digits behind the point, large ones without any.
fn fixed(value: f64, decimals: usize) -> String {
    match value.abs() {
        1000.0.. => format!("{value:.0}"),
        _ => format!("{value:.decimals$}"),
    }
}

/// A text as CSV has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut ours = Row::new("digits", "tree", true, 2);
        for seconds in [1.0, 3.0, 2.0] {
            ours.push("s", seconds);
        }
        let mut theirs = Row::new("digits", "brute <1-NN>", false, 2);
        theirs.push("s", 5.0);
        theirs.note = "slow | sure".into();
        Table {
            question: "raw",
            title: "Which?",
            columns: &[Column { name: "s", title: "seconds", decimals: 1 }],
            compared: Some(Compared { name: "s", with: "tree", at_equal: None }),
            rows: vec![ours, theirs, Row::new("digits", "absent", false, 1)],
            versions: "none".into(),
            remarks: vec!["A remark.".into()],
            figures: Vec::new(),
        }
    }

    #[test]
    fn rows_are_medians_and_ratios_go_by_ours() {
        let text = table().markdown();
        assert!(text.contains("| digits | **tree** | 2 | 2.0 | 1.00 |"), "{text}");
        assert!(text.contains("| digits | brute <1-NN> | 2 | 5.0 | 2.50 | slow / sure |"), "{text}");
        assert!(text.contains("| digits | absent | 1 | - | - |"), "{text}");
        assert!(text.ends_with("\nA remark.\n"), "{text}");
    }

    #[test]
    fn every_measurement_is_kept_and_texts_cannot_break_the_page() {
        let mut table = table();
        // The head, four measurements and a note.
        assert_eq!(table.csv().lines().count(), 1 + 4 + 1);
        table.rows[2].fail("no \"absent\"");
        let csv = table.csv();
        assert_eq!(csv.lines().last(), Some("raw,\"digits\",\"absent\",false,1,,,,\"no \"\"absent\"\"\""), "{csv}");
        let page = table.html();
        assert!(page.contains("brute &lt;1-NN&gt;") && !page.contains("<1-NN>"), "{page}");
    }

    #[test]
    fn the_page_says_what_the_ratio_is() {
        let page = table().html();
        let said = "<code>ratio</code> is seconds of the row, divided by that of <code>tree</code>";
        assert!(page.contains(said), "{page}");
    }

    #[test]
    fn rows_of_several_sizes_are_compared_at_equal_ones() {
        let mut table = table();
        table.compared = Some(Compared { name: "s", with: "tree", at_equal: Some("n") });
        table.rows = [("tree", 10.0, 1.0), ("tree", 20.0, 3.0), ("flat", 20.0, 6.0)]
            .map(|(method, n, seconds)| {
                let mut row = Row::new("digits", method, method == "tree", 1);
                row.push("n", n);
                row.push("s", seconds);
                row
            })
            .into();
        assert_eq!(table.ratio(&table.rows[2]), Some(2.0)); // 6 s by the 3 s of the tree of 20
    }
}
