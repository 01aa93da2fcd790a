//! svmlight, also called libsvm: a row a line, `label index:value index:value ... # comment`, values not named are 0.
//!
//! Rows become dense `f32`. How wide they are is known only at the end, so the file is read twice: once to check every
//! line and find the largest index, once to fill the rows. With a recorded schema the width is known and one pass does.
//!
//! Indices may come in any order, but each once in a line. They count from `first_index`; if that is not given, from 0
//! if an index 0 occurs anywhere and else from 1. With a schema the end of the data is not waited for: they count as they
//! did in the data that the schema was recorded from.

use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hedgerow_core::MAX_MAGNITUDE;

use crate::error::{Place, Problem, ReadError, shown};
use crate::input::{Input, Opened};
use crate::labels::LabelCollector;
use crate::options::{ReadOptions, RoleColumn};
use crate::read::{RowReader, STEP_BYTES, Step, refuse_columns};
use crate::table::{Numbers, Table};

/// The longest line that is read.
const MAX_LINE_BYTES: usize = 64 << 20;

/// The shortest line that any memory limit allows: so much is held anyway.
const MIN_LINE_BYTES: usize = 1 << 18;

/// Bytes of dense rows that any file may become, and that each byte of its text may become. A few bytes can name an
/// index of any size; the sparsest sets in use, words of short texts, become some hundred times as large as their text.
const SMALL_BYTES: u64 = 64 << 20;
const MAX_GROWTH: u64 = 1024;

/// Reads the rows of svmlight data.
pub(crate) struct SvmlightReader {
    /// The first of two passes, until it is done.
    looking: Option<Looking>,
    /// The second pass, or the only one.
    lines: Lines,
    /// Bytes of the source, if it is read twice and the first time is over.
    first_pass_bytes: Option<u64>,
    with_labels: bool,
    first_index: Option<u64>,
    /// Number of features; 0 as long as it is not known.
    width: usize,
    memory_limit: u64,
    done: Arc<AtomicU64>,
}

/// The first pass, and what it found so far.
struct Looking {
    lines: Lines,
    rows: u64,
    /// The smallest and the largest index.
    indices: Option<(u64, u64)>,
}

impl SvmlightReader {
    pub(crate) fn open(input: &mut Input, options: &ReadOptions) -> Result<Self, ReadError> {
        let remedy = "the label is always the first of each line, and all else are features";
        refuse_columns(input, options, "svmlight data", remedy)?;
        let (first_index, limit_bytes) = (options.first_index.map(u64::from), options.memory_limit);
        let (looking, first_index, width) = match &options.schema {
            Some(schema) => {
                let recorded = schema.encoding.first_index().map_or(1, u64::from);
                let width = schema.encoding.width();
                let needed_bytes = dense_bytes(1, width as u64);
                if needed_bytes > limit_bytes {
                    return Err(input.place().error(Problem::TooLarge { needed_bytes, limit_bytes }));
                }
                (None, first_index.or(Some(recorded)), width)
            }
            None => {
                let lines = Lines::new(input.open()?, limit_bytes);
                (Some(Looking { lines, rows: 0, indices: None }), first_index, 0)
            }
        };
        Ok(Self {
            looking,
            lines: Lines::new(input.open()?, limit_bytes),
            first_pass_bytes: None,
            with_labels: options.label != RoleColumn::None,
            first_index,
            width,
            memory_limit: limit_bytes,
            done: Arc::default(),
        })
    }

    /// Goes on with the first pass. At its end the width is known, and that the rows fit.
    fn look(&mut self, mut looking: Looking) -> Result<Step, ReadError> {
        let lines = &mut looking.lines;
        let enough_bytes = lines.n_bytes + STEP_BYTES;
        while lines.n_bytes < enough_bytes {
            if !lines.next_row(self.with_labels)? {
                return self.end_first_pass(&looking);
            }
            looking.rows += 1;
            for &(index, _) in &lines.pairs {
                if self.first_index.is_some_and(|first_index| index < first_index) {
                    return Err(before_first(lines.place(), index));
                }
                let (smallest, largest) = looking.indices.unwrap_or((index, index));
                looking.indices = Some((smallest.min(index), largest.max(index)));
            }
        }
        // Two passes are one piece of work, and this is its first half.
        self.done.store(lines.source_bytes() / 2, Ordering::Relaxed);
        self.looking = Some(looking);
        Ok(Step::More)
    }

