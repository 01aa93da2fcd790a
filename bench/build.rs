//! Writes the revision of the source into the program: a kept result names the program that made it, wherever and whenever that is run.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let revision = git(&["describe", "--always", "--dirty", "--abbrev=12"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=HEDGEROW_BENCH_REVISION={revision}");
    // Each commit is a line in the log of HEAD; what is changed since stands in the folders. A path that is not there would build anew each time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from);
    let folders = ["../crates", "src", "build.rs", "../Cargo.lock"].map(PathBuf::from);
    for path in folders.iter().chain(&log).filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
