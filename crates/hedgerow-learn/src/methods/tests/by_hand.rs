//! One round of each method, with its loss and the gradient of the parameters worked by hand.
//!
//! The network is z = w x + b with w = 1 and b = 0, so representations are the points themselves. Sigma is 1 / ln 2 and the distance
//! squared: `exp(-d / sigma)` is then `2^-d`, and all probabilities are fractions. Where everything moves, distances grow with w^2 and
//! do not depend on b, so for a query of probability p(y) = A / B, A the sum of `2^(-d w^2)` over its class and B over all references,
//! `dL/dw = 2 ln 2 (mean of d, weighted, over its class - mean of d, weighted, over all)` and `dL/db = 0`.

use std::f64::consts::LN_2;

use super::*;

const SCALE: DistanceScale = DistanceScale::SquaredEuclidean(1.0 / LN_2);

fn round(
    method: &Method,
    layer: &[f64],
    points: &[f32],
    labels: &[u32],
    n_boundary: usize,
    seed: u64,
) -> (RoundReport, Vec<f64>) {
    let architecture = Architecture { n_inputs: 1, layers: vec![layer.len() / 2], activation: Activation::Relu };
    let network = DenseNetwork::from_parameters(architecture, InputScale::Numbers, layer).unwrap();
    let points = Points::from_f32(1, points.to_vec()).unwrap();
    let mut learner = Learner::new(TrainableNetwork::new(network), AdamParams::default(), points.view());
    let rows: Vec<usize> = (0..labels.len()).collect();
    let round = Round { rows: &rows, labels, n_boundary, seed };
    let report = method.round(&mut learner, &round, &mut Workspace::default()).unwrap();
    (report, learner.transform_mut().parameters_and_gradient().1.to_vec())
}

/// Checks a round of the network z = x.
fn check(method: &Method, points: &[f32], labels: &[u32], n_boundary: usize, expected: (RoundReport, [f64; 2])) {
    let (report, gradient) = round(method, &[1.0, 0.0], points, labels, n_boundary, 0);
    let (expected, slopes) = expected;
    assert!((report.loss - expected.loss).abs() < 1e-12, "{method:?}: loss {} but {}", report.loss, expected.loss);
    assert_eq!(report, RoundReport { loss: report.loss, ..expected }, "{method:?}");
    for (found, expected) in gradient.iter().zip(slopes) {
        assert!((found - expected).abs() < 1e-12, "{method:?}: slope {found} but {expected}");
    }
}

// Points 0 (class 0), 3 (class 1) and 1 (class 0) to choose from; queries 1 and 2, both of class 0.
const POINTS: [f32; 5] = [0.0, 3.0, 1.0, 1.0, 2.0];
const LABELS: [u32; 5] = [0, 1, 0, 0, 0];

#[test]
fn dbs_worked_by_hand() {
    // The third point is nearest to the first, of its class: S = {0, 3}.
    // Query 1: d = 1 and 4, weights 8 : 1, p = 8/9; dL/dw = 2 ln 2 (1 - 12/9) = -2/3 ln 2.
    // Query 2: d = 4 and 1, weights 1 : 8, p = 1/9; dL/dw = 2 ln 2 (4 - 12/9) = 16/3 ln 2.
    let report = RoundReport { loss: ((9.0 / 8.0_f64).ln() + 9.0_f64.ln()) / 2.0, n_references: 2, n_left_out: 0 };
    let dbs = Dbs { scale: SCALE, ..Dbs::default() };
    check(&Method::Dbs(dbs), &POINTS, &LABELS, 3, (report, [7.0 / 3.0 * LN_2, 0.0]));

    // Plain distances: weights 2^-1 and 2^-2 for query 1, p = 2/3; for query 2 p = 1/3. With d in proportion to w, no 2:
    // ln 2 (1 - 4/3) = -1/3 ln 2, and ln 2 (2 - 4/3) = 2/3 ln 2.
    let report = RoundReport { loss: ((3.0 / 2.0_f64).ln() + 3.0_f64.ln()) / 2.0, ..report };
    let plain = Dbs { scale: DistanceScale::Euclidean(1.0 / LN_2), ..dbs };
    check(&Method::Dbs(plain), &POINTS, &LABELS, 3, (report, [1.0 / 6.0 * LN_2, 0.0]));

    // Every point of the first four is a query, and S = {0, 3} is of all. 0 and 3 have no other of their class in S and are left out; the
    // two points at 1 are as query 1 above.
    let report = RoundReport { loss: (9.0 / 8.0_f64).ln(), n_references: 2, n_left_out: 2 };
    let both = Dbs { roles: Roles::Both, ..dbs };
    check(&Method::Dbs(both), &POINTS[..4], &LABELS[..4], 2, (report, [-2.0 / 3.0 * LN_2, 0.0]));
}

