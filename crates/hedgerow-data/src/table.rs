//! Rows on their way from any reader into a [`Dataset`].
//!
//! Numbers are collected row after row, so that a file of numbers needs no further copy; texts of category columns are
//! collected as codes and spread over their features at the end, when all texts are known.
//!
//! The memory limit is held against what the rows take ([`Table::size_bytes`]). Where they are copied once more, to spread
//! categories, to divide splits or to join the parts of a folder, up to about twice the limit is held for a moment.

mod categories;

use std::sync::Arc;

use hedgerow_core::{Label, Points};

use self::categories::{CategoryCollector, UNKNOWN};
use crate::dataset::{Dataset, ImageShape};
use crate::encoding::{Encoding, FeatureColumn, Schema};
use crate::error::{Place, Problem, ReadError, shown};
use crate::labels::{Classes, LabelCollector};
use crate::options::{Column, ConstantLabel, LabelKind, ReadOptions};
use crate::row_ids::RowIds;
use crate::splits::Split;

/// Rows collected so far.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<CollectedColumn>,
    named: bool,
    /// The numbers of the rows, one row after another: all number and vector columns in their order.
    pub(crate) numbers: Numbers,
    pub(crate) number_width: usize,
    pub(crate) labels: Option<LabelCollector>,
    pub(crate) label_column: Option<Column>,
    /// How many fields of features stand before the label.
    pub(crate) label_position: Option<usize>,
    pub(crate) ids: Option<Ids>,
    pub(crate) splits: Option<Vec<Split>>,
    /// Number of each row in its source, counted from the first row of this table, if some were left out.
    pub(crate) source_rows: Option<Vec<u64>>,
    pub(crate) rows: usize,
    pub(crate) dropped_rows: usize,
    pub(crate) image_shape: Option<ImageShape>,
    /// The first index of svmlight data, so that other data is read in the same way.
    pub(crate) first_index: Option<u8>,
}

/// Values of one number type.
#[derive(Debug, PartialEq)]
pub(crate) enum Numbers {
    F32(Vec<f32>),
    U8(Vec<u8>),
}

/// The ids of the rows.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    names: Vec<String>,
    /// What the names hold, kept as they come: to add it up anew for every block would take time in the square of the rows.
    size_bytes: usize,
}

impl Ids {
    pub(crate) fn push(&mut self, name: String) {
        self.size_bytes += Self::bytes_of(&name);
        self.names.push(name);
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    fn truncate(&mut self, rows: usize) {
        self.names.drain(rows.min(self.names.len())..).for_each(|name| self.size_bytes -= Self::bytes_of(&name));
    }

    fn select(&mut self, rows: &[usize]) {
        let names = rows.iter().map(|&row| std::mem::take(&mut self.names[row])).collect();
        self.names = names;
        self.size_bytes = self.names.iter().map(Self::bytes_of).sum();
    }

    fn append(&mut self, mut other: Self) {
        self.size_bytes += other.size_bytes;
        self.names.append(&mut other.names);
    }

    fn bytes_of(name: &String) -> usize {
        name.capacity() + size_of::<String>()
    }
}

/// A feature column and, for a category, its texts.
#[derive(Debug)]
pub(crate) enum CollectedColumn {
    Number { name: String },
    Vector { name: String, width: usize },
    Category { name: String, texts: CategoryCollector },
}

/// Which texts the category columns of a table may have.
#[derive(Debug, Clone)]
pub(crate) enum Texts {
    /// Those that are recorded.
    Recorded,
    /// Any; for each column, whether the user said that it holds categories.
    New { asked: Vec<bool> },
}

impl Table {
    /// A table without rows. `named`: whether the column names come from the file.
    pub(crate) fn new(columns: Vec<CollectedColumn>, named: bool) -> Self {
        let number_width = columns.iter().map(CollectedColumn::number_width).sum();
        Self {
            columns,
            named,
            numbers: Numbers::F32(Vec::new()),
            number_width,
            labels: None,
            label_column: None,
            label_position: None,
            ids: None,
            splits: None,
            source_rows: None,
            rows: 0,
            dropped_rows: 0,
            image_shape: None,
            first_index: None,
        }
    }

