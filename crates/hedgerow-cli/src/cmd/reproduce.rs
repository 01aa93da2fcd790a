//! `hedgerow reproduce WHAT`: the experiments behind the project's figures, made again.
//!
//! All of it is done by `hedgerow-experiments`; here are the flags, bars, and where results go. docs/reproduction.md says what each repeats.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use hedgerow_experiments::learn::recipes::Experiment;
use hedgerow_experiments::new_class::HeldOut;
use hedgerow_experiments::stream::Insertions;
use hedgerow_experiments::{
    Event, ExperimentError, Extent, Learning, Listener, Provenance, Report, learn, new_class, stream,
};
use serde::Serialize;

use crate::bar::Bar;
use crate::context::Context;
use crate::error::{WithHint, usage};

/// Where results are kept if no folder is given: beside whatever the user is at work on.
const FOLDER: &str = "hedgerow-runs";

const EXAMPLES: &str = "\
Examples:
  hedgerow reproduce new-class --quick       seconds, with data that is compiled in
  hedgerow reproduce stream
  hedgerow reproduce table --quick           minutes: fewer epochs, one seed
  hedgerow reproduce table --only dbs --data mnist --seeds 3
  hedgerow reproduce table                   hours; Ctrl-C, and the same command goes on";

/// Repeat the experiments: the DBS paper's table and figures, and learning on while in use.
///
/// Data sets that are not on the machine are got first. Every run is kept as soon as it is over and never made twice; one that is stopped goes on from
/// its checkpoint when the same command is given again. The answer is a Markdown table; all single results, the table and the figures (SVG) are in the
/// folder of --out.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "WHAT", subcommand_help_heading = "What", after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The paper's table: DBS, both DBTs and the classifier on MNIST and Fashion-MNIST, the paper's values beside ours.
    Table(LearnArgs),
    /// The paper's figure of test error against training time, for DBS and DBT on Fashion-MNIST.
    TrainingTime(LearnArgs),
    /// The paper's map: Fashion-MNIST in two numbers, the nodes of the tree marked.
    Map(LearnArgs),
    /// What queries are compared with: the boundary set against random points, the whole batch, pairs and triplets, at equal epochs.
    Ablation(LearnArgs),
    /// The same at equal time; `ablation` must have been run before, into the same folder.
    AblationTime(LearnArgs),
    /// The named recipes of `fit --preset`, and what they cost.
    Presets(LearnArgs),
    /// A class that comes after learning: its examples are added to the tree only, beside a network that is trained anew.
    NewClass(NewClassArgs),
    /// Learning on from a stream that drifts, asked before it is shown each example; and what one insertion costs.
    Stream(CommonArgs),
}

#[derive(Debug, Clone, Args)]
struct CommonArgs {
    /// Fewer epochs and examples, to see in minutes that it works and roughly what it gives. Kept apart from full runs, in a folder `quick`.
    #[arg(long)]
    quick: bool,

    /// Seeds, from --seed on; results are put together over them. [default: 3, with --quick 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,

    /// The folder that everything is kept in. Give the same again to go on, or to see what is there.
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    out: PathBuf,
}

#[derive(Debug, Clone, Args)]
struct LearnArgs {
    #[command(flatten)]
    common: CommonArgs,

    /// Only this data set: mnist or fashion-mnist. May be given several times.
    #[arg(long, value_name = "DATA")]
    data: Vec<String>,

    /// Only this recipe, by its name in the table, as "dbt-v2, batched". May be given several times.
    #[arg(long, value_name = "RECIPE")]
    only: Vec<String>,
}

#[derive(Debug, Clone, Args)]
struct NewClassArgs {
    #[command(flatten)]
    common: CommonArgs,

    /// The data: optdigits (seconds), mnist, fashion-mnist, or any with test rows and three classes. May be given several times. [default:
    /// optdigits]
    #[arg(long, value_name = "DATA")]
    data: Vec<String>,

