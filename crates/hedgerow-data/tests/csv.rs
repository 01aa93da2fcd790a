//! Text tables: what is understood, and what is refused with which words.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::io::{Cursor, Write};

use hedgerow_core::Label;
use hedgerow_data::progress::{Progress, silent};
use hedgerow_data::{
    Blocks, Column, ConstantLabel, Dataset, Decimal, Format, Header, LabelKind, MissingValues, Problem, ReadError,
    ReadOptions, RoleColumn, RowIds, Split, UnknownCategory, read, read_bytes, read_stream,
};

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn csv(text: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    read_bytes("t.csv", text.as_bytes(), options)
}

fn ok(text: &str) -> Dataset {
    csv(text, &ReadOptions::default()).unwrap()
}

fn error(text: &str, options: &ReadOptions) -> String {
    csv(text, options).unwrap_err().to_string()
}

fn values(dataset: &Dataset) -> &[f32] {
    dataset.points().as_f32().unwrap()
}

const FLOWERS: &str = "length,color,species\n1.5,red,rose\n2,blue,iris\n3.25,red,rose\n";

#[test]
fn a_table_with_a_header_numbers_categories_and_class_names() {
    let flowers = ok(FLOWERS);
    assert_eq!(flowers.feature_names(), ["length", "color=blue", "color=red"]);
    assert_eq!(flowers.class_names(), ["iris", "rose"]);
    assert_eq!(flowers.labels(), [1, 0, 1].map(Label::class));
    assert_eq!(values(&flowers), [1.5, 0.0, 1.0, 2.0, 1.0, 0.0, 3.25, 0.0, 1.0]);
    assert_eq!(*flowers.row_ids(), RowIds::Numbers(vec![0, 1, 2]));
    assert_eq!(flowers.schema().label_column, Some(Column::Name("species".into())));
}

#[test]
fn delimiters_quotes_blanks_and_line_ends_are_understood() {
    let plain = ok("a,b\n1,x\n2,y\n");
    for text in [
        "a;b\n1;x\n2;y",
        "a\tb\r\n1\tx\r\n2\ty\r\n",
        "a|b\n1|x\n\n2|y\n\n",
        "\"a\",\"b\"\n\"1\",\"x\"\n2,y\n",
        " a , b \n 1 , x \n 2 ,y\n",
        "\u{feff}a,b\n1,x\n2,y\n",
        "a b\n1 x\n2 y\n",
        "a,b\r1,x\r2,y\r",
    ] {
        let read = ok(text);
        assert_eq!((values(&read), read.labels()), (values(&plain), plain.labels()), "{text:?}");
        assert_eq!(read.feature_names(), ["a"], "{text:?}");
    }
    let quoted = ok("x,y\n1,\"say \"\"hi\"\",\nthere\"\n2,b\n");
    assert_eq!(quoted.class_names(), ["b", "say \"hi\",\nthere"]);
}

#[test]
fn a_header_is_detected_and_can_be_decided() {
    let without = ok("1,2,a\n3,4,b\n");
    assert_eq!((without.len(), without.feature_names()), (2, vec!["0".to_owned(), "1".to_owned()]));
    let all_text = csv("r,a\ng,b\n", &options(|options| options.header = Header::Absent)).unwrap();
    assert_eq!((all_text.len(), all_text.width()), (2, 2));
    let digits = csv("1,2\n3,4\n5,6\n", &options(|options| options.header = Header::Present)).unwrap();
    assert_eq!((digits.len(), digits.feature_names()), (2, vec!["1".to_owned()]));
}

#[test]
fn headers_of_all_kinds_are_told_from_data() {
    let read = |text: &str| {
        let table = ok(text);
        (table.len(), table.feature_names().join(" "), table.class_names().join(" "))
    };
    let is = |rows: usize, features: &str, classes: &str| (rows, features.to_owned(), classes.to_owned());
    // pandas numbers columns without names, and writes its index before them.
    assert_eq!(read("0,1,2\n0.5,0.25,1\n0.5,0.5,0\n"), is(2, "0 1", "0 1"));
    assert_eq!(read(",0,1,2\n7,0.5,0.25,1\n8,0.5,0.5,0\n"), is(2, "0 1", "0 1"));
    // One name above numbers is enough.
    assert_eq!(read("2019,growth,kind\n1,2,a\n3,4,b\n"), is(2, "2019 growth", "a b"));
    assert_eq!(read("0,1\n0.1,1\n0.2,0\n"), is(3, "0", "0 1"));
    // Whole numbers above whole numbers are data.
    assert_eq!(read("0,1,2\n5,6,0\n"), is(2, "0 1", "0 2"));
    // Texts that all occur again are data: mushrooms of letters.
    assert_eq!(read("p,x,s\ne,x,s\np,y,t\ne,x,t\n").0, 4);
    assert_eq!(read("cap,color,class\np,x,s\ne,x,t\n").0, 2);
    // What spreadsheets leave at the right is nothing.
    assert_eq!(read("x,kind,,\n1,a,,\n2,b,,\n"), is(2, "x", "a b"));
}

