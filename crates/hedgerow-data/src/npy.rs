//! NPY, the format of one NumPy array: a short text header, then the values.
//!
//! One dimension is a column of labels, two are plain rows, three are grey pictures, four are pictures with channels last.
//! Bytes stay bytes; all other numbers become `f32`. The first dimension counts the rows. In C order rows are read as they
//! come; in Fortran order the first row ends only at the end of the file, so that the whole array is held.
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
use crate::options::ReadOptions;
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
    read_labels_from(input.open()?, options.memory_limit)
}

/// Reads an array of labels: numbers or fixed-width texts, in one column.
///
/// Whole numbers are exact; NaN and infinity are refused.
pub(crate) fn read_labels_from(source: impl ByteSource, memory_limit: u64) -> Result<LabelCollector, ReadError> {
    let mut rows = Rows::open(source, memory_limit)?;
    if rows.row_values() != 1 {
        let fault = "but labels are one column";
        return Err(rows.place().error(Problem::Shape { shape: shape_text(&rows.header.shape), fault }));
    }
    let kind = rows.header.kind;
    // Texts may be wide, and then fewer are held at once.
    let rows_at_once = (LABEL_BLOCK_BYTES / kind.size() as u64).max(1);
    let mut labels = LabelCollector::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        rows.next(rows.left.min(rows_at_once), &mut bytes)?;
        for label in bytes.chunks_exact(kind.size()) {
            push_label(&mut labels, kind, label).map_err(|problem| {
                let row = labels.len() as u64 + 1;
                rows.place().row(row).error(problem)
            })?;
        }
        let needed_bytes = labels.size_bytes() as u64;
        if needed_bytes > memory_limit {
            return Err(rows.place().error(Problem::TooLarge { needed_bytes, limit_bytes: memory_limit }));
        }
        if rows.left == 0 {
            return Ok(labels);
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
                return Err(Problem::Unusable { value });
            }
            labels.push_number(value + 0.0); // -0 is 0
        }
        None => labels.push(&kind.text(bytes)?),
    }
    Ok(())
}

/// Reads the rows of an array of numbers into a table.
pub(crate) struct ArrayReader<S> {
    rows: Rows<S>,
    columns: Columns,
    image_shape: Option<ImageShape>,
    scratch: Vec<u8>,
    kept: Vec<u8>,
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
        Ok(Self { rows, columns, image_shape, scratch: Vec::new(), kept: Vec::new() })
    }

    /// A table without rows.
    pub(crate) fn table(&self) -> Table {
        let is_u8 = self.rows.header.kind == Kind::U8;
        let numbers = if is_u8 { Numbers::U8(Vec::new()) } else { Numbers::F32(Vec::new()) };
        let mut table = Table::matrix(self.columns.width(), numbers);
        table.labels = self.columns.label.map(|_| LabelCollector::default());
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
        let first_row = self.rows.done;
        let kind = self.rows.header.kind;
        match (&mut table.numbers, &self.columns.kept) {
            // Bytes that are taken as they are go straight to their place.
            (Numbers::U8(values), None) => self.rows.next(n_rows, values)?,
            _ => {
                self.scratch.clear();
                self.rows.next(n_rows, &mut self.scratch)?;
            }
        }
        let mut bytes = self.scratch.as_slice();
        if let Some(kept) = &self.columns.kept {
            self.kept.clear();
            for (row, bytes) in (first_row + 1..).zip(bytes.chunks_exact(self.rows.row_bytes as usize)) {
                if let (Some(label), Some(labels)) = (self.columns.label, &mut table.labels) {
                    let place = || self.rows.place().row(row).column(label.to_string());
                    let value = &bytes[label * kind.size()..(label + 1) * kind.size()];
                    push_label(labels, kind, value).map_err(|problem| place().error(problem))?;
                }
                for range in kept {
                    self.kept.extend_from_slice(&bytes[range.start * kind.size()..range.end * kind.size()]);
                }
            }
            bytes = self.kept.as_slice();
        }
        match &mut table.numbers {
            Numbers::U8(values) if self.columns.kept.is_some() => values.extend_from_slice(bytes),
            Numbers::U8(_) => {}
            Numbers::F32(values) => {
                let start = values.len();
                kind.append_f32(bytes, values);
                if let Some(at) = first_unusable(&values[start..]) {
                    // The value in the file, not what rounding made of it: 1e300, not infinity.
                    let value = kind.number(&bytes[at * kind.size()..]).map_or(f64::NAN, Number::as_f64);
                    let (row, column) = (at / self.columns.width(), self.columns.number_of(at % self.columns.width()));
                    let place = self.rows.place().row(first_row + row as u64 + 1).column(column.to_string());
                    return Err(place.error(Problem::Unusable { value }));
                }
            }
        }
        table.rows += n_rows as usize;
        Ok(if self.rows.left == 0 { Step::End } else { Step::More })
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
