//! Which columns of a matrix are what. They have no names, only numbers.

use std::ops::Range;

use crate::error::{Place, Problem, ReadError};
use crate::options::{Column, ReadOptions, RoleColumn};

/// Which columns of a matrix are labels, which are features.
#[derive(Debug)]
pub(super) struct Columns {
    total: usize,
    pub(super) label: Option<usize>,
    /// Ranges of the columns that are features, if these are not all.
    pub(super) kept: Option<Vec<Range<usize>>>,
}

impl Columns {
    pub(super) fn choose(
        total: usize,
        pictures: bool,
        options: &ReadOptions,
        place: &Place,
    ) -> Result<Self, ReadError> {
        let format = if pictures { "an array of pictures" } else { "a NumPy array" };
        let no_columns = |role, remedy| place.clone().error(Problem::NoColumns { format, role, remedy });
        let find = |column: &Column, role: &'static str| match column {
            _ if pictures => Err(no_columns(role, "give labels as a second file (labels_from)")),
            Column::Name(_) => Err(no_columns(role, "its columns have no names: give the number, from 0")),
            Column::Number(number) => {
                let from_start = if *number < 0 { number.saturating_add_unsigned(total as u64) } else { *number };
                usize::try_from(from_start).ok().filter(|&at| at < total).ok_or_else(|| {
                    let (asked, available) = (column.to_string(), format!("0 to {}", total - 1));
                    place.clone().error(Problem::NoSuchColumn { role, asked, nearest: None, available })
                })
            }
        };
        if options.id_column.at().is_some() {
            return Err(no_columns("the id", "rows are numbered: leave the id column out"));
        }
        if options.split_column.at().is_some() {
            return Err(no_columns(
                "the split",
                "save an array for each split: x_train, y_train, x_test, y_test in NPZ",
            ));
        }
        if !options.categories.is_empty() {
            return Err(no_columns("categories", "all its values are numbers: save a table (CSV or Parquet) instead"));
        }
        let label = match &options.label {
            RoleColumn::At(column) => Some(find(column, "the label")?),
            RoleColumn::Detect | RoleColumn::None => None,
        };
        let mut left_out =
            options.ignore.iter().map(|column| find(column, "leaving out")).collect::<Result<Vec<_>, _>>()?;
        if let Some(label) = label {
            if left_out.contains(&label) {
                let problem = Problem::TwoRoles { column: label.to_string(), first: "the label", second: "left out" };
                return Err(place.clone().error(problem));
            }
            left_out.push(label);
        }
        if left_out.is_empty() {
            return Ok(Self { total, label, kept: None });
        }
        left_out.sort_unstable();
        left_out.dedup();
        let starts = std::iter::once(0).chain(left_out.iter().map(|&column| column + 1));
        let ends = left_out.iter().copied().chain([total]);
        let kept: Vec<_> = starts.zip(ends).map(|(start, end)| start..end).filter(|range| !range.is_empty()).collect();
        if kept.is_empty() {
            let used = left_out.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            return Err(place.clone().error(Problem::NoFeatures { used }));
        }
        Ok(Self { total, label, kept: Some(kept) })
    }

    /// How many features stand before the label, if that is a column.
    pub(super) fn label_position(&self) -> Option<usize> {
        let label = self.label?;
        let before = |kept: &Range<usize>| kept.end.min(label).saturating_sub(kept.start);
        Some(self.kept.iter().flatten().map(before).sum())
    }

    /// Number of features.
    pub(super) fn width(&self) -> usize {
        self.kept.as_ref().map_or(self.total, |kept| kept.iter().map(Range::len).sum())
    }
}
