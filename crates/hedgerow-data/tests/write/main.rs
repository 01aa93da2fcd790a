//! Writing tables and data sets: what the bytes are, that they read back the same, and that nothing half-written remains.

#![allow(clippy::unwrap_used)]

mod datasets;
mod encodings;
mod files;
#[cfg(feature = "parquet")]
mod parquet;
mod workbench;
