//! Learning on: a stream whose classes drift, and what one insertion costs.
//!
//! Each example is first asked about and then shown (*prequential* evaluation: test, then train). `drift.rs` makes the stream, `learners.rs` has those
//! that learn from it, `insertion.rs` measures single insertions, `record.rs`, `summary.rs` and `figure.rs` keep and show what came of it.

mod drift;
mod figure;
mod insertion;
mod learners;
mod record;
mod summary;

use std::path::PathBuf;
use std::time::Instant;

use hedgerow_core::{ExampleId, Label, Point};
use hedgerow_learn::evaluation::EvaluationError;

pub use self::drift::Drift;
pub use self::insertion::InsertionCost;
pub use self::learners::Learner;
use self::record::{Records, Window};
pub use self::summary::Row;
use crate::error::ExperimentError;
use crate::event::{Event, Listener};
use crate::learn::training::tell;
use crate::provenance::Provenance;
use crate::seeds::seeds;
use crate::{Extent, Report};

/// Windows that a stream is divided into, for accuracy over time.
const N_WINDOWS: usize = 40;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The first seed.
    pub first_seed: u64,
    /// So many seeds, one after another.
    pub n_seeds: u64,
    /// How much of it.
    pub extent: Extent,
    /// Where results are kept.
    pub folder: PathBuf,
}

/// What came of it, besides the rows of the report.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Insertions {
    /// What single insertions cost.
    pub costs: Vec<InsertionCost>,
}

/// Makes what is not yet on record and gives the summary of all that is, and the costs of insertion.
///
/// # Errors
/// [`ExperimentError`].
pub fn run(
    asked: &Asked,
    provenance: &Provenance,
    listener: &mut Listener<'_>,
) -> Result<(Report<Row>, Insertions), ExperimentError> {
    let folder = asked.extent.folder(&asked.folder);
    let drift = Drift { n_examples: if asked.extent == Extent::Full { 20_000 } else { 4000 }, ..Drift::default() };
    let mut records = Records::open(&folder, &drift)?;
    let plan: Vec<(u64, Learner)> = seeds(asked.first_seed, asked.n_seeds)?
        .flat_map(|seed| Learner::ALL.into_iter().map(move |learner| (seed, learner)))
        .collect();
    for (at, &(seed, learner)) in plan.iter().enumerate() {
        if !records.has(learner, seed) {
            let run = format!("{} seed {seed} ({} of {})", learner.title(), at + 1, plan.len());
            let windows = follow(&Drift { seed, ..drift.clone() }, learner, &run, &folder, listener)?;
            let right: usize = windows.iter().map(|window| window.n_right).sum();
            let seconds: f64 = windows.iter().map(|window| window.seconds).sum();
            let result = format!("{:.1} % right, {seconds:.1} s", 100.0 * right as f64 / drift.n_examples as f64);
            records.add(learner, seed, windows, provenance)?;
            // Whoever wants to stop here is heard at the next event.
            let _ = listener(&Event::Finished { run: &run, result: &result });
        }
    }
    if records.costs().is_empty() {
        let costs = insertion::measure(asked.extent, &folder, provenance, listener)?;
        records.add_costs(costs)?;
    }
    let rows = summary::rows(&records, &drift);
    let summary = summary::markdown(&rows, records.costs(), &drift);
    summary::write(&folder, &summary, &records, provenance)?;
    let mut files = records.files();
    files.push(figure::write(&folder, &records, &drift)?);
    let insertions = Insertions { costs: records.costs().to_vec() };
    Ok((Report { summary, rows, folder, files }, insertions))
}

/// Lets a learner follow the stream: asks it about each example, then shows it.
fn follow(
    drift: &Drift,
    learner: Learner,
    run: &str,
    folder: &std::path::Path,
    listener: &mut Listener<'_>,
) -> Result<Vec<Window>, ExperimentError> {
    let mut state = learner.begin(drift)?;
    let size = (drift.n_examples / N_WINDOWS).max(1);
    let mut windows = Vec::new();
    let mut stream = drift.examples();
    while let Some(block) = stream.block(size) {
        let event = Event::Working { run, act: "following the stream", done: windows.len(), total: N_WINDOWS };
        let interrupted = || ExperimentError::Interrupted { folder: folder.to_owned() };
        tell(listener, &event).ok_or_else(interrupted)?;
        let first = windows.len() * size;
        let mut n_right = 0;
        let start = Instant::now();
        for (at, (point, label)) in block.iter().enumerate() {
            let point = Point::F32(point);
            n_right += usize::from(state.answer(point).map_err(EvaluationError::from)? == Some(*label));
            state.show(ExampleId((first + at) as u64), point, *label).map_err(EvaluationError::from)?;
        }
        let seconds = start.elapsed().as_secs_f64();
        windows.push(Window { end: first + block.len(), n: block.len(), n_right, n_stored: state.n_stored(), seconds });
    }
    Ok(windows)
}

/// An example of a stream.
pub(crate) type StreamExample = (Vec<f32>, Label);
