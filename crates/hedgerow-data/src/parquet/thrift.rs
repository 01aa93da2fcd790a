//! A look over the bookkeeping of a Parquet file (Thrift, compact protocol) before the decoder believes it.
//!
//! A failed allocation or an exhausted stack ends the process; neither can be caught. The decoder reserves room for as many
//! row groups, page bytes and dictionary entries as the file announces, and follows the schema down as deep as it
//! goes. So these few numbers are read here first. Everything else is skipped; the decoder reads it for itself.
//!
//! The format: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md> and
//! `parquet.thrift` of <https://github.com/apache/parquet-format>.

use std::io::{self, Read};

/// The deepest nesting of a schema that is followed. What this crate reads nests 3 deep.
const MAX_SCHEMA_DEPTH: usize = 64;
/// The decoder numbers row groups with 16 bits.
const MAX_ROW_GROUPS: u64 = i16::MAX as u64;
/// The deepest nesting of what is skipped.
const MAX_SKIP_DEPTH: usize = 32;

/// The numbers in a page header.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) header_bytes: u64,
    pub(super) uncompressed_bytes: i64,
    pub(super) compressed_bytes: i64,
    pub(super) data_values: i64,
    pub(super) dictionary_values: i64,
    /// How the values of a data page are encoded, as numbered in `parquet.thrift`.
    pub(super) encoding: i64,
}

/// Checks the footer: no more row groups than can be numbered, no bottomless schema, lists as long as they say.
pub(super) fn check_footer(footer: &[u8]) -> io::Result<()> {
    let mut scan = Scan { reader: footer, n_read: 0 };
    scan.each_field(|scan, id, kind| match (id, kind) {
        (2, LIST) => check_schema(scan),
        (4, LIST) => {
            let (row_groups, kind) = scan.list()?;
            if row_groups > MAX_ROW_GROUPS {
                return Err(damage(format!("it announces {row_groups} row groups")));
            }
            (0..row_groups).try_for_each(|_| scan.skip(kind, true, MAX_SKIP_DEPTH))
        }
        _ => scan.skip(kind, false, MAX_SKIP_DEPTH),
    })
}

/// The schema is a tree written down depth first, each node with the number of its children.
fn check_schema(scan: &mut Scan<&[u8]>) -> io::Result<()> {
    let (nodes, kind) = scan.list()?;
    if kind != STRUCT {
        return Err(damage("the schema is no list of columns".to_owned()));
    }
    let mut open: Vec<i64> = Vec::new(); // for each node above, how many children are still to come
    for _ in 0..nodes {
        let mut children = 0;
        scan.each_field(|scan, id, kind| match (id, kind) {
            (5, I32) => {
                children = scan.zigzag()?;
                Ok(())
            }
            _ => scan.skip(kind, false, MAX_SKIP_DEPTH),
        })?;
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > MAX_SCHEMA_DEPTH {
            return Err(damage(format!("the schema nests more than {MAX_SCHEMA_DEPTH} deep")));
        }
    }
    Ok(())
}

