//! Whole runs: what they learn, and that they repeat to the bit.
#![allow(clippy::unwrap_used)]

mod common;

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Examples, Label, Points};
use hedgerow_data::synthetic::Synthetic;
use hedgerow_learn::evaluation::{Evaluation, ShownExamples, Structure};
use hedgerow_learn::*;

use common::{bits, clusters, every_method, learn, small};

/// What a tree over representations answers for queries, with the weights as they were drawn and as they were learned.
fn before_and_after(
    examples: &Examples<'_>,
    queries: &Examples<'_>,
    params: &TrainingParams,
) -> (Evaluation, Evaluation) {
    let evaluate = |transform: &DenseNetwork| ask_tree(transform, examples, queries);
    (evaluate(&untrained(examples, params)), evaluate(&learn_from(examples, params).transform))
}

/// What a tree over representations of the examples answers for queries.
fn ask_tree(transform: &DenseNetwork, examples: &Examples<'_>, queries: &Examples<'_>) -> Evaluation {
    let (shown, asked) = (transform.apply(examples.points()).unwrap(), transform.apply(queries.points()).unwrap());
    let rows: Vec<usize> = (0..examples.len()).collect();
    let shown = ShownExamples::shuffled(shown.view(), examples.labels(), &rows, 0).unwrap();
    shown.evaluate(Structure::Tree, asked.view(), queries.labels(), 0).unwrap()
}

fn learn_from(examples: &Examples<'_>, params: &TrainingParams) -> Trained {
    train(examples, params, &RunOptions::default(), &mut silent()).unwrap()
}

/// The network with its weights as they are drawn.
fn untrained(examples: &Examples<'_>, params: &TrainingParams) -> DenseNetwork {
    let at_once = RunOptions { max_seconds: Some(0.0), ..RunOptions::default() };
    train(examples, params, &at_once, &mut silent()).unwrap().transform
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
fn representations_of_spirals_need_few_examples() {
    let data = Synthetic::parse("spirals?n=900&classes=3&noise=0.05&seed=2").unwrap().make().unwrap();
    let params = TrainingParams { epochs: Some(1500), ..TrainingParams::default() };
    let learned = train(&data.train().examples(), &params, &RunOptions::default(), &mut silent()).unwrap();
    let rows: Vec<usize> = (0..data.len()).collect();
    let evaluate = |points: &Points| {
        let shown = ShownExamples::shuffled(points.view(), data.labels(), &rows, 0).unwrap();
        shown.evaluate(Structure::Tree, points.view(), data.labels(), 0).unwrap()
    };
    let raw = evaluate(&data.points().to_owned());
    let representations = evaluate(&learned.transform.apply(data.points()).unwrap());
    assert!(representations.error_percent < 1.0, "{representations:?}");
    assert!(2 * representations.n_stored < raw.n_stored, "{representations:?} {raw:?}");
}

#[test]
fn defaults_learn_what_holds_for_points_that_were_not_learned_from() {
    // The signs of two of twelve features say the class.
    let made = |seed: u64| {
        let mut random = SplitMix64::new(seed, 0);
        let values: Vec<f32> = (0..300 * 12).map(|_| random.normal() as f32).collect();
        let class = |row: &[f32]| Label::class(u32::from(row[0] > 0.0) + 2 * u32::from(row[1] > 0.0));
        let labels: Vec<Label> = values.chunks(12).map(class).collect();
        (Points::from_f32(12, values).unwrap(), labels)
    };
    let ((points, labels), (queries, answers)) = (made(1), made(2));
    let examples = Examples::new(points.view(), &labels).unwrap();
    let queries = Examples::new(queries.view(), &answers).unwrap();
    let (untrained, learned) = before_and_after(&examples, &queries, &TrainingParams::default());
    assert!(2.0 * learned.error_percent < untrained.error_percent, "{learned:?} {untrained:?}");
    assert!(2 * learned.n_stored < untrained.n_stored, "{learned:?} {untrained:?}");
}

#[test]
fn layers_and_learning_rate_follow_the_size_of_the_data() {
    let of = |method: Method| TrainingParams { method, ..TrainingParams::default() };
    assert_eq!(of(Method::default()).default_rate(1999, 1000), 3e-3);
    assert_eq!(of(Method::default()).default_rate(2000, 1000), 1e-3);
    // The papers' rate for a step to each query, whatever the data; with many queries to a step, as everywhere.
    assert_eq!([of(Method::Dbt(Dbt::v1())), of(Method::Dbt(Dbt::v2()))].map(|it| it.default_rate(9, 9)), [1e-4; 2]);
    assert_eq!(of(Method::Dbt(Dbt::v2().batched())).default_rate(1999, 1000), 3e-3);
    // But not with nodes that do not move: these diverge with it.
    let frozen = of(Method::Dbt(Dbt { queries_per_step: 10, ..Dbt::v1() }));
    assert_eq!([1999, 2000].map(|n| frozen.default_rate(n, 1000)), [1e-3, 1e-4]);
    assert_eq!(TrainingParams::default_layers(2000, 1000), [400, 400, 20]);
    let first_rate = |n: usize, start: Option<f64>| {
        let points = Points::from_u8(1000, (0..n * 1000).map(|at| (at / 1000 % 2) as u8).collect()).unwrap();
        let labels: Vec<Label> = (0..n).map(|row| Label::class(row as u32 % 2)).collect();
        let examples = Examples::new(points.view(), &labels).unwrap();
        let learning_rate = LearningRate { start, ..LearningRate::default() };
        let params = TrainingParams { layers: Some(vec![2]), epochs: Some(1), learning_rate, ..small() };
        let mut first = None;
        let mut listener = |event: &Event<'_>| {
            if let Event::Round { learning_rate, .. } = event {
                first.get_or_insert(*learning_rate);
            }
            std::ops::ControlFlow::Continue(())
        };
        train(&examples, &params, &RunOptions::default(), &mut listener).unwrap();
        first.unwrap()
    };
    assert_eq!([first_rate(300, None), first_rate(2000, None), first_rate(300, Some(0.01))], [3e-3, 1e-3, 0.01]);
}

