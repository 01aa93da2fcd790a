//! A data set: points, labels, and what people need to make sense of them.
//!
//! The rows of one split stand together, training first, then validation, then test, so that each is a borrowed block
//! that needs no copying. Row ids say where a row came from, whatever order it now stands in.

use std::ops::Range;
use std::sync::Arc;

use hedgerow_core::{Examples, Label, Point, Points, PointsRef, Task};

use crate::encoding::{Encoding, LabelMeaning, Schema};
use crate::options::Column;
use crate::row_ids::RowIds;
use crate::splits::Split;

/// Points with labels, names, ids and splits.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: String,
    points: Points,
    labels: Vec<Label>,
    class_names: Arc<Vec<String>>,
    label_column: Option<Column>,
    label_position: Option<usize>,
    encoding: Encoding,
    row_ids: RowIds,
    /// Rows of each split, in the order of [`Split::ALL`].
    split_rows: [usize; 3],
    image_shape: Option<ImageShape>,
    attribution: Option<String>,
    dropped_rows: usize,
}

/// Height, width and channels of pictures whose pixels are the features, row by row, channels last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct ImageShape {
    /// Pixels from top to bottom.
    pub height: usize,
    /// Pixels from left to right.
    pub width: usize,
    /// Values of each pixel: 1 for grey, 3 for red, green and blue.
    pub channels: usize,
}

impl ImageShape {
    /// Number of features of a picture.
    pub fn features(&self) -> usize {
        self.height * self.width * self.channels
    }
}

impl std::fmt::Display for ImageShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.height, self.width, self.channels)
    }
}

/// Parts that do not make a data set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Numbers that must agree do not.
    #[error("there are {points} points but {others} {what}; give one for each point")]
    Count {
        /// Number of points.
        points: usize,
        /// Number of the others.
        others: usize,
        /// Labels, row ids or rows of splits.
        what: &'static str,
    },
    /// Names or pixels that do not match the features.
    #[error("the points have {features} features but {what} {others}")]
    Features {
        /// Features of the points.
        features: usize,
        /// Features of the encoding or the pictures.
        others: usize,
        /// What does not match, with its verb.
        what: &'static str,
    },
    /// A class number that cannot be the result of counting.
    #[error("there are {points} points but one is of class {class}; number the classes from 0 on")]
    ClassNumber {
        /// The class.
        class: u32,
        /// Number of points.
        points: usize,
    },
    /// A class without a name.
    #[error("label {class} has no name among the {names} class names; name every class")]
    ClassName {
        /// The class.
        class: u32,
        /// Number of names.
        names: usize,
    },
}

impl Dataset {
    /// A data set of points and labels, all for training, with rows numbered from 0, classes named by their number and
    /// features without names.
    ///
    /// # Errors
    /// [`DatasetError::Count`] unless there is one label for each point; [`DatasetError::ClassNumber`] if classes are not
    /// numbered from 0 on.
    pub fn new(name: impl Into<String>, points: Points, labels: Vec<Label>) -> Result<Self, DatasetError> {
        check_count(points.len(), labels.len(), "labels")?;
        let largest = labels.iter().filter_map(|label| label.as_class()).map(|class| class.0).max();
        // Each number up to the largest gets a name: a number that is out of all proportion would take all memory.
        if let Some(class) = largest.filter(|&class| class > 65_535 && class as usize > labels.len()) {
            return Err(DatasetError::ClassNumber { class, points: points.len() });
        }
        let names = (0..largest.map_or(0, |class| class + 1)).map(|class| class.to_string()).collect();
        Self::with_names(name.into(), points, labels, Arc::new(names))
    }

    /// A data set whose classes have names.
    pub(crate) fn with_names(
        name: String,
        points: Points,
        labels: Vec<Label>,
        class_names: Arc<Vec<String>>,
    ) -> Result<Self, DatasetError> {
        check_count(points.len(), labels.len(), "labels")?;
        Self {
            name,
            encoding: Encoding::matrix(points.width()),
            row_ids: RowIds::counted(points.len()),
            split_rows: [points.len(), 0, 0],
            class_names: Arc::default(),
            label_column: None,
            label_position: None,
            image_shape: None,
            attribution: None,
            dropped_rows: 0,
            points,
            labels,
        }
        .with_shared_class_names(class_names)
    }

