//! Going through whatever holds the files: a folder, a raw or gzipped file, tar, zip, or a Debian package.
//!
//! Nothing is ever unpacked under the name an archive gives: entries are found by base name and handed to
//! [`Intake::offer`]. An archive with an entry that points elsewhere is refused whole all the same, since nothing honest
//! looks like that. What a container is goes by its first bytes, not by its name.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::attempt::Trouble;
use super::client::{self, Tools};
use super::failure::Failure;
use super::intake::{Budget, Intake, Metered, Watched};
use super::manifest::PinnedFile;
use super::watch::CHUNK_BYTES;
use crate::error::{Problem, shown as shown_name};
use crate::gzip::Members;
use crate::npz::directory::{self, Limits, Names};

/// Entries looked at before an archive is refused. The largest registered one has a few hundred.
const MOST_ENTRIES: usize = 100_000;

/// Bytes of an entry's name before the archive is refused: the longest path that Linux opens.
const LONGEST_NAME: usize = 4096;

/// The directory of a zip archive that is read: the names in it are judged like those of a tar.
const OF_ZIP: Limits = Limits { entries: MOST_ENTRIES as u64, directory_bytes: 32 * 1024 * 1024, names: Names::Any };

/// Bytes of headers before an entry of a tar. The reader holds long names and extended headers in memory, which could be
/// of any length; those of honest archives have a few KB.
const MOST_HEADER_BYTES: u64 = 64 * 1024;

/// Bytes decoded out of one container beyond [`WANTED_TIMES`] the wanted ones.
const SPARE_BYTES: u64 = 256 * 1024 * 1024;

/// How many times the wanted bytes may be decoded: archives carry a file twice, or next to its neighbors.
const WANTED_TIMES: u64 = 4;

/// Why an archive was refused. Nothing from a refused archive is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// An entry has an absolute path or one with `..`.
    #[error("{archive} was refused: its entry `{}` points outside of it; get it from another place", shown_name(entry.as_bytes()))]
    UnsafePath {
        /// The archive.
        archive: String,
        /// The entry.
        entry: String,
    },
    /// A wanted file is a link in the archive.
    #[error("{archive} was refused: its entry `{}` is a link, not a file; get it from another place", shown_name(entry.as_bytes()))]
    Link {
        /// The archive.
        archive: String,
        /// The entry.
        entry: String,
    },
    /// A file is stored without its holes, in the way of GNU tar. No registered set needs that, and a few bytes would become
    /// any number.
    #[error(
        "{archive} was refused: its entry `{}` is stored as a sparse file; pack it anew without --sparse, or get it from another place",
        shown_name(entry.as_bytes())
    )]
    Sparse {
        /// The archive.
        archive: String,
        /// The entry.
        entry: String,
    },
    /// An entry has an overlong name.
    #[error(
        "{archive} was refused: the name of an entry has {bytes} bytes, more than {most}; get it from another place"
    )]
    LongName {
        /// The archive.
        archive: String,
        /// Bytes of the name.
        bytes: usize,
        /// Bytes it may have.
        most: usize,
    },
    /// The headers of an entry of a tar are overlong: its name, or what else is said of it.
    #[error("{archive} was refused: the headers of an entry have more than {most} bytes; get it from another place")]
    LongHeaders {
        /// The archive.
        archive: String,
        /// Bytes they may have.
        most: u64,
    },
    /// It has too many entries.
    #[error("{archive} was refused: it has more than {most} entries")]
    TooManyEntries {
        /// The archive.
        archive: String,
        /// How many are looked at.
        most: usize,
    },
    /// Far more data came out of it than the wanted files have.
    #[error("{archive} was refused: far more data comes out of it than the wanted files have")]
    TooLarge {
        /// The archive.
        archive: String,
    },
}

/// Takes the wanted files out of a folder, a file or an archive.
pub(super) fn take_from(path: &Path, intake: &mut Intake<'_>, tools: &Tools) -> Result<(), Trouble> {
    let accepted_before = intake.accepted().len();
    let shown = shown_path(path);
    // Before opening: that alone would wait forever at a pipe that nobody writes to.
    let metadata = fs::metadata(path).map_err(|source| Failure::Open { path: path.to_owned(), source })?;
    let result = if metadata.is_dir() {
        take_from_folder(path, intake)
    } else if metadata.is_file() {
        take_from_file(path, &shown, intake, tools)
    } else {
        Err(Failure::NotAFile { path: path.to_owned() }.into())
    };
    if let Err(Trouble::Failed(Failure::Archive(_))) = &result {
        intake.roll_back(accepted_before);
    }
    result
}

