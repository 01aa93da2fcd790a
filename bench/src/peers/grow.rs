//! How training, queries and memory grow with the number of examples, beside a scan and FAISS.

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Label, Points, PointsRef};
use hedgerow_experiments::figure::AxisKind;
use rayon::prelude::*;

use super::curves::{Axis, curves};
use super::data::{Data, Files};
use super::judged::{Better, ERROR, Judged, Measure};
use super::kept::Kept;
use super::python::Peers;
use super::raw::{ask_ours, reckon};
use super::remark::Remark;
use super::row::Row;
use super::table::{Column, Compared, Shape};
use super::{Asked, PeersError, Plan, Question, names};
use crate::mnist::STRUCTURES;

const QUERIES: usize = 1000;
const WIDTH: usize = 20;
/// Centres of the classes' clouds: enough for boundaries everywhere.
const N_CLOUDS: usize = 200;
/// Width and height of a picture.
const SIDE: usize = 28;
const PIXELS: usize = SIDE * SIDE;

/// The data: numbers that are made, and the pictures of MNIST, changed beyond their number.
const CLOUDS: &str = "clouds";
const PICTURES: &str = "pictures";
const CLASSES: usize = 10;

pub(super) const PEERS: [&str; 1] = ["FAISS flat"];
/// The row of ours whose queries the others are compared with.
const REFERENCE: &str = "tree(50)";

const COLUMNS: [Column; 6] = [
    Column { name: "n", title: "examples", decimals: 0 },
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 2 },
    Column { name: "train_seconds", title: "training s", decimals: 3 },
    Column { name: "microseconds", title: "us per query", decimals: 2 },
];

const QUERY: Measure =
    Measure { name: "microseconds", title: "us per query", unit: " us", decimals: 2, better: Better::Less };

pub(super) const SHAPE: Shape = Shape {
    question: Question::Grow,
    title: "How it grows",
    columns: &COLUMNS,
    compared: Some(Compared { name: "microseconds", with: REFERENCE, at_equal: Some("examples") }),
    judged: Judged { quality: ERROR, speed: QUERY, enough: None, size: "megabytes" },
    about: |rows| vec![Remark::from(ABOUT), exponents(rows)],
    figures,
};

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Asked {
    let sizes: &[usize] = if plan.quick { &[1000, 4000] } else { &[1000, 10_000, 100_000, 1_000_000] };
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    let names = names(plan, &[CLOUDS, PICTURES], &[CLOUDS]);
    if let Some(name) = names.iter().find(|name| ![CLOUDS, PICTURES].contains(&name.as_str())) {
        return Err(PeersError::NotGrown(name.clone()));
    }
    for name in names {
        let mut of_name = Vec::new();
        for &n in sizes {
            // Once is enough of what takes minutes.
            let repeats = if n < 1_000_000 { repeats } else { 1 };
            match ask_all(&name, n, repeats, &of_name, peers, kept)? {
                Ok(of_size) => of_name.extend(of_size),
                Err(error) => {
                    missing.push(Remark::from(format!("{name}: not measured, because {error}")));
                    break;
                }
            }
        }
        rows.extend(of_name);
    }
    Ok((rows, missing))
}

/// Every side with so many examples; or why the data is not to be had. `smaller` are the rows of the sizes before.
fn ask_all(
    name: &str,
    n: usize,
    repeats: usize,
    smaller: &[Row],
    peers: &mut Peers,
    kept: &mut Kept,
) -> Result<Result<Vec<Row>, PeersError>, PeersError> {
    let threads = rayon::current_num_threads();
    let row = |method: &str, is_ours: bool| kept.row(Row::new(name, method, is_ours, threads).at(n as u64));
    let mut ours: Vec<Row> = STRUCTURES.iter().map(|structure| row(structure.name, true)).collect();
    let mut theirs = row(PEERS[0], false);
    if ours.iter().chain([&theirs]).all(|row| row.has(repeats - 1)) {
        return Ok(Ok(ours.into_iter().chain([theirs]).collect()));
    }
    let data = match if name == CLOUDS { clouds(n) } else { pictures(n) } {
        Ok(data) => data,
        Err(error) => return Ok(Err(error)),
    };
    let files = Files::write(&data)?;
    for (structure, row) in STRUCTURES.iter().zip(&mut ours) {
        if !row.has(0) {
            if let Some(reason) = left_out(smaller, structure.name, n, available_memory()) {
                row.fail(&reason);
                kept.add(row)?;
            }
        }
        for repeat in 0..repeats {
            if !row.has(repeat) {
                eprintln!("{name}, {n}: {}", structure.name);
                row.push("n", n as f64);
                ask_ours((structure.build)()?, &data, row)?;
                kept.add(row)?;
            }
        }
    }
    for repeat in 0..repeats {
        if !theirs.has(repeat) {
            peers.ask(&files, serde_json::json!({}), &mut theirs);
            reckon(&mut theirs, QUERIES);
            theirs.push("n", n as f64);
            kept.add(&mut theirs)?;
        }
    }
    Ok(Ok(ours.into_iter().chain([theirs]).collect()))
}

