//! The text of a table, record after record, from a buffer that holds whole lines.

use crate::error::{Place, Problem, ReadError};
use crate::input::Opened;

/// The longest record that is read, quoted line ends included.
const MAX_RECORD_BYTES: usize = 64 << 20;

/// The most columns that are read. Tables of genes or of words have some ten thousand.
const MAX_COLUMNS: usize = 1 << 20;

/// About what a column takes besides its values: its name, roles and kinds, and where its fields end.
const COLUMN_BYTES: u64 = 512;

/// Columns and bytes of a record that any memory limit allows: so much is held anyway.
const MIN_COLUMNS: usize = 1 << 10;
const MIN_RECORD_BYTES: usize = HEAD_BYTES;

/// Bytes of fields that are held to look at them, after the first two records.
const PEEK_BYTES: usize = 8 << 20;

/// Bytes read at once, and looked at to find out what the columns are.
pub(crate) const HEAD_BYTES: usize = 1 << 20;

/// The text, as far as it has been read and not yet used.
pub(crate) struct Records {
    opened: Opened,
    buffer: Vec<u8>,
    /// Start of what has not been used.
    at: usize,
    /// End of the last whole line in the buffer; of the buffer, once the text has ended.
    complete: usize,
    ended: bool,
    /// Lines before `at`.
    lines: u64,
    /// Bytes of text that were used.
    used_bytes: u64,
    max_record_bytes: usize,
    max_columns: usize,
    memory_limit: u64,
    parser: csv_core::Reader,
    delimiter: u8,
    comment: Option<u8>,
}

/// The fields of one record, unquoted.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    n_fields: usize,
}

impl Fields {
    pub(crate) fn len(&self) -> usize {
        self.n_fields
    }

    pub(crate) fn get(&self, field: usize) -> &[u8] {
        let start = if field == 0 { 0 } else { self.ends[field - 1] };
        &self.bytes[start..self.ends[field]]
    }

    /// Bytes that are held for the fields.
    fn size_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(self.ends.as_slice())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.n_fields).map(|field| self.get(field))
    }
}

impl Records {
    pub(crate) fn new(opened: Opened, comment: Option<u8>, memory_limit: u64) -> Result<Self, ReadError> {
        let within = |limit: u64, most: usize| usize::try_from(limit).unwrap_or(most).min(most);
        let mut records = Self {
            // Half, because a record is held twice: as text and as fields.
            max_record_bytes: within(memory_limit / 2, MAX_RECORD_BYTES).max(MIN_RECORD_BYTES),
            max_columns: within(memory_limit / COLUMN_BYTES, MAX_COLUMNS).max(MIN_COLUMNS),
            memory_limit,
            used_bytes: 0,
            opened,
            buffer: Vec::new(),
            at: 0,
            complete: 0,
            ended: false,
            lines: 0,
            parser: csv_core::Reader::new(),
            delimiter: b',',
            comment,
        };
        records.refill()?;
        if records.buffer.starts_with(b"\xef\xbb\xbf") {
            records.at = 3; // the mark that some programs put before UTF-8
        }
        Ok(records)
    }

