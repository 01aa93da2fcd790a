//! Writing into the data directory so that no crash leaves a file that is not whole.
//!
//! Files are gathered in a folder of this process, `.partial-PID-RANDOM`, and moved to their names one by one once they
//! are on disk with the right hash. Two processes that get the same set do the same moves with the same content, so it
//! does not matter who comes last. What belongs in the directory is in `store.rs`.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::FetchError;
use super::manifest::PinnedFile;

const PREFIX: &str = ".partial-";

/// Age at which a staging folder is taken for the leftover of a crash. A source has minutes, so a day is safe.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder for unfinished work, removed with all it holds when dropped.
pub(super) struct Staging {
    folder: TempDir,
    kept: PathBuf,
}

impl Staging {
    /// Makes a staging folder in the data directory, which is made too if it is not there.
    pub(super) fn create(data_dir: &Path, bytes_wanted: u64) -> Result<Self, FetchError> {
        let failed = |act, path: &Path, error| FetchError::disk(act, path, bytes_wanted, error);
        fs::create_dir_all(data_dir).map_err(|error| failed("create", data_dir, error))?;
        // On the same file system as the final names, so that moving is one atomic step.
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .tempdir_in(data_dir)
            .map_err(|error| failed("create a folder in", data_dir, error))?;
        let kept = folder.path().join("kept");
        fs::create_dir(&kept).map_err(|error| failed("create", &kept, error))?;
        Ok(Self { folder, kept })
    }

    /// Makes sure, before anything is downloaded, that files can be written where they are to go. That folders can be
    /// made in the data directory is known once there is a staging folder.
    pub(super) fn check_writable(set_folder: &Path) -> Result<(), FetchError> {
        if !set_folder.is_dir() {
            return Ok(());
        }
        let probe = tempfile::Builder::new().prefix(".probe-").tempfile_in(set_folder);
        probe
            .and_then(tempfile::NamedTempFile::close)
            .map_err(|error| FetchError::disk("write a file in", set_folder, 0, error))
    }

    /// Where whole files wait for their move, under their names.
    pub(super) fn kept(&self) -> &Path {
        &self.kept
    }

    /// A path for a program to work in, not made yet.
    pub(super) fn work_folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("work-{name}"))
    }

    /// Moves files to the folder of their set.
    pub(super) fn publish(&self, files: &[PinnedFile], set_folder: &Path) -> Result<(), FetchError> {
        let failed = |act, path: &Path, error| FetchError::disk(act, path, 0, error);
        if files.is_empty() {
            return Ok(());
        }
        if let Err(error) = fs::create_dir(set_folder) {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(failed("create", set_folder, error));
            }
        }
        check_folder(set_folder)?;
        for file in files {
            let path = set_folder.join(&file.name);
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => return Err(FetchError::Symlink { path }),
                Ok(metadata) if !metadata.is_file() => return Err(FetchError::NotAFile { path }),
                // Missing, or a file that did not match: a rename replaces it in one step.
                _ => {}
            }
            fs::rename(self.kept.join(&file.name), &path).map_err(|error| failed("write", &path, error))?;
        }
        for folder in [Some(set_folder), set_folder.parent()].into_iter().flatten() {
            sync_folder(folder).map_err(|error| failed("write", folder, error))?;
        }
        Ok(())
    }
}

/// Refuses anything but a folder, and a link to one.
pub(super) fn check_folder(path: &Path) -> Result<(), FetchError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(FetchError::Symlink { path: path.to_owned() }),
        Ok(metadata) if !metadata.is_dir() => Err(FetchError::NotAFolder { path: path.to_owned() }),
        Ok(_) => Ok(()),
        Err(error) => Err(FetchError::disk("read", path, 0, error)),
    }
}

/// Removes staging folders that a crash left behind long ago. What cannot be removed is left: it does no harm.
pub(super) fn remove_stale(data_dir: &Path) {
    let Ok(entries) = fs::read_dir(data_dir) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // Not of the target of a link: `DirEntry` does not follow.
        let is_stale = entry.metadata().is_ok_and(|metadata| metadata.is_dir() && age(&metadata) > STALE);
        if ours && is_stale && !is_of_a_live_process(&entry.file_name().to_string_lossy()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the process that a staging folder is named for still runs. Only Linux tells without a system call of its own;
/// elsewhere age alone decides.
fn is_of_a_live_process(name: &str) -> bool {
    let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()).and_then(|pid| pid.parse::<u32>().ok());
    cfg!(target_os = "linux") && pid.is_some_and(|pid| Path::new("/proc").join(pid.to_string()).exists())
}

/// Time since the last change; zero if the clock was set back since.
fn age(metadata: &fs::Metadata) -> Duration {
    let changed = metadata.modified().unwrap_or_else(|_| SystemTime::now());
    changed.elapsed().unwrap_or_default()
}

/// Puts the names in a folder on disk. Windows has no such step.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if cannot_be_synced(&error) => Ok(()),
        result => result,
    }
}

/// Whether a folder cannot be synced at all: it may be written but not read, or its file system has no such step. The
/// files are whole and in place then, so this is no failure.
fn cannot_be_synced(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_synced_is_no_failure_but_a_failing_disk_is() {
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported] {
            assert!(cannot_be_synced(&kind.into()), "{kind}");
        }
        assert!(!cannot_be_synced(&io::ErrorKind::StorageFull.into()));
        assert!(!cannot_be_synced(&io::Error::other("input/output error")));
    }

    #[test]
    fn the_process_of_a_staging_folder_is_known_by_the_name() {
        assert_eq!(is_of_a_live_process(&format!("{PREFIX}{}-x", std::process::id())), cfg!(target_os = "linux"));
        // Past the largest number that Linux gives.
        assert!(!is_of_a_live_process(".partial-4999999-x"));
        assert!(!is_of_a_live_process(".partial-x"));
    }
}
