//! Reading IDX files, alone and as the four files of MNIST in a folder.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use hedgerow_core::{Label, Point};
use hedgerow_data::progress::silent;
use hedgerow_data::{
    Blocks, Column, ConstantLabel, Dataset, Encoding, Format, ImageShape, Problem, ReadError, ReadOptions, RoleColumn,
    Schema, read, read_bytes,
};

const U8: u8 = 0x08;
const I8: u8 = 0x09;
const I16: u8 = 0x0b;
const I32: u8 = 0x0c;
const F32: u8 = 0x0d;
const F64: u8 = 0x0e;

fn idx(kind: u8, sizes: &[u32], values: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, sizes.len() as u8];
    sizes.iter().for_each(|size| bytes.extend(size.to_be_bytes()));
    bytes.extend(values);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions { format: Some(Format::Idx), ..ReadOptions::default() };
    change(&mut options);
    options
}

fn from_bytes(bytes: &[u8]) -> Result<Dataset, ReadError> {
    read_bytes("x.idx", bytes, &options(|_| ()))
}

fn problem(bytes: &[u8]) -> Problem {
    *from_bytes(bytes).unwrap_err().problem
}

/// Reads `points` with `labels` from a file of their own.
fn with_labels(points: &[u8], labels: &[u8], change: impl FnOnce(&mut ReadOptions)) -> Result<Dataset, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("y.idx");
    std::fs::write(&path, labels).unwrap();
    let asked = options(|options| {
        options.labels_from = Some(path);
        change(options);
    });
    read_bytes("x.idx", points, &asked)
}

#[test]
fn every_type_is_read() {
    let values =
        |kind, values: &[u8]| from_bytes(&idx(kind, &[2, 1], values)).unwrap().points().as_f32().unwrap().to_vec();
    assert_eq!(values(I8, &[0x80, 5]), [-128.0, 5.0]);
    assert_eq!(values(I16, &[-2i16, 300].map(i16::to_be_bytes).concat()), [-2.0, 300.0]);
    assert_eq!(values(I32, &[-70_000i32, 3].map(i32::to_be_bytes).concat()), [-70_000.0, 3.0]);
    assert_eq!(values(F32, &[0.5f32, -1e15].map(f32::to_be_bytes).concat()), [0.5, -1e15]);
    assert_eq!(values(F64, &[0.25, 1e-3].map(f64::to_be_bytes).concat()), [0.25, 1e-3]);
    let bytes = from_bytes(&idx(U8, &[2, 2], &[1, 2, 3, 255])).unwrap();
    assert_eq!(bytes.points().as_u8(), Some(&[1, 2, 3, 255][..]), "bytes stay bytes");
}

#[test]
fn dimensions_say_whether_rows_are_pictures() {
    let shape = |sizes: &[u32]| from_bytes(&idx(U8, sizes, &[0; 12])).unwrap().image_shape();
    assert_eq!(shape(&[2, 6]), None);
    assert_eq!(shape(&[1, 3, 4]), Some(ImageShape { height: 3, width: 4, channels: 1 }));
    assert_eq!(shape(&[1, 2, 2, 3]), Some(ImageShape { height: 2, width: 2, channels: 3 }));
    let found = problem(&idx(U8, &[1, 1, 2, 2, 3], &[0; 12]));
    assert!(matches!(found, Problem::Shape { .. }), "{found}");
}

#[test]
fn one_dimension_is_labels_and_not_points() {
    let found = problem(&idx(U8, &[3], &[1, 2, 3]));
    assert!(found.to_string().starts_with("holds one column of 3 values; it is a file of labels"), "{found}");
}

#[test]
fn cut_off_files_are_refused_wherever_they_end() {
    let whole = idx(I16, &[3, 2], &[1; 12]);
    for n_bytes in 0..whole.len() {
        assert!(from_bytes(&whole[..n_bytes]).is_err(), "cut off at {n_bytes}");
    }
    let found = problem(&whole[..whole.len() - 1]);
    assert!(matches!(found, Problem::Truncated { what: "the values", expected: 12, got: 11 }), "{found}");
    let found = problem(&whole[..9]);
    assert!(matches!(found, Problem::Truncated { what: "the header", expected: 8, got: 5 }), "{found}");
    assert!(matches!(problem(&idx(U8, &[u32::MAX, 1], &[0; 9])), Problem::Truncated { got: 9, .. }));
}

#[test]
fn bytes_after_the_last_value_are_refused() {
    let found = problem(&idx(U8, &[2, 2], &[0; 5]));
    assert!(matches!(found, Problem::Oversized { expected: 16 }), "12 bytes of header and 4 of values: {found}");
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    for sizes in [&[2, 0][..], &[2, 3, 0], &[0, 0]] {
        let found = problem(&idx(U8, sizes, &[]));
        assert!(matches!(found, Problem::Shape { fault: "whose rows are empty", .. }), "{found}");
    }
    let found = problem(&idx(F64, &[u32::MAX; 3], &[]));
    assert!(found.to_string().contains("4294967295x4294967295x4294967295, whose size in bytes overflows"), "{found}");
    assert!(matches!(problem(&idx(U8, &[0, 4], &[])), Problem::NoRows));
}

