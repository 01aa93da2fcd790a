//! What the methods reach: error, nodes and time of whole runs, as in the DBS paper's table and figures.
//!
//! A run takes minutes, so that each is written down as soon as it is over and never made twice, and its checkpoints let a command that was
//! stopped go on where it was. `recipes.rs` says what is run, `training.rs` how, `answers.rs` what is asked of the result, `record.rs` what is
//! kept of a run.

mod answers;
mod clock;
mod curve;
mod equal_time;
mod figure;
mod map;
pub mod paper;
pub(crate) mod quick;
pub mod recipes;
pub mod record;
mod summary;
pub(crate) mod training;

use std::path::PathBuf;

use hedgerow_core::Label;
use hedgerow_data::{Dataset, Split};
use hedgerow_learn::{Outcome, TrainError, TrainingParams};

pub use self::answers::Answers;
pub use self::curve::CurvePoint;
use self::map::MapLine;
pub use self::summary::Row;
use self::training::{Training, tell};
use crate::data::{load, picture_of};
use crate::error::ExperimentError;
use crate::event::{Event, Listener, Remaining};
use crate::provenance::Provenance;
use crate::seeds::seeds;
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
        Experiment::AblationTime => at_equal_time(asked, &records, listener)?,
        _ => asked.experiment.recipes_of(asked.extent),
    };
    let plan = Plan::new(asked, recipes)?;
    plan.make(&mut records, provenance, listener, &mut load)?;
    records.write_summary(provenance)?;
    figure::write(&records)?;
    Ok(Report { summary: records.summary(), rows: records.rows(), files: records.files(), folder })
}

