//! Numbers against numbers, such as the error against the epoch.

use serde::Serialize;

/// One or more curves over the same axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CurveView {
    /// What it shows, for example `Error on validation pictures`.
    pub title: String,
    /// What the horizontal axis counts, with its unit.
    pub x_label: String,
    /// What the vertical axis counts, with its unit.
    pub y_label: String,
    /// How the horizontal axis counts.
    pub x_scale: AxisScale,
    /// How the vertical axis counts.
    pub y_scale: AxisScale,
    /// The curves.
    pub series: Vec<Series>,
    /// What else there is to say.
    pub note: Option<String>,
}

/// How an axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisScale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios. Numbers that are not positive are left out.
    Log,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, as `[x, y]`, in the order in which they are to be joined. What is not finite is left out.
    pub points: Vec<[f64; 2]>,
}
