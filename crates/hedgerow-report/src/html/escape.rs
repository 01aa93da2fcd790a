//! Texts and numbers on their way into a page.

use std::fmt;

/// A text that may hold anything, safe between tags and inside quoted attributes, and well-formed as XML: characters that no document may
/// hold become U+FFFD.
pub(super) struct Safe<'a>(pub(super) &'a str);

impl fmt::Display for Safe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' => f.write_str(" ")?,
                '\u{fffe}' | '\u{ffff}' => f.write_str("\u{fffd}")?,
                control if control.is_control() => f.write_str("\u{fffd}")?,
                // An override of the writing direction would reach beyond the text.
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => f.write_str("\u{fffd}")?,
                other => fmt::Write::write_char(f, other)?,
            }
        }
        Ok(())
    }
}

/// A coordinate: one decimal is a fraction of what eyes can see.
pub(super) struct At(pub(super) f64);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round();
        if tenths % 10.0 == 0.0 { write!(f, "{}", (tenths / 10.0) as i64) } else { write!(f, "{:.1}", tenths / 10.0) }
    }
}

/// A text of at most `most` characters; a cut is shown by an ellipsis.
pub(super) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_tags_or_leave_their_attribute() {
        assert_eq!(
            Safe("<b a='\"'>&\u{0}\u{202e}\n").to_string(),
            "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}\u{fffd} "
        );
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("äöü", 3), "äöü");
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 1.25, -0.04, 0.96, 12.04].map(|at| At(at).to_string()), ["1", "1.3", "0", "1", "12"]);
    }
}
