//! The frame of a plot: grid, numbers at the axes, and points on their way from data to page.
//!
//! Written by hand rather than by a library: see `docs/decisions/0009-reports.md`. Titles, names of axes and legends are HTML around
//! it, which wraps on narrow screens and does not shrink with the drawing.

use super::axis::Axis;
use super::escape::At;
use super::escape::Safe;

/// Units of the drawing; on the page it is as wide as its box.
pub(super) const WIDTH: f64 = 480.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 30.0;

pub(super) struct Plot {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) height: f64,
}

impl Plot {
    /// Where a point stands on the drawing; none if it cannot be drawn.
    pub(super) fn place(&self, [x, y]: [f64; 2]) -> Option<(f64, f64)> {
        let (right, up) = (self.x.at(x)?, self.y.at(y)?);
        Some((LEFT + right * (WIDTH - LEFT - RIGHT), self.height - BOTTOM - up * (self.height - TOP - BOTTOM)))
    }

    /// The drawing: the frame, and `body` over it. `description` is for those who do not see it.
    pub(super) fn draw(&self, description: &str, body: &str) -> String {
        let (right, bottom) = (WIDTH - RIGHT, self.height - BOTTOM);
        let mut grid = String::new();
        let mut texts = String::new();
        for tick in self.y.ticks(5) {
            let y = bottom - tick.at * (bottom - TOP);
            grid.push_str(&format!("M{} {}H{}", At(LEFT), At(y), At(right)));
            texts.push_str(&format!(
                "<text class=\"end\" x=\"{}\" y=\"{}\">{}</text>",
                At(LEFT - 8.0),
                At(y + 4.5),
                Safe(&tick.text)
            ));
        }
        for tick in self.x.ticks(5) {
            let x = LEFT + tick.at * (right - LEFT);
            grid.push_str(&format!("M{} {}v5", At(x), At(bottom)));
            texts.push_str(&format!(
                "<text class=\"mid\" x=\"{}\" y=\"{}\">{}</text>",
                At(x),
                At(bottom + 21.0),
                Safe(&tick.text)
            ));
        }
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"><path class=\"grid\" d=\"{grid}\"/>\
             <path class=\"axis\" d=\"M{} {}H{}\"/>{texts}{body}</svg>",
            At(WIDTH),
            At(self.height),
            Safe(description),
            At(LEFT),
            At(bottom),
            At(right),
        )
    }
}
