//! Checks of what a Parquet file announces, against its size and the memory limit, before anything is decoded.

use parquet::basic::Type;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::delta;
use super::guarded::guarded;
use super::source::Chunks;
use super::thrift;
use crate::error::Problem;

/// The four bytes at both ends.
const MAGIC: [u8; 4] = *b"PAR1";
/// The same where the footer is encrypted.
const ENCRYPTED: [u8; 4] = *b"PARE";
/// Encodings that must be looked into, as numbered in `parquet.thrift`.
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;
/// Length of the footer and the magic.
const TAIL_BYTES: u64 = 8;

/// Checks both ends of the file and its footer.
pub(super) fn check_ends(chunks: &Chunks, memory_limit: u64) -> Result<(), Problem> {
    let length = chunks.len();
    let head = guarded(|| chunks.get_bytes(0, length.min(4) as usize))?;
    if head[..] == ENCRYPTED {
        return Err(encrypted());
    }
    if head[..] != MAGIC {
        let found = if head.is_empty() { "nothing".to_owned() } else { format!("bytes {:02x?}", &head[..]) };
        return Err(Problem::WrongMagic { format: "a Parquet file", found });
    }
    let least = MAGIC.len() as u64 + TAIL_BYTES;
    if length < least {
        return Err(Problem::Truncated { what: "a Parquet file", expected: least, got: length });
    }
    let tail = guarded(|| chunks.get_bytes(length - TAIL_BYTES, TAIL_BYTES as usize))?;
    if tail[4..] == ENCRYPTED {
        return Err(encrypted());
    }
    if tail[4..] != MAGIC {
        let reason = "it does not end as a Parquet file does, so it is cut off or was never finished".to_owned();
        return Err(Problem::Damaged { reason });
    }
    let footer_bytes = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let expected = footer_bytes.saturating_add(least);
    if expected > length {
        return Err(Problem::Truncated { what: "the footer", expected, got: length });
    }
    // Decoded, a footer takes some ten times as much.
    let needed_bytes = footer_bytes.saturating_mul(10);
    if needed_bytes > memory_limit {
        return Err(Problem::TooLarge { needed_bytes, limit_bytes: memory_limit });
    }
    let footer = guarded(|| chunks.get_bytes(length - TAIL_BYTES - footer_bytes, footer_bytes as usize))?;
    thrift::check_footer(&footer)
        .map_err(|error| Problem::Damaged { reason: format!("its footer cannot be understood ({error})") })
}

fn encrypted() -> Problem {
    Problem::Unsupported { found: "encrypted data".to_owned(), supported: "decrypt the file first" }
}

/// Number of rows, all row groups together.
pub(super) fn count_rows(metadata: &ParquetMetaData) -> Result<u64, Problem> {
    let announced = metadata.file_metadata().num_rows();
    let mut counted = 0_u64;
    for row_group in metadata.row_groups() {
        let rows = u64::try_from(row_group.num_rows()).ok();
        counted = rows.and_then(|rows| counted.checked_add(rows)).ok_or_else(|| impossible(row_group.num_rows()))?;
    }
    match u64::try_from(announced) {
        Ok(rows) if rows == counted => Ok(rows),
        Ok(rows) => {
            let reason = format!("it announces {rows} rows but its row groups have {counted}");
            Err(Problem::Damaged { reason })
        }
        Err(_) => Err(impossible(announced)),
    }
}

fn impossible(rows: i64) -> Problem {
    Problem::Damaged { reason: format!("it announces {rows} rows") }
}

/// Where a check of the columns failed.
pub(super) struct BadColumn {
    /// The leaf column.
    pub(super) leaf: usize,
    pub(super) problem: Problem,
}

/// What the leaf columns hold, after their chunks and page headers were checked.
pub(super) struct Checked {
    /// For each leaf column, its values in all row groups; a missing value or an empty list counts as one.
    pub(super) values: Vec<u64>,
    /// For each leaf column, about the bytes of pages that a row takes, where it takes most.
    pub(super) row_bytes: Vec<u64>,
}

/// Checks the chunks and page headers of some leaf columns.
///
/// Each value of a column without lists is a row; each row of a list has at most `most_per_row` values, if that is known.
/// The largest pages of all columns are in memory at the same time, so their sum must be within the limit.
pub(super) fn check_columns(
    chunks: &Chunks,
    metadata: &ParquetMetaData,
    leaves: &[usize],
    most_per_row: Option<usize>,
    memory_limit: u64,
) -> Result<Checked, BadColumn> {
    let mut values = vec![0_u64; leaves.len()];
    let mut row_bytes = vec![0_u64; leaves.len()];
    // Kept up to date, not added up anew for each column: a file may have very many.
    let (mut largest, mut needed_bytes) = (vec![0_u64; leaves.len()], 0_u64);
    for row_group in metadata.row_groups() {
        for (at, &leaf) in leaves.iter().enumerate() {
            let checked = check_chunk(chunks, row_group, leaf, most_per_row, memory_limit);
            let chunk = checked.map_err(|problem| BadColumn { leaf, problem })?;
            values[at] = values[at].saturating_add(chunk.values);
            let more = chunk.largest_bytes.saturating_sub(largest[at]);
            (largest[at], needed_bytes) = (largest[at] + more, needed_bytes.saturating_add(more));
            let rows = row_group.num_rows().max(1) as u64;
            row_bytes[at] = row_bytes[at].max(chunk.all_bytes.div_ceil(rows));
            if needed_bytes > memory_limit {
                let problem = Problem::TooLarge { needed_bytes, limit_bytes: memory_limit };
                return Err(BadColumn { leaf, problem });
            }
        }
    }
    Ok(Checked { values, row_bytes })
}

