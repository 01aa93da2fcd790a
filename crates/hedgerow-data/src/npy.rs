//! NPY, the format of one NumPy array: a short text header, then the values.
//!
//! One dimension is a column of labels, two are plain rows, three are grey pictures, four are pictures with channels last.
//! Bytes stay bytes; all other numbers become `f32`. The first dimension counts the rows. In C order rows are read as they
//! come; in Fortran order the first row ends only at the end of the file, so that the whole array is held.
//!
//! NaN is a missing value, as NumPy and pandas write it, and so is an empty label: it is refused, or its row left out, as the options say.
//!
//! What the bytes mean is in [`header`] and [`kind`], their order in [`rows`]; archives of arrays are in [`crate::npz`].

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use hedgerow_core::MAX_MAGNITUDE;

use crate::dataset::ImageShape;
use crate::error::{Place, Problem, ReadError};
use crate::idx;
use crate::input::{Input, Opened};
use crate::labels::LabelCollector;
use crate::options::{MissingValues, ReadOptions};
use crate::read::{RowReader, Step};
use crate::table::{Numbers, Table};

mod columns;
mod header;
mod kind;
mod rows;

use columns::Columns;
use kind::{Kind, Number};
use rows::Rows;

/// Bytes of labels that are read at once.
const LABEL_BLOCK_BYTES: u64 = 1 << 18;

/// Where the bytes of an array come from: a file of its own, or an entry of an archive.
pub(crate) trait ByteSource {
    /// Appends up to `n_bytes` to `into`, growing it only as bytes arrive; how many arrived.
    fn append_to(&mut self, into: &mut Vec<u8>, n_bytes: u64) -> Result<u64, ReadError>;

    /// The array, for errors.
    fn place(&self) -> Place;
}

impl ByteSource for Opened {
    fn append_to(&mut self, into: &mut Vec<u8>, n_bytes: u64) -> Result<u64, ReadError> {
        Self::append_to(self, into, n_bytes)
    }

    fn place(&self) -> Place {
        Self::place(self)
    }
}

/// Reads the rows of an NPY file.
pub(crate) struct NpyReader {
    array: ArrayReader<Opened>,
    bytes_done: Arc<AtomicU64>,
}

impl NpyReader {
    pub(crate) fn open(input: &mut Input, options: &ReadOptions) -> Result<Self, ReadError> {
        let opened = input.open()?;
        let bytes_done = opened.count();
        Ok(Self { array: ArrayReader::open(opened, options)?, bytes_done })
    }
}

impl RowReader for NpyReader {
    fn table(&mut self) -> Result<Table, ReadError> {
        Ok(self.array.table())
    }

    fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError> {
        self.array.read_rows(table, max_rows)
    }

    fn bytes_done(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_done)
    }

    fn row_bytes(&self) -> u64 {
        self.array.row_bytes()
    }

    fn announced_bytes(&self) -> u64 {
        self.array.table_bytes()
    }
}

/// Reads a file of labels.
pub(crate) fn read_labels(input: &mut Input, options: &ReadOptions) -> Result<LabelCollector, ReadError> {
    Ok(read_labels_from(input.open()?, options)?.labels)
}

/// The labels that an array is.
#[derive(Debug)]
pub(crate) struct ArrayLabels {
    /// One for each row; rows that lack theirs are without a label.
    pub(crate) labels: LabelCollector,
    /// The rows that lack their label, from 0, in ascending order.
    pub(crate) lacking: Vec<u64>,
}

/// Reads an array of labels: numbers or fixed-width texts, in one column.
///
/// Whole numbers are exact; infinity is refused, and so is NaN unless the options say otherwise.
pub(crate) fn read_labels_from(source: impl ByteSource, options: &ReadOptions) -> Result<ArrayLabels, ReadError> {
    let memory_limit = options.memory_limit;
    let mut rows = Rows::open(source, memory_limit)?;
    if rows.row_values() != 1 {
        let fault = "but labels are one column";
        return Err(rows.place().error(Problem::Shape { shape: shape_text(&rows.header.shape), fault }));
    }
    let kind = rows.header.kind;
    let may_lack = options.missing == MissingValues::DropRows || options.may_lack_labels();
    // Texts may be wide, and then fewer are held at once.
    let rows_at_once = (LABEL_BLOCK_BYTES / kind.size() as u64).max(1);
    let (mut labels, mut lacking) = (LabelCollector::default(), Vec::new());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        rows.next(rows.left.min(rows_at_once), &mut bytes)?;
        for label in bytes.chunks_exact(kind.size()) {
            let row = labels.len() as u64;
            match push_label(&mut labels, kind, label) {
                Err(Problem::Missing { .. }) if may_lack => {
                    labels.push_unlabeled();
                    lacking.push(row);
                }
                pushed => pushed.map_err(|problem| rows.place().row(row + 1).error(problem))?,
            }
        }
        let needed_bytes = (labels.size_bytes() + size_of_val(lacking.as_slice())) as u64;
        if needed_bytes > memory_limit {
            return Err(rows.place().error(Problem::TooLarge { needed_bytes, limit_bytes: memory_limit }));
        }
        if rows.left == 0 {
            return Ok(ArrayLabels { labels, lacking });
        }
    }
}

