//! What a question to the peers gives: rows of ours and of theirs, as Markdown, as CSV with every measurement, and as a page.

use std::fmt::Write as _;

use super::judged::Judged;
use super::record::{self, Facts, STOPPED, VERSIONS};
use super::remark::{Remark, escaped, marked};
use super::row::{Row, fixed};
use super::{Question, targets};

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
    /// What [`Row::at`] counts, where rows are compared at equal numbers of it.
    pub at_equal: Option<&'static str>,
}

/// How the rows of a question are shown and judged, whether they were measured just now or are read from files.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The question.
    pub question: Question,
    /// What is asked, for people.
    pub title: &'static str,
    /// The columns behind data, method and threads.
    pub columns: &'static [Column],
    /// What ratios are of.
    pub compared: Option<Compared>,
    /// By what the best are told.
    pub judged: Judged,
    /// What belongs below the table: what the words mean, fitted exponents.
    pub about: fn(&[Row]) -> Vec<Remark>,
    /// Figures: SVG.
    pub figures: fn(&[Row]) -> Vec<String>,
}

/// Everything that was measured for a question.
#[derive(Debug, Clone)]
pub struct Table {
    /// How it is shown.
    pub shape: Shape,
    /// The rows, those of one data set together.
    pub rows: Vec<Row>,
    /// What is true of all rows.
    pub facts: Facts,
    /// What was left out.
    pub missing: Vec<Remark>,
}

impl Table {
    /// What stands above the table.
    fn intro(&self) -> String {
        let versions = self.facts.get(VERSIONS).map_or("not recorded", String::as_str);
        let mut text = format!("Peers: {versions}. Medians of {} repeats.", self.n_repeats());
        if let Some(Compared { name, with, at_equal }) = self.shape.compared {
            let title =
                self.shape.columns.iter().find(|column| column.name == name).map_or(name, |column| column.title);
            let equal = at_equal.map(|what| format!(" at as many {what}")).unwrap_or_default();
            let _ = write!(
                text,
                " `ratio` is {title} of the row, divided by that of `{with}`{equal}: above 1, ours is faster."
            );
        }
        if let Some(reason) = self.facts.get(STOPPED) {
            let _ = write!(text, " **Not finished**: {reason}");
        }
        text
    }

    /// What stands below it.
    fn remarks(&self) -> Vec<Remark> {
        let Shape { question, judged, about, .. } = self.shape;
        let judged = [targets::remark(question, &self.rows), judged.remark(question, &self.rows)];
        self.missing.iter().cloned().chain(judged.into_iter().flatten()).chain(about(&self.rows)).collect()
    }

    /// The summary.
    pub fn markdown(&self) -> String {
        format!("{}\n\n{}", self.shape.title, self.markdown_body())
    }

    /// The summary without its title.
    pub fn markdown_body(&self) -> String {
        let Shape { columns, compared, .. } = self.shape;
        let mut text = self.intro();
        text.push_str("\n\n| data | method | threads |");
        for Column { title, .. } in columns {
            let _ = write!(text, " {title} |");
        }
        text.push_str(if compared.is_some() { " ratio |" } else { "" });
        text.push_str(" note |\n|---|---|--:|");
        text.push_str(&"--:|".repeat(columns.len() + usize::from(compared.is_some())));
        text.push_str("---|\n");
        for row in &self.rows {
            let method = if row.is_ours { format!("**{}**", row.method) } else { row.method.clone() };
            let _ = write!(text, "| {} | {method} | {} |", row.data, row.threads);
            for cell in self.cells(row) {
                let _ = write!(text, " {cell} |");
            }
            let _ = writeln!(text, " {} |", self.note(row).replace('|', "/"));
        }
        for remark in self.remarks() {
            let _ = write!(text, "\n{}", remark.markdown());
        }
        text
    }

    /// The numbers of a row, as text.
    fn cells(&self, row: &Row) -> Vec<String> {
        let number =
            |column: &Column| row.median(column.name).map_or("-".to_owned(), |value| fixed(value, column.decimals));
        let mut cells: Vec<String> = self.shape.columns.iter().map(number).collect();
        if self.shape.compared.is_some() {
            cells.push(self.ratio(row).map_or("-".to_owned(), |ratio| fixed(ratio, 2)));
        }
        cells
    }

    /// The note of a row, with how often it was measured if that is less than others were.
    fn note(&self, row: &Row) -> String {
        let most = self.n_repeats();
        let fewer = match row.n_repeats() {
            n @ 1.. if n < most => format!("{n} of {most} repeats"),
            _ => String::new(),
        };
        [row.note.as_str(), &fewer].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// How many times the reference's time a row takes, on the same data.
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        let Compared { name, with, .. } = self.shape.compared?;
        let mut of_data = self.rows.iter().filter(|other| other.data == row.data && other.at == row.at);
        let reference = of_data.find(|other| other.is_ours && other.method == with)?;
        Some(row.median(name)? / reference.median(name)?)
    }

    fn n_repeats(&self) -> usize {
        self.rows.iter().map(Row::n_repeats).max().unwrap_or(0)
    }

    /// Every measurement, and why others are missing.
    pub fn csv(&self) -> String {
        record::whole(self.shape.question, &self.facts, &self.rows)
    }

