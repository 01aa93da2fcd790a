//! How a model is fitted: preprocessing, then the representation, then the structure over the training examples, all or those that editing leaves.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hedgerow_core::random::shuffle;
use hedgerow_core::{
    Calibration, Distance, Effort, ExampleId, Examples, History, Initialization, Label, Neighbor, NeighborSearch as _,
    Points, PointsRef, Task,
};
use hedgerow_data::{Dataset, Preprocessing, RowIds, Scaling, Split};
use hedgerow_learn::editing::agreeing_rows_unless;
use hedgerow_learn::{
    DistanceScale, Event, Outcome, PictureShape, RunOptions, Trained, TrainingParams, train, train_validated,
};
use sha2::{Digest, Sha256};

use super::params::Common;
use super::{
    DataFacts, Facts, FitParams, Metrics, Model, OriginalExamples, Originals, Structure, StructureParams, outcome_word,
};
use crate::error::FitError;
use crate::journal::{Journal, Seal};

/// The stream of random numbers by which examples are ordered before they are shown to the structure.
const ORDER: u64 = 0x6f72_6465_7220_6f66;

/// Examples shown at a time, so that progress can be told and the fit stopped.
const BLOCK: usize = 4096;

/// Distances kept to read the novelty of queries against, at most: shares are told to a tenth of a percent.
const CALIBRATION: usize = 4096;

/// How a fit is carried out. Nothing here changes the model, only how far learning gets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FitOptions {
    /// Seconds after which learning ends with what it has.
    pub max_seconds: Option<f64>,
    /// A file that learning is written to now and then, and taken up from with [`resume`](Self::resume).
    pub checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints; 60 if not given.
    pub checkpoint_seconds: Option<f64>,
    /// Whether to go on with the run that the checkpoint is of.
    pub resume: bool,
}

/// What a fit tells while it goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FitEvent<'a> {
    /// Of learning.
    Learning(&'a Event<'a>),
    /// Neighbors are asked which examples shall be shown to the structure ([`FitParams::editing`]). Told before each block of them.
    Editing {
        /// Examples asked about so far.
        n_asked: usize,
        /// Of so many.
        n_examples: usize,
    },
    /// Examples are shown to the structure. Told after each block of them, and with the same numbers again while one is shown, by any thread:
    /// a fit can be stopped then, too.
    Building {
        /// Shown so far, in blocks that are through.
        n_shown: usize,
        /// Of so many.
        n_examples: usize,
        /// Stored of these.
        n_stored: usize,
    },
}

/// Hears what a fit tells, and can stop it.
pub type FitListener<'a> = dyn FnMut(&FitEvent<'_>) -> ControlFlow<()> + Send + 'a;

/// Hears nothing, and lets a fit go on to its end.
pub fn silent_fit() -> impl FnMut(&FitEvent<'_>) -> ControlFlow<()> + Send {
    |_| ControlFlow::Continue(())
}