#[test]
fn tables_that_we_write_are_understood_without_being_told() {
    let moons = hedgerow_data::load("moons?n=20").unwrap();
    let text = "id,x,y,label,split\n7,1,2,a,train\n8,3,4,b,test\n";
    let table = ok(text);
    assert_eq!((table.feature_names().join(" "), table.class_names().join(" ")), ("x y".to_owned(), "a b".to_owned()));
    assert_eq!((table.train().len(), table.test().len(), table.test().row_id(0)), (1, 1, "8".to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("moons.csv");
    hedgerow_data::write::write_dataset(&path, &moons, None, &mut silent()).unwrap();
    let back = read(&path, &ReadOptions::default(), &mut silent()).unwrap();
    assert_eq!((back.points(), back.labels()), (moons.points(), moons.labels()));
}

#[test]
fn numbers_in_other_forms_and_dates_are_refused_and_not_made_categories() {
    for (field, other) in
        [("\"1,5\"", "\"2,5\""), ("12%", "5%"), ("$5", "$6"), ("2024-01-31", "2024-02-01"), ("1 234", "5 678")]
    {
        let text = format!("a,b\n{field},x\n{other},y\n");
        let said = error(&text, &ReadOptions::default());
        assert!(said.starts_with("t.csv, column a: ") && said.contains("convert the column"), "{said}");
        let forced = options(|options| options.categories = vec![Column::Number(0)]);
        assert_eq!(csv(&text, &forced).unwrap().width(), 2);
    }
    // A slip among a few numbers is a slip.
    assert!(
        error("z,b\n1,x\n2,y\noops,x\n4,y\n5,x\n", &ReadOptions::default())
            .contains("row 3, column z: \"oops\" is not")
    );
}

#[test]
fn odd_delimiters_are_refused() {
    for delimiter in [b'"', b'\n', b'\r', 0xe9] {
        let said = error("a,b\n1,2\n", &options(|options| options.delimiter = Some(delimiter)));
        assert!(said.contains("a delimiter is one ASCII character"), "{said}");
    }
}

#[test]
fn json_is_not_taken_for_a_table() {
    let json = b"{\"x\": 1}\n{\"x\": 2}\n";
    let said = read_bytes("rows.jsonl", json, &ReadOptions::default()).unwrap_err();
    assert!(matches!(*said.problem, Problem::UnknownFormat), "{said}");
}

#[test]
fn classes_beyond_the_rows_of_a_file_keep_their_numbers() {
    let many: String = (0..70_000).map(|row| format!("{row}.5,{row}\n")).collect();
    let schema = csv(&many, &options(|options| options.label_kind = LabelKind::Classes)).unwrap().schema();
    let with = options(|options| options.schema = Some(schema));
    assert_eq!(csv("1,69999\n2,69998\n", &with).unwrap().labels(), [69_999, 69_998].map(Label::class));
}

#[test]
fn labels_by_name_by_number_none_and_as_values() {
    let text = "kind,x,y2\na,1,0.5\nb,2,1.5\n";
    let label = |label: RoleColumn| csv(text, &options(|options| options.label = label)).unwrap();
    assert_eq!(label(RoleColumn::At(Column::Name("kind".into()))).class_names(), ["a", "b"]);
    assert_eq!(label(RoleColumn::At(Column::Number(0))).class_names(), ["a", "b"]);
    let values = label(RoleColumn::At(Column::Number(-1)));
    assert_eq!(values.labels(), [Label::Value(0.5), Label::Value(1.5)]);
    let none = label(RoleColumn::None);
    assert_eq!((none.labels()[0], none.width()), (Label::Unlabeled, 4));
    let classes = csv(text, &options(|options| options.label_kind = LabelKind::Classes)).unwrap();
    assert_eq!(classes.class_names(), ["0.5", "1.5"]);
}

#[test]
fn ids_splits_ignored_columns_and_forced_categories() {
    let text = "name,part,zip,note,x,label\nann,test,10,?,1,a\nbob,train,20,,2,b\ncy,val,10,,3,a\n";
    let people = csv(
        text,
        &options(|options| {
            options.id_column = RoleColumn::At(Column::Name("name".into()));
            options.split_column = RoleColumn::At(Column::Name("part".into()));
            options.ignore = vec![Column::Name("note".into())];
            options.categories = vec![Column::Name("zip".into())];
        }),
    )
    .unwrap();
    assert_eq!(people.feature_names(), ["zip=10", "zip=20", "x"]);
    assert_eq!(*people.row_ids(), RowIds::Names(vec!["bob".into(), "cy".into(), "ann".into()]));
    assert_eq!(values(&people), [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 1.0, 0.0, 1.0]);
    assert_eq!(Split::ALL.map(|split| people.rows(split).len()), [1, 1, 1]);
    assert_eq!(people.test().row_id(0), "ann");
}

#[test]
fn the_index_column_of_pandas_is_the_id() {
    let frame = ok(",x,label\n10,1,a\n11,2,b\n");
    assert_eq!(*frame.row_ids(), RowIds::Names(vec!["10".into(), "11".into()]));
    assert_eq!(frame.feature_names(), ["x"]);
}

#[test]
fn other_data_is_read_by_the_recorded_schema() {
    let schema = ok(FLOWERS).schema();
    let with = |change: fn(&mut ReadOptions)| {
        options(|options| {
            options.schema = Some(schema.clone());
            change(options);
        })
    };
    // Other order, an extra column, no labels.
    let more = csv("extra,color,length\n9,red,7\n9,blue,8\n", &with(|_| ())).unwrap();
    assert_eq!(values(&more), [7.0, 0.0, 1.0, 8.0, 1.0, 0.0]);
    assert_eq!((more.labels()[0], more.class_names()), (Label::Unlabeled, &["iris".to_owned(), "rose".to_owned()][..]));
    // One class only, and a new class, are fine; numbers of classes stay.
    let labelled = csv("length,color,species\n1,red,tulip\n2,red,rose\n", &with(|_| ())).unwrap();
    assert_eq!(labelled.labels(), [2, 1].map(Label::class));
    let text = error("length,color\n7,green\n", &with(|_| ()));
    assert_eq!(
        text,
        "t.csv, line 2, row 1, column color: the text \"green\" was not in this column of the training data \
         (it had \"blue\", \"red\"); correct it, or set unknown categories to zeros"
    );
    let zeros = csv("length,color\n7,green\n", &with(|options| options.unknown_category = UnknownCategory::Zeros));
    assert_eq!(values(&zeros.unwrap()), [7.0, 0.0, 0.0]);
    assert!(error("len,color\n7,red\n", &with(|_| ())).contains("there is no column \"length\" for a feature"));
    assert!(error("length,color\nlong,red\n", &with(|_| ())).contains("\"long\" is not a number"));
    // A lone category without a header, by its own schema.
    let lone = options(|options| options.header = Header::Absent);
    let colors = csv("red,a\nblue,b\n", &lone).unwrap();
    let again = csv("blue,b\nred,a\n", &ReadOptions { schema: Some(colors.schema()), ..lone }).unwrap();
    assert_eq!((values(&again), again.labels()), (&[1.0, 0.0, 0.0, 1.0][..], &[1, 0].map(Label::class)[..]));
    // Without a header, by position.
    let bare = csv("7,red\n8,blue\n", &with(|options| options.header = Header::Absent)).unwrap();
    assert_eq!(values(&bare), [7.0, 0.0, 1.0, 8.0, 1.0, 0.0]);
    let narrow = error("7\n8\n", &with(|options| options.header = Header::Absent));
    assert!(narrow.contains("has 1 features but the training data had 2"), "{narrow}");
}

#[test]
fn blocks_of_a_stream_together_are_the_whole() {
    let mut text = "x,color,label\n".to_owned();
    for row in 0..100 {
        let x = if row % 7 == 3 { "NA".to_owned() } else { row.to_string() };
        text += &format!("{x},{},{}\n", ["red", "blue"][row % 2], ["a", "b"][row % 3 % 2]);
    }
    let drop = |options: &mut ReadOptions| options.missing = MissingValues::DropRows;
    let whole = csv(&text, &options(drop)).unwrap();
    assert_eq!((whole.len(), whole.dropped_rows()), (86, 14));
    let with_schema = options(|options| {
        drop(options);
        options.format = Some(Format::Csv);
        options.schema = Some(whole.schema());
    });
    let stream = Box::new(Cursor::new(text.clone().into_bytes()));
    let blocks: Vec<Dataset> =
        Blocks::from_stream("-", stream, 10, &with_schema).unwrap().map(Result::unwrap).collect();
    assert_eq!(blocks.len(), 10);
    let values_of_all: Vec<f32> = blocks.iter().flat_map(|block| values(block).to_vec()).collect();
    assert_eq!(values_of_all, values(&whole));
    let labels: Vec<Label> = blocks.iter().flat_map(|block| block.labels().to_vec()).collect();
    assert_eq!(labels, whole.labels());
    let ids = |block: &Dataset| (0..block.len()).map(|row| block.row_ids().text(row)).collect::<Vec<_>>();
    assert_eq!(blocks.iter().flat_map(ids).collect::<Vec<_>>(), ids(&whole));
    // A class that is new has the same number in every block, and in the whole.
    let more = "x,color,label\n1,red,c\n2,red,d\n3,blue,a\n4,red,d\n";
    let stream = Box::new(Cursor::new(more.as_bytes().to_vec()));
    let blocks = Blocks::from_stream("-", stream, 1, &with_schema).unwrap().map(Result::unwrap);
    let names = |block: Dataset| block.label_text(block.labels()[0]) + &block.labels()[0].to_string();
    assert_eq!(blocks.map(names).collect::<Vec<_>>(), ["cclass 2", "dclass 3", "aclass 0", "dclass 3"]);
    // A bad row in a later block is named by its place in the stream.
    let bad = text + "1,red\n";
    let mut blocks = Blocks::from_stream("-", Box::new(Cursor::new(bad.into_bytes())), 10, &with_schema).unwrap();
    let error = blocks.find_map(Result::err).unwrap();
    assert!(error.to_string().starts_with("-, line 102, row 101: has 2 fields where 3 are expected"), "{error}");
    assert!(blocks.next().is_none());
}

#[test]
fn bad_tables_are_refused_with_place_and_remedy() {
    let default = ReadOptions::default();
    for (text, says) in [
        ("", "t.csv: has no rows of data"),
        ("\n\n", "t.csv: has no rows of data"),
        ("a,b\n", "t.csv: has no rows of data"),
        ("a,b\n1,x\n2\n", "t.csv, line 3, row 2: has 1 fields where 2 are expected"),
        ("a,b\n1,x\n2,y,z\n", "t.csv, line 3, row 2: has 3 fields where 2 are expected"),
        ("a,b\n1,x\n,y\n", "t.csv, line 3, row 2, column a: the value is missing (\"\")"),
        ("a,b\n1,x\nNaN,y\n", "t.csv, line 3, row 2, column a: the value is missing (\"NaN\")"),
        ("a,b\n1,x\n2,NA\n", "t.csv, line 3, row 2, column b: the value is missing (\"NA\")"),
        ("1,x\ninf,y\n", "t.csv, line 2, row 2, column 0: the value inf cannot be used"),
        ("1,x\n1e16,y\n", "column 0: the value 1e16 cannot be used"),
        ("a,b\n1,x\n2,\"y\n", "t.csv, line 3: a quoted field never ends"),
        ("a,b\n1,x\n2,x\n", "t.csv, column b: every row has the label \"x\""),
        ("a,a,b\n1,2,x\n3,4,y\n", "t.csv, line 1, column 1: two columns are named \"a\"; rename one"),
        ("b\nx\ny\n", "t.csv: has no feature columns besides \"b\"; at least 1 is needed"),
    ] {
        let error = error(text, &default);
        assert!(error.contains(says), "{text:?} gives {error:?}");
    }
    let slip = format!("a,b\n{}l0,y\n", "1,x\n".repeat(10));
    let said = error(&slip, &default);
    assert!(said.starts_with("t.csv, line 12, row 11, column a: \"l0\" is not a number"), "{said}");
    let ids: String = (0..400).map(|row| format!("\"row {row}\",{row},{}\n", row % 2)).collect();
    assert!(error(&ids, &default).contains("the column has more than 256 different texts"));
    let notes: String = (0..30).map(|row| format!("note {row},{row},{}\n", row % 2)).collect();
    let said = error(&notes, &default);
    assert!(said.starts_with("t.csv, column 0: the column has 30 different texts in 30 rows"), "{said}");
    let categories = options(|options| options.categories = vec![Column::Number(0)]);
    assert_eq!(csv(&notes, &categories).unwrap().width(), 31);
    let split = options(|options| options.split_column = RoleColumn::At(Column::Number(0)));
    assert!(error("s,x,y\ntrain,1,a\nmaybe,2,b\n", &split).contains("\"maybe\" is no split"));
    let missing = options(|options| options.label = RoleColumn::At(Column::Name("specis".into())));
    let said = error(FLOWERS, &missing);
    assert!(said.contains("there is no column \"specis\" for the label (did you mean \"species\"?)"), "{said}");
    let constant = options(|options| options.constant_label = ConstantLabel::Allow);
    assert_eq!(csv("a,b\n1,x\n2,x\n", &constant).unwrap().class_names(), ["x"]);
}

#[test]
fn text_that_is_not_utf8_is_refused_where_it_stands() {
    let mut number = b"a,b\n1,x\n\xff,y\n".to_vec();
    number.extend(b"1,x\n".repeat(10));
    for (bytes, place) in [
        (&b"a,b\n1,x\n2,caf\xe9\n"[..], "t.csv, line 3, row 2, column b"),
        (&b"a,caf\xe9\n1,x\n2,y\n"[..], "t.csv, line 1, column 1"),
        (&number, "t.csv, line 3, row 2, column a"),
    ] {
        let error = read_bytes("t.csv", bytes, &ReadOptions::default()).unwrap_err();
        assert!(matches!(*error.problem, Problem::NotUtf8 { byte: 0xe9 | 0xff }), "{error}");
        assert_eq!(error.place.to_string(), place);
    }
    // UTF-16, as some spreadsheets export it.
    let utf16: Vec<u8> = "\u{feff}a,b\n1,x\n2,y\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read_bytes("t.csv", &utf16, &ReadOptions::default()).is_err());
}

#[test]
fn missing_rows_can_be_left_out_and_are_counted() {
    let drop = options(|options| options.missing = MissingValues::DropRows);
    let kept = csv("a,b\n1,x\n?,y\n3,\n4,y\n", &drop).unwrap();
    assert_eq!((values(&kept), kept.dropped_rows()), (&[1.0, 4.0][..], 2));
    assert_eq!(*kept.row_ids(), RowIds::Numbers(vec![0, 3]));
    assert!(error("a,b\n?,x\n", &drop).contains("no rows of data"));
}

#[test]
fn labels_of_a_second_file_follow_the_rows_that_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.csv");
    std::fs::write(&labels, "label\na\nb\nc\n").unwrap();
    let both = options(|options| {
        options.missing = MissingValues::DropRows;
        options.labels_from = Some(labels);
    });
    let kept = csv("1,2\n3,NA\n5,6\n", &both).unwrap();
    assert_eq!(
        (kept.class_names(), kept.labels()),
        (&["a".to_owned(), "c".to_owned()][..], &[0, 1].map(Label::class)[..])
    );
    assert!(csv("1,2\n3,4\n", &both).unwrap_err().to_string().contains("has 3 labels but there are 2 points"));
}

#[test]
fn memory_is_bounded_by_what_was_asked_for() {
    let little = options(|options| options.memory_limit = 10_000);
    let text: String = (0..2000).map(|row| format!("{row},{}\n", row % 2)).collect();
    let error = csv(&text, &little).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { limit_bytes: 10_000, .. }), "{error}");
    // A gzip bomb of a million short rows.
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all("1,2\n3,4\n".repeat(1 << 20).as_bytes()).unwrap();
    let bomb = gz.finish().unwrap();
    assert!(bomb.len() < 50_000);
    let little = options(|options| options.memory_limit = 1 << 20);
    let error = read_bytes("t.csv.gz", &bomb, &little).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { .. }), "{error}");
}

