//! NPY: one array of one type of numbers, little-endian, row by row. Pictures whose shape is known have its dimensions.
//!
//! The header announces the number of rows. In a file, room for it is left and filled in at the end; a stream gets all at
//! the end. The header is written here rather than by `npyz` because that aligns the data to 16 bytes where NumPy
//! (since 1.14) aligns to 64, and finishes a file even when it is dropped after an error.

use std::io::Write;

use super::frame::{ColumnData, Frame};
use super::output::Output;
use super::{Encoder, WriteFault};
use crate::dataset::ImageShape;

/// NumPy aligns the data to this.
const ALIGNMENT: usize = 64;

/// The type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    F32,
    U8,
    I64,
}

impl Type {
    fn of(column: &str, data: &ColumnData) -> Result<Self, WriteFault> {
        match data {
            ColumnData::Number(_) | ColumnData::Vector { .. } => Ok(Self::F32),
            ColumnData::VectorU8 { .. } => Ok(Self::U8),
            ColumnData::Integer(_) => Ok(Self::I64),
            ColumnData::Text(_) => Err(WriteFault::TextInMatrix { column: column.to_owned() }),
        }
    }

    fn shown(self) -> &'static str {
        match self {
            Self::F32 => "32-bit floats",
            Self::U8 => "bytes",
            Self::I64 => "64-bit integers",
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::F32 => "<f4",
            Self::U8 => "|u1",
            Self::I64 => "<i8",
        }
    }
}

pub(super) struct NpyEncoder {
    values: Type,
    /// The dimensions of a row; none if the array has only the one that counts rows.
    row_shape: Vec<usize>,
    rows: u64,
    /// The rows so far, where the header cannot be written before them.
    held: Option<Vec<u8>>,
}

impl NpyEncoder {
    /// Leaves room for the header. One column that is no vector makes an array of one dimension, pictures of three or
    /// four, all else of two.
    pub(super) fn begin(
        frame: &Frame,
        image_shape: Option<ImageShape>,
        output: &mut Output,
    ) -> Result<Self, WriteFault> {
        let (first, first_data) = &frame.columns()[0];
        let values = Type::of(first, first_data)?;
        let mut width = 0;
        for (name, data) in frame.columns() {
            let found = Type::of(name, data)?;
            if found != values {
                let (first, expected) = (first.clone(), values.shown());
                return Err(WriteFault::MixedMatrix { column: name.clone(), got: found.shown(), first, expected });
            }
            width += vector_width(data).unwrap_or(1);
        }
        let flat = frame.columns().len() == 1 && vector_width(first_data).is_none();
        let row_shape = match image_shape.filter(|shape| shape.features() == width) {
            Some(ImageShape { height, width, channels: 1 }) => vec![height, width],
            Some(ImageShape { height, width, channels }) => vec![height, width, channels],
            None if flat => Vec::new(),
            None => vec![width],
        };
        let held = if output.can_patch() { None } else { Some(Vec::new()) };
        let encoder = Self { values, row_shape, rows: 0, held };
        if encoder.held.is_none() {
            output.write_all(&encoder.header())?;
        }
        Ok(encoder)
    }

    /// The header, of the same length whatever the number of rows.
    fn header(&self) -> Vec<u8> {
        let dictionary = |rows: u64| {
            // As Python writes a tuple, which has a comma after its only value.
            let sizes: Vec<String> = self.row_shape.iter().map(|size| format!(" {size}")).collect();
            let shape = format!("{rows},{}", sizes.join(","));
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", self.values.code())
        };
        const PREFIX_BYTES: usize = 10; // magic, version, length
        let longest = PREFIX_BYTES + dictionary(u64::MAX).len() + 1;
        let length = longest.next_multiple_of(ALIGNMENT) - PREFIX_BYTES;
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        // At most four 20-digit numbers and some words: far below the 65535 that fit.
        header.extend((length as u16).to_le_bytes());
        header.extend(dictionary(self.rows).as_bytes());
        header.resize(PREFIX_BYTES + length - 1, b' ');
        header.push(b'\n');
        header
    }
}

fn vector_width(data: &ColumnData) -> Option<usize> {
    match data {
        ColumnData::Vector { width, .. } | ColumnData::VectorU8 { width, .. } => Some(*width),
        _ => None,
    }
}

impl Encoder for NpyEncoder {
    fn write(&mut self, frame: &Frame, output: &mut Output) -> Result<(), WriteFault> {
        let mut bytes = Vec::new();
        for row in 0..frame.rows() {
            bytes.clear();
            for (_, data) in frame.columns() {
                match data {
                    ColumnData::Number(values) => bytes.extend(values[row].to_le_bytes()),
                    ColumnData::Integer(values) => bytes.extend(values[row].to_le_bytes()),
                    ColumnData::Vector { width, values } => {
                        bytes.extend(
                            values[row * width..(row + 1) * width].iter().flat_map(|value| value.to_le_bytes()),
                        );
                    }
                    ColumnData::VectorU8 { width, values } => bytes.extend(&values[row * width..(row + 1) * width]),
                    ColumnData::Text(_) => unreachable!("text was refused in the first frame"),
                }
            }
            match &mut self.held {
                Some(held) => held.extend(&bytes),
                None => output.write_all(&bytes)?,
            }
        }
        self.rows += frame.rows() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>, output: &mut Output) -> Result<(), WriteFault> {
        let header = self.header();
        match self.held {
            Some(held) => {
                output.write_all(&header)?;
                output.write_all(&held)?;
            }
            None => output.patch(&header)?,
        }
        Ok(())
    }
}
