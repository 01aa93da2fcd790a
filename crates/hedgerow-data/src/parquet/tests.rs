//! What is read from files of the reference writer, and what becomes of damaged ones.

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder, UInt8Builder};
use arrow_array::types::{Float16Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float16Array, Float32Array, Float64Array, Int8Array,
    Int64Array, LargeStringArray, StringArray, UInt8Array, UInt64Array,
};
use hedgerow_core::{Label, Points};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use super::*;
use crate::dataset::Dataset;
use crate::options::{Column as Asked, LabelKind, RoleColumn};
use crate::row_ids::RowIds;
use crate::{Blocks, read_bytes};

type Named = (&'static str, ArrayRef);

fn batch(columns: Vec<Named>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

fn parquet_with(columns: Vec<Named>, properties: WriterProperties) -> Vec<u8> {
    let batch = batch(columns);
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn parquet(columns: Vec<Named>) -> Vec<u8> {
    parquet_with(columns, WriterProperties::default())
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn numbers(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn pixels(rows: &[&[u8]]) -> ArrayRef {
    let mut builder = FixedSizeListBuilder::new(UInt8Builder::new(), rows[0].len() as i32);
    for row in rows {
        builder.values().append_slice(row);
        builder.append(true);
    }
    Arc::new(builder.finish())
}

/// A list column; `None` is a null.
fn lists(rows: &[Option<&[f32]>]) -> ArrayRef {
    let mut builder = ListBuilder::new(Float32Builder::new());
    for row in rows {
        builder.values().append_slice(row.unwrap_or_default());
        builder.append(row.is_some());
    }
    Arc::new(builder.finish())
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn read_with(bytes: &[u8], change: impl FnOnce(&mut ReadOptions)) -> Result<Dataset, ReadError> {
    read_bytes("test.parquet", bytes, &options(change))
}

fn no_label(options: &mut ReadOptions) {
    options.label = RoleColumn::None;
}

fn error(bytes: &[u8], change: impl FnOnce(&mut ReadOptions)) -> ReadError {
    read_with(bytes, change).unwrap_err()
}

fn f32s(dataset: &Dataset) -> &[f32] {
    dataset.points().as_f32().unwrap()
}

#[test]
fn all_kinds_of_numbers_are_features() {
    let halves = Float16Array::from_iter_values(
        [0.5_f32, 1.5].map(<Float16Type as arrow_array::ArrowPrimitiveType>::Native::from_f32),
    );
    let bytes = parquet(vec![
        ("bool", Arc::new(BooleanArray::from(vec![true, false]))),
        ("i8", Arc::new(Int8Array::from(vec![-1, 2]))),
        ("i64", Arc::new(Int64Array::from(vec![-1_000_000, 4]))),
        ("u8", Arc::new(UInt8Array::from(vec![255, 0]))),
        ("u64", Arc::new(UInt64Array::from(vec![7, 8]))),
        ("f16", Arc::new(halves)),
        ("f32", Arc::new(Float32Array::from(vec![0.1, 0.2]))),
        ("f64", numbers(&[0.1, 1e14])),
        ("class", texts(&["b", "a"])),
    ]);
    let data = read_with(&bytes, |_| ()).unwrap();
    let expected = [1.0, -1.0, -1e6, 255.0, 7.0, 0.5, 0.1, 0.1, 0.0, 2.0, 4.0, 0.0, 8.0, 1.5, 0.2, 1e14];
    assert_eq!(f32s(&data), expected);
    assert_eq!(data.feature_names(), ["bool", "i8", "i64", "u8", "u64", "f16", "f32", "f64"]);
    assert_eq!((data.class_names(), data.labels()), (&["a".to_owned(), "b".into()][..], &[1, 0].map(Label::class)[..]));
    assert_eq!(data.schema().label_column, Some(crate::Column::Name("class".into())));
}

#[test]
fn texts_of_every_storage_are_categories() {
    let dictionary: DictionaryArray<Int32Type> = ["x", "y", "x"].into_iter().collect();
    let bytes = parquet(vec![
        ("plain", texts(&["u", "v", "u"])),
        ("large", Arc::new(LargeStringArray::from(vec!["u", "v", "v"]))),
        ("coded", Arc::new(dictionary)),
        ("y", Arc::new(Int64Array::from(vec![10, 9, 10]))),
    ]);
    let data = read_with(&bytes, |_| ()).unwrap();
    assert_eq!(data.feature_names(), ["plain=u", "plain=v", "large=u", "large=v", "coded=x", "coded=y"]);
    assert_eq!(f32s(&data)[..6], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(f32s(&data)[12..], [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(data.class_names(), ["9", "10"]);
}

#[test]
fn lists_of_one_length_are_vectors_beside_other_columns() {
    let bytes = parquet(vec![
        ("v", lists(&[Some(&[1.0, 2.0]), Some(&[3.0, 4.0])])),
        ("x", numbers(&[0.5, 0.25])),
        ("p", pixels(&[&[1, 2, 3], &[4, 5, 6]])),
    ]);
    let data = read_with(&bytes, no_label).unwrap();
    assert_eq!(data.feature_names(), ["v[0]", "v[1]", "x", "p[0]", "p[1]", "p[2]"]);
    assert_eq!(f32s(&data), [1.0, 2.0, 0.5, 1.0, 2.0, 3.0, 3.0, 4.0, 0.25, 4.0, 5.0, 6.0]);
    let ragged = parquet(vec![("v", lists(&[Some(&[1.0, 2.0]), Some(&[3.0])]))]);
    assert_eq!(
        error(&ragged, no_label).to_string(),
        "test.parquet, row 2, column v: the list has 1 values where the first one of the column has 2; \
         pad or cut the lists to one length, or leave the column out (ignore)"
    );
    let empty = parquet(vec![("v", lists(&[Some(&[]), Some(&[])]))]);
    assert!(matches!(*error(&empty, no_label).problem, Problem::Unsupported { .. }));
}

#[test]
fn a_lone_column_of_bytes_stays_bytes() {
    let columns = || vec![("pixels", pixels(&[&[0, 255], &[7, 8]])), ("label", texts(&["a", "b"]))];
    let data = read_with(&parquet(columns()), |_| ()).unwrap();
    assert_eq!(data.points().as_u8(), Some(&[0, 255, 7, 8][..]));
    assert_eq!(data.feature_names(), ["pixels[0]", "pixels[1]"]);
    let renamed = parquet(vec![("point", pixels(&[&[0, 255], &[7, 8]])), ("label", texts(&["a", "b"]))]);
    assert_eq!(read_with(&renamed, |_| ()).unwrap().encoding(), &crate::Encoding::matrix(2));
}

#[test]
fn ids_splits_and_ignored_columns_have_their_roles() {
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![1, 2, 3]));
    let bytes = parquet(vec![
        ("id", Arc::new(Int64Array::from(vec![30, 10, 20]))),
        ("x", numbers(&[3.0, 1.0, 2.0])),
        ("when", dates),
        ("part", texts(&["test", "train", "Train"])),
        ("class", Arc::new(BooleanArray::from(vec![true, false, true]))),
    ]);
    let roles = |options: &mut ReadOptions| {
        options.id_column = RoleColumn::At(Asked::Name("id".into()));
        options.split_column = RoleColumn::At(Asked::Name("part".into()));
    };
    let data = read_with(&bytes, |options| {
        roles(options);
        options.ignore = vec![Asked::Name("when".into())];
    })
    .unwrap();
    assert_eq!(f32s(&data), [1.0, 2.0, 3.0]);
    assert_eq!(data.row_ids(), &RowIds::Names(["10", "20", "30"].map(String::from).to_vec()));
    assert_eq!((data.train().len(), data.test().len()), (2, 1));
    assert_eq!(data.class_names(), ["false", "true"]);
    assert_eq!(
        error(&bytes, roles).to_string(),
        "test.parquet, column when: holds values of type Date32; numbers, truth values, texts and lists of numbers are \
         read: leave the column out (ignore), or convert it to one of these"
    );
    let wrong = error(&bytes, |options| options.split_column = RoleColumn::At(Asked::Name("id".into())));
    assert!(wrong.to_string().contains("Date32"), "{wrong}");
    let wrong = error(&bytes, |options| {
        options.ignore = vec![Asked::Name("when".into())];
        options.split_column = RoleColumn::At(Asked::Name("id".into()));
    });
    assert!(wrong.to_string().starts_with("test.parquet, row 1, column id: \"30\" is no split"), "{wrong}");
}

#[test]
fn labels_may_be_values_and_large_whole_numbers_stay_exact() {
    let bytes = parquet(vec![("x", numbers(&[1.0, 2.0])), ("y", Arc::new(Float32Array::from(vec![0.1, 2.0])))]);
    let data = read_with(&bytes, |_| ()).unwrap();
    assert_eq!(data.labels(), [Label::Value(0.1), Label::Value(2.0)]);
    let data = read_with(&bytes, |options| options.label_kind = LabelKind::Classes).unwrap();
    assert_eq!(data.class_names(), ["0.1", "2"]);
    let large = [(1_i64 << 53) + 1, (1_i64 << 53) + 2];
    let bytes = parquet(vec![("x", numbers(&[1.0, 2.0])), ("y", Arc::new(Int64Array::from(large.to_vec())))]);
    let data = read_with(&bytes, |options| options.label_kind = LabelKind::Classes).unwrap();
    assert_eq!(data.class_names(), large.map(|label| label.to_string()));
}

#[test]
fn missing_values_are_refused_or_their_rows_left_out() {
    let columns = || {
        vec![
            ("x", Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0), Some(4.0), Some(5.0)])) as ArrayRef),
            ("v", lists(&[Some(&[1.0]), Some(&[2.0]), Some(&[3.0]), None, Some(&[f32::NAN])])),
            ("c", texts(&["p", "left out", "q", "r", "s"])),
        ]
    };
    let bytes = parquet(columns());
    let refused = error(&bytes, no_label);
    assert_eq!(
        refused.to_string(),
        "test.parquet, row 2, column x: the value is missing (\"null\"); fill it in, or leave out such rows with missing = drop"
    );
    let drop = |options: &mut ReadOptions| {
        no_label(options);
        options.missing = MissingValues::DropRows;
    };
    let data = read_with(&bytes, drop).unwrap();
    assert_eq!(data.feature_names(), ["x", "v[0]", "c=p", "c=q"]);
    assert_eq!(f32s(&data), [1.0, 1.0, 1.0, 0.0, 3.0, 3.0, 0.0, 1.0]);
    assert_eq!(data.row_ids(), &RowIds::Numbers(vec![0, 2]));
    assert_eq!(data.dropped_rows(), 3);
    // A first list that is missing does not decide the length.
    let bytes = parquet(vec![("v", lists(&[None, Some(&[1.0, 2.0])]))]);
    assert_eq!(f32s(&read_with(&bytes, drop).unwrap()), [1.0, 2.0]);
    let labels: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let bytes = parquet(vec![("x", numbers(&[1.0, 2.0])), ("label", labels)]);
    assert!(error(&bytes, |_| ()).to_string().starts_with("test.parquet, row 2, column label: the value is missing"));
}

#[test]
fn what_f32_cannot_hold_is_refused_with_its_place() {
    for value in [f64::INFINITY, 1e300] {
        let bytes = parquet(vec![("x", numbers(&[1.0, value]))]);
        let refused = error(&bytes, no_label);
        assert!(matches!(*refused.problem, Problem::Unusable { .. }), "{refused}");
        assert_eq!((refused.place.row, refused.place.column.as_deref()), (Some(2), Some("x")));
    }
}

#[test]
fn row_groups_compressions_and_page_versions_make_no_difference() {
    let values: Vec<f64> = (0..5000).map(f64::from).collect();
    let rows: Vec<[f32; 3]> = (0..5000).map(|row| [row as f32, 0.5, -(row as f32)]).collect();
    let vectors: Vec<Option<&[f32]>> = rows.iter().map(|row| Some(&row[..])).collect();
    let names: Vec<String> = (0..5000).map(|row| format!("c{}", row % 7)).collect();
    let columns = || {
        vec![
            ("x", numbers(&values)),
            ("v", lists(&vectors)),
            ("label", Arc::new(StringArray::from(names.clone())) as ArrayRef),
        ]
    };
    let expected = read_with(&parquet(columns()), |_| ()).unwrap();
    assert_eq!((expected.len(), expected.width(), expected.class_names().len()), (5000, 4, 7));
    assert_eq!(f32s(&expected)[4..8], [1.0, 1.0, 0.5, -1.0]);
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        for (version, dictionary) in [(WriterVersion::PARQUET_1_0, true), (WriterVersion::PARQUET_2_0, false)] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_writer_version(version)
                .set_dictionary_enabled(dictionary)
                .set_max_row_group_row_count(Some(700))
                .set_data_page_row_count_limit(100)
                .set_write_batch_size(64)
                .build();
            let data = read_with(&parquet_with(columns(), properties), |_| ()).unwrap();
            assert!(data == expected, "{compression:?} {version:?}");
        }
    }
}

#[test]
fn blocks_have_the_rows_asked_for_and_number_them_through() {
    let values: Vec<f64> = (0..20_000).map(f64::from).collect();
    let mut gaps: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    gaps[8_200] = None;
    let small_pages = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(1000)
        .set_write_batch_size(500)
        .build();
    let bytes = parquet_with(vec![("x", Arc::new(Float64Array::from(gaps)))], small_pages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    std::fs::write(&path, &bytes).unwrap();
    let schema = read_with(&parquet(vec![("x", numbers(&values))]), no_label).unwrap().schema();
    let options = options(|options| {
        options.schema = Some(schema);
        options.missing = MissingValues::DropRows;
        options.memory_limit = 150_000; // less than all rows take
    });
    let blocks: Vec<Dataset> = Blocks::open(&path, 3000, &options).unwrap().map(Result::unwrap).collect();
    assert_eq!(blocks.iter().map(Dataset::len).collect::<Vec<_>>(), [3000, 3000, 2999, 3000, 3000, 3000, 2000]);
    let joined: Vec<f32> = blocks.iter().flat_map(|block| f32s(block).to_vec()).collect();
    let expected: Vec<f32> = values.iter().map(|&value| value as f32).filter(|&value| value != 8200.0).collect();
    assert_eq!(joined, expected);
    let RowIds::Numbers(last) = blocks[6].row_ids() else { panic!("numbers") };
    assert_eq!((last[0], last[1999]), (18_000, 19_999));
    let mut blocks = Blocks::open(&path, 3000, &options).unwrap();
    blocks.next();
    let total = blocks.total_bytes().unwrap();
    assert_eq!((total, blocks.bytes_done()), (bytes.len() as u64, bytes.len() as u64 * 3 / 20));
}

#[test]
fn a_schema_says_what_columns_are() {
    let fitted = read_with(
        &parquet(vec![("n", numbers(&[1.0, 2.0])), ("c", texts(&["7", "8"])), ("label", texts(&["a", "b"]))]),
        |_| (),
    )
    .unwrap();
    let with_schema =
        |columns: Vec<Named>| read_with(&parquet(columns), |options| options.schema = Some(fitted.schema()));
    // Other order, a number where texts were, a text where numbers were, no label, a column more.
    let c: ArrayRef = Arc::new(Int64Array::from(vec![8]));
    let data = with_schema(vec![("c", Arc::clone(&c)), ("extra", numbers(&[9.0])), ("n", texts(&[" 2.5"]))]).unwrap();
    assert_eq!((f32s(&data), data.encoding()), (&[2.5, 0.0, 1.0][..], fitted.encoding()));
    let wrong = with_schema(vec![("c", Arc::clone(&c)), ("n", texts(&["red"]))]).unwrap_err();
    assert!(wrong.to_string().starts_with("test.parquet, row 1, column n: \"red\" is not a number"), "{wrong}");
    let wrong = with_schema(vec![("c", numbers(&[5.0])), ("n", numbers(&[1.0]))]).unwrap_err();
    assert!(matches!(*wrong.problem, Problem::UnknownCategory { .. }), "{wrong}");
    let wrong = with_schema(vec![("c", c), ("n", lists(&[Some(&[1.0, 2.0])]))]).unwrap_err();
    assert!(matches!(*wrong.problem, Problem::FeatureCount { expected: 1, got: 2 }), "{wrong}");
}

#[test]
fn a_model_of_a_plain_matrix_takes_vectors_and_columns() {
    let points = Points::from_f32(3, vec![0.0; 6]).unwrap();
    let fitted = Dataset::new("m", points, vec![Label::class(0), Label::class(1)]).unwrap();
    let with_schema =
        |columns: Vec<Named>| read_with(&parquet(columns), |options| options.schema = Some(fitted.schema()));
    let vector = || lists(&[Some(&[1.0, 2.0, 3.0])]);
    let data = with_schema(vec![("embedding", vector())]).unwrap();
    assert_eq!((f32s(&data), data.encoding()), (&[1.0, 2.0, 3.0][..], fitted.encoding()));
    let data = with_schema(vec![("embedding", vector()), ("digit", texts(&["1"]))]).unwrap();
    assert_eq!((f32s(&data), data.labels()), (&[1.0, 2.0, 3.0][..], &[Label::class(1)][..]));
    let data = with_schema(vec![("a", numbers(&[1.0])), ("b", lists(&[Some(&[2.0, 3.0])]))]).unwrap();
    assert_eq!(f32s(&data), [1.0, 2.0, 3.0]);
    let wrong = with_schema(vec![("embedding", lists(&[Some(&[1.0; 4])]))]).unwrap_err();
    assert!(matches!(*wrong.problem, Problem::FeatureCount { expected: 3, got: 4 }), "{wrong}");
    let data = read_with(&parquet(vec![("other", lists(&[Some(&[1.0; 9])])), ("p", vector())]), |options| {
        options.schema = Some(fitted.schema());
        options.ignore = vec![Asked::Number(0)];
    });
    assert_eq!(f32s(&data.unwrap()), [1.0, 2.0, 3.0]);
}

#[test]
fn no_rows_and_compressed_files_are_understood() {
    let empty = parquet(vec![("v", lists(&[])), ("label", texts(&[]))]);
    assert!(matches!(*error(&empty, |_| ()).problem, Problem::NoRows));
    let bytes = parquet(vec![("x", numbers(&[1.0]))]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &bytes).unwrap();
    let compressed = encoder.finish().unwrap();
    assert_eq!(f32s(&read_bytes("x.parquet.gz", &compressed, &options(no_label)).unwrap()), [1.0]);
}

#[test]
fn the_memory_limit_is_heeded_before_decoding() {
    let bytes = parquet(vec![("x", numbers(&vec![0.0; 100_000]))]);
    assert!(bytes.len() < 20_000, "{}", bytes.len());
    let refused = error(&bytes, |options| {
        no_label(options);
        options.memory_limit = 1_900_000;
    });
    assert!(matches!(*refused.problem, Problem::TooLarge { needed_bytes: 2_032_768, .. }), "{refused}");
    // A page that says it is larger than the limit.
    let text = "x".repeat(1 << 20);
    let bytes = parquet_with(
        vec![("x", texts(&[&text]))],
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build(),
    );
    let refused = error(&bytes, |options| {
        no_label(options);
        options.memory_limit = 1 << 20;
    });
    assert!(matches!(*refused.problem, Problem::TooLarge { .. }), "{refused}");
}

#[test]
fn one_long_text_shared_by_many_rows_is_not_copied_for_each() {
    let text = "x".repeat(1 << 18);
    let coded: DictionaryArray<Int32Type> = std::iter::repeat_n(text.as_str(), 8000).collect();
    let bytes = parquet(vec![("c", Arc::new(coded)), ("x", numbers(&vec![1.0; 8000]))]);
    // As plain texts these rows would take 2 GB.
    let data = read_with(&bytes, no_label).unwrap();
    assert_eq!((data.len(), data.width()), (8000, 2));
}

#[test]
fn other_files_and_cut_off_ones_are_told_apart() {
    let bytes = parquet(vec![("x", numbers(&[1.0, 2.0]))]);
    let refused = error(b"a,b\n1,2\n", no_label);
    assert!(matches!(*refused.problem, Problem::WrongMagic { .. }), "{refused}");
    assert!(matches!(*error(b"PAR1PAR1", no_label).problem, Problem::Truncated { .. }));
    let refused = error(&bytes[..bytes.len() - 1], no_label);
    assert!(refused.to_string().contains("cut off"), "{refused}");
    let mut long = bytes.clone();
    let at = long.len() - 8;
    long[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let refused = error(&long, no_label);
    assert!(matches!(*refused.problem, Problem::Truncated { what: "the footer", .. }), "{refused}");
    let mut secret = bytes;
    let at = secret.len() - 4;
    secret[at..].copy_from_slice(b"PARE");
    assert!(matches!(*error(&secret, no_label).problem, Problem::Unsupported { .. }));
}

/// Every byte of a small file changed in several ways, and every length: an error or data, never a panic.
#[test]
fn damage_anywhere_never_panics() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let bytes = parquet_with(
            vec![
                ("x", Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0)]))),
                ("v", lists(&[Some(&[1.0, 2.0]), None, Some(&[3.0, 4.0])])),
                ("c", texts(&["p", "q", "p"])),
                ("label", Arc::new(Int64Array::from(vec![1, 2, 1]))),
            ],
            properties,
        );
        let change = |options: &mut ReadOptions| {
            options.missing = MissingValues::DropRows;
            options.memory_limit = 64 << 20;
        };
        assert_eq!(
            read_with(&bytes, |options| {
                change(options);
                options.constant_label = crate::ConstantLabel::Allow;
            })
            .unwrap()
            .len(),
            2
        );
        for at in 0..bytes.len() {
            for flip in [0x01, 0x10, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let _ = read_with(&damaged, change);
            }
        }
        for length in 0..bytes.len() {
            assert!(read_with(&bytes[..length], change).is_err(), "{length}");
        }
    }
}

