//! Tests of `svmlight.rs`.

use std::io::{Cursor, Read};
use std::ops::ControlFlow;

use hedgerow_core::Label;

use super::*;
use crate::encoding::{Encoding, Schema};
use crate::options::Column;
use crate::read::{Blocks, read_bytes};
use crate::{Dataset, Format};

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions { format: Some(Format::Svmlight), ..ReadOptions::default() };
    change(&mut options);
    options
}

fn with_schema(width: usize) -> ReadOptions {
    options(|options| options.schema = Some(Schema { encoding: Encoding::matrix(width), ..Schema::default() }))
}

fn read(text: &str) -> Result<Dataset, ReadError> {
    read_bytes("d.svm", text.as_bytes(), &options(|_| ()))
}

fn values(text: &str) -> Vec<f32> {
    read(text).unwrap().points().as_f32().unwrap().to_vec()
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn lines_become_dense_rows() {
    let data = read("# made by hand\n+1 1:0.5 3:-2e1 # first\n\n-1 2:7\r\n   \n1.0 qid:3 3:1").unwrap();
    assert_eq!(data.points().as_f32(), Some(&[0.5, 0., -20., 0., 7., 0., 0., 0., 1.][..]));
    assert_eq!(data.class_names(), ["-1", "1"], "+1, 1 and 1.0 are one class");
    assert_eq!(data.labels(), [1, 0, 1].map(Label::class));
}

#[test]
fn labels_may_be_texts_or_left_aside() {
    let data = read("rose 1:1\niris 1:2\nrösti 1:3\n").unwrap();
    assert_eq!(data.class_names(), ["iris", "rose", "rösti"]);
    let none = options(|options| options.label = RoleColumn::None);
    let data = read_bytes("d.svm", b"1,2 1:1\n1:2\nqid:3 1:4\n1\n", &none).unwrap();
    assert_eq!(data.labels(), [Label::Unlabeled; 4]);
    assert_eq!(data.points().as_f32(), Some(&[1., 2., 4., 0.][..]));
    assert_eq!(read("0 1:1\n-0 1:2\n1 1:1").unwrap().class_names(), ["0", "1"]);
    assert_eq!(read("0.5 1:1\n1 1:2\n").unwrap().labels(), [Label::Value(0.5), Label::Value(1.0)]);
}

#[test]
fn indices_count_from_zero_if_one_is_zero() {
    assert_eq!(values("1 1:1\n2 2:2\n"), [1., 0., 0., 2.]);
    assert_eq!(values("1 1:1\n2 0:2\n"), [0., 1., 2., 0.]);
    let zero = options(|options| options.first_index = Some(0));
    let data = read_bytes("d.svm", b"1 1:1\n2 2:2\n", &zero).unwrap();
    assert_eq!(data.points().as_f32(), Some(&[0., 1., 0., 0., 0., 2.][..]));
    let one = options(|options| options.first_index = Some(1));
    let error = read_bytes("d.svm", b"1 1:1\n2 0:2\n", &one).unwrap_err();
    assert!(error.to_string().starts_with("d.svm, line 2, column 0: holds the index 0, before the first"), "{error}");
}

#[test]
fn indices_come_in_any_order_but_once() {
    assert_eq!(values("1 3:3 1:1\n2 2:2\n"), [1., 0., 3., 0., 2., 0.]);
    let said = refused("1 1:1\n2 3:3 1:1 3:4\n");
    assert!(said.starts_with("d.svm, line 2: two columns are named \"3\""), "{said}");
    assert!(refused("1 1:1 1:1\n").contains("two columns"));
}

#[test]
fn faults_are_found_with_their_line() {
    for (text, expected) in [
        ("1 1:1\n2 1:nan\n", "d.svm, line 2, column 1: the value NaN cannot be used"),
        ("1 1:1\n\n2 4:-inf\n", "d.svm, line 3, column 4: the value -inf cannot be used"),
        ("1 1:1e300\n", "d.svm, line 1, column 1: the value 1"),
        ("1 1:x\n", "d.svm, line 1, column 1: \"1:x\" is not a number; the value of"),
        ("1 1:\n", "d.svm, line 1, column 1: \"1:\" is not a number; the value of"),
        ("1 1:1x\n", "d.svm, line 1, column 1: \"1:1x\" is not a number"),
        ("1 1:1:1\n", "d.svm, line 1, column 1: \"1:1:1\" is not a number"),
        ("1 a:1\n", "d.svm, line 1: \"a:1\" is not a number; fields are index:value"),
        ("1 :1\n", "d.svm, line 1: \":1\" is not a number; fields are index:value"),
        ("1 2\n", "d.svm, line 1: \"2\" is not a number; fields are index:value"),
        ("1 -1:2\n", "d.svm, line 1: \"-1:2\" is not a number; fields are index:value"),
        ("1 99999999999999999999:2\n", "d.svm, line 1: \"99999999999999999999:2\" is not a number; fields"),
        ("1 qid:x 1:1\n", "d.svm, line 1: \"qid:x\" is not a number; a qid"),
        ("1 1:1 qid:1\n", "d.svm, line 1: \"qid:1\" is not a number; fields"),
        ("1,2 1:1\n", "d.svm, line 1: holds several labels in a row (\"1,2\")"),
        ("1 1:1\n1:2 2:3\n", "d.svm, line 2: holds a line without a label (it begins with \"1:2\")"),
        ("nan 1:1\n", "d.svm, line 1: the value NaN cannot be used"),
        ("", "d.svm: has no rows of data"),
        ("# nothing\n\n", "d.svm: has no rows of data"),
        ("1\n2\n", "d.svm: has no feature columns"),
    ] {
        let said = refused(text);
        assert!(said.starts_with(expected), "{text:?} gave {said}");
    }
    let error = read_bytes("d.svm", b"1 1:1 # \xff is fine here\n\xff 1:1\n", &options(|_| ())).unwrap_err();
    assert!(error.to_string().starts_with("d.svm, line 2: the text is not UTF-8 (byte 0xff)"), "{error}");
}

#[test]
fn a_mark_of_utf8_is_no_part_of_the_first_label() {
    assert_eq!(read("\u{feff}1 1:1\n2 1:1\n").unwrap().class_names(), ["1", "2"]);
    assert_eq!(values("\u{feff}# only\n1 1:1\n2 1:2\n"), [1., 2.]);
}

#[test]
fn memory_is_checked_before_rows_are_made() {
    let said = refused("1 4000000000:1\n");
    assert!(said.contains("needs 16000000016 bytes of memory or more"), "{said}");
    assert!(refused("1 18446744073709551615:1\n2 0:1\n").contains("bytes of memory"));
    let tight = options(|options| options.memory_limit = 2 * (3 * 4 + 16) - 1);
    let error = read_bytes("d.svm", b"1 3:1\n2 1:1\n", &tight).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { needed_bytes: 56, limit_bytes: 55 }), "{error}");
}

