//! The product: preprocessing, representation, neighbor structure, names and journal as one thing.
//!
//! `params.rs` says what a model is fitted with, `fit.rs` how, `answers.rs` what it answers, `changes.rs` how it learns on. How it
//! is written down is in `crate::persistence`, what happens after the fit in `crate::journal`.

mod answers;
mod changes;
mod evaluate;
mod fit;
mod originals;
mod params;
mod structure;

use std::sync::Mutex;

use hedgerow_core::{Calibration, ExampleId, Label, NeighborSearch, PointKind, Points, PointsRef, Task};
use hedgerow_data::{Encoding, ImageShape, Preprocessing, ReadOptions, RowIds, Schema};
use hedgerow_learn::{DenseNetwork, DistanceScale, EpochRecord, Outcome, Validation};
use serde::{Deserialize, Serialize};

use crate::journal::{Journal, Seal};

pub use answers::{Decision, ModelAnswer, ModelPrediction, Probabilities, Unknown, Walk};
pub use changes::{Addition, Inserted};
pub use evaluate::{CalibrationBin, ClassResult, Evaluation, RejectionPoint, ValueResult};
pub use fit::{FitEvent, FitListener, FitOptions, silent_fit};
pub(crate) use fit::{default_scaling, learn, prepare};
pub(crate) use originals::OriginalExamples;
pub(crate) use params::Common;
pub use params::{FitParams, Originals, Rejection, StructureParams};
pub use structure::Structure;

/// A fitted model: it classifies (or estimates, or finds again) by stored examples, says why, and learns on.
///
/// # Example
/// ```
/// use hedgerow::learn::TrainingParams;
/// use hedgerow::{FitOptions, FitParams, Model, data};
///
/// let moons = data::load("moons?n=300&noise=0.1&seed=7")?;
/// let learning = TrainingParams { epochs: Some(30), ..TrainingParams::default() };
/// let params = FitParams { learning: Some(learning), ..FitParams::default() };
/// let model = Model::fit(&moons, &params, &FitOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()))?;
///
/// let answer = &model.predict(moons.train().points())?[0];
/// println!("{}", model.label_text(answer.label));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Model {
    pub(crate) facts: Facts,
    pub(crate) preprocessing: Preprocessing,
    pub(crate) transform: Option<DenseNetwork>,
    pub(crate) structure: Structure,
    pub(crate) calibration: Calibration,
    pub(crate) originals: OriginalExamples,
    /// Where the examples that the model was fitted to came from: those with ids below its length.
    pub(crate) sources: RowIds,
    /// Those of them that were never shown to the structure, in rising order: [`FitParams::editing`].
    pub(crate) left_out: Vec<ExampleId>,
    pub(crate) metrics: Metrics,
    /// What tells it from other models: where the chain of its journal begins.
    pub(crate) id: Seal,
    pub(crate) journal: Mutex<Journal>,
    /// Entries of the journal that the model has taken in.
    pub(crate) n_entries: u64,
    /// Changes that it has taken in before these, and whose record is lost.
    pub(crate) n_lost: u64,
    /// The id after the largest that was ever given.
    pub(crate) next_id: u64,
}

/// What a model knows of itself besides numbers: `config.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Facts {
    /// The version of this crate that fitted it.
    pub(crate) crate_version: String,
    /// Everything that it was fitted with, what was left to the data settled.
    pub(crate) params: FitParams,
    pub(crate) task: Task,
    pub(crate) data: DataFacts,
    /// How data is read for it; the class names are here.
    pub(crate) schema: Schema,
    /// By what the closeness of examples is judged where probabilities are asked for.
    pub(crate) closeness: DistanceScale,
}

/// What a model was fitted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataFacts {
    /// The name of the data.
    pub name: String,
    /// SHA-256 of its training points and labels.
    pub fingerprint: String,
    /// Training examples.
    pub n_examples: usize,
    /// Features of a point.
    pub n_features: usize,
    /// Whether points are of bytes, as pictures are.
    pub bytes: bool,
    /// The shape of pictures.
    pub image_shape: Option<ImageShape>,
    /// Whose data it is, if its licence wants that said.
    pub attribution: Option<String>,
}

impl DataFacts {
    /// Whether these are the examples that the model was fitted to, whatever their data is called.
    pub fn describes(&self, points: PointsRef<'_>, labels: &[Label]) -> bool {
        (points.len(), points.width()) == (self.n_examples, self.n_features)
            && fit::fingerprint(points, labels) == self.fingerprint
    }

    pub(crate) fn kind(&self) -> PointKind {
        if self.bytes { PointKind::U8 } else { PointKind::F32 }
    }
}

/// What was measured: `metrics.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// The model's `id` of `config.json`.
    pub model_id: String,
    /// Examples stored when the model was fitted.
    pub n_stored: usize,
    /// Examples shown.
    pub n_shown: usize,
    /// Bytes of the structure in memory.
    pub structure_bytes: usize,
    /// Weights of the network.
    pub n_weights: usize,
    /// Seconds of learning.
    pub train_seconds: f64,
    /// Seconds of building the structure.
    pub build_seconds: f64,
    /// Why learning ended.
    pub outcome: Option<String>,
    /// What the representation reached on the examples kept for validation.
    pub validation: Option<Validation>,
    /// Every epoch of learning.
    pub epochs: Vec<EpochRecord>,
    /// Evaluations that were recorded since, newest last.
    pub evaluations: Vec<RecordedEvaluation>,
}

