//! Passes forward and back through a dense network, over buffers that are allocated once.

use hedgerow_core::matrix::{MatrixRef, Threads, multiply};
use rayon::prelude::*;

use super::activation::rectified;
use super::dense_network::{DenseNetwork, Layer, fill_from_points};
use super::{Activation, Inputs, Transform};
use crate::matrix::{
    Additions, Aligned, Matrix, SparseColumns, SparseRows, masked_product, sparse_rows_times, vectorized,
};
use crate::real::Real;

/// Up to this share of numbers that are not zero, products leave the zeros out; above it, a dense product is faster.
const SPARSE_UP_TO: f64 = 0.55;

/// The same for layers of fewer outputs than [`FEW_OUTPUTS`]: to sort out the zeros costs as much as for a wide layer, and saves less.
const SPARSE_UP_TO_OF_FEW: f64 = 0.3;
const FEW_OUTPUTS: usize = 64;

/// The same for the gradient on its way back through a layer, where leaving zeros out costs a transposed copy of the weights too.
const BACK_SPARSE_UP_TO: f64 = 0.4;

/// For a batch of so many rows and more, the gradient goes back through a layer by the transposed weights, row after row without its zeros: they
/// are read from the nearest cache then, and not from the next one. For fewer rows transposing costs more than it saves.
const TRANSPOSED_FROM: usize = 32;

/// What goes into a layer, with or without its zeros.
#[derive(Debug, Clone, Default)]
struct LayerInput<R> {
    /// Whether `sparse` is used; else `dense`.
    is_sparse: bool,
    sparse: SparseRows<R>,
    /// Behind a rectifier and with `sparse` in use, the numbers before it: which of them are above 0 is all that is asked then.
    dense: Matrix<R>,
    /// What came out of the layer before, if the activation needs it for its slope.
    before_activation: Matrix<R>,
    /// Of the backward pass: the rows with a gradient, in the form that the gradient of the weights needs.
    columns: SparseColumns<R>,
    rows: Matrix<R>,
}

/// A dense network with the memory that learning needs.
#[derive(Debug, Clone)]
pub struct TrainableNetwork<R = f32> {
    network: DenseNetwork<R>,
    gradient: Aligned<R>,
    /// For each layer.
    inputs: Vec<LayerInput<R>>,
    output: Matrix<R>,
    /// Of the backward pass: the gradient behind a layer, and the way from there to the layer before.
    behind: Matrix<R>,
    back: WayBack<R>,
}

/// Memory for taking a gradient back through a layer, and where it ends up.
#[derive(Debug, Clone, Default)]
struct WayBack<R> {
    /// The gradient before the layer.
    gradient: Matrix<R>,
    transposed: Matrix<R>,
    behind: SparseRows<R>,
    zeros: Vec<R>,
}

impl<R: Real> TrainableNetwork<R> {
    /// Prepares a network for learning.
    pub fn new(network: DenseNetwork<R>) -> Self {
        let n_layers = network.architecture().layers.len();
        Self {
            gradient: Aligned::zeros(network.parameters().len()),
            network,
            inputs: (0..n_layers).map(|_| LayerInput::default()).collect(),
            output: Matrix::default(),
            behind: Matrix::default(),
            back: WayBack::default(),
        }
    }

    /// The network as it is now.
    pub fn network(&self) -> &DenseNetwork<R> {
        &self.network
    }
}

impl<R: Real> LayerInput<R> {
    fn take(&mut self, inputs: Inputs<'_, R>, network: &DenseNetwork<R>) {
        let (scale, n_outputs) = (network.scale(), network.architecture().layers[0]);
        match inputs {
            Inputs::Rows(points, rows) => {
                assert_eq!(points.width(), network.architecture().n_inputs, "features of the points");
                assert_eq!(points.kind(), scale.kind(), "the kind of the points");
                fill_from_points(&mut self.sparse, points, Some(rows), scale);
                let share = self.sparse.n_filled() as f64 / (rows.len() * points.width()).max(1) as f64;
                self.is_sparse = share <= sparse_up_to(n_outputs);
                if !self.is_sparse {
                    self.sparse.write_to(&mut self.dense);
                }
            }
            Inputs::Matrix(matrix) => {
                assert_eq!(matrix.n_columns(), network.architecture().n_inputs, "features of the points");
                self.dense.clone_from(matrix);
                self.settle(n_outputs);
            }
        }
    }

