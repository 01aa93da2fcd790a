//! What is told of changes: acknowledged even where the answer cannot be written, and nothing that steers a terminal.

mod command;

use std::fs;

use command::{Hedgerow, hedgerow};
use serde_json::json;
use tempfile::{TempDir, tempdir};

/// The name of a class that would rename the window of a terminal.
const WILD: &str = "bl\x1b]0;pwned\x07ue";

/// A folder with a model `m` of flowers.
fn flowers() -> TempDir {
    let folder = tempdir().expect("a temporary folder");
    let csv = format!("stem,colour,species\n1.0,red,rose\n1.2,red,rose\n3.0,white,{WILD}\n2.9,white,{WILD}\n");
    fs::write(folder.path().join("flowers.csv"), csv).expect("it can be written");
    run_in(&folder, "fit --data flowers.csv --method none --out m").run().ends_with(0);
    folder
}

fn run_in(folder: &TempDir, line: &str) -> Hedgerow {
    hedgerow(line.split_whitespace()).current_dir(folder.path())
}

#[cfg(target_os = "linux")]
#[test]
fn a_change_that_is_made_ends_with_0_although_its_answer_cannot_be_written() {
    let folder = flowers();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    for (line, done) in [
        ("add m --values 9,red --label lily", "added as change 1"),
        ("relabel m 0 lily", "relabelled as change 2"),
        ("remove m 1", "removed as change 3"),
    ] {
        let run = run_in(&folder, line).stdout_to(full()).ends_with(0);
        assert!(run.stderr.contains(&format!("error: {done}, but the answer could not be written")), "{}", run.stderr);
    }
    let run = run_in(&folder, "add m --values 8,red --label lily --json -q").stdout_to(full()).ends_with(0);
    let told = command::one_object(&run.stderr);
    assert_eq!(told["exit_code"], 0, "{told}");
    let history = run_in(&folder, "history m --json").run().json();
    assert_eq!(history["changes"].as_array().map(Vec::len), Some(4), "{history}");
    // What changes nothing has failed.
    run_in(&folder, "history m").stdout_to(full()).ends_with(1);
}

#[test]
fn names_that_come_from_data_do_not_steer_the_terminal() {
    let folder = flowers();
    let wild = [
        vec!["data", "info", "flowers.csv"],
        vec!["evaluate", "m", "--data", "flowers.csv"],
        vec!["explain", "m", "--values", "3,white"],
        vec!["inspect", "m"],
        vec!["add", "m", "--values", "5,white", "--label", WILD],
        vec!["relabel", "m", "0", WILD],
        vec!["relabel", "m", "0", "rose"],
        vec!["remove", "m", "2"],
        vec!["history", "m"],
    ];
    for arguments in wild {
        let run = hedgerow(&arguments).current_dir(folder.path()).run().ends_with(0);
        let is_wild = |text: &str| text.contains(|c: char| c.is_control() && c != '\n');
        assert!(!is_wild(&run.stdout) && !is_wild(&run.stderr), "{arguments:?}\n{:?}\n{:?}", run.stdout, run.stderr);
        assert!(run.stdout.contains("bl?]0;pwned?ue"), "{arguments:?}\n{}", run.stdout);
    }
    // Programs get the name as it is.
    let history = run_in(&folder, "history m --json").run().json();
    assert_eq!(history["changes"][0]["label"], json!(WILD));
    // Errors quote what is wrong.
    let refused =
        hedgerow(["add", "m", "--values", "5,\x1b[2Jgreen", "--label", "rose"]).current_dir(folder.path()).run();
    let refused = refused.ends_with(1);
    assert!(refused.stderr.contains("[2Jgreen") && !refused.stderr.contains('\x1b'), "{:?}", refused.stderr);
}
