//! `hedgerow fit`: models of every kind, the same bits whatever happens, and refusals before any work.

mod command;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use command::{Run, assert_keys, fixture, hedgerow};
use hedgerow::learn::TrainingParams;
use hedgerow::{FitOptions, FitParams, Model, Task};
use serde_json::{Value, json};
use tempfile::tempdir;

const KEYS: [&str; 22] = [
    "model",
    "data",
    "task",
    "epsilon",
    "method",
    "structure",
    "n_examples",
    "n_features",
    "n_classes",
    "n_left_out",
    "n_stored",
    "bytes",
    "layers",
    "n_weights",
    "epochs",
    "outcome",
    "validation_error_percent",
    "validation_nodes",
    "train_seconds",
    "build_seconds",
    "seed",
    "resumed",
];

/// Runs `hedgerow fit` in a folder, with a line of flags.
fn fit(folder: &Path, flags: &str) -> Run {
    hedgerow(["fit"].into_iter().chain(flags.split_whitespace())).current_dir(folder).run()
}

#[track_caller]
fn fitted(folder: &Path, flags: &str) -> Value {
    fit(folder, &format!("{flags} --json")).json()
}

fn tensors(model: &Path) -> Vec<u8> {
    fs::read(model.join("model.safetensors")).expect("the model has its arrays")
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Three classes in a corner each, one of them with a name that is hard to write.
fn write_corners(path: &Path) {
    let mut text = "id,width,height,kind\n".to_owned();
    for row in 0..60 {
        let (kind, x, y) = [("plain", 0, 0), ("\"it's \"\"hard\"\"\"", 10, 0), ("b\\c", 0, 10)][row % 3];
        text += &format!("flower-{row},{}.{},{}.{},{kind}\n", x + row % 2, row % 7, y + row % 4, row % 5);
    }
    fs::write(path, text).expect("the file can be written");
}

#[test]
fn digits_are_learned_and_the_answer_has_all_keys() {
    let dir = tempdir().expect("a temporary folder");
    let run = fit(dir.path(), "--data optdigits --out digits --epochs 6 --json");
    let answer = run.json();
    assert_keys(&answer, &KEYS);
    let expected = json!({
        "model": "digits", "data": "optdigits", "task": "classify", "epsilon": null, "method": "dbs", "structure": "tree",
        "n_examples": 3823, "n_features": 64, "n_classes": 10, "layers": [200, 200, 20], "n_weights": 57220, "epochs": 6,
        "n_left_out": 0, "outcome": "finished", "seed": 0, "resumed": false,
    });
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&answer[key], value, "{key}");
    }
    assert!(answer["n_stored"].as_u64().is_some_and(|n| n > 9 && n < 1000), "{answer}");
    assert!(answer["validation_error_percent"].as_f64().is_some_and(|error| error < 30.0), "{answer}");
    // The model, and nothing beside it: the checkpoint is gone.
    assert_eq!(names_in(dir.path()), ["digits"]);
    let files = ["README.md", "config.json", "journal.sqlite", "metrics.json", "model.safetensors"];
    assert_eq!(names_in(&dir.path().join("digits")), files);
}

#[test]
fn examples_that_their_neighbors_outvote_are_left_out_and_told_of() {
    let dir = tempdir().expect("a temporary folder");
    let flags = "--data moons?n=300&noise=0.4 --epochs 5 --editing 9";
    let answer = fit(dir.path(), &format!("{flags} --out one --json")).json();
    let n_left_out = answer["n_left_out"].as_u64().filter(|n| *n > 0).expect("some are");
    let words = format!("{n_left_out} examples, outvoted by their neighbors");
    let told = fit(dir.path(), &format!("{flags} --out two")).ends_with(0);
    assert!(told.stdout.contains(&words) && told.stdout.contains("nodes, before editing"), "{}", told.stdout);
    let inspected = hedgerow(["inspect", "one"]).current_dir(dir.path()).run().ends_with(0);
    assert!(inspected.stdout.contains(&words), "{}", inspected.stdout);
    hedgerow(["replay", "one"]).current_dir(dir.path()).run().ends_with(0);
    let model = Model::load(dir.path().join("one")).expect("it was written");
    let id = model.left_out()[0].to_string();
    let refused = hedgerow(["remove", "one", &id]).current_dir(dir.path()).run().ends_with(1);
    assert!(refused.stderr.contains("it was left out when the model was fitted"), "{}", refused.stderr);
}

