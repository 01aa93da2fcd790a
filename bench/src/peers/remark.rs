//! What stands below a table: a text, or a small table of its own.

use std::fmt::Write as _;

/// A remark.
#[derive(Debug, Clone, PartialEq)]
pub enum Remark {
    /// A paragraph, with names of code between backticks.
    Text(String),
    /// Rows of cells with a head, below a paragraph.
    Table {
        /// The paragraph.
        text: String,
        /// The columns that hold words. The others hold numbers.
        words: Vec<usize>,
        /// The head.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
}

impl From<String> for Remark {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Remark {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Remark {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        match self {
            Self::Text(text) => format!("{text}\n"),
            Self::Table { text, words, head, rows } => {
                let line = |cells: &Vec<String>| {
                    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "/")).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                let below: String =
                    (0..head.len()).map(|at| if words.contains(&at) { "---|" } else { "--:|" }).collect();
                let rows: String = rows.iter().map(line).collect();
                format!("{text}\n\n{}|{below}\n{rows}", line(head))
            }
        }
    }

    /// As HTML.
    pub fn html(&self) -> String {
        match self {
            Self::Text(text) => format!("<p>{}</p>\n", marked(text)),
            Self::Table { text, words, head, rows } => {
                let mut page = format!("<p>{}</p>\n<div class=wide><table><tr>", marked(text));
                for cell in head {
                    let _ = write!(page, "<th>{}</th>", marked(cell));
                }
                page.push_str("</tr>\n");
                for row in rows {
                    page.push_str("<tr>");
                    for (at, cell) in row.iter().enumerate() {
                        let class = if words.contains(&at) { "" } else { " class=n" };
                        let _ = write!(page, "<td{class}>{}</td>", marked(cell));
                    }
                    page.push_str("</tr>\n");
                }
                page + "</table></div>\n"
            }
        }
    }
}

/// A text that cannot be taken for tags.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The same, with what is between backticks as code, and what is between double asterisks strong.
pub(super) fn marked(text: &str) -> String {
    let between = |text: &str, mark: &str, tag: &str| -> String {
        let parts = text.split(mark).enumerate();
        parts.map(|(at, part)| if at % 2 == 1 { format!("<{tag}>{part}</{tag}>") } else { part.to_owned() }).collect()
    };
    between(&between(&escaped(text), "`", "code"), "**", "strong")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_one_in_markdown_and_on_the_page() {
        let [text, head] = ["Slopes of `n`:".to_owned(), "method".to_owned()];
        let rows = vec![vec!["a|b <c>".to_owned(), "1.10".to_owned(), "**missed**".to_owned()]];
        let head = vec![head, "slope".to_owned(), "note".to_owned()];
        let table = Remark::Table { text, words: vec![0, 2], head, rows };
        let expected = "Slopes of `n`:\n\n| method | slope | note |\n|---|--:|---|\n| a/b <c> | 1.10 | **missed** |\n";
        assert_eq!(table.markdown(), expected);
        let page = table.html();
        assert!(page.starts_with("<p>Slopes of <code>n</code>:</p>\n"), "{page}");
        assert!(page.contains("<td>a|b &lt;c&gt;</td><td class=n>1.10</td><td><strong>missed</strong></td>"), "{page}");
    }
}
