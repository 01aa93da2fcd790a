//! The bytes of each format, and tables that a format cannot hold.

use std::io::{self, Read};
use std::path::Path;

use hedgerow_data::write::{ColumnData, Frame, FrameError, TableWriter, WriteFault, WriteFormat};

use crate::workbench::*;

#[test]
fn formats_are_found_by_name() {
    let of = |name: &str| WriteFormat::from_path(Path::new(name));
    assert_eq!(of("a/b.CSV"), Some(WriteFormat::Csv));
    assert_eq!(of("b.tsv.gz"), Some(WriteFormat::Tsv));
    assert_eq!((of("b.jsonl"), of("b.ndjson")), (Some(WriteFormat::JsonLines), Some(WriteFormat::JsonLines)));
    assert_eq!((of("b.npy"), of("b.parquet"), of("b.pq")), (Some(WriteFormat::Npy), of("x.parquet"), of("x.pq")));
    assert_eq!((of("b"), of("csv"), of("b.txt"), of("b.gz")), (None, None, None, None));
    for format in WriteFormat::ALL {
        assert_eq!(WriteFormat::from_name(&format.to_string().to_uppercase()), Some(format));
    }
}

#[test]
fn frames_are_checked() {
    let new = |columns: Vec<(&str, ColumnData)>| {
        Frame::new(columns.into_iter().map(|(name, data)| (name.to_owned(), data)).collect()).unwrap_err()
    };
    assert_eq!(new(vec![]), FrameError::NoColumns);
    assert_eq!(
        new(vec![("a", texts(&["x"])), ("b", ColumnData::Number(vec![1.0, 2.0]))]).to_string(),
        "column \"b\" has 2 rows but \"a\" has 1; give each row a value"
    );
    assert!(matches!(new(vec![("a", texts(&[])), ("a", texts(&[]))]), FrameError::DuplicateColumn { .. }));
    let broken = |width| ColumnData::VectorU8 { width, values: vec![1, 2, 3] };
    assert!(matches!(new(vec![("a", broken(2))]), FrameError::NotWhole { width: 2, values: 3, .. }));
    assert!(matches!(new(vec![("a", broken(0))]), FrameError::NotWhole { .. }));
}

#[test]
fn csv_is_what_a_csv_reader_expects() {
    let mixed = mixed();
    let bytes = stream_bytes(WriteFormat::Csv, &[&mixed, &mixed]);
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>(),
        ["text", "integer", "number", "v[0]", "v[1]", "p[0]", "p[1]"]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 6);
    assert_eq!((&rows[1][0], &rows[2][0], &rows[3][0]), ("a,\"b\"\nc", " ü\t", "plain"));
    assert_eq!((&rows[0][1], &rows[2][1]), ("-9223372036854775808", "9223372036854775807"));
    let ColumnData::Vector { values, .. } = &mixed.columns()[3].1 else { panic!("a vector") };
    for (row, pair) in rows.iter().zip(values.chunks_exact(2).cycle()) {
        for (field, value) in [&row[3], &row[4]].into_iter().zip(pair) {
            assert_eq!(field.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{field}");
        }
    }
    assert_eq!((&rows[0][2], &rows[1][2]), ("0.1", "-0"));
    assert_eq!(rows[2][2].parse::<f32>().unwrap().to_bits(), 1e-40_f32.to_bits());
    assert_eq!((&rows[5][5], &rows[5][6]), ("254", "255"));
    let tabs = stream_bytes(WriteFormat::Tsv, &[&frame(vec![("a", texts(&["x\ty", ""])), ("b", texts(&["1", ""]))])]);
    assert_eq!(String::from_utf8(tabs).unwrap(), "a\tb\n\"x\ty\"\t1\n\t\n");
    let unnamed = frame(vec![("", ColumnData::Vector { width: 2, values: vec![0.5, 1.0] })]);
    assert_eq!(stream_bytes(WriteFormat::Csv, &[&unnamed]), b"0,1\n0.5,1\n");
}

#[test]
fn vectors_must_not_take_the_names_of_other_columns() {
    let clash =
        frame(vec![("v", ColumnData::Vector { width: 1, values: vec![1.0] }), ("v[0]", ColumnData::Number(vec![1.0]))]);
    let mut writer = TableWriter::to_stream(Box::new(io::sink()), WriteFormat::Csv, "-").unwrap();
    let error = writer.write(&clash).unwrap_err();
    assert_eq!(error.to_string(), "-: two columns would be named \"v[0]\"; rename one");
    assert!(matches!(*writer.finish().unwrap_err().fault, WriteFault::FailedBefore));
}

#[test]
fn json_lines_are_what_a_json_reader_expects() {
    let bytes = stream_bytes(WriteFormat::JsonLines, &[&mixed()]);
    let text = String::from_utf8(bytes).unwrap();
    let largest = serde_json::to_string(&f32::MAX).unwrap();
    let first = format!(
        "{{\"text\":\"plain\",\"integer\":-9223372036854775808,\"number\":0.1,\"v\":[1.0,{largest}],\"p\":[0,1]}}\n"
    );
    assert!(text.starts_with(&first), "{text}");
    assert!(text.ends_with("}\n"));
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1]["text"], "a,\"b\"\nc");
    assert_eq!(rows[2]["integer"], i64::MAX);
    assert_eq!(rows[1]["v"][1].as_f64().unwrap() as f32, 1.0 / 3.0);
    assert_eq!(rows[2]["p"], serde_json::json!([254, 255]));
}

