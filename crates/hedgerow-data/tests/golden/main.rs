//! Files written by NumPy, pandas, PyArrow and scikit-learn are read to the last bit.
//!
//! `make_files.py` beside this file wrote them; the values are repeated here as functions of row and column.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

#[cfg(feature = "parquet")]
mod parquet;

use std::path::{Path, PathBuf};

use hedgerow_core::Label;
use hedgerow_data::progress::silent;
use hedgerow_data::{Column, Dataset, ImageShape, ReadOptions, RoleColumn, RowIds, read};

const ROWS: usize = 12;
const WIDTH: usize = 5;

fn value(row: usize, column: usize) -> f32 {
    ((row * 7 + column * 3) % 20) as f32 - 3.0 + ((row + column) % 8) as f32 / 8.0
}

fn byte(row: usize, column: usize) -> u8 {
    ((row * 37 + column * 11) % 256) as u8
}

fn class(row: usize) -> u32 {
    (row * 5 % 3) as u32
}

fn all<T>(of: impl Fn(usize, usize) -> T) -> Vec<T> {
    (0..ROWS).flat_map(|row| (0..WIDTH).map(move |column| (row, column))).map(|(row, column)| of(row, column)).collect()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/files").join(name)
}

fn with(name: &str, change: impl FnOnce(&mut ReadOptions)) -> Dataset {
    let mut options = ReadOptions::default();
    change(&mut options);
    read(file(name), &options, &mut silent()).unwrap_or_else(|error| panic!("{error}"))
}

fn plain(name: &str) -> Dataset {
    with(name, |_| ())
}

fn floats(dataset: &Dataset) -> &[f32] {
    dataset.points().as_f32().unwrap()
}

fn classes(rows: impl Iterator<Item = usize>) -> Vec<Label> {
    rows.map(|row| Label::class(class(row))).collect()
}

#[test]
fn numpy_arrays_of_every_type_and_order() {
    for name in ["c_le_f4.npy", "c_le_f8.npy", "c_be_f4.npy", "c_be_f8.npy", "fortran_f4.npy"] {
        let dataset = plain(name);
        assert_eq!(floats(&dataset), all(value), "{name}");
        assert_eq!((dataset.len(), dataset.width(), dataset.labels()[0]), (ROWS, WIDTH, Label::Unlabeled), "{name}");
    }
    for name in ["whole_i1.npy", "whole_i2.npy", "whole_i4.npy", "whole_i8.npy", "whole_i4_be.npy"] {
        assert_eq!(floats(&plain(name)), all(|row, column| value(row, column).floor()), "{name}");
    }
    for name in ["whole_u2.npy", "whole_u4.npy", "whole_u8.npy"] {
        assert_eq!(floats(&plain(name)), all(|row, column| f32::from(byte(row, column))), "{name}");
    }
    for name in ["bytes.npy", "fortran_bytes.npy"] {
        assert_eq!(plain(name).points().as_u8().unwrap(), all(byte), "{name}");
    }
    let bits = plain("bool.npy");
    assert_eq!(floats(&bits), all(|row, column| f32::from(1 - byte(row, column) % 2)));
}

#[test]
fn numpy_pictures_and_labels() {
    let shape = Some(ImageShape { height: 3, width: 4, channels: 1 });
    let pixels: Vec<u8> = (0..ROWS).flat_map(|row| (0..12).map(move |at| byte(row, at))).collect();
    for name in ["pictures.npy", "fortran_pictures.npy"] {
        let pictures = with(name, |options| options.labels_from = Some(file("labels_i8.npy")));
        assert_eq!(pictures.points().as_u8().unwrap(), pixels, "{name}");
        assert_eq!(pictures.image_shape(), shape, "{name}");
        assert_eq!(pictures.labels(), classes(0..ROWS), "{name}");
    }
    let named = with("pictures.npy", |options| options.labels_from = Some(file("labels_text.npy")));
    assert_eq!(named.class_names(), ["iris", "rose", "tulip"]);
    assert_eq!(named.labels(), classes(0..ROWS));
    for name in ["keras.npz", "mnist"] {
        let parts = plain(name);
        assert_eq!((parts.train().len(), parts.test().len(), parts.image_shape()), (8, 4, shape), "{name}");
        assert_eq!(parts.points().as_u8().unwrap(), pixels, "{name}");
        assert_eq!(parts.labels(), classes(0..ROWS), "{name}");
        assert_eq!(parts.class_names(), ["0", "1", "2"], "{name}");
    }
    let compressed = plain("compressed.npz");
    assert_eq!((floats(&compressed), compressed.labels()), (&all(value)[..], &classes(0..ROWS)[..]));
}

/// The features of the table that pandas wrote: five numbers, then green and red.
fn table_values() -> Vec<f32> {
    (0..ROWS)
        .flat_map(|row| {
            let numbers = (0..WIDTH).map(move |column| value(row, column));
            numbers.chain([(row % 2) as f32, 1.0 - (row % 2) as f32])
        })
        .collect()
}

#[test]
fn tables_of_pandas() {
    let mut names = vec!["pandas.csv", "pandas.tsv", "pandas_index.csv.gz"];
    if cfg!(feature = "parquet") {
        names.extend(["pandas.parquet", "category.parquet"]);
    }
    for name in names {
        let table = plain(name);
        assert_eq!(floats(&table), table_values(), "{name}");
        assert_eq!(table.feature_names(), ["x0", "x1", "x2", "x3", "x4", "color=green", "color=red"], "{name}");
        assert_eq!(table.class_names(), ["iris", "rose", "tulip"], "{name}");
        assert_eq!(table.labels(), classes(0..ROWS), "{name}");
        let ids = (0..ROWS).map(|row| table.row_ids().text(row));
        assert!(ids.eq((0..ROWS).map(|row| row.to_string())), "{name}");
    }
    assert!(matches!(plain("pandas_index.csv.gz").row_ids(), RowIds::Names(_)));
}

#[test]
fn text_matrices_of_numpy_and_pandas() {
    for name in ["savetxt.csv", "savetxt.txt", "numbered.csv", "numbered_index.csv"] {
        let table = plain(name);
        assert_eq!(table.class_names(), ["0", "1", "2"], "{name}");
        assert_eq!(floats(&table), all(value), "{name}");
        assert_eq!(table.labels(), (0..ROWS as u32).map(|row| Label::class(row % 3)).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn svmlight_files_of_scikit_learn() {
    let expected = all(|row, column| if value(row, column) > 8.0 { value(row, column) } else { 0.0 });
    for name in ["one_based.svm", "zero_based.svm"] {
        let table = plain(name);
        assert_eq!(floats(&table), expected, "{name}");
        assert_eq!(table.labels(), classes(0..ROWS), "{name}");
    }
    let values = plain("values.svm");
    assert_eq!(floats(&values), expected);
    assert_eq!(values.labels(), (0..ROWS).map(|row| Label::Value(value(row, 0))).collect::<Vec<_>>());
    let unlabelled = with("values.svm", |options| options.label = RoleColumn::None);
    assert_eq!(unlabelled.labels()[0], Label::Unlabeled);
}

#[test]
fn a_column_of_a_matrix_can_be_the_label() {
    let dataset = with("whole_u2.npy", |options| options.label = RoleColumn::At(Column::Number(-1)));
    assert_eq!(dataset.width(), WIDTH - 1);
    assert_eq!(dataset.label_text(dataset.labels()[2]), byte(2, 4).to_string());
}
