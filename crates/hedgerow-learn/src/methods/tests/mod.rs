//! Gradients of every method against finite differences, in f64. `by_hand.rs` has losses worked by hand, `one_place.rs` those of points that
//! all lie in one place, `dbt_steps.rs` the single steps of boundary trees, `names.rs` how methods are asked for and written down.

mod by_hand;
mod dbt_steps;
mod names;
mod one_place;

use super::*;
use crate::optimizer::AdamParams;
use crate::selection::Voters;
use crate::transform::{Activation, Architecture, DenseNetwork, InputScale, TrainableNetwork, WeightInitialization};
use hedgerow_core::Points;

const N_INPUTS: usize = 5;
const N_CLASSES: usize = 3;

struct Setting {
    points: Points,
    labels: Vec<u32>,
    network: DenseNetwork<f64>,
    n_boundary: usize,
}

/// Rows of a setting: fewer than the 32 from which on gradients go back by transposed weights, and more than twice as many.
const N_ROWS: [usize; 2] = [24, 80];

impl Setting {
    fn new(method: &Method, activation: Activation, seed: u64) -> Self {
        Self::with_rows(N_ROWS[0], method, activation, seed)
    }

    fn with_rows(n: usize, method: &Method, activation: Activation, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed, 1);
        // Half of the numbers are zero, so that products that leave zeros out are used too.
        let values = (0..n * N_INPUTS).map(|_| (random.normal() as f32).max(0.0)).collect();
        let labels = (0..n).map(|_| random.below(N_CLASSES) as u32).collect();
        let mut layers = vec![7, 6, 4];
        if method.has_class_layer() {
            layers.push(N_CLASSES);
        }
        let architecture = Architecture { n_inputs: N_INPUTS, layers, activation };
        let mut network = DenseNetwork::new(architecture, InputScale::Numbers, WeightInitialization::He, seed);
        // Biases too are to have a gradient worth testing.
        network.parameters_mut().iter_mut().for_each(|parameter| *parameter += 0.1 * random.normal());
        lower_biases(&mut network, 1, 1.0);
        let n_boundary = if method.round_size().n_boundary == 0 { 0 } else { n / 2 };
        Self { points: Points::from_f32(N_INPUTS, values).unwrap(), labels, network, n_boundary }
    }

    /// The loss of a round, and the gradient of the parameters.
    fn loss(&self, method: &Method, network: DenseNetwork<f64>) -> (f64, Vec<f64>) {
        let mut learner = Learner::new(TrainableNetwork::new(network), AdamParams::default(), self.points.view());
        let rows: Vec<usize> = (0..self.labels.len()).collect();
        let round = Round { rows: &rows, labels: &self.labels, n_boundary: self.n_boundary, seed: 3 };
        // The learning rate is 0: nothing moves.
        let report = method.round(&mut learner, &round, &mut Workspace::default()).unwrap();
        (report.loss, learner.transform_mut().parameters_and_gradient().1.to_vec())
    }

    /// For each layer behind the first, whether half of its inputs or more are zero. Behind a rectifier, gradients go back to such inputs
    /// by products of their own.
    fn are_inputs_sparse(&self) -> Vec<bool> {
        let architecture = self.network.architecture();
        let rows: Vec<usize> = (0..self.labels.len()).collect();
        let mut n_parameters = 0;
        let of_layer = |(at, (n_inputs, n_outputs)): (usize, (usize, usize))| {
            n_parameters += (n_inputs + 1) * n_outputs;
            let first = Architecture { layers: architecture.layers[..=at].to_vec(), ..architecture.clone() };
            let parameters = &self.network.parameters()[..n_parameters];
            let network = DenseNetwork::from_parameters(first, InputScale::Numbers, parameters).unwrap();
            let mut network = TrainableNetwork::new(network);
            let outputs = network.forward(crate::transform::Inputs::Rows(self.points.view(), &rows));
            2 * outputs.values().iter().filter(|value| **value > 0.0).count() <= outputs.values().len()
        };
        architecture.shapes().enumerate().take(architecture.layers.len() - 1).map(of_layer).collect()
    }

    fn compare_with_finite_differences(&self, method: &Method) {
        let (loss, gradient) = self.loss(method, self.network.clone());
        assert!(loss > 0.0 && gradient.iter().any(|slope| *slope != 0.0));
        let step = 1e-6;
        for (at, &slope) in gradient.iter().enumerate() {
            let near = |step: f64| {
                let mut network = self.network.clone();
                network.parameters_mut()[at] += step;
                self.loss(method, network).0
            };
            let difference = (near(step) - near(-step)) / (2.0 * step);
            let tolerance = 1e-6 * (1.0 + difference.abs());
            assert!(
                (slope - difference).abs() < tolerance,
                "{method:?} parameter {at}: {slope} but finite differences give {difference}"
            );
        }
    }
}

