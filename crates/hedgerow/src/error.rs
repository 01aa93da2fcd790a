//! What can go wrong with a model, by act: fitting, answering, changing, saving, loading.

use std::path::PathBuf;

use hedgerow_core::{
    EditError, ExampleId, InsertError, Label, ParamError, PointsError, QueryError, RestoreError, Task,
};
use hedgerow_data::PreprocessError;
use hedgerow_learn::{ApplyError, TrainError};

/// Why a model was not fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There is nothing to fit to.
    #[error(
        "the data set {name} has no training rows; give a file with rows, or a split column that has the word train"
    )]
    NoTrainingRows {
        /// The data.
        name: String,
    },
    /// Representations are learned from classes.
    #[error(
        "representations are learned from classes, but the task is {task}; learn none (method none), or give labels that are classes"
    )]
    LearningNeedsClasses {
        /// The task.
        task: Task,
    },
    /// An example without a class.
    #[error(
        "row {row} has no class ({label}), and representations are learned from classes; give it one, leave it out, or learn none (method none)"
    )]
    NoClass {
        /// The row.
        row: String,
        /// What it has.
        label: Label,
    },
    /// The listener said so.
    #[error("the fit was stopped{}", checkpoint.as_ref().map_or(String::new(), |path| format!("; what was learned is in {}", path.display())))]
    Stopped {
        /// Where the run can be taken up again.
        checkpoint: Option<PathBuf>,
    },
    /// Preprocessing.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    /// Learning.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Representing.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Parameters of the structure.
    #[error(transparent)]
    Structure(#[from] ParamError),
    /// Examples that the structure cannot take.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// Points and labels that do not belong together.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// Calibration.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// There is nothing to compare answers with.
    #[error(
        "the data set {name} has no test rows, by which methods could be compared; keep a share of its rows for testing"
    )]
    NoTestRows {
        /// The data.
        name: String,
    },
    /// Methods are compared by the classes that they tell.
    #[error(
        "row {row} of {name} has no class ({label}), and methods are compared by the classes that they tell; give labels that are classes"
    )]
    NothingToTell {
        /// The data.
        name: String,
        /// The row.
        row: String,
        /// What it has.
        label: Label,
    },
    /// A method without a layer for the classes.
    #[error("the method has no layer that names the class; only a classifier has")]
    NoClassLayer,
    /// Asking what was fitted.
    #[error(transparent)]
    Answer(Box<AnswerError>),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Other features than the model was fitted to.
    #[error(
        "the points have {got} features but the model was fitted to {expected} ({names}); give data with the same columns"
    )]
    FeatureCount {
        /// Features it was fitted to.
        expected: usize,
        /// Features of these points.
        got: usize,
        /// The first of their names.
        names: String,
    },
    /// Numbers where bytes are wanted.
    #[error(
        "the points hold {got} values, but the model was fitted to bytes (0 to 255); give whole numbers of that range"
    )]
    NotBytes {
        /// What they hold.
        got: String,
    },
    /// Probabilities of something else than classes.
    #[error("probabilities are of classes, but the task is {task}")]
    NoClasses {
        /// The task.
        task: Task,
    },
    /// Preprocessing.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    /// Representing.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Asking.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Points and labels that do not belong together.
    #[error(transparent)]
    Points(#[from] PointsError),
}

