//! Tests of `npz.rs`.

use std::io::{Cursor, Write};
use std::ops::ControlFlow;

use hedgerow_core::Label;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::dataset::{Dataset, ImageShape};
use crate::encoding::{Encoding, Schema};
use crate::npy::tests::{array, f32s};
use crate::options::Column;
use crate::read::{Blocks, read_bytes};

fn archive_with(method: CompressionMethod, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    archive_with(CompressionMethod::Deflated, entries)
}

/// Points in two rows, and their labels.
fn two_points() -> Vec<u8> {
    array("'<f4'", false, "(2, 2)", &f32s(&[1., 2., 3., 4.]))
}

fn two_labels() -> Vec<u8> {
    array("'<i8'", false, "(2,)", &[7, 3].map(i64::to_le_bytes).concat())
}

fn read(bytes: &[u8]) -> Result<Dataset, ReadError> {
    read_bytes("d.npz", bytes, &ReadOptions::default())
}

fn refused(entries: &[(&str, &[u8])]) -> String {
    read(&archive(entries)).unwrap_err().to_string()
}

#[test]
fn names_say_what_arrays_are() {
    let role = |split, content| Some(Role { split, content });
    for name in ["X", "x", "data", "images", "features", "arr_0"] {
        assert_eq!(Role::of(name), role(None, Content::Points), "{name}");
    }
    for name in ["y", "Y", "labels", "target", "targets", "arr_1"] {
        assert_eq!(Role::of(name), role(None, Content::Labels), "{name}");
    }
    for name in ["x_train", "X_TRAIN", "train_images", "train_x", "training-data"] {
        assert_eq!(Role::of(name), role(Some(Split::Train), Content::Points), "{name}");
    }
    for name in ["y_val", "y_valid", "Y_validation", "val_labels", "y_dev"] {
        assert_eq!(Role::of(name), role(Some(Split::Validation), Content::Labels), "{name}");
    }
    for name in ["x_other", "train", "weights", "arr_2", "x_train_2", ""] {
        assert_eq!(Role::of(name), None, "{name}");
    }
}

#[test]
fn points_and_labels_are_read_stored_and_deflated() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        for (points, labels) in [("X", "y"), ("data", "target"), ("arr_0", "arr_1"), ("images", "Labels")] {
            let names = [format!("{points}.npy"), format!("{labels}.npy")];
            let bytes = archive_with(method, &[(&names[1], &two_labels()), (&names[0], &two_points())]);
            let data = read(&bytes).unwrap();
            assert_eq!(data.points().as_f32(), Some(&[1., 2., 3., 4.][..]));
            assert_eq!(data.class_names(), ["3", "7"]);
            assert_eq!(data.labels(), [1, 0].map(Label::class));
        }
    }
    let alone = read(&archive(&[("X.npy", &two_points()), ("notes.txt", b"hello")])).unwrap();
    assert_eq!(alone.labels(), [Label::Unlabeled; 2]);
}

#[test]
fn splits_are_joined_in_their_order() {
    let pictures = |n: u8| array("'|u1'", false, &format!("({n}, 2, 2)"), &vec![n; 4 * usize::from(n)]);
    let labels = |classes: &[u8]| array("'|u1'", false, &format!("({},)", classes.len()), classes);
    let bytes = archive(&[
        ("x_test.npy", &pictures(1)),
        ("y_test.npy", &labels(&[9])),
        ("X_train.npy", &pictures(3)),
        ("y_Train.npy", &labels(&[9, 1, 1])),
        ("x_valid.npy", &pictures(2)),
        ("y_valid.npy", &labels(&[1, 9])),
    ]);
    let data = read(&bytes).unwrap();
    assert_eq!([data.train().len(), data.validation().len(), data.test().len()], [3, 2, 1]);
    assert_eq!(data.labels(), [1, 0, 0, 0, 1, 1].map(Label::class));
    assert_eq!(data.points().row(5), hedgerow_core::Point::U8(&[1; 4]));
    assert_eq!(data.image_shape(), Some(ImageShape { height: 2, width: 2, channels: 1 }));
}

#[test]
fn the_options_say_where_labels_come_from() {
    let bytes = archive(&[("X.npy", &two_points()), ("y.npy", &two_labels())]);
    let with = |label| {
        let options = ReadOptions { label, ..ReadOptions::default() };
        read_bytes("d.npz", &bytes, &options).unwrap()
    };
    assert_eq!(with(RoleColumn::None).labels(), [Label::Unlabeled; 2]);
    let column = with(RoleColumn::At(Column::Number(-1)));
    assert_eq!((column.class_names().len(), column.points().as_f32()), (2, Some(&[1., 3.][..])));
    assert_eq!(column.class_names(), ["2", "4"]);
}

