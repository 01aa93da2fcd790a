//! Runs that are written down and taken up again, and files that are none of theirs.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use hedgerow_core::{Examples, Label, Points};
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
        assert_eq!(without_time(&whole), without_time(&resumed));
        assert_eq!((whole.validation, whole.n_steps), (resumed.validation, resumed.n_steps));
    }
}

#[test]
fn a_run_ends_with_the_same_bits_from_any_of_its_checkpoints() {
    let dbs = Dbs { boundary_batch_size: 20, train_batch_size: 30, ..Dbs::default() };
    let params = TrainingParams { method: Method::Dbs(dbs), evaluate_every: Some(2), ..small() };
    take_up_every_checkpoint(&params);
}

#[test]
fn a_run_of_one_round_to_an_epoch_can_be_taken_up_from_any_of_its_checkpoints() {
    // All of them are written after the last round of an epoch, and before its evaluation.
    let dbs = Dbs { boundary_batch_size: 70, train_batch_size: 90, ..Dbs::default() };
    for keep in [Keep::Best, Keep::Last] {
        take_up_every_checkpoint(&TrainingParams { method: Method::Dbs(dbs), keep, ..small() });
    }
}

fn take_up_every_checkpoint(params: &TrainingParams) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let (points, labels) = clusters(5, &[70, 60, 80], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let options = RunOptions { checkpoint: Some(path.clone()), checkpoint_seconds: Some(0.0), ..RunOptions::default() };
    let mut copies = Vec::new();
    let mut listener = |event: &Event<'_>| {
        if let Event::Checkpoint(path) = event {
            copies.push(std::fs::read(path).unwrap());
        }
        ControlFlow::Continue(())
    };
    let whole = train(&examples, params, &options, &mut listener).unwrap();
    // One after each round, and one at the end.
    assert_eq!(copies.len() as u64, whole.n_steps + 1);
    for (which, copy) in copies.iter().enumerate() {
        std::fs::write(&path, copy).unwrap();
        let options = RunOptions { checkpoint: Some(path.clone()), resume: true, ..RunOptions::default() };
        let resumed = train(&examples, params, &options, &mut silent()).unwrap();
        assert_eq!(bits(&whole), bits(&resumed), "checkpoint {which}");
        assert_eq!((whole.validation, whole.n_steps), (resumed.validation, resumed.n_steps), "checkpoint {which}");
        assert_eq!(without_time(&whole), without_time(&resumed), "checkpoint {which}");
    }
}

fn without_time(learned: &Trained) -> Vec<EpochRecord> {
    learned.records.iter().map(|record| EpochRecord { train_seconds: 0.0, ..*record }).collect()
}

