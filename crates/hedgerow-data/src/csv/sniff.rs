//! Finding out what a text table is made of from its first records.

use super::number::{is_missing, whole_number};
use super::records::{Fields, Records};
use crate::options::Header;

/// Records that are looked at.
const RECORDS: usize = 1000;

/// What the first records say.
pub(crate) struct Sniffed {
    pub(crate) has_header: bool,
    /// The fields of the first record: the names, if it is a header.
    pub(crate) first: Vec<Vec<u8>>,
    /// For each column, whether its values are numbers.
    pub(crate) numbers: Vec<bool>,
}

/// The delimiter that divides the first records best: into the same number of fields, more than one, in most of them.
/// Commas win ties, then tabs, semicolons, bars and spaces.
pub(crate) fn delimiter(records: &mut Records) -> u8 {
    let score = |records: &mut Records, delimiter: u8| {
        records.set_delimiter(delimiter);
        let peeked = records.peek(50);
        let n_fields = peeked.first().map_or(0, Fields::len);
        let n_alike = peeked.iter().filter(|fields| fields.len() == n_fields).count();
        if n_fields > 1 { n_alike * 100 / peeked.len() } else { 0 }
    };
    let scores = [b',', b'\t', b';', b'|', b' '].map(|delimiter| (score(records, delimiter), delimiter));
    // The first of the best: `max_by_key` would take the last.
    let best = scores.into_iter().rev().max_by_key(|(score, _)| *score).filter(|(score, _)| *score > 0);
    best.map_or(b',', |(_, delimiter)| delimiter)
}

/// Looks at the first records.
pub(crate) fn sniff(records: &mut Records, header: Header) -> Option<Sniffed> {
    let peeked = records.peek(RECORDS);
    let (first, rest) = peeked.split_first()?;
    let has_header = match header {
        Header::Present => true,
        Header::Absent => false,
        Header::Detect => {
            first.iter().all(|field| whole_number(field).is_none()) && first.iter().any(|field| !is_missing(field))
        }
    };
    let rows = if has_header { rest } else { &peeked[..] };
    let numbers = (0..first.len()).map(|column| are_numbers(rows, column)).collect();
    let first = first.iter().map(<[u8]>::to_vec).collect();
    Some(Sniffed { has_header, first, numbers })
}

/// Whether the values of a column are numbers: at least nine of ten, so that a single slip is reported as what it is and
/// does not turn a column of numbers into texts.
fn are_numbers(rows: &[Fields], column: usize) -> bool {
    let (mut n_numbers, mut n_texts) = (0, 0);
    for row in rows.iter().filter(|row| column < row.len()) {
        let field = row.get(column);
        if whole_number(field).is_some() {
            n_numbers += 1;
        } else if !is_missing(field) {
            n_texts += 1;
        }
    }
    n_texts * 9 <= n_numbers
}
