//! Numbers in text, and what stands for a missing one.

use crate::options::{Decimal, ReadOptions};

/// How fields are spelled: which of them are numbers, and which stand for a missing value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spelling {
    decimal: Decimal,
    missing_words: Vec<String>,
}

impl Spelling {
    pub(crate) fn of(options: &ReadOptions) -> Self {
        let words = options.missing_words.iter().map(|word| word.trim().to_owned());
        Self { decimal: options.decimal, missing_words: words.collect() }
    }

    /// Whether a field that begins as a number of the usual form is that number: not where commas stand before decimals, nor
    /// where a number means that the value is missing.
    pub(crate) fn is_usual(&self) -> bool {
        let is_number = |word: &String| leading_number(word.as_bytes()).is_some();
        self.decimal == Decimal::Point && !self.missing_words.iter().any(is_number)
    }

    /// The number that a whole field is.
    pub(crate) fn number(&self, field: &[u8]) -> Option<f32> {
        match self.decimal {
            Decimal::Point => whole_number(field),
            Decimal::Comma => whole_number(&with_point(field)?),
        }
    }

    /// Whether a field would be a number if commas stood before decimals.
    pub(crate) fn has_decimal_comma(&self, field: &[u8]) -> bool {
        self.decimal == Decimal::Point && with_point(field).and_then(|number| whole_number(&number)).is_some()
    }

    /// A label with a point before its decimals, if it is a number with a comma.
    pub(crate) fn label(&self, text: &str) -> Option<String> {
        let number = (self.decimal == Decimal::Comma).then(|| with_point(text.as_bytes())).flatten()?;
        whole_number(&number).and_then(|_| String::from_utf8(number).ok())
    }

    /// Whether a field stands for a missing value.
    pub(crate) fn is_missing(&self, field: &[u8]) -> bool {
        let is = |word: &String| field.trim_ascii().eq_ignore_ascii_case(word.as_bytes());
        is_missing(field) || self.missing_words.iter().any(is)
    }
}

/// A field with its comma turned into a point. One with a point is no number, for that would stand between thousands.
fn with_point(field: &[u8]) -> Option<Vec<u8>> {
    let point = |&byte: &u8| if byte == b',' { b'.' } else { byte };
    (!field.contains(&b'.')).then(|| field.iter().map(point).collect())
}

/// Powers of ten that `f32` holds exactly.
const EXACT_POWERS: [f32; MAX_DIGITS + 1] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];

/// The same as whole numbers, as far as they are needed here.
const POWERS: [u32; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

/// 9,999,999 < 2^24, so that a whole number of so many digits is exact.
pub(crate) const MAX_DIGITS: usize = 7;

/// The number at the start of `text` and how many bytes it takes; nothing if there is none. Correctly rounded.
#[inline(always)]
pub(crate) fn leading_number(text: &[u8]) -> Option<(f32, usize)> {
    match short_number(text) {
        None => long_number(text),
        found => found,
    }
}

#[inline(never)]
fn long_number(text: &[u8]) -> Option<(f32, usize)> {
    fast_float2::parse_partial::<f32, _>(text).ok()
}

/// The number at the start of `text` if it has at most seven digits and no exponent.
///
/// Such a whole number of digits and the power of ten are exact in `f32`, so that one division rounds once (Clinger 1990).
/// Most numbers in files are like this, and they take a fraction of the time of the general way.
#[inline(always)]
fn short_number(text: &[u8]) -> Option<(f32, usize)> {
    match text {
        [b'-', rest @ ..] => {
            let (whole, n_whole) = whole_digits(rest);
            short_unsigned(rest, whole, n_whole).map(|(number, n_bytes)| (-number, n_bytes + 1))
        }
        _ => {
            let (whole, n_whole) = whole_digits(text);
            short_unsigned(text, whole, n_whole)
        }
    }
}

/// The short number at the start of `text`, which begins with `n_whole` digits that make the number `whole`.
#[inline(always)]
fn short_unsigned(text: &[u8], whole: u32, n_whole: usize) -> Option<(f32, usize)> {
    let after = match text.get(n_whole) {
        Some(b'.') => &text[n_whole + 1..],
        Some(b'e' | b'E') => return None,
        // A division takes longer than all the rest of a short whole number.
        _ if (1..=MAX_DIGITS).contains(&n_whole) => return Some((whole as f32, n_whole)),
        _ => return None,
    };
    let (decimals, n_decimals) = whole_digits(after);
    let n_digits = n_whole + n_decimals;
    if n_digits == 0 || n_digits > MAX_DIGITS || matches!(after.get(n_decimals), Some(b'.' | b'e' | b'E')) {
        return None;
    }
    let number = whole * POWERS[n_decimals] + decimals;
    Some((number as f32 / EXACT_POWERS[n_decimals], n_whole + 1 + n_decimals))
}

/// As [`leading_number`], for text that begins with `n_whole` digits that make the number `whole`.
#[inline(always)]
pub(crate) fn leading_number_after(text: &[u8], whole: u32, n_whole: usize) -> Option<(f32, usize)> {
    let short = if n_whole > 0 { short_unsigned(text, whole, n_whole) } else { short_number(text) };
    match short {
        None => long_number(text),
        found => found,
    }
}

/// The digits that `text` begins with, as a number that has wrapped around if they are many, and how many they are.
#[inline(always)]
pub(crate) fn whole_digits(text: &[u8]) -> (u32, usize) {
    let (mut number, mut n_digits) = (0_u32, 0);
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u32::from(digit));
        n_digits += 1;
    }
    (number, n_digits)
}

