//! Why an experiment has no result.

use std::path::{Path, PathBuf};

use hedgerow_data::LoadError;
use hedgerow_data::fetch::FetchError;
use hedgerow_learn::evaluation::EvaluationError;
use hedgerow_learn::{ApplyError, TrainError};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is the error it holds, or says what is wrong")]
pub enum ExperimentError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}, line {line}: {what}; mend the line, or remove the file to make its runs again", path.display())]
    Damaged { path: PathBuf, line: usize, what: String },
    #[error("{}: it has runs of {recipe:?} with other parameters, and medians over both would mean nothing; give another folder", path.display())]
    OtherParams { path: PathBuf, recipe: String },
    #[error("there is no recipe {name:?} in this experiment; it has {known}")]
    NoRecipe { name: String, known: String },
    #[error("this experiment is not for the data {name:?}; it is for {known}")]
    NoData { name: String, known: String },
    #[error(
        "ablation-time gives each recipe as many epochs as fit into the time of the boundary set in ablation, and {recipe:?} has no run on {data} there; run ablation first, into the same folder"
    )]
    NoTimes { recipe: String, data: String },
    #[error("stopped; what was done is kept in {}, and the same command goes on from there", folder.display())]
    Interrupted { folder: PathBuf },
}

impl ExperimentError {
    /// For what went wrong with a file.
    pub(crate) fn of_file(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}
