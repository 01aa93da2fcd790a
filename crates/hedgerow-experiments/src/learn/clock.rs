//! Seconds that a run takes.
//!
//! Runs with one thread count the seconds of the processor, where the system tells them (Linux), so that other work on the machine counts less.
//! Runs with more threads count those of the clock on the wall: how well threads share the work is part of the result.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hedgerow_learn::Event;

/// Follows a run by its events and knows the seconds of learning, evaluations left out, at the end of each epoch.
#[derive(Debug)]
pub struct RunClock {
    source: Source,
    limit: Option<f64>,
    /// Where the seconds of a run that is under way are kept, beside its checkpoint.
    kept_in: PathBuf,
    /// Seconds of learning up to `since`, a reading of the source.
    learned: f64,
    since: f64,
    epochs: Vec<f64>,
    /// Whether the run was cut because its time was over.
    pub was_cut: bool,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    Wall(Instant),
    Processor,
}

impl Source {
    fn read(self) -> f64 {
        match self {
            Self::Wall(start) => start.elapsed().as_secs_f64(),
            Self::Processor => processor_seconds().unwrap_or(0.0),
        }
    }
}

impl RunClock {
    /// Starts, or goes on with what an earlier command has spent on the run whose checkpoint is given.
    pub fn start(checkpoint: &Path, limit: Option<f64>) -> Self {
        let one_thread = rayon::current_num_threads() == 1;
        let source = match processor_seconds() {
            Some(_) if one_thread => Source::Processor,
            _ => Source::Wall(Instant::now()),
        };
        let kept_in = kept_in(checkpoint);
        let earlier = if checkpoint.exists() { fs::read_to_string(&kept_in).ok() } else { None };
        let epochs: Vec<f64> =
            earlier.iter().flat_map(|text| text.lines()).filter_map(|line| line.parse().ok()).collect();
        let learned = epochs.last().copied().unwrap_or(0.0);
        Self { source, limit, kept_in, learned, since: source.read(), epochs, was_cut: false }
    }

    /// Hears an event; breaks when the time is over.
    pub fn hear(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Started { epoch, .. } => {
                self.epochs.truncate(*epoch);
                self.since = self.source.read();
            }
            Event::Evaluating { .. } => self.take(),
            Event::Epoch(record) => {
                // The seconds of an evaluation, if there was one since, are left out.
                if record.validation.is_none() {
                    self.take();
                }
                self.since = self.source.read();
                self.epochs.push(self.learned);
            }
            Event::Checkpoint(_) => {
                let lines: Vec<String> = self.epochs.iter().map(f64::to_string).collect();
                // A run whose seconds cannot be kept is only timed worse if it is stopped.
                let _ = fs::write(&self.kept_in, lines.join("\n"));
            }
            Event::Round { .. } if self.limit.is_some_and(|limit| self.seconds() >= limit) => {
                self.was_cut = true;
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self) {
        let now = self.source.read();
        self.learned += now - self.since;
        self.since = now;
    }

    /// Seconds of learning so far.
    pub fn seconds(&self) -> f64 {
        self.learned + self.source.read() - self.since
    }

    /// Seconds of learning at the end of each epoch.
    pub fn epochs(&self) -> &[f64] {
        &self.epochs
    }

    /// Removes what was kept for a run that is over, by its checkpoint.
    pub fn forget(checkpoint: &Path) {
        let _ = fs::remove_file(kept_in(checkpoint));
    }
}

/// Where the seconds of a run are kept.
fn kept_in(checkpoint: &Path) -> PathBuf {
    checkpoint.with_extension("seconds")
}

/// Seconds that the processor has spent on this program. (Not from `/proc`, where they come in steps of a hundredth.)
#[cfg(target_os = "linux")]
fn processor_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(target_os = "linux"))]
fn processor_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_learn::{EpochRecord, Validation};

    #[test]
    fn evaluations_are_left_out_and_a_run_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("run.safetensors");
        let mut clock = RunClock::start(&checkpoint, Some(100.0));
        clock.source = Source::Wall(Instant::now());
        (clock.learned, clock.since) = (2.0, 0.0);
        let record = |validation| EpochRecord {
            epoch: 0,
            train_seconds: 0.0,
            loss: 0.0,
            n_references: 0.0,
            n_left_out: 0,
            learning_rate: 0.0,
            validation,
        };
        assert_eq!(clock.hear(&Event::Evaluating { epoch: 0, step: 0 }), ControlFlow::Continue(()));
        std::thread::sleep(std::time::Duration::from_millis(60));
        let _ = clock.hear(&Event::Epoch(&record(Some(Validation { error_percent: 1.0, n_nodes: 1 }))));
        assert!((2.0..2.05).contains(&clock.epochs()[0]), "{clock:?}");
        let _ = clock.hear(&Event::Checkpoint(&checkpoint));
        fs::write(&checkpoint, "").unwrap();
        let again = RunClock::start(&checkpoint, None);
        assert_eq!(again.epochs(), clock.epochs());
        clock.limit = Some(1.0);
        let round = Event::Round { epoch: 1, round: 0, step: 1, loss: 0.0, n_references: 0, learning_rate: 0.0 };
        assert_eq!(clock.hear(&round), ControlFlow::Break(()));
        assert!(clock.was_cut);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn seconds_of_the_processor_do_not_come_in_steps_of_a_hundredth() {
        let first = processor_seconds().unwrap();
        let next = std::iter::repeat_with(|| processor_seconds().unwrap()).find(|now| *now > first).unwrap();
        assert!(next - first < 0.005, "from {first} to {next}");
    }
}
