//! What is refused, and what goes wrong: each with its own words and the remedy.
#![allow(clippy::unwrap_used)]

mod common;

use hedgerow_core::{Examples, Label, Points};
use hedgerow_learn::*;

use common::{clusters, every_method, learn, small};

#[test]
fn a_diverging_run_ends_with_the_step_the_loss_and_the_remedy() {
    let (points, labels) = clusters(4, &[60, 60], 7);
    let examples = Examples::new(points.view(), &labels).unwrap();
    for method in every_method() {
        let learning_rate = LearningRate { start: Some(1e38), ..LearningRate::default() };
        let params = TrainingParams { method, learning_rate, validation_share: 0.0, ..small() };
        let Err(error) = train(&examples, &params, &RunOptions::default(), &mut silent()) else {
            panic!("{} does not diverge", params.method.name());
        };
        let text = error.to_string();
        let TrainError::Diverged { step, loss, cause, .. } = error else { panic!("{}: {text}", params.method.name()) };
        assert!(step > 0, "{text}");
        assert!(text.starts_with(&format!("training diverged at step {step} (epoch ")), "{text}");
        // The loss that went astray; or what else is no number any more, and the last loss that was one.
        let told = match cause {
            StepError::Diverged { loss } => format!("): the loss is {loss}; use"),
            _ => format!("): {cause} (the last loss was {}); use", loss.unwrap()),
        };
        assert!(text.contains(&told), "{text}");
        let remedies = ["; use a smaller learning rate (it was ", "), scale the features to similar ranges"];
        assert!(remedies.iter().all(|remedy| text.contains(remedy)), "{text}");
        assert_eq!(text.ends_with(", or use a larger sigma"), params.method.scale().is_some(), "{text}");
    }
}

#[test]
fn weights_that_leave_the_range_of_numbers_end_the_run_as_divergence() {
    // Classes that lie in each other, so that there is always something to learn.
    let (points, mut labels) = clusters(4, &[60, 60], 7);
    (0..).zip(&mut labels).for_each(|(row, label)| *label = Label::class(row % 2));
    let train_on = |factor: f32, params: &TrainingParams| {
        let values = points.view().as_f32().unwrap().iter().map(|value| value * factor).collect();
        let points = Points::from_f32(4, values).unwrap();
        let examples = Examples::new(points.view(), &labels).unwrap();
        train(&examples, params, &RunOptions::default(), &mut silent())
    };
    // The squares of gradients are infinite, and the weights would move no more, while the loss is a number.
    let error = train_on(1e12, &TrainingParams { validation_share: 0.0, ..small() }).unwrap_err().to_string();
    assert!(error.contains("mean squared gradient number ") && error.contains("scale the features"), "{error}");
    // Whatever goes wrong, and wherever it is noticed, it is called what it is.
    for method in every_method() {
        for (factor, start) in [(1e6, 1e-3), (1e10, 1e-3), (1e14, 1e-3), (1.0, 1e5), (1.0, 1e15), (1.0, 1e30)] {
            let learning_rate = LearningRate { start: Some(start), ..LearningRate::default() };
            let params = TrainingParams { method: method.clone(), learning_rate, ..small() };
            let what = format!("{}, features times {factor:e}, learning rate {start:e}", method.name());
            // The slope of a classifier's loss is bounded: a large rate alone makes its weights large, and no more.
            let is_classifier = matches!(method, Method::MlpClassifier(_));
            let must_diverge = factor >= 1e14 || start >= if is_classifier { 1e15 } else { 1e5 };
            match train_on(factor, &params) {
                Err(error) => assert!(matches!(error, TrainError::Diverged { .. }), "{what}: {error}"),
                Ok(learned) => {
                    assert!(!must_diverge, "{what}: it does not diverge");
                    assert!(learned.transform.parameters().iter().all(|weight| weight.is_finite()), "{what}");
                }
            }
        }
    }
}

