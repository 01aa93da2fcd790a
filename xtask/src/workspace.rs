//! Where things are: the workspace's root, its target folder, and the Rust version it promises.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace that this program was built from.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    target: PathBuf,
    cargo: OsString,
}

impl Workspace {
    /// Finds the workspace; it does not depend on the folder the command is typed in.
    pub(crate) fn here() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace");
        let target = env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
        Self {
            target: root.join(target),
            root: root.to_path_buf(),
            // Cargo tells its children which cargo it is; a plain `cargo` could be of another toolchain.
            cargo: env::var_os("CARGO").unwrap_or("cargo".into()),
        }
    }

    /// A command in the root.
    pub(crate) fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(&self.root);
        command
    }

    /// A `cargo` command in the root.
    pub(crate) fn cargo(&self) -> Command {
        self.command(&self.cargo)
    }

    /// A folder for build output or fetched tools: all of it goes away with `cargo clean`.
    pub(crate) fn target_folder(&self, name: &str) -> PathBuf {
        self.target.join(name)
    }

    /// The `rust-version` of the workspace, for example `1.85`.
    ///
    /// # Errors
    /// When the manifest cannot be read or states none.
    pub(crate) fn rust_version(&self) -> Result<String, String> {
        let path = self.root.join("Cargo.toml");
        let manifest = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        rust_version_in(&manifest).ok_or(format!("{} states no rust-version", path.display()))
    }
}

/// The quoted value of the first `rust-version = "..."` line. A TOML parser would be this program's only dependency.
fn rust_version_in(manifest: &str) -> Option<String> {
    manifest.lines().find_map(|line| {
        let value = line.trim().strip_prefix("rust-version")?.trim_start().strip_prefix('=')?;
        value.split('"').nth(1).map(String::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_manifest() {
        let manifest = "[workspace.package]\nedition = \"2024\"\nrust-version = \"1.85\"  # why\n";
        assert_eq!(rust_version_in(manifest).as_deref(), Some("1.85"));
        assert_eq!(rust_version_in("rust-version=\"1.90.1\"").as_deref(), Some("1.90.1"));
        assert_eq!(rust_version_in("[package]\nname = \"x\"\n# rust-version = \"1.0\"\n"), None);
        assert_eq!(rust_version_in("rust-version.workspace = true"), None);
    }

    #[test]
    fn this_workspace_states_one() {
        assert!(Workspace::here().rust_version().unwrap().starts_with("1."));
    }
}
