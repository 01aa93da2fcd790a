//! Rows without quotes, read in one go.

use std::ops::Range;

use hedgerow_core::MAX_MAGNITUDE;

use super::Role;
use super::number::{MAX_DIGITS, leading_number_after, whole_digits};

/// How to read a plain row, and what the last one had.
pub(super) struct PlainRow {
    wants: Vec<Want>,
    delimiter: u8,
    /// The numbers of the row, in the order of the features.
    pub(super) numbers: Vec<f32>,
    /// The texts of the row, in the order of the columns.
    pub(super) texts: Vec<Text>,
}

/// Where a text stands in the bytes that were read.
pub(super) struct Text {
    pub(super) column: usize,
    pub(super) range: Range<usize>,
}

#[derive(Clone, Copy)]
enum Want {
    Number(usize),
    Text,
    Nothing,
}

impl PlainRow {
    pub(super) fn new(roles: &[Role], delimiter: u8, n_numbers: usize) -> Self {
        let want = |role: &Role| match role {
            Role::Number(at) => Want::Number(*at),
            Role::Ignored => Want::Nothing,
            Role::Category(_) | Role::Label | Role::Id | Role::Split | Role::Blank => Want::Text,
        };
        let wants = roles.iter().map(want).collect();
        Self { wants, delimiter, numbers: vec![0.0; n_numbers], texts: Vec::new() }
    }

    /// Reads the row that `text` begins with, and says how many bytes it takes; nothing if the row is not plain: if a
    /// field is quoted, a number is none or unusable, or there are more or fewer fields than expected.
    pub(super) fn read(&mut self, text: &[u8]) -> Option<usize> {
        let Self { wants, delimiter, numbers, texts } = self;
        let delimiter = *delimiter;
        texts.clear();
        let mut at = 0;
        let last = wants.len() - 1;
        for (column, want) in wants.iter().enumerate() {
            match *want {
                Want::Number(place) => {
                    at += blanks(text, at, delimiter);
                    let rest = &text[at..];
                    let (whole, n_whole) = whole_digits(rest);
                    // Pixels and counts end here, which takes half the time of what follows.
                    if (1..=MAX_DIGITS).contains(&n_whole) && rest.get(n_whole) == Some(&delimiter) && column < last {
                        numbers[place] = whole as f32;
                        at += n_whole + 1;
                        continue;
                    }
                    let (number, n_bytes) = leading_number_after(rest, whole, n_whole)?;
                    if number.is_nan() || number.abs() > MAX_MAGNITUDE {
                        return None;
                    }
                    numbers[place] = number;
                    at += n_bytes;
                    at += blanks(text, at, delimiter);
                }
                Want::Text | Want::Nothing => {
                    let start = at;
                    let rest = &text[start..];
                    let n_bytes = memchr::memchr3(delimiter, b'\n', b'"', rest).unwrap_or(rest.len());
                    at += n_bytes;
                    // A lone CR ends a line, too; it is for the general parser.
                    let cr = memchr::memchr(b'\r', &rest[..n_bytes]);
                    if text.get(at) == Some(&b'"') || cr.is_some_and(|cr| column < last || cr + 1 < n_bytes) {
                        return None;
                    }
                    if let Want::Text = want {
                        texts.push(Text { column, range: start..at });
                    }
                }
            }
            match text.get(at) {
                Some(&byte) if byte == delimiter && column < last => at += 1,
                Some(b'\n') if column == last => return Some(at + 1),
                Some(b'\r') if column == last && text.get(at + 1) == Some(&b'\n') => return Some(at + 2),
                None if column == last => return Some(at),
                _ => return None,
            }
        }
        None
    }
}

/// How many blanks there are before or after a number, unless they are what divides the fields.
#[inline(always)]
fn blanks(text: &[u8], at: usize, delimiter: u8) -> usize {
    match text.get(at) {
        Some(b' ') if delimiter != b' ' => text[at..].iter().take_while(|&&byte| byte == b' ').count(),
        _ => 0,
    }
}
