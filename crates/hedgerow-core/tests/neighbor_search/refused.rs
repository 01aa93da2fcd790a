//! What is refused.

use super::*;

#[test]
fn points_that_cannot_be_compared_are_refused_and_change_nothing() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(2, 40);
        case.structure.show(&data, 0..40);
        let before = case.structure.clone();
        let (kind, label) = (case.kind, label(case.task, 0));
        let other_kind = if kind == PointKind::F32 { PointKind::U8 } else { PointKind::F32 };
        let wide = PointError::FeatureCount { expected: 3, got: 4 };
        let other = PointError::Kind { expected: kind, got: other_kind };
        let search = case.structure.search_mut();
        for (kind, values, error) in [(kind, &[1, 2, 3, 4][..], wide), (other_kind, &[1, 2, 3], other)] {
            with_point(kind, values, |point| {
                let refused = QueryError::Point(error.clone());
                assert_eq!(search.nearest(point), Err(refused.clone()), "{name}");
                assert_eq!(search.k_nearest(point, 2, Effort(3)).as_ref().err(), Some(&refused), "{name}");
                assert_eq!(search.voters(point).as_ref().err(), Some(&refused), "{name}");
                assert_eq!(search.traverse(point).as_ref().err(), Some(&refused), "{name}");
                assert_eq!(search.predict(point).as_ref().err(), Some(&refused), "{name}");
                assert_eq!(search.explain(point, None).as_ref().err(), Some(&refused), "{name}");
                assert_eq!(search.nearest_labelled(point, &|_| true).as_ref().err(), Some(&refused), "{name}");
                assert_eq!(search.insert(ExampleId(1), point, label), Err(InsertError::Point(error.clone())), "{name}");
            });
            let block =
                Data::new(kind, vec![values.iter().map(|value| f64::from(*value)).collect(); 2], vec![label; 2]);
            let refused = search.voters_of_all(block.view()).unwrap_err();
            assert_eq!(refused, QueryError::Point(error.clone()), "{name}");
            let refused = search.insert_all(&Examples::new(block.view(), &block.labels).unwrap()).unwrap_err();
            assert_eq!(refused, InsertError::Point(error), "{name}");
        }
        assert_eq!(case.structure, before, "{name}");
    }
}

#[test]
fn values_that_are_no_usable_numbers_are_refused_with_their_column() {
    for mut case in cases().into_iter().filter(|case| case.kind == PointKind::F32) {
        let name = case.name();
        let data = case.data(3, 40);
        case.structure.show(&data, 0..40);
        let before = case.structure.clone();
        let label = label(case.task, 0);
        let search = case.structure.search_mut();
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.1e15, -f32::MAX] {
            let values = [0.0, 1.0, bad];
            let asked = search.nearest(Point::F32(&values)).unwrap_err().to_string();
            assert!(asked.contains("column 2"), "{name}: {asked}");
            for error in [
                search.voters(Point::F32(&values)).unwrap_err(),
                search.k_nearest(Point::F32(&values), 1, Effort(0)).unwrap_err(),
                search.traverse(Point::F32(&values)).unwrap_err(),
                search.explain(Point::F32(&values), None).unwrap_err(),
                search.nearest_labelled(Point::F32(&values), &|_| true).unwrap_err(),
            ] {
                assert_eq!(error.to_string(), asked, "{name}");
            }
            let inserted = search.insert(ExampleId(1), Point::F32(&values), label).unwrap_err().to_string();
            assert!(inserted.contains("column 2"), "{name}: {inserted}");
            let block = Points::from_f32(3, vec![0.0, 0.0, 0.0, 0.0, bad, 0.0]).unwrap_err().to_string();
            assert!(block.contains("row 1") && block.contains("column 1"), "{name}: {block}");
        }
        assert_eq!(case.structure, before, "{name}");
    }
}

#[test]
fn zero_neighbors_are_refused() {
    for mut case in cases() {
        let data = case.data(4, 30);
        case.structure.show(&data, 0..30);
        let asked = case.structure.search().k_nearest(data.point(0), 0, Effort::FULL);
        assert_eq!(asked, Err(QueryError::ZeroNeighbors), "{}", case.name());
    }
}

#[test]
fn an_id_in_use_is_refused_and_nothing_of_its_block_is_taken_in() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(5, 60);
        case.structure.show(&data, 0..40);
        let before = case.structure.clone();
        let used = case.structure.search().stored_ids()[0];
        let search = case.structure.search_mut();
        let error = search.insert(used, data.point(41), data.labels[41]).unwrap_err();
        assert_eq!(error, InsertError::DuplicateId { id: used }, "{name}");

        let block = Examples::new(data.view().slice(40..45), &data.labels[40..45]).unwrap();
        let fresh = ExampleId(5);
        for (ids, row, id) in [
            ([1, 2, 3, used.0, 4], 3, used),
            ([1, 2, fresh.0, 3, fresh.0], 4, fresh),
            ([fresh.0, fresh.0, used.0, 3, 4], 1, fresh),
        ] {
            let ids = ids.map(ExampleId);
            let error = search.insert_all(&block.with_ids(&ids).unwrap()).unwrap_err();
            assert_eq!(error, InsertError::Row { row, source: Box::new(InsertError::DuplicateId { id }) }, "{name}");
        }
        assert_eq!(case.structure, before, "{name}");
        let examples = Examples::new(data.view(), &data.labels).unwrap();
        let ids = examples.with_ids(&data.ids[1..]).unwrap_err();
        assert_eq!(ids, PointsError::Count { points: 60, others: 59, what: "ids" });
    }
}

