//! The journal as a table of an SQLite database.
//!
//! A rollback journal is used, not a write-ahead log: with one, a folder that may not be written to could not be read, and a copy of the one
//! file would miss the last changes (`docs/decisions/0010-model-on-disk.md` has the figures).

use std::path::{Path, PathBuf};
use std::time::Duration;

use hedgerow_core::ExampleId;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, params};

use super::seal::{Seal, seal};
use super::{Change, JournalEntry, JournalError};

/// The format of the table.
const VERSION: i64 = 1;

/// How long one program waits for another that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

const CREATE: &str = "CREATE TABLE journal (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('add', 'remove', 'relabel')),
  example INTEGER NOT NULL,
  label TEXT,
  point BLOB,
  representation BLOB,
  note TEXT,
  seal BLOB NOT NULL
);
CREATE TABLE last_entry (model BLOB NOT NULL, number INTEGER NOT NULL, seal BLOB NOT NULL)";

/// A journal in a file.
#[derive(Debug)]
pub(crate) struct JournalFile {
    path: PathBuf,
    connection: Connection,
    identity: Option<Identity>,
}

impl JournalFile {
    /// Makes a file with these entries of a model, all of it on the disk when this returns.
    pub(crate) fn create(path: &Path, model: Seal, entries: &[JournalEntry]) -> Result<(), JournalError> {
        let failed = failed(path);
        // For whom the user's settings (umask) say: SQLite lets nobody but the owner write to files that it makes. It says if this fails.
        let _ = std::fs::File::create(path);
        let connection = Connection::open(path).map_err(&failed)?;
        // Nobody knows of the file before it is whole: nothing needs to be undone if it never is.
        connection.pragma_update(None, "journal_mode", "OFF").map_err(&failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(&failed)?;
        connection.execute_batch(&format!("BEGIN; {CREATE}; PRAGMA user_version = {VERSION}")).map_err(&failed)?;
        connection.execute("INSERT INTO last_entry VALUES (?1, 0, ?1)", [model.0]).map_err(&failed)?;
        let mut file = Self { path: path.to_owned(), identity: identity(path), connection };
        file.extend(entries)?;
        file.commit()
    }

    /// Opens a journal to write to it.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        // Before the file is opened: should another take its place between the two, it is found out at the first change.
        let identity = identity(path);
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        durable(&connection).map_err(failed(path))?;
        Ok(Self { path: path.to_owned(), identity, connection })
    }

    /// Reads all entries of a file, and of which model they are. The file, and its folder, need not be writable.
    pub(crate) fn read(path: &Path) -> Result<(Seal, Vec<JournalEntry>), JournalError> {
        let read = |path: &Path, flags: OpenFlags| {
            let connection = connect(path, flags)?;
            Ok((last_entry(&connection, path)?.model, select(&connection, path, 0)?))
        };
        match read(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
            // Somebody was killed while writing: what was begun must be undone first, and that is writing.
            Err(error) if needs_writing(&error) => match read(path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
                Err(error) if needs_writing(&error) => read_copy(path).unwrap_or(Err(error)),
                entries => entries,
            },
            entries => entries,
        }
    }

    /// Of which model it is.
    pub(crate) fn model(&self) -> Result<Seal, JournalError> {
        Ok(last_entry(&self.connection, &self.path)?.model)
    }

    /// The seal of an entry; before the first, the model's own.
    pub(super) fn seal_of(&self, number: u64) -> Result<Seal, JournalError> {
        seal_of(&self.connection, &self.path, number)
    }

