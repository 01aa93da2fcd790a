//! `hedgerow demo`, `compare` and `report`: what is shown of models.

mod command;
mod models;

use std::fs;
use std::path::Path;

use command::{assert_keys, hedgerow};
use hedgerow::{Rejection, StructureParams};
use models::{Fitted, digits, raw};
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
    // A model that is there is not lost, and that is said before anything is fitted.
    let before = fs::read(dir.path().join("digits/config.json")).expect("it is there");
    let again = hedgerow(["demo", "--save", "digits"]).current_dir(dir.path()).run().ends_with(1);
    assert!(again.stderr.contains("digits: there is a model here already"), "{}", again.stderr);
    assert!(again.stderr.contains("--force") && !again.stderr.contains("Fitting"), "{}", again.stderr);
    assert_eq!(fs::read(dir.path().join("digits/config.json")).expect("it is there"), before);
    let force = ["demo", "--save", "digits", "--force", "--seed", "1", "-q", "--out", "-"];
    let run = hedgerow(force).current_dir(dir.path()).run().ends_with(0);
    assert_ne!(fs::read(dir.path().join("digits/config.json")).expect("it is there"), before);
    assert!(run.stdout.starts_with("<!DOCTYPE html>") && run.stdout.trim_end().ends_with("</html>"), "only the page");
    assert!(!dir.path().join("-").exists());
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
    assert!(!run.stderr.contains("Fitting"), "it is told before anything is fitted: {}", run.stderr);
    hedgerow(["demo", "--out", "-", "--json"]).run().ends_with(2);
    hedgerow(["demo", "--force"]).run().ends_with(2);
    fs::create_dir(dir.path().join("mine")).expect("a folder");
    fs::write(dir.path().join("mine/notes.txt"), "mine").expect("a file");
    let run = hedgerow(["demo", "--save", "mine", "--force"]).current_dir(dir.path()).run().ends_with(1);
    assert!(run.stderr.contains("mine") && !run.stderr.contains("Fitting"), "{}", run.stderr);
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
    // Exact neighbors are the same whatever the seed, in all but their time.
    let exact = &answer["methods"][0];
    for key in ["error_percent_spread", "n_stored_spread", "bytes_spread"] {
        assert_eq!(exact[key], 0.0, "{key}");
    }
    for key in ["fit_seconds_spread", "microseconds_per_query_spread"] {
        assert!(exact[key].as_f64() > Some(0.0), "{key}: {exact}");
    }
    let csv = fs::read_to_string(dir.path().join("runs.csv")).expect("the file is there");
    assert_eq!(csv.lines().count(), 5);
    page(&dir.path().join("page.html"));
    let text = hedgerow(data.iter().chain(&names)).run().ends_with(0).stdout;
    assert!(text.contains("± 0.00") && text.contains("240 ± 0"), "{text}");
    let piped = hedgerow(data.iter().chain(&names).chain(&["--csv", "-"])).current_dir(dir.path()).run().ends_with(0);
    assert!(piped.stdout.starts_with("method,seed,") && piped.stdout.lines().count() == 5, "{}", piped.stdout);
    assert!(!dir.path().join("-").exists());
}

#[test]
fn compare_takes_any_method_and_each_once() {
    let data = ["compare", "--data", "moons?n=60&seed=1", "--seeds", "1", "--json"];
    let names = ["--only", "boundary set", "--method", "triplet", "--method", "soft-nn", "--method", "triplet"];
    let answer = hedgerow(data.iter().chain(&names)).run().json();
    let methods = answer["methods"].as_array().expect("a list");
    let names: Vec<&str> = methods.iter().map(|method| method["name"].as_str().expect("a text")).collect();
    assert_eq!(names, ["boundary set", "triplet + tree", "soft-nn + tree"]);
    assert!(methods.iter().all(|method| method["error_percent_spread"].is_null()), "one seed has no spread");
}

#[test]
fn compare_refuses_with_a_remedy() {
    let refused = |arguments: &[&str], code: i32, word: &str| {
        let run = hedgerow(["compare"].iter().chain(arguments)).run().ends_with(code);
        assert_eq!(run.stdout, "", "{}", run.line);
        assert!(run.stderr.contains(word), "{}: {}", run.line, run.stderr);
    };
    refused(&["--data", "optdigits", "--only", "boundary tre"], 2, "did you mean \"boundary tree\"? It is one of");
    refused(&["--data", "optdigits", "--method", "triplett"], 2, "'triplet'");
    refused(&["--data", "optdigitz"], 1, "optdigits");
    refused(&["--data", "optdigits", "--seeds", "0"], 2, "--seeds");
    for share in ["0", "1", "2", "-0.1", "nan", "half"] {
        refused(&["--data", "moons?n=50", "--test-share", share], 2, "give a number between 0 and 1");
    }
    // An empty table passed for a result before.
    let largest = u64::MAX.to_string();
    refused(&["--data", "moons?n=50", "--seed", &largest, "--seeds", "3"], 2, "leaves no room for --seeds 3");
    refused(&["--data", "moons?n=50", "--csv", "-", "--html", "-"], 2, "--csv and --html both go to standard output");
    refused(&["--data", "moons?n=50", "--csv", "x", "--html", "x"], 2, "both go to x");
    refused(&["--data", "moons?n=50", "--csv", "-", "--json"], 2, "--json and --csv -");
    refused(&["--data", "moons?n=50", "--html", "no/such/folder/page.html"], 1, "no/such/folder/page.html");
}

