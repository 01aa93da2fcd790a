//! Tests of `npy.rs`.

use std::io::{Cursor, Read};

use super::*;
use crate::encoding::{Encoding, Schema};
use crate::options::{Column, RoleColumn};
use crate::read::{Blocks, read_bytes};
use crate::{Dataset, Format};
use hedgerow_core::Label;

mod labels;
mod missing;

/// An array of version 1.0 as NumPy writes it, but for the padding.
pub(crate) fn array(descr: &str, fortran_order: bool, shape: &str, values: &[u8]) -> Vec<u8> {
    let order = if fortran_order { "True" } else { "False" };
    let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}   \n");
    with_header(1, header.as_bytes(), values)
}

fn with_header(version: u8, header: &[u8], values: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    [&bytes, header, values].concat()
}

pub(crate) fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn label_at(column: Column) -> ReadOptions {
    options(|options| options.label = RoleColumn::At(column))
}

fn read(bytes: &[u8]) -> Result<Dataset, ReadError> {
    read_bytes("x.npy", bytes, &ReadOptions::default())
}

fn values(bytes: &[u8]) -> Vec<f32> {
    read(bytes).unwrap().points().as_f32().unwrap().to_vec()
}

fn problem(bytes: &[u8]) -> Problem {
    *read(bytes).unwrap_err().problem
}

#[test]
fn every_number_type_is_read_in_both_byte_orders() {
    fn check<const N: usize>(dtype: &str, little: [[u8; N]; 4], expected: [f32; 4]) {
        assert_eq!(values(&array(&format!("'<{dtype}'"), false, "(2, 2)", &little.concat())), expected, "<{dtype}");
        let big = little.map(|mut value| {
            value.reverse();
            value
        });
        assert_eq!(values(&array(&format!("'>{dtype}'"), false, "(2, 2)", &big.concat())), expected, ">{dtype}");
    }
    check("i1", [1, -2, 3, -128].map(i8::to_le_bytes), [1.0, -2.0, 3.0, -128.0]);
    check("i2", [1, -2, 300, -32768].map(i16::to_le_bytes), [1.0, -2.0, 300.0, -32768.0]);
    check("i4", [1, -2, 70_000, -5].map(i32::to_le_bytes), [1.0, -2.0, 70_000.0, -5.0]);
    check("i8", [1, -2, 1 << 40, -5].map(i64::to_le_bytes), [1.0, -2.0, 1_099_511_600_000.0, -5.0]);
    check("u2", [1, 2, 300, 65535].map(u16::to_le_bytes), [1.0, 2.0, 300.0, 65535.0]);
    check("u4", [1, 2, 70_000, 1 << 31].map(u32::to_le_bytes), [1.0, 2.0, 70_000.0, 2_147_483_600.0]);
    check("u8", [1, 2, 1 << 40, 5].map(u64::to_le_bytes), [1.0, 2.0, 1_099_511_600_000.0, 5.0]);
    check("f2", [0x3c00, 0xc000, 0x3800, 0u16].map(u16::to_le_bytes), [1.0, -2.0, 0.5, 0.0]);
    check("f4", [1.5f32, -2.25, 1e15, -0.1].map(f32::to_le_bytes), [1.5, -2.25, 1e15, -0.1]);
    check("f8", [1.5, -2.25, 1e15, -0.1].map(f64::to_le_bytes), [1.5, -2.25, 1e15, -0.1]);
    assert_eq!(values(&array("'|b1'", false, "(1, 3)", &[0, 1, 1])), [0.0, 1.0, 1.0]);
    let bytes = read(&array("'|u1'", false, "(2, 2)", &[0, 7, 255, 1])).unwrap();
    assert_eq!(bytes.points().as_u8(), Some(&[0, 7, 255, 1][..]), "bytes stay bytes");
}

#[test]
fn all_versions_of_the_header_are_read() {
    let header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }\n";
    for version in [1, 2, 3] {
        assert_eq!(values(&with_header(version, header, &f32s(&[2.5]))), [2.5]);
    }
    let found = problem(&with_header(4, header, &f32s(&[2.5])));
    assert!(matches!(&found, Problem::Unsupported { found, .. } if found.ends_with("4.0")), "{found}");
}

