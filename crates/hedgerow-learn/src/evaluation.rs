//! How well representations answer: neighbor structures over all of them, asked about other points.

use hedgerow_core::random::shuffle;
use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Examples, History, InsertError, Label, NeighborSearch,
    Points, PointsRef, QueryError,
};
use thiserror::Error;

/// The stream of random numbers by which examples are ordered before they are shown to a structure.
const ORDER: u64 = 0x6576_616c_7561_7465;

/// Representations that a structure cannot take.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// Examples.
    #[error("the representations to build from: {0}")]
    Insert(#[from] InsertError),
    /// Queries.
    #[error("the representations to ask about: {0}")]
    Query(#[from] QueryError),
}

/// A structure to evaluate representations by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Structure {
    /// One boundary tree, as in the paper.
    Tree,
    /// A boundary set of one pass.
    Set,
    /// A boundary forest of so many trees.
    Forest(usize),
}

/// What a structure made of representations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// Share of wrong answers, in percent.
    pub error_percent: f64,
    /// Examples stored; of a forest, distinct ones.
    pub n_stored: usize,
}

/// Labelled representations, in an order to be shown in.
#[derive(Debug, Clone)]
pub struct ShownExamples {
    points: Points,
    labels: Vec<Label>,
}

impl ShownExamples {
    /// Takes rows of representations in an order drawn by a seed, since files are often sorted by class.
    pub fn shuffled(points: PointsRef<'_>, labels: &[Label], rows: &[usize], seed: u64) -> Self {
        let mut rows = rows.to_vec();
        shuffle(&mut rows, seed, ORDER);
        Self { points: points.select(&rows), labels: rows.iter().map(|&row| labels[row]).collect() }
    }

    /// Builds a structure from the examples and asks it about queries.
    ///
    /// # Errors
    /// Queries of another width.
    pub fn evaluate(
        &self,
        structure: Structure,
        queries: PointsRef<'_>,
        labels: &[Label],
        seed: u64,
    ) -> Result<Evaluation, EvaluationError> {
        let tree = BoundaryTreeParams::default().history(History::NodesOnly);
        let built: Result<Box<dyn NeighborSearch>, _> = match structure {
            Structure::Tree => tree.build().map(|tree| Box::new(tree) as _),
            Structure::Set => {
                BoundarySetParams::default().history(History::NodesOnly).build().map(|set| Box::new(set) as _)
            }
            Structure::Forest(n_trees) => BoundaryForestParams::default()
                .tree(tree)
                .n_trees(n_trees.max(1))
                .seed(seed)
                .build()
                .map(|forest| Box::new(forest) as _),
        };
        let mut built = built.expect("these parameters are fine for any data");
        let examples = Examples::new(self.points.view(), &self.labels).expect("one label for each point");
        built.insert_all(&examples)?;
        let answers = built.predict_all(queries)?;
        let n_wrong = answers.iter().zip(labels).filter(|(answer, label)| answer.label != **label).count();
        let error_percent = 100.0 * n_wrong as f64 / labels.len().max(1) as f64;
        Ok(Evaluation { error_percent, n_stored: built.n_stored() })
    }
}
