//! Ratios: each structure against plain ways to do the same, both sides in one run.
//!
//! One file for each question. Every one of them first makes sure that both sides give the same answers, then times them
//! in turn ([`crate::interleaved`]). The plain sides are in [`crate::plain`], the text in [`table`].

mod insertion;
mod kernel;
mod matrix;
mod query;
mod scan;
pub mod table;

use hedgerow_core::{InsertError, ParamError, QueryError};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use table::Table;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "but for the first, each variant is the error it holds")]
pub enum RatioError {
    /// The two sides did different things, so that a ratio of their times would mean nothing.
    #[error(
        "{what}: {ours} on our side, {other} on the other; one of the two is wrong, and the ratio would mean nothing"
    )]
    Unequal { what: String, ours: String, other: String },
    #[error("cannot start the threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Insert(#[from] InsertError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Measures all ratios, each side `repeats` times.
///
/// # Errors
/// [`RatioError::Unequal`] if two sides do not give the same answers.
pub fn measure(repeats: usize) -> Result<Table, RatioError> {
    let mut rows = kernel::measure(repeats)?;
    rows.extend(insertion::measure(repeats)?);
    rows.extend(scan::measure(repeats)?);
    rows.extend(query::measure(repeats)?);
    Ok(Table { rows, repeats })
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// Checks that both sides gave the same; names the first difference.
fn check_equal<T: PartialEq + std::fmt::Debug>(what: &str, ours: &[T], other: &[T]) -> Result<(), RatioError> {
    let unequal = |what: String, ours: String, other: String| Err(RatioError::Unequal { what, ours, other });
    if ours.len() != other.len() {
        return unequal(format!("{what}, number of results"), ours.len().to_string(), other.len().to_string());
    }
    match ours.iter().zip(other).position(|(ours, other)| ours != other) {
        None => Ok(()),
        Some(at) => unequal(format!("{what}, result {at}"), format!("{:?}", ours[at]), format!("{:?}", other[at])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert!(check_equal("rows", &[1, 2], &[1, 2]).is_ok());
        let text = check_equal("rows", &[1, 2, 3], &[1, 5, 4]).unwrap_err().to_string();
        assert!(text.starts_with("rows, result 1: 2 on our side, 5 on the other"), "{text}");
        let text = check_equal("rows", &[1], &[1, 5]).unwrap_err().to_string();
        assert!(text.starts_with("rows, number of results: 1 on our side, 2"), "{text}");
    }
}
