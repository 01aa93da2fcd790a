//! Finding out what a text table is made of from its first records.

use super::column_name;
use super::number::Spelling;
use super::records::{Fields, Records};
use crate::encoding::{FeatureColumn, Schema};
use crate::layout::{Columns, FIRST_ROWS, Nameless};
use crate::options::{Decimal, Header, ReadOptions};
use crate::splits::Split;

/// What the first records say.
pub(crate) struct Sniffed {
    pub(crate) has_header: bool,
    /// The fields of the first record: the names, if it is a header.
    pub(crate) first: Vec<Vec<u8>>,
    pub(crate) columns: Vec<SniffedColumn>,
}

impl Sniffed {
    /// The columns without a name in a table with names; in one without, what delimiters at the end of each line make.
    pub(crate) fn nameless(&self) -> Vec<Nameless> {
        let n_filled = self.columns.iter().rposition(|column| !column.is_blank).map_or(0, |at| at + 1);
        let is_nameless = |at: &usize| match self.has_header {
            true => self.first[*at].trim_ascii().is_empty(),
            false => *at >= n_filled,
        };
        let nameless = (0..self.first.len()).filter(is_nameless);
        nameless.map(|at| Nameless { at, has_values: !self.columns[at].is_empty }).collect()
    }
}

/// What the first records say of a column.
pub(crate) struct SniffedColumn {
    /// Whether its values are numbers.
    pub(crate) is_numbers: bool,
    /// Whether it has no values at all, and whether there is not even a word for missing ones.
    pub(crate) is_empty: bool,
    pub(crate) is_blank: bool,
    /// Whether all its values name splits.
    pub(crate) is_splits: bool,
    /// The first of its values, if most of them look like numbers or dates in a form that is not read.
    pub(crate) odd_number: Option<Vec<u8>>,
}

/// The delimiter that divides the first records best: into the same number of fields, more than one, in most of them.
/// Semicolons win ties: where each number has a decimal comma, commas divide as evenly. Then commas, tabs, bars and spaces.
/// Commas that are said to stand before decimals divide nothing.
pub(crate) fn delimiter(records: &mut Records, decimal: Decimal) -> u8 {
    let score = |records: &mut Records, delimiter: u8| {
        records.set_delimiter(delimiter);
        let peeked = records.peek(50);
        let n_fields = peeked.first().map_or(0, Fields::len);
        let n_alike = peeked.iter().filter(|fields| fields.len() == n_fields).count();
        if n_fields > 1 { n_alike * 100 / peeked.len() } else { 0 }
    };
    let (candidates, usual): (&[u8], u8) = match decimal {
        Decimal::Point => (b";,\t| ", b','),
        Decimal::Comma => (b";\t| ", b';'),
    };
    let scores = candidates.iter().map(|&delimiter| (score(records, delimiter), delimiter)).collect::<Vec<_>>();
    // The first of the best: `max_by_key` would take the last.
    let best = scores.into_iter().rev().max_by_key(|(score, _)| *score).filter(|(score, _)| *score > 0);
    best.map_or(usual, |(_, delimiter)| delimiter)
}

/// Looks at the first records.
pub(crate) fn sniff(records: &mut Records, options: &ReadOptions, spelling: &Spelling) -> Option<Sniffed> {
    let peeked = records.peek(FIRST_ROWS);
    let (first, rest) = peeked.split_first()?;
    let has_header = match (options.header, &options.schema) {
        (Header::Present, _) => true,
        (Header::Absent, _) => false,
        (Header::Detect, Some(schema)) if has_recorded_names(first, schema) => true,
        // The names that pandas makes up would all be good numbers.
        (Header::Detect, Some(schema)) if !is_numbered(first) && is_recorded_row(first, schema, options, spelling) => {
            false
        }
        (Header::Detect, _) => is_header(first, rest, spelling),
    };
    let rows = if has_header { rest } else { &peeked[..] };
    let columns = (0..first.len()).map(|column| look_at(rows, column, spelling)).collect();
    Some(Sniffed { has_header, first: first.iter().map(<[u8]>::to_vec).collect(), columns })
}

/// Whether all recorded features are named in the first record.
fn has_recorded_names(first: &Fields, schema: &Schema) -> bool {
    let names: Result<Vec<String>, _> = first.iter().enumerate().map(|(at, field)| column_name(at, field)).collect();
    names.is_ok_and(|names| Columns::new(&names, true, "").has_recorded_names(schema))
}

