//! Writing tables of named columns: CSV, TSV, JSON Lines, NPY and Parquet.
//!
//! A [`TableWriter`] takes [`Frame`]s, any number of them with the same columns, and keeps no more than one of them and a
//! bounded rest in memory. A file appears under its name only when [`TableWriter::finish`] was called and everything
//! is on the disk; until then, and if anything fails, what was there before stays as it is.
//! [`write_dataset`] writes a whole [`Dataset`](crate::Dataset) so that [`read`](crate::read()) gives it back.
//!
//! Predictions, representations and neighbors are written with the same types. Models are not: they have a format of
//! their own.

mod csv;
mod dataset;
mod error;
mod frame;
mod json_lines;
mod npy;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod partial;

use std::io::Write;
use std::path::Path;

pub use self::dataset::{WrittenColumns, write_dataset, write_dataset_to};
pub use self::error::{FrameError, WriteError, WriteFault};
pub use self::frame::{ColumnData, Frame};
use self::output::Output;
use crate::dataset::ImageShape;

/// A format that tables are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteFormat {
    /// Text with one row a line and fields between commas, below a line of names.
    Csv,
    /// The same with tabs.
    Tsv,
    /// One JSON object a line.
    JsonLines,
    /// One NumPy array: numbers of one type, without names.
    Npy,
    /// Apache Parquet.
    Parquet,
}

impl WriteFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Csv, Self::Tsv, Self::JsonLines, Self::Npy, Self::Parquet];

    /// The name, as in options and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::JsonLines => "jsonl",
            Self::Npy => "npy",
            Self::Parquet => "parquet",
        }
    }

    /// The format of this name, in any case; ndjson is jsonl.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.name() == name).or((name == "ndjson").then_some(Self::JsonLines))
    }

    /// The format that a file's name asks for, `.gz` left aside.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        match name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "npy" => Some(Self::Npy),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// Whether the format is text, which gzip makes smaller; the others are binary and read at any position.
    fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::JsonLines)
    }
}

impl std::fmt::Display for WriteFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Turns frames into bytes of one format.
trait Encoder: Send {
    /// Writes the rows of a frame, whose columns were compared with those of the first.
    fn write(&mut self, frame: &Frame, output: &mut Output) -> Result<(), WriteFault>;

    /// Writes what comes after the last row.
    fn finish(self: Box<Self>, output: &mut Output) -> Result<(), WriteFault>;
}

/// Writes a table, frame by frame.
///
/// # Example
/// ```
/// use hedgerow_data::write::{ColumnData, Frame, TableWriter, WriteFormat};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("predictions.csv");
/// let mut writer = TableWriter::create(&path, WriteFormat::Csv)?;
/// writer.write(&Frame::new(vec![
///     ("id".to_owned(), ColumnData::Integer(vec![0, 1])),
///     ("prediction".to_owned(), ColumnData::Text(vec!["cat".to_owned(), "dog".to_owned()])),
///     ("distance".to_owned(), ColumnData::Number(vec![0.5, 1.25])),
/// ])?)?;
/// assert!(!path.exists());
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "id,prediction,distance\n0,cat,0.5\n1,dog,1.25\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    name: String,
    format: WriteFormat,
    output: Output,
    /// From the first frame on.
    encoder: Option<Box<dyn Encoder>>,
    columns: Vec<String>,
    /// The shape of the pictures that the rows are, for formats that can tell it.
    image_shape: Option<ImageShape>,
    rows: u64,
    failed: bool,
}

