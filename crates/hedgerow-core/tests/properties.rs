//! Random data against the slow versions, and what holds for every order, block, edit, seed and number of threads.
//!
//! Grid points make ties frequent; the sums over them are exact, so that fast and slow must agree to the last tie.

#![allow(clippy::unwrap_used)] // in helpers too, not only in the tests themselves

mod every_structure;
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

// --- Fast against slow ---

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn a_tree_is_the_slow_tree(case in scenario(300), singly in any::<bool>()) {
        let data = case.data();
        let plan = tree_plan(case.max_children, History::Full);
        let mut structure = plan.build(case.task, &case.distance());
        match singly {
            true => show_singly(structure.search_mut(), &data, 0..case.n),
            false => drop(structure.show(&data, 0..case.n)),
        }
        let order = (0..case.n).collect::<Vec<_>>();
        let far = data.far(case.measure);
        prop_assert_eq!(&shown_to(&structure.trees()[0]), &order);
        assert_tree_is_slow_tree(&structure.trees()[0], case.task, case.max_children, &order, &data, &far);
    }

    #[test]
    fn a_set_is_the_slow_set(case in scenario(250), singly in any::<bool>()) {
        let data = case.data();
        let order = (0..case.n).collect::<Vec<_>>();
        let far = data.far(case.measure);
        let one = oracle::one_pass(case.task, &order, &data.labels, &far);
        let hart = oracle::hart(case.task, &order, &data.labels, &far);
        prop_assert_eq!(&hart[..one.len()], &one[..]);
        for (passes, members) in [(Passes::One, one), (Passes::UntilConsistent, hart)] {
            let mut structure = set_plan(passes).build(case.task, &case.distance());
            match singly {
                true => show_singly(structure.search_mut(), &data, 0..case.n),
                false => drop(structure.show(&data, 0..case.n)),
            }
            prop_assert_eq!(stored_of(&structure), sorted(members.clone()));
            // Ties go to the member added earlier.
            for query in 0..case.n.min(20) {
                let to_query = |row: usize| far(query, row);
                let found = structure.search().k_nearest(data.point(query), 4, Default::default()).unwrap();
                let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
                prop_assert_eq!(found, oracle::k_nearest(4, &members, &to_query));
            }
        }
    }

    #[test]
    fn the_trees_of_a_forest_are_slow_trees_and_their_answers_vote(case in scenario(200), n_trees in 1..12_usize) {
        let data = case.data();
        let far = data.far(case.measure);
        for initialization in [Initialization::DistinctRoots, Initialization::Permuted] {
            let plan = forest(initialization, n_trees, case.max_children, History::Full, Vote::Shepard);
            let mut structure = plan.build(case.task, &case.distance());
            structure.show(&data, 0..case.n);
            assert_trees_are_slow_trees(&structure, plan, case.task, &data, &far);
            for (number, tree) in structure.trees().iter().enumerate() {
                let order = shown_to(tree);
                prop_assert_eq!(sorted(order.clone()), (0..case.n).collect::<Vec<_>>());
                if initialization == Initialization::DistinctRoots {
                    // Dealt out once there are as many examples as trees; alike, in the order given, before.
                    let n_rooted = if case.n < n_trees { 0 } else { n_trees };
                    prop_assert_eq!(order[0], if n_rooted == 0 { 0 } else { number });
                    prop_assert_eq!(&order[n_rooted..], &(n_rooted..case.n).collect::<Vec<_>>()[..]);
                }
            }
            let mut stored = structure.trees().iter().flat_map(nodes_of).map(|node| node.0).collect::<Vec<_>>();
            stored.sort_unstable();
            stored.dedup();
            prop_assert_eq!(stored_of(&structure), stored);
        }
    }

    #[test]
    fn a_scan_is_the_slow_search(case in scenario(300), k in 1..12_usize, n_queries in 1..30_usize) {
        let data = case.data();
        let plan = Plan::Scan { n_neighbors: k, vote: Vote::Majority };
        let mut structure = plan.build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        let all = (0..case.n).collect::<Vec<_>>();
        let asked = Scenario { seed: case.seed ^ 1, n: n_queries, ..case }.data();
        let many = structure.search().voters_of_all(asked.view()).unwrap();
        for (query, together) in many.iter().enumerate() {
            let to_query = |row: usize| case.measure.between(&asked.rows[query], &data.rows[row]);
            let expected = oracle::k_nearest(k, &all, &to_query);
            for found in [together, &structure.search().voters(asked.point(query)).unwrap()] {
                let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn trees_and_sets_of_real_numbers_are_the_slow_ones(
        seed in any::<u64>(), n in 1..250_usize, width in 1..8_usize, exponent in -8..8_i32,
    ) {
        let mut random = Random(seed);
        let scale = 10_f64.powi(exponent);
        let mut row = || (0..width).map(|_| f64::from((random.unit() * scale) as f32)).collect::<Vec<_>>();
        let rows = (0..n).map(|_| row()).collect::<Vec<_>>();
        let class = |row: &Vec<f64>| Label::class(row.iter().filter(|value| **value > 0.0).count() as u32);
        let labels = rows.iter().map(class).collect();
        let data = Data::new(PointKind::F32, rows, labels);
        let order = (0..n).collect::<Vec<_>>();
        for measure in [Measure::Euclidean, Measure::Manhattan, Measure::Cosine, Measure::SquaredEuclidean] {
            let distance = measure.distance();
            let far = data.far_by(&distance);
            for max_children in [None, Some(2)] {
                let mut tree = tree_plan(max_children, History::Full).build(Task::Classification, &distance);
                tree.show(&data, 0..n);
                let order = shown_to(&tree.trees()[0]);
                assert_tree_is_slow_tree(
                    &tree.trees()[0], Task::Classification, max_children, &order, &data, &far);
            }
            let mut set = set_plan(Passes::UntilConsistent).build(Task::Classification, &distance);
            set.show(&data, 0..n);
            let members = oracle::hart(Task::Classification, &order, &data.labels, &far);
            prop_assert_eq!(stored_of(&set), sorted(members));
        }
    }

    #[test]
    fn large_trees_are_slow_trees(case in scenario(2), n in 1000..3000_usize, side in 4..60_usize) {
        let case = Scenario { n, side, n_classes: 4, width: 2, ..case };
        let data = case.data();
        let far = data.far(case.measure);
        let plan = tree_plan(case.max_children, History::Full);
        // A chain of thousands would take the slow version minutes.
        prop_assume!(case.max_children != Some(1) && case.measure != Measure::ShortSighted);
        let mut structure = plan.build(case.task, &case.distance());
        let mut random = Random(case.seed);
        for block in random_blocks(&mut random, n) {
            structure.show(&data, block);
        }
        assert_trees_are_slow_trees(&structure, plan, case.task, &data, &far);
        let asked = Scenario { seed: case.seed ^ 1, n: 600, ..case }.data();
        let slow = SlowTree::grown(case.task, case.max_children, 0..n, &data.labels, &far);
        for (query, voters) in structure.search().voters_of_all(asked.view()).unwrap().iter().enumerate() {
            let expected = slow.answer(&|row| case.measure.between(&asked.rows[query], &data.rows[row]));
            prop_assert_eq!(row_of(voters[0].id), expected);
        }
    }
}

// --- Invariants ---

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn connected_nodes_differ_and_children_are_bounded(case in scenario(300)) {
        let data = case.data();
        let mut structure = tree_plan(case.max_children, History::NodesOnly).build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        let tree = structure.trees()[0];
        for node in tree.nodes() {
            let n_children = tree.children(node).count();
            prop_assert!(case.max_children.is_none_or(|most| n_children <= most));
            let Some(parent) = tree.parent(node) else {
                prop_assert_eq!(node, NodeId(0));
                continue;
            };
            prop_assert!(parent < node);
            prop_assert!(tree.children(parent).any(|child| child == node));
            prop_assert_eq!(tree.siblings(node).count() + 1, tree.children(parent).count());
            prop_assert_eq!(tree.depth(node), tree.depth(parent) + 1);
            prop_assert!(oracle::is_kept(case.task, tree.label(parent), tree.label(node)));
        }
    }

    #[test]
    fn the_distance_falls_along_a_walk_through_an_unbounded_tree(case in scenario(300)) {
        let data = case.data();
        let mut structure = tree_plan(None, History::Full).build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        let asked = Scenario { seed: case.seed ^ 1, n: 10, ..case }.data();
        for query in 0..asked.len() {
            let walk = &structure.search().traverse(asked.point(query)).unwrap()[0];
            let distances = walk.path().map(|at| at.neighbor.distance).collect::<Vec<_>>();
            prop_assert!(distances.is_sorted_by(|a, b| a > b), "{:?}", distances);
        }
    }

    #[test]
    fn a_consistent_set_answers_all_it_was_shown(case in scenario(200)) {
        let case = Scenario { task: Task::Classification, ..case };
        let mut data = case.data();
        // No point with two labels: the label goes by the point. (Cosine takes points of one direction for the same.)
        prop_assume!(!matches!(case.measure, Measure::Cosine | Measure::ShortSighted));
        let far = data.far(case.measure);
        let first_like = |row: usize| (0..=row).find(|other| far(row, *other) == 0.0).unwrap_or(row);
        let labels = (0..case.n).map(|row| data.labels[first_like(row)]).collect::<Vec<_>>();
        drop(far);
        data.labels = labels;
        let mut structure = set_plan(Passes::UntilConsistent).build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        for (row, prediction) in structure.search().predict_all(data.view()).unwrap().iter().enumerate() {
            prop_assert_eq!(prediction.label, data.labels[row]);
        }
        prop_assert!(stored_of(&structure).iter().all(|row| *row < case.n));
    }
}

// --- Blocks ---

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn blocks_make_the_same_structure_as_one_by_one(case in scenario(250)) {
        let data = case.data();
        let far = data.far(case.measure);
        for plan in PLANS {
            let distance = case.distance();
            let mut random = Random(case.seed);
            let mut by_blocks = plan.build(case.task, &distance);
            for block in random_blocks(&mut random, case.n) {
                by_blocks.show(&data, block);
            }
            if plan.is_permuted() {
                assert_permuted(&by_blocks, plan, &case, &data, &far);
                continue;
            }
            let mut singly = plan.build(case.task, &distance);
            show_singly(singly.search_mut(), &data, 0..case.n);
            assert!(by_blocks == singly, "{plan:?}");
            let mut at_once = plan.build(case.task, &distance);
            at_once.show(&data, 0..case.n);
            assert!(at_once == singly, "{plan:?}");
        }
    }
}