/// The recipes of the ablation for each data set, with epochs for equal time.
fn at_equal_time(
    asked: &Asked,
    records: &Records,
    listener: &mut Listener<'_>,
) -> Result<Vec<Recipe>, ExperimentError> {
    let mut recipes = Vec::new();
    for data_name in asked.experiment.data().iter().filter(|name| asked.data.is_empty() || asked.data.contains(name)) {
        let (data, of_data) = (load(data_name, listener)?, asked.experiment.recipes_of(asked.extent));
        let paces = equal_time::paces(&records.path("pace"), &of_data, (data_name, &data), asked.extent, listener)?;
        let of_data = equal_time::at_equal_time(of_data, &paces);
        recipes.extend(of_data.into_iter().map(|recipe| Recipe { data: recipes::named(data_name), ..recipe }));
    }
    Ok(recipes)
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
        let seeds = seeds(asked.first_seed, asked.n_seeds)?;
        let mut runs = Vec::new();
        for data in all.into_iter().filter(|name| asked.data.is_empty() || asked.data.contains(name)) {
            for seed in seeds.clone() {
                for recipe in recipes.iter().filter(|recipe| recipe.is_for(&data)) {
                    let recipe = asked.epochs.map_or_else(|| recipe.clone(), |epochs| recipe.with_epochs(epochs));
                    runs.push(Planned { data: data.clone(), recipe, seed });
                }
            }
        }
        Ok(Self { runs })
    }

    /// Makes the runs that are not yet on record, one data set after another.
    fn make(
        &self,
        records: &mut Records,
        provenance: &Provenance,
        listener: &mut Listener<'_>,
        load: &mut dyn FnMut(&str, &mut Listener<'_>) -> Result<Dataset, ExperimentError>,
    ) -> Result<(), ExperimentError> {
        for data_name in self.data() {
            let data = load(data_name, listener)?;
            for (at, planned) in self.runs.iter().enumerate().filter(|(_, planned)| planned.data == *data_name) {
                let Planned { recipe, seed, .. } = planned;
                let params = TrainingParams { seed: *seed, picture: picture_of(&data), ..recipe.params.clone() };
                if !records.has(data_name, &recipe.name, &params)? {
                    let (place, afterwards) = ((at + 1, self.runs.len()), self.seconds_after(at, records));
                    let run = Run { recipe, params: &params, data_name, place, afterwards };
                    run.make(&data, records, provenance, listener)?;
                }
            }
        }
        Ok(())
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
        let learned = match training.carry_out(&train.examples(), validation, listener) {
            // It would diverge each time, to the same bits: that is its result, and the others are not to wait for it.
            Err(ExperimentError::Train(error @ TrainError::Diverged { epoch, step, .. })) => {
                let _ = listener(&Event::Note(&format!("{label}: {error}")));
                let record = RunRecord::diverged(data_name, &recipe.name, params, (epoch, step), &provenance.revision);
                records.add(record, &[])?;
                return training.forget();
            }
            learned => learned?,
        };
        let trained = &learned.trained;
        let mut go_on = |done: usize, total: usize| {
            let event = Event::Working { run: &label, act: "evaluating", done, total };
            let interrupted = || ExperimentError::Interrupted { folder: records.folder().to_owned() };
            tell(listener, &event).ok_or_else(interrupted)
        };
        let answers = match recipe.test {
            // Recipes are compared by all that is asked of them later, about examples kept back.
            Test::Never => {
                let part = |rows: &[usize]| {
                    let labels: Vec<Label> = rows.iter().map(|&row| train.labels()[row]).collect();
                    (train.points().select(rows), labels)
                };
                let [(points, labels), (queries, query_labels)] =
                    [&trained.train_rows, &trained.validation_rows].map(|rows| part(rows));
                let (learned, asked) = ((points.view(), &labels[..]), (queries.view(), &query_labels[..]));
                Answers::of(trained, learned, asked, seed, &mut go_on)?
            }
            Test::AtTheEnd | Test::AlongTheWay => {
                let (train, test) = ((train.points(), train.labels()), (test.points(), test.labels()));
                Answers::of(trained, train, test, seed, &mut go_on)?
            }
        };
        let (clock, revision) = (&learned.clock, &provenance.revision);
        let record = RunRecord::new(data_name, &recipe.name, params, trained, clock, &answers, revision);
        // Whoever wants to stop here is heard at the next event.
        let _ = listener(&Event::Finished { run: &label, result: &record });
        if records.experiment == Experiment::Plane {
            records.add_map(&MapLine::of_run(&recipe.name, data, &train, seed, trained)?)?;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_data::{SplitParams, load};
    use hedgerow_learn::{Keep, Validation};
    use std::fs;
    use std::ops::ControlFlow;
    use std::path::Path;

    const DATA: &str = "moons?n=300&noise=0.1&seed=1";

    fn recipe(name: &str, epochs: usize) -> Recipe {
        let params = TrainingParams {
            layers: Some(vec![8, 2]),
            epochs: Some(epochs),
            validation_share: 0.0,
            evaluate_every: Some(5),
            keep: Keep::Last,
            ..TrainingParams::default()
        };
        Recipe { name: name.into(), params, max_seconds: None, test: Test::AlongTheWay, data: None }
    }

    fn plan(seeds: u64) -> Plan {
        let planned = |seed: u64, recipe: Recipe| Planned { data: DATA.into(), recipe, seed };
        let of_seed = |seed: u64| [planned(seed, recipe("short", 5)), planned(seed, recipe("long", 40))];
        Plan { runs: (0..seeds).flat_map(of_seed).collect() }
    }

    /// Makes the runs of a plan in a folder; gives what was told in lines.
    fn make(
        plan: &Plan,
        folder: &Path,
        mut stop: impl FnMut(&Event<'_>) -> bool + Send,
    ) -> (Result<(), ExperimentError>, Vec<String>) {
        let mut records = Records::open(folder, Experiment::Table).unwrap();
        let provenance = Provenance { command: "test".into(), revision: "1".into(), setup: String::new() };
        let mut lines = Vec::new();
        let mut listener = |event: &Event<'_>| {
            lines.extend(event.line());
            if stop(event) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let params = SplitParams { validation: 0.0, test: 0.3, seed: 0 };
        let mut load = |name: &str, _: &mut Listener<'_>| Ok(load(name)?.split(&params).unwrap());
        let made = plan.make(&mut records, &provenance, &mut listener, &mut load);
        (made, lines)
    }

    /// What is on record, without the times.
    fn on_record(folder: &Path) -> Vec<Row> {
        let rows = Records::open(folder, Experiment::Table).unwrap().rows();
        rows.into_iter().map(|row| Row { train_seconds: None, ..row }).collect()
    }

    #[test]
    fn a_stopped_command_goes_on_where_it_was_and_no_run_is_made_twice() {
        let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        make(&plan(1), whole.path(), |_| false).0.unwrap();
        let (made, _) = make(
            &plan(1),
            stopped.path(),
            |event| matches!(event, Event::Evaluated { run, epoch: 20, .. } if run.contains("long")),
        );
        let error = made.unwrap_err();
        assert!(matches!(error, ExperimentError::Interrupted { .. }), "{error}");
        assert!(error.to_string().contains("the same command goes on"), "{error}");
        assert_eq!(on_record(stopped.path()).len(), 1);
        let unfinished = || {
            let files = fs::read_dir(stopped.path()).unwrap();
            files.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("unfinished")).count()
        };
        assert_eq!(unfinished(), 2, "a checkpoint and its seconds");
        let (made, lines) = make(&plan(1), stopped.path(), |_| false);
        made.unwrap();
        assert!(lines[0].contains("long seed 0: goes on after"), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("short")), "{lines:?}");
        // To the same bits as without a stop.
        assert_eq!(on_record(stopped.path()), on_record(whole.path()));
        assert_eq!(unfinished(), 0);
        let (made, lines) = make(&plan(1), stopped.path(), |_| false);
        made.unwrap();
        assert_eq!(lines, Vec::<String>::new());
    }

    #[test]
    fn a_run_stopped_while_it_is_evaluated_is_not_learned_again() {
        let folder = tempfile::tempdir().unwrap();
        let (made, _) = make(&plan(1), folder.path(), |event| matches!(event, Event::Working { done: 3, .. }));
        assert!(matches!(made, Err(ExperimentError::Interrupted { .. })));
        let mut rounds = 0;
        let (made, lines) = make(&plan(1), folder.path(), |event| {
            rounds += usize::from(matches!(event, Event::Learning(learning) if learning.run.contains("short")));
            false
        });
        made.unwrap();
        assert_eq!(rounds, 0, "{lines:?}");
    }

    #[test]
    fn a_run_cut_at_its_limit_and_stopped_while_it_is_evaluated_learns_no_further() {
        let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut plan = plan(1);
        plan.runs.truncate(1);
        // Over after the first round.
        plan.runs[0].recipe.max_seconds = Some(1e-9);
        make(&plan, whole.path(), |_| false).0.unwrap();
        for _ in 0..3 {
            let (made, _) = make(&plan, stopped.path(), |event| matches!(event, Event::Working { done: 3, .. }));
            assert!(matches!(made, Err(ExperimentError::Interrupted { .. })));
        }
        make(&plan, stopped.path(), |_| false).0.unwrap();
        let steps = |folder: &Path| {
            let runs = fs::read_to_string(folder.join("learn-table-raw.csv")).unwrap();
            let (_, behind) = runs.lines().nth(1).unwrap().split_once(",cut,0,").unwrap();
            behind.split(',').next().unwrap().to_owned()
        };
        assert_eq!((steps(whole.path()), steps(stopped.path())), ("1".into(), "1".into()));
        assert_eq!(on_record(stopped.path()), on_record(whole.path()));
    }

    #[test]
    fn a_run_that_diverges_is_on_record_as_such_and_the_others_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = plan(1);
        let rate = hedgerow_learn::LearningRate { start: Some(1e18), ..Default::default() };
        plan.runs[0].recipe.params.learning_rate = rate;
        let (made, lines) = make(&plan, folder.path(), |_| false);
        made.unwrap();
        assert!(lines[0].contains("short seed 0: training diverged"), "{lines:?}");
        let rows = on_record(folder.path());
        assert_eq!(rows.iter().map(|row| row.diverged).collect::<Vec<_>>(), [true, false]);
        assert_eq!((rows[0].tree_error_percent, rows[1].tree_error_percent.is_some()), (None, true));
        assert!(Records::open(folder.path(), Experiment::Table).unwrap().summary().contains("diverged"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "runs and curves, no checkpoint");
        assert_eq!(make(&plan, folder.path(), |_| false).1, Vec::<String>::new());
    }

    #[test]
    fn what_is_to_come_is_estimated_by_what_is_on_record() {
        let folder = tempfile::tempdir().unwrap();
        make(&plan(1), folder.path(), |_| false).0.unwrap();
        let records = Records::open(folder.path(), Experiment::Table).unwrap();
        let more = plan(2);
        let known = more.seconds_after(1, &records); // both of the second seed
        assert!(!known.at_least && known.seconds >= 0.0);
        assert_eq!(more.seconds_after(3, &records), Remaining { seconds: 0.0, at_least: false });
        let mut unknown = plan(1);
        unknown.runs.push(Planned { data: DATA.into(), recipe: recipe("other", 3), seed: 0 });
        assert!(unknown.seconds_after(0, &records).at_least);
    }

    #[test]
    fn what_is_not_there_is_refused_before_anything_is_done() {
        let asked = Asked {
            experiment: Experiment::Table,
            data: Vec::new(),
            only: Vec::new(),
            first_seed: 5,
            n_seeds: 2,
            epochs: None,
            extent: Extent::Quick,
            folder: "nowhere".into(),
        };
        let plan = |asked: &Asked| Plan::new(asked, asked.experiment.recipes_of(asked.extent));
        assert_eq!(plan(&asked).unwrap().runs.len(), 2 * 2 * 6); // data sets, seeds, recipes of each
        assert!(plan(&asked).unwrap().runs.iter().all(|run| run.seed == 5 || run.seed == 6));
        let error = plan(&Asked { only: vec!["dbx".into()], ..asked.clone() }).err().unwrap().to_string();
        assert!(error.contains("\"dbx\"") && error.contains("dbt-v1, batched"), "{error}");
        let error = plan(&Asked { first_seed: u64::MAX, ..asked.clone() }).err().unwrap().to_string();
        assert!(error.contains("no 2 seeds"), "{error}");
        let error = plan(&Asked { data: vec!["moons".into()], ..asked }).err().unwrap().to_string();
        assert!(error.contains("\"moons\"") && error.contains("fashion-mnist"), "{error}");
    }

    #[test]
    fn lines_are_as_they_always_were() {
        let validation = Validation { error_percent: 1.5, n_nodes: 30 };
        let event = Event::Evaluated { run: "mnist dbs seed 0", epoch: 5, seconds: 7.2, loss: 0.5, validation };
        let line = "mnist dbs seed 0: epoch 5 after 7 s: loss 0.50000, validation error 1.50 %, 30 nodes";
        assert_eq!(event.line().as_deref(), Some(line));
    }
}
