//! A folder of each format version that there was: it loads for ever, and answers as it did.
//!
//! `UPDATE_GOLDEN=1 cargo test -p hedgerow --test model golden` makes the one of the current version anew; that is for a new version only.

use std::fs;
use std::path::{Path, PathBuf};

use hedgerow::random::SplitMix64;
use hedgerow::{ExampleId, Model, Points, StructureParams};
use serde_json::{Value, json};

use super::fixtures::{add, change_at_random, fit, moons, params};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn queries() -> Points {
    let mut random = SplitMix64::new(1, 21);
    Points::from_f32(2, (0..80).map(|_| random.normal() as f32 * 1.5).collect()).unwrap()
}

/// What is recorded of a model.
fn record(model: &Model) -> Value {
    let queries = queries();
    let labels: Vec<String> =
        model.predict(queries.view()).unwrap().iter().map(|answer| model.label_text(answer.label)).collect();
    let probabilities = model.predict_proba(queries.view()).unwrap();
    let history: Vec<Value> = model
        .history()
        .unwrap()
        .iter()
        .map(|e| json!([e.number, e.at, e.change.action(), e.change.id().0, e.change.label(), e.note]))
        .collect();
    json!({
        "labels": labels,
        "probabilities": probabilities.values(),
        "stored": model.search().stored_ids().iter().map(|id| id.0).collect::<Vec<_>>(),
        "classes": model.class_names(),
        "history": history,
    })
}

fn make(place: &Path) {
    let model = fit(&moons(), &params(&StructureParams::tree(), true));
    let _ = fs::remove_dir_all(place);
    model.save(place).unwrap();
    let mut model = Model::open(place).unwrap();
    add(&mut model, &[4.0, 4.0], "moonlet");
    model.remove(ExampleId(3), Some("asked to")).unwrap();
    model.relabel(ExampleId(5), "moonlet", None).unwrap();
    let mut random = SplitMix64::new(3, 3);
    for _ in 0..5 {
        change_at_random(&mut model, &mut random);
    }
    drop(model);
    let _ = fs::remove_file(place.join("journal.sqlite-journal"));
    let recorded = serde_json::to_string_pretty(&record(&Model::load(place).unwrap())).unwrap();
    fs::write(place.with_extension("json"), recorded + "\n").unwrap();
}

#[test]
fn golden_folders_load_and_answer_as_recorded() {
    let place = golden().join("format_v1");
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        make(&place);
    }
    let before = fs::read_dir(&place).unwrap().count();
    let model = Model::load(&place).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(fs::read_dir(&place).unwrap().count(), before, "loading leaves nothing behind");
    let recorded: Value = serde_json::from_str(&fs::read_to_string(place.with_extension("json")).unwrap()).unwrap();
    let now = record(&model);
    for key in ["labels", "stored", "classes", "history"] {
        assert_eq!(now[key], recorded[key], "{key}");
    }
    let numbers = |value: &Value| -> Vec<f64> {
        value["probabilities"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    for (now, then) in numbers(&now).iter().zip(numbers(&recorded)) {
        // Other systems have another `exp`.
        assert!((now - then).abs() < 1e-9, "{now} {then}");
    }
    assert!(model.is_what_its_history_gives().unwrap());
    // Written by this version, it says the same.
    let folder = tempfile::tempdir().unwrap();
    model.save(folder.path()).unwrap();
    assert_eq!(record(&Model::load(folder.path()).unwrap()), now);
}
