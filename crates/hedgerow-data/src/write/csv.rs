//! CSV and TSV: a line of names, then a line for each row. Numbers are written in the shortest way that reads back the same.

use std::collections::HashSet;
use std::io::Write;

use super::frame::{ColumnData, Frame};
use super::output::Output;
use super::{Encoder, WriteFault};

/// Bytes of lines that are collected before they go on.
const BLOCK_BYTES: usize = 1 << 18;

pub(super) struct CsvEncoder {
    delimiter: u8,
}

impl CsvEncoder {
    /// Writes the line of names.
    pub(super) fn begin(delimiter: u8, frame: &Frame, output: &mut Output) -> Result<Self, WriteFault> {
        let names = field_names(frame);
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(WriteFault::DuplicateColumn { name: name.clone() });
        }
        let encoder = Self { delimiter };
        let mut lines = encoder.lines();
        lines.write_record(&names).map_err(unlikely)?;
        encoder.pass_on(lines, output)?;
        Ok(encoder)
    }

    fn lines(&self) -> csv::Writer<Vec<u8>> {
        csv::WriterBuilder::new().delimiter(self.delimiter).from_writer(Vec::new())
    }

    fn pass_on(&self, lines: csv::Writer<Vec<u8>>, output: &mut Output) -> Result<(), WriteFault> {
        let bytes = lines.into_inner().map_err(|error| WriteFault::Encoding { reason: error.to_string() })?;
        Ok(output.write_all(&bytes)?)
    }
}

impl Encoder for CsvEncoder {
    fn write(&mut self, frame: &Frame, output: &mut Output) -> Result<(), WriteFault> {
        let mut lines = self.lines();
        let mut field = Vec::new();
        for row in 0..frame.rows() {
            for (_, data) in frame.columns() {
                write_fields(&mut lines, data, row, &mut field).map_err(unlikely)?;
            }
            lines.write_record(None::<&[u8]>).map_err(unlikely)?;
            if lines.get_ref().len() > BLOCK_BYTES {
                self.pass_on(std::mem::replace(&mut lines, self.lines()), output)?;
            }
        }
        self.pass_on(lines, output)
    }

    fn finish(self: Box<Self>, _: &mut Output) -> Result<(), WriteFault> {
        Ok(())
    }
}

fn write_fields(
    lines: &mut csv::Writer<Vec<u8>>,
    data: &ColumnData,
    row: usize,
    field: &mut Vec<u8>,
) -> Result<(), csv::Error> {
    let mut write = |value: &dyn std::fmt::Display| {
        field.clear();
        write!(field, "{value}")?;
        lines.write_field(&*field)
    };
    match data {
        ColumnData::Text(values) => lines.write_field(&values[row]),
        ColumnData::Integer(values) => write(&values[row]),
        ColumnData::Number(values) => write(&values[row]),
        ColumnData::Vector { width, values } => {
            values[row * width..(row + 1) * width].iter().try_for_each(|value| write(value))
        }
        ColumnData::VectorU8 { width, values } => {
            values[row * width..(row + 1) * width].iter().try_for_each(|value| write(value))
        }
    }
}

/// The names of the fields of a line.
fn field_names(frame: &Frame) -> Vec<String> {
    let mut names = Vec::new();
    for (name, data) in frame.columns() {
        match data {
            ColumnData::Vector { width, .. } | ColumnData::VectorU8 { width, .. } if name.is_empty() => {
                names.extend((0..*width).map(|at| at.to_string()));
            }
            ColumnData::Vector { width, .. } | ColumnData::VectorU8 { width, .. } => {
                names.extend((0..*width).map(|at| format!("{name}[{at}]")));
            }
            _ => names.push(name.clone()),
        }
    }
    names
}

/// Writing to memory, rows of equal length; all the same, an error is no reason to panic.
#[allow(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn unlikely(error: csv::Error) -> WriteFault {
    WriteFault::Encoding { reason: error.to_string() }
}
