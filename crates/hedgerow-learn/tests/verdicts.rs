//! What runs tell, what they find out about their weights, and which weights they give.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Examples, Label, Points};
use hedgerow_learn::evaluation::{ShownExamples, Structure};
use hedgerow_learn::*;

use common::{bits, clusters, learn, small};

/// Points whose class their first two features say, the third says nothing.
fn signs(seed: u64, n: usize) -> (Points, Vec<Label>) {
    let mut random = SplitMix64::new(seed, 0);
    let values: Vec<f32> = (0..n * 3).map(|_| random.normal() as f32).collect();
    let labels = values.chunks(3).map(|row| Label::class(u32::from(row[0] * row[1] > 0.0))).collect();
    (Points::from_f32(3, values).unwrap(), labels)
}

fn three_rounds() -> TrainingParams {
    let dbs = Dbs { boundary_batch_size: 20, train_batch_size: 30, ..Dbs::default() };
    TrainingParams { method: Method::Dbs(dbs), ..small() }
}

/// A run, and a letter for each of its events. It is stopped when so many letters have been told.
fn told(examples: &Examples<'_>, params: &TrainingParams, options: &RunOptions, most: usize) -> (String, Trained) {
    let mut letters = String::new();
    let mut listener = |event: &Event<'_>| {
        letters.push(match event {
            Event::Started { .. } => 'S',
            Event::Notice(_) => 'n',
            Event::Round { .. } => 'r',
            Event::Evaluating { .. } => 'v',
            Event::Epoch(record) => {
                if record.validation.is_some() {
                    'E'
                } else {
                    'e'
                }
            }
            Event::Checkpoint(_) => 'c',
            _ => '?',
        });
        if letters.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let learned = train(examples, params, options, &mut listener).unwrap();
    (letters, learned)
}

#[test]
fn the_weights_given_are_those_that_the_validation_is_of() {
    let ((points, labels), (queries, answers)) = (signs(1, 300), signs(2, 200));
    let examples = Examples::new(points.view(), &labels).unwrap();
    let given = Examples::new(queries.view(), &answers).unwrap();
    let rows: Vec<usize> = (0..labels.len()).collect();
    let classifier = Method::MlpClassifier(MlpClassifier { batch_size: 50 });
    for (method, averaging) in
        [(three_rounds().method, None), (three_rounds().method, Some(0.9)), (classifier, Some(0.9))]
    {
        for keep in [Keep::Best, Keep::Last] {
            // So fast that it goes to and fro.
            let learning_rate =
                LearningRate { start: Some(0.1), schedule: Schedule::Constant, ..LearningRate::default() };
            let params = TrainingParams {
                method: method.clone(),
                adam: AdamParams { averaging, ..AdamParams::default() },
                learning_rate,
                evaluate_every: Some(1),
                epochs: Some(20),
                keep,
                seed: 5,
                ..small()
            };
            let name = format!("{} {averaging:?} {keep:?}", params.method.name());
            let learned =
                train_validated(&examples, Some(&given), &params, &RunOptions::default(), &mut silent()).unwrap();
            let (shown, asked) =
                (learned.transform.apply(points.view()).unwrap(), learned.transform.apply(queries.view()).unwrap());
            let shown = ShownExamples::shuffled(shown.view(), &labels, &rows, params.seed).unwrap();
            let tree = shown.evaluate(Structure::Tree, asked.view(), &answers, params.seed).unwrap();
            let of_classifier = learned.classifier.map(|it| it.error_percent(queries.view(), &answers).unwrap());
            let error_percent = of_classifier.unwrap_or(tree.error_percent);
            let found = Validation { error_percent, n_nodes: tree.n_stored };
            assert_eq!(learned.validation, Some(found), "{name}");
            let of_epochs: Vec<Validation> = learned.records.iter().filter_map(|record| record.validation).collect();
            let best = of_epochs.iter().map(|v| (v.error_percent, v.n_nodes)).reduce(|a, b| if b < a { b } else { a });
            let last = of_epochs.last().map(|v| (v.error_percent, v.n_nodes));
            assert_ne!(best, last, "{name}: the last epoch is the best, which shows nothing");
            let expected = if keep == Keep::Best { best } else { last };
            assert_eq!(Some((found.error_percent, found.n_nodes)), expected, "{name}");
        }
    }
}

#[test]
fn among_weights_that_answer_alike_the_latest_are_given() {
    let (points, labels) = clusters(4, &[60, 60], 7);
    let kept = |keep: Keep| {
        let params = TrainingParams { keep, evaluate_every: Some(1), epochs: Some(6), ..small() };
        learn(&points, &labels, &params)
    };
    let (best, last) = (kept(Keep::Best), kept(Keep::Last));
    // Clusters so far apart that nothing changes the answers, while the weights change.
    let validations: Vec<_> = best.records.iter().map(|record| record.validation).collect();
    assert!(validations.len() == 6 && validations.iter().all(|validation| *validation == validations[0]));
    assert_eq!(bits(&best), bits(&last));
}

