//! What is written reads back as it was.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use hedgerow_core::{Label, Points};
use hedgerow_data::progress::silent;
use hedgerow_data::write::write_dataset;
use hedgerow_data::{Column, Dataset, ReadOptions, RoleColumn, Split, read, read_bytes};

/// A data set with everything that a table can hold.
fn everything() -> Dataset {
    let text = "name,size,color,zip,kind,part\nann,1.5,red,10,wren,test\nbob,-2e-7,blue,20,swift,train\n\
                cy,3,red,10,wren,train\ndee,4,blue,20,owl,validation\n";
    let options = ReadOptions {
        id_column: RoleColumn::At(Column::Name("name".into())),
        split_column: RoleColumn::At(Column::Name("part".into())),
        label: RoleColumn::At(Column::Name("kind".into())),
        categories: vec![Column::Name("zip".into())],
        ..ReadOptions::default()
    };
    read_bytes("t.csv", text.as_bytes(), &options).unwrap()
}

#[test]
fn what_is_written_reads_back_as_it_was_in_every_format_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let points = Points::from_f32(3, vec![0.1, -0.0, 1e-30, 3.0, 1e14, 0.25, 7.0, 8.0, 9.0]).unwrap();
    let labels = vec![Label::class(1), Label::Unlabeled, Label::class(0)];
    let names = vec!["zebra".to_owned(), "ant".to_owned(), "unused".to_owned()];
    let matrix = Dataset::new("m", points.clone(), labels).and_then(|data| data.with_class_names(names)).unwrap();
    let values = vec![Label::Value(0.1), Label::Value(-3.0), Label::Unlabeled];
    let values = Dataset::new("v", points, values).unwrap();
    let mut endings = vec!["csv", "tsv", "csv.gz"];
    if cfg!(feature = "parquet") {
        endings.push("parquet");
    }
    for (at, dataset) in [everything(), matrix, values].iter().enumerate() {
        for ending in &endings {
            let path = folder.path().join(format!("{at}.{ending}"));
            let columns = write_dataset(&path, dataset, None, &mut silent()).unwrap();
            let back = read(&path, &columns.read_options(), &mut silent());
            let back = back.unwrap_or_else(|error| panic!("{at} {ending}: {error}"));
            assert_eq!(back.points(), dataset.points(), "{at} {ending}");
            assert_eq!(back.labels(), dataset.labels(), "{at} {ending}");
            assert_eq!(back.class_names(), dataset.class_names(), "{at} {ending}");
            assert_eq!(back.encoding(), dataset.encoding(), "{at} {ending}");
            for split in Split::ALL {
                assert_eq!(back.rows(split), dataset.rows(split), "{at} {ending}");
            }
            let ids = |data: &Dataset| (0..data.len()).map(|row| data.row_ids().text(row)).collect::<Vec<_>>();
            assert_eq!(ids(&back), ids(dataset), "{at} {ending}");
        }
    }
}

#[test]
fn named_vectors_become_columns_in_text_and_read_back_as_numbers() {
    use hedgerow_data::{Encoding, FeatureColumn};
    let points = Points::from_f32(2, vec![0.5, 1.0, 2.0, 3.0]).unwrap();
    let labels = vec![Label::class(0), Label::class(1)];
    let encoding = Encoding::new(vec![FeatureColumn::Vector { name: "v".into(), width: 2 }], true);
    let dataset = Dataset::new("v", points, labels)
        .and_then(|data| data.with_class_names(vec!["0.5".into(), "1.5".into()]))
        .and_then(|data| data.with_encoding(encoding, None))
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.csv");
    let columns = write_dataset(&path, &dataset, None, &mut silent()).unwrap();
    let back = read(&path, &columns.read_options(), &mut silent()).unwrap();
    assert_eq!((back.points(), back.labels()), (dataset.points(), dataset.labels()));
    assert_eq!((back.feature_names(), back.class_names()), (dataset.feature_names(), dataset.class_names()));
}
