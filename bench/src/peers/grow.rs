//! How training, queries and memory grow with the number of examples, beside a scan and FAISS.

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Label, Points};
use hedgerow_experiments::figure::{AxisKind, Figure, Panel, Series};

use super::data::{Data, Files};
use super::python::Peers;
use super::raw::reckon;
use super::table::{Column, Row, Table};
use super::{PeersError, Plan};
use crate::interleaved::timed;
use crate::mnist::STRUCTURES;

const QUERIES: usize = 1000;
const WIDTH: usize = 20;
/// Centres of the classes' clouds: enough for boundaries everywhere.
const CLOUDS: usize = 200;
const CLASSES: usize = 10;

const COLUMNS: [Column; 6] = [
    Column { name: "n", title: "examples", decimals: 0 },
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 2 },
    Column { name: "train_seconds", title: "training s", decimals: 3 },
    Column { name: "microseconds", title: "us per query", decimals: 2 },
];

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers) -> Result<Table, PeersError> {
    let sizes: &[usize] = if plan.quick { &[1000, 4000] } else { &[1000, 10_000, 100_000, 1_000_000] };
    let threads = rayon::current_num_threads();
    let mut rows = Vec::new();
    for &n in sizes {
        let data = clouds(n)?;
        let files = Files::write(&data)?;
        for structure in STRUCTURES.iter().filter(|structure| is_asked(structure.name, n)) {
            eprintln!("{n}: {}", structure.name);
            let mut row = Row::new("clouds", structure.name, true, threads);
            for _ in 0..repeats {
                let mut search = (structure.build)()?;
                let (inserted, train) = timed(|| search.insert_all(&data.train()));
                inserted?;
                let (answers, query) = timed(|| search.predict_all(data.queries()));
                let wrong = answers?.iter().zip(data.truth()).filter(|(said, truth)| said.label != **truth).count();
                row.push("n", n as f64);
                row.push("error_percent", 100.0 * wrong as f64 / QUERIES as f64);
                row.push("stored", search.n_stored() as f64);
                row.push("megabytes", search.size_bytes() as f64 * 1e-6);
                row.push("train_seconds", train * 1e-9);
                row.push("microseconds", query * 1e-3 / QUERIES as f64);
            }
            rows.push(row);
        }
        let mut row = Row::new("clouds", "FAISS flat", false, threads);
        for _ in 0..repeats {
            peers.ask("grow", &files, serde_json::json!({}), &mut row)?;
            reckon(&mut row, QUERIES);
            row.push("n", n as f64);
        }
        rows.push(row);
    }
    let remarks = exponents(&rows);
    let figures =
        vec![figure(&rows, "train_seconds", "training, seconds"), figure(&rows, "microseconds", "one query, us")];
    Ok(Table {
        question: "grow",
        title: "How it grows",
        columns: &COLUMNS,
        compared: None,
        rows,
        versions: peers.versions(),
        remarks,
        figures,
    })
}

/// Sets compare every example with every stored one: on a million that takes hours, and 50 trees of a million take minutes each.
fn is_asked(name: &str, n: usize) -> bool {
    match name {
        "tree(50)" | "exact 1-NN scan" => true,
        "forest(50, 50)" => n <= 100_000,
        _ => n <= 10_000,
    }
}

/// Clouds of examples around centres, each of a class.
fn clouds(n: usize) -> Result<Data, PeersError> {
    let mut random = SplitMix64::new(7, 0);
    let centres: Vec<f32> = (0..CLOUDS * WIDTH).map(|_| random.normal() as f32).collect();
    let total = n + QUERIES;
    let (mut values, mut labels) = (Vec::with_capacity(total * WIDTH), Vec::with_capacity(total));
    for _ in 0..total {
        let cloud = random.below(CLOUDS);
        let centre = &centres[cloud * WIDTH..(cloud + 1) * WIDTH];
        values.extend(centre.iter().map(|place| place + 0.5 * random.normal() as f32));
        labels.push(Label::class((cloud % CLASSES) as u32));
    }
    Data::of("clouds", Points::from_f32(WIDTH, values)?, labels, QUERIES)
}

/// How each row's times grow: the slope of their logarithms.
fn exponents(rows: &[Row]) -> Vec<String> {
    let mut methods: Vec<&str> = Vec::new();
    for row in rows {
        if !methods.contains(&row.method.as_str()) {
            methods.push(&row.method);
        }
    }
    let line = |method: &&str| {
        let of = |name: &str| {
            let points = rows.iter().filter(|row| row.method == *method);
            let points: Vec<(f64, f64)> =
                points.filter_map(|row| Some((row.median("n")?.ln(), row.median(name)?.max(1e-9).ln()))).collect();
            slope(&points).map_or("-".to_owned(), |slope| format!("{slope:.2}"))
        };
        format!("| {method} | {} | {} |", of("train_seconds"), of("microseconds"))
    };
    let lines: Vec<String> = methods.iter().map(line).collect();
    let head = "Time is about n to the power of (a claim of O(n log n) is a little above 1 for training, O(log n) a little above 0 for a query):";
    vec![format!("{head}\n\n| method | training | one query |\n|---|--:|--:|\n{}", lines.join("\n"))]
}

/// The slope of the line with the least squares.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (above, below) = points.iter().fold((0.0, 0.0), |(above, below), point| {
        (above + (point.0 - x) * (point.1 - y), below + (point.0 - x) * (point.0 - x))
    });
    (points.len() > 1 && below > 0.0).then(|| above / below)
}

fn figure(rows: &[Row], name: &str, title: &str) -> String {
    let mut series: Vec<Series> = Vec::new();
    for row in rows {
        let (Some(n), Some(value)) = (row.median("n"), row.median(name)) else { continue };
        match series.iter_mut().find(|series| series.name == row.method) {
            Some(series) => series.curves[0].push((n, value)),
            None => {
                series.push(Series { name: row.method.clone(), curves: vec![vec![(n, value)]], ..Series::default() });
            }
        }
    }
    Figure {
        title: title.to_owned(),
        x_label: "examples".to_owned(),
        x_kind: AxisKind::Log,
        marks: Vec::new(),
        panels: vec![Panel {
            y_label: title.to_owned(),
            y_kind: AxisKind::Log,
            y_within: (0.0, f64::INFINITY),
            series,
        }],
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_square_is_two() {
        let points: Vec<(f64, f64)> = [1.0_f64, 10.0, 100.0].iter().map(|n| (n.ln(), (3.0 * n * n).ln())).collect();
        assert!((slope(&points).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(slope(&points[..1]), None);
    }
}
