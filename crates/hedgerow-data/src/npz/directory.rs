//! A look at the directory at the end of a zip archive, before the `zip` crate reads it.
//!
//! That crate makes room for as many entries as the archive announces, and keeps the last of several entries of one name
//! without a word. Here the directory is walked in bounded memory, so that neither can happen.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom};

use crate::error::{Problem, shown};

/// What a directory may be.
pub(crate) struct Limits {
    /// The most entries an archive may have.
    pub(crate) entries: u64,
    /// The largest directory that is read.
    pub(crate) directory_bytes: u64,
    /// What its names may be.
    pub(crate) names: Names,
}

/// What the names of a directory may be.
#[derive(PartialEq, Eq)]
pub(crate) enum Names {
    /// All different, and inside of the archive.
    Judged,
    /// Anything: the caller judges them.
    Any,
}

/// Data sets have a handful of arrays.
pub(super) const OF_ARRAYS: Limits = Limits { entries: 1024, directory_bytes: 1 << 20, names: Names::Judged };

/// The end record, at the end of the archive but for a comment of at most 65535 bytes.
const END: &[u8; 4] = b"PK\x05\x06";
const END_BYTES: u64 = 22;
const LOCATOR_64: &[u8; 4] = b"PK\x06\x07";
const LOCATOR_64_BYTES: u64 = 20;
const END_64: &[u8; 4] = b"PK\x06\x06";
const END_64_BYTES: u64 = 56;
const ENTRY: &[u8; 4] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;

/// Checks the directory: not too many entries, and if names are judged, no two of one name and none that leads out of the
/// archive.
pub(crate) fn check(archive: &mut (impl Read + Seek), limits: &Limits) -> Result<(), Problem> {
    let (entries, offset, n_bytes) = find(archive)?;
    if entries > limits.entries || n_bytes > limits.directory_bytes {
        let most = limits.entries;
        let reason = format!("the archive announces {entries} entries, more than the {most} that are read");
        return Err(Problem::Damaged { reason });
    }
    let directory = read_at(archive, offset, n_bytes)?;
    let mut names = HashSet::new();
    let mut rest = directory.as_slice();
    for _ in 0..entries {
        let (name, after) = split_entry(rest).ok_or_else(|| damaged("the directory of the archive is not whole"))?;
        rest = after;
        if limits.names == Names::Any {
            continue;
        }
        if !names.insert(name) {
            let reason = format!("the archive has two entries named \"{}\"", shown(name));
            return Err(Problem::Damaged { reason });
        }
        let leads_out = name.split(|byte| matches!(byte, b'/' | b'\\')).any(|part| part == b"..")
            || matches!(name, [b'/' | b'\\', ..] | [_, b':', ..]);
        if leads_out || name.contains(&0) {
            let reason = format!("the name \"{}\" leads out of the archive", shown(name));
            return Err(Problem::Damaged { reason });
        }
    }
    Ok(())
}

/// Number of entries, and where their directory is, from the end record.
fn find(archive: &mut (impl Read + Seek)) -> Result<(u64, u64, u64), Problem> {
    let archive_bytes = archive.seek(SeekFrom::End(0)).map_err(Problem::Io)?;
    let tail_bytes = archive_bytes.min(END_BYTES + u64::from(u16::MAX));
    let tail_at = archive_bytes - tail_bytes;
    let tail = read_at(archive, tail_at, tail_bytes)?;
    let at = memchr::memmem::rfind(&tail, END).filter(|&at| tail.len() - at >= END_BYTES as usize);
    let at = at.ok_or_else(|| damaged("the directory at the end of the archive is missing, so it is cut off"))?;
    let end = &tail[at..];
    let small = (u64::from(u16_at(end, 10)), u64::from(u32_at(end, 16)), u64::from(u32_at(end, 12)));
    if small.0 != u64::from(u16::MAX) && small.1 != u64::from(u32::MAX) && small.2 != u64::from(u32::MAX) {
        return Ok(small);
    }
    // Archives of more than 4 GiB have their numbers in a second record, which a third one points at.
    let not_whole = || damaged("the large directory of the archive is not whole");
    let locator_at = (tail_at + at as u64).checked_sub(LOCATOR_64_BYTES).ok_or_else(not_whole)?;
    let locator = read_at(archive, locator_at, LOCATOR_64_BYTES)?;
    if !locator.starts_with(LOCATOR_64) {
        return Ok(small);
    }
    let end = read_at(archive, u64_at(&locator, 8), END_64_BYTES)?;
    if !end.starts_with(END_64) {
        return Err(not_whole());
    }
    Ok((u64_at(&end, 32), u64_at(&end, 48), u64_at(&end, 40)))
}

/// The name of the first entry, and what follows the entry.
fn split_entry(directory: &[u8]) -> Option<(&[u8], &[u8])> {
    let fixed = directory.get(..ENTRY_BYTES).filter(|fixed| fixed.starts_with(ENTRY))?;
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    let after = directory.get(ENTRY_BYTES + name + extra + comment..)?;
    Some((directory.get(ENTRY_BYTES..ENTRY_BYTES + name)?, after))
}

fn read_at(archive: &mut (impl Read + Seek), offset: u64, n_bytes: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = archive.seek(SeekFrom::Start(offset)).and_then(|_| archive.take(n_bytes).read_to_end(&mut bytes));
    match read {
        Ok(got) if got as u64 == n_bytes => Ok(bytes),
        // Offsets that cannot be sought to are announced by the archive, not the system's fault.
        Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(Problem::Io(error)),
        _ => Err(damaged("the directory of the archive is not where it should be")),
    }
}

fn damaged(reason: &str) -> Problem {
    Problem::Damaged { reason: reason.to_owned() }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
