//! A model as one run of bytes, for programs that hand models on by themselves: pickles, queues, columns of a database.
//!
//! The files of its folder one after another: the 8 bytes `hedgerow`, a version, the length of each file of [`FILES`], the files, and the
//! SHA-256 of all that. Numbers have their little end first.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::{FILES, read};
use crate::error::{LoadError, SaveError};
use crate::model::Model;

const MAGIC: &[u8; 8] = b"hedgerow";
const VERSION: u32 = 1;
const HEADER: usize = MAGIC.len() + size_of::<u32>() + FILES.len() * size_of::<u64>();
const CHECKSUM: usize = 32;

/// What stands for the place of bytes in errors.
const PLACE: &str = "the bytes of a model";

impl Model {
    /// The model as bytes: what [`save`](Self::save) writes to a folder, with its journal.
    ///
    /// # Errors
    /// [`SaveError`]: the files are written to a temporary folder on the way.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        let failed = |act| move |source| SaveError::File { path: std::env::temp_dir(), act, source };
        let folder = tempfile::tempdir().map_err(failed("making a folder in it"))?;
        let place = folder.path().join("model");
        self.save_new(&place)?;
        let files: Result<Vec<Vec<u8>>, _> = FILES.iter().map(|name| std::fs::read(place.join(name))).collect();
        let files = files.map_err(failed("reading from it"))?;
        let mut bytes = Vec::with_capacity(HEADER + files.iter().map(Vec::len).sum::<usize>() + CHECKSUM);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        files.iter().for_each(|file| bytes.extend_from_slice(&(file.len() as u64).to_le_bytes()));
        files.iter().for_each(|file| bytes.extend_from_slice(file));
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        Ok(bytes)
    }

    /// The model that [`to_bytes`](Self::to_bytes) was asked of. Its changes are kept in memory, until it is saved.
    ///
    /// # Errors
    /// [`LoadError`]; [`LoadError::Damaged`] for bytes that are not as they were written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let files = unpack(bytes)?;
        let failed = |source| LoadError::File { path: std::env::temp_dir(), source };
        let folder = tempfile::tempdir().map_err(failed)?;
        for (name, file) in FILES.iter().zip(files) {
            std::fs::write(folder.path().join(name), file).map_err(failed)?;
        }
        read(folder.path(), super::Attach::No, None)
    }
}

/// The files in bytes that are whole.
fn unpack(bytes: &[u8]) -> Result<Vec<&[u8]>, LoadError> {
    let damaged = |what: &str| LoadError::Damaged { path: Path::new(PLACE).to_owned(), what: what.to_owned() };
    let Some((magic, rest)) = bytes.split_first_chunk::<8>().filter(|(magic, _)| *magic == MAGIC) else {
        return Err(damaged("they do not begin with the word hedgerow"));
    };
    let (version, _) = rest.split_first_chunk::<4>().ok_or_else(|| damaged("they end within the header"))?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        let (found, expected) = (found.into(), VERSION.into());
        return Err(LoadError::Version { path: Path::new(PLACE).to_owned(), found, expected });
    }
    let body = bytes.len().checked_sub(CHECKSUM).filter(|body| *body >= HEADER);
    let (body, checksum) = bytes.split_at(body.ok_or_else(|| damaged("they end within the header"))?);
    let lengths = body[magic.len() + version.len()..HEADER].chunks_exact(size_of::<u64>());
    let mut files = Vec::with_capacity(FILES.len());
    let mut rest = &body[HEADER..];
    for length in lengths {
        let length = length.iter().rev().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        let parts = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (file, others) = parts.ok_or_else(|| damaged("they are shorter than their header says"))?;
        files.push(file);
        rest = others;
    }
    if !rest.is_empty() {
        return Err(damaged("they are longer than their header says"));
    }
    if Sha256::digest(body).as_slice() != checksum {
        return Err(damaged("they are not as they were written: their SHA-256 does not fit"));
    }
    Ok(files)
}
