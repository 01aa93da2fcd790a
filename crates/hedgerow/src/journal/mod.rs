//! What happens to a model after it was fitted: a table of changes, in memory or in `journal.sqlite`.
//!
//! The model as it is now is the model as it was saved with the journal's later entries applied in order. An entry is on the disk, or not
//! at all, before the change that it records counts. SQLite is used so that anyone can read the table with any of its tools.
//!
//! This file has what an entry is; `file.rs` how entries are kept in a file, `seal.rs` how damage to them is noticed, `error.rs` what is said then.

mod error;
mod file;
mod seal;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hedgerow_core::ExampleId;

pub use error::JournalError;
pub(crate) use file::{Identity, JournalFile, identity, identity_in};
pub(crate) use seal::{Seal, last_seal};

/// A change.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// An example was added.
    Add {
        /// Its id.
        id: ExampleId,
        /// Its label.
        label: Option<String>,
        /// Its features as they were given: bytes, or `f32` with the little end first.
        point: Vec<u8>,
        /// Its representation as `f32`; empty if none is learned.
        representation: Vec<u8>,
    },
    /// An example was removed.
    Remove {
        /// Its id.
        id: ExampleId,
    },
    /// An example got another label.
    Relabel {
        /// Its id.
        id: ExampleId,
        /// The new label.
        label: String,
    },
}

impl Change {
    /// The example.
    pub fn id(&self) -> ExampleId {
        match self {
            Self::Add { id, .. } | Self::Remove { id } | Self::Relabel { id, .. } => *id,
        }
    }

    /// The word for it.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Remove { .. } => "remove",
            Self::Relabel { .. } => "relabel",
        }
    }

    /// The label, if it has one.
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::Add { label, .. } => label.as_deref(),
            Self::Remove { .. } => None,
            Self::Relabel { label, .. } => Some(label),
        }
    }
}

/// A change that was written down.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    /// Its number, from 1.
    pub number: u64,
    /// When: seconds since 1970, in UTC.
    pub at: u64,
    /// What.
    pub change: Change,
    /// What people should know of it.
    pub note: Option<String>,
}

/// A change to be written down.
#[derive(Debug, Clone)]
pub(crate) struct NewEntry {
    pub(crate) change: Change,
    pub(crate) note: Option<String>,
}

/// The journal of a model.
#[derive(Debug)]
pub(crate) enum Journal {
    /// Kept with the model until it is saved.
    Memory(Vec<JournalEntry>),
    /// On the disk.
    File(JournalFile),
}

impl Default for Journal {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Journal {
    /// Keeps others from writing until [`commit`](Self::commit) or [`release`](Self::release).
    pub(crate) fn lock(&mut self) -> Result<(), JournalError> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::File(file) => file.lock(),
        }
    }

    /// The entries with numbers above `number`.
    pub(crate) fn entries_after(&self, number: u64) -> Result<Vec<JournalEntry>, JournalError> {
        match self {
            Self::Memory(entries) => Ok(entries.iter().filter(|entry| entry.number > number).cloned().collect()),
            Self::File(file) => file.entries_after(number),
        }
    }

    /// The seal of an entry of a model's journal; before the first, the model's id.
    pub(crate) fn seal_of(&self, model: Seal, number: u64) -> Result<Seal, JournalError> {
        match self {
            Self::Memory(entries) => {
                let n = entries.partition_point(|entry| entry.number <= number);
                Ok(last_seal(model, &entries[..n]))
            }
            Self::File(file) => file.seal_of(number),
        }
    }

    /// Writes entries down after entry `last`, to count when they are [committed](Self::commit). The journal is [locked](Self::lock), and
    /// `last` is its last.
    pub(crate) fn append(&mut self, entries: Vec<NewEntry>, last: u64) -> Result<Vec<JournalEntry>, JournalError> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let numbered = |(place, entry): (usize, NewEntry)| JournalEntry {
            number: last + 1 + place as u64,
            at,
            change: entry.change,
            note: entry.note,
        };
        let entries: Vec<JournalEntry> = entries.into_iter().enumerate().map(numbered).collect();
        match self {
            Self::Memory(kept) => kept.extend_from_slice(&entries),
            Self::File(file) => file.extend(&entries)?,
        }
        Ok(entries)
    }

    /// Makes count what was written since the lock, all of it at once: it is on the disk when this returns.
    pub(crate) fn commit(&mut self) -> Result<(), JournalError> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::File(file) => file.commit(),
        }
    }

    /// Lets others write again, and forgets what was not committed.
    pub(crate) fn release(&mut self) {
        if let Self::File(file) = self {
            file.release();
        }
    }

    /// Whether it is the file that is at this path now.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match self {
            Self::Memory(_) => false,
            Self::File(file) => file.is_at(path),
        }
    }
}
