//! `hedgerow evaluate MODEL --data DATA`.
//!
//! `../../labelled.rs` says which rows are asked about, `latency.rs` how long one question takes, `text.rs` how all is told.

mod latency;
mod text;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use hedgerow::data::Dataset;
use hedgerow::{Evaluation, Model, RecordedEvaluation};
use serde::Serialize;

use super::words::task_word;
use crate::context::Context;
use crate::labelled::Labelled;
use crate::model;
use crate::queries::{MatchingArgs, SplitArg};
use crate::rejection::RejectionArgs;
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
    #[arg(long, short, value_name = "DATA")]
    data: String,

    /// The rows to ask about. [default: test if there are such rows, else all]
    #[arg(long)]
    split: Option<SplitArg>,

    /// Keep the result with the model: in its metrics.json and its README.md.
    #[arg(long, conflicts_with_all = ["reject_novelty", "reject_probability"])]
    record: bool,

    #[command(flatten)]
    rejection: RejectionArgs,

    #[command(flatten)]
    matching: MatchingArgs,
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
    let mut model = arguments.rejection.apply(model::load(&arguments.model)?)?;
    let dataset = arguments.matching.load(&model, &arguments.data, context)?;
    let asked = Labelled::of(&dataset, arguments.split, &model)?;
    if asked.n_unlabeled > 0 {
        context.note(format_args!("{} rows without a label are left out", asked.n_unlabeled));
    }
    let was_fitted_to = was_fitted_to(&model, &dataset, &asked);
    if was_fitted_to {
        context.warn("the model was fitted to these rows, or to some of them: others will be answered less well");
    }
    let points = asked.points();
    let measured = context.compute(|| {
        let mut bar = context.bar();
        let mut hear = |done: usize| bar.step("asking", done as u64, Some(points.len() as u64), "rows");
        let evaluation = model.evaluate_watched(points, &asked.labels, dataset.class_names(), &mut hear)?;
        let latency = latency::measure(&model, points, || context.is_interrupted())?;
        anyhow::Ok(evaluation.map(|evaluation| (evaluation, latency)))
    })??;
    let Some((evaluation, latency)) = measured.filter(|_| !context.is_interrupted()) else {
        bail!("the evaluation was stopped; nothing was recorded");
    };
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

/// Whether the model was fitted to some of these rows: to all that are asked about, or to the training rows among them; or to rows of data of
/// this name, which may have grown since. Streams all have one name.
fn was_fitted_to(model: &Model, dataset: &Dataset, asked: &Labelled<'_>) -> bool {
    let fitted = model.data();
    let train = dataset.train();
    let has_train = matches!(asked.split, "train" | "all");
    let has_name = dataset.name() == fitted.name && fitted.name != "-";
    fitted.describes(asked.points(), &asked.labels)
        || has_train && (has_name || fitted.describes(train.points(), train.labels()))
}

fn record(model: &mut Model, arguments: &Arguments, data: &str, evaluation: &Evaluation) -> anyhow::Result<()> {
    let recorded = RecordedEvaluation {
        data: data.to_owned(),
        n_queries: evaluation.n_queries,
        error_percent: evaluation.error_percent,
        mean_absolute_error: evaluation.values.map(|values| values.mean_absolute_error),
        n_stored: evaluation.nodes,
    };
    // Said twice, it is still one result.
    if model.metrics().evaluations.contains(&recorded) {
        return Ok(());
    }
    Ok(model.record_evaluation(&arguments.model, &recorded)?)
}