    /// The class that comes after learning, by its name; `each` for all in turn. May be given several times. [default: the last]
    #[arg(long, value_name = "CLASS")]
    class: Vec<String>,
}

#[derive(Serialize)]
struct Answer {
    experiment: &'static str,
    /// `full` or `quick`.
    extent: &'static str,
    folder: String,
    files: Vec<String>,
    rows: serde_json::Value,
    /// What single insertions cost; of `stream` only.
    insertions: Option<serde_json::Value>,
    #[serde(skip)]
    summary: String,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    if cfg!(debug_assertions) {
        context.warn("this is a debug build: its times mean little");
    }
    let answer = match &arguments.what {
        What::Table(arguments) => learn_runs("table", Experiment::Table, arguments, context)?,
        What::TrainingTime(arguments) => learn_runs("training-time", Experiment::TrainingTime, arguments, context)?,
        What::Map(arguments) => learn_runs("map", Experiment::Plane, arguments, context)?,
        What::Ablation(arguments) => learn_runs("ablation", Experiment::Ablation, arguments, context)?,
        What::AblationTime(arguments) => learn_runs("ablation-time", Experiment::AblationTime, arguments, context)?,
        What::Presets(arguments) => learn_runs("presets", Experiment::Presets, arguments, context)?,
        What::NewClass(arguments) => new_class_trials(arguments, context)?,
        What::Stream(arguments) => streams(arguments, context)?,
    };
    context.answer(&answer, |answer| answer.summary.clone())?;
    context.note(format_args!("kept in {}: {}", answer.folder, answer.files.join(", ")));
    Ok(())
}

fn learn_runs(
    name: &'static str,
    experiment: Experiment,
    arguments: &LearnArgs,
    context: &Context,
) -> anyhow::Result<Answer> {
    let LearnArgs { common, data, only } = arguments;
    let asked = learn::Asked {
        experiment,
        data: data.clone(),
        only: only.clone(),
        first_seed: context.seed(),
        n_seeds: common.n_seeds(context)?,
        epochs: None,
        extent: common.extent(),
        folder: common.out.clone(),
    };
    let flags = common.flags(context, &[("--data", data), ("--only", only)]);
    let provenance = provenance(name, &flags);
    let report = carry_out(context, |listener| learn::run(&asked, &provenance, listener))??;
    Answer::of(name, common, report, None)
}

fn new_class_trials(arguments: &NewClassArgs, context: &Context) -> anyhow::Result<Answer> {
    let NewClassArgs { common, data, class } = arguments;
    let classes = match &class[..] {
        [] => HeldOut::Last,
        [each] if each == "each" => HeldOut::Each,
        named => HeldOut::Named(named.to_vec()),
    };
    let asked = new_class::Asked {
        data: data.clone(),
        classes,
        first_seed: context.seed(),
        n_seeds: common.n_seeds(context)?,
        extent: common.extent(),
        folder: common.out.clone(),
    };
    let provenance = provenance("new-class", &common.flags(context, &[("--data", data), ("--class", class)]));
    let report = carry_out(context, |listener| new_class::run(&asked, &provenance, listener))??;
    Answer::of("new-class", common, report, None)
}

fn streams(common: &CommonArgs, context: &Context) -> anyhow::Result<Answer> {
    let asked = stream::Asked {
        first_seed: context.seed(),
        n_seeds: common.n_seeds(context)?,
        extent: common.extent(),
        folder: common.out.clone(),
    };
    let provenance = provenance("stream", &common.flags(context, &[]));
    let (report, insertions) = carry_out(context, |listener| stream::run(&asked, &provenance, listener))??;
    Answer::of("stream", common, report, Some(&insertions))
}

