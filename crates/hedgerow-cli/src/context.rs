//! What every verb is given: where its answer goes, where its messages go, progress, threads, the seed, and Ctrl-C.
//!
//! Answers go to standard output ([`Context::answer`], [`Context::stdout`]), all else to standard error ([`Context::note`],
//! [`Context::warn`], [`Context::detail`], [`Context::bar`]). A verb neither prints nor reads global flags itself.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use hedgerow::data::progress::Progress;
use indicatif::{MultiProgress, ProgressDrawTarget};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use crate::app::{EXIT_OK, Globals};
use crate::bar::Bar;
use crate::error::{self, ErrorFormat};
use crate::interruption::Interruption;

/// What every verb is given.
#[derive(Debug)]
pub(crate) struct Context {
    globals: Globals,
    words: Vec<OsString>,
    bars: MultiProgress,
    interruption: Interruption,
    pool: OnceLock<ThreadPool>,
    output_closed: Arc<AtomicBool>,
}

impl Context {
    /// `words` is the command line, without the name of the program.
    pub(crate) fn new(globals: Globals, words: Vec<OsString>) -> Self {
        // On anything but a terminal indicatif draws nothing by itself.
        let target = if globals.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self {
            bars: MultiProgress::with_draw_target(target),
            interruption: Interruption::new(globals.quiet),
            globals,
            words,
            pool: OnceLock::new(),
            output_closed: Arc::default(),
        }
    }

    /// The command line, without the name of the program. The process may have been started by other words: `python -m hedgerow`.
    pub(crate) fn words(&self) -> &[OsString] {
        &self.words
    }

    // Answers.

    /// Gives the answer: as one line of JSON with `--json`, else as the text that `text` makes of it.
    ///
    /// The text may have styles (`anstyle`): they are left out where they are not wanted.
    pub(crate) fn answer<T: Serialize>(&self, answer: &T, text: impl FnOnce(&T) -> String) -> anyhow::Result<()> {
        if self.is_json() {
            let json = serde_json::to_string(answer).context("the answer cannot be written as JSON")?;
            return self.print(&format!("{json}\n"));
        }
        self.print(&text(answer))
    }

    /// Gives the answer of work that is done for good, such as a change of a model. If it cannot be written, that is told as an error, with
    /// what was done; but it is none of the verb, which must end with 0: who reads another exit code may do the work again.
    pub(crate) fn answer_done<T: Serialize>(
        &self,
        done: impl fmt::Display,
        answer: &T,
        text: impl FnOnce(&T) -> String,
    ) {
        let Err(error) = self.answer(answer, text) else { return };
        if !self.is_output_closed() {
            let error = error.context(format!("{done}, but the answer could not be written; do not do it again"));
            error::tell(&error, self.error_format(), EXIT_OK);
        }
    }

    /// Writes text to standard output as it is: it has to end its lines itself.
    pub(crate) fn print(&self, text: &str) -> anyhow::Result<()> {
        let mut stdout = anstream::stdout();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        self.note_closed(&written);
        written.context("cannot write to standard output")
    }

    /// Standard output for what is too long to hold or is not text. To be flushed at the end: dropping it tells no errors.
    pub(crate) fn stdout(&self) -> BufWriter<Stdout> {
        BufWriter::new(Stdout { closed: Arc::clone(&self.output_closed) })
    }