/// What a column chunk holds.
struct Chunk {
    values: u64,
    /// Bytes of its dictionary and its largest page together, decompressed.
    largest_bytes: u64,
    /// Bytes of all its pages, decompressed.
    all_bytes: u64,
}

fn check_chunk(
    chunks: &Chunks,
    row_group: &RowGroupMetaData,
    leaf: usize,
    most_per_row: Option<usize>,
    memory_limit: u64,
) -> Result<Chunk, Problem> {
    let damaged = |reason: String| Problem::Damaged { reason };
    let Some(chunk) = row_group.columns().get(leaf) else {
        return Err(damaged(format!("a row group has no column {leaf}")));
    };
    let begin = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (Ok(begin), Ok(length), Ok(values)) =
        (u64::try_from(begin), u64::try_from(chunk.compressed_size()), u64::try_from(chunk.num_values()))
    else {
        return Err(damaged("a column begins, or is as long, as nothing can".to_owned()));
    };
    let end = begin.saturating_add(length);
    if end > chunks.len() {
        return Err(Problem::Truncated { what: "a column", expected: end, got: chunks.len() });
    }
    let rows = row_group.num_rows() as u64; // count_rows saw that it is not negative
    let is_list = chunk.column_descr().max_rep_level() > 0;
    if !is_list && values != rows {
        return Err(damaged(format!("a column has {values} values for {rows} rows")));
    }
    if let Some(most) = most_per_row.filter(|&most| is_list && values > rows.saturating_mul(most.max(1) as u64)) {
        return Err(Problem::FeatureCount { expected: most, got: values.div_ceil(rows.max(1)) as usize });
    }
    let (mut at, mut seen, mut n_pages, mut packed_texts) = (begin, 0_u64, 0_u64, false);
    let (mut page_bytes, mut dictionary_bytes, mut all_bytes) = (0_u64, 0_u64, 0_u64);
    // Some writers count a few bytes too many into a chunk; what comes after the last value is of no interest.
    while seen < values && at < end {
        let reader = guarded(|| chunks.get_read(at))?;
        let page = thrift::page_header(std::io::Read::take(reader, end - at))
            .map_err(|error| damaged(format!("a page header at byte {at} cannot be understood ({error})")))?;
        let (Ok(compressed), Ok(uncompressed), Ok(page_values), Ok(entries)) = (
            u64::try_from(page.compressed_bytes),
            u64::try_from(page.uncompressed_bytes),
            u64::try_from(page.data_values),
            u64::try_from(page.dictionary_values),
        ) else {
            return Err(damaged(format!("the page header at byte {at} has negative sizes")));
        };
        if entries > uncompressed {
            return Err(damaged(format!("a dictionary of {uncompressed} bytes announces {entries} entries")));
        }
        seen = seen.saturating_add(page_values);
        if seen > values {
            return Err(damaged(format!("a column of {values} values has pages of {seen}")));
        }
        // For each entry, the decoder holds a value of up to 16 bytes besides the page itself.
        let held = uncompressed.saturating_add(entries.saturating_mul(16));
        all_bytes = all_bytes.saturating_add(held);
        n_pages += 1;
        packed_texts |= [DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY].contains(&page.encoding);
        if entries > 0 {
            dictionary_bytes = held;
        } else {
            page_bytes = page_bytes.max(held);
        }
        at = at.saturating_add(page.header_bytes).saturating_add(compressed);
        if at > end {
            return Err(Problem::Truncated { what: "a page", expected: at, got: end });
        }
    }
    if seen < values {
        return Err(damaged(format!("a column of {values} values has pages of only {seen}")));
    }
    if packed_texts {
        if chunk.column_type() != Type::BYTE_ARRAY {
            let found = "numbers in an encoding for texts".to_owned();
            return Err(Problem::Unsupported { found, supported: "write the file anew in another encoding" });
        }
        if page_bytes.saturating_add(dictionary_bytes) <= memory_limit {
            let chunks = chunks.try_clone().map_err(Problem::Io)?;
            let text_bytes = delta::check_texts(chunks, chunk, rows as usize)?;
            all_bytes = all_bytes.saturating_add(text_bytes.saturating_mul(n_pages));
            page_bytes = page_bytes.saturating_add(text_bytes);
        }
    }
    Ok(Chunk { values, largest_bytes: page_bytes.saturating_add(dictionary_bytes), all_bytes })
}