/// The trees of a forest whose blocks were permuted: slow trees, each shown everything.
fn assert_permuted(structure: &Structure, plan: Plan, case: &Scenario, data: &Data, far: &oracle::Far<'_>) {
    assert_eq!(structure.search().n_shown(), case.n);
    if plan.history() == History::Full {
        assert_trees_are_slow_trees(structure, plan, case.task, data, far);
        for tree in structure.trees() {
            assert_eq!(sorted(shown_to(&tree)), (0..case.n).collect::<Vec<_>>());
        }
    }
}

#[test]
fn long_streams_without_history_are_taken_in_as_one_by_one() {
    // More than one internal block of 8192.
    for kind in [PointKind::F32, PointKind::U8] {
        let data = Data::grid(&mut Random(3), kind, Task::Classification, 9000, 2, 40, 3);
        for plan in [
            Plan::Set { passes: Passes::One, history: History::NodesOnly, n_neighbors: 1 },
            tree_plan(None, History::NodesOnly),
            forest(Initialization::DistinctRoots, 4, Some(5), History::NodesOnly, Vote::Shepard),
        ] {
            let mut at_once = plan.build(Task::Classification, &Distance::Euclidean);
            at_once.show(&data, 0..9000);
            let mut singly = plan.build(Task::Classification, &Distance::Euclidean);
            show_singly(singly.search_mut(), &data, 0..9000);
            assert!(at_once == singly, "{plan:?}");
        }
    }
}

