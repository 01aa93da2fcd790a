//! `hedgerow inspect`: what a model is, and its nodes as text, JSON and Graphviz.

mod command;

use std::fs;
use std::path::Path;

use command::{Run, assert_keys, hedgerow};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

fn run(folder: &Path, line: &str) -> Run {
    hedgerow(line.split_whitespace()).current_dir(folder).run()
}

fn with_model(flags: &str) -> TempDir {
    let dir = tempdir().expect("a temporary folder");
    run(dir.path(), &format!("fit {flags} --out m")).ends_with(0);
    dir
}

fn nodes(answer: &Value) -> &Vec<Value> {
    answer["nodes"].as_array().expect("a list")
}

#[test]
fn every_node_is_an_example_with_a_parent_before_it() {
    let dir = with_model("--data optdigits --epochs 4");
    let answer = run(dir.path(), "inspect m --json").json();
    assert_keys(
        &answer,
        &[
            "model",
            "hedgerow_version",
            "task",
            "epsilon",
            "data",
            "class_names",
            "feature_names",
            "method",
            "structure",
            "params",
            "network",
            "closeness",
            "n_stored",
            "n_shown",
            "bytes",
            "changes",
            "metrics",
            "n_trees",
            "tree",
            "nodes",
        ],
    );
    assert_eq!(
        (&answer["task"], &answer["method"], &answer["structure"]),
        (&json!("classify"), &json!("dbs"), &json!("tree"))
    );
    assert_eq!((&answer["n_shown"], &answer["tree"], &answer["n_trees"]), (&json!(3823), &json!(0), &json!(1)));
    assert_keys(
        &answer["data"],
        &["name", "fingerprint", "n_examples", "n_features", "bytes", "image_shape", "attribution"],
    );
    assert_keys(&answer["network"], &["n_inputs", "layers", "activation", "n_weights", "input_scale"]);
    assert_eq!(answer["changes"], json!({"added": 0, "removed": 0, "relabelled": 0}));
    let nodes = nodes(&answer);
    assert_eq!(json!(nodes.len()), answer["n_stored"]);
    for (place, node) in nodes.iter().enumerate() {
        assert_keys(node, &["node", "id", "source", "label", "parent", "representation"]);
        assert_eq!(node["node"], place);
        assert_eq!(node["source"], format!("row {} of optdigits", node["id"]));
        assert_eq!(node["representation"].as_array().expect("numbers").len(), 20);
        match node["parent"].as_u64() {
            None => assert_eq!(place, 0, "only the root hangs from nothing"),
            Some(parent) => {
                assert!((parent as usize) < place);
                assert_ne!(nodes[parent as usize]["label"], node["label"], "parent and child differ in class");
            }
        }
    }
}

