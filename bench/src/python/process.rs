//! A Python process that answers requests, so that its start and its imports are not timed.
//!
//! A request is a line of JSON on its standard input, an answer one on its standard output. The first line, which it writes
//! unasked once it has imported what it needs, has its versions.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::environment::{SetupError, last_lines};

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
    /// It says that it failed, and goes on.
    #[error("Python failed at {request}: {said}")]
    Failed {
        /// What was asked for.
        request: String,
        /// Why, in one line.
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

impl PeerError {
    /// The message in one line, fit for a table.
    pub fn one_line(&self) -> String {
        self.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[derive(Deserialize)]
struct Hello {
    versions: String,
}

/// A running Python process. It ends when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Nothing once it has been told to end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    errors: PathBuf,
    versions: String,
}

impl Process {
    /// Starts Python and waits until it has imported the peers. The script and its error output go to `folder`.
    ///
    /// # Errors
    /// [`SetupError`] if it does not start or lacks a peer.
    pub fn start(python: &Path, script: &str, folder: &Path) -> Result<Self, SetupError> {
        eprintln!("starting Python");
        let (script_file, errors) = (folder.join("peer.py"), folder.join("peer.log"));
        std::fs::write(&script_file, script).map_err(SetupError::Folder)?;
        let error_file = File::create(&errors).map_err(SetupError::Folder)?;
        let mut command = Command::new(python);
        // Isolated: the user's own packages and settings stay out.
        command.arg("-I").arg(&script_file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(error_file);
        let mut child = command.spawn().map_err(SetupError::Python)?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("the output was asked for"));
        let mut process = Self { child, requests, answers, errors, versions: String::new() };
        let hello: Hello = process.answer("its versions").map_err(|error| SetupError::Failed {
            act: "import the peers; remove the folder bench-peers from the build folder to install them again"
                .to_owned(),
            details: error.to_string(),
        })?;
        process.versions = hello.versions;
        Ok(process)
    }

    /// Names and versions of Python and the peers.
    pub fn versions(&self) -> &str {
        &self.versions
    }

    /// Sends a request and waits for its answer. `request` is what messages call it.
    ///
    /// # Errors
    /// [`PeerError`] with what Python says.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &str, line: &serde_json::Value) -> Result<T, PeerError> {
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

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_without_the_peers_says_so() {
        // Any program that ends without an answer will do.
        let folder = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let error = Process::start(&program, "", folder.path()).unwrap_err();
        assert!(matches!(error, SetupError::Failed { .. }), "{error}");
        let error = Process::start(Path::new("no-such-program"), "", folder.path()).unwrap_err();
        assert!(matches!(error, SetupError::Python(_)), "{error}");
    }
}
