//! Classification by the few real examples that stand on the boundary between classes.
//!
//! ```
//! use hedgerow::data::embedded::optdigits;
//! use hedgerow::{BoundaryForestParams, Examples, NeighborSearch};
//!
//! let digits = optdigits();                                      // 3823 pictures to learn from, 1797 to test on
//! let (points, labels) = (digits.train.points(), digits.train.class_labels());
//! let mut forest = BoundaryForestParams::default().build()?;
//! forest.insert_all(&Examples::new(points.view(), &labels)?)?;
//!
//! let tests = digits.test.points();
//! let said = forest.predict_all(tests.view())?;
//! let n_right = said.iter().zip(digits.test.class_labels()).filter(|(said, truth)| said.label == *truth).count();
//! assert!(n_right > 1750); // of 1797
//!
//! let why = forest.explain(tests.row(0), None)?;                 // who voted, which walk led to them, who came closest
//! let rival = why.rival.ok_or("only one class is stored")?;
//! println!("{} by {} votes; class {} is {:.1} farther", why.prediction.label, why.voters.len(), rival.class, rival.margin);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything of [`hedgerow_core`] is here under one name: the structures ([`LinearScan`], [`BoundarySet`],
//! [`BoundaryTree`], [`BoundaryForest`]), what they have in common ([`NeighborSearch`]) and what they answer with
//! ([`Explanation`], [`Traversal`], [`Prediction`]). [`data`] has data to try them on.

pub use hedgerow_core::*;
pub use hedgerow_data as data;
