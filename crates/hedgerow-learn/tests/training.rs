//! Whole runs: what they learn, that they repeat to the bit, and what they say of bad input.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Examples, Label, Points};
use hedgerow_data::synthetic::Synthetic;
use hedgerow_learn::evaluation::{ShownExamples, Structure};
use hedgerow_learn::*;

/// Points around centers, one for each class; class c has `sizes[c]` of them.
fn clusters(width: usize, sizes: &[usize], seed: u64) -> (Points, Vec<Label>) {
    let mut random = SplitMix64::new(seed, 0);
    let centers: Vec<f64> = (0..width * sizes.len()).map(|_| 3.0 * random.normal()).collect();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (class, &size) in sizes.iter().enumerate() {
        for _ in 0..size {
            let center = &centers[class * width..(class + 1) * width];
            values.extend(center.iter().map(|center| (center + 0.3 * random.normal()) as f32));
            labels.push(Label::class(class as u32));
        }
    }
    (Points::from_f32(width, values).unwrap(), labels)
}

fn small() -> TrainingParams {
    TrainingParams { layers: Some(vec![16, 4]), epochs: Some(6), ..TrainingParams::default() }
}

fn learn(points: &Points, labels: &[Label], params: &TrainingParams) -> Trained {
    let examples = Examples::new(points.view(), labels).unwrap();
    train(&examples, params, &RunOptions::default(), &mut silent()).unwrap()
}

/// Bits, so that 0 and -0 are told apart.
fn bits(learned: &Trained) -> Vec<u32> {
    learned.transform.parameters().iter().map(|weight| weight.to_bits()).collect()
}

fn every_method() -> Vec<Method> {
    let dbt = Dbt { boundary_batch_size: 30, train_batch_size: 20, ..Dbt::v2() };
    vec![
        Method::Dbs(Dbs { boundary_batch_size: 20, train_batch_size: 30, ..Dbs::default() }),
        Method::Dbt(dbt),
        Method::Dbt(Dbt { gradient: NodeGradient::Frozen, ..dbt.batched() }),
        Method::MlpClassifier(MlpClassifier { batch_size: 25 }),
        Method::Siamese(Siamese { batch_size: 40, ..Siamese::default() }),
        Method::Triplet(TripletNetwork { batch_size: 40, ..TripletNetwork::default() }),
        Method::SoftNn(SoftNn { boundary_batch_size: 20, train_batch_size: 20, ..SoftNn::default() }),
        Method::RandomSet(RandomSet(Dbs { boundary_batch_size: 30, train_batch_size: 30, ..Dbs::default() })),
    ]
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (points, labels) = clusters(6, &[60, 60, 60], 1);
    for method in every_method() {
        let params = TrainingParams { method, ..small() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            bits(&pool.install(|| learn(&points, &labels, &params)))
        };
        let one = with(1);
        assert!([2, 3, 7].into_iter().all(|threads| with(threads) == one), "{}", params.method.name());
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads_with_wide_layers() {
    // Wide enough for products to be shared out among threads.
    let (points, labels) = clusters(300, &[150, 150], 1);
    let params = TrainingParams { layers: Some(vec![200, 150, 10]), epochs: Some(2), ..TrainingParams::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        bits(&pool.install(|| learn(&points, &labels, &params)))
    };
    assert!(with(1) == with(2) && with(1) == with(5));
}

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
fn checkpoints_of_other_runs_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let (points, labels) = clusters(3, &[40, 40], 3);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let options = RunOptions { checkpoint: Some(path.clone()), resume: true, ..RunOptions::default() };
    let run = |params: &TrainingParams, examples: &Examples<'_>| {
        train(examples, params, &options, &mut silent()).map(|_| ()).map_err(|error| error.to_string())
    };
    run(&small(), &examples).unwrap();
    run(&small(), &examples).unwrap();
    let error = run(&TrainingParams { seed: 1, ..small() }, &examples).unwrap_err();
    assert!(error.contains("a training parameter differs"), "{error}");
    let (others, other_labels) = clusters(3, &[40, 40], 4);
    let error = run(&small(), &Examples::new(others.view(), &other_labels).unwrap()).unwrap_err();
    assert!(error.contains("the data differs"), "{error}");
    // Cut off anywhere, and with any byte of the header changed: an error, and no panic.
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&path, &whole[..length]).unwrap();
        run(&small(), &examples).unwrap_err();
    }
    for at in 0..400 {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, &damaged).unwrap();
        // Within the text of a number, damage may give another number; it must not give a panic.
        let _ = run(&small(), &examples);
    }
    // Only the file itself is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = RunOptions { checkpoint: Some(folder.path().join("no/such/folder/x")), ..RunOptions::default() };
    let error = train(&examples, &small(), &nowhere, &mut silent()).unwrap_err();
    assert!(error.to_string().contains("writing the checkpoint failed"), "{error}");
}

