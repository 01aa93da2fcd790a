//! Whole data sets as tables.

use std::io;
use std::ops::ControlFlow;

use hedgerow_core::{Label, Points};
use hedgerow_data::progress::silent;
use hedgerow_data::write::{TableWriter, WriteFault, WriteFormat, write_dataset, write_dataset_to};
use hedgerow_data::{Dataset, Encoding, FeatureColumn, ImageShape, ReadOptions, RowIds, read};

use crate::workbench::*;

/// Numbers, a category, a vector, names and splits.
pub(crate) fn flowers() -> Dataset {
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

pub(crate) fn digits() -> Dataset {
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

#[test]
fn pictures_written_as_npy_keep_their_shape() {
    let folder = tempfile::tempdir().unwrap();
    for (shape, dimensions) in [((2, 2, 1), "1000, 2, 2"), ((1, 2, 2), "1000, 1, 2, 2"), ((4, 1, 1), "1000, 4, 1")] {
        let shape = ImageShape { height: shape.0, width: shape.1, channels: shape.2 };
        let pictures = digits().with_image_shape(shape).unwrap();
        let path = folder.path().join("pictures.npy");
        let columns = write_dataset(&path, &pictures, None, &mut silent()).unwrap();
        for options in [columns.read_options(), ReadOptions::default()] {
            let back = read(&path, &options, &mut silent()).unwrap();
            assert_eq!((back.points(), back.image_shape()), (pictures.points(), Some(shape)));
        }
        // As numpy.save writes it: magic, version 1.0, a dictionary padded with blanks to 64 bytes, a line end.
        let bytes = std::fs::read(&path).unwrap();
        let header_bytes = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((&bytes[..8], header_bytes % 64, bytes[header_bytes - 1]), (&b"\x93NUMPY\x01\x00"[..], 0, b'\n'));
        let dictionary = std::str::from_utf8(&bytes[10..header_bytes]).unwrap().trim_end();
        assert_eq!(dictionary, format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({dimensions}), }}"));
        assert_eq!(bytes.len(), header_bytes + 4000);
    }
}
