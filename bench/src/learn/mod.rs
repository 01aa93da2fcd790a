//! What the methods reach: error, nodes and time of whole runs, as in the DBS paper's table and figures.
//!
//! A run takes minutes, so that each is written down as soon as it is over and never made twice, and its checkpoints let a command that was
//! stopped go on where it was. `recipes.rs` says what is run, `record.rs` what is kept of a run.

mod clock;
mod figure;
pub mod recipes;
pub mod record;

use std::fs;
use std::path::{Path, PathBuf};

use hedgerow_core::{Label, PointsRef};
use hedgerow_data::fetch::{FetchError, GetOptions, Store, get};
use hedgerow_data::progress::silent;
use hedgerow_data::{DataName, Dataset, LoadError, Split};
use hedgerow_learn::evaluation::{Evaluation, EvaluationError, ShownExamples, Structure};
use hedgerow_learn::{
    ApplyError, EpochRecord, Event, Outcome, PictureShape, RunOptions, TrainError, Trained, TrainingParams, Validation,
    train_validated,
};

use self::clock::RunClock;
use crate::date;
use crate::machine::Machine;
use recipes::{Experiment, Recipe, Test};
use record::{CurvePoint, Records, RunRecord};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each variant is the error it holds")]
pub enum LearnError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}, line {line}: {what}; mend the line, or remove the file to make its runs again", path.display())]
    Damaged { path: PathBuf, line: usize, what: String },
    #[error("{}: it has runs of {recipe:?} with other parameters, and medians over both would mean nothing; give another folder by --runs", path.display())]
    OtherParams { path: PathBuf, recipe: String },
    #[error("there is no recipe {name:?} in this experiment; it has {known}")]
    NoRecipe { name: String, known: String },
    #[error(
        "ablation-time gives each recipe as many epochs as fit into the time of the boundary set in `learn ablation`, and {recipe:?} has no run on {data} there; run `learn ablation` first, with the same --runs"
    )]
    NoTimes { recipe: String, data: String },
}

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
/// [`LearnError`].
pub fn run(asked: &Asked) -> Result<String, LearnError> {
    let machine = Machine::this();
    let default =
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("runs/{}-{}", date::today(), machine.slug()));
    let folder = asked.runs.clone().unwrap_or_else(default);
    let mut records = Records::open(&folder, asked.experiment.name())?;
    let recipes = match asked.experiment {
        Experiment::AblationTime => recipes::at_equal_time(&Records::open(&folder, Experiment::Ablation.name())?)?,
        _ => asked.experiment.recipes(),
    };
    let known = || recipes.iter().map(|recipe| recipe.name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(name) = asked.only.iter().find(|name| !recipes.iter().any(|recipe| recipe.name == **name)) {
        return Err(LearnError::NoRecipe { name: name.clone(), known: known() });
    }
    for data_name in asked.experiment.data().iter().filter(|name| asked.data.is_empty() || asked.data.contains(*name)) {
        let data = load(data_name)?;
        for seed in 0..asked.n_seeds {
            for recipe in recipes.iter().filter(|recipe| recipe.is_for(data_name)) {
                if !asked.only.is_empty() && !asked.only.contains(&recipe.name) {
                    continue;
                }
                let recipe = asked.epochs.map_or_else(|| recipe.clone(), |epochs| recipe.with_epochs(epochs));
                let params = TrainingParams { seed, picture: picture_of(&data), ..recipe.params.clone() };
                if !records.has(data_name, &recipe.name, &params)? {
                    make(&recipe, &params, data_name, &data, &mut records)?;
                }
            }
        }
    }
    records.write_summary(&machine)?;
    if asked.experiment == Experiment::TrainingTime {
        figure::write(&records)?;
    }
    Ok(records.summary())
}

/// Reads a data set, getting it first if it is not there.
fn load(name: &str) -> Result<Dataset, LearnError> {
    match (hedgerow_data::load(name), DataName::parse(name)?) {
        (Err(LoadError::Fetch(_)), DataName::Registered(set)) => {
            eprintln!("getting {name}");
            get(&Store::from_environment()?, set, &GetOptions::default(), &mut silent())?;
            Ok(hedgerow_data::load(name)?)
        }
        (loaded, _) => Ok(loaded?),
    }
}

fn picture_of(data: &Dataset) -> Option<PictureShape> {
    data.image_shape().map(|shape| PictureShape { height: shape.height, width: shape.width, channels: shape.channels })
}

