//! Whole answers of the verbs that tell of a model, compared with `tests/golden`. The model is of raw features, whose bits no processor
//! changes; times, sizes in memory and dates are left out.

mod command;

use command::{assert_golden, hedgerow};
use tempfile::{TempDir, tempdir};

const DATA: &str = "moons?n=24&noise=0.15&seed=7";
const OTHERS: &str = "moons?n=8&noise=0.15&seed=8";

/// A folder with a model `moons` that has learned on.
fn changed() -> TempDir {
    let dir = tempdir().expect("a temporary folder");
    answer(&dir, &["fit", "--data", DATA, "--method", "none", "--structure", "tree", "--out", "moons"]);
    answer(&dir, &["add", "moons", "--values", "3,3", "--label", "moonlet", "--note", "seen at night"]);
    answer(&dir, &["relabel", "moons", "24", "1"]);
    answer(&dir, &["remove", "moons", "3", "--note", "asked to"]);
    dir
}

#[track_caller]
fn answer(dir: &TempDir, arguments: &[&str]) -> String {
    hedgerow(arguments).current_dir(dir.path()).env("COLUMNS", "90").run().ends_with(0).stdout
}

/// The text without the lines that begin with one of these words.
fn without(text: &str, words: &[&str]) -> String {
    let is_kept = |line: &&str| !words.iter().any(|word| line.starts_with(word));
    text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
}

/// All moments made the same.
fn without_dates(text: &str) -> String {
    let is_date = |word: &str| word.len() == 20 && word.contains('T') && word.ends_with('Z');
    text.split(' ').map(|word| if is_date(word) { "2026-01-01T00:00:00Z" } else { word }).collect::<Vec<_>>().join(" ")
}

#[test]
fn answers_are_as_recorded() {
    let dir = changed();
    assert_golden("history.txt", &without_dates(&answer(&dir, &["history", "moons"])));
    assert_golden("predict.csv", &answer(&dir, &["predict", "moons", "--data", OTHERS, "--reject-novelty", "0.2"]));
    assert_golden("neighbors.csv", &answer(&dir, &["neighbors", "moons", "--data", OTHERS, "-k", "2"]));
    assert_golden("explain.txt", &answer(&dir, &["explain", "moons", "--values", "0.5,0.2"]));
    let evaluation = answer(&dir, &["evaluate", "moons", "--data", OTHERS]);
    assert_golden("evaluate.txt", &without(&evaluation, &["time", "memory"]));
    let inspected = answer(&dir, &["inspect", "moons"]);
    let inspected = without(&inspected, &["stored"]).replace(env!("CARGO_PKG_VERSION"), "(version)");
    assert_golden("inspect.txt", &inspected);
    assert_golden("inspect.dot", &answer(&dir, &["inspect", "moons", "--dot"]));
}
