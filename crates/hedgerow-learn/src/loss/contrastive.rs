//! The contrastive loss of siamese networks (Hadsell, Chopra and LeCun 2006).

use super::squared_distance;
use crate::real::Real;

/// The loss of a pair, and the number f with which its gradient is `f * (a - b)` for a and `f * (b - a)` for b.
///
/// Examples of one class are drawn together: `d^2`. Others are pushed apart until they are `margin` apart: `max(0, margin - d)^2`.
/// At distance 0 there is no direction to push in; f is 0 there.
pub fn contrastive<R: Real>(a: &[R], b: &[R], is_same_class: bool, margin: R) -> (R, R) {
    let squared = squared_distance(a, b);
    if is_same_class {
        return (squared, R::of(2.0));
    }
    let distance = squared.sqrt();
    let short = margin - distance;
    if short <= R::zero() {
        return (R::zero(), R::zero());
    }
    let factor = if distance > R::zero() { -R::of(2.0) * short / distance } else { R::zero() };
    (short * short, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_worked_by_hand() {
        let (a, b) = ([0.0, 0.0_f64], [3.0, 4.0]);
        assert_eq!(contrastive(&a, &b, true, 6.0), (25.0, 2.0));
        // d = 5, margin 6: (6 - 5)^2 = 1, and -2 * 1 / 5.
        assert_eq!(contrastive(&a, &b, false, 6.0), (1.0, -0.4));
        assert_eq!(contrastive(&a, &b, false, 5.0), (0.0, 0.0));
        assert_eq!(contrastive(&a, &a, false, 2.0), (4.0, 0.0));
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let a = [0.3, -1.2, 0.8_f64];
        // About 1.9 away, 3.5 away, and at the same place.
        for b in [[1.4, -0.1, -0.3], [2.5, 0.9, -1.0], a] {
            for is_same_class in [true, false] {
                let factor = contrastive(&a, &b, is_same_class, 2.5).1;
                for axis in 0..3 {
                    let near = |step: f64, moves_a: bool| {
                        let (mut a, mut b) = (a, b);
                        if moves_a {
                            a[axis] += step;
                        } else {
                            b[axis] += step;
                        }
                        contrastive(&a, &b, is_same_class, 2.5).0
                    };
                    for (slope, moves_a) in
                        [(factor * (a[axis] - b[axis]), true), (factor * (b[axis] - a[axis]), false)]
                    {
                        let difference = (near(1e-6, moves_a) - near(-1e-6, moves_a)) / 2e-6;
                        assert!((slope - difference).abs() < 1e-8, "{b:?} {is_same_class}: {slope} {difference}");
                    }
                }
            }
        }
    }
}
