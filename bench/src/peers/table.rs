//! What a question to the peers gives: rows of ours and of theirs, as Markdown, as CSV with every measurement, and as a page.

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
    /// Whether it is one of ours.
    pub is_ours: bool,
    /// Its threads.
    pub threads: usize,
    /// The measurements by name: one number for each repeat.
    pub values: BTreeMap<String, Vec<f64>>,
    /// What the reader must know of it.
    pub note: String,
}

impl Row {
    /// A row without measurements.
    pub fn new(data: &str, method: &str, is_ours: bool, threads: usize) -> Self {
        let (data, method) = (data.to_owned(), method.to_owned());
        Self { data, method, is_ours, threads, values: BTreeMap::new(), note: String::new() }
    }

    /// Adds a measurement.
    pub fn push(&mut self, name: &str, value: f64) {
        self.values.entry(name.to_owned()).or_default().push(value);
    }

    /// The median of a measurement.
    pub fn median(&self, name: &str) -> Option<f64> {
        self.values.get(name).filter(|values| !values.is_empty()).map(|values| median(values))
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
    pub remarks: Vec<String>,
    /// Figures: SVG.
    pub figures: Vec<String>,
}

impl Table {
    /// The summary.
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n\nPeers: {}. Medians of {} repeats.", self.title, self.versions, self.repeats());
        if let Some(Compared { name, with }) = self.compared {
            let title = self.columns.iter().find(|column| column.name == name).map_or(name, |column| column.title);
            let _ =
                write!(text, " `ratio` is {title} of the row, divided by that of `{with}`: above 1, ours is faster.");
        }
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
            let _ = write!(text, "\n{remark}\n");
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
        let Compared { name, with } = self.compared?;
        let reference =
            self.rows.iter().find(|other| other.is_ours && other.method == with && other.data == row.data)?;
        Some(row.median(name)? / reference.median(name)?)
    }

    fn repeats(&self) -> usize {
        self.rows.iter().flat_map(|row| row.values.values()).map(Vec::len).max().unwrap_or(0)
    }

    /// Every measurement.
    pub fn csv(&self) -> String {
        let mut text = "question,data,method,ours,threads,measurement,repeat,value\n".to_owned();
        for row in &self.rows {
            for (name, values) in &row.values {
                for (repeat, value) in values.iter().enumerate() {
                    let Row { data, method, is_ours, threads, .. } = row;
                    let question = self.question;
                    let _ = writeln!(
                        text,
                        "{question},\"{data}\",\"{method}\",{is_ours},{threads},{name},{repeat},{value}"
                    );
                }
            }
        }
        text
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
        let remarks: String = self.remarks.iter().map(|remark| format!("<p>{}</p>\n", escaped(remark))).collect();
        format!(
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n<title>{title}</title>\n{STYLE}\
             <h1>{title}</h1>\n<p>Peers: {versions}. Medians of {repeats} repeats; rows of ours are marked.</p>\n{figures}\n\
             <div class=wide><table><tr><th>data</th><th>method</th><th>threads</th>{heads}<th>note</th></tr>\n{rows}</table></div>\n{remarks}</html>\n",
            title = escaped(self.title),
            versions = escaped(&self.versions),
            repeats = self.repeats(),
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
            compared: Some(Compared { name: "s", with: "tree" }),
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
        assert_eq!(table().csv().lines().count(), 1 + 3 + 1);
        let page = table().html();
        assert!(page.contains("brute &lt;1-NN&gt;") && !page.contains("<1-NN>"), "{page}");
    }
}
