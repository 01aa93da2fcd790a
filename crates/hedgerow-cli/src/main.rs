//! The `hedgerow` command.
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

use std::process::ExitCode;

fn main() -> ExitCode {
    app::run(std::env::args_os().collect())
}