#[test]
fn files_report_progress_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.csv");
    std::fs::write(&path, "1.5,2.5,a\n3.5,4.5,b\n".repeat(500_000)).unwrap();
    let mut seen: Vec<(u64, Option<u64>)> = Vec::new();
    let mut listener = |progress: &Progress<'_>| {
        seen.push((progress.done_bytes, progress.total_bytes));
        std::ops::ControlFlow::Continue(())
    };
    assert_eq!(read(&path, &ReadOptions::default(), &mut listener).unwrap().len(), 1_000_000);
    assert!(seen.len() > 2 && seen.windows(2).all(|two| two[0].0 <= two[1].0), "{seen:?}");
    assert_eq!(seen.last(), Some(&(10_000_000, Some(10_000_000))));
    let error = read(&path, &ReadOptions::default(), &mut |_| std::ops::ControlFlow::Break(())).unwrap_err();
    assert!(matches!(*error.problem, Problem::Stopped), "{error}");
}

#[test]
fn a_stream_is_read_without_a_name() {
    let stream = Box::new(Cursor::new(FLOWERS.as_bytes().to_vec()));
    assert_eq!(read_stream("-", stream, &ReadOptions::default(), &mut silent()).unwrap().len(), 3);
}

#[test]
fn a_folder_of_train_and_test_tables_is_one_data_set() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.csv"), FLOWERS).unwrap();
    std::fs::write(folder.path().join("test.csv"), "color,length,species\nblue,9,tulip\n").unwrap();
    std::fs::write(folder.path().join("README.md"), "notes").unwrap();
    let flowers = read(folder.path(), &ReadOptions::default(), &mut silent()).unwrap();
    assert_eq!((flowers.train().len(), flowers.test().len()), (3, 1));
    assert_eq!(flowers.test().points().as_f32().unwrap(), [9.0, 1.0, 0.0]);
    assert_eq!(flowers.class_names(), ["iris", "rose", "tulip"]);
    // A category of the test file alone cannot have been learned.
    std::fs::write(folder.path().join("test.csv"), "color,length,species\ngreen,9,rose\n").unwrap();
    let error = read(folder.path(), &ReadOptions::default(), &mut silent()).unwrap_err();
    assert!(matches!(*error.problem, Problem::UnknownCategory { .. }), "{error}");
    let zeros = options(|options| options.unknown_category = UnknownCategory::Zeros);
    let flowers = read(folder.path(), &zeros, &mut silent()).unwrap();
    assert_eq!(flowers.test().points().as_f32().unwrap(), [9.0, 0.0, 0.0]);
    std::fs::remove_file(folder.path().join("train.csv")).unwrap();
    let error = read(folder.path(), &ReadOptions::default(), &mut silent()).unwrap_err();
    assert!(matches!(*error.problem, Problem::NoDataInFolder { .. }), "{error}");
}

