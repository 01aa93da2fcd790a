//! "Why not scikit-learn or FAISS?": raw vectors are classified.

use hedgerow_core::{LinearScanParams, NeighborSearch};

use super::curves::errors_against_time;
use super::data::{Data, Files};
use super::judged::{Better, ERROR, Judged, Measure};
use super::kept::Kept;
use super::python::Peers;
use super::remark::Remark;
use super::row::Row;
use super::table::{Column, Compared, Shape};
use super::{Asked, PeersError, Plan, Question, load_all, names};
use crate::interleaved::timed;
use crate::mnist::STRUCTURES;

const DATA: [&str; 7] = ["mnist", "fashion-mnist", "letter", "optdigits", "pendigits", "winequality-white", "penguins"];
const QUICK: [&str; 2] = ["optdigits", "penguins"];

/// The row of ours that the others are compared with.
const REFERENCE: &str = "forest(50, 50), own orders";

const COLUMNS: [Column; 6] = [
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 2 },
    Column { name: "train_seconds", title: "training s", decimals: 3 },
    Column { name: "microseconds", title: "us per query", decimals: 1 },
    Column { name: "total", title: "training and all queries, s", decimals: 3 },
];

/// Rows above which a peer is asked less: its name, the rows, and the queries that it is asked then. On MNIST's 60,000 rows 500 queries took these 20 and 16 s
/// (`runs/2026-11-18-amd-epyc-2-cores`), so that all 10,000 would take longer than a peer may.
const SLOW: [(&str, usize, usize); 2] =
    [("scikit-learn 1-NN, kd tree", 20_000, 500), ("scikit-learn 1-NN, ball tree", 20_000, 500)];

/// For data of bytes alone.
const EIGHT_BITS: &str = "FAISS flat, 8 bits";
pub(super) const FAISS_FLAT: &str = "FAISS flat";
pub(super) const RANDOM_FOREST: &str = "scikit-learn random forest(50)";
/// Ours over the rows as they are.
pub(super) const SCAN: &str = "exact 1-NN scan";
/// The same over bytes that were made 32-bit floats, as most peers get them.
pub(super) const FLOAT_SCAN: &str = "exact 1-NN scan, 32-bit floats";

pub(super) const PEERS: [&str; 10] = [
    "scikit-learn 1-NN, brute",
    "scikit-learn 1-NN, kd tree",
    "scikit-learn 1-NN, ball tree",
    RANDOM_FOREST,
    "imbalanced-learn condensed 1-NN",
    FAISS_FLAT,
    EIGHT_BITS,
    "FAISS HNSW (M 16, efConstruction 200, ef 64)",
    "usearch (M 16, efConstruction 200, ef 64)",
    "hnswlib (M 16, efConstruction 200, ef 64)",
];

/// What classifiers take in all.
pub(super) const TOTAL: Measure =
    Measure { name: "total", title: "training and all queries, s", unit: " s", decimals: 3, better: Better::Less };

pub(super) const SHAPE: Shape = Shape {
    question: Question::Raw,
    title: "Raw vectors are classified",
    columns: &COLUMNS,
    compared: Some(Compared { name: "total", with: REFERENCE, at_equal: None }),
    judged: Judged { quality: ERROR, speed: TOTAL, enough: None, size: "megabytes" },
    about: |_| ABOUT.map(Remark::from).into(),
    figures: errors_against_time,
};

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Asked {
    let threads = rayon::current_num_threads();
    let mut rows = Vec::new();
    let (all, missing) = load_all(&names(plan, &DATA, &QUICK), Data::load)?;
    for data in &all {
        let name = data.name.as_str();
        let files = Files::write(data)?;
        let is_bytes = data.queries().as_u8().is_some();
        let floats = if is_bytes { Some(data.as_floats(data.truth().len())?) } else { None };
        let row = |method: &str, is_ours: bool| kept.row(Row::new(name, method, is_ours, threads));
        let mut ours: Vec<Row> = STRUCTURES.iter().map(|structure| row(structure.name, true)).collect();
        let mut float_scan = row(FLOAT_SCAN, true);
        let asked = PEERS.iter().filter(|peer| is_bytes || **peer != EIGHT_BITS);
        let mut theirs: Vec<Row> = asked.map(|peer| row(peer, false)).collect();
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            for (structure, row) in STRUCTURES.iter().zip(&mut ours).filter(|(_, row)| !row.has(repeat)) {
                ask_ours((structure.build)()?, data, row)?;
                kept.add(row)?;
            }
            if let Some(floats) = floats.as_ref().filter(|_| !float_scan.has(repeat)) {
                ask_ours(Box::new(LinearScanParams::default().build()?), floats, &mut float_scan)?;
                kept.add(&mut float_scan)?;
            }
            for row in theirs.iter_mut().filter(|row| !row.has(repeat)) {
                ask_peer(peers, data, &files, repeat, row);
                kept.add(row)?;
            }
        }
        rows.extend(ours);
        rows.extend(floats.map(|_| float_scan));
        rows.extend(theirs);
    }
    Ok((rows, missing))
}

