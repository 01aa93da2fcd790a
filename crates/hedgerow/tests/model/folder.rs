//! Saving and loading: nothing changes on the way, and a save is there whole or not at all.

use std::fs;

use hedgerow::data::{Dataset, RowIds};
use hedgerow::random::SplitMix64;
use hedgerow::{
    Distance, FitParams, Label, LoadError, Model, Points, RecordedEvaluation, Rejection, SaveError, StructureParams,
    is_model,
};
use tempfile::tempdir;

use super::fixtures::{add, change_at_random, crowded, files, fit, models, moons, params, queries, said, structures};

#[test]
fn saved_loaded_and_saved_again_the_bytes_are_the_same() {
    for (name, mut model) in models() {
        let folder = tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        let mut random = SplitMix64::new(7, 7);
        for _ in 0..6 {
            change_at_random(&mut model, &mut random);
        }
        let model = model.with_rejection(Rejection { novelty: Some(0.0125), probability: Some(0.1) });
        model.save(&first).unwrap();
        let loaded = Model::load(&first).unwrap_or_else(|error| panic!("{name}: {error}"));
        loaded.save(&second).unwrap();
        assert_eq!(files(&first), files(&second), "{name}");
        assert_eq!(loaded.history().unwrap(), model.history().unwrap(), "{name}");
        assert_eq!(Model::load(&second).unwrap().history().unwrap(), model.history().unwrap(), "{name}");
        assert_eq!(loaded.structure(), model.structure(), "{name}");
        let queries = queries(&model, 1);
        assert_eq!(said(&loaded, &queries), said(&model, &queries), "{name}");
        assert_eq!(loaded.params(), model.params(), "{name}");
        assert_eq!(loaded.metrics(), model.metrics(), "{name}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    }
}

#[test]
fn a_journal_makes_of_the_saved_model_what_was_made_of_it_in_memory() {
    for (name, mut model) in models() {
        let folder = tempdir().unwrap();
        let place = folder.path().join("model");
        model.save(&place).unwrap();
        let mut opened = Model::open(&place).unwrap();
        let (mut one, mut same) = (SplitMix64::new(9, 9), SplitMix64::new(9, 9));
        let mut moments = vec![said(&model, &queries(&model, 1))];
        for _ in 0..12 {
            change_at_random(&mut model, &mut one);
            change_at_random(&mut opened, &mut same);
            if model.history().unwrap().len() + 1 > moments.len() {
                moments.resize(model.history().unwrap().len(), String::new());
                moments.push(said(&model, &queries(&model, 1)));
            }
        }
        let loaded = Model::load(&place).unwrap_or_else(|error| panic!("{name}: {error}"));
        let queries = queries(&model, 1);
        for (what, other) in [("opened", &opened), ("loaded", &loaded)] {
            assert_eq!(other.structure(), model.structure(), "{name}, {what}");
            assert_eq!(said(other, &queries), said(&model, &queries), "{name}, {what}");
            for id in model.search().kept_ids() {
                assert_eq!(other.original(id), model.original(id), "{name}, {what}, {id}");
            }
        }
        // Every moment of it can be had again.
        for (number, said_then) in moments.iter().enumerate().filter(|(_, said)| !said.is_empty()) {
            let then = Model::load_as_of(&place, number as u64).unwrap();
            assert_eq!(&said(&then, &queries), said_then, "{name}, after {number}");
            assert_eq!(then.history().unwrap().len(), number, "{name}");
            assert!(then.is_what_its_history_gives().unwrap(), "{name}, after {number}");
        }
    }
}

#[test]
fn only_known_moments_can_be_had() {
    let folder = tempdir().unwrap();
    let (place, later) = (folder.path().join("model"), folder.path().join("later"));
    fit(&moons(), &params(&StructureParams::tree(), false)).save(&place).unwrap();
    let mut model = Model::open(&place).unwrap();
    for _ in 0..3 {
        add(&mut model, &[3.0, 3.0], "new");
    }
    let error = Model::load_as_of(&place, 4).unwrap_err().to_string();
    assert!(error.contains("after change 4") && error.contains("from 0 to 3"), "{error}");
    // Saved anew, the model is that of change 2, with the history of all before it.
    let mut then = Model::load_as_of(&place, 2).unwrap();
    then.save(&later).unwrap();
    add(&mut then, &[3.0, -3.0], "other");
    let error = Model::load_as_of(&later, 1).unwrap_err().to_string();
    assert!(error.contains("saved anew") && error.contains("from 2 to 2"), "{error}");
    let mut opened = Model::open(&later).unwrap();
    assert_eq!(opened.history().unwrap().len(), 2);
    add(&mut opened, &[3.0, -3.0], "other");
    assert_eq!(opened.structure(), then.structure());
    assert_eq!(Model::load_as_of(&later, 3).unwrap().structure(), then.structure());
    assert_eq!(Model::load_as_of(&later, 2).unwrap().history().unwrap().len(), 2);
}

#[test]
fn a_wrong_structure_is_not_what_its_history_gives() {
    for (name, structure) in structures() {
        if structure.name() == "knn" {
            continue; // whatever points it has, they are its history
        }
        let folder = tempdir().unwrap();
        fit(&crowded(3), &params(&structure, false)).save(folder.path()).unwrap();
        // Another place for every second point: the arrays fit together, but distances do not lead where they did.
        super::damage::edit_array(folder.path(), "examples.points", |bytes| {
            for value in bytes.chunks_mut(16) {
                value[..4].copy_from_slice(&9.5_f32.to_le_bytes());
            }
        });
        let wrong = Model::load(folder.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!wrong.is_what_its_history_gives().unwrap(), "{name}");
    }
}

#[test]
fn odd_models_are_saved_too() {
    let folder = tempdir().unwrap();
    let odd = |name: &str, points: Points, labels: Vec<Label>| Dataset::new(name, points, labels).unwrap();
    let one = odd("one", Points::from_f32(1, vec![2.0]).unwrap(), vec![Label::class(0)]);
    let bytes = odd(
        "bytes | * `x`\n# y",
        Points::from_u8(2, vec![1, 2, 3, 4]).unwrap(),
        vec![Label::class(0), Label::class(1)],
    );
    let bytes = bytes.with_row_ids(RowIds::Names(vec!["ä\n".into(), String::new()])).unwrap();
    let bytes = bytes.with_class_names(vec!["\"quoted\"".into(), "\u{1F33F} and \\".into()]).unwrap();
    for (name, structure) in structures() {
        for dataset in [&one, &bytes] {
            let mut model = fit(dataset, &params(&structure, false));
            model.save_over(folder.path()).unwrap();
            let loaded = Model::load(folder.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(loaded.structure(), model.structure(), "{name}");
            assert_eq!(loaded.class_names(), model.class_names());
            assert_eq!(loaded.source_text(hedgerow::ExampleId(0)), model.source_text(hedgerow::ExampleId(0)));
            // Emptied.
            for id in model.search().kept_ids() {
                model.remove(id, None).unwrap();
            }
            model.save(folder.path()).unwrap();
            let loaded = Model::load(folder.path()).unwrap_or_else(|error| panic!("{name}, emptied: {error}"));
            assert_eq!(loaded.structure(), model.structure(), "{name}, emptied");
        }
    }
}

#[test]
fn a_save_that_fails_leaves_the_old_model_and_nothing_else() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    let good = fit(&moons(), &params(&StructureParams::tree(), false));
    good.save(&place).unwrap();
    let before = files(&place);
    let closure = Distance::custom("mine", |a, b| f64::from((a[0] - b[0]).abs()));
    let unwritable = fit(&moons(), &FitParams { distance: closure, ..params(&StructureParams::tree(), false) });
    assert!(matches!(unwritable.save(&place), Err(SaveError::Unwritable { .. })));
    assert_eq!(files(&place), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // Places that are none.
    fs::write(folder.path().join("file"), "x").unwrap();
    for bad in ["file", "file/model"] {
        let error = good.save(folder.path().join(bad)).unwrap_err().to_string();
        assert!(error.contains("file"), "{error}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "x");
    let other = folder.path().join("photos");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("1.jpg"), "x").unwrap();
    let error = good.save(&other).unwrap_err().to_string();
    assert!(error.contains("something else than a model"), "{error}");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
}

/// Found by running it: notes that somebody had put into the folder of a model were gone when it was saved again.
#[test]
fn files_that_are_not_of_the_model_are_not_lost_with_it() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    let model = fit(&moons(), &params(&StructureParams::tree(), false));
    model.save(&place).unwrap();
    add(&mut Model::open(&place).unwrap(), &[1.0, 1.0], "0");
    assert_eq!(hedgerow::other_files(&place), [] as [&str; 0], "journal.sqlite-journal is SQLite's");
    fs::write(place.join("notes.txt"), "mine").unwrap();
    fs::create_dir(place.join("pictures")).unwrap();
    assert_eq!(hedgerow::other_files(&place), ["notes.txt", "pictures"]);
    let opened = Model::open(&place).unwrap();
    for saved in [opened.save(&place), model.save(&place), model.save_over(&place)] {
        let error = saved.unwrap_err().to_string();
        assert!(error.contains("notes.txt, pictures"), "{error}");
    }
    assert_eq!(fs::read_to_string(place.join("notes.txt")).unwrap(), "mine");
    assert_eq!(Model::load(&place).unwrap().history().unwrap().len(), 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Found by reading: whatever the user's settings, everybody could read a model.
#[cfg(unix)]
#[test]
fn who_may_read_a_model_stays_as_it_was() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    let mut model = fit(&moons(), &params(&StructureParams::tree(), false));
    model.save(&place).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // A new one is as any new folder and file.
    let (other, file) = (folder.path().join("other"), folder.path().join("file"));
    fs::create_dir(&other).unwrap();
    fs::write(&file, "x").unwrap();
    assert_eq!(mode(&place), mode(&other));
    for name in hedgerow::model_files(&place) {
        assert_eq!(mode(&name), mode(&file), "{}", name.display());
    }
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).unwrap();
    for name in hedgerow::model_files(&place) {
        fs::set_permissions(&name, fs::Permissions::from_mode(0o600)).unwrap();
    }
    add(&mut model, &[1.0, 1.0], "0");
    model.save(&place).unwrap();
    let evaluation = RecordedEvaluation {
        data: "moons".to_owned(),
        n_queries: 1,
        error_percent: Some(0.0),
        mean_absolute_error: None,
        n_stored: 9,
    };
    model.record_evaluation(&place, &evaluation).unwrap();
    assert_eq!(mode(&place), 0o700);
    for name in hedgerow::model_files(&place) {
        assert_eq!(mode(&name), 0o600, "{}", name.display());
    }
}

#[test]
fn the_card_tells_of_the_model_as_it_is_saved() {
    let folder = tempdir().unwrap();
    let mut model = fit(&moons(), &params(&StructureParams::knn(1), false));
    add(&mut model, &[1.0, 1.0], "0");
    model.save(folder.path()).unwrap();
    let card = fs::read_to_string(folder.path().join("README.md")).unwrap();
    assert!(card.contains("by 161 of the 161 examples"), "{card}");
}

#[test]
fn a_save_goes_into_new_empty_and_linked_folders() {
    let folder = tempdir().unwrap();
    let good = fit(&moons(), &params(&StructureParams::tree(), false));
    good.save(folder.path().join("deep/er/model/")).unwrap();
    assert!(is_model(folder.path().join("deep/er/model")));
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    good.save(&empty).unwrap();
    assert!(Model::load(&empty).is_ok());
    #[cfg(unix)]
    {
        // The link stays, and what it leads to is the new model.
        let link = folder.path().join("current");
        std::os::unix::fs::symlink("empty", &link).unwrap();
        fit(&crowded(1), &params(&StructureParams::tree(), false)).save(&link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(Model::load(&empty).unwrap().data().name, "crowded");
    }
}

#[test]
fn what_a_killed_save_left_behind_disturbs_nobody() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("model");
    let model = fit(&moons(), &params(&StructureParams::tree(), false));
    model.save(&place).unwrap();
    let left = folder.path().join(".model.saving-x1");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("config.json"), "{").unwrap();
    model.save(&place).unwrap();
    assert!(Model::load(&place).is_ok());
    // A save that was cut short where two folders cannot be exchanged: the old one stands aside.
    fs::rename(&place, folder.path().join(".model.previous")).unwrap();
    assert_eq!(Model::load(&place).unwrap().structure(), model.structure());
    model.save(&place).unwrap();
    assert!(is_model(&place));
}

#[test]
fn an_evaluation_is_recorded_whole_and_told_on_the_card() {
    let folder = tempdir().unwrap();
    let mut model = fit(&moons(), &params(&StructureParams::tree(), false));
    model.save(folder.path()).unwrap();
    let evaluation = RecordedEvaluation {
        data: "moons | test".to_owned(),
        n_queries: 40,
        error_percent: Some(12.5),
        mean_absolute_error: None,
        n_stored: 9,
    };
    model.record_evaluation(folder.path(), &evaluation).unwrap();
    assert_eq!(Model::load(folder.path()).unwrap().metrics().evaluations, [evaluation]);
    let card = fs::read_to_string(folder.path().join("README.md")).unwrap();
    assert!(card.contains("12.50 %"), "{card}");
}

#[test]
fn where_there_is_no_model_that_is_said() {
    let folder = tempdir().unwrap();
    for place in [folder.path().to_owned(), folder.path().join("none")] {
        let error = Model::load(&place).unwrap_err();
        assert!(matches!(error, LoadError::NoModel { .. }), "{error}");
        assert!(Model::open(&place).is_err());
    }
}
