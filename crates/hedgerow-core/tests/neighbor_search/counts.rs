//! Counting and naming.

use super::*;

#[test]
fn ids_are_kept_and_counts_add_up() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(8, 120);
        let mut n_kept = 0;
        for block in [0..2, 2..4, 4..4, 4..5, 5..60, 60..61, 61..120] {
            n_kept += case.structure.show(&data, block.clone());
            let search = case.structure.search();
            assert_eq!(search.n_shown(), block.end, "{name}");
            let distinct = matches!(case.plan, Plan::Forest { initialization: Initialization::DistinctRoots, .. });
            if distinct && block.end == 5 {
                // The first five have just been dealt out as roots, those among them that were redundant before.
                assert_eq!(search.n_stored(), 5, "{name}");
                n_kept = 5;
            }
            if !case.plan.is_hart() {
                // Nothing that was kept goes while examples come. Hart's members may.
                assert_eq!(search.n_stored(), n_kept, "{name}: insert_all says how many of its block were kept");
            }
        }
        let search = case.structure.search();
        let stored = search.stored_ids();
        let rows = stored.iter().map(|id| row_of(*id)).collect::<Vec<_>>();
        assert!(rows.is_sorted_by(|a, b| a < b), "{name}: in the order in which they came");
        assert!(stored.iter().all(|id| data.ids.contains(id)), "{name}");
        assert_eq!(search.n_stored(), stored.len(), "{name}");
        let query = [1.0, 2.0, 3.0];
        let far = to_query(&data, &query);
        for neighbor in case.with_point(&[1, 2, 3], |query| search.k_nearest(query, 200, Effort::FULL)).unwrap() {
            let row = row_of(neighbor.id);
            assert_eq!((neighbor.label, neighbor.distance), (data.labels[row], far(row)), "{name}");
        }
        if let Ok(distances) = search.answer_distances() {
            let expected = if case.plan.is_forest() || matches!(case.plan, Plan::Scan { .. }) { 120 } else { 119 };
            assert_eq!(distances.len(), expected, "{name}");
        }
    }
}

#[test]
fn an_insertion_says_whether_the_example_was_kept() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(9, 80);
        for row in 0..80 {
            let search = case.structure.search_mut();
            let inserted = search.insert(data.ids[row], data.point(row), data.labels[row]).unwrap();
            let is_stored = search.stored_ids().contains(&data.ids[row]);
            assert_eq!(inserted == Insertion::Added, is_stored, "{name}, example {row}");
        }
    }
}

#[test]
fn new_classes_may_appear_at_any_time() {
    for mut case in cases_of(&TASKS[..1]) {
        let (name, kind) = (case.name(), case.kind);
        let data = case.data(10, 60); // coordinates below 6, classes below 4
        case.structure.show(&data, 0..60);
        let search = case.structure.search_mut();
        for id in 0..6 {
            // Far away, and enough of them for every vote of a few neighbors.
            with_point(kind, &[200, 200, 200 + id], |point| {
                search.insert(ExampleId(u64::from(id)), point, Label::class(900)).unwrap();
            });
        }
        with_point(kind, &[210, 210, 210], |query| {
            let nearest = search.k_nearest(query, 1, Effort::FULL).unwrap();
            assert_eq!(nearest[0].label, Label::class(900), "{name}");
            let why = search.explain(query, None).unwrap();
            // A bounded tree may end a walk elsewhere, an unbounded one and the flat ones may not.
            if case.plan.max_children().is_none() && !matches!(case.plan, Plan::Set { n_neighbors: 3, .. }) {
                assert_eq!(why.prediction.label, Label::class(900), "{name}");
                let rival = why.rival.unwrap();
                assert!(rival.class.0 < 4 && rival.margin > 0.0, "{name}");
            }
        });
    }
}
