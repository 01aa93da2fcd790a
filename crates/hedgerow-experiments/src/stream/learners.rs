//! Those that follow a stream.

use std::collections::{HashMap, VecDeque};

use hedgerow_core::{
    BoundaryForest, BoundaryForestParams, BoundaryTree, BoundaryTreeParams, EditError, ExampleId, History, InsertError,
    Label, NeighborSearch, ParamError, Point, QueryError,
};

use super::drift::Drift;
use crate::error::ExperimentError;
use hedgerow_learn::evaluation::EvaluationError;

/// Trees of the forest.
const TREES: usize = 10;
/// Children of a node at most: without a limit, nodes of a stream that never ends would become long lists.
const CHILDREN: usize = 50;

/// A way to follow a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learner {
    /// A boundary tree that is shown every example.
    Tree,
    /// A boundary forest that is shown every example.
    Forest,
    /// A tree that now and then is begun anew from the last examples.
    Renewed,
    /// A tree that forgets what is older than the last examples, by exact removal.
    Forgetting,
    /// A tree fitted to the beginning, and never changed.
    Static,
    /// The class that came most often so far.
    Majority,
}

impl Learner {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Tree, Self::Forest, Self::Renewed, Self::Forgetting, Self::Static, Self::Majority];

    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Forest => "forest",
            Self::Renewed => "renewed",
            Self::Forgetting => "forgetting",
            Self::Static => "static",
            Self::Majority => "majority",
        }
    }

    /// What people read.
    pub fn title(self) -> &'static str {
        match self {
            Self::Tree => "tree that learns on",
            Self::Forest => "forest that learns on",
            Self::Renewed => "tree begun anew now and then",
            Self::Forgetting => "tree that forgets",
            Self::Static => "static tree",
            Self::Majority => "majority class",
        }
    }

    /// Those of that word.
    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|learner| learner.word() == word)
    }

    /// Begins.
    pub(super) fn begin(self, drift: &Drift) -> Result<State, ExperimentError> {
        // A window of the last examples: a twentieth of the stream.
        let window = (drift.n_examples / 20).max(1);
        let built = || -> Result<State, ParamError> {
            Ok(match self {
                Self::Tree => State::Tree(tree(History::NodesOnly)?),
                Self::Forest => {
                    let params = BoundaryTreeParams::default().max_children(CHILDREN).history(History::NodesOnly);
                    let forest = BoundaryForestParams::default().tree(params).n_trees(TREES).seed(drift.seed);
                    State::Forest(Box::new(forest.build()?))
                }
                Self::Renewed => {
                    State::Renewed { tree: tree(History::NodesOnly)?, last: VecDeque::new(), window, since: 0 }
                }
                Self::Forgetting => State::Forgetting { tree: tree(History::Full)?, window },
                Self::Static => State::Static { tree: tree(History::NodesOnly)?, window, shown: 0 },
                Self::Majority => State::Majority(HashMap::new()),
            })
        };
        Ok(built().map_err(EvaluationError::from)?)
    }
}

fn tree(history: History) -> Result<BoundaryTree, ParamError> {
    BoundaryTreeParams::default().max_children(CHILDREN).history(history).build()
}

/// A learner on its way.
#[derive(Debug)]
pub(super) enum State {
    Tree(BoundaryTree),
    Forest(Box<BoundaryForest>),
    Renewed { tree: BoundaryTree, last: VecDeque<(ExampleId, Vec<f32>, Label)>, window: usize, since: usize },
    Forgetting { tree: BoundaryTree, window: usize },
    Static { tree: BoundaryTree, window: usize, shown: usize },
    Majority(HashMap<u32, usize>),
}

impl State {
    /// What it answers; nothing before it has seen anything.
    pub(super) fn answer(&self, point: Point<'_>) -> Result<Option<Label>, QueryError> {
        let ask = |search: &dyn NeighborSearch| match search.n_stored() {
            0 => Ok(None),
            _ => Ok(Some(search.predict(point)?.label)),
        };
        match self {
            Self::Tree(tree)
            | Self::Renewed { tree, .. }
            | Self::Forgetting { tree, .. }
            | Self::Static { tree, .. } => ask(tree),
            Self::Forest(forest) => ask(forest.as_ref()),
            // Of equally many the first class, so that the answer does not depend on the order of the map.
            Self::Majority(counts) => {
                let most = counts.iter().max_by_key(|(class, count)| (**count, std::cmp::Reverse(**class)));
                Ok(most.map(|(class, _)| Label::class(*class)))
            }
        }
    }

