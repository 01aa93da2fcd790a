//! Where bytes come from: a file, memory or a stream, decompressed if it is gzip.
//!
//! Memory mapping was considered and left out: it needs `unsafe`, a mapped file that somebody cuts off kills the process,
//! and reading into place measured as fast (`docs/decisions/0007-data-in.md`).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Place, Problem, ReadError};
use crate::gzip::Members;

/// Bytes asked of the system at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A source of bytes with a name for errors.
pub(crate) struct Input {
    name: String,
    source: Source,
}

enum Source {
    File(PathBuf),
    Bytes(Arc<[u8]>),
    /// Can be opened once; empty afterwards.
    Stream(Option<Box<dyn Read + Send>>),
    /// A stream that has been opened to look at its first bytes, which were put back.
    Peeked(Option<Opened>),
}

/// Bytes being read, decompressed on the way.
pub(crate) struct Opened {
    pub(crate) reader: Box<dyn BufRead + Send>,
    file: String,
    count: Arc<AtomicU64>,
    compressed: bool,
}

/// What can be both read and sought: what archives and Parquet need.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// A source that can be read at any position, as what it is.
pub(crate) enum Whole {
    File(File),
    Shared(Arc<[u8]>),
    Owned(Vec<u8>),
}

impl Input {
    /// A file. A pipe is taken as a stream; folders and devices are refused.
    pub(crate) fn file(path: &Path) -> Result<Self, ReadError> {
        let name = path.display().to_string();
        let place = || Place::file(&name);
        let metadata = std::fs::metadata(path).map_err(|error| place().error(Problem::Io(error)))?;
        if metadata.is_file() {
            return Ok(Self { name, source: Source::File(path.to_owned()) });
        }
        if is_pipe(&metadata) {
            let file = File::open(path).map_err(|error| place().error(Problem::Io(error)))?;
            return Ok(Self::stream(&name, Box::new(file)));
        }
        let what = if metadata.is_dir() { "a folder" } else { "a device or a socket" };
        Err(place().error(Problem::NotAFile { what }))
    }

    /// Bytes in memory.
    pub(crate) fn bytes(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.to_owned(), source: Source::Bytes(bytes.into()) }
    }

    /// A stream, which can be read once only.
    pub(crate) fn stream(name: &str, stream: Box<dyn Read + Send>) -> Self {
        Self { name: name.to_owned(), source: Source::Stream(Some(stream)) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn place(&self) -> Place {
        Place::file(&self.name)
    }

    /// Bytes in all, before decompression, if that is known.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        match &self.source {
            Source::File(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
            Source::Bytes(bytes) => Some(bytes.len() as u64),
            Source::Stream(_) | Source::Peeked(_) => None,
        }
    }

    /// Takes a stream into memory, so that it can be read more than once.
    pub(crate) fn make_rereadable(&mut self, memory_limit: u64) -> Result<(), ReadError> {
        if matches!(self.source, Source::Stream(_) | Source::Peeked(_)) {
            let bytes = self.read_whole(memory_limit)?;
            self.source = Source::Bytes(bytes.into());
        }
        Ok(())
    }

    /// All bytes, decompressed.
    fn read_whole(&mut self, memory_limit: u64) -> Result<Vec<u8>, ReadError> {
        let mut opened = self.open()?;
        let mut bytes = Vec::new();
        opened.append_to(&mut bytes, memory_limit.saturating_add(1))?;
        if bytes.len() as u64 > memory_limit {
            let problem = Problem::TooLarge { needed_bytes: bytes.len() as u64, limit_bytes: memory_limit };
            return Err(self.place().error(problem));
        }
        Ok(bytes)
    }

    /// The first bytes, decompressed, without using up a stream.
    pub(crate) fn peek(&mut self, n_bytes: usize) -> Result<Vec<u8>, ReadError> {
        let mut opened = self.open()?;
        let mut head = Vec::new();
        opened.append_to(&mut head, n_bytes as u64)?;
        if matches!(self.source, Source::Stream(_) | Source::Peeked(_)) {
            // What was taken is put back in front.
            let reader = Box::new(io::Cursor::new(head.clone()).chain(opened.reader));
            self.source = Source::Peeked(Some(Opened { reader, ..opened }));
        }
        Ok(head)
    }

    /// Begins to read, decompressing if the bytes begin as gzip does.
    pub(crate) fn open(&mut self) -> Result<Opened, ReadError> {
        let raw: Box<dyn Read + Send> = match &mut self.source {
            Source::File(path) => {
                let opened = File::open(&*path).map_err(|error| Place::file(&self.name).error(Problem::Io(error)))?;
                Box::new(opened)
            }
            Source::Bytes(bytes) => Box::new(io::Cursor::new(Arc::clone(bytes))),
            Source::Stream(stream) => stream.take().unwrap_or_else(|| Box::new(io::empty())),
            Source::Peeked(opened) => match opened.take() {
                Some(opened) => return Ok(opened),
                None => Box::new(io::empty()),
            },
        };
        let count = Arc::new(AtomicU64::new(0));
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, Counted { inner: raw, count: Arc::clone(&count) });
        let head = reader.fill_buf().map_err(|error| self.place().error(Problem::Io(error)))?;
        let compressed = head.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn BufRead + Send> = if compressed {
            Box::new(BufReader::with_capacity(BUFFER_BYTES, Members::new(reader)))
        } else {
            Box::new(reader)
        };
        Ok(Opened { reader, file: self.name.clone(), count, compressed })
    }

    /// Opens for reading at any position; what can only be read in order, or is compressed, is taken into memory first.
    pub(crate) fn open_anywhere(&mut self, memory_limit: u64) -> Result<Box<dyn ReadSeek>, ReadError> {
        Ok(match self.open_whole(memory_limit)? {
            Whole::File(file) => Box::new(file),
            Whole::Shared(bytes) => Box::new(io::Cursor::new(bytes)),
            Whole::Owned(bytes) => Box::new(io::Cursor::new(bytes)),
        })
    }

    /// As [`Self::open_anywhere`], but as what it is: a file at its beginning, or bytes that need not be copied again.
    pub(crate) fn open_whole(&mut self, memory_limit: u64) -> Result<Whole, ReadError> {
        if let Source::File(path) = &self.source {
            let io = |error| Place::file(&self.name).error(Problem::Io(error));
            let mut file = File::open(path).map_err(io)?;
            let mut head = [0; 2];
            let n_head = file.read(&mut head).map_err(io)?;
            if head[..n_head] != [0x1f, 0x8b] {
                file.rewind().map_err(io)?;
                return Ok(Whole::File(file));
            }
        }
        if let Source::Bytes(bytes) = &self.source {
            if !bytes.starts_with(&[0x1f, 0x8b]) {
                return Ok(Whole::Shared(Arc::clone(bytes)));
            }
        }
        let bytes = self.read_whole(memory_limit)?;
        Ok(Whole::Owned(bytes))
    }
}

