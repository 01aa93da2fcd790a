//! Runs that are written down and taken up again, and files that are none of theirs.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use hedgerow_core::Examples;
use hedgerow_learn::*;

use common::{bits, clusters, every_method, small};

#[test]
fn a_run_taken_up_again_ends_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let (points, labels) = clusters(9, &[50, 70, 60], 2);
    let examples = Examples::new(points.view(), &labels).unwrap();
    for (which, method) in every_method().into_iter().enumerate() {
        let params = TrainingParams {
            method,
            adam: AdamParams { averaging: Some(0.99), weight_decay: 0.01, ..AdamParams::default() },
            augmentation: vec![Augmentation::Noise(0.05)],
            evaluate_every: Some(2),
            ..small()
        };
        let whole = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap();
        let path = folder.path().join(format!("{which}.safetensors"));
        let options = RunOptions { checkpoint: Some(path), resume: true, ..RunOptions::default() };
        // Stopped after every third round, over and over.
        let mut n_stops = 0;
        let resumed = loop {
            let mut n_rounds = 0;
            let mut listener = |event: &Event<'_>| {
                n_rounds += usize::from(matches!(event, Event::Round { .. }));
                if n_rounds == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let learned = train(&examples, &params, &options, &mut listener).unwrap();
            match learned.outcome {
                Outcome::Stopped => n_stops += 1,
                outcome => {
                    assert_eq!(outcome, Outcome::Finished);
                    break learned;
                }
            }
        };
        assert!(n_stops > 2, "{}", params.method.name());
        assert_eq!(bits(&whole), bits(&resumed), "{}", params.method.name());
        let without_time = |learned: &Trained| -> Vec<EpochRecord> {
            learned.records.iter().map(|record| EpochRecord { train_seconds: 0.0, ..*record }).collect()
        };
        assert_eq!(without_time(&whole), without_time(&resumed));
        assert_eq!((whole.validation, whole.n_steps), (resumed.validation, resumed.n_steps));
    }
}

#[test]
fn a_run_ends_with_the_same_bits_from_any_of_its_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let (points, labels) = clusters(5, &[70, 60, 80], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let dbs = Dbs { boundary_batch_size: 20, train_batch_size: 30, ..Dbs::default() };
    let params = TrainingParams { method: Method::Dbs(dbs), evaluate_every: Some(2), ..small() };
    let options = RunOptions { checkpoint: Some(path.clone()), checkpoint_seconds: Some(0.0), ..RunOptions::default() };
    let mut copies = Vec::new();
    let mut listener = |event: &Event<'_>| {
        if let Event::Checkpoint(path) = event {
            copies.push(std::fs::read(path).unwrap());
        }
        ControlFlow::Continue(())
    };
    let whole = train(&examples, &params, &options, &mut listener).unwrap();
    // One after each round, and one at the end.
    assert_eq!(copies.len() as u64, whole.n_steps + 1);
    for (which, copy) in copies.iter().enumerate().step_by(3) {
        std::fs::write(&path, copy).unwrap();
        let options = RunOptions { checkpoint: Some(path.clone()), resume: true, ..RunOptions::default() };
        let resumed = train(&examples, &params, &options, &mut silent()).unwrap();
        assert_eq!(bits(&whole), bits(&resumed), "checkpoint {which}");
        assert_eq!((whole.validation, whole.n_steps), (resumed.validation, resumed.n_steps), "checkpoint {which}");
        assert_eq!(whole.records.len(), resumed.records.len(), "checkpoint {which}");
    }
}

#[test]
fn checkpoints_of_other_runs_are_refused_by_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let (points, labels) = clusters(3, &[40, 40], 3);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let options = RunOptions { checkpoint, resume: true, ..RunOptions::default() };
    let run = |params: &TrainingParams, examples: &Examples<'_>| {
        train(examples, params, &options, &mut silent()).map(|_| ()).map_err(|error| error.to_string())
    };
    run(&small(), &examples).unwrap();
    run(&small(), &examples).unwrap();
    let adam = |beta1: f64| AdamParams { beta1, ..small().adam };
    let cases = [
        (TrainingParams { seed: 1, ..small() }, "seed is 0 there and 1 here"),
        (TrainingParams { layers: None, ..small() }, "layers is [16,4] there and null here"),
        (TrainingParams { adam: adam(0.5), ..small() }, "adam.beta1 is 0.9 there and 0.5 here"),
        (
            TrainingParams { method: Method::Siamese(Siamese::default()), ..small() },
            r#"method.method is "dbs" there and "siamese" here"#,
        ),
    ];
    for (params, text) in cases {
        let error = run(&params, &examples).unwrap_err();
        assert!(error.contains(text), "{error}");
    }
    let (others, other_labels) = clusters(3, &[40, 40], 4);
    let error = run(&small(), &Examples::new(others.view(), &other_labels).unwrap()).unwrap_err();
    assert!(error.contains("the data differs"), "{error}");
}

