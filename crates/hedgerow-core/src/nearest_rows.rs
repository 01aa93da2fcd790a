//! The few nearest of many rows.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::metric::Row;

/// A row and the rank of its distance; ordered by nearness, the earlier row first among equals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankedRow {
    pub(crate) rank: f64,
    pub(crate) row: Row,
}

impl Eq for RankedRow {}

impl Ord for RankedRow {
    fn cmp(&self, other: &Self) -> Ordering {
        // Ranks are never NaN, and total_cmp would set -0 before 0.
        self.rank.partial_cmp(&other.rank).unwrap_or(Ordering::Equal).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for RankedRow {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The next larger number: a bound below which also equals are found. (Written out: `f64::next_up` is younger than the
/// oldest compiler supported.)
pub(crate) fn just_above(rank: f64) -> f64 {
    match rank {
        f64::INFINITY => rank,
        0.0 => f64::from_bits(1),
        _ if rank > 0.0 => f64::from_bits(rank.to_bits() + 1),
        _ => f64::from_bits(rank.to_bits() - 1),
    }
}

/// Keeps the `wanted` nearest of the rows offered.
#[derive(Debug, Clone)]
pub(crate) struct NearestRows {
    wanted: usize,
    farthest_first: BinaryHeap<RankedRow>,
}

impl NearestRows {
    pub(crate) fn new(wanted: usize) -> Self {
        Self { wanted, farthest_first: BinaryHeap::new() }
    }

    pub(crate) fn wanted(&self) -> usize {
        self.wanted
    }

    /// A rank that a row must stay at or below to have a chance.
    pub(crate) fn bound(&self) -> f64 {
        match self.farthest_first.peek() {
            Some(farthest) if self.farthest_first.len() >= self.wanted => farthest.rank,
            _ => f64::INFINITY,
        }
    }

    #[inline]
    pub(crate) fn offer(&mut self, row: RankedRow) {
        if self.farthest_first.len() < self.wanted {
            self.farthest_first.push(row);
        } else if let Some(mut farthest) = self.farthest_first.peek_mut() {
            if row < *farthest {
                *farthest = row;
            }
        }
    }

    /// The rows kept, nearest first.
    pub(crate) fn into_sorted(self) -> Vec<RankedRow> {
        self.farthest_first.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn just_above_is_above_with_nothing_between() {
        for rank in [0.0, -0.0, 1.0, 51_000_000.0, -2.5, f64::MIN_POSITIVE] {
            let above = just_above(rank);
            assert!(above > rank && rank + (above - rank) / 2.0 <= above, "{rank}");
            assert!((rank + above) / 2.0 == rank || (rank + above) / 2.0 == above, "{rank}");
        }
        assert_eq!(just_above(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn keeps_the_nearest_and_the_earlier_of_equals() {
        let mut nearest = NearestRows::new(2);
        assert_eq!(nearest.bound(), f64::INFINITY);
        for (row, rank) in [(4, 2.0), (3, 1.0), (2, 2.0), (1, 5.0), (0, 2.0)] {
            nearest.offer(RankedRow { rank, row });
        }
        assert_eq!(nearest.bound(), 2.0);
        let rows = nearest.into_sorted().iter().map(|ranked| ranked.row).collect::<Vec<_>>();
        assert_eq!(rows, [3, 0]);
    }
}
