//! A picture that is being drawn: shapes, texts and their colours in light and dark.

use std::fmt::Write as _;

/// Width of all figures. Small enough for texts to be read on a phone.
pub(super) const WIDTH: f64 = 720.0;
/// Size of the letters.
pub(super) const LETTERS: f64 = 14.0;
/// About the width of a letter.
pub(super) const LETTER_WIDTH: f64 = 7.2;

/// Colours of classes and curves in light and in dark, told apart by most eyes: after Okabe and Ito (2008), darker or lighter where
/// the ground asks for it, and two more, since there are ten digits.
const COLORS: [(&str, &str); 10] = [
    ("#0072b2", "#4da6e0"),
    ("#d55e00", "#ff8a3d"),
    ("#00805d", "#2bc799"),
    ("#b8568f", "#e08fc0"),
    ("#b07c00", "#f0bb33"),
    ("#6a51a3", "#a899e0"),
    ("#2b9fc9", "#8ad4f0"),
    ("#7a4b2a", "#c79a78"),
    ("#6b7a00", "#bccb4a"),
    ("#5f5f5f", "#b0b0b0"),
];

/// A picture that is being drawn.
#[derive(Debug)]
pub(super) struct Svg {
    height: f64,
    body: String,
}

/// Where a text is anchored.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How important a text is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tone {
    Title,
    Plain,
    Muted,
    /// Muted, and to be read above curves.
    Above,
}

impl Svg {
    pub(super) fn new(height: f64) -> Self {
        Self { height, body: String::new() }
    }

    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, tone: Tone, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let tone = match tone {
            Tone::Title => "title",
            Tone::Plain => "text",
            Tone::Muted => "muted",
            Tone::Above => "muted halo",
        };
        let words = escaped(words);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{tone}\">{words}</text>"
        );
    }

    /// Any element, as it stands; its classes are those of [`style`].
    pub(super) fn raw(&mut self, element: &str) {
        self.body += element;
        self.body.push('\n');
    }

    /// The whole picture. `title` is what is read to those who cannot see it.
    pub(super) fn finish(self, title: &str) -> String {
        let Self { height, body } = self;
        let (title, style) = (escaped(title), style());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"{LETTERS}\">\n<title>{title}</title>\n\
             <style>\n{style}</style>\n<rect width=\"100%\" height=\"100%\" class=\"ground\"/>\n{body}</svg>\n"
        )
    }
}

/// The classes of elements: `s3` strokes with colour 3, `f3` fills with it.
fn style() -> String {
    let mut light = String::from(
        ".ground{fill:#fff}.title{fill:#111;font-weight:600}.text{fill:#222}.muted{fill:#5a5a5a}\
         .grid{stroke:#e3e3e3}.frame{stroke:#8a8a8a;fill:none}.mark{stroke:#5a5a5a;stroke-dasharray:4 4}\
         .node{stroke:#111}.halo{stroke:#fff;stroke-width:4;paint-order:stroke;stroke-linejoin:round}\n",
    );
    let mut dark = String::from(
        ".ground{fill:#15171a}.title{fill:#f2f2f2}.text{fill:#e6e6e6}.muted{fill:#a9adb3}\
         .grid{stroke:#2c3036}.frame{stroke:#7d838b}.mark{stroke:#a9adb3}.node{stroke:#fff}.halo{stroke:#15171a}\n",
    );
    for (number, (on_light, on_dark)) in COLORS.iter().enumerate() {
        let _ = writeln!(light, ".s{number}{{stroke:{on_light};fill:none}}.f{number}{{fill:{on_light}}}");
        let _ = writeln!(dark, ".s{number}{{stroke:{on_dark}}}.f{number}{{fill:{on_dark}}}");
    }
    format!("{light}@media (prefers-color-scheme: dark){{\n{dark}}}\n")
}

/// The number of a colour.
pub(super) fn color(number: usize) -> usize {
    number % COLORS.len()
}

/// Text without what SVG would take for its own.
pub(super) fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Asserts that a figure is well-formed, and gives the texts in it.
#[cfg(test)]
#[track_caller]
pub(crate) fn texts_of(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_a_figure() {
        let mut svg = Svg::new(10.0);
        svg.text(0.0, 0.0, Anchor::Start, Tone::Plain, "<script>&\"\u{7}");
        assert_eq!(texts_of(&svg.finish("a < b")), ["<script>&\""]);
    }
}