#[test]
fn names_that_say_nothing_are_listed() {
    let said = refused(&[("weights.npy", &two_points()), ("bias.npy", &two_points())]);
    assert!(said.contains("do not say what they are: \"weights\", \"bias\"; name points"), "{said}");
    let four = [("arr_0.npy", &two_points()[..]), ("arr_1.npy", &two_labels()), ("arr_2.npy", &two_points())];
    assert!(refused(&four).contains("\"arr_2\""));
    assert!(refused(&[]).contains("no NumPy arrays"));
    assert!(refused(&[("readme.txt", b"hello")]).contains("no NumPy arrays"));
    let said = refused(&[("x_train.npy", &two_points()), ("train_images.npy", &two_points())]);
    assert!(said.contains("two arrays of the same points, \"x_train\" and \"train_images\""), "{said}");
    let said = refused(&[("x_train.npy", &two_points()), ("y_test.npy", &two_labels())]);
    assert!(said.contains("the labels \"y_test\" without points"), "{said}");
}

#[test]
fn parts_must_be_alike() {
    let wide = array("'<f4'", false, "(1, 3)", &f32s(&[1.; 3]));
    let said = refused(&[("x_train.npy", &two_points()), ("x_test.npy", &wide)]);
    assert!(said.starts_with("d.npz (x_test): has 3 features but d.npz (x_train) has 2 features"), "{said}");
    let entries = [("x_train.npy", &two_points()[..]), ("y_train.npy", &two_labels()), ("x_test.npy", &two_points())];
    assert!(refused(&entries).contains("has no labels but"));
    let one = array("'|u1'", false, "(1,)", &[1]);
    let said = refused(&[("X.npy", &two_points()), ("y.npy", &one)]);
    assert!(said.starts_with("d.npz (y): has 1 labels but there are 2 points"), "{said}");
}

#[test]
fn faults_of_an_array_name_the_array() {
    let nan = array("'<f4'", false, "(2, 1)", &f32s(&[1., f32::NAN]));
    let said = refused(&[("x_train.npy", &two_points()), ("x_test.npy", &nan)]);
    assert!(said.starts_with("d.npz (x_test), row 2, column 0: the value is missing (\"NaN\")"), "{said}");
    let said = refused(&[("X.npy", &two_points()[..88])]);
    assert!(said.starts_with("d.npz (X): ends too early"), "{said}");
    let longer = [two_points(), vec![0]].concat();
    assert!(refused(&[("X.npy", &longer)]).contains("goes on after"));
    assert!(refused(&[("X.npy", b"hello")]).contains("does not begin as an NPY array does"));
    assert!(refused(&[("X.npy", &two_labels())]).contains("one column of 2 values"));
    let schema = Some(Schema { encoding: Encoding::matrix(3), ..Schema::default() });
    let options = ReadOptions { schema, ..ReadOptions::default() };
    let error = read_bytes("d.npz", &archive(&[("X.npy", &two_points())]), &options).unwrap_err();
    assert!(matches!(*error.problem, Problem::FeatureCount { expected: 3, got: 2 }), "{error}");
    let bytes = archive(&[("X.npy", &two_points())]);
    let blocks = Blocks::from_stream("-", Box::new(Cursor::new(bytes)), 1, &options);
    assert!(blocks.is_err(), "an archive is not read in blocks");
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    // 64 MiB of zeros take 64 KiB in the archive.
    let bomb = array("'|u1'", false, "(65536, 1024)", &vec![0; 1 << 26]);
    let bytes = archive(&[("X.npy", &bomb)]);
    assert!(bytes.len() < 1 << 18);
    let options = ReadOptions { memory_limit: 1 << 20, ..ReadOptions::default() };
    let error = read_bytes("d.npz", &bytes, &options).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { needed_bytes, .. } if needed_bytes == 1 << 26), "{error}");
    // Two parts that fit one by one but not together.
    let part = array("'|u1'", false, "(600, 1024)", &vec![0; 600 << 10]);
    let error = read_bytes("d.npz", &archive(&[("x_train.npy", &part), ("x_test.npy", &part)]), &options);
    assert!(matches!(*error.unwrap_err().problem, Problem::TooLarge { .. }));
    // Labels are counted too.
    let labels = array("'<i4'", false, "(300000,)", &vec![0; 1_200_000]);
    let error = read_bytes("d.npz", &archive(&[("X.npy", &two_points()), ("y.npy", &labels)]), &options);
    assert!(matches!(*error.unwrap_err().problem, Problem::TooLarge { .. }));
}