    /// Prepares the rows that have a gradient for [`gradient_of_weights`].
    fn take_live(&mut self, rows: &[usize]) {
        if self.is_sparse {
            self.columns.take_rows(&self.sparse, rows);
        } else {
            self.rows.take_rows(&self.dense, rows);
        }
    }

    /// Applies the activation to `dense` and chooses between the two forms, for a layer of so many outputs.
    fn activate(&mut self, activation: Activation, n_outputs: usize) {
        if activation.needs_inputs() {
            self.before_activation.clone_from(&self.dense);
        }
        if activation == Activation::Relu {
            self.is_sparse =
                share_of(self.dense.values(), |value| rectified(value) != R::zero()) <= sparse_up_to(n_outputs);
            if self.is_sparse {
                // The zeros are left out as they arise, without a pass over the numbers to write them.
                let Self { sparse, dense, .. } = self;
                sparse.fill(dense.n_columns(), dense.n_rows(), |row| dense.row(row), rectified);
                return;
            }
        }
        self.dense.values_mut().par_chunks_mut(8192).for_each(|values| {
            vectorized(
                #[inline(always)]
                || activation.apply(values),
            );
        });
        if activation != Activation::Relu {
            self.settle(n_outputs);
        }
    }

    /// Chooses between the two forms by the numbers in `dense`.
    fn settle(&mut self, n_outputs: usize) {
        self.is_sparse = share_of(self.dense.values(), |value| value != R::zero()) <= sparse_up_to(n_outputs);
        if self.is_sparse {
            self.sparse.fill_from(&self.dense);
        }
    }
}

/// Up to which share of numbers that are not zero a layer of so many outputs leaves the zeros out.
fn sparse_up_to(n_outputs: usize) -> f64 {
    if n_outputs < FEW_OUTPUTS { SPARSE_UP_TO_OF_FEW } else { SPARSE_UP_TO }
}

/// The share of numbers that are as asked; 0 of none.
#[inline(always)]
fn share_of<R: Real>(values: &[R], is: impl Fn(R) -> bool) -> f64 {
    let n = vectorized(
        #[inline(always)]
        || {
            let mut n = 0_u32;
            for &value in values {
                n += u32::from(is(value));
            }
            n
        },
    );
    f64::from(n) / values.len().max(1) as f64
}

impl<R: Real> Transform<R> for TrainableNetwork<R> {
    fn forward(&mut self, inputs: Inputs<'_, R>) -> &Matrix<R> {
        let activation = self.network.architecture().activation;
        self.inputs[0].take(inputs, &self.network);
        let last = self.inputs.len() - 1;
        let n_outputs = &self.network.architecture().layers;
        for (at, layer) in self.network.layers().enumerate() {
            let (here, after) = self.inputs.split_at_mut(at + 1);
            let (input, width) = (&here[at], layer.bias.len());
            let output = after.first_mut().map_or(&mut self.output, |next| &mut next.dense);
            if input.is_sparse {
                sparse_rows_times(&input.sparse, layer.weights, layer.bias, Additions::Fused, output);
            } else {
                output.resize(input.dense.n_rows(), width);
                output.values_mut().chunks_exact_mut(width).for_each(|row| row.copy_from_slice(layer.bias));
                let weights = MatrixRef::new(layer.weights, input.dense.n_columns(), width);
                multiply(output.values_mut(), input.dense.view(), weights, true, Threads::All);
            }
            if at < last {
                after[0].activate(activation, n_outputs[at + 1]);
            }
        }
        &self.output
    }

    fn last(&self) -> &Matrix<R> {
        &self.output
    }

