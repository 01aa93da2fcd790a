//! What the methods reach: error, nodes and time of whole runs, as in the DBS paper's table and figures.
//!
//! A run takes minutes, so that each is written down as soon as it is over and never made twice, and its checkpoints let a command that was
//! stopped go on where it was. `recipes.rs` says what is run, `training.rs` how, `answers.rs` what is asked of the result, `record.rs` what is
//! kept of a run.

mod answers;
mod clock;
mod curve;
mod figure;
pub mod paper;
mod quick;
pub mod recipes;
pub mod record;
mod summary;
pub(crate) mod training;

use std::path::PathBuf;

use hedgerow_data::{Dataset, Split};
use hedgerow_learn::{Outcome, TrainingParams};

pub use self::answers::Answers;
pub use self::curve::CurvePoint;
pub use self::summary::Row;
use self::training::{Training, tell};
use crate::data::{load, picture_of};
use crate::error::ExperimentError;
use crate::event::{Event, Listener, Remaining};
use crate::provenance::Provenance;
use crate::{Extent, Report};
use recipes::{Experiment, Recipe, Test};
use record::{Records, RunRecord};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Which experiment.
    pub experiment: Experiment,
    /// The data sets, all of the experiment's if none are named.
    pub data: Vec<String>,
    /// The recipes, all of the experiment's if none are named.
    pub only: Vec<String>,
    /// The first seed.
    pub first_seed: u64,
    /// So many seeds, one after another.
    pub n_seeds: u64,
    /// Other epochs than the recipes', to look at something quickly. Such runs are kept under names of their own.
    pub epochs: Option<usize>,
    /// How much of it.
    pub extent: Extent,
    /// Where runs are kept.
    pub folder: PathBuf,
}

/// Makes the runs that are not yet on record and gives the summary of all that are.
///
/// # Errors
/// [`ExperimentError`].
pub fn run(
    asked: &Asked,
    provenance: &Provenance,
    listener: &mut Listener<'_>,
) -> Result<Report<Row>, ExperimentError> {
    let folder = asked.extent.folder(&asked.folder);
    let mut records = Records::open(&folder, asked.experiment)?;
    let recipes = match asked.experiment {
        Experiment::AblationTime => recipes::at_equal_time(&Records::open(&folder, Experiment::Ablation)?, asked)?,
        _ => asked.experiment.recipes_of(asked.extent),
    };
    let plan = Plan::new(asked, recipes)?;
    for data_name in plan.data() {
        let data = load(data_name, listener)?;
        for (at, planned) in plan.runs.iter().enumerate().filter(|(_, planned)| planned.data == *data_name) {
            let Planned { recipe, seed, .. } = planned;
            let params = TrainingParams { seed: *seed, picture: picture_of(&data), ..recipe.params.clone() };
            if !records.has(data_name, &recipe.name, &params)? {
                let afterwards = plan.seconds_after(at, &records);
                let run = Run { recipe, params: &params, data_name, place: (at + 1, plan.runs.len()), afterwards };
                run.make(&data, &mut records, provenance, listener)?;
            }
        }
    }
    records.write_summary(provenance)?;
    if asked.experiment == Experiment::TrainingTime {
        figure::write(&records)?;
    }
    Ok(Report { summary: records.summary(), rows: records.rows(), files: records.files(), folder })
}

/// The runs of a command, in order.
struct Plan {
    runs: Vec<Planned>,
}

struct Planned {
    data: String,
    recipe: Recipe,
    seed: u64,
}

