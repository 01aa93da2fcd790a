//! Which column of a table is what: label, id, split, feature, or left out.

use std::collections::HashMap;

use crate::error::{Place, Problem, ReadError, listed};
use crate::options::{Column, LabelColumn, ReadOptions};
use crate::suggest::nearest_name;

/// The roles of the columns of a table, by their number in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) label: Option<usize>,
    pub(crate) id: Option<usize>,
    pub(crate) split: Option<usize>,
    /// In the order of the features. With a schema, in its order.
    pub(crate) features: Vec<usize>,
}

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

impl Layout {
    /// Finds the role of each column. `named`: whether `names` come from the file.
    pub(crate) fn of(names: &[String], named: bool, options: &ReadOptions, file: &str) -> Result<Self, ReadError> {
        Self::of_wide(names, &vec![1; names.len()], named, options, file)
    }

    /// As [`Self::of`], for columns of which some are vectors: `widths` are the features of each.
    pub(crate) fn of_wide(
        names: &[String],
        widths: &[usize],
        named: bool,
        options: &ReadOptions,
        file: &str,
    ) -> Result<Self, ReadError> {
        let columns = Columns::new(names, widths, named, file);
        let split = columns.find_optional(options.split_column.as_ref(), "the split")?;
        let mut ignored = vec![false; names.len()];
        for column in &options.ignore {
            ignored[columns.find(column, "leaving out")?] = true;
        }
        let asked = match &options.label {
            LabelColumn::At(column) => Some(columns.find(column, "the label")?),
            _ => None,
        };
        let id = match &options.id_column {
            Some(column) => Some(columns.find(column, "the id")?),
            None => columns.detect_id(options, |at| Some(at) != asked && Some(at) != split && !ignored[at]),
        };
        // A second column of ids is no feature either: the index of pandas beside an id, for instance.
        if named && options.schema.is_none() {
            let wanted = |at: usize| {
                let is = |column: &Column| columns.find(column, "categories").ok() == Some(at);
                Some(at) == id || Some(at) == asked || Some(at) == split || options.categories.iter().any(is)
            };
            for at in (0..names.len()).filter(|&at| is_id_name(&names[at]) && !wanted(at)) {
                ignored[at] = true;
            }
        }
        let free = |column: &usize| Some(*column) != id && Some(*column) != split && !ignored[*column];
        let label = match &options.label {
            LabelColumn::At(_) => asked,
            LabelColumn::None => None,
            LabelColumn::Detect => columns.detect_label(options, (0..names.len()).filter(free).collect()),
        };
        let roles = [(label, "the label"), (id, "the id"), (split, "the split")];
        for (at, (first, first_role)) in roles.iter().enumerate() {
            let clash = roles[at + 1..].iter().find(|(second, _)| first.is_some() && first == second);
            let ignored = first.filter(|column| ignored[*column]).map(|_| "left out");
            if let (Some(column), Some(second)) = (first, clash.map(|(_, role)| *role).or(ignored)) {
                let column = columns.shown(*column);
                return Err(Place::file(file).error(Problem::TwoRoles { column, first: first_role, second }));
            }
        }
        let rest: Vec<usize> = (0..names.len()).filter(free).filter(|column| Some(*column) != label).collect();
        let features = match &options.schema {
            None => rest,
            Some(schema) if schema.encoding.is_named() && named => schema
                .encoding
                .columns()
                .iter()
                .map(|column| columns.find(&Column::Name(column.name().to_owned()), "a feature"))
                .collect::<Result<_, _>>()?,
            Some(schema) => {
                let expected = schema.encoding.columns().len();
                // A matrix that was recorded as one wide column may come back as a table of numbers.
                let matrix = schema.encoding.is_matrix();
                let (expected, got) =
                    if matrix { (schema.encoding.width(), columns.width(&rest)) } else { (expected, rest.len()) };
                if got != expected {
                    let problem = Problem::FeatureCount { expected, got };
                    return Err(Place::file(file).error(problem));
                }
                rest
            }
        };
        // A recorded feature is found by its name, which another role may have taken.
        let in_two = |(column, _): &&(Option<usize>, &str)| column.is_some_and(|column| features.contains(&column));
        if let Some((Some(column), first)) = roles.iter().find(in_two) {
            let column = columns.shown(*column);
            return Err(Place::file(file).error(Problem::TwoRoles { column, first, second: "a feature" }));
        }
        // By a name that two columns have, other data could not be matched.
        let again = |at: &&usize| named && columns.places.get(names[**at].as_str()).is_some_and(|(_, again)| *again);
        if let Some(&at) = features.iter().find(again) {
            return Err(Place::file(file).error(Problem::DuplicateColumn { name: names[at].clone() }));
        }
        let mut seen = vec![false; names.len()];
        if let Some(&column) = features.iter().find(|&&column| std::mem::replace(&mut seen[column], true)) {
            let column = columns.shown(column);
            return Err(Place::file(file).error(Problem::TwoRoles {
                column,
                first: "a feature",
                second: "another feature",
            }));
        }
        if features.is_empty() {
            let used = listed(
                [label, id, split].into_iter().flatten().map(|at| names[at].as_str()).collect::<Vec<_>>().into_iter(),
            );
            return Err(Place::file(file).error(Problem::NoFeatures { used }));
        }
        Ok(Self { label, id, split, features })
    }
}

