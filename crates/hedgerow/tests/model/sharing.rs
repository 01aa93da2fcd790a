//! Several programs, or threads, at one folder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hedgerow::{ChangeError, JournalError, Model, RecordedEvaluation, SaveError, StructureParams};
use tempfile::tempdir;

use super::fixtures::{add, crowded, files, fit, moons, params};

#[test]
fn two_that_have_a_model_open_see_what_the_other_did() {
    for learned in [false, true] {
        let folder = tempdir().unwrap();
        fit(&moons(), &params(&StructureParams::tree(), learned)).save(folder.path()).unwrap();
        let (mut one, mut two) = (Model::open(folder.path()).unwrap(), Model::open(folder.path()).unwrap());
        let a = add(&mut one, &[3.0, 3.0], "new");
        let b = add(&mut two, &[-3.0, 3.0], "newer");
        assert_eq!(b.0, a.0 + 1);
        one.relabel(b, "0", None).unwrap();
        two.remove(a, None).unwrap();
        let c = add(&mut one, &[3.0, -3.0], "1");
        assert_eq!(one.history().unwrap().len(), 5);
        assert_eq!(c.0, b.0 + 1);
        // The last to change knows everything; the other does after its next change.
        assert_eq!(Model::load(folder.path()).unwrap().structure(), one.structure());
        two.relabel(c, "new", None).unwrap();
        assert_eq!(Model::load(folder.path()).unwrap().structure(), two.structure());
        assert_eq!(two.class_names(), ["0", "1", "new", "newer"]);
        // Something that the other has removed is not there.
        one.remove(b, None).unwrap();
        assert!(matches!(two.remove(b, None), Err(ChangeError::Edit(_))));
    }
}

/// Found by running it: whoever came second had seen fewer entries than there were, and was refused.
#[test]
fn many_at_once_all_succeed() {
    const N_THREADS: usize = 4;
    const N_EACH: usize = 15;
    let folder = tempdir().unwrap();
    fit(&moons(), &params(&StructureParams::tree(), false)).save(folder.path()).unwrap();
    thread::scope(|scope| {
        for number in 0..N_THREADS {
            let place = folder.path();
            scope.spawn(move || {
                let mut model = Model::open(place).unwrap();
                for step in 0..N_EACH {
                    let id = add(&mut model, &[number as f32, step as f32], &number.to_string());
                    if step % 5 == 0 {
                        model.remove(id, None).unwrap();
                    }
                }
            });
        }
    });
    let model = Model::load(folder.path()).unwrap();
    assert_eq!(model.history().unwrap().len(), N_THREADS * (N_EACH + 3));
    assert_eq!(model.search().n_shown(), 160 + N_THREADS * (N_EACH - 3));
    assert!(model.is_what_its_history_gives().unwrap());
}

#[test]
fn whoever_has_a_model_open_that_is_replaced_is_told() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    fit(&moons(), &params(&StructureParams::tree(), false)).save(&place).unwrap();
    let mut open = Model::open(&place).unwrap();
    add(&mut open, &[3.0, 3.0], "new");
    let other = fit(&crowded(1), &params(&StructureParams::tree(), false));
    assert!(matches!(other.save(&place), Err(SaveError::WouldLose { n_changes: 1, .. })));
    other.save_over(&place).unwrap();
    let saved = files(&place);
    let point = [1.0, 1.0];
    let addition = hedgerow::Addition { point: hedgerow::Point::F32(&point), label: Some("0"), id: None, note: None };
    for error in [
        open.insert(&[addition]).unwrap_err(),
        open.remove(hedgerow::ExampleId(1), None).unwrap_err(),
        open.relabel(hedgerow::ExampleId(1), "0", None).unwrap_err(),
    ] {
        assert!(matches!(error, ChangeError::Journal(JournalError::Replaced { .. })), "{error}");
    }
    assert_eq!(files(&place), saved);
    let now = Model::load(&place).unwrap();
    assert_eq!(now.structure(), other.structure());
    assert!(now.history().unwrap().is_empty());
    // What was in memory can still be saved elsewhere, with all that was done to it.
    let elsewhere = folder.path().join("elsewhere");
    open.save(&elsewhere).unwrap();
    assert_eq!(Model::load(&elsewhere).unwrap().history().unwrap().len(), 1);
}

/// Found by reading: the arrays were said to have in them what others had added meanwhile, and did not.
#[test]
fn a_save_over_its_own_folder_keeps_what_others_did() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    fit(&moons(), &params(&StructureParams::tree(), false)).save(&place).unwrap();
    let (mut one, mut two) = (Model::open(&place).unwrap(), Model::open(&place).unwrap());
    add(&mut one, &[3.0, 3.0], "new");
    add(&mut two, &[-3.0, 3.0], "newer");
    one.save(&place).unwrap();
    let now = Model::load(&place).unwrap();
    assert_eq!(now.structure(), two.structure());
    assert_eq!(now.history().unwrap().len(), 2);
    // It goes on in the new folder; the other finds that it is a new one.
    add(&mut one, &[3.0, -3.0], "new");
    assert_eq!(Model::load(&place).unwrap().structure(), one.structure());
    let point = [0.0, 0.0];
    let addition = hedgerow::Addition { point: hedgerow::Point::F32(&point), label: Some("0"), id: None, note: None };
    let error = two.insert(&[addition]).unwrap_err();
    assert!(matches!(error, ChangeError::Journal(JournalError::Replaced { .. })), "{error}");
}