impl Plan {
    fn new(asked: &Asked, recipes: Vec<Recipe>) -> Result<Self, ExperimentError> {
        if let Some(name) = asked.only.iter().find(|name| !recipes.iter().any(|recipe| recipe.name == **name)) {
            let known = recipes.iter().fold(Vec::new(), |mut names: Vec<&str>, recipe| {
                if !names.contains(&recipe.name.as_str()) {
                    names.push(&recipe.name);
                }
                names
            });
            return Err(ExperimentError::NoRecipe { name: name.clone(), known: known.join(", ") });
        }
        let all = asked.experiment.data();
        if let Some(name) = asked.data.iter().find(|name| !all.contains(name)) {
            return Err(ExperimentError::NoData { name: name.clone(), known: all.join(", ") });
        }
        let recipes: Vec<Recipe> =
            recipes.into_iter().filter(|recipe| asked.only.is_empty() || asked.only.contains(&recipe.name)).collect();
        let mut runs = Vec::new();
        for data in all.into_iter().filter(|name| asked.data.is_empty() || asked.data.contains(name)) {
            for seed in (0..asked.n_seeds).map(|number| asked.first_seed.saturating_add(number)) {
                for recipe in recipes.iter().filter(|recipe| recipe.is_for(&data)) {
                    let recipe = asked.epochs.map_or_else(|| recipe.clone(), |epochs| recipe.with_epochs(epochs));
                    runs.push(Planned { data: data.clone(), recipe, seed });
                }
            }
        }
        Ok(Self { runs })
    }

    /// The data sets, in order.
    fn data(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.runs.iter().map(|run| run.data.as_str()).collect();
        names.dedup();
        names
    }

    /// What the runs that come after one will take, by those of their recipes that are on record.
    fn seconds_after(&self, at: usize, records: &Records) -> Remaining {
        let mut remaining = Remaining { seconds: 0.0, at_least: false };
        for Planned { data, recipe, seed } in self.runs.iter().skip(at + 1) {
            match records.seconds(data, &recipe.name) {
                _ if records.is_on_record(data, &recipe.name, *seed) => {}
                Some(seconds) => remaining.seconds += recipe.max_seconds.map_or(seconds, |most| most.min(seconds)),
                None => remaining.at_least = true,
            }
        }
        remaining
    }
}

/// A run that is not on record yet.
struct Run<'a> {
    recipe: &'a Recipe,
    params: &'a TrainingParams,
    data_name: &'a str,
    place: (usize, usize),
    afterwards: Remaining,
}

impl Run<'_> {
    /// Makes it and writes it down.
    fn make(
        &self,
        data: &Dataset,
        records: &mut Records,
        provenance: &Provenance,
        listener: &mut Listener<'_>,
    ) -> Result<(), ExperimentError> {
        let Self { recipe, params, data_name, .. } = *self;
        let seed = params.seed;
        let label = format!("{data_name} {} seed {seed}", recipe.name);
        let (train, test) = (data.part(Split::Train), data.part(Split::Test));
        let training = Training {
            label: &label,
            place: self.place,
            params,
            checkpoint: records.unfinished(data_name, params),
            max_seconds: recipe.max_seconds,
            afterwards: self.afterwards,
        };
        let test_examples = test.examples();
        let validation = (recipe.test == Test::AlongTheWay).then_some(&test_examples);
        let learned = training.carry_out(&train.examples(), validation, listener)?;
        let trained = &learned.trained;
        let answers = match recipe.test {
            Test::Never => None,
            Test::AtTheEnd | Test::AlongTheWay => {
                let mut go_on = |done: usize, total: usize| {
                    let event = Event::Working { run: &label, act: "evaluating", done, total };
                    let interrupted = || ExperimentError::Interrupted { folder: records.folder().to_owned() };
                    tell(listener, &event).ok_or_else(interrupted)
                };
                let (train, test) = ((train.points(), train.labels()), (test.points(), test.labels()));
                Some(Answers::of(trained, train, test, seed, &mut go_on)?)
            }
        };
        let (clock, revision) = (&learned.clock, &provenance.revision);
        let record = RunRecord::new(data_name, &recipe.name, params, trained, clock, answers.as_ref(), revision);
        // Whoever wants to stop here is heard at the next event.
        let _ = listener(&Event::Finished { run: &label, result: &record });
        records.add(record, &CurvePoint::of_run(data_name, &recipe.name, seed, trained, clock.epochs()))?;
        learned.forget()
    }
}

/// The word for an outcome.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "finished",
        Outcome::StoppedEarly => "stopped early",
        Outcome::TimeUp => "cut",
        _ => "stopped",
    }
}
