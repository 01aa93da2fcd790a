//! IDX, the format of MNIST: two zero bytes, the type of the values, the number of dimensions, their sizes as big-endian
//! 32-bit numbers, then the values, the last dimension running fastest.
//!
//! One dimension is a column of labels, two are plain rows, three are grey pictures, four are pictures with channels last.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::dataset::ImageShape;
use crate::error::{Place, Problem, ReadError};
use crate::input::{Input, Opened};
use crate::labels::LabelCollector;
use crate::read::{RowReader, Step};
use crate::table::{Numbers, Table};

/// The type of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    U8,
    I8,
    I16,
    I32,
    F32,
    F64,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        match code {
            0x08 => Some(Self::U8),
            0x09 => Some(Self::I8),
            0x0b => Some(Self::I16),
            0x0c => Some(Self::I32),
            0x0d => Some(Self::F32),
            0x0e => Some(Self::F64),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The values of whole elements, all exact in f64.
    fn values(self, bytes: &[u8]) -> Box<dyn Iterator<Item = f64> + '_> {
        fn each<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
            bytes.chunks_exact(N).map(|chunk| chunk.try_into().expect("chunks have this size"))
        }
        match self {
            Self::U8 => Box::new(bytes.iter().map(|&byte| f64::from(byte))),
            Self::I8 => Box::new(each(bytes).map(|bytes| f64::from(i8::from_be_bytes(bytes)))),
            Self::I16 => Box::new(each(bytes).map(|bytes| f64::from(i16::from_be_bytes(bytes)))),
            Self::I32 => Box::new(each(bytes).map(|bytes| f64::from(i32::from_be_bytes(bytes)))),
            Self::F32 => Box::new(each(bytes).map(|bytes| f64::from(f32::from_be_bytes(bytes)))),
            Self::F64 => Box::new(each(bytes).map(f64::from_be_bytes)),
        }
    }
}

/// Reads the rows of an IDX file.
pub(crate) struct IdxReader {
    opened: Opened,
    kind: Kind,
    dimensions: Vec<u64>,
    row_bytes: u64,
    announced_bytes: u64,
    rows_left: u64,
    scratch: Vec<u8>,
}

impl IdxReader {
    pub(crate) fn open(input: &mut Input, memory_limit: u64) -> Result<Self, ReadError> {
        let mut opened = input.open()?;
        let mut header = Vec::new();
        opened.append_to(&mut header, 4)?;
        let (kind, n_dimensions) = match header[..] {
            [0, 0, code, n_dimensions @ 1..=8] if Kind::of(code).is_some() => (Kind::of(code), n_dimensions),
            _ => (None, 0),
        };
        let Some(kind) = kind else {
            let found = if header.is_empty() { "nothing".to_owned() } else { format!("bytes {header:02x?}") };
            return Err(opened.place().error(Problem::WrongMagic { format: "an IDX file", found }));
        };
        let size_bytes = 4 * u64::from(n_dimensions);
        let mut sizes = Vec::new();
        let got = opened.append_to(&mut sizes, size_bytes)?;
        if got < size_bytes {
            return Err(opened.place().error(Problem::Truncated { what: "the header", expected: size_bytes, got }));
        }
        let dimensions: Vec<u64> = sizes
            .chunks_exact(4)
            .map(|size| u64::from(u32::from_be_bytes(size.try_into().expect("chunks of 4"))))
            .collect();
        let product = |dimensions: &[u64]| {
            dimensions.iter().try_fold(kind.size() as u64, |product, &size| product.checked_mul(size))
        };
        let (Some(announced_bytes), Some(row_bytes)) = (product(&dimensions), product(&dimensions[1..])) else {
            let problem = Problem::Shape { shape: shape_text(&dimensions), fault: "whose size in bytes overflows" };
            return Err(opened.place().error(problem));
        };
        if dimensions.len() > 4 {
            let fault = "which has more dimensions than pictures with channels have";
            return Err(opened.place().error(Problem::Shape { shape: shape_text(&dimensions), fault }));
        }
        if row_bytes == 0 {
            let problem = Problem::Shape { shape: shape_text(&dimensions), fault: "whose rows are empty" };
            return Err(opened.place().error(problem));
        }
        if row_bytes > memory_limit {
            let problem = Problem::TooLarge { needed_bytes: row_bytes, limit_bytes: memory_limit };
            return Err(opened.place().error(problem));
        }
        let rows_left = dimensions[0];
        Ok(Self { opened, kind, dimensions, row_bytes, announced_bytes, rows_left, scratch: Vec::new() })
    }

