//! "Why not HNSW?": neighbors are retrieved, recall against queries per second.

use std::collections::HashSet;

use hedgerow_core::{
    BoundaryForestParams, BoundaryTreeParams, Effort, LinearScanParams, NeighborSearch, Points, PointsRef, Task,
};
use hedgerow_experiments::figure::{AxisKind, Figure, Panel, Series};
use hedgerow_learn::{Keep, RunOptions, TrainingParams, silent, train};

use super::data::{Data, Files};
use super::python::Peers;
use super::table::{Column, Row, Table};
use super::{PeersError, Plan};
use crate::interleaved::timed;

/// Neighbors asked for.
const K: usize = 10;
const PEERS: [&str; 5] = ["FAISS flat", "FAISS HNSW(32)", "usearch", "hnswlib", "pynndescent"];
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

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers) -> Result<Table, PeersError> {
    let threads = rayon::current_num_threads();
    let source = plan.data.first().map_or(if plan.quick { "optdigits" } else { "mnist" }, String::as_str);
    let n_queries = if plan.quick { 200 } else { 2000 };
    let raw = pixels(source, n_queries)?;
    let learned = learned(source, n_queries, plan.quick)?;
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    for data in [learned, raw] {
        let before = rows.len();
        let files = Files::write(&data)?;
        let (truth, scan_row) = exact(&data, threads)?;
        rows.push(scan_row);
        let truth_file = truth.iter().flatten().flat_map(|id| id.to_ne_bytes()).collect::<Vec<_>>();
        let truth_file = files.write_numbers("truth", &truth_file)?;
        for name in ["tree", "forest(10)"] {
            rows.extend(ours(name, &data, &truth, threads, repeats)?);
        }
        for peer in PEERS {
            let mut asked = Row::new(&data.name, peer, false, threads);
            let more = serde_json::json!({"k": K, "truth": truth_file});
            let curve = peers.ask("neighbors", &files, more, &mut asked)?;
            if curve.is_empty() {
                rows.push(asked);
                continue;
            }
            for point in curve {
                let mut row = Row { values: Default::default(), ..asked.clone() };
                let of = |name: &str| point.get(name).and_then(serde_json::Value::as_f64);
                let from = |name: &str| asked.median(name);
                for (name, value) in [
                    ("effort", of("effort")),
                    ("recall_percent", of("recall_percent")),
                    ("per_second", of("query_seconds").map(|seconds| truth.len() as f64 / seconds)),
                    ("megabytes", from("bytes").map(|bytes| bytes * 1e-6)),
                    ("train_seconds", from("train_seconds")),
                    ("stored", Some(data.train().len() as f64)),
                ] {
                    value.into_iter().for_each(|value| row.push(name, value));
                }
                rows.push(row);
            }
        }
        figures.push(figure(&data.name, &rows[before..]));
    }
    Ok(Table {
        question: "neighbors",
        title: "Neighbors are retrieved",
        columns: &COLUMNS,
        compared: None,
        rows,
        versions: peers.versions(),
        remarks: vec![format!(
            "The {K} nearest of all training rows. `effort` is each library's own knob: of ours the stored examples that are looked at at least, of HNSW the \
             length of its list (ef), of pynndescent 100 epsilon. Every side keeps all rows."
        )],
        figures,
    })
}

fn pixels(name: &str, n_queries: usize) -> Result<Data, PeersError> {
    let data = Data::load(name)?;
    let (train, test) = (data.dataset().train(), data.dataset().test());
    let n_queries = n_queries.min(test.len());
    let numbers = |points: PointsRef<'_>| match points.as_u8() {
        Some(bytes) => bytes.iter().map(|byte| f32::from(*byte)).collect::<Vec<f32>>(),
        None => points.as_f32().map(<[f32]>::to_vec).unwrap_or_default(),
    };
    let values = [numbers(train.points()), numbers(test.points().slice(0..n_queries))].concat();
    let labels = [train.labels(), &test.labels()[..n_queries]].concat();
    let width = train.points().width();
    Data::of(&format!("{name}, {width} numbers"), Points::from_f32(width, values)?, labels, n_queries)
}

