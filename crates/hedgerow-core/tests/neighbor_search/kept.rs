//! What is kept: stored and redundant examples by their ids.

use super::*;

#[test]
fn every_example_kept_can_be_had_by_its_id() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(40, 90);
        assert_eq!(case.structure.search().kept_ids(), [], "{name}");
        assert_eq!(case.structure.search().example(data.ids[0]), None, "{name}");
        for block in [0..3, 3..4, 4..90] {
            case.structure.show(&data, block.clone());
            let search = case.structure.search();
            let kept = search.kept_ids();
            let is_dealing = matches!(case.plan, Plan::Forest { initialization: Initialization::DistinctRoots, n_trees, .. }
                if block.end < n_trees);
            match case.plan.history() {
                History::NodesOnly if !is_dealing => assert_eq!(kept, search.stored_ids(), "{name}"),
                _ => assert_eq!(kept, data.ids[..block.end], "{name}: all, in the order in which they came"),
            }
            for row in 0..90 {
                let id = data.ids[row];
                let expected = kept.contains(&id).then_some((data.point(row), data.labels[row]));
                assert_eq!(search.example(id), expected, "{name}, example {row}");
            }
        }
    }
}

#[test]
fn an_edited_example_is_had_as_it_is_now() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(41, 60);
        case.structure.show(&data, 0..60);
        let search = case.structure.search_mut();
        let kept = search.kept_ids();
        let (gone, changed) = (kept[1], kept[2]);
        search.remove_lossy(gone).unwrap();
        assert_eq!(search.example(gone), None, "{name}");
        assert!(!search.kept_ids().contains(&gone), "{name}");

        if search.kept_ids().contains(&changed) {
            let new_label = label(case.task, 9);
            search.relabel_lossy(changed, new_label).unwrap();
            let expected = (data.point(row_of(changed)), new_label);
            assert_eq!(search.example(changed), Some(expected), "{name}");
        }
    }
}