/// Reads one page header from the beginning of `reader`.
pub(super) fn page_header(reader: impl Read) -> io::Result<PageHeader> {
    let mut scan = Scan { reader, n_read: 0 };
    let mut header = PageHeader::default();
    scan.each_field(|scan, id, kind| {
        match (id, kind) {
            (2, I32) => header.uncompressed_bytes = scan.zigzag()?,
            (3, I32) => header.compressed_bytes = scan.zigzag()?,
            (5, STRUCT) => [header.data_values, header.encoding] = scan.two_numbers([1, 2])?,
            (8, STRUCT) => [header.data_values, header.encoding] = scan.two_numbers([1, 4])?,
            (7, STRUCT) => [header.dictionary_values, _] = scan.two_numbers([1, 2])?,
            _ => scan.skip(kind, false, MAX_SKIP_DEPTH)?,
        }
        Ok(())
    })?;
    header.header_bytes = scan.n_read;
    Ok(header)
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

struct Scan<R> {
    reader: R,
    n_read: u64,
}

impl<R: Read> Scan<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        self.n_read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damage("a number never ends".to_owned()))
    }

    fn zigzag(&mut self) -> io::Result<i64> {
        self.varint().map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Length of a list and the kind of its elements.
    fn list(&mut self) -> io::Result<(u64, u8)> {
        let head = self.byte()?;
        let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        Ok((length, head & 15))
    }

    /// Calls `act` with the id and kind of each field of a struct; it must consume the field's value.
    fn each_field(&mut self, mut act: impl FnMut(&mut Self, i64, u8) -> io::Result<()>) -> io::Result<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            id = if head >> 4 == 0 { self.zigzag()? } else { id.saturating_add(i64::from(head >> 4)) };
            act(self, id, head & 15)?;
        }
    }

    /// The fields with these ids of a struct, 0 where they are not there.
    fn two_numbers(&mut self, ids: [i64; 2]) -> io::Result<[i64; 2]> {
        let mut numbers = [0; 2];
        self.each_field(|scan, id, kind| match ids.iter().position(|&wanted| wanted == id && kind == I32) {
            Some(at) => {
                numbers[at] = scan.zigzag()?;
                Ok(())
            }
            None => scan.skip(kind, false, MAX_SKIP_DEPTH),
        })?;
        Ok(numbers)
    }

    /// Skips a value. In a list, a truth value takes a byte; as a field, its kind says all.
    fn skip(&mut self, kind: u8, in_list: bool, depth: usize) -> io::Result<()> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(damage("the bookkeeping nests too deep".to_owned()));
        };
        match kind {
            TRUE | FALSE if !in_list => Ok(()),
            TRUE | FALSE | 3 => self.byte().map(|_| ()),
            4..=6 => self.varint().map(|_| ()),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            LIST | 10 => {
                let (length, kind) = self.list()?;
                // Each element takes at least a byte, so a length that is a lie meets the end of the input.
                (0..length).try_for_each(|_| self.skip(kind, true, depth))
            }
            11 => {
                let length = self.varint()?;
                let kinds = if length == 0 { 0 } else { self.byte()? };
                (0..length).try_for_each(|_| {
                    self.skip(kinds >> 4, true, depth)?;
                    self.skip(kinds & 15, true, depth)
                })
            }
            STRUCT => self.each_field(|scan, _, kind| scan.skip(kind, false, depth)),
            13 => self.skip_bytes(16),
            _ => Err(damage(format!("the bookkeeping has a value of unknown kind {kind}"))),
        }
    }

    fn skip_bytes(&mut self, n_bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.reader).take(n_bytes), &mut io::sink())?;
        self.n_read += skipped;
        if skipped < n_bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

fn damage(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_header_is_read_field_by_field() {
        // Field 1 (type) = 0, 2 = 10, 3 = 8, then 5 {1 = 3, 2 = 6 (encoding)}; zigzag doubles.
        let bytes = [0x15, 0, 0x15, 20, 0x15, 16, 0x2c, 0x15, 6, 0x15, 12, 0, 0, 99];
        let expected = PageHeader {
            header_bytes: 13,
            uncompressed_bytes: 10,
            compressed_bytes: 8,
            data_values: 3,
            dictionary_values: 0,
            encoding: 6,
        };
        assert_eq!(page_header(&bytes[..]).unwrap(), expected);
        assert!(page_header(&bytes[..9]).is_err(), "cut off");
    }

    #[test]
    fn announced_masses_are_refused() {
        // Field 4: a list of 2^31 - 1 structs.
        let many = [0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0];
        assert!(check_footer(&many).unwrap_err().to_string().contains("2147483647 row groups"));
        // Field 2: a list of 100 structs with one child each (field 5 = 1).
        let mut deep = vec![0x29, 0xfc, 100];
        deep.extend([0x55, 2, 0].repeat(100));
        deep.push(0);
        assert!(check_footer(&deep).unwrap_err().to_string().contains("nests"));
        // Something unknown that nests without end: field 9, lists of lists.
        let nest = [[0x99].as_slice(), &[0x19; 200]].concat();
        assert!(check_footer(&nest).unwrap_err().to_string().contains("too deep"));
        assert!(check_footer(&[]).is_err());
        assert!(check_footer(&[0]).is_ok());
    }
}