/// Found by running it: a model that was loaded, not opened, was saved over its own folder with the journal that it had read, and what others had
/// added since was gone.
#[test]
fn a_loaded_model_saved_over_its_own_folder_keeps_what_others_did() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    fit(&moons(), &params(&StructureParams::tree(), false)).save(&place).unwrap();
    let mut open = Model::open(&place).unwrap();
    add(&mut open, &[3.0, 3.0], "new");
    let loaded = Model::load(&place).unwrap();
    let then = Model::load_as_of(&place, 0).unwrap();
    add(&mut open, &[-3.0, 3.0], "newer");
    let expected = (open.structure().clone(), open.history().unwrap());
    for stale in [&loaded, &then] {
        stale.save(&place).unwrap();
        let now = Model::load(&place).unwrap();
        assert_eq!((now.structure(), now.history().unwrap()), (&expected.0, expected.1.clone()));
    }
    // Where both went on in ways of their own, nothing is lost: not without asking.
    let mut other = loaded;
    add(&mut other, &[5.0, 5.0], "other");
    let error = other.save(&place).unwrap_err();
    assert!(matches!(error, SaveError::WouldLose { n_changes: 1, .. }), "{error}");
    assert_eq!(Model::load(&place).unwrap().history().unwrap(), expected.1);
    other.save_over(&place).unwrap();
    assert_eq!(Model::load(&place).unwrap().structure(), other.structure());
    // What was done in memory alone is written as before.
    add(&mut other, &[6.0, 5.0], "other");
    other.save(&place).unwrap();
    assert_eq!(Model::load(&place).unwrap().history().unwrap(), other.history().unwrap());
}

#[test]
fn saves_over_their_own_folder_lose_nothing_that_others_add_at_the_same_time() {
    const N: usize = 40;
    let folder = tempdir().unwrap();
    let place = &folder.path().join("model");
    fit(&moons(), &params(&StructureParams::tree(), false)).save(place).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                Model::load(place).unwrap().save(place).unwrap();
            }
        });
        let mut model = Model::open(place).unwrap();
        for step in 0..N {
            let point = [step as f32, 9.0];
            let new =
                hedgerow::Addition { point: hedgerow::Point::F32(&point), label: Some("0"), id: None, note: None };
            // Told that the model was written anew, one opens it again.
            while let Err(error) = model.insert(&[new]) {
                assert!(matches!(error, ChangeError::Journal(JournalError::Replaced { .. })), "{error}");
                model = Model::open(place).unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let model = Model::load(place).unwrap();
    assert_eq!(model.history().unwrap().len(), N);
    assert!(model.is_what_its_history_gives().unwrap());
}

/// Found by running it: of two that saved to a new place at once, one was told of a folder that is not empty, and `save_new` was not there.
#[test]
fn of_many_that_save_to_a_new_place_one_is_there_and_the_others_are_told() {
    let models = [
        fit(&moons(), &params(&StructureParams::tree(), false)),
        fit(&crowded(1), &params(&StructureParams::tree(), false)),
    ];
    for _ in 0..20 {
        let folder = tempdir().unwrap();
        let place = &folder.path().join("model");
        let saved: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = models.iter().map(|model| scope.spawn(move || model.save_new(place))).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let n_there = saved.iter().filter(|saved| saved.is_ok()).count();
        assert_eq!(n_there, 1);
        let there = Model::load(place).unwrap();
        for (model, saved) in models.iter().zip(saved) {
            assert_eq!(there.structure() == model.structure(), saved.is_ok());
            assert!(matches!(saved, Ok(()) | Err(SaveError::Taken { .. })));
        }
        // Whoever may replace comes after whoever was there before.
        thread::scope(|scope| {
            for model in &models {
                scope.spawn(move || model.save(place).unwrap());
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

/// Found by reading: each wrote the list that it had loaded, and the folder may have been another model's.
#[test]
fn evaluations_recorded_by_several_are_all_kept_and_only_with_their_model() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    let evaluation = |n_queries| RecordedEvaluation {
        data: "moons".to_owned(),
        n_queries,
        error_percent: Some(1.0),
        mean_absolute_error: None,
        n_stored: 9,
    };
    fit(&moons(), &params(&StructureParams::tree(), false)).save(&place).unwrap();
    let (mut one, mut two) = (Model::load(&place).unwrap(), Model::open(&place).unwrap());
    one.record_evaluation(&place, &evaluation(1)).unwrap();
    two.record_evaluation(&place, &evaluation(2)).unwrap();
    let recorded = |model: &Model| model.metrics().evaluations.iter().map(|e| e.n_queries).collect::<Vec<_>>();
    assert_eq!((recorded(&two), recorded(&Model::load(&place).unwrap())), (vec![1, 2], vec![1, 2]));
    let other = fit(&crowded(1), &params(&StructureParams::tree(), false));
    other.save_over(&place).unwrap();
    let before = files(&place);
    let error = one.record_evaluation(&place, &evaluation(3)).unwrap_err();
    assert!(matches!(error, SaveError::OtherModel { .. }), "{error}");
    assert_eq!(files(&place), before);
}

/// Found by reading: whoever loaded while another was saved had files of both, and was told that they were damaged.
#[test]
fn a_model_can_be_loaded_at_any_moment_of_a_save() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    let models = [
        fit(&moons(), &params(&StructureParams::tree(), false)),
        fit(&crowded(1), &params(&StructureParams::tree(), false)),
    ];
    models[0].save(&place).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let (place, done, models) = (&place, &done, &models);
        for opens in [false, true] {
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let loaded = if opens { Model::open(place) } else { Model::load(place) };
                    let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
                    assert!(models.iter().any(|model| model.structure() == loaded.structure()));
                }
            });
        }
        for step in 0..60 {
            models[step % 2].save(place).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}
