//! `hedgerow explain`: text with pictures, JSON, pages, rows by number and id, values typed by hand.

mod command;
mod models;

use std::fs;

use command::{Run, assert_keys, hedgerow};
use hedgerow::{FitParams, StructureParams};
use models::{Fitted, digits, line, moons, penguins, places, raw};
use serde_json::{Value, json};

fn explain(fitted: &Fitted, arguments: &[&str]) -> Run {
    let place = fitted.place();
    hedgerow(["explain", place.as_str()].iter().chain(arguments)).env("COLUMNS", "80").run()
}

const DECISION_KEYS: [&str; 11] =
    ["row", "id", "split", "query", "answer", "class_probabilities", "walks", "voters", "rival", "novelty", "off_by"];

#[test]
fn a_digit_is_explained_with_pictures() {
    let fitted = digits();
    let run = explain(&fitted, &["--data", "optdigits", "--row", "0"]).ends_with(0);
    for part in
        ["asked", "walked", "rival", "test row 0 of optdigits: said 0", "Why not ", "Novelty: ", "█", "The walk: "]
    {
        assert!(run.stdout.contains(part), "{part} is not in:\n{}", run.stdout);
    }
    assert_eq!(run.stderr, "");
    let plain = explain(&fitted, &["--data", "optdigits", "--row", "0", "--ascii"]).ends_with(0);
    assert!(plain.stdout.is_ascii(), "{}", plain.stdout);
    // One after another.
    let both = explain(&fitted, &["--data", "optdigits", "--row", "0", "--row", "1"]).ends_with(0);
    assert!(both.stdout.starts_with(&run.stdout) && both.stdout.contains("test row 1 of optdigits"), "{}", both.stdout);
}

#[test]
fn json_has_the_librarys_decision() {
    let fitted = digits();
    let test = fitted.data.test();
    let object = explain(&fitted, &["--data", "optdigits", "--row", "5", "--json"]).json();
    assert_keys(&object, &DECISION_KEYS);
    let decision = fitted.model.explain(test.row(5)).expect("it answers");
    assert_eq!((&object["row"], &object["split"]), (&json!(5), &json!("test")));
    assert_eq!(object["id"], test.row_id(5));
    assert_keys(&object["query"], &["id", "source", "label", "class", "distance", "weight", "picture"]);
    assert_eq!(object["query"]["label"], fitted.data.label_text(test.labels()[5]));
    assert_keys(&object["query"]["picture"], &["height", "width", "channels", "bytes"]);
    assert_keys(&object["answer"], &["kind", "label", "class"]);
    assert_eq!(object["answer"]["label"], fitted.model.label_text(decision.prediction.label));
    let steps = object["walks"][0]["steps"].as_array().expect("a list");
    let walked: Vec<u64> = steps.iter().map(|step| step["at"]["example"]["id"].as_u64().expect("an id")).collect();
    let expected: Vec<u64> = decision.walks[0].traversal.path().map(|at| at.neighbor.id.0).collect();
    assert_eq!(walked, expected);
    assert_keys(&steps[0], &["at", "children", "may_stop", "next", "transition_probability"]);
    assert_keys(&steps[0]["at"], &["node", "example"]);
    assert_eq!(object["voters"][0]["id"], decision.explanation.voters[0].neighbor.id.0);
    let rival = decision.explanation.rival.expect("there are other classes");
    assert_keys(&object["rival"], &["example", "margin"]);
    assert_eq!(
        (&object["rival"]["margin"], &object["rival"]["example"]["id"]),
        (&json!(rival.margin), &json!(rival.neighbor.id.0))
    );
    assert_eq!(object["novelty"]["share_farther"], json!(decision.explanation.novelty.share_farther));
    assert_keys(&object["class_probabilities"][0], &["label", "class", "probability"]);
    // Several rows are several lines.
    let lines = explain(&fitted, &["--data", "optdigits", "--row", "5", "--row", "6", "--json"]).ends_with(0);
    let ids: Vec<Value> = lines
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an object")["row"].clone())
        .collect();
    assert_eq!(ids, [5, 6]);
}

