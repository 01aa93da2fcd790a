//! What one durable change costs: `cargo test --release -p hedgerow --test model -- --ignored --nocapture speed`.

use std::time::{Duration, Instant};

use hedgerow::{Addition, FitParams, Model, Point, StructureParams, data};
use rusqlite::Connection;

use super::fixtures::fit;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn show(what: &str, times: Vec<Duration>) {
    let most = times.iter().max().copied().unwrap_or_default();
    let n = times.len();
    println!("{what:<48} median {:>8.1} us of {n}, most {:>8.1} us", micros(median(times)), micros(most));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// `HEDGEROW_SPEED_DIR` says on which disk; the system's temporary folder if not set.
fn folder() -> tempfile::TempDir {
    match std::env::var_os("HEDGEROW_SPEED_DIR") {
        Some(dir) => tempfile::tempdir_in(dir).unwrap(),
        None => tempfile::tempdir().unwrap(),
    }
}

#[test]
#[ignore = "a measurement"]
fn speed_of_one_addition() {
    let folder = folder();
    let digits = data::load("optdigits").unwrap();
    let learning = hedgerow::learn::TrainingParams { epochs: Some(2), ..Default::default() };
    for (name, params) in [
        ("tree, learned", FitParams { learning: Some(learning), ..FitParams::default() }),
        ("tree", FitParams { learning: None, ..FitParams::default() }),
        ("forest of 50", FitParams { learning: None, structure: StructureParams::forest(), ..FitParams::default() }),
    ] {
        let place = folder.path().join(name);
        let fitted = fit(&digits, &params);
        fitted.save(&place).unwrap();
        let test = digits.test();
        let times = |mut model: Model, n: usize| {
            let one = |row: usize| {
                let Point::U8(point) = test.row(row) else { unreachable!("digits are bytes") };
                let addition = Addition { point: Point::U8(point), label: Some("0"), id: None, note: None };
                let started = Instant::now();
                model.insert(&[addition]).unwrap();
                started.elapsed()
            };
            (0..n).map(one).collect()
        };
        show(&format!("{name}: in memory"), times(Model::load(&place).unwrap(), 400));
        show(&format!("{name}: opened, durable"), times(Model::open(&place).unwrap(), 400));
    }
}

#[test]
#[ignore = "a measurement"]
fn speed_of_ways_to_commit() {
    let folder = folder();
    let modes = [
        ("PERSIST", "FULL"),
        ("TRUNCATE", "FULL"),
        ("DELETE", "FULL"),
        ("DELETE", "EXTRA"),
        ("WAL", "FULL"),
        ("WAL", "NORMAL"),
        ("TRUNCATE", "OFF"),
    ];
    let connect = |(mode, sync): &(&str, &str)| {
        let connection = Connection::open(folder.path().join(format!("{mode}-{sync}.sqlite"))).unwrap();
        connection.pragma_update(None, "journal_mode", mode).unwrap();
        connection.pragma_update(None, "synchronous", sync).unwrap();
        connection.execute_batch("CREATE TABLE journal (number INTEGER PRIMARY KEY, point BLOB)").unwrap();
        connection
    };
    let connections: Vec<Connection> = modes.iter().map(connect).collect();
    let mut file = std::fs::File::create(folder.path().join("file")).unwrap();
    let mut times = vec![Vec::new(); modes.len() + 1];
    // In turn, so that what else the machine does is shared out fairly.
    for number in 0..400 {
        for (connection, times) in connections.iter().zip(&mut times) {
            let mut insert = connection.prepare_cached("INSERT INTO journal VALUES (?1, ?2)").unwrap();
            let started = Instant::now();
            insert.execute(rusqlite::params![number, vec![1_u8; 200]]).unwrap();
            times.push(started.elapsed());
        }
        let started = Instant::now();
        std::io::Write::write_all(&mut file, &[1; 200]).unwrap();
        file.sync_data().unwrap();
        times[modes.len()].push(started.elapsed());
    }
    for ((mode, sync), times) in modes.iter().zip(&times) {
        show(&format!("SQLite, journal_mode {mode}, synchronous {sync}"), times.clone());
    }
    show("a file, written to and fdatasync", times[modes.len()].clone());
}
