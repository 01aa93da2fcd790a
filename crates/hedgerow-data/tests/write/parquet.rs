//! Parquet, which is read back by the reader of this crate.

#[cfg(target_os = "linux")]
use std::process::Command;

use hedgerow_core::{Label, Points};
use hedgerow_data::progress::silent;
use hedgerow_data::write::{ColumnData, Frame, WriteFormat, write_dataset};
use hedgerow_data::{Column, Dataset, ReadOptions, RoleColumn, Split, read, read_bytes};

use crate::datasets::{digits, flowers};
use crate::workbench::*;

#[test]
fn the_same_frames_give_the_same_bytes() {
    let bytes = stream_bytes(WriteFormat::Parquet, &[&mixed(), &mixed()]);
    assert_eq!(bytes, stream_bytes(WriteFormat::Parquet, &[&mixed(), &mixed()]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write_file(&path, WriteFormat::Parquet, &[&mixed(), &mixed()]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn values_read_back_bit_for_bit() {
    let usable = frame(vec![
        ("text", texts(&["plain", "a,\"b\"\nc", " ü\t"])),
        ("integer", ColumnData::Integer(vec![-5, 0, 5])),
        ("number", ColumnData::Number(vec![0.1, -0.0, 1e-40])),
        ("v", ColumnData::Vector { width: 2, values: vec![1.0, 1e14, 3.0, 1.0 / 3.0, 1e-30, -2.5] }),
        ("p", ColumnData::VectorU8 { width: 2, values: vec![0, 1, 2, 3, 254, 255] }),
    ]);
    let bytes = stream_bytes(WriteFormat::Parquet, &[&usable, &usable]);
    let options = ReadOptions {
        label: RoleColumn::None,
        id_column: RoleColumn::At(Column::Name("text".into())),
        ..ReadOptions::default()
    };
    let data = read_bytes("t.parquet", &bytes, &options).unwrap();
    assert_eq!(data.feature_names(), ["integer", "number", "v[0]", "v[1]", "p[0]", "p[1]"]);
    let row = [
        -5.0,
        0.1,
        1.0,
        1e14,
        0.0,
        1.0_f32,
        0.0,
        -0.0,
        3.0,
        1.0 / 3.0,
        2.0,
        3.0,
        5.0,
        1e-40,
        1e-30,
        -2.5,
        254.0,
        255.0,
    ];
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(data.points().as_f32().unwrap()), bits(&[row, row].concat()));
    assert_eq!(data.row_ids().text(4), "a,\"b\"\nc");
}

#[test]
fn a_data_set_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flowers.parquet");
    let columns = write_dataset(&path, &flowers(), None, &mut silent()).unwrap();
    let back = read(&path, &columns.read_options(), &mut silent()).unwrap();
    let data = flowers();
    assert_eq!((back.points(), back.encoding(), back.row_ids()), (data.points(), data.encoding(), data.row_ids()));
    let names = |data: &Dataset| data.labels().iter().map(|&label| data.label_text(label)).collect::<Vec<_>>();
    assert_eq!(names(&back), names(&data));
    assert_eq!(back.schema().label_column, data.schema().label_column);
    assert!(Split::ALL.into_iter().all(|split| back.rows(split) == data.rows(split)));
}

#[test]
fn pixels_and_plain_matrices_read_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("digits.parquet");
    let columns = write_dataset(&path, &digits(), None, &mut silent()).unwrap();
    let back = read(&path, &columns.read_options(), &mut silent()).unwrap();
    assert_eq!(
        (back.points(), back.labels(), back.class_names()),
        (digits().points(), digits().labels(), digits().class_names())
    );
    assert_eq!((back.encoding(), back.row_ids().text(999)), (digits().encoding(), "999".to_owned()));
    let values =
        Dataset::new("v", Points::from_f32(1, vec![1.0, 2.0]).unwrap(), vec![Label::Value(3.0), Label::Value(3.0)])
            .unwrap();
    let columns = write_dataset(&path, &values, None, &mut silent()).unwrap();
    let back = read(&path, &columns.read_options(), &mut silent()).unwrap();
    assert_eq!((back.points(), back.labels()), (values.points(), values.labels()));
}

#[test]
fn many_rows_make_several_row_groups() {
    // 8 bytes a value in memory: 64 MiB of rows are at least two groups of 32 MiB.
    let width = 1024;
    let rows = 1024;
    let values: Vec<f32> = (0..width * rows).map(|at| (at % 1000) as f32).collect();
    let block = frame(vec![("v", ColumnData::Vector { width, values })]);
    let blocks = [&block; 9];
    let bytes = stream_bytes(WriteFormat::Parquet, &blocks);
    let options = ReadOptions { label: RoleColumn::None, ..ReadOptions::default() };
    let data = read_bytes("t.parquet", &bytes, &options).unwrap();
    assert_eq!((data.len(), data.width()), (9 * rows, width));
    let ColumnData::Vector { values, .. } = &block.columns()[0].1 else { panic!("a vector") };
    assert!(data.points().as_f32().unwrap().chunks_exact(values.len()).all(|chunk| chunk == values));
}

/// Does its work only in the process that the test below starts, whose memory is its own.
#[cfg(target_os = "linux")]
#[test]
fn writes_a_wide_table() {
    if std::env::var_os("HEDGEROW_TEST_WIDE_TABLE").is_none() {
        return;
    }
    let column = |at: usize| (format!("x{at}"), ColumnData::Number(vec![at as f32; 10]));
    let wide = Frame::new((0..20_000).map(column).collect()).unwrap();
    let bytes = stream_bytes(WriteFormat::Parquet, &[&wide]);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("\nheld {} of {} bytes", peak.trim(), bytes.len());
    let options = ReadOptions { label: RoleColumn::None, ..ReadOptions::default() };
    let data = read_bytes("t.parquet", &bytes, &options).unwrap();
    assert_eq!((data.len(), data.width()), (10, 20_000));
}

#[cfg(target_os = "linux")]
#[test]
fn a_wide_table_is_written_in_little_memory() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "parquet::writes_a_wide_table", "--nocapture"])
        .env("HEDGEROW_TEST_WIDE_TABLE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    let held = text.lines().find_map(|line| line.strip_prefix("held ")).unwrap();
    let kilobytes: u64 = held.split(' ').next().unwrap().parse().unwrap();
    // With a dictionary for each column it was 1.25 GB.
    assert!(kilobytes < 200 << 10, "{held}");
}

#[test]
fn long_texts_do_not_overflow() {
    let text = "long ".repeat(1 << 20);
    let long = frame(vec![("t", ColumnData::Text(vec![text; 20])), ("x", ColumnData::Number(vec![1.0; 20]))]);
    let bytes = stream_bytes(WriteFormat::Parquet, &[&long]);
    let options = ReadOptions {
        label: RoleColumn::None,
        id_column: RoleColumn::At(Column::Name("t".to_owned())),
        ..ReadOptions::default()
    };
    assert_eq!(read_bytes("t.parquet", &bytes, &options).unwrap().len(), 20);
}
