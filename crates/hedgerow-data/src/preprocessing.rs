//! Preprocessing: recorded steps, fitted on the training rows only, that can be applied to other data and undone.
//!
//! The features of pictures share one offset and scale, so that the picture stays one; columns of a table have their
//! own. Scaling leaves the 0 and 1 of a category as they are; dividing a row by its length divides them, too. Not for turning columns into features: see [`crate::encoding`].

use hedgerow_core::{PointKind, Points, PointsError, PointsRef};
use serde::{Deserialize, Serialize};

use crate::dataset::Dataset;

/// A kind of preprocessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// To 0 (the smallest training value) up to 1 (the largest).
    UnitRange,
    /// To mean 0 and variance 1 over the training rows.
    Standardize,
    /// Each row to Euclidean length 1. A row of zeros stays one.
    UnitLength,
}

/// Steps that were fitted, in the order in which they are applied. Without steps, points stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preprocessing {
    steps: Vec<Step>,
    width: usize,
    /// Whether the points were bytes, which undoing gives back.
    bytes: bool,
}

/// One fitted step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    /// `(value - offset) / scale`, with one pair for each feature, or one for all.
    Shift { scaling: Scaling, offset: Vec<f32>, scale: Vec<f32> },
    /// The row divided by its length.
    UnitLength,
}

/// Points after preprocessing, with what is needed to undo it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The points.
    pub points: Points,
    /// For each step that divides rows by their length, the lengths.
    pub row_lengths: Vec<Vec<f32>>,
}

/// Why preprocessing could not be fitted, applied or undone.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PreprocessError {
    /// There is nothing to fit to.
    #[error("the data set {name} has no training rows to fit the preprocessing to; give it a training split")]
    NoTrainingRows {
        /// The data set.
        name: String,
    },
    /// Other features than it was fitted to.
    #[error(
        "the points have {got} features but the preprocessing was fitted to {expected}; read the data in the same way"
    )]
    FeatureCount {
        /// Features it was fitted to.
        expected: usize,
        /// Features of these points.
        got: usize,
    },
    /// Lengths that do not belong to the points.
    #[error("{got} lists of row lengths were given but {expected} are needed, each with one length for each row")]
    RowLengths {
        /// Lists needed.
        expected: usize,
        /// Lists given.
        got: usize,
    },
    /// A value leaves the range of usable numbers.
    #[error("after preprocessing, {0}")]
    Points(#[from] PointsError),
}

impl Preprocessing {
    /// No steps: points of this width and kind stay as they are.
    pub fn none(width: usize, kind: PointKind) -> Self {
        Self { steps: Vec::new(), width, bytes: kind == PointKind::U8 }
    }