/// The number of lengths stands inside a page; the decoder would reserve room for as many as it says.
#[test]
fn a_false_number_of_texts_is_refused_before_decoding() {
    let names: Vec<String> = (0..300).map(|row| format!("c{}", row % 7)).collect();
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_column_encoding("c".into(), encoding)
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let bytes = parquet_with(vec![("c", Arc::new(StringArray::from(names.clone())))], properties);
        assert_eq!(read_with(&bytes, no_label).unwrap().width(), 7);
        // Block size 128, 4 mini blocks, 300 = 0xac 0x02 lengths: made to go on into the bytes after.
        let at = bytes.windows(5).position(|window| window == [0x80, 0x01, 4, 0xac, 0x02]).unwrap();
        let mut damaged = bytes.clone();
        damaged[at + 4] = 0xff;
        damaged[at + 5] = 0x7f;
        let refused = error(&damaged, no_label);
        assert!(refused.to_string().contains("the lengths of texts cannot be understood"), "{refused}");
    }
}

/// Each text repeats the one before and adds a letter, so that 20 KB of page stand for 200 MB of texts.
#[test]
fn shared_prefixes_count_as_what_they_become() {
    let names: Vec<String> = (1..=20_000).map(|length| "a".repeat(length)).collect();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("c".into(), Encoding::DELTA_BYTE_ARRAY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_data_page_size_limit(1 << 30)
        .build();
    let bytes =
        parquet_with(vec![("c", Arc::new(StringArray::from(names))), ("x", numbers(&[0.0; 20_000]))], properties);
    let refused = error(&bytes, |options| {
        options.id_column = RoleColumn::At(Asked::Name("c".into()));
        no_label(options);
        options.memory_limit = 64 << 20;
    });
    assert!(matches!(*refused.problem, Problem::TooLarge { needed_bytes: 200_000_000.., .. }), "{refused}");
}

#[test]
fn lists_of_which_none_is_complete_leave_no_rows() {
    let bytes = parquet(vec![("v", lists(&[None, None])), ("x", numbers(&[0.5, 0.25]))]);
    let error = read_with(&bytes, |options| options.missing = MissingValues::DropRows).unwrap_err();
    assert!(matches!(*error.problem, Problem::NoRows | Problem::NoFeatures { .. }), "{error}");
}

#[test]
fn an_empty_text_is_no_label_as_in_text_tables() {
    let bytes = parquet(vec![("x", numbers(&[1.0, 2.0, 3.0])), ("label", texts(&["a", "", "b"]))]);
    assert_eq!(
        error(&bytes, |_| ()).to_string(),
        "test.parquet, row 2, column label: the value is missing (\"\"); fill it in, or leave out such rows with missing = drop"
    );
    let kept = read_with(&bytes, |options| options.missing = MissingValues::DropRows).unwrap();
    assert_eq!((f32s(&kept), kept.class_names().len(), kept.dropped_rows()), (&[1.0, 3.0][..], 2, 1));
    let by_schema = read_with(&bytes, |options| options.schema = Some(kept.schema())).unwrap();
    assert_eq!(by_schema.labels(), [Label::class(0), Label::Unlabeled, Label::class(1)]);
}

#[test]
fn a_missing_id_is_an_empty_one_as_in_text_tables() {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), None]));
    let bytes = parquet(vec![("id", ids), ("x", numbers(&[1.0, 2.0])), ("label", texts(&["a", "b"]))]);
    let data = read_with(&bytes, |_| ()).unwrap();
    assert_eq!(data.row_ids(), &RowIds::Names(vec!["5".into(), String::new()]));
    let text = read_bytes("t.csv", b"id,x,label\n5,1,a\n,2,b\n", &ReadOptions::default()).unwrap();
    assert_eq!((text.row_ids(), text.labels()), (data.row_ids(), data.labels()));
}

