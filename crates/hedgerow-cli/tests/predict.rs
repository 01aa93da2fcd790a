//! `hedgerow predict`: every format against the library's answers, streams in bounded memory, bad input.

mod command;
mod models;

use std::fs;
use std::io::{BufRead, BufReader, Write};

use command::{Run, assert_keys, hedgerow};
use hedgerow::{Model, PointsRef, Rejection, StructureParams, Task};
use models::{Fitted, Table, csv_of, digits, json_table, line, moons, penguins, places, raw, text_table};

/// What the table shall have, by the library's separate answers.
fn expected(model: &Model, points: PointsRef<'_>, proba: bool) -> Table {
    let predictions = model.predict(points).expect("it answers");
    let novelty = model.novelty(points).expect("it answers");
    let number = |value: f64| (value as f32).to_string();
    let mut table = Table::new();
    table.insert("id".to_owned(), (0..points.len()).map(|row| row.to_string()).collect());
    let said = predictions.iter().map(|said| match said.known() {
        Some(label) => model.label_text(label),
        None => "unknown".to_owned(),
    });
    table.insert("prediction".to_owned(), said.collect());
    let why = predictions.iter().map(|said| match said.unknown {
        None => "",
        Some(hedgerow::Unknown::Novel { .. }) => "novel",
        Some(_) => "unsure",
    });
    table.insert("why_unknown".to_owned(), why.map(str::to_owned).collect());
    table.insert("distance".to_owned(), novelty.iter().map(|of| number(of.distance)).collect());
    let shares = novelty.iter().map(|of| number(of.share_farther.expect("it is calibrated")));
    table.insert("share_farther".to_owned(), shares.collect());
    if model.task() == Task::Classification {
        let probabilities = model.predict_proba(points).expect("it answers");
        let rows = || (0..points.len()).map(|row| probabilities.row(row));
        let largest = |row: &[f64]| row.iter().copied().fold(0.0, f64::max);
        table.insert("probability".to_owned(), rows().map(|row| number(largest(row))).collect());
        for (class, name) in model.class_names().iter().enumerate().filter(|_| proba) {
            table.insert(format!("probability[{name}]"), rows().map(|row| number(row[class])).collect());
        }
    }
    table
}

/// Numbers of JSON are compared as such: 1 and 1.0 are one.
#[track_caller]
fn assert_same(found: &Table, expected: &Table) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, expected) in expected {
        let found = &found[name];
        assert_eq!(found.len(), expected.len(), "{name}");
        for (row, (found, expected)) in found.iter().zip(expected).enumerate() {
            let numbers = found.parse::<f32>().ok().zip(expected.parse::<f32>().ok());
            let is_same = numbers.map_or(found == expected, |(found, expected)| found == expected);
            assert!(is_same, "{name}, row {row}: {found} is not {expected}");
        }
    }
}

fn predict(fitted: &Fitted, arguments: &[&str]) -> Run {
    let place = fitted.place();
    hedgerow(["predict", place.as_str()].iter().chain(arguments)).run()
}

