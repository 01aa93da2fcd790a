//! Unfinished files: their names, and removing those that a killed process left behind.
//!
//! A file is written as `.hedgerow-NAME-SYSTEM-PROCESS-RANDOM.partial` beside its final place. NAME stands for the final
//! name, SYSTEM for the running system (and, on Linux, the space of process numbers) that PROCESS is a number of.
//!
//! When a file is in its place, unfinished ones of the same final name are removed if nobody can be writing them any more.
//! Of the same system and user, that is if the process is gone: those are the processes that are sure to be seen here, since
//! a system may hide those of other users. Of all others, it is if they have not changed for a day. A number alone would not
//! do: a process of another machine or container that writes to the same folder has a number that may be nobody's here.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

use super::output::folder_of;

const PREFIX: &str = ".hedgerow-";
const SUFFIX: &str = ".partial";

/// Where Linux shows its processes.
const PROCESSES: &str = "/proc";

/// What stands for a system that does not say which it is.
const UNKNOWN: &str = "unknown";

/// Age at which an unfinished file of a process that cannot be asked for is taken for a leftover.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes an unfinished file for this final place.
pub(super) fn create(path: &Path) -> std::io::Result<NamedTempFile> {
    let system = system(Path::new(PROCESSES));
    let prefix = format!("{}{}-{}-", prefix_of(path), system.as_deref().unwrap_or(UNKNOWN), std::process::id());
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

/// Removes the unfinished files for this final place, where a file was just put, that were left behind. What cannot be
/// removed stays: it does no harm.
pub(super) fn remove_leftovers(path: &Path) {
    remove_leftovers_by(path, Path::new(PROCESSES));
}

fn remove_leftovers_by(path: &Path, processes: &Path) {
    let own_system = system(processes);
    let own_user = fs::symlink_metadata(path).ok().and_then(|metadata| owner(&metadata));
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    let prefix = prefix_of(path);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(SUFFIX)?.split_once('-'));
        let Some((of_system, process)) = parts else { continue };
        // Not of the target of a link: `DirEntry` does not follow.
        let Ok(metadata) = entry.metadata() else { continue };
        let is_left = match process.split_once('-').and_then(|(process, _)| process.parse::<u32>().ok()) {
            Some(process)
                if own_system.as_deref() == Some(of_system) && own_user.is_some() && owner(&metadata) == own_user =>
            {
                // An error is no answer.
                processes.join(process.to_string()).try_exists().is_ok_and(|exists| !exists)
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
/// container. Nothing if that is not told, or if the processes shown are numbered otherwise than this one: then they cannot
/// be asked for, and age decides.
fn system(processes: &Path) -> Option<String> {
    let own = fs::read_link(processes.join("self")).ok()?;
    if own.as_os_str() != std::process::id().to_string().as_str() {
        return None;
    }
    let start = fs::read(processes.join("sys/kernel/random/boot_id")).ok().filter(|start| !start.is_empty())?;
    let numbers = fs::read_link(processes.join("self/ns/pid")).ok()?;
    Some(short_hash(&[&start, numbers.as_os_str().as_encoded_bytes()].concat()))
}

/// The user that a file belongs to, where files belong to users by number.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn owner(metadata: &fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
fn owner(_: &fs::Metadata) -> Option<u32> {
    None
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
        let known_system = system(Path::new(PROCESSES));
        let (own, own_system) = (prefix_of(&path), known_system.as_deref().unwrap_or(UNKNOWN));
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
        place(&left[0], if known_system.is_some() { 0 } else { 1 });
        place(&left[1], 1);
        remove_leftovers(&path);
        let mut names = names_in(folder.path());
        names.sort();
        let mut expected = kept.to_vec();
        expected.sort();
        assert_eq!(names, expected);
    }

    /// A place where processes are shown, this one as `own`, with the number of the start and of the space if `told`.
    #[cfg(unix)]
    fn processes(own: u32, told_start: bool, told_space: bool) -> tempfile::TempDir {
        let shown = tempfile::tempdir().unwrap();
        let in_shown = |path: &str| shown.path().join(path);
        fs::create_dir_all(in_shown(&format!("{own}/ns"))).unwrap();
        std::os::unix::fs::symlink(own.to_string(), in_shown("self")).unwrap();
        if told_start {
            fs::create_dir_all(in_shown("sys/kernel/random")).unwrap();
            fs::write(in_shown("sys/kernel/random/boot_id"), "first").unwrap();
        }
        if told_space {
            std::os::unix::fs::symlink("pid:[1]", in_shown("self/ns/pid")).unwrap();
        }
        shown
    }

    #[cfg(unix)]
    #[test]
    fn files_of_processes_that_cannot_be_seen_are_not_swept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        fs::write(&path, "").unwrap();
        let own = std::process::id();
        let seen = processes(own, true, true);
        let known = system(seen.path()).unwrap();
        let unfinished =
            [known.as_str(), UNKNOWN].map(|system| format!("{}{system}-{NOBODY}-x.partial", prefix_of(&path)));
        unfinished.iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        let hidden = [
            tempfile::tempdir().unwrap(),
            processes(own + 1, true, true),
            processes(own, false, true),
            processes(own, true, false),
        ];
        for hidden in hidden {
            remove_leftovers_by(&path, hidden.path());
            assert_eq!((system(hidden.path()), names_in(folder.path()).len()), (None, 3));
        }
        // A system may hide the processes of other users. Only root can give a file away.
        let given = folder.path().join(&unfinished[0]);
        let me = owner(&fs::metadata(&path).unwrap());
        if std::os::unix::fs::chown(&given, me.map(|me| me + 1), None).is_ok() {
            remove_leftovers_by(&path, seen.path());
            assert!(given.exists());
            std::os::unix::fs::chown(&given, me, None).unwrap();
        }
        remove_leftovers_by(&path, seen.path());
        assert!(!given.exists() && folder.path().join(&unfinished[1]).exists());
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
