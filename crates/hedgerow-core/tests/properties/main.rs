//! Random data against the slow versions, and what holds for every order, block, edit, seed and number of threads.
//!
//! Grid points make ties frequent; the sums over them are exact, so that fast and slow must agree to the last tie.

#![allow(clippy::unwrap_used)] // in helpers too, not only in the tests themselves

mod blocks;
mod edits;
mod fast_against_slow;
mod invariants;
mod snapshots;
mod threads;
mod votes;

#[path = "../every_structure/mod.rs"]
mod every_structure;
#[path = "../oracle/mod.rs"]
mod oracle;

use every_structure::{
    PLANS, Plan, Structure, assert_tree_is_slow_tree, forest, nodes_of, show_singly, shown_to, slow_nodes_of,
};
use hedgerow_core::{
    Distance, ExampleId, History, Initialization, Label, NodeId, Passes, Point, PointKind, Task, Vote,
};
use oracle::{Data, Measure, Random, SlowTree, label, row_of};
use proptest::prelude::*;

/// What random data looks like.
#[derive(Debug, Clone, Copy)]
struct Scenario {
    seed: u64,
    n: usize,
    width: usize,
    side: usize,
    n_classes: usize,
    kind: PointKind,
    measure: Measure,
    task: Task,
    max_children: Option<usize>,
}

impl Scenario {
    fn data(&self) -> Data {
        let mut random = Random(self.seed);
        Data::grid(&mut random, self.kind, self.task, self.n, self.width, self.side, self.n_classes)
    }

    fn distance(&self) -> Distance {
        self.measure.distance()
    }
}

fn scenario(most: usize) -> impl Strategy<Value = Scenario> {
    let measures = prop::sample::select(vec![
        Measure::Euclidean,
        Measure::Euclidean,
        Measure::SquaredEuclidean,
        Measure::Manhattan,
        Measure::Cosine,
        Measure::Largest,
        Measure::ShortSighted,
    ]);
    let tasks = prop::sample::select(vec![
        Task::Classification,
        Task::Classification,
        Task::Regression { epsilon: 0.75 },
        Task::Retrieval,
    ]);
    let bounds = prop::sample::select(vec![None, None, Some(1), Some(2), Some(3), Some(7)]);
    let shape = (1..most, 1..8_usize, 2..9_usize, 1..6_usize, any::<bool>());
    (any::<u64>(), shape, measures, tasks, bounds).prop_map(|(seed, shape, measure, task, max_children)| {
        let (n, width, side, n_classes, bytes) = shape;
        let closure = matches!(measure, Measure::Largest | Measure::ShortSighted);
        let kind = if bytes && !closure { PointKind::U8 } else { PointKind::F32 };
        Scenario { seed, n, width, side, n_classes, kind, measure, task, max_children }
    })
}

/// Cuts `0..n` into random blocks, some of them empty or of one.
fn random_blocks(random: &mut Random, n: usize) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < n {
        let size = match random.below(4) {
            0 => 1,
            1 => random.below(4),
            2 => random.below(40),
            _ => random.below(n + 1),
        };
        let end = n.min(start + size);
        blocks.push(start..end);
        start = end;
    }
    blocks
}

fn tree_plan(max_children: Option<usize>, history: History) -> Plan {
    Plan::Tree { max_children, history }
}

fn set_plan(passes: Passes) -> Plan {
    Plan::Set { passes, history: History::Full, n_neighbors: 1 }
}

fn stored_of(structure: &Structure) -> Vec<usize> {
    structure.search().stored_ids().into_iter().map(row_of).collect()
}

fn sorted(mut rows: Vec<usize>) -> Vec<usize> {
    rows.sort_unstable();
    rows
}

/// Each tree of a structure is the slow tree that is shown the same order.
fn assert_trees_are_slow_trees(structure: &Structure, plan: Plan, task: Task, data: &Data, far: &oracle::Far<'_>) {
    for tree in structure.trees() {
        assert_tree_is_slow_tree(&tree, task, plan.max_children(), &shown_to(&tree), data, far);
    }
}

fn cases(n: u32) -> ProptestConfig {
    ProptestConfig { cases: n, failure_persistence: None, ..ProptestConfig::default() }
}
