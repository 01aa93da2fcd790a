//! What is fed with changed files, and with which.

use std::io::{Cursor, Write};
use std::path::Path;

use hedgerow_core::random::SplitMix64;
use hedgerow_data::fetch::{GetOptions, PinnedFile, RegisteredSet, Sources, Store, get};
use hedgerow_data::progress::silent;
use hedgerow_data::{
    Blocks, Column, Format, Header, LabelColumn, LabelKind, MissingValues, ReadOptions, UnknownCategory, read_bytes,
};

/// A reader, and the files to begin with.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Reads, and says whether that gave data.
    pub(crate) read: fn(&[u8], &mut SplitMix64) -> bool,
    /// One of how many cases is tried: more for what is slow.
    pub(crate) share: u64,
}

pub(crate) const IDX: Target = Target {
    name: "idx",
    seeds: || golden(&["-ubyte"]),
    read: |bytes, random| reads(Format::Idx, bytes, random),
    share: 1,
};
pub(crate) const CSV: Target = Target {
    name: "csv",
    seeds: || golden(&[".csv", ".tsv", ".txt"]),
    read: |bytes, random| reads(Format::Csv, bytes, random),
    share: 1,
};
pub(crate) const NPY: Target = Target {
    name: "npy",
    seeds: || golden(&[".npy"]),
    read: |bytes, random| reads(Format::Npy, bytes, random),
    share: 1,
};
pub(crate) const SVMLIGHT: Target = Target {
    name: "svmlight",
    seeds: || golden(&[".svm"]),
    read: |bytes, random| reads(Format::Svmlight, bytes, random),
    share: 1,
};
#[cfg(feature = "parquet")]
pub(crate) const PARQUET: Target = Target {
    name: "parquet",
    seeds: || golden(&[".parquet"]),
    read: |bytes, random| reads(Format::Parquet, bytes, random),
    share: 1,
};
/// Archives themselves, and good archives of changed arrays.
pub(crate) const NPZ: Target = Target {
    name: "npz",
    seeds: || [golden(&[".npz"]), golden(&[".npy"])].concat(),
    read: |bytes, random| match bytes {
        [b'P', b'K', ..] => reads(Format::Npz, bytes, random),
        array => reads(Format::Npz, &zip(&[("x.npy", array)]), random),
    },
    share: 1,
};
/// Changed gzip files, and good gzip files of changed contents, whose format must be found out.
pub(crate) const GZIP: Target = Target {
    name: "gzip",
    seeds: || [golden(&[".gz"]), golden(&["-ubyte", ".csv", ".npy", ".svm"])].concat(),
    read: |bytes, random| {
        let compressed = if bytes.starts_with(&[0x1f, 0x8b]) { bytes.to_vec() } else { gzip(bytes) };
        read_bytes("fuzz", &compressed, &options(None, random)).is_ok()
    },
    share: 1,
};
/// Labels in a file of their own.
pub(crate) const LABELS: Target = Target {
    name: "labels",
    seeds: || {
        let texts = [&b"label\na\nb\na\n"[..], b"1\n2\n1\n", b"0.5\n\"x\"\n?\n"].map(<[u8]>::to_vec);
        [golden(&["labels_i8.npy", "labels_text.npy", "labels-idx1-ubyte"]), texts.to_vec()].concat()
    },
    read: |bytes, _| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels");
        std::fs::write(&path, bytes).unwrap();
        let mut options = limited();
        options.labels_from = Some(path);
        options.format = Some(Format::Csv);
        options.label = LabelColumn::None;
        [3, 4, 8, 12].iter().any(|&rows| read_bytes("x", "1,2\n".repeat(rows).as_bytes(), &options).is_ok())
    },
    share: 4,
};
/// Archives that a data set is got from.
pub(crate) const ARCHIVES: Target = Target {
    name: "archives",
    seeds: || {
        vec![tar(), gzip(&tar()), zip(&[("a/one.csv", ONE), ("b/two.csv.gz", &gzip(TWO))]), gzip(ONE), ONE.to_vec()]
    },
    read: |bytes, random| {
        let folder = tempfile::tempdir().unwrap();
        let endings = ["one.csv", "one.csv.gz", "x.tar", "x.tgz", "x.whl", "x.zip"];
        let from = folder.path().join(endings[random.below(endings.len())]);
        std::fs::write(&from, bytes).unwrap();
        let store = Store::open(folder.path().join("store")).unwrap();
        let options = GetOptions { from: Some(from), ..GetOptions::default() };
        let got = get(&store, &set(), &options, &mut silent());
        // Whatever arrived has the right hash, and nothing else is there under a final name.
        for check in store.verify(&set(), &mut silent()).unwrap() {
            use hedgerow_data::fetch::FileState::{Missing, Verified};
            assert!(matches!(check.state, Verified | Missing), "{check:?}");
        }
        got.is_ok() || store.path(&set()).is_ok()
    },
    share: 10,
};

