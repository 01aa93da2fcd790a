//! "Why not river?": a stream is learned online, each example asked about first and then shown.

use hedgerow_core::{
    BoundaryForestParams, BoundaryTreeParams, ExampleId, History, LinearScanParams, NeighborSearch, ParamError, Points,
};
use hedgerow_experiments::figure::AxisKind;
use hedgerow_experiments::stream::Drift;

use super::curves::{Axis, dots};
use super::data::{Data, Files};
use super::judged::{Better, Judged, Measure};
use super::kept::Kept;
use super::python::Peers;
use super::remark::Remark;
use super::row::Row;
use super::table::{Column, Compared, Shape};
use super::{Asked, PeersError, Plan, Question, load_all, names};
use crate::interleaved::timed;

const DATA: [&str; 3] = ["optdigits", "pendigits", DRIFT];
const DRIFT: &str = "drifting sectors";
/// Examples of the window of river's KNN, and of those of ours that forget.
const WINDOW: usize = 1000;
/// Children of a node at most.
const CHILDREN: usize = 50;

const COLUMNS: [Column; 5] = [
    Column { name: "accuracy_percent", title: "prequential accuracy, %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 3 },
    Column { name: "per_second", title: "examples per second", decimals: 0 },
    Column { name: "microseconds", title: "us per example", decimals: 1 },
];

/// The one that we are to be compared with at no less accuracy.
pub(super) const KNN: &str = "river KNN";
pub(super) const PEERS: [&str; 4] = [KNN, "river KNN, SWINN", "river Hoeffding tree", "river ARF(10)"];

type Build = fn() -> Result<Box<dyn NeighborSearch>, ParamError>;

const REFERENCE: &str = "forest(10, 50)";

/// Ours, with how many of the last examples they remember.
const OURS: [(&str, Build, Option<usize>); 5] = [
    ("exact 1-NN scan", || Ok(Box::new(LinearScanParams::default().build()?)), None),
    ("exact 1-NN scan, last 1000", || Ok(Box::new(LinearScanParams::default().build()?)), Some(WINDOW)),
    ("tree(50)", || Ok(Box::new(tree().build()?)), None),
    (REFERENCE, || forest(10), None),
    ("forest(50, 50)", || forest(50), None),
];

fn tree() -> BoundaryTreeParams {
    BoundaryTreeParams::default().max_children(CHILDREN).history(History::NodesOnly)
}

fn forest(n_trees: usize) -> Result<Box<dyn NeighborSearch>, ParamError> {
    Ok(Box::new(BoundaryForestParams::default().tree(tree()).n_trees(n_trees).build()?))
}

const ACCURACY: Measure = Measure {
    name: "accuracy_percent",
    title: "prequential accuracy, %",
    unit: " % right",
    decimals: 2,
    better: Better::More,
};
const TIME: Measure =
    Measure { name: "microseconds", title: "us per example", unit: " us", decimals: 1, better: Better::Less };

pub(super) const SHAPE: Shape = Shape {
    question: Question::Stream,
    title: "A stream is learned online: prequential accuracy, %",
    columns: &COLUMNS,
    compared: Some(Compared { name: "microseconds", with: REFERENCE, at_equal: None }),
    judged: Judged { quality: ACCURACY, speed: TIME, enough: None, size: "megabytes" },
    about: |_| vec![Remark::from(about())],
    figures,
};

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Asked {
    let most = if plan.quick { 500 } else { 20_000 };
    // One example at a time is the work of one thread, on both sides.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    let (all, missing) = load_all(&names(plan, &DATA, &["optdigits", DRIFT]), load)?;
    for data in &all {
        let name = data.name.as_str();
        let files = Files::write(data)?;
        let row = |method: &str, is_ours: bool| kept.row(Row::new(name, method, is_ours, 1));
        let mut ours: Vec<Row> = OURS.iter().map(|(method, ..)| row(method, true)).collect();
        let mut theirs: Vec<Row> = PEERS.iter().map(|peer| row(peer, false)).collect();
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            for ((_, build, window), row) in OURS.iter().zip(&mut ours).filter(|(_, row)| !row.has(repeat)) {
                pool.install(|| follow(build()?, *window, data, most, row))?;
                kept.add(row)?;
            }
            for row in theirs.iter_mut().filter(|row| !row.has(repeat)) {
                let more = serde_json::json!({"window": WINDOW, "n_examples": most});
                peers.ask(&files, more, row);
                if let (Some(seconds), Some(n), false) = (row.last("seconds"), row.last("n_examples"), row.has_failed) {
                    row.push("microseconds", 1e6 * seconds / n);
                    row.push("per_second", n / seconds);
                }
                if let (Some(bytes), false) = (row.last("bytes"), row.has_failed) {
                    row.push("megabytes", bytes * 1e-6);
                }
                kept.add(row)?;
            }
        }
        rows.extend(ours.into_iter().chain(theirs));
    }
    Ok((rows, missing))
}