#[test]
fn a_schema_with_names_reads_a_bare_file_and_the_other_way_round() {
    let named = ok("length,label,color\n1.5,rose,red\n2,iris,blue\n");
    let bare =
        csv("1.5,rose,red\n2,iris,blue\n", &options(|options| options.label = RoleColumn::At(Column::Number(1))));
    let bare = bare.unwrap();
    assert_eq!((named.schema().label_position, bare.schema().label_position), (Some(1), Some(1)));
    let with = |schema| options(|options| options.schema = Some(schema));
    for text in ["7,iris,red\n8,rose,blue\n", "7,iris,red\n", "length,label,color\n7,iris,red\n8,rose,blue\n"] {
        for (which, schema) in [("named", named.schema()), ("bare", bare.schema())] {
            let read = csv(text, &with(schema)).unwrap_or_else(|error| panic!("{which}, {text:?}: {error}"));
            assert_eq!(
                (&values(&read)[..3], read.labels()[0]),
                (&[7.0, 0.0, 1.0][..], Label::class(0)),
                "{which} {text:?}"
            );
        }
    }
    // Just the features: no labels.
    let unlabeled = csv("7,red\n", &with(named.schema())).unwrap();
    assert_eq!((values(&unlabeled), unlabeled.labels()), (&[7.0, 0.0, 1.0][..], &[Label::Unlabeled][..]));
}

