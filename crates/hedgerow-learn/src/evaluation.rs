//! How well representations answer: neighbor structures over all of them, asked about other points.

use hedgerow_core::random::shuffle;
use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Examples, History, InsertError, Label, NeighborSearch,
    Points, PointsRef, QueryError, Traversal,
};
use rayon::prelude::*;
use thiserror::Error;

use crate::loss::DistanceScale;
use crate::selection::Voters;

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
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Structure {
    /// One boundary tree, as in the paper: it answers with the class of the approximate neighbor.
    Tree,
    /// The same tree with a soft vote at the end of a walk: the class with the largest share of `softmax(-d / sigma)` over the last
    /// node, its siblings and their parent, or over the root and its children. See [`soft_tree`](Self::soft_tree).
    SoftTree(DistanceScale),
    /// A boundary set of one pass.
    Set,
    /// A boundary forest of so many trees.
    Forest(usize),
}

impl Structure {
    /// The tree of the public code of the DBS paper's authors: a soft vote over plain distances, with sigma 1.
    pub fn soft_tree() -> Self {
        Self::SoftTree(DistanceScale::Euclidean(1.0))
    }
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
            Structure::Tree | Structure::SoftTree(_) => tree.build().map(|tree| Box::new(tree) as _),
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
        let answers: Vec<Label> = match structure {
            Structure::SoftTree(scale) => soft_answers(built.as_ref(), scale, queries)?,
            _ => built.predict_all(queries)?.iter().map(|answer| answer.label).collect(),
        };
        let n_wrong = answers.iter().zip(labels).filter(|(answer, label)| answer != label).count();
        let error_percent = 100.0 * n_wrong as f64 / labels.len().max(1) as f64;
        Ok(Evaluation { error_percent, n_stored: built.n_stored() })
    }
}

/// The soft answers of a tree to queries.
fn soft_answers(
    tree: &dyn NeighborSearch,
    scale: DistanceScale,
    queries: PointsRef<'_>,
) -> Result<Vec<Label>, QueryError> {
    let rows = (0..queries.len()).into_par_iter();
    rows.map(|row| Ok(soft_vote(&tree.traverse(queries.row(row))?[0], scale))).collect()
}

