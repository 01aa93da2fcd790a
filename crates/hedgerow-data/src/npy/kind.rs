//! The types of values an NPY array may have, and turning their bytes into numbers or texts.

use npyz::{TypeChar, TypeStr};

use crate::error::Problem;

/// The type of the values, byte order aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    /// Texts of at most so many bytes, zeros at the end left aside. Read as labels only.
    Bytes(usize),
    /// Texts of at most so many code points of 4 bytes. Read as labels only.
    Unicode(usize),
}

impl Kind {
    pub(super) fn of(dtype: &TypeStr) -> Option<Self> {
        let size = usize::try_from(dtype.size_field()).ok()?;
        Some(match (dtype.type_char(), size) {
            (TypeChar::Bool, 1) => Self::Bool,
            (TypeChar::Int, 1) => Self::I8,
            (TypeChar::Int, 2) => Self::I16,
            (TypeChar::Int, 4) => Self::I32,
            (TypeChar::Int, 8) => Self::I64,
            (TypeChar::Uint, 1) => Self::U8,
            (TypeChar::Uint, 2) => Self::U16,
            (TypeChar::Uint, 4) => Self::U32,
            (TypeChar::Uint, 8) => Self::U64,
            (TypeChar::Float, 2) => Self::F16,
            (TypeChar::Float, 4) => Self::F32,
            (TypeChar::Float, 8) => Self::F64,
            (TypeChar::ByteStr, 1..) => Self::Bytes(size),
            // The size in bytes must not overflow.
            (TypeChar::UnicodeStr, 1..) if size <= usize::MAX / 4 => Self::Unicode(size),
            _ => return None,
        })
    }

    /// Bytes of one value.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::Bytes(n_bytes) => n_bytes,
            Self::Unicode(n_points) => 4 * n_points,
        }
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Bytes(_) | Self::Unicode(_))
    }

    /// Whether these are floats that `f32` holds exactly.
    pub(super) fn is_short_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32)
    }

    /// Whether the little-endian bytes of one value are NaN.
    pub(super) fn is_nan(self, bytes: &[u8]) -> bool {
        self.number(bytes).is_some_and(|number| number.as_f64().is_nan())
    }

    /// Turns big-endian values into little-endian ones, in place.
    pub(super) fn swap_bytes(self, bytes: &mut [u8]) {
        // Sizes known to the compiler: several times faster than one loop for all.
        match self {
            Self::Unicode(_) => bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse),
            Self::Bytes(_) => {}
            _ => match self.size() {
                2 => bytes.chunks_exact_mut(2).for_each(|value| value.swap(0, 1)),
                4 => bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse),
                8 => bytes.chunks_exact_mut(8).for_each(<[u8]>::reverse),
                _ => {}
            },
        }
    }

    /// Appends the numbers that little-endian bytes are, each rounded to the nearest `f32`. Texts give nothing.
    pub(super) fn append_f32(self, bytes: &[u8], into: &mut Vec<f32>) {
        fn each<const N: usize>(bytes: &[u8], into: &mut Vec<f32>, value: impl Fn([u8; N]) -> f32) {
            let chunk = |chunk: &[u8]| value(chunk.try_into().expect("chunks have this size"));
            into.extend(bytes.chunks_exact(N).map(chunk));
        }
        match self {
            Self::Bool => into.extend(bytes.iter().map(|&byte| f32::from(u8::from(byte != 0)))),
            Self::I8 => each(bytes, into, |value| f32::from(i8::from_le_bytes(value))),
            Self::I16 => each(bytes, into, |value| f32::from(i16::from_le_bytes(value))),
            Self::I32 => each(bytes, into, |value| i32::from_le_bytes(value) as f32),
            Self::I64 => each(bytes, into, |value| i64::from_le_bytes(value) as f32),
            Self::U8 => into.extend(bytes.iter().map(|&byte| f32::from(byte))),
            Self::U16 => each(bytes, into, |value| f32::from(u16::from_le_bytes(value))),
            Self::U32 => each(bytes, into, |value| u32::from_le_bytes(value) as f32),
            Self::U64 => each(bytes, into, |value| u64::from_le_bytes(value) as f32),
            Self::F16 => each(bytes, into, |value| half_to_f32(u16::from_le_bytes(value))),
            Self::F32 => each(bytes, into, f32::from_le_bytes),
            Self::F64 => each(bytes, into, |value| f64::from_le_bytes(value) as f32),
            Self::Bytes(_) | Self::Unicode(_) => {}
        }
    }

    /// The number that the little-endian bytes of one value are; nothing if they are a text.
    pub(super) fn number(self, bytes: &[u8]) -> Option<Number> {
        fn of<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.get(..N)?.try_into().ok()
        }
        Some(match self {
            Self::Bool => Number::Whole(i128::from(bytes.first()? != &0)),
            Self::I8 => Number::Whole(i8::from_le_bytes(of(bytes)?).into()),
            Self::I16 => Number::Whole(i16::from_le_bytes(of(bytes)?).into()),
            Self::I32 => Number::Whole(i32::from_le_bytes(of(bytes)?).into()),
            Self::I64 => Number::Whole(i64::from_le_bytes(of(bytes)?).into()),
            Self::U8 => Number::Whole(u8::from_le_bytes(of(bytes)?).into()),
            Self::U16 => Number::Whole(u16::from_le_bytes(of(bytes)?).into()),
            Self::U32 => Number::Whole(u32::from_le_bytes(of(bytes)?).into()),
            Self::U64 => Number::Whole(u64::from_le_bytes(of(bytes)?).into()),
            Self::F16 => Number::Float(half_to_f32(u16::from_le_bytes(of(bytes)?)).into()),
            Self::F32 => Number::Float(f32::from_le_bytes(of(bytes)?).into()),
            Self::F64 => Number::Float(f64::from_le_bytes(of(bytes)?)),
            Self::Bytes(_) | Self::Unicode(_) => return None,
        })
    }
}

