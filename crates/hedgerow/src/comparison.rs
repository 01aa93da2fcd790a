//! Methods side by side on one data set: fitted to the same training rows, asked about the same test rows.
//!
//! For tables and reports; nothing here chooses a method by test rows.

use std::time::Instant;

use hedgerow_core::{Examples, Label, Passes, Points, PointsRef, Vote};
use hedgerow_data::{Dataset, Part, Preprocessing, Scaling};
use hedgerow_learn::{Method, MlpClassifier, Outcome, RunOptions, TrainingParams, train};
use serde::Serialize;

use crate::error::{AnswerError, FitError};
use crate::model::{FitEvent, FitListener, FitOptions, FitParams, Model, StructureParams};

/// Single queries that are timed.
const TIMED: usize = 500;

/// Something to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Its name in the table.
    pub name: String,
    /// What it is.
    pub kind: ContenderKind,
}

/// What a contender is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "there are a few of them")]
pub enum ContenderKind {
    /// A model.
    Model(FitParams),
    /// NNet* of the DBS paper: the layer of a classifier that names the class, without stored examples.
    ClassLayer(TrainingParams),
}

/// How a contender fared with one seed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// Its name.
    pub name: String,
    /// The seed.
    pub seed: u64,
    /// Share of wrong answers to the test rows, in percent.
    pub error_percent: f64,
    /// Examples that answers come from; none of a class layer.
    pub n_stored: Option<usize>,
    /// Bytes of what answering needs: stored examples, or trees over them, and weights. The history for exact removal is left out.
    pub bytes: usize,
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Microseconds for one query alone, the median.
    pub microseconds_per_query: f64,
}

/// What there is to be compared if nobody says: exact neighbors, the structures on the points as they are, a classifier, and one boundary
/// tree in the space that differentiable boundary sets learn.
pub fn default_contenders() -> Vec<Contender> {
    let plain = |name: &str, structure: StructureParams| Contender {
        name: name.to_owned(),
        kind: ContenderKind::Model(FitParams { learning: None, structure, ..FitParams::default() }),
    };
    let hart = StructureParams::Set { passes: Passes::UntilConsistent, n_neighbors: 1, vote: Vote::Majority };
    let classifier = Method::MlpClassifier(MlpClassifier::default());
    vec![
        plain("exact 1-NN", StructureParams::knn(1)),
        plain("boundary tree", StructureParams::tree()),
        plain("boundary forest", StructureParams::forest()),
        plain("boundary set", StructureParams::set()),
        plain("Hart's condensed set", hart),
        Contender {
            name: "NNet* (class layer)".to_owned(),
            kind: ContenderKind::ClassLayer(TrainingParams { method: classifier, ..TrainingParams::default() }),
        },
        Contender { name: "DBS + tree".to_owned(), kind: ContenderKind::Model(FitParams::default()) },
    ]
}

