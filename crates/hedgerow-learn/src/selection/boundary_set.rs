//! The boundary set of a step (section 3.2 of the DBS paper).

use crate::loss::squared_distance;
use crate::matrix::{Matrix, vectorized};
use crate::real::Real;

/// Which of the rows `0..labels.len()` stand on the boundary: the first, and each whose nearest member so far has another class.
/// Among members at the same distance the earliest counts. Every class among the rows has a member.
///
/// The same set as [`hedgerow_core::BoundarySet`] but for ties within rounding, since distances are summed in another order; over memory
/// that is kept from step to step.
pub fn boundary_set<R: Real>(representations: &Matrix<R>, labels: &[u32], members: &mut Vec<usize>) {
    members.clear();
    vectorized(
        #[inline(always)]
        || {
            for (row, label) in labels.iter().enumerate() {
                let point = representations.row(row);
                let mut nearest = None;
                let mut least = R::infinity();
                for &member in &*members {
                    let distance = squared_distance(point, representations.row(member));
                    if nearest.is_none() || distance < least {
                        (nearest, least) = (Some(member), distance);
                    }
                }
                if nearest.is_none_or(|nearest| labels[nearest] != *label) {
                    members.push(row);
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_core::random::SplitMix64;
    use hedgerow_core::{BoundarySetParams, Examples, Label, NeighborSearch, PointsRef};

    #[test]
    fn members_are_those_of_the_core() {
        for seed in 0..30 {
            let mut random = SplitMix64::new(seed, 0);
            let (n, width) = (1 + random.below(60), 1 + random.below(7));
            // Few different numbers, so that there are ties.
            let values: Vec<f32> = (0..n * width).map(|_| random.below(5) as f32).collect();
            let labels: Vec<u32> = (0..n).map(|_| random.below(4) as u32).collect();
            let mut members = Vec::new();
            boundary_set(&Matrix::from_values(n, width, values.clone()), &labels, &mut members);

            let mut set = BoundarySetParams::default().build().unwrap();
            let core_labels: Vec<Label> = labels.iter().map(|&label| Label::class(label)).collect();
            let points = PointsRef::from_f32(width, &values).unwrap();
            set.insert_all(&Examples::new(points, &core_labels).unwrap()).unwrap();
            let expected: Vec<usize> = set.stored_ids().iter().map(|id| id.0 as usize).collect();
            assert_eq!(members, expected, "seed {seed}");
        }
    }
}
