//! The model and its folder, held to what they promise: over every structure, learned and not, on disk and in memory.
//!
//! `fixtures.rs` makes models; the other files are tests, one for each promise.

#![allow(clippy::unwrap_used, reason = "everything here is a test, also what is called by tests")]

mod answers;
mod bytes;
mod changes;
mod damage;
mod editing;
mod fixtures;
mod folder;
mod golden;
mod journals;
mod sharing;
mod speed;
mod stopping;