/// Takes the label that the little-endian bytes of one value are.
fn push_label(labels: &mut LabelCollector, kind: Kind, bytes: &[u8]) -> Result<(), Problem> {
    /// Up to here every whole number is exact in f64.
    const EXACT: i128 = 1 << 53;
    match kind.number(bytes) {
        // Two large numbers that f64 cannot tell apart are two classes all the same.
        Some(Number::Whole(number)) if number.abs() > EXACT => labels.push(&number.to_string()),
        Some(number) => {
            let value = number.as_f64();
            if !value.is_finite() {
                return Err(unusable(value));
            }
            // A class is called 0.1 if that is what the file has, not 0.10000000149011612.
            if kind.is_short_float() && value.fract() != 0.0 {
                labels.push(&(value as f32).to_string());
            } else {
                labels.push_number(value + 0.0); // -0 is 0
            }
        }
        None => {
            let text = kind.text(bytes)?;
            // NaN among texts becomes the text "nan" in NumPy.
            if text.trim().is_empty() || text == "nan" {
                return Err(Problem::Missing { text });
            }
            labels.push(&text);
        }
    }
    Ok(())
}

/// What is wrong with a number that cannot be used: NaN stands for a missing one.
fn unusable(value: f64) -> Problem {
    if value.is_nan() { Problem::Missing { text: "NaN".to_owned() } } else { Problem::Unusable { value } }
}

/// Reads the rows of an array of numbers into a table.
pub(crate) struct ArrayReader<S> {
    rows: Rows<S>,
    columns: Columns,
    image_shape: Option<ImageShape>,
    drop_rows: bool,
    may_lack_labels: bool,
    /// Rows that are left out whatever they hold, from 0, in ascending order.
    left_out: Vec<u64>,
    scratch: Vec<u8>,
}

