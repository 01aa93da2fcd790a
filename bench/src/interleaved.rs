//! Times several ways to do one thing in turn, so that a change in the machine's load meets all of them alike.

use std::convert::Infallible;
use std::time::Instant;

pub use hedgerow_experiments::median::median;

/// One way to do the thing: does it for a repeat and gives the nanoseconds that it took, per unit of work.
pub type Side<'a> = &'a mut dyn FnMut(usize) -> f64;

/// Runs every side once in each repeat, a different one first each time. Gives the times by side, then by repeat.
pub fn interleaved(repeats: usize, sides: &mut [Side<'_>]) -> Vec<Vec<f64>> {
    let n_sides = sides.len();
    match try_interleaved(repeats, n_sides, |side, repeat| Ok::<_, Infallible>(sides[side](repeat))) {
        Ok(times) => times,
        Err(never) => match never {},
    }
}

/// As [`interleaved`], with sides that may fail: `run` does side `s` for repeat `r`, as `run(s, r)`.
///
/// # Errors
/// The first that `run` gives; then nothing more is run.
pub fn try_interleaved<E>(
    repeats: usize,
    n_sides: usize,
    mut run: impl FnMut(usize, usize) -> Result<f64, E>,
) -> Result<Vec<Vec<f64>>, E> {
    let mut times = vec![Vec::with_capacity(repeats); n_sides];
    for repeat in 0..repeats {
        for turn in 0..n_sides {
            let side = (repeat + turn) % n_sides;
            times[side].push(run(side, repeat)?);
        }
    }
    Ok(times)
}

/// What `work` gives, and the nanoseconds that it took. To drop the result is not timed.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e9)
}

/// The least of some numbers; infinite of none.
pub fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least() {
        assert_eq!(least(&[3.0, 1.0, 2.0]), 1.0);
    }

    #[test]
    fn each_side_runs_once_in_each_repeat_and_goes_first_in_turn() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut one = |repeat| {
            order.borrow_mut().push((1, repeat));
            1.0
        };
        let mut two = |repeat| {
            order.borrow_mut().push((2, repeat));
            2.0
        };
        assert_eq!(interleaved(2, &mut [&mut one, &mut two]), [[1.0, 1.0], [2.0, 2.0]]);
        assert_eq!(*order.borrow(), [(1, 0), (2, 0), (2, 1), (1, 1)]);
    }
    #[test]
    fn the_first_failure_ends_it() {
        let mut runs = 0;
        let times = try_interleaved(3, 2, |side, repeat| {
            runs += 1;
            if (side, repeat) == (0, 1) { Err("failed") } else { Ok(1.0) }
        });
        // (0, 0), (1, 0), (1, 1), then (0, 1)
        assert_eq!((times, runs), (Err("failed"), 4));
    }
}
