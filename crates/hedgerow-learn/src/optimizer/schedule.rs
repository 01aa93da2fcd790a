//! The learning rate over the course of a run.

use serde::{Deserialize, Serialize};

/// How the learning rate falls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Schedule {
    /// Along half a cosine from the first rate to 0 at the end of the run (Loshchilov and Hutter 2017). Makes the smallest trees.
    #[default]
    Cosine,
    /// Not at all.
    Constant,
    /// By a factor of 10 after each of these epochs; the paper has 400, 1000 and 3000.
    Steps(Vec<usize>),
}

/// The learning rate: where it starts, how it is reached, and how it falls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningRate {
    /// The rate that the schedule starts from. None: what [`default_rate`](crate::TrainingParams::default_rate) finds for the data.
    pub start: Option<f64>,
    /// How it falls.
    pub schedule: Schedule,
    /// Epochs over which the rate rises to its start in a straight line; fewer than the run has.
    pub warm_up_epochs: f64,
}

/// The start for small data.
pub(crate) const RATE_OF_SMALL_DATA: f64 = 3e-3;

impl LearningRate {
    /// The rate at a moment of the run, counted in epochs and parts of them. A start that was not told is that for small data; a run
    /// puts in what suits its data before it asks.
    pub fn at(&self, epoch: f64, n_epochs: f64) -> f64 {
        let start = self.start.unwrap_or(RATE_OF_SMALL_DATA);
        if epoch < self.warm_up_epochs {
            return start * epoch / self.warm_up_epochs;
        }
        start
            * match &self.schedule {
                Schedule::Constant => 1.0,
                Schedule::Cosine => {
                    let done = (epoch - self.warm_up_epochs) / (n_epochs - self.warm_up_epochs).max(f64::MIN_POSITIVE);
                    0.5 * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos())
                }
                Schedule::Steps(drops) => {
                    let n_drops = drops.iter().filter(|&&drop| epoch >= drop as f64).count();
                    0.1_f64.powi(n_drops as i32)
                }
            }
    }

    /// The rate of a round: that at its beginning, but that at its end while the rate rises, since a first round at a rate of 0 would
    /// teach the weights nothing.
    pub(crate) fn of_round(&self, epoch: usize, round: usize, n_rounds: usize, n_epochs: usize) -> f64 {
        let at = |round: usize| epoch as f64 + round as f64 / n_rounds as f64;
        let moment = if at(round) < self.warm_up_epochs { at(round + 1).min(self.warm_up_epochs) } else { at(round) };
        self.at(moment, n_epochs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_warms_up_never_has_a_rate_of_0() {
        let rates = |warm_up_epochs: f64| -> Vec<f64> {
            let rate = LearningRate { start: Some(1.0), schedule: Schedule::Constant, warm_up_epochs };
            (0..6).map(|round| rate.of_round(round / 2, round % 2, 2, 3)).collect()
        };
        assert_eq!(rates(2.0), [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
        // Rises in the middle of a round: to the start, and no further.
        assert_eq!(rates(0.75), [0.5 / 0.75, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let cosine = LearningRate { start: Some(0.1), ..LearningRate::default() };
        for round in 0..6 {
            let at = (round / 2) as f64 + (round % 2) as f64 / 2.0;
            assert_eq!(cosine.of_round(round / 2, round % 2, 2, 3), cosine.at(at, 3.0));
        }
    }

    #[test]
    fn rates_at_known_moments() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let rate = LearningRate { start: Some(0.2), warm_up_epochs: 2.0, ..LearningRate::default() };
        close(rate.at(0.0, 10.0), 0.0);
        close(rate.at(1.0, 10.0), 0.1);
        close(rate.at(2.0, 10.0), 0.2);
        close(rate.at(6.0, 10.0), 0.1);
        close(rate.at(10.0, 10.0), 0.0);
        let rate = LearningRate {
            start: Some(1.0),
            schedule: Schedule::Steps(vec![400, 1000, 3000]),
            ..LearningRate::default()
        };
        close(rate.at(399.9, 5000.0), 1.0);
        close(rate.at(400.0, 5000.0), 0.1);
        close(rate.at(4000.0, 5000.0), 0.001);
        close(LearningRate { schedule: Schedule::Constant, ..rate }.at(7.0, 8.0), 1.0);
    }
}
