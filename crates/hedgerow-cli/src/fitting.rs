//! Progress of a fit that is one of several.

use std::ops::ControlFlow;

use hedgerow::FitEvent;
use hedgerow::learn::Event;

use crate::bar::Bar;
use crate::context::Context;

/// A bar that hears a fit.
pub(crate) struct FitBar<'a> {
    bar: Bar<'a>,
    task: String,
    n_rounds: usize,
    n_epochs: usize,
}

impl<'a> FitBar<'a> {
    /// A bar for what is called `task`.
    pub(crate) fn new(context: &'a Context, task: String) -> Self {
        Self { bar: context.bar(), task, n_rounds: 0, n_epochs: 0 }
    }

    /// Hears how far the fit is; breaks on Ctrl-C.
    pub(crate) fn hear(&mut self, event: &FitEvent<'_>) -> ControlFlow<()> {
        match event {
            FitEvent::Learning(Event::Started { n_epochs, n_rounds, .. }) => {
                (self.n_epochs, self.n_rounds) = (*n_epochs, *n_rounds);
                self.bar.go_on()
            }
            FitEvent::Learning(Event::Round { epoch, round, loss, .. }) => {
                let done = (epoch * self.n_rounds + round + 1) as u64;
                let total = Some((self.n_epochs * self.n_rounds) as u64);
                self.bar.step(&self.task, done, total, &format!("epoch {}, loss {loss:.4}", epoch + 1))
            }
            FitEvent::Editing { n_asked, n_examples } => {
                self.bar.step(&self.task, *n_asked as u64, Some(*n_examples as u64), "asking neighbors")
            }
            FitEvent::Building { n_shown, n_examples, n_stored } => {
                let message = format!("{n_stored} stored");
                self.bar.step(&self.task, *n_shown as u64, Some(*n_examples as u64), &message)
            }
            _ => self.bar.go_on(),
        }
    }
}
