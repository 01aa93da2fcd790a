//! Calls into the Parquet decoder, from which neither a panic nor its message may escape.
//!
//! The decoder is another project's. On damaged files it panics now and then (an index out of range, a failed `assert!`),
//! and a file that somebody else made must never end the program of the one who reads it. So every call is caught here
//! and becomes an error about the file. Where a program is built with `panic = "abort"`, nothing can be caught; the checks
//! in [`super::thrift`] and [`super::pages`] still keep the common damage away from the decoder.

use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use parquet::errors::ParquetError;

use crate::error::{Problem, shown};

thread_local! {
    /// Whether this thread is inside [`guarded`].
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call into the decoder; a panic becomes [`Problem::Damaged`].
pub(super) fn guarded<T, E: Into<ParquetError>>(act: impl FnOnce() -> Result<T, E>) -> Result<T, Problem> {
    silence_own_panics();
    let before = INSIDE.replace(true);
    // Whatever the call left half-done is dropped with the reader: no caller goes on after an error.
    let result = panic::catch_unwind(AssertUnwindSafe(act));
    INSIDE.set(before);
    match result {
        Ok(result) => result.map_err(|error| problem(error.into())),
        Err(payload) => Err(Problem::Damaged { reason: format!("it cannot be decoded ({})", message(&*payload)) }),
    }
}

/// Keeps the panic hook from printing what is caught anyway. All other panics reach the hook that was there before.
fn silence_own_panics() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        if std::thread::panicking() {
            return; // hooks cannot be changed now; the message is printed, nothing worse
        }
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The thread's locals may be gone already where it is ending; then it is not inside either.
            if !INSIDE.try_with(Cell::get).unwrap_or(false) {
                previous(info);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    shown(text.unwrap_or("the decoder gave up").as_bytes())
}

fn problem(error: ParquetError) -> Problem {
    match error {
        ParquetError::NYI(what) => Problem::Unsupported {
            found: format!("something the Parquet decoder does not know ({})", one_line(&what)),
            supported: "write the file anew with common types, encodings and compression",
        },
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) if error.kind() != io::ErrorKind::UnexpectedEof => Problem::Io(*error),
            Ok(error) => Problem::Damaged { reason: error.to_string() },
            Err(other) => Problem::Damaged { reason: one_line(&other.to_string()) },
        },
        other => Problem::Damaged { reason: one_line(&other.to_string()) },
    }
}

/// What the decoder says, without what a hostile file may have put into it.
fn one_line(text: &str) -> String {
    let mut line: String = text.chars().take(200).flat_map(char::escape_debug).collect();
    if text.chars().nth(200).is_some() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_stays_silent() {
        let problem = guarded::<(), ParquetError>(|| panic!("index 7 out of range")).unwrap_err();
        assert_eq!(
            problem.to_string(),
            "is damaged: it cannot be decoded (index 7 out of range); get the file again, or write it anew"
        );
        assert!(!INSIDE.get());
        assert!(panic::catch_unwind(|| panic!("not ours")).is_err());
    }

    #[test]
    fn errors_keep_their_kind() {
        let io = || Err::<(), _>(ParquetError::from(io::Error::from(io::ErrorKind::PermissionDenied)));
        assert!(matches!(guarded(io), Err(Problem::Io(_))));
        assert!(matches!(guarded(|| Err::<(), _>(ParquetError::NYI("x".into()))), Err(Problem::Unsupported { .. })));
        assert!(matches!(guarded(|| Err::<(), _>(ParquetError::EOF("x".into()))), Err(Problem::Damaged { .. })));
    }
}
