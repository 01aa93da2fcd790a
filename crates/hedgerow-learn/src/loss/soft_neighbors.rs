//! The soft-neighbor loss of many queries over the same references.

use hedgerow_core::matrix::{MatrixRef, Threads, multiply};
use rayon::prelude::*;

use super::RepresentationGradient;
use super::soft_neighbor::{DistanceScale, loss_and_factors};
use crate::matrix::{Matrix, vectorized};
use crate::real::Real;

/// Queries that are one task.
const QUERIES_AT_A_TIME: usize = 8;

/// Computes the loss of [`SoftNeighbor`](super::SoftNeighbor) for many queries at once, over memory that is kept.
#[derive(Debug, Clone)]
pub struct SoftNeighbors<R = f32> {
    scale: DistanceScale,
    /// The references column by column, so that the distances of one query to all of them are computed side by side.
    columns: Vec<R>,
    /// A row for each query: the factor of each reference.
    factors: Matrix<R>,
    losses: Vec<Option<R>>,
    /// References and queries as rows, less their middle.
    references: Vec<R>,
    queries: Vec<R>,
    products: Vec<R>,
}

impl<R: Real> SoftNeighbors<R> {
    /// Prepares for queries.
    pub fn new(scale: DistanceScale) -> Self {
        Self {
            scale,
            columns: Vec::new(),
            factors: Matrix::default(),
            losses: Vec::new(),
            references: Vec::new(),
            queries: Vec::new(),
            products: Vec::new(),
        }
    }

    /// The mean loss of queries over the references in `members`, and its gradient, which is written to `gradient`; and how
    /// many queries had no reference of their class. A query is no reference of its own.
    pub fn loss(
        &mut self,
        representations: &Matrix<R>,
        labels: &[u32],
        queries: std::ops::Range<usize>,
        members: &[usize],
        gradient: &mut RepresentationGradient<R>,
    ) -> (R, usize) {
        let width = representations.n_columns();
        gradient.clear(representations.n_rows(), width);
        self.center(representations, queries.clone(), members);
        let Self { scale, columns, factors, losses, references, queries: rows, products } = self;
        let (n_members, n_queries) = (members.len(), queries.len());
        columns.clear();
        columns.extend((0..width).flat_map(|column| references.iter().skip(column).step_by(width).copied()));
        factors.resize(n_queries, n_members);
        losses.clear();
        losses.resize(n_queries, None);
        let tasks = factors.values_mut().par_chunks_mut((QUERIES_AT_A_TIME * n_members).max(1));
        tasks.zip(losses.par_chunks_mut(QUERIES_AT_A_TIME)).enumerate().for_each(|(task, (factors, losses))| {
            let (mut distances, mut is_same) = (vec![R::zero(); n_members], vec![false; n_members]);
            for (at, (factors, loss)) in factors.chunks_exact_mut(n_members).zip(losses).enumerate() {
                let place = task * QUERIES_AT_A_TIME + at;
                let query = queries.start + place;
                vectorized(
                    #[inline(always)]
                    || {
                        squared_distances(&rows[place * width..(place + 1) * width], columns, &mut distances);
                        for (n, &member) in members.iter().enumerate() {
                            is_same[n] = labels[member] == labels[query] && member != query;
                            if member == query {
                                distances[n] = R::infinity();
                            }
                        }
                        *loss = loss_and_factors(*scale, &mut distances, &is_same, factors);
                        if loss.is_none() {
                            factors.fill(R::zero());
                        }
                    },
                );
            }
        });
        let n_counted = losses.iter().flatten().count();
        let share = R::one() / R::of(n_counted.max(1) as f64);
        // The gradient of a query is the sum of f (query - reference): its own share less a product of matrices.
        let sides = [
            (factors.view(), references.as_slice(), n_members, rows.as_slice(), n_queries),
            (factors.view().transposed(), rows.as_slice(), n_queries, references.as_slice(), n_members),
        ];
        for (side, (factor, others, n_others, own, n_own)) in sides.into_iter().enumerate() {
            products.resize(n_own * width, R::zero());
            multiply(products, factor, MatrixRef::new(others, n_others, width), false, Threads::One);
            for n in 0..n_own {
                let (row, sum) = match side {
                    0 if losses[n].is_none() => continue,
                    0 => (queries.start + n, sum_of(factors.row(n).iter())),
                    _ => (members[n], sum_of(factors.values()[n..].iter().step_by(n_members))),
                };
                let (own, products) = (&own[n * width..(n + 1) * width], &products[n * width..(n + 1) * width]);
                for ((gradient, &own), &product) in gradient.row_mut(row).iter_mut().zip(own).zip(products) {
                    *gradient += share * (sum * own - product);
                }
            }
        }
        (sum_of(losses.iter().flatten()) * share, n_queries - n_counted)
    }

