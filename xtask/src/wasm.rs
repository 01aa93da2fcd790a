//! The core compiles for the browser's target, `wasm32-unknown-unknown`. Compiled only: nothing is run.

use std::path::Path;

use crate::debian::Toolchain;
use crate::process::{output_of, run};
use crate::step::Outcome;
use crate::workspace::Workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// Uses the installed target; without it, compiles the standard library for wasm from Debian's source package.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let arguments = ["check", "--locked", "--package", "hedgerow-core", "--target", TARGET];
    if target_is_installed(workspace) {
        return run(workspace.cargo().args(arguments));
    }
    let toolchain = match with_source(workspace) {
        Ok(toolchain) => toolchain,
        Err(reason) => return Outcome::Skipped(format!("target {TARGET} is not installed, and {reason}")),
    };
    println!("with Debian's {} and its standard library compiled for {TARGET}", toolchain.version);
    let mut cargo = toolchain.cargo(workspace);
    // `build-std` is an unstable option of a stable compiler; it needs this consent. What is checked is our
    // code against the same standard library, so nothing unstable enters the result.
    cargo.env("RUSTC_BOOTSTRAP", "1").args(arguments).arg("-Zbuild-std=std,panic_abort");
    run(cargo.arg("--target-dir").arg(workspace.target_folder("wasm")))
}

/// The version is the promised one, because that compiler is fetched anyway for the `msrv` step.
fn with_source(workspace: &Workspace) -> Result<Toolchain, String> {
    let toolchain = Toolchain::fetch(workspace, &workspace.rust_version()?)?;
    toolchain.fetch_source()?;
    Ok(toolchain)
}

/// Asks the compiler itself, so that it works with rustup and without.
fn target_is_installed(workspace: &Workspace) -> bool {
    let arguments = ["--print", "target-libdir", "--target", TARGET];
    output_of(workspace.command("rustc").args(arguments)).is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}