/// Why a model was not changed. Nothing has changed then, neither in memory nor on disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A label that is no number where numbers are estimated.
    #[error("the label \"{label}\" is not a number, as the labels of this model are; give a number")]
    NotAValue {
        /// The label.
        label: String,
    },
    /// An example without a label.
    #[error("an example was given without a label, and the task is {task}; give one")]
    NoLabel {
        /// The task.
        task: Task,
    },
    /// More classes than there can be.
    #[error("a model has at most {} classes", u32::MAX)]
    TooManyClasses,
    /// An id that is taken.
    #[error("there is an example {id} already; leave the id out, give another, or remove the old one first")]
    DuplicateId {
        /// The id.
        id: ExampleId,
    },
    /// An id that the journal cannot hold.
    #[error("the id {id} is larger than {}, the largest there can be; give a smaller one", i64::MAX)]
    IdTooLarge {
        /// The id.
        id: ExampleId,
    },
    /// What stands for a point in the journal is not one point.
    #[error("what stands for a point are {got} points")]
    NotOnePoint {
        /// How many.
        got: usize,
    },
    /// The point.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// Parameters of the structure.
    #[error(transparent)]
    Structure(#[from] ParamError),
    /// Taking in.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// Removing and relabelling.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Writing it down.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What is wrong with a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The database.
    #[error("{}: {source}{}", path.display(), remedy(source))]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Another model was saved in its place.
    #[error("{}: another model was saved in this place meanwhile; nothing was written: open the model again", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// A journal of another format.
    #[error("{}: the journal has format {found}, this program reads {expected}; use a newer version of hedgerow", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        expected: i64,
    },
    /// A file that is no journal, or no longer.
    #[error("{}: {what}{}", path.display(), DAMAGED)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// An entry that makes no sense.
    #[error("{}: entry {number}: {what}{}", path.display(), DAMAGED)]
    Entry {
        /// The file.
        path: PathBuf,
        /// The entry.
        number: u64,
        /// What is wrong with it.
        what: String,
    },
}

/// What to do about a journal that cannot be trusted. The model as it was before can still be had.
const DAMAGED: &str = "; the journal is damaged: restore it from a copy, or go on with the model as it was fitted (`hedgerow replay MODEL --until 0 --out NEW`)";

/// What to do about a refusal of SQLite's.
fn remedy(error: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode as Code;
    match error.sqlite_error_code() {
        Some(Code::DatabaseBusy | Code::DatabaseLocked) => "; another program is writing to it: try again",
        Some(Code::ReadOnly | Code::PermissionDenied | Code::CannotOpen) => {
            "; allow writing to it and its folder, or change a copy of the model"
        }
        Some(Code::DiskFull) => "; make room",
        Some(Code::SystemIoFailure) => "; the disk, or the connection to it, may be at fault: try again",
        _ => DAMAGED,
    }
}

/// Why a model was not saved. What was there before is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A file.
    #[error("{}: {act}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What was being done.
        act: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something else is there.
    #[error("{}: there is something else than a model here (no config.json of one); give another place, or remove it", path.display())]
    NotAModel {
        /// Where.
        path: PathBuf,
    },
    /// Parts that cannot be written down.
    #[error("{what} cannot be written down; a model to be saved must do without")]
    Unwritable {
        /// What.
        what: &'static str,
    },
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Why a model was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No model.
    #[error("{}: there is no model here (no config.json); give the folder that `fit` wrote", path.display())]
    NoModel {
        /// Where.
        path: PathBuf,
    },
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is not there.
    #[error("{}: the file is missing from the model; restore it from a copy, or fit again", path.display())]
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// A moment of which nothing is known.
    #[error(
        "{}: the model is known from change {first} to change {last}, not as it was after change {asked}{}; give a number from {first} to {last}",
        path.display(),
        if asked < first { " (it was saved anew after that)" } else { "" }
    )]
    NotKnownThen {
        /// Where.
        path: PathBuf,
        /// The change asked for.
        asked: u64,
        /// The last change before the model was saved.
        first: u64,
        /// The last change.
        last: u64,
    },
    /// A newer format.
    #[error("{}: the model has format {found}, this program reads {expected}; use a newer version of hedgerow", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// Ours.
        expected: u64,
    },
    /// A damaged file.
    #[error("{}: {what}; the file is damaged or was changed by hand: restore it from a copy, or fit again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A structure that contradicts itself.
    #[error("{}: {source}; the file is damaged or was changed by hand: restore it from a copy, or fit again", path.display())]
    Structure {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: RestoreError,
    },
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
