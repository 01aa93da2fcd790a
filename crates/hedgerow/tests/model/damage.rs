//! Damaged folders: an error that names the file, or the model as it was; never a panic, never another model.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hedgerow::random::SplitMix64;
use hedgerow::{Addition, Model, Point, StructureParams};
use rusqlite::Connection;
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::{TempDir, tempdir};

use super::fixtures::{add, change_at_random, fit, moons, params, queries, said, structures};

/// A model with a learned representation and some changes, on disk; and what it says.
fn folder(structure: &StructureParams) -> (TempDir, String) {
    let folder = tempdir().unwrap();
    fit(&moons(), &params(structure, true)).save(folder.path()).unwrap();
    let mut model = Model::open(folder.path()).unwrap();
    let mut random = SplitMix64::new(2, 2);
    for _ in 0..8 {
        change_at_random(&mut model, &mut random);
    }
    let said = said(&model, &queries(&model, 1));
    (folder, said)
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a changed `config.json` as if it had been written so.
fn write_config(folder: &Path, config: &Value) {
    let mut config = config.clone();
    config["sha256"].take();
    config.as_object_mut().unwrap().remove("sha256");
    let body = serde_json::to_string_pretty(&config).unwrap() + "\n";
    let open = body.strip_suffix("\n}\n").unwrap();
    let sealed = format!("{open},\n  \"sha256\": \"{}\"\n}}\n", hex(body.as_bytes()));
    fs::write(folder.join("config.json"), sealed).unwrap();
}

fn config(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("config.json")).unwrap()).unwrap()
}

/// Changes one value of `config.json`, and what vouches for it.
pub(crate) fn edit_config(folder: &Path, place: &str, value: Value) {
    let mut config = config(folder);
    *config.pointer_mut(place).unwrap() = value;
    write_config(folder, &config);
}

/// Writes other arrays as if they had been written so.
fn write_tensors(folder: &Path, bytes: &[u8]) {
    fs::write(folder.join("model.safetensors"), bytes).unwrap();
    let mut config = config(folder);
    config["tensors_sha256"] = hex(bytes).into();
    write_config(folder, &config);
}