    fn backward(&mut self, rows: &[usize], gradient: &Matrix<R>) {
        let Self { network, gradient: of_parameters, inputs, behind, back, .. } = self;
        behind.clone_from(gradient);
        // For all layers at once: each is too little work to be shared among threads.
        inputs.par_iter_mut().for_each(|input| input.take_live(rows));
        let activation = network.architecture().activation;
        let places: Vec<_> = network.places().collect();
        let layers: Vec<_> = network.layers().collect();
        for (at, (layer, (weights_at, bias_at))) in layers.iter().zip(places).enumerate().rev() {
            let input = &inputs[at];
            // Biases stand behind the weights of their layer.
            let (of_weights, of_bias) = of_parameters[weights_at.start..bias_at.end].split_at_mut(weights_at.len());
            // One after the other, each with all threads. At the same time, one on each of two threads, an epoch took 9 to 16 % longer: a dense
            // product is cut up for the threads that are free when it begins, and the first to be done with its part waits.
            sum_of_rows(behind, of_bias);
            gradient_of_weights(input, behind, of_weights);
            if at > 0 {
                back.through(input, layer, activation, rows, behind);
            }
            std::mem::swap(behind, &mut back.gradient);
        }
    }

    fn parameters(&self) -> &[R] {
        self.network.parameters()
    }

    fn decayed(&self) -> Vec<std::ops::Range<usize>> {
        self.network.places().map(|(weights, _)| weights).collect()
    }

    fn parameters_and_gradient(&mut self) -> (&mut [R], &[R]) {
        (self.network.parameters_mut(), &self.gradient)
    }
}

/// The gradient of a layer's weights, from the live rows of what went into it and the gradient behind it.
fn gradient_of_weights<R: Real>(input: &LayerInput<R>, behind: &Matrix<R>, of_weights: &mut [R]) {
    if input.is_sparse {
        input.columns.times(behind, of_weights);
    } else {
        multiply(of_weights, input.rows.view().transposed(), behind.view(), false, Threads::All);
    }
}

impl<R: Real> WayBack<R> {
    /// Takes the gradient behind a layer to before the activation in front of it.
    fn through(
        &mut self,
        input: &LayerInput<R>,
        layer: &Layer<'_, R>,
        activation: Activation,
        rows: &[usize],
        behind: &Matrix<R>,
    ) {
        let (n_inputs, n_outputs) = (input.dense.n_columns(), layer.bias.len());
        let is_sparse = input.is_sparse && activation == Activation::Relu;
        // By all rows, and not by those with a gradient: others in the same batch must not change the bits.
        if is_sparse && input.sparse.n_rows() < TRANSPOSED_FROM {
            masked_product(behind, layer.weights, &input.sparse, rows, &mut self.gradient);
            return;
        }
        // By the rows with a gradient alone, for the same reason.
        if is_sparse && share_of(behind.values(), |value| value != R::zero()) <= BACK_SPARSE_UP_TO {
            self.transposed.transpose_of(layer.weights, n_outputs);
            self.behind.fill_from(behind);
            self.zeros.resize(n_inputs, R::zero());
            let (weights, zeros) = (self.transposed.values(), &self.zeros);
            sparse_rows_times(&self.behind, weights, zeros, Additions::Fused, &mut self.gradient);
        } else {
            self.gradient.resize(rows.len(), n_inputs);
            let weights = MatrixRef::new(layer.weights, n_inputs, n_outputs);
            multiply(self.gradient.values_mut(), behind.view(), weights.transposed(), false, Threads::All);
        }
        for (place, &row) in rows.iter().enumerate() {
            let inputs = if activation.needs_inputs() { input.before_activation.row(row) } else { &[] };
            activation.apply_slope(self.gradient.row_mut(place), input.dense.row(row), inputs);
        }
    }
}