/// Fits a contender to the training rows and asks it about `tests`. Gives its row, and the model if it is one.
///
/// # Errors
/// What [`Model::fit`] refuses.
pub fn compete(
    contender: &Contender,
    seed: u64,
    dataset: &Dataset,
    tests: &Part<'_>,
    listener: &mut FitListener<'_>,
) -> Result<(ComparisonRow, Option<Model>), FitError> {
    match &contender.kind {
        ContenderKind::Model(params) => {
            let learning = params.learning.clone().map(|learning| TrainingParams { seed, ..learning });
            let params = FitParams { learning, seed, ..params.clone() };
            let started = Instant::now();
            let model = Model::fit(dataset, &params, &FitOptions::default(), listener)?;
            let fit_seconds = started.elapsed().as_secs_f64();
            let answer = |points: PointsRef<'_>| -> Result<Vec<Label>, FitError> {
                Ok(model.predict(points)?.into_iter().map(|prediction| prediction.label).collect())
            };
            let (error_percent, microseconds_per_query) = judge(tests, answer)?;
            let weights = model.transform().map_or(0, |transform| size_of_val(transform.parameters()));
            let row = ComparisonRow {
                name: contender.name.clone(),
                seed,
                error_percent,
                n_stored: Some(model.search().n_stored()),
                bytes: model.answering_bytes() + weights,
                fit_seconds,
                microseconds_per_query,
            };
            Ok((row, Some(model)))
        }
        ContenderKind::ClassLayer(training) => {
            let started = Instant::now();
            let training = TrainingParams { seed, ..training.clone() };
            let scaling: &[Scaling] = match dataset.points().kind() {
                hedgerow_core::PointKind::F32 => &[Scaling::Standardize],
                hedgerow_core::PointKind::U8 => &[],
            };
            let preprocessing = Preprocessing::fit(dataset, scaling)?;
            let points = preprocessing.apply(dataset.train().points())?.points;
            let examples = Examples::new(points.view(), dataset.train().labels())?;
            let mut hear = |event: &hedgerow_learn::Event<'_>| listener(&FitEvent::Learning(event));
            let learned = train(&examples, &training, &RunOptions::default(), &mut hear)?;
            let fit_seconds = started.elapsed().as_secs_f64();
            if learned.outcome == Outcome::Stopped {
                return Err(FitError::Stopped { checkpoint: None });
            }
            let classifier = learned.classifier.ok_or(FitError::NoClassLayer)?;
            let answer = |points: PointsRef<'_>| -> Result<Vec<Label>, FitError> {
                let prepared: Points = preprocessing.apply(points)?.points;
                Ok(classifier.predict(prepared.view())?.into_iter().map(Label::Class).collect())
            };
            let (error_percent, microseconds_per_query) = judge(tests, answer)?;
            let row = ComparisonRow {
                name: contender.name.clone(),
                seed,
                error_percent,
                n_stored: None,
                bytes: size_of_val(classifier.network.parameters()),
                fit_seconds,
                microseconds_per_query,
            };
            Ok((row, None))
        }
    }
}

/// The error of all answers, in percent, and the median time of a single one in microseconds.
fn judge(
    tests: &Part<'_>,
    answer: impl Fn(PointsRef<'_>) -> Result<Vec<Label>, FitError>,
) -> Result<(f64, f64), FitError> {
    let answers = answer(tests.points())?;
    let n_wrong = answers.iter().zip(tests.labels()).filter(|(answer, truth)| answer != truth).count();
    let mut times = Vec::new();
    for row in 0..tests.len().min(TIMED) {
        let query = tests.points().slice(row..row + 1);
        let started = Instant::now();
        answer(query)?;
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    Ok((100.0 * n_wrong as f64 / tests.len().max(1) as f64, 1e6 * median))
}

impl From<AnswerError> for FitError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Preprocess(source) => Self::Preprocess(source),
            AnswerError::Apply(source) => Self::Apply(source),
            AnswerError::Query(source) => Self::Query(source),
            AnswerError::Points(source) => Self::Points(source),
            other => Self::Answer(Box::new(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::silent_fit;
    use hedgerow_data::SplitParams;

    #[test]
    fn all_that_is_compared_learns_something() {
        let moons = hedgerow_data::load("moons?n=400&noise=0.15&seed=3").unwrap();
        let moons = moons.split(&SplitParams { validation: 0.0, test: 0.25, seed: 0 }).unwrap();
        let short = |contender: Contender| {
            let shorter = |training: TrainingParams| TrainingParams { epochs: Some(200), ..training };
            let kind = match contender.kind {
                ContenderKind::Model(params) => {
                    ContenderKind::Model(FitParams { learning: params.learning.map(shorter), ..params })
                }
                ContenderKind::ClassLayer(training) => ContenderKind::ClassLayer(shorter(training)),
            };
            Contender { kind, ..contender }
        };
        for contender in default_contenders().into_iter().map(short) {
            let (row, model) = compete(&contender, 1, &moons, &moons.test(), &mut silent_fit()).unwrap();
            assert!(row.error_percent < 15.0, "{row:?}");
            assert_eq!(row.n_stored.is_some(), model.is_some());
            assert!(row.bytes > 0 && row.fit_seconds > 0.0 && row.microseconds_per_query > 0.0, "{row:?}");
        }
    }
}