/// Runs an experiment on the threads that were asked for, with bars and Ctrl-C.
fn carry_out<T: Send>(
    context: &Context,
    experiment: impl FnOnce(&mut Listener<'_>) -> Result<T, ExperimentError> + Send,
) -> anyhow::Result<Result<T, ExperimentError>> {
    context.compute(|| {
        let mut teller = Teller { context, bar: context.bar(), run: String::new() };
        experiment(&mut |event: &Event<'_>| teller.hear(event))
    })
}

/// Tells what an experiment does: lines for what is over, a bar for what is under way.
struct Teller<'a> {
    context: &'a Context,
    bar: Bar<'a>,
    /// The run that was told of last.
    run: String,
}

impl Teller<'_> {
    fn hear(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Data(progress) => return self.bar.hear(progress),
            Event::Learning(learning) => return self.learning(learning),
            Event::Working { run, act, done, total } => {
                return self.bar.step(&format!("{run}: {act}"), *done as u64, Some(*total as u64), "");
            }
            Event::Evaluated { .. } => self.context.detail(event.line().unwrap_or_default()),
            _ => event.line().into_iter().for_each(|line| self.context.note(line)),
        }
        self.bar.go_on()
    }

    fn learning(&mut self, learning: &Learning<'_>) -> ControlFlow<()> {
        let Learning { run, number, n_runs, done, total, epoch, n_epochs, loss, remaining } = *learning;
        if self.run != run {
            run.clone_into(&mut self.run);
            self.context.note(format_args!("run {number} of {n_runs}: {run}"));
        }
        let remaining = remaining.map_or(String::new(), |remaining| format!(", {remaining} to go"));
        let message = format!("epoch {epoch} of {n_epochs}, loss {loss:.4}{remaining}");
        self.bar.step(run, done, Some(total), &message)
    }
}

impl CommonArgs {
    fn extent(&self) -> Extent {
        if self.quick { Extent::Quick } else { Extent::Full }
    }

    /// How many seeds, if there are so many from the first one on.
    fn n_seeds(&self, context: &Context) -> anyhow::Result<u64> {
        let n_seeds = self.seeds.unwrap_or(if self.quick { 1 } else { 3 });
        let first = context.seed();
        match first.checked_add(n_seeds) {
            Some(_) => Ok(n_seeds),
            None => Err(usage(format_args!(
                "there are no {n_seeds} seeds from {first} on: {} is the last; give a smaller --seed",
                u64::MAX - 1
            ))),
        }
    }

    /// The flags that were given and decide what is made, to be written down.
    fn flags(&self, context: &Context, lists: &[(&str, &Vec<String>)]) -> String {
        let mut words = Vec::new();
        if self.quick {
            words.push("--quick".to_owned());
        }
        words.extend(self.seeds.map(|seeds| format!("--seeds {seeds}")));
        words.extend(context.given_seed().map(|seed| format!("--seed {seed}")));
        for (flag, values) in lists {
            words.extend(values.iter().map(|value| format!("{flag} \"{value}\"")));
        }
        words.iter().map(|word| format!(" {word}")).collect()
    }
}

fn provenance(name: &str, flags: &str) -> Provenance {
    let version = concat!("hedgerow-", env!("CARGO_PKG_VERSION"));
    Provenance::of_version(format!("hedgerow reproduce {name}{flags}"), version)
}

impl Answer {
    fn of<R: Serialize>(
        experiment: &'static str,
        common: &CommonArgs,
        report: Report<R>,
        insertions: Option<&Insertions>,
    ) -> anyhow::Result<Self> {
        let name = |path: &PathBuf| {
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        };
        let insertions = insertions.map(|insertions| serde_json::to_value(&insertions.costs)).transpose();
        Ok(Self {
            experiment,
            extent: if common.quick { "quick" } else { "full" },
            folder: report.folder.to_string_lossy().into_owned(),
            files: report.files.iter().map(name).collect(),
            rows: serde_json::to_value(&report.rows).hint("this is a mistake of the program")?,
            insertions: insertions.hint("this is a mistake of the program")?,
            summary: report.summary,
        })
    }
}