#[test]
fn three_and_four_dimensions_are_pictures() {
    let grey = read(&array("'|u1'", false, "(2, 3, 2)", &[0; 12])).unwrap();
    assert_eq!(grey.image_shape(), Some(ImageShape { height: 3, width: 2, channels: 1 }));
    let colored = read(&array("'<f4'", false, "(1, 1, 2, 3)", &f32s(&[0.5; 6]))).unwrap();
    assert_eq!(colored.image_shape(), Some(ImageShape { height: 1, width: 2, channels: 3 }));
}

/// The same array in Fortran order: element (i, j, k, l) at i + n (j + h (k + w l)).
fn fortran(c_order: &[f32], shape: [usize; 4]) -> Vec<f32> {
    let [n, h, w, c] = shape;
    let mut turned = vec![0.0; c_order.len()];
    for (at, &value) in c_order.iter().enumerate() {
        let (i, j, k, l) = (at / (h * w * c), at / (w * c) % h, at / c % w, at % c);
        turned[i + n * (j + h * (k + w * l))] = value;
    }
    turned
}

#[test]
fn fortran_order_gives_the_same_rows() {
    let shapes = [
        ([2, 3, 1, 1], "(2, 3)"),
        ([70, 5, 1, 1], "(70, 5)"), // more rows than a tile
        ([1, 4, 3, 1], "(1, 4, 3)"),
        ([33, 4, 3, 1], "(33, 4, 3)"),
        ([5, 2, 3, 4], "(5, 2, 3, 4)"),
        ([4, 1, 1, 1], "(4, 1)"),
        ([2, 1, 1, 3], "(2, 1, 1, 3)"),
    ];
    for (shape, text) in shapes {
        let c_order: Vec<f32> = (0..shape.iter().product()).map(|value| value as f32).collect();
        let turned = array("'<f4'", true, text, &f32s(&fortran(&c_order, shape)));
        assert_eq!(values(&turned), c_order, "{text}");
        // Types of other sizes go other ways.
        let doubles: Vec<u8> = fortran(&c_order, shape).iter().flat_map(|&v| f64::from(v).to_be_bytes()).collect();
        assert_eq!(values(&array("'>f8'", true, text, &doubles)), c_order, "{text}");
        let shorts: Vec<u8> = fortran(&c_order, shape).iter().flat_map(|&v| (v as i16).to_le_bytes()).collect();
        assert_eq!(values(&array("'<i2'", true, text, &shorts)), c_order, "{text}");
        let bytes: Vec<u8> = fortran(&c_order, shape).iter().map(|&v| v as u8).collect();
        let expected: Vec<u8> = c_order.iter().map(|&v| v as u8).collect();
        assert_eq!(read(&array("'|u1'", true, text, &bytes)).unwrap().points().as_u8(), Some(&expected[..]));
    }
    // By hand: rows (1, 2), (3, 4) stand as 1 3 2 4.
    assert_eq!(values(&array("'<f4'", true, "(2, 2)", &f32s(&[1.0, 3.0, 2.0, 4.0]))), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn fortran_order_must_fit_into_memory_before_it_is_read() {
    // Announced: 1000 * 1000 * 4 bytes, and as much again for the rows; none of it is there.
    let bytes = array("'<f4'", true, "(1000, 1000)", &[]);
    let asked = options(|options| options.memory_limit = 7_999_999);
    let error = read_bytes("x.npy", &bytes, &asked).unwrap_err();
    let expected = Problem::TooLarge { needed_bytes: 8_000_000, limit_bytes: 7_999_999 };
    assert_eq!(error.problem.to_string(), expected.to_string());
    assert!(matches!(problem(&bytes), Problem::Truncated { expected: 4_000_000, got: 0, .. }));
}

#[test]
fn a_column_is_taken_as_labels_and_others_are_left_out() {
    let matrix = array("'<f4'", false, "(3, 4)", &f32s(&[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 4.]));
    for column in [3, -1] {
        let mut asked = label_at(Column::Number(column));
        asked.ignore = vec![Column::Number(1)];
        let data = read_bytes("x.npy", &matrix, &asked).unwrap();
        assert_eq!(data.points().as_f32(), Some(&[1., 3., 5., 7., 9., 11.][..]));
        assert_eq!(data.class_names(), ["4", "8"]);
        assert_eq!(data.labels(), [0, 1, 0].map(Label::class));
    }
    let bytes = array("'|u1'", false, "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    let data = read_bytes("x.npy", &bytes, &label_at(Column::Number(0))).unwrap();
    assert_eq!(data.points().as_u8(), Some(&[2, 3, 5, 6][..]));
    assert_eq!(data.class_names(), ["1", "4"]);
    // In Fortran order too: rows (1, 9), (2, 8).
    let bytes = array("'<i2'", true, "(2, 2)", &[1, 0, 2, 0, 9, 0, 8, 0]);
    let data = read_bytes("x.npy", &bytes, &label_at(Column::Number(1))).unwrap();
    assert_eq!((data.points().as_f32(), data.class_names().len()), (Some(&[1., 2.][..]), 2));
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let matrix = array("'<f4'", false, "(2, 2)", &f32s(&[1., 2., 3., 4.]));
    let refused = |asked: &ReadOptions| *read_bytes("x.npy", &matrix, asked).unwrap_err().problem;
    let found = refused(&label_at(Column::Name("y".into())));
    assert!(matches!(found, Problem::NoColumns { role: "the label", .. }), "{found}");
    for column in [2, -3, i64::MAX, i64::MIN] {
        let found = refused(&label_at(Column::Number(column)));
        assert!(found.to_string().ends_with("the columns are 0 to 1"), "{found}");
    }
    let found = refused(&options(|options| options.id_column = RoleColumn::At(Column::Number(0))));
    assert!(matches!(found, Problem::NoColumns { role: "the id", .. }), "{found}");
    let found = refused(&options(|options| options.split_column = RoleColumn::At(Column::Number(0))));
    assert!(matches!(found, Problem::NoColumns { role: "the split", .. }), "{found}");
    let found = refused(&options(|options| options.ignore = vec![Column::Number(0), Column::Number(-1)]));
    assert!(matches!(&found, Problem::NoFeatures { used } if used == "0, 1"), "{found}");
    let mut both = label_at(Column::Number(1));
    both.ignore = vec![Column::Number(-1)];
    assert!(matches!(refused(&both), Problem::TwoRoles { .. }));
    let pictures = array("'|u1'", false, "(1, 2, 2)", &[0; 4]);
    let found = *read_bytes("x.npy", &pictures, &label_at(Column::Number(0))).unwrap_err().problem;
    assert!(matches!(found, Problem::NoColumns { format: "an array of pictures", .. }), "{found}");
}

#[test]
fn an_unusable_value_is_shown_as_it_is_with_row_and_column() {
    let text = |bytes: &[u8], asked: &ReadOptions| read_bytes("x.npy", bytes, asked).unwrap_err().to_string();
    let doubles: Vec<u8> = [1.0, 2.0, 3.0, 1e300].iter().flat_map(|value: &f64| value.to_le_bytes()).collect();
    let said = text(&array("'<f8'", false, "(2, 2)", &doubles), &ReadOptions::default());
    assert!(said.starts_with("x.npy, row 2, column 1: the value 1e300 cannot be used"), "{said}");
    let large = [1, -2_000_000_000_000_000i64, 3, 4].map(i64::to_be_bytes).concat();
    let said = text(&array("'>i8'", false, "(2, 2)", &large), &ReadOptions::default());
    assert!(said.starts_with("x.npy, row 1, column 1: the value -2e15 cannot"), "{said}");
    // The column counts as in the file, even if others before it are left out.
    let nan = array("'<f4'", false, "(1, 3)", &f32s(&[1., 2., f32::NAN]));
    let said = text(&nan, &label_at(Column::Number(0)));
    assert!(said.starts_with("x.npy, row 1, column 2: the value is missing (\"NaN\"); fill it in"), "{said}");
    let said = text(&nan, &label_at(Column::Number(2)));
    assert!(said.starts_with("x.npy, row 1, column 2: the value is missing (\"NaN\"); fill it in"), "{said}");
}

#[test]
fn shapes_that_are_no_rows_are_refused() {
    for (shape, fault) in [
        ("()", "the shape (), a single value"),
        ("(2, 0)", "the shape 2x0, whose rows are empty"),
        ("(2, 3, 0, 3)", "whose rows are empty"),
        ("(1, 1, 1, 1, 1)", "the shape 1x1x1x1x1, but at most 4"),
        ("(4611686018427387904, 4)", "(4611686018427387904, 4), whose size in bytes overflows"),
        ("(99999999999999999999, 2)", "overflows"),
        ("(0, 4611686018427387904, 4)", "overflows"),
    ] {
        let found = problem(&array("'<f4'", false, shape, &[]));
        assert!(matches!(found, Problem::Shape { .. }) && found.to_string().contains(fault), "{found}");
    }
    let found = problem(&array("'<f4'", false, "(3,)", &f32s(&[1.0; 3])));
    assert!(found.to_string().contains("one column of 3 values; it is a file of labels"), "{found}");
    assert!(matches!(problem(&array("'<f4'", false, "(0, 3)", &[])), Problem::NoRows));
    // A row alone past the limit is refused before anything is read.
    let asked = options(|options| options.memory_limit = 1000);
    let error = read_bytes("x.npy", &array("'<f4'", false, "(1, 251)", &[]), &asked).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { needed_bytes: 1004, limit_bytes: 1000 }), "{error}");
    let error = read_bytes("x.npy", &array("'<f4'", false, "(9, 100)", &[0; 3600]), &asked).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { limit_bytes: 1000, .. }), "{error}");
}

