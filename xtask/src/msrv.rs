//! The oldest Rust that the manifest promises (`rust-version`) really compiles the library and the command.
//!
//! Only these and what they depend on: tests and benchmarks may use newer tools.

use std::process::Command;

use crate::debian::Toolchain;
use crate::process::{output_of, run};
use crate::step::Outcome;
use crate::workspace::Workspace;

/// Compiles the library and the command with the promised version, from rustup where it is installed, else from Debian's packages.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let version = match workspace.rust_version() {
        Ok(version) => version,
        Err(reason) => return Outcome::Failed(reason),
    };
    let mut cargo = match cargo_of(workspace, &version) {
        Ok(cargo) => cargo,
        Err(reason) => return Outcome::Skipped(format!("no Rust {version}: {reason}")),
    };
    // A target folder of its own: two compilers in one would make each other's cached answers stale.
    cargo.args(["check", "--locked", "--package", "hedgerow", "--package", "hedgerow-cli", "--target-dir"]);
    run(cargo.arg(workspace.target_folder("msrv")))
}

/// A `cargo` of that version. Rustup is asked what it has and never told to install: that would change the
/// machine outside the target folder.
fn cargo_of(workspace: &Workspace, version: &str) -> Result<Command, String> {
    let installed = output_of(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    if let Some(name) = pick(&installed, version) {
        println!("with rustup's {name}");
        let mut command = workspace.command("rustup");
        command.args(["run", name, "cargo"]);
        // Set by the cargo that runs this program, it would bring back the compiler of today.
        command.env_remove("RUSTC").env_remove("CARGO");
        return Ok(command);
    }
    let toolchain = Toolchain::fetch(workspace, version)?;
    println!("with Debian's {}", toolchain.version);
    Ok(toolchain.cargo(workspace))
}

/// The installed toolchain of `version` or one of its patch releases: `1.85` takes `1.85-...` and `1.85.1-...`.
fn pick<'a>(installed: &'a str, version: &str) -> Option<&'a str> {
    installed.lines().filter_map(|line| line.split_whitespace().next()).find(|name| {
        let rest = name.strip_prefix(version);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_release_will_do_and_a_longer_number_will_not() {
        let installed = "stable-x86_64-unknown-linux-gnu (active, default)\n\
                         1.850.0-x86_64-unknown-linux-gnu\n\
                         1.85.1-x86_64-unknown-linux-gnu\n";
        assert_eq!(pick(installed, "1.85"), Some("1.85.1-x86_64-unknown-linux-gnu"));
        assert_eq!(pick(installed, "1.8"), None);
        assert_eq!(pick("no installed toolchains\n", "1.85"), None);
        assert_eq!(pick("", "1.85"), None);
    }
}