impl Model {
    /// Fits a model to the training rows of a data set. Validation rows, if the data has some, decide which weights are kept; else a
    /// share of the training rows does ([`TrainingParams::validation_share`]). Test rows are not looked at.
    ///
    /// # Errors
    /// [`FitError`].
    pub fn fit(
        dataset: &Dataset,
        params: &FitParams,
        options: &FitOptions,
        listener: &mut FitListener<'_>,
    ) -> Result<Self, FitError> {
        let task = params.task.unwrap_or_else(|| dataset.task());
        let train = dataset.train();
        if train.is_empty() {
            return Err(FitError::NoTrainingRows { name: dataset.name().to_owned() });
        }
        // What cannot be built is refused now, and not when everything has been learned.
        params.structure.build(&Common::of(params, task))?;
        // No neighbors outvote nothing.
        let params = &FitParams { editing: params.editing.filter(|n| *n > 0), ..params.clone() };
        if params.editing.is_some() && task != Task::Classification {
            return Err(FitError::EditingNeedsClasses { task });
        }
        let scaling = params.scaling.clone().unwrap_or_else(|| default_scaling(dataset));
        let preprocessing = Preprocessing::fit(dataset, &scaling)?;
        let prepared = prepare(&preprocessing, train.points())?;
        let points = prepared.as_ref().map_or(train.points(), Points::view);
        let learned = match &params.learning {
            None => None,
            Some(learning) => Some(learn(dataset, &preprocessing, points, task, learning, options, listener)?),
        };
        let representations = learned.as_ref().map(|learned| learned.transform.apply(points)).transpose()?;
        let shown = representations.as_ref().map_or(points, Points::view);

        let started = Instant::now();
        let rows = edited(params, shown, train.labels(), listener)?;
        let structure = build(params, task, shown, train.labels(), &rows, listener)?;
        let build_seconds = started.elapsed().as_secs_f64();
        let calibration = calibrate(&structure, shown, &rows)?;
        let closeness = closeness(learned.as_ref(), &calibration, structure.search().distance());
        let originals = originals(params, &structure, train.points(), learned.is_some() || !preprocessing.is_none());
        let search = structure.search();
        let facts = Facts {
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            params: FitParams {
                task: Some(task),
                learning: learned.as_ref().map(|learned| learned.params.clone()),
                scaling: Some(scaling),
                ..params.clone()
            },
            task,
            data: data_facts(dataset),
            schema: dataset.schema(),
            closeness,
        };
        let id = id(&facts, learned.as_ref().map_or(&[], |learned| learned.transform.parameters()));
        let metrics = Metrics {
            model_id: id.into(),
            n_stored: search.n_stored(),
            n_shown: search.n_shown(),
            structure_bytes: search.size_bytes(),
            n_weights: learned.as_ref().map_or(0, |learned| learned.transform.parameters().len()),
            train_seconds: learned.as_ref().map_or(0.0, |learned| learned.train_seconds),
            build_seconds,
            outcome: learned.as_ref().map(|learned| outcome_word(learned.outcome).to_owned()),
            validation: learned.as_ref().and_then(|learned| learned.validation),
            epochs: learned.as_ref().map_or_else(Vec::new, |learned| learned.records.clone()),
            evaluations: Vec::new(),
        };
        Ok(Self {
            facts,
            preprocessing,
            transform: learned.map(|learned| learned.transform),
            structure,
            calibration,
            originals,
            sources: sources(dataset),
            left_out: left_out(&rows, train.len()),
            metrics,
            id,
            journal: Mutex::new(Journal::default()),
            n_entries: 0,
            n_lost: 0,
            next_id: train.len() as u64,
        })
    }
}

/// Numbers are brought to one scale, since distances add them up; pixels have one already.
pub(crate) fn default_scaling(dataset: &Dataset) -> Vec<Scaling> {
    match dataset.points().kind() {
        hedgerow_core::PointKind::F32 => vec![Scaling::Standardize],
        hedgerow_core::PointKind::U8 => Vec::new(),
    }
}

/// The points after preprocessing; nothing if they stay as they are.
pub(crate) fn prepare(
    preprocessing: &Preprocessing,
    points: PointsRef<'_>,
) -> Result<Option<Points>, hedgerow_data::PreprocessError> {
    if preprocessing.is_none() { Ok(None) } else { Ok(Some(preprocessing.apply(points)?.points)) }
}

/// Learns from the training rows of a data set, whose points after preprocessing are `points`.
pub(crate) fn learn(
    dataset: &Dataset,
    preprocessing: &Preprocessing,
    points: PointsRef<'_>,
    task: Task,
    learning: &TrainingParams,
    options: &FitOptions,
    listener: &mut FitListener<'_>,
) -> Result<Trained, FitError> {
    let train_part = dataset.train();
    if let Task::Regression { .. } = task {
        return Err(FitError::LearningNeedsClasses { task });
    }
    if let Some(row) = train_part.labels().iter().position(|label| label.as_class().is_none()) {
        return Err(FitError::NoClass { row: train_part.row_id(row), label: train_part.labels()[row] });
    }
    let shape = |shape: hedgerow_data::ImageShape| PictureShape {
        height: shape.height,
        width: shape.width,
        channels: shape.channels,
    };
    let picture = learning.picture.or_else(|| dataset.image_shape().map(shape));
    let params = TrainingParams { picture, ..learning.clone() };
    let run = RunOptions {
        max_seconds: options.max_seconds,
        checkpoint: options.checkpoint.clone(),
        checkpoint_seconds: options.checkpoint_seconds,
        resume: options.resume,
        ..RunOptions::default()
    };
    let examples = Examples::new(points, train_part.labels())?;
    let mut hear = |event: &Event<'_>| listener(&FitEvent::Learning(event));
    let validation = dataset.part(Split::Validation);
    let learned = if validation.is_empty() {
        train(&examples, &params, &run, &mut hear)?
    } else {
        let prepared = prepare(preprocessing, validation.points())?;
        let asked = prepared.as_ref().map_or(validation.points(), Points::view);
        train_validated(&examples, Some(&Examples::new(asked, validation.labels())?), &params, &run, &mut hear)?
    };
    match learned.outcome {
        Outcome::Stopped => Err(FitError::Stopped { checkpoint: options.checkpoint.clone() }),
        _ => Ok(learned),
    }
}