/// The class with the largest share of the closeness of those who vote at the end of a walk. Ties go to the class whose voter
/// comes first in [`Voters::of`].
///
/// The parent votes as in the public code, but never decides: the last node is nearer, and no sibling has the parent's class.
fn soft_vote(walk: &Traversal, scale: DistanceScale) -> Label {
    let voters: Vec<_> = Voters::SiblingsAndParent.of(walk).map(|voter| voter.neighbor).collect();
    let closeness = scale.closeness(voters.iter().map(|voter| voter.distance));
    let mut shares: Vec<(Label, f64)> = Vec::new();
    for (voter, closeness) in voters.iter().zip(closeness) {
        match shares.iter_mut().find(|(label, _)| *label == voter.label) {
            Some((_, share)) => *share += closeness,
            None => shares.push((voter.label, closeness)),
        }
    }
    let best = shares.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.expect("at least the root votes").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::slow_tree::{SlowTree, distance};
    use hedgerow_core::random::SplitMix64;

    fn shown(width: usize, values: &[f32], labels: &[u32]) -> ShownExamples {
        let labels = labels.iter().map(|&label| Label::class(label)).collect();
        ShownExamples { points: Points::from_f32(width, values.to_vec()).unwrap(), labels }
    }

    /// The class that a structure gives to one query, found by asking which is no error.
    fn answer(shown: &ShownExamples, structure: Structure, query: &[f32]) -> u32 {
        let is_right = |class: &u32| {
            let query = PointsRef::from_f32(query.len(), query).unwrap();
            shown.evaluate(structure, query, &[Label::class(*class)], 0).unwrap().error_percent == 0.0
        };
        (0..10).find(is_right).unwrap()
    }

    #[test]
    fn a_soft_vote_worked_by_hand() {
        // Root 0 (class 0) with children 2 and -2 (class 1).
        let shown = shown(1, &[0.0, 2.0, -2.0], &[0, 1, 1]);
        // Query 0.9: e^-0.9 = 0.4066 for class 0, e^-1.1 + e^-2.9 = 0.3329 + 0.0550 = 0.3879 for class 1.
        assert_eq!(answer(&shown, Structure::soft_tree(), &[0.9]), 0);
        // Query 0.95: e^-0.95 = 0.3867 against e^-1.05 + e^-2.95 = 0.3499 + 0.0523 = 0.4023.
        assert_eq!(answer(&shown, Structure::soft_tree(), &[0.95]), 1);
        assert_eq!(answer(&shown, Structure::Tree, &[0.95]), 0);
        // Squared: e^-0.9025 = 0.4056 against e^-1.1025 + e^-8.7025 = 0.3320 + 0.0002.
        assert_eq!(answer(&shown, Structure::SoftTree(DistanceScale::SquaredEuclidean(1.0)), &[0.95]), 0);
        // Squared, sigma 10: e^-0.09025 = 0.9137 against e^-0.11025 + e^-0.87025 = 0.8956 + 0.4188.
        assert_eq!(answer(&shown, Structure::SoftTree(DistanceScale::SquaredEuclidean(10.0)), &[0.95]), 1);
        // A walk that ends below the root. Root 0 (class 0), children 2 (class 1), 0.45 and -0.5 (class 2); query 1.3 ends at 2.
        // e^-0.7 = 0.4966 for class 1, e^-0.85 + e^-1.8 = 0.4274 + 0.1653 = 0.5927 for class 2, e^-1.3 = 0.2725 for class 0.
        let shown = self::shown(1, &[0.0, 2.0, 0.45, -0.5], &[0, 1, 2, 2]);
        assert_eq!(answer(&shown, Structure::soft_tree(), &[1.3]), 2);
        assert_eq!(answer(&shown, Structure::Tree, &[1.3]), 1);
    }

    #[test]
    fn a_tie_goes_to_the_class_whose_voter_comes_first() {
        // Halfway between the root and its child: the root.
        for labels in [[0, 1], [1, 0]] {
            assert_eq!(answer(&shown(1, &[0.0, 2.0], &labels), Structure::soft_tree(), &[1.0]), labels[0]);
        }
        // As far from two children of the root: the one added first.
        let values = [0.0, 0.0, 2.0, 0.0, 0.0, 2.0];
        for labels in [[0, 1, 2], [0, 2, 1], [1, 2, 0]] {
            assert_eq!(answer(&shown(2, &values, &labels), Structure::soft_tree(), &[2.0, 2.0]), labels[1]);
        }
    }

    #[test]
    fn soft_answers_are_those_of_a_slow_tree() {
        let (mut n_unlike_nearest, mut n_below_root) = (0, 0);
        for seed in 0..30 {
            let mut random = SplitMix64::new(seed, 0);
            let (n, width, n_classes) = (1 + random.below(80), 1 + random.below(4), 1 + random.below(4));
            let mut draw = |n: usize| (0..n * width).map(|_| random.normal() as f32).collect::<Vec<f32>>();
            let (values, asked) = (draw(n), draw(50));
            let labels: Vec<u32> = (0..n).map(|_| random.below(n_classes) as u32).collect();
            let shown = shown(width, &values, &labels);
            let wide = |values: &[f32]| -> Vec<Vec<f64>> {
                values.chunks(width).map(|row| row.iter().map(|&value| f64::from(value)).collect()).collect()
            };
            let slow = SlowTree::new(&wide(&values), &labels);
            let queries = PointsRef::from_f32(width, &asked).unwrap();
            for scale in [DistanceScale::Euclidean(1.0), DistanceScale::Euclidean(0.2), DistanceScale::default()] {
                let mut expected = Vec::new();
                for query in wide(&asked) {
                    let mut shares = [0.0; 4];
                    for voter in slow.voters(&query, true) {
                        let distance = distance(&query, slow.point(voter));
                        shares[slow.label(voter) as usize] += match scale {
                            DistanceScale::Euclidean(sigma) => (-distance / sigma).exp(),
                            DistanceScale::SquaredEuclidean(sigma) => (-distance * distance / sigma).exp(),
                        };
                    }
                    let best = (0..4).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap();
                    expected.push(Label::class(best as u32));
                    let end = slow.end_of_walk(&query);
                    n_unlike_nearest += usize::from(slow.label(end) != best as u32);
                    n_below_root += usize::from(end != 0);
                }
                let found = shown.evaluate(Structure::SoftTree(scale), queries, &expected, 0).unwrap();
                assert_eq!(
                    found,
                    Evaluation { error_percent: 0.0, n_stored: slow.shown_as.len() },
                    "seed {seed} {scale:?}"
                );
            }
        }
        assert!(n_unlike_nearest > 50 && n_below_root > 500, "{n_unlike_nearest} {n_below_root}");
    }

    #[test]
    fn what_a_soft_tree_cannot_take_is_an_error() {
        let queries = [0.5_f32, 1.0];
        let queries = PointsRef::from_f32(2, &queries).unwrap();
        let found = shown(1, &[0.0, 2.0], &[0, 1]).evaluate(Structure::soft_tree(), queries, &[Label::class(0)], 0);
        assert!(matches!(found, Err(EvaluationError::Query(QueryError::Point(_)))), "{found:?}");
        let found = shown(2, &[], &[]).evaluate(Structure::soft_tree(), queries, &[Label::class(0)], 0);
        assert_eq!(found, Err(EvaluationError::Query(QueryError::Empty)));
    }
}
