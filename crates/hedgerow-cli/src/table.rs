//! Tables and lists of facts for people. They are laid out by `hedgerow_report`, which knows wide characters and lets no name of a class or file
//! steer the terminal; here they get titles in bold, and facts.

use anstyle::Style;
use hedgerow_report::{Column, tame, text_table};

pub(crate) use hedgerow_report::bytes_text;

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
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let column = |(title, align): &(&str, Align)| match align {
            Align::Left => Column::left(*title),
            Align::Right => Column::right(*title),
        };
        Self { columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells beyond the columns are left out, missing ones are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table, each line ended, the titles in bold.
    pub(crate) fn text(&self) -> String {
        let bold = Style::new().bold();
        let text = text_table(&self.columns, &self.rows);
        let (titles, rows) = text.split_once('\n').unwrap_or((&text, ""));
        format!("{bold}{titles}{bold:#}\n{rows}")
    }
}

/// Facts, one on each line, under titles that line up. Names of data and classes may be among them, so that characters that steer a
/// terminal become `?`.
pub(crate) fn facts_text(facts: &[(&str, String)]) -> String {
    let width = facts.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    facts.iter().map(|(title, fact)| format!("{title:<width$}  {}\n", tame(fact))).collect()
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
    fn the_name_of_a_class_does_not_steer_the_terminal() {
        let mut table = Table::new(&[("class", Align::Left), ("rows", Align::Right)]);
        table.row(["bl\x1b]0;pwned\x07ue".to_owned(), "5".to_owned()]);
        let text = table.text();
        assert!(text.ends_with("bl?]0;pwned?ue     5\n"), "{text:?}");
    }

    #[test]
    fn facts_line_up_and_stay_on_their_line() {
        let facts = [("a", "one".to_owned()), ("longer", "\x1b[31mtwo\nthree".to_owned())];
        assert_eq!(facts_text(&facts), "a       one\nlonger  ?[31mtwo?three\n");
    }
}