#[test]
fn one_step_of_a_run_with_averaged_weights() {
    let (points, labels) = clusters(4, &[60, 60], 3);
    let with = |averaging: Option<f64>, options: &RunOptions| {
        let adam = AdamParams { averaging, ..AdamParams::default() };
        let params = TrainingParams { adam, epochs: Some(1), keep: Keep::Last, ..small() };
        let examples = Examples::new(points.view(), &labels).unwrap();
        train(&examples, &params, options, &mut silent()).unwrap()
    };
    let start = with(None, &RunOptions { max_seconds: Some(0.0), ..RunOptions::default() });
    let (plain, averaged) = (with(None, &RunOptions::default()), with(Some(0.999), &RunOptions::default()));
    assert_eq!((plain.n_steps, averaged.n_steps), (1, 1));
    let weights = |learned: &Trained| learned.transform.parameters().to_vec();
    // Of the start, (1 + 1) / (10 + 1) is kept.
    let fresh = (1.0 - 2.0 / 11.0) as f32;
    let expected: Vec<f32> =
        weights(&start).iter().zip(weights(&plain)).map(|(start, plain)| start + fresh * (plain - start)).collect();
    assert_eq!(weights(&averaged), expected);
    assert_ne!(bits(&plain), bits(&start));
}

#[test]
fn events_come_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let (points, labels) = clusters(5, &[60, 60, 60], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let options = RunOptions { checkpoint, resume: true, ..RunOptions::default() };
    let params = TrainingParams { epochs: Some(4), evaluate_every: Some(2), ..three_rounds() };
    let (letters, learned) = told(&examples, &params, &options, usize::MAX);
    assert_eq!(letters, "SrrrerrrvErrrerrrvEc");
    assert_eq!(learned.outcome, Outcome::Finished);
    assert_eq!(told(&examples, &params, &options, usize::MAX).0, "Sc");
    // What is written after every round, and batches that are smaller than the method asks for.
    let often = RunOptions { checkpoint_seconds: Some(0.0), ..options };
    std::fs::remove_file(folder.path().join("run.safetensors")).unwrap();
    let params = TrainingParams { epochs: Some(2), ..small() };
    assert_eq!(told(&examples, &params, &often, usize::MAX).0, "SnrcvErcvEc");
    let no_time = RunOptions { max_seconds: Some(0.0), ..RunOptions::default() };
    assert_eq!(told(&examples, &params, &no_time, usize::MAX).0, "Snv");
}

#[test]
fn the_last_evaluation_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (points, labels) = clusters(5, &[60, 60, 60], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    for (which, keep) in [Keep::Best, Keep::Last].into_iter().enumerate() {
        let params = TrainingParams { epochs: Some(2), keep, ..three_rounds() };
        let checkpoint = Some(folder.path().join(format!("{which}.safetensors")));
        let options = RunOptions { checkpoint, resume: true, ..RunOptions::default() };
        let (letters, learned) = told(&examples, &params, &options, usize::MAX);
        assert_eq!(letters, "SrrrvErrrvEc", "{keep:?}");
        let (letters, again) = told(&examples, &params, &options, usize::MAX);
        assert_eq!((letters.as_str(), again.validation), ("Sc", learned.validation), "{keep:?}");
        assert!(again.validation.is_some());
    }
}

