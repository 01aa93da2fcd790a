//! A fit heard: progress for the bar, notices for the user, and Ctrl-C for the fit.

use std::ops::ControlFlow;

use hedgerow::FitEvent;
use hedgerow::learn::{EpochRecord, Event, Notice, Validation};

use crate::bar::Bar;
use crate::context::Context;

/// A bar of fewer epochs than this would move too seldom.
const FEW_EPOCHS: usize = 20;

/// Hears of a fit.
pub(super) struct Watch<'a> {
    context: &'a Context,
    bar: Bar<'a>,
    n_epochs: usize,
    n_rounds: usize,
    epoch: usize,
    loss: Option<f64>,
    validation: Option<Validation>,
    /// Whether the run was taken up from a checkpoint.
    pub(super) is_resumed: bool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        let bar = context.bar();
        Self { context, bar, n_epochs: 0, n_rounds: 1, epoch: 0, loss: None, validation: None, is_resumed: false }
    }

    /// Tells what happened, and whether to go on.
    pub(super) fn hear(&mut self, event: &FitEvent<'_>) -> ControlFlow<()> {
        match event {
            FitEvent::Learning(event) => self.hear_learning(event),
            FitEvent::Editing { n_asked, n_examples } => {
                self.bar.step("asking neighbors", *n_asked as u64, Some(*n_examples as u64), "")
            }
            FitEvent::Building { n_shown, n_examples, n_stored } => {
                let message = format!("{n_stored} stored");
                self.bar.step("keeping examples", *n_shown as u64, Some(*n_examples as u64), &message)
            }
            _ => self.bar.go_on(),
        }
    }

    fn hear_learning(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match *event {
            Event::Started { n_epochs, n_rounds, epoch, round, layers, n_train, n_validation, .. } => {
                (self.n_epochs, self.n_rounds, self.epoch) = (n_epochs, n_rounds, epoch);
                self.is_resumed = (epoch, round) != (0, 0);
                let layers: Vec<String> = layers.iter().map(usize::to_string).collect();
                let begins = if self.is_resumed { format!(", from epoch {} on", epoch + 1) } else { String::new() };
                self.context.note(format_args!(
                    "learning: a network of {} from {n_train} examples, {n_validation} more for validation, {n_epochs} epochs{begins}",
                    layers.join("-")
                ));
                self.draw(round)
            }
            Event::Notice(notice @ (Notice::NoCheckpoint { .. } | Notice::NoLastCheckpoint { .. })) => {
                self.context.warn(notice);
                self.bar.go_on()
            }
            Event::Notice(notice) => {
                self.context.note(notice);
                self.bar.go_on()
            }
            Event::Round { epoch, round, loss, .. } => {
                (self.epoch, self.loss) = (epoch, Some(loss));
                self.draw(round + 1)
            }
            Event::Epoch(record) => {
                self.validation = record.validation.or(self.validation);
                if record.validation.is_some() || self.context.verbosity() > 1 {
                    self.context.detail(epoch_text(record, self.n_epochs));
                }
                self.draw(self.n_rounds)
            }
            Event::Checkpoint(path) => {
                if self.context.verbosity() > 1 {
                    self.context.detail(format_args!("checkpoint written: {}", path.display()));
                }
                self.bar.go_on()
            }
            _ => self.bar.go_on(),
        }
    }

    /// Counts epochs, or rounds where epochs are few and long. The words fit a narrow terminal.
    fn draw(&mut self, n_rounds_done: usize) -> ControlFlow<()> {
        let mut words = Vec::new();
        let counts_epochs = self.n_epochs >= FEW_EPOCHS;
        if !counts_epochs {
            words.push(format!("epoch {}/{}", (self.epoch + 1).min(self.n_epochs), self.n_epochs));
        }
        words.extend(self.loss.map(|loss| format!("loss {loss:.3}")));
        if let Some(Validation { error_percent, n_nodes }) = self.validation {
            words.push(format!("error {error_percent:.2} %, {n_nodes} nodes"));
        }
        let (done, total) = match counts_epochs {
            true => (self.epoch + n_rounds_done / self.n_rounds.max(1), self.n_epochs),
            false => (self.epoch * self.n_rounds + n_rounds_done, self.n_epochs * self.n_rounds),
        };
        self.bar.step("learning", done as u64, Some(total as u64), &words.join(", "))
    }
}

fn epoch_text(record: &EpochRecord, n_epochs: usize) -> String {
    let validation = record.validation.map_or_else(String::new, |validation| {
        format!(", validation error {:.2} %, {} nodes", validation.error_percent, validation.n_nodes)
    });
    format!("epoch {}/{n_epochs}, {:.1} s: loss {:.4}{validation}", record.epoch + 1, record.train_seconds, record.loss)
}
