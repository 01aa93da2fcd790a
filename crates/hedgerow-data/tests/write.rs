//! Writing tables and data sets: what the bytes are, that they read back the same, and that nothing half-written remains.

#![allow(clippy::unwrap_used)]

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::sync::{Arc, Mutex};

use hedgerow_core::{Label, Points};
use hedgerow_data::progress::silent;
use hedgerow_data::write::{
    ColumnData, Frame, FrameError, TableWriter, WriteError, WriteFault, WriteFormat, write_dataset, write_dataset_to,
};
use hedgerow_data::{Dataset, Encoding, FeatureColumn, RowIds};

fn frame(columns: Vec<(&str, ColumnData)>) -> Frame {
    Frame::new(columns.into_iter().map(|(name, data)| (name.to_owned(), data)).collect()).unwrap()
}

fn texts(values: &[&str]) -> ColumnData {
    ColumnData::Text(values.iter().map(|text| (*text).to_owned()).collect())
}

/// One column of each kind, with values that are hard to write.
fn mixed() -> Frame {
    frame(vec![
        ("text", texts(&["plain", "a,\"b\"\nc", " ü\t"])),
        ("integer", ColumnData::Integer(vec![i64::MIN, 0, i64::MAX])),
        ("number", ColumnData::Number(vec![0.1, -0.0, 1e-40])),
        ("v", ColumnData::Vector { width: 2, values: vec![1.0, f32::MAX, 16_777_216.0, 1.0 / 3.0, 1e30, -2.5] }),
        ("p", ColumnData::VectorU8 { width: 2, values: vec![0, 1, 2, 3, 254, 255] }),
    ])
}

fn write_file(path: &Path, format: WriteFormat, frames: &[&Frame]) -> Result<(), WriteError> {
    let mut writer = TableWriter::create(path, format)?;
    frames.iter().try_for_each(|frame| writer.write(frame))?;
    writer.finish()
}

