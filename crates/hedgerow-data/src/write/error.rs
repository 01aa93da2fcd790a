//! What can be wrong with writing: what, where and what to do.

use std::io;

/// Data that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {fault}")]
pub struct WriteError {
    /// The file, as the caller named it.
    pub file: String,
    /// What, and what to do.
    #[source]
    pub fault: Box<WriteFault>,
}

impl WriteError {
    pub(super) fn new(file: &str, fault: WriteFault) -> Self {
        Self { file: file.to_owned(), fault: Box::new(fault) }
    }
}

/// What is wrong with writing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteFault {
    /// The operating system refused.
    #[error("cannot be written: {0}; {remedy}", remedy = remedy(.0))]
    Io(#[source] io::Error),
    /// The name of the file says no format.
    #[error("its name says no format; end it in .csv, .tsv, .jsonl, .npy or .parquet, or give the format")]
    UnknownFormat,
    /// Support for the format was not compiled in.
    #[error("{format} is not supported by this build; build hedgerow-data with the feature \"{feature}\"")]
    NotBuilt {
        /// The format.
        format: &'static str,
        /// The feature that has it.
        feature: &'static str,
    },
    /// A binary format that shall be compressed as a whole.
    #[error("{format} is not written compressed; leave out .gz, or write csv or jsonl")]
    NoGzip {
        /// The format.
        format: &'static str,
    },
    /// Columns that do not make a table.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// No frame was written.
    #[error("no columns were written; write at least one frame, which may have no rows")]
    NoColumns,
    /// A frame with other columns than the first.
    #[error("the columns {got} were given where the table has {expected}; give every frame the same columns")]
    ColumnsDiffer {
        /// The first difference, in the first frame.
        expected: String,
        /// The first difference, in this frame.
        got: String,
    },
    /// Two columns that would be called the same: `v[0]` and the first of vector `v`.
    #[error("two columns would be named \"{name}\"; rename one")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// Text where only numbers can be.
    #[error("the column \"{column}\" is text but npy holds numbers only; leave it out, or write csv, jsonl or parquet")]
    TextInMatrix {
        /// The column.
        column: String,
    },
    /// Several types of numbers where only one can be.
    #[error(
        "the column \"{column}\" holds {got} but \"{first}\" holds {expected}, and npy has one type; \
         convert one, or write csv, jsonl or parquet"
    )]
    MixedMatrix {
        /// The column.
        column: String,
        /// Its type.
        got: &'static str,
        /// The first column.
        first: String,
        /// Its type.
        expected: &'static str,
    },
    /// NaN or infinity where the format has none.
    #[error("row {row}, column {column}: json has no way to write {value}; replace it, or write csv, npy or parquet")]
    NotFinite {
        /// The row, from 1.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        value: f32,
    },
    /// What the encoder of the format found.
    #[error("cannot be encoded: {reason}; write another format")]
    Encoding {
        /// What it says.
        reason: String,
    },
    /// The writer was used after an error.
    #[error("an earlier write failed, so nothing was written; begin anew")]
    FailedBefore,
    /// The listener said stop.
    #[error("writing was stopped; nothing was written")]
    Stopped,
}

impl WriteFault {
    pub(super) fn columns_differ(expected: &[String], got: &[String]) -> Self {
        let differ = (0..expected.len().max(got.len())).find(|&at| expected.get(at) != got.get(at)).unwrap_or(0);
        let shown = |columns: &[String]| match columns.get(differ) {
            Some(column) => column.clone(),
            None => format!("none after the first {differ}"),
        };
        Self::ColumnsDiffer { expected: shown(expected), got: shown(got) }
    }
}

impl From<io::Error> for WriteFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "free some space, or write to another disk",
        io::ErrorKind::QuotaExceeded => "free some of your quota, or write to another disk",
        io::ErrorKind::PermissionDenied => "allow writing to the folder, or give another one",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is mounted to be read only: give another one",
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "make the folder first, or give another one",
        io::ErrorKind::IsADirectory => "this is a folder: give the name of a file",
        io::ErrorKind::BrokenPipe => "what reads the output has ended",
        _ => "check the disk or the connection and try again",
    }
}

/// Columns that do not make a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// No column.
    #[error("a table needs at least 1 column")]
    NoColumns,
    /// Columns of different length.
    #[error("column \"{column}\" has {got} rows but \"{first}\" has {expected}; give each row a value")]
    RowCount {
        /// The column.
        column: String,
        /// Its rows.
        got: usize,
        /// The first column.
        first: String,
        /// Its rows.
        expected: usize,
    },
    /// Two columns of one name.
    #[error("two columns are named \"{name}\"; rename one")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// Vectors that are empty, or of which the last is not whole.
    #[error(
        "column \"{column}\" has {values} values, which are no whole vectors of {width}; give {width} for each row"
    )]
    NotWhole {
        /// The column.
        column: String,
        /// Values of each vector.
        width: usize,
        /// Values in all.
        values: usize,
    },
}
