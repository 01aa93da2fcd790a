//! Comparing one file of the data directory with its pin.
//!
//! It is for files that are there already; those that come in are judged on the way by `intake.rs`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::FetchError;
use super::attempt::Trouble;
use super::manifest::{PinnedFile, hex};
use super::watch::{CHUNK_BYTES, Watch};

/// What was found where a file of a set belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Name of the file.
    pub file: String,
    /// Its state.
    pub state: FileState,
}

/// State of a file of a set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileState {
    /// Length and hash are right.
    #[error("verified")]
    Verified,
    /// There is no such file.
    #[error("missing")]
    Missing,
    /// It has another length.
    #[error("has {got} bytes, not {expected}")]
    WrongSize {
        /// Bytes it must have.
        expected: u64,
        /// Bytes it has.
        got: u64,
    },
    /// It has other content of the right length.
    #[error("has the SHA-256 {got}, not {expected}")]
    WrongHash {
        /// The hash it must have.
        expected: String,
        /// The hash it has.
        got: String,
    },
    /// A link, a folder or something else is in its place.
    #[error("is not a regular file")]
    NotAFile,
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::ErrorKind),
}

/// Reads a file to its end, unless its kind or length is wrong already.
pub(super) fn check_file(path: &Path, pinned: &PinnedFile, watch: &Watch<'_>) -> Result<FileState, FetchError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileState::Missing),
        Err(error) => return Ok(FileState::Unreadable(error.kind())),
    };
    if !metadata.is_file() {
        return Ok(FileState::NotAFile);
    }
    if metadata.len() != pinned.bytes {
        return Ok(FileState::WrongSize { expected: pinned.bytes, got: metadata.len() });
    }
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Ok(FileState::Unreadable(error.kind())),
    };
    loop {
        // Without a deadline only a wish to stop comes back.
        if let Err(Trouble::Fatal(stopped)) = watch.check() {
            return Err(stopped);
        }
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                hasher.update(&chunk[..length]);
                watch.set_done_bytes(watch.done_bytes() + length as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(FileState::Unreadable(error.kind())),
        }
    }
    let got = hex(&hasher.finalize());
    Ok(if got == pinned.sha256 {
        FileState::Verified
    } else {
        FileState::WrongHash { expected: pinned.sha256.clone(), got }
    })
}