    /// Fits steps to the training rows of a data set, each to what the steps before it make of them.
    ///
    /// # Errors
    /// [`PreprocessError::NoTrainingRows`].
    ///
    /// # Example
    /// ```
    /// use hedgerow_data::{embedded::optdigits, Preprocessing, Scaling};
    ///
    /// let digits = optdigits();
    /// let scale = Preprocessing::fit(&digits, &[Scaling::UnitRange])?;
    /// let prepared = scale.apply(digits.test().points())?;
    /// let values = prepared.points.view().as_f32().ok_or("scaled values are f32")?;
    /// assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
    /// assert_eq!(scale.undo(&prepared)?.view(), digits.test().points());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(dataset: &Dataset, scalings: &[Scaling]) -> Result<Self, PreprocessError> {
        let train = dataset.train().points();
        if train.is_empty() {
            return Err(PreprocessError::NoTrainingRows { name: dataset.name().to_owned() });
        }
        let shared = dataset.image_shape().is_some();
        let touched = dataset.encoding().numbers();
        let mut fitted = Self::none(train.width(), train.kind());
        for (at, scaling) in scalings.iter().enumerate() {
            let step = match scaling {
                Scaling::UnitLength => Step::UnitLength,
                scaling if at == 0 => fit_shift(train, *scaling, shared, &touched),
                scaling => fit_shift(fitted.apply(train)?.points.view(), *scaling, shared, &touched),
            };
            fitted.steps.push(step);
        }
        Ok(fitted)
    }

    /// The kinds of the steps, in order.
    pub fn scalings(&self) -> Vec<Scaling> {
        let scaling = |step: &Step| match step {
            Step::Shift { scaling, .. } => *scaling,
            Step::UnitLength => Scaling::UnitLength,
        };
        self.steps.iter().map(scaling).collect()
    }

    /// What each feature is divided by, one number for each, by the steps before any that divides rows by their length: after
    /// [`Scaling::Standardize`] its standard deviation. Nothing where no step scales features.
    pub fn spreads(&self) -> Option<Vec<f32>> {
        let shifts = self.steps.iter().map_while(|step| match step {
            Step::Shift { scale, .. } => Some(scale),
            Step::UnitLength => None,
        });
        shifts.fold(None, |spreads, scale| {
            let mut spreads = spreads.unwrap_or_else(|| vec![1.0; self.width]);
            let scales = scale.iter().cycle();
            spreads.iter_mut().zip(scales).for_each(|(spread, scale)| *spread *= scale);
            Some(spreads)
        })
    }

    /// Whether it is for points of this width and kind, and each step has numbers for all features that can be divided by. One that was fitted
    /// is; one from a file may say anything.
    pub fn is_for(&self, width: usize, kind: PointKind) -> bool {
        let fits = |step: &Step| match step {
            Step::Shift { offset, scale, .. } => {
                offset.len() == scale.len()
                    && (scale.len() == width || scale.len() == 1)
                    && offset.iter().all(|offset| offset.is_finite())
                    && scale.iter().all(|scale| scale.is_finite() && *scale != 0.0)
            }
            Step::UnitLength => true,
        };
        (self.width, self.bytes) == (width, kind == PointKind::U8) && self.steps.iter().all(fits)
    }

    /// Whether there are no steps.
    pub fn is_none(&self) -> bool {
        self.steps.is_empty()
    }

    /// Applies the steps. Bytes become `f32`, unless there are no steps.
    ///
    /// # Errors
    /// Points of another width; values that scaling takes out of the range of usable numbers.
    pub fn apply(&self, points: PointsRef<'_>) -> Result<Prepared, PreprocessError> {
        self.check_width(points)?;
        if self.steps.is_empty() {
            return Ok(Prepared { points: points.to_owned(), row_lengths: Vec::new() });
        }
        let mut values = floats(points);
        let mut row_lengths = Vec::new();
        for step in &self.steps {
            match step {
                Step::Shift { offset, scale, .. } => {
                    for_each_feature(&mut values, self.width, offset, scale, |value, offset, scale| {
                        (value - offset) / scale
                    });
                }
                Step::UnitLength => row_lengths.push(divide_by_length(&mut values, self.width)),
            }
        }
        Ok(Prepared { points: Points::from_f32(self.width, values)?, row_lengths })
    }

    /// Applies the steps to a whole data set. Where a step divides rows by their length, undoing it needs the lengths, which
    /// [`Self::apply`] gives.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub fn apply_to(&self, dataset: Dataset) -> Result<Dataset, PreprocessError> {
        if self.is_none() {
            self.check_width(dataset.points())?;
            return Ok(dataset);
        }
        let points = self.apply(dataset.points())?.points;
        Ok(dataset.with_points(points).expect("rows and features stay as many as they are"))
    }

    /// Undoes the steps. Bytes come back as the bytes they were; other values up to the rounding of `f32`.
    ///
    /// # Errors
    /// Points of another width, or row lengths that do not belong to them.
    pub fn undo(&self, prepared: &Prepared) -> Result<Points, PreprocessError> {
        let points = prepared.points.view();
        self.check_width(points)?;
        let expected = self.steps.iter().filter(|step| matches!(step, Step::UnitLength)).count();
        let complete = prepared.row_lengths.iter().all(|lengths| lengths.len() == points.len());
        if prepared.row_lengths.len() != expected || !complete {
            return Err(PreprocessError::RowLengths { expected, got: prepared.row_lengths.len() });
        }
        if self.steps.is_empty() {
            return Ok(points.to_owned());
        }
        let mut values = floats(points);
        let mut row_lengths = prepared.row_lengths.iter().rev();
        for step in self.steps.iter().rev() {
            match step {
                Step::Shift { offset, scale, .. } => {
                    for_each_feature(&mut values, self.width, offset, scale, |value, offset, scale| {
                        value * scale + offset
                    });
                }
                Step::UnitLength => {
                    let lengths = row_lengths.next().into_iter().flatten();
                    values.chunks_exact_mut(self.width).zip(lengths).for_each(|(row, length)| {
                        row.iter_mut().for_each(|value| *value *= length);
                    });
                }
            }
        }
        Ok(if self.bytes {
            // `as` saturates: what was never a byte becomes the nearest one.
            Points::from_u8(self.width, values.iter().map(|value| value.round() as u8).collect())?
        } else {
            Points::from_f32(self.width, values)?
        })
    }

    fn check_width(&self, points: PointsRef<'_>) -> Result<(), PreprocessError> {
        let got = points.width();
        if got == self.width { Ok(()) } else { Err(PreprocessError::FeatureCount { expected: self.width, got }) }
    }
}

