//! Ends the process when a case hangs, and says which.
//!
//! A hanging case cannot be stopped from outside, and a test that never ends says nothing. The input is on disk then.

use std::io::Write;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any case takes, also on a busy machine: the slowest take some milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

/// The case that is being read, and since when.
static RUNNING: Mutex<Option<(Instant, &str, u64, u64)>> = Mutex::new(None);

/// Watches until it is dropped.
pub(crate) struct Watched;

pub(crate) fn watch(target: &'static str, seed: u64, case: u64) -> Watched {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| drop(std::thread::spawn(look)));
    set(Some((Instant::now(), target, seed, case)));
    Watched
}

impl Drop for Watched {
    fn drop(&mut self) {
        set(None);
    }
}

fn set(running: Option<(Instant, &'static str, u64, u64)>) {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = running;
}

fn look() {
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let running = *RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((start, target, seed, case)) = running.filter(|(start, ..)| start.elapsed() > LIMIT) {
            // Not `eprintln!`, which the test harness would keep to itself.
            let _ = writeln!(
                std::io::stderr(),
                "{target}: case {case} of seed {seed} takes {} s already; the input is {}/fuzz-{target}-{seed}",
                start.elapsed().as_secs(),
                env!("CARGO_TARGET_TMPDIR"),
            );
            std::process::exit(3);
        }
    }
}
