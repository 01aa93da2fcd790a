//! What a model refuses before anything is lost: hours of learning, or the files of somebody else.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::ops::ControlFlow;

use hedgerow::learn::TrainingParams;
use hedgerow::{FitError, FitOptions, FitParams, Model, SaveError, StructureParams, data, is_model};

#[test]
fn a_structure_that_cannot_be_is_refused_before_anything_is_learned() {
    let moons = data::load("moons?n=60").unwrap();
    let structure = StructureParams::Tree { max_children: Some(0) };
    let params = FitParams { learning: Some(TrainingParams::default()), structure, ..FitParams::default() };
    let mut n_events = 0;
    let mut count = |_: &hedgerow::FitEvent<'_>| {
        n_events += 1;
        ControlFlow::Continue(())
    };
    let refused = Model::fit(&moons, &params, &FitOptions::default(), &mut count);
    assert!(matches!(refused, Err(FitError::Structure(_))));
    assert_eq!(n_events, 0);
}

#[test]
fn a_folder_of_another_program_is_not_replaced_although_it_has_a_config() {
    let moons = data::load("moons?n=60").unwrap();
    let params = FitParams { learning: None, ..FitParams::default() };
    let model = Model::fit(&moons, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("app");
    std::fs::create_dir(&place).unwrap();
    std::fs::write(place.join("config.json"), r#"{"format": "of an app", "port": 80}"#).unwrap();
    std::fs::write(place.join("precious"), "all that I have").unwrap();
    assert!(!is_model(&place));
    assert!(matches!(model.save(&place), Err(SaveError::NotAModel { .. })));
    assert_eq!(std::fs::read_to_string(place.join("precious")).unwrap(), "all that I have");
    // An empty folder is nobody's, and a model is replaced by a model.
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    model.save(&empty).unwrap();
    assert!(is_model(&empty));
    model.save(&empty).unwrap();
    // Nothing but the files of a model, such as what a database leaves beside itself.
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), hedgerow::model_files(&empty).len());
}
