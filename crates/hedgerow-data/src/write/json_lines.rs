//! JSON Lines: one object a row, on a line of its own. Vectors are arrays; numbers are written in the shortest way that
//! reads back the same. JSON has neither NaN nor infinity, so these are refused.

use std::io::Write;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::frame::{ColumnData, Frame};
use super::output::Output;
use super::{Encoder, WriteFault};

pub(super) struct JsonLinesEncoder {
    rows: u64,
}

impl JsonLinesEncoder {
    pub(super) fn new() -> Self {
        Self { rows: 0 }
    }
}

impl Encoder for JsonLinesEncoder {
    fn write(&mut self, frame: &Frame, output: &mut Output) -> Result<(), WriteFault> {
        self.check_finite(frame)?;
        let mut line = Vec::new();
        for row in 0..frame.rows() {
            line.clear();
            serde_json::to_writer(&mut line, &Row { frame, row })
                .map_err(|error| WriteFault::Encoding { reason: error.to_string() })?;
            line.push(b'\n');
            output.write_all(&line)?;
        }
        self.rows += frame.rows() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Output) -> Result<(), WriteFault> {
        Ok(())
    }
}

impl JsonLinesEncoder {
    fn check_finite(&self, frame: &Frame) -> Result<(), WriteFault> {
        for (name, data) in frame.columns() {
            let (width, values) = match data {
                ColumnData::Number(values) => (1, values),
                ColumnData::Vector { width, values } => (*width, values),
                _ => continue,
            };
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                let row = self.rows + (at / width) as u64 + 1;
                let column = if width == 1 { name.clone() } else { format!("{name}[{}]", at % width) };
                return Err(WriteFault::NotFinite { row, column, value: values[at] });
            }
        }
        Ok(())
    }
}

struct Row<'a> {
    frame: &'a Frame,
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (columns, row) = (self.frame.columns(), self.row);
        let mut object = serializer.serialize_map(Some(columns.len()))?;
        for (name, data) in columns {
            match data {
                ColumnData::Text(values) => object.serialize_entry(name, &values[row])?,
                ColumnData::Integer(values) => object.serialize_entry(name, &values[row])?,
                ColumnData::Number(values) => object.serialize_entry(name, &values[row])?,
                ColumnData::Vector { width, values } => {
                    object.serialize_entry(name, &values[row * width..(row + 1) * width])?;
                }
                ColumnData::VectorU8 { width, values } => {
                    object.serialize_entry(name, &values[row * width..(row + 1) * width])?;
                }
            }
        }
        object.end()
    }
}
