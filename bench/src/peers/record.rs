//! Measurements as a file: rows, and facts about all of them, such as the revision. What is written is read again as it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Question;
use super::row::{CSV_HEAD, FAILED, Row, quoted};

/// Facts about all rows of a file, by name. In the file each is a line without data and method, whose note is the fact.
pub type Facts = BTreeMap<&'static str, String>;

/// The revision of the program.
pub const REVISION: &str = "revision";
/// Threads that the program may use.
pub const THREADS: &str = "threads";
/// Seconds that a peer may take.
pub const PEER_SECONDS: &str = "peer_seconds";
/// There, if the data was small and the epochs few.
pub const QUICK: &str = "quick";
/// Python and the peers.
pub const VERSIONS: &str = "versions";
/// When the results were saved.
pub const SAVED: &str = "saved";
/// Why it ended before its end, if it did.
pub const STOPPED: &str = "stopped";

const ALL_FACTS: [&str; 7] = [REVISION, THREADS, PEER_SECONDS, QUICK, VERSIONS, SAVED, STOPPED];

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The question.
    pub question: Question,
    /// What is true of all rows.
    pub facts: Facts,
    /// The rows, in the order in which they first come.
    pub rows: Vec<Row>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct RecordError {
    path: PathBuf,
    reason: String,
}

/// A file's first lines: the names of the columns, and the facts.
pub fn head(question: Question, facts: &Facts) -> String {
    let name = question.name();
    let lines = facts.iter().map(|(what, fact)| format!("{name},\"\",\"\",,,,{what},,,{}\n", quoted(fact)));
    std::iter::once(CSV_HEAD.to_owned()).chain(lines).collect()
}

/// All of a file.
pub fn whole(question: Question, facts: &Facts, rows: &[Row]) -> String {
    let lines = rows.iter().map(|row| row.lines(question.name()));
    std::iter::once(head(question, facts)).chain(lines).collect()
}

impl Record {
    /// Reads a file. Columns are known by their names, so that files of earlier programs, which have fewer, are read too: but not those of `neighbors` and
    /// `grow` without the column `at`, whose rows cannot be told apart. A last line without its end, which a full disk leaves, is not read.
    ///
    /// # Errors
    /// [`RecordError`] with the reason.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let wrong = |reason: String| RecordError { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        Self::parse(&text).map_err(wrong)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let whole_lines = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole_lines.as_bytes());
        let names = reader.headers().map_err(|error| error.to_string())?.clone();
        let place = |name: &str| names.iter().position(|other| other == name);
        let places = Places {
            question: place("question").ok_or("no column question: this is no file of measurements")?,
            data: place("data").ok_or("no column data")?,
            method: place("method").ok_or("no column method")?,
            at: place("at"),
            ours: place("ours").ok_or("no column ours")?,
            threads: place("threads").ok_or("no column threads")?,
            measurement: place("measurement").ok_or("no column measurement")?,
            value: place("value").ok_or("no column value")?,
            note: place("note"),
        };
        let mut record = None;
        for line in reader.records() {
            let line = line.map_err(|error| error.to_string())?;
            let at = line.position().map_or(0, csv::Position::line);
            take(&places, &line, &mut record).map_err(|reason| format!("line {at}: {reason}"))?;
        }
        let mut record = record.ok_or("it holds no measurements")?;
        record.rows.iter_mut().for_each(Row::mark_given);
        Ok(record)
    }
}

/// Where the columns are.
struct Places {
    question: usize,
    data: usize,
    method: usize,
    at: Option<usize>,
    ours: usize,
    threads: usize,
    measurement: usize,
    value: usize,
    note: Option<usize>,
}

