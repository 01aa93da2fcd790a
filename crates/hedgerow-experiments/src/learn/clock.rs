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
    /// Where the seconds of a run that is under way are kept, beside its checkpoint: a line for each epoch, and one for now.
    kept_in: PathBuf,
    /// Seconds of learning up to `since`, a reading of the source; none while nothing is learned.
    learned: f64,
    since: Option<f64>,
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
        let lines = || earlier.iter().flat_map(|text| text.lines());
        let epochs: Vec<f64> = lines().filter_map(|line| line.parse().ok()).collect();
        // Files of before end with the last epoch that was whole.
        let now = lines().find_map(|line| line.strip_prefix(NOW)?.parse().ok());
        let learned = now.or(epochs.last().copied()).unwrap_or(0.0);
        Self { source, limit, kept_in, learned, since: None, epochs, was_cut: false }
    }

    /// Hears an event; breaks when the time is over.
    pub fn hear(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Started { epoch, n_epochs, .. } => {
                self.epochs.truncate(*epoch);
                // A run that was cut, and is taken up again since nobody has asked it yet, is over: it must not learn another round each time.
                if epoch < n_epochs && self.is_over() {
                    return self.cut();
                }
                self.since = Some(self.source.read());
            }
            Event::Evaluating { .. } => self.pause(),
            Event::Epoch(_) => {
                // The seconds of an evaluation, if there was one, are left out.
                self.pause();
                self.since = Some(self.source.read());
                self.epochs.push(self.learned);
            }
            Event::Checkpoint(_) => {
                let epochs = self.epochs.iter().map(f64::to_string);
                let lines: Vec<String> = epochs.chain([format!("{NOW}{}", self.seconds())]).collect();
                // A run whose seconds cannot be kept is only timed worse if it is stopped.
                let _ = fs::write(&self.kept_in, lines.join("\n"));
            }
            Event::Round { .. } if self.is_over() => return self.cut(),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.seconds() >= limit)
    }

    fn cut(&mut self) -> ControlFlow<()> {
        self.pause();
        self.was_cut = true;
        ControlFlow::Break(())
    }

    /// Counts no seconds until learning goes on.
    fn pause(&mut self) {
        self.learned = self.seconds();
        self.since = None;
    }

    /// Seconds of learning so far.
    pub fn seconds(&self) -> f64 {
        self.learned + self.since.map_or(0.0, |since| self.source.read() - since)
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

/// What the line with the seconds of a part of an epoch begins with.
const NOW: &str = "now ";

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

    fn started(epoch: usize) -> Event<'static> {
        Event::Started {
            n_epochs: 9,
            n_rounds: 3,
            epoch,
            round: 0,
            layers: &[],
            n_weights: 0,
            learning_rate: 0.0,
            n_train: 0,
            n_validation: 0,
        }
    }

    fn round(epoch: usize) -> Event<'static> {
        Event::Round { epoch, round: 0, step: 1, loss: 0.0, n_references: 0, learning_rate: 0.0 }
    }

    /// A clock that goes by the wall, and a checkpoint for it, which is there.
    fn clock(folder: &Path, limit: Option<f64>) -> (RunClock, PathBuf) {
        let checkpoint = folder.join("run.safetensors");
        fs::write(&checkpoint, "").unwrap();
        (RunClock { source: Source::Wall(Instant::now()), ..RunClock::start(&checkpoint, limit) }, checkpoint)
    }

    #[test]
    fn evaluations_are_left_out_and_a_run_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (mut clock, checkpoint) = clock(folder.path(), Some(100.0));
        clock.learned = 2.0;
        let record = |validation| EpochRecord {
            epoch: 0,
            train_seconds: 0.0,
            loss: 0.0,
            n_references: 0.0,
            n_left_out: 0,
            learning_rate: 0.0,
            validation,
        };
        assert_eq!(clock.hear(&started(0)), ControlFlow::Continue(()));
        assert_eq!(clock.hear(&Event::Evaluating { epoch: 0, step: 0 }), ControlFlow::Continue(()));
        std::thread::sleep(std::time::Duration::from_millis(60));
        let _ = clock.hear(&Event::Epoch(&record(Some(Validation { error_percent: 1.0, n_nodes: 1 }))));
        assert!((2.0..2.05).contains(&clock.epochs()[0]), "{clock:?}");
        let _ = clock.hear(&Event::Checkpoint(&checkpoint));
        let again = RunClock::start(&checkpoint, None);
        assert_eq!(again.epochs(), clock.epochs());
        clock.limit = Some(1.0);
        assert_eq!(clock.hear(&round(1)), ControlFlow::Break(()));
        assert!(clock.was_cut);
    }

    #[test]
    fn seconds_of_a_part_of_an_epoch_are_not_lost_when_a_run_is_taken_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let (mut clock, checkpoint) = clock(folder.path(), None);
        clock.epochs = vec![1.5];
        clock.learned = 2.25;
        let _ = clock.hear(&started(1));
        let _ = clock.hear(&Event::Checkpoint(&checkpoint));
        let again = RunClock::start(&checkpoint, None);
        assert_eq!(again.epochs(), [1.5]);
        assert!((2.25..clock.seconds()).contains(&again.seconds()), "{again:?}");
        // A file of before has whole epochs alone.
        fs::write(kept_in(&checkpoint), "1.5\n2").unwrap();
        let old = RunClock::start(&checkpoint, None);
        assert_eq!((old.epochs(), old.seconds()), (&[1.5, 2.0][..], 2.0));
        // Without a checkpoint the run begins anew.
        fs::remove_file(&checkpoint).unwrap();
        assert_eq!(RunClock::start(&checkpoint, None).seconds(), 0.0);
    }

    #[test]
    fn a_run_whose_time_is_over_is_cut_before_it_learns_another_round() {
        let folder = tempfile::tempdir().unwrap();
        let (mut clock, checkpoint) = clock(folder.path(), Some(2.0));
        assert_eq!(clock.hear(&started(0)), ControlFlow::Continue(()));
        clock.learned = 2.0;
        assert_eq!(clock.hear(&round(0)), ControlFlow::Break(()));
        let _ = clock.hear(&Event::Checkpoint(&checkpoint));
        // What the evaluation takes is not learning.
        let seconds = clock.seconds();
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert_eq!(clock.seconds().to_bits(), seconds.to_bits());
        let mut again = RunClock::start(&checkpoint, Some(2.0));
        assert_eq!((again.hear(&started(0)), again.was_cut), (ControlFlow::Break(()), true));
        assert_eq!(again.seconds().to_bits(), seconds.to_bits());
        // A run that came to its end was not cut, even if its last round ended late.
        let mut finished = RunClock::start(&checkpoint, Some(2.0));
        assert_eq!((finished.hear(&started(9)), finished.was_cut), (ControlFlow::Continue(()), false));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn seconds_of_the_processor_do_not_come_in_steps_of_a_hundredth() {
        let first = processor_seconds().unwrap();
        let next = std::iter::repeat_with(|| processor_seconds().unwrap()).find(|now| *now > first).unwrap();
        assert!(next - first < 0.005, "from {first} to {next}");
    }
}
