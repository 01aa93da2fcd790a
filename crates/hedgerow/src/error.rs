//! What can go wrong with a model, by act: fitting, answering, changing, saving, loading.

use std::path::PathBuf;

use hedgerow_core::{
    EditError, ExampleId, InsertError, Label, ParamError, PointsError, QueryError, RestoreError, Task,
};
use hedgerow_data::PreprocessError;
use hedgerow_learn::{ApplyError, TrainError};

use crate::journal::JournalError;

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
    /// Neighbors of other classes outvote an example.
    #[error(
        "examples are edited by the classes of their neighbors, but the task is {task}; edit none (editing 0), or give labels that are classes"
    )]
    EditingNeedsClasses {
        /// The task.
        task: Task,
    },
    /// Editing.
    #[error(transparent)]
    Edit(#[from] hedgerow_learn::evaluation::EvaluationError),
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
    /// An id that is given twice in one change.
    #[error("the id {id} is given twice; give it once")]
    GivenTwice {
        /// The id.
        id: ExampleId,
    },
    /// An id of a row that the model was fitted to.
    #[error(
        "the ids below {n_rows} are those of the rows that the model was fitted to, also of removed ones, and {id} is one; leave the id out, or give a larger one"
    )]
    IdOfFit {
        /// The id.
        id: ExampleId,
        /// How many rows it was fitted to.
        n_rows: usize,
    },
    /// An id that leaves no room for another.
    #[error("the id {id} is larger than {}, the largest there can be; give a smaller one", i64::MAX - 1)]
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
    /// There is a model, and none is to be replaced.
    #[error("{}: there is a model here already; give another place, or say that it may be replaced", path.display())]
    Taken {
        /// Where.
        path: PathBuf,
    },
    /// The folder has files that are none of the model's.
    #[error("{}: the folder also has {}, which would be lost with the model that is replaced; move that elsewhere, or give another place", path.display(), files.join(", "))]
    OtherFiles {
        /// Where.
        path: PathBuf,
        /// Their names.
        files: Vec<String>,
    },
    /// The model that is there was changed, and this one knows nothing of it.
    #[error(
        "{}: the model here has {n_changes} changes that would be lost; give another place, open that model and change it, or say that it may be replaced",
        path.display()
    )]
    WouldLose {
        /// Where.
        path: PathBuf,
        /// How many.
        n_changes: usize,
    },
    /// Another model is there than the one that an evaluation is of.
    #[error("{}: another model was saved here meanwhile, and nothing was recorded: evaluate that one", path.display())]
    OtherModel {
        /// Where.
        path: PathBuf,
    },
    /// What is there cannot be read.
    #[error(transparent)]
    There(Box<LoadError>),
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

impl From<LoadError> for SaveError {
    fn from(error: LoadError) -> Self {
        Self::There(Box::new(error))
    }
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
    #[error("{source}{}", without_journal(source, *folded))]
    Journal {
        /// What is wrong with it.
        source: JournalError,
        /// Changes that are in the model without it.
        folded: u64,
    },
}

/// How to go on without a journal that is lost: the model as it was when its arrays were written needs none.
fn without_journal(error: &JournalError, folded: u64) -> String {
    let then = if folded == 0 { "it was fitted".to_owned() } else { format!("it was after change {folded}") };
    match error.is_damage() {
        true => format!(
            ", or go on with the model as {then}, without what was changed since (`hedgerow replay MODEL --until {folded} --out NEW`)"
        ),
        false => String::new(),
    }
}
