//! `hedgerow evaluate MODEL --data DATA`.
//!
//! `../../labelled.rs` says which rows are asked about, `latency.rs` how long one question takes, `text.rs` how all is told.

mod latency;
mod text;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use hedgerow::{Evaluation, Model, RecordedEvaluation, Rejection, Task};
use serde::Serialize;

use super::fit::values::share;
use super::words::task_word;
use crate::context::Context;
use crate::error::usage;
use crate::labelled::Labelled;
use crate::queries::SplitArg;
use crate::reading::ReadingArgs;
use crate::{dataset, model};
use latency::Latency;

const EXAMPLES: &str = "\
Examples:
  hedgerow evaluate digits --data optdigits
  hedgerow evaluate flowers --data new-flowers.csv --json | jq .error_percent
  hedgerow evaluate digits --data optdigits --reject-probability 0.9
  hedgerow evaluate digits --data optdigits --record";

/// Ask a model about examples whose labels are known: error, confusion, size, time.
///
/// Data is read as the model was fitted: the same columns, categories and classes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A name that `hedgerow data list` has, a file, a folder, or - for standard input.
    #[arg(long, value_name = "DATA")]
    data: String,

    /// The rows to ask about. [default: test if there are such rows, else all]
    #[arg(long)]
    split: Option<SplitArg>,

    /// Keep the result with the model: in its metrics.json and its README.md.
    #[arg(long, conflicts_with_all = ["reject_novelty", "reject_probability"])]
    record: bool,

    /// Answer "unknown" where a smaller share than this of the training examples is as far from its own answer; 0: nowhere. [default: as
    /// the model was fitted]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    reject_novelty: Option<f64>,

    /// Answer "unknown" where the most probable class has a smaller probability than this; 0: nowhere. [default: as the model was fitted]
    #[arg(long, value_name = "PROBABILITY", value_parser = share, allow_negative_numbers = true)]
    reject_probability: Option<f64>,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Debug, Serialize)]
struct Answer {
    model: String,
    data: String,
    split: &'static str,
    task: &'static str,
    /// Rows that were left out because they have no label.
    unlabeled_rows: usize,
    #[serde(flatten)]
    evaluation: Evaluation,
    #[serde(flatten)]
    latency: Latency,
    recorded: bool,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let model = model::load(&arguments.model)?;
    if arguments.reject_probability.is_some() && model.task() != Task::Classification {
        return Err(usage("--reject-probability is about classes, and this model has none; use --reject-novelty"));
    }
    let rejection = model.rejection();
    let mut model = model.with_rejection(Rejection {
        novelty: arguments.reject_novelty.or(rejection.novelty),
        probability: arguments.reject_probability.or(rejection.probability),
    });
    let dataset = dataset::load_for(&model, &arguments.data, &arguments.reading, context)?;
    let asked = Labelled::of(&dataset, arguments.split, &model)?;
    if asked.n_unlabeled > 0 {
        context.note(format_args!("{} rows without a label are left out", asked.n_unlabeled));
    }
    let was_fitted_to = matches!(asked.split, "train" | "all") && dataset.name() == model.data().name;
    if was_fitted_to {
        context.warn("the model was fitted to these rows, or to some of them: others will be answered less well");
    }
    let points = asked.points();
    let (evaluation, latency) = context.compute(|| {
        let evaluation = model.evaluate(points, &asked.labels, dataset.class_names())?;
        let latency = latency::measure(&model, points, || context.is_interrupted())?;
        anyhow::Ok((evaluation, latency))
    })??;
    if context.is_interrupted() {
        bail!("the evaluation was stopped; nothing was recorded");
    }
    if arguments.record {
        let fitted_to = if was_fitted_to { ", fitted to some of these rows" } else { "" };
        record(&mut model, arguments, &format!("{} ({}{fitted_to})", dataset.name(), asked.split), &evaluation)?;
    }
    let answer = Answer {
        model: arguments.model.display().to_string(),
        data: dataset.name().to_owned(),
        split: asked.split,
        task: task_word(model.task()),
        unlabeled_rows: asked.n_unlabeled,
        evaluation,
        latency,
        recorded: arguments.record,
    };
    context.answer(&answer, text::text)?;
    if arguments.record {
        context.note(format_args!("recorded in {}", arguments.model.join("metrics.json").display()));
    }
    Ok(())
}

fn record(model: &mut Model, arguments: &Arguments, data: &str, evaluation: &Evaluation) -> anyhow::Result<()> {
    let recorded = RecordedEvaluation {
        data: data.to_owned(),
        n_queries: evaluation.n_queries,
        error_percent: evaluation.error_percent,
        mean_absolute_error: evaluation.values.map(|values| values.mean_absolute_error),
        n_stored: evaluation.nodes,
    };
    Ok(model.record_evaluation(&arguments.model, &recorded)?)
}
