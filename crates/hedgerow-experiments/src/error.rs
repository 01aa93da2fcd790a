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
    #[error(transparent)]
    Fit(#[from] hedgerow::FitError),
    #[error(transparent)]
    Save(#[from] hedgerow::SaveError),
    #[error(transparent)]
    Open(#[from] hedgerow::LoadError),
    #[error(transparent)]
    Change(#[from] hedgerow::ChangeError),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}, line {line}: {what}; mend the line, or remove the file to make its runs again", path.display())]
    Damaged { path: PathBuf, line: usize, what: String },
    #[error("{}: it has runs of {recipe:?} with other parameters, and medians over both would mean nothing; give another folder", path.display())]
    OtherParams { path: PathBuf, recipe: String },
    #[error("{}: it has trials of other data that was called {data:?} too, and means over both would mean nothing; give another folder", path.display())]
    OtherData { path: PathBuf, data: String },
    #[error("there are no {n_seeds} seeds from {first} on: {} is the largest; begin with a smaller one", u64::MAX)]
    NoSuchSeeds { first: u64, n_seeds: u64 },
    #[error("there is no recipe {name:?} in this experiment; it has {known}")]
    NoRecipe { name: String, known: String },
    #[error("this experiment is not for the data {name:?}; it is for {known}")]
    NoData { name: String, known: String },
    #[error("{data:?} has no test rows, by which accuracy could be told; give data that is split")]
    NoTestRows { data: String },
    #[error(
        "{data:?} has {n_classes} classes; one is held out and two must be left to learn from, so give data with three or more"
    )]
    FewClasses { data: String, n_classes: usize },
    #[error("there is no class {name:?} in this data; it has {known}")]
    NoClass { name: String, known: String },
    #[error("the examples of class {name:?} are {n_examples} to learn from and {n_tests} to test; both are needed")]
    EmptyClass { name: String, n_examples: usize, n_tests: usize },
    #[error("stopped; what was done is kept in {}, and the same command goes on from there", folder.display())]
    Interrupted { folder: PathBuf },
}

impl ExperimentError {
    /// For what went wrong with a file.
    pub(crate) fn of_file(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}
