//! The header of an NPY array: magic, version, length, and a Python dictionary of the type, the order and the shape.
//!
//! The dictionary is parsed by `npyz`, but only after a look at its text: the parser tries nested brackets several times
//! over, so its time grows exponentially with their depth, and it multiplies the sizes without minding overflow.

use npyz::{DType, Endianness, NpyHeader, Order};

use super::ByteSource;
use super::kind::Kind;
use crate::error::{Place, Problem, ReadError, shown};

/// The longest header that is read. NumPy writes 118 bytes for plain arrays.
const MAX_HEADER_BYTES: u32 = 1 << 16;

/// The most opening brackets that a header may have, so also the deepest nesting. A plain array has 2, a date type 3.
const MAX_BRACKETS: usize = 8;

/// What the header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) big_endian: bool,
    pub(super) shape: Vec<u64>,
    pub(super) fortran_order: bool,
    /// Bytes before the values.
    pub(super) header_bytes: u64,
    /// Bytes of all values.
    pub(super) announced_bytes: u64,
}

impl Header {
    /// Reads the header; the values follow.
    pub(super) fn read(source: &mut impl ByteSource) -> Result<Self, ReadError> {
        let bytes = header_bytes(source)?;
        let place = source.place();
        let header = NpyHeader::from_reader(bytes.as_slice()).map_err(|error| {
            // The parser's text goes on with a drawing of the whole header.
            let reason = error.to_string();
            let reason = shown(reason.lines().next().unwrap_or_default().as_bytes());
            place.clone().error(Problem::Damaged { reason: format!("its header cannot be understood ({reason})") })
        })?;
        let dtype = match header.dtype() {
            DType::Plain(dtype) => dtype,
            _ => return Err(structured(place)),
        };
        let Some(kind) = Kind::of(&dtype) else {
            let (found, supported) = if dtype.uses_pickled_array() {
                let supported = "unpickling them could run any program, so it is never done; \
                                 save numbers: numpy.save(path, array.astype(\"float32\"))";
                ("Python objects (dtype object)".to_owned(), supported)
            } else {
                let supported =
                    "bool, integers and floats of up to 8 bytes are read: convert with .astype(\"float32\")";
                (format!("values of the dtype {dtype}"), supported)
            };
            return Err(place.error(Problem::Unsupported { found, supported }));
        };
        let shape = header.shape().to_vec();
        let Some(announced_bytes) = shape.iter().try_fold(kind.size() as u64, |bytes, &size| bytes.checked_mul(size))
        else {
            return Err(overflow(place, super::shape_text(&shape)));
        };
        Ok(Self {
            kind,
            big_endian: dtype.endianness() == Endianness::Big,
            shape,
            fortran_order: header.order() == Order::Fortran,
            header_bytes: bytes.len() as u64,
            announced_bytes,
        })
    }
}

/// The bytes of the header from the magic on, checked to be harmless to the parser.
fn header_bytes(source: &mut impl ByteSource) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    source.append_to(&mut bytes, 8)?;
    let [0x93, b'N', b'U', b'M', b'P', b'Y', major, minor] = bytes[..] else {
        let found = if bytes.is_empty() { "nothing".to_owned() } else { format!("bytes {bytes:02x?}") };
        return Err(source.place().error(Problem::WrongMagic { format: "an NPY array", found }));
    };
    let length_bytes = match (major, minor) {
        (1, 0) => 2,
        (2 | 3, 0) => 4,
        _ => {
            let found = format!("an array of the NPY version {major}.{minor}");
            let supported = "versions 1.0, 2.0 and 3.0 are read: save it with another version of NumPy";
            return Err(source.place().error(Problem::Unsupported { found, supported }));
        }
    };
    append_exactly(source, &mut bytes, length_bytes)?;
    let mut length = [0; 4];
    length[..bytes.len() - 8].copy_from_slice(&bytes[8..]);
    let length = u32::from_le_bytes(length);
    if length > MAX_HEADER_BYTES {
        let reason = format!("its header announces {length} bytes, more than the {MAX_HEADER_BYTES} that are read");
        return Err(source.place().error(Problem::Damaged { reason }));
    }
    let text_at = bytes.len();
    append_exactly(source, &mut bytes, length.into())?;
    check_text(&bytes[text_at..], source.place())?;
    Ok(bytes)
}

fn append_exactly(source: &mut impl ByteSource, bytes: &mut Vec<u8>, n_bytes: u64) -> Result<(), ReadError> {
    let got = source.append_to(bytes, n_bytes)?;
    if got < n_bytes {
        let problem = Problem::Truncated { what: "the header", expected: n_bytes, got };
        return Err(source.place().error(problem));
    }
    Ok(())
}

/// Refuses text that the parser would take too long over, or whose numbers would overflow.
fn check_text(text: &[u8], place: Place) -> Result<(), ReadError> {
    let opening = text.iter().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count();
    if opening > MAX_BRACKETS {
        return Err(structured(place));
    }
    // All numbers multiplied bound every product of sizes, whichever of them are sizes; each counts as 2 at least,
    // since the parser also adds, and a sum of such numbers is no larger than their product.
    let mut product = 1u64;
    for digits in text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        let number = digits.iter().try_fold(0u64, |number, digit| {
            number.checked_mul(10).and_then(|number| number.checked_add(u64::from(digit - b'0')))
        });
        match number.and_then(|number| product.checked_mul(number.max(2))) {
            Some(larger) => product = larger,
            None => return Err(overflow(place, shape_as_written(text))),
        }
    }
    // Hexadecimal and the like would escape the bound; NumPy writes none.
    let escapes =
        |pair: &[u8]| pair[0].is_ascii_digit() && matches!(pair[1], b'x' | b'X' | b'o' | b'O' | b'b' | b'B' | b'_');
    if text.windows(2).any(escapes) {
        let reason = "its header has numbers that are not plain".to_owned();
        return Err(place.error(Problem::Damaged { reason }));
    }
    Ok(())
}

/// The shape as the header writes it, for an error before parsing.
fn shape_as_written(text: &[u8]) -> String {
    let start = text.iter().position(|&byte| byte == b'(').unwrap_or(0);
    let end = text.iter().position(|&byte| byte == b')').filter(|&end| end > start).map_or(text.len(), |end| end + 1);
    shown(&text[start..end])
}

fn overflow(place: Place, shape: String) -> ReadError {
    place.error(Problem::Shape { shape, fault: "whose size in bytes overflows" })
}

fn structured(place: Place) -> ReadError {
    let found = "a structured array (records of several fields)".to_owned();
    let supported = "plain arrays are read: convert it with numpy.lib.recfunctions.structured_to_unstructured";
    place.error(Problem::Unsupported { found, supported })
}
