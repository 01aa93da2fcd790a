//! Downloading and unpacking Debian packages without installing them and without root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{not_started, output_of};

/// A folder with package lists of its own: those of the machine may be missing or old, and only root may renew them.
pub(crate) struct Apt {
    folder: PathBuf,
}

impl Apt {
    /// Sets the folder up and fetches the package lists.
    ///
    /// # Errors
    /// Where there is no `apt-get`, or the folder cannot be written.
    pub(crate) fn prepare(folder: &Path) -> Result<Self, String> {
        let apt = Self { folder: folder.to_path_buf() };
        for part in ["apt/state/lists/partial", "apt/cache/archives/partial", "packages", "root"] {
            fs::create_dir_all(folder.join(part)).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        // An empty list of installed packages: what this machine has must not decide what is downloaded.
        fs::write(folder.join("apt/status"), "").map_err(|error| format!("{}: {error}", folder.display()))?;
        output_of(Command::new("apt-get").arg("--version"))?;
        // How this ends is not looked at: machines add hooks that fail without root, and one unreachable archive
        // of several need not matter. `find` tells whether the lists hold what is needed.
        let _ = output_of(apt.command("apt-get").args(["-qq", "update"]));
        Ok(apt)
    }

    /// The full version of `package` that is a release of `version`.
    ///
    /// # Errors
    /// When the archives have none.
    pub(crate) fn find(&self, package: &str, version: &str) -> Result<String, String> {
        let offered = output_of(self.command("apt-cache").args(["madison", package]))?;
        pick(&offered, version).ok_or(format!("the package archives offer no {package} {version}"))
    }

    /// Downloads `packages` and unpacks those of their files that match `members` (none: all) into `root`.
    ///
    /// # Errors
    /// What the tools said.
    pub(crate) fn unpack(&self, packages: &[String], members: &[&str]) -> Result<(), String> {
        let store = self.folder.join("packages");
        output_of(self.command("apt-get").current_dir(&store).args(["-qq", "download"]).args(packages))?;
        for entry in fs::read_dir(&store).map_err(|error| error.to_string())?.flatten() {
            self.unpack_one(&entry.path(), members)?;
            // Packed and unpacked together would take half as much room again.
            fs::remove_file(entry.path()).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn unpack_one(&self, package: &Path, members: &[&str]) -> Result<(), String> {
        let mut reader = Command::new("dpkg-deb");
        reader.arg("--fsys-tarfile").arg(package).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut reading = reader.spawn().map_err(|error| not_started(&reader, &error))?;
        let tar = reading.stdout.take().expect("standard output was asked for as a pipe");
        let mut writer = Command::new("tar");
        writer.args(["-x", "--wildcards", "-C"]).arg(self.folder.join("root")).args(members);
        let written = writer.stdin(tar).status().map_err(|error| not_started(&writer, &error))?;
        let read = reading.wait().map_err(|error| error.to_string())?;
        if written.success() && read.success() {
            return Ok(());
        }
        Err(format!("{} could not be unpacked", package.display()))
    }

    /// A command of apt that works in this folder alone.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (option, value) in [("Dir::State", "state"), ("Dir::State::status", "status"), ("Dir::Cache", "cache")] {
            command.arg("-o").arg(format!("{option}={}", self.folder.join("apt").join(value).display()));
        }
        // As root, apt would download as another user, who may not write here, and warn that it cannot.
        command.args(["-o", "APT::Sandbox::User=root"]);
        command
    }
}

/// From `package | version | archive` lines, the first version that is a release of `version`.
fn pick(offered: &str, version: &str) -> Option<String> {
    let mut versions = offered.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim);
    let release = format!("{version}.");
    versions.find(|full| full.starts_with(&release)).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_picked_among_others() {
        let offered = " rustc-web | 1.96.0+dfsg1-1 | archive one Packages\n rustc-web | 1.85.0+dfsg3-1 | archive two\n";
        assert_eq!(pick(offered, "1.85").as_deref(), Some("1.85.0+dfsg3-1"));
        assert_eq!(pick(offered, "1.8"), None);
        assert_eq!(pick("", "1.85"), None);
    }
}