/// A folder's own files, each raw or as `.gz`. Links are followed here: the user named the folder, and the hash decides.
fn take_from_folder(folder: &Path, intake: &mut Intake<'_>) -> Result<(), Trouble> {
    // A folder that cannot be listed may hold everything; to say that it has nothing would be wrong.
    fs::read_dir(folder).map_err(|source| Failure::Open { path: folder.to_owned(), source })?;
    let mut damaged = None;
    for pinned in intake.wanted().to_vec() {
        for name in [pinned.name.clone(), format!("{}.gz", pinned.name)] {
            let path = folder.join(name);
            let is_file = match fs::metadata(&path) {
                Ok(metadata) => metadata.is_file(),
                Err(source) => {
                    if source.kind() != io::ErrorKind::NotFound {
                        damaged.get_or_insert(Failure::Open { path: path.clone(), source });
                    }
                    false
                }
            };
            if is_file && intake.named(&pinned.name).is_some() {
                match take_named(&path, &pinned, intake) {
                    // Files of a folder have nothing to do with one another: the others may be whole.
                    Err(Trouble::Failed(failure @ (Failure::Unreadable { .. } | Failure::Open { .. }))) => {
                        damaged.get_or_insert(failure);
                    }
                    other => other?,
                }
            }
        }
    }
    damaged.map_or(Ok(()), |failure| Err(failure.into()))
}

fn take_named(path: &Path, pinned: &PinnedFile, intake: &mut Intake<'_>) -> Result<(), Trouble> {
    let file = File::open(path).map_err(|source| Failure::Open { path: path.to_owned(), source })?;
    let budget = budget(intake);
    intake.offer(std::slice::from_ref(pinned), &shown_path(path), file, &budget)
}

fn take_from_file(path: &Path, shown: &str, intake: &mut Intake<'_>, tools: &Tools) -> Result<(), Trouble> {
    let watch = intake.watch;
    let unreadable = |error: io::Error| watch.trouble(shown, error);
    let mut file = File::open(path).map_err(|source| Failure::Open { path: path.to_owned(), source })?;
    let head = first_bytes(&mut file).map_err(unreadable)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let budget = budget(intake);
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return take_from_zip(file, shown, intake, &budget);
    }
    if head.starts_with(b"!<arch>\n") {
        return take_from_deb(path, shown, intake, tools, &budget);
    }
    if is_tar(&head) {
        return take_from_tar(file, shown, intake, &budget);
    }
    if head.starts_with(&[0x1f, 0x8b]) {
        let mut decoded =
            Members::new(io::BufReader::with_capacity(CHUNK_BYTES, Watched { reader: file, watch: intake.watch }));
        let inner = first_bytes(&mut decoded).map_err(unreadable)?;
        if is_tar(&inner) {
            return take_from_tar(io::Cursor::new(inner).chain(decoded), shown, intake, &budget);
        }
        return take_single(path, shown, io::Cursor::new(inner).chain(decoded), intake, &budget);
    }
    take_single(path, shown, file, intake, &budget)
}

/// One file that is no archive. If its name tells nothing, any wanted file may be meant: the hash finds out which.
fn take_single(
    path: &Path,
    shown: &str,
    decoded: impl Read,
    intake: &mut Intake<'_>,
    budget: &Budget,
) -> Result<(), Trouble> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let candidates = intake.named(&name).map_or_else(|| intake.wanted().to_vec(), |pinned| vec![pinned]);
    intake.offer_decoded(&candidates, shown, decoded, budget)
}

/// A Debian package. Its inner tar is compressed in ways that change with the release, so `dpkg-deb` unpacks it.
fn take_from_deb(
    path: &Path,
    shown: &str,
    intake: &mut Intake<'_>,
    tools: &Tools,
    budget: &Budget,
) -> Result<(), Trouble> {
    let program = tools.find(&["dpkg-deb"]).map_err(|tool| Failure::NeedsTool { tool })?;
    let path = std::path::absolute(path).map_err(|error| intake.watch.trouble(shown, error))?;
    let args = ["--fsys-tarfile".into(), path.into_os_string()];
    client::stream(&program, &args, intake.watch, |output| take_from_tar(output, shown, intake, budget))
}