/// Examples of classes of the given sizes, and queries, of each class as many. Classes lie around centers, but the first `n_idle` features
/// say nothing of them and vary more. With one feature, each class has two centers, in turns with those of the others.
///
/// The seed is one with which classes of few examples are learned without an error. With other seeds some are not: one or two examples need
/// not tell which features are idle.
fn small_and_odd(width: usize, n_idle: usize, sizes: &[usize]) -> [(Points, Vec<Label>); 2] {
    let mut random = SplitMix64::new(7, 0);
    let centers: Vec<f64> = (0..width * sizes.len()).map(|_| 3.0 * random.normal()).collect();
    let mut draw = |sizes: &[usize]| {
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for (class, &size) in sizes.iter().enumerate() {
            for n in 0..size {
                values.extend((0..width).map(|at| {
                    let (center, spread) = match at {
                        _ if width == 1 => ((class + n % 2 * sizes.len()) as f64 * 2.0, 0.3),
                        _ if at < n_idle => (0.0, 5.0),
                        _ => (centers[class * width + at], 0.3),
                    };
                    (center + spread * random.normal()) as f32
                }));
                labels.push(Label::class(class as u32));
            }
        }
        (Points::from_f32(width, values).unwrap(), labels)
    };
    [draw(sizes), draw(&vec![QUERIES_OF_A_CLASS; sizes.len()])]
}

const QUERIES_OF_A_CLASS: usize = 30;

/// How far points of one class are from each other, as a share of how far those of different classes are.
fn spread_of_classes(points: &Points, labels: &[Label]) -> f64 {
    let rows: Vec<&[f32]> = points.view().as_f32().unwrap().chunks(points.view().width()).collect();
    let (mut within, mut between) = ((0.0, 0), (0.0, 0));
    for a in 0..rows.len() {
        for b in 0..a {
            let squared: f64 = rows[a].iter().zip(rows[b]).map(|(a, b)| f64::from(a - b).powi(2)).sum();
            let sum = if labels[a] == labels[b] { &mut within } else { &mut between };
            *sum = (sum.0 + squared.sqrt(), sum.1 + 1);
        }
    }
    (within.0 / f64::from(within.1)) / (between.0 / f64::from(between.1))
}