#[test]
fn representations_of_spirals_need_few_examples() {
    let data = Synthetic::parse("spirals?n=900&classes=3&noise=0.05&seed=2").unwrap().make().unwrap();
    let params = TrainingParams { epochs: Some(1500), ..TrainingParams::default() };
    let learned = train(&data.train().examples(), &params, &RunOptions::default(), &mut silent()).unwrap();
    let rows: Vec<usize> = (0..data.len()).collect();
    let evaluate = |points: &Points| {
        let shown = ShownExamples::shuffled(points.view(), data.labels(), &rows, 0);
        shown.evaluate(Structure::Tree, points.view(), data.labels(), 0).unwrap()
    };
    let raw = evaluate(&data.points().to_owned());
    let representations = evaluate(&learned.transform.apply(data.points()).unwrap());
    assert!(representations.error_percent < 1.0, "{representations:?}");
    assert!(2 * representations.n_stored < raw.n_stored, "{representations:?} {raw:?}");
}

#[test]
fn defaults_learn_from_small_and_odd_data() {
    let shapes: [(&str, usize, Vec<usize>); 6] = [
        ("iris's shape", 4, vec![50, 50, 50]),
        ("one feature", 1, vec![100, 100]),
        ("unbalanced", 5, vec![400, 12, 5]),
        ("many classes", 20, vec![6; 100]),
        ("two of each", 3, vec![2, 2]),
        ("one of a class", 3, vec![30, 1]),
    ];
    for (name, width, sizes) in shapes {
        let (points, labels) = clusters(width, &sizes, 5);
        let learned = learn(&points, &labels, &TrainingParams::default());
        let representations = learned.transform.apply(points.view()).unwrap();
        let rows: Vec<usize> = (0..labels.len()).collect();
        let shown = ShownExamples::shuffled(representations.view(), &labels, &rows, 0);
        let tree = shown.evaluate(Structure::Tree, representations.view(), &labels, 0).unwrap();
        assert!(tree.error_percent <= 3.0, "{name}: {tree:?}");
        let shrinks = learned.notices.iter().any(|notice| matches!(notice, Notice::RoundsShrunk { .. }));
        assert_eq!(shrinks, labels.len() * 9 < 200 * 10, "{name}: {:?}", learned.notices);
        let by_class = learned.notices.iter().any(|notice| matches!(notice, Notice::RoundsByClass { .. }));
        assert_eq!(by_class, name == "many classes" || name == "two of each", "{name}");
    }
}

#[test]
fn a_thousand_classes() {
    let (points, labels) = clusters(32, &vec![6; 1000], 6);
    let params = TrainingParams { layers: Some(vec![64, 32]), epochs: Some(40), ..TrainingParams::default() };
    let learned = learn(&points, &labels, &params);
    let last = learned.records.last().unwrap();
    assert!(last.loss < 0.1 * learned.records[0].loss, "{last:?}");
    // Most queries have a reference of their class.
    assert!(last.n_left_out * 4 < labels.len(), "{last:?}");
}

#[test]
fn a_diverging_run_ends_with_the_step_and_the_remedy() {
    let (points, labels) = clusters(4, &[60, 60], 7);
    let examples = Examples::new(points.view(), &labels).unwrap();
    for method in every_method() {
        let learning_rate = LearningRate { start: 1e38, ..LearningRate::default() };
        let params = TrainingParams { method, learning_rate, validation_share: 0.0, ..small() };
        let Err(error) = train(&examples, &params, &RunOptions::default(), &mut silent()) else {
            panic!("{} does not diverge", params.method.name());
        };
        let text = error.to_string();
        assert!(matches!(error, TrainError::Diverged { .. }), "{}: {text}", params.method.name());
        assert!(text.contains("at step ") && text.contains("use a smaller learning rate (it was "), "{text}");
    }
}

#[test]
fn runs_end_when_told_and_keep_what_they_have() {
    let (points, labels) = clusters(4, &[200, 200], 8);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let params = TrainingParams { epochs: Some(1_000_000), evaluate_every: Some(1000), ..small() };
    let options = RunOptions { max_seconds: Some(0.2), ..RunOptions::default() };
    let learned = train(&examples, &params, &options, &mut silent()).unwrap();
    assert_eq!(learned.outcome, Outcome::TimeUp);
    assert!(learned.n_steps > 0 && learned.validation.is_some());
    let patient = TrainingParams { patience: Some(2), evaluate_every: Some(1), ..params };
    let learned = train(&examples, &patient, &RunOptions::default(), &mut silent()).unwrap();
    assert_eq!(learned.outcome, Outcome::StoppedEarly);
    // It stays so when it is taken up again.
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Some(folder.path().join("run.safetensors"));
    let options = RunOptions { checkpoint, resume: true, ..RunOptions::default() };
    let (once, again) = (
        train(&examples, &patient, &options, &mut silent()).unwrap(),
        train(&examples, &patient, &options, &mut silent()).unwrap(),
    );
    assert_eq!((once.n_steps, bits(&once)), (again.n_steps, bits(&again)));
    let best = learned.records.iter().filter_map(|record| record.validation).map(|v| (v.error_percent, v.n_nodes));
    let best = best.reduce(|a, b| if b < a { b } else { a }).unwrap();
    assert_eq!(learned.validation.map(|v| (v.error_percent, v.n_nodes)), Some(best));
}

