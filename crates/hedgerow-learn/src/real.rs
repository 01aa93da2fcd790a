//! The numbers that networks compute with.

use num_traits::{Float, NumAssign};

/// `f32`, which everything runs in, or `f64`, in which the tests compare gradients with finite differences.
pub trait Real:
    Float + NumAssign + Default + std::fmt::Debug + std::fmt::Display + hedgerow_core::matrix::Element
{
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
    /// The same number as `f64`.
    fn wide(self) -> f64;
    /// The nearest `f32`.
    fn narrow(self) -> f32;
    /// e to the power of each number, none of which is above 0.
    fn exp_all(values: &mut [Self]);
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as Self
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn narrow(self) -> f32 {
        self
    }

    #[inline(always)]
    fn exp_all(values: &mut [Self]) {
        for value in values {
            *value = exp_of_at_most_0(*value);
        }
    }
}

/// e^x for x up to 0, to 3 in 10 million of it; 0 below -87, where e^x is next to the smallest number. Written without
/// branches and calls, so that eight are computed at once: losses over whole batches spend most of their time here.
#[inline(always)]
fn exp_of_at_most_0(x: f32) -> f32 {
    // ln 2 in two parts, the first exact when multiplied by small whole numbers.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let bounded = if x > -87.0 { x } else { -87.0 };
    // e^x = 2^n e^r, with |r| at most ln 2 / 2.
    let n = (bounded * std::f32::consts::LOG2_E).round_ties_even();
    let r = (bounded - n * LN_2_HIGH) - n * LN_2_LOW;
    // The series of e^r up to r^7 / 7!.
    let mut series = 1.0 / 5040.0;
    for factorial in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0_f32] {
        series = series * r + 1.0 / factorial;
    }
    let power = f32::from_bits((((n as i32) + 127) << 23) as u32);
    // Not a number stays so; it fails the first comparison, and the second.
    if x > -87.0 {
        series * power
    } else if x <= -87.0 {
        0.0
    } else {
        x
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }

    fn narrow(self) -> f32 {
        self as f32
    }

    fn exp_all(values: &mut [Self]) {
        values.iter_mut().for_each(|value| *value = value.exp());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_exponential_is_that_of_the_system() {
        for step in 0..8_700_000 {
            let x = -(step as f32) * 1e-5;
            let (fast, exact) = (exp_of_at_most_0(x), f64::from(x).exp());
            assert!((f64::from(fast) - exact).abs() <= 3e-7 * exact, "{x}: {fast} {exact}");
        }
        assert_eq!(exp_of_at_most_0(0.0), 1.0);
        assert_eq!(exp_of_at_most_0(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp_of_at_most_0(-1e30), 0.0);
        assert!(exp_of_at_most_0(f32::NAN).is_nan());
    }
}