fn sum_of_rows<R: Real>(matrix: &Matrix<R>, sums: &mut [R]) {
    sums.fill(R::zero());
    vectorized(
        #[inline(always)]
        || {
            for row in 0..matrix.n_rows() {
                for (sum, &value) in sums.iter_mut().zip(matrix.row(row)) {
                    *sum += value;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::super::{Architecture, InputScale};
    use super::*;
    use hedgerow_core::Points;
    use hedgerow_core::random::SplitMix64;

    fn network(layers: Vec<usize>, n_inputs: usize, parameters: &[f64]) -> TrainableNetwork<f64> {
        let architecture = Architecture { n_inputs, layers, activation: Activation::Relu };
        let network = DenseNetwork::from_parameters(architecture, InputScale::Numbers, parameters).unwrap();
        TrainableNetwork::new(network)
    }

    #[test]
    fn one_layer_worked_by_hand() {
        // Weights 1 and -1 from the first input, 2 and 3 from the second; biases 0.5 and -1.
        let mut network = network(vec![2], 2, &[1.0, -1.0, 2.0, 3.0, 0.5, -1.0]);
        let points = Points::from_f32(2, vec![9.0, 9.0, 1.0, 2.0, 0.0, 3.0]).unwrap();
        // (1, 2): 1 + 4 + 0.5 and -1 + 6 - 1. (0, 3): 6 + 0.5 and 9 - 1.
        let outputs = network.forward(Inputs::Rows(points.view(), &[1, 2]));
        assert_eq!(outputs.values(), [5.5, 4.0, 6.5, 8.0]);
        // Gradients (2, -1) and (4, 5): by weights 1 * (2, -1) + 0 * (4, 5) and 2 * (2, -1) + 3 * (4, 5); by biases their sum.
        network.backward(&[0, 1], &Matrix::from_values(2, 2, vec![2.0, -1.0, 4.0, 5.0]));
        assert_eq!(network.parameters_and_gradient().1, [2.0, -1.0, 16.0, 13.0, 6.0, 4.0]);
        // The second row alone: 0 * (4, 5), 3 * (4, 5), (4, 5).
        network.backward(&[1], &Matrix::from_values(1, 2, vec![4.0, 5.0]));
        assert_eq!(network.parameters_and_gradient().1, [0.0, 0.0, 12.0, 15.0, 4.0, 5.0]);
    }

    #[test]
    fn two_layers_worked_by_hand() {
        // The same first layer, then weights 2 and 7 and bias 0.25.
        let mut network = network(vec![2, 1], 2, &[1.0, -1.0, 2.0, 3.0, 0.5, -1.0, 2.0, 7.0, 0.25]);
        // (3, 1): 3 + 2 + 0.5 = 5.5 and -3 + 3 - 1 = -1, rectified 5.5 and 0, so 11 + 0.25.
        let outputs = network.forward(Inputs::Matrix(&Matrix::from_values(1, 2, vec![3.0, 1.0])));
        assert_eq!(outputs.values(), [11.25]);
        // Gradient 1: by the second weights (5.5, 0), by its bias 1; behind the first layer (2, 7), of which the rectifier lets
        // (2, 0) through; by the first weights 3 * (2, 0) and 1 * (2, 0), by its biases (2, 0).
        network.backward(&[0], &Matrix::from_values(1, 1, vec![1.0]));
        assert_eq!(network.parameters_and_gradient().1, [6.0, 0.0, 2.0, 0.0, 2.0, 0.0, 5.5, 0.0, 1.0]);
    }

    fn random_matrix(random: &mut SplitMix64, rows: usize, columns: usize) -> Matrix<f64> {
        Matrix::from_values(rows, columns, (0..rows * columns).map(|_| random.normal()).collect())
    }

    /// The derivative of `loss` by each of `values`.
    fn finite_differences(values: &[f64], loss: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let near = |at: usize, step: f64| {
            let mut values = values.to_vec();
            values[at] += step;
            loss(&values)
        };
        (0..values.len()).map(|at| (near(at, 1e-5) - near(at, -1e-5)) / 2e-5).collect()
    }

    fn assert_close(found: &[f64], expected: &[f64], what: &str) {
        assert_eq!(found.len(), expected.len());
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{what} {at}: {found} but {expected}");
        }
    }

    #[test]
    fn one_layer_has_the_gradient_of_finite_differences_behind_every_activation() {
        one_layer_has_the_gradient_of_finite_differences(6, &[0, 2, 3, 5], 0.0);
    }

    #[test]
    fn and_so_it_has_for_rows_enough_to_transpose_the_weights() {
        let rows: Vec<usize> = (0..40).filter(|row| row % 8 != 1).collect();
        assert!(rows.len() >= TRANSPOSED_FROM);
        // A gradient of which products leave the zeros out, and one without zeros.
        for share_of_zeros in [0.8, 0.0] {
            one_layer_has_the_gradient_of_finite_differences(40, &rows, share_of_zeros);
        }
    }

    /// Of `n` rows, only `rows` count in the loss, and of their outputs all but this share.
    fn one_layer_has_the_gradient_of_finite_differences(n: usize, rows: &[usize], share_of_zeros: f64) {
        let (n_inputs, n_outputs) = (5, 3);
        for activation in [Activation::Relu, Activation::LeakyRelu, Activation::Gelu, Activation::Tanh] {
            // Shifted down, three quarters and more of what comes out of the rectifier are zero; shifted up, next to none.
            for shift in [-1.0, 1.0] {
                let mut random = SplitMix64::new(21, 0);
                let mut before = random_matrix(&mut random, n, n_inputs);
                before.values_mut().iter_mut().for_each(|value| *value += shift);
                let weights = random_matrix(&mut random, n_inputs, n_outputs);
                let bias = random_matrix(&mut random, 1, n_outputs);
                let mut coefficients = random_matrix(&mut random, rows.len(), n_outputs);
                for coefficient in coefficients.values_mut().iter_mut().filter(|_| random.unit() < share_of_zeros) {
                    *coefficient = 0.0;
                }
                // The sum of the outputs with these coefficients, by plain loops.
                let loss = |before: &[f64], weights: &[f64], bias: &[f64]| {
                    let mut inputs = before.to_vec();
                    activation.apply(&mut inputs);
                    let mut sum = 0.0;
                    for (place, &row) in rows.iter().enumerate() {
                        for output in 0..n_outputs {
                            let products =
                                (0..n_inputs).map(|at| inputs[row * n_inputs + at] * weights[at * n_outputs + output]);
                            sum += coefficients.row(place)[output] * (bias[output] + products.sum::<f64>());
                        }
                    }
                    sum
                };
                let [of_before, of_weights, of_bias] = [
                    finite_differences(before.values(), |values| loss(values, weights.values(), bias.values())),
                    finite_differences(weights.values(), |values| loss(before.values(), values, bias.values())),
                    finite_differences(bias.values(), |values| loss(before.values(), weights.values(), values)),
                ];

                let mut input = LayerInput { dense: before.clone(), ..LayerInput::default() };
                input.activate(activation, n_outputs);
                assert_eq!(input.is_sparse, activation == Activation::Relu && shift < 0.0);
                let layer = Layer { weights: weights.values(), bias: bias.values() };
                let what = format!("{activation:?} shifted by {shift}");
                let mut back = WayBack::default();
                back.through(&input, &layer, activation, rows, &coefficients);
                let is_transposed = input.is_sparse && n >= TRANSPOSED_FROM && share_of_zeros > 0.5;
                assert_eq!(back.transposed.n_rows() == n_outputs, is_transposed, "{what}");
                let of_rows: Vec<f64> =
                    rows.iter().flat_map(|row| &of_before[row * n_inputs..(row + 1) * n_inputs]).copied().collect();
                assert_close(back.gradient.values(), &of_rows, &what);
                let mut found = vec![f64::NAN; n_inputs * n_outputs];
                input.take_live(rows);
                gradient_of_weights(&input, &coefficients, &mut found);
                assert_close(&found, &of_weights, &what);
                let mut found = vec![f64::NAN; n_outputs];
                sum_of_rows(&coefficients, &mut found);
                assert_close(&found, &of_bias, &what);
            }
        }
    }

    #[test]
    fn what_is_learned_with_is_what_is_answered_with() {
        let mut random = SplitMix64::new(23, 0);
        for activation in [Activation::Relu, Activation::LeakyRelu, Activation::Gelu, Activation::Tanh] {
            // Wider than one piece of a sparse product, and with zeros and without.
            for share_of_zeros in [0.0, 0.9] {
                let architecture = Architecture { n_inputs: 130, layers: vec![120, 110, 7], activation };
                let network = DenseNetwork::<f64>::new(
                    architecture,
                    InputScale::Numbers,
                    super::super::WeightInitialization::He,
                    3,
                );
                let mut number = || if random.unit() < share_of_zeros { 0.0 } else { random.normal() as f32 };
                let points = Points::from_f32(130, (0..40 * 130).map(|_| number()).collect()).unwrap();
                let rows: Vec<usize> = (0..40).collect();
                let answers = network.represent(points.view()).unwrap();
                let mut learned = TrainableNetwork::new(network);
                let outputs = learned.forward(Inputs::Rows(points.view(), &rows));
                assert_close(outputs.values(), answers.values(), &format!("{activation:?} {share_of_zeros}"));
            }
        }
    }

    #[test]
    fn three_layers_have_the_gradient_of_finite_differences_with_rows_enough_to_transpose_the_weights() {
        let mut random = SplitMix64::new(24, 0);
        let (n_inputs, layers) = (6, vec![9, 5, 3]);
        let n_parameters = 7 * 9 + 10 * 5 + 6 * 3;
        let mut parameters: Vec<f64> = (0..n_parameters).map(|_| random.normal() - 0.6).collect();
        // Lower biases of the first layer: three quarters of what comes out of the rectifiers are zero.
        parameters[6 * 9..7 * 9].iter_mut().for_each(|bias| *bias -= 1.0);
        let inputs = random_matrix(&mut random, 40, n_inputs);
        let live: Vec<usize> = (0..40).filter(|row| row % 3 != 1).collect();
        let coefficients = random_matrix(&mut random, live.len(), 3);
        let expected = finite_differences(&parameters, |parameters| {
            let mut network = network(layers.clone(), n_inputs, parameters);
            let outputs = network.forward(Inputs::Matrix(&inputs));
            let rows = live.iter().enumerate().map(|(at, &row)| coefficients.row(at).iter().zip(outputs.row(row)));
            rows.flatten().map(|(coefficient, output)| coefficient * output).sum()
        });
        assert!(expected[..7 * 9].iter().any(|slope| *slope != 0.0), "something goes back to the first layer");
        let mut network = network(layers, n_inputs, &parameters);
        // Twice: what is left of a first pass must not be seen by the second.
        for _ in 0..2 {
            network.forward(Inputs::Matrix(&inputs));
            assert!(network.inputs[1].is_sparse && network.inputs[2].is_sparse);
            network.backward(&live, &coefficients);
            assert_eq!((network.back.transposed.n_rows(), network.back.transposed.n_columns()), (5, 9));
            assert_close(network.parameters_and_gradient().1, &expected, "parameter");
        }
    }

    #[test]
    fn a_linear_network_of_one_layer_has_the_gradient_of_finite_differences() {
        let (n_inputs, n_outputs) = (4, 3);
        let mut random = SplitMix64::new(22, 0);
        let parameters: Vec<f64> = (0..(n_inputs + 1) * n_outputs).map(|_| random.normal()).collect();
        let (rows, live) = ([4, 0, 2, 1], [0, 1, 3]);
        let coefficients = random_matrix(&mut random, live.len(), n_outputs);
        // Points without zeros, and with so many that products leave them out.
        for n_zeros in [0, 3] {
            let values = (0..5 * n_inputs).map(|at| if at % 4 < n_zeros { 0.0 } else { random.normal() as f32 });
            let points = Points::from_f32(n_inputs, values.collect()).unwrap();
            let matrix_values = rows.iter().flat_map(|&row| points.view().slice(row..row + 1).as_f32().unwrap());
            let matrix = Matrix::from_values(rows.len(), n_inputs, matrix_values.map(|&x| f64::from(x)).collect());
            for inputs in [Inputs::Rows(points.view(), &rows), Inputs::Matrix(&matrix)] {
                let expected = finite_differences(&parameters, |parameters| {
                    let mut network = network(vec![n_outputs], n_inputs, parameters);
                    let outputs = network.forward(inputs);
                    let pairs = live
                        .iter()
                        .enumerate()
                        .flat_map(|(at, &row)| coefficients.row(at).iter().zip(outputs.row(row)));
                    pairs.map(|(coefficient, output)| coefficient * output).sum()
                });
                let mut network = network(vec![n_outputs], n_inputs, &parameters);
                network.forward(inputs);
                assert_eq!(network.inputs[0].is_sparse, n_zeros > 0);
                network.backward(&live, &coefficients);
                assert_close(network.parameters_and_gradient().1, &expected, "parameter");
            }
        }
    }
}
