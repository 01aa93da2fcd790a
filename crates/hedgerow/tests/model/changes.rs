//! Adding, removing and relabelling: what they give is what another history would have given.

use hedgerow::random::SplitMix64;
use hedgerow::{Addition, ChangeError, ExampleId, FitParams, History, Label, Model, Point, StructureParams, Task};

use super::fixtures::{
    add, change_at_random, crowded, fit, flowers, models, moons, params, structures, unlabeled, values,
};

#[test]
fn a_model_is_what_its_history_gives_after_any_changes() {
    for (name, mut model) in models() {
        let mut random = SplitMix64::new(5, 5);
        assert!(model.is_what_its_history_gives().unwrap(), "{name}, as it was fitted");
        for step in 0..25 {
            change_at_random(&mut model, &mut random);
            assert!(model.is_what_its_history_gives().unwrap(), "{name}, seed 5, change {step}");
        }
    }
}

/// Two models that differ in one example of their history.
fn pair(structure: &StructureParams, learned: bool, seed: u64) -> (Model, Model) {
    let model = || fit(&if learned { moons() } else { crowded(seed) }, &params(structure, learned));
    (model(), model())
}

#[test]
fn removing_is_never_having_added() {
    for (name, structure) in structures() {
        for (learned, seed) in [(false, 1), (false, 2), (true, 3)] {
            let (mut with, mut without) = pair(&structure, learned, seed);
            let mut random = SplitMix64::new(seed, 8);
            let mut gone = Vec::new();
            for step in 0..30_u64 {
                let point = [random.below(4) as f32, random.below(4) as f32];
                let label = ["0", "1", "2"][random.below(3)];
                let example = |id| Addition { point: Point::F32(&point), label: Some(label), id, note: None };
                let id = ExampleId(1000 + step);
                with.insert(&[example(Some(id))]).unwrap();
                if step % 3 == 0 {
                    gone.push(id);
                } else {
                    without.insert(&[example(Some(id))]).unwrap();
                }
            }
            for id in gone {
                with.remove(id, None).unwrap();
            }
            assert_eq!(with.structure(), without.structure(), "{name}, learned {learned}, seed {seed}");
        }
    }
}

#[test]
fn relabelling_is_having_added_with_the_other_label() {
    for (name, structure) in structures() {
        for (learned, seed) in [(false, 4), (true, 5)] {
            let (mut model, mut other) = pair(&structure, learned, seed);
            let mut random = SplitMix64::new(seed, 9);
            let mut relabelled = Vec::new();
            for step in 0..30_u64 {
                let point = [random.below(4) as f32, random.below(4) as f32];
                let (label, right) = (["0", "1"][random.below(2)], ["0", "1"][random.below(2)]);
                let id = Some(ExampleId(1000 + step));
                let example = |label| Addition { point: Point::F32(&point), label: Some(label), id, note: None };
                model.insert(&[example(label)]).unwrap();
                other.insert(&[example(right)]).unwrap();
                relabelled.push((ExampleId(1000 + step), right));
            }
            for (id, right) in relabelled {
                model.relabel(id, right, None).unwrap();
            }
            assert_eq!(model.structure(), other.structure(), "{name}, learned {learned}, seed {seed}");
        }
    }
}

#[test]
fn examples_of_the_fit_can_go_too() {
    for (name, structure) in structures() {
        let mut model = fit(&flowers(), &params(&structure, false));
        let n_shown = model.search().n_shown();
        for _ in 0..10 {
            let id = model.search().stored_ids()[1];
            assert!(model.remove(id, None).unwrap().was_stored, "{name}");
            assert!(model.original(id).is_none() && model.search().example(id).is_none(), "{name}");
        }
        assert_eq!(model.search().n_shown(), n_shown - 10, "{name}");
        assert!(model.is_what_its_history_gives().unwrap(), "{name}");
        let point = vec![0.0; model.data().n_features];
        let next = add(&mut model, &point, "rose");
        assert_eq!(next, ExampleId(90), "{name}");
        // A removed one of the fit is not given at all: the new example would be taken for that row.
        let gone = (0..90).map(ExampleId).find(|id| model.search().example(*id).is_none());
        let again = Addition { point: Point::F32(&point), label: Some("rose"), id: gone, note: None };
        assert!(matches!(model.insert(&[again]), Err(ChangeError::IdOfFit { n_rows: 90, .. })), "{name}");
    }
}

