//! Damaged and hostile files: every reader must answer with an error or with data, never panic or hang, and never take
//! more memory than it was allowed.
//!
//! Real files are changed at random (`mutate.rs`), each at least once, and read (`targets.rs`). A bounded run is part of
//! the tests; `cargo xtask fuzz` runs as long as it is told. Before an input is read it is written to the folder for
//! temporary files of the build, so that it is still there when the process is ended; one that fails keeps its file.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod mutate;
mod targets;
mod watchdog;

use std::alloc::System;
use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cap::Cap;
use hedgerow_core::random::SplitMix64;

use self::targets::Target;

/// Counts what is allocated, to see the largest amount held at once. Past 1 GiB the process is ended rather than the
/// machine made to swap.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 1 << 30);

/// One target at a time, so that the memory seen is its own.
static TURN: Mutex<()> = Mutex::new(());

/// What a reader may take in all: twice the 8 MiB it is given for data while that grows, and what decoders keep.
const MAX_BYTES: usize = 40 << 20;

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Feeds changed files to a target.
fn run(target: &Target) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let cases = from_environment("HEDGEROW_FUZZ_CASES", 3000) / target.share;
    let seed = from_environment("HEDGEROW_FUZZ_SEED", 1);
    let seeds = (target.seeds)();
    assert!(!seeds.files.is_empty());
    let mut on_disk = OnDisk::new(&format!("fuzz-{}-{seed}", target.name));
    let (mut n_read, at_first) = (0, ALLOCATOR.allocated());
    let mut slowest = std::time::Duration::ZERO;
    for case in 0..cases {
        let mut random = SplitMix64::new(seed, case);
        let input = (target.change)(&seeds, &mut random);
        on_disk.write(&input);
        let (held_before, most_before) = (ALLOCATOR.allocated(), ALLOCATOR.max_allocated());
        let start = std::time::Instant::now();
        let outcome = {
            let _watched = watchdog::watch(target.name, seed, case);
            catch_unwind(AssertUnwindSafe(|| (target.read)(&input, &seeds, &mut random)))
        };
        slowest = slowest.max(start.elapsed());
        // The most ever held is the most of this case only if it grew: what an earlier case took is not blamed on it.
        let most = ALLOCATOR.max_allocated();
        let held = if most > most_before { most.saturating_sub(held_before) } else { 0 };
        match outcome {
            Ok(read) if held <= MAX_BYTES => n_read += u64::from(read),
            other => {
                let path = on_disk.keep(&format!("fuzz-{}-{seed}-{case}", target.name));
                let what = if other.is_err() { "panicked".to_owned() } else { format!("held {held} bytes") };
                panic!("{}: {what} on case {case} of seed {seed}; the input is {}", target.name, path.display());
            }
        }
    }
    println!(
        "{}: {cases} changed inputs of seed {seed}, {n_read} of them read as data, slowest {} ms, at most {} KiB held",
        target.name,
        slowest.as_millis(),
        ALLOCATOR.max_allocated().saturating_sub(at_first) >> 10,
    );
    // Otherwise the changes are so rough that only the first lines of a reader are ever tried.
    let (percent, floor) = (n_read as f64 * 100.0 / cases as f64, target.read_percent);
    // Of a few dozen cases, chance decides.
    assert!(
        percent >= floor || cases < 200,
        "{}: only {n_read} of {cases} changed inputs got through, not {floor} %",
        target.name
    );
}

/// A file with the input that is being read.
struct OnDisk {
    file: File,
    path: PathBuf,
}

impl OnDisk {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        Self { file: File::create(&path).unwrap(), path }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.file.rewind().unwrap();
        self.file.write_all(bytes).unwrap();
        self.file.set_len(bytes.len() as u64).unwrap();
    }

    /// Gives the file another name, under which it stays.
    fn keep(&self, name: &str) -> PathBuf {
        let path = self.path.with_file_name(name);
        std::fs::copy(&self.path, &path).unwrap();
        path
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // what is left over does no harm
    }
}

#[test]
fn idx() {
    run(&targets::IDX);
}

#[test]
fn csv() {
    run(&targets::CSV);
}

#[test]
fn npy() {
    run(&targets::NPY);
}

#[test]
fn npz() {
    run(&targets::NPZ);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet() {
    run(&targets::PARQUET);
}

#[test]
fn svmlight() {
    run(&targets::SVMLIGHT);
}

#[test]
fn gzip() {
    run(&targets::GZIP);
}

#[test]
fn labels() {
    run(&targets::LABELS);
}

#[test]
fn schema() {
    run(&targets::SCHEMA);
}

#[test]
fn archives() {
    run(&targets::ARCHIVES);
}