const ONE: &[u8] = b"x,y\n1,a\n2,b\n";
const TWO: &[u8] = b"x,y\n3,a\n";

/// A set of two files that are in the archives; one is enough for a changed archive to count as read.
fn set() -> RegisteredSet {
    RegisteredSet {
        name: "fuzz".to_owned(),
        description: "two small tables".to_owned(),
        license: "none needed".to_owned(),
        contents: hedgerow_data::fetch::Contents::Mnist { class_names: Vec::new() },
        files: vec![PinnedFile::of("one.csv", ONE)],
        sources: Sources::default(),
    }
}

/// Golden files whose names end so.
fn golden(endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/files");
    let mut files = Vec::new();
    for folder in [folder.clone(), folder.join("mnist")] {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort(); // so that a case is the same everywhere
        let wanted = |path: &&std::path::PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            path.is_file() && endings.iter().any(|ending| name.ends_with(ending))
        };
        files.extend(paths.iter().filter(wanted).map(|path| std::fs::read(path).unwrap()));
    }
    files
}

/// Data may take 8 MiB.
fn limited() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.memory_limit = 8 << 20;
    options
}

/// Options at random.
fn options(format: Option<Format>, random: &mut SplitMix64) -> ReadOptions {
    let mut options = limited();
    options.format = format;
    let one_of = |random: &mut SplitMix64, n: usize| random.below(n) == 0;
    let column = |random: &mut SplitMix64| match random.below(3) {
        0 => Column::Name(["x0", "label", "color", ""][random.below(4)].to_owned()),
        1 => Column::Number(random.below(4) as i64 - 2),
        _ => Column::Number(random.bits() as i64),
    };
    options.constant_label = hedgerow_data::ConstantLabel::Allow;
    if one_of(random, 8) {
        options.label = LabelColumn::At(column(random));
    }
    if one_of(random, 8) {
        options.id_column = Some(column(random));
    }
    if one_of(random, 16) {
        options.ignore = vec![column(random)];
    }
    if one_of(random, 16) {
        options.categories = vec![column(random)];
    }
    if one_of(random, 3) {
        options.missing = MissingValues::DropRows;
    }
    options.header = [Header::Detect, Header::Detect, Header::Present, Header::Absent][random.below(4)];
    options.label_kind = [LabelKind::Detect, LabelKind::Detect, LabelKind::Classes, LabelKind::Values][random.below(4)];
    options
}

/// Reads whole and, by the schema that gives, in blocks, which must be the same.
fn reads(format: Format, bytes: &[u8], random: &mut SplitMix64) -> bool {
    let mut options = options(Some(format), random);
    let Ok(whole) = read_bytes("fuzz", bytes, &options) else { return false };
    assert_eq!(whole.points().len(), whole.labels().len());
    assert_eq!(whole.row_ids().len(), whole.len());
    options.schema = Some(whole.schema());
    options.unknown_category = UnknownCategory::Zeros;
    if let Ok(blocks) = Blocks::from_stream("fuzz", Box::new(Cursor::new(bytes.to_vec())), 3, &options) {
        let rows: Result<Vec<_>, _> = blocks.collect();
        if let Ok(blocks) = rows {
            let n_rows: usize = blocks.iter().map(|block| block.len()).sum();
            assert_eq!(n_rows, whole.len(), "blocks have other rows than the whole");
        }
    }
    true
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar() -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in [("package/one.csv", ONE), ("package/two.csv", TWO)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, bytes).unwrap();
    }
    builder.into_inner().unwrap()
}
