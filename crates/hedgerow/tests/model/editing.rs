//! Examples that their neighbors outvote are never shown: what is left out, what becomes of it, and what is refused.

use std::ops::ControlFlow;

use hedgerow::data::Dataset;
use hedgerow::learn::editing::{agreeing_rows, agreeing_rows_unless};
use hedgerow::{
    Addition, ChangeError, Distance, EditError, ExampleId, FitError, FitEvent, FitOptions, FitParams, History, Label,
    Model, Point, Points, StructureParams, Task,
};
use tempfile::tempdir;

use super::damage::{edit_array, edit_config};
use super::fixtures::{fit, moons, params, structures, unlabeled, values};

const NEIGHBORS: usize = 5;

fn edited(structure: &StructureParams, learned: bool) -> FitParams {
    FitParams { editing: Some(NEIGHBORS), scaling: Some(Vec::new()), ..params(structure, learned) }
}

#[test]
fn the_structure_is_that_of_the_examples_that_are_left() {
    let moons = moons();
    let train = moons.train();
    let left = agreeing_rows(train.points(), train.labels(), NEIGHBORS).unwrap();
    assert!(left.len() < train.len(), "some are outvoted");
    for (name, structure) in structures() {
        let model = fit(&moons, &edited(&structure, false));
        let mut ids: Vec<u64> = model.search().kept_ids().iter().map(|id| id.0).collect();
        ids.sort_unstable();
        assert_eq!(ids, left.iter().map(|row| *row as u64).collect::<Vec<_>>(), "{name}");
        assert_eq!(model.search().n_shown(), left.len(), "{name}");
        assert!(model.is_what_its_history_gives().unwrap(), "{name}");
        assert_eq!(
            (model.params().editing, model.left_out().len()),
            (Some(NEIGHBORS), train.len() - left.len()),
            "{name}"
        );
        // No neighbors outvote anything.
        let all = fit(&moons, &FitParams { editing: Some(0), ..edited(&structure, false) });
        let plain = fit(&moons, &FitParams { editing: None, ..edited(&structure, false) });
        assert_eq!(all.structure(), plain.structure(), "{name}");
        assert_eq!((all.params(), all.left_out()), (plain.params(), &[][..]), "{name}");
    }
}

#[test]
fn neighbors_are_near_by_the_distance_of_the_model() {
    let moons = moons();
    let train = moons.train();
    let left = |distance: &Distance| {
        let mut go_on = |_| ControlFlow::Continue(());
        agreeing_rows_unless(train.points(), train.labels(), NEIGHBORS, distance, &mut go_on).unwrap().unwrap().len()
    };
    let cosine = Distance::Cosine;
    assert_ne!(left(&cosine), left(&Distance::Euclidean));
    let model = fit(&moons, &FitParams { distance: cosine.clone(), ..edited(&StructureParams::tree(), false) });
    assert_eq!(model.search().n_shown(), left(&cosine));
}

#[test]
fn in_a_learned_space_neighbors_are_those_of_that_space() {
    let moons = moons();
    let model = fit(&moons, &edited(&StructureParams::tree(), true));
    let train = moons.train();
    let space = model.transform().unwrap().apply(train.points()).unwrap();
    let left = agreeing_rows(space.view(), train.labels(), NEIGHBORS).unwrap();
    assert_eq!(model.search().n_shown(), left.len());
    assert!(model.metrics().n_shown == left.len() && model.data().n_examples == train.len());
}

#[test]
fn what_was_left_out_stays_out_on_the_disk_too() {
    let folder = tempdir().unwrap();
    let mut model = fit(&moons(), &edited(&StructureParams::tree(), false));
    let kept = model.search().kept_ids();
    let out = (0..160).map(ExampleId).find(|id| !kept.contains(id)).unwrap();
    model.save(folder.path()).unwrap();
    for model in [&mut model, &mut Model::open(folder.path()).unwrap()] {
        let refused = model.remove(out, None);
        assert!(matches!(refused, Err(ChangeError::Edit(EditError::UnknownId { id, .. })) if id == out), "{refused:?}");
        let again = Addition { point: Point::F32(&[0.0, 0.0]), label: Some("0"), id: Some(out), note: None };
        assert!(matches!(model.insert(&[again]), Err(ChangeError::IdOfFit { .. })));
        model.remove(kept[0], None).unwrap();
        assert!(model.is_what_its_history_gives().unwrap());
    }
    let loaded = Model::load(folder.path()).unwrap();
    assert_eq!(loaded.structure(), model.structure());
    assert!(loaded.is_what_its_history_gives().unwrap());
}