/// The rows that are shown to the structure: all, or those that their neighbors do not outvote.
fn edited(
    params: &FitParams,
    points: PointsRef<'_>,
    labels: &[Label],
    listener: &mut FitListener<'_>,
) -> Result<Vec<usize>, FitError> {
    let n_examples = labels.len();
    let Some(n_neighbors) = params.editing else { return Ok((0..n_examples).collect()) };
    let mut hear = |n_asked: usize| listener(&FitEvent::Editing { n_asked, n_examples });
    let agreeing = agreeing_rows_unless(points, labels, n_neighbors, &params.distance, &mut hear)?;
    let Some(agreeing) = agreeing else { return Err(FitError::Stopped { checkpoint: None }) };
    let alive: HashSet<_> = agreeing.iter().map(|&row| labels[row].as_class()).collect();
    // Of a class with few examples, each of them may be outvoted.
    let stays = |row: &usize| agreeing.binary_search(row).is_ok() || !alive.contains(&labels[*row].as_class());
    Ok((0..n_examples).filter(stays).collect())
}

/// The training rows that are not among those shown, which rise.
fn left_out(shown: &[usize], n_examples: usize) -> Vec<ExampleId> {
    let is_out = |row: &usize| shown.binary_search(row).is_err();
    (0..n_examples).filter(is_out).map(|row| ExampleId(row as u64)).collect()
}

/// Shows the examples of `rows`, in an order drawn by the seed, since files are often sorted by class.
fn build(
    params: &FitParams,
    task: Task,
    points: PointsRef<'_>,
    labels: &[Label],
    rows: &[usize],
    listener: &mut FitListener<'_>,
) -> Result<Structure, FitError> {
    let mut structure = params.structure.build(&Common::of(params, task))?;
    let n_examples = rows.len();
    let mut rows = rows.to_vec();
    shuffle(&mut rows, params.seed, ORDER);
    // Trees that each see a block in an order of their own must see all in one.
    let in_one = matches!(params.structure, StructureParams::Forest { initialization: Initialization::Permuted, .. })
        || matches!(params.structure, StructureParams::Set { passes: hedgerow_core::Passes::UntilConsistent, .. });
    let block = if in_one { n_examples } else { BLOCK };
    let listener = Mutex::new(listener);
    let is_stopped = |n_shown: usize, n_stored: usize| {
        let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
        listener(&FitEvent::Building { n_shown, n_examples, n_stored }).is_break()
    };
    let (mut n_shown, mut n_stored) = (0, 0);
    for rows in rows.chunks(block.max(1)) {
        let shown = points.select(rows);
        let labels: Vec<Label> = rows.iter().map(|&row| labels[row]).collect();
        let ids: Vec<ExampleId> = rows.iter().map(|&row| ExampleId(row as u64)).collect();
        let examples = Examples::new(shown.view(), &labels)?.with_ids(&ids)?;
        let inserted = structure.search_mut().insert_all_unless(&examples, &|| is_stopped(n_shown, n_stored))?;
        n_shown += rows.len();
        n_stored = structure.search().n_stored();
        if inserted.is_none() || is_stopped(n_shown, n_stored) {
            return Err(FitError::Stopped { checkpoint: None });
        }
    }
    Ok(structure)
}

/// Distances of training examples from their own answers, evenly taken from all in rising order.
fn calibrate(structure: &Structure, points: PointsRef<'_>, shown: &[usize]) -> Result<Calibration, FitError> {
    let all = match structure {
        // All distances between all examples would be needed; some of them tell as much.
        Structure::Knn(scan) => {
            let rows = some_of(shown);
            // The nearest is the example itself, or one that is the same.
            let nearest = scan.k_nearest_of_all(points.select(&rows).view(), 2, Effort::default())?;
            Calibration::from_distances(
                nearest.iter().filter_map(|two| two.get(1)).map(|neighbor| neighbor.distance).collect(),
            )
        }
        _ if structure.search().history() == History::Full => Calibration::from_history(structure.search())?,
        _ => Calibration::from_distances(distances_from_others(structure, points, &some_of(shown))?),
    };
    let distances = all.distances();
    if distances.len() <= CALIBRATION {
        return Ok(all);
    }
    let last = distances.len() - 1;
    let taken = (0..CALIBRATION).map(|at| distances[at * last / (CALIBRATION - 1)]).collect();
    Ok(Calibration::from_distances(taken))
}

