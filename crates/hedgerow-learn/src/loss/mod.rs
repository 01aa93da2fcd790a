//! What is made small: one file for each loss, with its gradient in closed form.

mod contrastive;
mod cross_entropy;
mod gradient;
mod soft_neighbor;
mod soft_neighbors;
mod triplet_margin;

pub use contrastive::contrastive;
pub use cross_entropy::cross_entropy;
pub use gradient::RepresentationGradient;
pub use soft_neighbor::{DistanceScale, SoftNeighbor};
pub use soft_neighbors::SoftNeighbors;
pub use triplet_margin::triplet_margin;

use crate::real::Real;

/// Squared Euclidean distance of two representations.
#[inline(always)]
pub(crate) fn squared_distance<R: Real>(a: &[R], b: &[R]) -> R {
    // Four running sums, so that additions need not wait for each other.
    let mut sums = [R::zero(); 4];
    let mut chunks = a.chunks_exact(4).zip(b.chunks_exact(4));
    for (a, b) in &mut chunks {
        for lane in 0..4 {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    let whole = a.len() / 4 * 4;
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (&a, &b) in a[whole..].iter().zip(&b[whole..]) {
        sum += (a - b) * (a - b);
    }
    sum
}
