//! Numbers in rows: a dot for each single one, a bar at the middle, and texts beside. For recipes side by side, in groups.

use super::axis::{Axis, AxisKind, short};
use super::svg::{Anchor, LETTER_WIDTH, Svg, Tone, WIDTH, color};

/// A figure of rows.
#[derive(Debug)]
pub(crate) struct Dots {
    /// What it shows.
    pub(crate) title: String,
    /// What the horizontal axis counts.
    pub(crate) x_label: String,
    /// What the texts at the right say.
    pub(crate) beside_label: String,
    /// The groups, each with its name and its own axis.
    pub(crate) groups: Vec<(String, Vec<DotRow>)>,
}

/// A row.
#[derive(Debug)]
pub(crate) struct DotRow {
    /// Its name.
    pub(crate) name: String,
    /// The numbers.
    pub(crate) values: Vec<f64>,
    /// Their middle.
    pub(crate) middle: f64,
    /// A text at the right.
    pub(crate) beside: String,
}

const ROW: f64 = 28.0;
const GROUP_TOP: f64 = 44.0;
const GROUP_BOTTOM: f64 = 34.0;
const RIGHT: f64 = 170.0;

impl Dots {
    /// Draws it.
    pub(crate) fn draw(&self) -> String {
        let rows = self.groups.iter().flat_map(|(_, rows)| rows);
        let longest = rows.map(|row| row.name.chars().count()).max().unwrap_or(0) as f64;
        let left = (longest * LETTER_WIDTH + 30.0).clamp(90.0, 280.0);
        let n_rows: usize = self.groups.iter().map(|(_, rows)| rows.len()).sum();
        let height = 44.0 + n_rows as f64 * ROW + self.groups.len() as f64 * (GROUP_TOP + GROUP_BOTTOM) + 26.0;
        let mut svg = Svg::new(height);
        svg.text(16.0, 26.0, Anchor::Start, Tone::Title, &self.title);
        let mut top = 44.0;
        for (number, (name, rows)) in self.groups.iter().enumerate() {
            let values = rows.iter().flat_map(|row| row.values.iter().copied().chain([row.middle]));
            let x = Axis::new(AxisKind::Linear, values, left, WIDTH - RIGHT);
            let (from, to) = (top + GROUP_TOP, top + GROUP_TOP + rows.len() as f64 * ROW);
            svg.text(16.0, from - 12.0, Anchor::Start, Tone::Title, name);
            svg.text(WIDTH - RIGHT + 16.0, from - 12.0, Anchor::Start, Tone::Muted, &self.beside_label);
            for tick in x.ticks() {
                if let Some(at) = x.at(tick) {
                    svg.raw(&format!("<path d=\"M{at:.1} {from:.1}V{to:.1}\" class=\"grid\"/>"));
                    svg.text(at, to + 18.0, Anchor::Middle, Tone::Muted, &short(tick));
                }
            }
            for (at, row) in rows.iter().enumerate() {
                draw_row(&mut svg, row, &x, left, from + (at as f64 + 0.5) * ROW, color(number));
            }
            top = to + GROUP_BOTTOM;
        }
        svg.text((left + WIDTH - RIGHT) / 2.0, height - 12.0, Anchor::Middle, Tone::Muted, &self.x_label);
        svg.finish(&self.title)
    }
}

fn draw_row(svg: &mut Svg, row: &DotRow, x: &Axis, left: f64, y: f64, number: usize) {
    svg.text(left - 12.0, y + 5.0, Anchor::End, Tone::Plain, &row.name);
    for value in row.values.iter().filter_map(|value| x.at(*value)) {
        svg.raw(&format!(
            "<circle cx=\"{value:.1}\" cy=\"{y:.1}\" r=\"4.5\" class=\"f{number}\" fill-opacity=\"0.55\"/>"
        ));
    }
    if let Some(middle) = x.at(row.middle) {
        svg.raw(&format!("<path d=\"M{middle:.1} {:.1}v18\" class=\"s{number}\" stroke-width=\"3\"/>", y - 9.0));
    }
    svg.text(WIDTH - RIGHT + 16.0, y + 5.0, Anchor::Start, Tone::Plain, &row.beside);
}

#[cfg(test)]
mod tests {
    use super::super::svg::texts_of;
    use super::*;

    #[test]
    fn every_number_has_its_dot() {
        let row =
            |name: &str, values: Vec<f64>| DotRow { name: name.into(), values, middle: 2.0, beside: "9 s".into() };
        let rows = vec![row("a", vec![1.0, 2.0, 3.0]), row("b", vec![f64::NAN, 4.0])];
        let (title, x_label, beside_label) = ("t".into(), "percent".into(), "seconds".into());
        let svg = Dots { title, x_label, beside_label, groups: vec![("mnist".into(), rows)] }.draw();
        assert_eq!(svg.matches("<circle").count(), 4);
        let texts = texts_of(&svg);
        assert!(["a", "b", "mnist", "9 s", "percent"].iter().all(|word| texts.iter().any(|text| text == word)));
    }
}
