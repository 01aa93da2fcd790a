//! What experiments tell while they go on.

use std::fmt;
use std::ops::ControlFlow;

use hedgerow_data::progress::Progress;
use hedgerow_learn::Validation;

/// Something that happened. Progress bars and logs are listeners to these.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A data set is got, because it is not on this machine.
    Fetching {
        /// Its name.
        data: &'a str,
    },
    /// How far getting or reading data is.
    Data(&'a Progress<'a>),
    /// A run goes on from its checkpoint.
    Resumed {
        /// The run.
        run: &'a str,
        /// Seconds of learning that it had before.
        seconds: f64,
    },
    /// How far a run is.
    Learning(Learning<'a>),
    /// A run was evaluated along the way.
    Evaluated {
        /// The run.
        run: &'a str,
        /// Epochs done.
        epoch: usize,
        /// Seconds of learning.
        seconds: f64,
        /// Mean loss of the epoch.
        loss: f64,
        /// What was found.
        validation: Validation,
    },
    /// Something else of a run is under way, `done` of `total`.
    Working {
        /// The run.
        run: &'a str,
        /// What is done, as `evaluating`.
        act: &'a str,
        /// Parts done.
        done: usize,
        /// Of so many.
        total: usize,
    },
    /// A run is over and written down.
    Finished {
        /// The run.
        run: &'a str,
        /// What came of it.
        result: &'a dyn fmt::Display,
    },
    /// Something that the user should know of.
    Note(&'a str),
}

/// How far a run of learning is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning<'a> {
    /// The run.
    pub run: &'a str,
    /// Its number among the runs of the command, from 1.
    pub number: usize,
    /// Runs of the command, those on record included.
    pub n_runs: usize,
    /// Rounds done.
    pub done: u64,
    /// Rounds in all.
    pub total: u64,
    /// Epochs begun.
    pub epoch: usize,
    /// Epochs in all.
    pub n_epochs: usize,
    /// The loss of the last round.
    pub loss: f64,
    /// What the whole command still takes.
    pub remaining: Option<Remaining>,
}

/// An estimate of seconds to go: of the run that is under way by its own pace, of those to come by runs of the same recipe on record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remaining {
    /// Seconds.
    pub seconds: f64,
    /// Whether there are runs to come that nothing is known of, so that it takes longer.
    pub at_least: bool,
}

impl fmt::Display for Remaining {
    /// `about 3 min`, `at least 2 h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.at_least { "at least" } else { "about" };
        match self.seconds {
            seconds if seconds < 90.0 => write!(f, "{word} {seconds:.0} s"),
            seconds if seconds < 90.0 * 60.0 => write!(f, "{word} {:.0} min", seconds / 60.0),
            seconds => write!(f, "{word} {:.1} h", seconds / 3600.0),
        }
    }
}

impl Event<'_> {
    /// A line for people, of events that are worth one; progress is for bars.
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Fetching { data } => Some(format!("getting {data}")),
            Self::Resumed { run, seconds } => Some(format!("{run}: goes on after {seconds:.0} s")),
            Self::Evaluated { run, epoch, seconds, loss, validation } => Some(format!(
                "{run}: epoch {epoch} after {seconds:.0} s: loss {loss:.5}, validation error {:.2} %, {} nodes",
                validation.error_percent, validation.n_nodes
            )),
            Self::Finished { run, result } => Some(format!("{run}: {result}")),
            Self::Note(text) => Some((*text).to_owned()),
            Self::Data(_) | Self::Learning(_) | Self::Working { .. } => None,
        }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.line()) {
            (Self::Learning(learning), _) => learning.fmt(f),
            (Self::Data(progress), _) => progress.fmt(f),
            (_, line) => write!(f, "Event({:?})", line.unwrap_or_default()),
        }
    }
}

/// Hears what happens, and says whether to go on. It can be sent to other threads, so that an experiment can be made within a pool of its own.
pub type Listener<'a> = dyn FnMut(&Event<'_>) -> ControlFlow<()> + Send + 'a;

/// A listener that does nothing and never stops anything.
pub fn silent() -> impl FnMut(&Event<'_>) -> ControlFlow<()> + Send {
    |_| ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_told_in_fitting_units() {
        let told = |seconds: f64, at_least: bool| Remaining { seconds, at_least }.to_string();
        assert_eq!(told(12.4, false), "about 12 s");
        assert_eq!(told(240.0, true), "at least 4 min");
        assert_eq!(told(9000.0, false), "about 2.5 h");
    }
}
