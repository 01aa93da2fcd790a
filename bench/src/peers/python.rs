//! The Python side: what `bench/peers/QUESTION.py` is asked, and what it answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::Question;
use super::data::Files;
use super::row::Row;
use crate::python::environment::{Requirements, SetupError, prepare};
use crate::python::process::{PeerError, Process};

/// What the scripts of the questions import.
const COMMON: [(&str, &str); 3] = [
    ("shared.py", include_str!("../../peers/shared.py")),
    ("learn.py", include_str!("../../peers/learn.py")),
    ("indexes.py", include_str!("../../peers/indexes.py")),
];

/// The rest that each answer is followed by. Threads of OpenMP, which most peers use, keep a core busy for a fifth of a second after their work is done;
/// that would be counted against who comes next.
const PAUSE: Duration = Duration::from_millis(500);

/// The note of every peer where there is no Python, or the peers could not be installed.
pub const NO_PEERS: &str = "not measured: no peers";

const RAW: (&str, &str) = ("raw.py", include_str!("../../peers/raw.py"));
const LEARNED: (&str, &str) = ("learned.py", include_str!("../../peers/learned.py"));
const STREAM: (&str, &str) = ("stream.py", include_str!("../../peers/stream.py"));
const NEIGHBORS: (&str, &str) = ("neighbors.py", include_str!("../../peers/neighbors.py"));
const SERVE: (&str, &str) = ("serve.py", include_str!("../../peers/serve.py"));
const GROW: (&str, &str) = ("grow.py", include_str!("../../peers/grow.py"));

/// What learns nothing by gradients.
pub const REQUIREMENTS: Requirements = Requirements {
    file: "bench/peers/peers-requirements.txt",
    list: include_str!("../../peers/peers-requirements.txt"),
    optional: &["hnswlib==0.8.0"],
    cost: "some hundred megabytes, and a few minutes",
};

/// The same and PyTorch.
pub const LEARNING_REQUIREMENTS: Requirements = Requirements {
    file: "bench/peers/peers-learning-requirements.txt",
    list: include_str!("../../peers/peers-learning-requirements.txt"),
    optional: &[],
    cost: "several gigabytes to fetch and to keep, and many minutes",
};

/// The packages of a question.
fn requirements(question: Question) -> &'static Requirements {
    match question {
        Question::Learned | Question::Serve => &LEARNING_REQUIREMENTS,
        _ => &REQUIREMENTS,
    }
}

/// The script of a question, and behind it what it imports.
fn scripts(question: Question) -> Vec<(&'static str, &'static str)> {
    let own: &[(&str, &str)] = match question {
        Question::Raw => &[RAW],
        Question::Learned => &[LEARNED],
        Question::Stream => &[STREAM],
        Question::Neighbors => &[NEIGHBORS],
        Question::Serve => &[SERVE],
        Question::Grow => &[GROW, RAW],
    };
    own.iter().chain(&COMMON).copied().collect()
}

/// A peer's answer.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { failed: String },
    Measured(BTreeMap<String, Value>),
}

/// The peers of a question, if there are any.
#[derive(Debug)]
pub struct Peers {
    question: Question,
    folder: PathBuf,
    /// What one of them may take to answer.
    limit: Duration,
    /// Their Python, or why there is none.
    python: Result<PathBuf, String>,
    /// None once one has been ended: the next gets another.
    process: Option<Process>,
    versions: String,
}

impl Peers {
    /// Installs them if need be and starts them. Without Python ours is measured alone.
    pub fn start(question: Question, limit: Duration, folder: &Path) -> Self {
        let started = prepare(requirements(question))
            .and_then(|python| Ok((Process::start(&python, &scripts(question), folder)?, python)));
        let (process, python) = match started {
            Ok((process, python)) => (Some(process), Ok(python)),
            Err(error) => (None, Err(said(&error))),
        };
        let versions = match (&process, &python) {
            (Some(process), _) => process.versions().to_owned(),
            (None, Err(reason)) => format!("none, because {reason}"),
            (None, Ok(_)) => String::new(),
        };
        Self { question, folder: folder.to_owned(), limit, python, process, versions }
    }

    /// None at all.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self {
            question: Question::Grow,
            folder: PathBuf::new(),
            limit: Duration::from_secs(1),
            python: Err("there is none".to_owned()),
            process: None,
            versions: String::new(),
        }
    }

    /// Names and versions, or why there are none.
    pub fn versions(&self) -> String {
        self.versions.clone()
    }

    /// Asks a peer and takes its numbers into the row. One that fails, ends or takes too long becomes the row's note, and is not asked again for
    /// this row; the others go on. Waits for half a second afterwards. Gives what else it said, under the names of lists.
    pub fn ask(&mut self, files: &Files, more: Value, row: &mut Row) -> Vec<Value> {
        if row.has_failed {
            return Vec::new();
        }
        if self.python.is_err() {
            row.fail(NO_PEERS);
            return Vec::new();
        }
        eprintln!("{}: {}", row.data, row.method);
        let mut request = serde_json::json!({"method": row.method, "threads": row.threads, "data": files.request()});
        if let (Some(request), Value::Object(more)) = (request.as_object_mut(), more) {
            request.extend(more);
        }
        let answer = self.answer(&row.method, &request);
        std::thread::sleep(PAUSE);
        match answer {
            Ok(Answer::Measured(values)) => take(values, row),
            Ok(Answer::Failed { failed }) => {
                row.fail(&failed);
                Vec::new()
            }
            Err(reason) => {
                row.fail(&reason);
                Vec::new()
            }
        }
    }

    fn answer(&mut self, method: &str, request: &Value) -> Result<Answer, String> {
        let process = match (self.process.take(), &self.python) {
            (Some(process), _) => process,
            (None, Ok(python)) => {
                Process::start(python, &scripts(self.question), &self.folder).map_err(|error| said(&error))?
            }
            (None, Err(reason)) => return Err(reason.clone()),
        };
        let process = self.process.insert(process);
        process.ask_within(self.limit, method, request).map_err(|error| {
            eprintln!("{method}: {error}");
            // Ended, or out of step with what it is asked.
            self.process = None;
            brief(&error)
        })
    }
}

