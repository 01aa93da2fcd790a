//! The figure of error against time, as SVG.

use std::fmt::Write as _;
use std::fs;

use super::curve::CurvePoint;
use super::record::Records;
use crate::error::ExperimentError;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// Left, top, right, bottom; the names of the curves stand at the right.
const MARGINS: [f64; 4] = [64.0, 40.0, 190.0, 56.0];
/// Of Okabe and Ito (2008): told apart by all eyes, and in print.
const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Writes the figure beside the curves.
///
/// # Errors
/// A file that cannot be read or written.
pub(super) fn write(records: &Records) -> Result<(), ExperimentError> {
    let points = records.curves()?;
    let path = records.path("curve").with_extension("svg");
    fs::write(&path, draw(&points)).map_err(|source| ExperimentError::File { path, source })
}

/// A scale from numbers to places by their logarithm.
struct Scale {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale for positive numbers, with some room around them.
    fn new(numbers: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = numbers.fold((f64::MAX, f64::MIN), |(least, most), n| (least.min(n), most.max(n)));
        Self { least: least.max(0.01) / 1.1, most: most.max(0.02) * 1.1, from, to }
    }

    fn at(&self, number: f64) -> f64 {
        let share = (number.max(self.least) / self.least).ln() / (self.most / self.least).ln();
        self.from + share * (self.to - self.from)
    }

    /// 1, 2 and 5 times the powers of 10 that are on the scale.
    fn ticks(&self) -> Vec<f64> {
        let all = (-2..7).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        all.filter(|tick| (self.least..=self.most).contains(tick)).collect()
    }
}

fn draw(points: &[CurvePoint]) -> String {
    let [left, top, right, bottom] = MARGINS;
    let x = Scale::new(points.iter().map(|point| point.train_seconds), left, WIDTH - right);
    let y = Scale::new(points.iter().map(|point| point.error_percent), HEIGHT - bottom, top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let text = |x: f64, y: f64, anchor: &str, words: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#222\">{words}</text>\n")
    };
    for tick in x.ticks() {
        let at = x.at(tick);
        let _ = writeln!(svg, "<path d=\"M{at:.1} {top}V{:.1}\" stroke=\"#e4e4e4\"/>", HEIGHT - bottom);
        svg += &text(at, HEIGHT - bottom + 18.0, "middle", &tick.to_string());
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = writeln!(svg, "<path d=\"M{left} {at:.1}H{:.1}\" stroke=\"#e4e4e4\"/>", WIDTH - right);
        svg += &text(left - 8.0, at + 4.0, "end", &tick.to_string());
    }
    svg += &text((left + WIDTH - right) / 2.0, HEIGHT - 14.0, "middle", "seconds of learning (evaluation left out)");
    svg += &text(left, top - 16.0, "start", "test error of one boundary tree, percent");
    let mut names: Vec<&str> = Vec::new();
    for point in points {
        if !names.contains(&point.recipe.as_str()) {
            names.push(&point.recipe);
        }
    }
    for (number, name) in names.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let mut seeds: Vec<u64> = points.iter().filter(|p| p.recipe == **name).map(|p| p.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        for seed in seeds {
            let curve = points.iter().filter(|point| point.recipe == **name && point.seed == seed);
            let path: Vec<String> =
                curve.map(|p| format!("{:.1},{:.1}", x.at(p.train_seconds), y.at(p.error_percent))).collect();
            let path = path.join(" ");
            let _ =
                writeln!(svg, "<polyline points=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"/>");
        }
        let (at, line) = (WIDTH - right + 16.0, top + 12.0 + 22.0 * number as f64);
        let _ = writeln!(svg, "<path d=\"M{at} {:.1}h22\" stroke=\"{color}\" stroke-width=\"3\"/>", line - 4.0);
        svg += &text(at + 30.0, line, "start", name);
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_has_its_line_and_its_name() {
        let point = |recipe: &str, train_seconds: f64, error_percent: f64| CurvePoint {
            data: "d".into(),
            recipe: recipe.into(),
            seed: 0,
            epoch: 1,
            train_seconds,
            error_percent,
            n_nodes: 1,
        };
        let svg = draw(&[point("dbs", 1.0, 50.0), point("dbs", 100.0, 10.0), point("dbt", 10.0, 20.0)]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains(">dbs</text>") && svg.contains(">dbt</text>") && svg.contains(">10</text>"));
        // The scale is one of logarithms: 10 is halfway between 1 and 100.
        let scale = Scale { least: 1.0, most: 100.0, from: 0.0, to: 8.0 };
        assert!((scale.at(10.0) - 4.0).abs() < 1e-12);
        assert!(draw(&[]).ends_with("</svg>\n"));
    }
}