/// As many rows as a calibration keeps, evenly taken.
fn some_of(rows: &[usize]) -> Vec<usize> {
    rows.iter().copied().step_by(rows.len().div_ceil(CALIBRATION).max(1)).collect()
}

/// The distances of some examples, whose ids are their rows, from what answers them now, where the history of what answered then was not kept. A stored example
/// finds itself: then that of the nearest of the others which the structure found counts.
fn distances_from_others(structure: &Structure, points: PointsRef<'_>, rows: &[usize]) -> Result<Vec<f64>, FitError> {
    let search = structure.search();
    let mut distances = Vec::with_capacity(rows.len());
    for (row, voters) in rows.iter().copied().zip(search.voters_of_all(points.select(rows).view())?) {
        let nearest_other = |neighbors: Vec<Neighbor>| {
            let others = neighbors.iter().filter(|neighbor| neighbor.id != ExampleId(row as u64));
            others.map(|neighbor| neighbor.distance).min_by(f64::total_cmp)
        };
        distances.extend(match nearest_other(voters) {
            Some(distance) => Some(distance),
            None => nearest_other(search.k_nearest(points.row(row), 2, Effort::default())?),
        });
    }
    Ok(distances)
}

/// The sigma that was learned with; where there was none, one by which an example as far as most are from their answers still counts.
fn closeness(learned: Option<&Trained>, calibration: &Calibration, distance: &Distance) -> DistanceScale {
    let of_method = learned.and_then(|learned| learned.params.method.scale());
    of_method.unwrap_or_else(|| {
        let distances = calibration.distances();
        let typical = distances.get(distances.len() / 2).copied().unwrap_or(1.0);
        let square = match distance {
            Distance::SquaredEuclidean => typical,
            _ => typical * typical,
        };
        DistanceScale::SquaredEuclidean(if square.is_finite() && square > 0.0 { square } else { 1.0 })
    })
}

fn originals(params: &FitParams, structure: &Structure, points: PointsRef<'_>, differ: bool) -> OriginalExamples {
    let mut originals = OriginalExamples::new(points.width(), points.kind());
    if differ && params.originals == Originals::Stored {
        for id in structure.search().stored_ids() {
            originals.add(id, points.row(id.0 as usize));
        }
    }
    originals
}

fn data_facts(dataset: &Dataset) -> DataFacts {
    let train = dataset.train();
    DataFacts {
        name: dataset.name().to_owned(),
        fingerprint: fingerprint(train.points(), train.labels()),
        n_examples: train.len(),
        n_features: dataset.width(),
        bytes: dataset.points().kind() == hedgerow_core::PointKind::U8,
        image_shape: dataset.image_shape(),
        attribution: dataset.attribution().map(str::to_owned),
    }
}

/// SHA-256 of points and labels.
pub(super) fn fingerprint(points: PointsRef<'_>, labels: &[Label]) -> String {
    let mut hash = Sha256::new();
    hash.update((points.width() as u64).to_le_bytes());
    if let Some(bytes) = points.as_u8() {
        hash.update(bytes);
    }
    for value in points.as_f32().unwrap_or_default() {
        hash.update(value.to_le_bytes());
    }
    for label in labels {
        match label {
            Label::Class(class) => hash.update(class.0.to_le_bytes()),
            Label::Value(value) => hash.update(value.to_le_bytes()),
            Label::Unlabeled => hash.update([255]),
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What tells a model from others. The same fit gives the same one: a journal that goes on from it is as good for both.
fn id(facts: &Facts, weights: &[f32]) -> Seal {
    let mut hash = Sha256::new();
    hash.update(format!("{facts:?}"));
    weights.iter().for_each(|weight| hash.update(weight.to_le_bytes()));
    Seal(hash.finalize().into())
}

fn sources(dataset: &Dataset) -> RowIds {
    let rows = dataset.rows(Split::Train);
    match dataset.row_ids() {
        RowIds::Numbers(numbers) => RowIds::Numbers(numbers[rows].to_vec()),
        RowIds::Names(names) => RowIds::Names(names[rows].to_vec()),
    }
}
