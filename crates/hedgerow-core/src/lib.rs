//! Neighbor structures that keep real examples and can say why they answer as they do.
//!
//! - [`LinearScan`]: exact k nearest neighbors, and the oracle of the others.
//! - [`BoundarySet`]: the examples on the boundary between classes (one pass, or Hart's condensed nearest neighbors).
//! - [`BoundaryTree`]: the same idea as a tree, searched in about `log N` steps.
//! - [`BoundaryForest`]: trees shown the examples in different orders, voting.
//!
//! All of them are [`NeighborSearch`]es: they answer, learn one example at a time (and whole new classes), forget exactly,
//! and give the walk, the voters and the nearest rival behind an answer as data. Classification, regression and retrieval
//! are [`Task`]s of the same structures.
//!
//! A structure as plain arrays, to be written down and restored, is a [`Snapshot`].
//!
//! Not here: learning a representation, reading files, drawing. Nothing in this crate knows a clock or a file.
//!
//! # Example
//! ```
//! use hedgerow_core::{BoundaryTreeParams, Examples, Label, NeighborSearch, Point, Points};
//!
//! let points = Points::from_f32(2, vec![0.0, 0.0, 1.0, 0.0, 5.0, 5.0, 6.0, 5.0])?;
//! let labels = [0, 0, 1, 1].map(Label::class);
//! let mut tree = BoundaryTreeParams::default().build()?;
//! tree.insert_all(&Examples::new(points.view(), &labels)?)?;
//! assert_eq!(tree.n_stored(), 2); // two of the four stand for all
//!
//! let why = tree.explain(Point::F32(&[5.0, 4.0]), None)?;
//! assert_eq!(why.prediction.label, Label::class(1));
//! let rival = why.rival.ok_or("only one class is stored")?;
//! assert!(rival.margin > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boundary_forest;
mod boundary_set;
mod boundary_tree;
mod distance;
mod error;
mod examples;
mod explanation;
mod flat;
mod history;
mod label;
mod linear_scan;
mod metric;
mod nearest_rows;
pub mod neighbor_search;
mod points;
pub mod random;
mod simd;
mod sketch;
pub mod snapshot;
mod traversal;
pub mod vote;

/// Products of matrices, for the crates that learn.
pub mod matrix {
    pub use crate::simd::matrix::{Element, MatrixRef, Threads, multiply};
}

pub use boundary_forest::{BoundaryForest, BoundaryForestParams, Initialization};
pub use boundary_set::{BoundarySet, BoundarySetParams, Passes};
pub use boundary_tree::{BoundaryTree, BoundaryTreeParams, TreeRef};
pub use distance::{CustomDistance, Distance};
pub use error::{EditError, InsertError, ParamError, PointError, PointsError, QueryError};
pub use examples::Examples;
pub use explanation::{Calibration, Explanation, Novelty, Rival, Voter};
pub use history::History;
pub use label::{ClassId, ExampleId, Label, Task};
pub use linear_scan::{LinearScan, LinearScanParams};
pub use neighbor_search::{Edit, Effort, Insertion, IsStopped, Neighbor, NeighborSearch};
pub use points::{MAX_MAGNITUDE, Point, PointKind, Points, PointsRef};
pub use snapshot::{RestoreError, Snapshot, TreeError, TreeSnapshot};
pub use traversal::{Candidate, NodeId, Step, Traversal};
pub use vote::{ClassShare, Prediction, Vote};