#[test]
fn people_are_told_what_came_of_it_and_what_to_try_next() {
    let dir = tempdir().expect("a temporary folder");
    let run = fit(dir.path(), "--data moons?n=100&noise=0.1 --out a/b/moons --epochs 5").ends_with(0);
    for words in
        ["a/b/moons", "moons", "100 examples of 2 features, 2 classes", "dbs, 2-100-100-20, 5 epochs", "stored"]
    {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert!(run.stderr.contains("hedgerow evaluate a/b/moons --data 'moons?n=100&noise=0.1'"), "{}", run.stderr);
    assert!(run.stderr.contains("learning: a network of 100-100-20"), "{}", run.stderr);
    let quiet = fit(dir.path(), "--data moons?n=100 --out quiet --epochs 5 --quiet").ends_with(0);
    assert_eq!(quiet.stderr, "");
    let verbose = fit(dir.path(), "--data moons?n=100 --out verbose --epochs 5 -v").ends_with(0);
    assert!(verbose.stderr.contains("epoch 5/5"), "{}", verbose.stderr);
}

#[test]
fn every_method_and_structure_fits() {
    let dir = tempdir().expect("a temporary folder");
    for method in ["dbs", "dbt-v1", "dbt-v2", "classifier", "siamese", "triplet", "soft-nn", "random-set"] {
        let answer = fitted(dir.path(), &format!("--data moons?n=120 --out {method} --method {method} --epochs 2"));
        assert_eq!((&answer["method"], &answer["structure"]), (&json!(method), &json!("tree")));
    }
    for flags in [
        "--structure tree --max-children 3",
        "--structure forest --trees 4 --vote majority --initialization permuted --max-children none",
        "--structure set --passes until-consistent --neighbors 1",
        "--structure set --neighbors 3 --vote shepard --metric manhattan",
        "--structure knn --neighbors 5 --metric cosine --history nodes-only",
    ] {
        let out = flags.replace([' ', '-'], "");
        let answer = fitted(dir.path(), &format!("--data moons?n=120 --out {out} --method none {flags}"));
        assert_eq!(
            (&answer["method"], &answer["layers"], &answer["outcome"]),
            (&json!("none"), &json!(null), &json!(null))
        );
    }
    let forest = fitted(dir.path(), "--data moons?n=120 --out default --method none");
    assert_eq!(forest["structure"], "forest");
}

#[test]
fn flags_of_learning_are_heeded() {
    let dir = tempdir().expect("a temporary folder");
    let flags = "--preset best-shifted --epochs 3 --layers 12,5 --activation tanh --sigma 9 --distance euclidean --boundary-batch 40 \
                 --train-batch 30 --learning-rate 0.01 --schedule steps:1,2 --warm-up 0.5 --weight-decay 0.01 --averaging 0.9 --patience 5 \
                 --validation 0.2 --augment shift:1,drop:0.1,mirror --clean-epochs 1 --scaling unit-range,unit-length --no-originals \
                 --reject-novelty 0.01 --reject-probability 0.5 --seed 7";
    let answer = fitted(dir.path(), &format!("--data optdigits --out m {flags}"));
    assert_eq!((&answer["method"], &answer["layers"]), (&json!("soft-nn"), &json!([12, 5])));
    let config = fs::read_to_string(dir.path().join("m/config.json")).expect("a configuration");
    let config: Value = serde_json::from_str(&config).expect("it is JSON");
    let params = &config["model"]["params"];
    let learning = &params["learning"];
    assert_eq!(learning["method"]["scale"], json!({"distance": "euclidean", "sigma": 9.0}));
    assert_eq!(
        (&learning["method"]["boundary_batch_size"], &learning["method"]["train_batch_size"]),
        (&json!(40), &json!(30))
    );
    assert_eq!(learning["learning_rate"], json!({"start": 0.01, "schedule": {"steps": [1, 2]}, "warm_up_epochs": 0.5}));
    assert_eq!((&learning["adam"]["weight_decay"], &learning["adam"]["averaging"]), (&json!(0.01), &json!(0.9)));
    assert_eq!((&learning["patience"], &learning["validation_share"]), (&json!(5), &json!(0.2)));
    assert_eq!(learning["augmentation"], json!([{"shift": 1}, {"drop": 0.1}, "mirror"]));
    assert_eq!(
        (&learning["clean_epochs"], &learning["activation"], &learning["seed"]),
        (&json!(1), &json!("tanh"), &json!(7))
    );
    assert_eq!(params["scaling"], json!(["unit_range", "unit_length"]));
    assert_eq!((&params["originals"], &params["seed"]), (&json!("none"), &json!(7)));
    assert_eq!(params["rejection"], json!({"novelty": 0.01, "probability": 0.5}));
}

#[test]
fn files_of_classes_values_and_neither() {
    let dir = tempdir().expect("a temporary folder");
    write_corners(&dir.path().join("corners.csv"));
    let classes = fitted(dir.path(), "--data corners.csv --out classes --label-column kind --epochs 20");
    assert_eq!(
        (&classes["task"], &classes["n_classes"], &classes["n_features"]),
        (&json!("classify"), &json!(3), &json!(2))
    );
    let values = fitted(dir.path(), "--data corners.csv --out values --label-column height --task regress --epsilon 2");
    assert_eq!(
        (&values["task"], &values["epsilon"], &values["method"]),
        (&json!("regress"), &json!(2.0), &json!("none"))
    );
    let finds = fitted(dir.path(), "--data corners.csv --out finds --label-column none --ignore kind");
    assert_eq!((&finds["task"], &finds["n_stored"]), (&json!("retrieve"), &json!(60)));
    // Similar examples can be looked for in a space that was learned from classes.
    let learned = fitted(dir.path(), "--data corners.csv --out learned --label-column kind --task retrieve --epochs 5");
    assert_eq!((&learned["task"], &learned["method"]), (&json!("retrieve"), &json!("dbs")));
    let from_stdin =
        hedgerow(["fit", "--data", "-", "--out", "stdin", "--method", "none", "--json"]).current_dir(dir.path());
    let answer = from_stdin.stdin("a,b,class\n1,2,x\n3,4,y\n5,6,x\n").run().json();
    assert_eq!(answer["n_examples"], 3);
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let dir = tempdir().expect("a temporary folder");
    for (name, flags) in [
        ("learned", "--data optdigits --epochs 3"),
        ("forest", "--data optdigits --method none --trees 5"),
        ("augmented", "--data optdigits --epochs 2 --preset best --method dbt-v2 --train-batch 50"),
    ] {
        let bits = |out: &str, more: &str| {
            fitted(dir.path(), &format!("{flags} --out {name}-{out} {more}"));
            tensors(&dir.path().join(format!("{name}-{out}")))
        };
        let one = bits("one", "--threads 1 --seed 3");
        assert!(one == bits("two", "--threads 2 --seed 3"), "{name}");
        assert!(one != bits("other", "--threads 2 --seed 4"), "{name}: another seed must make a difference");
    }
}

#[test]
fn a_model_is_replaced_only_by_force_and_refused_before_any_work() {
    let dir = tempdir().expect("a temporary folder");
    fitted(dir.path(), "--data moons?n=50 --out m --method none");
    let before = tensors(&dir.path().join("m"));
    // The data would be refused, too: that OUT is comes first.
    let refused = fit(dir.path(), "--data nothing-of-that-name --out m").ends_with(1);
    assert!(
        refused.stderr.contains("there is a model already") && refused.stderr.contains("--force"),
        "{}",
        refused.stderr
    );
    let again = fit(dir.path(), "--data moons?n=50 --out m --resume").ends_with(1);
    assert!(again.stderr.contains("there is a model already"), "{}", again.stderr);
    assert!(tensors(&dir.path().join("m")) == before);
    fitted(dir.path(), "--data moons?n=80 --out m --method none --force");
    assert!(tensors(&dir.path().join("m")) != before);
    // What is no model is not replaced by force either.
    fs::create_dir(dir.path().join("app")).expect("a folder");
    fs::write(dir.path().join("app/config.json"), "{\"port\": 80}").expect("a file");
    fs::write(dir.path().join("file"), "text").expect("a file");
    for out in ["app", "file", "."] {
        let refused = fit(dir.path(), &format!("--data moons?n=50 --out {out} --force"));
        assert!(refused.code > 0, "{out}");
        assert!(
            refused.stderr.contains("something else than a model") || refused.stderr.contains("no name for"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(fs::read_to_string(dir.path().join("app/config.json")).expect("it is there"), "{\"port\": 80}");
    // Nor is a model beside other files, which is said before any work.
    fs::write(dir.path().join("m/notes.txt"), "mine").expect("a file");
    let refused = fit(dir.path(), "--data nothing-of-that-name --out m --force").ends_with(1);
    assert!(refused.stderr.contains("notes.txt"), "{}", refused.stderr);
    // An empty folder is fine.
    fs::create_dir(dir.path().join("empty")).expect("a folder");
    fitted(dir.path(), "--data moons?n=50 --out empty --method none");
}

#[test]
fn what_cannot_be_is_refused_with_what_would_work() {
    let dir = tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("the file can be written");
    write_corners(&dir.path().join("corners.csv"));
    write("nan.csv", "a,b,class\n1,2,x\nNaN,4,y\n5,6,x\n");
    write("text.csv", "a,b,class\n1,2,x\nl.5,4,y\n5,6,x\n7,8,y\n");
    write("one.csv", "a,b,class\n1,2,x\n3,4,x\n");
    let cases = [
        (1, "--data mnits", "did you mean \"mnist\"?"),
        (1, "--data mnist", "hedgerow data get mnist"),
        (1, "--data cornres.csv", "did you mean corners.csv?"),
        (1, "--data corners.csv --label-column knd", "did you mean \"kind\"?"),
        (1, "--data nan.csv", "line 3"),
        (1, "--data text.csv", "\"l.5\" is not a number"),
        (1, "--data one.csv", "nothing to tell apart"),
        (1, "--data optdigits --task regress", "use --task classify"),
        (1, "--data corners.csv --label-column none --ignore kind --task classify", "has no labels"),
        (2, "--data corners.csv --label-column height --task regress --method dbs", "use --method none"),
        (2, "--data corners.csv --label-column height --task regress --epochs 5", "--epochs says how to learn"),
        (2, "--data optdigits --preset bets", "'best'"),
        (2, "--data optdigits --method dbz", "'dbs'"),
        (2, "--data optdigits --method triplet --sigma 5", "use --method dbs"),
        (2, "--data optdigits --sigma 0", "--sigma is 0"),
        (2, "--data optdigits --epochs 0", "--epochs is 0; give at least 1"),
        (2, "--data optdigits --learning-rate nan", "--learning-rate is NaN"),
        (2, "--data optdigits --epochs 5 --warm-up 9", "--warm-up is 9"),
        (2, "--data optdigits --validation 0 --patience 3", "--patience"),
        (2, "--data optdigits --max-seconds -1", "--max-seconds is -1"),
        (2, "--data optdigits --augment shift:99", "--augment"),
        (2, "--data moons --augment mirror", "shape of the pictures"),
        (2, "--data optdigits --trees 3", "use --structure forest"),
        (2, "--data optdigits --method none --trees 0", "at least 1 tree"),
        (2, "--data optdigits --max-children 0", "at least 1"),
        (2, "--data optdigits --structure set --passes until-consistent --history nodes-only", "history"),
        (2, "--data optdigits --reject-probability 1.5", "from 0 to 1"),
        (2, "--data optdigits --task classify --label-kind values", "leave one of them out"),
        (2, "--data optdigits --layers 100,x", "--layers"),
        (2, "--data optdigits --schedule linear", "steps:400,1000"),
        (2, "--data optdigits --method none --resume", "--resume goes on learning"),
    ];
    for (code, flags, expected) in cases {
        let run = fit(dir.path(), &format!("{flags} --out m")).ends_with(code);
        assert!(run.stderr.contains(expected), "{flags}\n{}", run.stderr);
        assert_eq!(run.stdout, "", "{flags}");
    }
    let left: Vec<String> = names_in(dir.path()).into_iter().filter(|name| !name.ends_with(".csv")).collect();
    assert_eq!(left, [] as [&str; 0], "refusals leave nothing behind");
}

#[test]
fn learning_that_time_ends_gives_a_model() {
    let dir = tempdir().expect("a temporary folder");
    let answer = fitted(dir.path(), "--data optdigits --out m --epochs 100000 --max-seconds 0.5");
    assert_eq!(answer["outcome"], "time-up");
    assert_eq!(names_in(dir.path()), ["m"]);
    let early = fitted(dir.path(), "--data moons?n=200 --out early --epochs 1500 --patience 2");
    assert_eq!(early["outcome"], "stopped-early");
    assert!(early["epochs"].as_u64().is_some_and(|epochs| epochs < 1500), "{early}");
}

#[test]
fn a_fit_killed_between_its_model_and_its_end_is_found_finished() {
    let dir = tempdir().expect("a temporary folder");
    let (out, checkpoint) = (dir.path().join("m"), dir.path().join("m.checkpoint"));
    // As the command does it, but for the last step: to remove the checkpoint.
    let learning = TrainingParams { epochs: Some(5), ..TrainingParams::default() };
    let params = FitParams { task: Some(Task::Classification), learning: Some(learning), ..FitParams::default() };
    let options = FitOptions { checkpoint: Some(checkpoint.clone()), ..FitOptions::default() };
    let moons = hedgerow::data::load("moons?n=200").expect("it is made on the spot");
    let model = Model::fit(&moons, &params, &options, &mut |_| ControlFlow::Continue(())).expect("it is fitted");
    model.save(&out).expect("it is saved");
    let before = tensors(&out);
    let other = fit(dir.path(), "--data moons?n=200 --out m --epochs 5 --structure set --resume").ends_with(1);
    assert!(other.stderr.contains("there is a model already"), "{}", other.stderr);
    assert!(checkpoint.exists());
    let answer = fitted(dir.path(), "--data moons?n=200 --out m --epochs 5 --resume");
    assert_eq!(answer["resumed"], true);
    assert!(tensors(&out) == before && !checkpoint.exists());
}

#[test]
fn resuming_needs_the_same_flags_and_a_checkpoint_is_not_lost() {
    let dir = tempdir().expect("a temporary folder");
    let checkpoint = dir.path().join("m.checkpoint");
    let learning = TrainingParams { epochs: Some(5), ..TrainingParams::default() };
    let params = FitParams { learning: Some(learning), ..FitParams::default() };
    let options = FitOptions { checkpoint: Some(checkpoint.clone()), ..FitOptions::default() };
    let moons = hedgerow::data::load("moons?n=200").expect("it is made on the spot");
    Model::fit(&moons, &params, &options, &mut |_| ControlFlow::Continue(())).expect("it is fitted");
    let before = fs::read(&checkpoint).expect("there is a checkpoint");
    for (code, flags, expected) in [
        (1, "--data moons?n=200 --epochs 5", "was not finished: 5 epochs of 5 are done"),
        (1, "--data moons?n=200 --epochs 6 --resume", "epochs is 5 there and 6 here"),
        (1, "--data moons?n=201 --epochs 5 --resume", "the data differs"),
    ] {
        let run = fit(dir.path(), &format!("{flags} --out m")).ends_with(code);
        assert!(run.stderr.contains(expected), "{flags}\n{}", run.stderr);
        assert!(fs::read(&checkpoint).expect("it is there") == before);
    }
    let not_yet = hedgerow(["inspect", "m"]).current_dir(dir.path()).run().ends_with(1);
    assert!(not_yet.stderr.contains("--resume"), "{}", not_yet.stderr);
    fitted(dir.path(), "--data moons?n=200 --epochs 5 --resume --out m");
    assert_eq!(names_in(dir.path()), ["m"]);
    // What is no checkpoint is not taken up, and not lost.
    fs::write(dir.path().join("n.checkpoint"), "mine").expect("a file");
    let run = fit(dir.path(), "--data moons?n=200 --epochs 5 --resume --out n").ends_with(1);
    assert!(run.stderr.contains("no checkpoint"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(dir.path().join("n.checkpoint")).expect("it is there"), "mine");
}

#[test]
fn registered_data_is_fitted_to_once_it_is_there() {
    let dir = tempdir().expect("a temporary folder");
    let data = dir.path().join("data");
    let csv = fixture("penguins.csv");
    let from = ["data", "get", "penguins", "--from", csv.to_str().expect("a plain path")];
    hedgerow(from).data_dir(&data).run().ends_with(0);
    let line = "fit --data penguins --out m --epochs 20 --json".split(' ');
    let answer = hedgerow(line).data_dir(&data).current_dir(dir.path()).run().json();
    assert_eq!((&answer["data"], &answer["n_classes"]), (&json!("penguins"), &json!(3)));
}

#[cfg(unix)]
mod killed {
    use super::*;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    /// Half of the time is learning, with a checkpoint every few epochs.
    const SHORT: &str =
        "--data moons?n=300 --out m --layers 16,4 --epochs 400 --checkpoint-seconds 0.01 --structure set --seed 5";
    const LONG: &str =
        "--data optdigits --out m --layers 30,8 --epochs 60 --checkpoint-seconds 0.02 --structure set --seed 5";

    fn start(folder: &Path, flags: &str) -> Child {
        hedgerow(["fit"].into_iter().chain(flags.split_whitespace())).current_dir(folder).start()
    }

    #[test]
    fn a_hundred_kills_at_random_moments_change_no_bit() {
        kill(SHORT, 100, 0x2545_f491_4f6c_dd1d);
    }

    #[test]
    #[ignore = "takes minutes"]
    fn a_hundred_kills_of_a_longer_fit_change_no_bit() {
        kill(LONG, 100, 7);
    }

    /// Kills fits one after another at moments that the seed draws, and compares what comes of them with an undisturbed one.
    fn kill(flags: &str, n_kills: usize, seed: u64) {
        let (calm, stormy) = (tempdir().expect("a temporary folder"), tempdir().expect("a temporary folder"));
        let begun = Instant::now();
        fitted(calm.path(), flags);
        let whole = begun.elapsed();
        let expected = tensors(&calm.path().join("m"));
        let out = stormy.path().join("m");
        let mut random = seed;
        let mut n_finished = 0;
        for kill in 0..n_kills {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Anywhere from before the first checkpoint to after the last one.
            let moment = whole.mul_f64((random >> 40) as f64 / (1_u64 << 24) as f64);
            let mut child = start(stormy.path(), &format!("{flags} --resume"));
            std::thread::sleep(moment);
            child.kill().expect("it can be killed");
            let output = child.wait_with_output().expect("it ends");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), None | Some(0)), "seed {seed}, kill {kill}: {told}");
            if out.exists() {
                // Written whole, or not at all.
                assert!(tensors(&out) == expected, "seed {seed}, kill {kill} after {moment:?}");
                fs::remove_dir_all(&out).expect("it can be removed");
                let _ = fs::remove_file(stormy.path().join("m.checkpoint"));
                n_finished += 1;
            }
        }
        assert!(n_finished < n_kills, "no run was cut short");
        fitted(stormy.path(), &format!("{flags} --resume"));
        assert!(tensors(&out) == expected);
    }

    /// Found by running it: whether there was a model was asked only before the fit, and two fits wrote to one checkpoint.
    #[test]
    fn a_model_that_comes_during_a_fit_is_not_replaced_and_a_second_fit_is_refused() {
        let dir = tempdir().expect("a temporary folder");
        let flags = "--data optdigits --out m --epochs 100000 --max-seconds 3";
        let child = start(dir.path(), flags);
        let begun = Instant::now();
        while !dir.path().join("m.checkpoint").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "waited too long for a checkpoint");
            std::thread::sleep(Duration::from_millis(10));
        }
        for more in ["", "--resume", "--force"] {
            let second = fit(dir.path(), &format!("{flags} {more}")).ends_with(1);
            assert!(second.stderr.contains("another fit of this model is under way"), "{}", second.stderr);
        }
        let moons = hedgerow::data::load("moons?n=50").expect("it is made on the spot");
        let params = FitParams { learning: None, ..FitParams::default() };
        let options = FitOptions::default();
        let other = Model::fit(&moons, &params, &options, &mut |_| ControlFlow::Continue(())).expect("it is fitted");
        other.save_new(dir.path().join("m")).expect("nothing is there yet");
        let before = tensors(&dir.path().join("m"));
        let output = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("written here during the fit") && told.contains("--resume --force"), "{told}");
        assert!(tensors(&dir.path().join("m")) == before && dir.path().join("m.checkpoint").exists());
        fitted(dir.path(), &format!("{flags} --resume --force"));
        assert!(tensors(&dir.path().join("m")) != before);
        assert_eq!(names_in(dir.path()), ["m"]);
    }

    #[test]
    fn ctrl_c_leaves_a_checkpoint_and_says_how_to_go_on() {
        let dir = tempdir().expect("a temporary folder");
        let flags = "--data optdigits --out m --epochs 100000 --json";
        let child = start(dir.path(), flags);
        let begun = Instant::now();
        while !dir.path().join("m.checkpoint").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "waited too long for a checkpoint");
            std::thread::sleep(Duration::from_millis(10));
        }
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(status.expect("kill is there").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let told = stderr.lines().last().expect("an error is told");
        let told: Value = serde_json::from_str(told).expect("it is JSON");
        assert_eq!(told["exit_code"], 130);
        assert!(told["error"].as_str().is_some_and(|error| error.contains("m.checkpoint")), "{told}");
        assert_eq!(told["hints"][0], format!("go on with: hedgerow fit {flags} --resume"));
        assert_eq!(names_in(dir.path()), ["m.checkpoint"]);
        let answer = fitted(dir.path(), "--data optdigits --out m --epochs 100000 --max-seconds 0.1 --resume");
        assert_eq!((&answer["resumed"], &answer["outcome"]), (&json!(true), &json!("time-up")));
    }
}
