//! Facts, tables and bars.

use serde::Serialize;

/// A name and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Fact {
    /// For example `optimizer`.
    pub name: String,
    /// For example `Adam, 0.001`.
    pub value: String,
}

/// A table of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TableView {
    /// What it shows.
    pub title: String,
    /// What else there is to say.
    pub note: Option<String>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows. Cells that are missing stay empty, those beyond the columns are not shown.
    pub rows: Vec<Vec<String>>,
    /// The row that the report is about, if one is.
    pub marked_row: Option<usize>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Where its texts stand.
    pub alignment: Alignment,
}

/// Where the texts of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// Texts.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// Amounts side by side.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BarsView {
    /// What is compared, for example `Stored examples`.
    pub title: String,
    /// The unit, written after each number; may be empty.
    pub unit: String,
    /// The bars. Their lengths are in proportion to the largest; what is negative or not finite has none.
    pub bars: Vec<Bar>,
}

/// One amount.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// How much.
    pub value: f64,
}

impl Fact {
    /// A name and what is to be said of it.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl Column {
    /// A column of texts.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), alignment: Alignment::Left }
    }

    /// A column of numbers.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), alignment: Alignment::Right }
    }
}
