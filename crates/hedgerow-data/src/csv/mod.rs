//! Tables in text: CSV, TSV and their kin.
//!
//! A row whose fields are plain is read in one go, numbers straight from the buffer (`plain.rs`); any other row (quotes,
//! blanks, missing values, errors) goes through the general parser of the `csv-core` crate. Tests hold the first to
//! the second. The kinds of the columns come from the first records (`sniff.rs`).

mod number;
mod plain;
mod records;
mod sniff;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use hedgerow_core::MAX_MAGNITUDE;

use self::number::{is_missing, whole_number};
use self::plain::PlainRow;
use self::records::{Fields, Records};
use crate::encoding::FeatureColumn;
use crate::error::{Place, Problem, ReadError, shown};
use crate::input::Input;
use crate::labels::LabelCollector;
use crate::layout::{Layout, is_label_name};
use crate::options::{Column, LabelColumn, MissingValues, ReadOptions, UnknownCategory};
use crate::read::{RowReader, STEP_BYTES, Step};
use crate::splits::Split;
use crate::table::{CategoryCollector, CollectedColumn, Ids, Numbers, Table};

/// What is done with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is the number of this place in the row of numbers.
    Number(usize),
    /// It is a text of this column of the table.
    Category(usize),
    Label,
    Id,
    Split,
    Ignored,
}

/// Reads the rows of a text table.
pub(crate) struct CsvReader {
    records: Records,
    fields: Fields,
    plain: PlainRow,
    names: Vec<String>,
    named: bool,
    roles: Vec<Role>,
    /// Feature columns, in the order of the features.
    columns: Vec<FeatureColumn>,
    label_column: Option<String>,
    has_recorded_texts: bool,
    may_lack_labels: bool,
    missing: MissingValues,
    unknown_category: UnknownCategory,
    /// Rows read so far, those left out included.
    row: u64,
    /// Whether plain rows are read in one go. Off in tests that compare both ways.
    in_one_go: bool,
    row_bytes: u64,
}

impl CsvReader {
    pub(crate) fn open(input: &mut Input, delimiter: Option<u8>, options: &ReadOptions) -> Result<Self, ReadError> {
        if let Some(byte) = delimiter.filter(|byte| matches!(byte, b'"' | b'\r' | b'\n') || !byte.is_ascii()) {
            let found = format!("the delimiter {:?}", char::from(byte));
            let supported = "a delimiter is one ASCII character, and neither a quote nor a line end";
            return Err(input.place().error(Problem::Unsupported { found, supported }));
        }
        let mut records = Records::new(input.open()?, options.comment, options.memory_limit)?;
        let delimiter = delimiter.unwrap_or_else(|| sniff::delimiter(&mut records));
        records.set_delimiter(delimiter);
        let file = input.name();
        let Some(sniffed) = sniff::sniff(&mut records, options.header) else {
            // Nothing could be looked at: reading on says what is wrong.
            let mut fields = Fields::default();
            if records.find_record()? {
                records.read(&mut fields)?;
            }
            return Err(input.place().error(Problem::NoRows));
        };
        let names = if sniffed.has_header {
            records.find_record()?;
            name_columns(&sniffed.first, &records.place())?
        } else {
            (0..sniffed.first.len()).map(|column| column.to_string()).collect()
        };
        let options = with_found_columns(options, &sniffed, &names);
        let layout = Layout::of(&names, sniffed.has_header, &options, file)?;
        if options.schema.is_none() {
            refuse_odd_numbers(&sniffed, &names, &layout, &options, file)?;
        }
        Self::new(records, delimiter, names, &sniffed, &layout, &options)
    }

