//! The floor: the dense matrix products of a training step and nothing else.
//!
//! A step that multiplies dense matrices can be no faster than its products. One that leaves zeros out can.

use hedgerow_core::matrix::{MatrixRef, Threads, multiply};
use hedgerow_core::random::SplitMix64;
use rayon::ThreadPool;

use super::ours::LAYERS;
use crate::interleaved::timed;
use crate::synthetic::SEED;

/// Which factor of a product stands transposed in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transposed {
    /// None: inputs times weights.
    None,
    /// The left one: inputs, for the gradient of the weights.
    Left,
    /// The right one: weights, for the gradient of the inputs.
    Right,
}

/// A product of a matrix of `rows` x `inner` by one of `inner` x `columns` numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Rows of the left factor.
    pub rows: usize,
    /// Columns of the left and rows of the right factor.
    pub inner: usize,
    /// Columns of the right factor.
    pub columns: usize,
    /// How the factors stand.
    pub transposed: Transposed,
}

/// The products of a step through a network: forward with some rows, back with those that have a gradient.
pub fn products(n_inputs: usize, n_forward: usize, n_live: usize) -> Vec<Product> {
    let shapes = || [n_inputs].into_iter().chain(LAYERS).zip(LAYERS);
    let forward = shapes().map(|(inputs, outputs)| Product {
        rows: n_forward,
        inner: inputs,
        columns: outputs,
        transposed: Transposed::None,
    });
    let of_weights = shapes().map(|(inputs, outputs)| Product {
        rows: inputs,
        inner: n_live,
        columns: outputs,
        transposed: Transposed::Left,
    });
    // The gradient of the data itself is of no use.
    let of_inputs = shapes().skip(1).map(|(inputs, outputs)| Product {
        rows: n_live,
        inner: outputs,
        columns: inputs,
        transposed: Transposed::Right,
    });
    forward.chain(of_weights).chain(of_inputs).collect()
}

/// Products with numbers to multiply, and memory for what comes out.
struct Prepared {
    product: Product,
    left: Vec<f32>,
    right: Vec<f32>,
    out: Vec<f32>,
}

impl Prepared {
    fn new(product: Product, random: &mut SplitMix64) -> Self {
        let Product { rows, inner, columns, .. } = product;
        let mut numbers = |n: usize| (0..n).map(|_| random.unit() as f32).collect::<Vec<_>>();
        Self { product, left: numbers(rows * inner), right: numbers(inner * columns), out: vec![0.0; rows * columns] }
    }

    fn multiply(&mut self) {
        let Product { rows, inner, columns, transposed } = self.product;
        let (left, right) = match transposed {
            Transposed::None => (MatrixRef::new(&self.left, rows, inner), MatrixRef::new(&self.right, inner, columns)),
            Transposed::Left => {
                (MatrixRef::new(&self.left, inner, rows).transposed(), MatrixRef::new(&self.right, inner, columns))
            }
            Transposed::Right => {
                (MatrixRef::new(&self.left, rows, inner), MatrixRef::new(&self.right, columns, inner).transposed())
            }
        };
        multiply(&mut self.out, left, right, false, Threads::All);
    }
}

/// The seconds that the products of so many steps take.
pub fn seconds(pool: &ThreadPool, products: &[Product], n_rounds: usize) -> f64 {
    let mut random = SplitMix64::new(SEED, 0);
    let mut prepared = products.iter().map(|product| Prepared::new(*product, &mut random)).collect::<Vec<_>>();
    let (_, nanoseconds) = timed(|| {
        pool.install(|| (0..n_rounds).for_each(|_| prepared.iter_mut().for_each(Prepared::multiply)));
        // So that no product can be left out.
        std::hint::black_box(prepared.iter().map(|prepared| prepared.out[0]).sum::<f32>())
    });
    nanoseconds * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_of_a_step() {
        let products = products(784, 200, 120);
        let sizes = products.iter().map(|product| [product.rows, product.inner, product.columns]).collect::<Vec<_>>();
        let forward = [[200, 784, 400], [200, 400, 400], [200, 400, 20]];
        let of_weights = [[784, 120, 400], [400, 120, 400], [400, 120, 20]];
        let of_inputs = [[120, 400, 400], [120, 20, 400]];
        assert_eq!(sizes, [forward.as_slice(), of_weights.as_slice(), of_inputs.as_slice()].concat());
        // Multiplications: 481 600 weights, of which 168 000 behind the first layer: 200 x 481 600 + 120 x 649 600.
        assert_eq!(sizes.iter().map(|size| size.iter().product::<usize>()).sum::<usize>(), 174_272_000);
    }

    #[test]
    fn factors_stand_as_in_training() {
        let shape = |transposed| Product { rows: 2, inner: 1, columns: 3, transposed };
        for transposed in [Transposed::None, Transposed::Left, Transposed::Right] {
            let mut prepared = Prepared::new(shape(transposed), &mut SplitMix64::new(SEED, 0));
            (prepared.left, prepared.right) = (vec![1.0, 2.0], vec![3.0, 4.0, 5.0]);
            prepared.multiply();
            // With an inner size of 1 a factor is the same numbers either way.
            assert_eq!(prepared.out, [3.0, 4.0, 5.0, 6.0, 8.0, 10.0]);
        }
    }
}