#[test]
fn data_without_two_examples_of_a_class_is_refused_with_the_reason() {
    let (points, labels) = clusters(3, &[1; 40], 5);
    let examples = Examples::new(points.view(), &labels).unwrap();
    for method in every_method() {
        let params = TrainingParams { method, ..small() };
        let result = train(&examples, &params, &RunOptions::default(), &mut silent());
        // A classifier can learn from single examples, and pairs of different classes there are.
        if matches!(params.method, Method::MlpClassifier(_) | Method::Siamese(_)) {
            result.unwrap();
            continue;
        }
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with("up to epoch "), "{error}");
        assert!(
            error.contains("use larger batches (they have 40 examples), or give more examples of each class"),
            "{error}"
        );
    }
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
    let rate = |start: f64| TrainingParams {
        learning_rate: LearningRate { start: Some(start), ..LearningRate::default() },
        ..TrainingParams::default()
    };
    let warm_up = |warm_up_epochs: f64, epochs: Option<usize>| TrainingParams {
        learning_rate: LearningRate { warm_up_epochs, ..LearningRate::default() },
        epochs,
        ..TrainingParams::default()
    };
    let picture = |height: usize, width: usize, augmentation: Augmentation| TrainingParams {
        picture: Some(PictureShape { height, width, channels: 1 }),
        augmentation: vec![augmentation],
        ..TrainingParams::default()
    };
    let cases = [
        (TrainingParams { layers: Some(vec![]), ..TrainingParams::default() }, "layers is []"),
        (TrainingParams { layers: Some(vec![5, 0]), ..TrainingParams::default() }, "layers is [5, 0]"),
        (dbs(|dbs| dbs.boundary_batch_size = 0), "a batch size is 0"),
        (dbs(|dbs| dbs.scale = DistanceScale::Euclidean(0.0)), "sigma is 0"),
        (dbs(|dbs| dbs.scale = DistanceScale::SquaredEuclidean(f64::NAN)), "sigma is NaN"),
        // Numbers in f64 that f32 has as 0, as infinity, or as next to 0, so that one over them is infinite.
        (dbs(|dbs| dbs.scale = DistanceScale::SquaredEuclidean(1e300)), "sigma is 1000000"),
        (dbs(|dbs| dbs.scale = DistanceScale::SquaredEuclidean(1e-40)), "sigma is 0.0000000"),
        (adam(AdamParams { epsilon: 1e-50, ..AdamParams::default() }), "adam.epsilon is 0.0000000"),
        (adam(AdamParams { weight_decay: 1e40, ..AdamParams::default() }), "adam.weight_decay is 1000000"),
        (rate(1e-50), "learning_rate.start is 0.0000000"),
        (rate(1e39), "learning_rate.start is 1000000"),
        (
            TrainingParams {
                method: Method::Siamese(Siamese { margin: 1e-46, ..Siamese::default() }),
                ..TrainingParams::default()
            },
            "margin is 0.0000000",
        ),
        (
            TrainingParams {
                method: Method::Triplet(TripletNetwork { margin: 1e39, ..TripletNetwork::default() }),
                ..TrainingParams::default()
            },
            "margin is 1000000",
        ),
        (warm_up(5.0, Some(5)), "learning_rate.warm_up_epochs is 5; the rate would rise to the end of the run"),
        (warm_up(-1.0, Some(5)), "learning_rate.warm_up_epochs is -1"),
        (adam(AdamParams { beta1: 1.0, ..AdamParams::default() }), "adam.beta1 is 1"),
        (adam(AdamParams { averaging: Some(-0.1), ..AdamParams::default() }), "adam.averaging is -0.1"),
        (adam(AdamParams { weight_decay: -1.0, ..AdamParams::default() }), "adam.weight_decay is -1"),
        (TrainingParams { epochs: Some(0), ..TrainingParams::default() }, "epochs is 0"),
        (TrainingParams { validation_share: 1.0, ..TrainingParams::default() }, "validation_share is 1"),
        (TrainingParams { patience: Some(0), ..TrainingParams::default() }, "patience is 0"),
        (TrainingParams { evaluate_every: Some(0), ..TrainingParams::default() }, "evaluate_every is 0"),
        (
            TrainingParams { layers: Some(vec![1 << 40, 1 << 40]), ..TrainingParams::default() },
            "layers is [1099511627776",
        ),
        (
            TrainingParams { layers: Some(vec![usize::MAX]), ..TrainingParams::default() },
            "layers is [18446744073709551615]",
        ),
        (dbs(|dbs| dbs.train_batch_size = usize::MAX), "the size of a batch is 100 + 18446744073709551615"),
        (rate(0.0), "learning_rate.start is 0"),
        (rate(f64::INFINITY), "learning_rate.start is inf"),
        (picture(0, 28, Augmentation::Mirror), "picture is 0 x 28 x 1"),
        (picture(usize::MAX, 28, Augmentation::Mirror), "picture is 18446744073709551615 x 28 x 1"),
        (picture(28, 20, Augmentation::Shift(20)), "augmentation is Shift(20); it would move the picture out of sight"),
        (picture(28, 20, Augmentation::Shift(usize::MAX)), "augmentation is Shift(18446744073709551615)"),
        (picture(28, 20, Augmentation::Rotate(f64::NAN)), "augmentation is Rotate(NaN)"),
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
    let params = TrainingParams { picture, ..small() };
    let error = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap_err().to_string();
    assert!(error.ends_with("; correct `picture` or leave it out"), "{error}");
    // Epochs that are found for the data: 1500 of one round.
    let params = TrainingParams { layers: Some(vec![2]), ..warm_up(1500.0, None) };
    assert!(params.check().is_ok());
    let error = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap_err().to_string();
    assert!(error.starts_with("learning_rate.warm_up_epochs is 1500;"), "{error}");
    let none = Examples::new(points.view().slice(0..0), &[]).unwrap();
    let error = train_validated(&examples, Some(&none), &small(), &RunOptions::default(), &mut silent()).unwrap_err();
    assert!(matches!(error, TrainError::ValidationEmpty), "{error}");
    let params = TrainingParams { patience: Some(1), validation_share: 0.0, ..small() };
    let error = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap_err().to_string();
    assert!(error.starts_with("patience is set; stopping early needs examples for validation"), "{error}");
    let params = TrainingParams { layers: Some(vec![1 << 29]), ..small() };
    assert!(params.check().is_ok());
    let error = train(&examples, &params, &RunOptions::default(), &mut silent()).unwrap_err().to_string();
    // (4 + 1) * 536870912
    assert!(error.starts_with("a network of 4 inputs and layers of [536870912] has 2684354560 weights"), "{error}");
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
    let large = DenseNetwork::from_parameters(network.architecture().clone(), network.scale(), &parameters).unwrap();
    assert!(matches!(large.apply(huge.view()), Err(ApplyError::Representation { .. })));
}