#[test]
fn a_label_that_does_not_fit_the_task_is_refused_and_changes_nothing() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(6, 60);
        case.structure.show(&data, 0..40);
        let before = case.structure.clone();
        let task = case.task;
        let wrong = match task {
            Task::Classification => vec![Label::Value(1.0), Label::Unlabeled, Label::Value(f32::NAN)],
            Task::Regression { .. } => vec![Label::class(1), Label::Unlabeled, Label::Value(f32::INFINITY)],
            _ => vec![Label::Value(f32::NAN)],
        };
        let stored = case.structure.search().stored_ids()[3];
        let search = case.structure.search_mut();
        for label in wrong {
            let expected = match label {
                Label::Value(value) if !value.is_finite() => InsertError::TargetNotFinite { value },
                _ => InsertError::LabelKind { task, label },
            };
            let same = |error: &InsertError| error.to_string() == expected.to_string(); // NaN is not equal to itself
            assert!(same(&search.insert(ExampleId(1), data.point(50), label).unwrap_err()), "{name}");
            let mut labels = data.labels[40..45].to_vec();
            labels[2] = label;
            let block = Examples::new(data.view().slice(40..45), &labels).unwrap();
            match search.insert_all(&block.starting_at(ExampleId(1))).unwrap_err() {
                InsertError::Row { row: 2, source } => assert!(same(&source), "{name}"),
                other => panic!("{name}: {other}"),
            }
            match search.relabel_lossy(stored, label).unwrap_err() {
                EditError::Label(error) => assert!(same(&error), "{name}"),
                other => panic!("{name}: {other}"),
            }
        }
        assert_eq!(case.structure, before, "{name}");
    }
}

#[test]
fn an_unknown_id_cannot_be_edited() {
    for mut case in cases() {
        let name = case.name();
        let (id, label) = (ExampleId(4), label(case.task, 0));
        let data = case.data(7, 40);
        for filled in [false, true] {
            if filled {
                case.structure.show(&data, 0..40);
            }
            let before = case.structure.clone();
            let search = case.structure.search_mut();
            let unknown = Err(EditError::UnknownId { id, history: search.history() });
            assert_eq!(search.remove(id), unknown, "{name}");
            assert_eq!(search.remove_lossy(id), unknown, "{name}");
            assert_eq!(search.relabel(id, label), unknown, "{name}");
            assert_eq!(search.relabel_lossy(id, label), unknown, "{name}");
            assert_eq!(case.structure, before, "{name}");
        }
    }
}

#[test]
fn parameters_that_cannot_work_are_refused() {
    assert_eq!(LinearScanParams::default().n_neighbors(0).build(), Err(ParamError::ZeroNeighbors));
    assert_eq!(BoundarySetParams::default().n_neighbors(0).build(), Err(ParamError::ZeroNeighbors));
    assert_eq!(BoundaryTreeParams::default().max_children(0).build(), Err(ParamError::ZeroChildren));
    assert_eq!(BoundaryForestParams::default().n_trees(0).build(), Err(ParamError::ZeroTrees));
    let tree = BoundaryTreeParams::default().max_children(0);
    assert_eq!(BoundaryForestParams::default().tree(tree).build(), Err(ParamError::ZeroChildren));
    let forgetful = BoundarySetParams::default().passes(Passes::UntilConsistent).history(History::NodesOnly);
    assert_eq!(forgetful.build(), Err(ParamError::PassesNeedHistory { history: History::NodesOnly }));
    for epsilon in [-0.5, f32::NAN, f32::INFINITY] {
        let task = Task::Regression { epsilon };
        assert!(matches!(LinearScanParams::default().task(task).build(), Err(ParamError::Epsilon { .. })));
        assert!(matches!(BoundarySetParams::default().task(task).build(), Err(ParamError::Epsilon { .. })));
        assert!(matches!(BoundaryTreeParams::default().task(task).build(), Err(ParamError::Epsilon { .. })));
    }
}

#[test]
fn closures_over_bytes_are_refused() {
    let distance = Measure::Largest.distance();
    for plan in PLANS {
        let mut structure = plan.build(Task::Classification, &distance);
        let error = structure.search_mut().insert(ExampleId(0), Point::U8(&[1, 2]), Label::class(0)).unwrap_err();
        assert_eq!(error, InsertError::Point(PointError::CustomNeedsF32 { name: "largest".into() }), "{plan:?}");
        assert_eq!(structure, plan.build(Task::Classification, &distance), "{plan:?}");
    }
}