fn floats(points: PointsRef<'_>) -> Vec<f32> {
    match (points.as_f32(), points.as_u8()) {
        (Some(values), _) => values.to_vec(),
        (None, bytes) => bytes.unwrap_or_default().iter().map(|&byte| f32::from(byte)).collect(),
    }
}

fn for_each_feature(
    values: &mut [f32],
    width: usize,
    offset: &[f32],
    scale: &[f32],
    change: impl Fn(f32, f32, f32) -> f32,
) {
    match (offset, scale) {
        ([offset], [scale]) => values.iter_mut().for_each(|value| *value = change(*value, *offset, *scale)),
        _ => values.chunks_exact_mut(width).for_each(|row| {
            row.iter_mut()
                .zip(offset)
                .zip(scale)
                .for_each(|((value, offset), scale)| *value = change(*value, *offset, *scale));
        }),
    }
}

fn divide_by_length(values: &mut [f32], width: usize) -> Vec<f32> {
    let divide = |row: &mut [f32]| {
        // In f64, where squares of usable values neither overflow nor vanish.
        let length = row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
        }
        length as f32
    };
    values.chunks_exact_mut(width).map(divide).collect()
}

/// What is needed of a feature, or of all of them, to scale it.
#[derive(Clone, Copy)]
struct Summary {
    n: f64,
    smallest: f32,
    largest: f32,
    mean: f64,
    /// Sum of squared differences from the mean.
    squares: f64,
}

impl Summary {
    const NONE: Self = Self { n: 0.0, smallest: f32::INFINITY, largest: f32::NEG_INFINITY, mean: 0.0, squares: 0.0 };

    /// Welford's update (1962): the variance of values far from 0 keeps its digits.
    fn add(&mut self, value: f32) {
        self.n += 1.0;
        self.smallest = self.smallest.min(value);
        self.largest = self.largest.max(value);
        let from_mean = f64::from(value) - self.mean;
        self.mean += from_mean / self.n;
        self.squares += from_mean * (f64::from(value) - self.mean);
    }

    /// Offset and scale. A constant is only shifted, to 0.
    fn shift(&self, scaling: Scaling) -> (f32, f32) {
        let (offset, scale) = match scaling {
            Scaling::Standardize => (self.mean as f32, (self.squares / self.n).sqrt() as f32),
            _ => (self.smallest, self.largest - self.smallest),
        };
        if self.largest > self.smallest && scale > 0.0 { (offset, scale) } else { (self.smallest, 1.0) }
    }
}

fn fit_shift(train: PointsRef<'_>, scaling: Scaling, shared: bool, touched: &[bool]) -> Step {
    let width = train.width();
    let mut summaries = vec![Summary::NONE; if shared { 1 } else { width }];
    let mut add_row = |row: &mut dyn Iterator<Item = f32>| match &mut summaries[..] {
        [all] if shared => row.for_each(|value| all.add(value)),
        each => row.zip(each).for_each(|(value, summary)| summary.add(value)),
    };
    match (train.as_f32(), train.as_u8()) {
        (Some(values), _) => values.chunks_exact(width).for_each(|row| add_row(&mut row.iter().copied())),
        (None, bytes) => bytes
            .unwrap_or_default()
            .chunks_exact(width)
            .for_each(|row| add_row(&mut row.iter().map(|&byte| f32::from(byte)))),
    }
    let shift = |(at, summary): (usize, &Summary)| {
        if shared || touched[at] { summary.shift(scaling) } else { (0.0, 1.0) }
    };
    let (offset, scale) = summaries.iter().enumerate().map(shift).unzip();
    Step::Shift { scaling, offset, scale }
}

