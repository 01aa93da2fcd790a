//! Writes the revision of the source into the program: a kept result names the program that made it, wherever and whenever that is run.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let revision = git(&["describe", "--always", "--abbrev=12"]).unwrap_or_else(|| "unknown".to_owned());
    // What is measured is of the sources; results that are not committed yet change nothing of it.
    let sources = ["../crates", "src", "peers", "build.rs", "../Cargo.toml", "../Cargo.lock"];
    let changed = git(&[&["status", "--porcelain", "--"], &sources[..]].concat());
    let dirty = if changed.is_some() { "-dirty" } else { "" };
    println!("cargo::rustc-env=HEDGEROW_BENCH_REVISION={revision}{dirty}");
    // Each commit is a line in the log of HEAD; what is changed since stands in the folders. A path that is not there would build anew each time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from);
    let folders = sources.map(PathBuf::from);
    for path in folders.iter().chain(&log).filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
