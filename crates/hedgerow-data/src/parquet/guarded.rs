//! Calls into the Parquet decoder, from which neither a panic nor its message may escape.
//!
//! The decoder is another project's. On damaged files it panics now and then (an index out of range, a failed `assert!`),
//! and a file that somebody else made must never end the program of the one who reads it. So every call is caught here
//! and becomes an error about the file. Where a program is built with `panic = "abort"`, nothing can be caught; the checks
//! in [`super::thrift`] and [`super::pages`] still keep the common damage away from the decoder.
//!
//! What is caught must not be printed either, and only the panic hook can see to that. It belongs to the whole program: the
//! first Parquet file that is read puts a hook before the one that is there, which keeps silent about panics inside a call
//! to the decoder and passes all others on. A program that sets its own hook should do so before it reads Parquet files;
//! one set later loses nothing but that silence. No hook is set where nothing can be caught.

use std::any::Any;
use std::cell::RefCell;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use parquet::errors::ParquetError;

use crate::error::{Problem, shown};

/// Whether a thread is inside [`guarded`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Outside,
    Inside,
    /// Inside, and this panic was not printed.
    Swallowed(String),
}

thread_local! {
    static STATE: RefCell<State> = const { RefCell::new(State::Outside) };
}

/// Runs a call into the decoder; a panic becomes [`Problem::Damaged`].
pub(super) fn guarded<T, E: Into<ParquetError>>(act: impl FnOnce() -> Result<T, E>) -> Result<T, Problem> {
    silence_own_panics();
    let before = STATE.replace(State::Inside);
    // Whatever the call left half-done is dropped with the reader: no caller goes on after an error.
    let result = panic::catch_unwind(AssertUnwindSafe(act));
    STATE.set(before);
    match result {
        Ok(result) => result.map_err(|error| problem(error.into())),
        Err(payload) => Err(Problem::Damaged { reason: format!("it cannot be decoded ({})", message(&*payload)) }),
    }
}

/// Keeps the panic hook from printing what is caught anyway. All other panics reach the hook that was there before.
fn silence_own_panics() {
    static INSTALLED: Once = Once::new();
    // While a thread panics, hooks cannot be changed: the next call will. Until then messages are printed, nothing worse.
    if cfg!(panic = "abort") || INSTALLED.is_completed() || std::thread::panicking() {
        return;
    }
    // By force: an attempt that failed before must not make every later read fail.
    INSTALLED.call_once_force(|_| {
        // The two calls cannot be made one. A panic of another thread between them is printed by the default hook; a hook
        // that another thread sets just there is lost, which is why the module says to set one before.
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !swallow(info) {
                previous(info);
            }
        }));
    });
}

/// Whether a panic will be caught in [`guarded`] and needs no message.
fn swallow(info: &PanicHookInfo<'_>) -> bool {
    // The thread's locals may be gone already where it is ending; then it is not inside either. They cannot be borrowed
    // here by anybody else, but a hook is no place to find out by a second panic.
    let swallowed = STATE.try_with(|state| {
        let Ok(mut state) = state.try_borrow_mut() else { return false };
        match &*state {
            State::Outside => false,
            State::Inside => {
                let text = message(info.payload());
                *state = State::Swallowed(match info.location() {
                    Some(location) => format!("{text}, at {location}"),
                    None => text,
                });
                true
            }
            State::Swallowed(first) => {
                // A panic while the first one is dropping what it holds ends the program, and cannot be told from one
                // that the decoder will catch itself: so both are told. Errors are no matter: there is nobody to tell.
                let _ = writeln!(io::stderr(), "while reading a Parquet file, after a first panic ({first}):");
                false
            }
        }
    });
    swallowed.unwrap_or(false)
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
    fn a_panic_becomes_an_error() {
        let problem = guarded::<(), ParquetError>(|| panic!("index 7 out of range")).unwrap_err();
        assert_eq!(
            problem.to_string(),
            "is damaged: it cannot be decoded (index 7 out of range); get the file again, or write it anew"
        );
        assert_eq!(STATE.with_borrow(State::clone), State::Outside);
    }

    /// Panics in the process that the tests below start, where what is printed can be seen.
    #[test]
    fn panics_as_told() {
        let Ok(what) = std::env::var("HEDGEROW_TEST_PANICS") else { return };
        let inside = |text: &'static str| guarded::<(), ParquetError>(|| panic!("{text}")).unwrap_err();
        match what.as_str() {
            "inside and outside" => {
                inside("the first inside");
                assert!(panic::catch_unwind(|| panic!("the one outside")).is_err());
                inside("the second inside");
                let nested = guarded::<(), ParquetError>(|| {
                    inside("the nested one");
                    panic!("the one around it")
                });
                assert!(nested.is_err());
            }
            "twice" => {
                struct Second;
                impl Drop for Second {
                    fn drop(&mut self) {
                        panic!("the second one");
                    }
                }
                let _ = guarded::<(), ParquetError>(|| {
                    let _second = Second;
                    panic!("the first one")
                });
            }
            other => panic!("{other} is not known"),
        }
    }

    fn printed(what: &str) -> (bool, String) {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "parquet::guarded::tests::panics_as_told", "--nocapture"])
            .env("HEDGEROW_TEST_PANICS", what)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    #[test]
    fn panics_inside_are_silent_and_others_are_not() {
        let (success, printed) = printed("inside and outside");
        assert!(success, "{printed}");
        assert!(printed.contains("the one outside"), "{printed}");
        let silent = ["the first inside", "the second inside", "the nested one", "the one around it"];
        assert!(silent.iter().all(|text| !printed.contains(text)), "{printed}");
    }

    #[test]
    fn a_panic_that_ends_the_program_is_told_with_the_one_before_it() {
        let (success, printed) = printed("twice");
        assert!(!success, "{printed}");
        assert!(printed.contains("the first one") && printed.contains("the second one"), "{printed}");
    }

    #[test]
    fn errors_keep_their_kind() {
        let io = || Err::<(), _>(ParquetError::from(io::Error::from(io::ErrorKind::PermissionDenied)));
        assert!(matches!(guarded(io), Err(Problem::Io(_))));
        assert!(matches!(guarded(|| Err::<(), _>(ParquetError::NYI("x".into()))), Err(Problem::Unsupported { .. })));
        assert!(matches!(guarded(|| Err::<(), _>(ParquetError::EOF("x".into()))), Err(Problem::Damaged { .. })));
    }
}
