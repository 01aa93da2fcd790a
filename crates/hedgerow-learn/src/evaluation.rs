//! How well representations answer: neighbor structures over all of them, asked about other points.

use hedgerow_core::random::shuffle;
use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTree, BoundaryTreeParams, ClassShare, Examples, History,
    InsertError, Label, NeighborSearch, ParamError, Points, PointsRef, Prediction, QueryError, Traversal,
};
use rayon::prelude::*;
use thiserror::Error;

use crate::loss::DistanceScale;
use crate::selection::Voters;

/// The stream of random numbers by which examples are ordered before they are shown to a structure.
const ORDER: u64 = 0x6576_616c_7561_7465;

/// What representations cannot be evaluated by, or from.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A structure that there cannot be: of too many trees or none, or with a sigma that is no positive number.
    #[error("the structure to evaluate by: {0}")]
    Structure(#[from] ParamError),
    /// Examples.
    #[error("the representations to build from: {0}")]
    Insert(#[from] InsertError),
    /// Queries.
    #[error("the representations to ask about: {0}")]
    Query(#[from] QueryError),
    /// More or fewer labels than points.
    #[error("there are {n_labels} labels for {n_points} representations; give one label for each")]
    LabelCount {
        /// Points.
        n_points: usize,
        /// Labels.
        n_labels: usize,
    },
    /// A row that there is not.
    #[error(
        "row {row} is to be shown, but there are {n_rows} representations, counted from 0; name only rows that there are"
    )]
    Row {
        /// The row.
        row: usize,
        /// How many there are.
        n_rows: usize,
    },
    /// A tree of something else than classes.
    #[error(
        "a soft vote is one of classes, but an example that votes is {label}; build the tree from examples of classes"
    )]
    NotAClass {
        /// What it has for a label.
        label: Label,
    },
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
    /// Share of wrong answers, in percent; 0 of no queries.
    pub error_percent: f64,
    /// Examples stored; of a forest, distinct ones.
    pub n_stored: usize,
}

/// Labelled representations, in an order to be shown in.
#[derive(Debug, Clone)]
pub struct ShownExamples {
    rows: Vec<usize>,
    points: Points,
    labels: Vec<Label>,
}

impl ShownExamples {
    /// Takes rows of representations in an order drawn by a seed, since files are often sorted by class.
    ///
    /// # Errors
    /// More or fewer labels than points, and a row that there is not.
    pub fn shuffled(
        points: PointsRef<'_>,
        labels: &[Label],
        rows: &[usize],
        seed: u64,
    ) -> Result<Self, EvaluationError> {
        let n_rows = points.len();
        one_label_each(points, labels)?;
        if let Some(&row) = rows.iter().find(|&&row| row >= n_rows) {
            return Err(EvaluationError::Row { row, n_rows });
        }
        let mut rows = rows.to_vec();
        shuffle(&mut rows, seed, ORDER);
        let labels = rows.iter().map(|&row| labels[row]).collect();
        Ok(Self { points: points.select(&rows), labels, rows })
    }

    /// The rows in the order in which they are shown: example `i` of a structure is the representation of `rows()[i]`.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The tree that [`evaluate`](Self::evaluate) builds and asks.
    ///
    /// # Errors
    /// Labels that no tree can hold together.
    pub fn tree(&self) -> Result<BoundaryTree, EvaluationError> {
        self.show_to(tree_params().build()?)
    }

    /// Builds a structure from the examples and asks it about queries.
    ///
    /// # Errors
    /// A structure that there cannot be, queries of another width, more or fewer labels than queries, and a soft vote of examples that
    /// are not of classes.
    pub fn evaluate(
        &self,
        structure: Structure,
        queries: PointsRef<'_>,
        labels: &[Label],
        seed: u64,
    ) -> Result<Evaluation, EvaluationError> {
        one_label_each(queries, labels)?;
        let (answers, n_stored) = match structure {
            Structure::Tree => ask(&self.tree()?, queries)?,
            Structure::Set => {
                let set = BoundarySetParams::default().history(History::NodesOnly);
                ask(&self.show_to(set.build()?)?, queries)?
            }
            Structure::Forest(n_trees) => {
                let forest = BoundaryForestParams::default().tree(tree_params()).n_trees(n_trees).seed(seed);
                ask(&self.show_to(forest.build()?)?, queries)?
            }
            Structure::SoftTree(scale) => {
                check_sigma(scale)?;
                let tree = self.tree()?;
                (soft_predictions(&tree, Voters::SiblingsAndParent, scale, queries)?, tree.n_stored())
            }
        };
        let n_wrong = answers.iter().zip(labels).filter(|(answer, label)| answer.label != **label).count();
        let error_percent = 100.0 * n_wrong as f64 / labels.len().max(1) as f64;
        Ok(Evaluation { error_percent, n_stored })
    }

