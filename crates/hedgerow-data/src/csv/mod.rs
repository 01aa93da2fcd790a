//! Tables in text: CSV, TSV and their kin.
//!
//! A row whose fields are plain is read in one go, numbers straight from the buffer (`plain.rs`); any other row (quotes,
//! blanks, missing values, errors) goes through the general parser of the `csv-core` crate. Tests hold the first to
//! the second. The kinds of the columns come from the first records (`sniff.rs`).

mod labels;
mod number;
mod plain;
mod records;
mod sniff;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use hedgerow_core::MAX_MAGNITUDE;

pub(crate) use self::labels::read_labels;
use self::number::Spelling;
use self::plain::{PlainRow, Text};
use self::records::{Fields, Records};
use crate::encoding::{Encoding, FeatureColumn};
use crate::error::{Place, Problem, ReadError, shown};
use crate::input::Input;
use crate::labels::LabelCollector;
use crate::layout::{Columns, Layout};
use crate::options::{Column, Decimal, MissingValues, ReadOptions, UnknownCategory};
use crate::read::{RowReader, STEP_BYTES, Step};
use crate::splits::Split;
use crate::table::{CollectedColumn, Ids, Numbers, Table, Texts};

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
    /// It has neither a name nor a value, and must stay so.
    Blank,
    Ignored,
}

