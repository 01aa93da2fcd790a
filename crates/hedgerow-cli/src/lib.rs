//! The `hedgerow` command, as a function: [`run`]. The program of that name and `python -m hedgerow` call it.
//!
//! Start at `app.rs`: what is on the command line, and how a run ends. Each verb is one file under `cmd/`; what every verb
//! is given is in `context.rs`. There are no algorithms here: those are the library's.

// Answers go through `Context`, which knows of closed pipes; messages too, which know of bars and of --quiet.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod app;
mod bar;
mod cmd;
mod context;
mod dataset;
mod error;
mod fitting;
mod interruption;
mod labelled;
mod model;
mod output;
mod queries;
mod reading;
mod rejection;
mod table;
mod texts;
mod time;
mod typed;

use std::ffi::OsString;

/// Runs the command that the arguments ask for, and gives its exit code. The first of them is the name of the program.
///
/// Answers go to the standard output of this process, messages to its standard error, and Ctrl-C is heard from the first long work on: it is
/// meant for processes that do nothing else.
pub fn run(arguments: Vec<OsString>) -> u8 {
    app::run(arguments)
}
