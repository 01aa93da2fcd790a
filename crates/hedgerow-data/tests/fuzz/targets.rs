//! What is fed with changed files, and with which.

use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::time::Duration;

use hedgerow_core::random::SplitMix64;
use hedgerow_data::fetch::{GetOptions, PinnedFile, RegisteredSet, Sources, Store, Via, get};
use hedgerow_data::progress::silent;
use hedgerow_data::{
    Blocks, Column, Dataset, Decimal, Format, Header, LabelKind, MissingValues, ReadError, ReadOptions, RoleColumn,
    Schema, UnknownCategory, read_bytes,
};

#[cfg(feature = "parquet")]
use crate::mutate::change_within;
use crate::mutate::{change_json, changed, changed_one};

/// A reader, and the files to begin with.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) seeds: fn() -> Seeds,
    /// Makes a changed file of the seeds: what is read.
    pub(crate) change: fn(&Seeds, &mut SplitMix64) -> Vec<u8>,
    /// Reads, and says whether that gave data.
    pub(crate) read: fn(&[u8], &Seeds, &mut SplitMix64) -> bool,
    /// One of how many cases is tried: more for what is slow.
    pub(crate) share: u64,
    /// How many percent of the changed files must at least give data: about two thirds of what they are now.
    pub(crate) read_percent: f64,
}

/// Good files.
pub(crate) struct Seeds {
    pub(crate) files: Vec<Vec<u8>>,
    /// What is recorded of those that are read as one format, to read others by it.
    schemas: Vec<Schema>,
    /// Small files of each format, to be read by a changed schema.
    good: Vec<(Format, Vec<u8>)>,
}

impl Seeds {
    fn new(files: Vec<Vec<u8>>) -> Self {
        Self { files, schemas: Vec::new(), good: Vec::new() }
    }

    fn of_format(format: Format, files: Vec<Vec<u8>>) -> Self {
        let schemas = files.iter().filter_map(|file| read_bytes("seed", file, &limited(Some(format))).ok());
        let schemas: Vec<Schema> = schemas.map(|dataset| dataset.schema()).collect();
        assert!(!schemas.is_empty());
        Self { schemas, ..Self::new(files) }
    }
}

fn change_any(seeds: &Seeds, random: &mut SplitMix64) -> Vec<u8> {
    changed(&seeds.files, random)
}

