//! Numbers in text.

/// Powers of ten that `f32` holds exactly.
const EXACT_POWERS: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/// The number at the start of `text` and how many bytes it takes; nothing if there is none.
///
/// Correctly rounded. Short numbers, at most seven digits, take a path of their own: such a whole number of digits and the
/// power of ten are exact in `f32`, so that one division rounds once (Clinger 1990). The rest goes to `fast_float2`.
#[inline]
pub(crate) fn leading_number(text: &[u8]) -> Option<(f32, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut digits = 0_u32;
    // Seven digits at most: 9,999,999 < 2^24.
    let whole_end = text.len().min(start + 7);
    while at < whole_end && text[at].is_ascii_digit() {
        digits = digits * 10 + u32::from(text[at] - b'0');
        at += 1;
    }
    let n_whole = at - start;
    let mut n_decimals = 0;
    if text.get(at) == Some(&b'.') {
        let point = at;
        let end = text.len().min(point + 1 + (7 - n_whole));
        at += 1;
        while at < end && text[at].is_ascii_digit() {
            digits = digits * 10 + u32::from(text[at] - b'0');
            at += 1;
        }
        n_decimals = at - point - 1;
    }
    let goes_on = text.get(at).is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E'));
    if goes_on || n_whole + n_decimals == 0 {
        return fast_float2::parse_partial::<f32, _>(text).ok();
    }
    let magnitude = digits as f32 / EXACT_POWERS[n_decimals];
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// The number that a whole field is, blanks around it aside.
pub(crate) fn whole_number(field: &[u8]) -> Option<f32> {
    let field = field.trim_ascii();
    let field = field.strip_prefix(b"+").filter(|rest| rest.first() != Some(&b'-')).unwrap_or(field);
    leading_number(field).filter(|(_, n_bytes)| *n_bytes == field.len()).map(|(number, _)| number)
}

/// Whether a field stands for a missing value.
pub(crate) fn is_missing(field: &[u8]) -> bool {
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
