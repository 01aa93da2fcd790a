//! Virtual environments: one has the newest scikit-learn and the tools, the other the oldest that is supported. Both are kept under
//! `target/python` until the versions in `python/requirements` or the interpreter change.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{done, told};
use crate::process::output_of;
use crate::workspace::Workspace;

/// The oldest Python that wheels are for.
const OLDEST: (u32, u32) = (3, 11);

/// The version of the interpreter, if it is new enough.
pub(super) fn interpreter() -> Result<String, String> {
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
pub(super) struct Environment {
    pub(super) folder: PathBuf,
    pub(super) requirements: PathBuf,
}

impl Environment {
    pub(super) fn of(workspace: &Workspace, name: &str) -> Self {
        Self {
            folder: workspace.target_folder("python").join(name),
            requirements: workspace.root.join("python/requirements").join(name).with_extension("txt"),
        }
    }

    /// Makes it, unless it is there as it should be.
    pub(super) fn prepare(&self, workspace: &Workspace, version: &str) -> Result<(), String> {
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

    pub(super) fn pip(&self, workspace: &Workspace) -> Command {
        let mut command = self.tool(workspace, "python");
        command.args(["-m", "pip", "--disable-pip-version-check"]);
        command
    }

    pub(super) fn python(&self, workspace: &Workspace, code: &str) -> Command {
        let mut command = self.tool(workspace, "python");
        command.args(["-c", code]);
        command
    }

    /// A program of it. The package must come from the environment, and not from the folder of its sources.
    pub(super) fn tool(&self, workspace: &Workspace, name: &str) -> Command {
        let mut command = workspace.command(self.folder.join("bin").join(name));
        command.env_remove("PYTHONPATH").env("VIRTUAL_ENV", &self.folder);
        command
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
}
