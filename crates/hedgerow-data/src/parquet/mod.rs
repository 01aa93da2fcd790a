//! Parquet: columns of numbers, texts and lists of numbers, decoded batch by batch.
//!
//! A column of numbers or truth values is a feature, a column of texts a category, a column of lists of one length a
//! vector. Dates, decimals, structs and the like are refused: what they mean as a feature is for the user to say. A missing
//! value is a null or a NaN, and of a label an empty text, as in text tables. Truth values are the classes `true` and `false`.
//! Columns that are left out are not decoded.
//!
//! Decoding is the `parquet` crate's work. What a file announces is checked before ([`pages`], [`thrift`], [`delta`]), and the
//! decoder is called through [`guarded`] only. The writer is [`crate::write`].

mod delta;
mod guarded;
mod opening;
mod pages;
mod source;
mod thrift;
mod values;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::file::reader::Length;

use self::guarded::guarded;
use self::opening::{Announced, Features, Opening, Take};
use self::values::{Column, Exact, Kind, Number, list_range};
use crate::encoding::Encoding;
use crate::error::{Place, Problem, ReadError, shown};
use crate::input::Input;
use crate::labels::LabelCollector;
use crate::options::{self, MissingValues, ReadOptions, UnknownCategory};
use crate::read::{RowReader, Step};
use crate::splits::Split;
use crate::table::{CollectedColumn, Ids, Numbers, Table, Texts};

/// Reads the rows of a Parquet file.
pub(crate) struct ParquetReader {
    batches: ParquetRecordBatchReader,
    /// A batch of which rows are left, and the first of them.
    pending: Option<(RecordBatch, usize)>,
    /// Columns that announce more values than lists like their first one have: some list must be longer.
    longer_lists: Vec<LongerLists>,
    columns: Columns,
    encoding: Encoding,
    texts: Texts,
    label_position: Option<usize>,
    pixels: bool,
    file: String,
    missing: MissingValues,
    unknown_category: UnknownCategory,
    may_lack_labels: bool,
    rows_done: u64,
    rows_total: u64,
    source_bytes: u64,
    bytes_done: Arc<AtomicU64>,
    row_bytes: u64,
    memory_limit: u64,
}

/// The columns in use.
struct Columns {
    label: Option<Used>,
    id: Option<Used>,
    split: Option<Used>,
    features: Vec<(Used, Take)>,
}

/// A column of lists whose values are counted: those it announces, and those found in its rows so far.
struct LongerLists {
    at: usize,
    name: String,
    announced: u64,
    found: u64,
}

/// A column in use: its place in a batch, and its name.
struct Used {
    at: usize,
    name: String,
}

