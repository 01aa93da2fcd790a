//! Getting sets, with stub clients, a small web server and archives made on the spot.
//!
//! Nothing here leaves the machine but the ignored test in `real.rs`. The pins are those of two small files, so every
//! step is the real one: only the files are not.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod archives;
mod clients;
#[cfg(feature = "https")]
mod mirrors;
mod programs;
mod real;
mod store;
mod workbench;