    /// The same data under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same data with names for its classes, by their number.
    ///
    /// # Errors
    /// [`DatasetError::ClassName`] if a label has no name.
    pub fn with_class_names(self, class_names: Vec<String>) -> Result<Self, DatasetError> {
        self.with_shared_class_names(Arc::new(class_names))
    }

    fn with_shared_class_names(self, class_names: Arc<Vec<String>>) -> Result<Self, DatasetError> {
        let nameless =
            self.labels.iter().filter_map(|label| label.as_class()).find(|id| id.0 as usize >= class_names.len());
        match nameless {
            Some(class) => Err(DatasetError::ClassName { class: class.0, names: class_names.len() }),
            None => Ok(Self { class_names, ..self }),
        }
    }

    /// The same data with a record of how its columns became features, and of the name that the label column has.
    ///
    /// # Errors
    /// [`DatasetError::Features`] if the numbers of features differ.
    pub fn with_encoding(self, encoding: Encoding, label_column: Option<String>) -> Result<Self, DatasetError> {
        check_features(self.points.width(), encoding.width(), "the encoding has")?;
        Ok(Self { encoding, label_column: label_column.map(Column::Name), label_position: None, ..self })
    }

    /// The same data with a record of where its labels stood.
    pub(crate) fn with_label_place(self, label_column: Option<Column>, label_position: Option<usize>) -> Self {
        Self { label_column, label_position, ..self }
    }

    /// The same data with ids for its rows.
    ///
    /// # Errors
    /// [`DatasetError::Count`] unless there is one for each point.
    pub fn with_row_ids(self, row_ids: RowIds) -> Result<Self, DatasetError> {
        check_count(self.points.len(), row_ids.len(), "row ids")?;
        Ok(Self { row_ids, ..self })
    }

    /// The same data as pictures.
    ///
    /// # Errors
    /// [`DatasetError::Features`] if a picture of this shape has another number of features.
    pub fn with_image_shape(self, shape: ImageShape) -> Result<Self, DatasetError> {
        check_features(self.points.width(), shape.features(), "the pictures have")?;
        Ok(Self { image_shape: Some(shape), ..self })
    }

    /// The same data, whose first rows are for training, the next for validation and the last for testing.
    ///
    /// # Errors
    /// [`DatasetError::Count`] unless the rows add up to all.
    pub fn with_split_rows(self, train: usize, validation: usize, test: usize) -> Result<Self, DatasetError> {
        let sum = train.checked_add(validation).and_then(|sum| sum.checked_add(test)).unwrap_or(usize::MAX);
        check_count(self.points.len(), sum, "rows in the splits")?;
        Ok(Self { split_rows: [train, validation, test], ..self })
    }

    /// The same data with its rows brought into an order in which the splits stand together; rows of one split keep
    /// their order.
    ///
    /// # Errors
    /// [`DatasetError::Count`] unless there is a split for each point.
    pub fn with_splits(self, split_of_row: &[Split]) -> Result<Self, DatasetError> {
        check_count(self.points.len(), split_of_row.len(), "rows in the splits")?;
        let mut order: Vec<usize> = (0..split_of_row.len()).collect();
        order.sort_by_key(|&row| split_of_row[row]); // stable
        let split_rows = Split::ALL.map(|split| split_of_row.iter().filter(|of_row| **of_row == split).count());
        if order.is_sorted() {
            return Ok(Self { split_rows, ..self });
        }
        Ok(Self {
            points: self.points.view().select(&order),
            labels: order.iter().map(|&row| self.labels[row]).collect(),
            row_ids: self.row_ids.select(&order),
            split_rows,
            ..self
        })
    }

    /// The same data with other points: what preprocessing makes of them.
    ///
    /// # Errors
    /// If the numbers of rows or features differ.
    pub fn with_points(self, points: Points) -> Result<Self, DatasetError> {
        check_count(points.len(), self.labels.len(), "labels")?;
        check_features(points.width(), self.encoding.width(), "the encoding has")?;
        Ok(Self { points, ..self })
    }

    /// The same data with a line that says whose it is, to be shown with it.
    #[must_use]
    pub fn with_attribution(self, attribution: impl Into<String>) -> Self {
        Self { attribution: Some(attribution.into()), ..self }
    }

