//! `hedgerow neighbors`: against the library's neighbors.

mod command;
mod models;

use std::fs;

use command::{Run, assert_keys, hedgerow};
use hedgerow::Effort;
use models::{Fitted, csv_of, digits, json_table, moons, places, text_table};

fn neighbors(fitted: &Fitted, arguments: &[&str]) -> Run {
    let place = fitted.place();
    hedgerow(["neighbors", place.as_str()].iter().chain(arguments)).run()
}

#[test]
fn rows_are_the_librarys_neighbors_nearest_first() {
    let fitted = digits();
    let test = fitted.data.test();
    for (flags, k, effort) in [
        (&["-k", "3"][..], 3, Effort(0)),
        (&["-k", "2", "--effort", "50"], 2, Effort(50)),
        (&["--effort", "full"], 5, Effort::FULL),
    ] {
        let run = neighbors(&fitted, &[&["--data", "optdigits", "--split", "test"], flags].concat()).ends_with(0);
        assert!(run.stdout.starts_with("query,rank,example,source,label,distance\n"), "{}", run.stdout);
        let table = text_table(&run.stdout, ',');
        let expected = fitted.model.neighbors(test.points(), k, effort).expect("it answers");
        assert_eq!(table["query"].len(), test.len() * k);
        for (row, neighbor) in expected.iter().flatten().enumerate() {
            assert_eq!(table["query"][row], test.row_id(row / k));
            assert_eq!(table["rank"][row], (row % k + 1).to_string());
            assert_eq!(table["example"][row], neighbor.id.to_string());
            assert_eq!(table["source"][row], fitted.model.source_text(neighbor.id));
            assert_eq!(table["label"][row], fitted.model.label_text(neighbor.label));
            assert_eq!(table["distance"][row], (neighbor.distance as f32).to_string());
        }
    }
}

#[test]
fn formats_agree() {
    let fitted = moons();
    let file = fitted.write("asked.csv", csv_of(&fitted.data));
    let csv = text_table(&neighbors(&fitted, &["--data", &file, "-k", "2"]).ends_with(0).stdout, ',');
    let json = neighbors(&fitted, &["--data", &file, "-k", "2", "--json"]).ends_with(0);
    let first: serde_json::Value =
        serde_json::from_str(json.stdout.lines().next().expect("a line")).expect("an object");
    assert_keys(&first, &["query", "rank", "example", "source", "label", "distance"]);
    let json = json_table(&json.stdout);
    for name in ["query", "rank", "example", "source", "label"] {
        assert_eq!(csv[name], json[name]);
    }
    let out = fitted.file("a.npy");
    let written = neighbors(&fitted, &["--data", &file, "-k", "2", "--out", &out, "--json"]).json();
    assert_keys(&written, &["out", "format", "rows", "queries", "neighbors"]);
    let bytes = fs::read(&out).expect("it is there");
    let (header, numbers) = models::npy(&bytes);
    assert!(header.contains("'<i8'") && header.contains("(300, 2)"), "{header}");
    assert_eq!(models::integers(numbers).iter().map(i64::to_string).collect::<Vec<_>>(), csv["example"]);
    let out = fitted.file("a.parquet");
    neighbors(&fitted, &["--data", &file, "-k", "2", "--out", &out]).ends_with(0);
    let back = models::parquet_table(&models::path(&out), "label", &["source"]);
    assert_eq!(back.feature_names(), ["query", "rank", "example", "distance"]);
    assert_eq!(back.len(), 600);
}

#[test]
fn examples_are_found_by_name_and_no_more_than_there_are() {
    let fitted = places();
    let place = fitted.place();
    let ask = |k: &str| {
        let arguments = ["neighbors", &place, "--data", "-", "-k", k, "--effort", "full"];
        let run = hedgerow(arguments).stdin("id,east,north\nme,0,1\n").run().ends_with(0);
        text_table(&run.stdout, ',')
    };
    // From (0, 1): the kiosk is 1 away, the school at (3, 4) is sqrt(18), the mill at (-9, 2) sqrt(82), the station far.
    let two = ask("2");
    assert_eq!(two["query"], ["me", "me"]);
    assert_eq!(two["source"], ["kiosk of places.csv", "school of places.csv"]);
    assert_eq!(two["distance"], ["1", &18.0_f32.sqrt().to_string()]);
    assert_eq!(two["label"], ["", ""]);
    let all = ask("99");
    assert_eq!(all["rank"], ["1", "2", "3", "4"]);
}

#[test]
fn bad_numbers_are_refused() {
    let fitted = moons();
    for flags in [["-k", "0"], ["-k", "some"], ["--effort", "most"], ["--effort", "-1"]] {
        neighbors(&fitted, &[&["--data", "moons"], &flags[..]].concat()).ends_with(2);
    }
    let run = neighbors(&fitted, &["--data", "optdigits"]).ends_with(1);
    assert!(run.stderr.contains("64 features"), "{}", run.stderr);
}
