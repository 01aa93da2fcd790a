//! One string names any data.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::io::Write;
use std::process::{Command, Stdio};

use hedgerow_core::Label;
use hedgerow_data::fetch::{Contents, PinnedFile, RegisteredSet, Sources, Store, sets};
use hedgerow_data::progress::silent;
use hedgerow_data::{
    Column, DataName, KnownKind, LabelKind, LoadError, MissingValues, Problem, ReadOptions, known, load,
    load_registered,
};

#[test]
fn known_names_come_before_files_and_everything_else_is_a_path() {
    assert_eq!(DataName::parse("optdigits").unwrap(), DataName::Optdigits);
    assert_eq!(DataName::parse("-").unwrap(), DataName::StandardInput);
    assert!(matches!(DataName::parse("mnist").unwrap(), DataName::Registered(set) if set.name == "mnist"));
    assert!(matches!(DataName::parse("moons?n=10&seed=7").unwrap(), DataName::Synthetic(moons) if moons.n == 10));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    assert_eq!(DataName::parse(&path).unwrap(), DataName::Path(folder.path().to_owned()));
}

#[test]
fn names_of_nothing_get_a_suggestion() {
    let error = |name: &str| load(name).unwrap_err().to_string();
    assert!(error("mnits").contains("(did you mean \"mnist\"?)"), "{}", error("mnits"));
    assert!(error("moon?n=3").contains("(did you mean \"moons\"?)"), "{}", error("moon?n=3"));
    assert!(error("no/such/file.csv").contains("known are optdigits, mnist, fashion-mnist"));
    assert!(error("").contains("is neither a file"));
    assert!(error("moons?noise=-1").contains("noise = -1 of moons cannot be"));
}

#[test]
fn every_known_name_is_understood_and_described() {
    let known = known();
    for kind in [KnownKind::Embedded, KnownKind::Registered, KnownKind::Synthetic] {
        assert!(known.iter().any(|known| known.kind == kind));
    }
    for known in known {
        assert!(DataName::parse(&known.name).is_ok() && !known.description.is_empty(), "{}", known.name);
        if known.kind != KnownKind::Registered {
            assert!(!load(&known.name).unwrap().is_empty());
        }
    }
}

#[test]
fn files_are_loaded_by_their_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flowers.csv");
    std::fs::write(&path, "x,label\n1,a\n2,b\n").unwrap();
    assert_eq!(load(path.to_str().unwrap()).unwrap().len(), 2);
    std::fs::write(&path, "x,label\n1,a\n2\n").unwrap();
    let error = load(path.to_str().unwrap()).unwrap_err();
    assert!(matches!(&error, LoadError::Read(error) if matches!(*error.problem, Problem::Ragged { .. })), "{error}");
}

fn table(contents: Contents, files: Vec<PinnedFile>) -> RegisteredSet {
    RegisteredSet {
        name: "birds".into(),
        description: "birds".into(),
        license: "whose they are".into(),
        contents,
        files,
        sources: Sources::default(),
    }
}

#[test]
fn a_registered_set_is_read_as_it_says_from_the_data_directory() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let text = b"kind,wing\nswift,1.5\nwren,NA\nwren,0.5\n";
    let contents = Contents::Table {
        file: "birds.csv".into(),
        label: Column::Name("kind".into()),
        label_kind: LabelKind::Classes,
        missing: MissingValues::DropRows,
    };
    let set = table(contents, vec![PinnedFile::of("birds.csv", text)]);
    let error = load_registered(&store, &set, &ReadOptions::default(), &mut silent()).unwrap_err();
    assert!(error.to_string().contains("run `hedgerow data get birds`"), "{error}");
    std::fs::create_dir_all(store.folder(&set)).unwrap();
    std::fs::write(store.folder(&set).join("birds.csv"), text).unwrap();
    let birds = load_registered(&store, &set, &ReadOptions::default(), &mut silent()).unwrap();
    assert_eq!((birds.name(), birds.attribution()), ("birds", Some("whose they are")));
    assert_eq!((birds.class_names(), birds.dropped_rows()), (&["swift".to_owned(), "wren".to_owned()][..], 1));
}

#[test]
fn pictures_with_named_classes_get_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let images =
        |rows: u8| [&[0, 0, 8, 3, 0, 0, 0, rows, 0, 0, 0, 1, 0, 0, 0, 2][..], &vec![7; 2 * rows as usize]].concat();
    let labels = |labels: &[u8]| [&[0, 0, 8, 1, 0, 0, 0, labels.len() as u8][..], labels].concat();
    let files = [
        ("train-images-idx3-ubyte", images(2)),
        ("train-labels-idx1-ubyte", labels(&[1, 0])),
        ("t10k-images-idx3-ubyte", images(1)),
        ("t10k-labels-idx1-ubyte", labels(&[1])),
    ];
    let pins = files.iter().map(|(name, bytes)| PinnedFile::of(name, bytes)).collect();
    let set = table(Contents::Mnist { class_names: vec!["Bag".into(), "Coat".into()] }, pins);
    std::fs::create_dir_all(store.folder(&set)).unwrap();
    files.iter().for_each(|(name, bytes)| std::fs::write(store.folder(&set).join(name), bytes).unwrap());
    let clothes = load_registered(&store, &set, &ReadOptions::default(), &mut silent()).unwrap();
    assert_eq!(clothes.class_names(), ["Bag", "Coat"]);
    assert_eq!(clothes.test().labels(), [Label::class(1)]);
    assert_eq!(clothes.image_shape().unwrap().to_string(), "1x2x1");
}

#[test]
fn fashion_mnist_names_its_ten_classes() {
    let set = sets().iter().find(|set| set.name == "fashion-mnist").unwrap();
    assert!(matches!(&set.contents, Contents::Mnist { class_names } if class_names.len() == 10));
}

/// Does its work only in the process that the test below starts, with data on its standard input.
#[test]
fn reads_standard_input() {
    if std::env::var_os("HEDGEROW_TEST_STANDARD_INPUT").is_none() {
        return;
    }
    let dataset = load("-").unwrap();
    println!("read {} rows of {} classes", dataset.len(), dataset.class_names().len());
}

#[test]
fn standard_input_is_read_through_a_dash() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reads_standard_input", "--nocapture"])
        .env("HEDGEROW_TEST_STANDARD_INPUT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"1,a\n2,b\n3,a\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("read 3 rows of 2 classes"), "{text}");
}
