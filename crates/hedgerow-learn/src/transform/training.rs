//! Passes forward and back through a dense network, over buffers that are allocated once.

use hedgerow_core::matrix::{MatrixRef, Threads, multiply};
use rayon::prelude::*;

use super::dense_network::{DenseNetwork, Layer, fill_from_points};
use super::{Activation, Inputs, Transform};
use crate::matrix::{Aligned, Matrix, SparseColumns, SparseRows, masked_product, sparse_rows_times, vectorized};
use crate::real::Real;

/// Up to this share of numbers that are not zero, products leave the zeros out; above it, a dense product is faster.
const SPARSE_UP_TO: f64 = 0.5;

/// What goes into a layer, with or without its zeros.
#[derive(Debug, Clone, Default)]
struct LayerInput<R> {
    /// Whether `sparse` is used; else `dense`.
    is_sparse: bool,
    sparse: SparseRows<R>,
    dense: Matrix<R>,
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
    /// What came out of the layers before the activation, where that needs it.
    before_activation: Vec<Matrix<R>>,
    output: Matrix<R>,
    /// Of the backward pass: the gradient behind a layer and before it.
    behind: Matrix<R>,
    before: Matrix<R>,
}

impl<R: Real> TrainableNetwork<R> {
    /// Prepares a network for learning.
    pub fn new(network: DenseNetwork<R>) -> Self {
        let n_layers = network.architecture().layers.len();
        Self {
            gradient: Aligned::zeros(network.parameters().len()),
            network,
            inputs: (0..n_layers).map(|_| LayerInput::default()).collect(),
            before_activation: (0..n_layers).map(|_| Matrix::default()).collect(),
            output: Matrix::default(),
            behind: Matrix::default(),
            before: Matrix::default(),
        }
    }

    /// The network as it is now.
    pub fn network(&self) -> &DenseNetwork<R> {
        &self.network
    }
}

impl<R: Real> LayerInput<R> {
    fn take(&mut self, inputs: Inputs<'_, R>, network: &DenseNetwork<R>) {
        let scale = network.scale();
        match inputs {
            Inputs::Rows(points, rows) => {
                fill_from_points(&mut self.sparse, points, Some(rows), scale);
                self.is_sparse = is_sparse(self.sparse.n_filled(), rows.len() * points.width());
                if !self.is_sparse {
                    self.sparse.write_to(&mut self.dense);
                }
            }
            Inputs::Matrix(matrix) => {
                self.dense.clone_from(matrix);
                self.settle();
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

    /// Chooses between the two forms by the numbers in `dense`.
    fn settle(&mut self) {
        let n_filled = vectorized(
            #[inline(always)]
            || {
                let mut n_filled = 0_u32;
                for value in self.dense.values() {
                    n_filled += u32::from(*value != R::zero());
                }
                n_filled as usize
            },
        );
        self.is_sparse = is_sparse(n_filled, self.dense.values().len());
        if self.is_sparse {
            self.sparse.fill_from(&self.dense);
        }
    }
}

fn is_sparse(n_filled: usize, n_all: usize) -> bool {
    n_filled as f64 <= SPARSE_UP_TO * n_all as f64
}

impl<R: Real> Transform<R> for TrainableNetwork<R> {
    fn forward(&mut self, inputs: Inputs<'_, R>) -> &Matrix<R> {
        let activation = self.network.architecture().activation;
        self.inputs[0].take(inputs, &self.network);
        let last = self.inputs.len() - 1;
        for (at, layer) in self.network.layers().enumerate() {
            let (here, after) = self.inputs.split_at_mut(at + 1);
            let (input, width) = (&here[at], layer.bias.len());
            let output = after.first_mut().map_or(&mut self.output, |next| &mut next.dense);
            if input.is_sparse {
                sparse_rows_times(&input.sparse, layer.weights, layer.bias, output);
            } else {
                output.resize(input.dense.n_rows(), width);
                output.values_mut().chunks_exact_mut(width).for_each(|row| row.copy_from_slice(layer.bias));
                let weights = MatrixRef::new(layer.weights, input.dense.n_columns(), width);
                multiply(output.values_mut(), input.dense.view(), weights, true, Threads::All);
            }
            if at < last {
                if activation.needs_inputs() {
                    self.before_activation[at + 1].clone_from(output);
                }
                output.values_mut().par_chunks_mut(8192).for_each(|values| {
                    vectorized(
                        #[inline(always)]
                        || activation.apply(values),
                    );
                });
                after[0].settle();
            }
        }
        &self.output
    }

    fn last(&self) -> &Matrix<R> {
        &self.output
    }

    fn backward(&mut self, rows: &[usize], gradient: &Matrix<R>) {
        let Self { network, gradient: of_parameters, inputs, before_activation, behind, before, .. } = self;
        behind.clone_from(gradient);
        // For all layers at once: each is too little work to be shared among threads.
        inputs.par_iter_mut().for_each(|input| input.take_live(rows));
        let activation = network.architecture().activation;
        let places: Vec<_> = network.places().collect();
        let layers: Vec<_> = network.layers().collect();
        for (at, (layer, (weights_at, bias_at))) in layers.iter().zip(places).enumerate().rev() {
            let input = &inputs[at];
            sum_of_rows(behind, &mut of_parameters[bias_at]);
            let of_weights = &mut of_parameters[weights_at];
            // The two have nothing to do with each other, and each leaves a thread idle now and then.
            rayon::join(
                || gradient_of_weights(input, behind, of_weights),
                || {
                    if at > 0 {
                        let before_activation = &before_activation[at];
                        gradient_of_inputs(input, layer, activation, before_activation, rows, behind, before);
                    }
                },
            );
            std::mem::swap(behind, before);
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

/// The gradient before the activation of the layer before, from the gradient behind a layer.
fn gradient_of_inputs<R: Real>(
    input: &LayerInput<R>,
    layer: &Layer<'_, R>,
    activation: Activation,
    before_activation: &Matrix<R>,
    rows: &[usize],
    behind: &Matrix<R>,
    before: &mut Matrix<R>,
) {
    if input.is_sparse && activation == Activation::Relu {
        masked_product(behind, layer.weights, &input.sparse, rows, before);
        return;
    }
    let (n_inputs, n_outputs) = (input.dense.n_columns(), layer.bias.len());
    before.resize(rows.len(), n_inputs);
    let weights = MatrixRef::new(layer.weights, n_inputs, n_outputs);
    multiply(before.values_mut(), behind.view(), weights.transposed(), false, Threads::All);
    for (place, &row) in rows.iter().enumerate() {
        let inputs = if activation.needs_inputs() { before_activation.row(row) } else { &[] };
        activation.apply_slope(before.row_mut(place), input.dense.row(row), inputs);
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
