//! Curves: of learning, of calibration, of rejection.

use super::axis::Axis;
use super::escape::{At, Safe, shorten};
use super::plot::Plot;
use crate::number::{count, number, percent};
use crate::{AxisScale, CalibrationView, CurveView, RejectionView, Series};

/// The height of drawings that are about square.
const SQUARE: f64 = 340.0;
/// Longer curves keep the ends and extremes of each stretch, which is what can be seen of them.
const MOST_STRETCHES: usize = 400;
/// Curves of at most so many points show each of them.
const MOST_DOTS: usize = 60;
/// More curves than this over the same axes cannot be followed.
const MOST_SERIES: usize = 12;

pub(super) fn curve(view: &CurveView) -> String {
    curve_of_height(view, 280.0)
}

fn curve_of_height(view: &CurveView, height: f64) -> String {
    let numbers =
        |axis: usize| view.series.iter().flat_map(move |series| series.points.iter().map(move |point| point[axis]));
    let axes = Axis::over(view.x_scale, numbers(0)).zip(Axis::over(view.y_scale, numbers(1)));
    let Some((x, y)) = axes else { return figure(view, "", "<p class=\"empty\">Nothing to draw.</p>") };
    let plot = Plot { x, y, height };
    let shown = &view.series[..view.series.len().min(MOST_SERIES)];
    let mut body = String::new();
    for (nth, series) in shown.iter().enumerate() {
        body.push_str(&line(&plot, nth, series));
    }
    let mut legend =
        shown.iter().enumerate().map(|(nth, series)| legend_entry(nth, series, shown.len())).collect::<String>();
    if shown.len() < view.series.len() {
        legend.push_str(&format!("<li>and {} more, not drawn</li>", count((view.series.len() - shown.len()) as u64)));
    }
    let log = if view.y_scale == AxisScale::Log { ", logarithmic" } else { "" };
    let description = format!("{}: {} against {}{log}", view.title, view.y_label, view.x_label);
    figure(view, &format!("<ul class=\"legend\">{legend}</ul>"), &plot.draw(&description, &body))
}

fn figure(view: &CurveView, legend: &str, drawing: &str) -> String {
    let scale = |scale: AxisScale| if scale == AxisScale::Log { " (log)" } else { "" };
    let note = view.note.as_ref().map_or(String::new(), |note| format!("<p class=\"note\">{}</p>", Safe(note)));
    format!(
        "<figure><figcaption><b>{}</b> <span class=\"unit\">{}{}</span></figcaption>{legend}{drawing}<p class=\"xlabel\">{}{}</p>{note}</figure>",
        Safe(&shorten(&view.title, 120)),
        Safe(&shorten(&view.y_label, 120)),
        scale(view.y_scale),
        Safe(&shorten(&view.x_label, 120)),
        scale(view.x_scale),
    )
}

/// Solid, dashed, dotted: curves differ for those who see no colors too.
const DASHES: [&str; 4] = ["", "8 4", "2 4", "10 3 2 3"];

fn style(nth: usize) -> String {
    let dash = DASHES[nth % DASHES.len()];
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!("class=\"line k{}\"{dash}", nth % super::palette::N_COLORS)
}

fn line(plot: &Plot, nth: usize, series: &Series) -> String {
    let drawn = series.points.iter().filter_map(|&point| Some((point, plot.place(point)?))).collect::<Vec<_>>();
    let places = thin(&drawn.iter().map(|(_, place)| *place).collect::<Vec<_>>());
    let path = places.iter().map(|(x, y)| format!("{} {}", At(*x), At(*y))).collect::<Vec<_>>().join("L");
    let mut text = if places.is_empty() { String::new() } else { format!("<path {} d=\"M{path}\"/>", style(nth)) };
    if drawn.len() <= MOST_DOTS {
        for ([x, y], (at_x, at_y)) in &drawn {
            text.push_str(&format!(
                "<circle class=\"dot k{}\" cx=\"{}\" cy=\"{}\" r=\"2.6\"><title>{}: {} at {}</title></circle>",
                nth % super::palette::N_COLORS,
                At(*at_x),
                At(*at_y),
                Safe(&series.name),
                number(*y),
                number(*x)
            ));
        }
    }
    text
}