#[test]
fn damaged_checkpoints_are_refused_wherever_the_damage_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let (points, labels) = clusters(3, &[40, 40], 3);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let options = RunOptions { checkpoint: Some(path.clone()), resume: true, ..RunOptions::default() };
    let run = || train(&examples, &small(), &options, &mut silent()).map(|_| ()).map_err(|error| error.to_string());
    run().unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(23).chain(whole.len() - 9..whole.len()) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(run().is_err(), "cut off at {length}");
    }
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for at in (0..16).chain((16..header).step_by(3)).chain((header..whole.len()).step_by(7)) {
        let mut damaged = whole.clone();
        damaged[at] ^= if at % 5 == 0 { 0xff } else { 1 << (at % 8) };
        std::fs::write(&path, &damaged).unwrap();
        let Err(error) = run() else { panic!("byte {at} of {} is changed from {}", whole.len(), whole[at]) };
        assert!(at < header || error.contains("it is damaged: its checksum is not"), "{at}: {error}");
    }
    let mut longer = whole;
    longer.extend([0; 4]);
    std::fs::write(&path, &longer).unwrap();
    run().unwrap_err();
    // Only the file itself is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn files_are_neither_lost_nor_looked_for_without_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let (points, labels) = clusters(3, &[40, 40], 3);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let run =
        |options: &RunOptions| train(&examples, &small(), options, &mut silent()).map_err(|error| error.to_string());
    let error = run(&RunOptions { resume: true, ..RunOptions::default() }).unwrap_err();
    assert!(error.starts_with("resume is set without checkpoint;"), "{error}");
    // Nothing to take up: the run begins anew.
    let resuming = RunOptions { checkpoint: Some(path.clone()), resume: true, ..RunOptions::default() };
    let once = run(&resuming).unwrap();
    let written = std::fs::read(&path).unwrap();
    let error = run(&RunOptions { resume: false, ..resuming.clone() }).unwrap_err();
    assert!(error.contains("run.safetensors: there is a file already") && error.contains("set resume"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), written);
    // A run that has come to its end gives its result once more.
    assert_eq!(bits(&run(&resuming).unwrap()), bits(&once));
    let nowhere = RunOptions { checkpoint: Some(folder.path().join("no/such/folder/x")), ..RunOptions::default() };
    let error = run(&nowhere).unwrap_err();
    assert!(error.contains("writing the checkpoint failed; see that its folder exists"), "{error}");
    for seconds in [-1.0, f64::NAN] {
        let error = run(&RunOptions { max_seconds: Some(seconds), ..RunOptions::default() }).unwrap_err();
        assert!(error.starts_with(&format!("max_seconds is {seconds};")), "{error}");
        let error = run(&RunOptions { checkpoint_seconds: Some(seconds), ..RunOptions::default() }).unwrap_err();
        assert!(error.starts_with(&format!("checkpoint_seconds is {seconds};")), "{error}");
    }
}

#[test]
fn no_time_gives_the_first_weights_or_those_of_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let (points, labels) = clusters(3, &[40, 40], 3);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let no_time = RunOptions { max_seconds: Some(0.0), ..RunOptions::default() };
    let params = TrainingParams { keep: Keep::Last, ..small() };
    let untrained = train(&examples, &params, &no_time, &mut silent()).unwrap();
    assert_eq!((untrained.outcome, untrained.n_steps, untrained.records.len()), (Outcome::TimeUp, 0, 0));
    assert!(untrained.validation.is_some());
    let mut n_rounds = 0;
    let mut listener = |event: &Event<'_>| {
        n_rounds += usize::from(matches!(event, Event::Round { .. }));
        if n_rounds == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = RunOptions { checkpoint, resume: true, ..RunOptions::default() };
    let stopped = train(&examples, &params, &options, &mut listener).unwrap();
    let again = train(&examples, &params, &RunOptions { max_seconds: Some(0.0), ..options }, &mut silent()).unwrap();
    assert_eq!((stopped.outcome, again.outcome), (Outcome::Stopped, Outcome::TimeUp));
    assert_eq!((bits(&stopped), stopped.n_steps), (bits(&again), again.n_steps));
    assert_ne!(bits(&untrained), bits(&again));
    // The same for weights of which the best are kept: there are none yet but the first.
    let untrained = train(&examples, &small(), &no_time, &mut silent()).unwrap();
    assert!(untrained.validation.is_some());
}
