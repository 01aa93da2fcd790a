//! What a run is told.

use serde::{Deserialize, Serialize};

use crate::augmentation::{Augmentation, PictureShape};
use crate::error::TrainError;
use crate::methods::{Dbt, Method, NodeGradient, RoundSize};
use crate::optimizer::{AdamParams, LearningRate, RATE_OF_SMALL_DATA, Schedule};
use crate::transform::{Activation, Architecture, WeightInitialization};

/// Everything that decides what a run learns. Two runs of the same parameters and data end with the same bits.
///
/// # Example
/// ```
/// use hedgerow_learn::{Method, SoftNn, TrainingParams};
///
/// let params = TrainingParams {
///     method: Method::SoftNn(SoftNn::default()),
///     layers: Some(vec![64, 8]),
///     epochs: Some(20),
///     ..TrainingParams::default()
/// };
/// assert!(params.check().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingParams {
    /// How representations are learned.
    pub method: Method,
    /// Numbers that come out of each layer; the last are the representation. A classifier gets a further layer of its own. None: what
    /// [`default_layers`](Self::default_layers) finds for the data.
    pub layers: Option<Vec<usize>>,
    /// What stands between two layers.
    pub activation: Activation,
    /// How weights are drawn.
    pub initialization: WeightInitialization,
    /// The optimizer.
    pub adam: AdamParams,
    /// The learning rate.
    pub learning_rate: LearningRate,
    /// Times that the data is gone through. None: as many as [`default_epochs`](Self::default_epochs) finds for the data.
    pub epochs: Option<usize>,
    /// Share of the examples that is not learned from, to find out how well others are answered. 0: none.
    pub validation_share: f64,
    /// Epochs between two evaluations. None: about 20 evaluations in a run.
    pub evaluate_every: Option<usize>,
    /// Ends the run after so many evaluations without better weights: a lower validation error, or the same with fewer nodes. None: it
    /// runs to its end.
    pub patience: Option<usize>,
    /// Which weights are used in the end.
    pub keep: Keep,
    /// How examples are changed before each use, one after another.
    pub augmentation: Vec<Augmentation>,
    /// Epochs at the end in which examples are learned from as they are: what has been learned from changed ones settles on the real ones, which
    /// the final tree is built from, and that tree is smaller.
    pub clean_epochs: usize,
    /// The shape of pictures, which some augmentations need.
    pub picture: Option<PictureShape>,
    /// The seed of everything random.
    pub seed: u64,
}

/// Which weights are used in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Those with the lowest validation error; among equals, with the fewest nodes; among these, the latest. Without validation, the last.
    #[default]
    Best,
    /// The last.
    Last,
}

impl Default for TrainingParams {
    /// DBS, Adam with a cosine to 0 and averaged weights, a tenth of the data for validation; layers, learning rate and epochs by the
    /// data.
    fn default() -> Self {
        Self {
            method: Method::default(),
            layers: None,
            activation: Activation::default(),
            initialization: WeightInitialization::default(),
            adam: AdamParams { averaging: Some(0.999), ..AdamParams::default() },
            learning_rate: LearningRate::default(),
            epochs: None,
            validation_share: 0.1,
            evaluate_every: None,
            patience: None,
            keep: Keep::default(),
            augmentation: Vec::new(),
            clean_epochs: 0,
            picture: None,
            seed: 0,
        }
    }
}

/// Steps that a run without a number of epochs takes at least, and epochs at least and at most.
const STEPS_AT_LEAST: usize = 1500;
const EPOCHS_AT_LEAST: usize = 30;
const EPOCHS_AT_MOST: usize = 1500;

/// Evaluations in a run that was not told how often.
const EVALUATIONS: usize = 20;

/// Numbers in the data from which on the network of the papers is worth its time, and their learning rate the better one.
const LARGE: usize = 2_000_000;

/// Numbers in the data from which on a network half as wide as that of the papers is worth its time. Of optdigits (245,000 numbers), five times
/// without 764 training rows in a row, trees answered these with 1.8 % of errors from 28 nodes, where a width of 100 had 2.4 % and 38, and one
/// of 400, more than twice as slow, 2.0 % and 26.
const MIDDLING: usize = 100_000;
const RATE_OF_LARGE_DATA: f64 = 1e-3;

/// The learning rate of the papers for DBT with a step for each query; and steps at least, which go as far as 1500 at 0.003 do. With 1500,
/// the tree over 150 examples stayed as large, and as wrong, as before learning.
const RATE_OF_SINGLE_QUERIES: f64 = 1e-4;
const STEPS_OF_SINGLE_QUERIES: usize = 30 * STEPS_AT_LEAST;

