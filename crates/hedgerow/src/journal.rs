//! What happens to a model after it was fitted: a table of changes, in memory or in `journal.sqlite`.
//!
//! The model as it is now is the model as it was saved with the journal's later entries applied in order. An entry is on the disk, or not
//! at all, before the change that it records counts. SQLite is used so that anyone can read the table with any of its tools.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hedgerow_core::ExampleId;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};

use crate::error::JournalError;

/// The format of the table.
const VERSION: i64 = 1;

/// How long one program waits for another that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

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
    File { path: PathBuf, connection: Connection, identity: Option<Identity> },
}

impl Default for Journal {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Journal {
    /// Opens the journal in a file, which is made if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let failed = failed(path);
        let connection = Connection::open(path).map_err(&failed)?;
        connection.busy_timeout(PATIENCE).map_err(&failed)?;
        // The whole journal of a transaction is on the disk before it counts. No write-ahead log: with one, a folder that may not be written to
        // could not be read either.
        connection.pragma_update(None, "journal_mode", "TRUNCATE").map_err(&failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(&failed)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&failed)?;
        match version {
            0 => {
                connection
                    .execute_batch(&format!(
                        "BEGIN IMMEDIATE;
                         CREATE TABLE IF NOT EXISTS journal (
                           number INTEGER PRIMARY KEY,
                           at INTEGER NOT NULL,
                           action TEXT NOT NULL CHECK (action IN ('add', 'remove', 'relabel')),
                           example INTEGER NOT NULL,
                           label TEXT,
                           point BLOB,
                           representation BLOB,
                           note TEXT
                         );
                         PRAGMA user_version = {VERSION};
                         COMMIT;"
                    ))
                    .map_err(&failed)?;
            }
            VERSION => {}
            found => return Err(JournalError::Version { path: path.to_owned(), found, expected: VERSION }),
        }
        Ok(Self::File { path: path.to_owned(), identity: identity(path), connection })
    }

    /// Opens a journal if there is one.
    pub(crate) fn open_existing(path: &Path) -> Result<Option<Self>, JournalError> {
        if path.is_file() { Self::open(path).map(Some) } else { Ok(None) }
    }

    /// Keeps others from writing until this journal is dropped.
    pub(crate) fn hold(&mut self) -> Result<bool, JournalError> {
        match self {
            Self::Memory(_) => Ok(false),
            Self::File { path, connection, .. } => {
                connection.execute_batch("BEGIN IMMEDIATE").map_err(failed(path))?;
                Ok(true)
            }
        }
    }

    /// The file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Memory(_) => None,
            Self::File { path, .. } => Some(path),
        }
    }

    /// Reads all entries of a file without changing it.
    pub(crate) fn read(path: &Path) -> Result<Vec<JournalEntry>, JournalError> {
        let failed = failed(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(&failed)?;
        connection.busy_timeout(PATIENCE).map_err(&failed)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&failed)?;
        match version {
            // Made, but nothing was ever written.
            0 => Ok(Vec::new()),
            VERSION => select(&connection, path, 0),
            found => Err(JournalError::Version { path: path.to_owned(), found, expected: VERSION }),
        }
    }

    /// The entries with numbers above `number`.
    pub(crate) fn entries_after(&self, number: u64) -> Result<Vec<JournalEntry>, JournalError> {
        match self {
            Self::Memory(entries) => Ok(entries.iter().filter(|entry| entry.number > number).cloned().collect()),
            Self::File { path, connection, .. } => select(connection, path, number),
        }
    }

    /// Writes entries down, all or none of them, unless somebody else has written since entry `last`.
    pub(crate) fn append(&mut self, entries: Vec<NewEntry>, last: u64) -> Result<Vec<JournalEntry>, JournalError> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let numbered = |(place, entry): (usize, NewEntry)| JournalEntry {
            number: last + 1 + place as u64,
            at,
            change: entry.change,
            note: entry.note,
        };
        let entries: Vec<JournalEntry> = entries.into_iter().enumerate().map(numbered).collect();
        self.extend(&entries)?;
        Ok(entries)
    }

    /// Writes down entries that have their numbers, all or none of them.
    pub(crate) fn extend(&mut self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        let (path, connection, opened) = match self {
            Self::Memory(kept) => {
                kept.extend_from_slice(entries);
                return Ok(());
            }
            Self::File { path, connection, identity } => (path, connection, *identity),
        };
        let failed = failed(path);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
        // Whoever saves another model in this place holds the journal until it is done: from here on the file stays the one that it is.
        if identity(path) != opened {
            return Err(JournalError::Replaced { path: path.clone() });
        }
        {
            // Numbers are a primary key: where somebody else has taken them meanwhile, this is refused as a whole.
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO journal (number, at, action, example, label, point, representation, note)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )
                .map_err(&failed)?;
            for JournalEntry { number, at, change, note } in entries {
                let (point, representation) = match change {
                    Change::Add { point, representation, .. } => (Some(point), Some(representation)),
                    _ => (None, None),
                };
                insert
                    .execute(params![
                        *number as i64,
                        *at as i64,
                        change.action(),
                        change.id().0 as i64,
                        change.label(),
                        point,
                        representation,
                        note
                    ])
                    .map_err(&failed)?;
            }
        }
        transaction.commit().map_err(&failed)
    }
}