/// For each data set accuracy against speed. Files of before speeds were kept give none.
fn figures(rows: &[Row]) -> Vec<String> {
    let speed = Axis { name: "per_second", label: "examples per second", kind: AxisKind::Log };
    let accuracy = Axis { name: ACCURACY.name, label: "prequential accuracy, percent", kind: AxisKind::Linear };
    rows.chunk_by(|one, next| one.data == next.data)
        .filter(|rows| rows.iter().any(|row| row.median(speed.name).is_some()))
        .map(|rows| dots(&format!("{}: accuracy against speed", rows[0].data), rows, &speed, &accuracy))
        .collect()
}

/// What stands below the table.
fn about() -> String {
    format!(
        "Prequential: each example of the training rows, in their order, is asked about and then shown, and the accuracy is the share of right answers. Times are for both \
         together. river's KNN keeps the last {WINDOW} examples, one neighbor votes; a scan of ours over the last {WINDOW} removes the oldest exactly. Stored examples are read from \
         river's window; its trees store none. MB is a million bytes of memory at the end: of river what it reckons of its own objects (`_raw_memory_usage`), which are Python's: a dictionary \
         for each example."
    )
}

fn load(name: &str) -> Result<Data, PeersError> {
    if name != DRIFT {
        return Data::load(name);
    }
    let (points, labels) = Drift::default().all();
    let width = points.first().map_or(1, Vec::len);
    // The last row stands for the test rows, which a stream has none of.
    Data::of(name, Points::from_f32(width, points.concat())?, labels, 1)
}

fn follow(
    mut search: Box<dyn NeighborSearch>,
    window: Option<usize>,
    data: &Data,
    most: usize,
    row: &mut Row,
) -> Result<(), PeersError> {
    let train = data.dataset().train();
    let n = train.len().min(most);
    let (right, nanoseconds) = timed(|| -> Result<usize, PeersError> {
        let mut right = 0;
        for at in 0..n {
            let (point, label) = (train.row(at), train.labels()[at]);
            if search.n_stored() > 0 {
                right += usize::from(search.predict(point)?.label == label);
            }
            search.insert(ExampleId(at as u64), point, label)?;
            if let Some(oldest) = window.and_then(|window| at.checked_sub(window)) {
                search.remove(ExampleId(oldest as u64)).map_err(|error| PeersError::Model(error.into()))?;
            }
        }
        Ok(right)
    });
    row.push("accuracy_percent", 100.0 * right? as f64 / n as f64);
    row.push("stored", search.n_stored() as f64);
    row.push("megabytes", search.size_bytes() as f64 * 1e-6);
    row.push("microseconds", nanoseconds * 1e-3 / n as f64);
    row.push("per_second", n as f64 / (nanoseconds * 1e-9));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_a_dot_for_each_method_and_old_files_have_none() {
        let mut rows = [Row::new("a", REFERENCE, true, 1), Row::new("a", KNN, false, 1), Row::new("b", KNN, false, 1)];
        for row in &mut rows {
            row.push("accuracy_percent", 90.0);
        }
        assert_eq!(figures(&rows).len(), 0);
        rows[0].push("per_second", 1e4);
        rows[1].push("per_second", 1e3);
        let figures = figures(&rows);
        assert_eq!(figures.iter().map(|svg| svg.matches("<circle").count()).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_window_forgets_what_is_older() {
        let labels = [0, 1, 0, 1].map(hedgerow_core::Label::class).to_vec();
        let points = Points::from_f32(1, vec![0.0, 9.0, 0.5, 8.5]).unwrap();
        let data = Data::of("a", points, labels, 1).unwrap();
        let mut row = Row::new("a", "b", true, 1);
        follow((OURS[1].1)().unwrap(), Some(1), &data, 10, &mut row).unwrap();
        // Of three the first is not asked about, and the window of one has always the other class.
        assert_eq!((row.last("accuracy_percent"), row.last("stored")), (Some(0.0), Some(1.0)));
    }
}
