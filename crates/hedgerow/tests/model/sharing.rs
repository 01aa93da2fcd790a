//! Several programs, or threads, at one folder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hedgerow::{ChangeError, JournalError, Model, StructureParams};
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
    other.save(&place).unwrap();
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
