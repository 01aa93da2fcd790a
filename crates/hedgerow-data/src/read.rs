//! Reading: from a path, bytes or a stream to a [`Dataset`], whole or in blocks.
//!
//! Each format has a [`RowReader`] that adds rows to a [`Table`]. What is common to all is here: finding the format,
//! progress, the memory limit, labels from a second file.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::dataset::Dataset;
use crate::error::{Problem, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::labels::{Classes, LabelCollector};
use crate::options::{MissingValues, ReadOptions};
use crate::progress::{Act, Listener, Progress};
use crate::splits::Split;
use crate::table::Table;
use crate::{csv, folder, idx, npy, npz, svmlight};

/// Bytes of rows, and of source text, that are read between two looks at the memory limit and two reports of progress.
pub(crate) const STEP_BYTES: u64 = 4 << 20;

/// Reads rows of one format.
pub(crate) trait RowReader: Send {
    /// A table without rows for what this reader reads. Asked for again after [`Step::Restart`].
    fn table(&mut self) -> Result<Table, ReadError>;

    /// Adds up to `max_rows` rows to the table. May stop at fewer with [`Step::More`], so that the caller looks at the
    /// memory limit: a reader whose rows can be of any size does so after [`STEP_BYTES`] of its source.
    fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError>;

    /// Bytes of the source dealt with, kept up to date while reading.
    fn bytes_done(&self) -> Arc<AtomicU64>;

    /// About how many bytes a row takes, at least 1.
    fn row_bytes(&self) -> u64;

    /// Bytes that the table will have in the end, if the file tells, else 0.
    fn announced_bytes(&self) -> u64 {
        0
    }
}

/// What follows after some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There may be more rows.
    More,
    /// That was all.
    End,
    /// The rows have only been looked at: now they can be read, into a new table.
    Restart,
}

/// Reads a file, or a folder of files that make one data set.
///
/// The format is found out from the name, else from the contents; gzip is undone on the way.
///
/// # Errors
/// [`ReadError`] with the file, row and column, what is wrong and what to do.
///
/// # Example
/// ```
/// use hedgerow_data::{ReadOptions, progress::silent, read};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("flowers.csv");
/// std::fs::write(&path, "petal,color,species\n1.5,red,rose\n4.5,blue,iris\n1.25,red,rose\n")?;
/// let flowers = read(&path, &ReadOptions::default(), &mut silent())?;
/// assert_eq!(flowers.class_names(), ["iris", "rose"]);
/// assert_eq!(flowers.feature_names(), ["petal", "color=blue", "color=red"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &ReadOptions, listener: &mut Listener<'_>) -> Result<Dataset, ReadError> {
    let path = path.as_ref();
    if path.is_dir() {
        return folder::read(path, options, listener);
    }
    let mut input = Input::file(path)?;
    let format = options.format.or_else(|| Format::from_path(path));
    read_input(&mut input, format, options, listener)
}

/// Reads bytes in memory. `name` stands for the file in errors.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset, ReadError> {
    let mut input = Input::bytes(name, bytes);
    let format = options.format.or_else(|| Format::from_path(Path::new(name)));
    read_input(&mut input, format, options, &mut crate::progress::silent())
}

