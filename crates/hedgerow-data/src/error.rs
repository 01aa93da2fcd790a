//! What can be wrong with data that is read: what, where and what to do.
//!
//! A [`ReadError`] is a [`Place`] and a [`Problem`]. Rows and lines count from 1 as editors and people do; columns are named
//! where the file names them and otherwise counted from 0, as in the options.

use std::fmt;
use std::io;

/// Data that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ReadError {
    /// Where.
    pub place: Box<Place>,
    /// What, and what to do.
    #[source]
    pub problem: Box<Problem>,
}

/// A place in a file or stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: String,
    /// The line of a text file, from 1.
    pub line: Option<u64>,
    /// The row of data, from 1; a header is not a row of data.
    pub row: Option<u64>,
    /// The column: its name, or its number from 0.
    pub column: Option<String>,
}

impl Place {
    /// A file as a whole.
    pub fn file(file: &str) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }

    /// The same place, narrowed to a line of text.
    #[must_use]
    pub fn line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    /// The same place, narrowed to a row, from 1.
    #[must_use]
    pub fn row(self, row: u64) -> Self {
        Self { row: Some(row), ..self }
    }

    /// The same place, narrowed to a column.
    #[must_use]
    pub fn column(self, column: impl Into<String>) -> Self {
        Self { column: Some(column.into()), ..self }
    }

    /// The error that a problem is here.
    pub fn error(self, problem: Problem) -> ReadError {
        ReadError { place: Box::new(self), problem: Box::new(problem) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {}", shown(column.as_bytes()))?;
        }
        Ok(())
    }
}