/// The same weights as another kind of number.
fn network_of<R: Real>(network: &DenseNetwork<f64>) -> DenseNetwork<R> {
    let parameters: Vec<R> = network.parameters().iter().map(|parameter| R::of(*parameter)).collect();
    DenseNetwork::from_parameters(network.architecture().clone(), network.scale(), &parameters).unwrap()
}

/// Makes more of what comes out of a layer negative, and so zero behind a rectifier.
fn lower_biases(network: &mut DenseNetwork<f64>, layer: usize, by: f64) {
    let (_, biases) = network.places().nth(layer).unwrap();
    network.parameters_mut()[biases].iter_mut().for_each(|bias| *bias -= by);
}

fn methods() -> Vec<Method> {
    let mut methods = vec![
        Method::MlpClassifier(MlpClassifier::default()),
        Method::Siamese(Siamese::default()),
        Method::Triplet(TripletNetwork::default()),
    ];
    for scale in [DistanceScale::SquaredEuclidean(5.0), DistanceScale::Euclidean(2.0)] {
        for roles in [Roles::Apart, Roles::Both] {
            let dbs = Dbs { scale, roles, ..Dbs::default() };
            methods.push(Method::Dbs(dbs));
            methods.push(Method::RandomSet(RandomSet(dbs)));
            methods.push(Method::SoftNn(SoftNn { scale, roles, ..SoftNn::default() }));
        }
        for voters in [Voters::Siblings, Voters::SiblingsAndParent] {
            methods.push(Method::Dbt(Dbt { scale, voters, ..Dbt::v2().batched() }));
        }
    }
    methods
}

#[test]
fn gradients_of_every_method_are_those_of_finite_differences() {
    for n in N_ROWS {
        for method in methods() {
            for activation in [Activation::Relu, Activation::Tanh] {
                Setting::with_rows(n, &method, activation, 11).compare_with_finite_differences(&method);
            }
        }
    }
}

#[test]
fn gradients_with_every_activation_are_those_of_finite_differences() {
    for n in N_ROWS {
        for activation in [Activation::Relu, Activation::LeakyRelu, Activation::Gelu, Activation::Tanh] {
            let method = Method::Dbs(Dbs { scale: DistanceScale::SquaredEuclidean(5.0), ..Dbs::default() });
            Setting::with_rows(n, &method, activation, 12).compare_with_finite_differences(&method);
        }
    }
}

#[test]
fn settings_have_a_layer_with_few_zeros_and_one_with_many() {
    // Else the tests above would leave out one of the ways back through a rectifier.
    for n in N_ROWS {
        for seed in [11, 12] {
            let setting = Setting::with_rows(n, &Method::default(), Activation::Relu, seed);
            assert_eq!(setting.are_inputs_sparse(), [false, true], "{n} rows, seed {seed}");
        }
    }
}

#[test]
fn dead_rows_change_no_bit_of_the_gradient() {
    compare_with_dead_rows::<f32>();
    compare_with_dead_rows::<f64>();
}

fn compare_with_dead_rows<R: Real>() {
    // Rows and live rows both fewer than those from which on weights are transposed, both more, and one fewer and one more.
    for (n, n_boundary, n_queries, n_live) in [(24, 12, 12, 12..24), (80, 40, 40, 40..80), (80, 16, 8, 8..32)] {
        let method = Method::Dbs(Dbs { scale: DistanceScale::SquaredEuclidean(5.0), ..Dbs::default() });
        let mut setting = Setting::with_rows(n, &method, Activation::Relu, 13);
        // Layers so wide that the order of their sums is not the same for every kind of product.
        let architecture = Architecture { layers: vec![40, 30, 4], ..setting.network.architecture().clone() };
        setting.network = DenseNetwork::new(architecture, InputScale::Numbers, WeightInitialization::He, 13);
        (0..2).for_each(|layer| lower_biases(&mut setting.network, layer, 0.5));
        assert_eq!(setting.are_inputs_sparse(), [true, true], "{n} rows");
        let rows: Vec<usize> = (0..n).collect();
        let mut network = TrainableNetwork::new(network_of::<R>(&setting.network));
        let representations = network.forward(crate::transform::Inputs::Rows(setting.points.view(), &rows)).clone();
        let mut work = Workspace::<R>::default();
        crate::selection::boundary_set(&representations, &setting.labels[..n_boundary], &mut work.members);
        let scale = DistanceScale::SquaredEuclidean(5.0);
        work.soft_neighbor_loss(scale, &representations, &setting.labels, n - n_queries..n);
        work.gradient.settle();
        let n_found = work.gradient.rows().len();
        assert!(n_live.contains(&n_found), "of {n} rows {n_found} are live");
        network.backward(work.gradient.rows(), work.gradient.live());
        let live = network.parameters_and_gradient().1.to_vec();
        assert!(live.iter().any(|slope| *slope != R::zero()));
        let mut all = Matrix::zeros(rows.len(), representations.n_columns());
        rows.iter().for_each(|&row| all.row_mut(row).copy_from_slice(work.gradient.row(row)));
        network.backward(&rows, &all);
        let with_dead = network.parameters_and_gradient().1;
        assert!(live.iter().zip(with_dead).all(|(a, b)| a == b), "{n_found} live rows of {n}");
    }
}