#[test]
fn defaults_learn_from_small_and_odd_data() {
    // The last number: percent of the queries of a class that are answered wrongly, at most; of many classes, of all queries.
    let shapes: [(&str, usize, usize, Vec<usize>, f64); 6] = [
        ("iris's shape", 4, 2, vec![50, 50, 50], 2.0),
        ("one feature", 1, 0, vec![100, 100], 2.0),
        ("unbalanced", 5, 2, vec![400, 12, 5], 2.0),
        ("many classes", 20, 10, vec![6; 100], 25.0),
        ("two of each", 3, 1, vec![2, 2], 2.0),
        ("one of a class", 3, 1, vec![30, 1], 2.0),
    ];
    for (name, width, n_idle, sizes, limit) in shapes {
        let [(points, labels), (queries, answers)] = small_and_odd(width, n_idle, &sizes);
        let examples = Examples::new(points.view(), &labels).unwrap();
        let params = TrainingParams::default();
        let (before, learned) = (untrained(&examples, &params), learn_from(&examples, &params));
        let error = |transform: &DenseNetwork| {
            let n_together = if name == "many classes" { queries.view().len() } else { QUERIES_OF_A_CLASS };
            let of = |start: usize| {
                let range = start..start + n_together;
                let queries = Examples::new(queries.view().slice(range.clone()), &answers[range]).unwrap();
                ask_tree(transform, &examples, &queries).error_percent
            };
            (0..answers.len()).step_by(n_together).map(of).fold(0.0, f64::max)
        };
        let spread = |transform: &DenseNetwork| spread_of_classes(&transform.apply(queries.view()).unwrap(), &answers);
        let [first, last] = [learned.records.first(), learned.records.last()].map(|record| record.unwrap().loss);
        assert!(last < 0.1 * first, "{name}: loss {first}, then {last}");
        let (error_before, error_after) = (error(&before), error(&learned.transform));
        assert!(error_after <= limit, "{name}: {error_before} %, then {error_after} %");
        // Along a line neighbors are neighbors with any weights.
        if name != "one feature" {
            assert!(error_before > limit, "{name}: {error_before} % before learning");
            let (spread_before, spread_after) = (spread(&before), spread(&learned.transform));
            assert!(spread_after < 0.65 * spread_before, "{name}: spread {spread_before}, then {spread_after}");
        }
        let shrinks = learned.notices.iter().any(|notice| matches!(notice, Notice::RoundsShrunk { .. }));
        assert_eq!(shrinks, labels.len() * 9 < 200 * 10, "{name}: {:?}", learned.notices);
        let by_class = learned.notices.iter().any(|notice| matches!(notice, Notice::RoundsByClass { .. }));
        assert_eq!(by_class, name == "many classes" || name == "two of each", "{name}");
    }
}

#[test]
fn defaults_of_every_method_learn_from_few_examples() {
    // As large as iris: the signs of two features say the class, two more say nothing.
    let made = |seed: u64, n: usize| {
        let mut random = SplitMix64::new(seed, 0);
        let values: Vec<f32> = (0..n * 4).map(|_| random.normal() as f32).collect();
        let class = |row: &[f32]| Label::class(u32::from(row[0] * row[1] > 0.0) + u32::from(row[0] > 1.0));
        let labels: Vec<Label> = values.chunks(4).map(class).collect();
        (Points::from_f32(4, values).unwrap(), labels)
    };
    let ((points, labels), (queries, answers)) = (made(1, 150), made(2, 600));
    let examples = Examples::new(points.view(), &labels).unwrap();
    let queries = Examples::new(queries.view(), &answers).unwrap();
    let methods = [
        Method::Dbs(Dbs::default()),
        Method::Dbt(Dbt::v1()),
        Method::Dbt(Dbt::v1().batched()),
        Method::Dbt(Dbt::v2()),
        Method::Dbt(Dbt::v2().batched()),
        Method::MlpClassifier(MlpClassifier::default()),
        Method::Siamese(Siamese::default()),
        Method::Triplet(TripletNetwork::default()),
        Method::SoftNn(SoftNn::default()),
        Method::RandomSet(RandomSet(Dbs::default())),
    ];
    for method in methods {
        let params = TrainingParams { method, ..TrainingParams::default() };
        let (untrained, learned) = before_and_after(&examples, &queries, &params);
        let name = params.method.name();
        assert!(learned.error_percent < 0.9 * untrained.error_percent, "{name}: {learned:?} {untrained:?}");
        assert!(3 * learned.n_stored < 2 * untrained.n_stored, "{name}: {learned:?} {untrained:?}");
    }
}

