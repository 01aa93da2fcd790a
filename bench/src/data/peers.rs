//! The Python side: one process that answers requests, so that its start and its imports are not timed.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::environment::{SetupError, last_lines};
use super::reading::Reading;

const SCRIPT: &str = include_str!("../../peers/data.py");

/// How long the process may take to end once it is asked to.
const PATIENCE: Duration = Duration::from_secs(5);

/// A Python side that has failed.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// It ended, nearly always by an exception.
    #[error("Python ended while asked for {request}; the last that it said:\n{said}")]
    Ended {
        /// What was asked for.
        request: String,
        /// Last lines of its error output.
        said: String,
    },
    /// It answered something else than asked.
    #[error("Python's answer to {request} cannot be understood: {source}")]
    Answer {
        /// What was asked for.
        request: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// What Python says of a read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Answer {
    /// How long it took.
    pub seconds: f64,
    /// With how many threads.
    pub threads: usize,
    /// What came of it.
    #[serde(flatten)]
    pub reading: Reading,
}

#[derive(Deserialize)]
struct Hello {
    versions: String,
}

#[derive(Deserialize)]
struct Written {}

/// A running Python process. It ends when this is dropped.
#[derive(Debug)]
pub struct Peers {
    child: Child,
    /// Nothing once it has been told to end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    errors: PathBuf,
    versions: String,
}

impl Peers {
    /// Starts Python and waits until it has imported the peers. The script and its error output go to `folder`.
    ///
    /// # Errors
    /// [`SetupError`] if it does not start or lacks a peer.
    pub fn start(python: &Path, folder: &Path) -> Result<Self, SetupError> {
        eprintln!("starting Python");
        let (script, errors) = (folder.join("data.py"), folder.join("data.log"));
        std::fs::write(&script, SCRIPT).map_err(SetupError::Folder)?;
        let error_file = File::create(&errors).map_err(SetupError::Folder)?;
        let mut command = Command::new(python);
        // Isolated: the user's own packages and settings stay out.
        command.arg("-I").arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(error_file);
        let mut child = command.spawn().map_err(SetupError::Python)?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("the output was asked for"));
        let mut peers = Self { child, requests, answers, errors, versions: String::new() };
        let hello: Hello = peers.answer("its versions").map_err(|error| SetupError::Failed {
            act: "import the peers; remove the folder bench-peers from the build folder to install them again",
            details: error.to_string(),
        })?;
        peers.versions = hello.versions;
        Ok(peers)
    }

    /// Names and versions of Python and the peers.
    pub fn versions(&self) -> &str {
        &self.versions
    }

    /// Reads a file, and the labels if they are in another, in the way that is called `request` in `data.py`.
    ///
    /// # Errors
    /// [`PeerError`] with what Python says.
    pub fn read(&mut self, request: &str, path: &Path, labels: Option<&Path>) -> Result<Answer, PeerError> {
        self.ask(request, &serde_json::json!({"what": request, "path": path, "other": labels}))
    }

    /// Writes a file of the rows of an NPY matrix, in the way that is called `request` in `data.py`.
    ///
    /// # Errors
    /// As [`Peers::read`].
    pub fn write(&mut self, request: &str, path: &Path, matrix: &Path) -> Result<(), PeerError> {
        let request_line = serde_json::json!({"what": request, "path": path, "other": matrix});
        self.ask::<Written>(request, &request_line).map(|_| ())
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &str, line: &serde_json::Value) -> Result<T, PeerError> {
        // A request that cannot be written has no answer either, which is where the failure is told.
        let _ = self.requests.as_mut().map(|requests| writeln!(requests, "{line}"));
        self.answer(request)
    }

    fn answer<T: DeserializeOwned>(&mut self, request: &str) -> Result<T, PeerError> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(1..) => {
                serde_json::from_str(&line).map_err(|source| PeerError::Answer { request: request.to_owned(), source })
            }
            _ => {
                self.end();
                let said = std::fs::read(&self.errors).unwrap_or_default();
                let said = Some(last_lines(&String::from_utf8_lossy(&said))).filter(|said| !said.is_empty());
                let said = said.unwrap_or("nothing: it was ended from outside, perhaps for lack of memory".to_owned());
                Err(PeerError::Ended { request: request.to_owned(), said })
            }
        }
    }

    /// Asks the process to end by closing its input; ends it if it does not.
    fn end(&mut self) {
        self.requests = None;
        let start = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if start.elapsed() > PATIENCE {
                // It may have ended by now, and then there is nothing to do.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_understood() {
        let line = r#"{"seconds": 0.5, "threads": 2, "rows": 3, "width": 4, "kind": "u8", "sum": 1.5,
                       "weighted_sum": 2.5, "label_sum": null}"#;
        let answer: Answer = serde_json::from_str(line).unwrap();
        assert_eq!((answer.seconds, answer.threads, answer.reading.rows), (0.5, 2, 3));
        assert_eq!(answer.reading.label_sum, None);
    }

    #[test]
    fn a_python_without_the_peers_says_so() {
        // Any program that ends without an answer will do.
        let folder = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let error = Peers::start(&program, folder.path()).unwrap_err();
        assert!(matches!(error, SetupError::Failed { .. }), "{error}");
        let error = Peers::start(Path::new("no-such-program"), folder.path()).unwrap_err();
        assert!(matches!(error, SetupError::Python(_)), "{error}");
    }
}
