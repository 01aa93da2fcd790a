//! Methods side by side on one data set: fitted to the same training rows, asked about the same test rows.
//!
//! For tables and reports; nothing here chooses a method by test rows.

use std::time::Instant;

use hedgerow_core::{Label, Passes, Points, PointsRef, Task, Vote};
use hedgerow_data::{Dataset, Part, Preprocessing, Split};
use hedgerow_learn::{Method, MlpClassifier, TrainingParams};
use serde::Serialize;

use crate::error::{AnswerError, FitError};
use crate::model::{FitListener, FitOptions, FitParams, Model, StructureParams, default_scaling, learn, prepare};

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
        learned(Method::default()),
    ]
}

/// One boundary tree in the space that a method learns, named for it: `triplet + tree`.
pub fn learned(method: Method) -> Contender {
    // As the paper writes it, and the tables that README shows.
    let name = if let Method::Dbs(_) = method { "DBS" } else { method.name() };
    Contender {
        name: format!("{name} + tree"),
        kind: ContenderKind::Model(FitParams {
            learning: Some(TrainingParams { method, ..TrainingParams::default() }),
            ..FitParams::default()
        }),
    }
}

/// Refuses data by which nothing can be compared, before anything is fitted to it.
///
/// # Errors
/// No training rows, no test rows, or one of these without a class: [`FitError::NoTrainingRows`], [`FitError::NoTestRows`],
/// [`FitError::NothingToTell`].
pub fn check_comparable(dataset: &Dataset) -> Result<(), FitError> {
    let name = || dataset.name().to_owned();
    if dataset.train().is_empty() {
        return Err(FitError::NoTrainingRows { name: name() });
    }
    if dataset.test().is_empty() {
        return Err(FitError::NoTestRows { name: name() });
    }
    for split in [Split::Train, Split::Test] {
        let part = dataset.part(split);
        if let Some(row) = part.labels().iter().position(|label| label.as_class().is_none()) {
            return Err(FitError::NothingToTell { name: name(), row: part.row_id(row), label: part.labels()[row] });
        }
    }
    Ok(())
}

/// Fits a contender to the training rows and asks it about the test rows. Gives its row, and the model if it is one.
///
/// # Errors
/// What [`check_comparable`] and [`Model::fit`] refuse.
pub fn compete(
    contender: &Contender,
    seed: u64,
    dataset: &Dataset,
    listener: &mut FitListener<'_>,
) -> Result<(ComparisonRow, Option<Model>), FitError> {
    check_comparable(dataset)?;
    let tests = &dataset.test();
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
            let preprocessing = Preprocessing::fit(dataset, &default_scaling(dataset))?;
            let train = dataset.train();
            let prepared = prepare(&preprocessing, train.points())?;
            let points = prepared.as_ref().map_or(train.points(), Points::view);
            let (task, options) = (Task::Classification, FitOptions::default());
            let learned = learn(dataset, &preprocessing, points, task, &training, &options, listener)?;
            let fit_seconds = started.elapsed().as_secs_f64();
            let classifier = learned.classifier.ok_or(FitError::NoClassLayer)?;
            let answer = |points: PointsRef<'_>| -> Result<Vec<Label>, FitError> {
                let prepared = prepare(&preprocessing, points)?;
                let points = prepared.as_ref().map_or(points, Points::view);
                Ok(classifier.predict(points)?.into_iter().map(Label::Class).collect())
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
    Ok((100.0 * n_wrong as f64 / tests.len() as f64, 1e6 * median))
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
            let (row, model) = compete(&contender, 1, &moons, &mut silent_fit()).unwrap();
            assert!(row.error_percent < 15.0, "{row:?}");
            assert_eq!(row.n_stored.is_some(), model.is_some());
            assert!(row.bytes > 0 && row.fit_seconds > 0.0 && row.microseconds_per_query > 0.0, "{row:?}");
        }
    }

    #[test]
    fn data_by_which_nothing_can_be_compared_is_refused_before_anything_is_fitted() {
        let tree = &default_contenders()[1];
        let refused = |data: &Dataset| {
            let mut listener = |_: &crate::FitEvent<'_>| panic!("nothing is fitted");
            compete(tree, 0, data, &mut listener).unwrap_err().to_string()
        };
        let moons = hedgerow_data::load("moons?n=40").unwrap();
        assert!(refused(&moons).contains("no test rows"));
        let labelled = |label: Label| {
            let points = Points::from_f32(1, vec![0.0, 1.0, 2.0]).unwrap();
            Dataset::new("three", points, vec![label; 3]).unwrap().with_split_rows(2, 0, 1).unwrap()
        };
        for label in [Label::Unlabeled, Label::Value(1.5)] {
            let error = refused(&labelled(label));
            assert!(error.contains("row 0 of three has no class"), "{error}");
        }
    }

    #[test]
    fn a_class_layer_is_chosen_by_the_validation_rows_of_the_data_as_a_model_is() {
        // All validation rows have the other label: whoever looks at them finds an error of nearly all, not of a few.
        let moons = hedgerow_data::load("moons?n=300&noise=0.05&seed=2").unwrap();
        let moons = moons.split(&SplitParams { validation: 0.2, test: 0.2, seed: 0 }).unwrap();
        let turned = |(row, label): (usize, &Label)| match label {
            Label::Class(class) if moons.rows(Split::Validation).contains(&row) => Label::class(1 - class.0),
            label => *label,
        };
        let labels: Vec<Label> = moons.labels().iter().enumerate().map(turned).collect();
        let sizes = Split::ALL.map(|split| moons.rows(split).len());
        let turned = Dataset::new("turned", moons.points().select(&(0..moons.len()).collect::<Vec<_>>()), labels);
        let turned = turned.unwrap().with_split_rows(sizes[0], sizes[1], sizes[2]).unwrap();
        let training = TrainingParams {
            method: Method::MlpClassifier(MlpClassifier::default()),
            epochs: Some(60),
            evaluate_every: Some(60),
            ..TrainingParams::default()
        };
        let contender = Contender { name: "NNet*".to_owned(), kind: ContenderKind::ClassLayer(training) };
        let mut found = Vec::new();
        let mut listener = |event: &crate::FitEvent<'_>| {
            if let crate::FitEvent::Learning(hedgerow_learn::Event::Epoch(record)) = event {
                found.extend(record.validation.map(|validation| validation.error_percent));
            }
            std::ops::ControlFlow::Continue(())
        };
        compete(&contender, 0, &turned, &mut listener).unwrap();
        assert!(found.last().is_some_and(|error| *error > 80.0), "{found:?}");
    }

    #[test]
    fn methods_are_named_for_what_they_learn_by() {
        let name = |method: &str| learned(method.parse().unwrap()).name;
        assert_eq!([name("dbs"), name("dbt-v1"), name("soft-nn")], ["DBS + tree", "dbt-v1 + tree", "soft-nn + tree"]);
        assert!(default_contenders().contains(&learned(Method::default())));
    }
}