impl ParquetReader {
    pub(crate) fn open(input: &mut Input, options: &ReadOptions) -> Result<Self, ReadError> {
        let file = input.name().to_owned();
        let whole = |problem: Problem| Place::file(&file).error(problem);
        let opened = Opening::new(input, options)?;
        let layout = opened.layout()?;
        let roles = [(layout.label, "the label"), (layout.id, "the id"), (layout.split, "the split")];
        for (column, role) in roles {
            opened.check_one_value(column, role)?;
        }
        let mut used: Vec<usize> =
            roles.iter().filter_map(|(column, _)| *column).chain(layout.features.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        let Announced { values, row_bytes, decoded_bytes } = opened.check_used(&used, &layout)?;
        let Features { takes, encoding, texts, label_position } = opened.features(&layout)?;
        let single = matches!(layout.features[..], [only] if opened.kinds[only] == Some(Kind::List(Number::U8)));
        let pixels = single && matches!(takes[..], [Take::Vector { .. }]);
        let in_batch = |column: usize| Used {
            at: used.binary_search(&column).expect("all columns with a role are in use"),
            name: opened.names[column].clone(),
        };
        let columns = Columns {
            label: layout.label.map(in_batch),
            id: layout.id.map(in_batch),
            split: layout.split.map(in_batch),
            features: layout.features.iter().map(|&column| in_batch(column)).zip(takes).collect(),
        };
        let longer_lists = columns.features.iter().filter_map(|(used, take)| match take {
            Take::Vector { width } if values[used.at] > opened.rows.saturating_mul(*width as u64) => {
                Some(LongerLists { name: used.name.clone(), at: used.at, announced: values[used.at], found: 0 })
            }
            _ => None,
        });
        let longer_lists = longer_lists.collect();
        let batches = opened.batches(&used, decoded_bytes).map_err(whole)?;
        Ok(Self {
            batches,
            pending: None,
            longer_lists,
            columns,
            encoding,
            texts,
            label_position,
            pixels,
            missing: options.missing,
            unknown_category: options.unknown_category,
            may_lack_labels: options.may_lack_labels(),
            rows_done: 0,
            rows_total: opened.rows,
            source_bytes: input.total_bytes().unwrap_or_else(|| opened.chunks.len()),
            bytes_done: Arc::default(),
            row_bytes,
            memory_limit: options.memory_limit,
            file,
        })
    }

    fn place(&self, row: u64, column: &Used) -> Place {
        Place::file(&self.file).row(row + 1).column(column.name.as_str())
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ReadError> {
        let next = guarded(|| self.batches.next().transpose()).map_err(|problem| {
            let rows = self.rows_done + 1;
            Place::file(&self.file).row(rows).error(problem)
        })?;
        if next.is_none() && self.rows_done < self.rows_total {
            let reason = format!("it announces {} rows but has {}", self.rows_total, self.rows_done);
            return Err(Place::file(&self.file).error(Problem::Damaged { reason }));
        }
        Ok(next)
    }

    /// Adds the rows from `first` on, `rows` of them, to the table.
    fn take_rows(
        &mut self,
        table: &mut Table,
        batch: &RecordBatch,
        first: usize,
        rows: usize,
    ) -> Result<(), ReadError> {
        let promise = "the decoder gives the types of the schema it was given";
        let columns: Vec<Column<'_>> = batch.columns().iter().map(|array| Column::of(array).expect(promise)).collect();
        for longer in &mut self.longer_lists {
            if let Column::Lists { lists, .. } = &columns[longer.at] {
                // A list without values is announced as one.
                let length = |row: usize| list_range(lists, row).len().max(1) as u64;
                longer.found += (first..first + rows).map(length).sum::<u64>();
            }
        }
        let row_number = |row: usize| self.rows_done + (row - first) as u64;
        let kept = self.kept_rows(table, &columns, first..first + rows)?;
        for (used, take) in &self.columns.features {
            if let (Take::Vector { width: expected }, Column::Lists { lists, .. }) = (take, &columns[used.at]) {
                let length = |row: usize| list_range(lists, row).len();
                if let Some(&row) = kept.iter().find(|&&row| length(row) != *expected) {
                    let problem = Problem::ListLength { expected: *expected, got: length(row) };
                    return Err(self.place(row_number(row), used).error(problem));
                }
            }
        }
        self.take_numbers(table, &columns, &kept, row_number)?;
        let mut collected = table.columns_mut().iter_mut();
        for (used, _) in self.columns.features.iter().filter(|(_, take)| *take == Take::Category) {
            let texts = collected.by_ref().find_map(|column| match column {
                CollectedColumn::Category { texts, .. } => Some(texts),
                _ => None,
            });
            let texts = texts.expect("the table has a category for each such column");
            for &row in &kept {
                let pushed = with_text(&columns[used.at], row, |text| texts.push(text, self.unknown_category));
                pushed.map_err(|problem| self.place(row_number(row), used).error(problem))?;
            }
        }
        if let (Some(labels), Some(used)) = (&mut table.labels, &self.columns.label) {
            for &row in &kept {
                if missing_label(&columns[used.at], row).is_some() {
                    labels.push_unlabeled();
                    continue;
                }
                push_label(labels, &columns[used.at], row)
                    .map_err(|problem| self.place(row_number(row), used).error(problem))?;
            }
        }
        // Many rows may share one text in the file, but have a copy each in the table: so the limit is held against each.
        let without_ids = table.size_bytes();
        if let (Some(ids), Some(used)) = (&mut table.ids, &self.columns.id) {
            let so_far = ids.size_bytes();
            for &row in &kept {
                let mut take = |text: &str| {
                    let new_bytes = (ids.size_bytes() - so_far + text.len()) as u64;
                    let needed_bytes = without_ids.saturating_add(new_bytes);
                    if needed_bytes <= self.memory_limit {
                        ids.push(text.to_owned());
                    }
                    needed_bytes
                };
                // An id that is missing is an empty one, as in text.
                let column = &columns[used.at];
                let needed_bytes = if column.missing(row).is_some() { take("") } else { with_text(column, row, take) };
                if needed_bytes > self.memory_limit {
                    let problem = Problem::TooLarge { needed_bytes, limit_bytes: self.memory_limit };
                    return Err(self.place(row_number(row), used).error(problem));
                }
            }
        }
        if let (Some(splits), Some(used)) = (&mut table.splits, &self.columns.split) {
            for &row in &kept {
                let split = with_text(&columns[used.at], row, |word| {
                    Split::from_word(word).ok_or_else(|| Problem::UnknownSplit { text: shown(word.as_bytes()) })
                });
                splits.push(split.map_err(|problem| self.place(row_number(row), used).error(problem))?);
            }
        }
        table.rows += kept.len();
        table.dropped_rows += rows - kept.len();
        self.rows_done += rows as u64;
        let done = u128::from(self.source_bytes) * u128::from(self.rows_done) / u128::from(self.rows_total.max(1));
        self.bytes_done.store(done as u64, Ordering::Relaxed);
        Ok(())
    }

    /// The rows that lack no value. Keeps the account of rows left out in `table.source_rows`.
    fn kept_rows(
        &self,
        table: &mut Table,
        columns: &[Column<'_>],
        rows: std::ops::Range<usize>,
    ) -> Result<Vec<usize>, ReadError> {
        let label = self.columns.label.as_ref().filter(|_| !self.may_lack_labels);
        let needed = self.columns.features.iter().map(|(used, _)| used).chain(&self.columns.split);
        let incomplete: Vec<&Used> = needed.filter(|used| !columns[used.at].is_complete()).collect();
        let lacking = |row: usize| {
            let value = incomplete.iter().find_map(|used| Some((*used, columns[used.at].missing(row)?)));
            value.or_else(|| label.and_then(|used| Some((used, missing_label(&columns[used.at], row)?))))
        };
        let (first, n_rows) = (rows.start, rows.len());
        let mut kept = Vec::with_capacity(n_rows);
        for row in rows {
            match (lacking(row), self.missing) {
                (None, _) => kept.push(row),
                (Some(_), MissingValues::DropRows) => {}
                (Some((used, text)), MissingValues::Refuse) => {
                    let place = self.place(self.rows_done + (row - first) as u64, used);
                    return Err(place.error(Problem::Missing { text: text.to_owned() }));
                }
            }
        }
        // Numbers of rows count from the table's first row, which is the source's first too unless it is read in blocks.
        let (so_far, offset) = (table.rows as u64, (table.rows + table.dropped_rows) as u64);
        if kept.len() < n_rows && table.source_rows.is_none() {
            table.source_rows = Some((0..so_far).collect());
        }
        if let Some(source_rows) = &mut table.source_rows {
            source_rows.extend(kept.iter().map(|&row| offset + (row - first) as u64));
        }
        Ok(kept)
    }

    /// Adds the numbers of all number and vector columns, row by row.
    fn take_numbers(
        &self,
        table: &mut Table,
        columns: &[Column<'_>],
        kept: &[usize],
        row_number: impl Fn(usize) -> u64,
    ) -> Result<(), ReadError> {
        if kept.is_empty() {
            return Ok(()); // and if no list is complete, not even its width is known
        }
        let width = table.number_width;
        let into = match &mut table.numbers {
            Numbers::U8(into) => {
                let (used, _) = &self.columns.features[0];
                if let Column::Lists { lists, values } = &columns[used.at] {
                    let bytes = values.as_u8().expect("bytes were promised by the type of the column");
                    kept.iter().for_each(|&row| into.extend_from_slice(&bytes[list_range(lists, row)]));
                }
                return Ok(());
            }
            Numbers::F32(into) => into,
        };
        let start = into.len();
        into.resize(start + kept.len() * width, 0.0);
        let into = &mut into[start..];
        let mut begin = 0;
        for (used, take) in &self.columns.features {
            let column_width = match take {
                Take::Category => continue,
                Take::Number => 1,
                Take::Vector { width } => *width,
            };
            let places = into.chunks_exact_mut(width).map(|row| &mut row[begin..begin + column_width]).zip(kept);
            match &columns[used.at] {
                Column::Numbers(numbers) => {
                    places.for_each(|(place, &row)| numbers.write_f32(row..row + 1, place));
                }
                Column::Lists { lists, values } => {
                    places.for_each(|(place, &row)| values.write_f32(list_range(lists, row), place));
                }
                Column::Texts(texts) => {
                    for (place, &row) in places {
                        let text = texts.value(row);
                        place[0] = text.trim().parse().map_err(|_| {
                            let remedy = "the training data had numbers in this column; give numbers here too";
                            let problem = Problem::NotANumber { text: shown(text.as_bytes()), remedy };
                            self.place(row_number(row), used).error(problem)
                        })?;
                    }
                }
            }
            begin += column_width;
        }
        Ok(())
    }
}

/// Calls `act` with the text of a row; a number is written as text first.
fn with_text<T>(column: &Column<'_>, row: usize, act: impl FnOnce(&str) -> T) -> T {
    match column {
        Column::Texts(texts) => act(texts.value(row)),
        Column::Numbers(numbers) => act(&numbers.text(row)),
        Column::Lists { .. } => unreachable!("lists were refused for texts when the file was opened"),
    }
}

/// What stands in place of a label, if the row has none: a null or, as in text tables, an empty text.
fn missing_label(column: &Column<'_>, row: usize) -> Option<&'static str> {
    let is_empty = || matches!(column, Column::Texts(texts) if texts.value(row).trim().is_empty());
    column.missing(row).or_else(|| is_empty().then_some(""))
}

fn push_label(labels: &mut LabelCollector, column: &Column<'_>, row: usize) -> Result<(), Problem> {
    match column {
        Column::Numbers(numbers) => match numbers.exact(row) {
            Exact::Number(value) if !value.is_finite() => return Err(Problem::Unusable { value }),
            Exact::Number(value) => labels.push_number(value),
            Exact::Text(text) => labels.push(&text),
        },
        other => with_text(other, row, |text| labels.push(text)),
    }
    Ok(())
}

impl RowReader for ParquetReader {
    fn table(&mut self) -> Result<Table, ReadError> {
        let mut table = Table::of(&self.encoding, &self.texts);
        if self.pixels {
            table.numbers = Numbers::U8(Vec::new());
        }
        table.labels = self.columns.label.as_ref().map(|_| LabelCollector::default());
        table.label_column = self.columns.label.as_ref().map(|used| options::Column::Name(used.name.clone()));
        table.label_position = self.label_position;
        table.ids = self.columns.id.as_ref().map(|_| Ids::default());
        table.splits = self.columns.split.as_ref().map(|_| Vec::new());
        Ok(table)
    }

    fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError> {
        let mut left = max_rows;
        while left > 0 && self.rows_done < self.rows_total {
            let Some((batch, first)) = self.pending.take() else {
                let batch = self.next_batch()?;
                self.pending = batch.map(|batch| (batch, 0));
                continue;
            };
            let rows = left.min(batch.num_rows() - first);
            self.take_rows(table, &batch, first, rows)?;
            left -= rows;
            if first + rows < batch.num_rows() {
                self.pending = Some((batch, first + rows));
            }
        }
        if self.rows_done < self.rows_total {
            return Ok(Step::More);
        }
        // Rows that were left out may have had longer lists.
        match self.longer_lists.iter().find(|longer| longer.found < longer.announced) {
            Some(LongerLists { name, announced, .. }) => {
                let reason = format!("the column announces {announced} values but its lists have fewer");
                Err(Place::file(&self.file).column(name.as_str()).error(Problem::Damaged { reason }))
            }
            None => Ok(Step::End),
        }
    }

    fn bytes_done(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_done)
    }

    fn row_bytes(&self) -> u64 {
        self.row_bytes
    }
}

#[cfg(test)]
mod tests;