    /// A table without rows for these columns.
    pub(crate) fn of(encoding: &Encoding, texts: &Texts) -> Self {
        let collected = |(at, column): (usize, &FeatureColumn)| match column.clone() {
            FeatureColumn::Number { name } => CollectedColumn::Number { name },
            FeatureColumn::Vector { name, width } => CollectedColumn::Vector { name, width },
            FeatureColumn::Category { name, texts: recorded } => {
                let texts = match texts {
                    Texts::Recorded => CategoryCollector::recorded(&recorded),
                    Texts::New { asked } => CategoryCollector::new(asked[at]),
                };
                CollectedColumn::Category { name, texts }
            }
        };
        Self::new(encoding.columns().iter().enumerate().map(collected).collect(), encoding.is_named())
    }

    /// A table for a plain matrix.
    pub(crate) fn matrix(width: usize, numbers: Numbers) -> Self {
        let column = CollectedColumn::Vector { name: String::new(), width };
        Self { numbers, ..Self::new(vec![column], false) }
    }

    pub(crate) fn columns_mut(&mut self) -> &mut [CollectedColumn] {
        &mut self.columns
    }

    /// Makes room for numbers of so many bytes.
    pub(crate) fn reserve(&mut self, n_bytes: u64) {
        let n_bytes = usize::try_from(n_bytes).unwrap_or(0);
        match &mut self.numbers {
            Numbers::F32(values) => values.reserve_exact(n_bytes / size_of::<f32>()),
            Numbers::U8(values) => values.reserve_exact(n_bytes),
        }
    }

    /// Bytes that the rows take so far.
    pub(crate) fn size_bytes(&self) -> u64 {
        let numbers = match &self.numbers {
            Numbers::F32(values) => size_of_val(values.as_slice()),
            Numbers::U8(values) => values.len(),
        };
        let categories: usize = self
            .columns
            .iter()
            .map(|column| match column {
                CollectedColumn::Category { texts, .. } => texts.size_bytes(),
                _ => 0,
            })
            .sum();
        let ids = self.ids.as_ref().map_or(0, Ids::size_bytes);
        let labels = self.labels.as_ref().map_or(0, LabelCollector::size_bytes);
        // 16: the label and the row number that the data set will have.
        (numbers + categories + ids + labels + 16 * self.rows) as u64
    }

    /// The number of a row in its source.
    pub(crate) fn source_row(&self, row: usize) -> u64 {
        self.source_rows.as_ref().map_or(row as u64, |rows| rows[row])
    }

    /// Refuses to grow past the memory limit. Readers stop every few megabytes of source or of rows for this check.
    pub(crate) fn check_size(&self, memory_limit: u64, file: &str) -> Result<(), ReadError> {
        let needed_bytes = self.size_bytes();
        if needed_bytes <= memory_limit {
            return Ok(());
        }
        Err(Place::file(file).error(Problem::TooLarge { needed_bytes, limit_bytes: memory_limit }))
    }

    /// Forgets all of the row that was begun after `self.rows` whole rows, to leave it out.
    pub(crate) fn drop_begun_row(&mut self) {
        let rows = self.rows;
        let values = rows * self.number_width;
        match &mut self.numbers {
            Numbers::F32(numbers) => numbers.truncate(values),
            Numbers::U8(numbers) => numbers.truncate(values),
        }
        for column in &mut self.columns {
            if let CollectedColumn::Category { texts, .. } = column {
                texts.codes.truncate(rows);
            }
        }
        self.labels.iter_mut().for_each(|labels| labels.truncate(rows));
        self.ids.iter_mut().for_each(|ids| ids.truncate(rows));
        self.splits.iter_mut().for_each(|splits| splits.truncate(rows));
        // Until the first row is left out, rows stand at their number in the source.
        self.source_rows.get_or_insert_with(|| (0..rows as u64).collect());
        self.dropped_rows += 1;
    }