impl std::fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("TableWriter");
        shown.field("name", &self.name).field("format", &self.format).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl TableWriter {
    /// Begins to write a file, which appears when [`Self::finish`] is called; until then, a file of that name stays as it
    /// is. Dropped before, nothing remains; what a killed process left beside it goes when the same file is written again. A
    /// name that ends in `.gz` has the text compressed.
    ///
    /// A pipe or a device is written to directly. `/dev/stdout` and `/dev/stderr` are the streams of this process, and what
    /// `/dev/fd` or `/proc` name is appended to: wherever these are redirected to, no file is replaced. A symbolic link is
    /// followed and stays, also one to a file that is not there yet.
    ///
    /// # Errors
    /// [`WriteFault::Io`] if no file can be made in that folder; [`WriteFault::NoGzip`]; [`WriteFault::NotBuilt`].
    pub fn create(path: impl AsRef<Path>, format: WriteFormat) -> Result<Self, WriteError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let output = if gzip && !format.is_text() {
            Err(WriteFault::NoGzip { format: format.name() })
        } else {
            check_built(format).and_then(|()| Output::file(path, gzip).map_err(WriteFault::Io))
        };
        output.map(|output| Self::new(name.clone(), format, output)).map_err(|fault| WriteError::new(&name, fault))
    }

    /// Begins to write to a stream, for instance standard output. `name` stands for the file in errors.
    ///
    /// NPY announces the number of rows at its beginning, so all rows are kept in memory until the end.
    ///
    /// # Errors
    /// [`WriteFault::NotBuilt`].
    pub fn to_stream(stream: Box<dyn Write + Send>, format: WriteFormat, name: &str) -> Result<Self, WriteError> {
        check_built(format).map_err(|fault| WriteError::new(name, fault))?;
        Ok(Self::new(name.to_owned(), format, Output::stream(stream)))
    }

    fn new(name: String, format: WriteFormat, output: Output) -> Self {
        Self { name, format, output, encoder: None, columns: Vec::new(), image_shape: None, rows: 0, failed: false }
    }

    /// Writes the rows of a frame below those before. A frame without rows says what the columns are.
    ///
    /// # Errors
    /// [`WriteError`]; after one, the writer writes nothing more and the file will not appear.
    pub fn write(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let result = if self.failed { Err(WriteFault::FailedBefore) } else { self.write_frame(frame) };
        result.map_err(|fault| {
            self.failed = true;
            WriteError::new(&self.name, fault)
        })
    }

    fn write_frame(&mut self, frame: &Frame) -> Result<(), WriteFault> {
        let columns = frame.described();
        let encoder = match &mut self.encoder {
            Some(encoder) => {
                if columns != self.columns {
                    return Err(WriteFault::columns_differ(&self.columns, &columns));
                }
                encoder
            }
            none => {
                self.columns = columns;
                none.insert(encoder(self.format, frame, self.image_shape, &mut self.output)?)
            }
        };
        encoder.write(frame, &mut self.output)?;
        self.rows += frame.rows() as u64;
        Ok(())
    }

    /// Rows written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes what is left and, for a file, puts it in its place, safe against a power cut.
    ///
    /// # Errors
    /// [`WriteFault::NoColumns`] if no frame was written; else as [`Self::write`]. After an error, a file of that name is
    /// as it was before.
    pub fn finish(mut self) -> Result<(), WriteError> {
        let name = std::mem::take(&mut self.name);
        self.finish_output().map_err(|fault| WriteError::new(&name, fault))
    }

    fn finish_output(mut self) -> Result<(), WriteFault> {
        if self.failed {
            return Err(WriteFault::FailedBefore);
        }
        let encoder = self.encoder.take().ok_or(WriteFault::NoColumns)?;
        encoder.finish(&mut self.output)?;
        self.output.finish().map_err(WriteFault::Io)
    }
}

/// A file of any kind that is begun before its bytes are known, so that what cannot be written is found before the work for it is done. It appears
/// under its name when all of it is on the disk; until then, if anything fails, and if it is dropped, what was there before stays. Pipes, devices
/// and links are treated as by [`TableWriter::create`].
pub struct WholeFile {
    name: String,
    output: Output,
}

impl WholeFile {
    /// Begins it.
    ///
    /// # Errors
    /// [`WriteFault::Io`].
    pub fn create(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        let name = path.as_ref().display().to_string();
        match Output::file(path.as_ref(), false) {
            Ok(output) => Ok(Self { name, output }),
            Err(error) => Err(WriteError::new(&name, WriteFault::Io(error))),
        }
    }

    /// Writes all of it and puts it in its place.
    ///
    /// # Errors
    /// [`WriteFault::Io`].
    pub fn finish(self, bytes: &[u8]) -> Result<(), WriteError> {
        let Self { name, mut output } = self;
        let written = output.write_all(bytes).and_then(|()| output.finish());
        written.map_err(|error| WriteError::new(&name, WriteFault::Io(error)))
    }
}

impl std::fmt::Debug for WholeFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WholeFile").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Writes a [`WholeFile`] at once.
///
/// # Errors
/// [`WriteFault::Io`].
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    WholeFile::create(path)?.finish(bytes)
}

fn check_built(format: WriteFormat) -> Result<(), WriteFault> {
    if format == WriteFormat::Parquet && cfg!(not(feature = "parquet")) {
        return Err(WriteFault::NotBuilt { format: "parquet", feature: "parquet" });
    }
    Ok(())
}

fn encoder(
    format: WriteFormat,
    frame: &Frame,
    image_shape: Option<ImageShape>,
    output: &mut Output,
) -> Result<Box<dyn Encoder>, WriteFault> {
    Ok(match format {
        WriteFormat::Csv => Box::new(csv::CsvEncoder::begin(b',', frame, output)?),
        WriteFormat::Tsv => Box::new(csv::CsvEncoder::begin(b'\t', frame, output)?),
        WriteFormat::JsonLines => Box::new(json_lines::JsonLinesEncoder::new()),
        WriteFormat::Npy => Box::new(npy::NpyEncoder::begin(frame, image_shape, output)?),
        #[cfg(feature = "parquet")]
        WriteFormat::Parquet => Box::new(parquet::ParquetEncoder::begin(frame)?),
        #[cfg(not(feature = "parquet"))]
        WriteFormat::Parquet => return Err(WriteFault::NotBuilt { format: "parquet", feature: "parquet" }),
    })
}
