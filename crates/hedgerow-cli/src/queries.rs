//! The rows that a model is asked about, block by block.
//!
//! A file or standard input is read as the rows are needed, in memory that does not grow with it. Named sets, folders and archives of
//! arrays are loaded whole and cut into the same blocks. Labels are not looked at, and may be absent.

use std::io;
use std::ops::Range;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use hedgerow::data::progress::{Act, Progress};
use hedgerow::data::write::ColumnData;
use hedgerow::data::{
    Blocks, DataName, Dataset, Format, LabelKind, ReadOptions, RoleColumn, RowIds, Split, UnknownCategory,
};
use hedgerow::{Model, Points};

use crate::bar::Bar;
use crate::context::Context;
use crate::dataset;
use crate::error::WithHint;
use crate::reading::ReadingArgs;

/// Numbers of a block, at most: what lies between reading and writing stays small beside the model.
const BLOCK_NUMBERS: usize = 1 << 20;

/// Rows of a block, at most and at least.
const BLOCK_ROWS: Range<usize> = 16..8192;

/// What a model is asked about.
#[derive(Debug, Clone, Args)]
pub(crate) struct QueryArgs {
    /// What to ask about: a file, - for standard input, a folder, or a name that `hedgerow data list` has. Columns are found by
    /// the names that they had in the training data; a label column is not looked at and may be absent.
    #[arg(long, short, value_name = "DATA")]
    data: String,

    /// The rows to ask about.
    #[arg(long, value_name = "SPLIT", default_value = "all")]
    split: SplitArg,

    #[command(flatten)]
    matching: MatchingArgs,
}

/// How files are read for a model.
#[derive(Debug, Clone, Args)]
pub(crate) struct MatchingArgs {
    /// What to do with a text in a column of categories that the training data did not have: `refuse` the file and say where,
    /// or take it as none of the known ones (`zeros`).
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    unknown_category: UnknownCategoryArg,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Rows of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitArg {
    All,
    Train,
    Validation,
    Test,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnknownCategoryArg {
    Refuse,
    Zeros,
}

impl SplitArg {
    /// The split; none if all rows are meant.
    pub(crate) fn split(self) -> Option<Split> {
        match self {
            Self::All => None,
            Self::Train => Some(Split::Train),
            Self::Validation => Some(Split::Validation),
            Self::Test => Some(Split::Test),
        }
    }
}

impl MatchingArgs {
    /// How data is read to match what a model was fitted to.
    pub(crate) fn options(&self, model: &Model) -> ReadOptions {
        let unknown_category = match self.unknown_category {
            UnknownCategoryArg::Refuse => UnknownCategory::Refuse,
            UnknownCategoryArg::Zeros => UnknownCategory::Zeros,
        };
        ReadOptions { unknown_category, ..dataset::options_for(model, &self.reading) }
    }

    /// Loads data whole to match what a model was fitted to.
    pub(crate) fn load(&self, model: &Model, name: &str, context: &Context) -> anyhow::Result<Dataset> {
        dataset::load(name, &self.options(model), context)
    }
}

/// Some rows to ask about.
pub(crate) struct Block {
    pub(crate) points: Points,
    pub(crate) ids: RowIds,
}

impl Block {
    /// The rows of a data set that are asked about, in the order in which their source has them.
    fn of(dataset: &Dataset, rows: &[usize]) -> Self {
        let ids = match dataset.row_ids() {
            RowIds::Numbers(numbers) => RowIds::Numbers(rows.iter().map(|&row| numbers[row]).collect()),
            RowIds::Names(names) => RowIds::Names(rows.iter().map(|&row| names[row].clone()).collect()),
        };
        Self { points: dataset.points().select(rows), ids }
    }

    /// The ids as a column, each as often as `times` says.
    pub(crate) fn id_column(&self, times: usize) -> ColumnData {
        let again = |row: usize| std::iter::repeat_n(row, times);
        match &self.ids {
            RowIds::Numbers(numbers) => {
                let numbers = (0..numbers.len()).flat_map(again).map(|row| numbers[row]);
                ColumnData::Integer(numbers.map(|number| i64::try_from(number).unwrap_or(i64::MAX)).collect())
            }
            RowIds::Names(names) => {
                ColumnData::Text((0..names.len()).flat_map(again).map(|row| names[row].clone()).collect())
            }
        }
    }
}

impl QueryArgs {
    /// Does `work` for one block after another, with a bar, until Ctrl-C; gives the number of rows. A block has the fewer rows, the
    /// more numbers each has or, by `answer_width`, gets.
    pub(crate) fn for_each(
        &self,
        model: &Model,
        answer_width: usize,
        context: &Context,
        mut work: impl FnMut(&Block) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let width = model.data().n_features.max(answer_width).max(1);
        let block_rows = (BLOCK_NUMBERS / width).clamp(BLOCK_ROWS.start, BLOCK_ROWS.end);
        let options = self.options(model);
        let mut asked = Asked { split: self.split, data: &self.data, rows: 0, bar: context.bar() };
        match self.blocks(&options, block_rows)? {
            Some(blocks) => {
                let dropped = asked.in_blocks(blocks, &mut work)?;
                dataset::note_dropped(dropped, context);
            }
            None => {
                let dataset = dataset::load(&self.data, &options, context)?;
                asked.loaded(&dataset, block_rows, &mut work)?;
            }
        }
        let Asked { rows, .. } = asked;
        if rows == 0 {
            match self.split.split() {
                Some(split) => {
                    return Err(anyhow::anyhow!("{} has no {split} rows", self.data))
                        .hint("--split all asks about all");
                }
                None => context.warn(format_args!("{} has no rows", self.data)),
            }
        }
        Ok(rows)
    }

    /// How the data is read. Labels stay out: their column is found, so that it is no feature, but not what is in it.
    fn options(&self, model: &Model) -> ReadOptions {
        let mut options = self.matching.options(model);
        options.label_kind = LabelKind::Ignored;
        if options.labels_from.take().is_some() && options.label == RoleColumn::Detect {
            options.label = RoleColumn::None;
        }
        // Rows of one split would be brought together; if all are asked about, their order stays that of the file.
        let is_named = model.encoding().is_named();
        if self.split == SplitArg::All && options.split_column == RoleColumn::Detect && is_named {
            options.split_column = RoleColumn::None;
        }
        options
    }

    /// The rows of a file or a stream, as they come; nothing for data that is loaded whole.
    fn blocks(&self, options: &ReadOptions, rows: usize) -> anyhow::Result<Option<Blocks>> {
        Ok(match DataName::parse(&self.data).map_err(dataset::with_hint)? {
            DataName::StandardInput if options.format != Some(Format::Npz) => {
                Some(Blocks::from_stream("-", Box::new(io::stdin()), rows, options)?)
            }
            DataName::Path(path) if !path.is_dir() => {
                let is_archive = options.format.or_else(|| Format::from_path(&path)) == Some(Format::Npz);
                if is_archive { None } else { Some(Blocks::open(path, rows, options)?) }
            }
            _ => None,
        })
    }
}

/// How far asking is.
struct Asked<'a> {
    split: SplitArg,
    data: &'a str,
    rows: u64,
    bar: Bar<'a>,
}

impl Asked<'_> {
    fn in_blocks(
        &mut self,
        mut blocks: Blocks,
        work: &mut impl FnMut(&Block) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        while let Some(dataset) = blocks.next() {
            let dataset = dataset?;
            self.ask(&dataset, &rows_of(&dataset, self.split), work)?;
            let (done_bytes, total_bytes) = (blocks.bytes_done(), blocks.total_bytes());
            let progress = Progress { act: Act::Reading, what: self.data, done_bytes, total_bytes };
            if self.bar.hear(&progress).is_break() {
                bail!("stopped after {} rows", self.rows);
            }
        }
        Ok(blocks.dropped_rows())
    }

