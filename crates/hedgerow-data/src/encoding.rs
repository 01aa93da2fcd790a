//! How the columns of a file become features, recorded so that later data is read in the same way.
//!
//! A column of numbers is one feature. A column of texts (a category) is one feature for each text it had, 1 where the
//! row has that text and 0 elsewhere. A vector column is as many features as it is wide. Scaling is apart, in
//! [`crate::preprocessing`].

use serde::{Deserialize, Serialize};

use crate::options::Column;

/// The name that the points of a plain matrix have where a format asks for one (JSON Lines, Parquet). A table whose only
/// features are a vector column of this name is read as a plain matrix again.
pub(crate) const MATRIX_COLUMN: &str = "point";

/// What must be known of training data to read other data in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The feature columns.
    pub encoding: Encoding,
    /// The label column: its name, or its number where columns have no names.
    pub label_column: Option<Column>,
    /// How many fields of features stood before the label: where it is looked for in a table without names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_position: Option<usize>,
    /// The classes, by their number. A label that is not among them becomes a new class after them.
    pub class_names: Vec<String>,
    /// Whether labels are classes or values; nothing if there were none.
    pub labels: Option<LabelMeaning>,
}

/// What the labels of a data set turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelMeaning {
    /// Classes.
    Classes,
    /// Numbers.
    Values,
}

/// The feature columns of a data set, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    columns: Vec<FeatureColumn>,
    /// Whether the names come from the file. If so, other files are matched by name, else by position.
    named: bool,
    /// The first index of svmlight data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_index: Option<u8>,
}

/// A column of the file, and what it becomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FeatureColumn {
    /// One number: one feature.
    Number {
        /// Name of the column.
        name: String,
    },
    /// One of several texts: a feature for each.
    Category {
        /// Name of the column.
        name: String,
        /// The texts, in the order of their features: sorted.
        texts: Vec<String>,
    },
    /// A list of numbers: a feature for each.
    Vector {
        /// Name of the column; empty if the whole file is one matrix.
        name: String,
        /// Number of features.
        width: usize,
    },
}

impl FeatureColumn {
    /// The name of the column in the file.
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name } | Self::Category { name, .. } | Self::Vector { name, .. } => name,
        }
    }

    /// Number of fields that the column has in a row of text: a category has one, a vector one for each number.
    pub(crate) fn fields(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Category { .. } => 1,
            Self::Vector { width, .. } => *width,
        }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Category { texts, .. } => texts.len(),
            Self::Vector { width, .. } => *width,
        }
    }
}

impl Encoding {
    /// Records columns whose names come from a file (`named`) or were made up.
    pub fn new(columns: Vec<FeatureColumn>, named: bool) -> Self {
        Self { columns, named, first_index: None }
    }

    /// A matrix: all features are numbers without names.
    pub fn matrix(width: usize) -> Self {
        Self::new(vec![FeatureColumn::Vector { name: String::new(), width }], false)
    }

    pub(crate) fn with_first_index(self, first_index: Option<u8>) -> Self {
        Self { first_index, ..self }
    }

    /// The first index of svmlight data, if it was read from such.
    pub fn first_index(&self) -> Option<u8> {
        self.first_index
    }

    /// The columns.
    pub fn columns(&self) -> &[FeatureColumn] {
        &self.columns
    }

    /// Whether the names come from the file.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Number of fields in a row of text.
    pub(crate) fn fields(&self) -> usize {
        self.columns.iter().fold(0, |fields, column| fields.saturating_add(column.fields()))
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        // A record may come from a file that somebody damaged: then no data will match it.
        self.columns.iter().fold(0, |width, column| width.saturating_add(column.width()))
    }

    /// For each feature, whether it is a number rather than the mark of a category. Scaling touches numbers only.
    pub fn numbers(&self) -> Vec<bool> {
        let number = |column: &FeatureColumn| !matches!(column, FeatureColumn::Category { .. });
        self.columns.iter().flat_map(|column| std::iter::repeat_n(number(column), column.width())).collect()
    }

    /// The name of each feature: `age`, `color=red`, `embedding[3]`, or just its number in a matrix.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.width());
        for column in &self.columns {
            match column {
                FeatureColumn::Number { name } => names.push(name.clone()),
                FeatureColumn::Category { name, texts } => {
                    names.extend(texts.iter().map(|text| format!("{name}={text}")));
                }
                FeatureColumn::Vector { name, width } if name.is_empty() => {
                    names.extend((0..*width).map(|at| at.to_string()));
                }
                FeatureColumn::Vector { name, width } => names.extend((0..*width).map(|at| format!("{name}[{at}]"))),
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_named_after_their_columns() {
        let encoding = Encoding::new(
            vec![
                FeatureColumn::Number { name: "age".into() },
                FeatureColumn::Category { name: "color".into(), texts: vec!["blue".into(), "red".into()] },
                FeatureColumn::Vector { name: "embedding".into(), width: 2 },
            ],
            true,
        );
        assert_eq!(encoding.feature_names(), ["age", "color=blue", "color=red", "embedding[0]", "embedding[1]"]);
        assert_eq!(encoding.numbers(), [true, false, false, true, true]);
        assert_eq!(encoding.width(), 5);
        assert_eq!(Encoding::matrix(2).feature_names(), ["0", "1"]);
    }

    #[test]
    fn a_schema_survives_json() {
        let schema = Schema {
            encoding: Encoding::matrix(3),
            label_column: Some(Column::Name("y".into())),
            label_position: Some(0),
            class_names: vec!["a".into(), "b".into()],
            labels: Some(LabelMeaning::Classes),
        };
        let text = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), schema);
    }
}