#[test]
fn other_beginnings_are_refused_with_what_was_found() {
    let beginnings =
        [&[][..], &[0, 0], &[0, 0, 0x0a, 1], &[1, 0, 8, 1, 0, 0, 0, 0], &[0, 0, 8, 0], &[0, 0, 8, 9], b"\x7fELF"];
    for bytes in beginnings {
        let found = problem(bytes);
        assert!(matches!(found, Problem::WrongMagic { format: "an IDX file", .. }), "{found}");
    }
    assert!(problem(&[]).to_string().contains("found nothing"));
    assert!(problem(b"\x7fELF").to_string().contains("bytes [7f, 45, 4c, 46]"));
}

#[test]
fn unusable_values_are_found_with_row_and_column() {
    let values = [1.0, 2.0, 3.0, f32::NAN].map(f32::to_be_bytes).concat();
    let error = from_bytes(&idx(F32, &[2, 2], &values)).unwrap_err();
    assert!(error.to_string().starts_with("x.idx, row 2, column 1: the value NaN cannot be used"), "{error}");
}

#[test]
fn the_memory_limit_is_heeded() {
    let limit =
        |bytes: &[u8]| *read_bytes("x", bytes, &options(|options| options.memory_limit = 100)).unwrap_err().problem;
    assert!(matches!(limit(&idx(U8, &[1, 101], &[])), Problem::TooLarge { needed_bytes: 101, limit_bytes: 100 }));
    assert!(matches!(limit(&idx(U8, &[20, 10], &[0; 200])), Problem::TooLarge { limit_bytes: 100, .. }));
}

#[test]
fn columns_cannot_be_chosen() {
    let asked = options(|options| options.label = RoleColumn::At(Column::Number(0)));
    let error = read_bytes("x", &idx(U8, &[1, 2], &[0; 2]), &asked).unwrap_err();
    assert!(matches!(*error.problem, Problem::NoColumns { role: "the label", .. }), "{error}");
}

#[test]
fn gzip_is_undone_and_its_damage_found() {
    let whole = gzip(&idx(U8, &[2, 2], &[1, 2, 3, 4]));
    assert_eq!(from_bytes(&whole).unwrap().points().as_u8(), Some(&[1, 2, 3, 4][..]));
    let error = from_bytes(&whole[..whole.len() - 3]).unwrap_err();
    assert!(matches!(*error.problem, Problem::Compressed(_)), "{error}");
}

#[test]
fn the_format_is_found_out_from_the_contents() {
    let bytes = idx(U8, &[2, 2], &[1, 2, 3, 4]);
    assert_eq!(read_bytes("no-name", &bytes, &ReadOptions::default()).unwrap().len(), 2);
}

