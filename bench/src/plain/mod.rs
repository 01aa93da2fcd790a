//! The plain way to do what hedgerow does: the other side of the ratios.
//!
//! Loops as a straightforward programmer writes them, compiled for the same target as everything else, without a special
//! instruction. They are as fast as such code is: nothing here is slowed down on purpose.

mod tree;

pub use tree::PlainTree;

/// A squared Euclidean distance, as a loop.
pub trait PlainDistance<T>: Copy + Send + Sync {
    /// The sum of the squared differences.
    fn between(self, a: &[T], b: &[T]) -> f64;
}

/// Adds up floats one after another. A compiler may not reorder float additions, so that this stays a scalar loop.
#[derive(Debug, Clone, Copy)]
pub struct FloatSum;

/// Adds up integers. A compiler may reorder these, and vectorises the loop for the instructions of the target.
#[derive(Debug, Clone, Copy)]
pub struct IntegerSum;

impl PlainDistance<f32> for FloatSum {
    #[inline(never)]
    fn between(self, a: &[f32], b: &[f32]) -> f64 {
        let mut sum = 0.0_f32;
        for (a, b) in a.iter().zip(b) {
            let difference = a - b;
            sum += difference * difference;
        }
        f64::from(sum)
    }
}

impl PlainDistance<u8> for FloatSum {
    #[inline(never)]
    fn between(self, a: &[u8], b: &[u8]) -> f64 {
        let mut sum = 0.0_f32;
        for (a, b) in a.iter().zip(b) {
            let difference = f32::from(*a) - f32::from(*b);
            sum += difference * difference;
        }
        f64::from(sum)
    }
}

impl PlainDistance<u8> for IntegerSum {
    #[inline(never)]
    fn between(self, a: &[u8], b: &[u8]) -> f64 {
        let mut sum = 0_u32;
        for (a, b) in a.iter().zip(b) {
            let difference = i32::from(*a) - i32::from(*b);
            sum += (difference * difference) as u32;
        }
        f64::from(sum)
    }
}

/// The nearest of `rows` to `query`; the earliest of equals.
pub fn nearest<T>(distance: impl PlainDistance<T>, rows: &[T], query: &[T]) -> usize {
    let (mut best, mut nearest) = (f64::INFINITY, 0);
    for (place, row) in rows.chunks_exact(query.len()).enumerate() {
        let rank = distance.between(query, row);
        if rank < best {
            best = rank;
            nearest = place;
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // differences 3, 4
        assert_eq!(FloatSum.between(&[1.0, 2.0], &[4.0, -2.0]), 25.0);
        assert_eq!(FloatSum.between(&[1_u8, 2], &[4, 6]), 25.0);
        assert_eq!(IntegerSum.between(&[1_u8, 2], &[4, 6]), 25.0);
        // 5 is at 1 from 4 and 6; the earlier answers
        assert_eq!(nearest(IntegerSum, &[9, 4, 6], &[5]), 1);
    }
}