/// An evaluation kept with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedEvaluation {
    /// The data, by name and split.
    pub data: String,
    /// Queries.
    pub n_queries: usize,
    /// Share of wrong answers, in percent (classification).
    pub error_percent: Option<f64>,
    /// Mean absolute error (regression).
    pub mean_absolute_error: Option<f64>,
    /// Stored examples at that time.
    pub n_stored: usize,
}

pub(crate) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "finished",
        Outcome::StoppedEarly => "stopped-early",
        Outcome::TimeUp => "time-up",
        _ => "stopped",
    }
}

impl Model {
    /// What the labels are for.
    pub fn task(&self) -> Task {
        self.facts.task
    }

    /// What it was fitted with, what was left to the data settled.
    pub fn params(&self) -> &FitParams {
        &self.facts.params
    }

    /// What it was fitted to.
    pub fn data(&self) -> &DataFacts {
        &self.facts.data
    }

    /// The training examples that were never shown to the structure, since their neighbors outvote them ([`FitParams::editing`]), in rising order.
    pub fn left_out(&self) -> &[ExampleId] {
        &self.left_out
    }

    /// The version of this crate that fitted it.
    pub fn crate_version(&self) -> &str {
        &self.facts.crate_version
    }

    /// The names of the classes, by their number; new ones come last.
    pub fn class_names(&self) -> &[String] {
        &self.facts.schema.class_names
    }

    /// The names of the features.
    pub fn feature_names(&self) -> Vec<String> {
        self.encoding().feature_names()
    }

    /// The columns behind the features.
    pub fn encoding(&self) -> &Encoding {
        &self.facts.schema.encoding
    }

    /// How other data is read for this model: the same columns, categories and classes.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            schema: Some(self.facts.schema.clone()),
            constant_label: hedgerow_data::ConstantLabel::Allow,
            ..ReadOptions::default()
        }
    }

    /// The neighbor structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// What all neighbor structures can do.
    pub fn search(&self) -> &dyn NeighborSearch {
        self.structure.search()
    }

    /// The learned representation, if there is one.
    pub fn transform(&self) -> Option<&DenseNetwork> {
        self.transform.as_ref()
    }

    /// The recorded preprocessing.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// What was measured.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// By what closeness is judged where probabilities are asked for: `softmax(-d / sigma)` of the DBS paper.
    pub fn closeness(&self) -> DistanceScale {
        self.facts.closeness
    }

    /// When the model says that it does not know.
    pub fn rejection(&self) -> Rejection {
        self.facts.params.rejection
    }

    /// The same model with another rule for when it does not know.
    #[must_use]
    pub fn with_rejection(mut self, rejection: Rejection) -> Self {
        self.facts.params.rejection = rejection;
        self
    }

    /// Bytes of memory held, nearly.
    pub fn size_bytes(&self) -> usize {
        let weights = self.transform.as_ref().map_or(0, |transform| size_of_val(transform.parameters()));
        self.search().size_bytes() + weights + self.originals.size_bytes()
    }

    /// Bytes of what the structure needs to answer, without the history and the originals: stored points and, of trees, their nodes.
    pub fn answering_bytes(&self) -> usize {
        // A node: its row, its parent, and its place among the children of that.
        const NODE_BYTES: usize = 3 * size_of::<u32>();
        let search = self.search();
        let width = search.width().unwrap_or(0);
        let number = match (&self.transform, self.preprocessing.is_none(), self.facts.data.kind()) {
            (None, true, PointKind::U8) => size_of::<u8>(),
            _ => size_of::<f32>(),
        };
        let nodes: usize = self.structure.trees().iter().map(|tree| tree.len()).sum();
        search.n_stored() * (width * number + size_of::<u32>()) + nodes * NODE_BYTES
    }

    /// A label as text: the name of its class, its value, or nothing.
    pub fn label_text(&self, label: Label) -> String {
        match label {
            Label::Class(class) => {
                self.class_names().get(class.0 as usize).cloned().unwrap_or_else(|| class.0.to_string())
            }
            Label::Value(value) => value.to_string(),
            Label::Unlabeled => String::new(),
        }
    }

    /// Where an example came from, as text.
    pub fn source_text(&self, id: ExampleId) -> String {
        let name = &self.facts.data.name;
        match usize::try_from(id.0) {
            Ok(row) if row < self.sources.len() => match &self.sources {
                RowIds::Numbers(numbers) => format!("row {} of {name}", numbers[row]),
                RowIds::Names(names) => format!("{} of {name}", names[row]),
            },
            _ => format!("example {id}, added later"),
        }
    }

    /// An example as it was given, if the model has it.
    pub fn original(&self, id: ExampleId) -> Option<Points> {
        if let Some(original) = self.originals.get(id) {
            return Some(original);
        }
        let is_original = self.transform.is_none() && self.preprocessing.is_none();
        let (point, _) = self.search().example(id).filter(|_| is_original)?;
        answers::one(point).ok().map(|point| point.to_owned())
    }

    /// The common parameters of structures.
    pub(crate) fn common(&self) -> Common {
        Common::of(&self.facts.params, self.facts.task)
    }
}