/// A stream whose bytes can be looked at, and which is full after some of them.
#[derive(Clone, Default)]
struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: Option<usize>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.bytes.lock().unwrap();
        let room = self.room.map_or(bytes.len(), |room| room - held.len().min(room));
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n_bytes = bytes.len().min(room);
        held.extend(&bytes[..n_bytes]);
        Ok(n_bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn stream_bytes(format: WriteFormat, frames: &[&Frame]) -> Vec<u8> {
    let disk = Disk::default();
    let mut writer = TableWriter::to_stream(Box::new(disk.clone()), format, "-").unwrap();
    frames.iter().for_each(|frame| writer.write(frame).unwrap());
    writer.finish().unwrap();
    let bytes = disk.bytes.lock().unwrap();
    bytes.clone()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

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

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    for format in WriteFormat::ALL {
        if format == WriteFormat::Parquet && cfg!(not(feature = "parquet")) {
            continue;
        }
        let path = folder.path().join(format!("t.{format}"));
        let numbers = frame(vec![("x", ColumnData::Number(vec![1.0; 1000]))]);
        let mut writer = TableWriter::create(&path, format).unwrap();
        writer.write(&numbers).unwrap();
        assert!(!path.exists());
        drop(writer);
        assert_eq!(names_in(folder.path()), Vec::<String>::new(), "{format}");

        std::fs::write(&path, "old").unwrap();
        let mut writer = TableWriter::create(&path, format).unwrap();
        writer.write(&numbers).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old", "{format}");
        assert_eq!(writer.rows(), 1000);
        writer.finish().unwrap();
        assert_ne!(std::fs::read(&path).unwrap(), b"old", "{format}");
        assert_eq!(names_in(folder.path()), [format!("t.{format}")]);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_full_disk_is_an_error_that_says_so() {
    for format in WriteFormat::ALL {
        if format == WriteFormat::Parquet && cfg!(not(feature = "parquet")) {
            continue;
        }
        let numbers = frame(vec![("x", ColumnData::Number((0..100_000).map(|at| (at as f32).sqrt()).collect()))]);
        for room in [0, 1, 1000, 200_000] {
            let disk = Disk { room: Some(room), ..Disk::default() };
            let mut writer = TableWriter::to_stream(Box::new(disk), format, "disk").unwrap();
            let error = writer.write(&numbers).err().or_else(|| writer.finish().err()).unwrap();
            let WriteFault::Io(source) = &*error.fault else { panic!("{error}") };
            assert_eq!(source.kind(), io::ErrorKind::StorageFull, "{format} {room}");
            assert!(error.to_string().ends_with("free some space, or write to another disk"), "{error}");
        }
    }
}

/// `/dev/full` is a device that has never room.
#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let error = write_file(Path::new("/dev/full"), WriteFormat::Csv, &[&mixed()]).unwrap_err();
    assert!(matches!(&*error.fault, WriteFault::Io(error) if error.kind() == io::ErrorKind::StorageFull), "{error}");
    write_file(Path::new("/dev/null"), WriteFormat::Csv, &[&mixed()]).unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

/// Writes a table only in the process that the tests below start.
#[cfg(unix)]
#[test]
fn writes_where_told() {
    let Some(path) = std::env::var_os("HEDGEROW_TEST_WRITE_TO") else { return };
    write_file(Path::new(&path), WriteFormat::Csv, &[&frame(vec![("x", ColumnData::Integer(vec![7]))])]).unwrap();
}

/// Runs [`writes_where_told`] with a stream redirected, and gives what is in the file afterwards.
#[cfg(unix)]
fn redirected(path: &Path, stream: u8, append: bool) -> String {
    use std::io::{Seek, SeekFrom};
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    std::fs::write(&out, "what was there\n").unwrap();
    // As `>> out`, and as `> out` after another program wrote to it.
    let mut file = std::fs::File::options().append(append).write(true).open(&out).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    let inode = file.metadata().unwrap().ino();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "writes_where_told", "--nocapture"]).env("HEDGEROW_TEST_WRITE_TO", path);
    let child = if stream == 1 { child.stdout(file) } else { child.stdout(std::process::Stdio::null()).stderr(file) };
    assert!(child.status().unwrap().success());
    assert_eq!(std::fs::metadata(&out).unwrap().ino(), inode, "the file was replaced");
    assert_eq!(names_in(folder.path()), ["out"]);
    std::fs::read_to_string(&out).unwrap()
}

#[cfg(unix)]
#[test]
fn redirected_streams_are_written_to_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
    for append in [true, false] {
        for name in ["/dev/stdout", "/dev/../dev/stdout", "/dev/fd/1", link.to_str().unwrap()] {
            let text = redirected(Path::new(name), 1, append);
            assert!(text.starts_with("what was there\n") && text.contains("x\n7\n"), "{name}: {text}");
            // What the test says after the table is neither lost nor written over it.
            assert!(text.contains("test result: ok"), "{name}: {text}");
        }
        for name in ["/dev/stderr", "/dev/fd/2"] {
            assert_eq!(redirected(Path::new(name), 2, append), "what was there\nx\n7\n", "{name}");
        }
    }
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn open_files_are_appended_to() {
    use std::os::fd::AsRawFd;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    std::fs::write(&path, "what was there\n").unwrap();
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    for name in ["/dev/fd", "/proc/self/fd"] {
        let name = format!("{name}/{}", file.as_raw_fd());
        write_file(Path::new(&name), WriteFormat::Csv, &[&frame(vec![("x", ColumnData::Integer(vec![7]))])]).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "what was there\nx\n7\nx\n7\n");
    assert_eq!(names_in(folder.path()), ["out"]);
}

#[cfg(unix)]
#[test]
fn links_to_what_is_not_there_yet_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("inner")).unwrap();
    symlink("inner/second", at("first.csv")).unwrap();
    symlink("../new.csv", at("inner/second")).unwrap();
    write_file(&at("first.csv"), WriteFormat::Csv, &[&mixed()]).unwrap();
    assert!(["first.csv", "inner/second"].iter().all(|name| std::fs::symlink_metadata(at(name)).unwrap().is_symlink()));
    assert!(std::fs::symlink_metadata(at("new.csv")).unwrap().is_file());
    symlink(at("loop.csv"), at("loop.csv")).unwrap();
    let error = TableWriter::create(at("loop.csv"), WriteFormat::Csv).unwrap_err();
    assert!(error.to_string().contains("too many links"), "{error}");
}

