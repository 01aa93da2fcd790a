//! `hedgerow evaluate`: errors counted rightly, data read as the model wants it, refusals with a remedy.

mod command;

use std::fs;
use std::path::Path;

use command::{Run, assert_keys, hedgerow};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

const KEYS: [&str; 24] = [
    "model",
    "data",
    "split",
    "task",
    "unlabeled_rows",
    "n_queries",
    "error_percent",
    "n_unknown",
    "error_percent_of_answered",
    "classes",
    "confusion",
    "per_class",
    "log_loss",
    "calibration",
    "calibration_error_percent",
    "rejection_by_probability",
    "rejection_by_novelty",
    "values",
    "nodes",
    "bytes",
    "microseconds_per_query",
    "n_single_queries",
    "microseconds_per_single_query_p50",
    "microseconds_per_single_query_p99",
];

fn run(folder: &Path, line: &str) -> Run {
    hedgerow(line.split_whitespace()).current_dir(folder).run()
}

fn with_model(flags: &str) -> TempDir {
    let dir = tempdir().expect("a temporary folder");
    run(dir.path(), &format!("fit {flags} --out m")).ends_with(0);
    dir
}

#[track_caller]
fn evaluated(folder: &Path, flags: &str) -> Value {
    run(folder, &format!("evaluate m {flags} --json")).json()
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("the file can be written");
}

#[test]
fn digits_are_counted_and_all_keys_are_there() {
    let dir = with_model("--data optdigits --epochs 5");
    let answer = evaluated(dir.path(), "--data optdigits");
    assert_keys(&answer, &[&KEYS[..], &["recorded"]].concat());
    assert_eq!(
        (&answer["split"], &answer["n_queries"], &answer["task"]),
        (&json!("test"), &json!(1797), &json!("classify"))
    );
    let confusion: Vec<Vec<u64>> = serde_json::from_value(answer["confusion"].clone()).expect("a matrix");
    assert_eq!((confusion.len(), confusion[0].len()), (10, 11)); // the last column counts "unknown"
    assert_eq!(confusion.iter().flatten().sum::<u64>(), 1797);
    let n_right: u64 = (0..10).map(|class| confusion[class][class]).sum();
    let error = answer["error_percent"].as_f64().expect("a number");
    assert!((error - 100.0 * (1797 - n_right) as f64 / 1797.0).abs() < 1e-9, "{error}");
    assert!(error < 30.0, "{error}");
    let [half, most] =
        ["p50", "p99"].map(|p| answer[format!("microseconds_per_single_query_{p}")].as_f64().expect("a number"));
    assert!(0.0 < half && half <= most, "{half} {most}");
    assert_eq!(answer["n_single_queries"], 899); // every second row: at most 1000 are asked
    assert_eq!(answer["recorded"], false);
    for (split, n) in [("train", 3823), ("test", 1797), ("all", 5620)] {
        let answer = evaluated(dir.path(), &format!("--data optdigits --split {split}"));
        assert_eq!((&answer["split"], &answer["n_queries"]), (&json!(split), &json!(n)));
    }
    let none = run(dir.path(), "evaluate m --data optdigits --split validation").ends_with(1);
    assert!(none.stderr.contains("it has 3823 train, 1797 test"), "{}", none.stderr);
}

#[test]
fn people_see_the_error_first_and_are_warned_of_rows_that_were_fitted_to() {
    let dir = with_model("--data optdigits --epochs 5");
    let text = run(dir.path(), "evaluate m --data optdigits").ends_with(0);
    for words in [
        "1797 rows of test",
        "error  ",
        "stored examples",
        "asked alone",
        "precision %",
        "truth",
        "--reject-probability",
    ] {
        assert!(text.stdout.contains(words), "{words}\n{}", text.stdout);
    }
    assert!(!text.stderr.contains("fitted to these rows"), "{}", text.stderr);
    let fitted = run(dir.path(), "evaluate m --data optdigits --split train").ends_with(0);
    assert!(fitted.stderr.contains("fitted to these rows"), "{}", fitted.stderr);
    assert_eq!(run(dir.path(), "evaluate m --data optdigits -q").ends_with(0).stderr, "");
}