#[test]
fn more_queries_than_fit_a_block_are_answered_in_their_order() {
    let data = Data::grid(&mut Random(4), PointKind::U8, Task::Classification, 60, 1, 250, 3);
    let asked = Data::grid(&mut Random(5), PointKind::U8, Task::Classification, 17_000, 1, 250, 3);
    for plan in [PLANS[0], PLANS[2], PLANS[6], PLANS[12]] {
        let mut structure = plan.build(Task::Classification, &Distance::Euclidean);
        structure.show(&data, 0..60);
        let many = structure.search().voters_of_all(asked.view()).unwrap();
        assert_eq!(many.len(), 17_000, "{plan:?}");
        for query in (0..17_000).step_by(97).chain(16_380..16_390) {
            assert_eq!(many[query], structure.search().voters(asked.point(query)).unwrap(), "{plan:?}");
        }
    }
}

// --- Edits ---

/// One random edit.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Remove(usize),
    Relabel(usize, Label),
}

/// Random edits of examples that are still there; the root and stored ones are as likely as redundant ones.
fn random_edit(random: &mut Random, structure: &Structure, left: &[usize], case: &Scenario) -> Edit {
    let stored = stored_of(structure);
    let row = match random.below(4) {
        0 => left[0],
        1 => stored[random.below(stored.len())],
        _ => left[random.below(left.len())],
    };
    match random.below(2) {
        0 => Edit::Remove(row),
        _ => Edit::Relabel(row, label(case.task, random.below(case.n_classes + 1))),
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn exact_edits_make_what_the_edited_history_would_have_built(case in scenario(120), n_edits in 1..12_usize) {
        for plan in PLANS.into_iter().filter(|plan| plan.history() == History::Full) {
            let distance = case.distance();
            let mut data = case.data();
            let mut random = Random(case.seed ^ 2);
            let mut structure = plan.build(case.task, &distance);
            for block in random_blocks(&mut random, case.n) {
                structure.show(&data, block);
            }
            let mut left = (0..case.n).collect::<Vec<_>>();
            for _ in 0..n_edits.min(case.n) {
                let orders = structure.trees().iter().map(shown_to).collect::<Vec<_>>();
                let edit = random_edit(&mut random, &structure, &left, &case);
                let search = structure.search_mut();
                match edit {
                    Edit::Remove(row) => {
                        search.remove(data.ids[row]).unwrap();
                        left.retain(|other| *other != row);
                    }
                    Edit::Relabel(row, label) => {
                        search.relabel(data.ids[row], label).unwrap();
                        data.labels[row] = label;
                    }
                }
                prop_assert_eq!(structure.search().n_shown(), left.len());
                let far = data.far(case.measure);
                if plan.is_forest() {
                    for (tree, mut order) in structure.trees().into_iter().zip(orders) {
                        // Until there are as many examples as trees, their orders are drawn anew.
                        if case.n >= 5 || plan.is_permuted() {
                            order.retain(|row| left.contains(row));
                            prop_assert_eq!(shown_to(&tree), order);
                        }
                    }
                    assert_trees_are_slow_trees(&structure, plan, case.task, &data, &far);
                } else {
                    let mut fresh = plan.build(case.task, &distance);
                    for &row in &left {
                        fresh.search_mut().insert(data.ids[row], data.point(row), data.labels[row]).unwrap();
                    }
                    assert!(structure == fresh, "{plan:?} after {edit:?}");
                }
                if left.is_empty() {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_forest_still_dealing_out_roots_is_edited_as_one_freshly_built(case in scenario(9), n_edits in 1..8_usize) {
        for history in [History::Full, History::NodesOnly] {
            let plan = forest(Initialization::DistinctRoots, 10, case.max_children, history, Vote::Shepard);
            let mut data = case.data();
            let mut random = Random(case.seed);
            let distance = case.distance();
            let mut structure = plan.build(case.task, &distance);
            structure.show(&data, 0..case.n);
            let mut left = (0..case.n).collect::<Vec<_>>();
            for _ in 0..n_edits.min(case.n) {
                match random_edit(&mut random, &structure, &left, &case) {
                    Edit::Remove(row) => {
                        structure.search_mut().remove_lossy(data.ids[row]).unwrap();
                        left.retain(|other| *other != row);
                    }
                    Edit::Relabel(row, label) => {
                        structure.search_mut().relabel_lossy(data.ids[row], label).unwrap();
                        data.labels[row] = label;
                    }
                }
                let mut fresh = plan.build(case.task, &distance);
                for &row in &left {
                    fresh.search_mut().insert(data.ids[row], data.point(row), data.labels[row]).unwrap();
                }
                assert!(structure == fresh, "{history}");
                if left.is_empty() {
                    break;
                }
            }
        }
    }

    #[test]
    fn removing_everything_in_any_order_is_exact_all_the_way(case in scenario(50)) {
        for plan in PLANS.into_iter().filter(|plan| plan.history() == History::Full) {
            let data = case.data();
            let distance = case.distance();
            let mut random = Random(case.seed ^ 3);
            let mut structure = plan.build(case.task, &distance);
            structure.show(&data, 0..case.n);
            let mut left = (0..case.n).collect::<Vec<_>>();
            while !left.is_empty() {
                let row = left.remove(random.below(left.len()));
                structure.search_mut().remove(data.ids[row]).unwrap();
                if plan.is_forest() {
                    assert_trees_are_slow_trees(&structure, plan, case.task, &data, &data.far(case.measure));
                } else if left.len() % 4 == 0 {
                    let mut fresh = plan.build(case.task, &distance);
                    for &row in &left {
                        fresh.search_mut().insert(data.ids[row], data.point(row), data.labels[row]).unwrap();
                    }
                    assert!(structure == fresh, "{plan:?} with {} left", left.len());
                }
                prop_assert_eq!(structure.search().n_shown(), left.len());
            }
            prop_assert_eq!(structure.search().n_stored(), 0);
        }
    }

    #[test]
    fn lossy_edits_make_what_the_stored_examples_alone_would_have_built(case in scenario(150), n_edits in 1..10_usize) {
        for plan in PLANS.into_iter().filter(|plan| plan.history() == History::NodesOnly && !plan.is_forest()) {
            let mut data = case.data();
            let mut random = Random(case.seed ^ 4);
            let mut structure = plan.build(case.task, &case.distance());
            structure.show(&data, 0..case.n);
            for _ in 0..n_edits {
                let mut order = stored_of(&structure);
                if order.is_empty() {
                    break;
                }
                match random_edit(&mut random, &structure, &order, &case) {
                    Edit::Remove(row) => {
                        structure.search_mut().remove_lossy(data.ids[row]).unwrap();
                        order.retain(|other| *other != row);
                    }
                    Edit::Relabel(row, label) => {
                        structure.search_mut().relabel_lossy(data.ids[row], label).unwrap();
                        // The label that it has already changes nothing, so that nothing is replayed.
                        data.labels[row] = label;
                    }
                }
                let far = data.far(case.measure);
                match structure.trees().as_slice() {
                    [tree] => {
                        let slow = SlowTree::grown(case.task, plan.max_children(), order, &data.labels, &far);
                        prop_assert_eq!(nodes_of(tree), slow_nodes_of(&slow));
                    }
                    _ => prop_assert_eq!(stored_of(&structure), oracle::one_pass(case.task, &order, &data.labels, &far)),
                }
            }
        }
    }

    #[test]
    fn examples_inserted_after_edits_are_taken_in_as_by_a_fresh_structure(case in scenario(120)) {
        for plan in PLANS.into_iter().filter(|plan| plan.history() == History::Full && !plan.is_forest()) {
            let data = case.data();
            let distance = case.distance();
            let half = case.n / 2;
            let mut random = Random(case.seed ^ 5);
            let mut structure = plan.build(case.task, &distance);
            structure.show(&data, 0..half);
            let gone = (0..half).filter(|_| random.below(3) == 0).collect::<Vec<_>>();
            for row in &gone {
                structure.search_mut().remove(data.ids[*row]).unwrap();
            }
            structure.show(&data, half..case.n);
            let mut fresh = plan.build(case.task, &distance);
            for row in (0..case.n).filter(|row| !gone.contains(row)) {
                fresh.search_mut().insert(data.ids[row], data.point(row), data.labels[row]).unwrap();
            }
            assert!(structure == fresh, "{plan:?}");
        }
    }
}

// --- Threads and seeds ---

#[test]
fn the_number_of_threads_does_not_matter() {
    let pools = [1, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for kind in [PointKind::F32, PointKind::U8] {
        for measure in [Measure::Euclidean, Measure::Manhattan] {
            let data = Data::grid(&mut Random(6), kind, Task::Classification, 1500, 3, 12, 4);
            let asked = Data::grid(&mut Random(7), kind, Task::Classification, 700, 3, 12, 4);
            for plan in PLANS {
                let run = || {
                    let mut structure = plan.build(Task::Classification, &measure.distance());
                    structure.show(&data, 0..1200);
                    for row in (0..1200).step_by(301) {
                        let id = structure_id(&structure, row);
                        structure.search_mut().remove_lossy(id).unwrap();
                    }
                    structure.show(&data, 1200..1500);
                    let voters = structure.search().voters_of_all(asked.view()).unwrap();
                    let distances = structure.search().answer_distances();
                    (structure, voters, distances)
                };
                let [one, four] = [&pools[0], &pools[1]].map(|pool| pool.install(run));
                assert!(one == four, "{plan:?}");
            }
        }
    }
}

/// A stored example, picked by a number.
fn structure_id(structure: &Structure, number: usize) -> ExampleId {
    let stored = structure.search().stored_ids();
    stored[number % stored.len()]
}

#[test]
fn a_forest_is_a_function_of_its_seed() {
    let data = Data::grid(&mut Random(8), PointKind::F32, Task::Classification, 300, 3, 9, 4);
    for initialization in [Initialization::DistinctRoots, Initialization::Permuted] {
        let plan = forest(initialization, 6, None, History::Full, Vote::Shepard);
        let grown = |seed: u64| {
            let mut structure = plan.seeded(Task::Classification, &Distance::Euclidean, seed);
            structure.show(&data, 0..300);
            structure
        };
        assert!(grown(1) == grown(1));
        let orders = |structure: &Structure| structure.trees().iter().map(shown_to).collect::<Vec<_>>();
        assert_ne!(orders(&grown(1)), orders(&grown(2)), "{initialization:?}");
        let of_one = orders(&grown(1));
        assert!((1..6).all(|tree| of_one[tree] != of_one[0]), "{initialization:?}: the trees differ");
    }
}

// --- Votes ---

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn votes_are_the_slow_votes(
        voters in prop::collection::vec((0..4_u32, 0..6_u32), 1..9),
        vote in prop::sample::select(vec![Vote::Nearest, Vote::Majority, Vote::Shepard]),
    ) {
        let neighbor = |(place, (class, distance)): (usize, &(u32, u32))| hedgerow_core::Neighbor {
            id: ExampleId(place as u64), label: Label::class(*class), distance: f64::from(*distance),
        };
        let neighbors = voters.iter().enumerate().map(neighbor).collect::<Vec<_>>();
        let plain = neighbors.iter().map(|it| (it.label, it.distance)).collect::<Vec<_>>();
        let found = vote.decide(Task::Classification, &neighbors);
        let shares = oracle::shares(vote, &plain);
        prop_assert_eq!(found.shares.len(), shares.len());
        let share_of = |label: Label| shares.iter().find(|share| share.0 == label).unwrap().1;
        let nearest_of = |label: Label| {
            plain.iter().filter(|it| it.0 == label).map(|it| it.1).fold(f64::INFINITY, f64::min)
        };
        for pair in found.shares.windows(2) {
            let [first, second] = [pair[0], pair[1]].map(|share| Label::Class(share.class));
            prop_assert!(share_of(first) >= share_of(second) - 1e-12);
            if vote == Vote::Majority && pair[0].share == pair[1].share {
                prop_assert!(nearest_of(first) <= nearest_of(second), "equal shares stand in the order of nearness");
            }
        }
        if vote == Vote::Nearest {
            let least = plain.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
            prop_assert_eq!(found.label, plain.iter().find(|it| it.1 == least).unwrap().0);
        }
    }
}

#[test]
fn a_scan_over_many_narrow_points_with_many_ties_is_the_slow_search() {
    // Enough queries and rows for several blocks of the matrix product.
    let data = Data::grid(&mut Random(9), PointKind::F32, Task::Classification, 900, 4, 5, 3);
    let asked = Data::grid(&mut Random(10), PointKind::F32, Task::Classification, 300, 4, 6, 3);
    let all = (0..900).collect::<Vec<_>>();
    for k in [1, 7] {
        let mut scan =
            Plan::Scan { n_neighbors: k, vote: Vote::Majority }.build(Task::Classification, &Distance::Euclidean);
        scan.show(&data, 0..900);
        for (query, found) in scan.search().voters_of_all(asked.view()).unwrap().iter().enumerate() {
            let to_query = |row: usize| Measure::Euclidean.between(&asked.rows[query], &data.rows[row]);
            let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
            assert_eq!(found, oracle::k_nearest(k, &all, &to_query), "query {query}");
        }
    }
}

#[test]
fn distances_between_grid_points_are_the_naive_ones() {
    let data = Data::grid(&mut Random(12), PointKind::F32, Task::Retrieval, 60, 5, 9, 3);
    for measure in
        [Measure::Euclidean, Measure::SquaredEuclidean, Measure::Manhattan, Measure::Cosine, Measure::Largest]
    {
        let distance = measure.distance();
        let (fast, slow) = (data.far_by(&distance), data.far(measure));
        for (a, b) in (0..60).flat_map(|a| (0..60).map(move |b| (a, b))) {
            assert_eq!(fast(a, b), slow(a, b), "{measure:?}");
            assert_eq!(fast(a, b), fast(b, a), "{measure:?}");
        }
    }
    assert!(Distance::Euclidean.between(Point::F32(&[f32::NAN]), Point::F32(&[1.0])).is_err());
}