/// The number that a whole field is, blanks around it aside.
fn whole_number(field: &[u8]) -> Option<f32> {
    let field = field.trim_ascii();
    let field = field.strip_prefix(b"+").filter(|rest| rest.first() != Some(&b'-')).unwrap_or(field);
    leading_number(field).filter(|(_, n_bytes)| *n_bytes == field.len()).map(|(number, _)| number)
}

/// Whether a field stands for a missing value wherever it is.
fn is_missing(field: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] = [b"na", b"n/a", b"#n/a", b"<na>", b"nan", b"null", b"none"];
    let field = field.trim_ascii();
    field.is_empty() || field == b"?" || WORDS.iter().any(|word| field.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn short_and_long_numbers_are_those_of_the_standard_library(
            text in "-?[0-9]{0,12}(\\.[0-9]{0,12})?([eE][-+]?[0-9]{1,3})?"
        ) {
            prop_assert_eq!(whole_number(text.as_bytes()).map(f32::to_bits), text.parse::<f32>().ok().map(f32::to_bits));
        }

        #[test]
        fn any_number_written_by_us_comes_back_with_its_bits(number: f32) {
            prop_assume!(number.is_finite());
            prop_assert_eq!(whole_number(number.to_string().as_bytes()).map(f32::to_bits), Some(number.to_bits()));
            prop_assert_eq!(whole_number(format!("{number:e}").as_bytes()).map(f32::to_bits), Some(number.to_bits()));
        }
    }

    #[test]
    fn a_number_ends_where_it_ends() {
        assert_eq!(leading_number(b"12,5"), Some((12.0, 2)));
        assert_eq!(leading_number(b"-0.25\n"), Some((-0.25, 5)));
        assert_eq!(leading_number(b"1.5e3;"), Some((1500.0, 5)));
        assert_eq!(leading_number(b"abc"), None);
        assert_eq!(leading_number(b""), None);
        assert_eq!(leading_number(b"-"), None);
        assert_eq!(leading_number(b"."), None);
        assert_eq!(whole_number(b" 7 "), Some(7.0));
        assert_eq!(whole_number(b"+7"), Some(7.0));
        assert_eq!(whole_number(b"+-7"), None);
        assert_eq!(whole_number(b"7x"), None);
        assert_eq!(whole_number(b"1.2.3"), None);
        assert_eq!(whole_number(b"-0").map(f32::to_bits), Some((-0.0_f32).to_bits()));
    }

    #[test]
    fn missing_values_are_known_in_any_case() {
        for text in ["", "  ", "NA", "nan", "?", "None", "#N/A"] {
            assert!(is_missing(text.as_bytes()), "{text}");
        }
        assert!(!is_missing(b"0") && !is_missing(b"no") && !is_missing(b"-"));
    }
}