#[test]
fn frozen_nodes_in_batches_do_not_diverge_at_their_default_rate() {
    let diverges = |start: Option<f64>, seed: u64| {
        let mut random = SplitMix64::new(seed, 9);
        let points = Points::from_f32(3, (0..60).map(|_| random.normal() as f32).collect()).unwrap();
        let labels: Vec<Label> = (0..20).map(|_| Label::class(random.below(3) as u32)).collect();
        let examples = Examples::new(points.view(), &labels).unwrap();
        let learning_rate = LearningRate { start, ..LearningRate::default() };
        let method = Method::Dbt(Dbt::v1().batched());
        let params = TrainingParams { method, learning_rate, seed, ..TrainingParams::default() };
        match train(&examples, &params, &RunOptions::default(), &mut silent()) {
            Ok(_) => false,
            Err(TrainError::Diverged { .. }) => true,
            Err(error) => panic!("{error}"),
        }
    };
    // Of 100 draws of 20 rows of noise, 20 diverged at the rate of the other methods, and one at the default. Of these 24, on the processor that
    // they were counted on, 5 and none.
    let n_diverged = |start: Option<f64>| (0..24).filter(|&seed| diverges(start, seed)).count();
    let (of_others, of_default) = (n_diverged(Some(3e-3)), n_diverged(None));
    assert!(of_default <= 1 && of_others > of_default, "{of_default} at the default, {of_others} at 0.003");
}

#[test]
fn small_first_weights_as_the_authors_have_them_learn_too() {
    // The signs of two of four features say the class.
    let made = |seed: u64, n: usize| {
        let mut random = SplitMix64::new(seed, 0);
        let values: Vec<f32> = (0..n * 4).map(|_| random.normal() as f32).collect();
        let labels = values.chunks(4).map(|row| Label::class(u32::from(row[0] * row[1] > 0.0))).collect::<Vec<_>>();
        (Points::from_f32(4, values).unwrap(), labels)
    };
    let ((points, labels), (queries, answers)) = (made(1, 300), made(2, 600));
    let examples = Examples::new(points.view(), &labels).unwrap();
    let queries = Examples::new(queries.view(), &answers).unwrap();
    let params = TrainingParams { initialization: WeightInitialization::Small, ..TrainingParams::default() };
    let (untrained, learned) = before_and_after(&examples, &queries, &params);
    assert!(2.0 * learned.error_percent < untrained.error_percent, "{learned:?} {untrained:?}");
    assert!(2 * learned.n_stored < untrained.n_stored, "{learned:?} {untrained:?}");
}

#[test]
fn default_epochs_count_the_steps_of_rounds_as_they_are() {
    let of = |method: Method| TrainingParams { method, ..TrainingParams::default() };
    let size = |n: usize| RoundSize { n_boundary: n, n_train: n };
    // On 135 examples DBT has one round of 67 and 67: 672 * 67 steps are the first that are 45000 or more.
    assert_eq!(of(Method::Dbt(Dbt::v2())).default_epochs(1, size(67)), 672);
    // Ten queries to a step make 7 steps of 67: 215 * 7 is the first that is 1500 or more.
    assert_eq!(of(Method::Dbt(Dbt { queries_per_step: 10, ..Dbt::v2() })).default_epochs(1, size(67)), 215);
    assert_eq!(of(Method::Dbt(Dbt::v2().batched())).default_epochs(1, size(67)), 1500);
    assert_eq!(of(Method::Dbt(Dbt::v2())).default_epochs(27, size(1000)), 2);
    assert_eq!(of(Method::default()).default_epochs(270, size(100)), 30);
    assert_eq!(of(Method::default()).default_epochs(10, size(100)), 150);
}

#[test]
fn a_thousand_classes() {
    let (points, labels) = clusters(32, &vec![6; 1000], 6);
    let params = TrainingParams { layers: Some(vec![64, 32]), epochs: Some(40), ..TrainingParams::default() };
    let learned = learn(&points, &labels, &params);
    let last = learned.records.last().unwrap();
    assert!(last.loss < 0.1 * learned.records[0].loss, "{last:?}");
    // Most queries have a reference of their class: seven of eight and more. A tenth of the examples are for validation, and of each 200
    // others 100 are queries.
    let n_queries = labels.len() * 9 / 10 / 200 * 100;
    assert!(learned.records.iter().all(|record| record.n_left_out * 8 < n_queries), "{last:?}");
}

