//! Throw-away Python environments with the peers, in the build folder: `target/bench-peers/<hash>`.
//!
//! One is made for each list of requirements and version of Python, and used again as long as it is there. Nothing outside
//! of it is installed or changed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The environment variable that names a Python to use as it is, one that has the peers already.
const OWN_PYTHON: &str = "HEDGEROW_BENCH_PYTHON";

/// Packages that a command compares with.
#[derive(Debug, Clone, Copy)]
pub struct Requirements {
    /// Where the list is, for messages.
    pub file: &'static str,
    /// The packages with their versions.
    pub list: &'static str,
    /// Packages that a machine may not be able to build. Without them the others are installed all the same.
    pub optional: &'static [&'static str],
    /// What the installation costs, for those who wait for it.
    pub cost: &'static str,
}

impl Requirements {
    /// Names the environment that has these packages, optional ones too, in a version of Python.
    fn hash(&self, version: &[u8]) -> u64 {
        fnv1a(&[self.list.as_bytes(), self.optional.join("\n").as_bytes(), version].concat())
    }
}

/// The file that is written last: an environment without it was never finished. It names the optional packages that could not be installed, each in a line: they
/// are tried again the next time, for what was missing then may be there.
const COMPLETE: &str = "complete";

const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Why there are no peers. The message is one line, fit for a table; [`SetupError::details`] has the rest.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no Python, or the system refuses to start it.
    #[error("`{PYTHON}` cannot be started ({0}); install Python")]
    Python(io::Error),
    /// A folder or file that cannot be made.
    #[error("the folder of the Python environment cannot be written ({0})")]
    Folder(io::Error),
    /// Python ran but failed.
    #[error("Python could not {act}")]
    Failed {
        /// What it should have done.
        act: String,
        /// The last that it said.
        details: String,
    },
}

impl SetupError {
    /// The last lines that Python wrote. They may name paths and servers, so that they are for the screen alone.
    pub fn details(&self) -> &str {
        match self {
            Self::Failed { details, .. } => details,
            _ => "",
        }
    }
}

/// A Python for what its standard library can do: nothing is installed.
pub fn python_as_it_is() -> PathBuf {
    own_python().unwrap_or_else(|| PYTHON.into())
}

fn own_python() -> Option<PathBuf> {
    std::env::var_os(OWN_PYTHON).filter(|python| !python.is_empty()).map(PathBuf::from)
}

/// Makes the environment unless it is there. Gives its Python; or the one that `HEDGEROW_BENCH_PYTHON` names, and then
/// nothing is made.
///
/// # Errors
/// [`SetupError`] if there is no Python, or the peers cannot be installed.
pub fn prepare(requirements: &Requirements) -> Result<PathBuf, SetupError> {
    if let Some(python) = own_python() {
        eprintln!("the peers are those of {}, as {OWN_PYTHON} says", python.display());
        return Ok(python);
    }
    let version = run("tell its version", Command::new(PYTHON).arg("--version"))?;
    // The program is in target/release, the environment beside that.
    let program = std::env::current_exe().map_err(SetupError::Folder)?;
    let target = program.ancestors().nth(2).unwrap_or(Path::new("target"));
    let hash = requirements.hash(&version.stdout);
    let folder = target.join("bench-peers").join(format!("{hash:016x}"));
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let complete = folder.join(COMPLETE);
    let install_optional = |package: &str| {
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]);
        run(&format!("install {package}"), &mut install).map(drop)
    };
    if let Ok(missing) = std::fs::read_to_string(&complete) {
        let missing: Vec<&str> = missing.lines().filter(|package| requirements.optional.contains(package)).collect();
        if !missing.is_empty() {
            eprintln!("trying again to install {}", missing.join(", "));
            let missing = install_all(&missing, install_optional);
            std::fs::write(&complete, missing).map_err(SetupError::Folder)?;
        }
        return Ok(python);
    }
    eprintln!("installing {} in {}: {}", requirements.file, folder.display(), requirements.cost);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(SetupError::Folder)?;
    }
    std::fs::create_dir_all(&folder).map_err(SetupError::Folder)?;
    run("make a virtual environment", Command::new(PYTHON).args(["-m", "venv"]).arg(&folder))?;
    let list = folder.join("requirements.txt");
    std::fs::write(&list, requirements.list).map_err(SetupError::Folder)?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&list);
    run(&format!("install {} with pip", requirements.file), &mut install)?;
    let missing = install_all(requirements.optional, install_optional);
    std::fs::write(&complete, missing).map_err(SetupError::Folder)?;
    Ok(python)
}

/// Installs packages that can be done without. Gives those that could not be installed, each in a line.
fn install_all(packages: &[&str], install: impl Fn(&str) -> Result<(), SetupError>) -> String {
    let mut missing = String::new();
    for package in packages {
        if let Err(error) = install(package) {
            eprintln!("{error}; going on without it\n{}", error.details());
            missing = format!("{missing}{package}\n");
        }
    }
    missing
}

fn run(act: &str, command: &mut Command) -> Result<Output, SetupError> {
    let output = command.output().map_err(SetupError::Python)?;
    match output.status.success() {
        true => Ok(output),
        false => {
            let details = last_lines(&String::from_utf8_lossy(&output.stderr));
            Err(SetupError::Failed { act: act.to_owned(), details })
        }
    }
}

/// The last ten lines of a text.
pub(super) fn last_lines(text: &str) -> String {
    let lines = text.trim_end().lines().collect::<Vec<_>>();
    lines[lines.len().saturating_sub(10)..].join("\n")
}

/// The hash of Fowler, Noll and Vo, in its variant 1a: the same in every release, as that of the standard library is not.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_gives_its_published_numbers() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn other_optional_packages_are_another_environment() {
        let of = |optional| Requirements { file: "", list: "a==1\n", optional, cost: "" }.hash(b"Python 3");
        assert_ne!(of(&["b==1"]), of(&["b==2"]));
        assert_eq!(of(&[]), fnv1a(b"a==1\nPython 3"));
    }

    #[test]
    fn the_end_of_a_long_text() {
        let text = (0..20).map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(last_lines(&text), "10\n11\n12\n13\n14\n15\n16\n17\n18\n19");
        assert_eq!(last_lines("one\n"), "one");
        assert_eq!(last_lines(""), "");
    }

    #[test]
    fn every_peer_has_its_version() {
        let peers = [crate::peers::python::REQUIREMENTS, crate::peers::python::LEARNING_REQUIREMENTS];
        let all = [crate::data::peers::REQUIREMENTS, crate::step::pytorch::REQUIREMENTS].into_iter().chain(peers);
        for Requirements { file, list, optional, .. } in all {
            assert!(list.lines().chain(optional.iter().copied()).all(|line| line.contains("==")), "{file}: {list}");
        }
    }

    #[test]
    fn what_could_not_be_installed_is_named_to_be_tried_again() {
        let install = |package: &str| match package {
            "a==1" => Ok(()),
            _ => Err(SetupError::Failed { act: format!("install {package}"), details: String::new() }),
        };
        let missing = install_all(&["a==1", "b==1", "c==1"], install);
        assert_eq!(missing, "b==1\nc==1\n");
        let again: Vec<&str> = missing.lines().collect();
        assert_eq!(install_all(&again, |_| Ok(())), "");
    }

    #[test]
    fn a_failure_says_what_was_tried() {
        let error = run("do it", Command::new("no-such-program").arg("x")).unwrap_err();
        assert!(error.to_string().contains("cannot be started"), "{error}");
    }
}
