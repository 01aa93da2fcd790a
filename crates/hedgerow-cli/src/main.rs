//! The `hedgerow` command. All of it is in the library beside it (`lib.rs`), which Python calls too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hedgerow_cli::run(std::env::args_os().collect()))
}
