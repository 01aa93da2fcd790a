//! Reading speed of `hedgerow-data` against what a Python user has, both sides in one run.
//!
//! [`files`] makes the files, one after another; [`reading`] says what must be the same on all sides; [`peers`] is
//! the Python side, `bench/peers/data.py`; [`table`] prints. Sides take turns ([`crate::interleaved`]), and all files are
//! in the system's cache: disks are not measured.

pub mod files;
pub mod peers;
pub mod reading;
pub mod table;

use std::path::{Path, PathBuf};

use hedgerow_data::progress::silent;
use hedgerow_data::{Dataset, ReadError, ReadOptions};

use crate::interleaved::{timed, try_interleaved};
use crate::mnist::{self, MnistError};
use crate::python::process::PeerError;
use files::{Content, Order, Pictures};
use peers::Peers;
use reading::Reading;
use table::{FileTimes, PeerTimes, Table, Target};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what the messages say")]
pub enum DataError {
    /// The sides read different things, so that a ratio of their times would mean nothing.
    #[error(
        "{file}: {what} is {ours} by hedgerow, {other} by {side}; one of the two is wrong, and the ratio would mean nothing"
    )]
    Unequal { file: &'static str, side: &'static str, what: &'static str, ours: String, other: String },
    /// A test file that cannot be made.
    #[error("cannot write {}: {source}; free space in the temporary folder, or set TMPDIR to another", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    /// A folder of other data than pictures of bytes.
    #[error("{} does not hold pictures of bytes with labels from 0 to 255; give a folder of the four MNIST files", .0.display())]
    NoPictures(PathBuf),
    /// One of the variants of [`MnistError`].
    #[error(transparent)]
    Mnist(#[from] MnistError),
    /// What our reader refuses.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A failure of the Python side.
    #[error(transparent)]
    Peer(#[from] PeerError),
}

/// A way to read in Python.
#[derive(Debug, Clone, Copy)]
struct Peer {
    /// Its name in `data.py`.
    request: &'static str,
    name: &'static str,
}

const CSV_PEERS: &[Peer] = &[
    Peer { request: "pandas_csv_c", name: "pandas.read_csv, C engine" },
    Peer { request: "pyarrow_csv_one_thread", name: "pyarrow.csv" },
    Peer { request: "pandas_csv_pyarrow", name: "pandas.read_csv, pyarrow engine" },
    Peer { request: "pyarrow_csv", name: "pyarrow.csv" },
];
const NPY_PEERS: &[Peer] = &[Peer { request: "numpy_load", name: "numpy.load" }];
const COLUMNS_PEERS: &[Peer] = &[
    Peer { request: "parquet_columns_one_thread", name: "pyarrow.parquet" },
    Peer { request: "parquet_columns", name: "pyarrow.parquet" },
];
const LISTS_PEERS: &[Peer] = &[
    Peer { request: "parquet_lists_one_thread", name: "pyarrow.parquet" },
    Peer { request: "parquet_lists", name: "pyarrow.parquet" },
];
const SVMLIGHT_PEERS: &[Peer] = &[Peer { request: "svmlight", name: "sklearn load_svmlight_file" }];
const IDX_PEERS: &[Peer] = &[Peer { request: "numpy_fromfile", name: "numpy.fromfile" }];
const GZIP_PEERS: &[Peer] = &[Peer { request: "gzip_frombuffer", name: "gzip, numpy.frombuffer" }];

const CSV_TARGET: Option<Target> = Some(Target::MegabytesPerSecond(200.0));

/// A file to make and to read.
struct TestFile {
    what: &'static str,
    name: &'static str,
    /// The labels, if they are in a file of their own.
    labels: Option<(&'static str, Content)>,
    source: Source,
    peers: &'static [Peer],
    target: Option<Target>,
}

/// How a file is made.
enum Source {
    /// By this program.
    Here(Content),
    /// By pyarrow, of the rows of a matrix. `request` is the name in `data.py`.
    Pyarrow { request: &'static str, matrix: Content },
}

const FILES: [TestFile; 11] = [
    TestFile {
        what: "CSV, 20 columns of 6 decimals",
        name: "decimals.csv",
        labels: None,
        source: Source::Here(Content::DecimalsCsv),
        peers: CSV_PEERS,
        target: CSV_TARGET,
    },
    TestFile {
        what: "CSV, 20 columns of all digits",
        name: "digits.csv",
        labels: None,
        source: Source::Here(Content::DigitsCsv),
        peers: CSV_PEERS,
        target: CSV_TARGET,
    },
    TestFile {
        what: "CSV, pixels",
        name: "pixels.csv",
        labels: None,
        source: Source::Here(Content::PixelsCsv),
        peers: CSV_PEERS,
        target: CSV_TARGET,
    },
    TestFile {
        what: "NPY f4, C order",
        name: "rows.npy",
        labels: None,
        source: Source::Here(Content::FloatsNpy { width: 64, order: Order::C }),
        peers: NPY_PEERS,
        target: None,
    },
    TestFile {
        what: "NPY f4, Fortran order",
        name: "columns.npy",
        labels: None,
        source: Source::Here(Content::FloatsNpy { width: 64, order: Order::Fortran }),
        peers: NPY_PEERS,
        target: None,
    },
    TestFile {
        what: "NPY u1, pixels",
        name: "pixels.npy",
        labels: None,
        source: Source::Here(Content::PixelsNpy),
        peers: NPY_PEERS,
        target: None,
    },
    TestFile {
        what: "Parquet, 20 columns of f32",
        name: "columns.parquet",
        labels: None,
        source: Source::Pyarrow {
            request: "write_parquet_columns",
            matrix: Content::FloatsNpy { width: 20, order: Order::C },
        },
        peers: COLUMNS_PEERS,
        target: None,
    },
    TestFile {
        what: "Parquet, lists of 64 f32",
        name: "lists.parquet",
        labels: None,
        source: Source::Pyarrow {
            request: "write_parquet_lists",
            matrix: Content::FloatsNpy { width: 64, order: Order::C },
        },
        peers: LISTS_PEERS,
        target: None,
    },
    TestFile {
        what: "svmlight, 31 of 200 features",
        name: "sparse.svm",
        labels: None,
        source: Source::Here(Content::Svmlight),
        peers: SVMLIGHT_PEERS,
        target: None,
    },
    TestFile {
        what: "IDX, pictures and labels",
        name: "train-images-idx3-ubyte",
        labels: Some(("train-labels-idx1-ubyte", Content::LabelsIdx)),
        source: Source::Here(Content::PicturesIdx),
        peers: IDX_PEERS,
        target: Some(Target::Seconds(0.060)),
    },
    TestFile {
        what: "IDX packed by gzip",
        name: "train-images-idx3-ubyte.gz",
        labels: Some(("train-labels-idx1-ubyte.gz", Content::LabelsIdxGzip)),
        source: Source::Here(Content::PicturesIdxGzip),
        peers: GZIP_PEERS,
        target: None,
    },
];

/// Makes each file, reads it on all sides `repeats` times in turn, and removes it.
///
/// The pictures are those of `mnist`, a folder of its four files, or synthetic.
///
/// # Errors
/// [`DataError`]. That there is no Python is none: then our side is measured alone, and the table says why.
pub fn measure(mnist: Option<&Path>, repeats: usize) -> Result<Table, DataError> {
    let pictures = match mnist {
        Some(folder) => real_pictures(folder)?,
        None => Pictures::synthetic(files::PICTURES),
    };
    let folder = tempfile::Builder::new().prefix("hedgerow-bench-").tempdir();
    let folder = folder.map_err(|source| DataError::Write { path: std::env::temp_dir(), source })?;
    let started = Peers::start(folder.path());
    let mut peers = started.map_err(|error| {
        eprintln!("warning: no peers: {error}\n{}", error.details());
        error.to_string()
    });
    let mut measured = Vec::new();
    for file in &FILES {
        match measure_file(file, folder.path(), &pictures, peers.as_mut().ok(), repeats)? {
            Some(times) => measured.push(times),
            None => eprintln!("{}: left out, because pyarrow would make it", file.what),
        }
    }
    let peers = peers.map(|peers| peers.versions().to_owned());
    let pictures = if mnist.is_some() { "those given" } else { "synthetic" };
    Ok(Table { files: measured, repeats, pictures, peers })
}

fn real_pictures(folder: &Path) -> Result<Pictures, DataError> {
    let data = mnist::read_folder(folder)?;
    Pictures::of_training(&data).ok_or_else(|| DataError::NoPictures(folder.to_owned()))
}

/// The times of all sides, or nothing if the file cannot be made without peers.
fn measure_file(
    file: &TestFile,
    folder: &Path,
    pictures: &Pictures,
    mut peers: Option<&mut Peers>,
    repeats: usize,
) -> Result<Option<FileTimes>, DataError> {
    eprintln!("{}: making the file", file.what);
    let path = folder.join(file.name);
    match (&file.source, &mut peers) {
        (Source::Here(content), _) => write(*content, &path, pictures)?,
        (Source::Pyarrow { request, matrix }, Some(peers)) => {
            let matrix_path = folder.join("matrix.npy");
            write(*matrix, &matrix_path, pictures)?;
            peers.write(request, &path, &matrix_path)?;
            remove(&matrix_path);
        }
        (Source::Pyarrow { .. }, None) => return Ok(None),
    }
    let labels = file.labels.map(|(name, content)| (folder.join(name), content));
    if let Some((path, content)) = &labels {
        write(*content, path, pictures)?;
    }
    let labels = labels.map(|(path, _)| path);
    let times = compare(file, &path, labels.as_deref(), peers, repeats);
    remove(&path);
    labels.iter().for_each(|path| remove(path));
    times.map(Some)
}

fn compare(
    file: &TestFile,
    path: &Path,
    labels: Option<&Path>,
    mut peers: Option<&mut Peers>,
    repeats: usize,
) -> Result<FileTimes, DataError> {
    let options = ReadOptions { labels_from: labels.map(Path::to_owned), ..ReadOptions::default() };
    let ours = || -> Result<(Dataset, f64), ReadError> {
        let (data, nanoseconds) = timed(|| hedgerow_data::read(path, &options, &mut silent()));
        Ok((data?, nanoseconds * 1e-9))
    };
    eprintln!("{}: first read of each side, not timed", file.what);
    let expected = Reading::of(&ours()?.0);
    let mut timed_peers = Vec::new();
    if let Some(peers) = &mut peers {
        for peer in file.peers {
            let answer = peers.read(peer.request, path, labels)?;
            check(file.what, &expected, peer.name, &answer.reading)?;
            timed_peers.push(PeerTimes { name: peer.name, threads: answer.threads, seconds: Vec::new() });
        }
    }
    let times = try_interleaved(repeats, 1 + timed_peers.len(), |side, repeat| {
        if side == repeat % (1 + timed_peers.len()) {
            eprintln!("{}: {} of {repeats}", file.what, repeat + 1);
        }
        match (side.checked_sub(1), &mut peers) {
            (Some(number), Some(peers)) => {
                let peer = &file.peers[number];
                let answer = peers.read(peer.request, path, labels)?;
                check(file.what, &expected, peer.name, &answer.reading)?;
                Ok(answer.seconds)
            }
            _ => {
                let (data, seconds) = ours()?;
                check(file.what, &expected, "hedgerow again", &Reading::of(&data))?;
                Ok::<_, DataError>(seconds)
            }
        }
    })?;
    let mut times = times.into_iter();
    let ours = times.next().unwrap_or_default();
    timed_peers.iter_mut().zip(times).for_each(|(peer, seconds)| peer.seconds = seconds);
    let size_bytes = [Some(path), labels].into_iter().flatten().map(size_bytes).sum();
    Ok(FileTimes { file: file.what, size_bytes, target: file.target, ours, peers: timed_peers })
}

fn check(file: &'static str, ours: &Reading, side: &'static str, other: &Reading) -> Result<(), DataError> {
    match ours.difference(other) {
        None => Ok(()),
        Some((what, [ours, other])) => Err(DataError::Unequal { file, side, what, ours, other }),
    }
}

fn write(content: Content, path: &Path, pictures: &Pictures) -> Result<(), DataError> {
    let written = std::fs::File::create(path).and_then(|file| {
        let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
        content.write(content.rows(), pictures, &mut out)?;
        std::io::Write::flush(&mut out)
    });
    written.map_err(|source| DataError::Write { path: path.to_owned(), source })
}

/// Removes a file that is no longer needed. What cannot be removed now goes with the folder.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn size_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}
