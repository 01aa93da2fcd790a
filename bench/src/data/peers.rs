//! The Python side of reading: what `bench/peers/data.py` is asked, and what it answers.

use std::path::Path;

use serde::Deserialize;

use super::reading::Reading;
use crate::python::environment::{Requirements, SetupError, prepare};
use crate::python::process::{PeerError, Process};

const SCRIPT: &str = include_str!("../../peers/data.py");

/// The packages that read files.
pub const REQUIREMENTS: Requirements = Requirements {
    file: "bench/peers/data-requirements.txt",
    list: include_str!("../../peers/data-requirements.txt"),
    optional: &[],
    cost: "some hundred megabytes, and a minute or two",
};

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
struct Written {}

/// The peers at work.
#[derive(Debug)]
pub struct Peers(Process);

impl Peers {
    /// Installs the peers if need be and starts them. Script and error output go to `folder`.
    ///
    /// # Errors
    /// [`SetupError`] if there is no Python, or a peer is missing.
    pub fn start(folder: &Path) -> Result<Self, SetupError> {
        Process::start(&prepare(&REQUIREMENTS)?, &[("data.py", SCRIPT)], folder).map(Self)
    }

    /// Names and versions of Python and the peers.
    pub fn versions(&self) -> &str {
        self.0.versions()
    }

    /// Reads a file, and the labels if they are in another, in the way that is called `request` in `data.py`.
    ///
    /// # Errors
    /// [`PeerError`] with what Python says.
    pub fn read(&mut self, request: &str, path: &Path, labels: Option<&Path>) -> Result<Answer, PeerError> {
        self.0.ask(request, &serde_json::json!({"what": request, "path": path, "other": labels}))
    }

    /// Writes a file of the rows of an NPY matrix, in the way that is called `request` in `data.py`.
    ///
    /// # Errors
    /// As [`Peers::read`].
    pub fn write(&mut self, request: &str, path: &Path, matrix: &Path) -> Result<(), PeerError> {
        let request_line = serde_json::json!({"what": request, "path": path, "other": matrix});
        self.0.ask::<Written>(request, &request_line).map(|_| ())
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
}
