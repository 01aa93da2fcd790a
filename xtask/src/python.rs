//! The step `python`: the package is built as a wheel, installed into environments of its own, and checked in both.
//!
//! One environment has the newest scikit-learn and the tools, the other the oldest that is supported. Both are kept under `target/python` until
//! the versions in `python/requirements` or the interpreter change.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{output_of, run};
use crate::step::Outcome;
use crate::workspace::Workspace;

/// The oldest Python that wheels are for.
const OLDEST: (u32, u32) = (3, 11);

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

/// The version of the interpreter, if it is new enough.
fn interpreter() -> Result<String, String> {
    let said = output_of(Command::new("python3").arg("--version"))
        .map_err(|reason| format!("there is no Python: {reason}"))?;
    let version = said.trim().to_owned();
    match number_of(&version) {
        Some(number) if number >= OLDEST => Ok(version),
        _ => Err(format!("{version} is here, and {}.{} or newer is needed", OLDEST.0, OLDEST.1)),
    }
}

/// `Python 3.11.7` is (3, 11).
fn number_of(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("Python ")?.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// A virtual environment and what is to be in it.
struct Environment {
    folder: PathBuf,
    requirements: PathBuf,
}

impl Environment {
    fn of(workspace: &Workspace, name: &str) -> Self {
        Self {
            folder: workspace.target_folder("python").join(name),
            requirements: workspace.root.join("python/requirements").join(name).with_extension("txt"),
        }
    }

    /// Makes it, unless it is there as it should be.
    fn prepare(&self, workspace: &Workspace, version: &str) -> Result<(), String> {
        let asked = fs::read_to_string(&self.requirements).map_err(told(&self.requirements))?;
        let asked = format!("# {version}\n{asked}");
        // Written last, so that one that was cut short is made anew.
        let record = self.folder.join("made-from.txt");
        if fs::read_to_string(&record).is_ok_and(|made_from| made_from == asked) {
            return Ok(());
        }
        println!("making {}", self.folder.display());
        done("python3", workspace.command("python3").args(["-m", "venv", "--clear"]).arg(&self.folder))?;
        done("pip", self.pip(workspace).args(["install", "--quiet", "--requirement"]).arg(&self.requirements))?;
        fs::write(&record, asked).map_err(told(&record))
    }

    fn pip(&self, workspace: &Workspace) -> Command {
        let mut command = self.tool(workspace, "python");
        command.args(["-m", "pip", "--disable-pip-version-check"]);
        command
    }

    fn python(&self, workspace: &Workspace, code: &str) -> Command {
        let mut command = self.tool(workspace, "python");
        command.args(["-c", code]);
        command
    }

    /// A program of it. The package must come from the environment, and not from the folder of its sources.
    fn tool(&self, workspace: &Workspace, name: &str) -> Command {
        let mut command = workspace.command(self.folder.join("bin").join(name));
        command.env_remove("PYTHONPATH").env("VIRTUAL_ENV", &self.folder);
        command
    }
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

/// The source distribution has all that cargo needs, in the same versions. (To compile it once more would take minutes.)
fn source_distribution(workspace: &Workspace, tools: &Environment) -> Result<(), String> {
    let folder = emptied(workspace.target_folder("python/sdist"))?;
    let mut maturin = tools.tool(workspace, "maturin");
    done("maturin", maturin.args(["sdist", "--out"]).arg(&folder).env("MATURIN_NO_INSTALL_RUST", "1"))?;
    let archive = only_file(&folder)?;
    done("tar", workspace.command("tar").arg("-xzf").arg(&archive).arg("-C").arg(&folder).arg("--strip-components=1"))?;
    // Not `--locked`: cargo has to leave out of the lock file what only the crates need that are not here. What stays is compared below.
    let mut metadata = workspace.cargo();
    metadata.current_dir(&folder).args(["metadata", "--format-version", "1"]);
    output_of(&mut metadata).map_err(|reason| format!("the source distribution: {reason}"))?;
    let [ours, its] = [&workspace.root, &folder].map(|root| packages_in(&root.join("Cargo.lock")));
    let (ours, its) = (ours?, its?);
    match its.iter().find(|package| !ours.contains(*package)) {
        Some(other) => {
            Err(format!("the source distribution is built with another version than the workspace: {other}"))
        }
        None => Ok(()),
    }
}

/// Names and versions of the packages in a lock file.
fn packages_in(path: &Path) -> Result<HashSet<String>, String> {
    let text = fs::read_to_string(path).map_err(told(path))?;
    let package = |part: &str| part.lines().take(2).collect::<Vec<_>>().join(", ");
    Ok(text.split("[[package]]\n").skip(1).map(package).collect())
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
    fn versions_are_compared_as_numbers() {
        assert_eq!(number_of("Python 3.11.7"), Some((3, 11)));
        assert!(number_of("Python 3.9.2").unwrap() < OLDEST);
        assert!(number_of("Python 3.14.0rc1").unwrap() > OLDEST);
        assert_eq!(number_of("pyenv: no such command"), None);
    }

    #[test]
    fn packages_are_told_by_name_and_version() {
        let packages = packages_in(&Workspace::here().root.join("Cargo.lock")).unwrap();
        assert!(packages.contains("name = \"xtask\", version = \"0.1.0\""), "{packages:?}");
    }

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