    pub(crate) fn lock(&mut self) -> Result<(), JournalError> {
        // Asked both before, because SQLite would look for traces of unfinished work beside another's file, and after: whoever puts another
        // model in this place holds the lock until that is done, so from then on the file stays the one that it is.
        self.check_place()?;
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed(&self.path))?;
        self.check_place().inspect_err(|_| self.release())
    }

    fn check_place(&self) -> Result<(), JournalError> {
        if self.is_at(&self.path) { Ok(()) } else { Err(JournalError::Replaced { path: self.path.clone() }) }
    }

    pub(super) fn is_at(&self, path: &Path) -> bool {
        identity(path) == self.identity && (self.identity.is_some() || path == self.path)
    }

    pub(crate) fn entries_after(&self, number: u64) -> Result<Vec<JournalEntry>, JournalError> {
        select(&self.connection, &self.path, number)
    }

    /// Writes down entries that have their numbers, to count when they are committed.
    pub(super) fn extend(&mut self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        let failed = failed(&self.path);
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(()) };
        let mut before = seal_of(&self.connection, &self.path, first.number - 1)?;
        let mut insert = self
            .connection
            .prepare_cached(
                "INSERT INTO journal (number, at, action, example, label, point, representation, note, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )
            .map_err(&failed)?;
        for entry in entries {
            let JournalEntry { number, at, change, note } = entry;
            before = seal(&before, entry);
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
                    note,
                    before.0
                ])
                .map_err(&failed)?;
        }
        let mut update =
            self.connection.prepare_cached("UPDATE last_entry SET number = ?1, seal = ?2").map_err(&failed)?;
        update.execute(params![last.number as i64, before.0]).map_err(&failed)?;
        Ok(())
    }

    pub(super) fn commit(&mut self) -> Result<(), JournalError> {
        self.connection.execute_batch("COMMIT").map_err(failed(&self.path))
    }

    pub(super) fn release(&self) {
        // It fails where SQLite has undone everything by itself already.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}

/// Each transaction is on the disk before it counts. The file with what it takes to undo one is not removed
/// but emptied in place, which spares the file system work, and cut to 64 KiB after a large one.
fn durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    connection.pragma_update(None, "journal_size_limit", 1 << 16)?;
    connection.pragma_update(None, "synchronous", "FULL")
}

/// Connects to a file that must be there and have the format that this program reads.
fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, JournalError> {
    let failed = failed(path);
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(&failed)?;
    connection.busy_timeout(PATIENCE).map_err(&failed)?;
    match connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&failed)? {
        VERSION => Ok(connection),
        0 => Err(JournalError::Damaged { path: path.to_owned(), what: "it has no table of changes".to_owned() }),
        found => Err(JournalError::Version { path: path.to_owned(), found, expected: VERSION }),
    }
}

/// Reads a file that needs mending, and the folder that it is in may not be written to: in another one.
fn read_copy(path: &Path) -> Option<Result<(Seal, Vec<JournalEntry>), JournalError>> {
    let folder = tempfile::tempdir().ok()?;
    let name = path.file_name()?;
    let unfinished = |name: &std::ffi::OsStr| {
        let mut name = name.to_owned();
        name.push("-journal");
        name
    };
    let copy = folder.path().join(name);
    std::fs::write(&copy, std::fs::read(path).ok()?).ok()?;
    let begun = std::fs::read(path.with_file_name(unfinished(name))).ok()?;
    std::fs::write(folder.path().join(unfinished(name)), begun).ok()?;
    let connection = connect(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE).ok()?;
    let read = || Ok((last_entry(&connection, path)?.model, select(&connection, path, 0)?));
    Some(read())
}

