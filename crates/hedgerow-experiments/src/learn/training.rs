//! One run of learning, kept in a checkpoint until it is over.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use hedgerow_core::Examples;
use hedgerow_learn::{EpochRecord, Event as TrainEvent, Outcome, RunOptions, Trained, TrainingParams, train_validated};

use super::clock::RunClock;
use crate::error::ExperimentError;
use crate::event::{Event, Learning, Listener, Remaining};

/// A run of learning.
pub(crate) struct Training<'a> {
    /// What it is called where it is told of.
    pub(crate) label: &'a str,
    /// Its number among the runs of the command, from 1, and how many these are.
    pub(crate) place: (usize, usize),
    /// What decides what is learned.
    pub(crate) params: &'a TrainingParams,
    /// Where it is kept until it is over.
    pub(crate) checkpoint: PathBuf,
    /// Seconds after which it is cut.
    pub(crate) max_seconds: Option<f64>,
    /// Seconds of the runs that come after it.
    pub(crate) afterwards: Remaining,
}

/// What a run gives, and what it took.
pub(crate) struct Learned {
    pub(crate) trained: Trained,
    pub(crate) clock: RunClock,
    checkpoint: PathBuf,
}

impl Training<'_> {
    /// Learns, from the beginning or from the checkpoint.
    ///
    /// # Errors
    /// [`ExperimentError::Interrupted`] if the listener says so; the checkpoint is kept.
    pub(crate) fn carry_out(
        &self,
        examples: &Examples<'_>,
        validation: Option<&Examples<'_>>,
        listener: &mut Listener<'_>,
    ) -> Result<Learned, ExperimentError> {
        let folder = self.checkpoint.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(ExperimentError::of_file(folder))?;
        let mut clock = RunClock::start(&self.checkpoint, self.max_seconds);
        let interrupted = || ExperimentError::Interrupted { folder: folder.to_owned() };
        if self.checkpoint.exists() {
            tell(listener, &Event::Resumed { run: self.label, seconds: clock.seconds() }).ok_or_else(interrupted)?;
        }
        let mut pace = Pace::default();
        let mut hear = |event: &TrainEvent<'_>| {
            let cut = clock.hear(event);
            if cut.is_break() {
                return cut;
            }
            pace.hear(event);
            match event {
                TrainEvent::Epoch(EpochRecord { epoch, loss, validation: Some(validation), .. }) => {
                    listener(&Event::Evaluated {
                        run: self.label,
                        epoch: epoch + 1,
                        seconds: clock.seconds(),
                        loss: *loss,
                        validation: *validation,
                    })
                }
                TrainEvent::Round { epoch, loss, .. } => {
                    let mine = pace.remaining(clock.seconds(), self.max_seconds);
                    let remaining = mine.map(|seconds| Remaining {
                        seconds: seconds + self.afterwards.seconds,
                        at_least: self.afterwards.at_least,
                    });
                    listener(&Event::Learning(Learning {
                        run: self.label,
                        number: self.place.0,
                        n_runs: self.place.1,
                        done: pace.done,
                        total: pace.total,
                        epoch: epoch + 1,
                        n_epochs: pace.n_epochs,
                        loss: *loss,
                        remaining,
                    }))
                }
                _ => ControlFlow::Continue(()),
            }
        };
        let options = RunOptions { checkpoint: Some(self.checkpoint.clone()), resume: true, ..RunOptions::default() };
        let trained = train_validated(examples, validation, self.params, &options, &mut hear)?;
        if trained.outcome == Outcome::Stopped && !clock.was_cut {
            return Err(interrupted());
        }
        Ok(Learned { trained, clock, checkpoint: self.checkpoint.clone() })
    }
}

impl Training<'_> {
    /// Removes the checkpoint of a run whose result is written down.
    pub(crate) fn forget(&self) -> Result<(), ExperimentError> {
        RunClock::forget(&self.checkpoint);
        fs::remove_file(&self.checkpoint).map_err(ExperimentError::of_file(&self.checkpoint))
    }
}

impl Learned {
    /// Removes the checkpoint of a run whose result is written down.
    pub(crate) fn forget(&self) -> Result<(), ExperimentError> {
        RunClock::forget(&self.checkpoint);
        fs::remove_file(&self.checkpoint).map_err(ExperimentError::of_file(&self.checkpoint))
    }
}

/// Tells an event; nothing if the work shall stop.
pub(crate) fn tell(listener: &mut Listener<'_>, event: &Event<'_>) -> Option<()> {
    listener(event).is_continue().then_some(())
}

/// How fast rounds are done, since the run was begun or taken up again.
#[derive(Debug, Default)]
struct Pace {
    n_epochs: usize,
    n_rounds: u64,
    done: u64,
    total: u64,
    /// Rounds done and seconds spent when it began.
    start: Option<(u64, f64)>,
}

impl Pace {
    fn hear(&mut self, event: &TrainEvent<'_>) {
        match event {
            TrainEvent::Started { n_epochs, n_rounds, epoch, round, .. } => {
                (self.n_epochs, self.n_rounds) = (*n_epochs, *n_rounds as u64);
                self.total = (*n_epochs as u64) * self.n_rounds;
                self.done = (*epoch as u64) * self.n_rounds + *round as u64;
            }
            TrainEvent::Round { epoch, round, .. } => {
                self.done = (*epoch as u64) * self.n_rounds + *round as u64 + 1;
            }
            _ => {}
        }
    }

    /// Seconds to go, after the first round.
    fn remaining(&mut self, seconds: f64, max_seconds: Option<f64>) -> Option<f64> {
        let (done, since) = *self.start.get_or_insert((self.done, seconds));
        if self.done <= done {
            return None;
        }
        let each = (seconds - since) / (self.done - done) as f64;
        let left = each * self.total.saturating_sub(self.done) as f64;
        Some(max_seconds.map_or(left, |most| left.min((most - seconds).max(0.0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_goes_by_the_pace_since_the_beginning() {
        let mut pace = Pace { n_epochs: 10, n_rounds: 10, done: 51, total: 100, start: None };
        // Taken up after 50 rounds that took 500 seconds: those do not count, the machine may be another one.
        assert_eq!(pace.remaining(502.0, None), None);
        pace.done = 61;
        assert_eq!(pace.remaining(522.0, None), Some(78.0)); // 2 s for each of 39
        assert_eq!(pace.remaining(522.0, Some(530.0)), Some(8.0));
    }
}
