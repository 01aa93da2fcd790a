//! Every single gradient step of a boundary tree's round against finite differences of a loss written down a second time.

use super::*;
use crate::selection::slow_tree::{SlowTree, distance};
use crate::transform::Inputs;

/// A network that remembers, for each step, the parameters before it and their gradient.
pub(super) struct Recorder {
    network: TrainableNetwork<f64>,
    pub(super) steps: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Recorder {
    pub(super) fn new(network: DenseNetwork<f64>) -> Self {
        Self { network: TrainableNetwork::new(network), steps: Vec::new() }
    }
}

impl Transform<f64> for Recorder {
    fn forward(&mut self, inputs: Inputs<'_, f64>) -> &Matrix<f64> {
        self.network.forward(inputs)
    }

    fn last(&self) -> &Matrix<f64> {
        self.network.last()
    }

    fn backward(&mut self, rows: &[usize], gradient: &Matrix<f64>) {
        self.network.backward(rows, gradient);
        let (parameters, gradient) = self.network.parameters_and_gradient();
        self.steps.push((parameters.to_vec(), gradient.to_vec()));
    }

    fn parameters(&self) -> &[f64] {
        self.network.parameters()
    }

    fn decayed(&self) -> Vec<std::ops::Range<usize>> {
        self.network.decayed()
    }