#[test]
fn a_line_without_end_is_refused() {
    let endless = Box::new(io::repeat(b'1').take(1 << 30));
    let mut blocks = Blocks::from_stream("-", endless, 1, &with_schema(1)).unwrap();
    let error = blocks.next().unwrap().unwrap_err();
    assert!(matches!(*error.problem, Problem::LineTooLong { limit_bytes: MAX_LINE_BYTES }), "{error}");
    assert!(error.to_string().starts_with("-, line 1:"), "{error}");
}

#[test]
fn columns_are_not_chosen() {
    let change: [fn(&mut ReadOptions); 4] = [
        |options| options.label = RoleColumn::At(Column::Number(0)),
        |options| options.id_column = RoleColumn::At(Column::Number(0)),
        |options| options.split_column = RoleColumn::At(Column::Number(0)),
        |options| options.ignore = vec![Column::Number(0)],
    ];
    for change in change {
        let error = read_bytes("d.svm", b"1 1:1\n2 1:2\n", &options(change)).unwrap_err();
        assert!(matches!(*error.problem, Problem::NoColumns { .. }), "{error}");
    }
}

#[test]
fn blocks_put_together_are_the_whole() {
    let text = "1 1:1\n2 3:3\n# between\n1 2:2 4:4\n2\n1 4:5\n";
    let whole = read(text).unwrap();
    for rows in [1, 2, 3, 100] {
        // A stream, which cannot be read twice.
        let stream = Box::new(Cursor::new(text));
        let blocks = Blocks::from_stream("-", stream, rows, &with_schema(4)).unwrap();
        let blocks: Vec<_> = blocks.collect::<Result<_, _>>().unwrap();
        let together: Vec<f32> = blocks.iter().flat_map(|block| block.points().as_f32().unwrap()).copied().collect();
        assert_eq!(whole.points().as_f32(), Some(&together[..]), "{rows} rows");
        let labels: Vec<String> =
            blocks.iter().flat_map(|block| block.labels().iter().map(|&label| block.label_text(label))).collect();
        assert_eq!(labels, ["1", "2", "1", "2", "1"]);
    }
}

