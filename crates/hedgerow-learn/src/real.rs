//! The numbers that networks compute with.

use num_traits::{Float, NumAssign};

/// `f32`, which everything runs in, or `f64`, in which the tests compare gradients with finite differences.
pub trait Real: Float + NumAssign + Default + std::fmt::Debug + std::fmt::Display + hedgerow_core::matrix::Element {
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
    /// The same number as `f64`.
    fn wide(self) -> f64;
    /// The nearest `f32`.
    fn narrow(self) -> f32;
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
}
