//! Models for tests, fitted by the library in a moment and saved to a folder of their own; and tables read back.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use hedgerow::data::{self, Dataset, MissingValues, ReadOptions, RoleColumn, progress::silent, read_bytes};
use hedgerow::learn::TrainingParams;
use hedgerow::{FitOptions, FitParams, Model, StructureParams, Task};
use tempfile::TempDir;

use crate::command::fixture;

/// A model on disk, and as the library has it.
pub(crate) struct Fitted {
    pub(crate) model: Model,
    pub(crate) data: Dataset,
    folder: TempDir,
}

impl Fitted {
    pub(crate) fn new(data: Dataset, params: &FitParams) -> Self {
        let mut hear = |_: &hedgerow::FitEvent<'_>| ControlFlow::Continue(());
        let model = Model::fit(&data, params, &FitOptions::default(), &mut hear).expect("it can be fitted");
        let folder = tempfile::tempdir().expect("a temporary folder");
        model.save(folder.path().join("model")).expect("it can be saved");
        let model = Model::load(folder.path().join("model")).expect("it can be loaded");
        Self { model, data, folder }
    }

    /// The folder of the model, as a word of a command line.
    pub(crate) fn place(&self) -> String {
        self.file("model")
    }

    /// A file beside the model.
    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("a plain path").to_owned()
    }

    /// Writes a file beside the model.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        std::fs::write(self.file(name), contents).expect("it can be written");
        self.file(name)
    }

    /// What is beside the model.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("it is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

pub(crate) fn raw(structure: StructureParams) -> FitParams {
    FitParams { learning: None, structure, ..FitParams::default() }
}

/// Half moons in a learned space of few numbers.
pub(crate) fn moons() -> Fitted {
    let learning = TrainingParams { epochs: Some(5), layers: Some(vec![16, 4]), ..TrainingParams::default() };
    let data = data::load("moons?n=300&noise=0.2&seed=7").expect("they are made");
    Fitted::new(data, &FitParams { learning: Some(learning), ..FitParams::default() })
}

/// Handwritten digits as they are, in one tree.
pub(crate) fn digits() -> Fitted {
    Fitted::new(data::load("optdigits").expect("they are compiled in"), &raw(StructureParams::tree()))
}

/// Penguins, with columns of numbers and of categories.
pub(crate) fn penguins() -> Fitted {
    let options = ReadOptions {
        label: RoleColumn::At("species".parse().expect("a name")),
        missing: MissingValues::DropRows,
        ..ReadOptions::default()
    };
    let data = data::read(fixture("penguins.csv"), &options, &mut silent()).expect("it is a table");
    Fitted::new(data, &raw(StructureParams::tree()))
}

/// Values along a line: y = x + 0.5.
pub(crate) fn line() -> Fitted {
    let rows: String = (0..40).map(|x| format!("{x},{}.5\n", x)).collect();
    let data = read_bytes("line.csv", format!("x,y\n{rows}").as_bytes(), &ReadOptions::default());
    Fitted::new(data.expect("it is a table"), &raw(StructureParams::tree()))
}

/// Points without labels, with names.
pub(crate) fn places() -> Fitted {
    let options = ReadOptions { label: RoleColumn::None, ..ReadOptions::default() };
    let text = "id,east,north\nkiosk,0,0\nschool,3,4\nstation,30,40\nmill,-9,2\n";
    let data = read_bytes("places.csv", text.as_bytes(), &options).expect("it is a table");
    let params = FitParams { task: Some(Task::Retrieval), scaling: Some(Vec::new()), ..raw(StructureParams::tree()) };
    Fitted::new(data, &params)
}

/// The points of a data set as CSV, with a line of names.
pub(crate) fn csv_of(dataset: &Dataset) -> String {
    let mut text = dataset.feature_names().join(",") + "\n";
    for row in 0..dataset.len() {
        let numbers: Vec<String> = match dataset.points().row(row) {
            hedgerow::Point::F32(values) => values.iter().map(f32::to_string).collect(),
            hedgerow::Point::U8(bytes) => bytes.iter().map(u8::to_string).collect(),
        };
        text += &(numbers.join(",") + "\n");
    }
    text
}

/// A table as texts, by column: from text tables without quotes, JSON Lines, or Parquet.
pub(crate) type Table = BTreeMap<String, Vec<String>>;

pub(crate) fn text_table(text: &str, delimiter: char) -> Table {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a line of names").split(delimiter).collect();
    let mut table: Table = names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
    for line in lines {
        let fields: Vec<&str> = line.split(delimiter).collect();
        assert_eq!(fields.len(), names.len(), "{line}");
        for (name, field) in names.iter().zip(fields) {
            table.get_mut(*name).expect("it was put there").push(field.to_owned());
        }
    }
    table
}

pub(crate) fn json_table(text: &str) -> Table {
    let mut table = Table::new();
    for line in text.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect("an object a line");
        for (name, value) in object.as_object().expect("an object") {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            table.entry(name.clone()).or_default().push(text);
        }
    }
    table
}

/// The numbers of some columns of a Parquet file, row by row, and the texts of one.
pub(crate) fn parquet_table(path: &Path, text_column: &str, left_out: &[&str]) -> Dataset {
    let column = |name: &str| name.parse().expect("a name");
    let options = ReadOptions {
        label: RoleColumn::At(column(text_column)),
        ignore: left_out.iter().map(|name| column(name)).collect(),
        constant_label: data::ConstantLabel::Allow,
        ..ReadOptions::default()
    };
    data::read(path, &options, &mut silent()).expect("it can be read back")
}

/// An NPY file: its header and the bytes of its numbers.
pub(crate) fn npy(bytes: &[u8]) -> (String, &[u8]) {
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"), "it is NPY");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    (String::from_utf8_lossy(&bytes[10..10 + length]).into_owned(), &bytes[10 + length..])
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four"))).collect()
}

pub(crate) fn integers(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks_exact(8).map(|eight| i64::from_le_bytes(eight.try_into().expect("eight"))).collect()
}

pub(crate) fn path(text: &str) -> PathBuf {
    PathBuf::from(text)
}