#[test]
fn text_formats_have_the_librarys_answers() {
    let fitted = moons();
    let file = fitted.write("asked.csv", csv_of(&fitted.data));
    let expected_plain = expected(&fitted.model, fitted.data.points(), false);
    let expected_proba = expected(&fitted.model, fitted.data.points(), true);
    // Standard output, as CSV and as JSON Lines.
    let run = predict(&fitted, &["--data", &file]).ends_with(0);
    assert!(run.stdout.starts_with("id,prediction,why_unknown,probability,distance,share_farther\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    assert_same(&text_table(&run.stdout, ','), &expected_plain);
    let run = predict(&fitted, &["--data", &file, "--proba", "--json"]).ends_with(0);
    assert_same(&json_table(&run.stdout), &expected_proba);
    let first: serde_json::Value = serde_json::from_str(run.stdout.lines().next().expect("a line")).expect("an object");
    let keys = [
        "id",
        "prediction",
        "why_unknown",
        "probability",
        "distance",
        "share_farther",
        "probability[0]",
        "probability[1]",
    ];
    assert_keys(&first, &keys);
    // Files, the format by name and by flag.
    for (name, flags) in
        [("a.csv", &[][..]), ("a.tsv", &[]), ("a.jsonl", &[]), ("plain", &[]), ("a.txt", &["--out-format", "tsv"])]
    {
        let out = fitted.file(name);
        let run = predict(&fitted, &[&["--data", &file, "--proba", "--out", &out], flags].concat()).ends_with(0);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.starts_with("300 rows in "), "{}", run.stderr);
        let text = fs::read_to_string(&out).expect("it is there");
        let table = match name {
            "a.jsonl" => json_table(&text),
            "a.tsv" | "a.txt" => text_table(&text, '\t'),
            _ => text_table(&text, ','),
        };
        assert_same(&table, &expected_proba);
    }
    // A file is told of as one object.
    let out = fitted.file("b.csv");
    let written = predict(&fitted, &["--data", &file, "--out", &out, "--json"]).json();
    assert_keys(&written, &["out", "format", "rows", "unknown"]);
    assert_eq!((written["rows"].as_u64(), written["format"].as_str()), (Some(300), Some("csv")));
}

#[test]
fn parquet_and_npy_have_the_librarys_answers() {
    let fitted = moons();
    let file = fitted.write("asked.csv", csv_of(&fitted.data));
    let points = fitted.data.points();
    let (model, out) = (&fitted.model, fitted.file("a.parquet"));
    predict(&fitted, &["--data", &file, "--proba", "--out", &out]).ends_with(0);
    let back = models::parquet_table(&models::path(&out), "prediction", &["why_unknown"]);
    let names = ["probability", "distance", "share_farther", "probability[0]", "probability[1]"];
    assert_eq!(back.feature_names(), names);
    let expected = expected(model, points, true);
    for (column, name) in names.iter().enumerate() {
        let found: Vec<String> = (0..back.len())
            .map(|row| match back.points().row(row) {
                hedgerow::Point::F32(values) => values[column].to_string(),
                hedgerow::Point::U8(_) => panic!("these are no bytes"),
            })
            .collect();
        assert_eq!(&found, &expected[*name], "{name}");
    }
    let said: Vec<String> = back.labels().iter().map(|label| back.label_text(*label)).collect();
    assert_eq!(said, expected["prediction"]);

    let out = fitted.file("a.npy");
    predict(&fitted, &["--data", &file, "--out", &out, "--reject-novelty", "0.2"]).ends_with(0);
    let bytes = fs::read(&out).expect("it is there");
    let (header, numbers) = models::npy(&bytes);
    assert!(header.contains("'<i8'") && header.contains("(300,)"), "{header}");
    let rejecting = Model::load(fitted.place()).expect("it is there");
    let rejecting = rejecting.with_rejection(Rejection { novelty: Some(0.2), probability: None });
    let classes: Vec<i64> = rejecting
        .predict(points)
        .expect("it answers")
        .iter()
        .map(|said| said.known().and_then(hedgerow::Label::as_class).map_or(-1, |class| i64::from(class.0)))
        .collect();
    assert!(classes.contains(&-1) && classes.contains(&0) && classes.contains(&1));
    assert_eq!(models::integers(numbers), classes);

    predict(&fitted, &["--data", &file, "--out", &out, "--proba"]).ends_with(0);
    let bytes = fs::read(&out).expect("it is there");
    let (header, numbers) = models::npy(&bytes);
    assert!(header.contains("'<f4'") && header.contains("(300, 2)"), "{header}");
    let probabilities = model.predict_proba(points).expect("it answers");
    assert_eq!(models::floats(numbers), probabilities.values().iter().map(|&p| p as f32).collect::<Vec<_>>());
}

#[test]
fn named_sets_and_their_splits_are_asked_about() {
    let fitted = digits();
    let run = predict(&fitted, &["--data", "optdigits", "--split", "test"]).ends_with(0);
    let table = text_table(&run.stdout, ',');
    let test = fitted.data.test();
    let mut expected = expected(&fitted.model, test.points(), false);
    expected.insert("id".to_owned(), (0..test.len()).map(|row| test.row_id(row)).collect());
    assert_same(&table, &expected);
    let all = predict(&fitted, &["--data", "optdigits"]).ends_with(0);
    assert_eq!(all.stdout.lines().count(), 1 + 5620);
    let none = predict(&fitted, &["--data", "optdigits", "--split", "validation"]).ends_with(1);
    assert!(none.stderr.contains("optdigits has no validation rows"), "{}", none.stderr);
    // Pictures as numbers in a text file are the same pictures, by place if the file has no names.
    let csv = csv_of(&fitted.data);
    let without_names: String = csv.lines().skip(1).flat_map(|line| [line, "\n"]).collect();
    let file = fitted.write("digits.csv", without_names);
    let text = predict(&fitted, &["--data", &file]).ends_with(0);
    assert_eq!(text.stdout, all.stdout);
}

#[test]
fn columns_are_found_by_name_and_labels_do_not_matter() {
    let fitted = penguins();
    let columns = "island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year";
    let row = "Torgersen,39.1,18.7,181,3750,male,2007";
    let said = |text: &str, flags: &[&str]| {
        let arguments = [&["--data", "-"], flags].concat();
        let place = fitted.place();
        let run = hedgerow(["predict", place.as_str()].iter().chain(&arguments)).stdin(text).run().ends_with(0);
        text_table(&run.stdout, ',')
    };
    let plain = said(&format!("{columns}\n{row}\n"), &[]);
    assert_eq!(plain["prediction"], ["Adelie"]);
    // Without a header, with labels of any kind, with further columns, and in another order.
    assert_eq!(said(&format!("{row}\n"), &[]), plain);
    for label in ["Adelie", "what", "", "17.5"] {
        assert_eq!(said(&format!("species,{columns}\n{label},{row}\n"), &[]), plain, "{label}");
        assert_eq!(said(&format!("species,{columns}\n{label},{row}\n"), &["--missing", "drop"]), plain, "{label}");
    }
    assert_eq!(said(&format!("{columns},note,split\n{row},what,test\n"), &[]), plain);
    let turned: String = [columns, row].map(|line| line.split(',').rev().collect::<Vec<_>>().join(",") + "\n").concat();
    assert_eq!(said(&turned, &[]), plain);
    // The id column names the rows.
    let named = said(&format!("id,{columns}\nbird-7,{row}\n"), &[]);
    assert_eq!(named["id"], ["bird-7"]);
    // Rows of one split, the others left out.
    let text = format!("{columns},split\n{row},test\n{row},train\n{row},test\n");
    assert_eq!(said(&text, &["--split", "test"])["id"], ["0", "2"]);
    assert_eq!(said(&text, &[])["id"], ["0", "1", "2"]);
}

#[test]
fn what_is_not_known_is_answered_unknown_with_the_reason() {
    let fitted = moons();
    let place = fitted.place();
    let ask = |flags: &[&str]| {
        let arguments = [&["predict", &place, "--data", "-"], flags].concat();
        let run = hedgerow(arguments).stdin("x,y\n0,1\n1000,1000\n").run().ends_with(0);
        (text_table(&run.stdout, ','), run.stderr)
    };
    let (table, note) = ask(&["--reject-novelty", "0.001"]);
    assert_eq!(table["prediction"][1], "unknown");
    assert_eq!(table["why_unknown"], ["", "novel"]);
    assert_eq!(note, "1 of them unknown\n");
    assert_eq!(ask(&["--reject-novelty", "0.001", "--quiet"]).1, "");
    let (table, _) = ask(&["--reject-probability", "1"]);
    assert!(table["why_unknown"].iter().all(|why| why.is_empty() || why == "unsure"));
    // A rule of the model's own, and taken back.
    let rejection = Rejection { novelty: Some(0.001), probability: None };
    let data = hedgerow::data::load("moons?n=300&noise=0.2&seed=7").expect("they are made");
    let own = Fitted::new(data, &hedgerow::FitParams { rejection, ..raw(StructureParams::tree()) });
    let ask = |flags: &[&str]| {
        let place = own.place();
        let arguments = [&["predict", &place, "--data", "-"], flags].concat();
        text_table(&hedgerow(arguments).stdin("x,y\n1000,1000\n").run().ends_with(0).stdout, ',')
    };
    assert_eq!(ask(&[])["prediction"], ["unknown"]);
    assert_ne!(ask(&["--reject-novelty", "0"])["prediction"], ["unknown"]);
    for bad in ["1.5", "-0.1", "nan", "much"] {
        predict(&fitted, &["--data", "-", &format!("--reject-novelty={bad}")]).ends_with(2);
    }
}

#[test]
fn values_are_predicted_as_numbers() {
    let fitted = line();
    let file = fitted.write("asked.csv", "x\n0\n7.2\n39\n");
    let points = hedgerow::Points::from_f32(1, vec![0.0, 7.2, 39.0]).expect("points");
    let run = predict(&fitted, &["--data", &file]).ends_with(0);
    assert_same(&text_table(&run.stdout, ','), &expected(&fitted.model, points.view(), false));
    assert!(run.stdout.starts_with("id,prediction,why_unknown,distance,share_farther\n0,0.5,"), "{}", run.stdout);
    let json = predict(&fitted, &["--data", &file, "--json"]).ends_with(0);
    assert!(json.stdout.lines().all(|line| line.contains("\"prediction\":") && !line.contains("\"prediction\":\"")));
    let out = fitted.file("values.npy");
    predict(&fitted, &["--data", &file, "--out", &out]).ends_with(0);
    let bytes = fs::read(&out).expect("it is there");
    let values: Vec<f32> = fitted
        .model
        .predict(points.view())
        .expect("it answers")
        .iter()
        .map(|said| said.label.as_value().expect("a value"))
        .collect();
    assert_eq!(models::floats(models::npy(&bytes).1), values);
    // Where some may be unknown, the column is text.
    let far = fitted.write("far.csv", "x\n0\n1000000\n");
    let run = predict(&fitted, &["--data", &far, "--reject-novelty", "0.001", "--json"]).ends_with(0);
    assert_eq!(json_table(&run.stdout)["prediction"], ["0.5", "unknown"]);
    for flag in [&["--proba"][..], &["--reject-probability", "0.5"]] {
        let run = predict(&fitted, &[&["--data", &file], flag].concat()).ends_with(2);
        assert!(run.stderr.contains("the task") && run.stderr.contains("regression"), "{}", run.stderr);
    }
}

#[test]
fn examples_without_labels_answer_with_nothing_but_their_distance() {
    let fitted = places();
    let file = fitted.write("asked.csv", "east,north\n0,0\n");
    let run = predict(&fitted, &["--data", &file]).ends_with(0);
    assert!(run.stdout.starts_with("id,prediction,why_unknown,distance,share_farther\n0,,,0,"), "{}", run.stdout);
    let run = predict(&fitted, &["--data", &file, "--out", &fitted.file("a.npy")]).ends_with(2);
    assert!(run.stderr.contains("hedgerow neighbors"), "{}", run.stderr);
    assert!(!models::path(&fitted.file("a.npy")).exists());
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let fitted = penguins();
    let columns = "island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year";
    let row = "Torgersen,39.1,18.7,181,3750,male,2007";
    let cases = [
        // A column is missing: which, and what there is.
        (format!("{}\n{}\n", columns.replace("sex,", ""), row.replace("male,", "")), &["sex"][..]),
        // A name that is nearly right.
        (format!("{}\n{row}\n", columns.replace("year", "years")), &["year", "did you mean \"years\""]),
        // No names, and too few or too many columns.
        ("1,2,3\n4,5,6\n".to_owned(), &["3", "7"]),
        (format!("{row},1,2\n"), &["9", "7"]),
        // A category that was not there, and a text in a number.
        (format!("{columns}\n{row}\n{}\n", row.replace("Torgersen", "Atlantis")), &["row 2", "island", "Atlantis"]),
        (format!("{columns}\n{row}\n{}\n", row.replace("39.1", "l.5")), &["row 2", "bill_length_mm", "\"l.5\""]),
        (format!("{columns}\n{}\n", row.replace("39.1", "")), &["row 1", "bill_length_mm", "missing"]),
        // Nothing at all.
        (String::new(), &["no rows"]),
    ];
    for (text, parts) in cases {
        let out = fitted.file("out.csv");
        let place = fitted.place();
        let run = hedgerow(["predict", &place, "--data", "-", "--out", &out]).stdin(text.as_str()).run().ends_with(1);
        for part in parts {
            assert!(run.stderr.contains(part), "{part} is not in: {}", run.stderr);
        }
        assert_eq!(run.stdout, "");
        assert!(!models::path(&out).exists());
        assert_eq!(fitted.names(), ["model"], "{text}");
    }
    // What was not known can be taken as none of the known.
    let text = format!("{columns}\n{}\n", row.replace("Torgersen", "Atlantis"));
    let place = fitted.place();
    let run = hedgerow(["predict", &place, "--data", "-", "--unknown-category", "zeros"]).stdin(text).run();
    assert_eq!(run.ends_with(0).stdout.lines().count(), 2);
    // Rows that lack a value are left out and counted.
    let lacking = row.replace("39.1", "");
    let text = format!("{columns}\n{row}\n{lacking}\n{lacking}\n{row}\n");
    let run = hedgerow(["predict", &place, "--data", "-", "--missing", "drop"]).stdin(text).run().ends_with(0);
    assert_eq!(text_table(&run.stdout, ',')["id"], ["0", "3"]);
    assert_eq!(run.stderr, "left out 2 rows that lack a value\n");
    // Names and no rows: an empty table of the same columns.
    let run = hedgerow(["predict", &place, "--data", "-"]).stdin(format!("{columns}\n")).run().ends_with(0);
    assert_eq!(run.stdout, "id,prediction,why_unknown,probability,distance,share_farther\n");
    assert!(run.stderr.contains("warning: - has no rows"), "{}", run.stderr);
    // Numbers that are no bytes.
    let digits = digits();
    let row = vec!["0.5"; 64].join(",");
    let place = digits.place();
    let run = hedgerow(["predict", &place, "--data", "-"]).stdin(format!("{row}\n{row}\n")).run().ends_with(1);
    assert!(run.stderr.contains("0.5") && run.stderr.contains("bytes"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_opened_or_written_is_told() {
    let fitted = moons();
    let missing = fitted.file("modle");
    let run = hedgerow(["predict", &missing, "--data", "moons"]).run().ends_with(1);
    assert!(run.stderr.contains("there is no model here") && run.stderr.contains("did you mean"), "{}", run.stderr);
    let run = predict(&fitted, &["--data", "moonz"]).ends_with(1);
    assert!(run.stderr.contains("did you mean \"moons\""), "{}", run.stderr);
    let run = predict(&fitted, &["--data", "moons", "--out", &fitted.file("none/out.csv")]).ends_with(1);
    assert!(run.stderr.contains("out.csv: cannot be written"), "{}", run.stderr);
    let run = predict(&fitted, &["--data", "moons", "--out", &fitted.file("out.json")]).ends_with(2);
    assert!(run.stderr.contains(".jsonl") && run.stderr.contains("--out-format"), "{}", run.stderr);
    predict(&fitted, &["--data", "moons", "--out", &fitted.file("out.npy.gz")]).ends_with(1);
    let run = predict(&fitted, &["--data", "moons", "--json", "--out-format", "csv"]).ends_with(2);
    assert!(run.stderr.contains("jsonl"), "{}", run.stderr);
    // A model of other features.
    let run = predict(&fitted, &["--data", "optdigits"]).ends_with(1);
    assert!(run.stderr.contains("64 features") && run.stderr.contains("fitted to 2"), "{}", run.stderr);
    // A file that was there stays as it was.
    let out = fitted.write("kept.csv", "kept");
    let bad = fitted.write("bad.csv", "x,y\n1,2\n3,what\n");
    predict(&fitted, &["--data", &bad, "--out", &out]).ends_with(1);
    assert_eq!(fs::read_to_string(&out).expect("it is there"), "kept");
    assert_eq!(fitted.names(), ["bad.csv", "kept.csv", "model"]);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let fitted = moons();
    let place = fitted.place();
    let mut child = hedgerow(["predict", &place, "--data", "moons?n=200000"]).start();
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is a pipe")).read_line(&mut line).expect("it is text");
    assert!(line.starts_with("id,"), "{line}");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

/// Feeds rows, and gives the most memory that the command held, in kB, and the lines it wrote.
#[cfg(target_os = "linux")]
fn peak_of(place: &str, rows: usize) -> (u64, usize) {
    let mut child = hedgerow(["predict", place, "--data", "-", "--proba", "--threads", "2"]).start();
    let stdout = child.stdout.take().expect("it is a pipe");
    let counter = std::thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).count());
    // The peak is told for as long as the process lives, so it is asked for again and again.
    let status = format!("/proc/{}/status", child.id());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        while let Some(told) = peak_told(&status) {
            peak = told;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        peak
    });
    let mut stdin = std::io::BufWriter::new(child.stdin.take().expect("it is a pipe"));
    // Labels that are all different must not be collected.
    stdin.write_all(b"x,y,label\n").expect("it reads");
    for row in 0..rows {
        let at = row as f64 / rows as f64;
        writeln!(stdin, "{},{},name-{row}", at.sin(), 2.0 * at).expect("it reads");
    }
    drop(stdin);
    let lines = counter.join().expect("counting does not panic");
    let peak = watcher.join().expect("watching does not panic");
    assert!(child.wait().expect("it ends").success());
    (peak, lines)
}

/// What Linux tells of a process; nothing once it has ended.
#[cfg(target_os = "linux")]
fn peak_told(status: &str) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().trim_end_matches(" kB").parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_is_answered_in_memory_that_does_not_grow_with_it() {
    let fitted = moons();
    let (few, lines) = peak_of(&fitted.place(), 20_000);
    assert_eq!(lines, 20_001);
    let (many, lines) = peak_of(&fitted.place(), 200_000);
    assert_eq!(lines, 200_001);
    // 180,000 rows more are 12 MB of text, and as much again as answers.
    assert!(many < few + 6_000, "{few} kB for 20,000 rows, {many} kB for 200,000");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written() {
    let fitted = moons();
    let (place, out) = (fitted.place(), fitted.file("out.csv"));
    let mut child = hedgerow(["predict", &place, "--data", "-", "--out", &out]).start();
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let rows = "0.5,0.5\n".repeat(20_000);
    stdin.write_all(format!("x,y\n{rows}").as_bytes()).expect("it reads");
    // More than a pipe holds was read, so the handler is in place.
    let status = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stopped after"), "{stderr}");
    assert_eq!(fitted.names(), ["model"]);
}
