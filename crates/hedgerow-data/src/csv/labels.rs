//! Labels in a text file of their own, one a line.

use super::number::Spelling;
use super::records::{Fields, Records};
use super::{not_utf8, sniff};
use crate::error::{Problem, ReadError, shown};
use crate::input::Input;
use crate::labels::LabelCollector;
use crate::layout::is_label_name;
use crate::options::{Decimal, Header, MissingValues, ReadOptions};

/// Reads a file of one column as labels.
pub(crate) fn read_labels(
    input: &mut Input,
    delimiter: Option<u8>,
    options: &ReadOptions,
) -> Result<LabelCollector, ReadError> {
    let spelling = Spelling::of(options);
    let mut records = Records::new(input.open()?, options.comment, options.memory_limit)?;
    records.set_delimiter(delimiter.unwrap_or(if options.decimal == Decimal::Comma { b';' } else { b',' }));
    // The schema, if there is one, is that of the points.
    let alone = ReadOptions { schema: None, ..options.clone() };
    let has_header = sniff::sniff(&mut records, &alone, &spelling).is_some_and(|sniffed| {
        // Labels may all be texts, so only a known name makes a header of the first.
        let named = is_label_name(&String::from_utf8_lossy(&sniffed.first[0]));
        sniffed.has_header && (named || options.header == Header::Present)
    });
    // Rows without a label are then left out with their points.
    let may_lack = options.may_lack_labels() || options.missing == MissingValues::DropRows;
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
        match spelling.is_missing(field) {
            true if may_lack => labels.push_unlabeled(),
            true => return Err(place.error(Problem::Missing { text: shown(field) })),
            false => labels.push(spelling.label(text).as_deref().unwrap_or(text)),
        }
        if labels.size_bytes() as u64 > options.memory_limit {
            let (needed_bytes, limit_bytes) = (labels.size_bytes() as u64, options.memory_limit);
            return Err(input.place().error(Problem::TooLarge { needed_bytes, limit_bytes }));
        }
    }
    Ok(labels)
}
