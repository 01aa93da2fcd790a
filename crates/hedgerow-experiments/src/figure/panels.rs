//! Curves over a common horizontal axis, in panels one below another, with one legend.

use std::fmt::Write as _;

use super::axis::{Axis, AxisKind, short};
use super::svg::{Anchor, LETTER_WIDTH, Svg, Tone, WIDTH, color};

/// A figure of curves.
#[derive(Debug)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis counts.
    pub x_label: String,
    /// How it counts.
    pub x_kind: AxisKind,
    /// Moments that the reader should know of.
    pub marks: Vec<Mark>,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// A place on the horizontal axis.
#[derive(Debug)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// What is there.
    pub label: String,
}

/// Curves with a vertical axis.
#[derive(Debug)]
pub struct Panel {
    /// What the vertical axis counts.
    pub y_label: String,
    /// How it counts.
    pub y_kind: AxisKind,
    /// What it does not go beyond, as 0 and 100 for percent.
    pub y_within: (f64, f64),
    /// The curves. Those of one name have one colour in all panels.
    pub series: Vec<Series>,
}

/// Curves of one name.
#[derive(Debug, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// The points of each curve, in the order in which they are joined.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// Least and most at some places, drawn as an area behind the curves.
    pub band: Vec<(f64, f64, f64)>,
    /// How they are drawn.
    pub stroke: Stroke,
}

/// How curves are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// A line.
    #[default]
    Line,
    /// A dashed line with a dot at each point, for points that are far between.
    Dotted,
}

const LEFT: f64 = 62.0;
const RIGHT: f64 = 20.0;
const PANEL: f64 = 260.0;
const BETWEEN: f64 = 46.0;
const LEGEND_LINE: f64 = 22.0;

impl Figure {
    /// Draws it.
    pub fn draw(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        let legend = legend_places(&names);
        let n_lines = legend.last().map_or(0.0, |(_, line)| line + 1.0);
        let top = 44.0 + n_lines * LEGEND_LINE + 18.0;
        let n = self.panels.len() as f64;
        let height = top + n * PANEL + (n - 1.0).max(0.0) * BETWEEN + 56.0;
        let mut svg = Svg::new(height);
        svg.text(LEFT, 26.0, Anchor::Start, Tone::Title, &self.title);
        for (number, (name, (x, line))) in names.iter().zip(legend).enumerate() {
            let y = 54.0 + line * LEGEND_LINE;
            let dash = self.stroke_of(name).dash();
            svg.raw(&format!(
                "<path d=\"M{x:.1} {:.1}h22\" class=\"s{}\" stroke-width=\"3\"{dash}/>",
                y - 5.0,
                color(number)
            ));
            svg.text(x + 28.0, y, Anchor::Start, Tone::Plain, name);
        }
        let all = self.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.curves).flatten();
        let x = Axis::new(self.x_kind, all.map(|(x, _)| *x), LEFT, WIDTH - RIGHT);
        for (number, panel) in self.panels.iter().enumerate() {
            let from = top + number as f64 * (PANEL + BETWEEN);
            panel.draw(&mut svg, &x, from, &names);
            for mark in &self.marks {
                if let Some(at) = x.at(mark.x) {
                    svg.raw(&format!("<path d=\"M{at:.1} {from:.1}v{PANEL}\" class=\"mark\"/>"));
                    if number == 0 {
                        svg.text(at + 6.0, from + PANEL - 10.0, Anchor::Start, Tone::Above, &mark.label);
                    }
                }
            }
        }
        svg.text((LEFT + WIDTH - RIGHT) / 2.0, height - 14.0, Anchor::Middle, Tone::Muted, &self.x_label);
        svg.finish(&self.title)
    }

    fn stroke_of(&self, name: &str) -> Stroke {
        let mut all = self.panels.iter().flat_map(|panel| &panel.series);
        all.find(|series| series.name == name).map_or(Stroke::Line, |series| series.stroke)
    }
}

impl Stroke {
    fn dash(self) -> &'static str {
        match self {
            Self::Line => "",
            Self::Dotted => " stroke-dasharray=\"5 4\"",
        }
    }
}

