//! Progress of long work: a bar on standard error, and the way in which Ctrl-C reaches the work.
//!
//! A [`Bar`] hears of progress and answers whether to go on, which is what listeners of the library do. On terminals it draws,
//! once the work has taken a moment; elsewhere and with `--quiet` it draws nothing. It is gone when it is dropped.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hedgerow::data::progress::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interruption::Interruption;

/// Work that is done sooner shows no bar.
const BEFORE_DRAWING: Duration = Duration::from_millis(250);

// What is being done stands last, where it is cut off if the terminal is narrow: a line that wraps cannot be redrawn.
const OF_BYTES: &str = "[{bar:20}] {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {wide_msg}";
const OF_BYTES_WITHOUT_END: &str = "{spinner} {decimal_bytes} {decimal_bytes_per_sec} {wide_msg}";
const OF_STEPS: &str = "[{bar:20}] {pos}/{len} {eta} {wide_msg}";
const OF_STEPS_WITHOUT_END: &str = "{spinner} {pos} {elapsed} {wide_msg}";

/// A bar for one piece of work, or for several one after another.
#[derive(Debug)]
pub(crate) struct Bar<'a> {
    bars: &'a MultiProgress,
    interruption: &'a Interruption,
    begun: Instant,
    drawn: Option<Drawn>,
}

/// A bar counts from the first event on, and is put on the terminal when the work has taken a moment.
#[derive(Debug)]
struct Drawn {
    bar: ProgressBar,
    task: String,
    is_shown: bool,
}

impl<'a> Bar<'a> {
    pub(crate) fn new(bars: &'a MultiProgress, interruption: &'a Interruption) -> Self {
        interruption.listen();
        Self { bars, interruption, begun: Instant::now(), drawn: None }
    }

    /// Hears how far reading, writing, fetching or verifying is: for listeners of `hedgerow::data`.
    pub(crate) fn hear(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if !self.bars.is_hidden() {
            let template = if progress.total_bytes.is_some() { OF_BYTES } else { OF_BYTES_WITHOUT_END };
            let task = format!("{} {}", progress.act, progress.what);
            self.draw(&task, template, progress.done_bytes, progress.total_bytes);
        }
        self.go_on()
    }

    /// Hears how far other work is: `done` of `total` epochs, rows or seeds, and a few words on how it goes.
    pub(crate) fn step(&mut self, task: &str, done: u64, total: Option<u64>, message: &str) -> ControlFlow<()> {
        if !self.bars.is_hidden() {
            let template = if total.is_some() { OF_STEPS } else { OF_STEPS_WITHOUT_END };
            self.draw(task, template, done, total);
            if let Some(drawn) = &self.drawn {
                drawn.bar.set_message(format!("{task}  {message}"));
            }
        }
        self.go_on()
    }

    /// Whether work shall go on: not once Ctrl-C was heard.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.interruption.was_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn draw(&mut self, task: &str, template: &str, done: u64, total: Option<u64>) {
        if self.drawn.as_ref().is_none_or(|drawn| drawn.task != task) {
            self.clear();
            let style = ProgressStyle::with_template(template).expect("the templates above are well formed");
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
            let bar = bar.with_style(style.progress_chars("=> ")).with_message(task.to_owned());
            self.drawn = Some(Drawn { bar, task: task.to_owned(), is_shown: false });
        }
        if let Some(drawn) = &mut self.drawn {
            if let Some(total) = total {
                drawn.bar.set_length(total);
            }
            drawn.bar.set_position(done);
            if !drawn.is_shown && self.begun.elapsed() >= BEFORE_DRAWING {
                drawn.bar = self.bars.add(drawn.bar.clone());
                drawn.is_shown = true;
            }
        }
    }

    fn clear(&mut self) {
        if let Some(drawn) = self.drawn.take() {
            drawn.bar.finish_and_clear();
            if drawn.is_shown {
                self.bars.remove(&drawn.bar);
            }
        }
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}
