//! How to read: what the user says about a file, and what is found out if nothing is said.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::encoding::Schema;
use crate::format::Format;

/// How data is read. The defaults read a typical file without being told anything.
///
/// # Example
/// ```
/// use hedgerow_data::{Column, RoleColumn, ReadOptions};
///
/// let options = ReadOptions {
///     label: RoleColumn::At(Column::Name("species".into())),
///     ignore: vec![Column::Number(-1)], // the last column
///     ..ReadOptions::default()
/// };
/// # assert!(options.schema.is_none());
/// ```
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The format; found out from the name and the contents if not given.
    pub format: Option<Format>,
    /// Which column has the labels. Applies to tables and to plain matrices (NPY). Detected is, in a table with names, the
    /// column named label, class, target or, unless there is an x, y (in any case), else the last one; by a schema, the column
    /// of the recorded name; where names do not tell and there is one column more than features, one of the names above, else
    /// the one at the recorded place, and if nothing is recorded of it, that is an error. In a matrix, or with labels from a
    /// second file, none is.
    pub label: RoleColumn,
    /// A second file with the labels, one for each row of points; most useful for formats that hold points only (IDX, NPY).
    pub labels_from: Option<PathBuf>,
    /// What labels are.
    pub label_kind: LabelKind,
    /// Whether it is an error if all labels are the same, as it is where a classifier is to be fitted.
    pub constant_label: ConstantLabel,
    /// A column that names each row. Detected are one named `id` or `row_id`, and the index that pandas writes; further ones of
    /// these names are left out. Without an id column, rows are numbered.
    pub id_column: RoleColumn,
    /// A column of the words train, validation and test. Detected is one named `split` that has only such words, as far as its
    /// first rows tell.
    pub split_column: RoleColumn,
    /// Columns that are left out.
    pub ignore: Vec<Column>,
    /// Columns whose values are categories although they look like numbers or dates (codes, for instance), or although
    /// hardly any text in them occurs twice. They are never taken for ids or splits.
    pub categories: Vec<Column>,
    /// Whether the first line of a text table names the columns.
    pub header: Header,
    /// The byte between the fields of a text table; found out if not given.
    pub delimiter: Option<u8>,
    /// The byte that begins a line of comment in a text table; without one, there are none.
    pub comment: Option<u8>,
    /// What stands before the decimals of a number in a text table.
    pub decimal: Decimal,
    /// What to do with rows that lack a value.
    pub missing: MissingValues,
    /// Words of a text table, besides the usual ones, that stand for a missing value: `-999`, `unknown`. In any case, but as
    /// they are written: `-999` is not `-999.0`.
    pub missing_words: Vec<String>,
    /// What to do with a text that a recorded category column did not have.
    pub unknown_category: UnknownCategory,
    /// The columns, categories and classes recorded when a model was fitted: data is read to match them.
    pub schema: Option<Schema>,
    /// The first index of svmlight data; found out if not given (0 if an index 0 occurs, else 1).
    pub first_index: Option<u8>,
    /// The most memory that one read may take, in bytes.
    pub memory_limit: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            label: RoleColumn::Detect,
            labels_from: None,
            label_kind: LabelKind::Detect,
            constant_label: ConstantLabel::Refuse,
            id_column: RoleColumn::Detect,
            split_column: RoleColumn::Detect,
            ignore: Vec::new(),
            categories: Vec::new(),
            header: Header::Detect,
            delimiter: None,
            comment: None,
            decimal: Decimal::Point,
            missing: MissingValues::Refuse,
            missing_words: Vec::new(),
            unknown_category: UnknownCategory::Refuse,
            schema: None,
            first_index: None,
            memory_limit: 4 << 30,
        }
    }
}

impl ReadOptions {
    /// Whether rows may be without a label: data that is read to match other data may lack them, all or some, unless rows
    /// that lack anything shall be left out.
    pub(crate) fn may_lack_labels(&self) -> bool {
        self.label_kind == LabelKind::Ignored || (self.schema.is_some() && self.missing == MissingValues::Refuse)
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// By its name in the header.
    Name(String),
    /// By its number from 0, or, if negative, counted from the end: -1 is the last.
    Number(i64),
}

impl Column {
    /// The name or the number, as the place of an error has it.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl FromStr for Column {
    type Err = std::convert::Infallible;

    /// An integer is a number, everything else a name. A column whose name is an integer is found by [`Column::Name`].
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number))
    }
}

impl std::fmt::Display for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "\"{name}\""),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// Which column of a table has a role: that of the label, the id or the split.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RoleColumn {
    /// The one that is found out; how is said where the role is. A column that is wanted for something else, or that was a
    /// feature of the data that a schema records, is not taken.
    #[default]
    Detect,
    /// This one.
    At(Column),
    /// None, whatever the columns are named.
    None,
}

impl RoleColumn {
    /// The column that was asked for, if one was.
    pub(crate) fn at(&self) -> Option<&Column> {
        match self {
            Self::At(column) => Some(column),
            Self::Detect | Self::None => None,
        }
    }
}

/// What labels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelKind {
    /// Values if all are numbers and at least one is not whole; else classes. (The rule of scikit-learn.)
    #[default]
    Detect,
    /// Classes, whatever they look like.
    Classes,
    /// Numbers to predict.
    Values,
    /// Of no interest: the column is found, so that it is not taken for a feature, but whatever it has, rows are unlabeled and none is
    /// left out because it lacks a label. For asking a model about files that may have labels.
    Ignored,
}

/// Whether all labels may be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConstantLabel {
    /// No: a classifier cannot be fitted to it.
    #[default]
    Refuse,
    /// Yes: for instance examples of one new class that are added to a model.
    Allow,
}

/// Whether the first line of a text table names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// It does if a text stands above numbers, if its fields are numbered 0, 1, 2, ... above other values, or if none is a
    /// number and not all of them occur again below. By a schema, it does if it has all recorded names, and does not if it
    /// can be a row of the recorded columns, with at least one number or recorded text.
    #[default]
    Detect,
    /// It does.
    Present,
    /// It is data.
    Absent,
}

/// What stands before the decimals of a number in a text table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decimal {
    /// A point: 1.5.
    #[default]
    Point,
    /// A comma: 1,5. Then a comma divides no fields, and a number has no point.
    Comma,
}

/// What to do with rows that lack a value. Missing are, in text, an empty field and `NA`, `N/A`, `#N/A`, `<NA>`, `NaN`,
/// `null`, `none` (in any case), `?` and [`ReadOptions::missing_words`]; in Parquet, null and NaN, and an empty text as a
/// label; in NPY and NPZ, NaN, and as a label an empty text or `nan`, which is how NumPy writes NaN among texts. A missing
/// id is an empty text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingValues {
    /// Refuse the file, with the row and column. Only labels may be missing, where data is read by a recorded schema.
    #[default]
    Refuse,
    /// Leave such rows out. How many is in [`Dataset::dropped_rows`](crate::Dataset::dropped_rows).
    DropRows,
}

/// What to do with a text that a recorded category column did not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownCategory {
    /// Refuse it, with the row and column.
    #[default]
    Refuse,
    /// Set all features of the column to 0.
    Zeros,
}
