//! Parquet: columns that may not be null, vectors as lists of fixed size, compressed with Zstandard; very wide tables
//! with Snappy, which takes less memory for each column.
//!
//! The same frames give the same bytes: nothing of the time or the machine is written.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray, UInt8Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::frame::{ColumnData, Frame};
use super::output::Output;
use super::{Encoder, WriteFault};

/// Bytes that a row group takes in memory, about: what is held until it is written.
const ROW_GROUP_BYTES: usize = 32 << 20;
/// Rows that are handed over at once.
const BATCH_BYTES: usize = 4 << 20;

/// With more columns than these, each is written with as little memory as can be.
const MAX_COLUMNS_AT_EASE: usize = 1024;

/// Parquet itself counts the bytes of a page with 31 bits.
const LONGEST_TEXT: usize = 1 << 30;

pub(super) struct ParquetEncoder {
    /// Writes to memory; what is ready there is passed on after each batch.
    writer: ArrowWriter<Vec<u8>>,
    schema: Arc<Schema>,
    batch_rows: usize,
}

impl ParquetEncoder {
    pub(super) fn begin(frame: &Frame) -> Result<Self, WriteFault> {
        let fields = frame
            .columns()
            .iter()
            .map(|(name, data)| Ok(Field::new(name, data_type(name, data)?, false)))
            .collect::<Result<Vec<_>, WriteFault>>()?;
        let schema = Arc::new(Schema::new(fields));
        let row_bytes: usize = frame.columns().iter().map(|(_, data)| value_bytes(data)).sum();
        let group_rows = (ROW_GROUP_BYTES / row_bytes).max(1);
        let properties = properties(frame, group_rows);
        let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties)).map_err(fault)?;
        Ok(Self { writer, schema, batch_rows: (BATCH_BYTES / row_bytes).max(1) })
    }

    fn pass_on(&mut self, output: &mut Output) -> Result<(), WriteFault> {
        // The writer counts its bytes itself and never looks back at them.
        let ready = self.writer.inner_mut();
        output.write_all(ready)?;
        ready.clear();
        Ok(())
    }
}

impl Encoder for ParquetEncoder {
    fn write(&mut self, frame: &Frame, output: &mut Output) -> Result<(), WriteFault> {
        let mut begin = 0;
        while begin < frame.rows() {
            let end = batch_end(frame, begin, self.batch_rows);
            let arrays = frame.columns().iter().map(|(_, data)| array(data, begin, end)).collect::<Result<_, _>>()?;
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
                .map_err(|error| WriteFault::Encoding { reason: error.to_string() })?;
            self.writer.write(&batch).map_err(fault)?;
            // Long texts fill a row group before its rows do.
            if self.writer.in_progress_size() > 2 * ROW_GROUP_BYTES {
                self.writer.flush().map_err(fault)?;
            }
            self.pass_on(output)?;
            begin = end;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, output: &mut Output) -> Result<(), WriteFault> {
        let rest = self.writer.into_inner().map_err(fault)?;
        Ok(output.write_all(&rest)?)
    }
}

/// How the columns are encoded. All columns of a row group are open at once, so what each of them takes counts.
fn properties(frame: &Frame, group_rows: usize) -> WriterProperties {
    let wide = frame.columns().len() > MAX_COLUMNS_AT_EASE;
    // Numbers seldom repeat, and a dictionary takes 60 kB before the first value comes.
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(group_rows))
        .set_dictionary_enabled(false);
    if wide {
        // Zstandard keeps 15 kB for each column, and has little to gain on pages so short.
        builder = builder.set_compression(Compression::SNAPPY);
        // The smallest and largest value of each page, and where it is: nobody asks for them, and each is longer than a
        // short page.
        builder = builder.set_statistics_enabled(EnabledStatistics::None).set_offset_index_disabled(true);
    } else {
        let repeating = frame.columns().iter().filter_map(|(name, data)| match data {
            ColumnData::Text(_) => Some(vec![name.clone()]),
            // Bytes are four times as long without one. The two names are those of a list's inside.
            ColumnData::VectorU8 { .. } => Some(vec![name.clone(), "list".to_owned(), "item".to_owned()]),
            _ => None,
        });
        builder =
            repeating.fold(builder, |builder, path| builder.set_column_dictionary_enabled(ColumnPath::new(path), true));
    }
    builder.build()
}