/// Changes the bytes of one array, and everything that vouches for them.
pub(crate) fn edit_array(folder: &Path, name: &str, edit: impl Fn(&mut [u8])) {
    let bytes = fs::read(folder.join("model.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let arrays: Vec<_> = tensors
        .tensors()
        .into_iter()
        .map(|(array, view)| {
            let mut data = view.data().to_vec();
            if array == name {
                edit(&mut data);
            }
            (array, view.dtype(), view.shape().to_vec(), data)
        })
        .collect();
    let views =
        arrays.iter().map(|(name, dtype, shape, data)| (name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
    let metadata = [("format".to_owned(), "hedgerow-model".to_owned())].into();
    write_tensors(folder, &safetensors::serialize(views, Some(metadata)).unwrap());
}

/// Loads, and asks and changes in memory if that works. A panic is told with what led to it.
fn outcome(folder: &Path, what: &str) -> Result<String, String> {
    let act = || match Model::load(folder) {
        Ok(mut model) => {
            let said = said(&model, &queries(&model, 1));
            model.preprocessing().spreads();
            let point = vec![0.5; model.data().n_features];
            let new = Addition { point: Point::F32(&point), label: Some("1"), id: None, note: None };
            let _ = model.insert(&[new]);
            let _ = model.is_what_its_history_gives();
            Ok(said)
        }
        Err(error) => Err(error.to_string()),
    };
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| panic!("a panic: {what}"))
}

const FILES: [&str; 4] = ["config.json", "model.safetensors", "metrics.json", "journal.sqlite"];

fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) -> String {
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => {
            bytes.truncate(at);
            format!("cut off at {at}")
        }
        1 => {
            let n = 1 + random.below(64).min(bytes.len() - at - 1);
            (at..at + n).for_each(|at| bytes[at] = random.bits() as u8);
            format!("{n} bytes from {at} overwritten")
        }
        2 => {
            bytes.splice(at..at, [random.bits() as u8]);
            format!("a byte put in at {at}")
        }
        _ => {
            bytes[at] ^= 1 << random.below(8);
            format!("a bit of byte {at} turned")
        }
    }
}

#[test]
fn damage_anywhere_is_refused_by_the_name_of_the_file() {
    let n = std::env::var("HEDGEROW_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let seed = std::env::var("HEDGEROW_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (folder, as_it_was) = folder(&StructureParams::tree());
    let mut random = SplitMix64::new(seed, 11);
    for name in FILES {
        let path = folder.path().join(name);
        let whole = fs::read(&path).unwrap();
        let mut n_refused = 0;
        for case in 0..n {
            let mut bytes = whole.clone();
            let what = format!("{name}, seed {seed}, case {case}: {}", damage(&mut bytes, &mut random));
            if bytes == whole {
                continue;
            }
            fs::write(&path, &bytes).unwrap();
            match outcome(folder.path(), &what) {
                Err(error) => {
                    assert!(error.contains(name), "{what}: {error}");
                    n_refused += 1;
                }
                // Databases have bytes that mean nothing.
                Ok(said) => assert!(name == "journal.sqlite" && said == as_it_was, "{what}"),
            }
        }
        assert!(n_refused > n / 4, "{name}: {n_refused} of {n}");
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(outcome(folder.path(), "as it was").as_ref(), Ok(&as_it_was));
}

/// Found by the test above with many cases: the rest of a page that is cut off counts as zeros, which is a table without rows, and all changes
/// were gone without a word.
#[test]
fn a_journal_that_ends_early_is_refused() {
    let (folder, _) = folder(&StructureParams::tree());
    let path = folder.path().join("journal.sqlite");
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).filter(|length| length % 512 < 12) {
        fs::write(&path, &whole[..length]).unwrap();
        let error = outcome(folder.path(), &format!("cut off at {length}")).unwrap_err();
        assert!(error.contains("journal.sqlite"), "{length}: {error}");
    }
    // A table that says it has fewer rows.
    for page in 1..whole.len() / 4096 {
        for n_rows in 0..whole[page * 4096 + 4] {
            let mut bytes = whole.clone();
            bytes[page * 4096 + 4] = n_rows;
            fs::write(&path, &bytes).unwrap();
            let error = outcome(folder.path(), &format!("{n_rows} rows in page {page}")).unwrap_err();
            assert!(error.contains("journal.sqlite"), "{page}, {n_rows}: {error}");
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    let (folder, as_it_was) = folder(&StructureParams::tree());
    for name in FILES {
        let path = folder.path().join(name);
        let aside = folder.path().join("aside");
        fs::rename(&path, &aside).unwrap();
        let error = outcome(folder.path(), name).unwrap_err();
        assert!(error.contains(name), "{error}");
        if name != "config.json" {
            // The remedy differs, but nothing is made up in its place.
            assert!(error.contains("missing"), "{error}");
            assert!(Model::open(folder.path()).is_err());
            assert!(!path.exists());
        }
        fs::rename(&aside, &path).unwrap();
    }
    // The page is for people.
    fs::remove_file(folder.path().join("README.md")).unwrap();
    assert_eq!(outcome(folder.path(), "README.md"), Ok(as_it_was));
}

/// Found by reading: every chain of entries began with the same zeros, and files of another model were taken.
#[test]
fn the_journal_and_the_metrics_of_another_model_are_refused() {
    let (folder, as_it_was) = folder(&StructureParams::tree());
    let other = tempdir().unwrap();
    fit(&moons(), &params(&StructureParams::set(), true)).save(other.path()).unwrap();
    for (name, words) in [("journal.sqlite", "another model"), ("metrics.json", "another model")] {
        let whole = fs::read(folder.path().join(name)).unwrap();
        fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
        let error = outcome(folder.path(), name).unwrap_err();
        assert!(error.contains(name) && error.contains(words), "{error}");
        assert!(Model::open(folder.path()).is_err());
        fs::write(folder.path().join(name), whole).unwrap();
    }
    // A journal of the same model that took another way before the model was saved anew.
    let twin = tempdir().unwrap();
    fit(&moons(), &params(&StructureParams::tree(), true)).save(twin.path()).unwrap();
    add(&mut Model::open(twin.path()).unwrap(), &[7.0, 7.0], "else");
    Model::open(folder.path()).unwrap().save(folder.path()).unwrap();
    let whole = fs::read(folder.path().join("journal.sqlite")).unwrap();
    fs::copy(twin.path().join("journal.sqlite"), folder.path().join("journal.sqlite")).unwrap();
    let error = outcome(folder.path(), "twin").unwrap_err();
    assert!(error.contains("journal.sqlite") && error.contains("missing"), "{error}");
    fs::write(folder.path().join("journal.sqlite"), whole).unwrap();
    assert_eq!(outcome(folder.path(), "as it was"), Ok(as_it_was));
}

/// Found by running it: the remedy for a lost journal worked only for a model that was never saved again.
#[test]
fn without_its_journal_a_model_can_be_had_as_it_was_last_saved() {
    for lost in [None, Some("")] {
        let (folder, as_it_was) = folder(&StructureParams::tree());
        let mut model = Model::open(folder.path()).unwrap();
        model.save(folder.path()).unwrap();
        let n = model.n_changes();
        add(&mut model, &[1.0, 1.0], "0");
        let journal = folder.path().join("journal.sqlite");
        let old = fs::read(&journal).unwrap();
        match lost {
            None => fs::remove_file(&journal).unwrap(),
            Some(text) => fs::write(&journal, text).unwrap(),
        }
        let error = Model::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains("journal.sqlite") && error.contains(&format!("--until {n} --out")), "{error}");
        assert!(Model::load_as_of(folder.path(), n - 1).is_err());
        let then = Model::load_as_of(folder.path(), n).unwrap();
        assert_eq!(said(&then, &queries(&then, 1)), as_it_was);
        assert!(then.is_what_its_history_gives().unwrap());
        // It goes on with a journal of its own, and the old one, found again, is not taken for it.
        let (new, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
        then.save(new.path()).unwrap();
        add(&mut Model::open(new.path()).unwrap(), &[2.0, 2.0], "0");
        let model = Model::load(new.path()).unwrap();
        assert_eq!(model.history().unwrap().len(), 1);
        model.save(elsewhere.path()).unwrap();
        assert!(Model::load(elsewhere.path()).unwrap().is_what_its_history_gives().unwrap());
        fs::write(new.path().join("journal.sqlite"), old).unwrap();
        assert!(outcome(new.path(), "the old journal").unwrap_err().contains("another model"));
    }
}

#[test]
fn without_its_journal_a_model_can_be_had_as_it_was_fitted() {
    let (folder, _) = folder(&StructureParams::tree());
    let fitted = fit(&moons(), &params(&StructureParams::tree(), true));
    fs::write(folder.path().join("journal.sqlite"), "").unwrap();
    let error = Model::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("journal.sqlite") && error.contains("--until 0"), "{error}");
    let mut model = Model::load_as_of(folder.path(), 0).unwrap();
    assert_eq!(model.structure(), fitted.structure());
    // And a good model can be put in its place.
    add(&mut model, &[1.0, 1.0], "0");
    model.save(folder.path()).unwrap();
    assert_eq!(Model::load(folder.path()).unwrap().history().unwrap().len(), 1);
}

#[test]
fn other_formats_are_refused_by_their_version() {
    let (folder, _) = folder(&StructureParams::tree());
    let mut other = config(folder.path());
    other["format_version"] = 2.into();
    other["a key of the future"] = true.into();
    write_config(folder.path(), &other);
    let error = outcome(folder.path(), "version 2").unwrap_err();
    assert!(error.contains("config.json") && error.contains("format 2") && error.contains("newer"), "{error}");
    // Whether or not the future still seals its files.
    fs::write(folder.path().join("config.json"), r#"{"format": "hedgerow-model", "format_version": 3}"#).unwrap();
    assert!(outcome(folder.path(), "version 3").unwrap_err().contains("format 3"));
    fs::write(folder.path().join("config.json"), r#"{"format": "other", "format_version": 1}"#).unwrap();
    assert!(outcome(folder.path(), "another format").unwrap_err().contains("config.json"));
}

/// A value of another kind or size in some place of a tree of JSON; tells where.
fn change_json(value: &mut Value, random: &mut SplitMix64, place: &mut String) {
    match value {
        Value::Object(keys) if !keys.is_empty() && random.below(8) > 0 => {
            let key = keys.keys().nth(random.below(keys.len())).unwrap().clone();
            *place += &format!(".{key}");
            if random.below(12) == 0 {
                *place += " gone";
                keys.remove(&key);
                return;
            }
            change_json(keys.get_mut(&key).unwrap(), random, place);
        }
        Value::Array(items) if !items.is_empty() && random.below(8) > 0 => {
            let at = random.below(items.len());
            *place += &format!("[{at}]");
            match random.below(6) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => change_json(&mut items[at], random, place),
            }
        }
        other => {
            let values: [Value; 10] = [
                Value::Null,
                true.into(),
                0.into(),
                1.into(),
                3.into(),
                (-1).into(),
                u64::MAX.into(),
                1e300.into(),
                "other".into(),
                Value::Array(vec![]),
            ];
            *other = values[random.below(values.len())].clone();
            *place += &format!(" = {other}");
        }
    }
}

#[test]
fn a_config_that_says_something_else_is_refused_or_harmless() {
    for (name, structure) in structures() {
        let (folder, _) = folder(&structure);
        let whole = config(folder.path());
        let mut random = SplitMix64::new(3, 12);
        for case in 0..80 {
            let (mut other, mut place) = (whole.clone(), String::new());
            change_json(&mut other, &mut random, &mut place);
            if !other.is_object() {
                continue;
            }
            write_config(folder.path(), &other);
            let what = format!("{name}, seed 3, case {case}: config.json{place}");
            if let Err(error) = outcome(folder.path(), &what) {
                assert!(FILES.iter().any(|file| error.contains(file)) || error.contains("empty"), "{what}: {error}");
            }
        }
    }
}

/// Found by running it: a width of 2^62 was taken, and `explain` of the command ended in a panic; the others were taken in silence.
#[test]
fn a_config_whose_parts_contradict_each_other_is_refused() {
    let (folder, _) = folder(&StructureParams::tree());
    let whole = config(folder.path());
    let cases: [(&str, Value, &str); 11] = [
        ("/preprocessing/width", (1_u64 << 62).into(), "preprocessing"),
        ("/preprocessing/width", 3.into(), "preprocessing"),
        ("/preprocessing/bytes", true.into(), "preprocessing"),
        ("/preprocessing/steps/0/offset", vec![0.5].into(), "preprocessing"),
        ("/preprocessing/steps/0/scale", vec![1.0, 1.0, 1.0].into(), "preprocessing"),
        ("/preprocessing/steps/0/scale", vec![1.0, 0.0].into(), "preprocessing"),
        ("/model/schema/encoding/columns", Value::Array(vec![]), "model.schema.encoding"),
        ("/model/closeness/sigma", 0.0.into(), "sigma"),
        ("/model/closeness/sigma", (-1.0).into(), "sigma"),
        ("/next_id", 0.into(), "next_id"),
        ("/model/data/n_examples", 3.into(), "sources"),
    ];
    for (place, value, words) in cases {
        let mut other = whole.clone();
        *other.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
        write_config(folder.path(), &other);
        let error = outcome(folder.path(), place).unwrap_err();
        assert!(error.contains(words), "{place}: {error}");
    }
    let mut other = whole.clone();
    for place in ["", "/model", "/model/schema", "/model/schema/encoding", "/preprocessing", "/preprocessing/steps/0"] {
        other.pointer_mut(place).unwrap()["unknown"] = 1.into();
        write_config(folder.path(), &other);
        assert!(outcome(folder.path(), place).unwrap_err().contains("unknown"), "{place}");
        other = whole.clone();
    }
}

#[test]
fn arrays_that_say_something_else_are_refused_or_harmless() {
    for (name, structure) in structures() {
        let (folder, _) = folder(&structure);
        let whole = fs::read(folder.path().join("model.safetensors")).unwrap();
        let mut random = SplitMix64::new(4, 13);
        for case in 0..80 {
            let mut bytes = whole.clone();
            let what = format!("{name}, seed 4, case {case}: {}", damage(&mut bytes, &mut random));
            write_tensors(folder.path(), &bytes);
            if let Err(error) = outcome(folder.path(), &what) {
                assert!(FILES.iter().any(|file| error.contains(file)), "{what}: {error}");
            }
        }
    }
}

/// The seal of an entry as `docs/format.md` tells it.
fn seal(before: &[u8], numbers: [i64; 3], fields: [Option<&[u8]>; 5]) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(before);
    numbers.iter().for_each(|number| hash.update(number.to_le_bytes()));
    for field in fields {
        hash.update(field.map_or(u64::MAX, |field| field.len() as u64).to_le_bytes());
        hash.update(field.unwrap_or_default());
    }
    hash.finalize().to_vec()
}

/// Adds an entry to a journal as a program could that knows the format.
fn forge(folder: &Path, action: &str, example: i64, label: Option<&str>, point: Option<&[u8]>, code: Option<&[u8]>) {
    let connection = Connection::open(folder.join("journal.sqlite")).unwrap();
    let last = "SELECT number, seal FROM journal ORDER BY number DESC LIMIT 1";
    let (number, before): (i64, Vec<u8>) =
        connection.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let number = number + 1;
    let fields = [Some(action.as_bytes()), label.map(str::as_bytes), point, code, None];
    let seal = seal(&before, [number, 5, example], fields);
    let row = rusqlite::params![number, 5, action, example, label, point, code, seal];
    let insert = "INSERT INTO journal (number, at, action, example, label, point, representation, seal)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    connection.execute(insert, row).unwrap();
    connection.execute("UPDATE last_entry SET number = ?1, seal = ?2", rusqlite::params![number, seal]).unwrap();
}

#[test]
fn entries_that_cannot_be_done_are_refused_by_their_number() {
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let (point, code) = (floats(&[0.5, 0.5]), floats(&[0.1, 0.2]));
    let refused = |action: &str, example: i64, label: Option<&str>, point: &[u8], code: &[u8]| {
        let (folder, _) = folder(&StructureParams::tree());
        let is_add = action == "add";
        let n = Model::load(folder.path()).unwrap().history().unwrap().len();
        forge(folder.path(), action, example, label, is_add.then_some(point), is_add.then_some(code));
        let error = outcome(folder.path(), action).unwrap_err();
        assert!(error.contains("journal.sqlite") && error.contains(&format!("entry {}", n + 1)), "{error}");
    };
    refused("remove", 5000, None, &[], &[]);
    refused("relabel", 5000, Some("0"), &[], &[]);
    refused("add", 1, Some("0"), &point, &code);
    refused("add", 5000, Some("0"), &floats(&[0.5]), &code);
    refused("add", 5000, Some("0"), &point, &[]);
    refused("add", 5000, Some("0"), &point, &floats(&[f32::NAN, 0.0]));
    refused("add", 5000, Some("0"), &point, &code[..7]);
    refused("add", 5000, Some("0"), &floats(&[0.5, 0.5, 0.5, 0.5]), &code);
    refused("add", 5000, Some("0"), &point[..5], &code);
    // One that can be is taken, whoever wrote it.
    let (folder, _) = folder(&StructureParams::tree());
    forge(folder.path(), "add", 5000, Some("0"), Some(&point), Some(&code));
    let model = Model::load(folder.path()).unwrap();
    assert!(model.search().example(hedgerow::ExampleId(5000)).is_some());
}

/// A journal as a killed writer leaves it: some of a change is in the file, and beside it what it takes to undo that.
fn kill_in_the_middle(folder: &Path) {
    let path = folder.join("journal.sqlite");
    let (copy, begun) = (folder.join("copy"), folder.join("copy-begun"));
    {
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = PERSIST; PRAGMA cache_size = 1; BEGIN IMMEDIATE").unwrap();
        for number in 100..140 {
            let row = rusqlite::params![number, vec![7_u8; 4000]];
            let insert =
                "INSERT INTO journal (number, at, action, example, point, seal) VALUES (?1, 5, 'add', 1, ?2, x'00')";
            connection.execute(insert, row).unwrap();
        }
        fs::copy(&path, &copy).unwrap();
        fs::copy(folder.join("journal.sqlite-journal"), &begun).unwrap();
        connection.execute_batch("ROLLBACK").unwrap();
    }
    assert!(fs::metadata(&begun).unwrap().len() > 512);
    fs::rename(copy, &path).unwrap();
    fs::rename(begun, folder.join("journal.sqlite-journal")).unwrap();
}

/// Found by reading: a reader that may not write cannot undo what a killed writer had begun, and was refused.
#[test]
fn what_a_killed_writer_had_begun_is_undone_for_readers_too() {
    let (folder, as_it_was) = folder(&StructureParams::tree());
    kill_in_the_middle(folder.path());
    assert_eq!(outcome(folder.path(), "killed"), Ok(as_it_was.clone()));
    kill_in_the_middle(folder.path());
    let mut model = Model::open(folder.path()).unwrap();
    assert_eq!(said(&model, &queries(&model, 1)), as_it_was);
    add(&mut model, &[0.0, 0.0], "0");
    assert!(Model::load(folder.path()).is_ok());
}
