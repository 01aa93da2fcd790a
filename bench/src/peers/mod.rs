//! hedgerow beside what else an engineer would take: one question each, ours and theirs in one run.
//!
//! Ours is measured in this program, theirs by the question's file in `bench/peers`, in turn and on the same rows. A peer that is not there, that fails
//! or that takes too long has a row that says so.
//!
//! - Each question has a file: `raw`, `learned`, `stream`, `neighbors`, `serve`, `grow`. It measures rows, and its `SHAPE` says how they are shown and judged.
//! - [`row`], [`record`] and `kept`: measurements, the files that hold them, and how a command that was stopped goes on.
//! - [`table`], [`judged`], [`targets`], `remark` and `curves`: what is made of rows, whether they were measured just now or are read from files.
//! - [`summary`]: the newest rows of all kept runs in one table, for `bench/summary.md` and README.

mod curves;
mod data;
mod grow;
pub mod judged;
mod kept;
mod learned;
mod letter;
mod neighbors;
pub mod python;
mod raw;
pub mod record;
mod remark;
pub mod row;
mod serve;
mod stream;
pub mod summary;
pub mod table;
pub mod targets;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hedgerow::FitError;
use hedgerow_core::{InsertError, ParamError, PointsError, QueryError};
use hedgerow_data::fetch::FetchError;
use hedgerow_data::{DatasetError, PreprocessError, SplitError};
use hedgerow_experiments::ExperimentError;

use crate::machine::slug;
use data::Data;
use kept::Kept;
use python::Peers;
use record::{Facts, PEER_SECONDS, QUICK, REVISION, SAVED, STOPPED, THREADS, VERSIONS};
use remark::Remark;
use row::Row;
use table::{Shape, Table};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Classify raw vectors.
    Raw,
    /// Classify with a learned space.
    Learned,
    /// Learn online from a stream.
    Stream,
    /// Retrieve neighbors.
    Neighbors,
    /// Serve one decision.
    Serve,
    /// Grow.
    Grow,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Raw, Self::Learned, Self::Stream, Self::Neighbors, Self::Serve, Self::Grow];

    /// Its name, as in the command.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Learned => "learned",
            Self::Stream => "stream",
            Self::Neighbors => "neighbors",
            Self::Serve => "serve",
            Self::Grow => "grow",
        }
    }

    /// How its rows are shown and judged.
    pub fn shape(self) -> Shape {
        match self {
            Self::Raw => raw::SHAPE,
            Self::Learned => learned::SHAPE,
            Self::Stream => stream::SHAPE,
            Self::Neighbors => neighbors::SHAPE,
            Self::Serve => serve::SHAPE,
            Self::Grow => grow::SHAPE,
        }
    }

    /// Whether its rows are told apart by [`Row::at`] too.
    pub fn has_at(self) -> bool {
        matches!(self, Self::Neighbors | Self::Grow)
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The question.
    pub question: Question,
    /// Data sets, all of the question's if none are named.
    pub data: Vec<String>,
    /// Small data and few epochs, to see in a minute or two that it works.
    pub quick: bool,
    /// What a peer may take for one answer, all in all: its imports and the reading of the data too.
    pub peer_limit: Duration,
    /// Where results are kept, if not in a folder named by the day and the machine.
    pub runs: Option<PathBuf>,
}

impl Plan {
    /// What a peer may take unless told: more than those that end in a reasonable time take on two cores. Learning takes longer.
    pub fn usual_limit(question: Question) -> Duration {
        match question {
            Question::Learned => Duration::from_secs(900),
            _ => Duration::from_secs(300),
        }
    }

    /// A question about all its data.
    pub fn new(question: Question) -> Self {
        Self { question, data: Vec::new(), quick: false, peer_limit: Self::usual_limit(question), runs: None }
    }

    /// What its files are named by: the question, the data if some is named, and whether it is quick, so that none replaces what another command gave.
    pub fn stem(&self) -> String {
        let data = self.data.iter().map(|name| slug(name));
        let parts = std::iter::once(format!("peers-{}", self.question.name())).chain(data);
        parts.chain(self.quick.then(|| QUICK.to_owned())).collect::<Vec<_>>().join("-")
    }