#[test]
fn cut_off_and_longer_files_are_refused() {
    let whole = array("'<f4'", false, "(3, 2)", &f32s(&[1.0; 6]));
    assert_eq!(values(&whole), [1.0; 6]);
    for n_bytes in 0..whole.len() {
        assert!(read(&whole[..n_bytes]).is_err(), "cut off at {n_bytes}");
    }
    let found = problem(&whole[..whole.len() - 1]);
    assert!(matches!(found, Problem::Truncated { what: "the values", expected: 24, got: 23 }), "{found}");
    let found = problem(&whole[..20]);
    assert!(matches!(found, Problem::Truncated { what: "the header", .. }), "{found}");
    for fortran_order in [false, true] {
        let longer = array("'<f4'", fortran_order, "(3, 2)", &[0; 25]);
        let found = problem(&longer);
        assert!(matches!(found, Problem::Oversized { expected } if expected == longer.len() as u64 - 1), "{found}");
    }
    let asked = options(|options| options.format = Some(Format::Npy));
    for bytes in [&b""[..], b"\x93NUM", b"\x93NUMPZ\x01\x00\x00"] {
        let error = read_bytes("x", bytes, &asked).unwrap_err();
        assert!(matches!(*error.problem, Problem::WrongMagic { .. }), "{error}");
    }
}