/// Replaces all occurrences of `from` by `to`, of the same length.
fn patched(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut patched = bytes.to_vec();
    let found: Vec<usize> = memchr::memmem::find_iter(bytes, from).collect();
    assert!(!found.is_empty());
    found.into_iter().for_each(|at| patched[at..at + to.len()].copy_from_slice(to));
    patched
}

#[test]
fn names_that_lead_out_and_names_given_twice_are_damage() {
    let whole = archive(&[("xx/X.npy", &two_points()), ("X.npy", &two_points())]);
    assert!(read(&whole).is_ok());
    for name in [b"../X.npy", b"/xxX.npy", b"c:/X.npy", b"x\\..\\X.y", b"\\x/X.npy"] {
        let error = read(&patched(&whole, b"xx/X.npy", name)).unwrap_err();
        assert!(error.to_string().contains("leads out of the archive"), "{error}");
    }
    let twice = archive(&[("Z.npy", &two_points()), ("X.npy", &two_points())]);
    let error = read(&patched(&twice, b"Z.npy", b"X.npy")).unwrap_err();
    assert!(error.to_string().contains("two entries named \"X.npy\""), "{error}");
}

#[test]
fn encrypted_and_unusual_entries_are_refused() {
    let whole = archive_with(CompressionMethod::Stored, &[("X.npy", &two_points())]);
    let entry = memchr::memmem::find(&whole, b"PK\x01\x02").unwrap();
    let mut encrypted = whole.clone();
    (encrypted[6], encrypted[entry + 8]) = (encrypted[6] | 1, encrypted[entry + 8] | 1);
    let error = read(&encrypted).unwrap_err();
    assert!(error.to_string().starts_with("d.npz (X): holds encrypted entries"), "{error}");
    let mut unusual = whole.clone();
    (unusual[8], unusual[entry + 10]) = (12, 12); // bzip2
    let error = read(&unusual).unwrap_err();
    assert!(error.to_string().contains("an archive of an unusual kind"), "{error}");
    let mut wrong = whole.clone();
    let value = memchr::memmem::find(&whole, &f32s(&[4.])).unwrap();
    wrong[value] ^= 1;
    let error = read(&wrong).unwrap_err();
    assert!(matches!(*error.problem, Problem::Compressed(_)), "the checksum: {error}");
}

#[test]
fn damage_anywhere_is_an_error_or_the_same_data() {
    let whole = archive(&[("x.npy", &two_points()), ("y.npy", &two_labels())]);
    let expected = read(&whole).unwrap();
    for n_bytes in 0..whole.len() {
        assert!(read(&whole[..n_bytes]).is_err(), "cut off at {n_bytes}");
    }
    for at in 0..whole.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            if let Ok(data) = read(&damaged) {
                assert_eq!(data.points(), expected.points(), "byte {at}");
            }
        }
    }
}

