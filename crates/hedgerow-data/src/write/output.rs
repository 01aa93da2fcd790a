//! Where the bytes go: a file that appears whole or not at all, or a stream.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use super::partial;

/// Bytes given to the system at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A file or stream being written.
pub(super) struct Output {
    layer: Layer,
}

enum Layer {
    Plain(BufWriter<Target>),
    /// Compressed. The header names neither file nor time, so the same rows give the same bytes.
    Gzip(Box<GzEncoder<BufWriter<Target>>>),
}

enum Target {
    /// A temporary file beside the final one, deleted when dropped; what a killed process left is in [`partial`].
    File {
        temporary: NamedTempFile,
        path: PathBuf,
    },
    Stream(Box<dyn Write + Send>),
}

impl Output {
    /// A file that takes its name in [`Self::finish`].
    pub(super) fn file(path: &Path, gzip: bool) -> io::Result<Self> {
        let target = Target::open(path)?;
        let buffered = BufWriter::with_capacity(BUFFER_BYTES, target);
        let layer = if gzip {
            Layer::Gzip(Box::new(GzEncoder::new(buffered, Compression::default())))
        } else {
            Layer::Plain(buffered)
        };
        Ok(Self { layer })
    }

    pub(super) fn stream(stream: Box<dyn Write + Send>) -> Self {
        Self { layer: Layer::Plain(BufWriter::with_capacity(BUFFER_BYTES, Target::Stream(stream))) }
    }

    /// Whether [`Self::patch`] works.
    pub(super) fn can_patch(&self) -> bool {
        matches!(&self.layer, Layer::Plain(buffered) if matches!(buffered.get_ref(), Target::File { .. }))
    }

    /// Writes over the first bytes of a file, then goes on at its end.
    pub(super) fn patch(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.layer {
            Layer::Plain(buffered) => {
                buffered.flush()?;
                match buffered.get_mut() {
                    Target::File { temporary, .. } => {
                        let file = temporary.as_file_mut();
                        file.seek(SeekFrom::Start(0))?;
                        file.write_all(bytes)?;
                        file.seek(SeekFrom::End(0)).map(|_| ())
                    }
                    Target::Stream(_) => Err(io::ErrorKind::NotSeekable.into()),
                }
            }
            Layer::Gzip(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }

    /// Writes what is buffered and puts a file in its place.
    pub(super) fn finish(self) -> io::Result<()> {
        let buffered = match self.layer {
            Layer::Plain(buffered) => buffered,
            Layer::Gzip(encoder) => encoder.finish()?,
        };
        let target = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
        match target {
            Target::Stream(mut stream) => stream.flush(),
            Target::File { temporary, path } => {
                // The contents must be on the disk before the name points to them, else a power cut leaves an empty file.
                temporary.as_file().sync_all()?;
                temporary.persist(&path).map_err(|error| error.error)?;
                sync_folder(folder_of(&path));
                partial::remove_leftovers(&path);
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.layer {
            Layer::Plain(buffered) => buffered.write(bytes),
            Layer::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.layer {
            Layer::Plain(buffered) => buffered.flush(),
            Layer::Gzip(encoder) => encoder.flush(),
        }
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        let path = match Destination::of(path)? {
            Destination::File(path) => path,
            Destination::StandardOutput => return Ok(Self::Stream(Box::new(io::stdout()))),
            Destination::StandardError => return Ok(Self::Stream(Box::new(io::stderr()))),
            Destination::OpenFile(path) => {
                return Ok(Self::Stream(Box::new(File::options().append(true).open(path)?)));
            }
        };
        let existing = match fs::symlink_metadata(&path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(metadata) = &existing {
            if metadata.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            if !metadata.is_file() {
                // To put a file in the place of a pipe or a device would destroy it.
                return Ok(Self::Stream(Box::new(File::options().write(true).open(path)?)));
            }
            // Replacing a file asks the folder for leave, not the file. Who protected the file meant it.
            File::options().write(true).open(&path)?;
        }
        let temporary = partial::create(&path)?;
        if let Some(metadata) = existing {
            temporary.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Self::File { temporary, path })
    }
}

/// What a path leads to when all links are followed.
#[derive(Debug, PartialEq, Eq)]
enum Destination {
    /// A file, device or pipe of this name, or a place where a file can be.
    File(PathBuf),
    StandardOutput,
    StandardError,
    /// A file that some process holds open, named by its number there. It has a name of its own, but to replace the file
    /// under that name would lose what was written to it before and tear it from the others that write to it.
    OpenFile(PathBuf),
}

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

impl Destination {
    /// Follows the links one by one: on Linux, `/dev/stdout` and the entries of `/dev/fd` are links themselves, and at the
    /// end of all links nothing tells a redirected stream from any other file.
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            match path.to_str() {
                Some("/dev/stdout") if cfg!(unix) => return Ok(Self::StandardOutput),
                Some("/dev/stderr") if cfg!(unix) => return Ok(Self::StandardError),
                _ => {}
            }
            let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
            let folder = fs::canonicalize(folder_of(&path))?;
            let full = folder.join(name);
            if cfg!(unix) && (folder.starts_with("/dev/fd") || folder.starts_with("/proc")) {
                let own =
                    folder.starts_with("/dev/fd") || fs::canonicalize("/proc/self/fd").is_ok_and(|own| own == folder);
                return Ok(match name.to_str() {
                    Some("1") if own => Self::StandardOutput,
                    Some("2") if own => Self::StandardError,
                    _ => Self::OpenFile(full),
                });
            }
            match fs::read_link(&full) {
                Ok(target) => path = folder.join(target),
                // It is no link, or there is nothing: then a file can be there.
                Err(_) => return Ok(Self::File(full)),
            }
        }
        Err(io::Error::other("too many links lead from one to the next"))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File { temporary, .. } => temporary.write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File { temporary, .. } => temporary.flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

/// The folder of a file; the current one if the name has none.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes a new name in a folder safe against a power cut, where the system can.
fn sync_folder(folder: &Path) {
    // Not every system and folder can do this, and the new file is whole and in its place: to call that a failure would
    // be wrong, and there is nothing that the user could do.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
