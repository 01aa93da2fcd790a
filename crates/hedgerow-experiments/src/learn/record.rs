//! What is kept of a run: a line of CSV, added to its file as soon as the run is over; and the summary of all lines.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use hedgerow_learn::{Trained, TrainingParams};

use super::clock::RunClock;
use super::curve::{CURVE_COLUMNS, CurvePoint};
use super::map::{MAP_COLUMNS, MapLine};
use super::recipes::Experiment;
use super::{Answers, word};
use crate::csv;
use crate::error::ExperimentError;
use crate::fingerprint::fingerprint;
use crate::median;

/// What is said of a run before its numbers. `params` is a number that is another one for other parameters: a recipe that was changed is
/// another recipe, whatever its name.
const COLUMNS: &str = "data,recipe,seed,params,outcome,epochs,steps,threads,revision";
/// The numbers of a run; those that it does not have are left empty.
const NUMBERS: [&str; 21] = [
    "train_seconds",
    "total_seconds",
    "loss",
    "validation_error",
    "validation_nodes",
    "tree_error",
    "tree_nodes",
    "orders_error",
    "orders_nodes",
    "soft_tree_error",
    "set_error",
    "set_size",
    "forest_error",
    "forest_stored",
    "forest_50_error",
    "forest_50_stored",
    "class_layer_error",
    "edited_error",
    "edited_nodes",
    "edited_forest_50_error",
    "edited_forest_50_stored",
];

/// The outcome of a run that could not be carried out: its loss left the range of numbers.
pub(super) const DIVERGED: &str = "diverged";

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    pub(super) data: String,
    pub(super) recipe: String,
    seed: u64,
    params: String,
    pub(super) outcome: String,
    pub(super) epochs: usize,
    steps: u64,
    pub(super) threads: usize,
    /// Of this program.
    pub(super) revision: String,
    /// Those of [`NUMBERS`].
    numbers: [Option<f64>; NUMBERS.len()],
}

impl RunRecord {
    /// Takes down a run.
    pub fn new(
        data: &str,
        recipe: &str,
        params: &TrainingParams,
        learned: &Trained,
        clock: &RunClock,
        answers: &Answers,
        revision: &str,
    ) -> Self {
        Self {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seed: params.seed,
            params: fingerprint(params),
            outcome: if clock.was_cut { "cut" } else { word(learned.outcome) }.to_owned(),
            epochs: learned.records.len(),
            steps: learned.n_steps,
            threads: rayon::current_num_threads(),
            revision: revision.to_owned(),
            numbers: [
                Some(learning_seconds(clock)),
                None,
                learned.records.last().map(|record| record.loss),
                learned.validation.map(|validation| validation.error_percent),
                learned.validation.map(|validation| validation.n_nodes as f64),
                Some(answers.tree.error_percent),
                Some(answers.tree.n_stored as f64),
                Some(answers.tree_over_orders.0),
                Some(answers.tree_over_orders.1),
                Some(answers.soft_tree),
                Some(answers.set.error_percent),
                Some(answers.set.n_stored as f64),
                Some(answers.forest.error_percent),
                Some(answers.forest.n_stored as f64),
                Some(answers.large_forest.error_percent),
                Some(answers.large_forest.n_stored as f64),
                answers.classifier,
                Some(answers.edited_tree.0),
                Some(answers.edited_tree.1),
                Some(answers.edited_forest.error_percent),
                Some(answers.edited_forest.n_stored as f64),
            ],
        }
    }

    /// Takes down that a run diverged, in which epoch and at which step.
    pub(super) fn diverged(
        data: &str,
        recipe: &str,
        params: &TrainingParams,
        (epochs, steps): (usize, u64),
        revision: &str,
    ) -> Self {
        Self {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seed: params.seed,
            params: fingerprint(params),
            outcome: DIVERGED.to_owned(),
            epochs,
            steps,
            threads: rayon::current_num_threads(),
            revision: revision.to_owned(),
            numbers: [None; NUMBERS.len()],
        }
    }

