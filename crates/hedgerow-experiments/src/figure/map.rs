//! A plane with examples coloured by class, and the stored ones among them marked.

use super::axis::{Axis, AxisKind};
use super::svg::{Anchor, LETTER_WIDTH, Svg, Tone, WIDTH, color};

/// A map.
#[derive(Debug)]
pub(crate) struct Map {
    /// What it shows.
    pub(crate) title: String,
    /// What there is to say, in lines below the title.
    pub(crate) notes: Vec<String>,
    /// Names of the classes.
    pub(crate) classes: Vec<String>,
    /// Examples.
    pub(crate) points: Vec<MapPoint>,
    /// Stored examples, drawn above the others.
    pub(crate) nodes: Vec<MapPoint>,
}

/// An example on a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MapPoint {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) class: usize,
}

const MARGIN: f64 = 20.0;
const LINE: f64 = 22.0;

impl Map {
    /// Draws it. The plane keeps its proportions: distances on it are those that trees go by.
    pub(crate) fn draw(&self) -> String {
        let places = legend_places(&self.classes);
        let n_lines = places.last().map_or(0.0, |(_, line)| line + 1.0);
        let head = 34.0 + self.notes.len() as f64 * LINE;
        let top = head + n_lines * LINE + 14.0;
        let side = WIDTH - 2.0 * MARGIN;
        let mut svg = Svg::new(top + side + MARGIN);
        svg.text(MARGIN, 26.0, Anchor::Start, Tone::Title, &self.title);
        for (line, note) in self.notes.iter().enumerate() {
            svg.text(MARGIN, 48.0 + line as f64 * LINE, Anchor::Start, Tone::Muted, note);
        }
        for (number, (name, (x, line))) in self.classes.iter().zip(places).enumerate() {
            let y = head + 18.0 + line * LINE;
            svg.raw(&format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"6\" class=\"f{}\"/>",
                x + 6.0,
                y - 5.0,
                color(number)
            ));
            svg.text(x + 18.0, y, Anchor::Start, Tone::Plain, name);
        }
        let all = || self.points.iter().chain(&self.nodes).filter(|point| point.x.is_finite() && point.y.is_finite());
        let (x, y) = square(&all().collect::<Vec<_>>(), MARGIN, top, side);
        let at = |point: &MapPoint| Some((x.at(point.x)?, y.at(point.y)?));
        for point in self.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()) {
            if let Some((cx, cy)) = at(point) {
                let number = color(point.class);
                svg.raw(&format!(
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.2\" class=\"f{number}\" fill-opacity=\"0.55\"/>"
                ));
            }
        }
        // Large where they are few; where they are thousands, as of trees in a space that is hardly learned, small.
        let radius = (6.5 * (150.0 / self.nodes.len().max(1) as f64).sqrt()).clamp(2.4, 6.5);
        let stroke = radius * 0.3;
        for node in self.nodes.iter().filter(|node| node.x.is_finite() && node.y.is_finite()) {
            if let Some((cx, cy)) = at(node) {
                let number = color(node.class);
                svg.raw(&format!(
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\" class=\"f{number} node\" stroke-width=\"{stroke:.1}\"/>"
                ));
            }
        }
        self.name_classes(&mut svg, &x, &y);
        svg.raw(&format!(
            "<rect x=\"{MARGIN}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" class=\"frame\"/>"
        ));
        svg.finish(&self.title)
    }

    /// Writes the name of each class where most of it is, so that colour is not the only sign.
    fn name_classes(&self, svg: &mut Svg, x: &Axis, y: &Axis) {
        for (class, name) in self.classes.iter().enumerate() {
            let mine: Vec<&MapPoint> = self.points.iter().filter(|point| point.class == class).collect();
            let middle = |of: fn(&MapPoint) -> f64| {
                crate::median::median(&mine.iter().map(|point| of(point)).filter(|n| n.is_finite()).collect::<Vec<_>>())
            };
            if let (Some(x), Some(y)) = (x.at(middle(|point| point.x)), y.at(middle(|point| point.y))) {
                let half = name.chars().count() as f64 * LETTER_WIDTH / 2.0;
                let x = x.clamp(MARGIN + half + 4.0, WIDTH - MARGIN - half - 4.0);
                let name = super::svg::escaped(name);
                svg.raw(&format!(
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"title halo\">{name}</text>",
                    y + 5.0
                ));
            }
        }
    }
}

/// Axes of equal scale within a square.
fn square(points: &[&MapPoint], left: f64, top: f64, side: f64) -> (Axis, Axis) {
    let range = |of: fn(&MapPoint) -> f64| {
        let numbers = points.iter().map(|point| of(point));
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| (least.min(n), most.max(n)))
    };
    let (x, y) = (range(|point| point.x), range(|point| point.y));
    let half = ((x.1 - x.0).max(y.1 - y.0) / 2.0).max(1e-9);
    let around = |(least, most): (f64, f64)| {
        let middle = (least + most) / 2.0;
        [middle - half, middle + half].into_iter()
    };
    (Axis::new(AxisKind::Linear, around(x), left, left + side), Axis::new(AxisKind::Linear, around(y), top + side, top))
}

fn legend_places(names: &[String]) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (MARGIN, 0.0);
    let mut places = Vec::new();
    for name in names {
        let width = 18.0 + name.chars().count() as f64 * LETTER_WIDTH + 16.0;
        if x + width > WIDTH && x > MARGIN {
            (x, line) = (MARGIN, line + 1.0);
        }
        places.push((x, line));
        x += width;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::svg::texts_of;
    use super::*;

    #[test]
    fn points_nodes_and_classes_are_drawn() {
        let point = |x: f64, y: f64, class: usize| MapPoint { x, y, class };
        let map = Map {
            title: "t".into(),
            notes: vec!["n".into()],
            classes: vec!["bag".into(), "coat".into()],
            points: vec![point(0.0, 0.0, 0), point(4.0, 1.0, 1), point(f64::NAN, 1.0, 1)],
            nodes: vec![point(4.0, 0.0, 1)],
        };
        let svg = map.draw();
        assert_eq!(svg.matches("<circle").count(), 2 + 2 + 1); // legend, points, nodes
        assert_eq!(texts_of(&svg).iter().filter(|text| *text == "coat").count(), 2);
        // 4 to the right and 1 up: the scale is the same both ways, and the plane as wide as the widest.
        let (x, y) = square(&map.points[..2].iter().collect::<Vec<_>>(), 0.0, 0.0, 100.0);
        let (dx, dy) = (x.at(4.0).unwrap() - x.at(0.0).unwrap(), y.at(0.0).unwrap() - y.at(1.0).unwrap());
        assert!((dx / dy - 4.0).abs() < 0.05, "{dx} {dy}");
        texts_of(&Map { points: Vec::new(), nodes: Vec::new(), ..map }.draw());
    }
}