impl Layout {
    /// The numbers of the given columns.
    pub(crate) fn columns_of(
        names: &[String],
        named: bool,
        asked: &[Column],
        file: &str,
    ) -> Result<Vec<usize>, ReadError> {
        let columns = Columns::new(names, &[], named, file);
        asked.iter().map(|column| columns.find(column, "categories")).collect()
    }
}

struct Columns<'a> {
    names: &'a [String],
    /// Features of each column.
    widths: &'a [usize],
    named: bool,
    file: &'a str,
    /// Where each name is first, and whether it is there again. Tables may have many columns.
    places: HashMap<&'a str, (usize, bool)>,
}

impl<'a> Columns<'a> {
    fn new(names: &'a [String], widths: &'a [usize], named: bool, file: &'a str) -> Self {
        let mut places = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            places.entry(name.as_str()).and_modify(|(_, again)| *again = true).or_insert((at, false));
        }
        Self { names, widths, named, file, places }
    }

    fn find_optional(&self, column: Option<&Column>, role: &'static str) -> Result<Option<usize>, ReadError> {
        column.map(|column| self.find(column, role)).transpose()
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

    /// The label column if nobody named it.
    fn detect_label(&self, options: &ReadOptions, free: Vec<usize>) -> Option<usize> {
        if let Some(schema) = &options.schema {
            // Data to predict often comes without labels: then no column of that name, or just the feature columns.
            return match &schema.label_column {
                Some(Column::Name(name)) if self.named => free.into_iter().find(|&at| self.names[at] == *name),
                _ if self.named && schema.encoding.is_named() => None,
                Some(Column::Number(number)) if !self.named => {
                    // Where it was, if there is one column more than features.
                    let place = usize::try_from(*number).ok().filter(|at| free.contains(at))?;
                    (free.len() == schema.encoding.columns().len() + 1).then_some(place)
                }
                _ => {
                    let matrix = schema.encoding.is_matrix();
                    let (last, rest) = free.split_last()?;
                    let labelled = if matrix {
                        self.width(rest) == schema.encoding.width()
                    } else {
                        rest.len() == schema.encoding.columns().len()
                    };
                    labelled.then_some(*last)
                }
            };
        }
        let named = |name: &str| free.iter().copied().find(|&at| self.names[at].trim().eq_ignore_ascii_case(name));
        let by_name =
            LABEL_NAMES.iter().filter(|name| **name != "y" || named("x").is_none()).find_map(|name| named(name));
        by_name.filter(|_| self.named).or_else(|| free.last().copied())
    }

    /// The id column if nobody named it.
    fn detect_id(&self, options: &ReadOptions, free: impl Fn(usize) -> bool) -> Option<usize> {
        let recorded = options.schema.as_ref().map_or(&[][..], |schema| schema.encoding.columns());
        let is_feature = |name: &str| recorded.iter().any(|column| column.name() == name);
        let is_id = |at: &usize| is_id_name(&self.names[*at]) && !is_feature(&self.names[*at]) && free(*at);
        (0..self.names.len()).filter(|_| self.named).find(is_id)
    }

    fn width(&self, columns: &[usize]) -> usize {
        columns.iter().map(|&column| self.widths[column]).sum()
    }

    fn shown(&self, column: usize) -> String {
        if self.named { format!("\"{}\"", self.names[column]) } else { column.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{Encoding, FeatureColumn, Schema};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
        let mut options = ReadOptions::default();
        change(&mut options);
        options
    }

    #[test]
    fn labels_are_found_by_name_and_else_at_the_end() {
        let layout = Layout::of(&names(&["a", "Class", "b"]), true, &options(|_| ()), "t").unwrap();
        assert_eq!(layout, Layout { label: Some(1), id: None, split: None, features: vec![0, 2] });
        let layout = Layout::of(&names(&["a", "b", "species"]), true, &options(|_| ()), "t").unwrap();
        assert_eq!(layout.label, Some(2));
    }

    #[test]
    fn names_decide_in_their_order_and_coordinates_are_no_labels() {
        let label = |columns: &[&str]| Layout::of(&names(columns), true, &options(|_| ()), "t").unwrap().label;
        assert_eq!(label(&["x", "y", "label"]), Some(2));
        assert_eq!(label(&["class", "y", "label"]), Some(2));
        assert_eq!(label(&["a", "y", "b"]), Some(1));
        assert_eq!(label(&["x", "y", "kind"]), Some(2));
        assert_eq!(label(&["Target", "b"]), Some(0));
    }

    #[test]
    fn ids_are_found_by_name_and_never_are_features() {
        for id in ["id", "ID", "row_id", "__index_level_0__"] {
            let layout = Layout::of(&names(&["x", "species", id]), true, &options(|_| ()), "t").unwrap();
            assert_eq!(layout, Layout { label: Some(1), id: Some(2), split: None, features: vec![0] }, "{id}");
        }
        let layout =
            Layout::of(&names(&["id", "x", "kind", "__index_level_0__"]), true, &options(|_| ()), "t").unwrap();
        assert_eq!(layout, Layout { label: Some(2), id: Some(0), split: None, features: vec![1] });
        let asked = options(|options| options.label = LabelColumn::At(Column::Name("id".into())));
        let layout = Layout::of(&names(&["x", "id"]), true, &asked, "t").unwrap();
        assert_eq!((layout.label, layout.id), (Some(1), None));
    }

    #[test]
    fn columns_are_named_or_counted_from_either_end() {
        let asked = options(|options| {
            options.label = LabelColumn::At(Column::Number(0));
            options.id_column = Some(Column::Name("id".into()));
            options.ignore = vec![Column::Number(-1)];
        });
        let layout = Layout::of(&names(&["l", "id", "x", "note"]), true, &asked, "t").unwrap();
        assert_eq!(layout, Layout { label: Some(0), id: Some(1), split: None, features: vec![2] });
    }

    #[test]
    fn a_missing_column_gets_a_suggestion() {
        let asked = options(|options| options.label = LabelColumn::At(Column::Name("speceis".into())));
        let error = Layout::of(&names(&["x", "species"]), true, &asked, "iris.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            "iris.csv: there is no column \"speceis\" for the label (did you mean \"species\"?); \
             the columns are \"x\", \"species\""
        );
        let asked = options(|options| options.label = LabelColumn::At(Column::Number(2)));
        let error = Layout::of(&names(&["0", "1"]), false, &asked, "t").unwrap_err();
        assert!(error.to_string().ends_with("the columns are 0 to 1 (the file has no header)"), "{error}");
    }

    #[test]
    fn two_features_of_one_name_are_refused_and_ignored_ones_are_not() {
        let columns = names(&["x", "x", "b", "y"]);
        let error = Layout::of(&columns, true, &options(|_| ()), "t").unwrap_err();
        assert!(matches!(*error.problem, Problem::DuplicateColumn { .. }), "{error}");
        let asked = options(|options| options.ignore = vec![Column::Number(0), Column::Number(1)]);
        assert_eq!(Layout::of(&columns, true, &asked, "t").unwrap().features, [2]);
    }

    #[test]
    fn a_column_has_one_role() {
        let asked = options(|options| {
            options.label = LabelColumn::At(Column::Number(1));
            options.id_column = Some(Column::Number(1));
        });
        let error = Layout::of(&names(&["x", "y"]), true, &asked, "t").unwrap_err();
        assert!(matches!(*error.problem, Problem::TwoRoles { .. }), "{error}");
        let error = Layout::of(&names(&["y"]), true, &options(|_| ()), "t").unwrap_err();
        assert!(matches!(*error.problem, Problem::NoFeatures { .. }), "{error}");
    }

    #[test]
    fn a_schema_finds_its_columns_in_any_order_and_lives_without_labels() {
        let number = |name: &str| FeatureColumn::Number { name: name.into() };
        let encoding = Encoding::new(vec![number("a"), number("b")], true);
        let schema = Schema { encoding, label_column: Some(Column::Name("y".into())), ..Schema::default() };
        let asked = options(|options| options.schema = Some(schema));
        let layout = Layout::of(&names(&["b", "extra", "a"]), true, &asked, "t").unwrap();
        assert_eq!(layout, Layout { label: None, id: None, split: None, features: vec![2, 0] });
        let layout = Layout::of(&names(&["y", "a", "b"]), true, &asked, "t").unwrap();
        assert_eq!(layout.label, Some(0));
        assert!(Layout::of(&names(&["a", "y"]), true, &asked, "t").is_err());
        let twice = ReadOptions { id_column: Some(Column::Name("a".into())), ..asked.clone() };
        let error = Layout::of(&names(&["a", "b"]), true, &twice, "t").unwrap_err();
        assert!(matches!(*error.problem, Problem::TwoRoles { second: "a feature", .. }), "{error}");
        // Without a header, by position.
        let layout = Layout::of(&names(&["0", "1"]), false, &asked, "t").unwrap();
        assert_eq!((layout.label, layout.features), (None, vec![0, 1]));
        let layout = Layout::of(&names(&["0", "1", "2"]), false, &asked, "t").unwrap();
        assert_eq!(layout.label, Some(2));
        // A label that was not last stays where it was.
        let encoding = Encoding::new(vec![number("1"), number("2")], false);
        let schema = Schema { encoding, label_column: Some(Column::Number(0)), ..Schema::default() };
        let asked = options(|options| options.schema = Some(schema));
        let layout = Layout::of(&names(&["0", "1", "2"]), false, &asked, "t").unwrap();
        assert_eq!((layout.label, layout.features), (Some(0), vec![1, 2]));
        let layout = Layout::of(&names(&["0", "1"]), false, &asked, "t").unwrap();
        assert_eq!((layout.label, layout.features), (None, vec![0, 1]));
    }

    #[test]
    fn a_recorded_matrix_may_come_back_as_a_vector_column() {
        let schema = Schema { encoding: Encoding::matrix(4), ..Schema::default() };
        let asked = options(|options| options.schema = Some(schema));
        let layout = Layout::of_wide(&names(&["point", "digit"]), &[4, 1], true, &asked, "t").unwrap();
        assert_eq!((layout.label, layout.features), (Some(1), vec![0]));
        let layout = Layout::of_wide(&names(&["a", "b"]), &[1, 3], true, &asked, "t").unwrap();
        assert_eq!((layout.label, layout.features), (None, vec![0, 1]));
        assert!(Layout::of_wide(&names(&["point"]), &[5], true, &asked, "t").is_err());
    }
}