    fn show_to<S: NeighborSearch>(&self, mut structure: S) -> Result<S, EvaluationError> {
        let examples = Examples::new(self.points.view(), &self.labels).expect("one label for each point");
        structure.insert_all(&examples)?;
        Ok(structure)
    }
}

/// The trees that representations are evaluated by.
fn tree_params() -> BoundaryTreeParams {
    BoundaryTreeParams::default().history(History::NodesOnly)
}

/// What a structure answers, and how many examples it stores.
fn ask(structure: &impl NeighborSearch, queries: PointsRef<'_>) -> Result<(Vec<Prediction>, usize), EvaluationError> {
    Ok((structure.predict_all(queries)?, structure.n_stored()))
}

pub(crate) fn one_label_each(points: PointsRef<'_>, labels: &[Label]) -> Result<(), EvaluationError> {
    let (n_points, n_labels) = (points.len(), labels.len());
    if n_points == n_labels { Ok(()) } else { Err(EvaluationError::LabelCount { n_points, n_labels }) }
}

/// With a sigma of 0 every share would be 0 / 0, and the first voter always right.
fn check_sigma(scale: DistanceScale) -> Result<(), ParamError> {
    let sigma = scale.sigma();
    if sigma > 0.0 && sigma.is_finite() { Ok(()) } else { Err(ParamError::Sigma { sigma }) }
}

/// The soft answers of a tree: for each query the class probabilities of Algorithm 1 in the DBS paper, with those who vote at the end of
/// its walk for references.
///
/// The share of a class is the sum of the [closeness](DistanceScale::closeness) of its voters. Shares sum to 1; classes that no voter has
/// are left out, and have a share of 0. The largest comes first and is the answer; of equal ones, that of the voter who comes first
/// in [`Voters::of`].
///
/// # Errors
/// A sigma that is no positive number, queries that the tree cannot take, an empty tree, and a tree that does not hold classes.
///
/// # Example
/// ```
/// use hedgerow_core::{BoundaryTreeParams, Examples, Label, NeighborSearch, PointsRef};
/// use hedgerow_learn::evaluation::soft_predictions;
/// use hedgerow_learn::{DistanceScale, Voters};
///
/// let labels = [Label::class(0), Label::class(1)];
/// let mut tree = BoundaryTreeParams::default().build()?;
/// tree.insert_all(&Examples::new(PointsRef::from_f32(1, &[0.0, 3.0])?, &labels)?)?;
///
/// // 1 away from class 0 and 2 from class 1, each of which halves the closeness: shares of 2/3 and 1/3.
/// let scale = DistanceScale::Euclidean(1.0 / 2.0_f64.ln());
/// let answers = soft_predictions(&tree, Voters::Siblings, scale, PointsRef::from_f32(1, &[1.0])?)?;
/// assert_eq!(answers[0].label, Label::class(0));
/// assert!((answers[0].shares[0].share - 2.0 / 3.0).abs() < 1e-12);
/// assert!((answers[0].shares[1].share - 1.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn soft_predictions(
    tree: &BoundaryTree,
    voters: Voters,
    scale: DistanceScale,
    queries: PointsRef<'_>,
) -> Result<Vec<Prediction>, EvaluationError> {
    check_sigma(scale)?;
    let rows = (0..queries.len()).into_par_iter();
    rows.map(|row| soft_vote(&tree.traverse(queries.row(row))?, voters, scale)).collect()
}

