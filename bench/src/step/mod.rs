//! The speed of the DBS training step against PyTorch and against the bare matrix products, all sides in one run.
//!
//! [`ours`] is our side, [`pytorch`] the other, `bench/peers/learn.py`, and [`floor`] the products alone; [`pictures`]
//! are what they learn from, [`to_error`] trains until the error is low, [`table`] prints. Both sides start from the same
//! weights and take the same rows in the same order, and a run whose losses differ ends with an error.

pub mod floor;
pub mod ours;
pub mod pictures;
pub mod pytorch;
pub mod table;
pub mod to_error;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hedgerow_core::PointsError;
use hedgerow_data::LoadError;
use hedgerow_learn::evaluation::EvaluationError;
use hedgerow_learn::{ApplyError, StepError};
use rayon::{ThreadPool, ThreadPoolBuildError};

use crate::interleaved::try_interleaved;
use crate::mnist::MnistError;
use crate::python::environment::{SetupError, prepare};
use crate::python::process::PeerError;
use ours::{Ours, ROUND};
use pictures::Pictures;
use pytorch::{Files, PyTorch};
use table::{DataTimes, Epoch, Kind, SideTimes, Table};

/// Threads of the sides: each side once with each.
const THREADS: [usize; 2] = [2, 1];

/// Before each timed epoch. Threads of OpenMP, which PyTorch uses, keep a core busy for a fifth of a second after their work is done, which would
/// be counted against the side that comes next.
const PAUSE: Duration = Duration::from_millis(500);

/// The greatest relative difference of the mean losses of the first epoch.
const TOLERANCE: f64 = 0.1;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what the messages say")]
pub enum MeasureError {
    /// The sides learn different things, so that a ratio of their times would mean nothing.
    #[error(
        "{data}: the mean loss of the first epoch is {ours:.4} by hedgerow, {other:.4} by {side} with {threads} threads, from \
         the same weights and rows; they are not the same algorithm, and the ratio would mean nothing"
    )]
    Unequal { data: &'static str, side: &'static str, threads: usize, ours: f64, other: f64 },
    /// No folder given, and nothing in the data directory.
    #[error("{0}; or give the folder of its four files: `step --mnist DIR`")]
    NoMnist(LoadError),
    /// Other data than pictures of bytes.
    #[error("{} does not hold pictures of bytes with classes; give a folder of the four MNIST files", .0.display())]
    NoPictures(PathBuf),
    /// Too little to learn from.
    #[error("{name} has {n} training pictures, which are too few: this takes at least {least}")]
    TooFew { name: &'static str, n: usize, least: usize },
    /// A file for the other side that cannot be written, or one of it that cannot be read.
    #[error("cannot use {}: {source}; free space in the temporary folder, or set TMPDIR to another", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    /// Representations that are no points.
    #[error("the representations that PyTorch wrote cannot be used: {0}")]
    Representations(PointsError),
    /// No PyTorch, or none that works.
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error(transparent)]
    Mnist(#[from] MnistError),
    #[error("the threads cannot be started: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// What to measure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The folder of MNIST; else it is taken from the data directory.
    pub mnist: Option<PathBuf>,
    /// The folder of Fashion-MNIST, if it is wanted too.
    pub fashion: Option<PathBuf>,
    /// Whether to train until the error on MNIST is low, too.
    pub to_error: bool,
}

