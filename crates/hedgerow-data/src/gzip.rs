//! Gzip files, member after member.
//!
//! A gzip file may be several compressed files in a row, which decode to their contents in a row. `flate2` has a reader
//! for that, but it goes through members without content inside one call of `read`, so a few MB of them keep a caller
//! from ever looking at the clock. Here their number is limited. Recognising gzip is not for this module: its callers
//! look at the first two bytes.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Members in a row that may be empty. Tools that append make one now and then, never many.
const MOST_EMPTY: usize = 64;

/// The decoded content of all members of a gzip stream.
///
/// Zeros after the last member are padding, as tapes and block devices leave them. Anything else there is an error, and
/// so is an end inside a member.
pub(crate) struct Members<R: BufRead> {
    state: State<R>,
    /// Whether the member that is being read gave anything yet.
    gave: bool,
    empty_in_a_row: usize,
}

// There is one for each stream, nearly always inside of a member: a box would save nothing.
#[allow(clippy::large_enum_variant)]
enum State<R> {
    Inside(GzDecoder<R>),
    Between(R),
    Padding(R),
    Ended,
    Refused(&'static str),
}

impl<R: BufRead> Members<R> {
    /// Decodes a stream that begins with a member.
    pub(crate) fn new(reader: R) -> Self {
        Self { state: State::Inside(GzDecoder::new(reader)), gave: false, empty_in_a_row: 0 }
    }

    /// What follows a member that is at its end.
    fn after_member(&mut self, reader: R) -> State<R> {
        self.empty_in_a_row = if self.gave { 0 } else { self.empty_in_a_row + 1 };
        self.gave = false;
        if self.empty_in_a_row > MOST_EMPTY {
            return State::Refused("too many empty members");
        }
        State::Between(reader)
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            // A read that fails leaves the state as it is: it may have been interrupted only.
            match &mut self.state {
                State::Inside(decoder) => {
                    let length = decoder.read(buffer).map_err(as_damage)?;
                    if length > 0 {
                        self.gave = true;
                        return Ok(length);
                    }
                }
                State::Between(reader) | State::Padding(reader) => {
                    reader.fill_buf()?;
                }
                State::Ended => return Ok(0),
                State::Refused(reason) => return Err(io::Error::new(io::ErrorKind::InvalidData, *reason)),
            }
            self.state = match std::mem::replace(&mut self.state, State::Ended) {
                State::Inside(decoder) => self.after_member(decoder.into_inner()),
                State::Between(mut reader) => match reader.fill_buf()?.first() {
                    None => State::Ended,
                    Some(0) => State::Padding(reader),
                    Some(0x1f) => State::Inside(GzDecoder::new(reader)),
                    Some(_) => State::Refused("something else follows the gzip data"),
                },
                State::Padding(mut reader) => {
                    let padding = reader.fill_buf()?;
                    let length = padding.len();
                    if length == 0 {
                        State::Ended
                    } else if padding.iter().all(|byte| *byte == 0) {
                        reader.consume(length);
                        State::Padding(reader)
                    } else {
                        State::Refused("something else follows the gzip data")
                    }
                }
                state @ (State::Ended | State::Refused(_)) => state,
            };
        }
    }
}

/// `flate2` calls damage invalid input, which elsewhere means a mistake of the caller.
fn as_damage(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::InvalidInput => io::Error::new(io::ErrorKind::InvalidData, error),
        _ => error,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// Decodes through a buffer of every small size, so that each boundary falls everywhere.
    fn decode(bytes: &[u8]) -> Result<Vec<u8>, io::ErrorKind> {
        let once = |capacity: usize| {
            let mut decoded = Vec::new();
            let mut members = Members::new(io::BufReader::with_capacity(capacity, bytes));
            members.read_to_end(&mut decoded).map(|_| decoded).map_err(|error| error.kind())
        };
        let whole = once(64 * 1024);
        for capacity in 1..40 {
            assert_eq!(once(capacity), whole, "buffer of {capacity} bytes");
        }
        whole
    }

    #[test]
    fn members_follow_one_another() {
        assert_eq!(decode(&gzip(b"one")).unwrap(), b"one");
        assert_eq!(decode(&[gzip(b"one, "), gzip(b""), gzip(b"two")].concat()).unwrap(), b"one, two");
        assert_eq!(decode(&gzip(b"")).unwrap(), b"");
    }

    #[test]
    fn empty_members_in_a_row_are_limited() {
        let empty = gzip(b"");
        assert_eq!(decode(&[empty.repeat(64), gzip(b"x"), empty.repeat(64)].concat()).unwrap(), b"x");
        assert_eq!(decode(&empty.repeat(65)), Err(io::ErrorKind::InvalidData));
        let mut members = Members::new(io::Cursor::new(empty.repeat(65)));
        for _ in 0..2 {
            let error = members.read(&mut [0; 8]).unwrap_err();
            assert_eq!(error.to_string(), "too many empty members", "and it goes on saying so");
        }
    }

    #[test]
    fn zeros_at_the_end_are_padding() {
        assert_eq!(decode(&[gzip(b"one"), vec![0; 1000]].concat()).unwrap(), b"one");
        assert_eq!(decode(&[gzip(b"one"), vec![0; 10], gzip(b"two")].concat()), Err(io::ErrorKind::InvalidData));
    }

    #[test]
    fn anything_else_at_the_end_is_refused() {
        for garbage in [&b"x"[..], b"\x1f\x8cnot gzip, though", b"\0\0\0x"] {
            assert_eq!(decode(&[&gzip(b"one"), garbage].concat()), Err(io::ErrorKind::InvalidData), "{garbage:?}");
        }
    }

    #[test]
    fn an_end_inside_a_member_is_told() {
        let whole = [gzip(b"one"), gzip(b"two")].concat();
        let first = gzip(b"one").len();
        for length in (1..whole.len()).filter(|length| *length != first) {
            assert_eq!(decode(&whole[..length]), Err(io::ErrorKind::UnexpectedEof), "cut at {length}");
        }
    }

    #[test]
    fn a_wrong_checksum_is_damage() {
        let mut forged = gzip(b"one");
        let at = forged.len() - 8;
        forged[at] ^= 1;
        assert_eq!(decode(&forged), Err(io::ErrorKind::InvalidData));
    }
}