    fn end_first_pass(&mut self, looking: &Looking) -> Result<Step, ReadError> {
        let first_index = self.first_index.unwrap_or(match looking.indices {
            Some((0, _)) => 0,
            _ => 1,
        });
        let width = looking.indices.map_or(0, |(_, largest)| (largest - first_index).saturating_add(1));
        let (rows, text_bytes) = (looking.rows, looking.lines.n_bytes);
        let value_bytes = dense_bytes(rows, width);
        // 16: the label and the row number that the data set will have.
        let needed_bytes = value_bytes.saturating_add(rows.saturating_mul(16));
        if needed_bytes > self.memory_limit {
            let problem = Problem::TooLarge { needed_bytes, limit_bytes: self.memory_limit };
            return Err(looking.lines.opened.place().error(problem));
        }
        if value_bytes > text_bytes.saturating_mul(MAX_GROWTH).max(SMALL_BYTES) {
            let problem = Problem::Disproportionate { width, rows, source_bytes: text_bytes };
            return Err(looking.lines.opened.place().error(problem));
        }
        (self.first_index, self.width) = (Some(first_index), width as usize);
        let source_bytes = looking.lines.source_bytes();
        self.first_pass_bytes = Some(source_bytes);
        self.done.store(source_bytes / 2, Ordering::Relaxed);
        Ok(Step::Restart)
    }
}

impl RowReader for SvmlightReader {
    fn table(&mut self) -> Result<Table, ReadError> {
        let mut table = Table::matrix(self.width, Numbers::F32(Vec::new()));
        table.labels = self.with_labels.then(LabelCollector::default);
        table.first_index = self.first_index.and_then(|first_index| u8::try_from(first_index).ok());
        Ok(table)
    }

    fn read_rows(&mut self, table: &mut Table, max_rows: usize) -> Result<Step, ReadError> {
        if let Some(looking) = self.looking.take() {
            return self.look(looking);
        }
        let (lines, width, first_index) = (&mut self.lines, self.width, self.first_index.unwrap_or(1));
        let Numbers::F32(values) = &mut table.numbers else {
            unreachable!("the table was made for f32 values");
        };
        let mut step = Step::More;
        // Labels may be texts of any length, so the source is counted too.
        let enough_bytes = lines.n_bytes + STEP_BYTES;
        for _ in 0..max_rows {
            if !lines.next_row(self.with_labels)? {
                step = Step::End;
                break;
            }
            let start = values.len();
            values.resize(start + width, 0.0);
            let row = &mut values[start..];
            for &(index, value) in &lines.pairs {
                let Some(feature) = index.checked_sub(first_index) else {
                    return Err(before_first(lines.place(), index));
                };
                let feature = usize::try_from(feature).unwrap_or(usize::MAX);
                // This can fail in a second pass too, if the file has grown since the first.
                let Some(place) = row.get_mut(feature) else {
                    let problem = Problem::FeatureCount { expected: width, got: feature.saturating_add(1) };
                    return Err(lines.place().column(index.to_string()).error(problem));
                };
                *place = value;
            }
            if let Some(labels) = &mut table.labels {
                lines.push_label(labels);
            }
            table.rows += 1;
            if lines.n_bytes >= enough_bytes {
                break;
            }
        }
        let done = lines.source_bytes();
        let done = self.first_pass_bytes.map_or(done, |first| first / 2 + done.div_ceil(2));
        self.done.store(done, Ordering::Relaxed);
        Ok(step)
    }

    fn bytes_done(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.done)
    }

    fn row_bytes(&self) -> u64 {
        dense_bytes(1, self.width as u64).max(1)
    }
}

/// Bytes of the values of so many rows.
fn dense_bytes(rows: u64, width: u64) -> u64 {
    rows.saturating_mul(width).saturating_mul(size_of::<f32>() as u64)
}