#[test]
fn blocks_put_together_are_the_whole() {
    let bytes = idx(U8, &[5, 2], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let schema = Schema { encoding: Encoding::matrix(2), ..Schema::default() };
    for rows in [1, 2, 5, 9] {
        let asked = options(|options| options.schema = Some(schema.clone()));
        let stream = Box::new(std::io::Cursor::new(bytes.clone()));
        let blocks: Vec<_> = Blocks::from_stream("-", stream, rows, &asked).unwrap().collect::<Result<_, _>>().unwrap();
        let together: Vec<u8> = blocks.iter().flat_map(|block| block.points().as_u8().unwrap()).copied().collect();
        assert_eq!(together, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "{rows} rows");
    }
}

#[test]
fn labels_come_from_a_second_file() {
    let points = idx(U8, &[3, 1], &[1, 2, 3]);
    let data = with_labels(&points, &idx(U8, &[3], &[9, 4, 9]), |_| ()).unwrap();
    assert_eq!((data.class_names().len(), data.labels()), (2, &[1, 0, 1].map(Label::class)[..]));
    let values = [0.5f32, 1.0, 2.0].map(f32::to_be_bytes).concat();
    let data = with_labels(&points, &gzip(&idx(F32, &[3], &values)), |_| ()).unwrap();
    assert_eq!(data.labels(), [0.5, 1.0, 2.0].map(Label::Value));
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let points = idx(U8, &[3, 1], &[1, 2, 3]);
    let refused = |labels: &[u8]| *with_labels(&points, labels, |_| ()).unwrap_err().problem;
    assert!(matches!(refused(&idx(U8, &[2], &[1, 2])), Problem::Count { points: 3, labels: 2 }));
    let found = refused(&idx(U8, &[3, 2], &[0; 6]));
    assert!(found.to_string().contains("the shape 3x2, but labels are one column"), "{found}");
    assert!(matches!(refused(&idx(U8, &[3], &[1, 2])), Problem::Truncated { expected: 3, got: 2, .. }));
    let values = [0.5f32, f32::INFINITY, 2.0].map(f32::to_be_bytes).concat();
    let error = with_labels(&points, &idx(F32, &[3], &values), |_| ()).unwrap_err();
    assert!(error.to_string().contains("y.idx, row 2: the value inf cannot be used"), "{error}");
}

#[test]
fn constant_labels_are_refused_unless_allowed() {
    let (points, labels) = (idx(U8, &[2, 1], &[1, 2]), idx(U8, &[2], &[7, 7]));
    let error = with_labels(&points, &labels, |_| ()).unwrap_err();
    assert!(matches!(&*error.problem, Problem::ConstantLabel { label } if label == "7"), "{error}");
    let data = with_labels(&points, &labels, |options| options.constant_label = ConstantLabel::Allow).unwrap();
    assert_eq!(data.class_names(), ["7"]);
}

/// Writes a tiny MNIST: 3 pictures to train with and 2 to test with, all of 2x2 pixels. Some files are gzip.
fn write_mnist(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    write("train-images-idx3-ubyte", &idx(U8, &[3, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    write("train-labels-idx1-ubyte.gz", &gzip(&idx(U8, &[3], &[5, 0, 5])));
    write("t10k-images.idx3-ubyte.gz", &gzip(&idx(U8, &[2, 2, 2], &[100; 8])));
    write("t10k-labels.idx1-ubyte", &idx(U8, &[2], &[0, 5]));
    write("README.md", b"not data");
}

fn read_folder(folder: &Path) -> Result<Dataset, ReadError> {
    read(folder, &ReadOptions::default(), &mut silent())
}

#[test]
fn the_four_files_of_mnist_are_one_data_set() {
    let folder = tempfile::tempdir().unwrap();
    write_mnist(folder.path());
    let data = read_folder(folder.path()).unwrap();
    assert_eq!([data.train().len(), data.validation().len(), data.test().len()], [3, 0, 2]);
    assert_eq!(data.class_names(), ["0", "5"]);
    assert_eq!(data.labels(), [1, 0, 1, 0, 1].map(Label::class));
    assert_eq!(data.points().row(1), Point::U8(&[4, 5, 6, 7]));
    assert_eq!(data.test().row(0), Point::U8(&[100; 4]));
    assert_eq!(data.image_shape(), Some(ImageShape { height: 2, width: 2, channels: 1 }));
}

#[test]
fn a_missing_file_of_the_four_is_named() {
    for (file, name) in [
        ("train-images-idx3-ubyte", "train-images-idx3-ubyte"),
        ("train-labels-idx1-ubyte.gz", "train-labels-idx1-ubyte"),
        ("t10k-images.idx3-ubyte.gz", "t10k-images-idx3-ubyte"),
        ("t10k-labels.idx1-ubyte", "t10k-labels-idx1-ubyte"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_mnist(folder.path());
        std::fs::remove_file(folder.path().join(file)).unwrap();
        let error = read_folder(folder.path()).unwrap_err();
        assert!(matches!(*error.problem, Problem::NoDataInFolder { .. }), "{error}");
        assert!(error.to_string().contains(&format!("of the four, {name} is missing")), "{error}");
    }
}

#[test]
fn faults_in_a_folder_name_the_file() {
    let refused = |file: &str, bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        write_mnist(folder.path());
        std::fs::write(folder.path().join(file), bytes).unwrap();
        let error = read_folder(folder.path()).unwrap_err();
        assert!(error.place.file.ends_with(file), "{error}");
        *error.problem
    };
    let found = refused("t10k-labels.idx1-ubyte", &idx(U8, &[3], &[0, 5, 5]));
    assert!(matches!(found, Problem::Count { points: 2, labels: 3 }), "{found}");
    let found = refused("t10k-images.idx3-ubyte.gz", &idx(U8, &[2, 3, 2], &[0; 12]));
    assert!(
        found.to_string().starts_with("has 6 features but") && found.to_string().contains("has 4 features"),
        "{found}"
    );
    let found = refused("t10k-images.idx3-ubyte.gz", &idx(U8, &[2, 1, 4], &[0; 8]));
    assert!(found.to_string().starts_with("has pictures of 1x4x1"), "{found}");
    let found = refused("train-labels-idx1-ubyte.gz", &gzip(b"<html>not found</html>"));
    assert!(matches!(found, Problem::WrongMagic { .. }), "{found}");
}

#[test]
fn progress_can_stop_the_work() {
    let folder = tempfile::tempdir().unwrap();
    write_mnist(folder.path());
    let error = read(folder.path(), &ReadOptions::default(), &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(*error.problem, Problem::Stopped), "{error}");
}