#[test]
fn a_run_that_is_stopped_by_hand_ends_at_once() {
    let (points, labels) = clusters(5, &[60, 60, 60], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    for keep in [Keep::Best, Keep::Last] {
        let params = TrainingParams { keep, ..three_rounds() };
        let stopped = |most: usize| {
            let (letters, learned) = told(&examples, &params, &RunOptions::default(), most);
            assert_eq!((learned.outcome, letters.len()), (Outcome::Stopped, most), "{letters}");
            learned
        };
        // After the last round of the first epoch: nothing is known of the weights, and the epoch is not over.
        let first = stopped(4);
        assert_eq!((first.validation, first.records.len(), first.n_steps), (None, 0, 3));
        // In the third epoch: what is known is of the second.
        let later = stopped(1 + 5 + 5 + 2);
        let known = [later.records[0].validation.unwrap(), later.records[1].validation.unwrap()];
        assert_eq!((later.records.len(), later.n_steps), (2, 8));
        match keep {
            Keep::Best => assert!(known.contains(&later.validation.unwrap())),
            Keep::Last => assert_eq!(later.validation, Some(known[1])),
        }
    }
}

#[test]
fn the_first_event_says_what_was_settled_and_all_can_be_written_down() {
    let (points, labels) = clusters(5, &[60, 60, 60], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let method = Method::MlpClassifier(MlpClassifier { batch_size: 500 });
    let params = TrainingParams { method, layers: None, epochs: Some(1), ..small() };
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let mut texts = Vec::new();
    let mut listener = |event: &Event<'_>| {
        texts.push(serde_json::to_value(event).unwrap());
        ControlFlow::Continue(())
    };
    // Within a pool of its own, which the listener can be sent to.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let options = RunOptions { checkpoint, ..RunOptions::default() };
    let learned = pool.install(|| train(&examples, &params, &options, &mut listener)).unwrap();
    let expected = serde_json::json!({"started": {
        "n_epochs": 1, "n_rounds": 1, "epoch": 0, "round": 0, "layers": [100, 100, 20, 3],
        // (5 + 1) * 100 + (100 + 1) * 100 + (100 + 1) * 20 + (20 + 1) * 3
        "n_weights": 12_783, "learning_rate": 0.003, "n_train": 162, "n_validation": 18
    }});
    assert_eq!(texts[0], expected);
    let shrunk = serde_json::json!({"notice": {"rounds-shrunk": {
        "wanted": {"n_boundary": 0, "n_train": 500}, "now": {"n_boundary": 0, "n_train": 162}
    }}});
    assert_eq!(texts[1], shrunk);
    let names: Vec<&String> = texts.iter().flat_map(|text| text.as_object().unwrap().keys()).collect();
    assert_eq!(names, ["started", "notice", "round", "evaluating", "epoch", "checkpoint"]);
    assert_eq!(serde_json::to_value(learned.outcome).unwrap(), "finished");
}

#[test]
fn a_result_says_what_it_was_learned_from() {
    let (points, mut labels) = clusters(5, &[60, 60, 60], 4);
    labels.iter_mut().for_each(|label| *label = Label::class(10 * label.as_class().unwrap().0 + 7));
    let params = TrainingParams { layers: None, epochs: None, method: three_rounds().method, ..small() };
    let options = RunOptions { max_seconds: Some(0.0), ..RunOptions::default() };
    let examples = Examples::new(points.view(), &labels).unwrap();
    let learned = train(&examples, &params, &options, &mut silent()).unwrap();
    assert_eq!(learned.classes.iter().map(|class| class.0).collect::<Vec<_>>(), [7, 17, 27]);
    assert_eq!((learned.train_rows.len(), learned.validation_rows.len()), (162, 18));
    let mut all = [&learned.train_rows[..], &learned.validation_rows[..]].concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..180));
    // 1500 steps of three to an epoch.
    assert_eq!((learned.params.layers.as_deref(), learned.params.epochs), (Some([100, 100, 20].as_slice()), Some(500)));
    assert_eq!((learned.params.learning_rate.start, learned.params.evaluate_every), (Some(3e-3), Some(25)));
    let given = train_validated(&examples, Some(&examples), &params, &options, &mut silent()).unwrap();
    assert_eq!((given.train_rows.len(), given.validation_rows.len()), (180, 0));
    // The parameters as settled make the same run.
    let params = TrainingParams { epochs: Some(3), ..params };
    let once = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap();
    assert_eq!(bits(&once), bits(&learn(&points, &labels, &once.params)));
}

#[test]
fn a_run_warms_up_without_a_step_at_rate_0() {
    let (points, labels) = clusters(5, &[60, 60, 60], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let learning_rate = LearningRate { start: Some(0.006), schedule: Schedule::Constant, warm_up_epochs: 2.0 };
    let params = TrainingParams { learning_rate, epochs: Some(3), ..three_rounds() };
    let mut rates = Vec::new();
    let mut listener = |event: &Event<'_>| {
        if let Event::Round { learning_rate, .. } = event {
            rates.push(*learning_rate);
        }
        ControlFlow::Continue(())
    };
    let learned = train(&examples, &params, &RunOptions::default(), &mut listener).unwrap();
    let expected = [0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.006, 0.006, 0.006];
    assert!(rates.iter().zip(expected).all(|(rate, expected)| (rate - expected).abs() < 1e-12), "{rates:?}");
    let of_records: Vec<f64> = learned.records.iter().map(|record| record.learning_rate).collect();
    assert_eq!(of_records, [rates[2], rates[5], rates[8]]);
}

#[test]
fn a_learned_classifier_is_as_sure_as_it_answers() {
    let (points, labels) = signs(3, 200);
    let params = TrainingParams { method: Method::MlpClassifier(MlpClassifier::default()), ..small() };
    let classifier = learn(&points, &labels, &params).classifier.unwrap();
    let probabilities = classifier.class_probabilities(points.view()).unwrap();
    let predicted = classifier.predict(points.view()).unwrap();
    assert_eq!((probabilities.n_rows(), probabilities.n_columns()), (200, 2));
    for (row, class) in predicted.iter().enumerate() {
        let row = probabilities.row(row);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
        assert_eq!(classifier.classes[usize::from(row[1] > row[0])], *class, "{row:?}");
    }
}
