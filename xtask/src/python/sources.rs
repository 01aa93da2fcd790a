//! The source distribution, and whether it has all that the package is built from.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::{done, emptied, only_file, told};
use crate::process::output_of;
use crate::workspace::Workspace;

/// Files that a source distribution has besides those of Rust and Python: what pyproject.toml names, and what says what it is.
const NAMED: [&str; 7] =
    ["pyproject.toml", "PKG-INFO", "Cargo.toml", "Cargo.lock", "docs/python.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Makes it and looks whether it has all that pip and cargo need, in the same versions; gives the archive. (To compile it takes minutes:
/// `release.rs` does.)
pub(super) fn source_distribution(workspace: &Workspace, tools: &Environment) -> Result<PathBuf, String> {
    let folder = emptied(workspace.target_folder("python/sdist"))?;
    let mut maturin = tools.tool(workspace, "maturin");
    done("maturin", maturin.args(["sdist", "--out"]).arg(&folder).env("MATURIN_NO_INSTALL_RUST", "1"))?;
    let archive = only_file(&folder)?;
    let unpacked = emptied(workspace.target_folder("python/sdist-unpacked"))?;
    let mut tar = workspace.command("tar");
    done("tar", tar.arg("-xzf").arg(&archive).arg("-C").arg(&unpacked).arg("--strip-components=1"))?;
    let lacking = lacking(&workspace.root, &unpacked)?;
    if !lacking.is_empty() {
        return Err(format!("the source distribution lacks {}", lacking.join(", ")));
    }
    // Not `--locked`: cargo has to leave out of the lock file what only the crates need that are not here. What stays is compared below.
    let mut metadata = workspace.cargo();
    metadata.current_dir(&unpacked).args(["metadata", "--format-version", "1"]);
    output_of(&mut metadata).map_err(|reason| format!("the source distribution: {reason}"))?;
    let [ours, its] = [&workspace.root, &unpacked].map(|root| packages_in(&root.join("Cargo.lock")));
    let (ours, its) = (ours?, its?);
    match its.iter().find(|package| !ours.contains(*package)) {
        Some(other) => {
            Err(format!("the source distribution is built with another version than the workspace: {other}"))
        }
        None => Ok(archive),
    }
}

/// What an unpacked source distribution of the workspace at `root` should have and has not.
fn lacking(root: &Path, unpacked: &Path) -> Result<Vec<String>, String> {
    let mut wanted: Vec<PathBuf> = NAMED.iter().map(|name| unpacked.join(name)).collect();
    // What is compiled on this machine lies beside the sources after `pip install -e .`, and is none.
    let is_source = |path: &Path| path.extension().is_some_and(|extension| extension != "so" && extension != "pyc");
    for path in files_below(&root.join("python/hedgerow"))?.into_iter().filter(|path| is_source(path)) {
        let within = path.strip_prefix(root).map_err(|error| format!("{}: {error}", path.display()))?;
        wanted.push(unpacked.join(within));
    }
    for path in files_below(&unpacked.join("crates"))? {
        // Tests are not built from it.
        let within = path.strip_prefix(unpacked).unwrap_or(&path);
        let is_test = within.components().any(|part| part.as_os_str() == "tests") || within.ends_with("tests.rs");
        if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            let text = fs::read_to_string(&path).map_err(told(&path))?;
            for name in included(&text).map_err(|reason| format!("{}: {reason}", path.display()))? {
                wanted.push(path.with_file_name(name));
            }
        }
    }
    let name = |path: &PathBuf| path.strip_prefix(unpacked).unwrap_or(path).display().to_string();
    Ok(wanted.iter().filter(|path| !path.is_file()).map(name).collect())
}

/// The files that a Rust source file takes in, as it names them. Tests stand at its end, and are not looked at.
fn included(text: &str) -> Result<Vec<String>, String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let mut names = Vec::new();
    for word in ["include_str!(", "include_bytes!(", "include!("] {
        for rest in text.split(word).skip(1) {
            let name = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
            names.push(name.ok_or_else(|| format!("what `{word}` takes in is no plain text"))?.to_owned());
        }
    }
    Ok(names)
}

/// All files below a folder.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(told(folder))?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Names and versions of the packages in a lock file.
fn packages_in(path: &Path) -> Result<HashSet<String>, String> {
    let text = fs::read_to_string(path).map_err(told(path))?;
    let package = |part: &str| part.lines().take(2).collect::<Vec<_>>().join(", ");
    Ok(text.split("[[package]]\n").skip(1).map(package).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_by_name_and_version() {
        let packages = packages_in(&Workspace::here().root.join("Cargo.lock")).unwrap();
        assert!(packages.contains("name = \"xtask\", version = \"0.1.0\""), "{packages:?}");
    }

    #[test]
    fn included_files_are_found_but_for_those_of_tests() {
        let text = "const A: &str = include_str!(\"a.css\");\nstatic B: &[u8] = include_bytes!(\n    \"../b.gz\"\n);\n\
                    #[cfg(test)]\nmod tests {\n    const C: &str = include_str!(\"c.md\");\n}\n";
        assert_eq!(included(text).unwrap(), ["a.css", "../b.gz"]);
        assert!(included("include_str!(concat!(\"a\", \"b\"))").unwrap_err().contains("no plain text"));
    }

    #[test]
    fn what_is_left_out_of_a_source_distribution_is_named() {
        // The workspace itself has all that is wanted of one but what says what it is; of an empty folder everything is missing.
        let root = Workspace::here().root;
        assert_eq!(lacking(&root, &root).unwrap(), ["PKG-INFO"]);
        let empty = Workspace::here().target_folder("python/an-empty-sdist");
        fs::create_dir_all(empty.join("crates")).unwrap();
        let all = lacking(&root, &empty).unwrap();
        for name in ["Cargo.lock", "docs/python.md", "python/hedgerow/py.typed", "python/hedgerow/_native.pyi"] {
            assert!(all.contains(&name.to_owned()), "{name}: {all:?}");
        }
    }
}