    fn line(&self) -> String {
        let Self { data, recipe, seed, params, outcome, epochs, steps, threads, revision, numbers } = self;
        let numbers = numbers.map(|number| number.map_or(String::new(), |n| format!("{n:.6}")));
        let numbers = numbers.join(",");
        // Names of recipes have commas; all stand in quotes, as they always did.
        let (data, recipe) = (csv::field(data), csv::quoted(recipe));
        format!("{data},{recipe},{seed},{params},{outcome},{epochs},{steps},{threads},{revision},{numbers}")
    }

    fn parse(fields: &[&str]) -> Option<Self> {
        let [data, recipe, seed, params, outcome, epochs, steps, threads, revision] =
            fields.get(..9)?.try_into().ok()?;
        let number = |field: &&str| if field.is_empty() { Some(None) } else { field.parse().ok().map(Some) };
        let numbers: Option<Vec<Option<f64>>> = fields[9..].iter().map(number).collect();
        // Runs of before lack the numbers that came later.
        let numbers = numbers.map(|mut numbers| {
            numbers.resize(numbers.len().max(NUMBERS.len()), None);
            numbers
        });
        Some(Self {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seed: seed.parse().ok()?,
            params: params.to_owned(),
            outcome: outcome.to_owned(),
            epochs: epochs.parse().ok()?,
            steps: steps.parse().ok()?,
            threads: threads.parse().ok()?,
            revision: revision.to_owned(),
            numbers: numbers?.try_into().ok()?,
        })
    }

    /// A number by its name.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        NUMBERS.iter().position(|known| *known == name).and_then(|at| self.numbers[at])
    }
}

/// Those of the part of an epoch too that a run was cut in: its weights have learned in it.
fn learning_seconds(clock: &RunClock) -> f64 {
    clock.epochs().last().copied().filter(|_| !clock.was_cut).unwrap_or_else(|| clock.seconds())
}

impl fmt::Display for RunRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} after {} epochs, {:.0} s",
            self.outcome,
            self.epochs,
            self.number("train_seconds").unwrap_or(0.0)
        )?;
        for (error, stored) in [
            ("validation_error", "validation_nodes"),
            ("tree_error", "tree_nodes"),
            ("orders_error", "orders_nodes"),
            ("set_error", "set_size"),
            ("forest_error", "forest_stored"),
            ("forest_50_error", "forest_50_stored"),
            ("edited_error", "edited_nodes"),
            ("edited_forest_50_error", "edited_forest_50_stored"),
        ] {
            if let (Some(percent), Some(n_stored)) = (self.number(error), self.number(stored)) {
                write!(f, "; {error} {percent:.2} %, {stored} {n_stored:.0}")?;
            }
        }
        self.number("class_layer_error").map_or(Ok(()), |error| write!(f, "; class layer {error:.2} %"))
    }
}

/// The runs of one experiment, in a file.
#[derive(Debug)]
pub struct Records {
    pub(super) experiment: Experiment,
    folder: PathBuf,
    pub(super) runs: Vec<RunRecord>,
}

impl Records {
    /// Reads what is on record.
    ///
    /// # Errors
    /// A file that cannot be read or has a line that is none of ours.
    pub fn open(folder: &Path, experiment: Experiment) -> Result<Self, ExperimentError> {
        let mut records = Self { experiment, folder: folder.to_owned(), runs: Vec::new() };
        records.runs = csv::read(&records.path("raw"), "run", RunRecord::parse)?;
        Ok(records)
    }

    pub(super) fn path(&self, what: &str) -> PathBuf {
        self.folder.join(format!("learn-{}-{what}.csv", self.experiment.name()))
    }

