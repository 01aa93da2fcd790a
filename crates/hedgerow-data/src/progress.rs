//! Progress of long work, and stopping it.
//!
//! Whatever takes long calls a [`Listener`] now and then with how far it is; the listener draws a bar, writes a log, or
//! does nothing, and answers whether to go on. Answering [`ControlFlow::Break`] ends the work with an error that says so,
//! with nothing half-written.

use std::ops::ControlFlow;

/// How far a piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being done.
    pub act: Act,
    /// What it is being done to: a file, or a data set.
    pub what: &'a str,
    /// Bytes dealt with so far. Where a file is compressed, of the compressed file.
    pub done_bytes: u64,
    /// Bytes in all, if that is known.
    pub total_bytes: Option<u64>,
}

/// Kinds of work that report progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Act {
    /// Reading a file or a stream.
    Reading,
    /// Writing one.
    Writing,
    /// Getting a data set from a source.
    Fetching,
    /// Comparing files with their known hashes.
    Verifying,
}

impl std::fmt::Display for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Fetching => "fetching",
            Self::Verifying => "verifying",
        })
    }
}

/// Hears of progress, and says whether to go on.
pub type Listener<'a> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a;

/// A listener that does nothing and never stops the work.
pub fn silent() -> impl FnMut(&Progress<'_>) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}
