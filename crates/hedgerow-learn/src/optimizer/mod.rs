//! How the parameters follow the gradient.

mod adam;
mod schedule;

pub use adam::{Adam, AdamParams};
pub(crate) use schedule::RATE_OF_SMALL_DATA;
pub use schedule::{LearningRate, Schedule};
