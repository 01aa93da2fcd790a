//! Flags that say how files are read, for every verb that takes data: `#[command(flatten)] reading: ReadingArgs`.
//!
//! They are `hedgerow::data::ReadOptions` as flags, but for what a model records (schema, unknown categories), and have the names
//! by which errors of reading speak of them: "leave it out (ignore)", "missing = drop". They apply to files, folders and standard input; embedded and synthetic data need none.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use hedgerow::data::{Column, Decimal, Format, Header, LabelKind, MissingValues, ReadOptions, RoleColumn};

const BYTES_OF_A_GIGABYTE: f64 = 1e9;

/// How files are read. What is not said is found out.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading files")]
pub(crate) struct ReadingArgs {
    /// The column with the labels: a name, or a number from 0 (-1 is the last); `none` if there are none. Else the one named
    /// label, class, target or y, or the last; with a model, the one that its own data had.
    #[arg(long, visible_alias = "label", value_name = "COLUMN", allow_hyphen_values = true)]
    label_column: Option<String>,

    /// A second file with the labels, one for each row, where the first has points only (IDX, NPY).
    #[arg(long, value_name = "FILE")]
    labels_from: Option<PathBuf>,

    /// What labels are: classes, or values to predict (regression). `auto`: values if all are numbers and one is not whole.
    #[arg(long, value_name = "KIND", default_value = "auto")]
    label_kind: LabelKindArg,

    /// The column that names each row, which is no feature. Else one named id or row_id; `none` for none.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    id_column: Option<String>,

    /// The column of the words train, validation and test. Else one named split; `none` for none.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    split_column: Option<String>,

    /// A column to leave out. May be given several times.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    ignore: Vec<Column>,

    /// A column of categories that looks like numbers: each of its values becomes a feature of 0 or 1. May be given several
    /// times.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    categories: Vec<Column>,

    /// The format, where neither the name nor the contents tell.
    #[arg(long, value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    format: Option<String>,

    /// Whether the first line of a text table names the columns.
    #[arg(long, value_name = "WHETHER", default_value = "auto")]
    header: HeaderArg,

    /// What stands between the fields of a text table: one character, or `tab`. [default: found out]
    #[arg(long, value_name = "CHARACTER", value_parser = one_byte)]
    delimiter: Option<u8>,

    /// The character that begins a line of comment in a text table. [default: there are none]
    #[arg(long, value_name = "CHARACTER", value_parser = one_byte)]
    comment: Option<u8>,

    /// What stands before the decimals of a number in a text table: 1.5 or 1,5.
    #[arg(long, value_name = "WHAT", default_value = "point")]
    decimal: DecimalArg,

    /// What to do with rows that lack a value: `refuse` the file and say where, or `drop` the rows and say how many.
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    missing: MissingArg,

    /// A word that stands for a missing value, besides the usual ones (NA, NaN, null, ?): -999, unknown. May be given several
    /// times.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    missing_word: Vec<String>,

    /// The first index of svmlight data. [default: found out]
    #[arg(long, value_name = "INDEX", value_parser = clap::value_parser!(u8).range(0..=1))]
    first_index: Option<u8>,

    /// The most memory that reading may take, in GB. A larger file is refused. [default: 4.3]
    #[arg(long, value_name = "GB", value_parser = gigabytes)]
    memory_limit: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LabelKindArg {
    Auto,
    Classes,
    Values,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HeaderArg {
    Auto,
    Present,
    Absent,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DecimalArg {
    Point,
    Comma,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MissingArg {
    Refuse,
    Drop,
}

impl ReadingArgs {
    /// The flags as options for `hedgerow::data::load_with`.
    pub(crate) fn options(&self) -> ReadOptions {
        let defaults = ReadOptions::default();
        ReadOptions {
            format: self.format.as_deref().and_then(Format::from_name),
            label: role(self.label_column.as_deref()),
            labels_from: self.labels_from.clone(),
            label_kind: match self.label_kind {
                LabelKindArg::Auto => LabelKind::Detect,
                LabelKindArg::Classes => LabelKind::Classes,
                LabelKindArg::Values => LabelKind::Values,
            },
            id_column: role(self.id_column.as_deref()),
            split_column: role(self.split_column.as_deref()),
            ignore: self.ignore.clone(),
            categories: self.categories.clone(),
            header: match self.header {
                HeaderArg::Auto => Header::Detect,
                HeaderArg::Present => Header::Present,
                HeaderArg::Absent => Header::Absent,
            },
            delimiter: self.delimiter,
            comment: self.comment,
            decimal: match self.decimal {
                DecimalArg::Point => Decimal::Point,
                DecimalArg::Comma => Decimal::Comma,
            },
            missing: match self.missing {
                MissingArg::Refuse => MissingValues::Refuse,
                MissingArg::Drop => MissingValues::DropRows,
            },
            missing_words: self.missing_word.clone(),
            first_index: self.first_index,
            memory_limit: self.memory_limit.unwrap_or(defaults.memory_limit),
            ..defaults
        }
    }
}

fn role(column: Option<&str>) -> RoleColumn {
    match column {
        None => RoleColumn::Detect,
        Some("none") => RoleColumn::None,
        Some(column) => match column.parse() {
            Ok(column) => RoleColumn::At(column),
            Err(never) => match never {},
        },
    }
}

fn one_byte(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("give one ASCII character, or `tab`".to_owned()),
    }
}

fn gigabytes(text: &str) -> Result<u64, String> {
    let gigabytes: f64 = text.parse().map_err(|_| "give a number of gigabytes, such as 8 or 0.5".to_owned())?;
    if gigabytes > 0.0 && gigabytes.is_finite() {
        // A cast from f64 ends at the largest u64, which is no limit.
        return Ok((gigabytes * BYTES_OF_A_GIGABYTE) as u64);
    }
    Err("give a number of gigabytes above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        reading: ReadingArgs,
    }

    fn options(line: &str) -> ReadOptions {
        let words = std::iter::once("test").chain(line.split_whitespace());
        Line::try_parse_from(words).expect("the line is well formed").reading.options()
    }

    #[test]
    fn without_flags_everything_is_found_out() {
        assert_eq!(format!("{:?}", options("")), format!("{:?}", ReadOptions::default()));
    }

    #[test]
    fn columns_are_names_or_numbers() {
        let options = options("--label-column -1 --id-column none --split-column part --ignore 3");
        assert_eq!(options.label, RoleColumn::At(Column::Number(-1)));
        assert_eq!(options.id_column, RoleColumn::None);
        assert_eq!(options.split_column, RoleColumn::At(Column::Name("part".to_owned())));
        assert_eq!(options.ignore, [Column::Number(3)]);
    }

    #[test]
    fn characters_and_limits_are_checked() {
        assert_eq!(one_byte("tab"), Ok(b'\t'));
        assert_eq!(one_byte(";"), Ok(b';'));
        assert!(one_byte("ä").is_err() && one_byte("").is_err() && one_byte(";;").is_err());
        assert_eq!(gigabytes("0.5"), Ok(500_000_000));
        assert!(gigabytes("0").is_err() && gigabytes("-1").is_err() && gigabytes("nan").is_err());
    }
}
