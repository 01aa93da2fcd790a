//! What an evaluation found.

use hedgerow::Evaluation;

use crate::{CalibrationBin, CalibrationView, ConfusionView, RejectionCurve, RejectionPoint, RejectionView};

/// What was said against what is true; nothing unless classes were told apart.
pub fn confusion_view(evaluation: &Evaluation) -> Option<ConfusionView> {
    if evaluation.confusion.is_empty() {
        return None;
    }
    let n_classes = evaluation.classes.len();
    let counts = |row: &Vec<usize>| row.iter().take(n_classes).map(|&count| count as u64).collect();
    let unknown = |row: &Vec<usize>| row.get(n_classes).map_or(0, |&count| count as u64);
    let unknown: Vec<u64> = evaluation.confusion.iter().map(unknown).collect();
    Some(ConfusionView {
        classes: evaluation.classes.clone(),
        counts: evaluation.confusion.iter().map(counts).collect(),
        // A column of nothing says nothing.
        unknown: if evaluation.n_unknown > 0 { unknown } else { Vec::new() },
    })
}

/// How far probabilities can be trusted; nothing unless there were any.
pub fn calibration_view(evaluation: &Evaluation) -> Option<CalibrationView> {
    let bin = |bin: &hedgerow::CalibrationBin| CalibrationBin {
        mean_probability: bin.mean_probability,
        share_right: bin.share_right,
        count: bin.n as u64,
    };
    (!evaluation.calibration.is_empty()).then(|| CalibrationView {
        bins: evaluation.calibration.iter().map(bin).collect(),
        expected_calibration_error: evaluation.calibration_error_percent.map(|percent| percent / 100.0),
    })
}

/// What leaving the doubtful unanswered gains, by probability and by novelty; nothing unless classes were told apart.
pub fn rejection_view(evaluation: &Evaluation) -> Option<RejectionView> {
    let point = |point: &hedgerow::RejectionPoint| RejectionPoint {
        share_answered: point.share_answered,
        error_percent: point.error_percent,
        threshold: Some(point.threshold),
    };
    let curve = |by: &str, points: &[hedgerow::RejectionPoint]| RejectionCurve {
        by: by.to_owned(),
        points: points.iter().map(point).collect(),
    };
    let curves = vec![
        curve("probability", &evaluation.rejection_by_probability),
        curve("novelty", &evaluation.rejection_by_novelty),
    ];
    curves.iter().any(|curve| !curve.points.is_empty()).then_some(RejectionView { curves })
}
