//! Folders of split files: what the files must agree on.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use hedgerow_data::progress::silent;
use hedgerow_data::{Dataset, MissingValues, ReadError, ReadOptions, read};

/// Reads a folder of the given files.
fn folder(files: &[(&str, &str)], options: &ReadOptions) -> Result<Dataset, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    read(folder.path(), options, &mut silent())
}

const TRAIN: &str = "x,label,split\n1,a,train\n2,b,train\n";

#[test]
fn a_split_column_may_say_what_the_name_of_the_file_says() {
    let both = folder(&[("train.csv", TRAIN), ("test.csv", "x,label,split\n3,a,test\n")], &ReadOptions::default());
    let both = both.unwrap();
    assert_eq!((both.train().len(), both.test().len(), both.feature_names()), (2, 1, vec!["x".to_owned()]));
    let one = folder(&[("train.csv", TRAIN), ("test.csv", "x,label\n3,a\n")], &ReadOptions::default()).unwrap();
    assert_eq!((one.train().len(), one.test().len()), (2, 1));
}

#[test]
fn a_split_column_that_contradicts_the_name_of_the_file_is_refused() {
    let test = "x,label,split\n3,a,test\n4,b,train\n";
    let error = folder(&[("train.csv", TRAIN), ("test.csv", test)], &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("test.csv, row 2: holds a row for train in the file for test; in a folder"), "{error}");
}

#[test]
fn test_rows_lack_no_labels_where_train_rows_may_not() {
    let (train, test) = ("x,label\n1,a\n2,b\n", "x,label\n3,a\n4,\n");
    let files = [("train.csv", train), ("test.csv", test)];
    let error = folder(&files, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("test.csv, row 2, column label: the value is missing"), "{error}");
    let drop = ReadOptions { missing: MissingValues::DropRows, ..ReadOptions::default() };
    let kept = folder(&files, &drop).unwrap();
    assert_eq!((kept.test().len(), kept.dropped_rows()), (1, 1));
    let schema = folder(&files[..1], &ReadOptions::default()).unwrap().schema();
    let by_schema = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
    assert_eq!(folder(&files, &by_schema).unwrap().test().len(), 2);
    let error =
        folder(&[("train.csv", train), ("test.csv", "x\n3\n")], &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("test.csv: has no labels but"), "{error}");
}

#[test]
fn bare_files_keep_the_label_where_the_first_has_it() {
    let options =
        ReadOptions { label: hedgerow_data::RoleColumn::At(hedgerow_data::Column::Number(0)), ..Default::default() };
    let read = folder(&[("train.csv", "a,1\nb,2\n"), ("test.csv", "b,3\n")], &options).unwrap();
    assert_eq!(
        (read.test().points().as_f32().unwrap(), read.label_text(read.test().labels()[0])),
        (&[3.0][..], "b".into())
    );
}
