//! How training, queries and memory grow with the number of examples, beside a scan and FAISS.

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Label, Points, PointsRef};
use hedgerow_experiments::figure::AxisKind;
use rayon::prelude::*;

use super::curves::{Axis, curves};
use super::data::{Data, Files};
use super::kept::Kept;
use super::python::Peers;
use super::raw::{ask_ours, reckon};
use super::remark::Remark;
use super::table::{Column, Compared, Row, Table};
use super::{PeersError, Plan, names};
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

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &Kept) -> Result<Table, PeersError> {
    let sizes: &[usize] = if plan.quick { &[1000, 4000] } else { &[1000, 10_000, 100_000, 1_000_000] };
    let threads = rayon::current_num_threads();
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    let names = names(plan, &[CLOUDS, PICTURES], &[CLOUDS]);
    if let Some(name) = names.iter().find(|name| ![CLOUDS, PICTURES].contains(&name.as_str())) {
        return Err(PeersError::NotGrown(name.clone()));
    }
    for name in names {
        for &n in sizes {
            let data = match if name == CLOUDS { clouds(n) } else { pictures(n) } {
                Ok(data) => data,
                Err(error) => {
                    missing.push(Remark::from(format!("{name}: not measured, because {error}")));
                    break;
                }
            };
            // Once is enough of what takes minutes.
            let repeats = if n < 1_000_000 { repeats } else { 1 };
            let files = Files::write(&data)?;
            for structure in STRUCTURES.iter().filter(|structure| is_asked(structure.name, n)) {
                eprintln!("{name}, {n}: {}", structure.name);
                let mut row = Row::new(&name, structure.name, true, threads);
                for _ in 0..repeats {
                    row.push("n", n as f64);
                    ask_ours((structure.build)()?, &data, &mut row)?;
                    kept.add(&mut row)?;
                }
                rows.push(row);
            }
            let mut row = Row::new(&name, PEERS[0], false, threads);
            for _ in 0..repeats {
                peers.ask(&files, serde_json::json!({}), &mut row);
                reckon(&mut row, QUERIES);
                row.push("n", n as f64);
                kept.add(&mut row)?;
            }
            rows.push(row);
        }
    }
    let about = [Remark::from(ABOUT)].into_iter().chain(left_out(sizes)).chain([exponents(&rows)]);
    let remarks = missing.into_iter().chain(about).collect();
    let figures = figures(&rows);
    Ok(Table {
        question: "grow",
        title: "How it grows",
        columns: &COLUMNS,
        compared: Some(Compared { name: "microseconds", with: REFERENCE, at_equal: Some("n") }),
        rows,
        versions: peers.versions(),
        remarks,
        figures,
    })
}

/// What stands below the table.
const ABOUT: &str = "Clouds are made: 20 numbers around one of 200 centres, each of a class. Pictures are those of MNIST, and beyond the 60,000 of them the same \
     turned by up to 10 degrees, stretched by up to a tenth and moved by up to 1.5 places at random, asked about by 1000 of its test pictures.";

/// Sets compare every example with every stored one: on a million that takes hours.
fn is_asked(name: &str, n: usize) -> bool {
    match name {
        "tree(50)" | "exact 1-NN scan" | "forest(50, 50)" => true,
        _ => n <= 100_000,
    }
}

/// Which structures were not asked, at which sizes.
fn left_out(sizes: &[usize]) -> Option<Remark> {
    let at = |n: &usize| {
        let names: Vec<&str> = STRUCTURES.iter().map(|one| one.name).filter(|name| !is_asked(name, *n)).collect();
        (!names.is_empty()).then(|| format!("at {n} examples `{}`", names.join("`, `")))
    };
    let all: Vec<String> = sizes.iter().filter_map(at).collect();
    (!all.is_empty()).then(|| format!("Left out, to save hours: {}.", all.join("; ")).into())
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
    Remark::Table { text: text.to_owned(), n_words: 2, head, rows }
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
                let mut row = Row::new("clouds", "tree(50)", true, 1);
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
    fn what_is_left_out_is_said_with_its_size() {
        assert_eq!(left_out(&[1000, 4000]), None);
        let said = left_out(&[1000, 1_000_000]).unwrap().markdown();
        assert!(said.contains("at 1000000 examples `set, one pass`, `set, Hart`"), "{said}");
    }

    #[test]
    fn the_reference_is_asked_at_every_size() {
        assert!(STRUCTURES.iter().any(|structure| structure.name == REFERENCE));
        assert!(is_asked(REFERENCE, 1_000_000));
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
        let plan = Plan { data: vec!["mnist".to_owned()], ..Plan::new(super::super::Question::Grow) };
        let mut peers = Peers::none();
        let kept = Kept::begin(super::super::Question::Grow, None).unwrap();
        let error = measure(&plan, 1, &mut peers, &kept).unwrap_err().to_string();
        assert!(error.contains("\"mnist\"") && error.contains("clouds"), "{error}");
    }
}