/// What is wrong with data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused.
    #[error("cannot be read: {0}; {remedy}", remedy = io_remedy(.0))]
    Io(#[source] io::Error),
    /// A device, a socket, or a folder where a file was expected.
    #[error("is {what}, not a file of data; give a file, a folder with data files, or - for standard input")]
    NotAFile {
        /// What it is.
        what: &'static str,
    },
    /// A folder without the files that make a data set.
    #[error(
        "the folder has neither the four MNIST-named files nor train and test files of a known format{detail}; \
         give one file, or name the files so"
    )]
    NoDataInFolder {
        /// What was found and what is missing.
        detail: String,
    },
    /// The contents are in no known format.
    #[error(
        "is in no known format; give the format (idx, csv, tsv, npy, npz, parquet, svmlight), or save it in one of them: \
         export the sheet of a spreadsheet as CSV"
    )]
    UnknownFormat,
    /// Support for the format was not compiled in.
    #[error("{format} is not supported by this build; build hedgerow-data with the feature \"{feature}\"")]
    NotBuilt {
        /// The format.
        format: &'static str,
        /// The feature that has it.
        feature: &'static str,
    },
    /// The file does not begin as its format does.
    #[error(
        "does not begin as {format} does (found {found}); it is in another format or damaged: give the right format, or get the file again"
    )]
    WrongMagic {
        /// The format that was expected.
        format: &'static str,
        /// The first bytes, as they are.
        found: String,
    },
    /// Fewer bytes than the file says it has.
    #[error(
        "ends too early: {what} needs {expected} bytes but only {got} are there; the file is cut off: get it again"
    )]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes needed.
        expected: u64,
        /// Bytes found.
        got: u64,
    },
    /// More bytes than the file says it has.
    #[error(
        "goes on after the {expected} bytes that its header announces; it is damaged or not what it says it is: get it again"
    )]
    Oversized {
        /// Bytes announced.
        expected: u64,
    },
    /// The shape in the header cannot be.
    #[error("announces the shape {shape}, {fault}; it is damaged or not what it says it is")]
    Shape {
        /// The shape, as in `60000x28x28`.
        shape: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// Labels and points do not match in number.
    #[error("has {labels} labels but there are {points} points; they do not belong together")]
    Count {
        /// Number of points.
        points: u64,
        /// Number of labels.
        labels: u64,
    },
    /// More memory would be needed than was allowed.
    #[error(
        "needs {needed_bytes} bytes of memory or more, but the limit is {limit_bytes}; raise memory_limit if the file is right, or leave columns out"
    )]
    TooLarge {
        /// Bytes needed at least.
        needed_bytes: u64,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// A line without end.
    #[error(
        "the line is longer than {limit_bytes} bytes; this is not a text file of rows, or its line ends are missing"
    )]
    LineTooLong {
        /// The longest line that is read.
        limit_bytes: usize,
    },
    /// A compressed file that does not decompress.
    #[error("cannot be decompressed: {0}; the file is damaged or cut off: get it again")]
    Compressed(#[source] io::Error),
    /// Text that is not UTF-8.
    #[error("the text is not UTF-8 (byte {byte:#04x}); convert the file to UTF-8 first")]
    NotUtf8 {
        /// The first byte that cannot be.
        byte: u8,
    },
    /// A quoted field without end.
    #[error("a quoted field never ends; close the quote, or double it (\"\") if it is part of the text")]
    OpenQuote,
    /// A row with another number of fields than the others.
    #[error("has {got} fields where {expected} are expected; mend the row, or give the right delimiter")]
    Ragged {
        /// Fields of the first row.
        expected: usize,
        /// Fields of this row.
        got: usize,
    },
    /// A list of another length than the others of its column.
    #[error(
        "the list has {got} values where the first one of the column has {expected}; \
         pad or cut the lists to one length, or leave the column out (ignore)"
    )]
    ListLength {
        /// Values of the first list.
        expected: usize,
        /// Values of this list.
        got: usize,
    },
    /// Two columns of one name.
    #[error(
        "two columns are named \"{name}\"; rename one, or, if this is a text table whose first line is data, \
         say that it has no header (header = absent)"
    )]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// No rows of data.
    #[error("has no rows of data; give a file with at least 1 row, besides a header")]
    NoRows,
    /// Nothing to measure distances by.
    #[error("has no feature columns besides {used}; at least 1 is needed")]
    NoFeatures {
        /// The columns used for labels, ids and splits.
        used: String,
    },
    /// A column that was asked for is not there.
    #[error("there is no column {asked} for {role}{}; the columns are {available}", nearest_phrase(.nearest))]
    NoSuchColumn {
        /// What the column was wanted for.
        role: &'static str,
        /// The column, as asked for.
        asked: String,
        /// The nearest name, if one is near.
        nearest: Option<String>,
        /// The columns that are there.
        available: String,
    },
    /// One column was asked to be two things.
    #[error("column {column} is asked to be both {first} and {second}; choose one")]
    TwoRoles {
        /// The column.
        column: String,
        /// One role.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A format without columns was asked for one.
    #[error("{format} has no column for {role}; {remedy}")]
    NoColumns {
        /// The format.
        format: &'static str,
        /// What the column was wanted for.
        role: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Every row has the same label.
    #[error(
        "every row has the label \"{label}\", so there is nothing to tell apart; \
         choose another label column, or none"
    )]
    ConstantLabel {
        /// The label.
        label: String,
    },
    /// A row without a value.
    #[error("the value is missing (\"{text}\"); fill it in, or leave out such rows with missing = drop")]
    Missing {
        /// What stands in its place.
        text: String,
    },
    /// A field that must be a number is not.
    #[error("\"{text}\" is not a number; {remedy}")]
    NotANumber {
        /// The field, shortened.
        text: String,
        /// What to do.
        remedy: &'static str,
    },
    /// NaN, infinity, or a value too large to square.
    #[error(
        "the value {} cannot be used: values must be numbers of magnitude at most 1e15; remove, replace or scale it",
        shown_value(*.value)
    )]
    Unusable {
        /// The value.
        value: f64,
    },
    /// A text column with too many different texts.
    #[error(
        "the column has more than {max} different texts, too many to give each a feature of its own; \
         leave it out (ignore), or name it as the id column"
    )]
    TooManyCategories {
        /// The most that are taken.
        max: usize,
    },
    /// A text column in which hardly any text occurs twice.
    #[error(
        "the column has {texts} different texts in {rows} rows, which are names or notes rather than categories; \
         leave it out (ignore), name it as the id column, or say that it holds categories (categories)"
    )]
    HardlyCategories {
        /// Different texts.
        texts: usize,
        /// Rows.
        rows: usize,
    },
    /// A text column whose texts are too long to be names of categories.
    #[error(
        "the different texts of the column have more than {max_bytes} bytes together, too long to be names of categories; \
         leave it out (ignore), or name it as the id column"
    )]
    CategoriesTooLong {
        /// The most bytes that are taken.
        max_bytes: usize,
    },
    /// A row of more columns than any table has.
    #[error(
        "the row has more than {max} columns, so this is hardly a table; give the right delimiter, or the right format"
    )]
    TooManyColumns {
        /// The most that are read.
        max: usize,
    },
    /// A few bytes that would become very many.
    #[error(
        "{rows} rows of {width} features, as the largest index has it, are out of all proportion to the {source_bytes} \
         bytes that they are written in; check that index, for the file is wrong or too sparse to be made dense"
    )]
    Disproportionate {
        /// Features of each row.
        width: u64,
        /// Number of rows.
        rows: u64,
        /// Bytes of text, decompressed.
        source_bytes: u64,
    },
    /// A text that was not there when the encoding was recorded.
    #[error(
        "the text \"{text}\" was not in this column of the training data (it had {known}); correct it, or set unknown categories to zeros"
    )]
    UnknownCategory {
        /// The text.
        text: String,
        /// The texts that were there.
        known: String,
    },
    /// A split that is none.
    #[error(
        "\"{text}\" is no split; write train, validation or test there, \
         or, if the column says something else, name another one as the split or leave it out (ignore)"
    )]
    UnknownSplit {
        /// The text.
        text: String,
    },
    /// Another number of features than recorded.
    #[error("has {got} features but the training data had {expected}; give the same columns")]
    FeatureCount {
        /// Features recorded.
        expected: usize,
        /// Features found.
        got: usize,
    },
    /// A column more than features, and nothing that tells which of them is the label.
    #[error(
        "has one column more than the {features} features of the training data, and nothing tells which of them is the \
         label; say which one is (label), or leave out the one that is no feature (ignore)"
    )]
    UnclearLabel {
        /// Features recorded, counted in columns.
        features: usize,
    },
    /// A part of the data that has another type of numbers, shape or columns than the first.
    #[error("has {got} but {other} has {expected}; the parts of one data set must be alike")]
    PartsDiffer {
        /// What the first part has.
        expected: String,
        /// What this part has.
        got: String,
        /// The first part.
        other: String,
    },
    /// A type of values that is not read.
    #[error("holds {found}; {supported}")]
    Unsupported {
        /// What is there.
        found: String,
        /// What is read, and what to do.
        supported: &'static str,
    },
    /// Damage found by the reader of the format.
    #[error("is damaged: {reason}; get the file again, or write it anew")]
    Damaged {
        /// What the reader says.
        reason: String,
    },
    /// The listener said stop.
    #[error("reading was stopped")]
    Stopped,
}