    /// Whether the answer is to be JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.globals.json
    }

    /// Whether whoever read standard output has gone: then a verb's error is none.
    pub(crate) fn is_output_closed(&self) -> bool {
        self.output_closed.load(Ordering::Relaxed)
    }

    fn note_closed(&self, written: &io::Result<()>) {
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.output_closed.store(true, Ordering::Relaxed);
        }
    }

    // Messages.

    /// Tells what is good to know. Not with `--quiet`.
    pub(crate) fn note(&self, text: impl fmt::Display) {
        if !self.globals.quiet {
            self.message(&text.to_string());
        }
    }

    /// Tells what the user may not want, although the work goes on. Not with `--quiet`.
    pub(crate) fn warn(&self, text: impl fmt::Display) {
        let yellow = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
        self.note(format!("{yellow}warning:{yellow:#} {text}"));
    }

    /// Tells more, with `-v`.
    pub(crate) fn detail(&self, text: impl fmt::Display) {
        if self.verbosity() > 0 {
            self.message(&text.to_string());
        }
    }

    /// How often `-v` was given.
    pub(crate) fn verbosity(&self) -> u8 {
        self.globals.verbose
    }

    /// How errors are to be shown.
    pub(crate) fn error_format(&self) -> ErrorFormat {
        if self.is_json() { ErrorFormat::Json } else { ErrorFormat::Text }
    }

    fn message(&self, text: &str) {
        // A message that nobody can read is no reason to fail.
        let write = || drop(writeln!(anstream::stderr(), "{text}"));
        self.bars.suspend(write);
    }

    // Progress and stopping.

    /// A bar for long work, which also hears Ctrl-C. It is gone when it is dropped.
    pub(crate) fn bar(&self) -> Bar<'_> {
        Bar::new(&self.bars, &self.interruption)
    }

    /// A listener for `hedgerow::data` that draws a bar and stops the work on Ctrl-C.
    pub(crate) fn listener(&self) -> impl FnMut(&Progress<'_>) -> ControlFlow<()> {
        let mut bar = self.bar();
        move |progress| bar.hear(progress)
    }

    /// Whether Ctrl-C was heard. Only after [`bar`](Self::bar) or [`listener`](Self::listener) does it get here; before
    /// that it ends the process.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interruption.was_asked()
    }

    /// Breaks after Ctrl-C: for work that asks between its parts.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Takes all bars off the terminal.
    pub(crate) fn end_bars(&self) {
        // Where the terminal is gone there is nothing to clear.
        let _ = self.bars.clear();
    }

    // Computing.

    /// Runs work on as many threads as `--threads` says: all parallel work of the library that is begun in it. Without the
    /// flag it runs as it would anyway, on one thread for each core.
    pub(crate) fn compute<R: Send>(&self, work: impl FnOnce() -> R + Send) -> anyhow::Result<R> {
        let Some(threads) = self.globals.threads else { return Ok(work()) };
        let pool = match self.pool.get() {
            Some(pool) => pool,
            None => {
                let built = ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
                let built = built.with_context(|| format!("cannot start {threads} threads; ask for fewer"))?;
                self.pool.get_or_init(|| built)
            }
        };
        Ok(pool.install(work))
    }

    /// The seed, 0 if none was given.
    pub(crate) fn seed(&self) -> u64 {
        self.globals.seed.unwrap_or(0)
    }

    /// The seed, if one was given.
    pub(crate) fn given_seed(&self) -> Option<u64> {
        self.globals.seed
    }
}

/// Standard output that remembers whether it was closed by its reader.
#[derive(Debug)]
pub(crate) struct Stdout {
    closed: Arc<AtomicBool>,
}

impl Stdout {
    fn noting<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.closed.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.noting(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.noting(io::stdout().flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use clap::Parser;

    fn context(flags: &[&str]) -> Context {
        let line = ["hedgerow", "man"].iter().chain(flags);
        Context::new(App::try_parse_from(line).expect("the line is well formed").globals, Vec::new())
    }

    #[test]
    fn work_runs_on_as_many_threads_as_were_asked_for() {
        let context = context(&["--threads", "3"]);
        assert_eq!(context.compute(rayon::current_num_threads).expect("three threads can be had"), 3);
        let again = context.compute(rayon::current_num_threads).expect("they are there");
        assert_eq!(again, 3);
    }

    #[test]
    fn the_seed_is_0_unless_one_is_given() {
        assert_eq!((context(&[]).seed(), context(&[]).given_seed()), (0, None));
        assert_eq!((context(&["--seed", "7"]).seed(), context(&["--seed", "7"]).given_seed()), (7, Some(7)));
    }
}
