//! How long one question takes that is asked alone, as a server is asked.

use std::time::Instant;

use hedgerow::{AnswerError, Model, PointsRef};
use serde::Serialize;

/// Questions asked at most, spread over all rows.
const MOST: usize = 1000;

/// Questions asked before, so that caches are as they are in use.
const WARM_UP: usize = 10;

/// Microseconds of single questions.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Latency {
    pub(super) n_single_queries: usize,
    /// Half of them take no longer; none if nothing was asked.
    pub(super) microseconds_per_single_query_p50: Option<f64>,
    /// 99 of 100 take no longer.
    pub(super) microseconds_per_single_query_p99: Option<f64>,
}

/// Asks one row after another.
pub(super) fn measure(
    model: &Model,
    points: PointsRef<'_>,
    is_stopped: impl Fn() -> bool,
) -> Result<Latency, AnswerError> {
    let step = points.len().div_ceil(MOST).max(1);
    let ask = |row: usize| model.predict(points.slice(row..row + 1)).map(drop);
    (0..points.len()).step_by(step).take(WARM_UP).try_for_each(ask)?;
    let mut seconds = Vec::new();
    for row in (0..points.len()).step_by(step) {
        if is_stopped() {
            break;
        }
        let begun = Instant::now();
        ask(row)?;
        seconds.push(begun.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(Latency {
        n_single_queries: seconds.len(),
        microseconds_per_single_query_p50: percentile(&seconds, 50).map(|seconds| 1e6 * seconds),
        microseconds_per_single_query_p99: percentile(&seconds, 99).map(|seconds| 1e6 * seconds),
    })
}

/// The smallest value that so many of 100 do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 99)), (Some(100.0), Some(198.0)));
        assert_eq!((percentile(&[3.0], 50), percentile(&[3.0], 99)), (Some(3.0), Some(3.0)));
        assert_eq!(percentile(&[], 50), None);
    }
}
