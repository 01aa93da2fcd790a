//! The soft-neighbor loss of many queries over the same references.

use std::ops::Range;

use hedgerow_core::matrix::{MatrixRef, Threads, multiply};
use rayon::prelude::*;

use super::RepresentationGradient;
use super::soft_neighbor::{DistanceScale, loss_and_factors};
use crate::matrix::{Matrix, vectorized};
use crate::real::Real;

/// Queries that are one task.
const QUERIES_AT_A_TIME: usize = 8;

/// Factors that are held at a time, at most, unless one task has more: 16 MB of them. Far above 200 x 200, which is what a step of the
/// papers has, so that these are one block; and batches of all examples need memory for their rows, not for all pairs of them.
const FACTORS_AT_A_TIME: usize = 1 << 22;

/// Computes the loss of [`SoftNeighbor`](super::SoftNeighbor) for many queries at once, over memory that is kept.
#[derive(Debug, Clone, Default)]
pub struct SoftNeighbors<R = f32> {
    /// The references column by column, so that the distances of one query to all of them are computed side by side.
    columns: Vec<R>,
    /// A row for each query of a block: the factor of each reference.
    factors: Matrix<R>,
    losses: Vec<Option<R>>,
    /// References and queries as rows, less a middle.
    references: Vec<R>,
    queries: Vec<R>,
    /// For each query of a block, and for each reference over all blocks: what is taken from its own share of the gradient, and how
    /// often it stands in that share.
    products: Vec<R>,
    sums: Vec<R>,
    reference_products: Vec<R>,
    reference_sums: Vec<R>,
}

impl<R: Real> SoftNeighbors<R> {
    /// The mean loss of queries over the references in `members`, and its gradient, which is written to `gradient`; and how
    /// many queries had no reference of their class. A query is no reference of its own.
    ///
    /// Memory grows with queries and with references, not with their product: queries are gone over in blocks, whose size depends on the
    /// number of references alone. So the bits are the same for any number of threads.
    pub fn loss(
        &mut self,
        scale: DistanceScale,
        representations: &Matrix<R>,
        labels: &[u32],
        queries: Range<usize>,
        members: &[usize],
        gradient: &mut RepresentationGradient<R>,
    ) -> (R, usize) {
        let block = block_queries(members.len());
        self.loss_in_blocks(block, scale, &Compared { representations, labels, queries, members }, gradient)
    }

    fn loss_in_blocks(
        &mut self,
        block_queries: usize,
        scale: DistanceScale,
        compared: &Compared<'_, R>,
        gradient: &mut RepresentationGradient<R>,
    ) -> (R, usize) {
        let Compared { representations, queries, members, .. } = compared;
        let (width, n_members, n_queries) = (representations.n_columns(), members.len(), queries.len());
        gradient.clear(representations.n_rows(), width);
        self.center(scale, compared);
        self.losses.clear();
        self.losses.resize(n_queries, None);
        self.reference_products.clear();
        self.reference_products.resize(n_members * width, R::zero());
        self.reference_sums.clear();
        self.reference_sums.resize(n_members, R::zero());
        for start in (0..n_queries).step_by(block_queries) {
            let block = start..(start + block_queries).min(n_queries);
            self.fill_factors(scale, compared, block.clone());
            match scale {
                DistanceScale::SquaredEuclidean(_) => self.multiply_block(block.clone()),
                DistanceScale::Euclidean(_) => self.add_differences_of_block(block.clone()),
            }
            self.add_block(block, queries.start, gradient);
        }
        let Self { losses, references, reference_products, reference_sums, .. } = self;
        let n_counted = losses.iter().flatten().count();
        let share = R::one() / R::of(n_counted.max(1) as f64);
        for (query, _) in queries.clone().zip(&*losses).filter(|(_, loss)| loss.is_some()) {
            gradient.row_mut(query).iter_mut().for_each(|gradient| *gradient *= share);
        }
        for (n, &member) in members.iter().enumerate() {
            let own = n * width..(n + 1) * width;
            let pairs = references[own.clone()].iter().zip(&reference_products[own]);
            for (gradient, (&own, &product)) in gradient.row_mut(member).iter_mut().zip(pairs) {
                *gradient += share * (reference_sums[n] * own - product);
            }
        }
        (sum_of(losses.iter().flatten()) * share, n_queries - n_counted)
    }