fn io_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "allow reading it, or give another file",
        _ => "check the disk or the connection and try again",
    }
}

/// A number as people write it: the shortest that is the same `f32`, since most come from one.
fn shown_value(value: f64) -> String {
    let short = value as f32;
    match (short.is_finite(), (1e-3..1e7).contains(&short.abs())) {
        (true, true) => short.to_string(),
        (true, false) => format!("{short:e}"),
        (false, _) if value.is_finite() => format!("{value:e}"),
        (false, _) => value.to_string(),
    }
}

fn nearest_phrase(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean \"{name}\"?)"))
}

/// A field as an error shows it: short, and with nothing that moves a terminal's cursor.
pub(crate) fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST)]);
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push_str("...");
    }
    short
}

/// A list as an error shows it: the first few.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let n_names = names.len();
    let mut list =
        names.take(MOST).map(|name| format!("\"{}\"", shown(name.as_bytes()))).collect::<Vec<_>>().join(", ");
    if n_names > MOST {
        list.push_str(&format!(" and {} more", n_names - MOST));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_split_says_what_to_do() {
        let error = Place::file("t.csv").row(3).column("fold").error(Problem::UnknownSplit { text: "A".to_owned() });
        assert_eq!(
            error.to_string(),
            "t.csv, row 3, column fold: \"A\" is no split; write train, validation or test there, \
             or, if the column says something else, name another one as the split or leave it out (ignore)"
        );
    }
}
