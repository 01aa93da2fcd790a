//! An older Rust toolchain out of Debian's packages, unpacked under the target folder.
//!
//! For: machines where rustup does not have it. Nothing is installed: the packages are unpacked, and the
//! programs are told where their libraries are. Not for: compiling what is shipped.
//! Read next: `apt.rs`, which downloads and unpacks.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Apt;
use crate::process::output_of;
use crate::workspace::Workspace;

/// Libraries that the compiler and cargo load and that a machine may lack. They go with the packages of
/// Rust 1.85: when `rust-version` is raised, look at the new packages' dependencies again.
const LIBRARIES: [&str; 4] = ["libllvm19", "libz3-4", "libpcre3", "libhttp-parser2.9"];

/// An unpacked toolchain.
pub(crate) struct Toolchain {
    /// The version of the packages, for example `1.85.0+dfsg3-1`.
    pub(crate) version: String,
    folder: PathBuf,
}

impl Toolchain {
    /// Downloads and unpacks the toolchain of `version` (for example `1.85`), unless that was done before.
    ///
    /// # Errors
    /// Why it cannot be had on this machine.
    pub(crate) fn fetch(workspace: &Workspace, version: &str) -> Result<Self, String> {
        let folder = workspace.target_folder("tools").join(format!("rust-{version}"));
        let done = folder.join("complete");
        if let Ok(version) = fs::read_to_string(&done) {
            return Ok(Self { version, folder });
        }
        let apt = Apt::prepare(&folder)?;
        let full = apt.find("rustc-web", version)?;
        println!("fetching Rust {full} from Debian's packages, once");
        let std = format!("libstd-rust-web-{version}");
        let ours = ["rustc-web", "cargo-web", "libstd-rust-web-dev", &std].map(|name| format!("{name}={full}"));
        let names: Vec<String> = ours.into_iter().chain(LIBRARIES.map(String::from)).collect();
        apt.unpack(&names, &[])?;
        let toolchain = Self { version: full, folder };
        // A library that is missing shows at the first start; found here, it is a reason to skip and no failure.
        output_of(toolchain.cargo(workspace).arg("--version"))?;
        output_of(toolchain.command(workspace, "rustc").arg("--version"))?;
        // Written last, so that a run that was cut short starts over.
        fs::write(done, &toolchain.version).map_err(|error| error.to_string())?;
        Ok(toolchain)
    }

    /// Adds the source of the standard library, for a target that has no compiled one.
    ///
    /// # Errors
    /// Why it cannot be had on this machine.
    pub(crate) fn fetch_source(&self) -> Result<(), String> {
        let done = self.folder.join("source-complete");
        if done.exists() {
            return Ok(());
        }
        // The package holds the compiler's source too, which is many times larger; it is left packed.
        let members = ["./usr/src/*/library", "./usr/lib/rustlib/src"];
        Apt::prepare(&self.folder)?.unpack(&[format!("rust-web-src={}", self.version)], &members)?;
        fs::write(done, "").map_err(|error| error.to_string())
    }

    /// A `cargo` command of this toolchain, in the workspace's root.
    pub(crate) fn cargo(&self, workspace: &Workspace) -> Command {
        let mut command = self.command(workspace, "cargo");
        command.env("RUSTC", self.program("rustc"));
        command
    }

    fn command(&self, workspace: &Workspace, name: &str) -> Command {
        let mut command = workspace.command(self.program(name));
        // Replaced and not extended: the cargo that runs this program has put its own compiler's libraries there.
        command.env("LD_LIBRARY_PATH", library_path(&self.folder.join("root")));
        command
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join("root/usr/bin").join(name)
    }
}

/// The folders `usr/lib/x86_64-linux-gnu` and `lib/x86_64-linux-gnu` under `root`, or those of this machine's
/// processor, joined for the loader.
fn library_path(root: &Path) -> OsString {
    let entries = ["usr/lib", "lib"].into_iter().filter_map(|lib| fs::read_dir(root.join(lib)).ok()).flatten();
    let folders = entries.flatten().map(|entry| entry.path());
    let folders = folders.filter(|path| path.to_string_lossy().contains("-linux-gnu") && path.is_dir());
    folders.map(PathBuf::into_os_string).collect::<Vec<_>>().join(":".as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_path_takes_the_processor_folders_only() {
        let root = std::env::temp_dir().join(format!("xtask-library-path-{}", std::process::id()));
        for folder in ["usr/lib/riscv64-linux-gnu", "usr/lib/rustlib", "lib/riscv64-linux-gnu"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let expected = ["usr/lib", "lib"].map(|lib| root.join(lib).join("riscv64-linux-gnu").display().to_string());
        assert_eq!(library_path(&root).to_string_lossy(), expected.join(":"));
        fs::remove_dir_all(&root).unwrap();
        assert!(library_path(&root).is_empty());
    }
}