    /// Takes the rows of references and queries, less the mean of the references: numbers near 0 lose the least when products of
    /// them are subtracted, and distances stay as they are.
    fn center(&mut self, representations: &Matrix<R>, queries: std::ops::Range<usize>, members: &[usize]) {
        let mut middle = vec![R::zero(); representations.n_columns()];
        let share = R::one() / R::of(members.len().max(1) as f64);
        for &member in members {
            middle.iter_mut().zip(representations.row(member)).for_each(|(middle, &value)| *middle += share * value);
        }
        let less_middle =
            |row: usize| representations.row(row).iter().zip(&middle).map(|(&value, &middle)| value - middle);
        self.references.clear();
        self.references.extend(members.iter().flat_map(|&member| less_middle(member)));
        self.queries.clear();
        self.queries.extend(queries.flat_map(less_middle));
    }
}

fn sum_of<'a, R: Real>(values: impl Iterator<Item = &'a R>) -> R {
    values.fold(R::zero(), |sum, &value| sum + value)
}

/// Squared distances of a query to references that are given column by column.
#[inline(always)]
fn squared_distances<R: Real>(query: &[R], columns: &[R], distances: &mut [R]) {
    distances.fill(R::zero());
    let n = distances.len();
    for (at, &value) in query.iter().enumerate() {
        let column = &columns[at * n..(at + 1) * n];
        for (distance, &reference) in distances.iter_mut().zip(column) {
            let difference = value - reference;
            *distance += difference * difference;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SoftNeighbor;
    use super::*;
    use hedgerow_core::random::SplitMix64;

    #[test]
    fn many_queries_are_one_after_another() {
        for scale in [DistanceScale::SquaredEuclidean(3.0), DistanceScale::Euclidean(0.7)] {
            for seed in 0..20 {
                let mut random = SplitMix64::new(seed, 0);
                let (n, width) = (5 + random.below(40), 1 + random.below(9));
                let values = (0..n * width).map(|_| 10.0 + 2.0 * random.normal()).collect();
                let representations = Matrix::<f64>::from_values(n, width, values);
                let labels: Vec<u32> = (0..n).map(|_| random.below(5) as u32).collect();
                let members: Vec<usize> = (0..n).filter(|_| random.below(2) == 0).chain([n - 1]).collect();
                let queries = random.below(n - 1)..n;
                let mut gradient = RepresentationGradient::default();
                let (loss, n_left_out) =
                    SoftNeighbors::new(scale).loss(&representations, &labels, queries.clone(), &members, &mut gradient);

                let mut one = SoftNeighbor::new(scale);
                let (mut sum, mut n_counted) = (0.0, 0);
                let mut expected = RepresentationGradient::default();
                expected.clear(n, width);
                for query in queries.clone() {
                    let others = members.iter().filter(|&&member| member != query);
                    let references = others.clone().map(|&member| (representations.row(member), labels[member]));
                    let Some(loss) = one.loss(representations.row(query), labels[query], references) else { continue };
                    (sum, n_counted) = (sum + loss, n_counted + 1);
                    for (&factor, &member) in one.factors().iter().zip(others) {
                        let (a, b) = (representations.row(query), representations.row(member));
                        expected.add_difference(query, factor, a, b);
                        expected.add_difference(member, factor, b, a);
                    }
                }
                let count = f64::from(n_counted.max(1));
                assert!((loss - sum / count).abs() < 1e-12 * (1.0 + loss));
                assert_eq!(n_left_out, queries.len() - n_counted as usize);
                for row in 0..n {
                    let pairs = gradient.row(row).iter().zip(expected.row(row));
                    assert!(pairs.into_iter().all(|(a, b)| (a - b / count).abs() < 1e-12), "seed {seed} row {row}");
                }
            }
        }
    }

    #[test]
    fn a_batch_worked_by_hand() {
        // References at 0 (class 0) and 2 (class 1), queries at 1 (class 0) and 3 (class 1), squared, sigma 1.
        let representations = Matrix::from_values(4, 1, vec![0.0, 2.0, 1.0, 3.0_f64]);
        let mut gradient = RepresentationGradient::default();
        let mut neighbors = SoftNeighbors::new(DistanceScale::SquaredEuclidean(1.0));
        let (loss, n_left_out) = neighbors.loss(&representations, &[0, 1, 0, 1], 2..4, &[0, 1], &mut gradient);
        assert_eq!(n_left_out, 0);
        // Query 1: both are 1 away, p = 1/2. Query 3: 9 and 1 away, p = 1 / (1 + e^-8), and 1 - p = s = 0.00033535013.
        let s = 0.000_335_350_130_466_48;
        assert!((loss - (2.0_f64.ln() + 0.000_335_406_373_4) / 2.0).abs() < 1e-12, "{loss}");
        // By query 1: 1/2 * 2 (1 - 0) - 1/2 * 2 (1 - 2) = 2. By query 3: s * 2 (3 - 2) - s * 2 (3 - 0) = -4 s.
        // By reference 0: -1 from query 1, 6 s from query 3. By reference 2: -1 and -2 s. All halved for the mean.
        for (row, expected) in [(0, -0.5 + 3.0 * s), (1, -0.5 - s), (2, 1.0), (3, -2.0 * s)] {
            assert!((gradient.row(row)[0] - expected).abs() < 1e-12, "row {row}: {}", gradient.row(row)[0]);
        }
    }

    /// Compares every slope with finite differences, with a tolerance that is a share of the largest.
    fn compare_with_finite_differences(
        scale: DistanceScale,
        representations: &Matrix<f64>,
        labels: &[u32],
        queries: std::ops::Range<usize>,
        members: &[usize],
        what: &str,
    ) {
        let loss = |representations: &Matrix<f64>, gradient: &mut RepresentationGradient<f64>| {
            SoftNeighbors::new(scale).loss(representations, labels, queries.clone(), members, gradient).0
        };
        let (mut gradient, mut unused) = (RepresentationGradient::default(), RepresentationGradient::default());
        loss(representations, &mut gradient);
        // Near a kink, which plain distances have at 0, the error is in proportion to the step.
        let step = if what == "distance 0" { 1e-7 } else { 1e-5 };
        let mut pairs = Vec::new();
        for at in 0..representations.values().len() {
            let mut near = |step: f64| {
                let mut representations = representations.clone();
                representations.values_mut()[at] += step;
                loss(&representations, &mut unused)
            };
            let width = representations.n_columns();
            pairs.push((gradient.row(at / width)[at % width], (near(step) - near(-step)) / (2.0 * step)));
        }
        let largest = pairs.iter().fold(0.0, |largest: f64, (_, difference)| largest.max(difference.abs()));
        assert!(largest > 0.0, "{what}, {scale:?}");
        for (slope, difference) in pairs {
            assert!((slope - difference).abs() <= 1e-6 * largest, "{what}, {scale:?}: {slope} but {difference}");
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences_wherever_the_probabilities_are() {
        for scale in [DistanceScale::SquaredEuclidean(1.5), DistanceScale::Euclidean(0.6)] {
            let mut random = SplitMix64::new(5, 0);
            let (n, width) = (14, 3);
            let labels: Vec<u32> = (0..n).map(|row| row as u32 % 3).collect();
            // Around the middle of their class: far apart and p is nearly 1; with wrong middles it is nearly 0.
            let mut around = |middle: &dyn Fn(usize) -> f64| {
                let values = (0..n * width).map(|at| middle(at / width) + 0.3 * random.normal()).collect();
                Matrix::<f64>::from_values(n, width, values)
            };
            let together = around(&|_| 0.0);
            let certain = around(&|row| 3.0 * (row % 3) as f64);
            let impossible = around(&|row| 3.0 * ((row + usize::from(row > 6)) % 3) as f64);
            let references: Vec<usize> = (0..7).collect();
            let all: Vec<usize> = (0..n).collect();
            for (representations, what) in
                [(&together, "between"), (&certain, "nearly certain"), (&impossible, "nearly impossible")]
            {
                compare_with_finite_differences(scale, representations, &labels, 7..n, &references, what);
                compare_with_finite_differences(scale, representations, &labels, 0..n, &all, what);
                // Class 2 has no reference: its queries are left out.
                compare_with_finite_differences(scale, representations, &labels, 5..n, &[0, 1, 3, 4, 7], what);
            }
            // A query where a reference is.
            let mut same = together.clone();
            for (reference, query) in [(0, 7), (1, 9)] {
                let row = same.row(reference).to_vec();
                same.row_mut(query).copy_from_slice(&row);
            }
            compare_with_finite_differences(scale, &same, &labels, 7..n, &references, "distance 0");
        }
    }

    #[test]
    fn one_reference_teaches_nothing_and_none_leaves_all_queries_out() {
        let representations = Matrix::from_values(3, 2, vec![0.0, 1.0, 2.0, 5.0, -1.0, 0.5_f64]);
        for scale in [DistanceScale::SquaredEuclidean(1.0), DistanceScale::Euclidean(1.0)] {
            let mut gradient = RepresentationGradient::default();
            let mut neighbors = SoftNeighbors::new(scale);
            // Of class 0: query 1 has p = 1 whatever it does, query 2 is left out.
            assert_eq!(neighbors.loss(&representations, &[0, 0, 1], 1..3, &[0], &mut gradient), (0.0, 1));
            assert!((0..3).all(|row| gradient.row(row).iter().all(|slope| *slope == 0.0)));
            assert_eq!(neighbors.loss(&representations, &[0, 0, 1], 1..3, &[], &mut gradient), (0.0, 2));
            gradient.settle();
            assert!(gradient.rows().is_empty());
        }
    }
}