#[test]
fn soft_nn_worked_by_hand() {
    // Query 1: d = 1, 4, 0, weights 8 : 1 : 16, p = 24/25; 2 ln 2 (8/24 - 12/25) = -22/75 ln 2.
    // Query 2: d = 4, 1, 1, weights 1 : 8 : 8, p = 9/17; 2 ln 2 (12/9 - 20/17) = 16/51 ln 2.
    let report =
        RoundReport { loss: ((25.0 / 24.0_f64).ln() + (17.0 / 9.0_f64).ln()) / 2.0, n_references: 3, n_left_out: 0 };
    let slope = (16.0 / 51.0 - 22.0 / 75.0) / 2.0 * LN_2;
    let soft_nn = SoftNn { scale: SCALE, ..SoftNn::default() };
    check(&Method::SoftNn(soft_nn), &POINTS, &LABELS, 3, (report, [slope, 0.0]));

    // Each of 0, 3 and 1 against the two others. 0: d = 9 and 1, weights 1 : 256, p = 256/257; 2 ln 2 (1 - 265/257) = -16/257 ln 2.
    // 1: as with DBS, p = 8/9, -2/3 ln 2. 3 is alone in its class, and left out.
    let report =
        RoundReport { loss: ((257.0 / 256.0_f64).ln() + (9.0 / 8.0_f64).ln()) / 2.0, n_references: 3, n_left_out: 1 };
    let slope = -(16.0 / 257.0 + 2.0 / 3.0) / 2.0 * LN_2;
    let both = SoftNn { roles: Roles::Both, ..soft_nn };
    check(&Method::SoftNn(both), &POINTS[..3], &LABELS[..3], 2, (report, [slope, 0.0]));
}

#[test]
fn a_random_set_worked_by_hand() {
    // Two members, as the boundary set has, one of each class: 3 and either 0, which is DBS, or 1.
    // With 1, query 1 has d = 0 and 4, weights 16 : 1, p = 16/17, 2 ln 2 (0 - 4/17) = -8/17 ln 2; query 2 is halfway, p = 1/2, and its
    // slope 2 ln 2 (1 - 1) = 0.
    let expected = [
        (((9.0 / 8.0_f64).ln() + 9.0_f64.ln()) / 2.0, 7.0 / 3.0 * LN_2),
        (((17.0 / 16.0_f64).ln() + 2.0_f64.ln()) / 2.0, -4.0 / 17.0 * LN_2),
    ];
    let method = Method::RandomSet(RandomSet(Dbs { scale: SCALE, ..Dbs::default() }));
    let mut n_found = [0; 2];
    for seed in 0..20 {
        let (report, gradient) = round(&method, &[1.0, 0.0], &POINTS, &LABELS, 3, seed);
        assert_eq!((report.n_references, report.n_left_out), (2, 0));
        let found = expected.iter().position(|(loss, _)| (report.loss - loss).abs() < 1e-12);
        let found = found.unwrap_or_else(|| panic!("seed {seed}: loss {}", report.loss));
        assert!((gradient[0] - expected[found].1).abs() < 1e-12 && gradient[1].abs() < 1e-12, "seed {seed}");
        n_found[found] += 1;
    }
    assert!(n_found.iter().all(|&n| n > 0), "{n_found:?}");
}