#[test]
fn types_that_are_not_numbers_are_refused_with_a_remedy() {
    let found = |descr: &str| problem(&array(descr, false, "(1, 1)", &[0; 16])).to_string();
    assert!(found("'|O'").contains("Python objects"), "{}", found("'|O'"));
    assert!(found("'<f16'").contains("the dtype <f16; ") && found("'<f16'").contains(".astype(\"float32\")"));
    for descr in ["'<c8'", "'<M8[ns]'", "'|V4'"] {
        assert!(found(descr).starts_with("holds values of the dtype"), "{}", found(descr));
    }
    assert!(found("'<U4'").starts_with("holds texts"), "{}", found("'<U4'"));
    assert!(found("[('a', '<f4'), ('b', '<f4')]").starts_with("holds a structured array"));
    let fields = "('a', '<f4'), ".repeat(100);
    assert!(found(&format!("[{fields}]")).starts_with("holds a structured array"));
}

#[test]
fn hostile_headers_are_refused_quickly() {
    let header = |text: &str| problem(&with_header(2, text.as_bytes(), &[]));
    assert!(matches!(header(&"[".repeat(60_000)), Problem::Unsupported { .. }));
    assert!(matches!(header(&"{".repeat(8)), Problem::Damaged { .. }));
    assert!(matches!(header(&"(".repeat(8)), Problem::Damaged { .. }));
    assert!(matches!(header(&"1+".repeat(30_000)), Problem::Shape { .. }));
    assert!(matches!(header(&"9".repeat(60_000)), Problem::Shape { .. }));
    assert!(matches!(header(&"a".repeat(65_537)), Problem::Damaged { .. }));
    for shape in ["(0xffffffffffffffff, 0xffff)", "(0b11, 2)", "(1_0, 2)"] {
        let found = problem(&array("'<f4'", false, shape, &[]));
        assert!(matches!(found, Problem::Damaged { .. }), "{found}");
    }
    for text in ["", "\n", "{}", "[]", "{'shape': (1, 2)}", "\u{0}", "{'descr': 3}", "'\\N{x}'"] {
        let found = header(text);
        assert!(matches!(found, Problem::Damaged { .. }), "{text}: {found}");
        assert!(found.to_string().len() < 200, "{found}");
    }
    for (order, shape) in [("1", "(1, 1)"), ("False", "(-1, 1)"), ("False", "(1.5, 1)"), ("False", "3")] {
        let text = format!("{{'descr': '<f4', 'fortran_order': {order}, 'shape': {shape}}}");
        assert!(matches!(header(&text), Problem::Damaged { .. }));
    }
    // A length of 4 GiB is announced; nothing is set aside for it.
    let mut huge = b"\x93NUMPY\x02\x00".to_vec();
    huge.extend([0xff; 4]);
    assert!(matches!(problem(&huge), Problem::Damaged { .. }));
}

