//! Errors of the library as Python's: the text stays the same, the type is what scikit-learn's users expect.

use std::fmt::Display;

use hedgerow::data::LoadError as DataError;
use hedgerow::{ChangeError, JournalError, LoadError, SaveError};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyOSError, PyValueError};

/// Data, parameters and labels that cannot be used.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn load_error(error: LoadError) -> PyErr {
    let text = error.to_string();
    match error {
        LoadError::NoModel { .. } | LoadError::Missing { .. } => PyFileNotFoundError::new_err(text),
        LoadError::File { .. } => PyOSError::new_err(text),
        // A damaged one is refused as the other files of a model are.
        LoadError::Journal { source: source @ JournalError::Database { .. }, .. } if !source.is_damage() => {
            PyOSError::new_err(text)
        }
        _ => PyValueError::new_err(text),
    }
}

/// What is wrong with a file, and not with what was asked for.
pub(crate) fn journal_error(error: JournalError) -> PyErr {
    PyOSError::new_err(error.to_string())
}

pub(crate) fn change_error(error: ChangeError) -> PyErr {
    match error {
        ChangeError::Journal(error) => journal_error(error),
        error => value_error(error),
    }
}

pub(crate) fn save_error(error: SaveError) -> PyErr {
    let text = error.to_string();
    match error {
        SaveError::File { .. } | SaveError::Journal(_) => PyOSError::new_err(text),
        SaveError::Unwritable { .. } | SaveError::There(_) => PyValueError::new_err(text),
        _ => PyFileExistsError::new_err(text),
    }
}

pub(crate) fn data_error(error: DataError) -> PyErr {
    let text = error.to_string();
    match error {
        DataError::NoSuchData { .. } | DataError::Fetch(_) => PyFileNotFoundError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
