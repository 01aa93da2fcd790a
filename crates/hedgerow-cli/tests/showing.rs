//! `hedgerow demo`, `compare` and `report`: what is shown of models.

mod command;

use std::fs;
use std::path::Path;

use command::{assert_keys, hedgerow};
use tempfile::tempdir;

fn page(path: &Path) -> String {
    let page = fs::read_to_string(path).expect("the page is there");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page:.200}");
    page
}

#[test]
fn demo_compares_explains_and_writes_a_page_and_a_model() {
    let dir = tempdir().expect("a temporary folder");
    let run = hedgerow(["demo", "--save", "digits", "--row", "0"]).current_dir(dir.path()).run().ends_with(0);
    for method in ["exact 1-NN", "boundary tree", "boundary forest", "boundary set", "Hart", "NNet*", "DBS + tree"] {
        assert!(run.stdout.contains(method), "{method} is missing in\n{}", run.stdout);
    }
    assert!(run.stdout.contains("Why test picture 0?") && run.stdout.contains("To try next:"), "{}", run.stdout);
    assert!(run.stdout.contains('█'), "pictures are drawn");
    let page = page(&dir.path().join("report.html"));
    for section in ["Comparison", "Learning", "Map", "Tree", "Confusion", "Mistakes"] {
        assert!(page.contains(section), "{section} is missing");
    }
    // What it suggests to try next works with what it has kept.
    let out = dir.path().join("again.html");
    let report = ["report", "digits", "--data", "optdigits", "--json", "--out"];
    let arguments = report.iter().map(Path::new).chain([out.as_path()]);
    let answer = hedgerow(arguments).current_dir(dir.path()).run().json();
    assert_keys(&answer, &["report", "data", "n_queries", "error_percent", "nodes"]);
    assert_eq!(answer["n_queries"], 1797);
    self::page(&out);
}

#[test]
fn demo_as_json_has_the_table() {
    let dir = tempdir().expect("a temporary folder");
    let answer = hedgerow(["demo", "--json", "--ascii", "--seed", "1"]).current_dir(dir.path()).run().json();
    assert_keys(&answer, &["data", "n_train", "n_test", "methods", "rows", "explained_row", "report", "model"]);
    let methods = answer["methods"].as_array().expect("a list");
    assert_eq!(methods.len(), 7);
    let exact = &methods[0];
    assert_eq!(exact["name"], "exact 1-NN");
    // 36 of 1797, as everyone finds.
    assert!((exact["error_percent"].as_f64().expect("a number") - 100.0 * 36.0 / 1797.0).abs() < 1e-9, "{exact}");
}

#[test]
fn demo_refuses_what_it_cannot_show_or_write() {
    let dir = tempdir().expect("a temporary folder");
    let run = hedgerow(["demo", "--row", "1797"]).current_dir(dir.path()).run().ends_with(1);
    assert!(run.stderr.contains("0 to 1796"), "{}", run.stderr);
    let run = hedgerow(["demo", "--out", "no/such/folder/report.html"]).current_dir(dir.path()).run().ends_with(1);
    assert!(run.stderr.contains("no/such/folder/report.html"), "{}", run.stderr);
}

#[test]
fn compare_divides_data_without_a_test_part_and_gives_means_and_spreads() {
    let dir = tempdir().expect("a temporary folder");
    let names = ["--only", "exact 1-NN", "--only", "boundary tree"];
    let data = ["compare", "--data", "moons?n=300&noise=0.2&seed=1", "--seeds", "2"];
    let files = ["--csv", "runs.csv", "--html", "page.html", "--json"];
    let arguments = data.iter().chain(&names).chain(&files);
    let answer = hedgerow(arguments).current_dir(dir.path()).run().json();
    assert_keys(&answer, &["data", "n_train", "n_test", "methods", "rows"]);
    assert_eq!((&answer["n_train"], &answer["n_test"]), (&240.into(), &60.into()));
    assert_eq!(answer["rows"].as_array().expect("a list").len(), 4);
    // Exact neighbors are the same whatever the seed.
    assert_eq!(answer["methods"][0]["error_percent_spread"], 0.0);
    let csv = fs::read_to_string(dir.path().join("runs.csv")).expect("the file is there");
    assert_eq!(csv.lines().count(), 5);
    page(&dir.path().join("page.html"));
    let text = hedgerow(data.iter().chain(&names)).run().ends_with(0).stdout;
    assert!(text.contains("± 0.00"), "{text}");
}

#[test]
fn compare_refuses_with_a_remedy() {
    let run = hedgerow(["compare", "--data", "optdigits", "--only", "boundary tre"]).run().ends_with(1);
    assert!(run.stderr.contains("did you mean \"boundary tree\""), "{}", run.stderr);
    let run = hedgerow(["compare", "--data", "optdigitz"]).run().ends_with(1);
    assert!(run.stderr.contains("optdigits"), "{}", run.stderr);
    hedgerow(["compare", "--data", "optdigits", "--seeds", "0"]).run().ends_with(2);
}

#[test]
fn report_refuses_models_and_splits_that_are_not_there() {
    let dir = tempdir().expect("a temporary folder");
    let run = hedgerow(["report", "nothing", "--data", "optdigits"]).current_dir(dir.path()).run().ends_with(1);
    assert!(run.stderr.contains("there is no model here"), "{}", run.stderr);
    let moons = "moons?n=100";
    let fit = ["fit", "--data", moons, "--method", "none", "--out", "model"];
    hedgerow(fit).current_dir(dir.path()).run().ends_with(0);
    let report =
        |split: &str| hedgerow(["report", "model", "--data", moons, "--split", split]).current_dir(dir.path()).run();
    let run = report("test").ends_with(1);
    assert!(run.stderr.contains("has no rows of the split test; it has 100 train"), "{}", run.stderr);
    assert!(!dir.path().join("report.html").exists());
    report("train").ends_with(0);
    page(&dir.path().join("report.html"));
}