/// What tells one file from another that took its name.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<Identity> {
    None
}

fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> JournalError + use<> {
    let path = path.to_owned();
    move |source| JournalError::Database { path: path.clone(), source }
}

fn select(connection: &Connection, path: &Path, after: u64) -> Result<Vec<JournalEntry>, JournalError> {
    let failed = failed(path);
    let mut query = connection
        .prepare_cached(
            "SELECT number, at, action, example, label, point, representation, note FROM journal
             WHERE number > ?1 ORDER BY number",
        )
        .map_err(&failed)?;
    let mut rows = query.query([after as i64]).map_err(&failed)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next().map_err(&failed)? {
        let number = row.get::<_, i64>(0).map_err(&failed)? as u64;
        let refuse = |what: String| JournalError::Entry { path: path.to_owned(), number, what };
        let expected = after + 1 + entries.len() as u64;
        if number != expected {
            return Err(refuse(format!("entry {expected} is missing before it")));
        }
        let action: String = row.get(2).map_err(&failed)?;
        let id = ExampleId(row.get::<_, i64>(3).map_err(&failed)? as u64);
        let label: Option<String> = row.get(4).map_err(&failed)?;
        let change = match (action.as_str(), label) {
            ("add", label) => Change::Add {
                id,
                label,
                point: row.get::<_, Option<Vec<u8>>>(5).map_err(&failed)?.unwrap_or_default(),
                representation: row.get::<_, Option<Vec<u8>>>(6).map_err(&failed)?.unwrap_or_default(),
            },
            ("remove", _) => Change::Remove { id },
            ("relabel", Some(label)) => Change::Relabel { id, label },
            ("relabel", None) => return Err(refuse("it gives an example a new label, but no label".to_owned())),
            (other, _) => return Err(refuse(format!("its action is \"{other}\""))),
        };
        let at = row.get::<_, i64>(1).map_err(&failed)? as u64;
        entries.push(JournalEntry { number, at, change, note: row.get(7).map_err(&failed)? });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(id: u64) -> NewEntry {
        let change =
            Change::Add { id: ExampleId(id), label: Some("a".into()), point: vec![1, 2], representation: vec![3; 4] };
        NewEntry { change, note: Some("n".into()) }
    }

    #[test]
    fn what_is_written_is_read_and_numbers_that_are_taken_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut journal = Journal::open(&path).unwrap();
        let relabel = Change::Relabel { id: ExampleId(u64::MAX), label: "b".into() };
        let written = journal.append(vec![add(7), NewEntry { change: relabel, note: None }], 0).unwrap();
        assert_eq!(Journal::read(&path).unwrap(), written);
        assert_eq!(journal.entries_after(1).unwrap(), written[1..]);
        // Somebody else who has seen one entry only: nothing of what they write is kept.
        let mut other = Journal::open(&path).unwrap();
        assert!(other.append(vec![add(8)], 1).is_err());
        assert!(other.append(vec![add(8), add(9)], 0).is_err());
        assert_eq!(Journal::read(&path).unwrap(), written);
    }

    #[test]
    fn gaps_and_other_formats_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(vec![add(1), add(2), add(3)], 0).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.execute("DELETE FROM journal WHERE number = 2", []).unwrap();
        let error = Journal::read(&path).unwrap_err().to_string();
        assert!(error.contains("entry 3") && error.contains("entry 2 is missing"), "{error}");
        connection.pragma_update(None, "user_version", 9).unwrap();
        assert!(Journal::read(&path).unwrap_err().to_string().contains("format 9"));
        std::fs::write(&path, "no database at all, but long enough to look like one").unwrap();
        assert!(Journal::read(&path).is_err());
    }
}