#[cfg(test)]
mod tests {
    use hedgerow_core::Label;

    use super::*;
    use crate::encoding::{Encoding, FeatureColumn};

    fn table(values: &[f32], width: usize, n_train: usize) -> Dataset {
        let points = Points::from_f32(width, values.to_vec()).unwrap();
        let n = points.len();
        let labels = vec![Label::Unlabeled; n];
        Dataset::new("t", points, labels).unwrap().with_split_rows(n_train, 0, n - n_train).unwrap()
    }

    #[test]
    fn only_training_rows_decide() {
        // Trained on 0 and 10; 20 is a test row and lands outside.
        let data = table(&[0.0, 10.0, 20.0], 1, 2);
        let fitted = Preprocessing::fit(&data, &[Scaling::UnitRange]).unwrap();
        let prepared = fitted.apply_to(data.clone()).unwrap();
        assert_eq!(prepared.points().as_f32().unwrap(), [0.0, 1.0, 2.0]);
        // Mean 5 and deviation 5.
        let fitted = Preprocessing::fit(&data, &[Scaling::Standardize]).unwrap();
        assert_eq!(fitted.apply(data.points()).unwrap().points.view().as_f32().unwrap(), [-1.0, 1.0, 3.0]);
    }

    #[test]
    fn columns_have_their_own_scale_and_pictures_share_one() {
        let data = table(&[0.0, 0.0, 1.0, 10.0], 2, 2);
        let fitted = Preprocessing::fit(&data, &[Scaling::UnitRange]).unwrap();
        assert_eq!(fitted.apply(data.points()).unwrap().points.view().as_f32().unwrap(), [0.0, 0.0, 1.0, 1.0]);
        let shape = crate::ImageShape { height: 1, width: 2, channels: 1 };
        let pictures = data.with_image_shape(shape).unwrap();
        let fitted = Preprocessing::fit(&pictures, &[Scaling::UnitRange]).unwrap();
        assert_eq!(fitted.apply(pictures.points()).unwrap().points.view().as_f32().unwrap(), [0.0, 0.0, 0.1, 1.0]);
    }