#[test]
fn the_text_shows_so_many_nodes_each_below_its_parent() {
    let dir = with_model("--data optdigits --epochs 4");
    let shown = |limit: usize| {
        let text = run(dir.path(), &format!("inspect m --limit {limit}")).ends_with(0).stdout;
        text.lines().filter(|line| line.contains("(example ")).count()
    };
    assert_eq!((shown(0), shown(1), shown(7)), (0, 1, 7));
    let text = run(dir.path(), "inspect m").ends_with(0).stdout;
    for words in [
        "classify",
        "3823 examples of 64 features",
        "10: 0, 1, 2",
        "dbs, 64-200-200-20, 4 epochs",
        "none since the fit",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(text.contains("the first 50 of ") && text.contains("├─ "), "{text}");
}

#[test]
fn trees_of_a_forest_are_shown_one_by_one() {
    let dir = with_model("--data moons?n=60 --method none --structure tree");
    let one = run(dir.path(), "inspect m --tree 3").ends_with(2);
    assert!(one.stderr.contains("there is no tree 3: this model has one"), "{}", one.stderr);
    let dir = with_model("--data optdigits --method none --trees 3");
    let [first, last] = [0, 2].map(|tree| run(dir.path(), &format!("inspect m --tree {tree} --json")).json());
    assert_eq!((&first["n_trees"], &first["tree"], &last["tree"]), (&json!(3), &json!(0), &json!(2)));
    assert_ne!(nodes(&first)[0]["id"], nodes(&last)[0]["id"], "trees have roots of their own");
    assert_eq!(run(dir.path(), "inspect m --json").json()["tree"], 0);
    // Bytes are given as they are.
    let point = nodes(&first)[0]["representation"].as_array().expect("numbers");
    assert!(point.len() == 64 && point.iter().all(|value| value.as_u64().is_some_and(|value| value <= 16)));
    assert!(run(dir.path(), "inspect m --tree 1").ends_with(0).stdout.contains("tree 1 of 3"));
    let none = run(dir.path(), "inspect m --tree 3").ends_with(2);
    assert!(none.stderr.contains("from 0 to 2"), "{}", none.stderr);
}

#[test]
fn sets_and_lists_have_members() {
    for structure in ["set", "knn"] {
        let dir = with_model(&format!("--data moons?n=60&noise=0.2 --method none --structure {structure}"));
        let answer = run(dir.path(), "inspect m --json").json();
        assert_eq!((&answer["tree"], &answer["n_trees"], &answer["network"]), (&json!(null), &json!(0), &json!(null)));
        assert_eq!(json!(nodes(&answer).len()), answer["n_stored"]);
        assert!(nodes(&answer).iter().all(|node| node["parent"].is_null()));
        assert!(run(dir.path(), "inspect m --limit 3").ends_with(0).stdout.contains("the first 3 of "));
        let refused = run(dir.path(), "inspect m --dot").ends_with(2);
        assert!(refused.stderr.contains("--json lists"), "{}", refused.stderr);
        run(dir.path(), "inspect m --tree 0").ends_with(2);
    }
}

#[test]
fn names_cannot_break_out_of_graphviz_or_steer_a_terminal() {
    let dir = tempdir().expect("a temporary folder");
    let text = "x,y,kind\n0,0,\"a\"\"];\\\"\n5,5,\x1b[31mred\n0,1,\"a\"\"];\\\"\n5,6,\x1b[31mred\n";
    fs::write(dir.path().join("odd.csv"), text).expect("the file can be written");
    run(dir.path(), "fit --data odd.csv --out m --method none --structure tree --scaling none").ends_with(0);
    let dot = run(dir.path(), "inspect m --dot").ends_with(0).stdout;
    assert!(dot.starts_with("digraph boundary_tree {") && dot.ends_with("}\n"), "{dot}");
    assert!(dot.contains("a\\\"];\\\\\\n") && dot.contains(" -> "), "{dot}");
    let shown = run(dir.path(), "inspect m --color always").ends_with(0).stdout;
    assert_eq!(shown.lines().filter(|line| line.contains("(example ")).count(), 2);
    assert!(!shown.contains('\x1b'), "{shown}");
    // JSON has them as they are.
    let answer = run(dir.path(), "inspect m --json").json();
    let labels: Vec<&Value> = nodes(&answer).iter().map(|node| &node["label"]).collect();
    assert!(labels.contains(&&json!("a\"];\\")) && labels.contains(&&json!("\x1b[31mred")), "{labels:?}");
    run(dir.path(), "inspect m --dot --json").ends_with(2);
}

#[test]
fn values_and_missing_labels_are_told_as_such() {
    let dir = with_model("--data moons?n=20 --task retrieve --method none");
    assert_eq!(run(dir.path(), "inspect m --json").json()["task"], "retrieve");
    let dir = tempdir().expect("a temporary folder");
    fs::write(dir.path().join("v.csv"), "id,x,value\nfirst,0,1.5\nsecond,9,7.25\n").expect("the file can be written");
    run(dir.path(), "fit --data v.csv --out m --structure tree --epsilon 0.5").ends_with(0);
    let answer = run(dir.path(), "inspect m --json").json();
    assert_eq!((&answer["task"], &answer["epsilon"]), (&json!("regress"), &json!(0.5)));
    let mut told: Vec<(String, f64)> = nodes(&answer)
        .iter()
        .map(|node| (node["source"].as_str().expect("a text").to_owned(), node["label"].as_f64().expect("a number")))
        .collect();
    told.sort_by(|a, b| a.1.total_cmp(&b.1));
    assert_eq!(told, [("first of v.csv".to_owned(), 1.5), ("second of v.csv".to_owned(), 7.25)]);
}

#[test]
fn what_is_no_model_is_refused() {
    let dir = tempdir().expect("a temporary folder");
    let none = run(dir.path(), "inspect nothing").ends_with(1);
    assert!(none.stderr.contains("there is no model here") && none.stderr.contains("hedgerow fit"), "{}", none.stderr);
    fs::create_dir(dir.path().join("app")).expect("a folder");
    fs::write(dir.path().join("app/config.json"), "{\"port\": 80}").expect("a file");
    let other = run(dir.path(), "inspect app --json").ends_with(1);
    assert!(
        other.json_error()["error"].as_str().is_some_and(|error| error.contains("config.json")),
        "{}",
        other.stderr
    );
}