#[test]
fn codes_and_truth_values_have_the_names_that_they_have_in_text() {
    let codes = |options: &mut ReadOptions| options.categories = vec![Asked::Name("zip".into())];
    let class: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    let bytes = parquet(vec![("zip", numbers(&[10.0, 20.0, -0.0])), ("class", class)]);
    let data = read_with(&bytes, codes).unwrap();
    let text = read_bytes("t.csv", b"zip,class\n10.0,true\n20,false\n-0.0,true\n", &options(codes)).unwrap();
    assert_eq!(data.feature_names(), ["zip=0", "zip=10", "zip=20"]);
    assert_eq!((text.encoding(), text.points()), (data.encoding(), data.points()));
    assert_eq!((text.class_names(), text.labels()), (data.class_names(), data.labels()));
    // Each reads what the other recorded.
    let back = read_with(&bytes, |options| options.schema = Some(text.schema())).unwrap();
    assert_eq!((back.points(), back.labels()), (data.points(), data.labels()));
}

#[test]
fn splits_are_found_as_in_text_tables() {
    let columns = |words: &[&str]| {
        parquet(vec![("split", texts(words)), ("x", numbers(&[1.0, 2.0, 3.0])), ("label", texts(&["a", "b", "a"]))])
    };
    let data = read_with(&columns(&["test", "train", "train"]), |_| ()).unwrap();
    assert_eq!((data.train().len(), data.test().len(), data.width()), (2, 1, 1));
    let declined = read_with(&columns(&["test", "train", "train"]), |options| options.split_column = RoleColumn::None);
    let declined = declined.unwrap();
    assert_eq!((declined.train().len(), declined.width()), (3, 3));
    // What is recorded as a feature, or said to be a category, is no split.
    let again = read_with(&columns(&["test", "test", "train"]), |options| options.schema = Some(declined.schema()));
    assert_eq!(again.unwrap().train().len(), 3);
    let category = |options: &mut ReadOptions| options.categories = vec![Asked::Number(0)];
    assert_eq!(read_with(&columns(&["test", "train", "train"]), category).unwrap().width(), 3);
    // A gap is missing, not another word.
    let gap: ArrayRef = Arc::new(StringArray::from(vec![Some("test"), None, Some("train")]));
    let bytes = parquet(vec![("split", gap), ("x", numbers(&[1.0, 2.0, 3.0])), ("label", texts(&["a", "b", "c"]))]);
    let kept = read_with(&bytes, |options| options.missing = MissingValues::DropRows).unwrap();
    assert_eq!((kept.train().len(), kept.test().len(), kept.dropped_rows()), (1, 1, 1));
}

