//! What a run is told and asked from outside while it goes on.

use std::path::Path;
use std::time::Instant;

use super::event::Event;
use super::options::CHECKPOINT_SECONDS;
use super::{Listener, Outcome, RunOptions};

/// The clock and the listener of a run.
pub(super) struct Watch<'o, 'l> {
    options: &'o RunOptions,
    listener: &'o mut Listener<'l>,
    is_stopped: bool,
    started: Instant,
    last_checkpoint: Instant,
}

impl<'o, 'l> Watch<'o, 'l> {
    pub(super) fn new(options: &'o RunOptions, listener: &'o mut Listener<'l>) -> Self {
        let now = Instant::now();
        Self { options, listener, is_stopped: false, started: now, last_checkpoint: now }
    }

    pub(super) fn tell(&mut self, event: &Event<'_>) {
        self.is_stopped |= (self.listener)(event).is_break();
    }

    /// Whether the listener has said so. It is not asked again: what is said once stands.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Why the run is to end now, if it is.
    pub(super) fn ended(&self) -> Option<Outcome> {
        let seconds = self.started.elapsed().as_secs_f64();
        let is_over = self.options.max_seconds.is_some_and(|most| seconds >= most);
        if self.is_stopped { Some(Outcome::Stopped) } else { is_over.then_some(Outcome::TimeUp) }
    }

    /// Where to write a checkpoint, if it is time for one.
    pub(super) fn checkpoint_due(&mut self) -> Option<&'o Path> {
        let path = self.options.checkpoint.as_deref()?;
        let every = self.options.checkpoint_seconds.unwrap_or(CHECKPOINT_SECONDS);
        if self.last_checkpoint.elapsed().as_secs_f64() < every {
            return None;
        }
        self.last_checkpoint = Instant::now();
        Some(path)
    }
}