#[test]
fn changes_that_cannot_be_are_refused_and_leave_everything_as_it_was() {
    let mut model = fit(&moons(), &params(&StructureParams::tree(), true));
    let before = model.structure().clone();
    let point = [0.5, 0.5];
    let good = Addition { point: Point::F32(&point), label: Some("0"), id: None, note: None };
    let refused = |model: &mut Model, bad: Addition<'_>, words: &[&str]| {
        // A good example before the bad one: all or nothing. The label is new, and must not stay.
        let first = Addition { label: Some("never"), ..good };
        let error = model.insert(&[first, bad]).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert_eq!(model.structure(), &before, "{error}");
        assert_eq!(model.class_names().len(), 2, "{error}");
        assert!(model.history().unwrap().is_empty(), "{error}");
    };
    refused(&mut model, Addition { label: None, ..good }, &["without a label"]);
    refused(&mut model, Addition { label: Some(" "), ..good }, &["without a label"]);
    refused(&mut model, Addition { id: Some(ExampleId(3)), ..good }, &["example 3 already"]);
    refused(&mut model, Addition { id: Some(ExampleId(160)), ..good }, &["160", "twice"]);
    let largest = ExampleId(i64::MAX as u64);
    refused(&mut model, Addition { id: Some(largest), ..good }, &["9223372036854775807", "smaller"]);
    refused(&mut model, Addition { id: Some(ExampleId(u64::MAX)), ..good }, &["18446744073709551615", "smaller"]);
    refused(&mut model, Addition { point: Point::F32(&[1.0]), ..good }, &["1 features", "2"]);
    for bad in [f32::NAN, f32::INFINITY, 1e30] {
        refused(&mut model, Addition { point: Point::F32(&[0.0, bad]), ..good }, &[]);
    }
    let unknown = model.remove(ExampleId(999), None).unwrap_err();
    assert!(matches!(unknown, ChangeError::Edit(_)) && unknown.to_string().contains("999"), "{unknown}");
    assert!(model.relabel(ExampleId(999), "0", None).is_err());
    assert!(model.relabel(ExampleId(1), "", None).unwrap_err().to_string().contains("label"));
    let twice = model.remove_all(&[ExampleId(1), ExampleId(1)], None).unwrap_err().to_string();
    assert!(twice.contains("the id 1 is given twice"), "{twice}");
    assert!(model.remove_all(&[ExampleId(1), ExampleId(999)], None).is_err());
    assert_eq!(model.structure(), &before);
    assert!(model.history().unwrap().is_empty());
    model.insert(&[]).unwrap();
    assert!(model.history().unwrap().is_empty());
}

/// Found by reading: the features were checked, but not what the network made of them; the example was written to the journal, could not be
/// taken in, and the model could not be loaded any more.
#[test]
fn a_representation_that_overflows_is_refused_before_it_is_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model");
    fit(&moons(), &params(&StructureParams::tree(), true)).save(&place).unwrap();
    let mut model = Model::open(&place).unwrap();
    for magnitude in [1e12_f32, 1e17, 1e18, 9e18] {
        let point = [magnitude, -magnitude];
        // Taken in or refused: either way the model is as good as before.
        let _ = model.insert(&[Addition { point: Point::F32(&point), label: Some("0"), id: None, note: None }]);
        Model::load(&place).unwrap_or_else(|error| panic!("{magnitude}: {error}"));
    }
}

#[test]
fn values_and_tags_are_taken_as_the_task_has_it() {
    let regression =
        FitParams { task: Some(Task::Regression { epsilon: 0.1 }), ..params(&StructureParams::tree(), false) };
    let mut model = fit(&values(3), &regression);
    let id = add(&mut model, &[50.0, 50.0], " 7.25 ");
    assert_eq!(model.search().example(id).unwrap().1, Label::Value(7.25));
    let point = [0.0, 0.0];
    for bad in ["high", "NaN", "inf", "1e99"] {
        let addition = Addition { point: Point::F32(&point), label: Some(bad), id: None, note: None };
        let error = model.insert(&[addition]).unwrap_err().to_string();
        assert!(error.contains(bad), "{error}");
    }
    let mut model = fit(&unlabeled(3), &params(&StructureParams::tree(), false));
    let untagged = Addition { point: Point::F32(&point), label: None, id: None, note: None };
    let id = model.insert(&[untagged]).unwrap()[0].id;
    assert_eq!(model.search().example(id).unwrap().1, Label::Unlabeled);
    model.relabel(id, "tag", None).unwrap();
    assert_eq!(model.label_text(model.search().example(id).unwrap().1), "tag");
    // Numbers as labels of a retrieval stay numbers.
    let mut model = fit(&values(3), &FitParams { task: Some(Task::Retrieval), ..regression });
    let id = add(&mut model, &[50.0, 50.0], "7.25");
    assert_eq!(model.search().example(id).unwrap().1, Label::Value(7.25));
}