/// The same in 20 learned numbers.
fn learned(name: &str, n_queries: usize, quick: bool) -> Result<Data, PeersError> {
    let data = Data::load(name)?;
    let (examples, test) = (data.train(), data.dataset().test());
    let n_queries = n_queries.min(test.len());
    let params = TrainingParams {
        layers: Some(vec![400, 400, 20]),
        epochs: Some(if quick { 2 } else { 10 }),
        validation_share: 0.0,
        keep: Keep::Last,
        ..TrainingParams::default()
    };
    eprintln!("{name}: learning a space of 20 numbers");
    let transform = train(&examples, &params, &RunOptions::default(), &mut silent())
        .map_err(|error| PeersError::Model(error.into()))?
        .transform;
    let represent = |points: PointsRef<'_>| transform.apply(points).map_err(|error| PeersError::Model(error.into()));
    let (shown, asked) = (represent(data.dataset().train().points())?, represent(test.points().slice(0..n_queries))?);
    let values =
        [&shown, &asked].map(|points| points.view().as_f32().map(<[f32]>::to_vec).unwrap_or_default()).concat();
    let labels = [data.dataset().train().labels(), &test.labels()[..n_queries]].concat();
    Data::of(&format!("{name}, 20 learned numbers"), Points::from_f32(20, values)?, labels, n_queries)
}

fn exact(data: &Data, threads: usize) -> Result<(Vec<Vec<u32>>, Row), PeersError> {
    let mut scan = LinearScanParams::default().task(Task::Retrieval).build()?;
    let (inserted, train) = timed(|| scan.insert_all(&data.train()));
    inserted?;
    let mut row = Row::new(&data.name, "exact scan", true, threads);
    scan.k_nearest_of_all(data.queries(), K, Effort::FULL)?;
    let (found, nanoseconds) = timed(|| scan.k_nearest_of_all(data.queries(), K, Effort::FULL));
    let truth: Vec<Vec<u32>> = found?.iter().map(|row| row.iter().map(|n| n.id.0 as u32).collect()).collect();
    row.push("recall_percent", 100.0);
    row.push("per_second", truth.len() as f64 / (nanoseconds * 1e-9));
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
        let mut row = Row::new(&data.name, name, true, threads);
        for _ in 0..repeats {
            let (found, nanoseconds) = timed(|| search.k_nearest_of_all(data.queries(), K, Effort(effort)));
            let hits = |(found, truth): (&Vec<hedgerow_core::Neighbor>, &Vec<u32>)| {
                let truth: HashSet<u32> = truth.iter().copied().collect();
                found.iter().filter(|neighbor| truth.contains(&(neighbor.id.0 as u32))).count()
            };
            let hits: usize = found?.iter().zip(truth).map(hits).sum();
            row.push("effort", effort as f64);
            row.push("recall_percent", 100.0 * hits as f64 / (K * truth.len()) as f64);
            row.push("per_second", truth.len() as f64 / (nanoseconds * 1e-9));
            row.push("stored", search.n_stored() as f64);
            row.push("megabytes", search.size_bytes() as f64 * 1e-6);
            row.push("train_seconds", train * 1e-9);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn figure(name: &str, rows: &[Row]) -> String {
    let mut series: Vec<Series> = Vec::new();
    for row in rows {
        let (Some(recall), Some(speed)) = (row.median("recall_percent"), row.median("per_second")) else { continue };
        let place = series.iter().position(|series| series.name == row.method);
        let place = place.unwrap_or_else(|| {
            series.push(Series { name: row.method.clone(), curves: vec![Vec::new()], ..Series::default() });
            series.len() - 1
        });
        series[place].curves[0].push((recall, speed));
    }
    let panel = Panel {
        y_label: "queries per second".to_owned(),
        y_kind: AxisKind::Log,
        y_within: (0.0, f64::INFINITY),
        series,
    };
    Figure {
        title: name.to_owned(),
        x_label: "recall of the 10 nearest, percent".to_owned(),
        x_kind: AxisKind::Linear,
        marks: Vec::new(),
        panels: vec![panel],
    }
    .draw()
}