#[test]
fn vectors_and_text_tables_read_each_other_by_schema() {
    let bytes = parquet(vec![
        ("v", lists(&[Some(&[1.0, 2.0]), Some(&[3.0, 4.0])])),
        ("label", texts(&["a", "b"])),
        ("x", numbers(&[0.5, 0.25])),
    ]);
    let data = read_with(&bytes, |_| ()).unwrap();
    assert_eq!(data.schema().label_position, Some(2));
    for text in [
        "v[0],v[1],label,x\n1,2,a,0.5\n3,4,b,0.25\n",
        "x,v[0],label,v[1]\n0.5,1,a,2\n0.25,3,b,4\n",
        "1,2,a,0.5\n3,4,b,0.25\n",
    ] {
        let read = read_bytes("t.csv", text.as_bytes(), &options(|options| options.schema = Some(data.schema())));
        let read = read.unwrap();
        assert_eq!(
            (read.points(), read.labels(), read.encoding()),
            (data.points(), data.labels(), data.encoding()),
            "{text:?}"
        );
    }
    let spread =
        parquet(vec![("v[1]", numbers(&[2.0, 4.0])), ("v[0]", numbers(&[1.0, 3.0])), ("x", numbers(&[0.5, 0.25]))]);
    let read = read_with(&spread, |options| options.schema = Some(data.schema())).unwrap();
    assert_eq!((read.points(), read.encoding()), (data.points(), data.encoding()));
}

