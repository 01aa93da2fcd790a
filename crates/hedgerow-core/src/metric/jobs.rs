//! The loops over pairs, each compiled once for every kernel.

use super::Row;
use crate::simd::{Job, Kernel};
use crate::sketch::DIRECTIONS;

#[inline(always)]
pub(super) fn at<T>(values: &[T], width: usize, row: Row) -> &[T] {
    &values[row as usize * width..][..width]
}

pub(super) struct Pair<'a, T> {
    pub(super) query: &'a [T],
    pub(super) row: &'a [T],
}

impl<T> Job<T> for Pair<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> f64 {
        kernel.rank(self.query, self.row)
    }
}

pub(super) struct PairBelow<'a, T> {
    pub(super) query: &'a [T],
    pub(super) row: &'a [T],
    pub(super) bound: f64,
}

impl<T> Job<T> for PairBelow<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> f64 {
        kernel.rank_below(self.query, self.row, self.bound)
    }
}

pub(super) struct NearestOf<'a, T, F> {
    pub(super) query: &'a [T],
    pub(super) values: &'a [T],
    pub(super) width: usize,
    pub(super) n: usize,
    pub(super) row_at: F,
    pub(super) best: f64,
}

impl<T, F: Fn(usize) -> Row> Job<T> for NearestOf<'_, T, F> {
    type Output = Option<(usize, f64)>;
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) -> Self::Output {
        let (mut best, mut nearest) = (self.best, None);
        for place in 0..self.n {
            let row = at(self.values, self.width, (self.row_at)(place));
            let rank = kernel.rank_below(self.query, row, best);
            if rank < best {
                best = rank;
                nearest = Some(place);
            }
        }
        nearest.map(|place| (place, best))
    }
}

/// Sketches compared at a time.
pub(super) const SKETCHES: usize = 64;

/// Writes the squared distances of some sketches from `sketch`; gives the place of the least.
pub(super) struct SketchSquares<'a, F> {
    pub(super) sketch: &'a [i16],
    pub(super) values: &'a [i16],
    pub(super) start: usize,
    pub(super) row_at: F,
    pub(super) squares: &'a mut [f64],
}

impl<F: Fn(usize) -> Row> Job<i16> for SketchSquares<'_, F> {
    type Output = usize;
    #[inline(always)]
    fn with<K: Kernel<i16>>(self, kernel: K) -> usize {
        let (mut least, mut first) = (f64::INFINITY, 0);
        for (place, square) in self.squares.iter_mut().enumerate() {
            *square = kernel.rank(self.sketch, at(self.values, DIRECTIONS, (self.row_at)(self.start + place)));
            if *square < least {
                least = *square;
                first = place;
            }
        }
        first
    }
}

pub(super) struct RanksOf<'a, T, I> {
    pub(super) query: &'a [T],
    pub(super) values: &'a [T],
    pub(super) width: usize,
    pub(super) rows: I,
    pub(super) out: &'a mut Vec<f64>,
}

impl<T, I: Iterator<Item = Row>> Job<T> for RanksOf<'_, T, I> {
    type Output = ();
    #[inline(always)]
    fn with<K: Kernel<T>>(self, kernel: K) {
        for row in self.rows {
            self.out.push(kernel.rank(self.query, at(self.values, self.width, row)));
        }
    }
}

pub(super) struct MeasureGroup<'a, T, I, V> {
    pub(super) queries: &'a [T],
    pub(super) values: &'a [T],
    pub(super) width: usize,
    pub(super) group: &'a [Row],
    pub(super) stored: I,
    pub(super) packed: &'a mut Vec<i16>,
    pub(super) visit: V,
}

impl<T, I: Iterator<Item = Row>, V: FnMut(usize, &[f64])> Job<T> for MeasureGroup<'_, T, I, V> {
    type Output = ();
    #[inline(always)]
    fn with<K: Kernel<T>>(mut self, kernel: K) {
        let group = self.group.iter().map(|&row| at(self.queries, self.width, row)).collect::<Vec<_>>();
        let mut ranks = vec![0.0; group.len()];
        kernel.pack(&group, self.packed);
        for (place, row) in self.stored.enumerate() {
            kernel.group_ranks(&group, self.packed, at(self.values, self.width, row), &mut ranks);
            (self.visit)(place, &ranks);
        }
    }
}