/// Numbers and the note into the row; lists are given.
fn take(values: BTreeMap<String, Value>, row: &mut Row) -> Vec<Value> {
    let mut lists = Vec::new();
    for (name, value) in values {
        match value {
            Value::Array(list) => lists.extend(list),
            Value::String(note) if name == "note" => row.note = note,
            number => number.as_f64().into_iter().for_each(|number| row.push(&name, number)),
        }
    }
    lists
}

/// Why there is no Python side: the long form on the screen, the short one for the table.
fn said(error: &SetupError) -> String {
    eprintln!("no peers: {error}\n{}", error.details());
    error.to_string()
}

/// A failure for the table: the last that Python said, which names the exception. What comes before may name paths.
fn brief(error: &PeerError) -> String {
    match error {
        PeerError::Ended { said, .. } => format!("Python ended: {}", said.lines().last().unwrap_or_default()),
        other => other.one_line(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_its_script_and_what_that_imports() {
        for question in Question::ALL {
            let scripts = scripts(question);
            assert_eq!(scripts[0].0, format!("{}.py", question.name()));
            let names: Vec<String> = scripts.iter().map(|(name, _)| name.replace(".py", "")).collect();
            let all = [RAW, LEARNED, STREAM, NEIGHBORS, SERVE, GROW].into_iter().chain(COMMON);
            for (other, _) in all.map(|(name, text)| (name.replace(".py", ""), text)) {
                let (some, whole) = (format!("from {other} import "), format!("import {other}"));
                let is_import = |line: &str| line.starts_with(&some) || line == whole;
                let imports = scripts.iter().any(|(_, text)| text.lines().any(is_import));
                assert!(!imports || names.contains(&other), "{question:?} lacks {other}");
            }
        }
    }

    #[test]
    fn every_peer_is_one_of_its_script() {
        use super::super::{grow, learned, neighbors, raw, serve, stream};
        for question in Question::ALL {
            let names: &[&str] = match question {
                Question::Raw => &raw::PEERS,
                Question::Learned => &learned::PEERS,
                Question::Stream => &stream::PEERS,
                Question::Neighbors => &neighbors::PEERS,
                Question::Serve => &serve::PEERS,
                Question::Grow => &grow::PEERS,
            };
            let (script, text) = scripts(question)[0];
            let peers = &text[text.find("PEERS = {").unwrap()..];
            for name in names {
                assert!(peers.contains(&format!("\"{name}\":")), "{script} has no {name}");
            }
            assert_eq!(peers.matches("\": ").count(), names.len(), "{script} has others too");
        }
    }

    #[test]
    fn numbers_and_the_note_go_into_the_row_and_lists_are_given() {
        let answer = serde_json::from_str(
            r#"{"train_seconds": 2.5, "curve": [{"effort": 1}, {"effort": 2}], "note": "7 of 30 epochs"}"#,
        );
        let Answer::Measured(values) = answer.unwrap() else { panic!("it has not failed") };
        let mut row = Row::new("a", "b", false, 1);
        assert_eq!(take(values, &mut row).len(), 2);
        assert_eq!(row.median("train_seconds"), Some(2.5));
        assert_eq!((row.note.as_str(), row.has_failed), ("7 of 30 epochs", false));
        let answer = serde_json::from_str(r#"{"failed": "ImportError: no b"}"#).unwrap();
        assert!(matches!(answer, Answer::Failed { failed } if failed == "ImportError: no b"));
    }

    #[test]
    fn without_python_every_row_says_so() {
        let mut peers = Peers::none();
        let data = super::super::data::tests::two_rows();
        let mut row = Row::new("a", "b", false, 1);
        assert!(peers.ask(&Files::write(&data).unwrap(), serde_json::json!({}), &mut row).is_empty());
        assert_eq!((row.note.as_str(), row.has_failed), (NO_PEERS, true));
    }

    #[test]
    fn a_failure_is_one_short_line() {
        let said = "Traceback:\n  File \"x.py\"\nMemoryError: none left".to_owned();
        let error = PeerError::Ended { request: "a".to_owned(), said };
        assert_eq!(brief(&error), "Python ended: MemoryError: none left");
        assert_eq!(brief(&PeerError::TooLong { limit: Duration::from_secs(300) }), "gave up after 300 s");
    }
}
