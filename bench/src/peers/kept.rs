//! Measurements are kept as they come, so that a command that is stopped loses no more than the one at work, and the same command goes on from there.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::python::NO_PEERS;
use super::record::{Facts, REVISION, Record, head};
use super::row::Row;
use super::{PeersError, Question};

/// What has been measured so far, and the file that it is added to, if there is one.
#[derive(Debug)]
pub(super) struct Kept {
    question: Question,
    path: Option<PathBuf>,
    rows: Vec<Row>,
}

impl Kept {
    /// Begins a file, or none. A file that the same command left, since it was stopped, is gone on with: it is the same if all facts are, the revision of the
    /// program among them. Any other is put aside under a name with a number.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn begin(question: Question, path: Option<&Path>, facts: &Facts) -> Result<Self, PeersError> {
        let mut kept = Self { question, path: path.map(Path::to_owned), rows: Vec::new() };
        let Some(path) = path else { return Ok(kept) };
        if let Some(rows) = left(question, path, facts) {
            let n: usize = rows.iter().map(Row::n_repeats).sum();
            eprintln!("going on with {}: {n} measurements are there", path.display());
            kept.rows = rows;
        } else {
            let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            folder.and_then(|()| put_aside(path)).map_err(|source| failed(path, source))?;
        }
        // Anew: what was cut off, or is to be measured again, is not to stand before it.
        let lines: String = kept.rows.iter().map(|row| row.lines(question.name())).collect();
        std::fs::write(path, head(question, facts) + &lines).map_err(|source| failed(path, source))?;
        Ok(kept)
    }

    /// A row with what has been measured of it, instead of an empty one.
    pub(super) fn row(&self, empty: Row) -> Row {
        self.rows.iter().find(|row| row.is_same(&empty)).cloned().unwrap_or(empty)
    }

    /// The rows of a method on some data, at whatever effort: none if it has not been asked.
    pub(super) fn rows_of(&self, data: &str, method: &str) -> Vec<Row> {
        self.rows.iter().filter(|row| row.data == data && row.method == method).cloned().collect()
    }

    /// All that has been added, in the order in which rows first came.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Adds what is new in a row since it was last added.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn add(&mut self, row: &mut Row) -> Result<(), PeersError> {
        let lines = row.new_lines(self.question.name());
        match self.rows.iter_mut().find(|known| known.is_same(row)) {
            Some(known) => known.clone_from(row),
            None => self.rows.push(row.clone()),
        }
        let Some(path) = &self.path else { return Ok(()) };
        let file = OpenOptions::new().append(true).open(path);
        // By one call to the system, so that a program that is ended has written a repeat whole or not at all.
        file.and_then(|mut file| file.write_all(lines.as_bytes())).map_err(|source| failed(path, source))
    }

    /// Adds what is new in some rows.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn add_all(&mut self, rows: &mut [Row]) -> Result<(), PeersError> {
        rows.iter_mut().try_for_each(|row| self.add(row))
    }
}

/// What the same command left in a file, if it is one of the same command.
fn left(question: Question, path: &Path, facts: &Facts) -> Option<Vec<Row>> {
    let record = path.is_file().then(|| Record::read(path).ok()).flatten()?;
    // Two programs with changes that are not committed have one name, and need not be one program.
    let is_known = facts.get(REVISION).is_some_and(|revision| !revision.ends_with("-dirty"));
    if !is_known || record.question != question || record.facts != *facts {
        return None;
    }
    // There may be peers now.
    let mut rows: Vec<Row> = record.rows.into_iter().filter(|row| row.note != NO_PEERS).collect();
    // An effort is timed as often as there are repeats, but built and judged once: there numbers of values differ.
    if question != Question::Neighbors {
        rows.iter_mut().for_each(Row::cut_to_whole_repeats);
    }
    rows.iter_mut().for_each(Row::mark_given);
    Some(rows)
}

/// Renames a file, if there is one: `a.csv` becomes `a-1.csv`, or has the next number that is free.
fn put_aside(path: &Path) -> std::io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1;
    loop {
        let aside = path.with_file_name(format!("{stem}-{number}.csv"));
        if !aside.exists() {
            eprintln!("what another program or command left unfinished is in {} now", aside.display());
            return std::fs::rename(path, aside);
        }
        number += 1;
    }
}