fn before_first(place: Place, index: u64) -> ReadError {
    let found = format!("the index {index}, before the first");
    let supported = "indices count from first_index, which is 1 if it is not given: set it to 0 if they count from 0";
    place.column(index.to_string()).error(Problem::Unsupported { found, supported })
}

/// Lines of a source, parsed one at a time.
struct Lines {
    opened: Opened,
    line: Vec<u8>,
    /// Number of the line, from 1.
    number: u64,
    /// Bytes of all lines so far.
    n_bytes: u64,
    label: LabelOfLine,
    /// Indices and values of the line.
    pairs: Vec<(u64, f32)>,
    memory_limit: u64,
}

enum LabelOfLine {
    None,
    Number(f64),
    /// Where it is in the line, which is UTF-8 there.
    Text(Range<usize>),
}

impl Lines {
    fn new(opened: Opened, memory_limit: u64) -> Self {
        let label = LabelOfLine::None;
        Self { opened, line: Vec::new(), number: 0, n_bytes: 0, label, pairs: Vec::new(), memory_limit }
    }

    /// Refuses to hold so many bytes of a line, or of its values, if the memory limit does not allow them.
    fn check_held(&self, n_bytes: usize) -> Result<(), ReadError> {
        let (needed_bytes, limit_bytes) = (n_bytes as u64, self.memory_limit);
        if n_bytes <= MIN_LINE_BYTES || needed_bytes <= limit_bytes {
            return Ok(());
        }
        Err(self.place().error(Problem::TooLarge { needed_bytes, limit_bytes }))
    }

    fn place(&self) -> Place {
        self.opened.place().line(self.number)
    }

    /// Bytes taken from the source so far.
    fn source_bytes(&self) -> u64 {
        self.opened.count().load(Ordering::Relaxed)
    }

    /// Gives the label of the line to `labels`. Nothing if it was not asked for.
    fn push_label(&self, labels: &mut LabelCollector) {
        match &self.label {
            LabelOfLine::None => {}
            LabelOfLine::Number(number) => labels.push_number(*number),
            LabelOfLine::Text(range) => labels.push(&String::from_utf8_lossy(&self.line[range.clone()])),
        }
    }

    /// Reads on to the next line that is a row and parses it; `false` at the end.
    fn next_row(&mut self, with_label: bool) -> Result<bool, ReadError> {
        loop {
            if !self.next_line()? {
                return Ok(false);
            }
            let end = memchr::memchr(b'#', &self.line).unwrap_or(self.line.len());
            // Some editors begin a file so, to say that it is UTF-8.
            let start = if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") { 3.min(end) } else { 0 };
            let (start, end) = (skip_spaces(&self.line[..end], start), end);
            if start < end {
                self.parse(start..end, with_label)?;
                return Ok(true);
            }
        }
    }

    /// Reads the next line, without its end; `false` if there is none.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        self.number += 1;
        loop {
            let buffer = match self.opened.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.opened.error(error)),
            };
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let n_bytes = self.line.len() + part.len();
            if n_bytes > MAX_LINE_BYTES {
                return Err(self.place().error(Problem::LineTooLong { limit_bytes: MAX_LINE_BYTES }));
            }
            self.line.extend_from_slice(part);
            let (at_end, used) = (buffer.is_empty(), part.len() + usize::from(end.is_some()));
            self.check_held(n_bytes)?;
            self.opened.reader.consume(used);
            self.n_bytes += used as u64;
            if end.is_some() || at_end {
                return Ok(end.is_some() || !self.line.is_empty());
            }
        }
    }

    /// Parses a line, of which `data` is without comment and has something besides spaces.
    fn parse(&mut self, data: Range<usize>, with_label: bool) -> Result<(), ReadError> {
        let text = &self.line[..data.end];
        if !text.is_ascii() {
            if let Err(error) = std::str::from_utf8(text) {
                return Err(self.place().error(Problem::NotUtf8 { byte: text[error.valid_up_to()] }));
            }
        }
        let mut at = data.start;
        let first = at..field_end(text, at);
        self.label = LabelOfLine::None;
        let labelled = memchr::memchr(b':', &text[first.clone()]).is_none();
        if with_label {
            self.label = label(text, &first, labelled).map_err(|problem| self.place().error(problem))?;
        }
        if labelled {
            at = skip_spaces(text, first.end);
        }
        if text[at..].starts_with(b"qid:") {
            let end = field_end(text, at);
            if !text[at + 4..end].iter().all(u8::is_ascii_digit) {
                return Err(self.place().error(not_a_number(&text[at..end], "a qid is a whole number")));
            }
            at = skip_spaces(text, end);
        }
        self.pairs.clear();
        let mut ascending = true;
        while at < text.len() {
            let (index, value, end) = parse_pair(text, at, || self.place())?;
            ascending &= self.pairs.last().is_none_or(|last| last.0 < index);
            if self.pairs.len() == self.pairs.capacity() {
                self.check_held(2 * size_of_val(self.pairs.as_slice()))?; // as it doubles
            }
            self.pairs.push((index, value));
            at = skip_spaces(text, end);
        }
        if !ascending {
            self.refuse_twice()?;
        }
        Ok(())
    }

    /// Sorts the values by their indices; an error if an index occurs twice in the line.
    fn refuse_twice(&mut self) -> Result<(), ReadError> {
        self.pairs.sort_unstable_by_key(|(index, _)| *index);
        match self.pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(()),
            Some(pair) => Err(self.place().error(Problem::DuplicateColumn { name: pair[0].0.to_string() })),
        }
    }
}