#[test]
fn places_where_no_file_can_be_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let error = TableWriter::create(folder.path().join("none/t.csv"), WriteFormat::Csv).unwrap_err();
    assert!(matches!(&*error.fault, WriteFault::Io(error) if error.kind() == io::ErrorKind::NotFound), "{error}");
    assert!(error.to_string().ends_with("make the folder first, or give another one"), "{error}");
    let error = TableWriter::create(folder.path(), WriteFormat::Csv).unwrap_err();
    assert!(error.to_string().ends_with("this is a folder: give the name of a file"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_file(&link, WriteFormat::Csv, &[&mixed()]).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(std::fs::read(&file).unwrap(), b"old");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    // A new file is as readable as any other new file.
    let (new, usual) = (folder.path().join("new.csv"), folder.path().join("usual"));
    write_file(&new, WriteFormat::Csv, &[&mixed()]).unwrap();
    std::fs::write(&usual, "").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&new), mode(&usual));
}

/// Numbers, a category, a vector, names and splits.
fn flowers() -> Dataset {
    let columns = vec![
        FeatureColumn::Number { name: "id".into() },
        FeatureColumn::Category { name: "color".into(), texts: vec!["blue".into(), "red".into()] },
        FeatureColumn::Vector { name: "v".into(), width: 2 },
    ];
    let points = vec![0.1, 1.0, 0.0, 5.0, -1.5, 0.2, 0.0, 1.0, 6.0, 1e-7, 0.3, 0.0, 1.0, 7.0, 1e14];
    let labels = vec![Label::class(1), Label::class(0), Label::class(1)];
    Dataset::new("flowers", Points::from_f32(5, points).unwrap(), labels)
        .unwrap()
        .with_class_names(vec!["rose".into(), "iris, wild".into()])
        .unwrap()
        .with_encoding(Encoding::new(columns, true), Some("species".into()))
        .unwrap()
        .with_row_ids(RowIds::Names(vec!["f1".into(), "f2".into(), "f3".into()]))
        .unwrap()
        .with_split_rows(2, 0, 1)
        .unwrap()
}

fn digits() -> Dataset {
    let points = Points::from_u8(4, (0..=255).cycle().take(4000).collect()).unwrap();
    let labels = (0..1000).map(|row| Label::class(row % 10)).collect();
    Dataset::new("digits", points, labels).unwrap()
}

#[test]
fn a_data_set_becomes_columns_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flowers.csv");
    let columns = write_dataset(&path, &flowers(), None, &mut silent()).unwrap();
    let names = (columns.id.as_deref(), columns.label.as_deref(), columns.split.as_deref());
    assert_eq!(names, (Some("id_2"), Some("species"), Some("split")));
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "id_2,id,color,v[0],v[1],species,split\n\
         f1,0.1,blue,5,-1.5,\"iris, wild\",train\n\
         f2,0.2,red,6,0.0000001,rose,train\n\
         f3,0.3,red,7,100000000000000,\"iris, wild\",test\n"
    );
    let path = folder.path().join("digits.tsv");
    write_dataset(&path, &digits(), None, &mut silent()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("id\t0\t1\t2\t3\tlabel\n0\t0\t1\t2\t3\t0\n1\t4\t5\t6\t7\t1\n"), "{}", &text[..60]);
    assert_eq!(text.lines().count(), 1001);
}

#[test]
fn a_data_set_becomes_json_and_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flowers.jsonl");
    write_dataset(&path, &flowers(), None, &mut silent()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let first = "{\"id_2\":\"f1\",\"id\":0.1,\"color\":\"blue\",\"v\":[5.0,-1.5],\"species\":\"iris, wild\",\"split\":\"train\"}\n";
    assert!(text.starts_with(first), "{text}");
    let path = folder.path().join("digits.jsonl");
    write_dataset(&path, &digits(), None, &mut silent()).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("{\"id\":0,\"point\":[0,1,2,3],\"label\":\"0\"}\n"));
    let path = folder.path().join("digits.npy");
    let columns = write_dataset(&path, &digits(), None, &mut silent()).unwrap();
    assert_eq!(columns, Default::default());
    let npy = npyz::NpyFile::new(io::BufReader::new(std::fs::File::open(&path).unwrap())).unwrap();
    assert_eq!(npy.shape(), [1000, 4]);
    assert_eq!(npy.into_vec::<u8>().unwrap(), digits().points().as_u8().unwrap());
}