/// What stands below the table.
const ABOUT: &str = "Clouds are made: 20 numbers around one of 200 centres, each of a class. Pictures are those of MNIST, and beyond the 60,000 of them the same \
     turned by up to 10 degrees, stretched by up to a tenth and moved by up to 1.5 places at random, asked about by 1000 of its test pictures.";

/// Seconds that a structure of ours may be expected to take for training and all queries.
const PATIENCE: f64 = 600.0;
/// Times of what a structure holds that its building takes, to be safe: the data is there besides.
const ROOM: f64 = 2.0;

/// Why a structure is not asked with so many examples, if it is not: by how its time and memory grew over the sizes before, it would take too long, or more memory than
/// there is.
fn left_out(smaller: &[Row], method: &str, n: usize, available_megabytes: Option<f64>) -> Option<String> {
    let known: Vec<&Row> =
        smaller.iter().filter(|row| row.is_ours && row.method == method && row.at.is_some()).collect();
    if let Some(before) = known.iter().find(|row| row.has_failed) {
        return Some(format!("left out: as with {} examples", before.at.unwrap_or(0)));
    }
    let points = |of: fn(&Row) -> Option<f64>| -> Vec<(f64, f64)> {
        known.iter().filter_map(|row| Some(((row.at? as f64).ln(), of(row)?.max(1e-9).ln()))).collect()
    };
    let seconds = points(|row| row.median("total"));
    let megabytes = points(|row| row.median("megabytes"));
    // From the last two sizes: small ones have other costs.
    let expected = |points: &[(f64, f64)]| -> Option<f64> {
        let last = points.last()?;
        let slope = slope(&points[points.len().checked_sub(2)?..])?;
        Some((last.1 + slope * ((n as f64).ln() - last.0)).exp())
    };
    if let Some(seconds) = expected(&seconds).filter(|seconds| *seconds > PATIENCE) {
        return Some(format!("left out: by its growth so far it would take about {seconds:.0} s"));
    }
    let (needed, available) = (ROOM * expected(&megabytes)?, available_megabytes?);
    let text = || format!("left out: it may take {needed:.0} MB of memory, and {available:.0} are free");
    (needed > available).then(text)
}

/// Millions of bytes that can be had without swapping, where the system tells.
fn available_memory() -> Option<f64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<f64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0 * 1e-6)
}

/// Clouds of examples around centres, each of a class.
fn clouds(n: usize) -> Result<Data, PeersError> {
    let mut random = SplitMix64::new(7, 0);
    let centres: Vec<f32> = (0..N_CLOUDS * WIDTH).map(|_| random.normal() as f32).collect();
    let total = n + QUERIES;
    let (mut values, mut labels) = (Vec::with_capacity(total * WIDTH), Vec::with_capacity(total));
    for _ in 0..total {
        let cloud = random.below(N_CLOUDS);
        let centre = &centres[cloud * WIDTH..(cloud + 1) * WIDTH];
        values.extend(centre.iter().map(|place| place + 0.5 * random.normal() as f32));
        labels.push(Label::class((cloud % CLASSES) as u32));
    }
    Data::of(CLOUDS, Points::from_f32(WIDTH, values)?, labels, QUERIES)
}

/// The pictures of MNIST, and changed ones where there are more to be than it has.
fn pictures(n: usize) -> Result<Data, PeersError> {
    let mnist = Data::load("mnist")?;
    let (train, test) = (mnist.dataset().train(), mnist.dataset().test());
    let bytes = |points: PointsRef<'_>| points.as_u8().map(<[u8]>::to_vec).unwrap_or_default();
    let (shown, asked) = (bytes(train.points()), bytes(test.points()));
    let n_shown = train.len().max(1);
    let mut values = vec![0; n * PIXELS];
    values.par_chunks_mut(PIXELS).enumerate().for_each(|(at, to)| {
        let from = &shown[at % n_shown * PIXELS..][..PIXELS];
        match at / n_shown {
            0 => to.copy_from_slice(from),
            _ => warp(from, &mut SplitMix64::new(7, at as u64), to),
        }
    });
    values.extend(&asked[..QUERIES * PIXELS]);
    let labels = (0..n).map(|at| train.labels()[at % n_shown]).chain(test.labels()[..QUERIES].iter().copied());
    Data::of(PICTURES, Points::from_u8(PIXELS, values)?, labels.collect(), QUERIES)
}