/// Takes a line into the record.
fn take(places: &Places, line: &csv::StringRecord, record: &mut Option<Record>) -> Result<(), String> {
    let of = |place: usize| line.get(place).unwrap_or_default();
    let name = of(places.question);
    let question = Question::ALL.into_iter().find(|question| question.name() == name);
    let question = question.ok_or_else(|| format!("no question is called {name:?}"))?;
    if places.at.is_none() && question.has_at() {
        return Err(format!("rows of `{name}` cannot be told apart without the column `at`"));
    }
    let record = record.get_or_insert_with(|| Record { question, facts: Facts::new(), rows: Vec::new() });
    if record.question != question {
        return Err(format!("{name:?} among rows of {:?}", record.question.name()));
    }
    let (measurement, note) = (of(places.measurement), places.note.map_or("", of));
    let (data, method) = (of(places.data), of(places.method));
    if data.is_empty() && method.is_empty() {
        // Facts of later programs are passed over.
        if let Some(fact) = ALL_FACTS.into_iter().find(|fact| *fact == measurement) {
            record.facts.insert(fact, note.to_owned());
        }
        return Ok(());
    }
    let is_ours = of(places.ours).parse().map_err(|_| format!("{:?} is neither true nor false", of(places.ours)))?;
    let threads =
        of(places.threads).parse().map_err(|_| format!("{:?} is no number of threads", of(places.threads)))?;
    let at = match places.at.map_or("", of) {
        "" => None,
        at => Some(at.parse().map_err(|_| format!("{at:?} is no whole number"))?),
    };
    let mut new = Row::new(data, method, is_ours, threads);
    new.at = at;
    let known = record.rows.iter().position(|row| row.is_same(&new));
    let known = known.unwrap_or_else(|| {
        record.rows.push(new);
        record.rows.len() - 1
    });
    let row = &mut record.rows[known];
    match measurement {
        FAILED => row.fail(note),
        "" => note.clone_into(&mut row.note),
        name => {
            row.push(name, of(places.value).parse().map_err(|_| format!("{:?} is no number", of(places.value)))?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let mut tree = Row::new("mnist, \"all\"", "tree", true, 2).at(50);
        tree.push("per_second", 0.1 + 0.2);
        tree.push("per_second", 1e-300);
        tree.push("recall_percent", 95.0);
        let mut failed = Row::new("mnist, \"all\"", "flat", false, 2);
        failed.fail("gave up\nafter 300 s");
        let facts = Facts::from([(REVISION, "abc".to_owned()), (VERSIONS, "numpy 1, \"two\"".to_owned())]);
        let text = whole(Question::Neighbors, &facts, &[tree.clone(), failed.clone()]);
        let mut read = Record::parse(&text).unwrap();
        assert_eq!((read.question, &read.facts), (Question::Neighbors, &facts));
        for (read, written) in read.rows.iter().zip([&tree, &failed]) {
            assert!(read.is_same(written));
            assert_eq!(
                (&read.values, &read.note, read.has_failed),
                (&written.values, &written.note, written.has_failed)
            );
        }
        assert_eq!(whole(Question::Neighbors, &read.facts, &read.rows), text);
        assert!(read.rows.iter_mut().all(|row| row.new_lines("neighbors").is_empty()), "nothing is new");
    }

    #[test]
    fn files_without_notes_are_read_but_not_those_whose_rows_are_one() {
        let old = |question: &str| {
            format!(
                "question,data,method,ours,threads,measurement,repeat,value\n{question},\"a\",\"b\",true,2,s,0,1.5\n"
            )
        };
        assert_eq!(Record::parse(&old("raw")).unwrap().rows[0].median("s"), Some(1.5));
        let error = Record::parse(&old("grow")).unwrap_err();
        assert!(error.contains("line 2") && error.contains("column `at`"), "{error}");
    }

    #[test]
    fn a_line_that_was_cut_off_is_not_read_and_one_that_is_damaged_is_named() {
        let mut row = Row::new("a", "b", true, 2);
        row.push("s", 1.5);
        row.push("s", 2.5);
        let text = whole(Question::Raw, &Facts::new(), &[row]);
        let read = Record::parse(&text[..text.len() - 5]).unwrap();
        assert_eq!(read.rows[0].values["s"], [1.5]);
        let error = Record::parse(&text.replace("2.5", "soon")).unwrap_err();
        assert_eq!(error, "line 3: \"soon\" is no number");
        for wrong in ["", "a,b\n1,2\n", CSV_HEAD] {
            assert!(Record::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