#[test]
fn without_history_examples_are_added_but_not_edited() {
    for (name, structure) in structures() {
        if name == "hart" || structure.name() == "knn" {
            continue; // they keep everything
        }
        let mut model = fit(&crowded(6), &FitParams { history: History::NodesOnly, ..params(&structure, false) });
        let id = add(&mut model, &[40.0, 40.0], "new");
        for refused in [model.remove(id, None), model.relabel(id, "0", None)] {
            assert!(refused.unwrap_err().to_string().contains("history"), "{name}");
        }
        assert_eq!(model.history().unwrap().len(), 1, "{name}");
        assert!(model.is_what_its_history_gives().unwrap_err().to_string().contains("history"), "{name}");
        let folder = tempfile::tempdir().unwrap();
        model.save(folder.path()).unwrap();
        assert_eq!(Model::load(folder.path()).unwrap().structure(), model.structure(), "{name}");
    }
}

/// Found by reading: nothing compared what a saved model keeps with what its journal says.
#[test]
fn a_saved_model_that_has_not_what_its_journal_says_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let make = || {
        let mut model = fit(&moons(), &params(&StructureParams::knn(1), false));
        add(&mut model, &[4.0, 4.0], "new");
        model.remove(ExampleId(3), None).unwrap();
        model.relabel(ExampleId(5), "new", None).unwrap();
        model.save(folder.path()).unwrap();
        assert!(Model::load(folder.path()).unwrap().is_what_its_history_gives().unwrap());
    };
    let place_of =
        |id: u64| Model::load(folder.path()).unwrap().search().kept_ids().iter().position(|kept| kept.0 == id);
    // The added example as another one, the relabelled one with its old label, a removed one in the place of another.
    for (array, size, id, value) in
        [("ids", 8, 160, 200_u8), ("classes", 4, 5, 0), ("classes", 4, 160, 1), ("ids", 8, 7, 3)]
    {
        make();
        let at = place_of(id).unwrap() * size;
        super::damage::edit_array(folder.path(), &format!("examples.{array}"), |bytes| bytes[at] = value);
        super::damage::edit_config(folder.path(), "/next_id", 300.into());
        let wrong = Model::load(folder.path()).unwrap_or_else(|error| panic!("{array} of {id}: {error}"));
        assert!(!wrong.is_what_its_history_gives().unwrap(), "{array} of {id}");
    }
}

/// Labels of files are read without the spaces around them, and these were not.
#[test]
fn labels_are_taken_without_the_spaces_around_them() {
    let mut model = fit(&moons(), &params(&StructureParams::tree(), false));
    let id = add(&mut model, &[4.0, 4.0], " moonlet\t");
    assert_eq!(model.label_text(model.search().example(id).unwrap().1), "moonlet");
    model.relabel(id, " 1 ", None).unwrap();
    assert_eq!(model.class_names(), ["0", "1", "moonlet"]);
}

#[test]
fn history_tells_what_was_done() {
    let mut model = fit(&moons(), &params(&StructureParams::tree(), false));
    let point = [0.5, 0.25];
    let noted = Addition { point: Point::F32(&point), label: Some("x"), id: None, note: Some("from a user") };
    let id = model.insert(&[noted]).unwrap()[0].id;
    model.relabel(id, "0", None).unwrap();
    model.remove(id, Some("asked to")).unwrap();
    let history = model.history().unwrap();
    let told: Vec<_> = history.iter().map(|e| (e.number, e.change.action(), e.change.id(), e.change.label())).collect();
    assert_eq!(told, [(1, "add", id, Some("x")), (2, "relabel", id, Some("0")), (3, "remove", id, None)]);
    let notes: Vec<_> = history.iter().map(|entry| entry.note.as_deref()).collect();
    assert_eq!(notes, [Some("from a user"), None, Some("asked to")]);
    assert!(history[0].at > 1_600_000_000);
}
