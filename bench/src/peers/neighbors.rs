//! "Why not HNSW?": neighbors are retrieved, recall against queries per second.

use std::collections::HashSet;

use hedgerow_core::{
    BoundaryForestParams, BoundaryTreeParams, Effort, LinearScanParams, NeighborSearch, Points, PointsRef, Task,
};
use hedgerow_experiments::figure::AxisKind;
use hedgerow_learn::{Keep, RunOptions, TrainingParams, silent, train};
use serde_json::Value;

use super::curves::{Axis, curves};
use super::data::{Data, Files};
use super::judged::{Better, Judged, Measure};
use super::kept::Kept;
use super::python::Peers;
use super::remark::Remark;
use super::row::Row;
use super::table::{Column, Shape};
use super::{Asked, PeersError, Plan, Question, load_all, names};
use crate::interleaved::timed;

/// Neighbors asked for.
const K: usize = 10;
/// The recall, in percent, at which all are compared.
const ENOUGH: f64 = 95.0;
pub(super) const PEERS: [&str; 5] = [
    "FAISS flat",
    "FAISS HNSW (M 16, efConstruction 200)",
    "usearch (M 16, efConstruction 200)",
    "hnswlib (M 16, efConstruction 200)",
    "pynndescent (30 neighbors)",
];
/// Ours that looks at all of them, and tells what is right.
const SCAN: &str = "exact scan";
/// Stored examples that ours looks at, at least.
const EFFORTS: [usize; 6] = [50, 200, 800, 3200, 12_800, 51_200];

const COLUMNS: [Column; 6] = [
    Column { name: "effort", title: "effort", decimals: 0 },
    Column { name: "recall_percent", title: "recall of 10, %", decimals: 1 },
    Column { name: "per_second", title: "queries per second", decimals: 0 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 1 },
    Column { name: "train_seconds", title: "building s", decimals: 2 },
];

const RECALL: Measure =
    Measure { name: "recall_percent", title: "recall of 10, %", unit: " % recall", decimals: 1, better: Better::More };
const SPEED: Measure =
    Measure { name: "per_second", title: "queries per second", unit: " queries/s", decimals: 0, better: Better::More };

pub(super) const SHAPE: Shape = Shape {
    question: Question::Neighbors,
    title: "Neighbors are retrieved",
    columns: &COLUMNS,
    compared: None,
    judged: Judged { quality: RECALL, speed: SPEED, enough: Some(ENOUGH), size: "megabytes" },
    about: |rows| vec![Remark::from(about()), at_enough(rows)],
    figures: |rows| rows.chunk_by(|one, next| one.data == next.data).map(figure).collect(),
};

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Asked {
    let n_queries = if plan.quick { 200 } else { 2000 };
    let mut rows = Vec::new();
    let (sources, missing) = load_all(&names(plan, &["mnist"], &["optdigits"]), Data::load)?;
    for source in &sources {
        for data in [learned(source, n_queries, plan.quick)?, as_it_is(source, n_queries)?] {
            rows.extend(ask_all(&data, repeats, peers, kept)?);
        }
    }
    Ok((rows, missing))
}

/// What stands below the table.
fn about() -> String {
    format!(
        "The {K} nearest of all training rows. `effort` is each library's own knob: of ours the stored examples that are looked at at least, of HNSW the \
         length of its list (ef), of pynndescent 100 epsilon. Every side keeps all rows as 32-bit floats and is built once; with each effort all queries are asked once to warm \
         up, then timed as often as there are repeats. What pynndescent compiles when it is first run is compiled before, with a small index; but some of it is compiled anew for \
         each index, and that is in its building."
    )
}

