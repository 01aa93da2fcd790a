//! A Python process that answers requests, so that its start and its imports are not timed.
//!
//! A request is a line of JSON on its standard input, an answer one on its standard output. The first line, which it writes
//! unasked once it has imported what it needs, has its versions. An answer can be waited for with a limit, at which the process is ended.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::environment::{SetupError, last_lines};

/// How long the process may take to import the peers. From a cold disk PyTorch takes a minute; beyond this something is wrong.
const IMPORTS: Duration = Duration::from_secs(600);

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
    /// It took longer than it may, and was ended.
    #[error("gave up after {} s", .limit.as_secs())]
    TooLong {
        /// What it may take.
        limit: Duration,
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
    /// Its lines, read by a thread of their own: a pipe cannot be waited at for a while only.
    answers: Receiver<String>,
    errors: PathBuf,
    versions: String,
}

impl Process {
    /// Starts Python with the first of the scripts and waits until it has imported the peers. The scripts, which are names and texts and can
    /// import each other, and the error output go to `folder`.
    ///
    /// # Errors
    /// [`SetupError`] if it does not start, lacks a peer, or has not imported them in ten minutes.
    pub fn start(python: &Path, scripts: &[(&str, &str)], folder: &Path) -> Result<Self, SetupError> {
        Self::start_within(IMPORTS, python, scripts, folder)
    }

    fn start_within(
        limit: Duration,
        python: &Path,
        scripts: &[(&str, &str)],
        folder: &Path,
    ) -> Result<Self, SetupError> {
        eprintln!("starting Python");
        for (name, text) in scripts {
            std::fs::write(folder.join(name), text).map_err(SetupError::Folder)?;
        }
        let (script_file, errors) =
            (folder.join(scripts.first().map_or("", |(name, _)| name)), folder.join("peer.log"));
        let error_file = File::create(&errors).map_err(SetupError::Folder)?;
        let mut command = Command::new(python);
        // The user's own packages and settings stay out. Not `-I`, by which the scripts could not import each other.
        command.args(["-E", "-s"]).arg(&script_file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(error_file);
        let mut child = command.spawn().map_err(SetupError::Python)?;
        let requests = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("the output was asked for"));
        let (send, answers) = channel();
        // Ends with the output, or once nobody listens any more.
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut process = Self { child, requests, answers, errors, versions: String::new() };
        let hello: Hello = process.answer("its versions", Some(limit)).map_err(|error| SetupError::Failed {
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
        self.send(line);
        self.answer(request, None)
    }

    /// The same, but does not wait longer than `limit`: then the process is ended, and answers nothing any more.
    ///
    /// # Errors
    /// [`PeerError::TooLong`] then, else as [`Process::ask`].
    pub fn ask_within<T: DeserializeOwned>(
        &mut self,
        limit: Duration,
        request: &str,
        line: &serde_json::Value,
    ) -> Result<T, PeerError> {
        self.send(line);
        self.answer(request, Some(limit))
    }

    fn send(&mut self, line: &serde_json::Value) {
        // A request that cannot be written has no answer either, which is where the failure is told.
        let _ = self.requests.as_mut().map(|requests| writeln!(requests, "{line}"));
    }

    fn answer<T: DeserializeOwned>(&mut self, request: &str, limit: Option<Duration>) -> Result<T, PeerError> {
        let answer = match limit {
            None => self.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => self.answers.recv_timeout(limit),
        };
        match (answer, limit) {
            (Ok(line), _) => {
                serde_json::from_str(&line).map_err(|source| PeerError::Answer { request: request.to_owned(), source })
            }
            (Err(RecvTimeoutError::Timeout), Some(limit)) => {
                // It is at work and would not hear that its input is closed.
                self.kill();
                Err(PeerError::TooLong { limit })
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
                return self.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends the process at once, whatever it is at.
    fn kill(&mut self) {
        self.requests = None;
        // It may have ended by now, and then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
        let error = Process::start(&program, &[("a.py", "")], folder.path()).unwrap_err();
        assert!(matches!(error, SetupError::Failed { .. }), "{error}");
        let error = Process::start(Path::new("no-such-program"), &[("a.py", "")], folder.path()).unwrap_err();
        assert!(matches!(error, SetupError::Python(_)), "{error}");
    }

    /// A shell for Python, which is called with `-E -s` and the script.
    #[cfg(unix)]
    fn shell(folder: &Path) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let python = folder.join("python");
        std::fs::write(&python, "#!/bin/sh\nexec sh \"$3\"\n").unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        python
    }

    /// As much of a Python as is needed to answer.
    #[cfg(unix)]
    fn answering(script: &str, folder: &Path) -> Process {
        let python = shell(folder);
        let script = format!("echo '{{\"versions\": \"1\"}}'\n{script}");
        Process::start(&python, &[("first.py", &script), ("other.py", "")], folder).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn who_takes_too_long_is_ended_and_who_does_not_answers() {
        let folder = tempfile::tempdir().unwrap();
        let script = "read line; echo '{\"a\": 1}'; read line; exec sleep 60";
        let mut process = answering(script, folder.path());
        assert_eq!(process.versions(), "1");
        assert!(folder.path().join("other.py").exists());
        let (limit, line) = (Duration::from_secs(30), serde_json::json!({}));
        assert_eq!(process.ask_within::<serde_json::Value>(limit, "x", &line).unwrap()["a"], 1);
        let (start, limit) = (Instant::now(), Duration::from_secs(1));
        let error = process.ask_within::<serde_json::Value>(limit, "x", &line).unwrap_err();
        assert_eq!(error.to_string(), "gave up after 1 s");
        assert!(start.elapsed() < Duration::from_secs(30), "it was waited for");
        assert!(process.child.try_wait().unwrap().is_some(), "it goes on");
        let error = process.ask_within::<serde_json::Value>(limit, "x", &line).unwrap_err();
        assert!(matches!(error, PeerError::Ended { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn who_never_says_hello_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (python, scripts) = (shell(folder.path()), [("first.py", "exec sleep 60")]);
        let start = Instant::now();
        let error = Process::start_within(Duration::from_secs(1), &python, &scripts, folder.path()).unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(30), "it was waited for");
        assert_eq!(error.details(), "gave up after 1 s");
    }

    #[cfg(unix)]
    #[test]
    fn who_ends_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let mut process = answering("read line; echo 'out of memory' >&2; exit 1", folder.path());
        let error = process.ask::<serde_json::Value>("x", &serde_json::json!({})).unwrap_err();
        assert_eq!(error.one_line(), "Python ended while asked for x; the last that it said: out of memory");
    }
}
