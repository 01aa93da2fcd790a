//! `hedgerow add`, `remove`, `relabel`, `history`, `replay`: learning after deployment, undone, proved, and killed at any moment.

mod command;

use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use command::{Hedgerow, assert_keys, hedgerow};
use hedgerow::data::{self, Dataset};
use hedgerow::learn::TrainingParams;
use hedgerow::random::SplitMix64;
use hedgerow::{ExampleId, FitOptions, FitParams, History, Model, StructureParams, Task};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

fn fit(dataset: &Dataset, params: &FitParams) -> Model {
    Model::fit(dataset, params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).expect("it can be fitted")
}

/// A folder with a model `model` of moons, in a learned space or not.
fn moons(learned: bool) -> TempDir {
    let folder = tempdir().expect("a temporary folder");
    let learning = TrainingParams { layers: Some(vec![8, 2]), epochs: Some(2), ..TrainingParams::default() };
    let params = FitParams { learning: learned.then_some(learning), ..FitParams::default() };
    let moons = data::load("moons?n=120&noise=0.2&seed=7").expect("it is made on the spot");
    fit(&moons, &params).save(folder.path().join("model")).expect("it can be saved");
    folder
}

/// A folder with a model of flowers, which have a colour.
fn flowers() -> TempDir {
    let folder = tempdir().expect("a temporary folder");
    let csv = "stem,colour,species\n1.0,red,rose\n1.2,red,rose\n3.0,white,lily\n3.3,white,lily\n2.9,blue,lily\n";
    let flowers = data::read_bytes("flowers.csv", csv.as_bytes(), &data::ReadOptions::default()).expect("a good file");
    let params = FitParams { learning: None, ..FitParams::default() };
    fit(&flowers, &params).save(folder.path().join("model")).expect("it can be saved");
    folder
}

fn run_in(folder: &TempDir, arguments: &[&str]) -> Hedgerow {
    hedgerow(arguments).current_dir(folder.path())
}

