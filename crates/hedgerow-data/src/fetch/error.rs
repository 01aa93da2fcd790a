//! What can go wrong when a set is looked up, got or checked, in words one can act on.
//!
//! Failures of single sources are in `attempt.rs`: they end up here only when no source is left.

use std::io;
use std::path::{Path, PathBuf};

use super::attempt::Attempt;
use super::failure::Failure;

/// Why a data set could not be found, got or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No set has this name.
    #[error("there is no data set `{asked}`{}; the sets are {}", did_you_mean(nearest.as_deref()), known.join(", "))]
    UnknownSet {
        /// The name asked for.
        asked: String,
        /// The nearest name, if one is near.
        nearest: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// A registered set uses a name that is not a plain file name.
    #[error("the set `{set}` has the name `{name}`, which is no plain file name; use letters, digits, `.`, `-`, `_`")]
    BadName {
        /// The set.
        set: String,
        /// The name.
        name: String,
    },
    /// There is no home directory to keep data in.
    #[error("cannot tell where to keep data: there is no home directory; set HEDGEROW_DATA_DIR to a folder")]
    NoHome,
    /// A folder was expected here.
    #[error("{} is not a folder; remove it or set HEDGEROW_DATA_DIR to another place", path.display())]
    NotAFolder {
        /// The place.
        path: PathBuf,
    },
    /// Something other than a file is where a file of a set belongs.
    #[error("{} is not a regular file; remove it, then get the set again", path.display())]
    NotAFile {
        /// The place.
        path: PathBuf,
    },
    /// A symbolic link lies where a folder or file of a set belongs. It is neither followed nor replaced.
    #[error("{} is a symbolic link, which the data directory may not hold; remove it, then get the set again", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// The set is not in the data directory, or not all of it.
    #[error(
        "the set `{set}` is not in {}: {} missing; run `hedgerow data get {set}`",
        folder.display(),
        missing.join(", ")
    )]
    Absent {
        /// The set.
        set: String,
        /// Where it would be.
        folder: PathBuf,
        /// The files that are missing.
        missing: Vec<String>,
    },
    /// A file of a set has another length than it must have.
    #[error(
        "{} has {got} bytes but the set `{set}` has it with {expected}; run `hedgerow data get {set}` to replace it",
        path.display()
    )]
    WrongSize {
        /// The set.
        set: String,
        /// The file.
        path: PathBuf,
        /// Bytes it must have.
        expected: u64,
        /// Bytes it has.
        got: u64,
    },
    /// A file of a set has other content than it must have.
    #[error(
        "{} is not the file of the set `{set}`: its SHA-256 is another; run `hedgerow data get {set}` to replace it",
        path.display()
    )]
    WrongHash {
        /// The set.
        set: String,
        /// The file.
        path: PathBuf,
    },
    /// The disk is full.
    #[error(
        "no space left for {} ({bytes} bytes wanted){}; free some or set HEDGEROW_DATA_DIR to a larger disk",
        path.display(),
        as_told_by(client.as_deref())
    )]
    NoSpace {
        /// What was being written.
        path: PathBuf,
        /// Bytes the missing files of the set need together.
        bytes: u64,
        /// The package client that found it so, if it was one. It may have been at a cache of its own.
        client: Option<String>,
    },
    /// The data directory could not be read or written.
    #[error("cannot {act} {}: {source}; {}", path.display(), io_remedy(act, source))]
    Io {
        /// What was being done.
        act: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The listener asked to stop.
    #[error("stopped while at `{set}`; nothing half-written was left")]
    Stopped {
        /// The set.
        set: String,
    },
    /// What `--from` named does not have all that is missing.
    #[error("{}", from_text(set, path, kept, missing, reason))]
    From {
        /// The set.
        set: String,
        /// What was named.
        path: PathBuf,
        /// Files that were there and are kept now.
        kept: Vec<String>,
        /// Files that were looked for and are still missing.
        missing: Vec<String>,
        /// Why.
        #[source]
        reason: Box<Failure>,
    },
    /// No source gave the set.
    #[error("{}", nowhere_text(set, attempts, missing, note.as_deref()))]
    Nowhere {
        /// The set.
        set: String,
        /// Everything that was tried.
        attempts: Vec<Attempt>,
        /// Files that are still missing.
        missing: Vec<String>,
        /// A word on where the set can be had at all, if that is narrow.
        note: Option<String>,
    },
}

impl FetchError {
    /// The error for a failed read or write of the data directory, with the full disk told apart.
    pub(super) fn disk(act: &'static str, path: &Path, bytes_wanted: u64, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { path: path.to_owned(), bytes: bytes_wanted, client: None }
            }
            _ => Self::Io { act, path: path.to_owned(), source },
        }
    }
}

