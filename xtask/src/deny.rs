//! The dependencies: licences, sources and bans by the rules in `deny.toml`, and known vulnerabilities.
//!
//! Both are asked of cargo-deny, which is built here when this exact version is not there yet.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::process::{describe, not_started, output_of, run};
use crate::step::Outcome;
use crate::workspace::Workspace;

/// Pinned, so that a new release of the tool cannot change what passes.
const VERSION: &str = "0.20.2";

/// Licences, sources and bans.
pub(crate) fn policy(workspace: &Workspace) -> Outcome {
    let tool = match tool(workspace) {
        Ok(tool) => tool,
        Err(reason) => return Outcome::Failed(reason),
    };
    run(deny(workspace, &tool).args(["bans", "licenses", "sources"]))
}

/// Known vulnerabilities. Skipped only when the advisory database cannot be fetched.
pub(crate) fn advisories(workspace: &Workspace) -> Outcome {
    let tool = match tool(workspace) {
        Ok(tool) => tool,
        Err(reason) => return Outcome::Failed(reason),
    };
    let mut command = deny(workspace, &tool);
    match command.arg("advisories").stdin(Stdio::null()).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let outcome = judge(output.status.success(), &said, &describe(output.status));
            // The tool's own words about a clone that failed add nothing to the reason, and look like a failure.
            if !matches!(outcome, Outcome::Skipped(_)) {
                eprint!("{said}");
            }
            outcome
        }
        Err(error) => Outcome::Failed(not_started(&command, &error)),
    }
}

/// Cargo-deny exits 1 for an advisory and for a database it could not fetch alike; only its words differ.
///
/// Anything not recognised as the second is a failure, so that a change of wording cannot hide an advisory.
fn judge(success: bool, said: &str, status: &str) -> Outcome {
    if success {
        Outcome::Passed
    } else if said.contains("failed to fetch advisory database") && !said.contains("error[") {
        Outcome::Skipped("advisory database unreachable".into())
    } else {
        Outcome::Failed(status.into())
    }
}

/// `cargo-deny ... check`, to which the names of the checks are added.
fn deny(workspace: &Workspace, tool: &PathBuf) -> Command {
    let mut command = workspace.command(tool);
    command.args(["--locked", "--workspace", "--log-level", "warn", "check", "--hide-inclusion-graph"]);
    command
}

/// The path of cargo-deny, after building it if need be.
fn tool(workspace: &Workspace) -> Result<PathBuf, String> {
    let tools = workspace.target_folder("tools");
    let own = tools.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    for path in [PathBuf::from("cargo-deny"), own.clone()] {
        let version = output_of(Command::new(&path).arg("--version"));
        if version.is_ok_and(|line| line.trim() == format!("cargo-deny {VERSION}")) {
            return Ok(path);
        }
    }
    println!("building cargo-deny {VERSION}, once");
    // A debug build without debug information takes a third of the time of a release build, and the tool
    // still answers in a second.
    let mut install = workspace.cargo();
    install.args(["install", "cargo-deny", "--version", VERSION, "--locked", "--debug", "--force", "--quiet"]);
    install.args(["--config", "profile.dev.debug=0", "--root"]).arg(&tools);
    install.arg("--target-dir").arg(workspace.target_folder("tools-build"));
    match run(&mut install) {
        Outcome::Passed => Ok(own),
        other => Err(format!("cargo-deny {VERSION} could not be installed: {}", other.reason())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_database_is_skipped() {
        let said = "[ERROR] failed to fetch advisory database somewhere with cli: failed to clone";
        assert_eq!(judge(false, said, "exit code 1"), Outcome::Skipped("advisory database unreachable".into()));
    }

    #[test]
    fn an_advisory_fails_whatever_else_is_said() {
        let found = "error[vulnerability]: a buffer overflow\nadvisories FAILED\n";
        assert_eq!(judge(false, found, "exit code 1"), Outcome::Failed("exit code 1".into()));
        let both = format!("[WARN] failed to fetch advisory database, using the old one\n{found}");
        assert_eq!(judge(false, &both, "exit code 1"), Outcome::Failed("exit code 1".into()));
    }

    #[test]
    fn words_that_are_not_known_fail() {
        assert_eq!(judge(false, "deny.toml: unexpected key", "exit code 1"), Outcome::Failed("exit code 1".into()));
        assert_eq!(judge(true, "advisories ok", "exit code 0"), Outcome::Passed);
    }
}