#[test]
fn rounds_in_which_no_query_counts_move_nothing() {
    let (points, _) = clusters(4, &[12], 7);
    let rows: Vec<usize> = (0..12).collect();
    for method in every_method() {
        let n_boundary = if method.round_size().n_boundary == 0 { 0 } else { 6 };
        // References of one class and queries of the other; or no two examples of a class.
        let (empty, rows_of_empty): (Vec<u32>, usize) = match method {
            Method::MlpClassifier(_) => continue,
            Method::Siamese(_) => (vec![0], 1),
            Method::Triplet(_) => ((0..12).collect(), 12),
            _ => ((0..12).map(|row| row / 6).collect(), 12),
        };
        let architecture = Architecture { n_inputs: 4, layers: vec![5, 3], activation: Activation::Relu };
        let network = DenseNetwork::<f32>::new(architecture, InputScale::Numbers, WeightInitialization::He, 1);
        let mut learner = Learner::new(TrainableNetwork::new(network), AdamParams::default(), points.view());
        learner.set_rate(0.01, 0);
        let mut work = Workspace::default();
        let mut round = |labels: &[u32], n: usize| {
            let before = learner.transform().parameters().to_vec();
            let round = Round { rows: &rows[..n], labels, n_boundary, seed: 1 };
            let report = method.round(&mut learner, &round, &mut work).unwrap();
            (report, learner.transform().parameters() != before)
        };
        let alternating: Vec<u32> = (0..12).map(|row| row % 2).collect();
        let (report, has_moved) = round(&alternating, 12);
        assert!(has_moved && report.loss > 0.0, "{}", method.name());
        // An optimizer goes on by what it remembers, even along a slope of 0.
        let (report, has_moved) = round(&empty, rows_of_empty);
        assert!(!has_moved, "{}", method.name());
        assert_eq!((report.loss, report.n_left_out), (0.0, rows_of_empty - n_boundary), "{}", method.name());
    }
}

#[test]
fn the_loss_of_an_epoch_is_that_of_the_queries_that_count() {
    let (points, labels) = clusters(3, &[41, 42, 43], 5);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let method = Method::SoftNn(SoftNn { boundary_batch_size: 4, train_batch_size: 1, ..SoftNn::default() });
    let params = TrainingParams { method, validation_share: 0.0, epochs: Some(2), ..small() };
    let (mut sum, mut n_rounds) = (0.0, 0);
    let mut listener = |event: &Event<'_>| {
        match event {
            Event::Round { loss, .. } => (sum, n_rounds) = (sum + loss, n_rounds + 1),
            Event::Epoch(record) => {
                // One query to a round: it counts or it does not, and its loss is 0 then.
                assert!(record.n_left_out > 0 && record.n_left_out < n_rounds, "{record:?}");
                let mean = sum / (n_rounds - record.n_left_out) as f64;
                assert!((record.loss - mean).abs() < 1e-12 && mean > 0.0, "{record:?} {mean}");
                (sum, n_rounds) = (0.0, 0);
            }
            _ => {}
        }
        std::ops::ControlFlow::Continue(())
    };
    train(&examples, &params, &RunOptions::default(), &mut listener).unwrap();
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
fn parameters_survive_being_written_down() {
    for method in every_method() {
        let params = TrainingParams { method, augmentation: vec![Augmentation::Rotate(5.0)], ..small() };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<TrainingParams>(&text).unwrap(), params, "{text}");
    }
    assert_eq!(serde_json::from_str::<TrainingParams>("{}").unwrap(), TrainingParams::default());
}

#[test]
fn without_augmentation_in_all_epochs_is_a_run_without_augmentation() {
    let (points, labels) = clusters(9, &[60, 60], 4);
    let plain = TrainingParams { keep: Keep::Last, ..small() };
    let noisy = TrainingParams { augmentation: vec![Augmentation::Noise(0.5)], ..plain.clone() };
    let plain = bits(&learn(&points, &labels, &plain));
    assert_eq!(bits(&learn(&points, &labels, &TrainingParams { clean_epochs: 6, ..noisy.clone() })), plain);
    let half = bits(&learn(&points, &labels, &TrainingParams { clean_epochs: 3, ..noisy.clone() }));
    assert!(half != plain && half != bits(&learn(&points, &labels, &noisy)));
}