fn load(folder: &TempDir) -> Model {
    Model::load(folder.path().join("model")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn rows_of_a_file_are_added_all_at_once() {
    let folder = moons(false);
    fs::write(folder.path().join("new.csv"), "x,y,label\n3,3,moonlet\n3,3.1,moonlet\n0,1,0\n").expect("it is written");
    let answer = run_in(
        &folder,
        &["add", "model", "--data", "new.csv", "--label-column", "label", "--note", "seen at night", "--json"],
    )
    .run()
    .json();
    let keys =
        ["model", "added", "stored", "redundant", "new_classes", "first_change", "last_change", "nodes", "examples"];
    assert_keys(&answer, &keys);
    assert_keys(&answer["examples"][0], &["id", "row", "label", "stored"]);
    assert_eq!(answer["model"], "model");
    assert_eq!((answer["added"].clone(), answer["new_classes"].clone()), (json!(3), json!(["moonlet"])));
    assert_eq!((answer["first_change"].clone(), answer["last_change"].clone()), (json!(1), json!(3)));
    assert_eq!(answer["examples"][0], json!({"id": 120, "row": "0", "label": "moonlet", "stored": true}));
    assert_eq!(answer["examples"][1]["stored"], false);
    let model = load(&folder);
    assert_eq!(answer["nodes"], model.search().n_stored());
    assert_eq!(model.class_names(), ["0", "1", "moonlet"]);
    let history = model.history().expect("it can be read");
    assert!(history.iter().all(|entry| entry.note.as_deref() == Some("seen at night")));
    // The same for people.
    let text = run_in(&folder, &["add", "model", "--data", "new.csv", "--label-column", "label"]).run().ends_with(0);
    assert!(text.stdout.contains("example 123 (row 0, moonlet): redundant"), "{}", text.stdout);
    assert!(text.stdout.contains("added 3 examples: ") && text.stdout.contains("changes 4 to 6"), "{}", text.stdout);
    assert_eq!(text.stderr, "");
}

#[test]
fn streams_labels_ids_and_splits_are_taken() {
    let folder = moons(true);
    let stream = run_in(&folder, &["add", "model", "--data", "-", "--label", "far", "--id", "900,901", "--json"]);
    let answer = stream.stdin("5,5\n5,6\n").run().json();
    assert_eq!((answer["examples"][1]["id"].clone(), answer["new_classes"].clone()), (json!(901), json!(["far"])));
    let again =
        run_in(&folder, &["add", "model", "--values", "5,5", "--label", "far", "--id", "900"]).run().ends_with(1);
    assert!(again.stderr.contains("example 900 already"), "{}", again.stderr);
    let next = run_in(&folder, &["add", "model", "--values", "-5,5e-1", "--label", "far", "--json"]).run().json();
    assert_eq!(next["examples"][0]["id"], 902);
    let few =
        run_in(&folder, &["add", "model", "--values", "1,1", "--label", "0", "--id", "1000,1001"]).run().ends_with(2);
    assert!(few.stderr.contains("2 ids and 1 row"), "{}", few.stderr);
    let digits = tempdir().expect("a temporary folder");
    let optdigits = data::load("optdigits").expect("it is compiled in");
    let params = FitParams { learning: None, ..FitParams::default() };
    fit(&optdigits, &params).save(digits.path().join("model")).expect("it can be saved");
    let test = run_in(&digits, &["add", "model", "--data", "optdigits", "--split", "test", "--json"]).run().json();
    assert_eq!((test["added"].clone(), test["examples"][0]["id"].clone()), (json!(1797), json!(3823)));
    let text = run_in(&digits, &["add", "model", "--data", "optdigits", "--split", "test"]).run().ends_with(0);
    assert_eq!(text.stdout.lines().count(), 1, "{}", text.stdout);
}

#[test]
fn values_are_read_as_the_columns_of_the_model_are() {
    let folder = flowers();
    let answer = run_in(&folder, &["add", "model", "--values", "2,blue", "--label", "aster", "--json"]).run().json();
    assert_eq!(answer["new_classes"], json!(["aster"]));
    let id = ExampleId(answer["examples"][0]["id"].as_u64().expect("a number"));
    let original = load(&folder).original(id).expect("it is kept");
    assert_eq!(original.view().as_f32().expect("numbers"), [2.0, 1.0, 0.0, 0.0]);
    for (values, words) in [
        ("2,green", &["green", "colour"][..]),
        ("2", &["stem", "colour"]),
        ("2,blue,7", &["stem", "colour"]),
        ("tall,blue", &["tall", "stem"]),
        ("", &["stem"]),
    ] {
        let run = run_in(&folder, &["add", "model", "--values", values, "--label", "aster"]).run().ends_with(1);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{values}: {}", run.stderr);
    }
    // Two rows are not one, and the flags about reading count.
    let two = run_in(&folder, &["add", "model", "--values", "2,blue\n3,red", "--label", "aster"]).run().ends_with(1);
    assert!(two.stderr.contains("--values is one row, but this has 2"), "{}", two.stderr);
    assert_eq!(load(&folder).n_changes(), 1);
    let flags = ["--delimiter", ";", "--decimal", "comma", "--unknown-category", "zeros"];
    let arguments = [&["add", "model", "--values", "2,5;green", "--label", "aster", "--json"][..], &flags].concat();
    let id = run_in(&folder, &arguments).run().json()["examples"][0]["id"].as_u64().expect("a number");
    let original = load(&folder).original(ExampleId(id)).expect("it is kept");
    assert_eq!(original.view().as_f32().expect("numbers"), [2.5, 0.0, 0.0, 0.0]);
}

#[test]
fn what_cannot_be_added_is_refused_as_a_whole() {
    let folder = moons(true);
    let refused = |text: &str, flags: &[&str], words: &[&str]| {
        let arguments = [&["add", "model", "--data", "-"], flags].concat();
        let run = run_in(&folder, &arguments).stdin(text).run().ends_with(1);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{}", run.stderr);
        assert_eq!(run.stdout, "");
        assert_eq!(load(&folder).n_changes(), 0);
    };
    let labels = ["--label-column", "label"];
    refused("x,y,label\n1,1,0\n2,2,\n", &labels, &["row 1", "no label", "hint: ", "--label"]);
    // The model's own data had no such column.
    refused("x,y,label\n1,1,0\n", &[], &["row 0", "no label", "--label-column"]);
    refused("x,y\n1,1\n", &[], &["no label"]);
    refused("x,y,label\n1,1,0\n2,w,0\n", &[], &["\"w\""]);
    refused("x,label\n1,0\n", &[], &["error: "]);
    refused("x,y,label\n", &["--label", "1"], &["no rows"]);
    refused("x,y,label\n1,1,0\n", &["--label", " "], &["without a label"]);
    refused("x,y,label\n1,1,0\n1,1,0\n", &["--label", "0", "--id", "3,3"], &["example 3"]);
    let none = run_in(&folder, &["add", "mdel", "--values", "1,1", "--label", "0"]).run().ends_with(1);
    assert!(none.stderr.contains("did you mean model?"), "{}", none.stderr);
    for bad in [&["add", "model"][..], &["add"], &["add", "model", "--data", "a", "--values", "1"]] {
        run_in(&folder, bad).run().ends_with(2);
    }
    let error = run_in(&folder, &["add", "model", "--data", "nothing.csv", "--json"]).run().ends_with(1).json_error();
    assert_eq!(error["exit_code"], 1);
}

#[test]
fn removing_says_what_it_did_and_what_it_cannot_do() {
    let folder = moons(true);
    let stored = load(&folder).search().stored_ids();
    let (first, second) = (stored[0].0.to_string(), stored[1].0.to_string());
    let answer = run_in(&folder, &["remove", "model", &first, &second, "--note", "asked to", "--json"]).run();
    assert!(answer.stderr.contains("representation still carries"), "{}", answer.stderr);
    let answer = answer.json();
    assert_keys(&answer, &["model", "removed", "first_change", "last_change", "nodes", "representation_carries"]);
    assert_keys(&answer["removed"][0], &["id", "label", "was_stored", "replayed"]);
    assert_eq!(answer["representation_carries"], true);
    assert_eq!((answer["removed"][0]["was_stored"].clone(), answer["last_change"].clone()), (json!(true), json!(2)));
    let model = load(&folder);
    assert!(model.search().example(stored[0]).is_none() && model.is_what_its_history_gives().expect("it is kept"));
    let third = model.search().stored_ids()[2].0.to_string();
    let run = run_in(&folder, &["remove", "model", &third]).run().ends_with(0);
    assert!(run.stdout.contains("was stored: ") && run.stdout.contains("change 3"), "{}", run.stdout);
    assert!(run.stderr.contains("representation still carries"), "{}", run.stderr);
    // All or none, and what may have been meant.
    let gone = run_in(&folder, &["remove", "model", "5", &first]).run().ends_with(1);
    assert!(gone.stderr.contains("change 1 has removed it"), "{}", gone.stderr);
    let unknown = run_in(&folder, &["remove", "model", "5", "5000"]).run().ends_with(1);
    assert!(unknown.stderr.contains("5000") && unknown.stderr.contains("from 0 to 119"), "{}", unknown.stderr);
    let twice = run_in(&folder, &["remove", "model", "5", "5"]).run().ends_with(1);
    assert!(twice.stderr.contains("the id 5 is given twice"), "{}", twice.stderr);
    run_in(&folder, &["remove", "model"]).run().ends_with(2);
    run_in(&folder, &["remove", "model", "-1"]).run().ends_with(2);
    assert_eq!(load(&folder).n_changes(), 3);
    let help = hedgerow(["remove", "--help"]).run().ends_with(0).stdout;
    assert!(help.contains("representation still carries"), "{help}");
    // Nothing learned carries nothing.
    let raw = moons(false);
    let answer = run_in(&raw, &["remove", "model", "5", "--json"]).run();
    assert_eq!((answer.json()["representation_carries"].clone(), answer.stderr.as_str()), (json!(false), ""));
}

#[test]
fn relabelling_says_what_it_did() {
    let folder = moons(false);
    let id = load(&folder).search().stored_ids()[0].0;
    let answer = run_in(&folder, &["relabel", "model", &id.to_string(), "moonlet", "--json"]).run().json();
    let keys =
        ["model", "id", "old_label", "label", "new_class", "was_stored", "is_stored", "replayed", "change", "nodes"];
    assert_keys(&answer, &keys);
    assert_eq!((answer["label"].clone(), answer["new_class"].clone()), (json!("moonlet"), json!(true)));
    assert_eq!((answer["is_stored"].clone(), answer["change"].clone()), (json!(true), json!(1)));
    let run = run_in(&folder, &["relabel", "model", &id.to_string(), "1", "--note", "no, it is"]).run().ends_with(0);
    assert!(run.stdout.contains("moonlet -> 1") && run.stdout.contains("taken anew"), "{}", run.stdout);
    let unknown = run_in(&folder, &["relabel", "model", "5000", "1"]).run().ends_with(1);
    assert!(unknown.stderr.contains("hint: ids are those"), "{}", unknown.stderr);
    run_in(&folder, &["relabel", "model", "5", ""]).run().ends_with(1);
    run_in(&folder, &["relabel", "model", "5"]).run().ends_with(2);
    assert_eq!(load(&folder).n_changes(), 2);
}

#[test]
fn values_and_retrieval_have_labels_of_their_own() {
    let folder = tempdir().expect("a temporary folder");
    let csv = "a,b,value\n0,0,1.5\n1,0,2.5\n0,1,0.25\n5,5,9.75\n";
    let table = data::read_bytes("t.csv", csv.as_bytes(), &data::ReadOptions::default()).expect("a good file");
    let params = FitParams { learning: None, ..FitParams::default() };
    fit(&table, &params).save(folder.path().join("model")).expect("it can be saved");
    run_in(&folder, &["add", "model", "--values", "9,9", "--label", "12.5"]).run().ends_with(0);
    run_in(&folder, &["relabel", "model", "0", "-3.5"]).run().ends_with(0);
    let bad = run_in(&folder, &["add", "model", "--values", "9,9", "--label", "high"]).run().ends_with(1);
    assert!(bad.stderr.contains("\"high\" is not a number"), "{}", bad.stderr);
    let other = folder.path().join("other");
    fit(&table, &FitParams { task: Some(Task::Retrieval), ..params }).save(other).expect("it can be saved");
    let answer = run_in(&folder, &["add", "other", "--values", "9,9", "--json"]).run().json();
    assert_eq!((answer["examples"][0]["label"].clone(), answer["stored"].clone()), (json!(null), json!(1)));
}

#[test]
fn history_tells_every_change() {
    let folder = moons(true);
    let empty = run_in(&folder, &["history", "model"]).run().ends_with(0);
    assert_eq!(empty.stdout, "");
    assert!(empty.stderr.contains("nothing was changed"), "{}", empty.stderr);
    assert_eq!(run_in(&folder, &["history", "model", "--json"]).run().json()["changes"], json!([]));
    run_in(&folder, &["add", "model", "--values", "3,3", "--label", "far", "--note", "a\tb\x1b[2J"]).run().ends_with(0);
    run_in(&folder, &["relabel", "model", "120", "0"]).run().ends_with(0);
    run_in(&folder, &["remove", "model", "7"]).run().ends_with(0);
    let answer = run_in(&folder, &["history", "model", "--json"]).run().json();
    assert_keys(&answer, &["model", "changes"]);
    let changes = answer["changes"].as_array().expect("a list");
    assert_keys(&changes[0], &["number", "at", "action", "example", "label", "note"]);
    let told: Vec<Value> =
        changes.iter().map(|c| json!([c["number"], c["action"], c["example"], c["label"]])).collect();
    let expected = json!([[1, "add", 120, "far"], [2, "relabel", 120, "0"], [3, "remove", 7, null]]);
    assert_eq!(Value::Array(told), expected);
    let at = changes[0]["at"].as_str().expect("a text");
    assert!(at.len() == 20 && at.starts_with("20") && at.ends_with('Z') && at.contains('T'), "{at}");
    let text = run_in(&folder, &["history", "model"]).run().ends_with(0);
    assert_eq!(text.stdout.lines().count(), 4, "{}", text.stdout);
    assert!(text.stdout.contains(at) && !text.stdout.contains('\x1b'), "{}", text.stdout);
    let none = run_in(&folder, &["history", "nothing"]).run().ends_with(1);
    assert!(none.stderr.contains("there is no model here"), "{}", none.stderr);
}

#[test]
fn replay_proves_and_undoes() {
    let folder = moons(true);
    let fitted = load(&folder);
    for verb in [&["add", "model", "--values", "3,3", "--label", "far"][..], &["remove", "model", "7"]] {
        run_in(&folder, verb).run().ends_with(0);
    }
    let answer = run_in(&folder, &["replay", "model", "--json"]).run().json();
    assert_keys(&answer, &["model", "changes", "examples", "nodes", "same", "seconds", "out"]);
    assert_eq!(
        (answer["same"].clone(), answer["changes"].clone(), answer["examples"].clone()),
        (json!(true), json!(2), json!(120))
    );
    let text = run_in(&folder, &["replay", "model", "--until", "1"]).run().ends_with(0);
    assert!(text.stdout.contains("121 examples, 1 change since the fit: the same structure"), "{}", text.stdout);
    let undone = run_in(&folder, &["replay", "model", "--until", "0", "--out", "old", "--json"]).run().json();
    assert_eq!((undone["out"].clone(), undone["changes"].clone()), (json!("old"), json!(0)));
    let old = Model::load(folder.path().join("old")).expect("it was written");
    assert_eq!(old.structure(), fitted.structure());
    // Another model is replaced only if that is asked for.
    let taken = run_in(&folder, &["replay", "model", "--out", "old"]).run().ends_with(1);
    assert!(taken.stderr.contains("--force"), "{}", taken.stderr);
    run_in(&folder, &["replay", "model", "--out", "old", "--force"]).run().ends_with(0);
    assert_eq!(Model::load(folder.path().join("old")).expect("it was written").structure(), load(&folder).structure());
    let late = run_in(&folder, &["replay", "model", "--until", "3"]).run().ends_with(1);
    assert!(late.stderr.contains("from 0 to 2"), "{}", late.stderr);
    run_in(&folder, &["replay", "model", "--force"]).run().ends_with(2);
    // A lost journal is told, with the way out.
    fs::remove_file(folder.path().join("model/journal.sqlite")).expect("it is there");
    let lost = run_in(&folder, &["replay", "model"]).run().ends_with(1);
    assert!(lost.stderr.contains("journal.sqlite"), "{}", lost.stderr);
    run_in(&folder, &["replay", "model", "--until", "0", "--out", "rescued"]).run().ends_with(0);
}

#[test]
fn what_cannot_be_proved_or_edited_says_why() {
    let folder = tempdir().expect("a temporary folder");
    let moons = data::load("moons?n=120&noise=0.2&seed=7").expect("it is made on the spot");
    let params = FitParams { learning: None, history: History::NodesOnly, ..FitParams::default() };
    fit(&moons, &params).save(folder.path().join("model")).expect("it can be saved");
    let id = load(&folder).search().stored_ids()[0].0.to_string();
    for verb in [&["replay", "model"][..], &["remove", "model", &id], &["relabel", "model", &id, "1"]] {
        let run = run_in(&folder, verb).run().ends_with(1);
        assert!(run.stderr.contains("history is nodes only"), "{}", run.stderr);
    }
    run_in(&folder, &["add", "model", "--values", "9,9", "--label", "far"]).run().ends_with(0);
}

#[test]
fn a_damaged_model_is_refused_by_every_verb() {
    let folder = moons(false);
    let arrays = folder.path().join("model/model.safetensors");
    let mut bytes = fs::read(&arrays).expect("it is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&arrays, bytes).expect("it can be written");
    let verbs: [&[&str]; 5] = [
        &["add", "model", "--values", "1,1", "--label", "0"],
        &["remove", "model", "1"],
        &["relabel", "model", "1", "0"],
        &["history", "model"],
        &["replay", "model"],
    ];
    for verb in verbs {
        let run = run_in(&folder, verb).run().ends_with(1);
        assert!(run.stderr.contains("model.safetensors") && run.stderr.contains("damaged"), "{}", run.stderr);
    }
}

#[test]
fn several_at_once_all_succeed() {
    let folder = moons(true);
    let start = |number: usize| {
        let note = number.to_string();
        let values = format!("{number},{number}");
        run_in(&folder, &["add", "model", "--values", &values, "--label", "many", "--note", &note]).start()
    };
    let running: Vec<Child> = (0..8).map(start).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let model = load(&folder);
    let mut notes: Vec<String> =
        model.history().expect("it is read").into_iter().filter_map(|entry| entry.note).collect();
    notes.sort();
    assert_eq!(notes, ["0", "1", "2", "3", "4", "5", "6", "7"]);
    assert!(model.is_what_its_history_gives().expect("it is kept"));
}

/// Found by running it: `replay` onto its own folder wrote what it had loaded, and examples that others had added meanwhile were gone.
#[test]
fn writing_a_model_anew_in_its_place_keeps_what_others_add_meanwhile() {
    let folder = moons(false);
    run_in(&folder, &["add", "model", "--values", "3,3", "--label", "far"]).run().ends_with(0);
    let ways = [&["replay", "model", "--fold"][..], &["replay", "model", "--out", "model", "--force"]];
    let mut n_added = 1;
    for round in 0..6 {
        let fold = run_in(&folder, ways[round % 2]).start();
        let running: Vec<Child> = (0..2)
            .map(|number| {
                let values = format!("{round},{number}");
                run_in(&folder, &["add", "model", "--values", &values, "--label", "far"]).start()
            })
            .collect();
        for child in running {
            let output = child.wait_with_output().expect("it ends");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() || told.contains("saved in this place meanwhile"), "{told}");
            n_added += usize::from(output.status.success());
        }
        let folded = fold.wait_with_output().expect("it ends");
        assert!(folded.status.success(), "{}", String::from_utf8_lossy(&folded.stderr));
        assert_eq!(load(&folder).history().expect("it is read").len(), n_added, "round {round}");
    }
    run_in(&folder, &["replay", "model", "--fold"]).run().ends_with(0);
    // All changes are in the arrays now: earlier moments are not known any more, the history is.
    let early = run_in(&folder, &["replay", "model", "--until", "0"]).run().ends_with(1);
    assert!(early.stderr.contains("saved anew"), "{}", early.stderr);
    assert_eq!(load(&folder).history().expect("it is read").len(), n_added);
    run_in(&folder, &["replay", "model", "--fold", "--out", "other"]).run().ends_with(2);
}

/// Whether SQLite has what it takes to undo a change: one is under way, or was when its writer was killed.
fn is_changing(model: &Path) -> bool {
    let mut first = [0];
    let file = fs::File::open(model.join("journal.sqlite-journal"));
    file.and_then(|mut file| file.read(&mut first)).is_ok_and(|n| n == 1 && first[0] != 0)
}

/// What a command that is killed was to do.
struct Attempt {
    arguments: Vec<String>,
    /// Entries of the journal with its note, if it was done.
    n_entries: usize,
}

#[test]
fn a_hundred_kills_lose_nothing_that_was_acknowledged() {
    const KILLS: usize = 100;
    let seed = std::env::var("HEDGEROW_KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = SplitMix64::new(seed, 77);
    let folder = moons(true);
    fs::write(folder.path().join("new.csv"), "x,y,label\n3,3,far\n-3,3,0\n3,-3,further\n").expect("it is written");
    let model_folder = folder.path().join("model");
    let out = folder.path().join("out");
    load(&folder).save(&out).expect("it can be saved");
    let begun = Instant::now();
    run_in(&folder, &["add", "model", "--data", "new.csv", "--label-column", "label", "--note", "before"])
        .run()
        .ends_with(0);
    let usual = begun.elapsed();
    let mut known = 3;
    let (mut n_killed, mut n_done, mut n_undone) = (0, 0, 0);
    for kill in 0.. {
        if n_killed == KILLS {
            break;
        }
        assert!(kill < 20 * KILLS, "only {n_killed} of {kill} were still running when they were to be killed");
        let before = load(&folder);
        let attempt = attempt(kill, &before, &mut random);
        let mut child = run_in(&folder, &attempt.arguments.iter().map(String::as_str).collect::<Vec<_>>()).start();
        let (is_writing, moment) = (random.below(2) == 0, random.unit());
        if is_writing {
            // Writing is the shortest part and the one that matters: half of the kills wait for it.
            let begun = Instant::now();
            while !is_changing(&model_folder) && begun.elapsed() < 2 * usual {
                std::hint::spin_loop();
            }
            let wait = Instant::now();
            while wait.elapsed() < Duration::from_secs_f64(moment * 0.0015) {
                std::hint::spin_loop();
            }
        } else {
            thread::sleep(usual.mul_f64(moment * 1.3));
        }
        child.kill().expect("it is still known");
        let output = child.wait_with_output().expect("it ends");
        n_undone += usize::from(is_changing(&model_folder));
        // Exit code 0, or anything of the answer, acknowledges the whole change.
        let is_acknowledged = output.status.success() || !output.stdout.is_empty();
        let line = format!("seed {seed}, kill {kill}: {}", attempt.arguments.join(" "));
        assert!(
            output.status.code().is_none_or(|code| code == 0),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let after = Model::load(&model_folder).unwrap_or_else(|error| panic!("{line}: {error}"));
        let history = after.history().expect("it can be read");
        let note = kill.to_string();
        let n_there = history.iter().filter(|entry| entry.note.as_deref() == Some(&note)).count();
        assert!(n_there == 0 || n_there == attempt.n_entries, "{line}: {n_there} of {}", attempt.n_entries);
        assert!(!is_acknowledged || n_there == attempt.n_entries, "{line}: acknowledged and lost");
        // Everything of before is there, and nothing else.
        assert_eq!(history.len(), known + n_there, "{line}");
        assert_eq!(history[..known], before.history().expect("it can be read"), "{line}");
        known = history.len();
        Model::load(&out).unwrap_or_else(|error| panic!("{line}: {error}"));
        if kill % 10 == 0 {
            assert!(after.is_what_its_history_gives().expect("it is kept"), "{line}");
        }
        if output.status.success() { n_done += 1 } else { n_killed += 1 }
    }
    assert!(load(&folder).is_what_its_history_gives().expect("it is kept"));
    println!(
        "{n_killed} were killed, {n_undone} of them in the middle of a change that had to be undone; {n_done} ended before"
    );
}

fn attempt(kill: usize, model: &Model, random: &mut SplitMix64) -> Attempt {
    let note = kill.to_string();
    let ids = model.search().kept_ids();
    let id = ids[random.below(ids.len())].0.to_string();
    let (arguments, n_entries): (Vec<&str>, usize) = match random.below(10) {
        0 => (vec!["remove", "model", &id], 1),
        1 => (vec!["relabel", "model", &id, "far"], 1),
        2 => (vec!["replay", "model", "--out", "out", "--force"], 0),
        _ => (vec!["add", "model", "--data", "new.csv", "--label-column", "label"], 3),
    };
    let mut arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    if n_entries > 0 {
        arguments.extend(["--note".to_owned(), note]);
    }
    Attempt { arguments, n_entries }
}

/// Where the tests run as root, who may write everywhere, the command runs as nobody.
#[cfg(unix)]
#[test]
fn a_model_that_may_not_be_written_to_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65534;
    let folder = moons(true);
    run_in(&folder, &["add", "model", "--values", "3,3", "--label", "far"]).run().ends_with(0);
    let program = folder.path().join("hedgerow");
    fs::copy(env!("CARGO_BIN_EXE_hedgerow"), &program).expect("it can be copied");
    let allow = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("they can be set");
    };
    allow(&folder.path().join("model"), 0o555);
    allow(&folder.path().join("model/journal.sqlite"), 0o444);
    allow(folder.path(), 0o755);
    let is_root = fs::write(folder.path().join("model/probe"), "").is_ok();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.args(arguments).current_dir(folder.path());
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output()
    };
    let Ok(history) = run(&["history", "model"]) else { return }; // no other user can be had here
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(history.status.success() && text(&history.stdout).contains("far"), "{}", text(&history.stderr));
    assert!(run(&["replay", "model"]).expect("as before").status.success());
    let refused = run(&["add", "model", "--values", "1,1", "--label", "0"]).expect("as before");
    assert_eq!(refused.status.code(), Some(1));
    let stderr = text(&refused.stderr);
    assert!(stderr.contains("journal.sqlite") && stderr.contains("allow writing"), "{stderr}");
    allow(&folder.path().join("model"), 0o755);
}

#[test]
fn every_structure_can_be_changed() {
    let structures =
        [StructureParams::tree(), StructureParams::forest(), StructureParams::set(), StructureParams::knn(3)];
    for structure in structures {
        let folder = tempdir().expect("a temporary folder");
        let moons = data::load("moons?n=80&noise=0.2&seed=7").expect("it is made on the spot");
        let params = FitParams { learning: None, structure: structure.clone(), ..FitParams::default() };
        fit(&moons, &params).save(folder.path().join("model")).expect("it can be saved");
        for verb in [
            &["add", "model", "--values", "3,3", "--label", "far"][..],
            &["relabel", "model", "80", "1"],
            &["remove", "model", "3"],
            &["replay", "model"],
        ] {
            run_in(&folder, verb).run().ends_with(0);
        }
    }
}
