//! Two numbers for each name, as a wide bar and a thin one: what is usual, and what is rare.

use super::axis::{Axis, AxisKind, short};
use super::svg::{Anchor, LETTER_WIDTH, Svg, Tone, WIDTH};

/// A figure of bars.
#[derive(Debug)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis counts, and which bar is which.
    pub x_label: String,
    /// The rows.
    pub rows: Vec<Bar>,
}

/// A row.
#[derive(Debug)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// The wide bar.
    pub usual: f64,
    /// The thin one.
    pub rare: f64,
    /// Which colour it has.
    pub color: usize,
}

const ROW: f64 = 30.0;
const TOP: f64 = 48.0;
/// Room for a number behind the longest bar.
const RIGHT: f64 = 130.0;

impl Bars {
    /// Draws it. Bars begin at 0, so that their lengths are as the numbers.
    pub fn draw(&self) -> String {
        let longest = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0) as f64;
        let left = (longest * LETTER_WIDTH + 30.0).clamp(90.0, 320.0);
        let bottom = TOP + self.rows.len() as f64 * ROW;
        let mut svg = Svg::new(bottom + 56.0);
        svg.text(16.0, 26.0, Anchor::Start, Tone::Title, &self.title);
        let numbers = self.rows.iter().flat_map(|row| [row.usual, row.rare]);
        let x = Axis::new(AxisKind::Linear, numbers.chain([0.0]), left, WIDTH - RIGHT).within(0.0, f64::INFINITY);
        for tick in x.ticks() {
            if let Some(at) = x.at(tick) {
                svg.raw(&format!("<path d=\"M{at:.1} {TOP:.1}V{bottom:.1}\" class=\"grid\"/>"));
                svg.text(at, bottom + 18.0, Anchor::Middle, Tone::Muted, &short(tick));
            }
        }
        for (number, row) in self.rows.iter().enumerate() {
            let middle = TOP + (number as f64 + 0.5) * ROW;
            svg.text(left - 12.0, middle + 5.0, Anchor::End, Tone::Plain, &row.name);
            let color = super::svg::color(row.color);
            let (mut end, mut texts) = (left, Vec::new());
            for (value, height) in [(row.usual, 16.0), (row.rare, 4.0)] {
                let Some(to) = x.at(value) else { continue };
                end = end.max(to);
                texts.push(rounded(value));
                svg.raw(&format!(
                    "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height}\" class=\"f{color}\"/>",
                    middle - height / 2.0,
                    (to - left).max(0.0)
                ));
            }
            svg.text(end + 8.0, middle + 5.0, Anchor::Start, Tone::Muted, &texts.join(", "));
        }
        svg.text((left + WIDTH - RIGHT) / 2.0, bottom + 44.0, Anchor::Middle, Tone::Muted, &self.x_label);
        svg.finish(&self.title)
    }
}

/// Three digits are enough beside a bar.
fn rounded(number: f64) -> String {
    if number.abs() < 100.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}

#[cfg(test)]
mod tests {
    use super::super::svg::texts_of;
    use super::*;

    fn widths(svg: &str) -> Vec<f64> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let bars = document.descendants().filter(|node| node.has_tag_name("rect") && node.has_attribute("x"));
        bars.map(|node| node.attribute("width").unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn lengths_are_as_the_numbers() {
        let bar = |name: &str, usual, rare| Bar { name: name.into(), usual, rare, color: 0 };
        let rows = vec![bar("a", 10.0, 40.0), bar("b", 20.0, 160.4)];
        let svg = Bars { title: "t".into(), x_label: "us".into(), rows }.draw();
        let texts = texts_of(&svg);
        assert!(["a", "b", "us", "10.0, 40.0", "20.0, 160"].iter().all(|word| texts.iter().any(|text| text == word)));
        let widths = widths(&svg);
        assert_eq!(widths.len(), 4);
        assert!((widths[1] / widths[0] - 4.0).abs() < 0.05 && (widths[2] / widths[0] - 2.0).abs() < 0.05, "{widths:?}");
    }

    #[test]
    fn what_is_not_finite_has_no_bar() {
        let rows = vec![Bar { name: "a".into(), usual: f64::NAN, rare: 1.0, color: 12 }];
        let svg = Bars { title: "t".into(), x_label: "us".into(), rows }.draw();
        assert_eq!(widths(&svg).len(), 1);
        texts_of(&svg);
        assert_eq!(
            Bars { title: "t".into(), x_label: "us".into(), rows: Vec::new() }.draw().matches("<rect x").count(),
            0
        );
    }
}
