//! hedgerow beside what else an engineer would take: one question each, ours and theirs in one run.
//!
//! Ours is measured in this program, theirs by `bench/peers/peers.py`, in turn and on the same rows. A peer that is not there, or that fails, has a row
//! that says so.

mod data;
mod grow;
mod learned;
mod neighbors;
pub mod python;
mod raw;
mod serve;
mod stream;
pub mod table;

use std::path::PathBuf;

use hedgerow::FitError;
use hedgerow_core::{InsertError, ParamError, PointsError, QueryError};
use hedgerow_data::{DatasetError, PreprocessError, SplitError};
use hedgerow_experiments::ExperimentError;

use crate::python::process::PeerError;
use python::Peers;
use table::Table;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Classify raw vectors.
    Raw,
    /// Classify with a learned space.
    Learned,
    /// Learn online from a stream.
    Stream,
    /// Retrieve neighbors.
    Neighbors,
    /// Serve one decision.
    Serve,
    /// Grow.
    Grow,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Raw, Self::Learned, Self::Stream, Self::Neighbors, Self::Serve, Self::Grow];

    /// Its name, as in the command.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Learned => "learned",
            Self::Stream => "stream",
            Self::Neighbors => "neighbors",
            Self::Serve => "serve",
            Self::Grow => "grow",
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The question.
    pub question: Question,
    /// Data sets, all of the question's if none are named.
    pub data: Vec<String>,
    /// Small data and few epochs, to see in a minute or two that it works.
    pub quick: bool,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "but for the first two, each variant is the error it holds")]
pub enum PeersError {
    /// A file that cannot be written.
    #[error("cannot write {}: {source}; free the space or correct the permissions", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Data of values.
    #[error("the labels of this data are not classes; name data of classes")]
    NoClasses,
    #[error(transparent)]
    Load(#[from] ExperimentError),
    #[error(transparent)]
    Split(#[from] SplitError),
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Points(#[from] PointsError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Insert(#[from] InsertError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Fit(#[from] Box<FitError>),
    #[error("{0}")]
    Model(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<FitError> for PeersError {
    fn from(error: FitError) -> Self {
        Self::Fit(Box::new(error))
    }
}

/// Asks a question.
///
/// # Errors
/// [`PeersError`], nearly always about data that is not there.
pub fn measure(plan: &Plan, repeats: usize) -> Result<Table, PeersError> {
    let folder = tempfile::tempdir().map_err(|source| PeersError::Write { path: std::env::temp_dir(), source })?;
    let requirements = match plan.question {
        Question::Learned | Question::Serve => &python::LEARNING_REQUIREMENTS,
        _ => &python::REQUIREMENTS,
    };
    let mut peers = Peers::start(folder.path(), requirements);
    match plan.question {
        Question::Raw => raw::measure(plan, repeats, &mut peers),
        Question::Learned => learned::measure(plan, repeats, &mut peers),
        Question::Stream => stream::measure(plan, repeats, &mut peers),
        Question::Neighbors => neighbors::measure(plan, repeats, &mut peers),
        Question::Serve => serve::measure(plan, repeats, &mut peers),
        Question::Grow => grow::measure(plan, repeats, &mut peers),
    }
}

/// The data sets of a plan.
fn names(plan: &Plan, full: &[&str], quick: &[&str]) -> Vec<String> {
    let usual = if plan.quick { quick } else { full };
    match plan.data.is_empty() {
        true => usual.iter().map(|name| (*name).to_owned()).collect(),
        false => plan.data.clone(),
    }
}
