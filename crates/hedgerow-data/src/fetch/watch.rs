//! Asking the listener, and looking at the clock, while something else blocks.
//!
//! A [`Watch`] is asked between steps whether to go on. A [`Pump`] reads a stream that may stall (a socket, the output of
//! a program) on its own thread, so that the reading side can ask ten times a second all the same.

use std::cell::RefCell;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::FetchError;
use super::attempt::Trouble;
use super::failure::Failure;
use crate::progress::{Act, Listener, Progress};

/// How long to wait for something before the listener is asked again.
pub(super) const POLL: Duration = Duration::from_millis(100);

/// Bytes read at once.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// Chunks a [`Pump`] reads ahead.
const CHUNKS_AHEAD: usize = 8;

/// Why work was halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halt {
    Stopped,
    TimedOut,
}

/// The listener, how far the work is, and the deadline of the current source.
pub(super) struct Watch<'a> {
    set: &'a str,
    state: RefCell<State<'a>>,
}

struct State<'a> {
    listener: &'a mut Listener<'a>,
    act: Act,
    done_bytes: u64,
    total_bytes: u64,
    limit: Duration,
    deadline: Option<Instant>,
    halt: Option<Halt>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(set: &'a str, listener: &'a mut Listener<'a>) -> Self {
        let state = State {
            listener,
            act: Act::Verifying,
            done_bytes: 0,
            total_bytes: 0,
            limit: Duration::MAX,
            deadline: None,
            halt: None,
        };
        Self { set, state: RefCell::new(state) }
    }

    /// Begins another kind of work, from zero bytes and without a deadline.
    pub(super) fn begin(&self, act: Act, total_bytes: u64) {
        let mut state = self.state.borrow_mut();
        (state.act, state.done_bytes, state.total_bytes, state.deadline) = (act, 0, total_bytes, None);
    }

    /// Gives the next source its time. A time past the end of the clock is no limit.
    pub(super) fn limit(&self, limit: Duration) {
        let mut state = self.state.borrow_mut();
        state.limit = limit;
        state.deadline = Instant::now().checked_add(limit);
        // A source that ran out of time does not halt the next one; a wish to stop does.
        if state.halt == Some(Halt::TimedOut) {
            state.halt = None;
        }
    }

    /// Time left for the current source, if it has a limit.
    #[cfg(feature = "https")]
    pub(super) fn time_left(&self) -> Option<Duration> {
        let deadline = self.state.borrow().deadline;
        deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether the current source has used up its time.
    pub(super) fn is_out_of_time(&self) -> bool {
        self.state.borrow().deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn done_bytes(&self) -> u64 {
        self.state.borrow().done_bytes
    }

    pub(super) fn set_done_bytes(&self, bytes: u64) {
        self.state.borrow_mut().done_bytes = bytes;
    }

    /// Asks the listener and looks at the clock. Once it has said to halt, it goes on saying so.
    pub(super) fn check(&self) -> Result<(), Trouble> {
        let mut state = self.state.borrow_mut();
        if state.halt.is_none() {
            let progress = Progress {
                act: state.act,
                what: self.set,
                done_bytes: state.done_bytes,
                total_bytes: Some(state.total_bytes),
            };
            if (state.listener)(&progress).is_break() {
                state.halt = Some(Halt::Stopped);
            } else if state.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                state.halt = Some(Halt::TimedOut);
            }
        }
        match state.halt {
            None => Ok(()),
            Some(Halt::Stopped) => Err(Trouble::Fatal(FetchError::Stopped { set: self.set.to_owned() })),
            Some(Halt::TimedOut) => Err(Failure::TimedOut { limit: state.limit }.into()),
        }
    }

    /// The trouble behind a failed read: the halt if there is one, since decoders hide it in errors of their own.
    pub(super) fn trouble(&self, what: &str, source: io::Error) -> Trouble {
        if self.state.borrow().halt.is_some() {
            if let Err(halted) = self.check() {
                return halted;
            }
        }
        Failure::Unreadable { what: what.to_owned(), source }.into()
    }

    fn check_io(&self) -> io::Result<()> {
        self.check().map_err(|_| io::Error::other("halted"))
    }
}

/// A reader fed by a thread.
///
/// Dropping it ends the thread at its next chunk; a thread stuck in a read stays until that read ends, which the caller
/// sees to (a killed program, the time limit of a request).
pub(super) struct Pump<'w> {
    watch: &'w Watch<'w>,
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: io::Cursor<Vec<u8>>,
}

impl<'w> Pump<'w> {
    /// Opens a stream on a new thread and reads it there. If opening fails, the first read gives that error.
    pub(super) fn start<R: Read>(
        watch: &'w Watch<'w>,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(CHUNKS_AHEAD);
        std::thread::Builder::new().name("hedgerow-fetch".to_owned()).spawn(move || match open() {
            Ok(reader) => send_chunks(reader, &sender),
            Err(error) => drop(sender.send(Err(error))),
        })?;
        Ok(Self { watch, chunks, chunk: io::Cursor::default() })
    }
}

fn send_chunks(mut reader: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let message = match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                chunk.truncate(length);
                Ok(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = message.is_err();
        if sender.send(message).is_err() || failed {
            return;
        }
    }
}

impl Read for Pump<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.chunk.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            self.watch.check_io()?;
            match self.chunks.recv_timeout(POLL) {
                Ok(chunk) => self.chunk = io::Cursor::new(chunk?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
    }
}