/// Reads a stream to its end, for instance standard input. `name` stands for the file in errors.
///
/// # Errors
/// As [`read`].
pub fn read_stream(
    name: &str,
    stream: Box<dyn Read + Send>,
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Dataset, ReadError> {
    read_input(&mut Input::stream(name, stream), options.format, options, listener)
}

fn read_input(
    input: &mut Input,
    format: Option<Format>,
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Dataset, ReadError> {
    let name = input.name().to_owned();
    read_table(input, format, options, listener)?.into_dataset(&name, &name, options)
}

/// Reads all rows of one input into a table.
pub(crate) fn read_table(
    input: &mut Input,
    format: Option<Format>,
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Table, ReadError> {
    let format = find_format(input, format)?;
    let mut table = if format == Format::Npz {
        npz::read_table(input, options, listener)?
    } else {
        if format == Format::Svmlight && options.schema.is_none() {
            input.make_rereadable(options.memory_limit)?; // the width is known after a first pass only
        }
        let mut reader = open_reader(input, format, options)?;
        drive(reader.as_mut(), input, options, listener)?
    };
    if let Some(path) = &options.labels_from {
        let mut labels = read_labels(path, table.rows + table.dropped_rows, options)?;
        table.source_rows.iter().for_each(|rows| labels.select(rows));
        table.labels = Some(labels);
        if options.missing == MissingValues::DropRows && !options.may_lack_labels() {
            table.drop_unlabeled_rows();
        }
    }
    Ok(table)
}

fn find_format(input: &mut Input, format: Option<Format>) -> Result<Format, ReadError> {
    match format {
        Some(format) => Ok(format),
        None => {
            let head = input.peek(1 << 16)?;
            let found = Format::from_contents(&head);
            found.ok_or_else(|| {
                let problem = if head.is_empty() { Problem::NoRows } else { Problem::UnknownFormat };
                input.place().error(problem)
            })
        }
    }
}

fn open_reader(input: &mut Input, format: Format, options: &ReadOptions) -> Result<Box<dyn RowReader>, ReadError> {
    Ok(match format {
        Format::Idx => {
            let remedy = "give labels as a second file (labels_from) or a folder with both, and no other columns";
            refuse_columns(input, options, "an IDX file", remedy)?;
            let reader = idx::IdxReader::open(input, options.memory_limit)?;
            check_width(input, options, reader.width())?;
            Box::new(reader)
        }
        Format::Csv => Box::new(csv::CsvReader::open(input, options.delimiter, options)?),
        Format::Tsv => Box::new(csv::CsvReader::open(input, options.delimiter.or(Some(b'\t')), options)?),
        Format::Npy => Box::new(npy::NpyReader::open(input, options)?),
        Format::Svmlight => Box::new(svmlight::SvmlightReader::open(input, options)?),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(crate::parquet::ParquetReader::open(input, options)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            return Err(input.place().error(Problem::NotBuilt { format: "parquet", feature: "parquet" }));
        }
        Format::Npz => unreachable!("an archive is read as a whole, by npz::read_table"),
    })
}

/// Refuses roles of columns for a format that has no columns.
pub(crate) fn refuse_columns(
    input: &Input,
    options: &ReadOptions,
    format: &'static str,
    remedy: &'static str,
) -> Result<(), ReadError> {
    let asked = [
        options.label.at().map(|_| "the label"),
        options.id_column.at().map(|_| "the id"),
        options.split_column.at().map(|_| "the split"),
        options.ignore.first().map(|_| "leaving out"),
        options.categories.first().map(|_| "categories"),
    ];
    match asked.into_iter().flatten().next() {
        Some(role) => Err(input.place().error(Problem::NoColumns { format, role, remedy })),
        None => Ok(()),
    }
}

/// Refuses points that are wider or narrower than recorded.
fn check_width(input: &Input, options: &ReadOptions, got: usize) -> Result<(), ReadError> {
    match options.schema.as_ref().map(|schema| schema.encoding.width()) {
        Some(expected) if expected != got => Err(input.place().error(Problem::FeatureCount { expected, got })),
        _ => Ok(()),
    }
}

/// Reads all rows, reporting progress and heeding the memory limit.
fn drive(
    reader: &mut dyn RowReader,
    input: &Input,
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Table, ReadError> {
    let (total_bytes, done) = (input.total_bytes(), reader.bytes_done());
    let mut table = reader.table()?;
    // Room is made at once only for as much as the length of the file makes likely: a header may announce anything.
    let likely = total_bytes.unwrap_or(0).saturating_mul(4).min(options.memory_limit);
    table.reserve(reader.announced_bytes().min(likely));
    loop {
        let step = reader.read_rows(&mut table, rows_at_once(reader))?;
        table.check_size(options.memory_limit, input.name())?;
        let done_bytes = done.load(Ordering::Relaxed);
        report(listener, input, done_bytes, total_bytes)?;
        match step {
            Step::More => {}
            Step::Restart => table = reader.table()?,
            Step::End => return Ok(table),
        }
    }
}

/// Rows of about [`STEP_BYTES`], at least 1.
fn rows_at_once(reader: &dyn RowReader) -> usize {
    (STEP_BYTES / reader.row_bytes().max(1)).max(1) as usize
}

/// Tells the listener how far reading is, and stops if it says so.
pub(crate) fn report(
    listener: &mut Listener<'_>,
    input: &Input,
    done_bytes: u64,
    total_bytes: Option<u64>,
) -> Result<(), ReadError> {
    let progress = Progress { act: Act::Reading, what: input.name(), done_bytes, total_bytes };
    match listener(&progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(input.place().error(Problem::Stopped)),
    }
}

/// Reads the labels of `points` rows from a file of their own.
pub(crate) fn read_labels(path: &Path, points: usize, options: &ReadOptions) -> Result<LabelCollector, ReadError> {
    let mut input = Input::file(path)?;
    let labels = match find_format(&mut input, Format::from_path(path))? {
        Format::Idx => idx::read_labels(&mut input, options.memory_limit)?,
        Format::Npy => npy::read_labels(&mut input, options)?,
        Format::Csv => csv::read_labels(&mut input, options.delimiter, options)?,
        Format::Tsv => csv::read_labels(&mut input, Some(b'\t'), options)?,
        other => {
            let supported = "labels are read from idx, npy, csv and tsv files of one column";
            return Err(input.place().error(Problem::Unsupported { found: format!("data in {other}"), supported }));
        }
    };
    if labels.len() != points {
        let problem = Problem::Count { points: points as u64, labels: labels.len() as u64 };
        return Err(input.place().error(problem));
    }
    Ok(labels)
}

/// Rows of a file or stream, some at a time, in bounded memory: each block is held to `options.memory_limit`.
///
/// What the columns are must be known beforehand, so a [`Schema`](crate::Schema) is needed; it comes from the
/// [`Dataset`] that a model was fitted to. A class that is not recorded has the same number in all blocks, and what the first
/// labels are, classes or values, all are. Blocks share the names of their classes; they are copied if new ones come while
/// an earlier block is still held.
pub struct Blocks {
    reader: Box<dyn RowReader>,
    options: ReadOptions,
    /// The classes of the blocks so far: a class that is new keeps its number in those that follow.
    classes: Classes,
    name: String,
    rows: usize,
    first_row: u64,
    dropped_rows: u64,
    done: bool,
    bytes_done: Arc<AtomicU64>,
    total_bytes: Option<u64>,
}

impl Blocks {
    /// Begins to read a file in blocks of at most `rows` rows.
    ///
    /// # Errors
    /// As [`read`]; also if `options.schema` is not given, or the format cannot be read in blocks. Reading a block whose
    /// rows do not fit into the memory limit gives [`Problem::TooLarge`]: ask for fewer rows.
    pub fn open(path: impl AsRef<Path>, rows: usize, options: &ReadOptions) -> Result<Self, ReadError> {
        let path = path.as_ref();
        Self::new(Input::file(path)?, options.format.or_else(|| Format::from_path(path)), rows, options)
    }

    /// Begins to read a stream, for instance standard input.
    ///
    /// # Errors
    /// As [`Blocks::open`].
    pub fn from_stream(
        name: &str,
        stream: Box<dyn Read + Send>,
        rows: usize,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        Self::new(Input::stream(name, stream), options.format, rows, options)
    }

    fn new(mut input: Input, format: Option<Format>, rows: usize, options: &ReadOptions) -> Result<Self, ReadError> {
        let format = find_format(&mut input, format)?;
        let cannot = match (format, &options.schema, &options.labels_from) {
            (_, None, _) => Some("rows without a schema"),
            (Format::Npz, _, _) => Some("an archive of several arrays"),
            (_, _, Some(_)) => Some("labels in a second file"),
            _ => None,
        };
        if let Some(found) = cannot {
            let supported = "reading in blocks needs the schema of the data it shall match, and one table or matrix";
            return Err(input.place().error(Problem::Unsupported { found: found.to_owned(), supported }));
        }
        let (name, total_bytes) = (input.name().to_owned(), input.total_bytes());
        let reader = open_reader(&mut input, format, options)?;
        let bytes_done = reader.bytes_done();
        let (options, classes) = (options.clone(), Classes::recorded(options.schema.as_ref()));
        Ok(Self {
            reader,
            options,
            classes,
            name,
            rows: rows.max(1),
            first_row: 0,
            dropped_rows: 0,
            done: false,
            bytes_done,
            total_bytes,
        })
    }

    /// Bytes dealt with so far, before decompression.
    pub fn bytes_done(&self) -> u64 {
        self.bytes_done.load(Ordering::Relaxed)
    }

    /// Rows left out so far because they lacked a value.
    pub fn dropped_rows(&self) -> u64 {
        self.dropped_rows
    }

    /// Bytes in all, if that is known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    fn next_block(&mut self) -> Result<Option<Dataset>, ReadError> {
        while !self.done {
            let mut table = self.reader.table()?;
            // In steps, however many rows were asked for, so that the limit is seen before it is left far behind.
            while !self.done && table.rows + table.dropped_rows < self.rows {
                let left = self.rows - (table.rows + table.dropped_rows);
                let step = self.reader.read_rows(&mut table, left.min(rows_at_once(self.reader.as_ref())))?;
                self.done = step == Step::End;
                table.check_size(self.options.memory_limit, &self.name)?;
            }
            let (rows, first_row) = ((table.rows + table.dropped_rows) as u64, self.first_row);
            self.first_row += rows;
            self.dropped_rows += table.dropped_rows as u64;
            if table.rows > 0 {
                let kept = table.source_rows.take().unwrap_or_else(|| (0..rows).collect());
                table.source_rows = Some(kept.into_iter().map(|row| row + first_row).collect());
                let block = table.into_block(&self.name, &self.name, &self.options, &mut self.classes)?;
                // What the first labels are, all are.
                if let Some(schema) = &mut self.options.schema {
                    schema.labels = schema.labels.or_else(|| block.label_meaning());
                }
                return Ok(Some(block));
            }
        }
        Ok(None)
    }
}

impl Iterator for Blocks {
    type Item = Result<Dataset, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.next_block();
        if block.is_err() {
            self.done = true; // what follows an error is not known
        }
        block.transpose()
    }
}

/// The split that part of a data set is, with the file it was read from.
pub(crate) struct PartTable {
    pub(crate) split: Split,
    pub(crate) table: Table,
    pub(crate) file: String,
}

/// Joins the parts of one data set into one table.
pub(crate) fn join(parts: Vec<PartTable>) -> Result<Option<Table>, ReadError> {
    let mut parts = parts.into_iter();
    let Some(PartTable { split: first_split, table: mut joined, file: first_file }) = parts.next() else {
        return Ok(None);
    };
    if first_split != Split::Train {
        joined.splits = Some(vec![first_split; joined.rows]);
    }
    for PartTable { split, table, file } in parts {
        joined.append_part(table, first_split, split, &file, &first_file)?;
    }
    Ok(Some(joined))
}