#[test]
fn rows_are_found_by_number_and_by_id() {
    let fitted = digits();
    let by = |flags: &[&str]| explain(&fitted, &[&["--data", "optdigits", "--json"], flags].concat()).json();
    let by_row = by(&["--row", "3"]);
    let id = by_row["id"].as_str().expect("an id").to_owned();
    assert_eq!(by(&["--id", &id]), by_row);
    assert_eq!(by(&["--row", "0", "--split", "train"])["split"], "train");
    assert_eq!(by(&["--row", "0", "--split", "all"])["split"], json!(null));
    let run = explain(&fitted, &["--data", "optdigits", "--row", "1797"]).ends_with(1);
    assert!(
        run.stderr.contains("there is no row 1797: the test split of optdigits has rows 0 to 1796"),
        "{}",
        run.stderr
    );
    let run = explain(&fitted, &["--data", "optdigits", "--row", &id]).ends_with(1);
    assert!(run.stderr.contains(&format!("hint: a row has that id: --id {id}")), "{}", run.stderr);
    let run = explain(&fitted, &["--data", "optdigits", "--id", "0"]).ends_with(1);
    assert!(run.stderr.contains("--split all"), "{}", run.stderr);
    let run = explain(&fitted, &["--data", "optdigits", "--row", "0", "--split", "validation"]).ends_with(1);
    assert!(run.stderr.contains("has none"), "{}", run.stderr);
    // Ids that are names.
    let places = places();
    let file = places.write("asked.csv", "id,east,north\nhome,1,1\nwork,20,30\n");
    let run = explain(&places, &["--data", &file, "--row", "work"]).ends_with(0);
    assert!(run.stdout.contains("work of "), "{}", run.stdout);
    let run = explain(&places, &["--data", &file, "--row", "wrok"]).ends_with(1);
    assert!(run.stderr.contains("no row of") && run.stderr.contains("did you mean work?"), "{}", run.stderr);
}

#[test]
fn values_typed_by_hand_are_read_as_a_file_would_be() {
    let fitted = penguins();
    let values = "Torgersen,39.1,18.7,181,3750,male,2007";
    let typed = explain(&fitted, &["--values", values, "--json"]).json();
    assert_keys(&typed, &DECISION_KEYS);
    assert_eq!((&typed["row"], &typed["answer"]["label"]), (&json!(null), &json!("Adelie")));
    let file = fitted.write("asked.csv", values.to_owned() + "\n");
    let read = explain(&fitted, &["--data", &file, "--row", "0", "--json"]).json();
    assert_eq!(typed["voters"], read["voters"]);
    assert_eq!(typed["query"]["features"], read["query"]["features"]);
    let text = explain(&fitted, &["--values", values]).ends_with(0);
    assert!(text.stdout.contains("values typed by hand: said Adelie"), "{}", text.stdout);
    let run = explain(&fitted, &["--values", "1,2"]).ends_with(1);
    assert!(run.stderr.contains("hint: the model wants 7 values: island,bill_length_mm"), "{}", run.stderr);
    let run = explain(&fitted, &["--values", &values.replace("39.1", "what")]).ends_with(1);
    assert!(run.stderr.contains("bill_length_mm") && run.stderr.contains("\"what\""), "{}", run.stderr);
    // Once all but the first of these was left out without a word.
    let run = explain(&fitted, &["--values", &format!("{values}\n{values}")]).ends_with(1);
    assert!(run.stderr.contains("--values is one row, but this has 2"), "{}", run.stderr);
    let negative = explain(&moons(), &["--values", "-1,0.5"]).ends_with(0);
    assert!(negative.stdout.contains("said "), "{}", negative.stdout);
}