/// Reads the rows of a text table.
pub(crate) struct CsvReader {
    records: Records,
    fields: Fields,
    plain: PlainRow,
    names: Vec<String>,
    roles: Vec<Role>,
    /// The feature columns of the table.
    encoding: Encoding,
    texts: Texts,
    label_column: Option<Column>,
    label_position: Option<usize>,
    spelling: Spelling,
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
        if delimiter == Some(b',') && options.decimal == Decimal::Comma {
            let found = "the delimiter ',' where numbers have decimal commas".to_owned();
            let supported = "give another delimiter, or decimals after a point";
            return Err(input.place().error(Problem::Unsupported { found, supported }));
        }
        let spelling = Spelling::of(options);
        let mut records = Records::new(input.open()?, options.comment, options.memory_limit)?;
        let delimiter = delimiter.unwrap_or_else(|| sniff::delimiter(&mut records, options.decimal));
        records.set_delimiter(delimiter);
        let file = input.name();
        let Some(sniffed) = sniff::sniff(&mut records, options, &spelling) else {
            // Nothing could be looked at: reading on says what is wrong.
            let mut fields = Fields::default();
            if records.find_record()? {
                records.read(&mut fields)?;
            }
            return Err(input.place().error(Problem::NoRows));
        };
        let names = if sniffed.has_header {
            records.find_record()?;
            let names = name_columns(&sniffed.first, &records.place())?;
            records.read(&mut Fields::default())?;
            names
        } else {
            (0..sniffed.first.len()).map(|column| column.to_string()).collect()
        };
        let layout = Columns::new(&names, sniffed.has_header, file)
            .with_nameless(&sniffed.nameless())
            .layout(options, |at| Ok(sniffed.columns[at].is_splits))?;
        Self::new(records, delimiter, names, &sniffed, &layout, options, spelling)
    }

    fn new(
        records: Records,
        delimiter: u8,
        names: Vec<String>,
        sniffed: &sniff::Sniffed,
        layout: &Layout,
        options: &ReadOptions,
        spelling: Spelling,
    ) -> Result<Self, ReadError> {
        let column_place = |at: usize| records.opened().place().column(names[at].as_str());
        let (encoding, texts) = match &options.schema {
            Some(schema) => {
                layout.check_fields(schema, |_| 1).map_err(|(at, problem)| column_place(at).error(problem))?;
                (schema.encoding.clone(), Texts::Recorded)
            }
            None => {
                let found = |&at: &usize| found_column(&names[at], &sniffed.columns[at], layout.is_category[at]);
                let columns =
                    layout.features.iter().map(|at| found(at).map_err(|problem| column_place(*at).error(problem)));
                let asked = layout.features.iter().map(|&at| layout.is_category[at]).collect();
                (Encoding::new(columns.collect::<Result<_, _>>()?, sniffed.has_header), Texts::New { asked })
            }
        };
        let mut roles = vec![Role::Ignored; names.len()];
        let mut n_numbers = 0;
        for (place, &at) in layout.features.iter().enumerate() {
            let column = layout.recorded.get(place).copied().unwrap_or(place);
            roles[at] = if matches!(encoding.columns()[column], FeatureColumn::Category { .. }) {
                Role::Category(column)
            } else {
                n_numbers += 1;
                Role::Number(n_numbers - 1)
            };
        }
        let others = [(layout.label, Role::Label), (layout.id, Role::Id), (layout.split, Role::Split)];
        others.into_iter().for_each(|(at, role)| at.into_iter().for_each(|at| roles[at] = role));
        layout.blank.iter().for_each(|&at| roles[at] = Role::Blank);
        let label_column = |at: usize| match sniffed.has_header {
            true => Column::Name(names[at].clone()),
            false => Column::Number(at as i64),
        };
        Ok(Self {
            plain: PlainRow::new(&roles, delimiter, n_numbers),
            fields: Fields::default(),
            label_column: layout.label.map(label_column),
            label_position: layout.label_position(|_| 1),
            may_lack_labels: options.may_lack_labels(),
            missing: options.missing,
            unknown_category: options.unknown_category,
            row: 0,
            in_one_go: spelling.is_usual(),
            row_bytes: 4 * names.len() as u64,
            spelling,
            records,
            names,
            roles,
            encoding,
            texts,
        })
    }

    fn column_place(&self, place: Place, column: usize) -> Place {
        place.row(self.row + 1).column(self.names[column].as_str())
    }

    fn not_a_number(&self, field: &[u8]) -> Problem {
        let remedy = match self.texts {
            _ if self.spelling.has_decimal_comma(field) => {
                "numbers are read as in 1234.5, or as in 1234,5 if that is said (decimal = comma): say so, or mend it"
            }
            Texts::Recorded => "the training data had numbers in this column: mend it",
            Texts::New { .. } => {
                "mend it, or, if the column holds categories, say so (categories), or leave it out (ignore)"
            }
        };
        match std::str::from_utf8(field) {
            Err(fault) => not_utf8(field, &fault),
            Ok(_) => Problem::NotANumber { text: shown(field), remedy },
        }
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
            let may_lack = matches!(role, Role::Id | Role::Blank) || unlabeled;
            if self.spelling.is_missing(field) && !may_lack {
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
                match self.spelling.number(field) {
                    Some(number) if number.abs() <= MAX_MAGNITUDE => self.plain.numbers[at] = number,
                    other => {
                        let problem = other.map_or_else(
                            || self.not_a_number(field),
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
            let may_lack = |column: usize| matches!(self.roles[column], Role::Id | Role::Blank);
            let lacks = |text: &Text| self.spelling.is_missing(&ahead[text.range.clone()]) && !may_lack(text.column);
            if self.plain.texts.iter().any(lacks) {
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
                Role::Label if self.spelling.is_missing(field) => {
                    table.labels.iter_mut().for_each(LabelCollector::push_unlabeled);
                }
                Role::Label => {
                    let respelled = self.spelling.label(text);
                    table.labels.iter_mut().for_each(|labels| labels.push(respelled.as_deref().unwrap_or(text)));
                }
                Role::Blank if !self.spelling.is_missing(field) => {
                    let found = format!("\"{}\" where its first rows are empty and its name is, too", shown(field));
                    let supported = "name the column in the first line, or leave it out (ignore, by its number)";
                    return Err(error(Problem::Unsupported { found, supported }));
                }
                Role::Id => table.ids.iter_mut().for_each(|ids| ids.push(text.to_owned())),
                Role::Split => match Split::from_word(text) {
                    Some(split) => table.splits.iter_mut().for_each(|splits| splits.push(split)),
                    None => return Err(error(Problem::UnknownSplit { text: shown(field) })),
                },
                Role::Number(_) | Role::Ignored | Role::Blank => {}
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
        let mut table = Table::of(&self.encoding, &self.texts);
        let has = |role| self.roles.contains(&role);
        table.labels = has(Role::Label).then(LabelCollector::default);
        table.label_column = self.label_column.clone();
        table.label_position = self.label_position;
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

/// What a column is by its first values. Refused are texts that are numbers or dates in a form that is not read: as
/// categories they would be nonsense.
fn found_column(name: &str, sniffed: &sniff::SniffedColumn, is_category: bool) -> Result<FeatureColumn, Problem> {
    let name = name.to_owned();
    match &sniffed.odd_number {
        _ if is_category => Ok(FeatureColumn::Category { name, texts: Vec::new() }),
        _ if sniffed.is_numbers => Ok(FeatureColumn::Number { name }),
        None => Ok(FeatureColumn::Category { name, texts: Vec::new() }),
        Some(text) => {
            let remedy = "numbers are read as in 1234.5, or as in 1234,5 if that is said (decimal = comma), without \
                          separators or units, and dates not at all: convert the column, leave it out (ignore), or say \
                          that it holds categories (categories)";
            Err(Problem::NotANumber { text: shown(text), remedy })
        }
    }
}

/// The name of a column. One without a name is called so, with its number.
fn column_name(column: usize, field: &[u8]) -> Result<String, std::str::Utf8Error> {
    let text = std::str::from_utf8(field.trim_ascii())?;
    Ok(if text.is_empty() { format!("unnamed {column}") } else { text.to_owned() })
}

/// The columns' names, which must be UTF-8 and different.
fn name_columns(fields: &[Vec<u8>], place: &Place) -> Result<Vec<String>, ReadError> {
    let mut names = Vec::with_capacity(fields.len());
    let mut known = HashSet::new();
    for (column, field) in fields.iter().enumerate() {
        let place = || place.clone().column(column.to_string());
        let name = column_name(column, field).map_err(|fault| place().error(not_utf8(field.trim_ascii(), &fault)))?;
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

#[cfg(test)]
mod tests;