fn take_from_tar(stream: impl Read, shown: &str, intake: &mut Intake<'_>, budget: &Budget) -> Result<(), Trouble> {
    let watch = intake.watch;
    let too_large = || Trouble::from(ArchiveError::TooLarge { archive: shown.to_owned() });
    let up_to_next = Budget::new(MOST_HEADER_BYTES);
    let trouble = |error: io::Error| match (budget.is_spent(), up_to_next.is_spent()) {
        (true, _) => too_large(),
        (_, true) => ArchiveError::LongHeaders { archive: shown.to_owned(), most: MOST_HEADER_BYTES }.into(),
        _ => watch.trouble(shown, error),
    };
    let metered = Metered { reader: stream, budget: &up_to_next, watch };
    let mut archive = tar::Archive::new(Metered { reader: metered, budget, watch });
    for (number, entry) in archive.entries().map_err(trouble)?.enumerate() {
        let entry = entry.map_err(trouble)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        if kind.is_gnu_sparse() {
            return Err(ArchiveError::Sparse { archive: shown.to_owned(), entry: name }.into());
        }
        // What is read before the next entry is the rest of this one, filled up to whole blocks, and the headers of that.
        let stored_bytes = entry.size().checked_next_multiple_of(512).unwrap_or(u64::MAX);
        up_to_next.renew(stored_bytes.saturating_add(MOST_HEADER_BYTES));
        let is_link = kind.is_symlink() || kind.is_hard_link();
        if let Some(pinned) = check_entry(&name, number, is_link, shown, intake)? {
            if kind.is_file() || kind.is_contiguous() {
                let taken =
                    intake.offer(&[pinned], &format!("{shown}: {}", shown_name(name.as_bytes())), entry, budget);
                if taken.is_err() && budget.is_spent() {
                    return Err(too_large());
                }
                taken?;
            }
        }
    }
    Ok(())
}

fn take_from_zip(file: File, shown: &str, intake: &mut Intake<'_>, budget: &Budget) -> Result<(), Trouble> {
    let watch = intake.watch;
    let unreadable = |error: ZipError| watch.trouble(shown, error.into());
    let mut reader = io::BufReader::new(Watched { reader: file, watch });
    directory::check(&mut reader, &OF_ZIP).map_err(|problem| match problem {
        Problem::Io(error) => watch.trouble(shown, error),
        Problem::Damaged { reason } => watch.trouble(shown, io::Error::new(io::ErrorKind::InvalidData, reason)),
        other => watch.trouble(shown, io::Error::new(io::ErrorKind::InvalidData, other.to_string())),
    })?;
    let mut archive = ZipArchive::new(reader).map_err(unreadable)?;
    let mut wanted_entries = Vec::new();
    // All names are looked at before anything is read: unlike a tar, a zip lists them up front.
    for number in 0..archive.len() {
        watch.check()?;
        let entry = archive.by_index_raw(number).map_err(unreadable)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        if let Some(pinned) = check_entry(&name, number, entry.is_symlink(), shown, intake)? {
            if !entry.is_dir() {
                wanted_entries.push((number, name, pinned));
            }
        }
    }
    for (number, name, pinned) in wanted_entries {
        if intake.named(&pinned.name).is_some() {
            let entry = archive.by_index(number).map_err(unreadable)?;
            intake.offer(&[pinned], &format!("{shown}: {}", shown_name(name.as_bytes())), entry, budget)?;
        }
    }
    Ok(())
}

/// Refuses an archive for a bad entry; else says which wanted file the entry may be, by its base name.
fn check_entry(
    name: &str,
    number: usize,
    is_link: bool,
    shown: &str,
    intake: &Intake<'_>,
) -> Result<Option<PinnedFile>, ArchiveError> {
    let archive = || shown.to_owned();
    let entry = || name.to_owned();
    if number >= MOST_ENTRIES {
        return Err(ArchiveError::TooManyEntries { archive: archive(), most: MOST_ENTRIES });
    }
    if name.len() > LONGEST_NAME {
        return Err(ArchiveError::LongName { archive: archive(), bytes: name.len(), most: LONGEST_NAME });
    }
    // Backslashes and drive letters too: an archive is good or bad on every system alike.
    let mut steps = name.split(['/', '\\']);
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with(['/', '\\']) || has_drive || steps.any(|step| step == "..") {
        return Err(ArchiveError::UnsafePath { archive: archive(), entry: entry() });
    }
    let base_name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    if is_link && intake.has_use_for(base_name) {
        return Err(ArchiveError::Link { archive: archive(), entry: entry() });
    }
    Ok(intake.named(base_name))
}

fn budget(intake: &Intake<'_>) -> Budget {
    let wanted: u64 = intake.wanted().iter().map(|file| file.bytes).sum();
    Budget::new(SPARE_BYTES.saturating_add(wanted.saturating_mul(WANTED_TIMES)))
}

/// A path as it is shown, with nothing that moves a terminal's cursor: clients name the packages they leave.
fn shown_path(path: &Path) -> String {
    path.display().to_string().replace(char::is_control, "?")
}

/// Up to 512 bytes, the length of a tar header.
fn first_bytes(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(512);
    reader.take(512).read_to_end(&mut head)?;
    Ok(head)
}

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}
