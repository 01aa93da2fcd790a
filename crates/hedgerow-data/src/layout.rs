//! Which column of a table is what: label, id, split, feature, or left out. Decided here alone, for text tables and Parquet
//! alike, so that one table means the same in both.

use std::collections::HashMap;

use crate::encoding::{FeatureColumn, Schema};
use crate::error::{Place, Problem, ReadError, listed};
use crate::options::{Column, ReadOptions, RoleColumn};
use crate::suggest::nearest_name;

/// The roles of the columns of a table, by their number in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) label: Option<usize>,
    pub(crate) id: Option<usize>,
    pub(crate) split: Option<usize>,
    /// In the order of the features. With a schema, in its order.
    pub(crate) features: Vec<usize>,
    /// For each of the features, the recorded column that it is or is a part of. Empty without a schema.
    pub(crate) recorded: Vec<usize>,
    /// Columns left out because they have neither a name nor, so far, a value.
    pub(crate) blank: Vec<usize>,
    /// For each column, whether it was said to hold categories.
    pub(crate) is_category: Vec<bool>,
}

impl Layout {
    /// How many fields of features stand before the label, if `width` says how many a column has.
    pub(crate) fn label_position(&self, width: impl Fn(usize) -> usize) -> Option<usize> {
        let label = self.label?;
        Some(self.features.iter().filter(|&&at| at < label).map(|&at| width(at)).sum())
    }

    /// Checks that recorded columns come in as many fields as they had; else a column of them, and the problem.
    pub(crate) fn check_fields(&self, schema: &Schema, width: impl Fn(usize) -> usize) -> Result<(), (usize, Problem)> {
        let columns = schema.encoding.columns();
        let mut fields = vec![0_usize; columns.len()];
        let pairs = || self.features.iter().zip(&self.recorded);
        pairs().for_each(|(&at, &recorded)| fields[recorded] += width(at));
        let differs = |(_, recorded): &(&usize, &usize)| fields[**recorded] != columns[**recorded].fields();
        match pairs().find(differs) {
            None => Ok(()),
            Some((&at, &recorded)) => {
                let (expected, got) = (columns[recorded].fields(), fields[recorded]);
                Err((at, Problem::FeatureCount { expected, got }))
            }
        }
    }
}

/// Rows that are looked at to find out what columns hold.
pub(crate) const FIRST_ROWS: usize = 1000;

/// Names by which a label column is recognised, the first that is there. `y` only where no `x` is beside it, since then it
/// is a coordinate.
const LABEL_NAMES: [&str; 6] = ["label", "labels", "class", "target", "targets", "y"];

/// Whether a name is that of a label column, in any case.
pub(crate) fn is_label_name(name: &str) -> bool {
    LABEL_NAMES.iter().any(|label| name.trim().eq_ignore_ascii_case(label))
}

/// Whether a name is that of an id column: `id`, `row_id`, or the index that pandas writes into Parquet.
fn is_id_name(name: &str) -> bool {
    let name = name.trim();
    name.eq_ignore_ascii_case("id") || name.eq_ignore_ascii_case("row_id") || name.starts_with("__index_level_")
}

/// The columns of a table, as a reader knows them before their roles are decided.
pub(crate) struct Columns<'a> {
    names: &'a [String],
    named: bool,
    file: &'a str,
    /// Fields of each column, if some are vectors.
    widths: &'a [usize],
    nameless: &'a [Nameless],
    /// Where each name is first, and whether it is there again. Tables may have many columns.
    places: HashMap<&'a str, (usize, bool)>,
}

/// A column without a name in a table with names, or at the right end of one without, if it is empty.
pub(crate) struct Nameless {
    pub(crate) at: usize,
    /// Whether its first rows have values.
    pub(crate) has_values: bool,
}