    #[test]
    fn categories_stay_zero_and_one_and_constants_become_zero() {
        let category = FeatureColumn::Category { name: "c".into(), texts: vec!["a".into()] };
        let number = |name: &str| FeatureColumn::Number { name: name.into() };
        let encoding = Encoding::new(vec![category, number("x"), number("k")], true);
        let data = table(&[1.0, 2.0, 7.0, 0.0, 4.0, 7.0], 3, 2).with_encoding(encoding, None).unwrap();
        let fitted = Preprocessing::fit(&data, &[Scaling::Standardize]).unwrap();
        assert_eq!(
            fitted.apply(data.points()).unwrap().points.view().as_f32().unwrap(),
            [1.0, -1.0, 0.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn spreads_are_what_features_are_divided_by() {
        // Deviations 1 and 5, then ranges 2 and 2: divided by 2 and 10 in all.
        let data = table(&[1.0, 0.0, 3.0, 10.0], 2, 2);
        let spreads = |steps: &[Scaling]| Preprocessing::fit(&data, steps).unwrap().spreads();
        assert_eq!(spreads(&[Scaling::Standardize]), Some(vec![1.0, 5.0]));
        assert_eq!(spreads(&[Scaling::Standardize, Scaling::UnitRange]), Some(vec![2.0, 10.0]));
        assert_eq!(spreads(&[Scaling::Standardize, Scaling::UnitLength, Scaling::UnitRange]), Some(vec![1.0, 5.0]));
        assert_eq!(spreads(&[]), None);
        assert_eq!(spreads(&[Scaling::UnitLength, Scaling::Standardize]), None);
        let shape = crate::ImageShape { height: 1, width: 2, channels: 1 };
        let pictures = data.clone().with_image_shape(shape).unwrap();
        let fitted = Preprocessing::fit(&pictures, &[Scaling::UnitRange]).unwrap();
        assert_eq!(fitted.spreads(), Some(vec![10.0, 10.0]));
    }

    #[test]
    fn steps_follow_one_another_and_are_undone_backwards() {
        let values = [3.0, 4.0, 1.0, -2.0, 0.5, 8.0, 0.0, 0.0];
        let data = table(&values, 2, 3);
        let steps = [Scaling::UnitLength, Scaling::Standardize, Scaling::UnitRange];
        let fitted = Preprocessing::fit(&data, &steps).unwrap();
        assert_eq!(fitted.scalings(), steps);
        let prepared = fitted.apply(data.points()).unwrap();
        let undone = fitted.undo(&prepared).unwrap();
        for (value, back) in values.iter().zip(undone.view().as_f32().unwrap()) {
            assert!((value - back).abs() <= 1e-5, "{value} {back}");
        }
        let text = serde_json::to_string(&fitted).unwrap();
        assert_eq!(serde_json::from_str::<Preprocessing>(&text).unwrap(), fitted);
    }

    #[test]
    fn every_byte_comes_back() {
        let points = Points::from_u8(256, (0..=255).collect()).unwrap();
        let data = Dataset::new("b", points, vec![Label::Unlabeled]).unwrap();
        let shape = crate::ImageShape { height: 16, width: 16, channels: 1 };
        let data = data.with_image_shape(shape).unwrap();
        for scaling in [Scaling::UnitRange, Scaling::Standardize, Scaling::UnitLength] {
            let fitted = Preprocessing::fit(&data, &[scaling]).unwrap();
            let undone = fitted.undo(&fitted.apply(data.points()).unwrap()).unwrap();
            assert_eq!(undone.view(), data.points(), "{scaling:?}");
        }
    }

    #[test]
    fn variance_of_values_far_from_zero_keeps_its_digits() {
        let data = table(&[1e6 + 1.0, 1e6 + 3.0], 1, 2);
        let fitted = Preprocessing::fit(&data, &[Scaling::Standardize]).unwrap();
        assert_eq!(fitted.apply(data.points()).unwrap().points.view().as_f32().unwrap(), [-1.0, 1.0]);
    }

    #[test]
    fn what_a_file_says_is_checked() {
        let fitted = Preprocessing::fit(&table(&[1.0, 0.0, 3.0, 10.0], 2, 2), &[Scaling::Standardize]).unwrap();
        assert!(
            fitted.is_for(2, PointKind::F32) && !fitted.is_for(3, PointKind::F32) && !fitted.is_for(2, PointKind::U8)
        );
        let text = serde_json::to_string(&fitted).unwrap();
        for (said, other) in [("[1.0,5.0]", "[1.0]"), ("[1.0,5.0]", "[1.0,0.0]"), ("[2.0,5.0]", "[2.0,5.0,1.0]")] {
            let changed = text.replace(said, other);
            assert_ne!(changed, text);
            assert!(!serde_json::from_str::<Preprocessing>(&changed).unwrap().is_for(2, PointKind::F32), "{changed}");
        }
        assert!(serde_json::from_str::<Preprocessing>(&text.replacen('{', "{\"more\": 1, ", 1)).is_err());
    }

    #[test]
    fn what_does_not_belong_is_refused() {
        let data = table(&[1.0, 2.0], 1, 2);
        let fitted = Preprocessing::fit(&data, &[Scaling::UnitLength]).unwrap();
        let wide = Points::from_f32(2, vec![1.0, 2.0]).unwrap();
        let error = fitted.apply(wide.view()).unwrap_err();
        assert_eq!(error, PreprocessError::FeatureCount { expected: 1, got: 2 });
        let lost = Prepared { row_lengths: Vec::new(), ..fitted.apply(data.points()).unwrap() };
        assert!(matches!(fitted.undo(&lost), Err(PreprocessError::RowLengths { expected: 1, got: 0 })));
        let none = data.with_split_rows(0, 0, 2).unwrap();
        assert!(matches!(Preprocessing::fit(&none, &[]), Err(PreprocessError::NoTrainingRows { .. })));
        // A spread of 1e-30 blows 1e10 out of the usable range.
        let narrow = table(&[0.0, 1e-30, 1e10], 1, 2);
        let fitted = Preprocessing::fit(&narrow, &[Scaling::UnitRange]).unwrap();
        assert!(matches!(fitted.apply(narrow.points()), Err(PreprocessError::Points(_))));
    }
}