/// The vote at the end of a walk. (A tree gives one walk.)
///
/// If the parent votes, as in the public code, it never decides: the last node is nearer, and no sibling has the parent's class.
fn soft_vote(walks: &[Traversal], voters: Voters, scale: DistanceScale) -> Result<Prediction, EvaluationError> {
    let voters: Vec<_> = walks.iter().flat_map(|walk| voters.of(walk)).map(|voter| voter.neighbor).collect();
    let closeness = scale.closeness(voters.iter().map(|voter| voter.distance));
    let mut shares: Vec<ClassShare> = Vec::new();
    for (voter, closeness) in voters.iter().zip(closeness) {
        let class = voter.label.as_class().ok_or(EvaluationError::NotAClass { label: voter.label })?;
        match shares.iter_mut().find(|share| share.class == class) {
            Some(share) => share.share += closeness,
            None => shares.push(ClassShare { class, share: closeness }),
        }
    }
    // A stable sort: of equal shares the one whose voter came first stays first.
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    let label = shares.first().map_or(Label::Unlabeled, |share| Label::Class(share.class));
    Ok(Prediction { label, shares })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::slow_tree::{SlowTree, distance};
    use hedgerow_core::random::SplitMix64;

    fn shown(width: usize, values: &[f32], labels: &[u32]) -> ShownExamples {
        let rows = (0..labels.len()).collect();
        let labels = labels.iter().map(|&label| Label::class(label)).collect();
        ShownExamples { rows, points: Points::from_f32(width, values.to_vec()).unwrap(), labels }
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

    #[test]
    fn rows_are_told_in_the_order_in_which_they_are_shown() {
        let mut random = SplitMix64::new(3, 0);
        let values: Vec<f32> = (0..200).map(|_| random.normal() as f32).collect();
        let labels: Vec<Label> = (0..100).map(|_| Label::class(random.below(3) as u32)).collect();
        let points = PointsRef::from_f32(2, &values).unwrap();
        let chosen: Vec<usize> = (0..100).filter(|row| row % 4 != 1).collect();
        let mut sizes = Vec::new();
        for seed in 0..5 {
            let shown = ShownExamples::shuffled(points, &labels, &chosen, seed).unwrap();
            let mut sorted = shown.rows().to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, chosen);
            assert_ne!(shown.rows(), chosen);
            let tree = shown.tree().unwrap();
            for id in tree.stored_ids() {
                let row = shown.rows()[id.0 as usize];
                assert_eq!(tree.example(id), Some((points.row(row), labels[row])));
            }
            // It is the tree that is asked.
            let evaluation = shown.evaluate(Structure::Tree, points, &labels, seed).unwrap();
            let n_wrong = tree.predict_all(points).unwrap().iter().zip(&labels).filter(|(a, b)| a.label != **b).count();
            assert_eq!(evaluation, Evaluation { error_percent: n_wrong as f64, n_stored: tree.n_stored() });
            sizes.push(evaluation.n_stored);
        }
        assert!(sizes.iter().any(|size| *size != sizes[0]), "orders make no difference: {sizes:?}");
    }

    #[test]
    fn what_there_cannot_be_is_refused_with_the_reason() {
        let shown = shown(1, &[0.0, 2.0], &[0, 1]);
        let (values, labels) = ([0.5_f32, 1.5], [Label::class(0), Label::class(1)]);
        let queries = PointsRef::from_f32(1, &values).unwrap();
        let refused = |structure: Structure, labels: &[Label]| {
            shown.evaluate(structure, queries, labels, 0).unwrap_err().to_string()
        };
        for n_trees in [0, 65_537] {
            let error = refused(Structure::Forest(n_trees), &labels);
            assert!(error.starts_with(&format!("the structure to evaluate by: n_trees is {n_trees};")), "{error}");
        }
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = refused(Structure::SoftTree(DistanceScale::Euclidean(sigma)), &labels);
            assert!(error.starts_with(&format!("the structure to evaluate by: sigma is {sigma};")), "{error}");
        }
        // The one label there is would be the right one, and the share of errors 0 %.
        let expected = "there are 1 labels for 2 representations; give one label for each";
        assert_eq!(refused(Structure::Tree, &labels[..1]), expected);
        let shown = |labels: &[Label], rows: &[usize]| ShownExamples::shuffled(queries, labels, rows, 0);
        assert_eq!(shown(&labels[..1], &[0]).unwrap_err().to_string(), expected);
        let error = shown(&labels, &[1, 2]).unwrap_err().to_string();
        assert!(error.starts_with("row 2 is to be shown, but there are 2 representations"), "{error}");
        let of_values = shown(&[Label::Value(0.5), Label::Value(1.5)], &[0, 1]).unwrap();
        let error = of_values.evaluate(Structure::soft_tree(), queries, &labels, 0).unwrap_err();
        assert!(matches!(error, EvaluationError::NotAClass { .. } | EvaluationError::Insert(_)), "{error}");
    }

    #[test]
    fn shares_sum_to_1_and_come_in_falling_order() {
        // As in the soft vote by hand: query 1.3 ends at 2 (class 1); its siblings are of class 2, their parent of class 0.
        let shown = shown(1, &[0.0, 2.0, 0.45, -0.5], &[0, 1, 2, 2]);
        let tree = shown.show_to(BoundaryTreeParams::default().build().unwrap()).unwrap();
        let queries = [1.3];
        let queries = PointsRef::from_f32(1, &queries).unwrap();
        let (class_1, class_2, parent) = ((-0.7_f64).exp(), (-0.85_f64).exp() + (-1.8_f64).exp(), (-1.3_f64).exp());
        let scale = DistanceScale::Euclidean(1.0);
        for (voters, expected) in [
            (Voters::Siblings, vec![(2, class_2), (1, class_1)]),
            (Voters::SiblingsAndParent, vec![(2, class_2), (1, class_1), (0, parent)]),
        ] {
            let found = soft_predictions(&tree, voters, scale, queries).unwrap().remove(0);
            assert_eq!((found.label, found.shares.len()), (Label::class(2), expected.len()));
            let sum: f64 = expected.iter().map(|(_, share)| share).sum();
            for (found, (class, share)) in found.shares.iter().zip(&expected) {
                // The points are f32: 1.3 and 0.45 are not exact.
                assert!(found.class.0 == *class && (found.share - share / sum).abs() < 1e-6, "{found:?}");
            }
        }
    }
}