#[test]
fn compare_refuses_data_without_classes_rather_than_to_make_up_errors() {
    let dir = tempdir().expect("a temporary folder");
    let table = |label: &dyn Fn(usize) -> String| -> String {
        (0..40).map(|x| format!("{x},{},{}\n", x % 7, label(x))).collect()
    };
    for (name, header, label) in [
        ("values.csv", "x,y,price\n", (|x: usize| format!("{x}.25")) as fn(usize) -> String),
        ("none.csv", "x,y,z\n", |x: usize| format!("{}.5", x * x)),
    ] {
        fs::write(dir.path().join(name), format!("{header}{}", table(&label))).expect("it can be written");
    }
    for arguments in [&["--data", "values.csv"][..], &["--data", "none.csv", "--label-column", "none"]] {
        let arguments = ["compare"].iter().chain(arguments).chain(&["--seeds", "1"]);
        let run = hedgerow(arguments).current_dir(dir.path()).run().ends_with(1);
        assert!(run.stderr.contains("has no class") && run.stderr.contains("--label-column"), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn report_names_rows_as_explain_takes_them() {
    let fitted = digits();
    let out = fitted.file("page.html");
    let report = ["report", &fitted.place(), "--data", "optdigits", "--out", &out, "--mistakes", "1"];
    hedgerow(report).run().ends_with(0);
    let page = page(Path::new(&out));
    let asked = page.split_once("Asked: test row ").expect("a mistake is explained").1;
    let row = asked.split_once(" of optdigits").expect("it is named by its row").0;
    let said = hedgerow(["explain", &fitted.place(), "--data", "optdigits", "--row", row]).run().ends_with(0).stdout;
    assert!(said.contains(&format!("test row {row} of optdigits: said ")) && said.contains("but it is"), "{said}");
}

#[test]
fn report_goes_to_standard_output_and_says_first_what_cannot_be_written() {
    let fitted = digits();
    let place = fitted.place();
    let report = ["report", &place, "--data", "optdigits", "--out"];
    let run = hedgerow(report.iter().chain(&["-"])).run().ends_with(0);
    assert!(run.stdout.starts_with("<!DOCTYPE html>") && run.stdout.trim_end().ends_with("</html>"));
    hedgerow(report.iter().chain(&["-", "--json"])).run().ends_with(2);
    let data = ["report", &place, "--data", "no-such-data", "--out", "no/such/folder/page.html"];
    let run = hedgerow(data).run().ends_with(1);
    assert!(run.stderr.contains("no/such/folder/page.html"), "{}", run.stderr);
}

#[test]
fn report_counts_no_mistakes_among_what_was_turned_away() {
    // So strict that nothing is answered.
    let rejection = Rejection { novelty: Some(1.0), probability: None };
    let data = hedgerow::data::load("optdigits").expect("it is compiled in");
    let fitted = Fitted::new(data, &hedgerow::FitParams { rejection, ..raw(StructureParams::tree()) });
    let run = hedgerow(["report", &fitted.place(), "--data", "optdigits", "--out", "-"]).run().ends_with(0);
    assert!(!run.stdout.contains("verdict bad"), "a mistake is shown");
}

#[cfg(unix)]
#[test]
fn report_hears_ctrl_c_and_writes_nothing() {
    use std::process::Command;
    use std::time::Duration;
    // Exact neighbors of many examples: asking about all of them takes seconds.
    let data = hedgerow::data::load("moons?n=40000").expect("it is made on the spot");
    let fitted = Fitted::new(data, &raw(StructureParams::knn(1)));
    let (place, out) = (fitted.place(), fitted.file("page.html"));
    let child = hedgerow(["report", &place, "--data", "moons?n=40000", "--out", &out, "--threads", "1"]).start();
    let before = fitted.names().len();
    // The file is begun once the model is loaded; from reading the data on, Ctrl-C is heard.
    let begun = std::time::Instant::now();
    while fitted.names().len() == before {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(200));
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("nothing was written"), "{stderr}");
    assert_eq!(fitted.names(), ["model"]);
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