    /// Shows it an example.
    pub(super) fn show(&mut self, id: ExampleId, point: Point<'_>, label: Label) -> Result<(), InsertError> {
        match self {
            Self::Tree(tree) => tree.insert(id, point, label).map(|_| ()),
            Self::Forest(forest) => forest.insert(id, point, label).map(|_| ()),
            Self::Renewed { tree, last, window, since } => {
                if let Point::F32(numbers) = point {
                    last.push_back((id, numbers.to_vec(), label));
                }
                if last.len() > *window {
                    last.pop_front();
                }
                *since += 1;
                // Half of what is known is then of the last half window at least.
                if *since < *window / 2 {
                    return tree.insert(id, point, label).map(|_| ());
                }
                *since = 0;
                *tree = self::tree(History::NodesOnly).expect("as it was built before");
                last.iter().try_for_each(|(id, point, label)| tree.insert(*id, Point::F32(point), *label).map(|_| ()))
            }
            Self::Forgetting { tree, window } => {
                tree.insert(id, point, label)?;
                if let Some(old) = id.0.checked_sub(*window as u64) {
                    match tree.remove(ExampleId(old)) {
                        Ok(_) | Err(EditError::UnknownId { .. }) => {}
                        Err(error) => unreachable!("the history is kept whole: {error}"),
                    }
                }
                Ok(())
            }
            Self::Static { tree, window, shown } => {
                *shown += 1;
                if *shown <= *window { tree.insert(id, point, label).map(|_| ()) } else { Ok(()) }
            }
            Self::Majority(counts) => {
                if let Some(class) = label.as_class() {
                    *counts.entry(class.0).or_default() += 1;
                }
                Ok(())
            }
        }
    }

    /// Examples that answers come from.
    pub(super) fn n_stored(&self) -> usize {
        match self {
            Self::Tree(tree)
            | Self::Renewed { tree, .. }
            | Self::Forgetting { tree, .. }
            | Self::Static { tree, .. } => tree.n_stored(),
            Self::Forest(forest) => forest.n_stored(),
            Self::Majority(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_keeps_what_it_should() {
        let drift = Drift { n_examples: 200, ..Drift::default() }; // windows of 10
        let mut stream = drift.examples();
        let examples = stream.block(200).unwrap();
        let mut states: Vec<(Learner, State)> =
            Learner::ALL.into_iter().map(|learner| (learner, learner.begin(&drift).unwrap())).collect();
        for (at, (point, label)) in examples.iter().enumerate() {
            for (learner, state) in &mut states {
                if at == 0 {
                    assert_eq!(state.answer(Point::F32(point)).unwrap(), None, "{learner:?}");
                }
                state.show(ExampleId(at as u64), Point::F32(point), *label).unwrap();
            }
        }
        for (learner, state) in &states {
            match state {
                State::Forgetting { tree, .. } => {
                    assert_eq!(tree.n_shown(), 10);
                    // Exact: the tree is the one that the last ten examples alone give.
                    let mut alone = tree_of(&examples[190..], 190);
                    assert_eq!(tree.stored_ids(), alone.stored_ids());
                    alone.remove(ExampleId(190)).unwrap();
                }
                State::Static { tree, .. } => assert_eq!(tree.stored_ids(), tree_of(&examples[..10], 0).stored_ids()),
                State::Renewed { last, .. } => assert_eq!(last.len(), 10),
                State::Majority(counts) => assert_eq!(counts.values().sum::<usize>(), 200),
                _ => assert!(state.n_stored() > 20, "{learner:?}"),
            }
        }
    }

    fn tree_of(examples: &[(Vec<f32>, Label)], first: u64) -> BoundaryTree {
        let mut tree = tree(History::Full).unwrap();
        for (id, (point, label)) in (first..).zip(examples) {
            tree.insert(ExampleId(id), Point::F32(point), *label).unwrap();
        }
        tree
    }
}
