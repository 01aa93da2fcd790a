//! The experiments behind the project's figures, each of which a command repeats: `hedgerow reproduce`, and
//! `hedgerow-bench learn` for those of the DBS paper.
//!
//! - [`learn`]: whole training runs on MNIST and Fashion-MNIST: the paper's table, its figures, the ablation, the presets.
//! - [`new_class`]: a class that was not learned from is added to the tree, beside a network trained anew.
//! - [`stream`]: learning on from a stream whose classes drift, and what one insertion costs.
//!
//! A run takes minutes, so that each is written down as soon as it is over and never made twice, and its checkpoints let a command that was stopped
//! go on where it was. What happens is told to a [`Listener`], which can stop it: [`ExperimentError::Interrupted`] then, with everything kept.
//!
//! Not here: the command line, and the algorithms, which are those of `hedgerow-core` and `hedgerow-learn`.

mod csv;
mod data;
pub mod date;
mod error;
mod event;
pub mod figure;
mod fingerprint;
pub mod learn;
pub mod machine;
pub mod median;
pub mod new_class;
mod provenance;
mod seeds;
pub mod stream;

pub use data::load as load_data;
pub use error::ExperimentError;
pub use event::{Event, Learning, Listener, Remaining, silent};
pub use provenance::Provenance;

/// What an experiment gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Report<R> {
    /// A Markdown table with what is to be said of it.
    pub summary: String,
    /// The same as data.
    pub rows: Vec<R>,
    /// Where everything is kept.
    pub folder: std::path::PathBuf,
    /// What was written there, as far as it is there: all single results, the summary, figures.
    pub files: Vec<std::path::PathBuf>,
}

/// How much of an experiment is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// All of it.
    #[default]
    Full,
    /// Fewer epochs, in minutes rather than hours: to see that it works, and roughly what it gives. Kept in a folder `quick` within the
    /// other, so that the two are never put together.
    Quick,
}

impl Extent {
    /// The folder for runs of this extent, within that for all.
    pub fn folder(self, folder: &std::path::Path) -> std::path::PathBuf {
        match self {
            Self::Full => folder.to_owned(),
            Self::Quick => folder.join("quick"),
        }
    }
}
