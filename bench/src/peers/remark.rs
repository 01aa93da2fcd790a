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
        /// How many columns hold words, from the left. The others hold numbers.
        n_words: usize,
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
            Self::Table { text, n_words, head, rows } => {
                let line = |cells: &Vec<String>| {
                    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "/")).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                let below: String = (0..head.len()).map(|at| if at < *n_words { "---|" } else { "--:|" }).collect();
                let rows: String = rows.iter().map(line).collect();
                format!("{text}\n\n{}|{below}\n{rows}", line(head))
            }
        }
    }

    /// As HTML.
    pub fn html(&self) -> String {
        match self {
            Self::Text(text) => format!("<p>{}</p>\n", with_code(text)),
            Self::Table { text, n_words, head, rows } => {
                let mut page = format!("<p>{}</p>\n<div class=wide><table><tr>", with_code(text));
                for cell in head {
                    let _ = write!(page, "<th>{}</th>", escaped(cell));
                }
                page.push_str("</tr>\n");
                for row in rows {
                    page.push_str("<tr>");
                    for (at, cell) in row.iter().enumerate() {
                        let class = if at < *n_words { "" } else { " class=n" };
                        let _ = write!(page, "<td{class}>{}</td>", escaped(cell));
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

/// The same, and what is between backticks as code.
pub(super) fn with_code(text: &str) -> String {
    let parts = escaped(text);
    let parts = parts.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_one_in_markdown_and_on_the_page() {
        let [text, head] = ["Slopes of `n`:".to_owned(), "method".to_owned()];
        let rows = vec![vec!["a|b <c>".to_owned(), "1.10".to_owned()]];
        let table = Remark::Table { text, n_words: 1, head: vec![head, "slope".to_owned()], rows };
        let expected = "Slopes of `n`:\n\n| method | slope |\n|---|--:|\n| a/b <c> | 1.10 |\n";
        assert_eq!(table.markdown(), expected);
        let page = table.html();
        assert!(page.starts_with("<p>Slopes of <code>n</code>:</p>\n"), "{page}");
        assert!(page.contains("<tr><td>a|b &lt;c&gt;</td><td class=n>1.10</td></tr>"), "{page}");
    }
}
