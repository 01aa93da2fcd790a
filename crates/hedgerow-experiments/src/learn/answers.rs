//! What structures over the representations of a run answer for the test examples, or for those kept back.

use hedgerow_core::{Label, PointsRef};
use hedgerow_learn::Trained;
use hedgerow_learn::editing::agreeing_rows;
use hedgerow_learn::evaluation::{Evaluation, ShownExamples, Structure};

use crate::error::ExperimentError;

/// Orders that the mean of trees is taken over.
const ORDERS: u64 = 10;

/// Neighbors that vote on whether an example is shown to the edited trees. On 10,000 validation pictures of Fashion-MNIST, after 30 epochs of triplets, trees
/// had an error of 11.5 % with 1764 nodes (10 neighbors), 11.0 % with 1009 (30) and 10.8 % with 691 (100); all examples shown, 17.7 % with 8324.
const EDITING_NEIGHBORS: usize = 100;

/// What structures over all training representations, and the class layer if there is one, answer for the test examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answers {
    /// One boundary tree, shown the examples in the order of the seed.
    pub tree: Evaluation,
    /// The mean error and size of trees over ten orders: one order alone is a throw of dice.
    pub tree_over_orders: (f64, f64),
    /// The error of the first tree when the voters at the end of a walk answer.
    pub soft_tree: f64,
    /// One boundary set.
    pub set: Evaluation,
    /// A forest of 10 trees.
    pub forest: Evaluation,
    /// A forest of 50 trees.
    pub large_forest: Evaluation,
    /// The mean error and size of trees over ten orders of the examples that their neighbors do not outvote.
    pub edited_tree: (f64, f64),
    /// A forest of 50 trees over these examples.
    pub edited_forest: Evaluation,
    /// The error of the class layer, in percent.
    pub classifier: Option<f64>,
}

impl Answers {
    /// Asks everything. Before each question `go_on` hears how many were asked, of how many; its error ends it.
    pub(super) fn of(
        learned: &Trained,
        (points, labels): (PointsRef<'_>, &[Label]),
        (queries, query_labels): (PointsRef<'_>, &[Label]),
        seed: u64,
        go_on: &mut dyn FnMut(usize, usize) -> Result<(), ExperimentError>,
    ) -> Result<Self, ExperimentError> {
        let (representations, asked) = (learned.transform.apply(points)?, learned.transform.apply(queries)?);
        let rows: Vec<usize> = (0..labels.len()).collect();
        let shown = ShownExamples::shuffled(representations.view(), labels, &rows, seed)?;
        let total = 2 * ORDERS as usize + 7;
        let mut done = 0;
        let mut next = || {
            done += 1;
            go_on(done - 1, total)
        };
        let mut over_orders = |rows: &[usize]| {
            let (mut error, mut nodes) = (0.0, 0.0);
            for order in 0..ORDERS {
                next()?;
                let shown = ShownExamples::shuffled(representations.view(), labels, rows, order)?;
                let tree = shown.evaluate(Structure::Tree, asked.view(), query_labels, order)?;
                error += tree.error_percent / ORDERS as f64;
                nodes += tree.n_stored as f64 / ORDERS as f64;
            }
            Ok::<_, ExperimentError>((error, nodes))
        };
        let tree_over_orders = over_orders(&rows)?;
        let agreeing = agreeing_rows(representations.view(), labels, EDITING_NEIGHBORS)?;
        let edited_tree = over_orders(&agreeing)?;
        let edited = ShownExamples::shuffled(representations.view(), labels, &agreeing, seed)?;
        let mut evaluate_of = |shown: &ShownExamples, structure: Structure| {
            next()?;
            Ok::<_, ExperimentError>(shown.evaluate(structure, asked.view(), query_labels, seed)?)
        };
        let edited_forest = evaluate_of(&edited, Structure::Forest(50))?;
        let mut evaluate = |structure: Structure| evaluate_of(&shown, structure);
        let classifier = learned.classifier.as_ref().map(|classifier| classifier.error_percent(queries, query_labels));
        Ok(Self {
            tree: evaluate(Structure::Tree)?,
            tree_over_orders,
            edited_tree,
            edited_forest,
            soft_tree: evaluate(Structure::soft_tree())?.error_percent,
            set: evaluate(Structure::Set)?,
            forest: evaluate(Structure::Forest(10))?,
            large_forest: evaluate(Structure::Forest(50))?,
            classifier: classifier.transpose()?,
        })
    }
}