impl<'a> Columns<'a> {
    /// `named`: whether the names come from the file.
    pub(crate) fn new(names: &'a [String], named: bool, file: &'a str) -> Self {
        let mut places = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            places.entry(name.as_str()).and_modify(|(_, again)| *again = true).or_insert((at, false));
        }
        Self { names, named, file, widths: &[], nameless: &[], places }
    }

    /// The same columns, of which some are vectors.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "text tables have no vectors"))]
    pub(crate) fn with_widths(self, widths: &'a [usize]) -> Self {
        Self { widths, ..self }
    }

    /// The same columns, of which some have no name of their own.
    pub(crate) fn with_nameless(self, nameless: &'a [Nameless]) -> Self {
        Self { nameless, ..self }
    }

    /// Whether all recorded features are here by name.
    pub(crate) fn has_recorded_names(&self, schema: &Schema) -> bool {
        schema.encoding.is_named() && self.by_name(schema).is_ok()
    }

    /// For each column, whether it is one of those asked for.
    pub(crate) fn marked(&self, asked: &[Column], role: &'static str) -> Result<Vec<bool>, ReadError> {
        let mut marked = vec![false; self.names.len()];
        for column in asked {
            marked[self.find(column, role)?] = true;
        }
        Ok(marked)
    }

    /// Finds the role of each column. `holds_splits` says whether the first rows of a column have nothing but words for
    /// splits; it is asked about a column of that name only.
    pub(crate) fn layout(
        &self,
        options: &ReadOptions,
        holds_splits: impl Fn(usize) -> Result<bool, ReadError>,
    ) -> Result<Layout, ReadError> {
        let schema = options.schema.as_ref();
        let is_category = self.marked(&options.categories, "categories")?;
        let mut ignored = self.marked(&options.ignore, "leaving out")?;
        let asked = |role: &RoleColumn, name| role.at().map(|column| self.find(column, name)).transpose();
        let label = asked(&options.label, "the label")?;
        let mut id = asked(&options.id_column, "the id")?;
        let mut split = asked(&options.split_column, "the split")?;
        let by_name = match schema.filter(|schema| self.named && schema.encoding.is_named()) {
            Some(schema) => Some(self.by_name(schema)?),
            None => None,
        };
        // Nothing is detected in a column that is wanted for something else.
        let mut wanted: Vec<bool> = ignored.iter().zip(&is_category).map(|(ignored, is)| *ignored || *is).collect();
        let recorded_label = schema.and_then(|schema| self.recorded_label_name(schema));
        let features = by_name.iter().flatten().map(|(at, _)| *at);
        let roles = [label, id, split, recorded_label].into_iter().flatten();
        features.chain(roles).for_each(|at| wanted[at] = true);
        if options.id_column == RoleColumn::Detect {
            id = self.detect_id(|at| !wanted[at]);
            id.into_iter().for_each(|at| wanted[at] = true);
        }
        if options.split_column == RoleColumn::Detect {
            for at in self.named_columns().filter(|&at| self.names[at].trim().eq_ignore_ascii_case("split")) {
                if split.is_none() && !wanted[at] && holds_splits(at)? {
                    (split, wanted[at]) = (Some(at), true);
                }
            }
        }
        // What spreadsheets leave at the right is nothing.
        let is_blank = |column: &&Nameless| !column.has_values && !wanted[column.at];
        let mut blank: Vec<usize> = self.nameless.iter().filter(is_blank).map(|column| column.at).collect();
        if let Some(schema) = schema.filter(|_| !self.named) {
            // Without names, it may as well be the label or a feature that all rows lack, unless there are more than those.
            let n_used =
                (0..self.names.len()).filter(|&at| !ignored[at] && Some(at) != id && Some(at) != split).count();
            let n_more = n_used.saturating_sub(schema.encoding.fields().saturating_add(1));
            blank.drain(..blank.len().saturating_sub(n_more));
        }
        blank.iter().for_each(|&at| ignored[at] = true);
        // A second column of ids is no feature either: the index of pandas beside an id, for instance.
        if by_name.is_none() && options.id_column != RoleColumn::None {
            let ids = self.named_columns().filter(|&at| is_id_name(&self.names[at]) && !wanted[at]);
            ids.for_each(|at| ignored[at] = true);
        }
        let mut rest: Vec<usize> =
            (0..self.names.len()).filter(|&at| !ignored[at] && Some(at) != id && Some(at) != split).collect();
        let label = match (&options.label, schema) {
            (RoleColumn::Detect, _) if options.labels_from.is_some() => None,
            (RoleColumn::Detect, Some(schema)) => self.recorded_label(schema, &rest)?,
            (RoleColumn::Detect, None) => self.detect_label(&rest),
            _ => label,
        };
        rest.retain(|&at| Some(at) != label);
        let matched_by_name = by_name.is_some();
        let (features, recorded) = match (by_name, schema) {
            (Some(by_name), _) => by_name.into_iter().unzip(),
            (None, Some(schema)) => {
                let recorded = self.by_position(schema, &rest)?;
                (rest, recorded)
            }
            (None, None) => (rest, Vec::new()),
        };
        // Beside recorded names, a column more is left out whatever it has.
        let blank = if matched_by_name { Vec::new() } else { blank };
        let layout = Layout { label, id, split, features, recorded, blank, is_category };
        self.check(&layout, &ignored)?;
        Ok(layout)
    }

    /// Refuses columns of two roles, features of one name, and tables without features.
    fn check(&self, layout: &Layout, ignored: &[bool]) -> Result<(), ReadError> {
        let Layout { label, id, split, features, .. } = layout;
        let two_roles = |column: usize, first, second| {
            Err(Place::file(self.file).error(Problem::TwoRoles { column: self.shown(column), first, second }))
        };
        let roles = [(*label, "the label"), (*id, "the id"), (*split, "the split")];
        for (at, (first, first_role)) in roles.iter().enumerate() {
            let Some(column) = *first else { continue };
            let clash = roles[at + 1..].iter().find(|(second, _)| first == second).map(|(_, role)| *role);
            if let Some(second) = clash.or_else(|| ignored[column].then_some("left out")) {
                return two_roles(column, first_role, second);
            }
            // A recorded feature is found by its name, which another role may have taken.
            if features.contains(&column) {
                return two_roles(column, first_role, "a feature");
            }
        }
        let mut seen = vec![false; self.names.len()];
        for &at in features {
            if ignored[at] {
                return two_roles(at, "a feature", "left out");
            }
            // By a name that two columns have, other data could not be matched.
            if self.named && self.places.get(self.names[at].as_str()).is_some_and(|(_, again)| *again) {
                return Err(Place::file(self.file).error(Problem::DuplicateColumn { name: self.names[at].clone() }));
            }
            if std::mem::replace(&mut seen[at], true) {
                return two_roles(at, "a feature", "another feature");
            }
        }
        if features.is_empty() {
            let used: Vec<&str> = roles.iter().filter_map(|(at, _)| at.map(|at| self.names[at].as_str())).collect();
            return Err(Place::file(self.file).error(Problem::NoFeatures { used: listed(used.into_iter()) }));
        }
        Ok(())
    }

    fn find(&self, column: &Column, role: &'static str) -> Result<usize, ReadError> {
        let found = match column {
            Column::Name(name) => match self.places.get(name.as_str()) {
                Some((_, true)) => {
                    return Err(Place::file(self.file).error(Problem::DuplicateColumn { name: name.clone() }));
                }
                found => found.map(|(at, _)| *at),
            },
            Column::Number(number) => {
                let from_start = if *number < 0 { *number + self.names.len() as i64 } else { *number };
                usize::try_from(from_start).ok().filter(|&at| at < self.names.len())
            }
        };
        found.ok_or_else(|| {
            let nearest = match column {
                Column::Name(name) => nearest_name(name, self.names.iter().map(String::as_str)).map(str::to_owned),
                Column::Number(_) => None,
            };
            let available = if self.named {
                listed(self.names.iter().map(String::as_str))
            } else {
                format!("0 to {} (the file has no header)", self.names.len().saturating_sub(1))
            };
            Place::file(self.file).error(Problem::NoSuchColumn { role, asked: column.to_string(), nearest, available })
        })
    }

    /// The columns that recorded features are in, by name, each with the number of the recorded one.
    fn by_name(&self, schema: &Schema) -> Result<Vec<(usize, usize)>, ReadError> {
        let find = |name: String| self.find(&Column::Name(name), "a feature");
        let mut features = Vec::new();
        for (recorded, column) in schema.encoding.columns().iter().enumerate() {
            match column {
                // As text tables have a vector: a column for each of its numbers.
                FeatureColumn::Vector { name, width }
                    if !self.places.contains_key(name.as_str())
                        && self.places.contains_key(format!("{name}[0]").as_str()) =>
                {
                    for at in 0..*width {
                        features.push((find(format!("{name}[{at}]"))?, recorded));
                    }
                }
                other => features.push((find(other.name().to_owned())?, recorded)),
            }
        }
        Ok(features)
    }

    /// The recorded column that each of the columns is or is a part of, in their order.
    fn by_position(&self, schema: &Schema, columns: &[usize]) -> Result<Vec<usize>, ReadError> {
        let differ = |expected, got| Place::file(self.file).error(Problem::FeatureCount { expected, got });
        let (expected, got) = (schema.encoding.fields(), self.width(columns));
        if expected != got {
            return Err(differ(expected, got));
        }
        let recorded = schema.encoding.columns().iter().enumerate();
        let mut owners = recorded.flat_map(|(at, column)| std::iter::repeat_n(at, column.fields()));
        let owner = |&column: &usize| {
            let width = self.width(&[column]);
            let mut owners = owners.by_ref().take(width);
            let first = owners.next().ok_or_else(|| differ(1, width))?;
            // A vector that goes on into the next recorded column.
            let n_same = 1 + owners.filter(|owner| *owner == first).count();
            if n_same == width { Ok(first) } else { Err(differ(n_same, width)) }
        };
        columns.iter().map(owner).collect()
    }

    /// The label column if nobody named it and nothing is recorded: by its name, else the last.
    fn detect_label(&self, free: &[usize]) -> Option<usize> {
        self.label_by_name(free).or_else(|| free.last().copied())
    }

    /// The column that has a name of label columns.
    fn label_by_name(&self, free: &[usize]) -> Option<usize> {
        let named = |name: &str| free.iter().copied().find(|&at| self.names[at].trim().eq_ignore_ascii_case(name));
        let by_name =
            LABEL_NAMES.iter().filter(|name| **name != "y" || named("x").is_none()).find_map(|name| named(name));
        by_name.filter(|_| self.named)
    }

    /// The column that has the recorded name of the label.
    fn recorded_label_name(&self, schema: &Schema) -> Option<usize> {
        match &schema.label_column {
            Some(Column::Name(name)) if self.named => self.places.get(name.as_str()).map(|(at, _)| *at),
            _ => None,
        }
    }

    /// The label column by what is recorded of it. Data to predict often comes without labels: then there is no column of
    /// that name or, where names do not tell, there are just the features. With one field more, the label is the column of
    /// a usual name, else where it was, else the only one that is no vector. Of a record without a place, a label that had
    /// a name was the last. If nothing is known, no column is taken: with the wrong one, all features would be shifted.
    fn recorded_label(&self, schema: &Schema, free: &[usize]) -> Result<Option<usize>, ReadError> {
        if let Some(at) = self.recorded_label_name(schema).filter(|at| free.contains(at)) {
            return Ok(Some(at));
        }
        let told_by_name = self.named && schema.encoding.is_named();
        let features = schema.encoding.fields();
        if told_by_name || Some(self.width(free)) != features.checked_add(1) {
            return Ok(None);
        }
        let position = schema.label_position.or(match schema.label_column {
            Some(Column::Number(number)) => usize::try_from(number).ok(),
            _ => None,
        });
        let mut before = 0;
        let is_there = |at: &&usize| {
            let begin = before;
            before += self.width(&[**at]);
            Some(begin) == position
        };
        let is_one = |at: &usize| self.width(&[*at]) == 1;
        let there = free.iter().find(is_there).copied().filter(is_one);
        let mut ones = free.iter().copied().filter(is_one);
        // A vector is no label: that it has one number more than there were is told by whoever counts the features.
        let Some(last) = ones.next_back() else { return Ok(None) };
        let was_last = position.is_none() && schema.label_column.is_some();
        let last = (was_last || ones.next().is_none()).then_some(last);
        let found = self.label_by_name(free).filter(is_one).or(there).or(last);
        found.map(Some).ok_or_else(|| Place::file(self.file).error(Problem::UnclearLabel { features }))
    }

    /// The id column if nobody named it: what pandas writes before the first name, else the first of a known name.
    fn detect_id(&self, free: impl Fn(usize) -> bool) -> Option<usize> {
        let index = self.nameless.iter().any(|column| column.at == 0 && column.has_values);
        if index && self.names.len() > 1 && free(0) {
            return Some(0);
        }
        self.named_columns().find(|&at| is_id_name(&self.names[at]) && free(at))
    }

    /// All columns if they have names of their own, else none.
    fn named_columns(&self) -> std::ops::Range<usize> {
        0..if self.named { self.names.len() } else { 0 }
    }

    /// Fields of some columns together.
    fn width(&self, columns: &[usize]) -> usize {
        columns.iter().map(|&column| self.widths.get(column).copied().unwrap_or(1)).sum()
    }

    fn shown(&self, column: usize) -> String {
        if self.named { format!("\"{}\"", self.names[column]) } else { column.to_string() }
    }
}

#[cfg(test)]
mod tests;
