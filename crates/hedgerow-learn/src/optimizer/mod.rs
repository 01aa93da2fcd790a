//! How the parameters follow the gradient.

mod adam;
mod schedule;

pub use adam::{Adam, AdamParams};
pub use schedule::{LearningRate, Schedule};