    pub(crate) fn with_dropped_rows(self, dropped_rows: usize) -> Self {
        Self { dropped_rows, ..self }
    }

    /// What the data was called by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows in all splits together.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.points.width()
    }

    /// All points.
    pub fn points(&self) -> PointsRef<'_> {
        self.points.view()
    }

    /// All labels.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Names of the classes, by their number.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// A label as people write it: the name of the class, or the value.
    pub fn label_text(&self, label: Label) -> String {
        match label {
            Label::Class(class) => {
                self.class_names.get(class.0 as usize).cloned().unwrap_or_else(|| class.0.to_string())
            }
            Label::Value(value) => value.to_string(),
            Label::Unlabeled => String::new(),
        }
    }

    /// The name of each feature.
    pub fn feature_names(&self) -> Vec<String> {
        self.encoding.feature_names()
    }

    /// How columns became features.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// What must be recorded to read other data in the same way.
    pub fn schema(&self) -> Schema {
        Schema {
            encoding: self.encoding.clone(),
            label_column: self.label_column.clone(),
            label_position: self.label_position,
            class_names: self.class_names.to_vec(),
            labels: self.label_meaning(),
        }
    }

    /// Whether the labels are classes or values; nothing if there are none.
    pub fn label_meaning(&self) -> Option<LabelMeaning> {
        self.labels.iter().find_map(|label| match label {
            Label::Class(_) => Some(LabelMeaning::Classes),
            Label::Value(_) => Some(LabelMeaning::Values),
            Label::Unlabeled => None,
        })
    }

    /// The task that the labels are for. A tolerance for regression is for the caller to choose; here it is 0.
    pub fn task(&self) -> Task {
        match self.label_meaning() {
            Some(LabelMeaning::Classes) => Task::Classification,
            Some(LabelMeaning::Values) => Task::Regression { epsilon: 0.0 },
            None => Task::Retrieval,
        }
    }

    /// Where the rows came from.
    pub fn row_ids(&self) -> &RowIds {
        &self.row_ids
    }

    /// The shape of the pictures, if these are pictures.
    pub fn image_shape(&self) -> Option<ImageShape> {
        self.image_shape
    }

    /// Whose data it is, if it must be said.
    pub fn attribution(&self) -> Option<&str> {
        self.attribution.as_deref()
    }

    /// Rows that were left out when reading because they lacked a value.
    pub fn dropped_rows(&self) -> usize {
        self.dropped_rows
    }

    /// The rows of one split. Without splits, all rows are for training.
    pub fn rows(&self, split: Split) -> Range<usize> {
        let start = self.split_rows[..split as usize].iter().sum::<usize>();
        start..start + self.split_rows[split as usize]
    }

    /// One split.
    pub fn part(&self, split: Split) -> Part<'_> {
        Part { dataset: self, rows: self.rows(split) }
    }

    /// The rows to learn from.
    pub fn train(&self) -> Part<'_> {
        self.part(Split::Train)
    }

    /// The rows to choose by; empty if there are none.
    pub fn validation(&self) -> Part<'_> {
        self.part(Split::Validation)
    }

    /// The rows to look at once, at the end; empty if there are none.
    pub fn test(&self) -> Part<'_> {
        self.part(Split::Test)
    }

    /// Bytes that points, labels and ids take.
    pub fn size_bytes(&self) -> usize {
        let ids = match &self.row_ids {
            RowIds::Numbers(numbers) => size_of_val(numbers.as_slice()),
            RowIds::Names(names) => names.iter().map(|name| name.len() + size_of::<String>()).sum(),
        };
        self.points.size_bytes() + size_of_val(self.labels.as_slice()) + ids
    }
}

/// The rows of one split, borrowed.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    dataset: &'a Dataset,
    rows: Range<usize>,
}

