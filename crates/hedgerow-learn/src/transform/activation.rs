//! What stands between two layers.

use serde::{Deserialize, Serialize};

use crate::real::Real;

/// The slope of [`Activation::LeakyRelu`] below 0.
const LEAK: f64 = 0.01;

/// A function that is applied to each number that comes out of a hidden layer. The last layer has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Activation {
    /// `max(x, 0)`, as in the paper. Its zeros make training cheaper.
    #[default]
    Relu,
    /// `x` above 0, `0.01 x` below.
    LeakyRelu,
    /// `x` times the share of a normal distribution below `x`, by the usual formula with tanh
    /// (Hendrycks and Gimpel 2016).
    Gelu,
    /// The hyperbolic tangent.
    Tanh,
}

impl Activation {
    /// Whether the slope must be found from what went in, since what came out does not tell it.
    pub(crate) fn needs_inputs(self) -> bool {
        self == Self::Gelu
    }

    #[inline(always)]
    pub(crate) fn apply<R: Real>(self, values: &mut [R]) {
        match self {
            Self::Relu => {
                // A loop and not `for_each`, which might not be inlined into a caller compiled for wider vectors.
                for x in values {
                    *x = rectified(*x);
                }
            }
            Self::LeakyRelu => {
                let leak = R::of(LEAK);
                values.iter_mut().for_each(|x| *x = if *x > R::zero() { *x } else { leak * *x });
            }
            Self::Gelu => values.iter_mut().for_each(|x| *x = *x * gelu_share(*x).0),
            Self::Tanh => values.iter_mut().for_each(|x| *x = x.tanh()),
        }
    }

    /// Multiplies a gradient with the slope at each place: from what came out or, if it needs them, what went in.
    pub(crate) fn apply_slope<R: Real>(self, gradient: &mut [R], outputs: &[R], inputs: &[R]) {
        let places = gradient.iter_mut().zip(outputs);
        match self {
            Self::Relu => places.for_each(|(g, &y)| *g = if y > R::zero() { *g } else { R::zero() }),
            Self::LeakyRelu => {
                let leak = R::of(LEAK);
                places.for_each(|(g, &y)| *g = if y > R::zero() { *g } else { leak * *g });
            }
            Self::Gelu => gradient.iter_mut().zip(inputs).for_each(|(g, &x)| {
                let (share, slope) = gelu_share(x);
                *g *= share + x * slope;
            }),
            Self::Tanh => places.for_each(|(g, &y)| *g *= R::one() - y * y),
        }
    }
}

/// `max(x, 0)`, written so that what is not a number stays so, and is noticed.
#[inline(always)]
pub(super) fn rectified<R: Real>(x: R) -> R {
    if x < R::zero() { R::zero() } else { x }
}

/// `(1 + tanh(u)) / 2` with `u = sqrt(2 / pi) (x + 0.044715 x^3)`, and its derivative by x.
fn gelu_share<R: Real>(x: R) -> (R, R) {
    let (scale, cubic, half) = (R::of((2.0 / std::f64::consts::PI).sqrt()), R::of(0.044_715), R::of(0.5));
    let tanh = (scale * (x + cubic * x * x * x)).tanh();
    let inner = scale * (R::one() + R::of(3.0) * cubic * x * x);
    (half * (R::one() + tanh), half * (R::one() - tanh * tanh) * inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let apply = |activation: Activation, x: f64| {
            let mut values = [x];
            activation.apply(&mut values);
            values[0]
        };
        assert_eq!((apply(Activation::Relu, -2.0), apply(Activation::Relu, 3.0)), (0.0, 3.0));
        assert_eq!((apply(Activation::LeakyRelu, -2.0), apply(Activation::LeakyRelu, 3.0)), (-0.02, 3.0));
        assert!((apply(Activation::Tanh, 0.5) - 0.462_117_157_26).abs() < 1e-10);
        // u = 0.7978845608 * 1.044715 = 0.8335611, tanh u = 0.6823838, so 0.8411919.
        assert!((apply(Activation::Gelu, 1.0) - 0.841_191_9).abs() < 1e-6);
    }

    #[test]
    fn slopes_are_finite_differences() {
        for activation in [Activation::Relu, Activation::LeakyRelu, Activation::Gelu, Activation::Tanh] {
            for x in [-3.0, -0.7, 0.2, 1.9_f64] {
                let mut at = [x - 1e-6, x, x + 1e-6];
                let inputs = [x];
                activation.apply(&mut at);
                let mut slope = [1.0];
                activation.apply_slope(&mut slope, &at[1..2], &inputs);
                assert!((slope[0] - (at[2] - at[0]) / 2e-6).abs() < 1e-8, "{activation:?} at {x}");
            }
        }
    }
}
