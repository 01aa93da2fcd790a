//! Rounds whose points all lie in one place, with one class or several. All references are equally close then, so that losses are known: with
//! `s` of `n` references of its class, a query has `-ln(s / n)`.

use std::collections::BTreeSet;
use std::f64::consts::LN_2;
use std::ops::Range;

use super::*;
use crate::selection::random_set;

/// Points of a round; the first half are what references are chosen from.
const N: usize = 8;

/// The report of a round at a rate of 0.001, and its weights afterwards; and what came out of the network before.
fn round_in_one_place<R: Real>(method: &Method, labels: [u32; N]) -> (RoundReport, Vec<R>, Vec<f64>) {
    let points = Points::from_f32(N_INPUTS, vec![1.0; N * N_INPUTS]).unwrap();
    let network = network_of::<R>(&Setting::new(method, Activation::Relu, 16).network);
    let outputs = network.represent(points.view()).unwrap().row(0).iter().map(|output| output.wide()).collect();
    let mut learner = Learner::new(TrainableNetwork::new(network), AdamParams::default(), points.view());
    learner.set_rate(1e-3, 0);
    let rows: Vec<usize> = (0..N).collect();
    let round = Round { rows: &rows, labels: &labels, n_boundary: n_boundary(method), seed: 3 };
    let report = method.round(&mut learner, &round, &mut Workspace::default()).unwrap();
    (report, learner.transform().parameters().to_vec(), outputs)
}

fn n_boundary(method: &Method) -> usize {
    if method.round_size().n_boundary == 0 { 0 } else { N / 2 }
}

/// All methods, trees with a step for each query.
fn every_method() -> impl Iterator<Item = Method> {
    let mut methods = methods();
    methods.push(Method::Dbt(Dbt::v1()));
    methods.into_iter().map(|mut method| {
        if let Method::Dbt(dbt) = &mut method {
            dbt.queries_per_step = 1;
        }
        method
    })
}

/// The loss of a round, and how many queries are left out of it. `outputs` are those of a class layer.
fn expected(method: &Method, labels: [u32; N], outputs: &[f64]) -> (f64, usize) {
    let classes: BTreeSet<u32> = labels.into_iter().collect();
    let n_classes = classes.len();
    let sides = |roles: Roles| match roles {
        Roles::Apart => (N / 2, N / 2..N),
        Roles::Both => (N, 0..N),
    };
    // The nearest of members in one place is the first, so that these are the first point and all of another class. A tree has them for its root
    // and the children of the root; a query stays at the root, and all of them vote.
    let boundary = |n: usize| -> Vec<usize> { (0..n).filter(|&row| row == 0 || labels[row] != labels[0]).collect() };
    match method {
        Method::Dbs(dbs) => {
            let (n, queries) = sides(dbs.roles);
            soft(labels, &boundary(n), queries)
        }
        Method::RandomSet(RandomSet(dbs)) => {
            let (n, queries) = sides(dbs.roles);
            let mut members = Vec::new();
            random_set(&labels[..n], boundary(n).len(), &mut SplitMix64::new(3, 0), &mut members);
            soft(labels, &members, queries)
        }
        Method::SoftNn(soft_nn) => {
            let (n, queries) = sides(soft_nn.roles);
            soft(labels, &(0..n).collect::<Vec<_>>(), queries)
        }
        Method::Dbt(_) => soft(labels, &boundary(N / 2), N / 2..N),
        Method::MlpClassifier(_) => {
            let all = outputs.iter().map(|output| output.exp()).sum::<f64>().ln();
            (labels.iter().map(|&label| all - outputs[label as usize]).sum::<f64>() / N as f64, 0)
        }
        // Each point has a pair of one class, at the distance 0 that it should have, and one of two classes, which should be `margin` apart.
        Method::Siamese(siamese) => (if n_classes == 1 { 0.0 } else { siamese.margin * siamese.margin / 2.0 }, 0),
        Method::Triplet(triplet) => {
            if n_classes == 1 {
                (0.0, N)
            } else {
                (triplet.margin, 0)
            }
        }
    }
}

/// The mean over the queries that have a reference of their class, each among others than itself.
fn soft(labels: [u32; N], members: &[usize], queries: Range<usize>) -> (f64, usize) {
    let n_queries = queries.len();
    let of_query = |query: usize| {
        let others = || members.iter().filter(move |member| **member != query);
        let n_same = others().filter(|member| labels[**member] == labels[query]).count();
        (n_same > 0).then(|| (others().count() as f64 / n_same as f64).ln())
    };
    let losses: Vec<f64> = queries.filter_map(of_query).collect();
    (losses.iter().sum::<f64>() / losses.len().max(1) as f64, n_queries - losses.len())
}

fn compare<R: Real>(tolerance: f64) {
    // One class; two in turns; references of one and queries of the other; one reference of the second class; and three.
    for labels in
        [[0; N], [0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 0, 0, 1, 0, 1], [2, 0, 1, 2, 0, 1, 1, 2]]
    {
        for method in every_method() {
            let (report, weights, outputs) = round_in_one_place::<R>(&method, labels);
            let (loss, n_left_out) = expected(&method, labels, &outputs);
            let what = format!("{method:?} {labels:?}: loss {}, not {loss}", report.loss);
            // Where the loss is 0, it is exactly 0.
            assert!(
                if loss == 0.0 { report.loss == 0.0 } else { (report.loss / loss - 1.0).abs() < tolerance },
                "{what}"
            );
            assert_eq!(report.n_left_out, n_left_out, "{what}");
            assert!(weights.iter().all(|weight| weight.is_finite()), "{what}");
        }
    }
}

#[test]
fn losses_of_points_in_one_place_are_those_of_counting() {
    compare::<f64>(1e-12);
    compare::<f32>(1e-6);
}

#[test]
fn two_classes_in_one_place_cost_ln_2_and_one_class_nothing() {
    fn check<R: Real>(tolerance: f64) {
        for method in every_method().filter(|method| method.compared_with() == ComparedWith::Boundary) {
            // Of the four first points, two of each class where all are references; else the first, and the one of another class.
            let labels = match method {
                Method::SoftNn(_) => [0, 1, 0, 1, 0, 1, 0, 1],
                _ => [0, 1, 0, 0, 0, 1, 0, 1],
            };
            let report = round_in_one_place::<R>(&method, labels).0;
            assert!((report.loss - LN_2).abs() < tolerance, "{method:?}: {}", report.loss);
            let (report, weights, _) = round_in_one_place::<R>(&method, [1; N]);
            assert_eq!((report.loss, report.n_left_out), (0.0, 0), "{method:?}");
            // There is no slope either.
            let before = network_of::<R>(&Setting::new(&method, Activation::Relu, 16).network);
            assert_eq!(weights, before.parameters(), "{method:?}");
        }
    }
    check::<f64>(1e-12);
    check::<f32>(1e-6);
}