fn needs_writing(error: &JournalError) -> bool {
    let JournalError::Database { source, .. } = error else { return false };
    matches!(source.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

/// What tells one file from another that took its name.
pub(crate) type Identity = (u64, u64);

pub(crate) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().and_then(|file| identity_in(&file))
}

#[cfg(unix)]
pub(crate) fn identity_in(file: &std::fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((file.dev(), file.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity_in(_file: &std::fs::Metadata) -> Option<Identity> {
    None
}

fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> JournalError + use<> {
    let path = path.to_owned();
    move |source| match source.sqlite_error() {
        // SQLite's own way to say that another file has this name now.
        Some(error) if error.extended_code == rusqlite::ffi::SQLITE_READONLY_DBMOVED => {
            JournalError::Replaced { path: path.clone() }
        }
        _ => JournalError::Database { path: path.clone(), source },
    }
}

/// What the file says of itself beside its entries.
struct LastEntry {
    model: Seal,
    number: i64,
    seal: Seal,
}

fn last_entry(connection: &Connection, path: &Path) -> Result<LastEntry, JournalError> {
    let damaged = |what: String| JournalError::Damaged { path: path.to_owned(), what };
    let mut query = connection.prepare_cached("SELECT model, number, seal FROM last_entry").map_err(failed(path))?;
    let last = query
        .query_row([], |row| Ok(LastEntry { model: Seal(row.get(0)?), number: row.get(1)?, seal: Seal(row.get(2)?) }));
    match last.optional() {
        Err(error) if error.sqlite_error().is_none() => Err(damaged(error.to_string())),
        last => {
            last.map_err(failed(path))?.ok_or_else(|| damaged("it does not say which entry is the last".to_owned()))
        }
    }
}

fn seal_of(connection: &Connection, path: &Path, number: u64) -> Result<Seal, JournalError> {
    if number == 0 {
        return Ok(last_entry(connection, path)?.model);
    }
    let mut query = connection.prepare_cached("SELECT seal FROM journal WHERE number = ?1").map_err(failed(path))?;
    let found = query.query_row([number as i64], |row| row.get(0).map(Seal)).optional().map_err(failed(path))?;
    found.ok_or_else(|| JournalError::Entry { path: path.to_owned(), number, what: "it is missing".to_owned() })
}

/// The entries after one, and that they go on to the last that was written: a page that is lost can end a table early without a trace.
fn select(connection: &Connection, path: &Path, after: u64) -> Result<Vec<JournalEntry>, JournalError> {
    if !connection.is_autocommit() {
        return select_at_once(connection, path, after);
    }
    // Of one moment, whatever others write.
    connection.execute_batch("BEGIN").map_err(failed(path))?;
    let entries = select_at_once(connection, path, after);
    let ended = connection.execute_batch("COMMIT").map_err(failed(path));
    entries.and_then(|entries| ended.map(|()| entries))
}

fn select_at_once(connection: &Connection, path: &Path, after: u64) -> Result<Vec<JournalEntry>, JournalError> {
    let failed = failed(path);
    let last = last_entry(connection, path)?;
    let mut before = seal_of(connection, path, after)?;
    let mut query = connection
        .prepare_cached(
            "SELECT number, at, action, example, label, point, representation, note, seal FROM journal
             WHERE number > ?1 ORDER BY number",
        )
        .map_err(&failed)?;
    let mut rows = query.query([after as i64]).map_err(&failed)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next().map_err(&failed)? {
        let number = row.get::<_, i64>(0).map_err(&failed)? as u64;
        let refuse = |what: String| JournalError::Entry { path: path.to_owned(), number, what };
        let wrong_type = |error: rusqlite::Error| refuse(error.to_string());
        let expected = after + 1 + entries.len() as u64;
        if number != expected {
            return Err(refuse(format!("entry {expected} is missing before it")));
        }
        let action: String = row.get(2).map_err(wrong_type)?;
        let id = ExampleId(row.get::<_, i64>(3).map_err(wrong_type)? as u64);
        let label: Option<String> = row.get(4).map_err(wrong_type)?;
        let change = match (action.as_str(), label) {
            ("add", label) => Change::Add {
                id,
                label,
                point: row.get(5).map_err(wrong_type)?,
                representation: row.get(6).map_err(wrong_type)?,
            },
            ("remove", _) => Change::Remove { id },
            ("relabel", Some(label)) => Change::Relabel { id, label },
            ("relabel", None) => return Err(refuse("it gives an example a new label, but no label".to_owned())),
            (other, _) => return Err(refuse(format!("its action is \"{other}\""))),
        };
        let at = row.get::<_, i64>(1).map_err(wrong_type)? as u64;
        let entry = JournalEntry { number, at, change, note: row.get(7).map_err(wrong_type)? };
        before = seal(&before, &entry);
        if before.0 != row.get::<_, [u8; 32]>(8).map_err(wrong_type)? {
            return Err(refuse("it is not as it was written: its seal does not fit".to_owned()));
        }
        entries.push(entry);
    }
    let number = after + entries.len() as u64;
    if (number as i64, before) != (last.number, last.seal) {
        let (path, last) = (path.to_owned(), last.number);
        let what = format!("it ends with entry {number}, and the last that was written is another ({last})");
        return Err(JournalError::Damaged { path, what });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::super::{Journal, NewEntry};
    use super::*;

    const MODEL: Seal = Seal([5; 32]);

    fn add(id: u64) -> NewEntry {
        let change =
            Change::Add { id: ExampleId(id), label: Some("a".into()), point: vec![1, 2], representation: vec![3; 4] };
        NewEntry { change, note: Some("n".into()) }
    }

    fn write(path: &Path, entries: Vec<NewEntry>) -> Vec<JournalEntry> {
        JournalFile::create(path, MODEL, &[]).unwrap();
        let mut journal = Journal::File(JournalFile::open(path).unwrap());
        journal.lock().unwrap();
        let written = journal.append(entries, 0).unwrap();
        journal.commit().unwrap();
        written
    }

    #[test]
    fn what_is_committed_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let relabel = Change::Relabel { id: ExampleId(u64::MAX), label: "b".into() };
        let written = write(&path, vec![add(7), NewEntry { change: relabel, note: None }]);
        assert_eq!(JournalFile::read(&path).unwrap(), (MODEL, written.clone()));
        let mut other = Journal::File(JournalFile::open(&path).unwrap());
        assert_eq!(other.entries_after(1).unwrap(), written[1..]);
        // What is let go of never was.
        other.lock().unwrap();
        other.append(vec![add(8)], 2).unwrap();
        other.release();
        assert_eq!(JournalFile::read(&path).unwrap(), (MODEL, written));
        // Numbers that are taken are refused.
        other.lock().unwrap();
        assert!(other.append(vec![add(8)], 1).is_err());
    }

    #[test]
    fn gaps_changed_rows_and_other_formats_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let refused = |change: &str, words: &[&str]| {
            let _ = std::fs::remove_file(&path);
            write(&path, vec![add(1), add(2), add(3)]);
            Connection::open(&path).unwrap().execute_batch(change).unwrap();
            let error = JournalFile::read(&path).unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)) && error.contains("journal.sqlite"), "{error}");
        };
        refused("DELETE FROM journal WHERE number = 2", &["entry 3", "entry 2 is missing"]);
        refused("UPDATE journal SET label = 'b' WHERE number = 2", &["entry 2", "seal"]);
        refused("UPDATE journal SET note = NULL WHERE number = 3", &["entry 3", "seal"]);
        refused("UPDATE journal SET action = 'remove' WHERE number = 1", &["entry 1", "seal"]);
        refused("UPDATE journal SET point = NULL WHERE number = 1", &["entry 1"]);
        refused("UPDATE journal SET example = 'x' WHERE number = 1", &["entry 1"]);
        refused("DELETE FROM journal WHERE number = 3", &["ends with entry 2", "(3)"]);
        refused("DELETE FROM journal", &["ends with entry 0", "(3)"]);
        refused("DELETE FROM last_entry", &["which entry is the last"]);
        refused("UPDATE last_entry SET model = zeroblob(32)", &["entry 1", "seal"]);
        refused("UPDATE last_entry SET seal = 'x'", &["damaged"]);
        refused("PRAGMA user_version = 9", &["format 9"]);
        refused("PRAGMA user_version = 0", &["no table of changes"]);
        refused("DROP TABLE journal", &["no such table"]);
        std::fs::write(&path, "no database at all, but long enough to look like one").unwrap();
        assert!(JournalFile::read(&path).unwrap_err().to_string().contains("damaged"));
    }
}