/// Every side on some data, once built. What was asked before the command was stopped is not asked again.
fn ask_all(data: &Data, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Result<Vec<Row>, PeersError> {
    let threads = rayon::current_num_threads();
    let files = Files::write(data)?;
    let mut rows = kept.rows_of(&data.name, SCAN);
    let (truth, scan_row) = exact(data, threads, if rows.is_empty() { repeats } else { 0 })?;
    if rows.is_empty() {
        rows.push(scan_row);
        kept.add_all(&mut rows)?;
    }
    let truth_file = truth.iter().flatten().flat_map(|id| id.to_ne_bytes()).collect::<Vec<_>>();
    let truth_file = files.write_numbers("truth", &truth_file)?;
    for name in ["tree", "forest(10)"] {
        let mut of_name = kept.rows_of(&data.name, name);
        if of_name.is_empty() {
            of_name = ours(name, data, &truth, threads, repeats)?;
            kept.add_all(&mut of_name)?;
        }
        rows.extend(of_name);
    }
    for peer in PEERS {
        let mut theirs = kept.rows_of(&data.name, peer);
        if theirs.is_empty() {
            let mut asked = Row::new(&data.name, peer, false, threads);
            let more = serde_json::json!({"k": K, "truth": truth_file, "repeats": repeats});
            let curve = peers.ask(&files, more, &mut asked);
            theirs = curve.iter().map(|point| at_effort(point, &asked, data.train().len(), truth.len())).collect();
            if theirs.is_empty() {
                theirs.push(asked);
            }
            kept.add_all(&mut theirs)?;
        }
        rows.extend(theirs);
    }
    Ok(rows)
}

/// A row of what a peer says of one effort.
fn at_effort(point: &Value, asked: &Row, n_stored: usize, n_queries: usize) -> Row {
    let of = |name: &str| point.get(name).and_then(Value::as_f64);
    let mut row = asked.like().at(of("effort").unwrap_or(0.0) as u64);
    for (name, value) in [
        ("effort", of("effort")),
        ("recall_percent", of("recall_percent")),
        ("megabytes", asked.median("bytes").map(|bytes| bytes * 1e-6)),
        ("train_seconds", asked.median("train_seconds")),
        ("stored", Some(n_stored as f64)),
    ] {
        value.into_iter().for_each(|value| row.push(name, value));
    }
    let seconds = point.get("query_seconds").and_then(Value::as_array).into_iter().flatten();
    seconds.filter_map(Value::as_f64).for_each(|seconds| row.push("per_second", n_queries as f64 / seconds));
    row
}

/// The speed of each method at a recall that is high enough, beside our best.
fn at_enough(rows: &[Row]) -> Remark {
    let is_enough = |row: &&Row| row.median("recall_percent").is_some_and(|recall| recall >= ENOUGH);
    let mut lines = Vec::new();
    for of_data in rows.chunk_by(|one, next| one.data == next.data) {
        let best = |of: &mut dyn Iterator<Item = &Row>| {
            of.filter(is_enough).filter_map(|row| row.median("per_second")).max_by(f64::total_cmp)
        };
        let our_best = best(&mut of_data.iter().filter(|row| row.is_ours));
        for method in of_data.chunk_by(|one, next| one.method == next.method) {
            let speed = best(&mut method.iter());
            let ratio = our_best.zip(speed).map(|(ours, theirs)| ours / theirs);
            let text =
                |value: Option<f64>, decimals: usize| value.map_or("-".to_owned(), |v| format!("{v:.decimals$}"));
            lines.push(vec![method[0].data.clone(), method[0].method.clone(), text(speed, 0), text(ratio, 2)]);
        }
    }
    let text = format!(
        "The most queries per second of each method at a recall of {ENOUGH} % or more. `ratio` is our best there, divided by the method's: above 1, ours is faster."
    );
    let head = ["data", "method", "queries per second", "ratio"].map(str::to_owned).to_vec();
    Remark::Table { text, words: vec![0, 1], head, rows: lines }
}

/// All numbers of some data, with so many queries.
fn as_it_is(data: &Data, n_queries: usize) -> Result<Data, PeersError> {
    let mut floats = data.as_floats(n_queries)?;
    floats.name = format!("{}, {} numbers", data.name, data.dataset().width());
    Ok(floats)
}

/// The same in 20 learned numbers.
fn learned(data: &Data, n_queries: usize, quick: bool) -> Result<Data, PeersError> {
    let (examples, test) = (data.train(), data.dataset().test());
    let n_queries = n_queries.min(test.len());
    let params = TrainingParams {
        layers: Some(vec![400, 400, 20]),
        epochs: Some(if quick { 2 } else { 10 }),
        validation_share: 0.0,
        keep: Keep::Last,
        ..TrainingParams::default()
    };
    eprintln!("{}: learning a space of 20 numbers", data.name);
    let transform = train(&examples, &params, &RunOptions::default(), &mut silent())
        .map_err(|error| PeersError::Model(error.into()))?
        .transform;
    let represent = |points: PointsRef<'_>| transform.apply(points).map_err(|error| PeersError::Model(error.into()));
    let (shown, asked) = (represent(data.dataset().train().points())?, represent(test.points().slice(0..n_queries))?);
    let values =
        [&shown, &asked].map(|points| points.view().as_f32().map(<[f32]>::to_vec).unwrap_or_default()).concat();
    let labels = [data.dataset().train().labels(), &test.labels()[..n_queries]].concat();
    Data::of(&format!("{}, 20 learned numbers", data.name), Points::from_f32(20, values)?, labels, n_queries)
}

fn exact(data: &Data, threads: usize, repeats: usize) -> Result<(Vec<Vec<u32>>, Row), PeersError> {
    let mut scan = LinearScanParams::default().task(Task::Retrieval).build()?;
    let (inserted, train) = timed(|| scan.insert_all(&data.train()));
    inserted?;
    let mut row = Row::new(&data.name, SCAN, true, threads);
    let ask = || scan.k_nearest_of_all(data.queries(), K, Effort::FULL);
    let truth: Vec<Vec<u32>> = ask()?.iter().map(|row| row.iter().map(|n| n.id.0 as u32).collect()).collect();
    for _ in 0..repeats {
        let (found, nanoseconds) = timed(ask);
        found?;
        row.push("per_second", truth.len() as f64 / (nanoseconds * 1e-9));
    }
    row.push("recall_percent", 100.0);
    row.push("stored", scan.n_stored() as f64);
    row.push("megabytes", scan.size_bytes() as f64 * 1e-6);
    row.push("train_seconds", train * 1e-9);
    Ok((truth, row))
}

fn ours(name: &str, data: &Data, truth: &[Vec<u32>], threads: usize, repeats: usize) -> Result<Vec<Row>, PeersError> {
    let tree = BoundaryTreeParams::default().task(Task::Retrieval).max_children(50);
    let mut search: Box<dyn NeighborSearch> = match name {
        "tree" => Box::new(tree.build()?),
        _ => Box::new(BoundaryForestParams::default().tree(tree).n_trees(10).build()?),
    };
    eprintln!("{}: {name}", data.name);
    let (inserted, train) = timed(|| search.insert_all(&data.train()));
    inserted?;
    let mut rows = Vec::new();
    for effort in EFFORTS.into_iter().filter(|effort| *effort < 2 * data.train().len()) {
        let mut row = Row::new(&data.name, name, true, threads).at(effort as u64);
        let ask = || search.k_nearest_of_all(data.queries(), K, Effort(effort));
        let hits = |(found, truth): (&Vec<hedgerow_core::Neighbor>, &Vec<u32>)| {
            let truth: HashSet<u32> = truth.iter().copied().collect();
            found.iter().filter(|neighbor| truth.contains(&(neighbor.id.0 as u32))).count()
        };
        let hits: usize = ask()?.iter().zip(truth).map(hits).sum();
        for _ in 0..repeats {
            let (found, nanoseconds) = timed(ask);
            found?;
            row.push("per_second", truth.len() as f64 / (nanoseconds * 1e-9));
        }
        row.push("effort", effort as f64);
        row.push("recall_percent", 100.0 * hits as f64 / (K * truth.len()) as f64);
        row.push("stored", search.n_stored() as f64);
        row.push("megabytes", search.size_bytes() as f64 * 1e-6);
        row.push("train_seconds", train * 1e-9);
        rows.push(row);
    }
    Ok(rows)
}

fn figure(rows: &[Row]) -> String {
    let label = "recall of the 10 nearest, percent";
    let recall = Axis { name: "recall_percent", label, kind: AxisKind::Linear };
    let speed = Axis { name: "per_second", label: "queries per second", kind: AxisKind::Log };
    curves(&rows[0].data, rows, &recall, &speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: &str, is_ours: bool, recall: f64, per_second: f64) -> Row {
        let mut row = Row::new("a", method, is_ours, 1);
        row.push("recall_percent", recall);
        row.push("per_second", per_second);
        row
    }

    #[test]
    fn the_fastest_of_enough_recall_counts() {
        let rows = [
            row("exact scan", true, 100.0, 50.0),
            row("tree", true, 90.0, 900.0),
            row("tree", true, 96.0, 200.0),
            row("HNSW", false, 97.0, 400.0),
            row("HNSW", false, 99.0, 300.0),
            Row::new("a", "absent", false, 1),
        ];
        let Remark::Table { rows, .. } = at_enough(&rows) else { panic!("it is a table") };
        let expected =
            [["exact scan", "50", "4.00"], ["tree", "200", "1.00"], ["HNSW", "400", "0.50"], ["absent", "-", "-"]];
        assert_eq!(rows.iter().map(|row| &row[1..]).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_repeat_of_a_peer_is_a_measurement() {
        let mut asked = Row::new("a", "HNSW", false, 1);
        asked.push("bytes", 2e6);
        let point = serde_json::json!({"effort": 10, "recall_percent": 90.0, "query_seconds": [0.5, 1.0, 2.0]});
        let row = at_effort(&point, &asked, 7, 100);
        assert_eq!(row.at, Some(10));
        assert_eq!(row.values["per_second"], [200.0, 100.0, 50.0]);
        assert_eq!((row.last("megabytes"), row.last("stored"), row.last("effort")), (Some(2.0), Some(7.0), Some(10.0)));
    }
}
