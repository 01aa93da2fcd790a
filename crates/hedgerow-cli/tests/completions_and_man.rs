//! `hedgerow completions` and `hedgerow man`.

mod command;

use command::{assert_keys, hedgerow};
use serde_json::json;
use tempfile::tempdir;

#[test]
fn every_shell_gets_a_script_that_knows_the_verbs() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = hedgerow(["completions", shell]).run().ends_with(0);
        for word in ["hedgerow", "verify", "label-column"] {
            assert!(run.stdout.contains(word), "{shell} lacks {word}");
        }
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn an_unknown_shell_is_an_error_of_usage() {
    let run = hedgerow(["completions", "bsh"]).run().ends_with(2);
    assert!(run.stderr.contains("bash"), "{}", run.stderr);
}

#[test]
fn the_main_page_is_printed() {
    let page = hedgerow(["man"]).run().ends_with(0).stdout;
    assert!(page.contains(".TH hedgerow 1"), "{page}");
    assert!(page.contains("HEDGEROW_DATA_DIR"), "{page}");
}

#[test]
fn pages_of_all_verbs_are_written() {
    let dir = tempdir().expect("a temporary folder");
    let folder = dir.path().join("share/man1");
    let answer = hedgerow(["man", folder.to_str().expect("a plain path"), "--json"]).run().json();
    assert_keys(&answer, &["folder", "pages"]);
    let pages = answer["pages"].as_array().expect("a list");
    for page in ["hedgerow.1", "hedgerow-data.1", "hedgerow-data-info.1", "hedgerow-man.1"] {
        assert!(pages.contains(&json!(page)), "{pages:?}");
        assert!(folder.join(page).is_file(), "{page}");
    }
    let info = std::fs::read_to_string(folder.join("hedgerow-data-info.1")).expect("it was written");
    assert!(info.contains("hedgerow data info") && info.contains("\\-\\-json"), "{info}");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let dir = tempdir().expect("a temporary folder");
    let file = dir.path().join("file");
    std::fs::write(&file, "").expect("it can be written");
    let run = hedgerow(["man", file.to_str().expect("a plain path")]).run().ends_with(1);
    assert!(run.stderr.contains("cannot make the folder"), "{}", run.stderr);
}