/// Whether the first record can be a row of the recorded columns, in their places, and at least one field shows that it is: a
/// number or a recorded text. If the columns had names, each text must be a recorded one, for it may just as well be a name.
fn is_recorded_row(first: &Fields, schema: &Schema, options: &ReadOptions, spelling: &Spelling) -> bool {
    let numbers: Vec<String> = (0..first.len()).map(|at| at.to_string()).collect();
    let Ok(layout) = Columns::new(&numbers, false, "").layout(options, |_| Ok(false)) else { return false };
    let mut shown = false;
    let is_good = |(&at, &recorded): (&usize, &usize)| {
        let field = first.get(at);
        let is_number = spelling.number(field).is_some();
        let known = |texts: &[String]| texts.iter().any(|text| text.as_bytes() == field.trim_ascii());
        let good = match &schema.encoding.columns()[recorded] {
            FeatureColumn::Category { texts, .. } => {
                let known = known(texts);
                shown |= known || is_number;
                !schema.encoding.is_named() || known
            }
            _ => {
                shown |= is_number;
                is_number
            }
        };
        good || spelling.is_missing(field)
    };
    layout.features.iter().zip(&layout.recorded).all(is_good) && shown
}

/// Whether the first record names the columns of the others.
fn is_header(first: &Fields, rest: &[Fields], spelling: &Spelling) -> bool {
    let whole_number = |field: &[u8]| spelling.number(field);
    let is_text = |field: &[u8]| whole_number(field).is_none() && !spelling.is_missing(field);
    let any_text = first.iter().any(is_text);
    if rest.is_empty() {
        return any_text && first.iter().all(|field| whole_number(field).is_none());
    }
    let below = |column: usize| rest.iter().filter(move |row| column < row.len()).map(move |row| row.get(column));
    let has_numbers = |column: usize| below(column).any(|field| whole_number(field).is_some());
    let names_numbers =
        |column: usize| is_text(first.get(column)) && has_numbers(column) && look_at(rest, column, spelling).is_numbers;
    if (0..first.len()).any(names_numbers) {
        return true;
    }
    if is_numbered(first) {
        // Whole numbers above whole numbers may well be data, if they are few.
        let is_whole = |field: &[u8]| whole_number(field).is_some_and(|number| number.fract() == 0.0);
        return first.len() >= 8 || (0..first.len()).any(|column| !below(column).all(is_whole));
    }
    let all_texts = first.iter().all(|field| whole_number(field).is_none());
    let recurs = |column: usize| below(column).any(|field| field == first.get(column));
    any_text && all_texts && !(0..first.len()).all(recurs)
}

/// Whether the fields are 0, 1, 2, ..., as pandas names columns that have no names; its index column is empty.
fn is_numbered(first: &Fields) -> bool {
    let fields: Vec<&[u8]> =
        first.iter().enumerate().filter(|(at, field)| *at > 0 || !field.is_empty()).map(|(_, field)| field).collect();
    fields.len() > 2 && fields.iter().enumerate().all(|(at, field)| **field == *at.to_string().as_bytes())
}

/// Looks at the values of a column.
fn look_at(rows: &[Fields], column: usize, spelling: &Spelling) -> SniffedColumn {
    let (mut n_numbers, mut n_texts, mut n_odd, mut n_splits) = (0_usize, 0_usize, 0_usize, 0_usize);
    let (mut odd_number, mut is_blank) = (None, true);
    for row in rows.iter().filter(|row| column < row.len()) {
        let field = row.get(column);
        is_blank &= field.trim_ascii().is_empty();
        if spelling.is_missing(field) {
            continue;
        }
        if spelling.number(field).is_some() {
            n_numbers += 1;
            continue;
        }
        n_texts += 1;
        n_splits += usize::from(std::str::from_utf8(field).ok().and_then(Split::from_word).is_some());
        if is_odd_number(field) {
            n_odd += 1;
            odd_number.get_or_insert_with(|| field.to_vec());
        }
    }
    SniffedColumn {
        // If most are numbers, a text among them is a slip, which is reported as what it is and does not turn the column
        // into categories.
        is_numbers: n_texts < n_numbers || n_texts + n_numbers == 0,
        is_empty: n_texts + n_numbers == 0,
        is_blank,
        is_splits: n_splits > 0 && n_splits == n_texts && n_numbers == 0,
        odd_number: odd_number.filter(|_| n_odd * 10 >= n_texts * 9),
    }
}

/// Whether a text is made like a number or a date in a form that is not read: 1,5 or 1 234 or 12% or $5 or 2024-01-31.
fn is_odd_number(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field);
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    has_digits
        && text.trim().chars().all(|letter| letter.is_ascii_digit() || " .,;%$\u{20ac}\u{a3}'+-/:_".contains(letter))
}
