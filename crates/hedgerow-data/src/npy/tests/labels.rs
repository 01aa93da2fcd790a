//! Arrays of labels.

use super::*;
use crate::labels::Understood;
use crate::{ConstantLabel, LabelKind};

pub(super) fn labels(bytes: &[u8]) -> Result<Understood, ReadError> {
    let labels = read_labels(&mut Input::bytes("y.npy", bytes), &ReadOptions::default())?;
    labels.understand(LabelKind::Detect, None, |_| Place::file("y.npy"))
}

#[test]
fn labels_are_numbers_or_texts_in_one_column() {
    let numbers = labels(&array("'<i8'", false, "(3,)", &[10, 9, 10].map(i64::to_le_bytes).concat())).unwrap();
    assert_eq!((numbers.labels, numbers.class_names.len()), ([1, 0, 1].map(Label::class).to_vec(), 2));
    let column = labels(&array("'>f4'", true, "(2, 1)", &[0.5f32, 2.0].map(f32::to_be_bytes).concat())).unwrap();
    assert_eq!(column.labels, [Label::Value(0.5), Label::Value(2.0)]);
    let zeros = labels(&array("'<f4'", false, "(2,)", &f32s(&[0.0, -0.0]))).unwrap();
    assert_eq!(zeros.class_names, ["0"]);
    let truths = labels(&array("'|b1'", false, "(2,)", &[1, 0])).unwrap();
    assert_eq!(truths.class_names, ["0", "1"]);
    // Beyond 2^53 neighbors stay apart.
    let large = [1u64 << 60, (1 << 60) + 1].map(u64::to_le_bytes).concat();
    assert_eq!(labels(&array("'<u8'", false, "(2,)", &large)).unwrap().class_names.len(), 2);
    let points: Vec<u8> = "iris\0rose\0".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    assert_eq!(labels(&array("'>U5'", false, "(2,)", &points)).unwrap().class_names, ["iris", "rose"]);
    let points: Vec<u8> = "é\0ab".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    assert_eq!(labels(&array("'<U2'", false, "(2,)", &points)).unwrap().class_names, ["ab", "é"]);
    assert_eq!(labels(&array("'|S3'", false, "(2,)", b"oneab\0")).unwrap().class_names, ["ab", "one"]);
    assert_eq!(
        read_labels(&mut Input::bytes("y", &array("'<i4'", false, "(0,)", &[])), &options(|_| ())).unwrap().len(),
        0
    );
}

#[test]
fn labels_that_cannot_be_are_refused_with_their_row() {
    let text = |bytes: &[u8]| labels(bytes).unwrap_err().to_string();
    let said = text(&array("'<f4'", false, "(2,)", &f32s(&[1.0, f32::NAN])));
    assert!(said.starts_with("y.npy, row 2: the value is missing (\"NaN\")"), "{said}");
    let said = text(&array("'<U1'", false, "(2,)", &[65, 0, 0, 0, 0, 0xd8, 0, 0]));
    assert!(said.starts_with("y.npy, row 2: is damaged: 0xd800 in a text is no character"), "{said}");
    let said = text(&array("'|S1'", false, "(1,)", &[0xff]));
    assert!(said.starts_with("y.npy, row 1: the text is not UTF-8 (byte 0xff)"), "{said}");
    let said = text(&array("'<i4'", false, "(2, 2)", &[0; 16]));
    assert!(said.contains("the shape 2x2, but labels are one column"), "{said}");
    let said = text(&array("'<U9999999999999'", false, "(1,)", &[]));
    assert!(said.contains("bytes of memory or more"), "{said}");
    for n_rows in [0, 2] {
        let said = text(&array("'<i4'", false, &format!("({n_rows},)"), &[0; 9]));
        assert!(said.contains("goes on after"), "{said}");
    }
}