    /// Finds the losses of a block of queries, and their factors.
    fn fill_factors(&mut self, scale: DistanceScale, compared: &Compared<'_, R>, block: Range<usize>) {
        let Compared { representations, labels, queries, members } = compared;
        let (width, n_members, first) = (representations.n_columns(), members.len(), block.start);
        let Self { columns, factors, losses, queries: rows, .. } = self;
        factors.resize(block.len(), n_members);
        let tasks = factors.values_mut().par_chunks_mut((QUERIES_AT_A_TIME * n_members).max(1));
        tasks.zip(losses[block].par_chunks_mut(QUERIES_AT_A_TIME)).enumerate().for_each(|(task, (factors, losses))| {
            let (mut distances, mut is_same) = (vec![R::zero(); n_members], vec![false; n_members]);
            for (at, (factors, loss)) in factors.chunks_exact_mut(n_members).zip(losses).enumerate() {
                let place = first + task * QUERIES_AT_A_TIME + at;
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
                        *loss = loss_and_factors(scale, &mut distances, &is_same, factors);
                        if loss.is_none() {
                            factors.fill(R::zero());
                        }
                    },
                );
            }
        });
    }

    /// Sums what the factors of a block say. The gradient of a query is the sum of f (query - reference): its own share less a product of
    /// matrices. That of a reference is so too.
    fn multiply_block(&mut self, block: Range<usize>) {
        let Self { factors, references, products, sums, reference_products, reference_sums, .. } = self;
        let (n_members, n_queries) = (reference_sums.len(), block.len());
        let width = self.queries.len() / self.losses.len();
        let is_first = block.start == 0;
        let rows = &self.queries[block.start * width..block.end * width];
        products.resize(n_queries * width, R::zero());
        multiply(products, factors.view(), MatrixRef::new(references, n_members, width), false, Threads::One);
        let transposed = factors.view().transposed();
        multiply(reference_products, transposed, MatrixRef::new(rows, n_queries, width), !is_first, Threads::One);
        sums.clear();
        for n in 0..n_queries {
            for (sum, &factor) in reference_sums.iter_mut().zip(factors.row(n)) {
                *sum += factor;
            }
            sums.push(sum_of(factors.row(n).iter()));
        }
    }

    /// The same for plain distances, whose factors grow beyond bounds where two points nearly coincide: large products would be subtracted
    /// from each other there, and leave no digit. So differences are taken first, and nobody has a share of their own.
    fn add_differences_of_block(&mut self, block: Range<usize>) {
        let Self { factors, references, products, sums, reference_products, .. } = self;
        let width = self.queries.len() / self.losses.len();
        let rows = &self.queries[block.start * width..block.end * width];
        products.clear();
        products.resize(rows.len(), R::zero());
        sums.clear();
        sums.resize(block.len(), R::zero());
        vectorized(
            #[inline(always)]
            || {
                for (n, (query, product)) in rows.chunks_exact(width).zip(products.chunks_exact_mut(width)).enumerate()
                {
                    let members = references.chunks_exact(width).zip(reference_products.chunks_exact_mut(width));
                    for (&factor, (reference, of_reference)) in factors.row(n).iter().zip(members) {
                        for at in 0..width {
                            let pull = factor * (query[at] - reference[at]);
                            product[at] -= pull;
                            of_reference[at] += pull;
                        }
                    }
                }
            },
        );
    }

    /// Adds the sums of a block to the gradient of its queries, yet to be divided by their number.
    fn add_block(&self, block: Range<usize>, first_query: usize, gradient: &mut RepresentationGradient<R>) {
        let width = self.queries.len() / self.losses.len();
        let rows = self.queries[block.start * width..block.end * width].chunks_exact(width);
        let sums = self.sums.iter().zip(self.products.chunks_exact(width));
        for ((place, own), (&sum, products)) in block.zip(rows).zip(sums) {
            if self.losses[place].is_none() {
                continue;
            }
            let pairs = own.iter().zip(products);
            for (gradient, (&own, &product)) in gradient.row_mut(first_query + place).iter_mut().zip(pairs) {
                *gradient += sum * own - product;
            }
        }
    }

    /// Takes the rows of references and queries, less the mean of the references: numbers near 0 lose the least when products of
    /// them are subtracted, and distances stay as they are. For plain distances, less nothing: there are no products, and the difference of
    /// two points that nearly coincide is exact as long as neither is rounded.
    fn center(&mut self, scale: DistanceScale, compared: &Compared<'_, R>) {
        let Compared { representations, queries, members, .. } = compared;
        let width = representations.n_columns();
        let mut middle = vec![R::zero(); representations.n_columns()];
        let share = R::one() / R::of(members.len().max(1) as f64);
        let is_squared = matches!(scale, DistanceScale::SquaredEuclidean(_));
        for &member in members.iter().filter(|_| is_squared) {
            middle.iter_mut().zip(representations.row(member)).for_each(|(middle, &value)| *middle += share * value);
        }
        let less_middle =
            |row: usize| representations.row(row).iter().zip(&middle).map(|(&value, &middle)| value - middle);
        self.references.clear();
        self.references.extend(members.iter().flat_map(|&member| less_middle(member)));
        self.queries.clear();
        self.queries.extend(queries.clone().flat_map(less_middle));
        let Self { columns, references, .. } = self;
        columns.clear();
        columns.extend((0..width).flat_map(|column| references.iter().skip(column).step_by(width).copied()));
    }
}

/// Queries of a block: as many whole tasks as there is room for.
fn block_queries(n_members: usize) -> usize {
    let tasks = FACTORS_AT_A_TIME / QUERIES_AT_A_TIME.saturating_mul(n_members.max(1));
    tasks.max(1) * QUERIES_AT_A_TIME
}

/// Who is compared with whom.
struct Compared<'a, R> {
    representations: &'a Matrix<R>,
    labels: &'a [u32],
    queries: Range<usize>,
    members: &'a [usize],
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
mod digits;
#[cfg(test)]
mod tests;
