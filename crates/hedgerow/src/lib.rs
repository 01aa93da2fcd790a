//! Classification by the few real examples that stand on the boundary between classes.
//!
//! ```
//! use hedgerow::data;
//! use hedgerow::{BoundaryForestParams, NeighborSearch};
//!
//! let digits = data::load("optdigits")?;                         // or "mnist", "my.csv", "moons?n=1000", a folder, ...
//! let mut forest = BoundaryForestParams::default().build()?;
//! forest.insert_all(&digits.train().examples())?;                // 3823 pictures to learn from
//!
//! let tests = digits.test();                                     // 1797 to test on
//! let said = forest.predict_all(tests.points())?;
//! let n_right = said.iter().zip(tests.labels()).filter(|(said, truth)| said.label == **truth).count();
//! assert!(n_right > 1750);
//!
//! let why = forest.explain(tests.row(0), None)?;                 // who voted, which walk led to them, who came closest
//! let rival = why.rival.ok_or("only one class is stored")?;
//! println!("{} by {} votes; class {} is {:.1} farther", why.prediction.label, why.voters.len(), rival.class, rival.margin);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In a space that was learned, few examples are needed ([`learn`]):
//!
//! ```
//! use hedgerow::learn::{RunOptions, TrainingParams, silent, train};
//! use hedgerow::{BoundaryTreeParams, Examples, NeighborSearch, data};
//!
//! let digits = data::load("optdigits")?;
//! let learned = train(&digits.train().examples(), &TrainingParams::default(), &RunOptions::default(), &mut silent())?;
//!
//! let seen = learned.transform.apply(digits.train().points())?;  // 64 pixels become 20 numbers
//! let mut tree = BoundaryTreeParams::default().build()?;
//! tree.insert_all(&Examples::new(seen.view(), digits.train().labels())?)?;
//! assert!(tree.n_stored() < 100);                                // of raw pixels a tree keeps 403
//!
//! let asked = learned.transform.apply(digits.test().points())?;
//! let said = tree.predict_all(asked.view())?;
//! let n_right = said.iter().zip(digits.test().labels()).filter(|(said, truth)| said.label == **truth).count();
//! assert!(n_right > 1690);                                       // of 1797; on raw pixels 1638
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything of [`hedgerow_core`] is here under one name: the structures ([`LinearScan`], [`BoundarySet`],
//! [`BoundaryTree`], [`BoundaryForest`]), what they have in common ([`NeighborSearch`]) and what they answer with
//! ([`Explanation`], [`Traversal`], [`Prediction`]). [`data`] has data:
//! readers and writers of the usual formats, standard sets by name, preprocessing and splits. [`learn`] learns representations
//! in which few examples are needed.

pub mod comparison;
mod error;
mod journal;
mod model;
mod persistence;

pub use error::{AnswerError, ChangeError, FitError, JournalError, LoadError, SaveError};
pub use hedgerow_core::*;
pub use hedgerow_data as data;
pub use hedgerow_learn as learn;
pub use journal::{Change, JournalEntry};
pub use model::{
    Addition, CalibrationBin, ClassResult, DataFacts, Decision, Evaluation, FitEvent, FitListener, FitOptions,
    FitParams, Inserted, Metrics, Model, ModelAnswer, ModelPrediction, Originals, Probabilities, RecordedEvaluation,
    Rejection, RejectionPoint, Structure, StructureParams, Unknown, ValueResult, Walk,
};
pub use persistence::{is_model, model_files};
