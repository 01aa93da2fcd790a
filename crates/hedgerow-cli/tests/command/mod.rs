//! Running the built command as a user does: arguments, environment and standard input in; exit code and both streams out.
//!
//! ```text
//! let run = hedgerow(["data", "info", "optdigits", "--json"]).run();
//! assert_eq!(run.json()["rows"], 5620);
//! ```
//! Nothing of the machine shines through: no terminal, an empty data directory, no colour settings, no package clients unless
//! a test puts some on the search path.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A run of the command that is being put together.
pub(crate) struct Hedgerow {
    command: Command,
    stdin: Option<Vec<u8>>,
}

/// How a run of the command went.
pub(crate) struct Run {
    /// The exit code; -1 if a signal ended it.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// What was run, for messages of failing tests.
    pub(crate) line: String,
}

/// The command with these arguments.
pub(crate) fn hedgerow<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Hedgerow {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hedgerow"));
    command.args(arguments);
    let variables = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "RAYON_NUM_THREADS", "HEDGEROW_DATA_MIRROR"];
    for variable in variables {
        command.env_remove(variable);
    }
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing-is-here");
    for variable in ["HEDGEROW_DATA_DIR", "XDG_DATA_DIRS", "PATH"] {
        command.env(variable, &nowhere);
    }
    Hedgerow { command, stdin: None }
}

impl Hedgerow {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Keeps data in this folder.
    pub(crate) fn data_dir(self, folder: &Path) -> Self {
        self.env("HEDGEROW_DATA_DIR", folder)
    }

    /// Runs in this folder.
    pub(crate) fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Gives this as standard input, which is empty otherwise.
    pub(crate) fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(input.into());
        self
    }

    /// Standard output goes there instead of into the result.
    pub(crate) fn stdout_to(mut self, to: impl Into<Stdio>) -> Run {
        self.command.stdout(to);
        self.run_with(false)
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Run {
        self.run_with(true)
    }

    fn run_with(mut self, captures: bool) -> Run {
        let line = self.line();
        if captures {
            self.command.stdout(Stdio::piped());
        }
        let input = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut child = self.command.stdin(input).stderr(Stdio::piped()).spawn().expect("the command starts");
        let given = self.stdin.take();
        // From a thread of its own: the command may write before it has read everything.
        let feeder = given.zip(child.stdin.take()).map(|(given, mut stdin)| {
            std::thread::spawn(move || {
                // A command that ends before it has read everything is for the test to judge.
                let _ = stdin.write_all(&given);
            })
        });
        let output = child.wait_with_output().expect("the command ends");
        if let Some(feeder) = feeder {
            feeder.join().expect("feeding does not panic");
        }
        Run::of(output, line)
    }

    /// Starts it with all streams as pipes, for tests that do something while it runs.
    pub(crate) fn start(mut self) -> Child {
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().expect("the command starts")
    }

    fn line(&self) -> String {
        let words: Vec<OsString> = self.command.get_args().map(OsStr::to_owned).collect();
        format!("hedgerow {}", words.join(OsStr::new(" ")).to_string_lossy())
    }
}

impl Run {
    pub(crate) fn of(output: Output, line: String) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command writes text");
        let code = output.status.code().unwrap_or(-1);
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr), line }
    }

    /// Asserts that it ended with this code.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        let Self { stdout, stderr, line, .. } = &self;
        assert_eq!(self.code, code, "{line}\nstandard output:\n{stdout}\nstandard error:\n{stderr}");
        self
    }

    /// The answer of a run with `--json` that went well: one object on one line.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}: {}", self.line, self.stderr);
        one_object(&self.stdout)
    }

    /// The error of a run with `--json` that failed.
    #[track_caller]
    pub(crate) fn json_error(&self) -> Value {
        assert_ne!(self.code, 0, "{}: {}", self.line, self.stdout);
        one_object(&self.stderr)
    }
}

/// The object that a text of one line holds.
#[track_caller]
pub(crate) fn one_object(text: &str) -> Value {
    assert_eq!(text.matches('\n').count(), 1, "one line, ended: {text}");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(value.is_object(), "{text}");
    value
}

/// Asserts that an object has exactly these keys.
#[track_caller]
pub(crate) fn assert_keys(value: &Value, keys: &[&str]) {
    let mut found: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut keys = keys.to_vec();
    found.sort_unstable();
    keys.sort_unstable();
    assert_eq!(found, keys);
}

/// Compares text with a file of `tests/golden`; with `UPDATE_GOLDEN=1` in the environment it writes the file instead.
#[track_caller]
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).expect("the golden file can be written");
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let remedy = "if this is as it should be, run the test with UPDATE_GOLDEN=1 and look at the difference";
    assert!(text == golden, "not as in {}; {remedy}\n{text}", path.display());
}

/// A file of `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Puts an executable shell script of that name into a folder, to stand in for a package client.
#[cfg(unix)]
pub(crate) fn put_script(folder: &Path, name: &str, lines: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("the script can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be made executable");
}