#[test]
fn labels_from_a_second_file_meet_their_points() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("y.npy");
    std::fs::write(&path, array("'|u1'", false, "(2,)", &[3, 5])).unwrap();
    let points = array("'<f4'", false, "(2, 1)", &f32s(&[1., 2.]));
    let asked = options(|options| options.labels_from = Some(path.clone()));
    assert_eq!(read_bytes("x.npy", &points, &asked).unwrap().class_names(), ["3", "5"]);
    std::fs::write(&path, array("'|u1'", false, "(1,)", &[3])).unwrap();
    let mut asked = asked;
    asked.constant_label = ConstantLabel::Allow;
    let error = read_bytes("x.npy", &points, &asked).unwrap_err();
    assert!(matches!(*error.problem, Problem::Count { points: 2, labels: 1 }), "{error}");
}

#[test]
fn classes_have_the_same_names_whatever_type_the_numbers_are() {
    let names = |dtype: &str, values: Vec<u8>| {
        let labels = read_labels(&mut Input::bytes("y", &array(dtype, false, "(3,)", &values)), &options(|_| ()));
        labels.unwrap().understand(LabelKind::Classes, None, |_| Place::file("y")).unwrap().class_names
    };
    let whole = [1.0f32, 0.0, 16_777_216.0];
    let doubles = whole.iter().flat_map(|&value| f64::from(value).to_le_bytes()).collect();
    let integers = whole.iter().flat_map(|&value| (value as i64).to_le_bytes()).collect();
    let expected = ["0", "1", "16777216"];
    assert_eq!(names("'<f4'", f32s(&whole)), expected);
    assert_eq!(
        (names("'<f8'", doubles), names("'<i8'", integers)),
        (expected.map(str::to_owned).to_vec(), expected.map(str::to_owned).to_vec())
    );
    // A float of 4 bytes is not written as the one of 8 bytes that it becomes on the way.
    assert_eq!(names("'<f4'", f32s(&[0.1, 2.5, -1e-7])), ["-0.0000001", "0.1", "2.5"]);
    let doubles = [0.1, 2.5, -1e-7].iter().flat_map(|value: &f64| value.to_le_bytes()).collect();
    assert_eq!(names("'<f8'", doubles), ["-0.0000001", "0.1", "2.5"]);
}

#[test]
fn texts_that_stand_for_no_label_are_missing_as_in_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("y.npy");
    let points = array("'<f4'", false, "(3, 1)", &f32s(&[1., 2., 3.]));
    let unicode: Vec<u8> = "a\0\0nanb\0\0".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let kinds = [("'<U3'", unicode, "nan"), ("'|S3'", b"a\0\0\0\0\0b\0\0".to_vec(), "")];
    for (dtype, texts, missing) in kinds {
        std::fs::write(&path, array(dtype, false, "(3,)", &texts)).unwrap();
        let from = options(|options| options.labels_from = Some(path.clone()));
        let said = read_bytes("x.npy", &points, &from).unwrap_err().to_string();
        assert!(said.contains(&format!("y.npy, row 2: the value is missing (\"{missing}\")")), "{said}");
        let dropping = ReadOptions { missing: MissingValues::DropRows, ..from.clone() };
        let dropped = read_bytes("x.npy", &points, &dropping).unwrap();
        assert_eq!((dropped.labels(), dropped.dropped_rows()), (&[0, 1].map(Label::class)[..], 1));
        let recorded = ReadOptions { schema: Some(dropped.schema()), ..from };
        let lacking = read_bytes("x.npy", &points, &recorded).unwrap();
        assert_eq!(lacking.labels(), [Label::class(0), Label::Unlabeled, Label::class(1)]);
    }
}

#[test]
fn the_place_of_a_label_column_is_recorded() {
    let bytes = array("'<f4'", false, "(2, 4)", &f32s(&[1., 0., 2., 9., 3., 1., 4., 9.]));
    let asked = options(|options| {
        options.label = RoleColumn::At(Column::Number(1));
        options.ignore = vec![Column::Number(-1)];
    });
    let schema = read_bytes("x.npy", &bytes, &asked).unwrap().schema();
    assert_eq!(schema.label_position, Some(1));
    let table = read_bytes("t.csv", b"5.5,1,6.5\n7.5,0,8.5\n", &options(|options| options.schema = Some(schema)));
    assert_eq!(table.unwrap().points().as_f32(), Some(&[5.5, 6.5, 7.5, 8.5][..]));
}
