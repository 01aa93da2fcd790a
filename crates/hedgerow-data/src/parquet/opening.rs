//! Opening a Parquet file: what is in it, which column has which role, and how the decoder is set up.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use super::guarded::guarded;
use super::pages::{BadColumn, Checked, check_columns, check_ends, count_rows};
use super::source::Chunks;
use super::values::{Column, Kind, Number, list_range};
use crate::encoding::{Encoding, FeatureColumn, MATRIX_COLUMN, Schema};
use crate::error::{Place, Problem, ReadError, shown};
use crate::input::Input;
use crate::layout::{Columns, FIRST_ROWS, Layout};
use crate::options::ReadOptions;
use crate::splits::Split;
use crate::table::Texts;

/// Rows and bytes that are decoded at once, at most.
const BATCH_ROWS: u64 = 8192;
const BATCH_BYTES: u64 = 8 << 20;

/// About what the decoder holds for each column of values, besides its pages: measured for columns of few numbers.
const LEAF_BYTES: u64 = 32 << 10;

/// What a feature column is taken as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    Number,
    Vector { width: usize },
    Category,
}

/// The feature columns in use, and the table that they make.
pub(super) struct Features {
    /// What each column is taken as.
    pub(super) takes: Vec<Take>,
    pub(super) encoding: Encoding,
    pub(super) texts: Texts,
    pub(super) label_position: Option<usize>,
}

/// A file whose bookkeeping was read and whose columns are being given their roles.
pub(super) struct Opening<'a> {
    pub(super) chunks: Chunks,
    metadata: ArrowReaderMetadata,
    pub(super) names: Vec<String>,
    /// What each column is read as; nothing if its type is not read.
    pub(super) kinds: Vec<Option<Kind>>,
    pub(super) rows: u64,
    options: &'a ReadOptions,
    file: String,
}

/// What a file announces of the columns in use.
pub(super) struct Announced {
    /// Of each column, its values.
    pub(super) values: Vec<u64>,
    /// About the bytes of a row, in the table and as it is decoded.
    pub(super) row_bytes: u64,
    pub(super) decoded_bytes: u64,
}

