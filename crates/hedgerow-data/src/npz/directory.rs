//! A look at the directory at the end of a zip archive, before the `zip` crate reads it.
//!
//! That crate makes room for as many entries as the archive announces, and keeps the last of several entries of one name
//! without a word. Here the directory is walked in bounded memory, so that neither can happen. Where an end record does not
//! fit, that crate silently goes on to an earlier one: so whatever it might not take is refused here, lest a false record
//! be checked and another one read.

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

/// Number of entries that the archive announces, to be compared with what was read of it.
pub(super) fn announced_entries(archive: &mut (impl Read + Seek)) -> Result<u64, Problem> {
    find(archive).map(|(entries, _, _)| entries)
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
    if END_BYTES + u64::from(u16_at(end, 20)) != end.len() as u64 {
        return Err(damaged("its end record is not at its end"));
    }
    // In order: this disk, the disk of the directory; entries on this disk, entries in all.
    if u16_at(end, 4) != u16_at(end, 6) || u16_at(end, 8) != u16_at(end, 10) {
        return Err(damaged("its end record speaks of several disks"));
    }
    let end_at = tail_at + at as u64;
    let small = (u64::from(u16_at(end, 10)), u64::from(u32_at(end, 16)), u64::from(u32_at(end, 12)));
    if small.0 != u64::from(u16::MAX) && small.1 != u64::from(u32::MAX) && small.2 != u64::from(u32::MAX) {
        return before(end_at, small);
    }
    // Archives of more than 4 GiB have their numbers in a second record, which a third one points at.
    let not_whole = || damaged("the large directory of the archive is not whole");
    let locator_at = end_at.checked_sub(LOCATOR_64_BYTES).ok_or_else(not_whole)?;
    let locator = read_at(archive, locator_at, LOCATOR_64_BYTES)?;
    if !locator.starts_with(LOCATOR_64) {
        return before(end_at, small);
    }
    let end_64_at = u64_at(&locator, 8);
    let end = read_at(archive, end_64_at, END_64_BYTES)?;
    // The record begins with 12 bytes that its own length leaves out, and ends where the locator begins.
    let length = u64_at(&end, 4).checked_add(12);
    if !end.starts_with(END_64) || length.and_then(|length| end_64_at.checked_add(length)) != Some(locator_at) {
        return Err(not_whole());
    }
    if u64_at(&end, 24) != u64_at(&end, 32) || u32_at(&end, 16) != u32_at(&end, 20) {
        return Err(damaged("its end record speaks of several disks"));
    }
    before(end_64_at, (u64_at(&end, 32), u64_at(&end, 48), u64_at(&end, 40)))
}

/// The numbers of an end record, if the directory that they speak of lies before that record.
fn before(end_at: u64, (entries, offset, n_bytes): (u64, u64, u64)) -> Result<(u64, u64, u64), Problem> {
    // Too many entries are refused by their number, which says more than that they cannot be there.
    if entries <= OF_ARRAYS.entries && offset.checked_add(n_bytes).is_none_or(|end| end > end_at) {
        return Err(damaged("the directory of the archive is not where it should be"));
    }
    Ok((entries, offset, n_bytes))
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

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::{ReadOptions, read_bytes};

    fn archive(n_entries: usize) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for at in 0..n_entries {
            writer.start_file(format!("{at}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(b"x").unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn end_record(entries: u16, n_bytes: u32, offset: u32, comment: u16) -> Vec<u8> {
        let mut record = [&END[..], &[0; 4]].concat();
        [entries, entries].iter().for_each(|number| record.extend(number.to_le_bytes()));
        [n_bytes, offset].iter().for_each(|number| record.extend(number.to_le_bytes()));
        record.extend(comment.to_le_bytes());
        record
    }

    fn reason(bytes: &[u8]) -> String {
        check(&mut Cursor::new(bytes), &OF_ARRAYS).unwrap_err().to_string()
    }

    #[test]
    fn a_decoy_end_record_does_not_hide_the_real_one() {
        // What the real record announces is refused; the decoy announces nothing, and `zip` skips it for its comment.
        let real = archive(1025);
        assert!(reason(&real).contains("announces 1025 entries"));
        for comment in [1, 100, u16::MAX] {
            let decoyed = [real.clone(), end_record(0, 0, 0, comment)].concat();
            assert_eq!(
                zip::ZipArchive::new(Cursor::new(&decoyed)).unwrap().len(),
                1025,
                "this is what must not happen"
            );
            assert!(reason(&decoyed).contains("end record is not at its end"), "{}", reason(&decoyed));
            assert!(read_bytes("d.npz", &decoyed, &ReadOptions::default()).is_err());
        }
        // A decoy whose directory lies behind it is skipped by `zip` as well.
        let decoyed = [real, end_record(1, 46, u32::MAX - 100, 0)].concat();
        assert!(reason(&decoyed).contains("not where it should be"), "{}", reason(&decoyed));
    }

    #[test]
    fn what_follows_the_end_record_is_its_comment() {
        let whole = archive(2);
        assert!(check(&mut Cursor::new(&whole), &OF_ARRAYS).is_ok());
        assert_eq!(announced_entries(&mut Cursor::new(&whole)).unwrap(), 2);
        let trailing = [whole.clone(), b"rest".to_vec()].concat();
        assert!(reason(&trailing).contains("end record is not at its end"), "{}", reason(&trailing));
        let mut commented = trailing;
        let length_at = whole.len() - 2;
        commented[length_at] = 4;
        assert!(check(&mut Cursor::new(&commented), &OF_ARRAYS).is_ok());
    }

    #[test]
    fn the_two_counts_of_entries_must_agree() {
        // `zip` makes room for the first of them.
        let mut two = archive(2);
        let on_this_disk = two.len() - 14;
        two[on_this_disk + 1] = 0xff;
        assert!(reason(&two).contains("several disks"), "{}", reason(&two));
    }

    #[test]
    fn a_large_end_record_must_end_at_its_locator() {
        let whole = archive(1);
        let (rest, end) = whole.split_at(whole.len() - END_BYTES as usize);
        let large = |length: u64| {
            let mut bytes = [rest, END_64, &length.to_le_bytes(), &[0; 12]].concat();
            let (n_bytes, offset) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
            [1, 1, n_bytes, offset].iter().for_each(|number: &u64| bytes.extend(number.to_le_bytes()));
            bytes.extend([&LOCATOR_64[..], &[0; 4], &(rest.len() as u64).to_le_bytes(), &1u32.to_le_bytes()].concat());
            [bytes, end_record(u16::MAX, u32::MAX, u32::MAX, 0)].concat()
        };
        assert!(check(&mut Cursor::new(large(44)), &OF_ARRAYS).is_ok());
        for length in [0, 43, 45, u64::MAX] {
            assert!(reason(&large(length)).contains("large directory of the archive is not whole"));
        }
    }
}