#[test]
fn too_many_entries_are_refused_whatever_they_are() {
    let names: Vec<String> = (0..1025).map(|at| format!("{at}.npy")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(refused(&entries).contains("announces 1025 entries"));
    // A large directory record that announces 2^40 entries, which would be made room for.
    let mut bytes = vec![0; 100];
    let end_64 = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend((1u64 << 40).to_le_bytes());
    bytes.extend((1u64 << 40).to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(end_64.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([0xff; 12]);
    bytes.extend([0; 2]);
    let error = read(&bytes).unwrap_err();
    assert!(error.to_string().contains("announces 1099511627776 entries"), "{error}");
}

#[test]
fn a_large_directory_record_is_followed() {
    // As in archives of more than 4 GiB: the numbers of the end record are all ones, the real ones before it.
    let whole = archive(&[("X.npy", &two_points()), ("y.npy", &two_labels())]);
    let (rest, end) = whole.split_at(whole.len() - 22);
    let number = |at: usize| u64::from(u32::from_le_bytes(end[at..at + 4].try_into().unwrap()));
    let (n_bytes, offset, end_64) = (number(12), number(16), rest.len() as u64);
    let mut bytes = rest.to_vec();
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0]);
    bytes.extend([0; 8]);
    [2, 2, n_bytes, offset].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(end_64.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([0xff; 12]);
    bytes.extend([0; 2]);
    let data = read(&bytes).unwrap();
    assert_eq!((data.len(), data.class_names().len()), (2, 2));
}

#[test]
fn progress_is_reported_and_can_stop_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npz");
    let large = array("'|u1'", false, "(9000, 1000)", &vec![1; 9_000_000]);
    let stored = archive_with(CompressionMethod::Stored, &[("X.npy", &large)]);
    std::fs::write(&path, &stored).unwrap();
    let mut heard = Vec::new();
    crate::read(&path, &ReadOptions::default(), &mut |progress| {
        heard.push((progress.done_bytes, progress.total_bytes));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(heard.len(), 3);
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0), "{heard:?}");
    assert!(heard.iter().all(|(_, total)| *total == Some(stored.len() as u64)));
    let error = crate::read(&path, &ReadOptions::default(), &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(*error.problem, Problem::Stopped), "{error}");
}

#[test]
fn arrays_without_a_split_are_for_training_beside_those_for_testing() {
    let x = array("'<f4'", false, "(2, 1)", &[1.0_f32, 2.0].map(f32::to_le_bytes).concat());
    let one = array("'<f4'", false, "(1, 1)", &3.0_f32.to_le_bytes());
    let read = |entries: &[(&str, &[u8])]| read_bytes("a.npz", &archive(entries), &ReadOptions::default()).unwrap();
    let both = read(&[("X.npy", &x), ("X_test.npy", &one)]);
    assert_eq!((both.train().len(), both.test().len()), (2, 1));
    let lost = read_bytes("a.npz", &archive(&[("X.npy", &x), ("y_train.npy", &one)]), &ReadOptions::default());
    assert!(lost.unwrap_err().to_string().contains("the labels \"y_train\" without points"));
    let test = read(&[("x_test.npy", &one)]);
    assert_eq!((test.train().len(), test.test().len()), (0, 1));
}

#[test]
fn rows_that_lack_a_value_or_a_label_are_left_out_and_counted_if_that_is_asked_for() {
    let points = array("'<f4'", false, "(4, 1)", &f32s(&[1., f32::NAN, 3., 4.]));
    let bytes = array("'|u1'", false, "(4, 1)", &[1, 2, 3, 4]);
    let labels = array("'<f8'", false, "(4,)", &[0.5, 1.5, f64::NAN, 3.5].map(f64::to_le_bytes).concat());
    let of_points = archive(&[("X.npy", &points), ("y.npy", &labels)]);
    let said = read(&of_points).unwrap_err().to_string();
    assert!(said.starts_with("d.npz (y), row 3: the value is missing (\"NaN\")"), "{said}");
    let asked = ReadOptions { missing: MissingValues::DropRows, ..ReadOptions::default() };
    let data = read_bytes("d.npz", &of_points, &asked).unwrap();
    assert_eq!((data.points().as_f32(), data.dropped_rows()), (Some(&[1., 4.][..]), 2));
    assert_eq!(data.labels(), [Label::Value(0.5), Label::Value(3.5)]);
    // Bytes cannot lack a value, but a label.
    let data = read_bytes("d.npz", &archive(&[("X.npy", &bytes), ("y.npy", &labels)]), &asked).unwrap();
    assert_eq!((data.points().as_u8(), data.dropped_rows()), (Some(&[1, 2, 4][..]), 1));
    assert_eq!(data.row_ids().text(2), "3");
    assert_eq!(data.labels(), [0.5, 1.5, 3.5].map(Label::Value));
    // In several parts, each counts for itself.
    let parts = [("x_train.npy", &points), ("y_train.npy", &labels), ("x_test.npy", &bytes), ("y_test.npy", &labels)];
    let parts = parts.map(|(name, array)| (name, array.as_slice()));
    let error = read_bytes("d.npz", &archive(&parts), &asked).unwrap_err();
    assert!(matches!(*error.problem, Problem::PartsDiffer { .. }), "{error}");
    let parts = [parts[0], parts[1], ("x_test.npy", &points), parts[3]];
    let data = read_bytes("d.npz", &archive(&parts), &asked).unwrap();
    assert_eq!((data.len(), data.test().len(), data.dropped_rows()), (4, 2, 4));
}

#[test]
fn a_spreadsheet_is_told_apart_with_what_to_do() {
    let of_excel: [(&str, &[u8]); 2] = [("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", b"<x/>")];
    let of_libre: [(&str, &[u8]); 2] = [("mimetype", b"application/x"), ("content.xml", b"<x/>")];
    for (name, entries) in [("d.xlsx", of_excel), ("d.ods", of_libre)] {
        let said = read_bytes(name, &archive(&entries), &ReadOptions::default()).unwrap_err().to_string();
        assert!(said.starts_with(&format!("{name}: holds a spreadsheet; ")), "{said}");
        assert!(said.contains("export the sheet as CSV"), "{said}");
    }
    // The format of Excel before 2007 is no archive.
    let old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0";
    let said = read_bytes("d.xls", old, &ReadOptions::default()).unwrap_err().to_string();
    assert!(said.contains("export the sheet of a spreadsheet as CSV"), "{said}");
}