    /// Where everything is kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was written, as far as it is there.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let summary = self.folder.join(format!("learn-{}-summary.md", self.experiment.name()));
        let kept = [summary, self.path("raw"), self.path("curve"), self.path("map")].into_iter();
        let figures = ["curve", "map", "errors"].map(|what| self.path(what).with_extension("svg"));
        kept.chain(figures).filter(|path| path.exists()).collect()
    }

    /// A number of all runs of a recipe that have it.
    pub(super) fn numbers(&self, data: &str, recipe: &str, name: &str) -> Vec<f64> {
        let runs = self.runs.iter().filter(|run| run.data == data && run.recipe == recipe);
        runs.filter_map(|run| run.number(name)).collect()
    }

    /// A number of one run: of the data, the recipe and the seed.
    pub(super) fn number_of_run(&self, (data, recipe, seed): (&str, &str, u64), name: &str) -> Option<f64> {
        self.runs.iter().find(|run| run.data == data && run.recipe == recipe && run.seed == seed)?.number(name)
    }

    /// Median seconds of a run, over the seeds.
    pub(super) fn seconds(&self, data: &str, recipe: &str) -> Option<f64> {
        let runs = self.runs.iter().filter(|run| run.data == data && run.recipe == recipe);
        median(runs.filter_map(|run| run.number("train_seconds")))
    }

    /// Whether a run of that name and seed is on record, whatever its parameters.
    pub(super) fn is_on_record(&self, data: &str, recipe: &str, seed: u64) -> bool {
        self.runs.iter().any(|run| run.data == data && run.recipe == recipe && run.seed == seed)
    }

    /// Whether a run of these parameters, the seed among them, is on record.
    ///
    /// # Errors
    /// A run of the same name with other parameters: the two must not be put together.
    pub fn has(&self, data: &str, recipe: &str, params: &TrainingParams) -> Result<bool, ExperimentError> {
        let mut same = self.runs.iter().filter(|run| run.data == data && run.recipe == recipe);
        if same.clone().any(|run| run.params != fingerprint(params)) {
            return Err(ExperimentError::OtherParams { path: self.path("raw"), recipe: recipe.to_owned() });
        }
        Ok(same.any(|run| run.seed == params.seed))
    }

    /// Where a run that is under way is kept, until it is over.
    pub fn unfinished(&self, data: &str, params: &TrainingParams) -> PathBuf {
        let (experiment, hash, seed) = (self.experiment.name(), fingerprint(params), params.seed);
        self.folder.join(format!("unfinished-{experiment}-{data}-{hash}-{seed}.safetensors"))
    }

    /// Writes a run down, after its curve.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, run: RunRecord, curve: &[CurvePoint]) -> Result<(), ExperimentError> {
        let points: Vec<String> = curve.iter().map(CurvePoint::line).collect();
        if !points.is_empty() {
            csv::append(&self.path("curve"), CURVE_COLUMNS, &points)?;
        }
        csv::append(&self.path("raw"), &format!("{COLUMNS},{}", NUMBERS.join(",")), &[run.line()])?;
        self.runs.push(run);
        Ok(())
    }

    /// Writes the points of a map down.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn add_map(&self, lines: &[MapLine]) -> Result<(), ExperimentError> {
        // A run that was stopped between its map and its record is made again, and so is its map: the last of a run counts.
        let run = lines.first().map(MapLine::run);
        let before = self.map_lines()?.into_iter().filter(|line| Some(line.run()) != run);
        let all: Vec<String> = before.chain(lines.iter().cloned()).map(|line| line.line()).collect();
        let path = self.path("map");
        let text = format!("{MAP_COLUMNS}\n{}\n", all.join("\n"));
        fs::write(&path, text).map_err(ExperimentError::of_file(&path))
    }

    /// All maps of the experiment.
    pub(super) fn map_lines(&self) -> Result<Vec<MapLine>, ExperimentError> {
        csv::read(&self.path("map"), "point of a map", MapLine::parse)
    }

    /// All curves of the experiment.
    ///
    /// # Errors
    /// A file that cannot be read or has a line that is none of ours.
    pub fn curves(&self) -> Result<Vec<CurvePoint>, ExperimentError> {
        csv::read(&self.path("curve"), "point of a curve", CurvePoint::parse)
    }
}

