//! Snapshots.

use super::*;

/// Plans beyond the usual ones: forests that wait for more examples than come, and ones large enough for sketches.
const MORE_PLANS: [Plan; 4] = [
    forest(Initialization::DistinctRoots, 30, Some(2), History::Full, Vote::Shepard),
    forest(Initialization::DistinctRoots, 30, None, History::NodesOnly, Vote::Shepard),
    forest(Initialization::DistinctRoots, 1, Some(1), History::NodesOnly, Vote::Shepard),
    forest(Initialization::Permuted, 9, Some(1), History::Full, Vote::Majority),
];

/// A change to a structure.
#[derive(Debug, Clone)]
enum Change {
    Show(std::ops::Range<usize>),
    Remove(ExampleId),
    Relabel(ExampleId, Label),
    RemoveAll,
}

fn random_change(random: &mut Random, structure: &Structure, next: &mut usize, case: &Scenario) -> Change {
    let kept = structure.search().kept_ids();
    let left = case.n - *next;
    match random.below(if kept.is_empty() { 1 } else { 12 }) {
        0..4 => {
            let size = if random.below(2) == 0 { 1 } else { random.below(left + 1) };
            let rows = *next..case.n.min(*next + size);
            *next = rows.end;
            Change::Show(rows)
        }
        4..8 => Change::Remove(kept[random.below(kept.len())]),
        8..11 => Change::Relabel(kept[random.below(kept.len())], label(case.task, random.below(case.n_classes + 1))),
        _ if random.below(4) == 0 => Change::RemoveAll,
        _ => Change::Remove(kept[0]),
    }
}

/// Applies a change; gives what was said about it.
fn apply(structure: &mut Structure, data: &Data, change: &Change) -> String {
    let search = structure.search_mut();
    match change {
        Change::Show(rows) => structure.show(data, rows.clone()).to_string(),
        Change::Remove(id) => format!("{:?} {:?}", search.remove(*id), search.remove_lossy(*id)),
        Change::Relabel(id, label) => {
            format!("{:?} {:?}", search.relabel(*id, *label), search.relabel_lossy(*id, *label))
        }
        Change::RemoveAll => {
            while let Some(id) = search.kept_ids().pop() {
                search.remove_lossy(id).unwrap();
            }
            search.n_shown().to_string()
        }
    }
}

/// What a structure answers, to the last bit.
fn answers(structure: &Structure, data: &Data) -> String {
    let search = structure.search();
    let rows = 0..data.len().min(5);
    let explained = rows.clone().map(|row| search.explain(data.point(row), None)).collect::<Vec<_>>();
    let walks = rows.map(|row| search.traverse(data.point(row))).collect::<Vec<_>>();
    let voters = search.voters_of_all(data.view());
    format!("{explained:?} {walks:?} {voters:?} {:?} {:?}", search.answer_distances(), search.stored_ids())
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_restored_structure_is_the_original_and_goes_on_as_it_does(case in scenario(60), n_changes in 1..20_usize) {
        for plan in PLANS.into_iter().chain(MORE_PLANS) {
            let (data, distance) = (case.data(), case.distance());
            let mut random = Random(case.seed ^ 6);
            let mut structure = plan.build(case.task, &distance);
            let mut next = 0;
            for _ in 0..n_changes {
                let snapshot = structure.snapshot();
                let mut restored = plan.restore(case.task, &distance, snapshot.clone()).unwrap();
                assert!(restored == structure, "{plan:?}");
                prop_assert_eq!(restored.snapshot(), snapshot);
                prop_assert_eq!(answers(&restored, &data), answers(&structure, &data));

                let change = random_change(&mut random, &structure, &mut next, &case);
                let said = apply(&mut structure, &data, &change);
                prop_assert_eq!(apply(&mut restored, &data, &change), said);
                assert!(restored == structure, "{plan:?} after {change:?}");
            }
        }
    }
}
