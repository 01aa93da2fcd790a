//! The step `python`: the package is built as a wheel, installed into environments of its own, and checked in both.
//!
//! `environment.rs` has the environments, `sources.rs` the source distribution, `release.rs` the step `python-release`, which installs as
//! users do.

mod environment;
mod release;
mod sources;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use environment::{Environment, interpreter};
pub(crate) use release::check as check_release;
use sources::source_distribution;

use crate::process::{output_of, run};
use crate::step::Outcome;
use crate::workspace::Workspace;

/// The environments, by the names of their lists of requirements. The first has the tools.
const ENVIRONMENTS: [&str; 2] = ["latest", "floor"];

/// Builds, installs and checks.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let version = match interpreter() {
        Ok(version) => version,
        Err(reason) => return Outcome::Skipped(reason),
    };
    match checked(workspace, &version) {
        Ok(()) => Outcome::Passed,
        Err(reason) => Outcome::Failed(reason),
    }
}

fn checked(workspace: &Workspace, version: &str) -> Result<(), String> {
    let [latest, floor] = ENVIRONMENTS.map(|name| Environment::of(workspace, name));
    for environment in [&latest, &floor] {
        environment.prepare(workspace, version)?;
    }
    for act in [&["check"][..], &["format", "--check"]] {
        let mut ruff = latest.tool(workspace, "ruff");
        done(
            "ruff",
            ruff.args(act).args(["--quiet", "python"]).env("RUFF_CACHE_DIR", workspace.target_folder("python/ruff")),
        )?;
    }
    done("mypy", latest.tool(workspace, "mypy").arg("--cache-dir").arg(workspace.target_folder("python/mypy")))?;
    source_distribution(workspace, &latest)?;
    let wheel = wheel(workspace, &latest)?;
    // The command as the tests have built it: models must be the same to it.
    done("cargo", workspace.cargo().args(["test", "--locked", "--quiet", "--workspace", "--no-run"]))?;
    for environment in [&latest, &floor] {
        let mut install = environment.pip(workspace);
        install.args(["install", "--quiet", "--no-index", "--no-deps", "--force-reinstall"]);
        done("pip", install.arg(&wheel))?;
        println!(
            "with {}",
            output_of(
                &mut environment.python(workspace, "import sklearn; print('scikit-learn', sklearn.__version__)")
            )?
            .trim()
        );
        let mut tests = environment.tool(workspace, "pytest");
        tests.args(["--quiet", "-p", "no:cacheprovider"]);
        tests.env("HEDGEROW_COMMAND", workspace.target_folder("debug").join("hedgerow"));
        done("pytest", &mut tests)?;
    }
    Ok(())
}

/// The wheel, built for development: it is optimized as far as the tests need, and takes a third of the time of one for release.
fn wheel(workspace: &Workspace, tools: &Environment) -> Result<PathBuf, String> {
    let folder = emptied(workspace.target_folder("python/wheels"))?;
    let mut maturin = tools.tool(workspace, "maturin");
    maturin.args(["build", "--quiet", "--locked", "--profile", "dev", "--out"]).arg(&folder);
    // In the target folder of the tests, so that what they were built from is not compiled once more; only what has other features here is.
    maturin.arg("--target-dir").arg(workspace.target_folder(""));
    // Without a compiler that is an error, and not the download of one.
    done("maturin", maturin.env("MATURIN_NO_INSTALL_RUST", "1"))?;
    let wheel = only_file(&folder)?;
    match wheel.file_name().and_then(OsStr::to_str) {
        Some(name) if name.contains("-cp311-abi3-") => Ok(wheel),
        name => Err(format!("{name:?} is not a wheel for every Python from 3.11 on (cp311-abi3)")),
    }
}

/// The folder, with nothing of earlier runs in it.
fn emptied(folder: PathBuf) -> Result<PathBuf, String> {
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(told(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(told(&folder))?;
    Ok(folder)
}

fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(told(folder))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    match (paths.next(), paths.next()) {
        (Some(path), None) => Ok(path),
        _ => Err(format!("{} should have one file", folder.display())),
    }
}

fn told(path: &Path) -> impl Fn(std::io::Error) -> String + use<'_> {
    move |error| format!("{}: {error}", path.display())
}

/// Runs a program to its end; an error names it.
fn done(name: &str, command: &mut Command) -> Result<(), String> {
    match run(command) {
        Outcome::Passed => Ok(()),
        other => Err(format!("{name}: {}", other.reason())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_environments_have_a_list() {
        let workspace = Workspace::here();
        for name in ENVIRONMENTS {
            let requirements = Environment::of(&workspace, name).requirements;
            let text = fs::read_to_string(&requirements).unwrap();
            assert!(text.contains("scikit-learn=="), "{}", requirements.display());
        }
    }
}