#[test]
fn json_has_no_nan_but_the_others_do() {
    let good = frame(vec![("v", ColumnData::Vector { width: 2, values: vec![1.0, 2.0] })]);
    let bad = frame(vec![("v", ColumnData::Vector { width: 2, values: vec![1.0, 2.0, 3.0, f32::NAN] })]);
    let mut writer = TableWriter::to_stream(Box::new(io::sink()), WriteFormat::JsonLines, "-").unwrap();
    writer.write(&good).unwrap();
    let error = writer.write(&bad).unwrap_err();
    assert_eq!(
        error.to_string(),
        "-: row 3, column v[1]: json has no way to write NaN; replace it, or write csv, npy or parquet"
    );
    assert_eq!(stream_bytes(WriteFormat::Csv, &[&bad]), b"v[0],v[1]\n1,2\n3,NaN\n");
}

#[test]
fn npy_has_the_header_of_numpy_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.npy");
    let part = |first: f32| {
        frame(vec![
            ("x", ColumnData::Number(vec![first, first + 1.0])),
            ("v", ColumnData::Vector { width: 2, values: vec![0.5, 1.5, 2.5, 3.5] }),
        ])
    };
    write_file(&path, WriteFormat::Npy, &[&part(0.0), &part(10.0)]).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes, stream_bytes(WriteFormat::Npy, &[&part(0.0), &part(10.0)]), "a stream gets the same");
    let header_bytes = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((&bytes[..8], header_bytes % 64, bytes[header_bytes - 1]), (&b"\x93NUMPY\x01\x00"[..], 0, b'\n'));
    let dictionary = std::str::from_utf8(&bytes[10..header_bytes]).unwrap();
    assert_eq!(dictionary.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }");
    assert_eq!(bytes.len(), header_bytes + 4 * 3 * 4);
    let npy = npyz::NpyFile::new(&bytes[..]).unwrap();
    assert_eq!((npy.shape(), npy.order()), (&[4, 3][..], npyz::Order::C));
    let expected = [0.0, 0.5, 1.5, 1.0, 2.5, 3.5, 10.0, 0.5, 1.5, 11.0, 2.5, 3.5];
    assert_eq!(npy.into_vec::<f32>().unwrap(), expected);
}

#[test]
fn npy_takes_one_type_of_numbers() {
    let read = |frame: &Frame| {
        let bytes = stream_bytes(WriteFormat::Npy, &[frame]);
        let npy = npyz::NpyFile::new(io::Cursor::new(bytes)).unwrap();
        (npy.shape().to_vec(), npy)
    };
    let (shape, npy) = read(&frame(vec![("p", ColumnData::VectorU8 { width: 3, values: vec![1, 2, 3, 4, 5, 6] })]));
    assert_eq!((shape, npy.into_vec::<u8>().unwrap()), (vec![2, 3], vec![1, 2, 3, 4, 5, 6]));
    let (shape, npy) = read(&frame(vec![("label", ColumnData::Integer(vec![-1, 7]))]));
    assert_eq!((shape, npy.into_vec::<i64>().unwrap()), (vec![2], vec![-1, 7]));
    let (shape, npy) = read(&frame(vec![("v", ColumnData::Vector { width: 5, values: vec![] })]));
    assert_eq!((shape, npy.into_vec::<f32>().unwrap()), (vec![0, 5], vec![]));
    let fail = |frame: Frame| {
        let mut writer = TableWriter::to_stream(Box::new(io::sink()), WriteFormat::Npy, "-").unwrap();
        writer.write(&frame).unwrap_err().to_string()
    };
    let number = || ("x", ColumnData::Number(vec![1.0]));
    assert_eq!(
        fail(frame(vec![number(), ("name", texts(&["a"]))])),
        "-: the column \"name\" is text but npy holds numbers only; leave it out, or write csv, jsonl or parquet"
    );
    assert_eq!(
        fail(frame(vec![number(), ("n", ColumnData::Integer(vec![1]))])),
        "-: the column \"n\" holds 64-bit integers but \"x\" holds 32-bit floats, and npy has one type; \
         convert one, or write csv, jsonl or parquet"
    );
}

#[test]
fn gzip_goes_with_text_only_and_is_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv.gz");
    write_file(&path, WriteFormat::Csv, &[&mixed()]).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    write_file(&path, WriteFormat::Csv, &[&mixed()]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
    assert_eq!(text, stream_bytes(WriteFormat::Csv, &[&mixed()]));
    let error = TableWriter::create(folder.path().join("t.npy.gz"), WriteFormat::Npy).unwrap_err();
    assert!(matches!(*error.fault, WriteFault::NoGzip { .. }), "{error}");
}

#[test]
fn other_columns_than_the_first_are_refused() {
    let vector = |width: usize| ColumnData::Vector { width, values: vec![0.0; width] };
    let first = frame(vec![("a", ColumnData::Number(vec![1.0])), ("v", vector(2))]);
    for (other, said) in [
        (
            frame(vec![("a", ColumnData::Number(vec![1.0])), ("v", vector(3))]),
            "-: the columns \"v\" (vector of 3 numbers) were given where the table has \"v\" (vector of 2 numbers); \
             give every frame the same columns",
        ),
        (
            frame(vec![("a", ColumnData::Number(vec![1.0]))]),
            "-: the columns none after the first 1 were given where the table has \"v\" (vector of 2 numbers); \
             give every frame the same columns",
        ),
    ] {
        let mut writer = TableWriter::to_stream(Box::new(io::sink()), WriteFormat::Csv, "-").unwrap();
        writer.write(&first).unwrap();
        assert_eq!(writer.write(&other).unwrap_err().to_string(), said);
    }
    let writer = TableWriter::to_stream(Box::new(io::sink()), WriteFormat::Csv, "-").unwrap();
    assert!(matches!(*writer.finish().unwrap_err().fault, WriteFault::NoColumns));
}
