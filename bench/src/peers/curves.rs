//! A figure with one curve for each method, or one dot.

use hedgerow_experiments::figure::{AxisKind, Figure, Panel, Series, Stroke};

use super::row::Row;

/// What one axis shows.
pub(super) struct Axis<'a> {
    /// The measurement.
    pub name: &'a str,
    /// What stands beside it.
    pub label: &'a str,
    /// How it counts.
    pub kind: AxisKind,
}

/// Draws the medians of two measurements against each other. Rows that lack one are left out.
pub(super) fn curves(title: &str, rows: &[Row], x: &Axis<'_>, y: &Axis<'_>) -> String {
    let panel = Panel {
        y_label: y.label.to_owned(),
        y_kind: y.kind,
        y_within: (0.0, f64::INFINITY),
        series: series(rows, x.name, y.name),
    };
    Figure {
        title: title.to_owned(),
        x_label: x.label.to_owned(),
        x_kind: x.kind,
        marks: Vec::new(),
        panels: vec![panel],
    }
    .draw()
}

/// Draws a dot for each method of one data set: ours in a panel, the peers in another below it, both with the same axes. One panel would have more
/// methods than there are colours.
pub(super) fn dots(title: &str, rows: &[Row], x: &Axis<'_>, y: &Axis<'_>) -> String {
    let values = || rows.iter().filter_map(|row| row.median(x.name).and(row.median(y.name)));
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let panel = |is_ours: bool, who: &str| {
        let rows: Vec<Row> = rows.iter().filter(|row| row.is_ours == is_ours).cloned().collect();
        let mut series = series(&rows, x.name, y.name);
        if let Some(first) = series.first_mut() {
            // A band at one place is not drawn, but the axis has room for it.
            first.band = vec![(first.curves[0][0].0, least, most)];
        }
        Panel { y_label: format!("{}, {who}", y.label), y_kind: y.kind, y_within: (0.0, f64::INFINITY), series }
    };
    Figure {
        title: title.to_owned(),
        x_label: x.label.to_owned(),
        x_kind: x.kind,
        marks: Vec::new(),
        panels: vec![panel(true, "hedgerow"), panel(false, "peers")],
    }
    .draw()
}

/// For each data set its figure: error against the time of training and all queries.
pub(super) fn errors_against_time(rows: &[Row]) -> Vec<String> {
    let time = Axis { name: "total", label: "training and all queries, seconds", kind: AxisKind::Log };
    let error = Axis { name: "error_percent", label: "error, percent", kind: AxisKind::Linear };
    rows.chunk_by(|one, next| one.data == next.data)
        .map(|rows| dots(&format!("{}: error against time", rows[0].data), rows, &time, &error))
        .collect()
}

fn series(rows: &[Row], x: &str, y: &str) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for row in rows {
        let (Some(x), Some(y)) = (row.median(x), row.median(y)) else { continue };
        match all.iter_mut().find(|series| series.name == row.method) {
            Some(series) => series.curves[0].push((x, y)),
            None => all.push(Series { name: row.method.clone(), curves: vec![vec![(x, y)]], ..Series::default() }),
        }
    }
    // A line of one point is none.
    for series in all.iter_mut().filter(|series| series.curves[0].len() == 1) {
        series.stroke = Stroke::Dotted;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_has_a_curve_and_rows_without_numbers_none() {
        let mut rows = ["tree", "scan", "tree", "absent"].map(|method| Row::new("a", method, true, 1));
        for (at, row) in rows.iter_mut().take(3).enumerate() {
            row.push("n", at as f64);
            row.push("s", 10.0);
        }
        rows[3].push("n", 1.0);
        let all = series(&rows, "n", "s");
        let names: Vec<&str> = all.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["tree", "scan"]);
        assert_eq!(all[0].curves, [vec![(0.0, 10.0), (2.0, 10.0)]]);
    }

    #[test]
    fn a_curve_of_one_point_is_a_dot() {
        let mut rows = ["flat", "tree", "tree"].map(|method| Row::new("a", method, true, 1));
        for (at, row) in rows.iter_mut().enumerate() {
            row.push("n", 1.0 + at as f64);
            row.push("s", 10.0);
        }
        let axis = |name| Axis { name, label: name, kind: AxisKind::Log };
        assert_eq!(curves("t", &rows, &axis("n"), &axis("s")).matches("<circle").count(), 1);
    }

    #[test]
    fn every_data_set_has_a_figure_with_a_dot_for_each_method() {
        let methods = [("a", "tree", true), ("a", "flat", false), ("a", "absent", false), ("b", "tree", true)];
        let mut rows = methods.map(|(data, method, is_ours)| Row::new(data, method, is_ours, 1));
        for (at, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != 2) {
            row.push("total", 1.0 + at as f64);
            row.push("error_percent", 2.0);
        }
        let figures = errors_against_time(&rows);
        assert_eq!(figures.iter().map(|svg| svg.matches("<circle").count()).collect::<Vec<_>>(), [2, 1]);
        assert!(figures.iter().all(|svg| !svg.contains("<polygon")), "the band is not to be seen");
    }
}