impl<S: ByteSource> ArrayReader<S> {
    pub(crate) fn open(source: S, options: &ReadOptions) -> Result<Self, ReadError> {
        let rows = Rows::open(source, options.memory_limit)?;
        let (place, shape) = (rows.place(), &rows.header.shape);
        if shape.len() == 1 {
            let found = format!("one column of {} values", shape[0]);
            let supported = "it is a file of labels: give the file of points, and this one as labels_from";
            return Err(place.error(Problem::Unsupported { found, supported }));
        }
        if rows.header.kind.is_text() {
            let found = "texts".to_owned();
            let supported = "points are numbers: convert with .astype(\"float32\"), or give it as labels_from";
            return Err(place.error(Problem::Unsupported { found, supported }));
        }
        let size = |dimension: usize| shape[dimension] as usize;
        let image_shape = match shape.len() {
            3 => Some(ImageShape { height: size(1), width: size(2), channels: 1 }),
            4 => Some(ImageShape { height: size(1), width: size(2), channels: size(3) }),
            _ => None,
        };
        let columns = Columns::choose(rows.row_values() as usize, image_shape.is_some(), options, &place)?;
        if let Some(schema) = &options.schema {
            let (expected, got) = (schema.encoding.width(), columns.width());
            if expected != got {
                return Err(place.error(Problem::FeatureCount { expected, got }));
            }
        }
        Ok(Self {
            rows,
            columns,
            image_shape,
            drop_rows: options.missing == MissingValues::DropRows,
            may_lack_labels: options.may_lack_labels(),
            left_out: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// Leaves these rows out and counts them, for instance because they lack a label: from 0, in ascending order.
    pub(crate) fn leave_out(&mut self, rows: Vec<u64>) {
        self.left_out = rows;
    }

    /// A table without rows.
    pub(crate) fn table(&self) -> Table {
        let is_u8 = self.rows.header.kind == Kind::U8;
        let numbers = if is_u8 { Numbers::U8(Vec::new()) } else { Numbers::F32(Vec::new()) };
        let mut table = Table::matrix(self.columns.width(), numbers);
        table.labels = self.columns.label.map(|_| LabelCollector::default());
        table.label_position = self.columns.label_position();
        table.image_shape = self.image_shape;
        table
    }

    /// Bytes of each row in the file.
    pub(crate) fn row_bytes(&self) -> u64 {
        self.rows.row_bytes
    }

    /// Bytes that the table will have for all rows.
    pub(crate) fn table_bytes(&self) -> u64 {
        let value_bytes = if self.rows.header.kind == Kind::U8 { 1 } else { size_of::<f32>() as u64 };
        self.rows.left.saturating_mul((self.columns.width() as u64).saturating_mul(value_bytes))
    }

    pub(crate) fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError> {
        let n_rows = self.rows.left.min(max_rows as u64);
        let row_by_row = self.columns.kept.is_some() || self.drop_rows || !self.left_out.is_empty();
        match &mut table.numbers {
            // Bytes that are taken as they are go straight to their place.
            Numbers::U8(values) if !row_by_row => {
                self.rows.next(n_rows, values)?;
                table.rows += n_rows as usize;
            }
            _ => {
                self.scratch.clear();
                self.rows.next(n_rows, &mut self.scratch)?;
                let scratch = std::mem::take(&mut self.scratch);
                if row_by_row { self.take_each(table, &scratch) } else { self.take_all(table, &scratch) }?;
                self.scratch = scratch;
            }
        }
        Ok(if self.rows.left == 0 { Step::End } else { Step::More })
    }

    /// Takes the rows that were read last as they are, all at once.
    fn take_all(&self, table: &mut Table, bytes: &[u8]) -> Result<(), ReadError> {
        let n_rows = bytes.len() / self.rows.row_bytes as usize;
        if let Some(at) = append(&mut table.numbers, self.rows.header.kind, bytes) {
            let (row, column) = (at / self.columns.width(), at % self.columns.width());
            let value = bytes.chunks_exact(self.rows.header.kind.size()).nth(at).unwrap_or_default();
            return Err(self.error(self.rows.done - (n_rows - row) as u64, column, value));
        }
        table.rows += n_rows;
        Ok(())
    }

    /// Takes the columns that are asked for out of the rows that were read last, and leaves rows out.
    fn take_each(&self, table: &mut Table, bytes: &[u8]) -> Result<(), ReadError> {
        let (kind, row_bytes) = (self.rows.header.kind, self.rows.row_bytes as usize);
        let all = 0..row_bytes / kind.size();
        let kept = self.columns.kept.as_deref().unwrap_or(std::slice::from_ref(&all));
        let first_row = self.rows.done - (bytes.len() / row_bytes) as u64;
        'rows: for (row, bytes) in (first_row..).zip(bytes.chunks_exact(row_bytes)) {
            let value_at = |column: usize| &bytes[column * kind.size()..(column + 1) * kind.size()];
            if self.left_out.binary_search(&row).is_ok() {
                table.drop_begun_row();
                continue;
            }
            for range in kept {
                let values = &bytes[range.start * kind.size()..range.end * kind.size()];
                if let Some(at) = append(&mut table.numbers, kind, values) {
                    let (column, value) = (range.start + at, value_at(range.start + at));
                    if self.drop_rows && kind.is_nan(value) {
                        table.drop_begun_row();
                        continue 'rows;
                    }
                    return Err(self.error(row, column, value));
                }
            }
            if let (Some(label), Some(labels)) = (self.columns.label, &mut table.labels) {
                match push_label(labels, kind, value_at(label)) {
                    Err(Problem::Missing { .. }) if self.drop_rows => {
                        table.drop_begun_row();
                        continue;
                    }
                    Err(Problem::Missing { .. }) if self.may_lack_labels => labels.push_unlabeled(),
                    Err(problem) => {
                        return Err(self.rows.place().row(row + 1).column(label.to_string()).error(problem));
                    }
                    Ok(()) => {}
                }
            }
            let in_table = (table.rows + table.dropped_rows) as u64;
            table.source_rows.iter_mut().for_each(|rows| rows.push(in_table));
            table.rows += 1;
        }
        Ok(())
    }

    /// The error that a value of the points is. The value in the file, not what rounding made of it: 1e300, not infinity.
    fn error(&self, row: u64, column: usize, value: &[u8]) -> ReadError {
        let value = self.rows.header.kind.number(value).map_or(f64::NAN, Number::as_f64);
        self.rows.place().row(row + 1).column(column.to_string()).error(unusable(value))
    }
}

/// Appends the values that bytes of one kind are; the index of the first that cannot be used, if there is one.
fn append(numbers: &mut Numbers, kind: Kind, bytes: &[u8]) -> Option<usize> {
    match numbers {
        Numbers::U8(values) => {
            values.extend_from_slice(bytes);
            None
        }
        Numbers::F32(values) => {
            let start = values.len();
            kind.append_f32(bytes, values);
            first_unusable(&values[start..])
        }
    }
}

/// Index of the first value that core would refuse. It would find it too, but not where it came from.
fn first_unusable(values: &[f32]) -> Option<usize> {
    // Written so that NaN is found too; whole chunks are tested first because nearly all are fine.
    let usable = |value: &f32| value.abs() <= MAX_MAGNITUDE;
    let chunk = values.chunks(64).position(|chunk| !chunk.iter().fold(true, |all, value| all & usable(value)))?;
    values[chunk * 64..].iter().position(|value| !usable(value)).map(|at| chunk * 64 + at)
}

/// A shape as people write it: `60000x28x28`.
fn shape_text(shape: &[u64]) -> String {
    if shape.is_empty() { "()".to_owned() } else { idx::shape_text(shape) }
}

#[cfg(test)]
pub(crate) mod tests;