/// What stands below the table.
const ABOUT: [&str; 3] = [
    "Bytes of pictures are taken as they are, other numbers are standardized. Ours keeps and compares pictures as bytes, but for the scan of 32-bit floats; the peers get them as 32-bit floats, \
     but for `FAISS flat, 8 bits`. MB is a million bytes of what the model holds, with the full history for exact removal in ours, and as it would be stored for \
     the peers; of FAISS flat its rows.",
    "A forest is shown all examples in one order, but for those that its trees begin with (Mathy et al. 2015), or each tree all examples in an order of its \
     own (the DBS paper). imbalanced-learn's condensed neighbors are no set by Hart's rule where there are more than two classes: each class is condensed against the smallest alone.",
    "Data of values is told apart by classes here, one for each distinct value: of winequality-white the quality of white wines, a whole number.",
];

/// Trains and asks a structure of ours.
pub(super) fn ask_ours(mut search: Box<dyn NeighborSearch>, data: &Data, row: &mut Row) -> Result<(), PeersError> {
    let examples = data.train();
    let (inserted, train) = timed(|| search.insert_all(&examples));
    inserted?;
    let (answers, query) = timed(|| search.predict_all(data.queries()));
    let wrong = answers?.iter().zip(data.truth()).filter(|(answer, truth)| answer.label != **truth).count();
    row.push("stored", search.n_stored() as f64);
    row.push("megabytes", search.size_bytes() as f64 * 1e-6);
    push_outcome(row, (wrong, data.truth().len()), (train, query));
    Ok(())
}

/// What every classifier of ours is judged by: wrong answers of so many, and nanoseconds of training and of all queries.
pub(super) fn push_outcome(row: &mut Row, (wrong, n): (usize, usize), (train, query): (f64, f64)) {
    row.push("error_percent", 100.0 * wrong as f64 / n as f64);
    row.push("train_seconds", train * 1e-9);
    row.push("microseconds", query * 1e-3 / n as f64);
    row.push("total", (train + query) * 1e-9);
}

fn ask_peer(peers: &mut Peers, data: &Data, files: &Files, repeat: usize, row: &mut Row) {
    let n = data.truth().len();
    let slow = SLOW.iter().find(|(name, rows, _)| *name == row.method && data.train().len() > *rows);
    let more = match slow {
        // Once is enough of what takes minutes.
        Some(_) if repeat > 0 => return,
        Some((_, _, most)) => {
            row.note = format!("asked about {most} of {n} queries; the total is reckoned from them");
            serde_json::json!({"max_queries": most})
        }
        None => serde_json::json!({}),
    };
    peers.ask(files, more, row);
    reckon(row, n);
}

/// Numbers of the table from those that Python gave just now, if it gave any.
pub(super) fn reckon(row: &mut Row, n: usize) {
    if row.has_failed {
        return;
    }
    if let (Some(train), Some(query), Some(asked)) =
        (row.last("train_seconds"), row.last("query_seconds"), row.last("n_queries"))
    {
        row.push("microseconds", 1e6 * query / asked);
        row.push("total", train + query * n as f64 / asked);
    }
    if let Some(bytes) = row.last("bytes") {
        row.push("megabytes", bytes * 1e-6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_is_asked_less_is_reckoned_for_all() {
        let mut row = Row::new("a", "b", false, 1);
        for (name, value) in [("train_seconds", 1.0), ("query_seconds", 2.0), ("n_queries", 500.0), ("bytes", 3e6)] {
            row.push(name, value);
        }
        reckon(&mut row, 1000);
        assert_eq!(row.median("total"), Some(5.0));
        assert_eq!(row.median("microseconds"), Some(4000.0));
        assert_eq!(row.median("megabytes"), Some(3.0));
        row.fail("gave up after 300 s");
        reckon(&mut row, 1000);
        assert_eq!(row.values["total"].len(), 1, "what was not measured again is not reckoned again");
    }

    #[test]
    fn the_reference_and_the_slow_ones_are_there() {
        assert!([REFERENCE, SCAN].iter().all(|name| STRUCTURES.iter().any(|structure| structure.name == *name)));
        assert!(SLOW.iter().all(|(name, _, _)| PEERS.contains(name)));
    }
}
