//! Why a source did not give all files, in words that fit a row of a table.
//!
//! These are the reasons of single sources. What ends the whole act is in `error.rs`.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::archive::ArchiveError;
use super::intake::Mismatch;

/// Why a source that was tried did not give all files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It took too long.
    #[error("not done after {} s, the time limit", limit.as_secs_f64())]
    TimedOut {
        /// The limit for one source.
        limit: Duration,
    },
    /// The program could not be started.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The program ended with an error.
    #[error("{tool} ended with {}: {}", exit_words(*code), one_line(stderr))]
    Exit {
        /// The program.
        tool: String,
        /// Its exit code; `None` if a signal ended it.
        code: Option<i32>,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The program found a disk full: the one of the data directory, or that of a cache of its own.
    #[error("{tool} found no space left for its files")]
    NoSpace {
        /// The program.
        tool: String,
    },
    /// The program ended well but left nothing of the kind it should have.
    #[error("{tool} left no {extension} file")]
    NoPackage {
        /// The program.
        tool: String,
        /// The extension looked for.
        extension: &'static str,
    },
    /// The server answered with an error.
    #[error("HTTP status {status} for {url}")]
    Status {
        /// The address, without user and password.
        url: String,
        /// The status code.
        status: u16,
    },
    /// There was no answer from the server.
    #[error("no answer from {}: {source}", host_of(url))]
    Unreachable {
        /// The address, without user and password.
        url: String,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// An archive was refused.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Files of the wanted names were there, with other content.
    #[error("{}", mismatches.iter().map(Mismatch::to_string).collect::<Vec<_>>().join("; "))]
    Mismatched {
        /// All that did not match.
        mismatches: Vec<Mismatch>,
    },
    /// No files of the wanted names were there.
    #[error("has none of {}", looked_for.join(", "))]
    Lacking {
        /// The names that were looked for, each also with `.gz`.
        looked_for: Vec<String>,
    },
    /// A file could not be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// What was named is a pipe, a device or the like.
    #[error("{} is neither a file nor a folder; save it as a file and name that", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// Something could not be read to its end: it is cut short or damaged, or the connection broke.
    #[error("{what} is cut short or damaged: {source}")]
    Unreadable {
        /// What was read.
        what: String,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A program that this needs is not installed.
    #[error("{tool} is needed and not on the search path")]
    NeedsTool {
        /// The program.
        tool: String,
    },
}

fn exit_words(code: Option<i32>) -> String {
    code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"))
}

/// The host an address names: the whole address stands in the command next to the reason.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// The telling lines of a program's messages as one line: those that speak of an error if any do, else all.
fn one_line(messages: &str) -> String {
    const LONGEST: usize = 300;
    let lines: Vec<&str> = messages.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let of_errors: Vec<&str> =
        lines.iter().copied().filter(|line| line.starts_with("E:") || line.to_lowercase().contains("error")).collect();
    let text = if of_errors.is_empty() { lines } else { of_errors }.join("; ");
    if text.is_empty() {
        return "it gave no reason".to_owned();
    }
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_speak_of_errors_are_the_reason_shown() {
        assert_eq!(one_line("W: sandbox\nE: Unable to locate package x\n"), "E: Unable to locate package x");
        assert_eq!(one_line("first\n\n second \n"), "first; second");
        assert_eq!(one_line(" \n"), "it gave no reason");
        assert_eq!(one_line(&"x".repeat(400)).len(), 303);
    }
}