#[test]
fn a_classifier_names_classes_and_gives_representations() {
    let (points, mut labels) = clusters(5, &[80, 80, 80], 9);
    labels.iter_mut().for_each(|label| *label = Label::class(10 * label.as_class().unwrap().0 + 7));
    let params = TrainingParams { method: Method::MlpClassifier(MlpClassifier::default()), ..small() };
    let learned = learn(&points, &labels, &TrainingParams { epochs: Some(500), ..params });
    let classifier = learned.classifier.unwrap();
    let n_right = classifier
        .predict(points.view())
        .unwrap()
        .iter()
        .zip(&labels)
        .filter(|(class, label)| Label::Class(**class) == **label)
        .count();
    assert!(n_right > 230, "{n_right}");
    assert_eq!(learned.transform.architecture().layers, [16, 4]);
    assert_eq!(classifier.network.architecture().layers, [16, 4, 3]);
}

#[test]
fn parameters_that_make_no_sense_are_refused_by_name() {
    let refused = |params: TrainingParams| params.check().unwrap_err().to_string();
    let dbs = |change: fn(&mut Dbs)| {
        let mut dbs = Dbs::default();
        change(&mut dbs);
        TrainingParams { method: Method::Dbs(dbs), ..TrainingParams::default() }
    };
    let adam = |adam: AdamParams| TrainingParams { adam, ..TrainingParams::default() };
    let cases = [
        (TrainingParams { layers: Some(vec![]), ..TrainingParams::default() }, "layers is []"),
        (TrainingParams { layers: Some(vec![5, 0]), ..TrainingParams::default() }, "layers is [5, 0]"),
        (dbs(|dbs| dbs.boundary_batch_size = 0), "a batch size is 0"),
        (dbs(|dbs| dbs.scale = DistanceScale::Euclidean(0.0)), "sigma is 0"),
        (dbs(|dbs| dbs.scale = DistanceScale::SquaredEuclidean(f64::NAN)), "sigma is NaN"),
        (adam(AdamParams { beta1: 1.0, ..AdamParams::default() }), "adam.beta1 is 1"),
        (adam(AdamParams { averaging: Some(-0.1), ..AdamParams::default() }), "adam.averaging is -0.1"),
        (adam(AdamParams { weight_decay: -1.0, ..AdamParams::default() }), "adam.weight_decay is -1"),
        (TrainingParams { epochs: Some(0), ..TrainingParams::default() }, "epochs is 0"),
        (TrainingParams { validation_share: 1.0, ..TrainingParams::default() }, "validation_share is 1"),
        (TrainingParams { patience: Some(0), ..TrainingParams::default() }, "patience is 0"),
        (
            TrainingParams { augmentation: vec![Augmentation::Shift(1)], ..TrainingParams::default() },
            "augmentation is Shift(1); it needs the shape of the pictures",
        ),
    ];
    for (params, text) in cases {
        let error = refused(params);
        assert!(error.starts_with(text), "{error}");
    }
    let (points, labels) = clusters(4, &[6, 6], 7);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let picture = Some(PictureShape { height: 2, width: 3, channels: 1 });
    let params = TrainingParams { augmentation: vec![Augmentation::Shift(1)], picture, ..small() };
    let error = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap_err().to_string();
    assert!(error.starts_with("pictures of 2 x 3 x 1 have 6 numbers, but the points have 4"), "{error}");
    let params = TrainingParams { patience: Some(1), validation_share: 0.0, ..small() };
    let error = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap_err().to_string();
    assert!(error.starts_with("patience is set; stopping early needs examples for validation"), "{error}");
    let options = RunOptions { max_seconds: Some(-1.0), ..RunOptions::default() };
    let error = train(&examples, &small(), &options, &mut silent()).unwrap_err().to_string();
    assert!(error.starts_with("max_seconds is -1"), "{error}");
}

#[test]
fn parameters_survive_being_written_down() {
    for method in every_method() {
        let params = TrainingParams { method, augmentation: vec![Augmentation::Rotate(5.0)], ..small() };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<TrainingParams>(&text).unwrap(), params, "{text}");
    }
    assert_eq!(serde_json::from_str::<TrainingParams>("{}").unwrap(), TrainingParams::default());
}

#[test]
fn a_network_refuses_points_that_it_has_not_learned_from() {
    let (points, labels) = clusters(4, &[30, 30], 8);
    let network = learn(&points, &labels, &small()).transform;
    let narrow = Points::from_f32(3, vec![0.0; 3]).unwrap();
    let error = network.apply(narrow.view()).unwrap_err().to_string();
    assert!(error.starts_with("the points have 3 features but the network has learned from points of 4"), "{error}");
    let bytes = Points::from_u8(4, vec![0; 4]).unwrap();
    assert!(network.apply(bytes.view()).is_err());
    let huge = Points::from_f32(4, vec![1e15; 4]).unwrap();
    let mut parameters = network.parameters().to_vec();
    parameters[..64].fill(1e3);
    let large = DenseNetwork::from_parameters(network.architecture().clone(), network.scale(), parameters).unwrap();
    assert!(matches!(large.apply(huge.view()), Err(ApplyError::Representation { .. })));
}
