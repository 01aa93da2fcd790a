//! What can be wrong with a journal, and what to do about it.

use std::path::PathBuf;

/// What is wrong with a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The database.
    #[error("{}: {source}{}", path.display(), remedy(source))]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Another model was saved in its place.
    #[error("{}: another model was saved in this place meanwhile; nothing was written: open the model again", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// A journal of another format.
    #[error("{}: the journal has format {found}, this program reads {expected}; use a newer version of hedgerow", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        expected: i64,
    },
    /// No file where there should be one.
    #[error("{}: the file is missing from the model; restore it from a copy", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The journal of another model.
    #[error("{}: this is the journal of another model; restore the right one from a copy", path.display())]
    OtherModel {
        /// The file.
        path: PathBuf,
    },
    /// A file that is no journal, or no longer.
    #[error("{}: {what}{}", path.display(), DAMAGED)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// An entry that makes no sense.
    #[error("{}: entry {number}: {what}{}", path.display(), DAMAGED)]
    Entry {
        /// The file.
        path: PathBuf,
        /// The entry.
        number: u64,
        /// What is wrong with it.
        what: String,
    },
}

/// What to do about a journal that cannot be trusted.
const DAMAGED: &str = "; the journal is damaged: restore it from a copy";

/// What to do about a refusal of SQLite's.
fn remedy(error: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode as Code;
    match error.sqlite_error_code() {
        Some(Code::DatabaseBusy | Code::DatabaseLocked) => "; another program is writing to it: try again",
        Some(Code::ReadOnly | Code::PermissionDenied | Code::CannotOpen) => {
            "; allow writing to it and its folder, or change a copy of the model"
        }
        Some(Code::DiskFull) => "; make room",
        Some(Code::SystemIoFailure) => "; the disk, or the connection to it, may be at fault: try again",
        _ => DAMAGED,
    }
}

impl JournalError {
    /// Whether what it says is lost, where other errors pass.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Database { source, .. } => remedy(source) == DAMAGED,
            Self::Missing { .. } | Self::OtherModel { .. } | Self::Damaged { .. } | Self::Entry { .. } => true,
            Self::Replaced { .. } | Self::Version { .. } => false,
        }
    }
}
