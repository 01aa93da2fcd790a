//! Judging one stream by its pin: is this the wanted file?
//!
//! Whatever the source, every file comes through [`Intake::offer`], which decodes it up to one byte past its pinned
//! length, hashes it on the way into the staging folder, and keeps it only if length and hash agree. Finding the streams
//! is not for this module: see `archive.rs` and `https.rs`.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::FetchError;
use super::archive::ArchiveError;
use super::attempt::Trouble;
use super::manifest::{PinnedFile, hex};
use super::watch::{CHUNK_BYTES, Watch};
use crate::gzip::Members;

/// Mismatches that are noted of one source: an archive may have a wrong file thousands of times.
const MOST_MISMATCHES: usize = 20;

/// A file of a wanted name that is not the wanted file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{found_in} {kind}")]
pub struct Mismatch {
    /// The file that was wanted.
    pub file: String,
    /// Where it was found.
    pub found_in: String,
    /// What differs.
    pub kind: MismatchKind,
}

/// What differs from the pin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MismatchKind {
    /// It is shorter.
    #[error("has {got} bytes decoded, not {expected}")]
    Shorter {
        /// Bytes it must have.
        expected: u64,
        /// Bytes it has.
        got: u64,
    },
    /// It is longer; reading stopped there.
    #[error("has more than {expected} bytes decoded")]
    Longer {
        /// Bytes it must have.
        expected: u64,
    },
    /// It has the right length and other content.
    #[error("has the SHA-256 {got}, not {expected}")]
    Hash {
        /// The hash it must have.
        expected: String,
        /// The hash it has.
        got: String,
    },
}

/// Bytes that may still be decoded out of one container, wanted or not.
///
/// A pinned length bounds one file, not an archive that has it a thousand times or a terabyte of zeros before it.
pub(super) struct Budget {
    left: Cell<u64>,
    spent: Cell<bool>,
}

impl Budget {
    pub(super) fn new(bytes: u64) -> Self {
        Self { left: Cell::new(bytes), spent: Cell::new(false) }
    }

    /// Sets how many bytes may be decoded from now on.
    pub(super) fn renew(&self, bytes: u64) {
        self.left.set(bytes);
    }

    fn spend(&self, bytes: usize) -> io::Result<()> {
        match self.left.get().checked_sub(bytes as u64) {
            Some(left) => self.left.set(left),
            None => {
                self.spent.set(true);
                return Err(io::Error::other("too much data"));
            }
        }
        Ok(())
    }

    pub(super) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}

/// A reader that spends a budget and asks the watch.
pub(super) struct Metered<'b, 'w, R> {
    pub(super) reader: R,
    pub(super) budget: &'b Budget,
    pub(super) watch: &'w Watch<'w>,
}

impl<R: Read> Read for Metered<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.check().map_err(|_| io::Error::other("halted"))?;
        let length = self.reader.read(buffer)?;
        self.budget.spend(length)?;
        Ok(length)
    }
}

/// A reader that asks the watch. It goes below every decoder: one that gets much and gives nothing, such as of endless
/// empty blocks, would otherwise not be stopped.
pub(super) struct Watched<'w, R> {
    pub(super) reader: R,
    pub(super) watch: &'w Watch<'w>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.check().map_err(|_| io::Error::other("halted"))?;
        self.reader.read(buffer)
    }
}

impl<R: Seek> Seek for Watched<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

/// The files still wanted, and those taken in so far.
pub(super) struct Intake<'a> {
    pub(super) watch: &'a Watch<'a>,
    /// Where accepted files lie, under their names.
    folder: &'a Path,
    wanted: Vec<PinnedFile>,
    accepted: Vec<PinnedFile>,
    mismatches: Vec<Mismatch>,
}

impl<'a> Intake<'a> {
    pub(super) fn new(watch: &'a Watch<'a>, folder: &'a Path, wanted: Vec<PinnedFile>) -> Self {
        Self { watch, folder, wanted, accepted: Vec::new(), mismatches: Vec::new() }
    }

    pub(super) fn wanted(&self) -> &[PinnedFile] {
        &self.wanted
    }

    pub(super) fn accepted(&self) -> &[PinnedFile] {
        &self.accepted
    }

    pub(super) fn wanted_names(&self) -> Vec<String> {
        self.wanted.iter().map(|file| file.name.clone()).collect()
    }

    /// The wanted file that something of this base name may be.
    pub(super) fn named(&self, base_name: &str) -> Option<PinnedFile> {
        self.wanted.iter().find(|file| may_be(base_name, file)).cloned()
    }

    /// Whether something of this base name was wanted, taken in by now or not.
    pub(super) fn has_use_for(&self, base_name: &str) -> bool {
        self.wanted.iter().chain(&self.accepted).any(|file| may_be(base_name, file))
    }

    /// What did not match since this was last asked.
    pub(super) fn take_mismatches(&mut self) -> Vec<Mismatch> {
        std::mem::take(&mut self.mismatches)
    }

