//! The rows of an array whatever its order: rows as they come in C order, turned in Fortran order.

use std::ops::Range;

use super::header::Header;
use super::kind::Kind;
use super::{ByteSource, shape_text};
use crate::error::{Place, Problem, ReadError};

/// The rows of an array, one after another, as little-endian bytes in C order whatever the file has.
pub(super) struct Rows<S> {
    source: S,
    pub(super) header: Header,
    pub(super) row_bytes: u64,
    /// Rows that were given out.
    pub(super) done: u64,
    pub(super) left: u64,
    /// All values of an array in Fortran order, once they have been read.
    whole: Option<Vec<u8>>,
    memory_limit: u64,
}

impl<S: ByteSource> Rows<S> {
    /// Reads the header and checks the shape: up to four dimensions, the first of which counts rows that are not empty.
    pub(super) fn open(mut source: S, memory_limit: u64) -> Result<Self, ReadError> {
        let header = Header::read(&mut source)?;
        let shape_error = |fault| Problem::Shape { shape: shape_text(&header.shape), fault };
        let (rows, row_shape) = match &header.shape[..] {
            [rows, row_shape @ ..] if row_shape.len() <= 3 => (*rows, row_shape),
            [] => return Err(source.place().error(shape_error("a single value instead of rows"))),
            _ => {
                let fault = "but at most 4 dimensions are read (pictures, height, width, channels)";
                return Err(source.place().error(shape_error(fault)));
            }
        };
        let product = row_shape.iter().try_fold(header.kind.size() as u64, |bytes, &size| bytes.checked_mul(size));
        let row_bytes = match product {
            None => return Err(source.place().error(shape_error("whose size in bytes overflows"))),
            Some(0) => return Err(source.place().error(shape_error("whose rows are empty"))),
            Some(row_bytes) => row_bytes,
        };
        if row_bytes > memory_limit {
            let problem = Problem::TooLarge { needed_bytes: row_bytes, limit_bytes: memory_limit };
            return Err(source.place().error(problem));
        }
        Ok(Self { source, header, row_bytes, done: 0, left: rows, whole: None, memory_limit })
    }

    pub(super) fn place(&self) -> Place {
        self.source.place()
    }

    /// Values of each row.
    pub(super) fn row_values(&self) -> u64 {
        self.row_bytes / self.header.kind.size() as u64
    }

    /// Appends the next `rows` rows, of which so many must be left.
    pub(super) fn next(&mut self, rows: u64, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let start = into.len();
        // One value a row stands in the same place in both orders.
        if self.header.fortran_order && self.row_values() > 1 {
            let whole = match self.whole.take() {
                Some(whole) => whole,
                None => self.read_whole()?,
            };
            let wanted = self.done as usize..(self.done + rows) as usize;
            transpose(&whole, &self.header.shape, self.header.kind.size(), wanted, into);
            self.whole = Some(whole);
        } else {
            self.read(rows * self.row_bytes, into)?;
        }
        if self.header.big_endian {
            self.header.kind.swap_bytes(&mut into[start..]);
        }
        self.done += rows;
        self.left -= rows;
        if self.left == 0 && self.whole.take().is_none() {
            self.check_end()?;
        }
        Ok(())
    }

    /// Reads all values, after making sure that they fit.
    fn read_whole(&mut self) -> Result<Vec<u8>, ReadError> {
        let announced_bytes = self.header.announced_bytes;
        // What is read is held until the last row was turned, so both count.
        let value_bytes = if self.header.kind == Kind::U8 { 1 } else { size_of::<f32>() as u64 };
        let turned_bytes = (announced_bytes / self.header.kind.size() as u64).saturating_mul(value_bytes);
        let needed_bytes = announced_bytes.saturating_add(turned_bytes);
        if needed_bytes > self.memory_limit {
            let problem = Problem::TooLarge { needed_bytes, limit_bytes: self.memory_limit };
            return Err(self.place().error(problem));
        }
        let mut whole = Vec::new();
        self.read(announced_bytes, &mut whole)?;
        self.check_end()?;
        Ok(whole)
    }

    fn read(&mut self, expected: u64, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let got = self.source.append_to(into, expected)?;
        if got < expected {
            let (expected, done) = (self.header.announced_bytes, self.done * self.row_bytes);
            let problem = Problem::Truncated { what: "the values", expected, got: done + got };
            return Err(self.place().error(problem));
        }
        Ok(())
    }

    /// An error if bytes follow the last value.
    fn check_end(&mut self) -> Result<(), ReadError> {
        if self.source.append_to(&mut Vec::new(), 1)? > 0 {
            let expected = self.header.announced_bytes.saturating_add(self.header.header_bytes);
            return Err(self.place().error(Problem::Oversized { expected }));
        }
        Ok(())
    }
}

/// Appends `rows` of an array in Fortran order, in C order.
///
/// In Fortran order the first dimension runs fastest: all rows have their first value, then all their second, and so on,
/// where the values of a row are themselves counted with their first dimension running fastest.
fn transpose(whole: &[u8], shape: &[u64], value_bytes: usize, rows: Range<usize>, into: &mut Vec<u8>) {
    match value_bytes {
        1 => transpose_values::<1>(whole, shape, rows, into),
        2 => transpose_values::<2>(whole, shape, rows, into),
        4 => transpose_values::<4>(whole, shape, rows, into),
        8 => transpose_values::<8>(whole, shape, rows, into),
        _ => unreachable!("texts have one column, which needs no turning"),
    }
}

fn transpose_values<const N: usize>(whole: &[u8], shape: &[u64], rows: Range<usize>, into: &mut Vec<u8>) {
    /// Rows turned at once, so that the lines of memory that are written to stay in the cache.
    const TILE: usize = 32;
    let size = |dimension: usize| shape.get(dimension).map_or(1, |&size| size as usize);
    let (n_rows, sizes) = (size(0), [size(1), size(2), size(3)]);
    let width = sizes.iter().product::<usize>();
    let start = into.len();
    into.resize(start + rows.len() * width * N, 0);
    let turned = &mut into[start..];
    for tile in rows.clone().step_by(TILE) {
        let n_tile = TILE.min(rows.end - tile);
        let turned = &mut turned[(tile - rows.start) * width * N..];
        let mut to = 0;
        for i in 0..sizes[0] {
            for j in 0..sizes[1] {
                for k in 0..sizes[2] {
                    let column = i + sizes[0] * (j + sizes[1] * k);
                    let from = (column * n_rows + tile) * N;
                    let values = whole[from..from + n_tile * N].chunks_exact(N);
                    for (row, value) in values.enumerate() {
                        let at = (row * width + to) * N;
                        turned[at..at + N].copy_from_slice(value);
                    }
                    to += 1;
                }
            }
        }
    }
}
