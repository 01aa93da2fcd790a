//! Bytes as the Parquet decoder asks for them: any range of a file, or of memory.

use std::fs::File;
use std::io::Read;

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::input::Whole;

/// A whole source. Ranges that it does not have are refused before anything is allocated for them.
pub(super) struct Chunks {
    source: Source,
    len: u64,
}

enum Source {
    File(File),
    Bytes(Bytes),
}

impl Chunks {
    pub(super) fn new(whole: Whole) -> std::io::Result<Self> {
        let source = match whole {
            Whole::File(file) => Source::File(file),
            Whole::Shared(bytes) => Source::Bytes(Bytes::from_owner(bytes)),
            Whole::Owned(bytes) => Source::Bytes(Bytes::from(bytes)),
        };
        let len = match &source {
            Source::File(file) => file.metadata()?.len(),
            Source::Bytes(bytes) => bytes.len() as u64,
        };
        Ok(Self { source, len })
    }

    pub(super) fn try_clone(&self) -> std::io::Result<Self> {
        let source = match &self.source {
            Source::File(file) => Source::File(file.try_clone()?),
            Source::Bytes(bytes) => Source::Bytes(bytes.clone()),
        };
        Ok(Self { source, len: self.len })
    }

    fn check(&self, start: u64, length: u64) -> Result<()> {
        match start.checked_add(length) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(ParquetError::EOF(format!("{length} bytes at {start} are past the end at {}", self.len))),
        }
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Chunks {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.check(start, 0)?;
        Ok(match &self.source {
            Source::File(file) => Box::new(file.get_read(start)?),
            Source::Bytes(bytes) => Box::new(bytes.slice(start as usize..).reader()),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.check(start, length as u64)?;
        match &self.source {
            Source::File(file) => file.get_bytes(start, length),
            Source::Bytes(bytes) => Ok(bytes.slice(start as usize..start as usize + length)),
        }
    }
}
