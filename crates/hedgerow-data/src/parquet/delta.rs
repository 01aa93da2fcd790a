//! Texts whose lengths are packed as differences (`DELTA_LENGTH_BYTE_ARRAY`, `DELTA_BYTE_ARRAY`), checked before decoding.
//!
//! The number of lengths stands inside the page, where [`super::thrift`] does not look, and the decoder reserves room for
//! as many as it says. With shared prefixes, a small page may also stand for very long texts. So the lengths are unpacked
//! here first. The encodings: <https://github.com/apache/parquet-format/blob/master/Encodings.md>.

use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::guarded::guarded;
use super::source::Chunks;
use crate::error::Problem;

/// Checks all pages of a column of texts; the bytes of the texts of the fullest page, as far as they are packed so.
pub(super) fn check_texts(chunks: Chunks, chunk: &ColumnChunkMetaData, rows: usize) -> Result<u64, Problem> {
    let mut pages = guarded(|| SerializedPageReader::new(Arc::new(chunks), chunk, rows, None))?;
    let max_levels = (chunk.column_descr().max_rep_level(), chunk.column_descr().max_def_level());
    let mut most = 0;
    while let Some(page) = guarded(|| pages.get_next_page())? {
        let damaged = || Problem::Damaged { reason: "the lengths of texts cannot be understood".to_owned() };
        let (encoding, values) = (page.encoding(), u64::from(page.num_values()));
        if matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY) {
            let body = body(&page, max_levels).ok_or_else(damaged)?;
            most = most.max(text_bytes(encoding, body, values).ok_or_else(damaged)?);
        }
    }
    Ok(most)
}

/// The values of a data page, without the levels before them; `None` if they are not there.
fn body(page: &Page, (max_rep, max_def): (i16, i16)) -> Option<&[u8]> {
    match page {
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            buf.get((*def_levels_byte_len as usize).checked_add(*rep_levels_byte_len as usize)?..)
        }
        Page::DataPage { buf, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let mut rest = &buf[..];
            for (max, encoding) in [(max_rep, rep_level_encoding), (max_def, def_level_encoding)] {
                if max == 0 {
                    continue;
                }
                let length = match encoding {
                    Encoding::RLE => 4 + u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize,
                    // The old way, which needs no length: so many bits for each value.
                    _ => (*num_values as usize * (16 - max.leading_zeros()) as usize).div_ceil(8),
                };
                rest = rest.get(length..)?;
            }
            Some(rest)
        }
        Page::DictionaryPage { buf, .. } => Some(buf),
    }
}

/// Bytes of all texts of a page; `None` if its lengths are damaged.
fn text_bytes(encoding: Encoding, body: &[u8], values: u64) -> Option<u64> {
    let (first, used) = unpack(body, values)?;
    if encoding == Encoding::DELTA_LENGTH_BYTE_ARRAY {
        return Some(first.sum);
    }
    // Lengths of what a text shares with the one before it, then lengths of the rest.
    let (second, _) = unpack(&body[used..], values)?;
    first.sum.checked_add(second.sum)
}

/// What became of packed numbers.
#[derive(Debug, PartialEq, Eq)]
struct Lengths {
    count: u64,
    sum: u64,
}

/// Unpacks the numbers at the beginning of `bytes`, at most `most` of them; also the bytes that they take.
fn unpack(bytes: &[u8], most: u64) -> Option<(Lengths, usize)> {
    let mut at = 0;
    let block_size = varint(bytes, &mut at)?;
    let per_block = varint(bytes, &mut at)?;
    let count = varint(bytes, &mut at)?;
    let first = zigzag(bytes, &mut at)?;
    if per_block == 0 || block_size % per_block != 0 || count > most || block_size > 1 << 20 {
        return None;
    }
    let per_mini_block = (block_size / per_block) as usize;
    let mut sum = 0_u64;
    let mut value = first;
    let mut left = count;
    let mut add = |value: i64| -> Option<()> {
        sum = sum.checked_add(u64::from(u32::try_from(value).ok()?))?;
        Some(())
    };
    if left > 0 {
        add(value)?;
        left -= 1;
    }
    while left > 0 {
        let least = zigzag(bytes, &mut at)?;
        let widths = bytes.get(at..at.checked_add(usize::try_from(per_block).ok()?)?)?;
        at += widths.len();
        for &width in widths {
            if left == 0 {
                break;
            }
            let packed = bytes.get(at..at.checked_add(per_mini_block.checked_mul(usize::from(width))?.div_ceil(8))?)?;
            if width > 32 {
                return None;
            }
            at += packed.len();
            for index in 0..(per_mini_block as u64).min(left) as usize {
                // Lengths are 32-bit numbers, whose differences wrap around.
                let delta = least.wrapping_add(bits(packed, index * usize::from(width), width));
                value = i64::from(value.wrapping_add(delta) as i32);
                add(value)?;
            }
            left = left.saturating_sub(per_mini_block as u64);
        }
    }
    Some((Lengths { count, sum }, at))
}

/// The number of `width` bits that begins at bit `start`.
fn bits(packed: &[u8], start: usize, width: u8) -> i64 {
    (0..usize::from(width)).fold(0, |number, bit| {
        let at = start + bit;
        number | i64::from(packed[at / 8] >> (at % 8) & 1) << bit
    })
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn zigzag(bytes: &[u8], at: &mut usize) -> Option<i64> {
    varint(bytes, at).map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_unpacked_and_added() {
        // Encodings.md: block size 128, 4 mini blocks, 5 values 1 2 3 4 5: all differences are 1, so 0 bits each.
        let rising = [0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0];
        assert_eq!(unpack(&rising, 5), Some((Lengths { count: 5, sum: 15 }, 10)));
        assert_eq!(unpack(&rising, 4), None, "more lengths than values");
        // 7 5 3 1: differences -2, -2, -2, then 7 5 3 1 2 3 4 5 of the same page: least -2, 2 bits, 0 0 0 3 3 3 3.
        let mut turning = vec![0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0];
        turning.extend([0b1100_0000, 0b0011_1111]);
        turning.extend([0; 6]);
        assert_eq!(unpack(&turning, 8), Some((Lengths { count: 8, sum: 7 + 5 + 3 + 1 + 2 + 3 + 4 + 5 }, 18)));
        assert_eq!(unpack(&turning[..12], 8), None, "cut off");
        assert_eq!(unpack(&[0x80, 0x01, 0, 1, 0], 1), None, "no mini blocks");
    }
}
