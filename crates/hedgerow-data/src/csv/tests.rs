//! The two ways to read a row against one another.

use proptest::prelude::*;

use super::*;
use crate::dataset::Dataset;

fn read(text: &str, options: &ReadOptions, in_one_go: bool) -> Result<Dataset, ReadError> {
    let mut reader = CsvReader::open(&mut Input::bytes("t.csv", text.as_bytes()), None, options)?;
    reader.in_one_go = in_one_go;
    let mut table = reader.table()?;
    while reader.read_rows(&mut table, 3)? == Step::More {}
    table.into_dataset("t", "t.csv", options)
}

/// Fields of all kinds: numbers in many forms, texts, blanks, quotes, missing values.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "-?[0-9]{1,9}(\\.[0-9]{1,9})?",
        2 => "-?[0-9]{1,2}e-?[0-9]{1,2}",
        1 => " {0,2}[0-9]{1,3} {0,2}",
        2 => "[ab]",
        1 => "\"[ab,]{0,3}\"",
        1 => proptest::sample::select(vec!["", "NA", "nan", "inf", "+1", "1_0", "\"1\"", "\u{e9}", "1\r2"])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]
    #[test]
    fn one_go_gives_what_the_general_parser_gives(
        rows in proptest::collection::vec(proptest::collection::vec(field(), 3), 1..12),
        end in prop_oneof!["\n", "\r\n"],
        drop_missing: bool,
        ends: bool,
    ) {
        let mut text = rows.iter().map(|row| row.join(",")).collect::<Vec<_>>().join(&end);
        if ends {
            text.push_str(&end);
        }
        let mut options = ReadOptions { constant_label: crate::ConstantLabel::Allow, ..ReadOptions::default() };
        if drop_missing {
            options.missing = MissingValues::DropRows;
        }
        let (fast, general) = (read(&text, &options, true), read(&text, &options, false));
        match (fast, general) {
            (Ok(fast), Ok(general)) => prop_assert_eq!(fast, general),
            (Err(fast), Err(general)) => prop_assert_eq!(fast.to_string(), general.to_string()),
            (fast, general) => prop_assert!(false, "{:?}\n{:?}", fast, general),
        }
    }
}

#[test]
fn plain_rows_do_go_in_one() {
    let mut reader =
        CsvReader::open(&mut Input::bytes("t.csv", b"x,y\n1.5,a\n 2 ,b\r\n3,c"), None, &ReadOptions::default())
            .unwrap();
    let mut table = reader.table().unwrap();
    for _ in 0..3 {
        assert!(reader.records.find_record().unwrap());
        assert!(reader.read_plain(&mut table).unwrap());
    }
    assert_eq!(table.numbers, Numbers::F32(vec![1.5, 2.0, 3.0]));
}
