//! Damaged folders: an error that names the file, or the model as it was; never a panic, never another model.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hedgerow::random::SplitMix64;
use hedgerow::{Addition, Model, Point, StructureParams};
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::{TempDir, tempdir};

use super::fixtures::{change_at_random, fit, moons, params, queries, said, structures};

/// A model with a learned representation and some changes, on disk; and what it says.
pub(crate) fn folder(structure: &StructureParams) -> (TempDir, String) {
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
pub(crate) fn outcome(folder: &Path, what: &str) -> Result<String, String> {
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