#[test]
fn a_table_tells_the_features_that_differ() {
    let fitted = penguins();
    let file = command::fixture("penguins.csv");
    let file = file.to_str().expect("a plain path");
    let run = explain(&fitted, &["--data", file, "--missing", "drop", "--row", "7"]).ends_with(0);
    assert!(run.stdout.contains("feature") && run.stdout.contains("body_mass_g"), "{}", run.stdout);
    let object = explain(&fitted, &["--data", file, "--missing", "drop", "--row", "7", "--json"]).ends_with(0);
    let object: Value = serde_json::from_str(&object.stdout).expect("an object");
    let mass = object["query"]["features"].as_array().expect("a list").iter().find(|of| of["name"] == "body_mass_g");
    assert!(mass.is_some_and(|mass| mass["spread"].as_f64().is_some_and(|spread| spread > 500.0)), "{mass:?}");
}

#[test]
fn pages_are_written_whole() {
    let fitted = digits();
    let out = fitted.file("decision.html");
    let run = explain(&fitted, &["--data", "optdigits", "--row", "0", "--html", &out]).ends_with(0);
    assert!(run.stdout.contains("said 0") && run.stderr.contains("decision.html is written"), "{}", run.stderr);
    let page = fs::read_to_string(&out).expect("it is there");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("test row 0 of optdigits"));
    explain(&fitted, &["--data", "optdigits", "--row", "0", "--row", "1", "--html", &out]).ends_with(0);
    let page = fs::read_to_string(&out).expect("it is there");
    assert!(page.contains("test row 0 of optdigits") && page.contains("test row 1 of optdigits"));
    let run = explain(&fitted, &["--data", "optdigits", "--row", "0", "--html", "-"]).ends_with(0);
    assert!(run.stdout.starts_with("<!DOCTYPE html>") && !run.stdout.contains('█'));
    let both = explain(&fitted, &["--data", "optdigits", "--row", "0", "--html", "-", "--json"]).ends_with(2);
    assert!(both.json_error()["error"].as_str().is_some_and(|error| error.contains("--json and --html")));
    let run =
        explain(&fitted, &["--data", "optdigits", "--row", "0", "--html", &fitted.file("none/a.html")]).ends_with(1);
    assert!(run.stderr.contains("a.html: cannot be written"), "{}", run.stderr);
    assert_eq!(fitted.names(), ["decision.html", "model"]);
}

#[test]
fn forests_sets_and_other_tasks_are_explained_too() {
    let moons = || hedgerow::data::load("moons?n=200&noise=0.2&seed=7").expect("they are made");
    let forest = FitParams { structure: StructureParams::forest(), ..raw(StructureParams::tree()) };
    let forest = Fitted::new(moons(), &forest);
    let object = explain(&forest, &["--values", "0.5,0.2", "--json"]).json();
    assert_eq!(object["walks"].as_array().map(Vec::len), Some(50));
    assert_eq!(object["walks"][49]["tree"], 49);
    let text = explain(&forest, &["--values", "0.5,0.2"]).ends_with(0);
    assert!(text.stdout.contains("The walk through tree 0"), "{}", text.stdout);
    let set = Fitted::new(moons(), &raw(StructureParams::set()));
    assert_eq!(explain(&set, &["--values", "0.5,0.2", "--json"]).json()["walks"], json!([]));
    let value = explain(&line(), &["--values", "7.1", "--json"]).json();
    assert_eq!((&value["answer"]["label"], &value["rival"]), (&json!("7.5"), &json!(null)));
    let found = explain(&places(), &["--values", "2,3", "--json"]).json();
    assert_eq!(found["voters"][0]["source"], "school of places.csv");
    // What is unknown, with the reason.
    let unknown = explain(&set, &["--values", "500,500", "--reject-novelty", "0.01", "--json"]).json();
    assert_keys(&unknown["answer"], &["kind", "why", "instead_of"]);
    assert_eq!(unknown["answer"]["kind"], "unknown");
}

#[test]
fn what_is_to_be_explained_must_be_said() {
    let fitted = moons();
    for flags in [
        &[][..],
        &["--data", "moons"],
        &["--row", "0"],
        &["--values", "1,2", "--row", "0"],
        &["--values", "1,2", "--data", "moons"],
    ] {
        explain(&fitted, flags).ends_with(2);
    }
    let run = hedgerow(["explain", &fitted.file("none"), "--values", "1,2"]).run().ends_with(1);
    assert!(run.stderr.contains("there is no model here"), "{}", run.stderr);
}