impl<'a> Opening<'a> {
    pub(super) fn new(input: &mut Input, options: &'a ReadOptions) -> Result<Self, ReadError> {
        let file = input.name().to_owned();
        let whole = |problem: Problem| Place::file(&file).error(problem);
        let chunks = Chunks::new(input.open_whole(options.memory_limit)?).map_err(|error| whole(Problem::Io(error)))?;
        check_ends(&chunks, options.memory_limit).map_err(whole)?;
        // The writer's own types are not asked for: they add kinds but no data, and one more thing to be damaged.
        let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&chunks, plain.clone())).map_err(whole)?;
        let rows = count_rows(metadata.metadata()).map_err(whole)?;
        let fields = metadata.schema().fields();
        if fields.len() != metadata.parquet_schema().root_schema().get_fields().len() {
            let reason = "its columns cannot be told apart".to_owned();
            return Err(whole(Problem::Damaged { reason }));
        }
        let names = fields.iter().map(|field| field.name().clone()).collect();
        let kinds = fields.iter().map(|field| Kind::of(field.data_type())).collect();
        // Texts as views of the page they are on: a text that many rows share must not be copied for each of them.
        let viewed = |field: &Arc<Field>| match field.data_type() {
            DataType::Utf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
            _ => Arc::clone(field),
        };
        let schema = Arc::new(ArrowSchema::new(fields.iter().map(viewed).collect::<Vec<_>>()));
        let metadata =
            guarded(|| ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), plain.with_schema(schema)))
                .map_err(whole)?;
        Ok(Self { chunks, metadata, names, kinds, rows, options, file })
    }

    fn place(&self, column: usize) -> Place {
        Place::file(&self.file).column(self.names[column].as_str())
    }

    fn schema(&self) -> Option<&'a Schema> {
        self.options.schema.as_ref()
    }

    pub(super) fn layout(&self) -> Result<Layout, ReadError> {
        let columns = Columns::new(&self.names, true, &self.file);
        let holds_splits = |at: usize| self.holds_splits(at);
        if self.schema().is_none_or(|schema| schema.encoding.is_named()) {
            return columns.layout(self.options, holds_splits);
        }
        // By position, only lists tell by their length which column is the label.
        let ignored = columns.marked(&self.options.ignore, "leaving out")?;
        let lists: Vec<usize> =
            (0..self.names.len()).filter(|&at| matches!(self.kinds[at], Some(Kind::List(_))) && !ignored[at]).collect();
        self.check_chunks(&lists)?;
        let found = self.list_widths(&lists)?;
        let width = |at: usize| lists.binary_search(&at).map_or(1, |list| found[list]);
        let widths: Vec<usize> = (0..self.names.len()).map(width).collect();
        columns.with_widths(&widths).layout(self.options, holds_splits)
    }

    /// Whether the first values of a column are words for splits, gaps aside.
    fn holds_splits(&self, column: usize) -> Result<bool, ReadError> {
        if self.kinds[column] != Some(Kind::Text) || self.rows == 0 {
            return Ok(false);
        }
        let whole = |problem: Problem| Place::file(&self.file).error(problem);
        self.check_chunks(&[column])?;
        let mut batches = self.batches(&[column], BATCH_BYTES / 64).map_err(whole)?;
        let (mut n_rows, mut any_word) = (0, false);
        while n_rows < FIRST_ROWS {
            let Some(batch) = guarded(|| batches.next().transpose()).map_err(whole)? else { break };
            let Some(Column::Texts(texts)) = Column::of(batch.column(0)) else { return Ok(false) };
            let first = texts.iter().take(FIRST_ROWS - n_rows);
            let mut words = first.flatten().filter(|text| !text.trim().is_empty()).peekable();
            any_word |= words.peek().is_some();
            if !words.all(|word| Split::from_word(word).is_some()) {
                return Ok(false);
            }
            n_rows += batch.num_rows();
        }
        Ok(any_word)
    }

    pub(super) fn check_one_value(&self, column: Option<usize>, role: &'static str) -> Result<(), ReadError> {
        match column.map(|column| (column, self.kinds[column])) {
            Some((column, Some(Kind::List(_)))) => {
                let found = format!("lists, which cannot be {role}");
                let supported = "choose a column with one value a row";
                Err(self.place(column).error(Problem::Unsupported { found, supported }))
            }
            Some((column, None)) => Err(self.unsupported(column)),
            _ => Ok(()),
        }
    }

    fn unsupported(&self, column: usize) -> ReadError {
        // A struct is named with all that is in it, which may be much.
        let data_type = shown(self.metadata.schema().field(column).data_type().to_string().as_bytes());
        let supported = "numbers, truth values, texts and lists of numbers are read: \
                         leave the column out (ignore), or convert it to one of these";
        self.place(column).error(Problem::Unsupported { found: format!("values of type {data_type}"), supported })
    }

    /// The leaf columns of some columns, given in rising order, and which column each is of.
    fn leaves(&self, columns: &[usize]) -> Vec<(usize, usize)> {
        let parquet = self.metadata.parquet_schema();
        let root = |leaf: usize| parquet.get_column_root_idx(leaf);
        let is_one = |column: usize| columns.binary_search(&column).is_ok();
        (0..parquet.num_columns()).map(|leaf| (leaf, root(leaf))).filter(|(_, column)| is_one(*column)).collect()
    }

    /// Checks that the decoder may be set up for some columns, and what the file announces of them.
    fn check_chunks(&self, columns: &[usize]) -> Result<Checked, ReadError> {
        let leaves = self.leaves(columns);
        self.check_limit(leaves.len() as u64 * LEAF_BYTES)?;
        let indices: Vec<usize> = leaves.iter().map(|(leaf, _)| *leaf).collect();
        let most_per_row = self.schema().map(|schema| schema.encoding.width());
        let metadata = self.metadata.metadata();
        let checked = check_columns(&self.chunks, metadata, &indices, most_per_row, self.options.memory_limit);
        checked.map_err(|BadColumn { leaf, problem }| {
            let column = leaves.iter().find(|(at, _)| *at == leaf).map_or(0, |(_, column)| *column);
            self.place(column).error(problem)
        })
    }

    /// Checks all columns in use against their types, the file and the memory limit.
    pub(super) fn check_used(&self, used: &[usize], layout: &Layout) -> Result<Announced, ReadError> {
        if let Some(&column) = used.iter().find(|&&column| self.kinds[column].is_none()) {
            return Err(self.unsupported(column));
        }
        let Checked { values, row_bytes: page_bytes } = self.check_chunks(used)?;
        // Bytes of the table that the rows become: f32 and codes are 4 bytes, pixels 1, label and row number 16.
        let single = layout.features.len() == 1;
        let bytes = used.iter().zip(&values).map(|(&column, &values)| match self.kinds[column] {
            Some(Kind::List(Number::U8)) if single => values,
            _ => values.saturating_mul(4),
        });
        let table_bytes = bytes.fold(self.rows.saturating_mul(16), u64::saturating_add);
        // With a schema, the rows may be asked for in blocks, which need not fit together.
        if self.schema().is_none() {
            self.check_limit(table_bytes.saturating_add(values.len() as u64 * LEAF_BYTES))?;
        }
        let row_bytes = table_bytes.div_ceil(self.rows.max(1)).max(1);
        let decoded_bytes = page_bytes.into_iter().fold(row_bytes, u64::saturating_add);
        Ok(Announced { values, row_bytes, decoded_bytes })
    }

    fn check_limit(&self, needed_bytes: u64) -> Result<(), ReadError> {
        let limit_bytes = self.options.memory_limit;
        if needed_bytes <= limit_bytes {
            return Ok(());
        }
        Err(Place::file(&self.file).error(Problem::TooLarge { needed_bytes, limit_bytes }))
    }

    /// What each feature column is taken as, and the table that they make.
    pub(super) fn features(&self, layout: &Layout) -> Result<Features, ReadError> {
        let lists: Vec<usize> =
            layout.features.iter().copied().filter(|&at| matches!(self.kinds[at], Some(Kind::List(_)))).collect();
        let widths = self.list_widths(&lists)?;
        let width_of: HashMap<usize, usize> = lists.into_iter().zip(widths).collect();
        let width = |column: usize| width_of.get(&column).copied();
        let label_position = layout.label_position(|column| width(column).unwrap_or(1));
        let number = |column: usize| width(column).map_or(Take::Number, |width| Take::Vector { width });
        let Some(schema) = self.schema() else {
            let natural = |column: usize| match self.kinds[column] {
                Some(Kind::Text) => Take::Category,
                Some(Kind::Number(_)) if layout.is_category[column] => Take::Category,
                _ => number(column),
            };
            let takes: Vec<Take> = layout.features.iter().map(|&column| natural(column)).collect();
            let asked = layout.features.iter().map(|&column| layout.is_category[column]).collect();
            let encoding = self.found_encoding(layout, &takes);
            return Ok(Features { takes, encoding, texts: Texts::New { asked }, label_position });
        };
        let recorded = schema.encoding.columns();
        let takes = layout.features.iter().zip(&layout.recorded).map(|(&column, &at)| match &recorded[at] {
            FeatureColumn::Category { .. } if width(column).is_some() => {
                let supported = "the training data had texts in this column; give texts here too";
                Err(self.place(column).error(Problem::Unsupported { found: "lists".to_owned(), supported }))
            }
            FeatureColumn::Category { .. } => Ok(Take::Category),
            _ => Ok(number(column)),
        });
        let takes = takes.collect::<Result<Vec<_>, _>>()?;
        // Without rows, no list tells its length.
        if self.rows > 0 {
            let checked = layout.check_fields(schema, |column| width(column).unwrap_or(1));
            checked.map_err(|(column, problem)| self.place(column).error(problem))?;
        }
        Ok(Features { takes, encoding: schema.encoding.clone(), texts: Texts::Recorded, label_position })
    }

    /// The columns as they are found, where none are recorded.
    fn found_encoding(&self, layout: &Layout, takes: &[Take]) -> Encoding {
        if let ([column], [Take::Vector { width }]) = (&layout.features[..], takes) {
            if self.names[*column] == MATRIX_COLUMN {
                return Encoding::matrix(*width);
            }
        }
        let columns = layout.features.iter().zip(takes).map(|(&column, take)| {
            let name = self.names[column].clone();
            match take {
                Take::Number => FeatureColumn::Number { name },
                Take::Vector { width } => FeatureColumn::Vector { name, width: *width },
                Take::Category => FeatureColumn::Category { name, texts: Vec::new() },
            }
        });
        Encoding::new(columns.collect(), true)
    }

    /// The lengths of the first lists that are there, of some columns of lists; 0 if there are none.
    fn list_widths(&self, lists: &[usize]) -> Result<Vec<usize>, ReadError> {
        let mut widths: Vec<Option<usize>> = vec![None; lists.len()];
        if lists.is_empty() || self.rows == 0 {
            return Ok(vec![0; lists.len()]);
        }
        let mut sorted = lists.to_vec();
        sorted.sort_unstable();
        let whole = |problem: Problem| Place::file(&self.file).error(problem);
        // The first row nearly always answers.
        let mut batches = self.batches(&sorted, BATCH_BYTES / 4).map_err(whole)?;
        while widths.contains(&None) {
            let Some(batch) = guarded(|| batches.next().transpose()).map_err(whole)? else { break };
            for (width, list) in widths.iter_mut().zip(lists).filter(|(width, _)| width.is_none()) {
                let at = sorted.binary_search(list).expect("sorted holds the same columns");
                if let Some(column @ Column::Lists { lists, .. }) = &Column::of(batch.column(at)) {
                    let complete = (0..batch.num_rows()).find(|&row| column.missing(row).is_none());
                    *width = complete.map(|row| list_range(lists, row).len());
                }
            }
        }
        if let Some(at) = widths.iter().position(|width| *width == Some(0)) {
            let problem = Problem::Unsupported {
                found: "empty lists".to_owned(),
                supported: "lists need at least 1 value: leave the column out (ignore), or fill it",
            };
            return Err(self.place(lists[at]).error(problem));
        }
        Ok(widths.into_iter().map(|width| width.unwrap_or(0)).collect())
    }

    /// Begins to decode some columns, given in rising order.
    pub(super) fn batches(&self, columns: &[usize], row_bytes: u64) -> Result<ParquetRecordBatchReader, Problem> {
        let chunks = self.chunks.try_clone().map_err(Problem::Io)?;
        let batch_rows = (BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH_ROWS) as usize;
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        guarded(|| {
            ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, self.metadata.clone())
                .with_projection(mask)
                .with_batch_size(batch_rows)
                .build()
        })
    }
}
