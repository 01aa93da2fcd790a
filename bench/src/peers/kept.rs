//! Measurements are kept as they come, so that a command that is stopped loses no more than the one at work.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::table::{CSV_HEAD, Row};
use super::{PeersError, Question};

/// The file that measurements are added to, if there is one.
#[derive(Debug)]
pub(super) struct Kept {
    question: Question,
    path: Option<PathBuf>,
}

impl Kept {
    /// Begins a file; or keeps nothing. A file that an earlier command left, since it was stopped, is put aside under a name with a number.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn begin(question: Question, path: Option<&Path>) -> Result<Self, PeersError> {
        let kept = Self { question, path: path.map(Path::to_owned) };
        let Some(path) = path else { return Ok(kept) };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let begun = folder.and_then(|()| put_aside(path)).and_then(|()| std::fs::write(path, CSV_HEAD));
        begun.map_err(|source| failed(path, source))?;
        Ok(kept)
    }

    /// Adds what is new in a row since it was last added.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn add(&self, row: &mut Row) -> Result<(), PeersError> {
        let Some(path) = &self.path else { return Ok(()) };
        let lines = row.new_lines(self.question.name());
        let file = OpenOptions::new().append(true).open(path);
        file.and_then(|mut file| file.write_all(lines.as_bytes())).map_err(|source| failed(path, source))
    }

    /// Adds what is new in some rows.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn add_all(&self, rows: &mut [Row]) -> Result<(), PeersError> {
        rows.iter_mut().try_for_each(|row| self.add(row))
    }
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
            eprintln!("what an earlier command left unfinished is in {} now", aside.display());
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

    #[test]
    fn every_measurement_is_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("rows.csv");
        let kept = Kept::begin(Question::Raw, Some(&path)).unwrap();
        let mut row = Row::new("digits", "tree", true, 2);
        row.push("s", 1.5);
        kept.add(&mut row).unwrap();
        row.push("s", 2.5);
        row.fail("gave up after 300 s");
        kept.add(&mut row).unwrap();
        kept.add(&mut row).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(lines[1], "raw,\"digits\",\"tree\",true,2,s,0,1.5,\"\"");
        assert_eq!(lines[2], "raw,\"digits\",\"tree\",true,2,s,1,2.5,\"\"");
        assert_eq!(lines[3], "raw,\"digits\",\"tree\",true,2,,,,\"gave up after 300 s\"");
    }

    #[test]
    fn what_an_earlier_command_left_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peers-raw-unfinished.csv");
        for number in 0..3 {
            let kept = Kept::begin(Question::Raw, Some(&path)).unwrap();
            let mut row = Row::new("digits", "tree", true, 2);
            row.push("s", f64::from(number));
            kept.add(&mut row).unwrap();
        }
        for (name, value) in [("-1", ",0,0,"), ("-2", ",0,1,"), ("", ",0,2,")] {
            let file = folder.path().join(format!("peers-raw-unfinished{name}.csv"));
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.lines().nth(1).unwrap().contains(value), "{name}: {text}");
        }
    }

    #[test]
    fn a_note_is_kept_whether_or_not_the_row_has_failed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let kept = Kept::begin(Question::Raw, Some(&path)).unwrap();
        let mut row = Row::new("digits", "tree", true, 2);
        row.note = "asked about 500 of 1000 queries".to_owned();
        kept.add(&mut row).unwrap();
        kept.add(&mut row).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("asked about 500").count(), 1, "{text}");
    }

    #[test]
    fn without_a_file_nothing_is_kept() {
        let kept = Kept::begin(Question::Raw, None).unwrap();
        kept.add(&mut Row::new("digits", "tree", true, 2)).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Kept::begin(Question::Raw, Some(folder.path())).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains(&folder.path().display().to_string()), "{error}");
    }
}