#[test]
fn rows_of_recorded_texts_are_no_header() {
    let bare = csv("red,a\nblue,b\n", &options(|options| options.header = Header::Absent)).unwrap();
    let with = |schema| options(|options| options.schema = Some(schema));
    let one = csv("red,a\n", &with(bare.schema())).unwrap();
    assert_eq!((values(&one), one.labels()), (&[0.0, 1.0][..], &[Label::class(0)][..]));
    // Recorded with names: a header by its names in any order, and a row by its texts.
    let named = csv("color,kind\nred,a\nblue,b\n", &options(|options| options.header = Header::Present)).unwrap();
    assert_eq!(csv("red,a\n", &with(named.schema())).unwrap().len(), 1);
    assert_eq!(csv("kind,color\na,red\n", &with(named.schema())).unwrap().len(), 1);
    assert_eq!(
        csv("color\nred\ncolor\n", &with(named.schema())).unwrap_err().to_string().split(':').next(),
        Some("t.csv, line 3, row 2, column color")
    );
    // Numbered by pandas, which is no row although it could be one.
    let numbers = ok("0.5,0.25,1\n0.5,0.5,0\n");
    assert_eq!(csv("0,1,2\n0.5,0.25,1\n", &with(numbers.schema())).unwrap().len(), 1);
}