impl Kind {
    /// The text that the little-endian bytes of one value are, without the zeros at its end.
    pub(super) fn text(self, bytes: &[u8]) -> Result<String, Problem> {
        let mut text = match self {
            Self::Unicode(_) => bytes
                .chunks_exact(4)
                .map(|point| {
                    let point = u32::from_le_bytes(point.try_into().expect("chunks of 4"));
                    char::from_u32(point).ok_or_else(|| {
                        let reason = format!("{point:#x} in a text is no character");
                        Problem::Damaged { reason }
                    })
                })
                .collect::<Result<String, _>>()?,
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                Err(error) => return Err(Problem::NotUtf8 { byte: bytes[error.valid_up_to()] }),
            },
        };
        text.truncate(text.trim_end_matches('\0').len());
        Ok(text)
    }
}

/// One number, exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

/// IEEE half precision: 1 sign bit, 5 bits of exponent (bias 15), 10 bits of fraction. Exact in `f32`.
fn half_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10) & 0x1f, u32::from(bits & 0x3ff));
    match exponent {
        // Subnormal: fraction * 2^-24.
        0 => f32::from_bits(sign | (fraction as f32 * 2f32.powi(-24)).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 127 - 15) << 23) | (fraction << 13)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_exact() {
        let cases = [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8), // 2^-24, the smallest
            (0x03ff, 6.097_555e-5),   // 1023 * 2^-24
            (0x0400, 6.103_515_6e-5), // 2^-14
            (0x7c00, f32::INFINITY),
            (0x3555, 0.333_251_95), // 0x555 / 2^12
        ];
        for (bits, expected) in cases {
            assert_eq!(half_to_f32(bits).to_bits(), f32::to_bits(expected), "{bits:#06x}");
        }
        assert!(half_to_f32(0x7e00).is_nan());
    }

    #[test]
    fn one_value_and_many_agree() {
        let kinds = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8"];
        let bytes: Vec<u8> = (1..=64).map(|byte: u8| byte.wrapping_mul(37) & 0xbf).collect();
        for dtype in kinds {
            let kind = Kind::of(&dtype.parse().unwrap()).unwrap();
            let mut many = Vec::new();
            kind.append_f32(&bytes, &mut many);
            assert_eq!(many.len() * kind.size(), bytes.len());
            for (value, bytes) in many.iter().zip(bytes.chunks_exact(kind.size())) {
                let one = kind.number(bytes).unwrap().as_f64() as f32;
                assert!(one.to_bits() == value.to_bits() || (one.is_nan() && value.is_nan()), "{dtype}: {one} {value}");
            }
        }
    }
}
