//! "Why not river?": a stream is learned online, each example asked about first and then shown.

use hedgerow_core::{
    BoundaryForestParams, BoundaryTreeParams, ExampleId, History, LinearScanParams, NeighborSearch, ParamError, Points,
};
use hedgerow_experiments::stream::Drift;

use super::data::{Data, Files};
use super::kept::Kept;
use super::python::Peers;
use super::remark::Remark;
use super::table::{Column, Compared, Row, Table};
use super::{PeersError, Plan, load_all, names};
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

pub(super) const PEERS: [&str; 4] = ["river KNN", "river KNN, SWINN", "river Hoeffding tree", "river ARF(10)"];

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

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &Kept) -> Result<Table, PeersError> {
    let most = if plan.quick { 500 } else { 20_000 };
    // One example at a time is the work of one thread, on both sides.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    let (all, missing) = load_all(&names(plan, &DATA, &["optdigits", DRIFT]), load)?;
    for data in &all {
        let name = data.name.as_str();
        let files = Files::write(data)?;
        let mut ours: Vec<Row> = OURS.iter().map(|(method, ..)| Row::new(name, method, true, 1)).collect();
        let mut theirs: Vec<Row> = PEERS.iter().map(|peer| Row::new(name, peer, false, 1)).collect();
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            for ((_, build, window), row) in OURS.iter().zip(&mut ours) {
                pool.install(|| follow(build()?, *window, data, most, row))?;
                kept.add(row)?;
            }
            for row in &mut theirs {
                let more = serde_json::json!({"window": WINDOW, "n_examples": most});
                peers.ask(&files, more, row);
                if let (Some(seconds), Some(n), false) = (row.last("seconds"), row.last("n_examples"), row.has_failed) {
                    row.push("microseconds", 1e6 * seconds / n);
                    row.push("per_second", n / seconds);
                }
                kept.add(row)?;
            }
        }
        rows.extend(ours.into_iter().chain(theirs));
    }
    Ok(Table {
        question: "stream",
        title: "A stream is learned online: prequential accuracy, %",
        columns: &COLUMNS,
        compared: Some(Compared { name: "microseconds", with: REFERENCE, at_equal: None }),
        rows,
        versions: peers.versions(),
        remarks: missing.into_iter().chain([Remark::from(about())]).collect(),
        figures: Vec::new(),
    })
}

/// What stands below the table.
fn about() -> String {
    format!(
        "Prequential: each example of the training rows, in their order, is asked about and then shown, and the accuracy is the share of right answers. Times are for both \
         together. river's KNN keeps the last {WINDOW} examples, one neighbor votes; a scan of ours over the last {WINDOW} removes the oldest exactly. MB is a million bytes of \
         memory at the end; river does not tell its own."
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
