//! The list of steps: what `cargo xtask check` runs, in order, and what is run only by name.
//!
//! A step in another language is added the same way: a function that runs its tool, and a line in the list.
//! Steps that fetch a tool of their own have their own file (`deny.rs`, `msrv.rs`, `python/`, `wasm.rs`).

use std::process::Command;

use crate::process::run;
use crate::step::{Outcome, Step};
use crate::workspace::Workspace;
use crate::{browser, deny, msrv, python, wasm};

/// Run by `cargo xtask check`: the quick answers first, so that a slip in formatting is told within a second.
pub(crate) const CHECKS: &[Step] = &[
    Step { name: "fmt", about: "formatting, by rustfmt", run: fmt },
    Step { name: "clippy", about: "lints on every target, warnings are errors", run: clippy },
    Step { name: "features", about: "lints of the data crate with its optional parts left out", run: features },
    Step { name: "test", about: "unit, integration and documentation tests", run: test },
    Step { name: "doc", about: "the documentation builds without a warning", run: doc },
    Step { name: "bench-build", about: "the benchmarks compile; they are not run", run: bench_build },
    Step { name: "deny", about: "licences, sources and bans of the dependencies", run: deny::policy },
    Step { name: "advisories", about: "known vulnerabilities in the dependencies", run: deny::advisories },
    Step { name: "msrv", about: "library and command compile with the oldest Rust promised", run: msrv::check },
    Step {
        name: "browser",
        about: "the page of `hedgerow demo` opens in Chromium without complaints",
        run: browser::check,
    },
    Step {
        name: "python",
        about: "the Python package: a wheel, its types and tests, with the oldest and newest scikit-learn",
        run: python::check,
    },
    Step { name: "wasm", about: "the core compiles for wasm32-unknown-unknown", run: wasm::check },
];

/// Run only by name: too long for every change.
pub(crate) const EXTRAS: &[Step] = &[
    Step { name: "slow", about: "the tests marked #[ignore], in release", run: slow },
    Step { name: "bench", about: "the benchmarks", run: bench },
    Step {
        name: "fuzz",
        about: "damaged files for every reader; HEDGEROW_FUZZ_CASES and _SEED set how many and which",
        run: fuzz,
    },
    Step {
        name: "python-release",
        about: "the Python package as users install it: from its source distribution and from the checkout, for release",
        run: python::check_release,
    },
];

/// The step of that name, from either list.
pub(crate) fn find(name: &str) -> Option<&'static Step> {
    CHECKS.iter().chain(EXTRAS).find(|step| step.name == name)
}

fn fmt(workspace: &Workspace) -> Outcome {
    run(workspace.cargo().args(["fmt", "--all", "--", "--check"]))
}

fn clippy(workspace: &Workspace) -> Outcome {
    run(cargo_locked(workspace, "clippy").args(["--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn features(workspace: &Workspace) -> Outcome {
    let package = ["-p", "hedgerow-data", "--no-default-features", "--all-targets", "--", "-D", "warnings"];
    run(cargo_locked(workspace, "clippy").args(package))
}

fn test(workspace: &Workspace) -> Outcome {
    // Without --no-fail-fast the first crate with a failure hides the failures of all the crates after it.
    run(cargo_locked(workspace, "test").args(["--workspace", "--no-fail-fast"]))
}

fn doc(workspace: &Workspace) -> Outcome {
    run(cargo_locked(workspace, "doc").args(["--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn bench_build(workspace: &Workspace) -> Outcome {
    // In the profile of the tests: the optimized build of everything that `cargo xtask bench` runs takes nine minutes on two
    // cores, a third of the time that all checks may take.
    run(cargo_locked(workspace, "test").args(["--workspace", "--benches", "--no-run"]))
}

fn slow(workspace: &Workspace) -> Outcome {
    // The targets are named because `--ignored` would else run documentation examples marked `ignore`,
    // which are marked so because they cannot run.
    let targets = ["--workspace", "--release", "--no-fail-fast", "--lib", "--bins", "--tests"];
    run(cargo_locked(workspace, "test").args(targets).args(["--", "--ignored"]))
}

fn bench(workspace: &Workspace) -> Outcome {
    run(cargo_locked(workspace, "bench").arg("--workspace"))
}

fn fuzz(workspace: &Workspace) -> Outcome {
    // The dev profile checks for overflow, which is part of what is looked for.
    let mut command = cargo_locked(workspace, "test");
    command.args(["-p", "hedgerow-data", "--test", "fuzz", "--", "--nocapture", "--test-threads=1"]);
    let asked = std::env::var_os("HEDGEROW_FUZZ_CASES");
    run(command.env("HEDGEROW_FUZZ_CASES", asked.unwrap_or_else(|| "300000".into())))
}

/// `--locked` everywhere: what is checked is the committed lock file, not today's newest versions.
fn cargo_locked(workspace: &Workspace, verb: &str) -> Command {
    let mut command = workspace.cargo();
    command.args([verb, "--locked"]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_none_is_a_command_word() {
        let mut seen = HashSet::from(["check", "help"]);
        for step in CHECKS.iter().chain(EXTRAS) {
            assert!(seen.insert(step.name), "two meanings for `{}`", step.name);
        }
    }

    #[test]
    fn both_lists_are_searched() {
        assert!(find("fmt").is_some());
        assert!(find("slow").is_some());
        assert!(find("nothing").is_none());
    }
}