    fn new(
        mut records: Records,
        delimiter: u8,
        names: Vec<String>,
        sniffed: &sniff::Sniffed,
        layout: &Layout,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        if sniffed.has_header {
            records.read(&mut Fields::default())?;
        }
        let file = records.opened().place().file;
        let forced = Layout::columns_of(&names, sniffed.has_header, &options.categories, &file)?;
        let mut columns = Vec::new();
        for (place, &at) in layout.features.iter().enumerate() {
            let recorded = options.schema.as_ref().and_then(|schema| schema.encoding.columns().get(place));
            columns.push(match recorded {
                Some(FeatureColumn::Category { name, texts }) => {
                    FeatureColumn::Category { name: name.clone(), texts: texts.clone() }
                }
                Some(FeatureColumn::Number { name }) => FeatureColumn::Number { name: name.clone() },
                // A matrix, or nothing recorded.
                _ if options.schema.is_some() => FeatureColumn::Number { name: names[at].clone() },
                _ if sniffed.columns[at].is_numbers && !forced.contains(&at) => {
                    FeatureColumn::Number { name: names[at].clone() }
                }
                _ => FeatureColumn::Category { name: names[at].clone(), texts: Vec::new() },
            });
        }
        let mut roles = vec![Role::Ignored; names.len()];
        let mut n_numbers = 0;
        for (column, &at) in layout.features.iter().enumerate() {
            roles[at] = if matches!(columns[column], FeatureColumn::Number { .. }) {
                n_numbers += 1;
                Role::Number(n_numbers - 1)
            } else {
                Role::Category(column)
            };
        }
        let is_matrix = options.schema.as_ref().is_some_and(|schema| schema.encoding.is_matrix());
        if is_matrix {
            columns = vec![FeatureColumn::Vector { name: String::new(), width: n_numbers }];
        }
        let others = [(layout.label, Role::Label), (layout.id, Role::Id), (layout.split, Role::Split)];
        others.into_iter().for_each(|(at, role)| at.into_iter().for_each(|at| roles[at] = role));
        Ok(Self {
            plain: PlainRow::new(&roles, delimiter, n_numbers),
            fields: Fields::default(),
            named: sniffed.has_header && !is_matrix,
            label_column: layout.label.map(|at| names[at].clone()),
            has_recorded_texts: options.schema.is_some(),
            may_lack_labels: options.may_lack_labels(),
            missing: options.missing,
            unknown_category: options.unknown_category,
            row: 0,
            in_one_go: true,
            row_bytes: 4 * names.len() as u64,
            records,
            names,
            roles,
            columns,
        })
    }

    fn column_place(&self, place: Place, column: usize) -> Place {
        place.row(self.row + 1).column(self.names[column].as_str())
    }

    /// Reads a row through the general parser.
    fn read_general(&mut self, table: &mut Table) -> Result<(), ReadError> {
        let place = self.records.place();
        self.records.read(&mut self.fields)?;
        let (expected, got) = (self.roles.len(), self.fields.len());
        if expected != got {
            return Err(place.row(self.row + 1).error(Problem::Ragged { expected, got }));
        }
        for (column, role) in self.roles.iter().enumerate() {
            let field = self.fields.get(column);
            if *role == Role::Ignored {
                continue;
            }
            let unlabeled = *role == Role::Label && self.may_lack_labels;
            if is_missing(field) && *role != Role::Id && !unlabeled {
                match self.missing {
                    MissingValues::Refuse => {
                        let problem = Problem::Missing { text: shown(field) };
                        return Err(self.column_place(place, column).error(problem));
                    }
                    MissingValues::DropRows => {
                        table.drop_begun_row();
                        return Ok(());
                    }
                }
            }
            if let Role::Number(at) = *role {
                match whole_number(field) {
                    Some(number) if number.abs() <= MAX_MAGNITUDE => self.plain.numbers[at] = number,
                    other => {
                        let problem = other.map_or_else(
                            || not_a_number(field),
                            |number| Problem::Unusable { value: f64::from(number) },
                        );
                        return Err(self.column_place(place, column).error(problem));
                    }
                }
            }
        }
        let fields = std::mem::take(&mut self.fields);
        let taken = self.take_texts(table, &place, |column| fields.get(column));
        self.fields = fields;
        taken?;
        self.take_numbers(table);
        Ok(())
    }

    /// Reads a row in one go if it is plain; false if it is not, with nothing used up.
    fn read_plain(&mut self, table: &mut Table) -> Result<bool, ReadError> {
        let Some(n_bytes) = self.plain.read(self.records.lines_ahead()) else { return Ok(false) };
        if !self.plain.texts.is_empty() {
            // Missing texts need the decision that the general path takes.
            let ahead = self.records.lines_ahead();
            let id = |column: usize| self.roles[column] == Role::Id;
            if self.plain.texts.iter().any(|text| is_missing(&ahead[text.range.clone()]) && !id(text.column)) {
                return Ok(false);
            }
            let place = self.records.place();
            let texts = std::mem::take(&mut self.plain.texts);
            let ahead = |column: usize| {
                let at = texts.binary_search_by_key(&column, |text| text.column).expect("roles have not changed");
                &self.records.lines_ahead()[texts[at].range.clone()]
            };
            let taken = self.take_texts(table, &place, ahead);
            self.plain.texts = texts;
            taken?;
        }
        self.take_numbers(table);
        self.records.use_up(n_bytes, 1);
        Ok(true)
    }

