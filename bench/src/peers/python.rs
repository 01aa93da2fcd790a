//! The Python side: what `bench/peers/peers.py` is asked, and what it answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::PeersError;
use super::data::Files;
use super::table::Row;
use crate::python::environment::{Requirements, SetupError, prepare};
use crate::python::process::Process;

const SCRIPT: &str = include_str!("../../peers/peers.py");

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

/// A peer's answer.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { failed: String },
    Measured(BTreeMap<String, Value>),
}

/// The peers, if there are any.
#[derive(Debug)]
pub struct Peers {
    process: Result<Process, String>,
    /// Where its Python is, for those who start another script.
    python: Option<PathBuf>,
}

impl Peers {
    /// Installs them if need be and starts them. Without Python ours is measured alone.
    pub fn start(folder: &Path, requirements: &Requirements) -> Self {
        let started = prepare(requirements).and_then(|python| Ok((Process::start(&python, SCRIPT, folder)?, python)));
        match started {
            Ok((process, python)) => Self { process: Ok(process), python: Some(python) },
            Err(error) => {
                eprintln!("no peers: {error}\n{}", error.details());
                Self { process: Err(reason(&error)), python: None }
            }
        }
    }

    /// Names and versions, or why there are none.
    pub fn versions(&self) -> String {
        match &self.process {
            Ok(process) => process.versions().to_owned(),
            Err(reason) => format!("none, because {reason}"),
        }
    }

    /// Its Python.
    pub fn python(&self) -> Option<&Path> {
        self.python.as_deref()
    }

    /// Asks a peer and takes its numbers into the row; a failure becomes the row's note. Gives what else it said, under the names of lists.
    ///
    /// # Errors
    /// A Python that has ended.
    pub fn ask(&mut self, question: &str, files: &Files, more: Value, row: &mut Row) -> Result<Vec<Value>, PeersError> {
        let Ok(process) = &mut self.process else {
            row.note = "not measured: no peers".to_owned();
            return Ok(Vec::new());
        };
        eprintln!("{}: {}", row.data, row.method);
        let mut request = serde_json::json!({
            "question": question, "method": row.method, "threads": row.threads, "data": files.request(),
        });
        if let (Some(request), Value::Object(more)) = (request.as_object_mut(), more) {
            request.extend(more);
        }
        match process.ask(&row.method, &request)? {
            Answer::Failed { failed } => {
                row.note = failed;
                Ok(Vec::new())
            }
            Answer::Measured(values) => {
                let mut lists = Vec::new();
                for (name, value) in values {
                    match value {
                        Value::Array(list) => lists.extend(list),
                        number => {
                            if let Some(number) = number.as_f64() {
                                row.push(&name, number);
                            }
                        }
                    }
                }
                Ok(lists)
            }
        }
    }
}

fn reason(error: &SetupError) -> String {
    error.to_string()
}