#[test]
fn a_column_that_announces_more_values_than_its_lists_have_is_damaged() {
    let bytes = include_bytes!("../../tests/damaged/more-values-announced.parquet");
    for missing in [MissingValues::Refuse, MissingValues::DropRows] {
        let error = read_with(bytes, |options| options.missing = missing).unwrap_err().to_string();
        assert!(error.contains("column embedding: is damaged: the column announces 60 values"), "{error}");
    }
    // A longer list in a row that is left out is no damage.
    let longer = lists(&[Some(&[1.0, 2.0]), Some(&[3.0, f32::NAN, 5.0, 6.0]), None, Some(&[7.0, 8.0])]);
    let bytes = parquet(vec![("v", longer), ("label", texts(&["a", "b", "c", "d"]))]);
    let data = read_with(&bytes, |options| options.missing = MissingValues::DropRows).unwrap();
    assert_eq!((f32s(&data), data.dropped_rows()), (&[1.0, 2.0, 7.0, 8.0][..], 2));
}

#[test]
fn as_many_rows_as_in_text_tables_tell_whether_a_column_holds_splits() {
    let table = |n_words: usize| {
        let words: Vec<&str> = (0..2000).map(|row| if row < n_words { "train" } else { "torn" }).collect();
        let classes: Vec<&str> = (0..2000).map(|row| ["a", "b"][row % 2]).collect();
        parquet(vec![("split", texts(&words)), ("x", numbers(&vec![1.0; 2000])), ("label", texts(&classes))])
    };
    assert_eq!(read_with(&table(999), |_| ()).unwrap().width(), 3);
    let said = error(&table(1000), |_| ()).to_string();
    assert!(said.contains("row 1001, column split: \"torn\" is no split"), "{said}");
}
