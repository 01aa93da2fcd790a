//! Progress of long work: a bar on standard error, and the way in which Ctrl-C reaches the work.
//!
//! A [`Bar`] hears of progress and answers whether to go on, which is what listeners of the library do. On terminals it draws,
//! once the work has taken a moment; elsewhere and with `--quiet` it draws nothing. It is gone when it is dropped.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hedgerow::data::progress::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::interruption::Interruption;

/// Work that is done sooner shows no bar.
const BEFORE_DRAWING: Duration = Duration::from_millis(250);

const OF_BYTES: &str = "{prefix} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {wide_msg}";
const OF_BYTES_WITHOUT_END: &str = "{prefix} {spinner} {bytes} {bytes_per_sec} {wide_msg}";
const OF_STEPS: &str = "{prefix} [{bar:30}] {pos}/{len} {eta} {wide_msg}";
const OF_STEPS_WITHOUT_END: &str = "{prefix} {spinner} {pos} {elapsed} {wide_msg}";

/// A bar for one piece of work, or for several one after another.
#[derive(Debug)]
pub(crate) struct Bar<'a> {
    bars: &'a MultiProgress,
    interruption: &'a Interruption,
    begun: Instant,
    drawn: Option<Drawn>,
}

#[derive(Debug)]
struct Drawn {
    bar: ProgressBar,
    task: String,
}

impl<'a> Bar<'a> {
    pub(crate) fn new(bars: &'a MultiProgress, interruption: &'a Interruption) -> Self {
        interruption.listen();
        Self { bars, interruption, begun: Instant::now(), drawn: None }
    }

    /// Hears how far reading, writing, fetching or verifying is: for listeners of `hedgerow::data`.
    pub(crate) fn hear(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if self.is_shown() {
            let template = if progress.total_bytes.is_some() { OF_BYTES } else { OF_BYTES_WITHOUT_END };
            let task = format!("{} {}", progress.act, progress.what);
            self.draw(&task, template, progress.done_bytes, progress.total_bytes);
        }
        self.go_on()
    }

    /// Hears how far other work is: `done` of `total` epochs, rows or seeds, and a few words on how it goes.
    #[allow(dead_code, reason = "for verbs that learn and measure")]
    pub(crate) fn step(&mut self, task: &str, done: u64, total: Option<u64>, message: &str) -> ControlFlow<()> {
        if self.is_shown() {
            let template = if total.is_some() { OF_STEPS } else { OF_STEPS_WITHOUT_END };
            self.draw(task, template, done, total);
            if let Some(drawn) = &self.drawn {
                drawn.bar.set_message(message.to_owned());
            }
        }
        self.go_on()
    }

    /// Whether work shall go on: not once Ctrl-C was heard.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.interruption.was_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_shown(&self) -> bool {
        !self.bars.is_hidden() && self.begun.elapsed() >= BEFORE_DRAWING
    }

    fn draw(&mut self, task: &str, template: &str, done: u64, total: Option<u64>) {
        if self.drawn.as_ref().is_none_or(|drawn| drawn.task != task) {
            self.clear();
            let style = ProgressStyle::with_template(template).expect("the templates above are well formed");
            let bar = self.bars.add(ProgressBar::no_length().with_style(style.progress_chars("=> ")));
            bar.set_prefix(task.to_owned());
            self.drawn = Some(Drawn { bar, task: task.to_owned() });
        }
        if let Some(Drawn { bar, .. }) = &self.drawn {
            if let Some(total) = total {
                bar.set_length(total);
            }
            bar.set_position(done);
        }
    }

    fn clear(&mut self) {
        if let Some(drawn) = self.drawn.take() {
            drawn.bar.finish_and_clear();
            self.bars.remove(&drawn.bar);
        }
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}
