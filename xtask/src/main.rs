//! `cargo xtask`: the project's own commands, `cargo xtask check` first among them.
//!
//! For: running every check the same way on a laptop and in CI, with no set-up beyond a Rust toolchain.
//! Not for: anything a user of the library needs. Standard library only, so that it builds in seconds.
//! Read next: `steps.rs`, the list of what is run; `report.rs`, how it is run and told.

mod apt;
mod arguments;
mod browser;
mod debian;
mod deny;
mod msrv;
mod process;
mod python;
mod report;
mod step;
mod steps;
mod wasm;
mod workspace;

use std::process::ExitCode;

use arguments::Request;
use workspace::Workspace;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match arguments::parse(&words) {
        Ok(Request::Help) => {
            print!("{}", arguments::help());
            ExitCode::SUCCESS
        }
        Ok(Request::List) => {
            print!("{}", arguments::list(steps::CHECKS));
            ExitCode::SUCCESS
        }
        Ok(Request::Run(chosen)) => {
            let workspace = Workspace::here();
            if report::run_all(&chosen, &workspace) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}\n\n{}", arguments::help());
            // 2, as other command-line tools: the command was not understood, so nothing was checked.
            ExitCode::from(2)
        }
    }
}
