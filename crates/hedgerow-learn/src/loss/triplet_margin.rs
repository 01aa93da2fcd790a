//! The triplet margin loss (Hoffer and Ailon 2015; Schroff, Kalenichenko and Philbin 2015).

use crate::real::Real;

/// The loss of an anchor at distance `near` from an example of its class and `far` from one of another:
/// `max(0, near - far + margin)`. Gives it with the derivatives by the two distances.
pub fn triplet_margin<R: Real>(near: R, far: R, margin: R) -> (R, R, R) {
    let short = near - far + margin;
    // Written so that what is not a number stays so, and is noticed.
    if short <= R::zero() { (R::zero(), R::zero(), R::zero()) } else { (short, R::one(), -R::one()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_worked_by_hand() {
        assert_eq!(triplet_margin(2.0, 2.5, 1.0), (0.5, 1.0, -1.0));
        assert_eq!(triplet_margin(2.0, 3.0, 1.0), (0.0, 0.0, 0.0));
        assert!(triplet_margin(f64::NAN, 3.0, 1.0).0.is_nan());
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        // Short of the margin, beyond it, and with one of the two distances at 0.
        for (near, far) in [(2.0, 2.5), (1.0, 3.5), (0.0, 0.4), (1.5, 0.0_f64)] {
            let (_, by_near, by_far) = triplet_margin(near, far, 1.0);
            let difference = |a: (f64, f64, f64), b: (f64, f64, f64)| (a.0 - b.0) / 2e-6;
            let near_moved = difference(triplet_margin(near + 1e-6, far, 1.0), triplet_margin(near - 1e-6, far, 1.0));
            let far_moved = difference(triplet_margin(near, far + 1e-6, 1.0), triplet_margin(near, far - 1e-6, 1.0));
            assert!((by_near - near_moved).abs() < 1e-8 && (by_far - far_moved).abs() < 1e-8, "{near} {far}");
        }
    }
}