fn io_remedy(act: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied if act == "read" => {
            "allow reading it, or set HEDGEROW_DATA_DIR to another folder"
        }
        io::ErrorKind::PermissionDenied => "allow writing there, or set HEDGEROW_DATA_DIR to another folder",
        io::ErrorKind::ReadOnlyFilesystem => "set HEDGEROW_DATA_DIR to a folder that can be written",
        io::ErrorKind::NotADirectory => "a file is in the place of a folder: remove it, or set HEDGEROW_DATA_DIR",
        io::ErrorKind::NotFound => "check the path, or set HEDGEROW_DATA_DIR to another folder",
        _ => "check the disk, or set HEDGEROW_DATA_DIR to another folder",
    }
}

fn as_told_by(client: Option<&str>) -> String {
    client.map(|client| format!(", says {client}, whose cache and temporary files need some too")).unwrap_or_default()
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

fn from_text(set: &str, path: &Path, kept: &[String], missing: &[String], reason: &Failure) -> String {
    let kept = if kept.is_empty() { String::new() } else { format!(" (kept from it: {})", kept.join(", ")) };
    format!(
        "{} does not have all of `{set}`{kept}: {reason}; looked for {}, each also with .gz",
        path.display(),
        missing.join(", ")
    )
}

fn nowhere_text(set: &str, attempts: &[Attempt], missing: &[String], note: Option<&str>) -> String {
    let rows: Vec<[String; 3]> = attempts
        .iter()
        .map(|attempt| {
            let command = attempt.command.clone().unwrap_or_else(|| "-".to_owned());
            [attempt.source.to_string(), command, attempt.outcome.to_string()]
        })
        .collect();
    let width = |column: usize, title: &str| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(title.len())
    };
    let (source_width, command_width) = (width(0, "source"), width(1, "command"));
    let mut text = format!("no source gave all of `{set}`:\n");
    text += &format!("  {:source_width$}  {:command_width$}  reason\n", "source", "command");
    for [source, command, reason] in &rows {
        text += &format!("  {source:source_width$}  {command:command_width$}  {reason}\n");
    }
    if let Some(note) = note {
        text += &format!("{note}\n");
    }
    text += &format!("Still missing: {}\n", missing.join(", "));
    text += &format!(
        "By hand: bring the files, or an archive that has them, and run `hedgerow data get {set} --from FILE`\n\
         (FILE is a folder, a raw file, .gz, .tgz, .tar, .deb, .whl or .zip)."
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::attempt::{Outcome, Skip, Source};

    #[test]
    fn a_full_disk_is_told_apart_and_names_the_bytes() {
        let path = Path::new("data/mnist");
        let full = FetchError::disk("write", path, 1234, io::ErrorKind::StorageFull.into());
        assert!(matches!(full, FetchError::NoSpace { bytes: 1234, .. }));
        assert!(full.to_string().contains("1234 bytes wanted"), "{full}");
        let denied = FetchError::disk("write", path, 1234, io::ErrorKind::PermissionDenied.into());
        assert_eq!(
            denied.to_string(),
            "cannot write data/mnist: permission denied; allow writing there, or set HEDGEROW_DATA_DIR to another folder"
        );
    }

    #[test]
    fn errors_can_cross_threads_as_those_of_programs_must() {
        fn can_cross<T: std::error::Error + Send + Sync + 'static>() {}
        can_cross::<FetchError>();
    }

    #[test]
    fn the_table_is_aligned() {
        let attempt =
            |source, command: Option<&str>, outcome| Attempt { source, command: command.map(str::to_owned), outcome };
        let error = FetchError::Nowhere {
            set: "tiny".to_owned(),
            attempts: vec![
                attempt(Source::Https, None, Outcome::Skipped(Skip::BuiltWithoutHttps)),
                attempt(Source::Npm, Some("npm pack x@1"), Outcome::Skipped(Skip::MissingTool { tool: "npm".into() })),
            ],
            missing: vec!["a.csv".to_owned()],
            note: Some("Only npm has it.".to_owned()),
        };
        assert_eq!(
            error.to_string(),
            "no source gave all of `tiny`:\n  \
               source  command       reason\n  \
               https   -             skipped: built without https\n  \
               npm     npm pack x@1  skipped: npm is not on the search path\n\
             Only npm has it.\n\
             Still missing: a.csv\n\
             By hand: bring the files, or an archive that has them, and run `hedgerow data get tiny --from FILE`\n\
             (FILE is a folder, a raw file, .gz, .tgz, .tar, .deb, .whl or .zip)."
        );
    }
}
