//! Empty and small.

use super::*;

#[test]
fn an_empty_structure_says_so_to_every_question() {
    for case in cases() {
        let search = case.structure.search();
        let name = case.name();
        case.with_point(&[1, 2], |query| {
            assert_eq!(search.nearest(query), Err(QueryError::Empty), "{name}");
            assert_eq!(search.k_nearest(query, 1, Effort::FULL), Err(QueryError::Empty), "{name}");
            assert_eq!(search.voters(query), Err(QueryError::Empty), "{name}");
            assert_eq!(search.traverse(query), Err(QueryError::Empty), "{name}");
            assert_eq!(search.nearest_labelled(query, &|_| true), Err(QueryError::Empty), "{name}");
            assert_eq!(search.predict(query), Err(QueryError::Empty), "{name}");
            assert_eq!(search.explain(query, None), Err(QueryError::Empty), "{name}");
        });
        let some = queries(&case, 2);
        assert_eq!(search.voters_of_all(some.view()), Err(QueryError::Empty), "{name}");
        assert_eq!(search.predict_all(some.view()), Err(QueryError::Empty), "{name}");
        assert_eq!(Calibration::from_queries(search, some.view()), Err(QueryError::Empty), "{name}");
        assert_eq!((search.n_stored(), search.n_shown(), search.width()), (0, 0, None), "{name}");
        assert_eq!(search.stored_ids(), [], "{name}");
        match search.history() {
            History::Full => assert_eq!(search.answer_distances(), Ok(vec![]), "{name}"),
            history => assert_eq!(search.answer_distances(), Err(QueryError::HistoryNeeded { history }), "{name}"),
        }
    }
}

#[test]
fn one_point_answers_everything() {
    for mut case in cases() {
        let name = case.name();
        let label = label(case.task, 2);
        let kind = case.kind;
        let search = case.structure.search_mut();
        let inserted = with_point(kind, &[3, 4], |point| search.insert(ExampleId(9), point, label));
        assert_eq!(inserted, Ok(Insertion::Added), "{name}");
        assert_eq!((search.n_stored(), search.n_shown(), search.width()), (1, 1, Some(2)), "{name}");
        with_point(kind, &[0, 0], |query| {
            let nearest = search.nearest(query).unwrap();
            assert_eq!((nearest.id, nearest.label, nearest.distance), (ExampleId(9), label, 5.0), "{name}");
            assert_eq!(search.k_nearest(query, 3, Effort(0)), Ok(vec![nearest]), "{name}");
            assert_eq!(search.predict(query).unwrap().label, label, "{name}");
            assert_eq!(search.nearest_labelled(query, &|it| it == label), Ok(Some(nearest)), "{name}");
            assert_eq!(search.nearest_labelled(query, &|_| false), Ok(None), "{name}");
            let why = search.explain(query, None).unwrap();
            assert_eq!((why.rival, why.novelty.distance, why.novelty.share_farther), (None, 5.0, None), "{name}");
        });
        if search.history() == History::Full {
            assert_eq!(search.answer_distances(), Ok(vec![]), "{name}");
        }
    }
}

#[test]
fn the_same_point_with_the_same_label_is_redundant() {
    for mut case in cases_of(&[Task::Classification, Task::Regression { epsilon: 0.0 }]) {
        let (name, plan, label) = (case.name(), case.plan, label(case.task, 1));
        let kind = case.kind;
        let search = case.structure.search_mut();
        for id in 0..12 {
            let inserted = with_point(kind, &[5, 5], |point| search.insert(ExampleId(id), point, label)).unwrap();
            // Distinct roots are dealt out once there are as many examples as trees.
            let (is_added, n_stored) = match plan {
                Plan::Forest { initialization: Initialization::DistinctRoots, n_trees, .. } => {
                    let n_trees = n_trees as u64;
                    (id == 0 || id + 1 == n_trees, if id + 1 < n_trees { 1 } else { n_trees })
                }
                Plan::Scan { .. } => (true, id + 1),
                _ => (id == 0, 1),
            };
            let expected = if is_added { Insertion::Added } else { Insertion::Redundant };
            assert_eq!(inserted, expected, "{name}, example {id}");
            assert_eq!(search.n_shown() as u64, id + 1, "{name}");
            assert_eq!(search.n_stored() as u64, n_stored, "{name}");
        }
        with_point(kind, &[5, 6], |query| {
            assert_eq!(search.nearest(query).unwrap().id, ExampleId(0), "{name}: the earliest of equals");
            assert_eq!(search.predict(query).unwrap().label, label, "{name}");
        });
    }
}

#[test]
fn the_same_point_with_two_labels_is_kept_twice_and_the_earlier_answers() {
    for mut case in cases_of(&TASKS[..2]) {
        let (name, plan, kind, task) = (case.name(), case.plan, case.kind, case.task);
        let labels = [label(task, 0), label(task, 3)];
        let search = case.structure.search_mut();
        for (id, label) in labels.into_iter().enumerate() {
            let inserted = with_point(kind, &[5, 5], |point| search.insert(ExampleId(id as u64), point, label));
            assert_eq!(inserted, Ok(Insertion::Added), "{name}");
        }
        assert_eq!(search.n_stored(), 2, "{name}");
        with_point(kind, &[5, 5], |query| {
            let nearest = search.nearest(query).unwrap();
            // A node with one child of at most one is full, so that the walk must go on.
            let expected = u64::from(plan.max_children() == Some(1));
            assert_eq!((nearest.id.0, nearest.distance), (expected, 0.0), "{name}");
            let both = search.k_nearest(query, 5, Effort::FULL).unwrap();
            assert_eq!(both.iter().map(|it| it.id.0).collect::<Vec<_>>(), [0, 1], "{name}");
        });
    }
}

#[test]
fn an_empty_block_changes_nothing() {
    for mut case in cases() {
        let name = case.name();
        let before = case.structure.clone();
        let none = match case.kind {
            PointKind::F32 => Points::from_f32(7, vec![]),
            PointKind::U8 => Points::from_u8(7, vec![]),
        };
        let none = none.unwrap();
        assert_eq!(case.structure.search_mut().insert_all(&Examples::new(none.view(), &[]).unwrap()), Ok(0), "{name}");
        assert_eq!(case.structure.search().width(), None, "{name}");
        let data = case.data(1, 30);
        let (kind, label) = (case.kind, label(case.task, 0));
        let inserted =
            with_point(kind, &[1, 2, 3], |point| case.structure.search_mut().insert(ExampleId(1), point, label));
        assert_eq!(inserted, Ok(Insertion::Added), "{name}: the width is still open");
        case.structure = before;
        case.structure.show(&data, 0..30);
        let before = case.structure.clone();
        assert_eq!(case.structure.search_mut().insert_all(&Examples::new(none.view(), &[]).unwrap()), Ok(0), "{name}");
        assert_eq!(case.structure, before, "{name}");
        assert_eq!(case.structure.search().voters_of_all(none.view()), Ok(vec![]), "{name}");
    }
}
