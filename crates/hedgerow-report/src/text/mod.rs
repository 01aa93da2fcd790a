//! Text for terminals: plain characters, no colors. Widths count terminal cells.

mod confusion;
mod decision;
mod picture;
mod table;
mod tree;

pub use confusion::render_confusion_text;
pub use decision::render_decision_text;
pub use picture::{CaptionedPicture, render_pictures_text};
pub use table::{text_bar, text_table};
pub use tree::render_tree_text;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What drawings are made of. Names are written as they are in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Characters {
    /// Blocks, shades and lines.
    #[default]
    Unicode,
    /// What every terminal and log file shows.
    Ascii,
}

/// A text on one line that cannot steer the terminal: control characters, line ends among them, become `?`.
pub fn tame(text: &str) -> String {
    text.chars().map(|character| if is_wild(character) { '?' } else { character }).collect()
}

/// Control characters, and those that turn the direction of writing.
fn is_wild(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text, cut to `width` cells; a cut is shown by `~`.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        kept.push(character);
    }
    if width > 0 {
        kept.push('~');
    }
    kept
}

/// The text, filled with blanks on the right to `width` cells.
fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The text in lines of at most `width` cells, broken at blanks; longer words are broken where they must.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for character in word.chars() {
            if !line.is_empty() && line.width() + character.width().unwrap_or(0) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_cut_and_padded_by_cells() {
        assert_eq!(wrap("a bc  def gh", 5), ["a bc", "def", "gh"]);
        assert_eq!(wrap("abcdefg hi", 3), ["abc", "def", "g", "hi"]);
        assert_eq!(wrap("  ", 3), Vec::<String>::new());
        assert_eq!(cut("abcdef", 4), "abc~");
        assert_eq!(cut("abcd", 4), "abcd");
        // Each of these takes two cells.
        assert_eq!(cut("日本語", 4), "日~");
        assert_eq!(pad("日本", 6), "日本  ");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(tame("a\u{1b}[31mb\nc\u{202e}d"), "a?[31mb?c?d");
    }
}