    /// The table and its figures as one page that needs nothing else.
    pub fn html(&self) -> String {
        page(self.shape.title, &self.html_body())
    }

    /// The page without its head.
    pub fn html_body(&self) -> String {
        let Shape { columns, compared, figures, .. } = self.shape;
        let mut rows = String::new();
        for row in &self.rows {
            let cells: String = self.cells(row).iter().map(|cell| format!("<td class=n>{cell}</td>")).collect();
            let class = if row.is_ours { " class=ours" } else { "" };
            let (data, method, note) = (escaped(&row.data), escaped(&row.method), escaped(&self.note(row)));
            let _ = writeln!(
                rows,
                "<tr{class}><td>{data}</td><td>{method}</td><td class=n>{}</td>{cells}<td>{note}</td></tr>",
                row.threads
            );
        }
        let mut heads: String = columns.iter().map(|column| format!("<th>{}</th>", escaped(column.title))).collect();
        heads.push_str(if compared.is_some() { "<th>ratio</th>" } else { "" });
        let remarks: String = self.remarks().iter().map(Remark::html).collect();
        format!(
            "<p>{intro} Rows of ours are marked.</p>\n{figures}\n\
             <div class=wide><table><tr><th>data</th><th>method</th><th>threads</th>{heads}<th>note</th></tr>\n{rows}</table></div>\n{remarks}",
            intro = marked(&self.intro()),
            figures = figures(&self.rows).join("\n"),
        )
    }
}

/// A page that needs nothing else.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n\
         <title>{title}</title>\n{STYLE}<h1>{title}</h1>\n{body}</html>\n"
    )
}

const STYLE: &str = "<style>:root{color-scheme:light dark}body{font:16px/1.45 system-ui,sans-serif;max-width:110rem;margin:2rem auto;padding:0 1rem}p{max-width:70rem}\
.wide{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.25rem .6rem;border-bottom:1px solid #8884;text-align:left}.n{text-align:right;\
font-variant-numeric:tabular-nums;white-space:nowrap}.ours{font-weight:600;background:#0a73}td{vertical-align:top}\
td:nth-last-child(-n+3):not(.n){min-width:14rem}svg{max-width:100%;height:auto}</style>\n";

#[cfg(test)]
mod tests {
    use super::super::judged::{Better, ERROR, Measure};
    use super::*;

    const SECONDS: Measure = Measure { name: "s", title: "seconds", unit: " s", decimals: 1, better: Better::Less };

    const SHAPE: Shape = Shape {
        question: Question::Raw,
        title: "Which?",
        columns: &[Column { name: "s", title: "seconds", decimals: 1 }],
        compared: Some(Compared { name: "s", with: "tree", at_equal: None }),
        judged: Judged { quality: ERROR, speed: SECONDS, enough: None, size: "megabytes" },
        about: |_| vec!["A remark.".into()],
        figures: |_| Vec::new(),
    };

    fn table() -> Table {
        let mut ours = Row::new("digits", "tree", true, 2);
        for seconds in [1.0, 3.0, 2.0] {
            ours.push("s", seconds);
        }
        let mut theirs = Row::new("digits", "brute <1-NN>", false, 2);
        theirs.push("s", 5.0);
        theirs.note = "slow | sure".into();
        let rows = vec![ours, theirs, Row::new("digits", "absent", false, 1)];
        Table { shape: SHAPE, rows, facts: Facts::from([(VERSIONS, "none".to_owned())]), missing: Vec::new() }
    }

    #[test]
    fn rows_are_medians_and_ratios_go_by_ours() {
        let text = table().markdown();
        assert!(text.contains("| digits | **tree** | 2 | 2.0 | 1.00 |  |"), "{text}");
        assert!(text.contains("| digits | brute <1-NN> | 2 | 5.0 | 2.50 | slow / sure; 1 of 3 repeats |"), "{text}");
        assert!(text.contains("| digits | absent | 1 | - | - |  |"), "{text}");
        assert!(text.ends_with("\nA remark.\n"), "{text}");
    }

    #[test]
    fn a_table_that_was_stopped_says_so() {
        let mut table = table();
        assert!(!table.markdown().contains("Not finished"));
        table.facts.insert(STOPPED, "no memory".to_owned());
        assert!(table.markdown().contains("**Not finished**: no memory\n"));
        assert!(table.html().contains("<strong>Not finished</strong>: no memory"));
    }

    #[test]
    fn every_measurement_is_kept_and_texts_cannot_break_the_page() {
        let mut table = table();
        // The head, a fact, four measurements and a note.
        assert_eq!(table.csv().lines().count(), 1 + 1 + 4 + 1);
        table.rows[2].fail("no \"absent\"");
        let csv = table.csv();
        let expected = "raw,\"digits\",\"absent\",,false,1,failed,,,\"no \"\"absent\"\"\"";
        assert_eq!(csv.lines().last(), Some(expected), "{csv}");
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
        table.rows = [("tree", 10, 1.0), ("tree", 20, 3.0), ("flat", 20, 6.0)]
            .map(|(method, n, seconds)| {
                let mut row = Row::new("digits", method, method == "tree", 1).at(n);
                row.push("s", seconds);
                row
            })
            .into();
        assert_eq!(table.ratio(&table.rows[2]), Some(2.0)); // 6 s by the 3 s of the tree of 20
    }
}
