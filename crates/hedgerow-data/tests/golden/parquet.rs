//! Files of PyArrow.

use hedgerow_core::{Label, PointKind};
use hedgerow_data::progress::silent;
use hedgerow_data::{LabelMeaning, MissingValues, Problem, ReadOptions, RowIds, read};

use super::{ROWS, all, byte, classes, file, floats, plain, value, with};

#[test]
fn embedding_columns_of_parquet() {
    for name in ["fixed_none", "fixed_snappy", "fixed_zstd", "fixed_lz4", "fixed_brotli", "list"] {
        let table = plain(&format!("{name}.parquet"));
        assert_eq!(floats(&table), all(value), "{name}");
        assert_eq!(table.feature_names()[4], "embedding[4]", "{name}");
        assert_eq!(table.labels(), classes(0..ROWS), "{name}");
    }
    let pixels = plain("pixels.parquet");
    assert_eq!((pixels.points().kind(), pixels.points().as_u8().unwrap()), (PointKind::U8, &all(byte)[..]));
}

#[test]
fn an_index_of_pandas_names_the_rows() {
    let table = plain("pandas_index.parquet");
    assert_eq!((table.width(), table.class_names().len()), (7, 3));
    assert_eq!(table.row_ids().text(3), "plant 3");
}

#[test]
fn numbers_and_gaps_of_parquet() {
    let numbers = plain("numbers.parquet");
    assert_eq!(numbers.width(), 11);
    for (row, point) in floats(&numbers).chunks(11).enumerate() {
        let expected = (0..10).map(|at| (row * (at + 1) % 100) as f32).chain([f32::from(row % 2 == 0)]);
        assert!(point.iter().copied().eq(expected), "row {row}: {point:?}");
    }
    assert_eq!(numbers.label_meaning(), Some(LabelMeaning::Values));
    assert_eq!(numbers.labels()[3], Label::Value(value(3, 0)));
    let error = read(file("gaps.parquet"), &ReadOptions::default(), &mut silent()).unwrap_err();
    assert!(matches!(*error.problem, Problem::Missing { .. }), "{error}");
    assert_eq!((error.place.row, error.place.column.as_deref()), (Some(2), Some("x")), "{error}");
    let kept = with("gaps.parquet", |options| options.missing = MissingValues::DropRows);
    assert_eq!((floats(&kept), kept.dropped_rows()), (&[1.5, 3.5][..], 2));
    assert_eq!(*kept.row_ids(), RowIds::Numbers(vec![0, 3]));
}