#[test]
fn a_schema_says_how_wide_rows_are() {
    let data = read_bytes("d.svm", b"1 1:1\n2 2:1\n", &with_schema(3)).unwrap();
    assert_eq!(data.points().as_f32(), Some(&[1., 0., 0., 0., 1., 0.][..]));
    let error = read_bytes("d.svm", b"1 1:1\n2 4:1\n", &with_schema(3)).unwrap_err();
    assert!(matches!(*error.problem, Problem::FeatureCount { expected: 3, got: 4 }), "{error}");
    assert!(error.to_string().starts_with("d.svm, line 2, column 4:"), "{error}");
    let error = read_bytes("d.svm", b"1 0:1\n", &with_schema(3)).unwrap_err();
    assert!(error.to_string().contains("set it to 0"), "{error}");
    let mut from_zero = with_schema(3);
    from_zero.first_index = Some(0);
    let data = read_bytes("d.svm", b"1 0:1\n2 2:1\n", &from_zero).unwrap();
    assert_eq!(data.points().as_f32(), Some(&[1., 0., 0., 0., 0., 1.][..]));
}

#[test]
fn the_files_of_a_folder_count_from_the_same_index() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.svm"), "1 0:1 2:1\n2 1:1\n").unwrap();
    // Nothing in this file says that it counts from 0.
    std::fs::write(folder.path().join("test.svm"), "1 1:7\n2 2:7\n").unwrap();
    let data = crate::read(folder.path(), &ReadOptions::default(), &mut crate::progress::silent()).unwrap();
    assert_eq!(data.points().as_f32(), Some(&[1., 0., 1., 0., 1., 0., 0., 7., 0., 0., 0., 7.][..]));
}

#[test]
fn a_stream_is_read_twice_from_memory() {
    let stream = Box::new(Cursor::new("1 1:1\n2 2:2\n"));
    let data = crate::read_stream("-", stream, &options(|_| ()), &mut crate::progress::silent()).unwrap();
    assert_eq!(data.points().as_f32(), Some(&[1., 0., 0., 2.][..]));
}

#[test]
fn progress_goes_from_nothing_to_all_over_both_passes() {
    let line = format!("1 {}\n", (1..=1000).map(|index| format!("{index}:0.5")).collect::<Vec<_>>().join(" "));
    let text = format!("{}2 1:1\n", line.repeat(1500));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.svm");
    std::fs::write(&path, &text).unwrap();
    let mut heard = Vec::new();
    let data = crate::read(&path, &options(|_| ()), &mut |progress| {
        heard.push(progress.done_bytes);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!((data.len(), data.width()), (1501, 1000));
    assert!(heard.len() >= 4 && heard.is_sorted(), "{heard:?}");
    assert_eq!(heard.last(), Some(&(text.len() as u64)));
    let error = crate::read(&path, &options(|_| ()), &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(*error.problem, Problem::Stopped), "{error}");
}