    /// Reads a stream, gzipped or not, and keeps it if it is one of the candidates.
    ///
    /// # Errors
    /// If the stream cannot be read, the disk cannot be written, or the budget is spent. Other content is no error: it
    /// is noted as a mismatch, if there is just one candidate for it to differ from.
    pub(super) fn offer(
        &mut self,
        candidates: &[PinnedFile],
        found_in: &str,
        stream: impl Read,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let watched = Watched { reader: stream, watch: self.watch };
        let decoded = maybe_gzipped(watched).map_err(|error| self.watch.trouble(found_in, error))?;
        self.offer_decoded(candidates, found_in, decoded, budget)
    }

    /// As [`offer`](Self::offer), for a stream that is decoded already: gzip inside of gzip is not undone.
    pub(super) fn offer_decoded(
        &mut self,
        candidates: &[PinnedFile],
        found_in: &str,
        decoded: impl Read,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let Some(longest) = candidates.iter().map(|file| file.bytes).max() else { return Ok(()) };
        let kept_bytes = self.watch.done_bytes();
        let incoming = self.folder.join(".incoming");
        let mut reader = decoded.take(longest.saturating_add(1));
        let mut file = File::create(&incoming).map_err(|error| self.disk("write", &incoming, error))?;
        let mut hasher = Sha256::new();
        let mut bytes = 0;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let length = match reader.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.watch.trouble(found_in, error)),
            };
            if budget.spend(length).is_err() {
                return Err(ArchiveError::TooLarge { archive: found_in.to_owned() }.into());
            }
            file.write_all(&chunk[..length]).map_err(|error| self.disk("write", &incoming, error))?;
            hasher.update(&chunk[..length]);
            bytes += length as u64;
            self.watch.set_done_bytes(kept_bytes + bytes.min(longest));
            self.watch.check()?;
        }
        let sha256 = hex(&hasher.finalize());
        let Some(pinned) = candidates.iter().find(|pinned| pinned.bytes == bytes && pinned.sha256 == sha256) else {
            self.watch.set_done_bytes(kept_bytes);
            if let [pinned] = candidates {
                self.note_mismatch(pinned, found_in, bytes, sha256);
            }
            return Ok(());
        };
        // On disk before it has its name: a crash after the rename must not leave a name over missing blocks.
        file.sync_all().map_err(|error| self.disk("write", &incoming, error))?;
        let kept = self.folder.join(&pinned.name);
        fs::rename(&incoming, &kept).map_err(|error| self.disk("write", &kept, error))?;
        self.wanted.retain(|wanted| wanted.name != pinned.name);
        self.accepted.push(pinned.clone());
        Ok(())
    }

    /// Gives back everything accepted since there were `count` files.
    pub(super) fn roll_back(&mut self, count: usize) {
        for file in self.accepted.split_off(count) {
            // What stays behind goes with the staging folder and is never published.
            let _ = fs::remove_file(self.folder.join(&file.name));
            self.watch.set_done_bytes(self.watch.done_bytes().saturating_sub(file.bytes));
            self.wanted.push(file);
        }
    }

    fn note_mismatch(&mut self, pinned: &PinnedFile, found_in: &str, bytes: u64, sha256: String) {
        if self.mismatches.len() >= MOST_MISMATCHES {
            return;
        }
        let expected = pinned.bytes;
        let kind = match bytes.cmp(&expected) {
            std::cmp::Ordering::Less => MismatchKind::Shorter { expected, got: bytes },
            std::cmp::Ordering::Greater => MismatchKind::Longer { expected },
            std::cmp::Ordering::Equal => MismatchKind::Hash { expected: pinned.sha256.clone(), got: sha256 },
        };
        self.mismatches.push(Mismatch { file: pinned.name.clone(), found_in: found_in.to_owned(), kind });
    }

    fn disk(&self, act: &'static str, path: &Path, source: io::Error) -> Trouble {
        let bytes_wanted = self.wanted.iter().map(|file| file.bytes).sum();
        Trouble::Fatal(FetchError::disk(act, path, bytes_wanted, source))
    }
}

fn may_be(base_name: &str, file: &PinnedFile) -> bool {
    base_name == file.name || base_name.strip_suffix(".gz") == Some(&file.name)
}

/// The stream decoded if it is gzipped, by its first two bytes: names lie (a mirror may serve `NAME.gz` decoded).
fn maybe_gzipped<'r>(stream: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut first = Vec::with_capacity(2);
    let mut stream = stream;
    stream.by_ref().take(2).read_to_end(&mut first)?;
    let gzipped = first == [0x1f, 0x8b];
    let whole = io::Cursor::new(first).chain(stream);
    let buffered = BufReader::with_capacity(CHUNK_BYTES, whole);
    Ok(if gzipped { Box::new(Members::new(buffered)) } else { Box::new(buffered) })
}