#[test]
fn a_schema_asks_for_its_width() {
    let schema = |width| Some(Schema { encoding: Encoding::matrix(width), ..Schema::default() });
    let matrix = array("'<f4'", false, "(1, 3)", &f32s(&[1., 2., 3.]));
    let with = |width, label: RoleColumn| {
        let asked = options(|options| (options.schema, options.label) = (schema(width), label));
        read_bytes("x.npy", &matrix, &asked)
    };
    assert!(with(3, RoleColumn::Detect).is_ok());
    assert!(with(2, RoleColumn::At(Column::Number(-1))).is_ok());
    let error = with(2, RoleColumn::Detect).unwrap_err();
    assert!(matches!(*error.problem, Problem::FeatureCount { expected: 2, got: 3 }), "{error}");
}

#[test]
fn blocks_put_together_are_the_whole() {
    let numbers: Vec<f32> = (0..7 * 3).map(|value| value as f32).collect();
    let turned = fortran(&numbers, [7, 3, 1, 1]);
    let schema = Schema { encoding: Encoding::matrix(3), ..Schema::default() };
    for (fortran_order, numbers_there) in [(false, &numbers), (true, &turned)] {
        let bytes = array("'<f4'", fortran_order, "(7, 3)", &f32s(numbers_there));
        for rows in [1, 2, 7, 100] {
            let asked = options(|options| options.schema = Some(schema.clone()));
            let stream = Box::new(Cursor::new(bytes.clone()));
            let blocks = Blocks::from_stream("-", stream, rows, &asked).unwrap();
            let blocks: Vec<_> = blocks.collect::<Result<_, _>>().unwrap();
            assert_eq!(blocks.len(), 7usize.div_ceil(rows));
            let together: Vec<f32> =
                blocks.iter().flat_map(|block| block.points().as_f32().unwrap()).copied().collect();
            assert_eq!(together, numbers);
            assert_eq!(blocks.last().unwrap().row_ids().text(blocks.last().unwrap().len() - 1), "6");
        }
    }
}

#[test]
fn an_error_in_a_later_block_counts_rows_from_the_start() {
    let mut numbers = [1.0; 8];
    numbers[7] = f32::INFINITY;
    let schema = Schema { encoding: Encoding::matrix(2), ..Schema::default() };
    let asked = options(|options| options.schema = Some(schema));
    let bytes = array("'<f4'", false, "(4, 2)", &f32s(&numbers));
    let mut blocks = Blocks::from_stream("-", Box::new(Cursor::new(bytes)), 3, &asked).unwrap();
    assert!(blocks.next().unwrap().is_ok());
    let error = blocks.next().unwrap().unwrap_err();
    assert!(error.to_string().starts_with("-, row 4, column 1: the value inf"), "{error}");
}

#[test]
fn memory_grows_only_as_bytes_arrive() {
    // A petabyte is announced and 8 bytes are there; setting it aside would end the process.
    let bytes = array("'<f4'", false, "(137438953472, 2048)", &[0; 8]);
    assert!(matches!(problem(&bytes), Problem::Truncated { got: 8, .. }));
    let labels = labels::labels(&array("'<i8'", false, "(137438953472,)", &[0; 8])).unwrap_err();
    assert!(matches!(*labels.problem, Problem::Truncated { got: 8, .. }), "{labels}");
    // A stream without end stops at the limit.
    let endless = Cursor::new(array("'<f4'", false, "(137438953472, 2)", &[])).chain(std::io::repeat(0));
    let asked = options(|options| options.memory_limit = 1 << 20);
    let error = crate::read_stream("-", Box::new(endless), &asked, &mut crate::progress::silent()).unwrap_err();
    assert!(matches!(*error.problem, Problem::TooLarge { .. }), "{error}");
}