pub(super) fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect();
    (!numbers.is_empty()).then(|| median::median(&numbers))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use hedgerow_learn::PictureShape;

    #[test]
    fn recipes_are_those_of_the_kept_runs() {
        // From `bench/runs`: were a recipe changed, its kept runs would no longer be runs of it.
        let picture = Some(PictureShape { height: 28, width: 28, channels: 1 });
        let of = |data: &str, name: &str| {
            let recipes = Experiment::Table.recipes();
            let recipe = recipes.into_iter().find(|recipe| recipe.name == name && recipe.is_for(data)).unwrap();
            fingerprint(&TrainingParams { picture, ..recipe.params })
        };
        assert_eq!(of("mnist", "dbs"), "2b9e382486b0c143");
        assert_eq!(of("mnist", "classifier"), "4e13ec627f29a8b2");
        assert_eq!(of("fashion-mnist", "dbs"), "74d0a23becdcf3b8");
    }

    /// A run of MNIST with two threads, whose tree has this error.
    pub(in crate::learn) fn run(recipe: &str, seed: u64, error: f64) -> RunRecord {
        let mut numbers = [None; NUMBERS.len()];
        numbers[..3].copy_from_slice(&[1.5, 2.5, 0.25].map(Some));
        numbers[5..15].copy_from_slice(&[error, 30.0, 1.3, 33.0, 1.4, 2.0, 20.0, 1.0, 40.0, 0.9].map(Some));
        RunRecord {
            data: "mnist".into(),
            recipe: recipe.into(),
            seed,
            params: fingerprint(&TrainingParams::default()),
            outcome: "finished".into(),
            epochs: 7,
            steps: 70,
            threads: 2,
            revision: "0123abc-dirty".into(),
            numbers,
        }
    }

    impl RunRecord {
        /// The same with so many threads and seconds of learning, or none.
        pub(in crate::learn) fn timed(mut self, threads: usize, seconds: Option<f64>) -> Self {
            (self.threads, self.numbers[0]) = (threads, seconds);
            self
        }
    }

    #[test]
    fn lines_are_those_of_the_kept_runs() {
        // Of `bench/runs`, but for the numbers: files of before are read, and written on.
        let numbers = ",0.250000,,,1.500000,30.000000,1.300000,33.000000,1.400000,2.000000,20.000000,1.000000,40.000000,0.900000,,";
        let line = format!(
            "mnist,\"dbs, x\",2,{},finished,7,70,2,0123abc-dirty,1.500000,2.500000{numbers}",
            fingerprint(&TrainingParams::default())
        );
        // Numbers of edited trees and forests came later.
        assert_eq!(run("dbs, x", 2, 1.5).line(), format!("{line},,,,"));
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("learn-table-raw.csv"), format!("data,recipe\n{line}\n")).unwrap();
        assert_eq!(Records::open(folder.path(), Experiment::Table).unwrap().runs, [run("dbs, x", 2, 1.5)]);
    }

    #[test]
    fn runs_are_found_again_and_summed_up_by_their_median() {
        let folder = tempfile::tempdir().unwrap();
        let mut records = Records::open(folder.path(), Experiment::Table).unwrap();
        for (seed, error) in [1.5, 1.1, 1.2].into_iter().enumerate() {
            let point = CurvePoint {
                data: "mnist".into(),
                recipe: "dbs, x".into(),
                seed: seed as u64,
                epoch: 1,
                train_seconds: 0.5,
                error_percent: 9.0,
                n_nodes: 3,
            };
            records.add(run("dbs, x", seed as u64, error), &[point]).unwrap();
        }
        let again = Records::open(folder.path(), Experiment::Table).unwrap();
        assert_eq!(again.runs, records.runs);
        let params = |seed: u64| TrainingParams { seed, ..TrainingParams::default() };
        assert!(again.has("mnist", "dbs, x", &params(2)).unwrap());
        assert!(!again.has("mnist", "dbs, x", &params(3)).unwrap() && !again.has("x", "dbs, x", &params(2)).unwrap());
        let other = TrainingParams { epochs: Some(9), ..params(2) };
        assert!(again.has("mnist", "dbs, x", &other).unwrap_err().to_string().contains("other parameters"));
        let line = "| mnist | dbs, x | 3 | 7 | 2 | 2 | 1.20 (30) | 1.30 (33) | 1.40 | 2.00 (20) | 1.00 | 0.90 | - | - | - | - |";
        assert!(again.summary().contains(line), "{}", again.summary());
        let curve = fs::read_to_string(folder.path().join("learn-table-curve.csv")).unwrap();
        assert_eq!(curve.lines().count(), 4);
        assert_eq!(again.curves().unwrap().len(), 3);
        fs::write(folder.path().join("learn-table-raw.csv"), "header\nnonsense\n").unwrap();
        let error = Records::open(folder.path(), Experiment::Table).unwrap_err().to_string();
        assert!(error.contains("learn-table-raw.csv, line 2"), "{error}");
    }
}