#[test]
fn results_do_not_depend_on_threads() {
    let dir = with_model("--data optdigits --epochs 3");
    let measured = |threads: u32| {
        let mut answer = evaluated(dir.path(), &format!("--data optdigits --threads {threads}"));
        let object = answer.as_object_mut().expect("an object");
        object.retain(|key, _| !key.starts_with("microseconds"));
        answer
    };
    assert_eq!(measured(1), measured(2));
}

#[test]
fn what_the_model_does_not_know_is_counted_apart() {
    let dir = with_model("--data optdigits --epochs 5");
    let plain = evaluated(dir.path(), "--data optdigits");
    let strict = evaluated(dir.path(), "--data optdigits --reject-probability 0.8 --reject-novelty 0.05");
    let n_unknown = strict["n_unknown"].as_u64().expect("a number");
    assert!(n_unknown > 0 && n_unknown < 1797, "{n_unknown}");
    let column: u64 =
        strict["confusion"].as_array().expect("a matrix").iter().map(|row| row[10].as_u64().expect("a count")).sum();
    assert_eq!(column, n_unknown);
    assert!(strict["error_percent_of_answered"].as_f64() < plain["error_percent"].as_f64());
    // The threshold of the fit holds where none is given, and 0 takes it away.
    let dir = with_model("--data optdigits --epochs 5 --reject-probability 0.8");
    assert!(evaluated(dir.path(), "--data optdigits")["n_unknown"].as_u64() > Some(0));
    assert_eq!(evaluated(dir.path(), "--data optdigits --reject-probability 0")["n_unknown"], 0);
}

#[test]
fn a_recorded_evaluation_stays_with_the_model() {
    let dir = with_model("--data optdigits --epochs 3");
    let answer = evaluated(dir.path(), "--data optdigits --record");
    assert_eq!(answer["recorded"], true);
    let metrics = fs::read_to_string(dir.path().join("m/metrics.json")).expect("metrics");
    let metrics: Value = serde_json::from_str(&metrics).expect("it is JSON");
    assert_eq!(metrics["evaluations"][0]["data"], "optdigits (test)");
    assert_eq!(metrics["evaluations"][0]["error_percent"], answer["error_percent"]);
    let card = fs::read_to_string(dir.path().join("m/README.md")).expect("a card");
    assert!(card.contains("evaluated on optdigits (test)"), "{card}");
    let inspected = run(dir.path(), "inspect m").ends_with(0);
    assert!(inspected.stdout.contains("error on optdigits (test), 1797 rows"), "{}", inspected.stdout);
    // The same again is the same result, not a second one.
    evaluated(dir.path(), "--data optdigits --record");
    let fitted = evaluated(dir.path(), "--data optdigits --split train --record");
    let metrics = fs::read_to_string(dir.path().join("m/metrics.json")).expect("metrics");
    let metrics: Value = serde_json::from_str(&metrics).expect("it is JSON");
    assert_eq!(metrics["evaluations"].as_array().map(Vec::len), Some(2), "{metrics}");
    assert_eq!(fitted["recorded"], true);
    let card = fs::read_to_string(dir.path().join("m/README.md")).expect("a card");
    assert!(card.contains("optdigits (train, fitted to some of these rows)"), "{card}");
    run(dir.path(), "evaluate m --data optdigits --record --reject-novelty 0.1").ends_with(2);
}