/// The end of the batch that begins at `begin`: so many rows, or fewer where the texts are long.
fn batch_end(frame: &Frame, begin: usize, most_rows: usize) -> usize {
    let most = frame.rows().min(begin + most_rows);
    let texts = frame.columns().iter().filter_map(|(_, data)| match data {
        ColumnData::Text(values) => Some(values),
        _ => None,
    });
    texts.fold(most, |most, values| {
        let mut bytes = 0_usize;
        let fitting = values[begin..most].iter().take_while(|text| {
            bytes = bytes.saturating_add(text.len());
            bytes <= ROW_GROUP_BYTES
        });
        begin + fitting.count().max(1)
    })
}

fn data_type(name: &str, data: &ColumnData) -> Result<DataType, WriteFault> {
    Ok(match data {
        ColumnData::Text(_) => DataType::Utf8,
        ColumnData::Integer(_) => DataType::Int64,
        ColumnData::Number(_) => DataType::Float32,
        ColumnData::Vector { width, .. } => DataType::FixedSizeList(item(DataType::Float32), length(name, *width)?),
        ColumnData::VectorU8 { width, .. } => DataType::FixedSizeList(item(DataType::UInt8), length(name, *width)?),
    })
}

fn length(name: &str, width: usize) -> Result<i32, WriteFault> {
    i32::try_from(width)
        .map_err(|_| WriteFault::Encoding { reason: format!("\"{name}\" has vectors of {width} values") })
}

fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type, false))
}

/// Bytes that a value takes while its row group is put together; of a text, a guess.
fn value_bytes(data: &ColumnData) -> usize {
    match data {
        ColumnData::Text(_) => 32,
        ColumnData::Integer(_) => 8,
        ColumnData::Number(_) => 4,
        // Bytes are held as 32-bit integers, as Parquet has no smaller type; to both, 4 bytes of list levels.
        ColumnData::Vector { width, .. } | ColumnData::VectorU8 { width, .. } => 8 * width,
    }
}

fn array(data: &ColumnData, begin: usize, end: usize) -> Result<ArrayRef, WriteFault> {
    let list = |kind: DataType, width: usize, values: ArrayRef| -> Result<ArrayRef, WriteFault> {
        let size = length("", width)?;
        FixedSizeListArray::try_new(item(kind), size, values, None)
            .map(|list| Arc::new(list) as ArrayRef)
            .map_err(|error| WriteFault::Encoding { reason: error.to_string() })
    };
    match data {
        ColumnData::Text(values) => match values[begin..end].iter().find(|text| text.len() > LONGEST_TEXT) {
            Some(text) => Err(WriteFault::Encoding { reason: format!("a text of {} bytes is too long", text.len()) }),
            None => Ok(Arc::new(StringArray::from_iter_values(&values[begin..end]))),
        },
        ColumnData::Integer(values) => Ok(Arc::new(Int64Array::from(values[begin..end].to_vec()))),
        ColumnData::Number(values) => Ok(Arc::new(Float32Array::from(values[begin..end].to_vec()))),
        ColumnData::Vector { width, values } => {
            let values = Float32Array::from(values[begin * width..end * width].to_vec());
            list(DataType::Float32, *width, Arc::new(values))
        }
        ColumnData::VectorU8 { width, values } => {
            let values = UInt8Array::from(values[begin * width..end * width].to_vec());
            list(DataType::UInt8, *width, Arc::new(values))
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn fault(error: ParquetError) -> WriteFault {
    WriteFault::Encoding { reason: error.to_string() }
}