    fn parameters_and_gradient(&mut self) -> (&mut [f64], &[f64]) {
        self.network.parameters_and_gradient()
    }
}

/// The representations of all points, by plain loops.
fn slow_representations(setting: &Setting, parameters: &[f64]) -> Vec<Vec<f64>> {
    assert_eq!(setting.network.architecture().activation, Activation::Tanh);
    let points = setting.points.view();
    let represent = |point: &[f32]| {
        let mut values: Vec<f64> = point.iter().map(|&value| f64::from(value)).collect();
        let mut rest = parameters;
        for (layer, (n_inputs, n_outputs)) in setting.network.architecture().shapes().enumerate() {
            if layer > 0 {
                values.iter_mut().for_each(|value| *value = value.tanh());
            }
            let (weights, after) = rest.split_at(n_inputs * n_outputs);
            let (bias, after) = after.split_at(n_outputs);
            let product =
                |output: usize| (0..n_inputs).map(|at| values[at] * weights[at * n_outputs + output]).sum::<f64>();
            values = (0..n_outputs).map(|output| bias[output] + product(output)).collect();
            rest = after;
        }
        values
    };
    points.as_f32().unwrap().chunks(points.width()).map(represent).collect()
}

/// A query and its class, with what it is compared with.
struct Compared {
    query: Vec<f64>,
    label: u32,
    voters: Vec<(Vec<f64>, u32)>,
}

/// The sum of the losses of queries and how many have one, straight from the formula `-log(sum over its class / sum over all)`.
fn slow_loss(scale: DistanceScale, compared: &[Compared]) -> (f64, usize) {
    let closeness = |query: &[f64], node: &[f64]| match scale {
        DistanceScale::Euclidean(sigma) => (-distance(query, node) / sigma).exp(),
        DistanceScale::SquaredEuclidean(sigma) => (-distance(query, node).powi(2) / sigma).exp(),
    };
    let (mut sum, mut n_counted) = (0.0, 0);
    for Compared { query, label, voters } in compared {
        let all: f64 = voters.iter().map(|(node, _)| closeness(query, node)).sum();
        let same: f64 = voters.iter().filter(|(_, its)| its == label).map(|(node, _)| closeness(query, node)).sum();
        if same > 0.0 {
            (sum, n_counted) = (sum - (same / all).ln(), n_counted + 1);
        }
    }
    (sum, n_counted)
}

/// Gives the number of queries with a loss whose walk ended at the root, and below it.
fn compare_every_step(dbt: Dbt, setting: &Setting, learning_rate: f64) -> [usize; 2] {
    let n = setting.labels.len();
    let rows: Vec<usize> = (0..n).collect();
    let mut learner =
        Learner::new(Recorder::new(setting.network.clone()), AdamParams::default(), setting.points.view());
    learner.set_rate(learning_rate, 0);
    let method = Method::Dbt(dbt);
    let round = Round { rows: &rows, labels: &setting.labels, n_boundary: setting.n_boundary, seed: 3 };
    let report = method.round(&mut learner, &round, &mut Workspace::default()).unwrap();
    let mut steps = learner.transform().steps.iter();

    let represent = |parameters: &[f64]| slow_representations(setting, parameters);
    // The tree stands over the representations at the beginning, in f32.
    let narrow = |row: &[f64]| row.iter().map(|&value| f64::from(value as f32)).collect::<Vec<f64>>();
    let at_start = represent(setting.network.parameters());
    let nodes: Vec<Vec<f64>> = at_start[..setting.n_boundary].iter().map(|row| narrow(row)).collect();
    let tree = SlowTree::new(&nodes, &setting.labels[..setting.n_boundary]);
    assert_eq!(report.n_references, tree.shown_as.len());

    let mut parameters_now = setting.network.parameters().to_vec();
    let (mut sum, mut n_counted, mut n_ended) = (0.0, 0, [0; 2]);
    let queries: Vec<usize> = (setting.n_boundary..n).collect();
    for (number, chunk) in queries.chunks(dbt.queries_per_step).enumerate() {
        // Who votes is decided by the queries as they are now, and does not change with a small change of the parameters.
        let moved = represent(&parameters_now);
        let with_parent = dbt.voters == Voters::SiblingsAndParent;
        let voters: Vec<Vec<usize>> = chunk
            .iter()
            .map(|&query| {
                tree.voters(&narrow(&moved[query]), with_parent).iter().map(|&node| tree.shown_as[node]).collect()
            })
            .collect();
        for (&query, voters) in chunk.iter().zip(&voters) {
            if voters.iter().any(|&row| setting.labels[row] == setting.labels[query]) {
                n_ended[usize::from(tree.end_of_walk(&narrow(&moved[query])) != 0)] += 1;
            }
        }
        let loss = |parameters: &[f64]| {
            let moved = represent(parameters);
            let node_at = |row: usize| match dbt.gradient {
                NodeGradient::Frozen => at_start[row].clone(),
                NodeGradient::Joint => moved[row].clone(),
            };
            let compared: Vec<_> = chunk
                .iter()
                .zip(&voters)
                .map(|(&query, voters)| {
                    let voters = voters.iter().map(|&row| (node_at(row), setting.labels[row])).collect();
                    Compared { query: moved[query].clone(), label: setting.labels[query], voters }
                })
                .collect();
            slow_loss(dbt.scale, &compared)
        };
        let (step_sum, n_of_step) = loss(&parameters_now);
        (sum, n_counted) = (sum + step_sum, n_counted + n_of_step);
        if n_of_step == 0 {
            continue;
        }
        let (parameters, gradient) = steps.next().expect("a step for every chunk with a loss");
        assert_eq!(*parameters, parameters_now, "{dbt:?} step {number}");
        for (at, &slope) in gradient.iter().enumerate() {
            let near = |step: f64| {
                let mut parameters = parameters.clone();
                parameters[at] += step;
                loss(&parameters).0 / n_of_step as f64
            };
            let difference = (near(1e-6) - near(-1e-6)) / 2e-6;
            assert!(
                (slope - difference).abs() < 1e-6 * (1.0 + difference.abs()),
                "{dbt:?} step {number} parameter {at}: {slope} but finite differences give {difference}"
            );
        }
        // Where the step went is the optimizer's business: it is read off the next one, or the end.
        parameters_now = steps.as_slice().first().map_or(learner.transform().parameters(), |next| &next.0).to_vec();
    }
    assert!(steps.next().is_none());
    assert_eq!(parameters_now != setting.network.parameters(), learning_rate > 0.0, "{dbt:?}");
    assert_eq!(report.n_left_out, queries.len() - n_counted);
    assert!((report.loss - sum / n_counted as f64).abs() < 1e-9 * (1.0 + report.loss));
    n_ended
}

#[test]
fn every_step_of_every_kind_of_dbt_has_the_gradient_of_finite_differences() {
    for gradient in [NodeGradient::Frozen, NodeGradient::Joint] {
        for voters in [Voters::Siblings, Voters::SiblingsAndParent] {
            for scale in [DistanceScale::SquaredEuclidean(5.0), DistanceScale::Euclidean(2.0)] {
                for queries_per_step in [1, 2, 12] {
                    let dbt = Dbt { queries_per_step, gradient, voters, scale, ..Dbt::v2() };
                    let mut n_ended = [0; 2];
                    for seed in 18..21 {
                        let setting = Setting::new(&Method::Dbt(dbt), Activation::Tanh, seed);
                        // Each step starts from where the one before went; with a rate of 0, all from the same place.
                        let learning_rate = if seed == 18 { 0.0 } else { 0.01 };
                        let n_here = compare_every_step(dbt, &setting, learning_rate);
                        n_ended = [n_ended[0] + n_here[0], n_ended[1] + n_here[1]];
                    }
                    assert!(n_ended[0] >= 4 && n_ended[1] >= 8, "{dbt:?}: walks that ended {n_ended:?}");
                }
            }
        }
    }
}