    /// Reads up to `rows` rows as bytes into `into`; an error if the file ends before.
    fn read_bytes(&mut self, rows: u64, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let expected = rows * self.row_bytes;
        let got = self.opened.append_to(into, expected)?;
        if got < expected {
            let done = self.announced_bytes - self.rows_left * self.row_bytes;
            let problem = Problem::Truncated { what: "the values", expected: self.announced_bytes, got: done + got };
            return Err(self.opened.place().error(problem));
        }
        self.rows_left -= rows;
        if self.rows_left == 0 {
            let mut more = Vec::new();
            if self.opened.append_to(&mut more, 1)? > 0 {
                let header_bytes = 4 + 4 * self.dimensions.len() as u64;
                let expected = self.announced_bytes.saturating_add(header_bytes);
                return Err(self.opened.place().error(Problem::Oversized { expected }));
            }
        }
        Ok(())
    }

    /// Values of a row.
    pub(crate) fn width(&self) -> usize {
        (self.row_bytes / self.kind.size() as u64) as usize
    }

    fn place(&self) -> Place {
        self.opened.place()
    }
}

impl RowReader for IdxReader {
    fn table(&mut self) -> Result<Table, ReadError> {
        if self.dimensions.len() == 1 {
            let found = format!("one column of {} values", self.dimensions[0]);
            let supported = "it is a file of labels: give the file of points, and this one as labels_from";
            return Err(self.place().error(Problem::Unsupported { found, supported }));
        }
        let numbers = if self.kind == Kind::U8 { Numbers::U8(Vec::new()) } else { Numbers::F32(Vec::new()) };
        let mut table = Table::matrix(self.width(), numbers);
        let size = |dimension: usize| self.dimensions[dimension] as usize;
        table.image_shape = match self.dimensions.len() {
            3 => Some(ImageShape { height: size(1), width: size(2), channels: 1 }),
            4 => Some(ImageShape { height: size(1), width: size(2), channels: size(3) }),
            _ => None,
        };
        Ok(table)
    }

    fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError> {
        let rows = self.rows_left.min(max_rows as u64);
        match &mut table.numbers {
            Numbers::U8(values) => self.read_bytes(rows, values)?,
            Numbers::F32(values) => {
                let mut bytes = std::mem::take(&mut self.scratch);
                bytes.clear();
                self.read_bytes(rows, &mut bytes)?;
                values.extend(self.kind.values(&bytes).map(|value| value as f32));
                self.scratch = bytes;
            }
        }
        table.rows += rows as usize;
        Ok(if self.rows_left == 0 { Step::End } else { Step::More })
    }

    fn bytes_done(&self) -> Arc<AtomicU64> {
        self.opened.count()
    }

    fn row_bytes(&self) -> u64 {
        self.row_bytes
    }

    fn announced_bytes(&self) -> u64 {
        let value_bytes = if self.kind == Kind::U8 { 1 } else { size_of::<f32>() as u64 };
        (self.announced_bytes / self.kind.size() as u64).saturating_mul(value_bytes)
    }
}

/// Reads a file of labels.
pub(crate) fn read_labels(input: &mut Input, memory_limit: u64) -> Result<LabelCollector, ReadError> {
    let mut reader = IdxReader::open(input, memory_limit)?;
    if reader.dimensions.len() != 1 {
        let problem = Problem::Shape { shape: shape_text(&reader.dimensions), fault: "but labels are one column" };
        return Err(reader.place().error(problem));
    }
    let mut labels = LabelCollector::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        reader.read_bytes(reader.rows_left.min(1 << 16), &mut bytes)?;
        for value in reader.kind.values(&bytes) {
            if !value.is_finite() {
                return Err(reader.place().row(labels.len() as u64 + 1).error(Problem::Unusable { value }));
            }
            labels.push_number(value);
        }
        if labels.size_bytes() as u64 > memory_limit {
            let needed_bytes = labels.size_bytes() as u64;
            return Err(reader.place().error(Problem::TooLarge { needed_bytes, limit_bytes: memory_limit }));
        }
        if reader.rows_left == 0 {
            return Ok(labels);
        }
    }
}

/// A shape as people write it: `60000x28x28`.
pub(crate) fn shape_text(dimensions: &[u64]) -> String {
    dimensions.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}