/// Trains on all sides, one epoch of each in turn.
///
/// # Errors
/// [`MeasureError`]. That there is no PyTorch is none: then our side is measured alone, and the table says why.
pub fn measure(plan: &Plan, repeats: usize) -> Result<Table, MeasureError> {
    let mnist = Pictures::mnist(plan.mnist.as_deref())?;
    let fashion = plan.fashion.as_deref().map(Pictures::fashion).transpose()?;
    let folder = tempfile::Builder::new().prefix("hedgerow-bench-").tempdir();
    let folder = folder.map_err(|source| MeasureError::Write { path: std::env::temp_dir(), source })?;
    let mut python = prepare(&pytorch::REQUIREMENTS).map_err(|error| without_pytorch(&error));
    let mut table = Table { data: Vec::new(), repeats, peers: Ok(String::new()), to_error: Vec::new() };
    for pictures in [Some(&mnist), fashion.as_ref()].into_iter().flatten() {
        let folder = folder.path().join(pictures.name());
        std::fs::create_dir_all(&folder).map_err(|source| MeasureError::Write { path: folder.clone(), source })?;
        let files = Files::write(&folder, pictures)?;
        let (mut sides, versions) = match start(pictures, &files, &folder, python.as_deref().ok()) {
            Err(MeasureError::Setup(error)) => {
                python = Err(without_pytorch(&error));
                start(pictures, &files, &folder, None)?
            }
            started => started?,
        };
        table.peers = python.clone().map(|_| versions.unwrap_or_default());
        table.data.push(compare(pictures, &mut sides, repeats)?);
        drop(sides);
        if plan.to_error && table.data.len() == 1 {
            table.to_error = to_error::measure(pictures, &files, &folder, python.as_deref().ok())?;
        }
    }
    Ok(table)
}

/// Warns that our side is alone. Gives the reason in one line, for the table.
fn without_pytorch(error: &SetupError) -> String {
    eprintln!("warning: no PyTorch: {error}\n{}", error.details());
    error.to_string()
}

/// A side at work.
enum Runner<'a> {
    Ours(Box<Ours<'a>>),
    PyTorch(PyTorch),
    /// The products alone.
    Floor(ThreadPool),
}

struct Side<'a> {
    runner: Runner<'a>,
    times: SideTimes,
}

impl Side<'_> {
    /// Epoch `number`, in the order that all sides take. `n_references` are the mean sizes of our sets, epoch by epoch.
    fn epoch(&mut self, pictures: &Pictures, number: usize, n_references: &[f64]) -> Result<Epoch, MeasureError> {
        let order = ours::order(pictures.classes().len(), number);
        match &mut self.runner {
            Runner::Ours(ours) => Ok(ours.epoch(&order, number)?),
            Runner::PyTorch(pytorch) => pytorch.epoch(&order, number),
            Runner::Floor(pool) => {
                let n_live = ours::N_TRAIN + n_references[number].round() as usize;
                let products = floor::products(pictures.points().width(), ROUND, n_live);
                let seconds = floor::seconds(pool, &products, order.len() / ROUND);
                Ok(Epoch { seconds, loss: None, n_references: None })
            }
        }
    }
}

/// All sides at their start, and the versions of PyTorch if there is one.
fn start<'a>(
    pictures: &'a Pictures,
    files: &Files,
    folder: &Path,
    python: Option<&Path>,
) -> Result<(Vec<Side<'a>>, Option<String>), MeasureError> {
    let (mut sides, mut versions) = (Vec::new(), None);
    for threads in THREADS {
        let mut add =
            |kind: Kind, runner: Runner<'a>| sides.push(Side { runner, times: SideTimes::new(kind, threads) });
        let ours = Ours::new(pictures.points(), pictures.classes(), threads, None)?;
        add(Kind::Ours, Runner::Ours(Box::new(ours)));
        for kind in [Kind::Eager, Kind::Compiled] {
            let Some(python) = python else { continue };
            let folder = folder.join(format!("{kind:?}-{threads}"));
            let pytorch = PyTorch::start(python, folder, files, kind, threads, None)?;
            versions = Some(pytorch.versions().to_owned());
            add(kind, Runner::PyTorch(pytorch));
        }
        add(Kind::Floor, Runner::Floor(ours::pool(threads)?));
    }
    Ok((sides, versions))
}

