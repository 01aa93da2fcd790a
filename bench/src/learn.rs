//! Whole training runs, by `hedgerow-experiments`, with what they tell on standard error and kept runs in `bench/runs`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use hedgerow_experiments::learn::recipes::Experiment;
use hedgerow_experiments::machine::Machine;
use hedgerow_experiments::{Event, ExperimentError, Extent, Provenance, date, learn};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Which experiment.
    pub experiment: Experiment,
    /// The data sets, all of the experiment's if none are named.
    pub data: Vec<String>,
    /// The recipes, all of the experiment's if none are named.
    pub only: Vec<String>,
    /// Seeds 0, 1, ...: so many.
    pub n_seeds: u64,
    /// Other epochs than the recipes', to look at something quickly. Such runs are kept under names of their own.
    pub epochs: Option<usize>,
    /// Where runs are kept, if not in a folder named by the day and the machine.
    pub runs: Option<PathBuf>,
}

/// Makes the runs that are not yet on record and gives the summary of all that are.
///
/// # Errors
/// [`ExperimentError`].
pub fn run(asked: &Asked) -> Result<String, ExperimentError> {
    let today = || format!("runs/{}-{}", date::today(), Machine::this().slug());
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(today());
    let experiment = asked.experiment;
    let asked = learn::Asked {
        experiment,
        data: asked.data.clone(),
        only: asked.only.clone(),
        first_seed: 0,
        n_seeds: asked.n_seeds,
        epochs: asked.epochs,
        extent: Extent::Full,
        folder: asked.runs.clone().unwrap_or_else(default),
    };
    let command = format!("cargo run --release -p hedgerow-bench -- learn {}", experiment.name());
    let mut listener = |event: &Event<'_>| {
        if let Some(line) = event.line() {
            eprintln!("{line}");
        }
        ControlFlow::Continue(())
    };
    Ok(learn::run(&asked, &Provenance::of_source(command, crate::REVISION), &mut listener)?.summary)
}
