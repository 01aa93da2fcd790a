//! The plane of the representations.

use super::escape::{At, Safe, shorten};
use super::palette::{N_COLORS, N_SHAPES, color_class, marker_path, named_class};
use crate::MapView;
use crate::number::count;
use crate::wording::plural;

const WIDTH: f64 = 640.0;
const LOWEST: f64 = 300.0;
const HIGHEST: f64 = 560.0;
const MARGIN: f64 = 14.0;
/// Classes named under the map.
const MOST_NAMED: usize = N_COLORS * N_SHAPES;
/// Stored examples drawn: more hide one another, and each takes a hundred bytes of the page.
const MOST_STORED: usize = 2000;

pub(super) fn map(view: &MapView) -> String {
    let points = view.points.iter().map(|point| (point.x, point.y)).chain(view.stored.iter().map(|at| (at.x, at.y)));
    let Some(window) = Window::over(points) else {
        return "<p class=\"empty\">There are no points to draw.</p>".to_owned();
    };
    let mut body = String::new();
    for (class, points) in by_class(view, &window) {
        // A line of no length with a round end is a dot: the shortest way to write one.
        let is_dot = class.is_none_or(|class| class / N_COLORS % N_SHAPES == 0);
        let path = points
            .iter()
            .map(|&(x, y)| if is_dot { format!("M{} {}h0", At(x), At(y)) } else { marker_path(class, x, y, 2.4) });
        body.push_str(&format!(
            "<path class=\"{} {}\" d=\"{}\"><title>{}</title></path>",
            if is_dot { "dots" } else { "shapes" },
            color_class(class),
            path.collect::<String>(),
            Safe(&class_name(view, class))
        ));
    }
    // Evenly taken: they stand in the order in which they came.
    let step = view.stored.len().div_ceil(MOST_STORED).max(1);
    for stored in view.stored.iter().step_by(step) {
        let Some((x, y)) = window.place(stored.x, stored.y) else { continue };
        body.push_str(&format!(
            "<path class=\"stored {}\" d=\"{}\"><title>stored example {}: {}</title></path>",
            color_class(stored.class),
            marker_path(stored.class, x, y, 6.5),
            stored.id,
            Safe(&stored.label)
        ));
    }
    let n_left_out = view.stored.len() - view.stored.len().div_ceil(step);
    let left_out = match n_left_out {
        0 => String::new(),
        n => format!(", of which {} are left out", count(n as u64)),
    };
    let told = format!(
        "{} and {}{left_out}",
        plural(view.points.len(), "point", "points"),
        plural(view.stored.len(), "stored example", "stored examples")
    );
    format!(
        "<figure class=\"wide\"><svg class=\"map\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Map of {told}\">{body}</svg>{}\
         <p class=\"note\">{told}; the stored ones are larger and outlined.{}</p></figure>",
        At(WIDTH),
        At(window.height),
        legend(view),
        view.note.as_ref().map_or(String::new(), |note| format!(" {}", Safe(note)))
    )
}

fn class_name(view: &MapView, class: Option<usize>) -> String {
    match class {
        None => "no class".to_owned(),
        Some(class) => view.classes.get(class).cloned().unwrap_or_else(|| format!("class {class}")),
    }
}

fn legend(view: &MapView) -> String {
    let named = view.classes.iter().take(MOST_NAMED).enumerate();
    let entries = named
        .map(|(class, name)| format!("<li>{}</li>", named_class(Some(class), &shorten(name, 40))))
        .collect::<String>();
    let left = view.classes.len().saturating_sub(MOST_NAMED);
    let more = if left > 0 {
        format!("<li>and {} more, in the same colors and shapes again</li>", count(left as u64))
    } else {
        String::new()
    };
    format!("<ul class=\"legend\">{entries}{more}</ul>")
}

type Dots = Vec<(f64, f64)>;

/// Points by class, those without one first.
fn by_class(view: &MapView, window: &Window) -> Vec<(Option<usize>, Dots)> {
    let mut classes = std::collections::BTreeMap::<Option<usize>, Dots>::new();
    for point in &view.points {
        classes.entry(point.class).or_default().extend(window.place(point.x, point.y));
    }
    classes.into_iter().filter(|(_, dots)| !dots.is_empty()).collect()
}

/// From data to drawing, both directions by the same factor: distances are what a map is for.
struct Window {
    factor: f64,
    from: (f64, f64),
    height: f64,
}

impl Window {
    fn over(points: impl Iterator<Item = (f32, f32)>) -> Option<Self> {
        let points = points.filter(|(x, y)| x.is_finite() && y.is_finite()).map(|(x, y)| (f64::from(x), f64::from(y)));
        let (mut low, mut high) = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        for (x, y) in points {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let (wide, high_by) = (high.0 - low.0, high.1 - low.1);
        if wide < 0.0 {
            return None;
        }
        let room = WIDTH - 2.0 * MARGIN;
        let height = if wide > 0.0 { (room * high_by / wide + 2.0 * MARGIN).clamp(LOWEST, HIGHEST) } else { LOWEST };
        let fit = |room: f64, size: f64| if size > 0.0 { room / size } else { f64::INFINITY };
        let factor = fit(room, wide).min(fit(height - 2.0 * MARGIN, high_by));
        let factor = if factor.is_finite() { factor } else { 1.0 };
        let from = ((low.0 + high.0) / 2.0 - WIDTH / 2.0 / factor, (low.1 + high.1) / 2.0 - height / 2.0 / factor);
        Some(Self { factor, from, height })
    }

    fn place(&self, x: f32, y: f32) -> Option<(f64, f64)> {
        let place =
            ((f64::from(x) - self.from.0) * self.factor, self.height - (f64::from(y) - self.from.1) * self.factor);
        (place.0.is_finite() && place.1.is_finite()).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoredPoint;

    #[test]
    fn the_map_of_a_large_model_draws_some_of_the_stored_examples_and_says_so() {
        let stored = |n: usize| (0..n).map(|id| StoredPoint { x: id as f32, id: id as u64, ..StoredPoint::default() });
        let page = |n: usize| map(&MapView { stored: stored(n).collect(), ..MapView::default() });
        assert_eq!(page(2000).matches("class=\"stored").count(), 2000);
        assert!(!page(2000).contains("left out"));
        let large = page(40_001);
        // Every 21st of them.
        assert_eq!(large.matches("class=\"stored").count(), 1905);
        assert!(large.contains("40,001 stored examples, of which 38,096 are left out;"), "{large:.300}");
        assert!(large.len() < 400_000, "{}", large.len());
    }

    #[test]
    fn distances_are_the_same_in_both_directions() {
        let window = Window::over([(0.0, 0.0), (10.0, 5.0)].into_iter()).unwrap();
        let place = |x, y| window.place(x, y).unwrap();
        let (zero, right, up) = (place(0.0, 0.0), place(1.0, 0.0), place(0.0, 1.0));
        assert!((right.0 - zero.0 - (zero.1 - up.1)).abs() < 1e-9 && right.0 > zero.0);
        assert!((zero.0 - MARGIN).abs() < 1e-9 && (place(10.0, 5.0).1 - MARGIN).abs() < 1e-9);
        let one = Window::over([(3.0, 3.0)].into_iter()).unwrap();
        assert_eq!(one.place(3.0, 3.0), Some((WIDTH / 2.0, LOWEST / 2.0)));
        assert!(Window::over([(f32::NAN, 0.0)].into_iter()).is_none());
    }
}