#[test]
fn frozen_nodes_get_exactly_no_gradient_and_queries_the_same() {
    let of = |gradient: NodeGradient| {
        let method = Method::Dbt(Dbt { gradient, scale: DistanceScale::SquaredEuclidean(5.0), ..Dbt::v2().batched() });
        let setting = Setting::new(&method, Activation::Relu, 14);
        let rows: Vec<usize> = (0..setting.labels.len()).collect();
        let mut learner =
            Learner::new(TrainableNetwork::new(setting.network.clone()), AdamParams::default(), setting.points.view());
        let round = Round { rows: &rows, labels: &setting.labels, n_boundary: setting.n_boundary, seed: 3 };
        let mut work = Workspace::default();
        let report = method.round(&mut learner, &round, &mut work).unwrap();
        (report, work.gradient, rows.len() - setting.n_boundary)
    };
    let ((frozen_report, frozen, n_queries), (joint_report, joint, _)) =
        (of(NodeGradient::Frozen), of(NodeGradient::Joint));
    assert!((frozen_report.loss - joint_report.loss).abs() < 1e-12);
    assert!(frozen.rows().iter().all(|&row| row < n_queries));
    assert!(joint.rows().iter().any(|&row| row >= n_queries));
    for row in 0..n_queries {
        assert!(frozen.row(row).iter().zip(joint.row(row)).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn sequential_steps_add_up_to_the_batched_one_where_nothing_moves() {
    for gradient in [NodeGradient::Frozen, NodeGradient::Joint] {
        let batched = Dbt { gradient, scale: DistanceScale::SquaredEuclidean(5.0), ..Dbt::v2().batched() };
        let setting = Setting::new(&Method::Dbt(batched), Activation::Relu, 15);
        // The report and the gradient of each step. The learning rate is 0: nothing moves.
        let steps_of = |dbt: Dbt| {
            let recorder = dbt_steps::Recorder::new(setting.network.clone());
            let mut learner = Learner::new(recorder, AdamParams::default(), setting.points.view());
            let rows: Vec<usize> = (0..setting.labels.len()).collect();
            let round = Round { rows: &rows, labels: &setting.labels, n_boundary: setting.n_boundary, seed: 3 };
            let report = Method::Dbt(dbt).round(&mut learner, &round, &mut Workspace::default()).unwrap();
            let gradients = learner.transform().steps.iter().map(|(_, gradient)| gradient.clone());
            (report, gradients.collect::<Vec<_>>())
        };
        let (report, at_once) = steps_of(batched);
        let (sequential_report, one_by_one) = steps_of(Dbt { queries_per_step: 1, ..batched });
        assert!((report.loss - sequential_report.loss).abs() < 1e-12);
        assert_eq!(report.n_left_out, sequential_report.n_left_out);
        let n_counted = setting.labels.len() - setting.n_boundary - report.n_left_out;
        assert_eq!((at_once.len(), one_by_one.len()), (1, n_counted));
        assert!(n_counted > 1 && at_once[0].iter().any(|slope| *slope != 0.0));
        for (at, slope) in at_once[0].iter().enumerate() {
            // The step for all goes down their mean loss.
            let mean = one_by_one.iter().map(|gradient| gradient[at]).sum::<f64>() / n_counted as f64;
            assert!((slope - mean).abs() < 1e-12 * (1.0 + mean.abs()), "{gradient:?} {at}: {slope} but {mean}");
        }
    }
}

#[test]
fn sigma_is_the_methods_own_whatever_the_workspace_was_used_for_before() {
    let mut shared = Workspace::default();
    for method in methods() {
        let setting = Setting::new(&method, Activation::Relu, 17);
        let of = |method: &Method, work: &mut Workspace<f64>| {
            let mut learner = Learner::new(
                TrainableNetwork::new(setting.network.clone()),
                AdamParams::default(),
                setting.points.view(),
            );
            let rows: Vec<usize> = (0..setting.labels.len()).collect();
            let round = Round { rows: &rows, labels: &setting.labels, n_boundary: setting.n_boundary, seed: 3 };
            method.round(&mut learner, &round, work).unwrap()
        };
        assert_eq!(of(&method, &mut shared), of(&method, &mut Workspace::default()), "{method:?}");
    }
}
