//! NaN, which stands for a missing value: refused, or its row left out.

use super::*;
use crate::MissingValues;

fn dropping(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    options(|options| {
        options.missing = MissingValues::DropRows;
        change(options);
    })
}

#[test]
fn rows_with_nan_are_left_out_and_counted_if_that_is_asked_for() {
    let holes = [1., 2., f32::NAN, 4., 5., 6., 7., f32::NAN, 9., 10.];
    let bytes = array("'<f4'", false, "(5, 2)", &f32s(&holes));
    let said = read(&bytes).unwrap_err().to_string();
    assert!(said.starts_with("x.npy, row 2, column 0: the value is missing (\"NaN\")"), "{said}");
    assert!(said.ends_with("missing = drop"), "{said}");
    let doubles: Vec<u8> = holes.iter().flat_map(|&value| f64::from(value).to_be_bytes()).collect();
    let turned: Vec<f32> = (0..10).map(|at| holes[at % 5 * 2 + at / 5]).collect();
    for bytes in [bytes, array("'>f8'", false, "(5, 2)", &doubles), array("'<f4'", true, "(5, 2)", &f32s(&turned))] {
        let data = read_bytes("x.npy", &bytes, &dropping(|_| ())).unwrap();
        assert_eq!(data.points().as_f32(), Some(&[1., 2., 5., 6., 9., 10.][..]));
        assert_eq!(data.dropped_rows(), 2);
        // Rows keep the number that they have in the file.
        assert_eq!((data.row_ids().text(1), data.row_ids().text(2)), ("2".to_owned(), "4".to_owned()));
    }
}

#[test]
fn only_columns_that_are_used_can_lack_a_value() {
    let rows = [f32::NAN, 1., 0.5, 2., f32::NAN, 1.5, 3., 4., f32::NAN, 5., 6., 2.5];
    let bytes = array("'<f4'", false, "(4, 3)", &f32s(&rows));
    let asked = dropping(|options| {
        options.label = RoleColumn::At(Column::Number(2));
        options.ignore = vec![Column::Number(0)];
    });
    let data = read_bytes("x.npy", &bytes, &asked).unwrap();
    // The first row lacks what is left out, the second its point, the third its label.
    assert_eq!(data.points().as_f32(), Some(&[1., 6.][..]));
    assert_eq!(data.labels(), [Label::Value(0.5), Label::Value(2.5)]);
    assert_eq!(data.dropped_rows(), 2);
}

#[test]
fn infinity_is_not_missing_and_stays_refused() {
    for (value, said) in [(f32::INFINITY, "the value inf"), (1e30, "the value 1e30")] {
        let bytes = array("'<f4'", false, "(2, 2)", &f32s(&[f32::NAN, 2., 3., value]));
        let error = read_bytes("x.npy", &bytes, &dropping(|_| ())).unwrap_err().to_string();
        assert!(error.starts_with(&format!("x.npy, row 2, column 1: {said} cannot be used")), "{error}");
    }
}

#[test]
fn blocks_number_their_rows_past_those_left_out() {
    let bytes = array("'<f4'", false, "(6, 1)", &f32s(&[0., f32::NAN, 2., f32::NAN, f32::NAN, 5.]));
    let schema = Schema { encoding: Encoding::matrix(1), ..Schema::default() };
    let asked = dropping(|options| {
        options.schema = Some(schema);
        options.format = Some(Format::Npy);
    });
    let blocks = Blocks::from_stream("-", Box::new(Cursor::new(bytes)), 2, &asked).unwrap();
    let rows: Vec<(f32, String)> = blocks
        .map(Result::unwrap)
        .flat_map(|block| {
            let values = block.points().as_f32().unwrap().to_vec();
            values.into_iter().enumerate().map(|(row, value)| (value, block.row_ids().text(row))).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(rows, [(0., "0".to_owned()), (2., "2".to_owned()), (5., "5".to_owned())]);
}

#[test]
fn a_label_may_be_missing_where_a_schema_is_recorded() {
    let bytes = array("'<f4'", false, "(2, 2)", &f32s(&[1., 0.5, 2., f32::NAN]));
    let schema = Schema { encoding: Encoding::matrix(1), ..Schema::default() };
    let asked = options(|options| {
        options.schema = Some(schema);
        options.label = RoleColumn::At(Column::Number(1));
    });
    let data = read_bytes("x.npy", &bytes, &asked).unwrap();
    assert_eq!(data.labels(), [Label::Value(0.5), Label::Unlabeled]);
}

#[test]
fn rows_whose_label_is_missing_in_a_second_file_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("y.npy");
    std::fs::write(&path, array("'<f4'", false, "(3,)", &f32s(&[0.5, f32::NAN, 2.5]))).unwrap();
    let points = array("'<f4'", false, "(3, 1)", &f32s(&[1., 2., 3.]));
    let asked = dropping(|options| options.labels_from = Some(path.clone()));
    let data = read_bytes("x.npy", &points, &asked).unwrap();
    assert_eq!((data.labels(), data.dropped_rows()), (&[Label::Value(0.5), Label::Value(2.5)][..], 1));
    assert_eq!(data.points().as_f32(), Some(&[1., 3.][..]));
    let asked = options(|options| options.labels_from = Some(path));
    let said = read_bytes("x.npy", &points, &asked).unwrap_err().to_string();
    assert!(said.contains("y.npy, row 2: the value is missing"), "{said}");
}