/// A picture turned, stretched and moved at random around its middle. Between places the numbers are interpolated; what comes in is 0.
fn warp(from: &[u8], random: &mut SplitMix64, to: &mut [u8]) {
    let mut up_to = |most: f32| most * (2.0 * random.unit() as f32 - 1.0);
    let (angle, stretch) = (up_to(10.0).to_radians(), 1.0 + up_to(0.1));
    let (right, down, middle) = (up_to(1.5), up_to(1.5), (SIDE as f32 - 1.0) / 2.0);
    let (sin, cos) = (angle.sin() / stretch, angle.cos() / stretch);
    let at = |x: i32, y: i32| {
        let inside = (0..SIDE as i32).contains(&x) && (0..SIDE as i32).contains(&y);
        if inside { f32::from(from[y as usize * SIDE + x as usize]) } else { 0.0 }
    };
    for (place, to) in to.iter_mut().enumerate() {
        let (x, y) = ((place % SIDE) as f32 - middle - right, (place / SIDE) as f32 - middle - down);
        let (x, y) = (cos * x + sin * y + middle, cos * y - sin * x + middle);
        let (left, top) = (x.floor(), y.floor());
        let (share_x, share_y, left, top) = (x - left, y - top, left as i32, top as i32);
        let line = |y: i32| (1.0 - share_x) * at(left, y) + share_x * at(left + 1, y);
        *to = ((1.0 - share_y) * line(top) + share_y * line(top + 1)).round() as u8;
    }
}

/// How each row's times grow: the slope of their logarithms, beside those of what is claimed over the same sizes.
fn exponents(rows: &[Row]) -> Remark {
    let line = |(data, method): &(&str, &str)| {
        let sizes_and = |of: &dyn Fn(&Row) -> Option<f64>| {
            let points = rows.iter().filter(|row| row.method == *method && row.data == *data);
            let points: Vec<(f64, f64)> =
                points.filter_map(|row| Some((row.median("n")?.ln(), of(row)?.max(1e-9).ln()))).collect();
            slope(&points).map_or("-".to_owned(), |slope| format!("{slope:.2}"))
        };
        let measured = |name: &str| sizes_and(&|row| row.median(name));
        let claimed =
            |claim: fn(f64) -> f64| sizes_and(&|row| row.median("microseconds").and(row.median("n")).map(claim));
        vec![
            (*data).to_owned(),
            (*method).to_owned(),
            measured("train_seconds"),
            claimed(|n| n * n.ln()),
            measured("microseconds"),
            claimed(f64::ln),
            measured("megabytes"),
        ]
    };
    let rows = distinct(rows.iter().map(|row| (row.data.as_str(), row.method.as_str()))).iter().map(line).collect();
    let head = ["data", "method", "training", "n log n", "one query", "log n", "memory"].map(str::to_owned).to_vec();
    let text = "Times and memory are about n to the power of these numbers. `n log n` and `log n` are what trees are claimed to take, for training and \
                for one query, fitted in the same way over the sizes of the row.";
    Remark::Table { text: text.to_owned(), words: vec![0, 1], head, rows }
}

/// What there is, once each, in the order in which it comes.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.fold(Vec::new(), |mut seen, one| {
        if !seen.contains(&one) {
            seen.push(one);
        }
        seen
    })
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

