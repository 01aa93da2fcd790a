//! `hedgerow fit --data DATA --out MODEL`.
//!
//! `arguments.rs` has the flags and `values.rs` how some are read, `recipe.rs` what they mean together, `place.rs` where the model goes
//! and `lock.rs` how that is kept for one fit, `watch.rs` what is heard of a fit under way, `summary.rs` what is told of it in the end.

mod arguments;
mod lock;
mod place;
mod recipe;
mod summary;
pub(crate) mod values;
mod watch;

use anyhow::anyhow;
use hedgerow::data::{Dataset, Split};
use hedgerow::learn::TrainError;
use hedgerow::{FitError, FitOptions, FitParams, Model, Task};

pub(crate) use arguments::Arguments;
use place::Place;
use summary::Summary;
use watch::Watch;

use crate::cmd::words::shell_word;
use crate::context::Context;
use crate::dataset;
use crate::error::{Hinted, usage};

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut place = Place::of(arguments)?;
    recipe::check(arguments)?;
    let dataset = dataset::load(&arguments.data, &recipe::read_options(arguments)?, context)?;
    let params = recipe::fit_params(arguments, &dataset, context.seed())?;
    tell_choices(arguments, &dataset, &params, context);
    let (model, is_resumed) = match place.finished(&params)? {
        Some(model) => {
            context.note("the model had been written already");
            (model, true)
        }
        None => {
            place.prepare()?;
            let (model, is_resumed) = fit(arguments, &dataset, &params, &place, context)?;
            place.save(&model)?;
            (model, is_resumed)
        }
    };
    if params.learning.is_some() {
        if let Err(error) = place.remove_checkpoint() {
            context.warn(format_args!("{} could not be removed: {error}", place.checkpoint.display()));
        }
    }
    context.answer(&Summary::of(&model, &place.out, is_resumed), Summary::text)?;
    let (model, data) = (shell_word(&place.out.to_string_lossy()), shell_word(&arguments.data));
    context.note(format_args!(
        "Try next:\n  hedgerow evaluate {model} --data {data}\n  hedgerow explain {model} --data {data} --row 0\n  \
         hedgerow report {model} --data {data}"
    ));
    Ok(())
}

/// Tells what was chosen for the user, where that may not be what was meant.
fn tell_choices(arguments: &Arguments, dataset: &Dataset, params: &FitParams, context: &Context) {
    if arguments.learning.validation.is_some() && !dataset.part(Split::Validation).is_empty() {
        context.warn("--validation is not used: the data has rows for validation of its own");
    }
    match params.task {
        Some(Task::Regression { epsilon: 0.0 }) => {
            context.note("values count as the same only if they are equal (--epsilon 0): most examples will be stored");
        }
        Some(Task::Retrieval) if arguments.task.is_none() => {
            context.note("there are no labels: the model finds similar examples (--task retrieve)");
        }
        _ => {}
    }
}

fn fit(
    arguments: &Arguments,
    dataset: &Dataset,
    params: &FitParams,
    place: &Place,
    context: &Context,
) -> anyhow::Result<(Model, bool)> {
    let checkpoint = params.learning.as_ref().map(|_| place.checkpoint.clone());
    if arguments.resume && !place.checkpoint.exists() {
        let checkpoint = place.checkpoint.display();
        context.note(format_args!("there is no {checkpoint}: the fit begins at its beginning"));
    }
    let options = FitOptions {
        max_seconds: arguments.learning.max_seconds,
        resume: arguments.resume && checkpoint.is_some(),
        checkpoint_seconds: Some(arguments.learning.checkpoint_seconds),
        checkpoint,
    };
    let mut watch = Watch::new(context);
    let fitted = context.compute(|| Model::fit(dataset, params, &options, &mut |event| watch.hear(event)))?;
    match fitted {
        Ok(model) => Ok((model, watch.is_resumed)),
        Err(error) => Err(told(error, place, context)),
    }
}

/// An error of the library, with what to do on this command line.
fn told(error: FitError, place: &Place, context: &Context) -> anyhow::Error {
    let checkpoint = place.checkpoint.display();
    match error {
        FitError::Stopped { .. } if place.checkpoint.exists() => {
            let error = anyhow!("the fit was stopped; what was learned is kept in {checkpoint}");
            Hinted::new(error, format_args!("go on with: {}", command_to_resume(context))).into()
        }
        FitError::Stopped { .. } => anyhow!("the fit was stopped; nothing was written"),
        FitError::Structure(error) => usage(error),
        FitError::Train(error @ (TrainError::OtherRun { .. } | TrainError::OtherData { .. })) => {
            let hint = format!("give data and flags as they were; or remove {checkpoint} and begin without --resume");
            Hinted::new(error, hint).into()
        }
        FitError::Train(error) => recipe::told(error),
        error => anyhow::Error::from(error).context("no model was fitted"),
    }
}

/// The command as it was given, with `--resume`.
fn command_to_resume(context: &Context) -> String {
    let words = context.words().iter().map(|word| word.to_string_lossy().into_owned());
    let mut words: Vec<String> = words.filter(|word| word != "--resume").map(|word| shell_word(&word)).collect();
    words.push("--resume".to_owned());
    format!("hedgerow {}", words.join(" "))
}