#[test]
fn ids_and_splits_can_be_declined() {
    let text = "id,split,x,label\n1,train,5,a\n2,test,6,b\n";
    let declined = options(|options| {
        options.id_column = RoleColumn::None;
        options.split_column = RoleColumn::None;
    });
    let table = csv(text, &declined).unwrap();
    assert_eq!(table.feature_names(), ["id", "split=test", "split=train", "x"]);
    assert_eq!((table.train().len(), table.row_ids()), (2, &RowIds::Numbers(vec![0, 1])));
    // What is recorded as a feature stays one, without being said again.
    let again = csv(text, &options(|options| options.schema = Some(table.schema()))).unwrap();
    assert_eq!((again.points(), again.train().len()), (table.points(), 2));
    let index = csv(",x,label\n10,1,a\n11,2,b\n", &declined).unwrap();
    assert_eq!(index.feature_names(), ["unnamed 0", "x"]);
}

#[test]
fn a_value_in_a_column_that_seemed_to_be_nothing_is_not_lost() {
    let text = format!("x,kind,\n{}7,a,late\n", "1,a,\n2,b,\n".repeat(600));
    let said = error(&text, &ReadOptions::default());
    assert!(said.starts_with("t.csv, line 1202, row 1201, column unnamed 2: holds \"late\""), "{said}");
    let ignored = options(|options| options.ignore = vec![Column::Number(2)]);
    assert_eq!(csv(&text, &ignored).unwrap().len(), 1201);
    // To a schema with names it is one more column that is not looked at.
    let schema = ok("x,kind\n1,a\n2,b\n").schema();
    assert_eq!(csv(&text, &options(|options| options.schema = Some(schema))).unwrap().len(), 1201);
}

#[test]
fn labels_of_a_second_file_may_be_missing_as_in_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.csv");
    std::fs::write(&labels, "label\na\nNA\nc\n").unwrap();
    let text = "id,x,color\np,1,red\nq,2,blue\nr,3,red\n";
    let from = |change: fn(&mut ReadOptions)| {
        options(|options| {
            options.labels_from = Some(labels.clone());
            change(options);
        })
    };
    let said = error(text, &from(|_| ()));
    assert!(said.contains("labels.csv, line 3, row 2: the value is missing (\"NA\")"), "{said}");
    let dropped = csv(text, &from(|options| options.missing = MissingValues::DropRows)).unwrap();
    assert_eq!((values(&dropped), dropped.dropped_rows()), (&[1.0, 1.0, 3.0, 1.0][..], 1));
    assert_eq!(*dropped.row_ids(), RowIds::Names(vec!["p".into(), "r".into()]));
    assert_eq!(dropped.class_names(), ["a", "c"]);
    let schema = ok("x,color,label\n1,red,a\n2,blue,b\n").schema();
    let by_schema = ReadOptions { schema: Some(schema), ..from(|_| ()) };
    let unlabeled = csv(text, &by_schema).unwrap();
    assert_eq!(unlabeled.labels(), [Label::class(0), Label::Unlabeled, Label::class(2)]);
}

#[test]
fn a_recorded_vector_is_not_read_as_one_number() {
    use hedgerow_data::{Encoding, FeatureColumn, Schema};
    let columns = vec![FeatureColumn::Vector { name: "v".into(), width: 2 }];
    let schema = Schema { encoding: Encoding::new(columns, true), ..Schema::default() };
    let with = options(|options| options.schema = Some(schema.clone()));
    let said = error("v,label\n1,a\n2,b\n", &with);
    assert!(said.starts_with("t.csv, column v: has 1 features but the training data had 2"), "{said}");
    for text in ["v[1],v[0]\n2,1\n4,3\n", "1,2\n3,4\n"] {
        let read = csv(text, &with).unwrap();
        assert_eq!((values(&read), read.encoding()), (&[1.0, 2.0, 3.0, 4.0][..], &schema.encoding), "{text:?}");
    }
}