/// Says stop after so many rounds.
fn stop_after(n_rounds: usize) -> impl FnMut(&Event<'_>) -> ControlFlow<()> + Send {
    let mut n_left = n_rounds;
    move |event| {
        n_left -= usize::from(matches!(event, Event::Round { .. }));
        if n_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_run_can_be_taken_up_with_another_number_of_threads_and_with_given_validation() {
    let (points, labels) = clusters(40, &[90, 90, 90], 6);
    let (others, other_labels) = clusters(40, &[30, 30, 30], 6);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let given = Examples::new(others.view(), &other_labels).unwrap();
    let dbs = Dbs { boundary_batch_size: 40, train_batch_size: 40, ..Dbs::default() };
    let augmentation = vec![Augmentation::Noise(0.1), Augmentation::Drop(0.1)];
    let params = TrainingParams { method: Method::Dbs(dbs), layers: Some(vec![120, 90, 8]), augmentation, ..small() };
    let with = |threads: usize, options: &RunOptions, listener: &mut Listener<'_>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| train_validated(&examples, Some(&given), &params, options, listener)).unwrap()
    };
    let whole = with(2, &RunOptions::default(), &mut silent());
    // Augmentation does not depend on threads either.
    for threads in [1, 3, 5] {
        assert_eq!(bits(&with(threads, &RunOptions::default(), &mut silent())), bits(&whole), "{threads} threads");
    }
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let options = RunOptions { checkpoint, resume: true, ..RunOptions::default() };
    assert_eq!(with(3, &options, &mut stop_after(4)).outcome, Outcome::Stopped);
    assert_eq!(with(1, &options, &mut stop_after(5)).outcome, Outcome::Stopped);
    let resumed = with(5, &options, &mut silent());
    assert_eq!((bits(&whole), without_time(&whole)), (bits(&resumed), without_time(&resumed)));
    assert_eq!(whole.validation, resumed.validation);
    // Without those examples it is another run.
    let error = train(&examples, &params, &options, &mut silent()).unwrap_err().to_string();
    assert!(error.contains("the data differs"), "{error}");
}

#[test]
fn a_checkpoint_that_cannot_be_written_does_not_end_a_run_that_has_begun() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    let path = below.join("run.safetensors");
    let (points, labels) = clusters(5, &[70, 60, 80], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let params = TrainingParams { epochs: Some(9), ..small() };
    let options = RunOptions { checkpoint: Some(path.clone()), checkpoint_seconds: Some(0.0), ..RunOptions::default() };
    let whole = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap();
    let run = |comes_back: bool| {
        let mut told = String::new();
        let mut listener = |event: &Event<'_>| {
            match event {
                Event::Round { step: 3, .. } => std::fs::remove_dir_all(&below).unwrap(),
                Event::Round { step: 6, .. } if comes_back => std::fs::create_dir(&below).unwrap(),
                Event::Checkpoint(_) => told.push('c'),
                Event::Notice(Notice::NoCheckpoint { cause }) => {
                    assert!(cause.contains("writing the checkpoint failed") && cause.contains("os error 2"), "{cause}");
                    told.push('-');
                }
                Event::Notice(Notice::NoLastCheckpoint { .. }) => told.push('x'),
                _ => {}
            }
            ControlFlow::Continue(())
        };
        let learned = train(&examples, &params, &options, &mut listener).unwrap();
        assert_eq!((bits(&learned), learned.n_steps), (bits(&whole), 9));
        (told, learned)
    };
    let (told, learned) = run(true);
    assert_eq!(told, "cc---ccccc");
    let failed = |notice: &&Notice| matches!(notice, Notice::NoCheckpoint { .. });
    assert_eq!(learned.notices.iter().filter(failed).count(), 1);
    assert!(CheckpointInfo::read(&path).is_ok());
    std::fs::remove_file(&path).unwrap();
    let (told, learned) = run(false);
    assert_eq!(told, "cc-------x");
    let last = learned.notices.last().unwrap();
    assert!(matches!(last, Notice::NoLastCheckpoint { cause } if cause.contains("os error 2")), "{last:?}");
    assert!(last.to_string().contains("os error 2"), "{last}");
}

#[test]
fn a_checkpoint_can_be_looked_at_without_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let (points, mut labels) = clusters(5, &[70, 60, 80], 4);
    labels.iter_mut().for_each(|label| *label = Label::class(10 * label.as_class().unwrap().0 + 7));
    let examples = Examples::new(points.view(), &labels).unwrap();
    let mlp = Method::MlpClassifier(MlpClassifier { batch_size: 50 });
    for (keep, method) in [(Keep::Best, Method::default()), (Keep::Last, Method::default()), (Keep::Best, mlp)] {
        let params = TrainingParams { keep, method, layers: None, evaluate_every: Some(2), ..small() };
        let options = RunOptions { checkpoint: Some(path.clone()), ..RunOptions::default() };
        let learned = train(&examples, &params, &options, &mut silent()).unwrap();
        let info = CheckpointInfo::read(&path).unwrap();
        assert_eq!(info.params, learned.params);
        assert_eq!(info.params.layers, Some(vec![100, 100, 20]));
        assert_eq!((info.epoch, info.round, info.n_steps), (6, 0, learned.n_steps));
        assert_eq!((&info.records, info.train_seconds), (&learned.records, learned.train_seconds));
        assert_eq!((info.classes, info.crate_version.as_str()), (learned.classes, env!("CARGO_PKG_VERSION")));
        assert_eq!(info.last_validation, learned.records[5].validation);
        let used = learned.classifier.map_or(learned.transform, |classifier| classifier.network);
        match keep {
            Keep::Best => assert_eq!((info.best_network.unwrap(), info.best_validation), (used, learned.validation)),
            Keep::Last => assert_eq!((info.best_network, info.network), (None, used)),
        }
        std::fs::remove_file(&path).unwrap();
    }
    std::fs::write(&path, "no checkpoint").unwrap();
    let error = CheckpointInfo::read(&path).unwrap_err().to_string();
    assert!(error.contains("run.safetensors: this is no checkpoint that can be read"), "{error}");
}