    /// Puts the texts of a row into the table.
    fn take_texts<'a>(
        &self,
        table: &mut Table,
        place: &Place,
        field: impl Fn(usize) -> &'a [u8],
    ) -> Result<(), ReadError> {
        for (column, role) in self.roles.iter().enumerate() {
            if matches!(role, Role::Number(_) | Role::Ignored) {
                continue;
            }
            let field = field(column).trim_ascii();
            let error = |problem| self.column_place(place.clone(), column).error(problem);
            let text = std::str::from_utf8(field).map_err(|fault| error(not_utf8(field, &fault)))?;
            match *role {
                Role::Category(at) => {
                    if let CollectedColumn::Category { texts, .. } = &mut table.columns_mut()[at] {
                        texts.push(text, self.unknown_category).map_err(error)?;
                    }
                }
                Role::Label if is_missing(field) => table.labels.iter_mut().for_each(LabelCollector::push_unlabeled),
                Role::Label => table.labels.iter_mut().for_each(|labels| labels.push(text)),
                Role::Id => table.ids.iter_mut().for_each(|ids| ids.push(text.to_owned())),
                Role::Split => match Split::from_word(text) {
                    Some(split) => table.splits.iter_mut().for_each(|splits| splits.push(split)),
                    None => return Err(error(Problem::UnknownSplit { text: shown(field) })),
                },
                Role::Number(_) | Role::Ignored => {}
            }
        }
        Ok(())
    }

    /// Puts the numbers of a row into the table and counts the row.
    fn take_numbers(&mut self, table: &mut Table) {
        if let Numbers::F32(numbers) = &mut table.numbers {
            numbers.extend_from_slice(&self.plain.numbers);
        }
        let row = (table.rows + table.dropped_rows) as u64;
        table.source_rows.iter_mut().for_each(|rows| rows.push(row));
        table.rows += 1;
    }
}

impl RowReader for CsvReader {
    fn table(&mut self) -> Result<Table, ReadError> {
        let columns = self.columns.iter().map(|column| match column.clone() {
            FeatureColumn::Number { name } => CollectedColumn::Number { name },
            FeatureColumn::Vector { name, width } => CollectedColumn::Vector { name, width },
            FeatureColumn::Category { name, texts } => {
                let texts = if self.has_recorded_texts {
                    CategoryCollector::recorded(&texts)
                } else {
                    CategoryCollector::default()
                };
                CollectedColumn::Category { name, texts }
            }
        });
        let mut table = Table::new(columns.collect(), self.named);
        let has = |role| self.roles.contains(&role);
        table.labels = has(Role::Label).then(LabelCollector::default);
        table.label_column = self.label_column.clone();
        table.ids = has(Role::Id).then(Ids::default);
        table.splits = has(Role::Split).then(Vec::new);
        Ok(table)
    }

    fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError> {
        // Rows may hold texts of any length, so the source is counted too.
        let enough_bytes = self.records.used_bytes() + STEP_BYTES;
        for _ in 0..max_rows {
            if !self.records.find_record()? {
                return Ok(Step::End);
            }
            if !self.in_one_go || !self.read_plain(table)? {
                self.read_general(table)?;
            }
            self.row += 1;
            if self.records.used_bytes() >= enough_bytes {
                break;
            }
        }
        Ok(Step::More)
    }

    fn bytes_done(&self) -> Arc<AtomicU64> {
        self.records.opened().count()
    }

    fn row_bytes(&self) -> u64 {
        self.row_bytes
    }
}

/// The options, with the roles that are found out from names and values where nothing is said about them.
fn with_found_columns(options: &ReadOptions, sniffed: &sniff::Sniffed, names: &[String]) -> ReadOptions {
    let mut options = options.clone();
    if options.labels_from.is_some() && options.label == LabelColumn::Detect {
        options.label = LabelColumn::None;
    }
    let is_named = |at: usize| sniffed.has_header && !sniffed.first[at].trim_ascii().is_empty();
    let is_used = |options: &ReadOptions, at: usize| {
        let column = [
            Column::Number(at as i64),
            Column::Number(at as i64 - names.len() as i64),
            Column::Name(names[at].clone()),
        ];
        let asked = |other: &Column| column.contains(other);
        matches!(&options.label, LabelColumn::At(label) if asked(label))
            || options.ignore.iter().chain(&options.id_column).chain(&options.split_column).any(asked)
    };
    if sniffed.has_header {
        // Columns with neither a name nor values are what spreadsheets leave at the right.
        let is_nothing = |at: &usize| !is_named(*at) && sniffed.columns[*at].is_empty && !is_used(&options, *at);
        let nothing: Vec<Column> = (0..names.len()).filter(is_nothing).map(|at| Column::Number(at as i64)).collect();
        // A column before the first name is the index that pandas writes.
        if !is_named(0)
            && !sniffed.columns[0].is_empty
            && options.id_column.is_none()
            && names.len() > 1
            && !is_used(&options, 0)
        {
            options.id_column = Some(Column::Number(0));
        }
        let is_split = |at: &usize| names[*at].eq_ignore_ascii_case("split") && sniffed.columns[*at].is_splits;
        if options.split_column.is_none() {
            let found = (0..names.len()).find(is_split).filter(|&at| !is_used(&options, at));
            options.split_column = found.map(|at| Column::Number(at as i64));
        }
        options.ignore.extend(nothing);
    }
    options
}

