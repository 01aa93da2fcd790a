//! Folders of each format version that there was: they load for ever, and answer as they did.
//!
//! `UPDATE_GOLDEN=1 cargo test -p hedgerow --test model golden` makes those of the current version anew; that is for a new version only.

use std::fs;
use std::path::{Path, PathBuf};

use hedgerow::data::{Dataset, RowIds};
use hedgerow::random::SplitMix64;
use hedgerow::{ExampleId, Initialization, Label, Model, Points, StructureParams, Vote};
use serde_json::{Value, json};

use super::fixtures::{add, change_at_random, crowded, fit, moons, params};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn queries(model: &Model) -> Points {
    let (mut random, width) = (SplitMix64::new(1, 21), model.data().n_features);
    match model.data().bytes {
        true => Points::from_u8(width, (0..40 * width).map(|_| random.bits() as u8).collect()).unwrap(),
        false => Points::from_f32(width, (0..40 * width).map(|_| random.normal() as f32 * 1.5).collect()).unwrap(),
    }
}

/// A folder, and the model that was fitted for it.
struct Golden {
    name: &'static str,
    fitted: fn() -> Model,
    /// Whether it is saved anew between its changes.
    folded: bool,
}

const ALL: [Golden; 4] = [
    Golden { name: "format_v1", fitted: || fit(&moons(), &params(&StructureParams::tree(), true)), folded: false },
    Golden {
        name: "format_v1_forest_of_bytes",
        fitted: || {
            let mut random = SplitMix64::new(4, 21);
            let points = Points::from_u8(6, (0..480).map(|_| random.bits() as u8).collect()).unwrap();
            let labels = points.view().as_u8().unwrap().chunks(6).map(|row| Label::class(u32::from(row[0] / 100)));
            let bytes = Dataset::new("bytes", points.clone(), labels.collect()).unwrap();
            let forest = StructureParams::Forest {
                n_trees: 3,
                max_children: Some(4),
                initialization: Initialization::DistinctRoots,
                vote: Vote::Shepard,
            };
            fit(&bytes, &params(&forest, false))
        },
        folded: true,
    },
    Golden {
        name: "format_v1_set",
        fitted: || fit(&crowded(2), &params(&StructureParams::set(), false)),
        folded: false,
    },
    Golden {
        name: "format_v1_knn_with_names",
        fitted: || {
            let names = (0..160).map(|row| format!("moon {row}")).collect();
            fit(&moons().with_row_ids(RowIds::Names(names)).unwrap(), &params(&StructureParams::knn(3), false))
        },
        folded: true,
    },
];

/// What is recorded of a model.
fn record(model: &Model) -> Value {
    let queries = queries(model);
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
        "sources": model.search().stored_ids().iter().map(|id| model.source_text(*id)).collect::<Vec<_>>(),
        "history": history,
    })
}

fn make(golden: &Golden, place: &Path) {
    let _ = fs::remove_dir_all(place);
    (golden.fitted)().save(place).unwrap();
    let mut model = Model::open(place).unwrap();
    let far = vec![4.0; model.data().n_features];
    add(&mut model, &far, "moonlet");
    model.remove(ExampleId(3), Some("asked to")).unwrap();
    model.relabel(ExampleId(5), "moonlet", None).unwrap();
    if golden.folded {
        model.save(place).unwrap();
    }
    let mut random = SplitMix64::new(3, 3);
    for _ in 0..5 {
        if golden.name.ends_with("bytes") {
            let point: Vec<f32> = (0..6).map(|_| random.below(256) as f32).collect();
            add(&mut model, &point, "1");
        } else {
            change_at_random(&mut model, &mut random);
        }
    }
    drop(model);
    let _ = fs::remove_file(place.join("journal.sqlite-journal"));
    let recorded = serde_json::to_string_pretty(&record(&Model::load(place).unwrap())).unwrap();
    fs::write(place.with_extension("json"), recorded + "\n").unwrap();
}

#[test]
fn golden_folders_load_and_answer_as_recorded() {
    for one in &ALL {
        check(one);
    }
}

fn check(one: &Golden) {
    let (name, place) = (one.name, golden().join(one.name));
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        make(one, &place);
    }
    let before = fs::read_dir(&place).unwrap().count();
    let model = Model::load(&place).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(fs::read_dir(&place).unwrap().count(), before, "loading leaves nothing behind");
    let recorded: Value = serde_json::from_str(&fs::read_to_string(place.with_extension("json")).unwrap()).unwrap();
    let now = record(&model);
    for key in ["labels", "stored", "classes", "sources", "history"] {
        assert_eq!(now[key], recorded[key], "{name}: {key}");
    }
    let numbers = |value: &Value| -> Vec<f64> {
        value["probabilities"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    for (now, then) in numbers(&now).iter().zip(numbers(&recorded)) {
        // Other systems have another `exp`.
        assert!((now - then).abs() < 1e-9, "{name}: {now} {then}");
    }
    assert!(model.is_what_its_history_gives().unwrap(), "{name}");
    // Written by this version, it says the same.
    let folder = tempfile::tempdir().unwrap();
    model.save(folder.path()).unwrap();
    assert_eq!(record(&Model::load(folder.path()).unwrap()), now, "{name}");
}