/// Heights that grow with the width, and a class by it.
fn table(rows: std::ops::Range<usize>, columns: &[&str]) -> String {
    let mut text = columns.join(",") + "\n";
    for row in rows {
        let cell = |column: &&str| match *column {
            "width" => format!("{row}.25"),
            "color" => ["red", "blue"][row % 2].to_owned(),
            "height" => format!("{}.5", 3 * row),
            "kind" => (if row < 20 { "small" } else { "large" }).to_owned(),
            other => format!("{other}-{row}"),
        };
        text += &(columns.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

#[test]
fn data_is_read_by_the_models_schema() {
    let dir = tempdir().expect("a temporary folder");
    write(dir.path(), "train.csv", &table(0..40, &["id", "width", "color", "kind"]));
    run(dir.path(), "fit --data train.csv --label-column kind --method none --structure knn --out m").ends_with(0);
    // Other order, another column, one color only, and one class only.
    write(dir.path(), "test.csv", &table(3..10, &["kind", "note", "color", "width"]));
    let answer = evaluated(dir.path(), "--data test.csv");
    assert_eq!(
        (&answer["split"], &answer["n_queries"], &answer["error_percent"]),
        (&json!("all"), &json!(7), &json!(0.0))
    );
    assert_eq!(answer["classes"], json!(["large", "small"]));
    // A class that the model does not know is wrong, and has a row of its own.
    write(dir.path(), "new.csv", "width,color,kind\n1.5,red,small\n2.5,red,huge\n");
    let answer = evaluated(dir.path(), "--data new.csv");
    assert_eq!((&answer["error_percent"], &answer["classes"]), (&json!(50.0), &json!(["large", "small", "huge"])));
    // Rows without a label are left out.
    write(dir.path(), "some.csv", "width,color,kind\n1.5,red,small\n2.5,red,\n");
    let answer = evaluated(dir.path(), "--data some.csv");
    assert_eq!((&answer["n_queries"], &answer["unlabeled_rows"]), (&json!(1), &json!(1)));
    for (name, text, expected) in [
        ("unlabeled.csv", "width,color\n1.5,red\n2.5,blue\n", "has no labels"),
        ("narrow.csv", "color,kind\nred,small\nblue,large\n", "width"),
        ("color.csv", "width,color,kind\n1.5,green,small\n2.5,blue,large\n", "green"),
        ("nan.csv", "width,color,kind\nNaN,red,small\n2.5,blue,large\n", "line 2"),
    ] {
        write(dir.path(), name, text);
        let refused = run(dir.path(), &format!("evaluate m --data {name}")).ends_with(1);
        assert!(refused.stderr.contains(expected), "{name}: {}", refused.stderr);
    }
    let refused = run(dir.path(), "evaluate m --data unlabeled.csv").ends_with(1);
    assert!(refused.stderr.contains("hint: name their column (--label-column)"), "{}", refused.stderr);
    let other = run(dir.path(), "evaluate m --data optdigits").ends_with(1);
    assert!(other.stderr.contains("64 features") && other.stderr.contains("fitted to 3"), "{}", other.stderr);
}

#[test]
fn values_are_judged_by_how_far_they_are_off() {
    let dir = tempdir().expect("a temporary folder");
    write(dir.path(), "train.csv", &table(0..40, &["width", "color", "height"]));
    let fit = "fit --data train.csv --label-column height --task regress --structure knn --out m";
    run(dir.path(), fit).ends_with(0);
    // Half a step away: the nearest in width is known, and 1.5 lower or higher.
    write(dir.path(), "test.csv", "width,color,height\n4.3,red,15\n9.2,blue,24\n");
    let answer = evaluated(dir.path(), "--data test.csv");
    assert_keys(&answer, &[&KEYS[..], &["recorded"]].concat());
    let values = &answer["values"];
    assert_keys(values, &["mean_absolute_error", "root_mean_squared_error", "r_squared"]);
    // Answers are 12.5 and 27.5: off by 2.5 and 3.5, mean 3, root of (6.25 + 12.25) / 2.
    assert_eq!(values["mean_absolute_error"], 3.0);
    assert!(
        values["root_mean_squared_error"].as_f64().is_some_and(|error| (error - 9.25_f64.sqrt()).abs() < 1e-6),
        "{values}"
    );
    assert_eq!((&answer["error_percent"], &answer["confusion"]), (&json!(null), &json!([])));
    let text = run(dir.path(), "evaluate m --data test.csv --record").ends_with(0);
    assert!(text.stdout.contains("mean absolute error") && text.stdout.contains("R squared"), "{}", text.stdout);
    run(dir.path(), "evaluate m --data test.csv --reject-probability 0.5").ends_with(2);
    // 0 is never, which every model can; `predict` takes it, too.
    run(dir.path(), "evaluate m --data test.csv --reject-probability 0").ends_with(0);
    let classes = run(dir.path(), "evaluate m --data moons?n=10").ends_with(1);
    assert!(classes.stderr.contains("the model estimates values"), "{}", classes.stderr);
}

#[test]
fn rows_that_were_fitted_to_are_known_whatever_their_file_is_called() {
    let dir = tempdir().expect("a temporary folder");
    let (rows, more) = (table(0..40, &["width", "kind"]), table(0..41, &["width", "kind"]));
    write(dir.path(), "rec.csv", &rows);
    run(dir.path(), "fit --data rec.csv --label-column kind --method none --structure knn --out m").ends_with(0);
    write(dir.path(), "copy.csv", &rows);
    fs::create_dir(dir.path().join("folder")).expect("a folder");
    write(dir.path(), "folder/train.csv", &more);
    write(dir.path(), "folder/test.csv", &rows);
    for data in ["rec.csv", "./rec.csv", "copy.csv", "folder"] {
        let fitted = run(dir.path(), &format!("evaluate m --data {data} --record")).ends_with(0);
        assert!(fitted.stderr.contains("fitted to these rows"), "{data}: {}", fitted.stderr);
    }
    let card = fs::read_to_string(dir.path().join("m/README.md")).expect("a card");
    assert!(card.contains("./rec.csv (all, fitted to some of these rows)"), "{card}");
    write(dir.path(), "other.csv", &table(3..30, &["width", "kind"]).replace(".25", ".75"));
    let other = run(dir.path(), "evaluate m --data other.csv").ends_with(0);
    assert!(!other.stderr.contains("fitted to"), "{}", other.stderr);
    // A file that has grown since, by its name; but all streams have the same.
    write(dir.path(), "rec.csv", &more);
    let grown = run(dir.path(), "evaluate m --data rec.csv").ends_with(0);
    assert!(grown.stderr.contains("fitted to these rows"), "{}", grown.stderr);
}

#[test]
fn a_category_that_the_model_does_not_know_can_be_taken_as_none() {
    let dir = tempdir().expect("a temporary folder");
    write(dir.path(), "train.csv", &table(0..40, &["width", "color", "kind"]));
    run(dir.path(), "fit --data train.csv --label-column kind --method none --structure knn --out m").ends_with(0);
    write(dir.path(), "green.csv", "width,color,kind\n1.5,green,small\n2.5,blue,small\n");
    let refused = run(dir.path(), "evaluate m --data green.csv").ends_with(1);
    assert!(refused.stderr.contains("green"), "{}", refused.stderr);
    assert_eq!(evaluated(dir.path(), "--data green.csv --unknown-category zeros")["n_queries"], 2);
    run(dir.path(), "report m --data green.csv").ends_with(1);
    run(dir.path(), "report m --data green.csv --unknown-category zeros").ends_with(0);
    run(dir.path(), "add m --data green.csv").ends_with(1);
    run(dir.path(), "add m --data green.csv --unknown-category zeros").ends_with(0);
}

#[test]
fn a_model_for_retrieval_is_measured_without_labels() {
    let dir = with_model("--data moons?n=60 --task retrieve --method none --structure tree");
    let answer = evaluated(dir.path(), "--data moons?n=30&seed=5");
    assert_eq!(
        (&answer["task"], &answer["error_percent"], &answer["nodes"]),
        (&json!("retrieve"), &json!(null), &json!(60))
    );
    assert!(answer["microseconds_per_query"].as_f64().is_some_and(|time| time > 0.0));
}

#[test]
fn a_model_that_is_not_there_or_damaged_is_refused() {
    let dir = with_model("--data moons?n=60 --method none");
    fs::rename(dir.path().join("m"), dir.path().join("moons-model")).expect("it can be renamed");
    let near = run(dir.path(), "evaluate moons-modle --data moons").ends_with(1);
    assert!(near.stderr.contains("did you mean moons-model?"), "{}", near.stderr);
    let far = run(dir.path(), "evaluate elsewhere --data moons").ends_with(1);
    assert!(far.stderr.contains("models in that folder: moons-model"), "{}", far.stderr);
    let model = dir.path().join("moons-model");
    for (file, damage, expected) in [
        ("model.safetensors", None, "model.safetensors"),
        ("config.json", Some("{"), "config.json"),
        ("metrics.json", Some("{\"n_stored\": \"many\"}"), "metrics.json"),
    ] {
        let whole = fs::read(model.join(file)).expect("it is there");
        let damaged = damage.map_or_else(|| whole[..whole.len() - 1].to_vec(), |text| text.as_bytes().to_vec());
        fs::write(model.join(file), damaged).expect("it can be written");
        let refused = run(dir.path(), "evaluate moons-model --data moons").ends_with(1);
        assert!(refused.stderr.contains(expected) && refused.stderr.contains("damaged"), "{}", refused.stderr);
        fs::write(model.join(file), whole).expect("it can be written");
    }
    run(dir.path(), "evaluate moons-model --data moons?n=20").ends_with(0);
}