/// Refuses columns whose texts are numbers or dates in a form that is not read: as categories they would be nonsense.
fn refuse_odd_numbers(
    sniffed: &sniff::Sniffed,
    names: &[String],
    layout: &Layout,
    options: &ReadOptions,
    file: &str,
) -> Result<(), ReadError> {
    let forced = Layout::columns_of(names, sniffed.has_header, &options.categories, file)?;
    for &at in layout.features.iter().filter(|at| !forced.contains(at)) {
        let column = &sniffed.columns[at];
        if let (Some(text), false) = (&column.odd_number, column.is_numbers) {
            let remedy = "numbers are read as in 1234.5, without decimal commas, separators or units, and dates not at all: \
                          convert the column, leave it out (ignore), or say that it holds categories (categories)";
            let problem = Problem::NotANumber { text: shown(text), remedy };
            return Err(Place::file(file).column(names[at].as_str()).error(problem));
        }
    }
    Ok(())
}

/// The columns' names, which must be UTF-8 and different. A column without a name is called so, with its number.
fn name_columns(fields: &[Vec<u8>], place: &Place) -> Result<Vec<String>, ReadError> {
    let mut names = Vec::with_capacity(fields.len());
    let mut known = HashSet::new();
    for (column, field) in fields.iter().enumerate() {
        let place = || place.clone().column(column.to_string());
        let field = field.trim_ascii();
        let text = std::str::from_utf8(field).map_err(|fault| place().error(not_utf8(field, &fault)))?;
        let name = if text.is_empty() { format!("unnamed {column}") } else { text.to_owned() };
        if !known.insert(name.clone()) {
            return Err(place().error(Problem::DuplicateColumn { name: shown(name.as_bytes()) }));
        }
        names.push(name);
    }
    Ok(names)
}

fn not_utf8(field: &[u8], fault: &std::str::Utf8Error) -> Problem {
    Problem::NotUtf8 { byte: field[fault.valid_up_to()] }
}

fn not_a_number(field: &[u8]) -> Problem {
    match std::str::from_utf8(field) {
        Err(fault) => not_utf8(field, &fault),
        Ok(_) => Problem::NotANumber {
            text: shown(field),
            remedy: "mend it, or, if the column holds categories, say so (categories), or leave it out (ignore)",
        },
    }
}

/// Reads a file of one column as labels.
pub(crate) fn read_labels(
    input: &mut Input,
    delimiter: Option<u8>,
    options: &ReadOptions,
) -> Result<LabelCollector, ReadError> {
    let mut records = Records::new(input.open()?, options.comment, options.memory_limit)?;
    records.set_delimiter(delimiter.unwrap_or(b','));
    let has_header = sniff::sniff(&mut records, options.header).is_some_and(|sniffed| {
        // Labels may all be texts, so only a known name makes a header of the first.
        let named = is_label_name(&String::from_utf8_lossy(&sniffed.first[0]));
        sniffed.has_header && (named || options.header == crate::options::Header::Present)
    });
    let mut labels = LabelCollector::default();
    let mut fields = Fields::default();
    let mut skip = has_header;
    while records.find_record()? {
        let place = records.place().row(labels.len() as u64 + 1);
        records.read(&mut fields)?;
        if fields.len() != 1 {
            return Err(place.error(Problem::Ragged { expected: 1, got: fields.len() }));
        }
        let field = fields.get(0).trim_ascii();
        let text = std::str::from_utf8(field).map_err(|fault| place.clone().error(not_utf8(field, &fault)))?;
        if std::mem::take(&mut skip) {
            continue;
        }
        if is_missing(field) {
            return Err(place.error(Problem::Missing { text: shown(field) }));
        }
        labels.push(text);
        if labels.size_bytes() as u64 > options.memory_limit {
            let (needed_bytes, limit_bytes) = (labels.size_bytes() as u64, options.memory_limit);
            return Err(input.place().error(Problem::TooLarge { needed_bytes, limit_bytes }));
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests;