#[test]
fn both_dbts_worked_by_hand() {
    // Root 0 (class 0), to which 3 (class 1) and 1 (class 2) are added. Query 4 (class 1) ends at 3, whose sibling is 1; query 0
    // (class 0) at the root, where the root and its children vote; query 4 of class 0 finds no voter of its class.
    let (points, labels) = ([0.0, 3.0, 1.0, 4.0, 0.0, 4.0], [0, 1, 2, 1, 0, 0]);
    // Query 4: d = 1 and 9, weights 256 : 1, p = 256/257. Query 0: d = 0, 9 and 1, weights 512 : 1 : 256, p = 512/769.
    let report = RoundReport {
        loss: ((257.0 / 256.0_f64).ln() + (769.0 / 512.0_f64).ln()) / 2.0,
        n_references: 3,
        n_left_out: 1,
    };
    // v2. Query 4: 2 ln 2 (1 - 265/257) = -16/257 ln 2. Query 0: 2 ln 2 (0 - 265/769) = -530/769 ln 2.
    let v2 = Dbt { scale: SCALE, queries_per_step: 3, ..Dbt::v2() };
    let slope = -(16.0 / 257.0 + 530.0 / 769.0) / 2.0 * LN_2;
    check(&Method::Dbt(v2), &points, &labels, 3, (report, [slope, 0.0]));
    // v1: only z, the query, moves. dL/dz = 2 ln 2 (mean of z - node over its class - mean over all). dL/dw = z dL/dz, dL/db = dL/dz.
    // Query 4: 2 ln 2 (1 - (256 * 1 + 3) / 257) = -4/257 ln 2. Query 0: 2 ln 2 (0 - (-3 - 256) / 769) = 518/769 ln 2.
    let v1 = Dbt { scale: SCALE, queries_per_step: 3, ..Dbt::v1() };
    let slopes = [4.0 * -4.0 / 257.0 / 2.0 * LN_2, (518.0 / 769.0 - 4.0 / 257.0) / 2.0 * LN_2];
    check(&Method::Dbt(v1), &points, &labels, 3, (report, slopes));

    // With the parent, queries at 4 have d = 1, 9 and 16, weights 2^15 : 2^7 : 1, 32897 in all: p = 32768/32897 for class 1, and
    // 1/32897 for class 0, so that nobody is left out. The mean of d over all is (32768 + 9 * 128 + 16) / 32897 = 33936/32897.
    let report = RoundReport {
        loss: ((32897.0 / 32768.0_f64).ln() + (769.0 / 512.0_f64).ln() + 32897.0_f64.ln()) / 3.0,
        n_references: 3,
        n_left_out: 0,
    };
    let slope = 2.0 * ((1.0 - 33936.0 / 32897.0) - 265.0 / 769.0 + (16.0 - 33936.0 / 32897.0)) / 3.0 * LN_2;
    let v2 = Dbt { voters: Voters::SiblingsAndParent, ..v2 };
    check(&Method::Dbt(v2), &points, &labels, 3, (report, [slope, 0.0]));
}

#[test]
fn a_classifier_worked_by_hand() {
    // Outputs x ln 2 and -x ln 2. For 1, of class 0: softmax(ln 2, -ln 2) = (4/5, 1/5), loss ln(5/4). For 2, of class 1: (16/17, 1/17),
    // loss ln 17.
    let method = Method::MlpClassifier(MlpClassifier::default());
    let (report, gradient) = round(&method, &[LN_2, -LN_2, 0.0, 0.0], &[1.0, 2.0], &[0, 1], 0, 0);
    let loss = ((5.0 / 4.0_f64).ln() + 17.0_f64.ln()) / 2.0;
    assert!((report.loss - loss).abs() < 1e-12, "{} {loss}", report.loss);
    // Gradients of the outputs: (-1/5, 1/5) and (16/17, -16/17). By weights, 1 times the first and 2 times the second; by biases, once
    // each; halved for the mean.
    let (weight, bias) = ((-1.0 / 5.0 + 32.0 / 17.0) / 2.0, (-1.0 / 5.0 + 16.0 / 17.0) / 2.0);
    assert!(gradient.iter().zip([weight, -weight, bias, -bias]).all(|(a, b)| (a - b).abs() < 1e-12), "{gradient:?}");
}

#[test]
fn a_siamese_network_worked_by_hand() {
    // 0 and 2 of class 0, 1 of class 1: whichever partners are drawn, pairs of one class are 2 apart and others 1. The two of class 0 have
    // one pair of each kind, the third has one of another class. Margin 4: 2 * 2^2 + 3 * (4 - 1)^2 = 35, over 5 pairs.
    // By w: 2 * 2 * 2^2 - 3 * 2 * (4 - 1) * 1 = 16 - 18 = -2, over 5.
    let method = Method::Siamese(Siamese { margin: 4.0, ..Siamese::default() });
    let report = RoundReport { loss: 7.0, n_references: 0, n_left_out: 0 };
    check(&method, &[0.0, 2.0, 1.0], &[0, 0, 1], 0, (report, [-0.4, 0.0]));
}

#[test]
fn a_triplet_network_worked_by_hand() {
    // 0 and 2 of class 0, 5 of class 1, margin 4. Anchor 0: 2 - 5 + 4 = 1. Anchor 2: 2 - 3 + 4 = 3. 5 is alone. Mean 2.
    // By w: (2 - 5) + (2 - 3) = -4, over 2.
    let method = Method::Triplet(TripletNetwork { margin: 4.0, ..TripletNetwork::default() });
    let report = RoundReport { loss: 2.0, n_references: 0, n_left_out: 0 };
    check(&method, &[0.0, 2.0, 5.0], &[0, 0, 1], 0, (report, [-2.0, 0.0]));
    // Margin 2: anchor 0 is content, with -1; anchor 2 has 1. Mean 1/2; by w -1 over 2.
    let method = Method::Triplet(TripletNetwork { margin: 2.0, ..TripletNetwork::default() });
    check(&method, &[0.0, 2.0, 5.0], &[0, 0, 1], 0, (RoundReport { loss: 0.5, ..report }, [-0.5, 0.0]));
}