/// Two figures for each kind of data.
fn figures(rows: &[Row]) -> Vec<String> {
    let mut all = Vec::new();
    for data in distinct(rows.iter().map(|row| row.data.as_str())) {
        let of_data: Vec<Row> = rows.iter().filter(|row| row.data == data).cloned().collect();
        for (name, label) in [("train_seconds", "training, seconds"), ("microseconds", "one query, us")] {
            let n = Axis { name: "n", label: "examples", kind: AxisKind::Log };
            let time = Axis { name, label, kind: AxisKind::Log };
            all.push(curves(&format!("{data}: {label}"), &of_data, &n, &time));
        }
    }
    all
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

    #[test]
    fn claims_are_fitted_over_the_sizes_of_the_row() {
        let rows: Vec<Row> = [1e3, 1e4, 1e5, 1e6]
            .map(|n| {
                let mut row = Row::new("clouds", "tree(50)", true, 1).at(n as u64);
                row.push("n", n);
                row.push("train_seconds", n);
                row.push("microseconds", 2.0);
                row
            })
            .into();
        let Remark::Table { rows, .. } = exponents(&rows) else { panic!("it is a table") };
        // Over these sizes log n doubles while n grows a thousandfold: ln 2 / ln 1000 = 0.10.
        assert_eq!(rows, [["clouds", "tree(50)", "1.00", "1.10", "0.00", "0.10", "-"]]);
    }

    #[test]
    fn what_would_take_too_long_or_too_much_is_left_out_with_the_reason() {
        let row = |n: u64, seconds: f64, megabytes: f64| {
            let mut row = Row::new("clouds", "set, Hart", true, 1).at(n);
            row.push("total", seconds);
            row.push("megabytes", megabytes);
            row
        };
        // By squares: 4 s for 100,000 are 400 s for a million, and 40 s are 4000.
        let quick = [row(1000, 9.0, 1.0), row(10_000, 0.04, 10.0), row(100_000, 4.0, 100.0)];
        let slow = [row(10_000, 0.4, 10.0), row(100_000, 40.0, 100.0)];
        let asked = |rows: &[Row], memory| left_out(rows, "set, Hart", 1_000_000, memory);
        assert_eq!(asked(&quick, Some(3000.0)), None);
        assert_eq!(asked(&quick, None), None, "where the system does not tell, it is tried");
        let reason = asked(&slow, None).unwrap();
        assert_eq!(reason, "left out: by its growth so far it would take about 4000 s");
        // 100 MB are 1000 for a million, and twice that is to be free.
        let reason = asked(&quick, Some(1500.0)).unwrap();
        assert_eq!(reason, "left out: it may take 2000 MB of memory, and 1500 are free");
        assert_eq!(asked(&slow[1..], None), None, "one size tells nothing");
        let mut failed = slow.clone();
        failed[1].fail("left out: too slow");
        assert_eq!(asked(&failed, None).unwrap(), "left out: as with 100000 examples");
        assert_eq!(left_out(&slow, "tree(50)", 1_000_000, None), None, "these are of another");
    }

    #[test]
    fn free_memory_is_what_the_system_calls_available() {
        let meminfo = "MemTotal:       24000000 kB\nMemFree: 5 kB\nMemAvailable:   1000000 kB\n";
        assert_eq!(available_in(meminfo), Some(1024.0));
        assert_eq!(available_in("MemTotal: 1 kB"), None);
    }

    #[test]
    fn the_reference_is_there() {
        assert!(STRUCTURES.iter().any(|structure| structure.name == REFERENCE));
    }

    #[test]
    fn a_warped_picture_is_another_one_of_about_as_much_ink() {
        // A bar in the middle, far from the edges.
        let inside = |place: usize| (8..20).contains(&(place % SIDE)) && (10..18).contains(&(place / SIDE));
        let picture: Vec<u8> = (0..PIXELS).map(|place| if inside(place) { 200 } else { 0 }).collect();
        let ink = |picture: &[u8]| picture.iter().map(|&byte| f64::from(byte)).sum::<f64>();
        let mut seen = Vec::new();
        for seed in 0..20 {
            let mut warped = vec![0; PIXELS];
            warp(&picture, &mut SplitMix64::new(seed, 0), &mut warped);
            // Stretched by a tenth either way it has from 0.81 to 1.21 of it.
            assert!((0.78..1.25).contains(&(ink(&warped) / ink(&picture))), "seed {seed}");
            seen.push(warped);
        }
        assert_eq!(distinct(seen.iter()).len(), 20);
    }

    #[test]
    fn data_that_does_not_grow_is_refused() {
        let plan = Plan { data: vec!["mnist".to_owned()], ..Plan::new(Question::Grow) };
        let mut peers = Peers::none();
        let mut kept = Kept::begin(Question::Grow, None, &super::super::record::Facts::new()).unwrap();
        let error = measure(&plan, 1, &mut peers, &mut kept).unwrap_err().to_string();
        assert!(error.contains("\"mnist\"") && error.contains("clouds"), "{error}");
    }
}
