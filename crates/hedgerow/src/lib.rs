//! Classification by the few real examples that stand on the boundary between classes.
//!
//! ```
//! use hedgerow::{FitOptions, FitParams, Model, data, silent_fit};
//!
//! let digits = data::load("optdigits")?;                         // or "mnist", "my.csv", "moons?n=1000", a folder, ...
//! let model = Model::fit(&digits, &FitParams::default(), &FitOptions::default(), &mut silent_fit())?;
//! assert!(model.search().n_stored() < 100);                      // of 3823 examples; on raw pixels a tree keeps 403
//!
//! let tests = digits.test();                                     // 1797 to test on
//! let said = model.predict(tests.points())?;
//! let n_right = said.iter().zip(tests.labels()).filter(|(said, truth)| said.label == **truth).count();
//! assert!(n_right > 1690);
//!
//! let why = model.explain(tests.row(0))?;                        // the walk, the voters, the nearest rival, the novelty
//! let rival = why.explanation.rival.ok_or("only one class is stored")?;
//! println!("{}; class {} is {:.1} farther away", model.label_text(why.prediction.label), rival.class, rival.margin);
//! model.save(std::env::temp_dir().join("hedgerow-digits"))?;     // a folder that the command line reads too
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The structures work alone, too, on any points:
//!
//! ```
//! use hedgerow::data;
//! use hedgerow::{BoundaryForestParams, NeighborSearch};
//!
//! let digits = data::load("optdigits")?;
//! let mut forest = BoundaryForestParams::default().build()?;
//! forest.insert_all(&digits.train().examples())?;                // 3823 pictures to learn from
//!
//! let tests = digits.test();
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
//! A [`Model`] is preprocessing, representation, structure and names as one thing, with a folder on disk and a journal of what happens after the
//! fit. [`comparison`] sets methods side by side.
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

pub use error::{AnswerError, ChangeError, FitError, LoadError, SaveError};
pub use hedgerow_core::*;
pub use hedgerow_data as data;
pub use hedgerow_learn as learn;
pub use journal::{Change, JournalEntry, JournalError};
pub use model::{
    Addition, CalibrationBin, ClassResult, DataFacts, Decision, Evaluation, FitEvent, FitListener, FitOptions,
    FitParams, Inserted, Metrics, Model, ModelAnswer, ModelPrediction, Originals, Probabilities, RecordedEvaluation,
    Rejection, RejectionPoint, Structure, StructureParams, Unknown, ValueResult, Walk, silent_fit,
};
pub use persistence::{is_model, model_files, other_files};