/// The label that a line begins with.
fn label(text: &[u8], field: &Range<usize>, labelled: bool) -> Result<LabelOfLine, Problem> {
    let written = &text[field.clone()];
    if !labelled {
        let found = format!("a line without a label (it begins with \"{}\")", shown(written));
        let supported = "put a label first, or read without labels (label = none)";
        return Err(Problem::Unsupported { found, supported });
    }
    if written.contains(&b',') {
        let found = format!("several labels in a row (\"{}\")", shown(written));
        return Err(Problem::Unsupported {
            found,
            supported: "one label a row is read: keep one, or join them by another sign",
        });
    }
    match fast_float2::parse::<f64, _>(written) {
        Ok(value) if !value.is_finite() => Err(Problem::Unusable { value }),
        Ok(value) => Ok(LabelOfLine::Number(value + 0.0)), // -0 is 0
        Err(_) => Ok(LabelOfLine::Text(field.clone())),
    }
}

/// An index, its value, and where the field ends.
fn parse_pair(text: &[u8], at: usize, place: impl Fn() -> Place) -> Result<(u64, f32, usize), ReadError> {
    let field = || &text[at..field_end(text, at)];
    let n_digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let index = text[at..at + n_digits].iter().try_fold(0u64, |index, digit| {
        index.checked_mul(10).and_then(|index| index.checked_add(u64::from(digit - b'0')))
    });
    let value_at = at + n_digits + 1;
    let index = match index {
        Some(index) if n_digits > 0 && text.get(value_at - 1) == Some(&b':') => index,
        _ => {
            let remedy = "fields are index:value, where the index is a whole number: mend the line";
            return Err(place().error(not_a_number(field(), remedy)));
        }
    };
    let place = || place().column(index.to_string());
    let not_a_value = || place().error(not_a_number(field(), "the value of index:value must be one: mend the line"));
    let (value, n_bytes) = fast_float2::parse_partial::<f64, _>(&text[value_at..]).map_err(|_| not_a_value())?;
    let end = value_at + n_bytes;
    if text.get(end).is_some_and(|byte| !is_space(*byte)) {
        return Err(not_a_value());
    }
    // Written so that NaN is refused too.
    let rounded = value as f32;
    if rounded.abs() <= MAX_MAGNITUDE {
        Ok((index, rounded, end))
    } else {
        Err(place().error(Problem::Unusable { value }))
    }
}

fn not_a_number(field: &[u8], remedy: &'static str) -> Problem {
    Problem::NotANumber { text: shown(field), remedy }
}

/// Whether a byte stands between fields. A carriage return does, so that the line ends of Windows are no part of a field.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

fn skip_spaces(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|&byte| !is_space(byte)).map_or(text.len(), |n_spaces| at + n_spaces)
}

fn field_end(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|&byte| is_space(byte)).map_or(text.len(), |n_bytes| at + n_bytes)
}

#[cfg(test)]
mod tests;