#[test]
fn a_run_may_start_from_given_weights() {
    let folder = tempfile::tempdir().unwrap();
    let (points, labels) = clusters(5, &[70, 60, 80], 4);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let first = train(&examples, &small(), &RunOptions::default(), &mut silent()).unwrap();
    let initial = Some(first.transform.clone());
    // Layers that were not told are those of the network.
    let params = TrainingParams { layers: None, ..small() };
    let no_time = RunOptions { max_seconds: Some(0.0), initial: initial.clone(), ..RunOptions::default() };
    let same = train(&examples, &params, &no_time, &mut silent()).unwrap();
    assert_eq!(bits(&same), bits(&first));
    let options = RunOptions { initial, ..RunOptions::default() };
    let tuned = train(&examples, &params, &options, &mut silent()).unwrap();
    assert_ne!(bits(&tuned), bits(&first));
    // Taken up again, from the same weights only.
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let options = RunOptions { checkpoint, resume: true, ..options };
    train(&examples, &params, &options, &mut stop_after(2)).unwrap();
    assert_eq!(bits(&train(&examples, &params, &options, &mut silent()).unwrap()), bits(&tuned));
    let drawn = RunOptions { initial: None, ..options.clone() };
    let error = train(&examples, &small(), &drawn, &mut silent()).unwrap_err().to_string();
    assert!(error.contains("initial is \"given, ") && error.contains("\" there and \"drawn\" here"), "{error}");
    let refused = |params: &TrainingParams, examples: &Examples<'_>| {
        let options = RunOptions { checkpoint: None, resume: false, ..options.clone() };
        train(examples, params, &options, &mut silent()).unwrap_err().to_string()
    };
    let error = refused(&TrainingParams { layers: Some(vec![16, 5]), ..small() }, &examples);
    assert!(error.starts_with("the layers of the network to start from: [16, 4]; in this run: [16, 5]"), "{error}");
    let error = refused(&TrainingParams { activation: Activation::Tanh, ..small() }, &examples);
    assert!(error.starts_with("the activation of the network to start from: Relu"), "{error}");
    let (narrow, _) = clusters(4, &[70, 60, 80], 4);
    let error = refused(&params, &Examples::new(narrow.view(), &labels).unwrap());
    assert!(error.starts_with("the features of the network to start from: 5; in this run: 4"), "{error}");
    let bytes = Points::from_u8(5, vec![1; 5 * labels.len()]).unwrap();
    let error = refused(&params, &Examples::new(bytes.view(), &labels).unwrap());
    assert!(error.starts_with("the kind of points of the network to start from: f32"), "{error}");
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
    // Told what would be found for the data, it is the same run.
    let learning_rate = LearningRate { start: Some(3e-3), ..LearningRate::default() };
    run(&TrainingParams { learning_rate, evaluate_every: Some(1), ..small() }, &examples).unwrap();
    let adam = |beta1: f64| AdamParams { beta1, ..small().adam };
    let cases = [
        (TrainingParams { seed: 1, ..small() }, "seed is 0 there and 1 here"),
        // What was left to the data decides the bits too.
        (TrainingParams { layers: None, ..small() }, "layers is [16,4] there and [100,100,20] here"),
        (TrainingParams { epochs: None, ..small() }, "epochs is 6 there and 1500 here"),
        (TrainingParams { evaluate_every: Some(3), ..small() }, "evaluate_every is 1 there and 3 here"),
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