    /// Leaves out the rows that have no label.
    pub(crate) fn drop_unlabeled_rows(&mut self) {
        let Some(labels) = &self.labels else { return };
        let rows: Vec<usize> = labels.is_labeled().enumerate().filter(|(_, is)| *is).map(|(row, _)| row).collect();
        if rows.len() == self.rows {
            return;
        }
        let width = self.number_width;
        match &mut self.numbers {
            Numbers::F32(numbers) => keep(numbers, &rows, width),
            Numbers::U8(numbers) => keep(numbers, &rows, width),
        }
        for column in &mut self.columns {
            if let CollectedColumn::Category { texts, .. } = column {
                keep(&mut texts.codes, &rows, 1);
            }
        }
        let numbers: Vec<u64> = rows.iter().map(|&row| row as u64).collect();
        self.labels.iter_mut().for_each(|labels| labels.select(&numbers));
        self.ids.iter_mut().for_each(|ids| ids.select(&rows));
        self.splits.iter_mut().for_each(|splits| keep(splits, &rows, 1));
        self.source_rows = Some(match self.source_rows.take() {
            Some(source_rows) => rows.iter().map(|&row| source_rows[row]).collect(),
            None => numbers,
        });
        self.dropped_rows += self.rows - rows.len();
        self.rows = rows.len();
    }

    /// What must be recorded to read the other parts of one data set like this one, beside what was given for all.
    pub(crate) fn schema(&self, given: Schema) -> Schema {
        Schema {
            encoding: self.encoding(),
            label_column: self.label_column.clone().or(given.label_column),
            label_position: self.label_position.or(given.label_position),
            ..given
        }
    }

    /// The recorded form of the columns so far.
    pub(crate) fn encoding(&self) -> Encoding {
        let columns = self.columns.iter().map(|column| match column {
            CollectedColumn::Number { name } => FeatureColumn::Number { name: name.clone() },
            CollectedColumn::Vector { name, width } => FeatureColumn::Vector { name: name.clone(), width: *width },
            CollectedColumn::Category { name, texts } => {
                FeatureColumn::Category { name: name.clone(), texts: texts.settle().0 }
            }
        });
        Encoding::new(columns.collect(), self.named).with_first_index(self.first_index)
    }