    pub(crate) fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
        // A quote inside an unquoted field is just a character, as spreadsheets and pandas have it.
        self.parser = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    }

    pub(crate) fn opened(&self) -> &Opened {
        &self.opened
    }

    /// The whole lines that are in memory and not yet used.
    pub(crate) fn lines_ahead(&self) -> &[u8] {
        &self.buffer[self.at..self.complete]
    }

    /// The line that comes next, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.lines + 1
    }

    pub(crate) fn place(&self) -> Place {
        self.opened.place().line(self.line())
    }

    /// Marks bytes of [`Self::lines_ahead`] as used, which are whole lines.
    pub(crate) fn use_up(&mut self, n_bytes: usize, n_lines: u64) {
        self.at += n_bytes;
        self.lines += n_lines;
        self.used_bytes += n_bytes as u64;
    }

    /// Bytes of text, decompressed, that were used so far.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    /// Goes to the next line with content; false at the end of the text.
    pub(crate) fn find_record(&mut self) -> Result<bool, ReadError> {
        loop {
            if self.at == self.complete && (self.ended || !self.refill()?) {
                return Ok(false);
            }
            let ahead = &self.buffer[self.at..self.complete];
            match ahead {
                [b'\n', ..] => self.use_up(1, 1),
                [b'\r', b'\n', ..] => self.use_up(2, 1),
                [b'\r', ..] => self.use_up(1, 1),
                [first, ..] if Some(*first) == self.comment => {
                    let n_bytes = memchr::memchr(b'\n', ahead).map_or(ahead.len(), |end| end + 1);
                    self.use_up(n_bytes, 1);
                }
                [] => {}
                _ => return Ok(true),
            }
        }
    }

    /// Brings at least one more whole line into the buffer, behind what has not been used; false at the end of the text.
    fn refill(&mut self) -> Result<bool, ReadError> {
        self.buffer.drain(..self.at);
        (self.complete, self.at) = (self.complete - self.at, 0);
        let mut searched = self.buffer.len();
        while !self.ended {
            let n_held = self.buffer.len();
            if n_held > self.max_record_bytes {
                let problem = match self.max_record_bytes {
                    MAX_RECORD_BYTES => Problem::LineTooLong { limit_bytes: MAX_RECORD_BYTES },
                    _ => Problem::TooLarge { needed_bytes: 2 * n_held as u64, limit_bytes: self.memory_limit },
                };
                return Err(self.place().error(problem));
            }
            // At least as much again, so that a long record is not gone through more than a few times.
            let wanted = HEAD_BYTES.max(n_held).min(self.max_record_bytes + 1 - n_held);
            self.buffer.reserve_exact(wanted); // by itself, the buffer would double
            self.ended = self.opened.append_to(&mut self.buffer, wanted as u64)? < wanted as u64;
            if let Some(end) = memchr::memrchr(b'\n', &self.buffer[searched..]) {
                self.complete = searched + end + 1;
                break;
            }
            searched = self.buffer.len();
        }
        if self.ended {
            self.complete = self.buffer.len();
        }
        Ok(self.at < self.complete)
    }

    /// Reads one record with all its quoting. Call after [`Self::find_record`] has said that there is one.
    pub(crate) fn read(&mut self, fields: &mut Fields) -> Result<(), ReadError> {
        loop {
            match self.parse(self.at, fields).map_err(|problem| self.place().error(problem))? {
                Some(next) => {
                    let used = &self.buffer[self.at..next];
                    let n_lines = memchr::memchr_iter(b'\n', used).count().max(1) as u64;
                    self.use_up(next - self.at, n_lines);
                    return Ok(());
                }
                None if self.ended => return Err(self.place().error(Problem::OpenQuote)),
                None => {
                    self.refill()?;
                }
            }
        }
    }

    /// The records in memory that follow, up to `max_records`, without using them up. Fewer if they are long, and none
    /// from one on that cannot be read: reading it will say why.
    pub(crate) fn peek(&mut self, max_records: usize) -> Vec<Fields> {
        let mut records = Vec::new();
        let (mut at, mut n_bytes) = (self.at, 0);
        while records.len() < max_records && at < self.complete && (records.len() < 2 || n_bytes < PEEK_BYTES) {
            let ahead = &self.buffer[at..self.complete];
            if ahead.first() == self.comment.as_ref() && self.comment.is_some() {
                at += memchr::memchr(b'\n', ahead).map_or(ahead.len(), |end| end + 1);
                continue;
            }
            let mut fields = Fields::default();
            let Ok(Some(next)) = self.parse(at, &mut fields) else { break };
            at = next;
            if !(fields.len() <= 1 && fields.iter().all(<[u8]>::is_empty)) {
                n_bytes += fields.size_bytes();
                records.push(fields);
            }
        }
        records
    }

    /// Parses the record that begins at `at`; where the next begins. Nothing if the record goes on after the buffer, and a
    /// problem if it has too many columns.
    fn parse(&mut self, at: usize, fields: &mut Fields) -> Result<Option<usize>, Problem> {
        use csv_core::ReadRecordResult::{End, InputEmpty, OutputEndsFull, OutputFull, Record};
        self.parser.reset();
        let (mut input, mut output, mut n_fields) = (at, 0, 0);
        loop {
            let (result, n_in, n_out, n_ends) = self.parser.read_record(
                &self.buffer[input..self.complete],
                &mut fields.bytes[output..],
                &mut fields.ends[n_fields..],
            );
            (input, output, n_fields) = (input + n_in, output + n_out, n_fields + n_ends);
            match result {
                OutputFull => fields.bytes.resize((2 * fields.bytes.len()).max(256), 0),
                OutputEndsFull if fields.ends.len() >= self.max_columns => return Err(self.too_many_columns()),
                OutputEndsFull => fields.ends.resize((2 * fields.ends.len()).clamp(16, self.max_columns), 0),
                Record => {
                    fields.n_fields = n_fields;
                    // The parser leaves the second byte of CR LF to the next record.
                    if self.buffer[input - 1] == b'\r' && self.buffer.get(input) == Some(&b'\n') {
                        input += 1;
                    }
                    return Ok(Some(input));
                }
                // Told that there is no more input, the parser ends a record that has no line end; inside a quote too,
                // which is why the quotes are counted then.
                InputEmpty if input == self.complete && self.ended => {
                    if self.is_quote_open(at) {
                        return Ok(None);
                    }
                }
                InputEmpty => return Ok(None),
                End => {
                    fields.n_fields = n_fields;
                    return Ok(Some(input));
                }
            }
        }
    }

    fn too_many_columns(&self) -> Problem {
        if self.max_columns == MAX_COLUMNS {
            return Problem::TooManyColumns { max: MAX_COLUMNS };
        }
        let needed_bytes = (self.max_columns as u64 + 1) * COLUMN_BYTES;
        Problem::TooLarge { needed_bytes: needed_bytes.max(self.memory_limit + 1), limit_bytes: self.memory_limit }
    }

    /// Whether the text from `at` on to the end stops inside a quoted field.
    fn is_quote_open(&self, at: usize) -> bool {
        let (mut quoted, mut field_start) = (false, true);
        let mut bytes = self.buffer[at..self.complete].iter().peekable();
        while let Some(&byte) = bytes.next() {
            match (quoted, byte) {
                (true, b'"') if bytes.peek() == Some(&&b'"') => {
                    bytes.next();
                }
                (true, b'"') => quoted = false,
                (true, _) => {}
                (false, b'"') => quoted = field_start,
                (false, _) => {}
            }
            field_start = !quoted && (byte == self.delimiter || byte == b'\n');
        }
        quoted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::input::Input;

    fn ours(text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, ReadError> {
        let mut records = Records::new(Input::bytes("t", text).open()?, None, u64::MAX)?;
        records.set_delimiter(b',');
        let (mut all, mut fields) = (Vec::new(), Fields::default());
        while records.find_record()? {
            records.read(&mut fields)?;
            all.push(fields.iter().map(<[u8]>::to_vec).collect());
        }
        Ok(all)
    }

    /// The same by the `csv` crate.
    fn theirs(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        reader.byte_records().map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
        #[test]
        fn any_text_is_divided_as_the_csv_crate_does(text in "[a1,\"\n\r]{0,40}") {
            match ours(text.as_bytes()) {
                Ok(records) => prop_assert_eq!(records, theirs(text.as_bytes())),
                Err(error) => {
                    prop_assert!(matches!(*error.problem, Problem::OpenQuote), "{}", error);
                    // Closing the quote mends it.
                    let mended = text + "\"";
                    prop_assert_eq!(ours(mended.as_bytes()).unwrap(), theirs(mended.as_bytes()));
                }
            }
        }
    }

    #[test]
    fn records_larger_than_the_buffer_arrive_whole() {
        let long = format!("a,\"{}\"\nb,c\n", "x\n".repeat(HEAD_BYTES));
        let records = ours(long.as_bytes()).unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!(records[0][1].len(), 2 * HEAD_BYTES);
        assert_eq!(records, theirs(long.as_bytes()));
    }

    #[test]
    fn a_text_without_line_ends_is_given_up() {
        use std::io::Read;
        let endless = Box::new(std::io::repeat(b'a').take(1 << 40));
        let error = Records::new(Input::stream("-", endless).open().unwrap(), None, u64::MAX).err().unwrap();
        assert!(matches!(*error.problem, Problem::LineTooLong { .. }), "{error}");
    }

    #[test]
    fn the_most_columns_are_read_and_one_more_is_not() {
        // As the least limit has it, 1024 columns.
        let read = |n_columns: usize| {
            let text = vec!["1"; n_columns].join(",") + "\n";
            let mut records = Records::new(Input::bytes("t", text.as_bytes()).open()?, None, 0)?;
            records.set_delimiter(b',');
            let mut fields = Fields::default();
            records.find_record()?;
            records.read(&mut fields).map(|()| fields.len())
        };
        assert_eq!(read(MIN_COLUMNS).unwrap(), MIN_COLUMNS);
        let error = read(MIN_COLUMNS + 1).unwrap_err();
        assert!(matches!(*error.problem, Problem::TooLarge { .. }), "{error}");
    }
}
