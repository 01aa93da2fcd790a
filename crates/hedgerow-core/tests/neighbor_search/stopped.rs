//! Blocks that are stopped.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Shows all of the data as one block, to be stopped when it has asked so many times whether to. Gives how often it asked, too.
fn show_unless(structure: &mut Structure, data: &Data, n_times: usize) -> (Option<usize>, usize) {
    let examples = Examples::new(data.view(), &data.labels).unwrap().with_ids(&data.ids).unwrap();
    let n_asked = AtomicUsize::new(0);
    let is_stopped = || n_asked.fetch_add(1, Ordering::Relaxed) >= n_times;
    let n_added = structure.search_mut().insert_all_unless(&examples, &is_stopped).unwrap();
    (n_added, n_asked.into_inner())
}

#[test]
fn a_block_that_is_stopped_leaves_nothing_and_one_that_is_not_is_as_any_other() {
    for plan in PLANS {
        for kind in KINDS {
            // Sets ask after 1024 examples, trees the sooner the smaller they are.
            let data = Data::grid(&mut Random(5), kind, Task::Classification, 2500, 3, 40, 4);
            let empty = || plan.build(Task::Classification, &Distance::Euclidean);
            let mut expected = empty();
            let n_expected = expected.show(&data, 0..data.len());
            let mut structure = empty();
            let (n_added, n_asked) = show_unless(&mut structure, &data, usize::MAX);
            assert_eq!(n_added, Some(n_expected), "{plan:?}, {kind}");
            assert!(structure == expected, "{plan:?}, {kind}");
            assert!(n_asked > 0, "{plan:?}, {kind}");
            for n_times in [0, n_asked / 2, n_asked - 1] {
                let mut structure = empty();
                assert_eq!(show_unless(&mut structure, &data, n_times).0, None, "{plan:?}, {kind}, {n_times}");
                assert!(structure == empty(), "{plan:?}, {kind}, {n_times}");
                structure.show(&data, 0..data.len());
                assert!(structure == expected, "{plan:?}, {kind}, {n_times}");
            }
        }
    }
}

#[test]
fn forests_with_orders_of_their_own_and_sets_until_consistent_ask_within_a_block() {
    let data = Data::grid(&mut Random(6), PointKind::F32, Task::Classification, 6000, 3, 40, 4);
    for plan in PLANS.into_iter().filter(|plan| plan.is_permuted() || plan.is_hart()) {
        let mut structure = plan.build(Task::Classification, &Distance::Euclidean);
        let (_, n_asked) = show_unless(&mut structure, &data, usize::MAX);
        // Each of the four trees, or each pass, more than once.
        assert!(n_asked > 8, "{plan:?}: {n_asked}");
    }
}
