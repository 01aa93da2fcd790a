//! Edits.

use super::*;

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