/// One epoch of each side that is not timed, then `repeats` in turn.
fn compare(pictures: &Pictures, sides: &mut Vec<Side<'_>>, repeats: usize) -> Result<DataTimes, MeasureError> {
    let data = pictures.name();
    eprintln!("{data}: a rehearsal, for the sizes of the boundary sets");
    let mut rehearsal = Ours::new(pictures.points(), pictures.classes(), THREADS[0], None)?;
    let (mut n_references, mut first_loss) = (Vec::new(), None);
    for number in 0..=repeats {
        let epoch = rehearsal.epoch(&ours::order(pictures.classes().len(), number), number)?;
        n_references.extend(epoch.n_references);
        first_loss = first_loss.or(epoch.loss);
    }
    let mut failures = Vec::new();
    let mut warmed = Vec::new();
    for mut side in sides.drain(..) {
        let SideTimes { kind, threads, .. } = side.times;
        eprintln!("{data}: first epoch of {}, {threads} threads, not timed", kind.name());
        match side.epoch(pictures, 0, &n_references) {
            Ok(first) => {
                check(data, &side.times, first_loss, first.loss)?;
                side.times.first = Some(first);
                warmed.push(side);
            }
            // That it cannot be compiled for, here, is no fault of the measurement.
            Err(MeasureError::Peer(error)) if kind == Kind::Compiled => {
                eprintln!("warning: {error}");
                failures.push(format!("{}, {threads} threads: {}", kind.name(), error.one_line()));
            }
            Err(error) => return Err(error),
        }
    }
    *sides = warmed;
    let n_sides = sides.len();
    try_interleaved(repeats, n_sides, |side, repeat| {
        if side == repeat % n_sides {
            eprintln!("{data}: {} of {repeats}", repeat + 1);
        }
        std::thread::sleep(PAUSE);
        let epoch = sides[side].epoch(pictures, repeat + 1, &n_references)?;
        sides[side].times.epochs.push(epoch);
        Ok::<_, MeasureError>(epoch.seconds)
    })?;
    let n_rounds = pictures.classes().len() / ROUND;
    Ok(DataTimes { data, n_rounds, sides: sides.iter().map(|side| side.times.clone()).collect(), failures })
}

/// Refuses a side whose first epoch has another loss than ours. The floor has none.
fn check(data: &'static str, side: &SideTimes, ours: Option<f64>, other: Option<f64>) -> Result<(), MeasureError> {
    let (Some(ours), Some(other)) = (ours, other) else { return Ok(()) };
    // A loss that is not a number is not near either.
    let is_near = (other - ours).abs() <= TOLERANCE * ours.abs();
    let (side, threads) = (side.kind.name(), side.threads);
    if is_near { Ok(()) } else { Err(MeasureError::Unequal { data, side, threads, ours, other }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_losses_than_ours_are_refused() {
        let side = SideTimes::new(Kind::Eager, 2);
        assert!(check("MNIST", &side, Some(0.5), Some(0.549)).is_ok());
        assert!(check("MNIST", &side, Some(0.5), None).is_ok());
        for other in [0.551, 0.449, f64::NAN] {
            let error = check("MNIST", &side, Some(0.5), Some(other)).unwrap_err().to_string();
            assert!(error.starts_with("MNIST: the mean loss of the first epoch is 0.5000 by hedgerow"), "{error}");
        }
    }

    #[test]
    fn our_side_and_the_floor_run_without_python() {
        use hedgerow_core::{Label, Points};
        let values = (0..400 * 5).map(|at| if at % 5 == at / 5 % 2 { 200 } else { (at * 7 % 50) as u8 }).collect();
        let labels = (0..400).map(|row| Label::class(row % 2)).collect();
        let data = hedgerow_data::Dataset::new("a", Points::from_u8(5, values).unwrap(), labels).unwrap();
        let pictures = Pictures::new("dots", data, Path::new("a")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let files = Files::write(folder.path(), &pictures).unwrap();
        let (mut sides, versions) = start(&pictures, &files, folder.path(), None).unwrap();
        assert_eq!(versions, None);
        let times = compare(&pictures, &mut sides, 2).unwrap();
        let kinds = times.sides.iter().map(|side| (side.kind, side.threads)).collect::<Vec<_>>();
        assert_eq!(kinds, [(Kind::Ours, 2), (Kind::Floor, 2), (Kind::Ours, 1), (Kind::Floor, 1)]);
        assert!(times.sides.iter().all(|side| side.epochs.len() == 2));
        // Threads change nothing of what is learned.
        let losses = |side: &SideTimes| side.epochs.iter().map(|epoch| epoch.loss).collect::<Vec<_>>();
        assert_eq!(losses(&times.sides[0]), losses(&times.sides[2]));
        assert_eq!(losses(&times.sides[1]), [None, None]);
    }
}