#[test]
fn scaled_categories_and_values_are_written_as_numbers() {
    let columns = vec![FeatureColumn::Category { name: "c".into(), texts: vec!["a".into(), "b".into()] }];
    let points = Points::from_f32(2, vec![0.5, 0.0, 0.0, 0.0]).unwrap();
    let data = Dataset::new("scaled", points, vec![Label::Value(0.1), Label::Value(2.0)])
        .unwrap()
        .with_encoding(Encoding::new(columns, true), None)
        .unwrap();
    let disk = Disk::default();
    let writer = TableWriter::to_stream(Box::new(disk.clone()), WriteFormat::Csv, "-").unwrap();
    write_dataset_to(writer, &data, &mut silent()).unwrap();
    assert_eq!(*disk.bytes.lock().unwrap(), b"id,c=a,c=b,label\n0,0.5,0,0.1\n1,0,0,2\n");
}

#[test]
fn labels_of_both_kinds_are_texts_in_every_block() {
    // 3 MiB a row: a block is one row, and only the last label tells that the first is not alone.
    let width = 3 << 18;
    let points = Points::from_f32(width, vec![0.0; 2 * width]).unwrap();
    let data = Dataset::new("v", points, vec![Label::Value(0.5), Label::Unlabeled]).unwrap();
    let data = data.with_encoding(Encoding::new(vec![FeatureColumn::Vector { name: "v".into(), width }], true), None);
    let disk = Disk::default();
    let writer = TableWriter::to_stream(Box::new(disk.clone()), WriteFormat::JsonLines, "-").unwrap();
    write_dataset_to(writer, &data.unwrap(), &mut silent()).unwrap();
    let bytes = disk.bytes.lock().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let ends: Vec<&str> = text.lines().map(|line| line.rsplit_once(',').unwrap().1).collect();
    assert_eq!(ends, ["\"label\":\"0.5\"}", "\"label\":\"\"}"]);
}

#[test]
fn progress_is_told_and_may_stop_the_work() {
    let points = Points::from_f32(100, vec![0.5; 3_000_000]).unwrap();
    let data = Dataset::new("large", points, vec![Label::Unlabeled; 30_000]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.npy");
    let mut heard = Vec::new();
    let columns = write_dataset(&path, &data, None, &mut |progress| {
        heard.push((progress.done_bytes, progress.total_bytes));
        ControlFlow::Continue(())
    });
    assert_eq!(columns.unwrap().label, None);
    let total = data.size_bytes() as u64;
    assert!(heard.len() > 1 && heard.is_sorted() && heard.last() == Some(&(total, Some(total))), "{heard:?}");
    std::fs::remove_file(&path).unwrap();
    let error = write_dataset(&path, &data, None, &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(*error.fault, WriteFault::Stopped), "{error}");
    assert_eq!(names_in(folder.path()), Vec::<String>::new());
    let error = write_dataset(folder.path().join("large.txt"), &data, None, &mut silent()).unwrap_err();
    assert!(matches!(*error.fault, WriteFault::UnknownFormat), "{error}");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_must_be_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let error = TableWriter::create(folder.path().join("t.parquet"), WriteFormat::Parquet).unwrap_err();
    assert!(matches!(*error.fault, WriteFault::NotBuilt { .. }), "{error}");
    assert_eq!(names_in(folder.path()), Vec::<String>::new());
}

#[cfg(feature = "parquet")]
mod parquet {
    use super::*;
    use hedgerow_data::{Column, LabelColumn, ReadOptions, Split, read, read_bytes};

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
            label: LabelColumn::None,
            id_column: Some(Column::Name("text".into())),
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
        let options = ReadOptions { label: LabelColumn::None, ..ReadOptions::default() };
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
        let options = ReadOptions { label: LabelColumn::None, ..ReadOptions::default() };
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
            label: LabelColumn::None,
            id_column: Some(Column::Name("t".to_owned())),
            ..ReadOptions::default()
        };
        assert_eq!(read_bytes("t.parquet", &bytes, &options).unwrap().len(), 20);
    }
}
