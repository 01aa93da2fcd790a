//! Recipes made short: what takes hours in full takes minutes, and shows roughly the same.

use hedgerow_learn::{Dbt, Method, TrainingParams};

use super::recipes::Recipe;

/// A tenth of the epochs, but no fewer and no more than these.
const EPOCHS_AT_LEAST: usize = 5;
const EPOCHS_AT_MOST: usize = 20;

/// Epochs of a method that takes a step for each query, which takes a hundred times as many as the others.
const EPOCHS_OF_SINGLE_QUERIES: usize = 1;

/// Seconds after which a quick run is cut. None comes near on a machine that is not busy with something else: a schedule that is cut says little.
const MAX_SECONDS: f64 = 600.0;

impl Recipe {
    /// The same in few epochs. Everything that is counted in epochs shrinks with them: the schedule, the clean epochs at the end, the warm-up, the
    /// evaluations along the way.
    #[must_use]
    pub fn quick(&self) -> Self {
        let max_seconds = Some(self.max_seconds.map_or(MAX_SECONDS, |most| most.min(MAX_SECONDS)));
        Self { params: quick(&self.params), max_seconds, ..self.clone() }
    }
}

/// Parameters with few epochs. Of parameters that leave the epochs to the data, as many as the most.
pub(crate) fn quick(params: &TrainingParams) -> TrainingParams {
    let has_single_queries = matches!(params.method, Method::Dbt(Dbt { queries_per_step: 1, .. }));
    params.with_epochs(match params.epochs {
        None => EPOCHS_AT_MOST,
        Some(_) if has_single_queries => EPOCHS_OF_SINGLE_QUERIES,
        Some(full) => (full / 10).clamp(EPOCHS_AT_LEAST, EPOCHS_AT_MOST).min(full),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extent;
    use crate::learn::recipes::Experiment;
    use hedgerow_learn::{LearningRate, Schedule};

    #[test]
    fn everything_counted_in_epochs_shrinks_with_them() {
        let steps = Schedule::Steps(vec![400, 1000, 3000]);
        let params = TrainingParams {
            epochs: Some(5000),
            clean_epochs: 1250,
            evaluate_every: Some(250),
            learning_rate: LearningRate { schedule: steps, warm_up_epochs: 10.0, ..LearningRate::default() },
            ..TrainingParams::default()
        };
        let short = quick(&params);
        assert_eq!((short.epochs, short.clean_epochs, short.evaluate_every), (Some(20), 5, Some(1)));
        // 400 of 5000 epochs are 1.6 of 20, 1000 are 4, 3000 are 12.
        assert_eq!(short.learning_rate.schedule, Schedule::Steps(vec![2, 4, 12]));
        assert_eq!(short.learning_rate.warm_up_epochs, 0.04);
        assert_eq!(quick(&TrainingParams { epochs: Some(3), ..params }).epochs, Some(3));
    }

    #[test]
    fn quick_recipes_make_sense_and_differ_from_full_ones() {
        let picture = Some(hedgerow_learn::PictureShape { height: 28, width: 28, channels: 1 });
        for experiment in Experiment::ALL {
            let pairs = experiment.recipes_of(Extent::Full).into_iter().zip(experiment.recipes_of(Extent::Quick));
            for (full, short) in pairs {
                TrainingParams { picture, ..short.params.clone() }.check().unwrap();
                assert_ne!(full.params, short.params, "{}", full.name);
                assert!(short.params.clean_epochs <= short.params.epochs.unwrap());
            }
        }
    }
}
