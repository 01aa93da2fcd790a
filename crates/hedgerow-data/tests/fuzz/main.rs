//! Damaged and hostile files: every reader must answer with an error or with data, never panic, and never take more
//! memory than it was allowed.
//!
//! Real files are changed at random (`mutate.rs`) and read. A bounded run is part of the tests; `cargo xtask fuzz` runs as
//! long as it is told. A failing input is written to the folder for temporary files of the build, and its number printed.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod mutate;
mod targets;

use std::alloc::System;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use cap::Cap;
use hedgerow_core::random::SplitMix64;

use self::targets::Target;

/// Counts what is allocated, to see the largest amount held at once.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// One target at a time, so that the memory seen is its own.
static TURN: Mutex<()> = Mutex::new(());

/// What a reader may take in all: the limit it is given for data, the longest line of text, and what decoders keep.
const MAX_BYTES: usize = 256 << 20;

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Feeds changed files to a target.
fn run(target: &Target) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let cases = from_environment("HEDGEROW_FUZZ_CASES", 3000) / target.share;
    let seed = from_environment("HEDGEROW_FUZZ_SEED", 1);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty());
    let held_before = ALLOCATOR.allocated();
    let mut n_read = 0;
    let mut slowest = std::time::Duration::ZERO;
    for case in 0..cases {
        let mut random = SplitMix64::new(seed, case);
        let input = mutate::changed(&seeds, &mut random);
        let start = std::time::Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.read)(&input, &mut random)));
        slowest = slowest.max(start.elapsed());
        let held = ALLOCATOR.max_allocated().saturating_sub(held_before);
        match outcome {
            Ok(read) if held <= MAX_BYTES => n_read += u64::from(read),
            other => {
                let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}-{seed}-{case}", target.name));
                std::fs::write(&path, &input).unwrap();
                let what = if other.is_err() { "panicked".to_owned() } else { format!("held {held} bytes") };
                panic!("{}: {what} on case {case} of seed {seed}; the input is {}", target.name, path.display());
            }
        }
    }
    println!(
        "{}: {cases} inputs of seed {seed}, {n_read} of them read as data, slowest {} ms",
        target.name,
        slowest.as_millis()
    );
    // Otherwise the changes are so rough that only the first lines of a reader are ever tried.
    assert!(n_read * 100 > cases, "{}: only {n_read} of {cases} inputs got through", target.name);
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
fn archives() {
    run(&targets::ARCHIVES);
}