pub(crate) const IDX: Target = Target {
    name: "idx",
    seeds: || Seeds::of_format(Format::Idx, golden(&["-ubyte"])),
    change: change_any,
    read: |bytes, seeds, random| reads(Format::Idx, bytes, seeds, random),
    share: 1,
    read_percent: 5.0,
};
pub(crate) const CSV: Target = Target {
    name: "csv",
    seeds: || Seeds::of_format(Format::Csv, golden(&[".csv", ".tsv", ".txt"])),
    change: change_any,
    read: |bytes, seeds, random| reads(Format::Csv, bytes, seeds, random),
    share: 1,
    read_percent: 5.0,
};
pub(crate) const NPY: Target = Target {
    name: "npy",
    seeds: || Seeds::of_format(Format::Npy, golden(&[".npy"])),
    change: change_any,
    read: |bytes, seeds, random| reads(Format::Npy, bytes, seeds, random),
    share: 1,
    read_percent: 7.0,
};
pub(crate) const SVMLIGHT: Target = Target {
    name: "svmlight",
    seeds: || Seeds::of_format(Format::Svmlight, golden(&[".svm"])),
    change: change_any,
    read: |bytes, seeds, random| reads(Format::Svmlight, bytes, seeds, random),
    share: 1,
    read_percent: 10.0,
};
/// Files changed anywhere, and files whose directory of columns and pages stays good, so that the pages are decoded.
#[cfg(feature = "parquet")]
pub(crate) const PARQUET: Target = Target {
    name: "parquet",
    seeds: || Seeds::of_format(Format::Parquet, golden(&[".parquet"])),
    change: |seeds, random| {
        if random.below(2) == 0 {
            return change_any(seeds, random);
        }
        let mut bytes = seeds.files[random.below(seeds.files.len())].clone();
        // At the end: the footer, its length in 4 bytes, 4 bytes "PAR1".
        let length_at = bytes.len() - 8;
        let footer = u32::from_le_bytes(bytes[length_at..length_at + 4].try_into().unwrap()) as usize;
        change_within(&mut bytes[4..length_at - footer], random);
        bytes
    },
    read: |bytes, seeds, random| reads(Format::Parquet, bytes, seeds, random),
    share: 1,
    read_percent: 7.5,
};
/// Changed archives, and good archives of changed arrays.
pub(crate) const NPZ: Target = Target {
    name: "npz",
    seeds: || Seeds::of_format(Format::Npz, [golden(&[".npz"]), golden(&[".npy"])].concat()),
    change: |seeds, random| {
        let file = &seeds.files[random.below(seeds.files.len())];
        if !file.starts_with(b"PK") {
            return zip(&[("x.npy", &changed_one(file, &seeds.files, random))]);
        }
        if random.below(2) == 0 {
            return changed_one(file, &seeds.files, random);
        }
        let mut arrays = unzip(file);
        let at = random.below(arrays.len());
        arrays[at].1 = changed_one(&arrays[at].1, &seeds.files, random);
        let arrays: Vec<_> = arrays.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        zip(&arrays)
    },
    read: |bytes, seeds, random| reads(Format::Npz, bytes, seeds, random),
    share: 1,
    read_percent: 7.0,
};
/// Changed gzip files, and good gzip files of changed contents, whose format must be found out.
pub(crate) const GZIP: Target = Target {
    name: "gzip",
    seeds: || {
        let plain = golden(&["-ubyte", ".csv", ".npy", ".svm"]);
        let compressed: Vec<_> = plain.iter().map(|bytes| gzip(bytes)).collect();
        Seeds::new([golden(&[".gz"]), plain, compressed].concat())
    },
    change: |seeds, random| {
        let file = &seeds.files[random.below(seeds.files.len())];
        if !file.starts_with(GZIP_MAGIC) {
            return gzip(&changed_one(file, &seeds.files, random));
        }
        if random.below(2) == 0 {
            return changed_one(file, &seeds.files, random);
        }
        gzip(&changed_one(&gunzip(file), &seeds.files, random))
    },
    read: |bytes, _, random| read_bytes("fuzz", bytes, &options(None, random)).is_ok(),
    share: 1,
    read_percent: 5.0,
};
/// Labels in a file of their own.
pub(crate) const LABELS: Target = Target {
    name: "labels",
    seeds: || {
        let texts = [&b"label\na\nb\na\n"[..], b"1\n2\n1\n", b"0.5\n\"x\"\n?\n"].map(<[u8]>::to_vec);
        Seeds::new([golden(&["labels_i8.npy", "labels_text.npy", "labels-idx1-ubyte"]), texts.to_vec()].concat())
    },
    change: change_any,
    read: |bytes, _, _| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels");
        std::fs::write(&path, bytes).unwrap();
        let mut options = limited(Some(Format::Csv));
        options.labels_from = Some(path);
        options.label = RoleColumn::None;
        [3, 4, 8, 12].iter().any(|&rows| read_bytes("x", "1,2\n".repeat(rows).as_bytes(), &options).is_ok())
    },
    share: 4,
    read_percent: 11.0,
};
/// Recorded schemas, as they are in the file of a model: any that can be read may be given with any file.
pub(crate) const SCHEMA: Target = Target {
    name: "schema",
    seeds: || {
        let good = good_files();
        let schemas = good.iter().filter_map(|(format, file)| {
            let dataset = read_bytes("seed", file, &limited(Some(*format))).ok()?;
            Some(serde_json::to_vec(&dataset.schema()).unwrap())
        });
        let mut schemas: Vec<_> = schemas.collect();
        schemas.sort();
        schemas.dedup();
        Seeds { good, ..Seeds::new(schemas) }
    },
    change: |seeds, random| {
        let schema = &seeds.files[random.below(seeds.files.len())];
        if random.below(2) == 0 {
            return changed_one(schema, &seeds.files, random);
        }
        let good: serde_json::Value = serde_json::from_slice(schema).unwrap();
        let mut json = good.clone();
        while json == good {
            (0..=random.below(3)).for_each(|_| change_json(&mut json, random));
        }
        serde_json::to_vec(&json).unwrap()
    },
    read: |bytes, seeds, random| {
        let Ok(schema) = serde_json::from_slice::<Schema>(bytes) else { return false };
        let mut read = false;
        // Most files do not match a schema at all; one of a few does, if any.
        for _ in 0..8 {
            let (format, file) = &seeds.good[random.below(seeds.good.len())];
            let mut options = limited(Some(*format));
            options.schema = Some(schema.clone());
            options.unknown_category = [UnknownCategory::Zeros, UnknownCategory::Refuse][random.below(2)];
            read |= read_by_schema(file, &options);
        }
        read
    },
    share: 3,
    read_percent: 11.0,
};
/// Archives that a data set is got from.
pub(crate) const ARCHIVES: Target = Target {
    name: "archives",
    seeds: || {
        let zipped = zip(&[("a/one.csv", ONE), ("b/two.csv.gz", &gzip(TWO))]);
        Seeds::new(vec![tar(), gzip(&tar()), zipped, gzip(ONE), ONE.to_vec()])
    },
    change: |seeds, random| {
        let file = &seeds.files[random.below(seeds.files.len())];
        if file.starts_with(GZIP_MAGIC) && random.below(2) == 0 {
            return gzip(&changed_one(&gunzip(file), &seeds.files, random));
        }
        changed_one(file, &seeds.files, random)
    },
    read: |bytes, _, random| {
        let folder = tempfile::tempdir().unwrap();
        let endings = ["one.csv", "one.csv.gz", "x.tar", "x.tgz", "x.whl", "x.zip"];
        let from = folder.path().join(endings[random.below(endings.len())]);
        std::fs::write(&from, bytes).unwrap();
        let store = Store::open(folder.path().join("store")).unwrap();
        // Field by field: the defaults come from the environment.
        let options = GetOptions {
            via: Via::Auto,
            from: Some(from),
            timeout: Duration::from_secs(10),
            mirror: None,
            search_path: Some(folder.path().join("no-programs").into()),
            system_data_dirs: Vec::new(),
        };
        let got = get(&store, &set(), &options, &mut silent());
        // Whatever arrived has the right hash, and nothing else is there under a final name.
        for check in store.verify(&set(), &mut silent()).unwrap() {
            use hedgerow_data::fetch::FileState::{Missing, Verified};
            assert!(matches!(check.state, Verified | Missing), "{check:?}");
        }
        got.is_ok() || store.path(&set()).is_ok()
    },
    share: 10,
    read_percent: 17.0,
};

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

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

