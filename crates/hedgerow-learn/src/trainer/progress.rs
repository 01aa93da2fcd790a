//! Where a run stands: what a checkpoint holds of it, and where a run can be at all.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{EpochRecord, Validation};

/// The tensors that hold weights, by name.
pub(super) const TENSORS: [&str; 5] = ["parameters", "adam.first", "adam.second", "average", "best"];

/// Where a run stands, besides its weights.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The epoch under way, and the round in it that comes next; as many as there are rounds if only the evaluation is left of it.
    pub(crate) epoch: usize,
    pub(crate) round: usize,
    /// Gradient steps so far.
    pub(crate) step: u64,
    pub(crate) train_seconds: f64,
    /// Sums over the rounds of the epoch so far: of the losses of all queries that counted, of references, of queries that did not.
    pub(crate) loss_sum: f64,
    pub(crate) references_sum: f64,
    pub(crate) n_left_out: usize,
    /// In a file they stand apart, since they may be millions.
    #[serde(skip)]
    pub(crate) records: Vec<EpochRecord>,
    pub(crate) best: Option<Validation>,
    pub(crate) evaluations_since_best: usize,
    /// What the last evaluation found, and its step.
    pub(crate) last: Option<Validation>,
    pub(crate) evaluated_step: u64,
    /// The loss of the first round in which a query counted.
    pub(crate) first_loss: Option<f64>,
}

/// The numbers of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Weights {
    pub(crate) parameters: Vec<f32>,
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    pub(crate) average: Option<Vec<f32>>,
    pub(crate) best: Option<Vec<f32>>,
}

/// What a run is like, and with it every checkpoint of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    /// The parameters as settled for the data, as JSON.
    pub(crate) params: Value,
    /// Of the data; 0 in a run without checkpoints.
    pub(crate) fingerprint: u64,
    pub(crate) n_parameters: usize,
    pub(crate) n_epochs: usize,
    /// Of an epoch.
    pub(crate) n_rounds: usize,
    /// Of a round, at most.
    pub(crate) n_steps: usize,
    /// Of a round.
    pub(crate) n_queries: usize,
    pub(crate) averages: bool,
    pub(crate) validates: bool,
    /// Whether the best weights are kept beside the last.
    pub(crate) keeps_best: bool,
}

impl Weights {
    /// All that there are, in the order of their names in `TENSORS`.
    pub(super) fn all(&self) -> [Option<&Vec<f32>>; 5] {
        let Self { parameters, first, second, average, best } = self;
        [Some(parameters), Some(first), Some(second), average.as_ref(), best.as_ref()]
    }
}

impl Weights {
    pub(super) fn check(&self, run: &Shape, has_best: bool) -> Result<(), String> {
        for (name, values) in TENSORS.into_iter().zip(self.all()) {
            let is_wanted = match name {
                "average" => run.averages,
                "best" => run.keeps_best && has_best,
                _ => true,
            };
            let Some(values) = values else {
                if is_wanted {
                    return Err(format!("{name} is missing"));
                }
                continue;
            };
            if !is_wanted {
                return Err(format!("{name} is there, but the run has none"));
            }
            if values.len() != run.n_parameters {
                return Err(format!("{name} has {} numbers, the network {}", values.len(), run.n_parameters));
            }
            let is_usable = |value: &f32| value.is_finite() && (name != "adam.second" || *value >= 0.0);
            if let Some(at) = values.iter().position(|value| !is_usable(value)) {
                return Err(format!("number {at} of {name} is {}", values[at]));
            }
        }
        Ok(())
    }
}

impl Progress {
    /// Says what is wrong with the first thing that cannot be so in this run.
    pub(super) fn check(&self, run: &Shape) -> Result<(), String> {
        let &Shape { n_epochs, n_rounds, n_steps, n_queries, validates, .. } = run;
        self.check_alone()?;
        // All rounds of an epoch may be done while it is not: its evaluation comes after them.
        let last_round = if self.epoch == n_epochs { 0 } else { n_rounds };
        // There are as many records as epochs, so that these products fit.
        let n_done = self.epoch as u128 * n_rounds as u128 + self.round as u128;
        let counts = [
            ("epoch", self.epoch as u128, n_epochs as u128),
            ("round", self.round as u128, last_round as u128),
            ("number of steps", u128::from(self.step), n_done * n_steps as u128),
            ("number of queries left out", self.n_left_out as u128, self.round as u128 * n_queries as u128),
        ];
        at_most(&counts)?;
        if self.best.is_some() && !validates {
            return Err("it has a best validation, but the run has no examples for validation".into());
        }
        Ok(())
    }

    /// The same for any run.
    pub(super) fn check_alone(&self) -> Result<(), String> {
        if self.records.len() != self.epoch {
            return Err(format!("it has records of {} epochs, and is in epoch {}", self.records.len(), self.epoch));
        }
        at_most(&[
            ("last evaluated step", u128::from(self.evaluated_step), u128::from(self.step)),
            ("number of evaluations", self.evaluations_since_best as u128, self.epoch as u128),
        ])?;
        if self.best.is_some() != self.last.is_some() {
            return Err("of its best and its last validation one is missing".into());
        }
        let numbers = [self.train_seconds, self.loss_sum, self.references_sum, self.first_loss.unwrap_or(0.0)];
        let validations = self.best.iter().chain(&self.last).map(|validation| validation.error_percent);
        let of_records = self.records.iter().flat_map(|record| {
            let error = record.validation.map_or(0.0, |validation| validation.error_percent);
            [record.train_seconds, record.loss, record.n_references, record.learning_rate, error]
        });
        if numbers.into_iter().chain(validations).chain(of_records).any(|number| !number.is_finite()) {
            return Err("one of its seconds, losses or errors is not finite".into());
        }
        match self.records.iter().enumerate().find(|(at, record)| record.epoch != *at) {
            Some((at, record)) => Err(format!("its record of epoch {at} is of epoch {}", record.epoch)),
            None => Ok(()),
        }
    }
}

/// Names the first of some numbers that is larger than it can be.
fn at_most(counts: &[(&str, u128, u128)]) -> Result<(), String> {
    match counts.iter().find(|(_, got, most)| got > most) {
        Some((what, got, most)) => Err(format!("its {what} is {got}, but can be {most} at most")),
        None => Ok(()),
    }
}
