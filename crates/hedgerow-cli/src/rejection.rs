//! Flags that say when a model answers `unknown`, for every verb that asks one.

use clap::Args;
use hedgerow::{Model, Rejection, Task};

use crate::cmd::fit::values::share;
use crate::error::usage;

/// When to answer `unknown`.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RejectionArgs {
    /// Answer `unknown` where less than this share of the training examples is at least as far from its own answer as the row is: 0.01
    /// turns away what is stranger than 99 of 100 of them. 0: never. [default: as the model was fitted]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    reject_novelty: Option<f64>,

    /// Answer `unknown` where the most probable class is less probable than this. 0: never. [default: as the model was fitted]
    #[arg(long, value_name = "PROBABILITY", value_parser = share, allow_negative_numbers = true)]
    reject_probability: Option<f64>,
}

impl RejectionArgs {
    /// The model with the rule that the flags ask for, where they do.
    pub(crate) fn apply(self, model: Model) -> anyhow::Result<Model> {
        if self.reject_probability.is_some_and(|least| least > 0.0) && model.task() != Task::Classification {
            let task = model.task();
            return Err(usage(format_args!(
                "--reject-probability is for classes, but the task of this model is {task}; use --reject-novelty"
            )));
        }
        let own = model.rejection();
        let or_own = |asked: Option<f64>, own: Option<f64>| asked.or(own).filter(|least| *least > 0.0);
        let rejection = Rejection {
            novelty: or_own(self.reject_novelty, own.novelty),
            probability: or_own(self.reject_probability, own.probability),
        };
        Ok(model.with_rejection(rejection))
    }
}
