//! Blocks.

use super::*;

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