/// The first, lowest, highest and last point of each of [`MOST_STRETCHES`] stretches, in order.
fn thin(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if places.len() <= 4 * MOST_STRETCHES {
        return places.to_vec();
    }
    let mut kept = Vec::new();
    for stretch in places.chunks(places.len().div_ceil(MOST_STRETCHES)) {
        let by_height = |one: &usize, two: &usize| stretch[*one].1.total_cmp(&stretch[*two].1);
        let lowest = (0..stretch.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..stretch.len()).max_by(by_height).unwrap_or(0);
        let mut picked = vec![0, lowest, highest, stretch.len() - 1];
        picked.sort_unstable();
        picked.dedup();
        kept.extend(picked.into_iter().map(|place| stretch[place]));
    }
    kept
}

fn legend_entry(nth: usize, series: &Series, n_series: usize) -> String {
    let last = series
        .points
        .last()
        .map_or(String::new(), |point| format!(" <span class=\"value\">{}</span>", number(point[1])));
    let name = if series.name.is_empty() && n_series == 1 { "last" } else { series.name.as_str() };
    format!(
        "<li><svg class=\"key\" viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path {} d=\"M1 5H27\"/></svg>{}{last}</li>",
        style(nth),
        Safe(&shorten(name, 60))
    )
}

pub(super) fn calibration(view: &CalibrationView) -> String {
    let bins = view.bins.iter().filter(|bin| bin.count > 0).collect::<Vec<_>>();
    let plot = Plot { x: Axis::between(0.0, 1.0), y: Axis::between(0.0, 1.0), height: SQUARE };
    let place = |x: f64, y: f64| plot.place([x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)]);
    let mut body = String::new();
    if let Some(((x0, y0), (x1, y1))) = place(0.0, 0.0).zip(place(1.0, 1.0)) {
        body.push_str(&format!("<path class=\"ideal\" d=\"M{} {}L{} {}\"/>", At(x0), At(y0), At(x1), At(y1)));
    }
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1) as f64;
    let drawn =
        bins.iter().filter_map(|bin| Some((*bin, place(bin.mean_probability, bin.share_right)?))).collect::<Vec<_>>();
    if !drawn.is_empty() {
        let path = drawn.iter().map(|(_, (x, y))| format!("{} {}", At(*x), At(*y))).collect::<Vec<_>>().join("L");
        body.push_str(&format!("<path class=\"line k0\" d=\"M{path}\"/>"));
    }
    for (bin, (x, y)) in drawn {
        // The area tells the number of answers.
        let radius = 3.0 + 8.0 * (bin.count as f64 / most).sqrt();
        body.push_str(&format!(
            "<circle class=\"bubble k0\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>said {}, right {}, {} answers</title></circle>",
            At(x),
            At(y),
            At(radius),
            percent(bin.mean_probability),
            percent(bin.share_right),
            count(bin.count)
        ));
    }
    let error = view.expected_calibration_error;
    let error = error.map_or(String::new(), |error| format!("Expected calibration error {}. ", percent(error)));
    let nothing = if bins.is_empty() { "There are no answers to draw. " } else { "" };
    format!(
        "<figure><figcaption><b>Calibration</b> <span class=\"unit\">share of right answers</span></figcaption>{}\
         <p class=\"xlabel\">probability stated</p><p class=\"note\">{nothing}{error}On the dashed line, probabilities are what they say; larger dots \
         stand for more answers.</p></figure>",
        plot.draw("Calibration: share of right answers against probability stated", &body)
    )
}

pub(super) fn rejection(view: &RejectionView) -> String {
    let series = view.curves.iter().map(|of| Series {
        name: format!("by {}", of.by),
        points: of.points.iter().map(|point| [100.0 * point.share_answered, point.error_percent]).collect(),
    });
    let view = CurveView {
        title: "Error among the answered".to_owned(),
        x_label: "percent answered, the most doubtful left out first".to_owned(),
        y_label: "percent wrong".to_owned(),
        series: series.collect(),
        ..CurveView::default()
    };
    // As high as the drawing beside it.
    curve_of_height(&view, SQUARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_spikes() {
        let mut places = (0..100_000).map(|x| (f64::from(x), 0.0)).collect::<Vec<_>>();
        places[54_321].1 = 9.0;
        let kept = thin(&places);
        assert!(kept.len() <= 4 * MOST_STRETCHES && kept.contains(&(54_321.0, 9.0)));
        assert_eq!((kept.first(), kept.last()), (places.first(), places.last()));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
