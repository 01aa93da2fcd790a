//! The function that is learned: from points to representations.
//!
//! [`Transform`] is all that the methods know of it, so that another kind of network can take the place of
//! [`DenseNetwork`]. `dense_network.rs` has the weights and how points are represented after learning; `training.rs` the
//! passes forward and back during it.

mod activation;
mod dense_network;
mod initialization;
mod training;

use hedgerow_core::PointsRef;

use crate::matrix::Matrix;
use crate::real::Real;
pub use activation::Activation;
pub use dense_network::{Architecture, DenseNetwork, InputScale};
pub use initialization::WeightInitialization;
pub use training::TrainableNetwork;

/// What a transform is given.
#[derive(Debug, Clone, Copy)]
pub enum Inputs<'a, R> {
    /// Some rows of a block of points.
    Rows(PointsRef<'a>, &'a [usize]),
    /// Points that have been changed (augmented), already scaled as the network wants them.
    Matrix(&'a Matrix<R>),
}

/// A function with parameters that can be learned, f_theta in the papers.
pub trait Transform<R: Real = f32>: Send {
    /// Representations of points, one in each row. Keeps what [`backward`](Self::backward) needs.
    ///
    /// # Panics
    /// May panic if the points have other features than the transform takes, or are of another kind.
    fn forward(&mut self, inputs: Inputs<'_, R>) -> &Matrix<R>;

    /// What [`forward`](Self::forward) gave last.
    fn last(&self) -> &Matrix<R>;

    /// Finds the gradient of the parameters from that of the representations that [`forward`](Self::forward) gave last.
    ///
    /// # Shapes
    /// `gradient` has a row for each of `rows`, which are numbers of rows given forward. The other rows are those that the
    /// loss does not depend on: they cost nothing.
    fn backward(&mut self, rows: &[usize], gradient: &Matrix<R>);

    /// The parameters.
    fn parameters(&self) -> &[R];

    /// Which parameters weight decay applies to (weights, not biases): ranges in their order.
    fn decayed(&self) -> Vec<std::ops::Range<usize>>;

    /// The parameters, to be changed, and the gradient that [`backward`](Self::backward) found.
    fn parameters_and_gradient(&mut self) -> (&mut [R], &[R]);
}