#[test]
fn decimal_commas_are_read_where_they_are_said() {
    let comma = options(|options| options.decimal = Decimal::Comma);
    for text in ["a;b;y\n1,5;-2;0,25\n2,5e1;3;1\n", "a\tb\ty\n1,5\t-2\t0,25\n25\t3\t1\n"] {
        let read = csv(text, &comma).unwrap();
        assert_eq!(values(&read), [1.5, -2.0, 25.0, 3.0], "{text:?}");
        assert_eq!(read.labels(), [Label::Value(0.25), Label::Value(1.0)]);
    }
    // Commas in every row, and yet they divide nothing.
    assert_eq!(csv("1,5;a\n2,5;b\n", &comma).unwrap().width(), 1);
    let said = error("a;b\n1.234,5;x\n2,5;y\n3,5;x\n", &comma);
    assert!(said.contains("row 1, column a: \"1.234,5\" is not a number"), "{said}");
    let both = ReadOptions { delimiter: Some(b','), ..comma };
    assert!(error("a,b\n1,x\n", &both).contains("the delimiter ',' where numbers have decimal commas"));
}

#[test]
fn words_of_ones_own_stand_for_missing_values() {
    let words = |missing| {
        options(|options| {
            options.missing_words = vec!["-999".into(), "unknown".into()];
            options.missing = missing;
        })
    };
    let text = "x,color,kind\n1,red,a\n-999,red,b\n3,Unknown,a\n4,blue,unknown\n5,blue,b\n";
    let said = error(text, &words(MissingValues::Refuse));
    assert!(said.starts_with("t.csv, line 3, row 2, column x: the value is missing (\"-999\")"), "{said}");
    let kept = csv(text, &words(MissingValues::DropRows)).unwrap();
    assert_eq!((kept.row_ids(), kept.dropped_rows()), (&RowIds::Numbers(vec![0, 4]), 3));
    assert_eq!(values(&ok("x,y\n-999,a\n1,b\n")), [-999.0, 1.0]);
}

