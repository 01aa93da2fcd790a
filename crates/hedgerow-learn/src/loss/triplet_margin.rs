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
}