/// Learning rates of DBT-v1 in batches. Its nodes do not move, and with a sigma of 1 a query far from its class has the full slope of a squared
/// distance. Of 200 draws of 20 rows of noise, 30 diverged at 0.003, the rate of small data otherwise, and 2 at 0.001. On Fashion-MNIST 0.001
/// diverged after 8 epochs, and 0.0001, the rate of the papers, after 30 of 120; a run that was not told has 30
/// (`docs/decisions/0008-learning.md`).
const RATE_OF_FROZEN_NODES: f64 = 1e-3;
const RATE_OF_FROZEN_NODES_ON_LARGE_DATA: f64 = 1e-4;

/// What is said of a number that f32 does not have, or has as 0.
const ABOVE_0: &str = "give a number from 1.2e-38 to 3.4e38, the range of f32";

fn is_large(n_examples: usize, n_features: usize) -> bool {
    n_examples.saturating_mul(n_features) >= LARGE
}

impl TrainingParams {
    /// The layers of a run that was not told: 400-400-20 as in the papers for data as large as theirs, 200-200-20 for some thousands of
    /// small pictures, else 100-100-20, which learns from a few hundred examples in a second.
    pub fn default_layers(n_examples: usize, n_features: usize) -> Vec<usize> {
        let width = match n_examples.saturating_mul(n_features) {
            LARGE.. => 400,
            MIDDLING.. => 200,
            _ => 100,
        };
        vec![width, width, 20]
    }

    /// The first learning rate of a run that was not told: 0.001 as in the DBS paper for data as large as theirs, else 0.003; of DBT
    /// with a step for each query, 0.0001 as in the papers; of DBT-v1 in batches, which diverges with those of the others, 0.0001 and
    /// 0.001.
    pub fn default_rate(&self, n_examples: usize, n_features: usize) -> f64 {
        match is_large(n_examples, n_features) {
            _ if self.has_single_queries() => RATE_OF_SINGLE_QUERIES,
            true if self.has_frozen_nodes() => RATE_OF_FROZEN_NODES_ON_LARGE_DATA,
            false if self.has_frozen_nodes() => RATE_OF_FROZEN_NODES,
            true => RATE_OF_LARGE_DATA,
            false => RATE_OF_SMALL_DATA,
        }
    }

    /// Whether each gradient step follows one query alone, as in the DBT papers.
    fn has_single_queries(&self) -> bool {
        matches!(self.method, Method::Dbt(Dbt { queries_per_step: 1, .. }))
    }

    /// Whether queries are compared with nodes that do not move: DBT-v1.
    fn has_frozen_nodes(&self) -> bool {
        matches!(self.method, Method::Dbt(Dbt { gradient: NodeGradient::Frozen, .. }))
    }

    /// The same with other epochs: everything that is counted in epochs keeps its part of the run. These are the clean epochs at the end,
    /// the drops of the learning rate and its warm-up, and how often to evaluate if that is told; patience is counted in evaluations,
    /// and stays. Parts are rounded, but an evaluation and a drop come after one epoch at the earliest, and examples that are changed in
    /// some epochs are changed in one at least.
    ///
    /// Of parameters that leave the epochs to the data, nothing else changes: there is no run yet to have parts.
    ///
    /// # Example
    /// ```
    /// use hedgerow_learn::TrainingParams;
    ///
    /// let params = TrainingParams { epochs: Some(600), clean_epochs: 300, ..TrainingParams::default() };
    /// assert_eq!(params.with_epochs(100).clean_epochs, 50);
    /// ```
    #[must_use]
    pub fn with_epochs(&self, epochs: usize) -> Self {
        let Some(full) = self.epochs.filter(|&full| full > 0) else {
            return Self { epochs: Some(epochs), ..self.clone() };
        };
        let part = |n: f64| n * epochs as f64 / full as f64;
        let scaled = |n: usize| part(n as f64).round() as usize;
        let rate = &self.learning_rate;
        let schedule = match &rate.schedule {
            Schedule::Steps(drops) => {
                Schedule::Steps(drops.iter().map(|&drop| scaled(drop).max(drop.min(1))).collect())
            }
            other => other.clone(),
        };
        let most_clean = if self.clean_epochs < full { epochs.saturating_sub(1) } else { usize::MAX };
        Self {
            epochs: Some(epochs),
            learning_rate: LearningRate { schedule, warm_up_epochs: part(rate.warm_up_epochs), ..rate.clone() },
            clean_epochs: scaled(self.clean_epochs).min(most_clean),
            evaluate_every: self.evaluate_every.map(|every| scaled(every).max(1)),
            ..self.clone()
        }
    }