#[test]
fn lists_of_what_was_left_out_that_cannot_be_are_refused() {
    let saved = || {
        let folder = tempdir().unwrap();
        fit(&moons(), &edited(&StructureParams::tree(), false)).save(folder.path()).unwrap();
        folder
    };
    let kept = fit(&moons(), &edited(&StructureParams::tree(), false)).search().kept_ids();
    for (what, first) in [("is kept", kept.iter().map(|id| id.0).min().unwrap()), ("must rise", 1 << 40)] {
        let folder = saved();
        edit_array(folder.path(), "editing.left_out", |bytes| bytes[..8].copy_from_slice(&first.to_le_bytes()));
        let error = Model::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains("model.safetensors") && error.contains(what), "{error}");
    }
    let folder = saved();
    edit_config(folder.path(), "/model/params/editing", serde_json::Value::Null);
    let error = Model::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("by config.json nothing was edited"), "{error}");
}

#[test]
fn a_class_of_few_keeps_its_examples() {
    // Two of class 2 among many of class 0.
    let values = [(0..40).map(|x| x as f32 / 10.0).collect::<Vec<_>>(), vec![1.05, 2.05], vec![90.0; 20]].concat();
    let labels = [vec![0; 40], vec![2; 2], vec![1; 20]].concat().into_iter().map(Label::class).collect();
    let data = Dataset::new("few", Points::from_f32(1, values).unwrap(), labels).unwrap();
    let model = fit(&data, &edited(&StructureParams::knn(1), false));
    assert_eq!(model.search().n_shown(), 62);
    let said = model.predict(Points::from_f32(1, vec![1.05]).unwrap().view()).unwrap();
    assert_eq!(said[0].label, Label::class(2));
}

#[test]
fn novelty_is_read_against_what_was_shown() {
    // In one order alone are structures other than k nearest neighbors the same.
    let moons = moons();
    let train = moons.train();
    let left = agreeing_rows(train.points(), train.labels(), NEIGHBORS).unwrap();
    let labels = left.iter().map(|row| train.labels()[*row]).collect();
    let only_left = Dataset::new("left", train.points().select(&left), labels).unwrap();
    let knn = edited(&StructureParams::knn(1), false);
    let plain = fit(&only_left, &FitParams { editing: None, ..knn.clone() });
    let said = |model: &Model| format!("{:?}", model.novelty(train.points()).unwrap());
    assert_eq!(said(&fit(&moons, &knn)), said(&plain));
    // Hart's rule needs the history.
    for (name, structure) in structures().into_iter().filter(|(name, _)| *name != "hart") {
        let model = fit(&moons, &FitParams { history: History::NodesOnly, ..edited(&structure, false) });
        assert_eq!(model.novelty(train.points()).unwrap().len(), 160, "{name}");
    }
}

#[test]
fn tasks_without_classes_are_refused_and_long_ones_can_be_stopped() {
    let fitted = |data: &Dataset, params: &FitParams, stop: bool| {
        let mut hear = |event: &FitEvent<'_>| match event {
            FitEvent::Editing { n_asked: 0, n_examples: 160 } if stop => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        Model::fit(data, params, &FitOptions::default(), &mut hear)
    };
    let tree = edited(&StructureParams::tree(), false);
    // Before anything is learned.
    let learned = FitParams { task: Some(Task::Retrieval), ..edited(&StructureParams::tree(), true) };
    let refused = Model::fit(&moons(), &learned, &FitOptions::default(), &mut |event| panic!("{event:?}"));
    assert!(matches!(refused, Err(FitError::EditingNeedsClasses { .. })));
    let regression = FitParams { task: Some(Task::Regression { epsilon: 0.1 }), ..tree.clone() };
    for (data, params) in [(values(1), &regression), (unlabeled(1), &tree)] {
        let error = fitted(&data, params, false).unwrap_err();
        assert!(matches!(error, FitError::EditingNeedsClasses { .. }), "{error}");
    }
    assert!(matches!(fitted(&moons(), &tree, true), Err(FitError::Stopped { checkpoint: None })));
    assert!(fitted(&moons(), &tree, false).is_ok());
}
