//! Ctrl-C: the first asks the work to end tidily, the second ends the process.
//!
//! The handler is put in place when a verb first asks for it, so that verbs which never look at it end at once as usual.
//! Besides SIGINT it hears SIGTERM and SIGHUP.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

use crate::app::EXIT_INTERRUPTED;

/// Whether the user wants the work to end.
#[derive(Debug)]
pub(crate) struct Interruption {
    asked: Arc<AtomicBool>,
    listening: Once,
    quiet: bool,
}

impl Interruption {
    /// Nothing is heard yet. Unless `quiet`, the first Ctrl-C is answered with a message.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { asked: Arc::default(), listening: Once::new(), quiet }
    }

    /// From here on, Ctrl-C is heard instead of ending the process.
    pub(crate) fn listen(&self) {
        self.listening.call_once(|| {
            let (asked, quiet) = (Arc::clone(&self.asked), self.quiet);
            let heard = move || {
                if asked.swap(true, Ordering::SeqCst) {
                    std::process::exit(EXIT_INTERRUPTED.into());
                }
                if !quiet {
                    let _ = writeln!(anstream::stderr(), "\nstopping; Ctrl-C again ends it at once");
                }
            };
            // It fails only where the system refuses handlers; Ctrl-C then ends the process, as without this.
            let _ = ctrlc::set_handler(heard);
        });
    }

    /// Whether Ctrl-C was heard.
    pub(crate) fn was_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}