impl Opened {
    /// Bytes taken from the source so far, before decompression.
    pub(crate) fn count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.count)
    }

    pub(crate) fn place(&self) -> Place {
        Place::file(&self.file)
    }

    /// The error that a failed read is.
    pub(crate) fn error(&self, error: io::Error) -> ReadError {
        let damaged = matches!(
            error.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
        );
        let problem = if self.compressed && damaged { Problem::Compressed(error) } else { Problem::Io(error) };
        self.place().error(problem)
    }

    /// Appends up to `n_bytes` to `into`, growing it only as bytes arrive; how many arrived.
    pub(crate) fn append_to(&mut self, into: &mut Vec<u8>, n_bytes: u64) -> Result<u64, ReadError> {
        let read = (&mut self.reader).take(n_bytes).read_to_end(into);
        read.map(|n_read| n_read as u64).map_err(|error| self.error(error))
    }
}

/// Counts the bytes that pass.
pub(crate) struct Counted<R> {
    pub(crate) inner: R,
    pub(crate) count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n_read = self.inner.read(into)?;
        self.count.fetch_add(n_read as u64, Ordering::Relaxed);
        Ok(n_read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn all(input: &mut Input) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        input.open()?.append_to(&mut bytes, u64::MAX).map(|_| bytes)
    }

    #[test]
    fn gzip_is_recognised_by_its_contents_and_members_follow_one_another() {
        let two = [gzip(b"hedge"), gzip(b"row")].concat();
        assert_eq!(all(&mut Input::bytes("x", &two)).unwrap(), b"hedgerow");
        assert_eq!(all(&mut Input::bytes("x", b"plain")).unwrap(), b"plain");
        assert_eq!(all(&mut Input::bytes("x", b"")).unwrap(), b"");
    }

    #[test]
    fn a_cut_off_gzip_is_damage_not_an_end() {
        let mut cut = gzip(&[7; 10_000]);
        cut.truncate(cut.len() - 9);
        let error = all(&mut Input::bytes("x.gz", &cut)).unwrap_err();
        assert!(matches!(*error.problem, Problem::Compressed(_)), "{error}");
    }

    #[test]
    fn a_stream_can_be_peeked_at_and_then_read_whole() {
        for bytes in [b"some text".to_vec(), gzip(b"some text")] {
            let mut input = Input::stream("-", Box::new(io::Cursor::new(bytes)));
            assert_eq!(input.peek(4).unwrap(), b"some");
            assert_eq!(all(&mut input).unwrap(), b"some text");
            assert_eq!(all(&mut input).unwrap(), b"", "a stream is read once");
        }
    }

    #[test]
    fn a_damaged_gzip_stream_is_known_as_such_after_a_look() {
        let mut cut = gzip(&(0..100_000_u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>());
        cut.truncate(cut.len() / 2);
        let mut input = Input::stream("-", Box::new(io::Cursor::new(cut)));
        input.peek(4).unwrap();
        let error = all(&mut input).unwrap_err();
        assert!(matches!(*error.problem, Problem::Compressed(_)), "{error}");
    }

    #[test]
    fn taking_a_stream_into_memory_heeds_the_limit() {
        let stream = || Input::stream("-", Box::new(io::repeat(b'a').take(1 << 40)));
        let error = stream().make_rereadable(1000).unwrap_err();
        assert!(matches!(*error.problem, Problem::TooLarge { needed_bytes: 1001, limit_bytes: 1000 }), "{error}");
        let bomb = gzip(&vec![0; 1 << 20]);
        assert!(Input::bytes("bomb", &bomb).open_anywhere(1000).is_err());
    }

    #[test]
    fn folders_and_missing_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let error = Input::file(folder.path()).err().unwrap();
        assert!(matches!(*error.problem, Problem::NotAFile { what: "a folder" }), "{error}");
        let error = Input::file(&folder.path().join("none.csv")).err().unwrap();
        assert!(error.to_string().ends_with("check the path"), "{error}");
    }
}
