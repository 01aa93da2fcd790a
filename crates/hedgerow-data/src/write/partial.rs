//! Unfinished files: their names, and removing those that a killed process left behind.
//!
//! A file is written as `.hedgerow-NAME-SYSTEM-PROCESS-RANDOM.partial` beside its final place. NAME stands for the final
//! name, SYSTEM for the running system (and, on Linux, the space of process numbers) that PROCESS is a number of.
//!
//! When a file is in its place, unfinished ones of the same final name are removed if nobody can be writing them any more:
//! of the same system, if the process is gone; of another one, whose processes cannot be seen from here, if they have not
//! changed for a day. A number alone would not do: a process of another machine or container that writes to the same
//! folder has a number that may be nobody's here.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

use super::output::folder_of;

const PREFIX: &str = ".hedgerow-";
const SUFFIX: &str = ".partial";

/// Age at which an unfinished file of another system is taken for a leftover.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes an unfinished file for this final place.
pub(super) fn create(path: &Path) -> std::io::Result<NamedTempFile> {
    let prefix = format!("{}{}-{}-", prefix_of(path), system(), std::process::id());
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file, not secret as temporary files usually are; the user's umask takes away from it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(path))
}

/// Removes the unfinished files for this final place that were left behind. What cannot be removed stays: it does no harm.
pub(super) fn remove_leftovers(path: &Path) {
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    let prefix = prefix_of(path);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(SUFFIX)?.split_once('-'));
        let Some((of_system, process)) = parts else { continue };
        // Not of the target of a link: `DirEntry` does not follow.
        let Ok(metadata) = entry.metadata() else { continue };
        let is_left = match process.split_once('-').and_then(|(process, _)| process.parse::<u32>().ok()) {
            Some(process) if of_system == system() && cfg!(target_os = "linux") => {
                !Path::new("/proc").join(process.to_string()).exists()
            }
            _ => metadata.modified().is_ok_and(|changed| age(changed) > STALE),
        };
        if metadata.is_file() && is_left {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Time since then; none if the clock was set back since.
fn age(changed: SystemTime) -> Duration {
    changed.elapsed().unwrap_or_default()
}

/// What the names of unfinished files for this final place begin with. A hash, since the name with more around it could be
/// longer than a name may be.
fn prefix_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    format!("{PREFIX}{}-", short_hash(name.as_encoded_bytes()))
}

/// The running system, with its space of process numbers: it changes with every start of the machine and is another in a
/// container. Where that is not told, all are one, and age alone decides.
fn system() -> String {
    let start = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let numbers = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    short_hash(&[&start, numbers.as_os_str().as_encoded_bytes()].concat())
}

fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Past the largest process number that Linux gives.
    const NOBODY: u32 = 4_999_999;

    #[test]
    fn leftovers_are_told_from_files_that_are_being_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let (own, own_system) = (prefix_of(&path), system());
        let other = prefix_of(&folder.path().join("u.csv"));
        let place = |name: &str, days: u64| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60 + 60)).unwrap();
        };
        let kept = [
            format!("{own}{own_system}-{}-alive.partial", std::process::id()),
            format!("{own}elsewhere-{NOBODY}-new.partial"),
            format!("{other}{own_system}-{NOBODY}-othername.partial"),
            format!("{own}{own_system}-{NOBODY}-x.csv"),
            "t.csv".to_owned(),
            ".hedgerow-x.partial".to_owned(),
        ];
        let left = [format!("{own}{own_system}-{NOBODY}-gone.partial"), format!("{own}elsewhere-1-old.partial")];
        kept.iter().for_each(|name| place(name, 0));
        place(&left[0], if cfg!(target_os = "linux") { 0 } else { 1 });
        place(&left[1], 1);
        remove_leftovers(&path);
        let mut names = names_in(folder.path());
        names.sort();
        let mut expected = kept.to_vec();
        expected.sort();
        assert_eq!(names, expected);
    }

    #[test]
    fn names_as_long_as_they_may_be_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x".repeat(255));
        let unfinished = create(&path).unwrap();
        remove_leftovers(&path);
        assert!(unfinished.path().exists());
        unfinished.persist(&path).unwrap();
        assert_eq!(names_in(folder.path()), ["x".repeat(255)]);
    }
}