    fn loaded(
        &mut self,
        dataset: &Dataset,
        block_rows: usize,
        work: &mut impl FnMut(&Block) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let rows = rows_of(dataset, self.split);
        for block in rows.chunks(block_rows) {
            self.ask(dataset, block, work)?;
            if self.bar.step("asking", self.rows, Some(rows.len() as u64), "rows").is_break() {
                bail!("stopped after {} of {} rows", self.rows, rows.len());
            }
        }
        Ok(())
    }

    fn ask(
        &mut self,
        dataset: &Dataset,
        rows: &[usize],
        work: &mut impl FnMut(&Block) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let done = work(&Block::of(dataset, rows));
        // Where the first rows fail, all do, and the reason says enough.
        if self.rows == 0 { done } else { done.with_context(|| self.place()) }?;
        self.rows += rows.len() as u64;
        Ok(())
    }

    fn place(&self) -> String {
        format!("the rows of {} after the first {} cannot be answered", self.data, self.rows)
    }
}

/// The rows of a split, in the order of the source where that is known.
fn rows_of(dataset: &Dataset, split: SplitArg) -> Vec<usize> {
    match (split.split(), dataset.row_ids()) {
        (Some(split), _) => dataset.rows(split).collect(),
        (None, RowIds::Numbers(numbers)) => {
            let mut rows: Vec<usize> = (0..dataset.len()).collect();
            rows.sort_by_key(|&row| numbers[row]);
            rows
        }
        (None, RowIds::Names(_)) => (0..dataset.len()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow::data::read_bytes;

    #[test]
    fn rows_come_in_the_order_of_their_source() {
        let text = "x,split,class\n0,test,a\n1,train,b\n2,test,a\n3,validation,b\n";
        let dataset = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).expect("it is a table");
        let block = |split| Block::of(&dataset, &rows_of(&dataset, split));
        assert_eq!(block(SplitArg::All).points.view().as_f32(), Some(&[0.0, 1.0, 2.0, 3.0][..]));
        assert_eq!(block(SplitArg::Test).ids, RowIds::Numbers(vec![0, 2]));
        assert_eq!(block(SplitArg::Test).id_column(2), ColumnData::Integer(vec![0, 0, 2, 2]));
    }
}