    /// How it is asked again, so many times: the arguments of the program.
    pub fn command(&self, repeats: usize) -> String {
        let data: String = self.data.iter().map(|name| format!("--data {} ", quoted(name))).collect();
        let quick = if self.quick { "--quick " } else { "" };
        let seconds = match self.peer_limit {
            limit if limit == Self::usual_limit(self.question) => String::new(),
            limit => format!("--peer-seconds {} ", limit.as_secs()),
        };
        format!("peers {} {data}{quick}{seconds}--repeat {repeats}", self.question.name())
    }

    /// What must be the same for a command to go on with what another left: the question and the data are in the name of the file.
    fn facts(&self) -> Facts {
        let mut facts = Facts::from([
            (REVISION, crate::REVISION.to_owned()),
            (THREADS, rayon::current_num_threads().to_string()),
            (PEER_SECONDS, self.peer_limit.as_secs().to_string()),
        ]);
        if self.quick {
            facts.insert(QUICK, "small data and few epochs".to_owned());
        }
        facts
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "but for the first five, each variant is the error it holds")]
pub enum PeersError {
    /// A file that cannot be written.
    #[error("cannot write {}: {source}; free the space or correct the permissions", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file of Python's that cannot be read.
    #[error("cannot read {}, which Python wrote: {source}; free space in the temporary folder, or set TMPDIR to another", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Data of values.
    #[error("the labels of this data are not classes; name data of classes")]
    NoClasses,
    /// Data that is not for `grow`.
    #[error("{0:?} does not grow; `peers grow` has the data `clouds` and `pictures`")]
    NotGrown(String),
    /// The letters could not be unpacked.
    #[error("{} cannot be unpacked: {reason}; this takes Python 3 with its module lzma", path.display())]
    Letter {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    #[error(transparent)]
    Load(#[from] ExperimentError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Split(#[from] SplitError),
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Points(#[from] PointsError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Insert(#[from] InsertError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Fit(#[from] Box<FitError>),
    #[error("{0}")]
    Model(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<FitError> for PeersError {
    fn from(error: FitError) -> Self {
        Self::Fit(Box::new(error))
    }
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    if name.contains(' ') { format!("'{name}'") } else { name.to_owned() }
}

/// What a question gives.
#[derive(Debug)]
pub struct Measured {
    /// The table: of all, or of what was measured before it was stopped.
    pub table: Table,
    /// Why it was stopped, if it was.
    pub stopped: Option<PeersError>,
}

/// Asks a question. Each measurement is added to the file `unfinished` as it comes, if there is to be one, and what that holds of the same command is not
/// measured again. An error on our side ends it with what there is until then.
///
/// # Errors
/// [`PeersError`] if there is nothing, nearly always about data that is not there.
pub fn measure(plan: &Plan, repeats: usize, unfinished: Option<&Path>) -> Result<Measured, PeersError> {
    let folder = tempfile::tempdir().map_err(|source| PeersError::Write { path: std::env::temp_dir(), source })?;
    let mut facts = plan.facts();
    let mut kept = Kept::begin(plan.question, unfinished, &facts)?;
    let mut peers = Peers::start(plan.question, plan.peer_limit, folder.path());
    let ask = match plan.question {
        Question::Raw => raw::measure,
        Question::Learned => learned::measure,
        Question::Stream => stream::measure,
        Question::Neighbors => neighbors::measure,
        Question::Serve => serve::measure,
        Question::Grow => grow::measure,
    };
    let asked = ask(plan, repeats, &mut peers, &mut kept);
    facts.insert(VERSIONS, peers.versions());
    finished(plan.question, asked, &kept, facts)
}

/// The table of what was measured, or of what was kept until an error came.
fn finished(question: Question, asked: Asked, kept: &Kept, mut facts: Facts) -> Result<Measured, PeersError> {
    let (rows, missing, stopped) = match asked {
        Ok((rows, missing)) => (rows, missing, None),
        Err(error) if kept.rows().is_empty() => return Err(error),
        Err(error) => (kept.rows().to_vec(), Vec::new(), Some(error)),
    };
    facts.insert(SAVED, crate::date::now());
    if let Some(error) = &stopped {
        facts.insert(STOPPED, error.to_string());
    }
    Ok(Measured { table: Table { shape: question.shape(), rows, facts, missing }, stopped })
}

/// Rows, those of one data set together, and what was left out.
type Asked = Result<(Vec<Row>, Vec<Remark>), PeersError>;

/// The data sets of a plan.
fn names(plan: &Plan, full: &[&str], quick: &[&str]) -> Vec<String> {
    let usual = if plan.quick { quick } else { full };
    match plan.data.is_empty() {
        true => usual.iter().map(|name| (*name).to_owned()).collect(),
        false => plan.data.clone(),
    }
}

/// The data sets of these names, before anything is measured. One that cannot be had becomes a remark, and the others go on.
///
/// # Errors
/// That of the first if none can be had.
fn load_all(
    names: &[String],
    load: impl Fn(&str) -> Result<Data, PeersError>,
) -> Result<(Vec<Data>, Vec<Remark>), PeersError> {
    let (mut all, mut missing, mut first) = (Vec::new(), Vec::new(), None);
    for name in names {
        match load(name) {
            Ok(data) => all.push(data),
            Err(error) => {
                eprintln!("{name}: not measured, because {error}");
                missing.push(Remark::Text(format!("{name}: not measured, because {error}")));
                first = first.or(Some(error));
            }
        }
    }
    match first {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok((all, missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_set_that_is_missing_does_not_lose_the_others() {
        let load = |name: &str| match name {
            "two" => Ok(data::tests::two_rows()),
            _ => Err(PeersError::NoClasses),
        };
        let (all, missing) = load_all(&["letter", "two"].map(str::to_owned), load).unwrap();
        assert_eq!(all.iter().map(|data| data.name.as_str()).collect::<Vec<_>>(), ["two"]);
        assert_eq!(missing.len(), 1);
        assert!(missing[0].markdown().starts_with("letter: not measured, because the labels"), "{missing:?}");
        assert!(matches!(load_all(&["letter".to_owned()], load), Err(PeersError::NoClasses)));
    }

    #[test]
    fn no_command_replaces_what_another_gave() {
        let plan = |data: &[&str], quick| {
            let data = data.iter().map(|name| (*name).to_owned()).collect();
            Plan { data, quick, ..Plan::new(Question::Raw) }.stem()
        };
        assert_eq!(plan(&[], false), "peers-raw");
        assert_eq!(plan(&[], true), "peers-raw-quick");
        assert_eq!(plan(&["mnist", "drifting sectors"], true), "peers-raw-mnist-drifting-sectors-quick");
    }

    #[test]
    fn a_command_is_told_as_it_is_typed() {
        let data = vec!["drifting sectors".to_owned()];
        let plan = Plan { data, peer_limit: Duration::from_secs(20), ..Plan::new(Question::Stream) };
        assert_eq!(plan.command(3), "peers stream --data 'drifting sectors' --peer-seconds 20 --repeat 3");
        assert_eq!(Plan::new(Question::Raw).command(1), "peers raw --repeat 1");
    }

    #[test]
    fn an_error_in_the_middle_keeps_what_came_before() {
        let mut kept = Kept::begin(Question::Raw, None, &Facts::new()).unwrap();
        assert!(finished(Question::Raw, Err(PeersError::NoClasses), &kept, Facts::new()).is_err(), "there is nothing");
        let mut row = Row::new("mnist", "tree(50)", true, 2);
        row.push("total", 1.0);
        kept.add(&mut row).unwrap();
        let measured = finished(Question::Raw, Err(PeersError::NoClasses), &kept, Facts::new()).unwrap();
        assert!(matches!(measured.stopped, Some(PeersError::NoClasses)));
        let text = measured.table.markdown();
        assert!(text.contains("**Not finished**: the labels") && text.contains("**tree(50)**"), "{text}");
        let whole = finished(Question::Raw, Ok((vec![row], Vec::new())), &kept, Facts::new()).unwrap();
        assert!(whole.stopped.is_none() && !whole.table.facts.contains_key(STOPPED));
    }

    #[test]
    fn learning_may_take_longer() {
        assert!(Plan::new(Question::Learned).peer_limit > Plan::new(Question::Raw).peer_limit);
    }
}