fn failed(path: &Path, source: std::io::Error) -> PeersError {
    PeersError::Write { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(revision: &str) -> Facts {
        Facts::from([(REVISION, revision.to_owned())])
    }

    fn row() -> Row {
        Row::new("digits", "tree", true, 2)
    }

    #[test]
    fn every_measurement_is_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("rows.csv");
        let mut kept = Kept::begin(Question::Raw, Some(&path), &facts("a")).unwrap();
        let mut row = row();
        row.push("s", 1.5);
        kept.add(&mut row).unwrap();
        row.push("s", 2.5);
        row.fail("gave up after 300 s");
        kept.add(&mut row).unwrap();
        kept.add(&mut row).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert_eq!(lines[1], "raw,\"\",\"\",,,,revision,,,\"a\"");
        assert_eq!(lines[2], "raw,\"digits\",\"tree\",,true,2,s,0,1.5,\"\"");
        assert_eq!(lines[3], "raw,\"digits\",\"tree\",,true,2,s,1,2.5,\"\"");
        assert_eq!(lines[4], "raw,\"digits\",\"tree\",,true,2,failed,,,\"gave up after 300 s\"");
        assert_eq!(kept.rows(), [row]);
    }

    #[test]
    fn the_same_command_goes_on_where_it_was_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peers-raw-unfinished.csv");
        let mut kept = Kept::begin(Question::Raw, Some(&path), &facts("a")).unwrap();
        let mut first = row();
        first.push("s", 1.5);
        kept.add(&mut first).unwrap();
        let mut absent = Row::new("digits", "absent", false, 2);
        absent.fail(NO_PEERS);
        kept.add(&mut absent).unwrap();
        let mut kept = Kept::begin(Question::Raw, Some(&path), &facts("a")).unwrap();
        let mut again = kept.row(row());
        assert!(again.has(0) && !again.has(1));
        assert!(!kept.row(Row::new("digits", "absent", false, 2)).has(0), "there may be peers by now");
        assert!(!kept.row(Row::new("digits", "tree", true, 1)).has(0), "with other threads it is another row");
        again.push("s", 2.5);
        kept.add(&mut again).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.matches(",s,0,1.5,").count(), text.matches(",s,1,2.5,").count()), (1, 1), "{text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is put aside");
    }

    #[test]
    fn what_another_program_left_is_not_lost_and_not_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peers-raw-unfinished.csv");
        // The last two have one name, but may differ.
        for (number, revision) in ["a", "b", "c-dirty", "c-dirty"].into_iter().enumerate() {
            let mut kept = Kept::begin(Question::Raw, Some(&path), &facts(revision)).unwrap();
            let mut row = kept.row(row());
            assert!(!row.has(0), "{revision}");
            row.push("s", number as f64);
            kept.add(&mut row).unwrap();
        }
        for (name, value) in [("-1", ",0,0,"), ("-2", ",0,1,"), ("-3", ",0,2,"), ("", ",0,3,")] {
            let file = folder.path().join(format!("peers-raw-unfinished{name}.csv"));
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.lines().nth(2).unwrap().contains(value), "{name}: {text}");
        }
    }

    #[test]
    fn a_note_is_kept_whether_or_not_the_row_has_failed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let mut kept = Kept::begin(Question::Raw, Some(&path), &facts("a")).unwrap();
        let mut row = row();
        row.note = "asked about 500 of 1000 queries".to_owned();
        kept.add(&mut row).unwrap();
        kept.add(&mut row).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("asked about 500").count(), 1, "{text}");
    }

    #[test]
    fn without_a_file_rows_are_kept_in_memory() {
        let mut kept = Kept::begin(Question::Raw, None, &Facts::new()).unwrap();
        kept.add(&mut row()).unwrap();
        assert_eq!(kept.rows().len(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Kept::begin(Question::Raw, Some(folder.path()), &Facts::new()).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains(&folder.path().display().to_string()), "{error}");
    }
}