/// Small good files of each format.
fn good_files() -> Vec<(Format, Vec<u8>)> {
    let mut formats = vec![
        (Format::Idx, "images-idx3-ubyte"),
        (Format::Csv, ".csv"),
        (Format::Npy, "_f4.npy"),
        (Format::Npz, ".npz"),
        (Format::Svmlight, ".svm"),
    ];
    if cfg!(feature = "parquet") {
        formats.extend([(Format::Parquet, "pandas.parquet"), (Format::Parquet, "list.parquet")]);
    }
    let files = |(format, ending): (Format, &str)| golden(&[ending]).into_iter().map(move |file| (format, file));
    formats.into_iter().flat_map(files).collect()
}

/// Data may take 8 MiB, and all labels be the same.
fn limited(format: Option<Format>) -> ReadOptions {
    let mut options = ReadOptions { format, ..ReadOptions::default() };
    options.memory_limit = 8 << 20;
    options.constant_label = hedgerow_data::ConstantLabel::Allow;
    options
}

/// Options at random.
fn options(format: Option<Format>, random: &mut SplitMix64) -> ReadOptions {
    let mut options = limited(format);
    let one_of = |random: &mut SplitMix64, n: usize| random.below(n) == 0;
    let column = |random: &mut SplitMix64| match random.below(3) {
        0 => Column::Name(["x0", "label", "color", ""][random.below(4)].to_owned()),
        1 => Column::Number(random.below(4) as i64 - 2),
        _ => Column::Number(random.bits() as i64),
    };
    if one_of(random, 8) {
        options.label = RoleColumn::At(column(random));
    }
    if one_of(random, 8) {
        options.id_column = RoleColumn::At(column(random));
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
    if one_of(random, 16) {
        (options.id_column, options.split_column) = (RoleColumn::None, RoleColumn::None);
    }
    if one_of(random, 16) {
        options.decimal = Decimal::Comma;
    }
    if one_of(random, 16) {
        options.missing_words = vec!["1".to_owned(), "red".to_owned()];
    }
    options.header = [Header::Detect, Header::Detect, Header::Present, Header::Absent][random.below(4)];
    options.label_kind = [LabelKind::Detect, LabelKind::Detect, LabelKind::Classes, LabelKind::Values][random.below(4)];
    options
}

/// Reads whole and, by the schema that gives, in blocks, which must be the same.
fn reads(format: Format, bytes: &[u8], seeds: &Seeds, random: &mut SplitMix64) -> bool {
    if random.below(3) == 0 {
        // By what is recorded of another file. Whether that fits is chance; there must only be an answer.
        let mut other = options(Some(format), random);
        other.schema = Some(seeds.schemas[random.below(seeds.schemas.len())].clone());
        other.unknown_category = [UnknownCategory::Zeros, UnknownCategory::Refuse][random.below(2)];
        read_by_schema(bytes, &other);
    }
    let mut options = options(Some(format), random);
    let Ok(whole) = read_bytes("fuzz", bytes, &options) else { return false };
    assert_eq!(whole.points().len(), whole.labels().len());
    assert_eq!(whole.row_ids().len(), whole.len());
    options.schema = Some(whole.schema());
    options.unknown_category = UnknownCategory::Zeros;
    match read_in_blocks(bytes, &options) {
        Ok(blocks) => {
            let rows: Vec<Row> = blocks.iter().flat_map(rows_of).collect();
            assert_eq!(rows, rows_of(&whole), "blocks have other rows than the whole");
        }
        Err(error) => assert_eq!(format, Format::Npz, "only archives cannot be read in blocks: {error}"),
    }
    true
}

/// Reads whole and in blocks by a schema that is not the file's own, and says whether that gave data. Whether both fail
/// alike is left open: a block of a stream may well be good where the whole is not.
fn read_by_schema(bytes: &[u8], options: &ReadOptions) -> bool {
    let read = read_bytes("fuzz", bytes, options).is_ok();
    drop(read_in_blocks(bytes, options));
    read
}

/// All rows, in blocks of three.
fn read_in_blocks(bytes: &[u8], options: &ReadOptions) -> Result<Vec<Dataset>, ReadError> {
    let blocks = Blocks::from_stream("fuzz", Box::new(Cursor::new(bytes.to_vec())), 3, options)?;
    blocks.collect()
}

/// A row as it can be compared between data sets: with the bits of its values, the text of its label, and its id.
#[derive(Debug, PartialEq)]
struct Row {
    values: Vec<u32>,
    label: String,
    id: String,
}

fn rows_of(dataset: &Dataset) -> Vec<Row> {
    let row = |at: usize| {
        let point = dataset.points().slice(at..at + 1);
        let bytes = point.as_u8().unwrap_or_default().iter().map(|&byte| f32::from(byte).to_bits());
        let values = point.as_f32().unwrap_or_default().iter().map(|value| value.to_bits()).chain(bytes).collect();
        Row { values, label: dataset.label_text(dataset.labels()[at]), id: dataset.row_ids().text(at) }
    };
    (0..dataset.len()).map(row).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

fn unzip(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let n_entries = archive.len();
    let entry = |at: usize| {
        let mut entry = archive.by_index(at).unwrap();
        let mut plain = Vec::new();
        entry.read_to_end(&mut plain).unwrap();
        (entry.name().to_owned(), plain)
    };
    (0..n_entries).map(entry).collect()
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
