//! `hedgerow embed`: every format against the library's representations.

mod command;
mod models;

use std::fs;

use command::{Run, assert_keys, hedgerow};
use models::{Fitted, csv_of, digits, json_table, moons, places, text_table};

fn embed(fitted: &Fitted, arguments: &[&str]) -> Run {
    let place = fitted.place();
    hedgerow(["embed", place.as_str()].iter().chain(arguments)).run()
}

fn representations(fitted: &Fitted) -> Vec<f32> {
    let points = fitted.model.embed(fitted.data.points()).expect("it represents");
    points.view().as_f32().expect("a network gives numbers").to_vec()
}

#[test]
fn every_format_has_the_librarys_representations() {
    let fitted = moons();
    let file = fitted.write("asked.csv", csv_of(&fitted.data));
    let expected = representations(&fitted);
    let run = embed(&fitted, &["--data", &file]).ends_with(0);
    let head = "id,representation[0],representation[1],representation[2],representation[3]\n";
    assert!(run.stdout.starts_with(head), "{}", run.stdout);
    let table = text_table(&run.stdout, ',');
    let out = fitted.file("a.tsv");
    embed(&fitted, &["--data", &file, "--out", &out]).ends_with(0);
    assert_eq!(text_table(&fs::read_to_string(&out).expect("it is there"), '\t'), table);
    let numbers: Vec<f32> = (0..300)
        .flat_map(|row| (0..4).map(move |at| (row, format!("representation[{at}]"))))
        .map(|(row, name)| table[&name][row].parse().expect("a number"))
        .collect();
    assert_eq!(numbers, expected);

    let json = embed(&fitted, &["--data", &file, "--json"]).ends_with(0);
    let lists = &json_table(&json.stdout)["representation"];
    let numbers: Vec<f32> =
        lists.iter().flat_map(|list| serde_json::from_str::<Vec<f32>>(list).expect("a list of numbers")).collect();
    assert_eq!(numbers, expected);

    let out = fitted.file("a.npy");
    let written = embed(&fitted, &["--data", &file, "--out", &out, "--json"]).json();
    assert_keys(&written, &["out", "format", "rows", "width"]);
    assert_eq!((written["rows"].as_u64(), written["width"].as_u64()), (Some(300), Some(4)));
    let bytes = fs::read(&out).expect("it is there");
    let (header, numbers) = models::npy(&bytes);
    assert!(header.contains("(300, 4)"), "{header}");
    assert_eq!(models::floats(numbers), expected);

    let out = fitted.file("a.parquet");
    embed(&fitted, &["--data", &file, "--out", &out]).ends_with(0);
    let options = hedgerow::data::ReadOptions { label: hedgerow::data::RoleColumn::None, ..Default::default() };
    let back = hedgerow::data::read(&out, &options, &mut hedgerow::data::progress::silent()).expect("it can be read");
    assert_eq!(back.points().as_f32(), Some(&expected[..]));
    assert_eq!(back.row_ids().text(299), "299");
}

#[test]
fn without_a_network_points_are_their_own_representation() {
    let fitted = digits();
    let out = fitted.file("test.npy");
    embed(&fitted, &["--data", "optdigits", "--split", "test", "--out", &out]).ends_with(0);
    let bytes = fs::read(&out).expect("it is there");
    let (header, numbers) = models::npy(&bytes);
    assert!(header.contains("'|u1'") && header.contains("(1797, 64)"), "{header}");
    assert_eq!(Some(numbers), fitted.data.test().points().as_u8());
    let run = embed(&places(), &["--data", "-"]).ends_with(1);
    assert!(run.stderr.contains("no rows"), "{}", run.stderr);
}

#[test]
fn no_rows_are_an_empty_table() {
    let fitted = moons();
    let place = fitted.place();
    let run = hedgerow(["embed", &place, "--data", "-"]).stdin("x,y\n").run().ends_with(0);
    assert_eq!(run.stdout.lines().count(), 1);
    let out = fitted.file("none.npy");
    hedgerow(["embed", &place, "--data", "-", "--out", &out]).stdin("x,y\n").run().ends_with(0);
    assert!(models::npy(&fs::read(&out).expect("it is there")).0.contains("(0, 4)"));
}

#[test]
fn bad_rows_are_refused() {
    let fitted = moons();
    let place = fitted.place();
    let run = hedgerow(["embed", &place, "--data", "-"]).stdin("x,y\n1,2\n3,what\n").run().ends_with(1);
    assert!(run.stderr.contains("row 2, column y: \"what\""), "{}", run.stderr);
    hedgerow(["embed", &fitted.file("none"), "--data", "moons"]).run().ends_with(1);
    embed(&fitted, &[]).ends_with(2);
}