impl<'a> Part<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The points.
    pub fn points(&self) -> PointsRef<'a> {
        self.dataset.points().slice(self.rows.clone())
    }

    /// The point of one row of this part.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> Point<'a> {
        self.points().row(row)
    }

    /// The labels.
    pub fn labels(&self) -> &'a [Label] {
        &self.dataset.labels[self.rows.clone()]
    }

    /// Points and labels as a structure takes them, with ids that count up from the part's first row in the data set.
    pub fn examples(&self) -> Examples<'a> {
        Examples::new(self.points(), self.labels())
            .expect("a data set has one label for each point")
            .starting_at(hedgerow_core::ExampleId(self.rows.start as u64))
    }

    /// The id of one row of this part, as text.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_id(&self, row: usize) -> String {
        self.dataset.row_ids.text(self.rows.clone().nth(row).expect("the caller names a row of this part"))
    }
}

fn check_count(points: usize, others: usize, what: &'static str) -> Result<(), DatasetError> {
    if points == others { Ok(()) } else { Err(DatasetError::Count { points, others, what }) }
}

fn check_features(features: usize, others: usize, what: &'static str) -> Result<(), DatasetError> {
    if features == others { Ok(()) } else { Err(DatasetError::Features { features, others, what }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Dataset {
        let points = Points::from_u8(2, vec![0, 1, 10, 11, 20, 21, 30, 31]).unwrap();
        Dataset::new("d", points, [0, 1, 0, 1].map(Label::class).to_vec()).unwrap()
    }

    #[test]
    fn without_splits_all_rows_are_for_training() {
        let data = data();
        assert_eq!((data.train().len(), data.validation().len(), data.test().len()), (4, 0, 0));
        assert!(data.test().is_empty() && data.test().points().is_empty());
        assert_eq!(data.class_names(), ["0", "1"]);
        assert_eq!(data.task(), Task::Classification);
        assert_eq!(data.size_bytes(), 8 + 4 * size_of::<Label>() + 4 * 8);
    }

    #[test]
    fn splits_bring_rows_together_and_ids_tell_where_they_were() {
        let split = data().with_splits(&[Split::Test, Split::Train, Split::Test, Split::Validation]).unwrap();
        assert_eq!(split.points().as_u8().unwrap(), [10, 11, 30, 31, 0, 1, 20, 21]);
        assert_eq!(split.labels(), [1, 1, 0, 0].map(Label::class));
        assert_eq!(*split.row_ids(), RowIds::Numbers(vec![1, 3, 0, 2]));
        assert_eq!(split.test().points().as_u8().unwrap(), [0, 1, 20, 21]);
        assert_eq!((split.test().row_id(1), split.test().row(1)), ("2".to_owned(), Point::U8(&[20, 21])));
        // Ids of examples count rows of the data set, so that no two splits share one.
        assert_eq!(split.validation().examples().id(0), hedgerow_core::ExampleId(1));
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let shape = ImageShape { height: 1, width: 3, channels: 1 };
        assert!(matches!(data().with_image_shape(shape), Err(DatasetError::Features { features: 2, others: 3, .. })));
        assert!(matches!(data().with_encoding(Encoding::matrix(1), None), Err(DatasetError::Features { .. })));
        assert!(matches!(
            data().with_class_names(vec!["a".into()]),
            Err(DatasetError::ClassName { class: 1, names: 1 })
        ));
        assert!(matches!(data().with_row_ids(RowIds::counted(3)), Err(DatasetError::Count { others: 3, .. })));
        assert!(data().with_split_rows(usize::MAX, 2, 0).is_err());
        assert!(data().with_split_rows(1, 2, 2).is_err());
        assert!(data().with_splits(&[Split::Train]).is_err());
        let far = Dataset::new("d", Points::from_u8(1, vec![0]).unwrap(), vec![Label::class(u32::MAX)]);
        assert!(matches!(far, Err(DatasetError::ClassNumber { class: u32::MAX, points: 1 })));
        let points = Points::from_u8(1, vec![0, 1]).unwrap();
        assert!(matches!(Dataset::new("d", points, vec![]), Err(DatasetError::Count { points: 2, others: 0, .. })));
    }

    #[test]
    fn labels_are_shown_as_people_write_them() {
        let named = data().with_class_names(vec!["no".into(), "yes".into()]).unwrap();
        assert_eq!(named.label_text(Label::class(1)), "yes");
        assert_eq!(named.label_text(Label::class(9)), "9");
        assert_eq!(named.label_text(Label::Value(0.5)), "0.5");
        assert_eq!(named.label_text(Label::Unlabeled), "");
    }
}
