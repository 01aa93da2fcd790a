//! Text tables: columns that line up, two spaces between them, numbers to the right.
//!
//! For short tables of plain text on a terminal. Widths are counted in characters, which is right for the names and numbers
//! shown here, not for wide scripts.

use anstyle::Style;

/// Which way a column leans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Rows of texts under titles.
#[derive(Debug)]
pub(crate) struct Table {
    titles: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        Self { titles: columns.iter().map(|(title, align)| ((*title).to_owned(), *align)).collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells beyond the columns are left out, missing ones are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.titles.len(), String::new());
        self.rows.push(cells);
    }

    /// The table, each line ended, the titles in bold.
    pub(crate) fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.titles.len()).map(|column| self.width(column)).collect();
        let bold = Style::new().bold();
        let titles: Vec<String> = self.titles.iter().map(|(title, _)| title.clone()).collect();
        let mut text = format!("{bold}{}{bold:#}\n", self.line(&titles, &widths));
        for row in &self.rows {
            text += &self.line(row, &widths);
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(self.titles[column].0.chars().count())
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let padded = cells.iter().zip(widths).zip(&self.titles).map(|((cell, &width), (_, align))| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

/// Facts, one on each line, under titles that line up. Names of data and classes may be among them, so that characters that steer a
/// terminal become `?`.
pub(crate) fn facts_text(facts: &[(&str, String)]) -> String {
    let width = facts.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let tame = |fact: &str| fact.replace(char::is_control, "?");
    facts.iter().map(|(title, fact)| format!("{title:<width$}  {}\n", tame(fact))).collect()
}

/// A number of bytes for people: 54.9 MB, in powers of 1000.
pub(crate) fn bytes_text(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999.95 would be shown as 1000.0.
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&[("name", Align::Left), ("rows", Align::Right), ("what", Align::Left)]);
        table.row(["a".to_owned(), "5".to_owned(), "x".to_owned()]);
        table.row(["longer".to_owned(), "12345".to_owned()]);
        let text = anstream::adapter::strip_str(&table.text()).to_string();
        assert_eq!(text, "name     rows  what\na           5  x\nlonger  12345\n");
    }

    #[test]
    fn facts_line_up_and_stay_on_their_line() {
        let facts = [("a", "one".to_owned()), ("longer", "\x1b[31mtwo\nthree".to_owned())];
        assert_eq!(facts_text(&facts), "a       one\nlonger  ?[31mtwo?three\n");
    }

    #[test]
    fn bytes_are_told_in_units_of_1000() {
        assert_eq!(bytes_text(999), "999 B");
        assert_eq!(bytes_text(1000), "1.0 kB");
        assert_eq!(bytes_text(54_950_048), "55.0 MB");
        assert_eq!(bytes_text(999_999), "1.0 MB");
        assert_eq!(bytes_text(5_000_000_000), "5.0 GB");
    }
}