    /// The epochs of a run that was not told how many: 30, or more where that would be few steps; of a method that takes many steps
    /// in a round, fewer. Rounds are counted as they are: with few examples they are smaller than the method asks for, and have
    /// fewer steps.
    pub fn default_epochs(&self, rounds_per_epoch: usize, round_size: RoundSize) -> usize {
        let steps_per_round = self.method.n_steps(round_size).max(1);
        let least = if steps_per_round > 1 { 1 } else { EPOCHS_AT_LEAST };
        let steps_per_epoch = rounds_per_epoch.max(1).saturating_mul(steps_per_round);
        let n_steps = if self.has_single_queries() { STEPS_OF_SINGLE_QUERIES } else { STEPS_AT_LEAST };
        n_steps.div_ceil(steps_per_epoch).clamp(least, EPOCHS_AT_MOST)
    }

    /// The same with everything settled that is left to the data: layers, learning rate, epochs, and how often to evaluate. What is
    /// settled decides the bits, and so it is what checkpoints hold.
    pub(crate) fn settled(&self, n_examples: usize, n_features: usize, n_rounds: usize, size: RoundSize) -> Self {
        let epochs = self.epochs.unwrap_or_else(|| self.default_epochs(n_rounds, size));
        let start = self.learning_rate.start.unwrap_or_else(|| self.default_rate(n_examples, n_features));
        let default_layers = || Self::default_layers(n_examples, n_features);
        Self {
            layers: Some(self.layers.clone().unwrap_or_else(default_layers)),
            epochs: Some(epochs),
            learning_rate: LearningRate { start: Some(start), ..self.learning_rate.clone() },
            evaluate_every: Some(self.evaluate_every.unwrap_or_else(|| epochs.div_ceil(EVALUATIONS))),
            ..self.clone()
        }
    }