/// Makes one run and writes it down.
fn make(
    recipe: &Recipe,
    params: &TrainingParams,
    data_name: &str,
    data: &Dataset,
    records: &mut Records,
) -> Result<(), LearnError> {
    let seed = params.seed;
    let label = format!("{data_name} {} seed {seed}", recipe.name);
    let (train, test) = (data.part(Split::Train), data.part(Split::Test));
    let unfinished = records.unfinished(data_name, params);
    let failed = |path: &Path, source: std::io::Error| LearnError::File { path: path.to_owned(), source };
    let folder = unfinished.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let mut clock = RunClock::start(&unfinished, recipe.max_seconds);
    if unfinished.exists() {
        eprintln!("{label}: goes on after {:.0} s", clock.seconds());
    }
    let mut listener = |event: &Event<'_>| {
        let go_on = clock.hear(event);
        if let Event::Epoch(EpochRecord { epoch, loss, validation: Some(validation), .. }) = event {
            let (epoch, Validation { error_percent, n_nodes, .. }) = (epoch + 1, validation);
            eprintln!(
                "{label}: epoch {epoch} after {:.0} s: loss {loss:.5}, validation error {error_percent:.2} %, {n_nodes} nodes",
                clock.seconds()
            );
        }
        go_on
    };
    let options = RunOptions { checkpoint: Some(unfinished.clone()), resume: true, ..RunOptions::default() };
    let test_examples = test.examples();
    let validation = (recipe.test == Test::AlongTheWay).then_some(&test_examples);
    let learned = train_validated(&train.examples(), validation, params, &options, &mut listener)?;
    let answers = match recipe.test {
        Test::Never => None,
        Test::AtTheEnd | Test::AlongTheWay => {
            Some(Answers::of(&learned, (train.points(), train.labels()), (test.points(), test.labels()), seed)?)
        }
    };
    let record = RunRecord::new(data_name, &recipe.name, params, &learned, &clock, answers.as_ref());
    eprintln!("{label}: {record}");
    records.add(record, &CurvePoint::of_run(data_name, &recipe.name, seed, &learned, clock.epochs()))?;
    clock.forget();
    fs::remove_file(&unfinished).map_err(|source| failed(&unfinished, source))
}

/// Orders that the mean of trees is taken over.
const ORDERS: u64 = 10;

/// What structures over all training representations, and the class layer if there is one, answer for the test examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answers {
    /// One boundary tree, shown the examples in the order of the seed.
    pub tree: Evaluation,
    /// The mean error and size of trees over ten orders: one order alone is a throw of dice.
    pub tree_over_orders: (f64, f64),
    /// The error of the first tree when the voters at the end of a walk answer.
    pub soft_tree: f64,
    /// One boundary set.
    pub set: Evaluation,
    /// A forest of 10 trees.
    pub forest: Evaluation,
    /// A forest of 50 trees.
    pub large_forest: Evaluation,
    /// The error of the class layer, in percent.
    pub classifier: Option<f64>,
}

impl Answers {
    fn of(
        learned: &Trained,
        (points, labels): (PointsRef<'_>, &[Label]),
        (queries, query_labels): (PointsRef<'_>, &[Label]),
        seed: u64,
    ) -> Result<Self, LearnError> {
        let (representations, asked) = (learned.transform.apply(points)?, learned.transform.apply(queries)?);
        let rows: Vec<usize> = (0..labels.len()).collect();
        let shown = ShownExamples::shuffled(representations.view(), labels, &rows, seed)?;
        let evaluate = |structure: Structure| shown.evaluate(structure, asked.view(), query_labels, seed);
        let (mut error, mut nodes) = (0.0, 0.0);
        for order in 0..ORDERS {
            let shown = ShownExamples::shuffled(representations.view(), labels, &rows, order)?;
            let tree = shown.evaluate(Structure::Tree, asked.view(), query_labels, order)?;
            error += tree.error_percent / ORDERS as f64;
            nodes += tree.n_stored as f64 / ORDERS as f64;
        }
        let classifier = learned.classifier.as_ref().map(|classifier| classifier.error_percent(queries, query_labels));
        Ok(Self {
            tree: evaluate(Structure::Tree)?,
            tree_over_orders: (error, nodes),
            soft_tree: evaluate(Structure::soft_tree())?.error_percent,
            set: evaluate(Structure::Set)?,
            forest: evaluate(Structure::Forest(10))?,
            large_forest: evaluate(Structure::Forest(50))?,
            classifier: classifier.transpose()?,
        })
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
