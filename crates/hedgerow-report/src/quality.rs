//! How far probabilities can be trusted, and what leaving the doubtful unanswered gains.

use serde::Serialize;

/// Stated probability against the share of right answers.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CalibrationView {
    /// Answers grouped by their probability. Empty groups are not drawn.
    pub bins: Vec<CalibrationBin>,
    /// The mean distance of the two, weighted by counts (expected calibration error), from 0 to 1.
    pub expected_calibration_error: Option<f64>,
}

/// Answers of about the same probability.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct CalibrationBin {
    /// Their mean probability, from 0 to 1.
    pub mean_probability: f64,
    /// The share of them that is right, from 0 to 1.
    pub share_right: f64,
    /// How many there are.
    pub count: u64,
}

/// The error among the answered, against the share that is answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RejectionView {
    /// One curve for each way of doubting.
    pub curves: Vec<RejectionCurve>,
}

/// What one way of doubting gains.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RejectionCurve {
    /// What is doubted by, for example `novelty`.
    pub by: String,
    /// Its points, by rising share.
    pub points: Vec<RejectionPoint>,
}

/// What one threshold gains.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RejectionPoint {
    /// The share of queries that is answered, from 0 to 1.
    pub share_answered: f64,
    /// The error among them, in percent.
    pub error_percent: f64,
    /// The threshold that gives it.
    pub threshold: Option<f64>,
}