    /// Checks that the parameters make sense.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), TrainError> {
        let refuse = |parameter: &'static str, got: String, expected: &'static str| {
            Err(TrainError::Parameter { parameter, got, expected })
        };
        // Learning is done in f32: a number that is 0 there, or next to it, or infinite, is not the number that was given.
        let is_usable = |value: f64| value > 0.0 && (value as f32).is_normal();
        let size = self.method.round_size();
        if let Some(layers) = self.layers.as_ref().filter(|layers| layers.is_empty() || layers.contains(&0)) {
            return refuse("layers", format!("{layers:?}"), "give at least one layer, none of them of 0 numbers");
        }
        // What the points are is known later; layers that are too large for any are refused now.
        let is_possible =
            |layers: Vec<usize>| Architecture { n_inputs: 1, layers, activation: self.activation }.check().is_ok();
        if let Some(layers) = self.layers.as_ref().filter(|layers| !is_possible(layers.to_vec())) {
            let expected = "a network can have 2147483648 weights at most; give smaller layers";
            return refuse("layers", format!("{layers:?}"), expected);
        }
        if size.n_train == 0 || (size.n_boundary == 0 && self.method.scale().is_some()) {
            return refuse("a batch size", "0".into(), "give at least 1");
        }
        if size.n_boundary.checked_add(size.n_train).is_none() {
            let got = format!("{} + {}", size.n_boundary, size.n_train);
            return refuse(
                "the size of a batch",
                got,
                "these are more examples than can be counted; give smaller sizes",
            );
        }
        if let Method::Dbt(Dbt { queries_per_step: 0, .. }) = self.method {
            return refuse("queries_per_step", "0".into(), "give at least 1");
        }
        if let Some(scale) = self.method.scale() {
            if !is_usable(scale.sigma()) {
                return refuse("sigma", scale.sigma().to_string(), ABOVE_0);
            }
        }
        let margin = match self.method {
            Method::Siamese(method) => method.margin,
            Method::Triplet(method) => method.margin,
            _ => 1.0,
        };
        if !is_usable(margin) {
            return refuse("margin", margin.to_string(), ABOVE_0);
        }
        let rate = &self.learning_rate;
        if let Some(start) = rate.start.filter(|start| !is_usable(*start)) {
            let expected = "give a number from 1.2e-38 to 3.4e38, the range of f32, such as 0.001";
            return refuse("learning_rate.start", start.to_string(), expected);
        }
        if !(rate.warm_up_epochs >= 0.0 && rate.warm_up_epochs.is_finite()) {
            return refuse("learning_rate.warm_up_epochs", rate.warm_up_epochs.to_string(), "give 0 or more");
        }
        if self.epochs.is_some_and(|epochs| epochs > 0 && rate.warm_up_epochs >= epochs as f64) {
            let expected = "the rate would rise to the end of the run; give fewer than there are epochs";
            return refuse("learning_rate.warm_up_epochs", rate.warm_up_epochs.to_string(), expected);
        }
        let share = |value: f64| (0.0..1.0).contains(&value);
        let adam = &self.adam;
        let shares = [
            ("adam.beta1", adam.beta1),
            ("adam.beta2", adam.beta2),
            ("adam.averaging", adam.averaging.unwrap_or(0.0)),
            ("validation_share", self.validation_share),
        ];
        if let Some((name, value)) = shares.into_iter().find(|(_, value)| !share(*value)) {
            return refuse(name, value.to_string(), "give a number from 0 up to, but not including, 1");
        }
        if !is_usable(adam.epsilon) {
            return refuse("adam.epsilon", adam.epsilon.to_string(), ABOVE_0);
        }
        if !(adam.weight_decay >= 0.0 && (adam.weight_decay as f32).is_finite()) {
            return refuse("adam.weight_decay", adam.weight_decay.to_string(), "give a number from 0 to 3.4e38");
        }
        if self.epochs == Some(0) {
            return refuse("epochs", "0".into(), "give at least 1");
        }
        if self.evaluate_every == Some(0) {
            return refuse("evaluate_every", "0".into(), "give at least 1");
        }
        if self.patience == Some(0) {
            return refuse("patience", "0".into(), "give at least 1");
        }
        if let Some(shape) = self.picture.filter(|shape| shape.n_numbers().is_none()) {
            let got = format!("{} x {} x {}", shape.height, shape.width, shape.channels);
            return refuse("picture", got, "give the height, width and channels of the pictures, none of them 0");
        }
        for augmentation in &self.augmentation {
            if let Err(expected) = augmentation.change().check(self.picture) {
                return refuse("augmentation", format!("{augmentation:?}"), expected);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> TrainingParams {
        let schedule = Schedule::Steps(vec![400, 1000, 3000]);
        TrainingParams {
            epochs: Some(5000),
            clean_epochs: 1250,
            evaluate_every: Some(250),
            patience: Some(3),
            learning_rate: LearningRate { schedule, warm_up_epochs: 10.0, ..LearningRate::default() },
            ..TrainingParams::default()
        }
    }

    #[test]
    fn everything_counted_in_epochs_keeps_its_part_of_the_run() {
        let short = paper().with_epochs(100);
        assert_eq!((short.epochs, short.clean_epochs, short.evaluate_every), (Some(100), 25, Some(5)));
        assert_eq!(short.learning_rate.schedule, Schedule::Steps(vec![8, 20, 60]));
        assert_eq!((short.learning_rate.warm_up_epochs, short.patience), (0.2, Some(3)));
        // And back again.
        assert_eq!(short.with_epochs(5000), paper());
        assert_eq!(paper().with_epochs(5000), paper());
    }

    #[test]
    fn fewer_epochs_switch_neither_augmentation_nor_the_first_rate_off() {
        // A half of one epoch, and 400 of 5000 epochs in five, are rounded.
        let half = TrainingParams { clean_epochs: 2500, ..paper() };
        assert_eq!(half.with_epochs(1).clean_epochs, 0);
        assert_eq!(half.with_epochs(5).clean_epochs, 3);
        let short = paper().with_epochs(5);
        assert_eq!(short.learning_rate.schedule, Schedule::Steps(vec![1, 1, 3]));
        assert_eq!(short.evaluate_every, Some(1));
        // What was told to be so from the beginning, or in all epochs, stays so.
        let schedule = Schedule::Steps(vec![0]);
        let learning_rate = LearningRate { schedule: schedule.clone(), ..LearningRate::default() };
        let clean = TrainingParams { clean_epochs: 5000, learning_rate, ..paper() }.with_epochs(7);
        assert_eq!((clean.clean_epochs, clean.learning_rate.schedule), (7, schedule));
    }

    #[test]
    fn without_epochs_of_their_own_nothing_else_changes() {
        let params = TrainingParams { epochs: None, ..paper() };
        assert_eq!(params.with_epochs(7), TrainingParams { epochs: Some(7), ..params });
        // What makes no sense is left to the check.
        assert!(paper().with_epochs(0).check().is_err());
    }
}