impl Panel {
    fn draw(&self, svg: &mut Svg, x: &Axis, top: f64, names: &[&str]) {
        let bottom = top + PANEL;
        let curves = self.series.iter().flat_map(|series| &series.curves).flatten().map(|(_, y)| *y);
        let bands = self.series.iter().flat_map(|series| &series.band).flat_map(|(_, least, most)| [*least, *most]);
        let y = Axis::new(self.y_kind, curves.chain(bands), bottom, top).within(self.y_within.0, self.y_within.1);
        for tick in x.ticks() {
            if let Some(at) = x.at(tick) {
                svg.raw(&format!("<path d=\"M{at:.1} {top:.1}V{bottom:.1}\" class=\"grid\"/>"));
                svg.text(at, bottom + 18.0, Anchor::Middle, Tone::Muted, &short(tick));
            }
        }
        for tick in y.ticks() {
            if let Some(at) = y.at(tick) {
                svg.raw(&format!("<path d=\"M{LEFT} {at:.1}H{:.1}\" class=\"grid\"/>", WIDTH - RIGHT));
                svg.text(LEFT - 8.0, at + 5.0, Anchor::End, Tone::Muted, &short(tick));
            }
        }
        svg.text(LEFT, top - 8.0, Anchor::Start, Tone::Muted, &self.y_label);
        for series in &self.series {
            let number = color(names.iter().position(|name| *name == series.name).unwrap_or(0));
            self.draw_band(svg, x, &y, series, number);
            for curve in &series.curves {
                let places: Vec<(f64, f64)> = curve.iter().filter_map(|(a, b)| Some((x.at(*a)?, y.at(*b)?))).collect();
                let path = joined(&places);
                let dash = series.stroke.dash();
                svg.raw(&format!("<polyline points=\"{path}\" class=\"s{number}\" stroke-width=\"2\" stroke-linejoin=\"round\"{dash}/>"));
                if series.stroke == Stroke::Dotted {
                    for (x, y) in places {
                        svg.raw(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" class=\"f{number}\"/>"));
                    }
                }
            }
        }
        svg.raw(&format!(
            "<rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{PANEL}\" class=\"frame\"/>",
            WIDTH - RIGHT - LEFT
        ));
    }

    fn draw_band(&self, svg: &mut Svg, x: &Axis, y: &Axis, series: &Series, number: usize) {
        let edge = |of: fn(&(f64, f64, f64)) -> f64| -> Vec<(f64, f64)> {
            series.band.iter().filter_map(|place| Some((x.at(place.0)?, y.at(of(place))?))).collect()
        };
        let (mut around, upper) = (edge(|place| place.1), edge(|place| place.2));
        around.extend(upper.into_iter().rev());
        if around.len() > 2 {
            let path = joined(&around);
            svg.raw(&format!("<polygon points=\"{path}\" class=\"f{number}\" fill-opacity=\"0.12\"/>"));
        }
    }
}

/// Where each name of the legend stands: from the left, and in which line.
fn legend_places(names: &[&str]) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (LEFT, 0.0);
    let mut places = Vec::new();
    for name in names {
        let width = 28.0 + name.chars().count() as f64 * LETTER_WIDTH + 18.0;
        if x + width > WIDTH - RIGHT + 18.0 && x > LEFT {
            (x, line) = (LEFT, line + 1.0);
        }
        places.push((x, line));
        x += width;
    }
    places
}

fn joined(places: &[(f64, f64)]) -> String {
    places.iter().enumerate().fold(String::new(), |mut path, (number, (x, y))| {
        let space = if number == 0 { "" } else { " " };
        let _ = write!(path, "{space}{x:.1},{y:.1}");
        path
    })
}

#[cfg(test)]
mod tests {
    use super::super::svg::texts_of;
    use super::*;

    fn figure(series: Vec<Series>) -> Figure {
        let panel = Panel { y_label: "error".into(), y_kind: AxisKind::Log, y_within: (0.0, f64::INFINITY), series };
        let marks = vec![Mark { x: 10.0, label: "here".into() }];
        Figure { title: "t".into(), x_label: "seconds".into(), x_kind: AxisKind::Log, marks, panels: vec![panel] }
    }

    #[test]
    fn every_curve_has_its_line_and_its_name() {
        let series = |name: &str, curves: Vec<Vec<(f64, f64)>>| Series {
            name: name.into(),
            curves,
            band: vec![(1.0, 2.0, 3.0), (10.0, 2.0, f64::NAN), (100.0, 2.0, 4.0)],
            stroke: Stroke::Dotted,
        };
        let dbs = series("dbs", vec![vec![(1.0, 50.0), (100.0, 10.0)], vec![(2.0, f64::NAN), (3.0, 5.0)]]);
        let svg = figure(vec![dbs, series("dbt", vec![vec![(10.0, 20.0)]])]).draw();
        assert_eq!(svg.matches("<polyline").count(), 3);
        assert_eq!(svg.matches("<circle").count(), 4); // the point that is no number has none
        let texts = texts_of(&svg);
        for name in ["dbs", "dbt", "10", "here", "seconds", "error"] {
            assert!(texts.iter().any(|text| text == name), "{name}: {texts:?}");
        }
        texts_of(&figure(Vec::new()).draw());
    }

    #[test]
    fn long_legends_take_several_lines() {
        let names = ["a name that is quite long"; 5];
        let places = legend_places(&names);
        assert!(places.iter().all(|(x, _)| *x < WIDTH - 200.0));
        assert!(places[4].1 >= 1.0);
    }
}