    /// Appends the rows of another part of the same data set, all of `split`, after giving all rows so far to `so_far`.
    pub(crate) fn append_part(
        &mut self,
        other: Self,
        so_far: Split,
        split: Split,
        file: &str,
        first: &str,
    ) -> Result<(), ReadError> {
        let differ = |expected: String, got: String| {
            Place::file(file).error(Problem::PartsDiffer { expected, got, other: first.to_owned() })
        };
        if self.number_width != other.number_width {
            let features = |table: &Self| format!("{} features", table.number_width);
            return Err(differ(features(self), features(&other)));
        }
        if self.image_shape != other.image_shape {
            let shape =
                |table: &Self| table.image_shape.map_or("no pictures".into(), |shape| format!("pictures of {shape}"));
            return Err(differ(shape(self), shape(&other)));
        }
        if self.labels.is_some() != other.labels.is_some() {
            let labels = |table: &Self| if table.labels.is_some() { "labels" } else { "no labels" }.to_owned();
            return Err(differ(labels(self), labels(&other)));
        }
        if self.ids.is_some() != other.ids.is_some() {
            let ids = |table: &Self| if table.ids.is_some() { "an id column" } else { "no id column" }.to_owned();
            return Err(differ(ids(self), ids(&other)));
        }
        if self.columns.len() != other.columns.len() {
            return Err(differ(format!("{} columns", self.columns.len()), format!("{} columns", other.columns.len())));
        }
        match (&mut self.numbers, other.numbers) {
            // Room for just as much as there is: a vector that grows by itself doubles.
            (Numbers::F32(mine), Numbers::F32(mut theirs)) => {
                mine.reserve_exact(theirs.len());
                mine.append(&mut theirs);
            }
            (Numbers::U8(mine), Numbers::U8(mut theirs)) => {
                mine.reserve_exact(theirs.len());
                mine.append(&mut theirs);
            }
            (Numbers::F32(_), _) => return Err(differ("f32 values".into(), "u8 values".into())),
            (Numbers::U8(_), _) => return Err(differ("u8 values".into(), "f32 values".into())),
        }
        for (mine, theirs) in self.columns.iter_mut().zip(other.columns) {
            if let (CollectedColumn::Category { texts: mine, .. }, CollectedColumn::Category { texts: theirs, .. }) =
                (mine, theirs)
            {
                // The other part was read with the texts of this one recorded; their codes are positions in sorted order.
                let (texts, _) = mine.settle();
                let code = |&code: &u32| texts.get(code as usize).map_or(UNKNOWN, |text| mine.code_of[text]);
                let codes: Vec<u32> = theirs.codes.iter().map(code).collect();
                mine.codes.extend(codes);
            }
        }
        if let (Some(mine), Some(theirs)) = (&mut self.labels, &other.labels) {
            mine.append(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.ids, other.ids) {
            mine.append(theirs);
        }
        let offset = (self.rows + self.dropped_rows) as u64;
        if self.source_rows.is_some() || other.source_rows.is_some() {
            let rows = self.rows as u64;
            let mine = self.source_rows.get_or_insert_with(|| (0..rows).collect());
            let theirs = other.source_rows.unwrap_or_else(|| (0..other.rows as u64).collect());
            mine.extend(theirs.into_iter().map(|row| row + offset));
        }
        let rows = self.rows;
        let splits = self.splits.get_or_insert_with(|| vec![so_far; rows]);
        splits.extend(std::iter::repeat_n(split, other.rows));
        self.rows += other.rows;
        self.dropped_rows += other.dropped_rows;
        Ok(())
    }

    /// The data set that the rows are.
    pub(crate) fn into_dataset(self, name: &str, file: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
        if self.rows == 0 {
            return Err(Place::file(file).error(Problem::NoRows));
        }
        self.into_block(name, file, options, &mut Classes::recorded(options.schema.as_ref()))
    }

    /// As [`Self::into_dataset`], but the rows may be none: a block of a stream, in which classes of blocks before are known.
    pub(crate) fn into_block(
        mut self,
        name: &str,
        file: &str,
        options: &ReadOptions,
        classes: &mut Classes,
    ) -> Result<Dataset, ReadError> {
        if options.schema.is_none() {
            self.refuse_names(file)?;
        }
        let encoding = self.encoding();
        if encoding.width() == 0 {
            let used = self.label_column.as_ref().map_or_else(|| "the label column".to_owned(), Column::plain);
            return Err(Place::file(file).error(Problem::NoFeatures { used }));
        }
        let source_rows = self.source_rows.take();
        let source_row = |row: usize| source_rows.as_ref().map_or(row as u64, |rows| rows[row]);
        let labels = match self.labels.take().filter(|_| options.label_kind != LabelKind::Ignored) {
            None => vec![Label::Unlabeled; self.rows],
            Some(labels) => {
                let column = self.label_column.as_ref().map_or_else(|| "of labels".to_owned(), Column::plain);
                let place = |row: usize| Place::file(file).row(source_row(row) + 1).column(column.as_str());
                if let (ConstantLabel::Refuse, true, Some(label)) =
                    (options.constant_label, options.schema.is_none(), labels.constant())
                {
                    let problem = Problem::ConstantLabel { label: shown(label.as_bytes()) };
                    return Err(Place::file(file).column(column).error(problem));
                }
                let recorded = options.schema.as_ref().and_then(|schema| schema.labels);
                labels.understand_by(options.label_kind, recorded, classes, place)?
            }
        };
        let row_ids = match (self.ids.take(), &source_rows) {
            (Some(ids), _) => RowIds::Names(ids.names),
            (None, Some(rows)) => RowIds::Numbers(rows.clone()),
            (None, None) => RowIds::counted(self.rows),
        };
        let points = self.take_points(&encoding).map_err(|error| unusable(error, file, source_row, &encoding))?;
        let cannot = "all parts were counted together";
        let has_values = labels.iter().any(|label| matches!(label, Label::Value(_)));
        let class_names = if has_values { Arc::default() } else { classes.names() };
        let mut dataset = Dataset::with_names(name.to_owned(), points, labels, class_names)
            .and_then(|dataset| dataset.with_encoding(encoding, None))
            .and_then(|dataset| dataset.with_row_ids(row_ids))
            .expect(cannot)
            .with_label_place(self.label_column, self.label_position)
            .with_dropped_rows(self.dropped_rows);
        if let Some(shape) = self.image_shape {
            dataset = dataset.with_image_shape(shape).expect(cannot);
        }
        if let Some(splits) = self.splits.take() {
            dataset = dataset.with_splits(&splits).expect(cannot);
        }
        Ok(dataset)
    }

    /// Refuses columns of names and notes, in which more than half of the rows have a text of their own.
    fn refuse_names(&self, file: &str) -> Result<(), ReadError> {
        // In a small table that says nothing.
        const LEAST_ROWS: usize = 20;
        for column in &self.columns {
            if let CollectedColumn::Category { name, texts } = column {
                let (asked, texts, rows) = (texts.asked, texts.texts.len(), self.rows);
                if rows >= LEAST_ROWS && 2 * texts > rows && !asked {
                    return Err(Place::file(file)
                        .column(name.as_str())
                        .error(Problem::HardlyCategories { texts, rows }));
                }
            }
        }
        Ok(())
    }

    fn take_points(&mut self, encoding: &Encoding) -> Result<Points, hedgerow_core::PointsError> {
        let width = encoding.width();
        if width == self.number_width {
            return match &mut self.numbers {
                Numbers::F32(values) => Points::from_f32(width, std::mem::take(values)),
                Numbers::U8(values) => Points::from_u8(width, std::mem::take(values)),
            };
        }
        let Numbers::F32(numbers) = &mut self.numbers else {
            unreachable!("only tables have categories, and they hold f32")
        };
        let numbers = std::mem::take(numbers);
        let settled: Vec<_> = self
            .columns
            .iter()
            .map(|column| match column {
                CollectedColumn::Category { texts, .. } => Some((&texts.codes, texts.settle())),
                _ => None,
            })
            .collect();
        let mut values = Vec::with_capacity(self.rows * width);
        let mut next = numbers.iter();
        for row in 0..self.rows {
            for (column, settled) in self.columns.iter().zip(&settled) {
                match settled {
                    None => values.extend(next.by_ref().take(column.number_width())),
                    Some((codes, (texts, feature_of))) => {
                        let start = values.len();
                        values.resize(start + texts.len(), 0.0);
                        if codes[row] != UNKNOWN {
                            values[start + feature_of[codes[row] as usize]] = 1.0;
                        }
                    }
                }
            }
        }
        Points::from_f32(width, values)
    }
}

impl CollectedColumn {
    pub(crate) fn number_width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Vector { width, .. } => *width,
            Self::Category { .. } => 0,
        }
    }
}

/// Keeps some rows of values that stand row after row.
fn keep<T: Copy>(values: &mut Vec<T>, rows: &[usize], width: usize) {
    for (to, &from) in rows.iter().enumerate() {
        values.copy_within(from * width..(from + 1) * width, to * width);
    }
    values.truncate(rows.len() * width);
}

/// What core found wrong with the points, in the words of a reader.
fn unusable(
    error: hedgerow_core::PointsError,
    file: &str,
    source_row: impl Fn(usize) -> u64,
    encoding: &Encoding,
) -> ReadError {
    use hedgerow_core::{PointError, PointsError};
    match error {
        PointsError::Row { row, source: PointError::NotFinite { column, value } } => {
            let name = encoding.feature_names().swap_remove(column);
            let place = Place::file(file).row(source_row(row) + 1).column(name);
            place.error(Problem::Unusable { value: f64::from(value) })
        }
        other => Place::file(file).error(Problem::Damaged { reason: other.to_string() }),
    }
}
