//! Measurements of hedgerow. `bench/README.md` says how to run and read them.
//!
//! - [`ratios`]: the structures against plain ways to do the same, both sides in one run.
//! - [`mnist`]: training and query times, errors and sizes on the user's copy of MNIST.
//! - [`data`]: reading files against what a Python user has.
//! - [`learn`]: error, nodes and time of whole training runs, by `hedgerow-experiments`, which `hedgerow reproduce` runs too.
//! - [`step`]: the training step against PyTorch.
//! - [`peers`]: whole tasks against the libraries that an engineer would take instead.
//! - [`python`]: the Python side of `data`, `step` and `peers`.
//! - [`synthetic`]: the data of `ratios`; `benches/` uses it too.
//!
//! Nothing here is part of the library, and no test of the library depends on it.

pub mod arguments;
pub mod data;
pub mod interleaved;
pub mod learn;
pub mod mnist;
pub mod peers;
pub mod plain;
pub mod python;
pub mod random;
pub mod ratios;
pub mod save;
pub mod step;
pub mod synthetic;

pub use hedgerow_experiments::{date, machine};

/// The revision that this program was built from, marked if files were changed since; by `build.rs`.
pub const REVISION: &str = env!("HEDGEROW_BENCH_REVISION");