#[test]
fn codes_are_one_category_however_whole_numbers_are_spelled() {
    let codes = options(|options| options.categories = vec![Column::Name("zip".into())]);
    let table = csv("zip,y\n10,a\n10.0,b\n20.0,a\n007,b\n", &codes).unwrap();
    assert_eq!(table.feature_names(), ["zip=007", "zip=10", "zip=20"]);
    let again = csv("zip,y\n20,a\n1e1,b\n", &options(|options| options.schema = Some(table.schema()))).unwrap();
    assert_eq!(values(&again), [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn blocks_count_the_rows_that_they_leave_out() {
    let schema = read_bytes("t.csv", b"a,y\n1,p\n2,q\n", &ReadOptions::default()).unwrap().schema();
    let asked = options(|options| {
        options.schema = Some(schema);
        options.missing = MissingValues::DropRows;
    });
    // The second block of two has no row left.
    let stream = Box::new(Cursor::new(b"a,y\n1,p\n,q\n,p\n,q\n5,p\n".to_vec()));
    let mut blocks = Blocks::from_stream("-", stream, 2, &asked).unwrap();
    let rows: usize = blocks.by_ref().map(|block| block.unwrap().len()).sum();
    assert_eq!((rows, blocks.dropped_rows()), (2, 3));
}

#[test]
fn ignored_labels_are_found_but_neither_understood_nor_missed() {
    let train = "a,b,y\n1,2,0.5\n3,4,1.5\n";
    let schema = read_bytes("t.csv", train.as_bytes(), &ReadOptions::default()).unwrap().schema();
    let asked = ReadOptions { label_kind: LabelKind::Ignored, schema: Some(schema), ..ReadOptions::default() };
    // With names and without, of another kind, missing, and absent.
    for text in ["y,b,a\nwhat,2,1\n,4,3\n", "1,2,what\n3,4,\n", "a,b\n1,2\n3,4\n"] {
        for missing in [MissingValues::Refuse, MissingValues::DropRows] {
            let asked = ReadOptions { missing, ..asked.clone() };
            let read = read_bytes("t.csv", text.as_bytes(), &asked).unwrap();
            assert_eq!(read.points().as_f32().unwrap(), [1.0, 2.0, 3.0, 4.0], "{text}");
            assert_eq!(read.labels(), [Label::Unlabeled; 2], "{text}");
            let stream = Box::new(Cursor::new(text.as_bytes().to_vec()));
            let rows: usize =
                Blocks::from_stream("-", stream, 1, &asked).unwrap().map(|block| block.unwrap().len()).sum();
            assert_eq!(rows, 2, "{text}");
        }
    }
}

#[test]
fn blocks_agree_on_what_labels_mean_and_number_new_classes_in_a_line() {
    let schema = csv("x\n1\n2\n", &options(|options| options.label = RoleColumn::None)).unwrap().schema();
    let with_schema = options(|options| {
        options.format = Some(Format::Csv);
        options.schema = Some(schema.clone());
        options.label = RoleColumn::At(Column::Name("y".into()));
    });
    let blocks = |text: String, rows: usize| {
        Blocks::from_stream("-", Box::new(Cursor::new(text.into_bytes())), rows, &with_schema).unwrap()
    };
    // The second block alone would be classes, the third values.
    let labels: Vec<Label> =
        blocks("x,y\n1,\n2,0.5\n3,2\n".into(), 1).map(|block| block.unwrap().labels()[0]).collect();
    assert_eq!(labels, [Label::Unlabeled, Label::Value(0.5), Label::Value(2.0)]);
    let labels: Vec<Label> = blocks("x,y\n1,7\n2,0.5\n".into(), 1).map(|block| block.unwrap().labels()[0]).collect();
    assert_eq!(labels, [0, 1].map(Label::class));
    // One class a row, one row a block: to go through all names for every block would take minutes.
    let text: String = "x,y\n".to_owned() + &(0..50_000).map(|row| format!("1,c{row}\n")).collect::<String>();
    let begin = std::time::Instant::now();
    for (row, block) in blocks(text, 1).enumerate() {
        let block = block.unwrap();
        assert_eq!((block.labels()[0], block.class_names().len()), (Label::class(row as u32), row + 1));
    }
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
}

#[test]
fn decimal_commas_between_semicolons_are_not_read_as_two_columns() {
    for text in ["5,1;3,5;setosa\n4,9;3,0;iris\n", "5,1;1\n4,9;0\n"] {
        let said = error(text, &ReadOptions::default());
        assert!(said.contains("\" is not a number") && said.contains("decimal = comma"), "{said}");
        let told = csv(text, &options(|options| options.decimal = Decimal::Comma)).unwrap();
        assert_eq!(values(&told)[0], 5.1);
    }
    let said = error("5,1;3,a\n4,9;3,b\n", &options(|options| options.delimiter = Some(b',')));
    assert!(said.contains("column 1: \"1;3\" is not a number"), "{said}");
}

#[test]
fn a_header_above_recorded_categories_without_names_is_no_row() {
    let bare = csv("red,big,a\nblue,small,b\n", &options(|options| options.header = Header::Absent)).unwrap();
    let with = options(|options| options.schema = Some(bare.schema()));
    let read = csv("color,size,kind\nred,small,b\nblue,big,a\n", &with).unwrap();
    assert_eq!((values(&read), read.len()), (&[0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0][..], 2));
    // One recorded text is enough for a row.
    let zeros = ReadOptions { unknown_category: UnknownCategory::Zeros, ..with };
    assert_eq!(csv("green,small,b\n", &zeros).unwrap().len(), 1);
}

#[test]
fn the_remedy_for_what_is_no_number_fits_the_case() {
    let text = |slip: &str| format!("x;kind\n{}{slip};a\n", "1;a\n2;b\n".repeat(5));
    let said = error(&text("1,5"), &ReadOptions::default());
    assert!(said.contains("decimal = comma") && !said.contains("categories"), "{said}");
    let by_schema = options(|options| options.schema = Some(ok(&text("3")).schema()));
    let said = error(&text("l.5"), &by_schema);
    assert!(said.ends_with("\"l.5\" is not a number; the training data had numbers in this column: mend it"), "{said}");
}

#[test]
fn a_delimiter_at_the_end_of_each_line_is_no_column() {
    let plain = ok("1,2,a\n3,4,b\n");
    for text in ["1,2,a,\n3,4,b,\n", "1,2,a,,\n3,4,b,,\n", "1,2,a, \n3,4,b, \n"] {
        let read = ok(text);
        assert_eq!((read.points(), read.class_names()), (plain.points(), plain.class_names()), "{text:?}");
        let by_schema = csv(text, &options(|options| options.schema = Some(plain.schema()))).unwrap();
        assert_eq!((by_schema.points(), by_schema.labels()), (plain.points(), plain.labels()), "{text:?}");
    }
    let said = error(&format!("{}7,8,a,late\n", "1,2,a,\n3,4,b,\n".repeat(600)), &ReadOptions::default());
    assert!(said.contains("row 1201, column 3: holds \"late\""), "{said}");
    // A word for a missing value is more than nothing.
    let said = error("1,2,?\n3,4,?\n", &ReadOptions::default());
    assert!(said.contains("column 2: the value is missing"), "{said}");
    // By a schema, what is empty may be the label, or a feature.
    let first = csv("a,1,2\nb,3,4\n", &options(|options| options.label = RoleColumn::At(Column::Number(0)))).unwrap();
    let unlabeled = csv("5,6,\n7,8,\n", &options(|options| options.schema = Some(plain.schema()))).unwrap();
    assert_eq!((values(&unlabeled), unlabeled.labels()), (&[5.0, 6.0, 7.0, 8.0][..], &[Label::Unlabeled; 2][..]));
    let said = error("5,6,\n7,8,\n", &options(|options| options.schema = Some(first.schema())));
    assert!(said.contains("column 2: the value is missing"), "{said}");
}
