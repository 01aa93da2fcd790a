//! hedgerow beside what else an engineer would take: one question each, ours and theirs in one run.
//!
//! Ours is measured in this program, theirs by the question's file in `bench/peers`, in turn and on the same rows. A peer that is not there, that fails
//! or that takes too long has a row that says so.

mod curves;
mod data;
mod grow;
mod kept;
mod learned;
mod letter;
mod neighbors;
pub mod python;
mod raw;
mod remark;
mod serve;
mod stream;
pub mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hedgerow::FitError;
use hedgerow_core::{InsertError, ParamError, PointsError, QueryError};
use hedgerow_data::fetch::FetchError;
use hedgerow_data::{DatasetError, PreprocessError, SplitError};
use hedgerow_experiments::ExperimentError;

use data::Data;
use kept::Kept;
use python::Peers;
use remark::Remark;
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
    /// What a peer may take for one answer, all in all: its imports and the reading of the data too.
    pub peer_limit: Duration,
}

impl Plan {
    /// What a peer may take unless told: more than those that end in a reasonable time take on two cores. Learning takes longer.
    pub fn usual_limit(question: Question) -> Duration {
        match question {
            Question::Learned => Duration::from_secs(900),
            _ => Duration::from_secs(300),
        }
    }

    /// A question about all its data.
    pub fn new(question: Question) -> Self {
        Self { question, data: Vec::new(), quick: false, peer_limit: Self::usual_limit(question) }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "but for the first five, each variant is the error it holds")]
pub enum PeersError {
    /// A file that cannot be written.
    #[error("cannot write {}: {source}; free the space or correct the permissions", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file of Python's that cannot be read.
    #[error("cannot read {}, which Python wrote: {source}; free space in the temporary folder, or set TMPDIR to another", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Data of values.
    #[error("the labels of this data are not classes; name data of classes")]
    NoClasses,
    /// Data that is not for `grow`.
    #[error("{0:?} does not grow; `peers grow` has the data `clouds` and `pictures`")]
    NotGrown(String),
    /// The letters could not be unpacked.
    #[error("{} cannot be unpacked: {reason}; this takes Python 3 with its module lzma", path.display())]
    Letter {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    #[error(transparent)]
    Load(#[from] ExperimentError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
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
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<FitError> for PeersError {
    fn from(error: FitError) -> Self {
        Self::Fit(Box::new(error))
    }
}

/// Asks a question. Each measurement is added to the file `unfinished` as it comes, if there is to be one.
///
/// # Errors
/// [`PeersError`], nearly always about data that is not there.
pub fn measure(plan: &Plan, repeats: usize, unfinished: Option<&Path>) -> Result<Table, PeersError> {
    let folder = tempfile::tempdir().map_err(|source| PeersError::Write { path: std::env::temp_dir(), source })?;
    let kept = Kept::begin(plan.question, unfinished)?;
    let mut peers = Peers::start(plan.question, plan.peer_limit, folder.path());
    let ask = match plan.question {
        Question::Raw => raw::measure,
        Question::Learned => learned::measure,
        Question::Stream => stream::measure,
        Question::Neighbors => neighbors::measure,
        Question::Serve => serve::measure,
        Question::Grow => grow::measure,
    };
    ask(plan, repeats, &mut peers, &kept)
}

/// The data sets of a plan.
fn names(plan: &Plan, full: &[&str], quick: &[&str]) -> Vec<String> {
    let usual = if plan.quick { quick } else { full };
    match plan.data.is_empty() {
        true => usual.iter().map(|name| (*name).to_owned()).collect(),
        false => plan.data.clone(),
    }
}

/// The data sets of these names, before anything is measured. One that cannot be had becomes a remark, and the others go on.
///
/// # Errors
/// That of the first if none can be had.
fn load_all(
    names: &[String],
    load: impl Fn(&str) -> Result<Data, PeersError>,
) -> Result<(Vec<Data>, Vec<Remark>), PeersError> {
    let (mut all, mut missing, mut first) = (Vec::new(), Vec::new(), None);
    for name in names {
        match load(name) {
            Ok(data) => all.push(data),
            Err(error) => {
                eprintln!("{name}: not measured, because {error}");
                missing.push(Remark::Text(format!("{name}: not measured, because {error}")));
                first = first.or(Some(error));
            }
        }
    }
    match first {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok((all, missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_set_that_is_missing_does_not_lose_the_others() {
        let load = |name: &str| match name {
            "two" => Ok(data::tests::two_rows()),
            _ => Err(PeersError::NoClasses),
        };
        let (all, missing) = load_all(&["letter", "two"].map(str::to_owned), load).unwrap();
        assert_eq!(all.iter().map(|data| data.name.as_str()).collect::<Vec<_>>(), ["two"]);
        assert_eq!(missing.len(), 1);
        assert!(missing[0].markdown().starts_with("letter: not measured, because the labels"), "{missing:?}");
        assert!(matches!(load_all(&["letter".to_owned()], load), Err(PeersError::NoClasses)));
    }

    #[test]
    fn learning_may_take_longer() {
        assert!(Plan::new(Question::Learned).peer_limit > Plan::new(Question::Raw).peer_limit);
    }
}
