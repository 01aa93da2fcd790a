//! Examples as a run sees them: classes counted from 0, some kept for validation.

use hedgerow_core::random::shuffle;
use hedgerow_core::{ClassId, Examples, Label, Points, PointsRef};

use crate::error::TrainError;
use crate::hash::Hash;

/// The stream of random numbers by which examples are kept for validation.
const VALIDATION: u64 = 0x7661_6c69_6461_7465;

/// Labelled points, with classes counted from 0.
#[derive(Debug, Clone)]
pub(crate) struct TrainingData<'a> {
    pub(crate) points: PointsRef<'a>,
    /// Of each point, its place in `classes`.
    pub(crate) labels: Vec<u32>,
    /// In rising order.
    pub(crate) classes: Vec<ClassId>,
    /// Rows to learn from, and rows that are kept for validation, in rising order.
    pub(crate) train: Vec<usize>,
    pub(crate) kept: Vec<usize>,
    pub(crate) validation: Option<Held>,
}

/// Examples that are not learned from.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) points: Points,
    pub(crate) labels: Vec<Label>,
}

impl<'a> TrainingData<'a> {
    /// Takes examples of at least two classes. Validates with `given`, or else keeps a share of each class for it.
    pub(crate) fn new(
        examples: &Examples<'a>,
        given: Option<&Examples<'_>>,
        validation_share: f64,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let validation_share = if given.is_some() { 0.0 } else { validation_share };
        let n_examples = examples.len();
        let mut of_rows = Vec::with_capacity(n_examples);
        for (row, &label) in examples.labels().iter().enumerate() {
            of_rows.push(label.as_class().ok_or(TrainError::NotAClass { row, label })?);
        }
        let mut classes = of_rows.clone();
        classes.sort_unstable();
        classes.dedup();
        match (n_examples, classes.len()) {
            (0 | 1, _) => return Err(TrainError::TooFew { n_examples, least: 2 }),
            (_, 1) => return Err(TrainError::OneClass { n_examples }),
            _ => {}
        }
        let place = |class: &ClassId| classes.binary_search(class).map_or(0, |place| place as u32);
        let labels: Vec<u32> = of_rows.iter().map(place).collect();
        let mut of_class = vec![Vec::new(); classes.len()];
        let mut order: Vec<usize> = (0..n_examples).collect();
        shuffle(&mut order, seed, VALIDATION);
        order.iter().for_each(|&row| of_class[labels[row] as usize].push(row));
        let (mut train, mut kept) = (Vec::new(), Vec::new());
        let mut due = 0.0;
        for rows in of_class {
            // What rounding leaves goes on to the next class, so that many small ones give their share together; but one example of
            // each always stays to be learned from, and a class does not make up for others that could give none.
            due += rows.len() as f64 * validation_share;
            let n_kept = (due.round() as usize).min(rows.len() - 1);
            due = (due - n_kept as f64).min(0.5);
            kept.extend(&rows[..n_kept]);
            train.extend(&rows[n_kept..]);
        }
        train.sort_unstable();
        kept.sort_unstable();
        let points = examples.points();
        let validation = match given {
            Some(given) => {
                if given.is_empty() {
                    return Err(TrainError::ValidationEmpty);
                }
                let (expected, got) = (points.width(), given.points().width());
                if got != expected {
                    return Err(TrainError::Validation { expected, got });
                }
                let (expected, got) = (points.kind(), given.points().kind());
                if got != expected {
                    return Err(TrainError::ValidationKind { expected, got });
                }
                let not_a_class = given.labels().iter().enumerate().find(|(_, label)| label.as_class().is_none());
                if let Some((row, &label)) = not_a_class {
                    return Err(TrainError::ValidationNotAClass { row, label });
                }
                Some(Held { points: given.points().to_owned(), labels: given.labels().to_vec() })
            }
            None => {
                let labels = kept.iter().map(|&row| examples.labels()[row]).collect();
                Some(Held { points: points.select(&kept), labels })
            }
        };
        let validation = validation.filter(|held| !held.labels.is_empty());
        Ok(Self { points, labels, classes, train, kept, validation })
    }

    /// A number that is another one, almost surely, for other data: kept with a checkpoint.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Hash::new();
        hash.word(self.points.width() as u64);
        let held = self.validation.as_ref().map(|held| held.points.view());
        for points in [Some(self.points), held].into_iter().flatten() {
            hash.word(points.len() as u64);
            if let Some(values) = points.as_f32() {
                values.iter().for_each(|value| hash.word(u64::from(value.to_bits())));
            }
            if let Some(bytes) = points.as_u8() {
                hash.bytes(bytes);
            }
        }
        self.labels.iter().for_each(|&label| hash.word(u64::from(self.classes[label as usize].0)));
        for label in self.validation.iter().flat_map(|held| &held.labels) {
            hash.word(label.as_class().map_or(u64::MAX, |class| u64::from(class.0)));
        }
        hash.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_each_class_is_kept_and_every_class_stays() {
        let labels: Vec<Label> =
            (0..100).map(|row| Label::class(if row < 90 { 7 } else { 3 })).chain([Label::class(5)]).collect();
        let points = Points::from_f32(1, (0..101).map(|row| row as f32).collect()).unwrap();
        let examples = Examples::new(points.view(), &labels).unwrap();
        let data = TrainingData::new(&examples, None, 0.1, 3).unwrap();
        assert_eq!(data.classes, [ClassId(3), ClassId(5), ClassId(7)]);
        let held = data.validation.as_ref().unwrap();
        let kept = |class: u32| held.labels.iter().filter(|&&label| label == Label::class(class)).count();
        assert_eq!([kept(3), kept(5), kept(7)], [1, 0, 9]);
        let mut all: Vec<f32> = data.train.iter().map(|&row| row as f32).collect();
        let held_values = held.points.view().as_f32().unwrap();
        assert!(data.kept.iter().map(|&row| row as f32).eq(held_values.iter().copied()));
        all.extend(held_values);
        all.sort_by(f32::total_cmp);
        assert!(all.into_iter().eq((0..101).map(|row| row as f32)));
        let other = TrainingData::new(&examples, None, 0.1, 4).unwrap();
        assert_ne!(held.points, other.validation.as_ref().unwrap().points);
        assert_ne!(data.fingerprint(), other.fingerprint(), "other examples are kept back");
        let same = TrainingData::new(&examples, None, 0.1, 3).unwrap();
        assert_eq!(data.fingerprint(), same.fingerprint());
        let mut values: Vec<f32> = (0..101).map(|row| row as f32).collect();
        values[17] = -17.0;
        let changed = Points::from_f32(1, values).unwrap();
        let changed = TrainingData::new(&Examples::new(changed.view(), &labels).unwrap(), None, 0.1, 3).unwrap();
        assert_ne!(data.fingerprint(), changed.fingerprint());
    }

    #[test]
    fn examples_given_for_validation_are_used_and_all_others_learned_from() {
        let points = Points::from_f32(1, (0..10).map(|row| row as f32).collect()).unwrap();
        let labels: Vec<Label> = (0..10).map(|row| Label::class(row % 2)).collect();
        let examples = Examples::new(points.view(), &labels).unwrap();
        let given = Examples::new(points.view().slice(0..3), &labels[..3]).unwrap();
        let data = TrainingData::new(&examples, Some(&given), 0.5, 0).unwrap();
        assert_eq!(data.train.len(), 10);
        assert_eq!(data.validation.unwrap().labels, labels[..3]);
        let wide = Points::from_f32(2, vec![0.0; 2]).unwrap();
        let wide = Examples::new(wide.view(), &labels[..1]).unwrap();
        let error = TrainingData::new(&examples, Some(&wide), 0.5, 0).unwrap_err().to_string();
        assert!(error.starts_with("the examples for validation have 2 features, those to learn from 1"), "{error}");
        let bytes = Points::from_u8(1, vec![0; 3]).unwrap();
        let bytes = Examples::new(bytes.view(), &labels[..3]).unwrap();
        let error = TrainingData::new(&examples, Some(&bytes), 0.5, 0).unwrap_err().to_string();
        assert!(error.starts_with("the examples for validation hold u8 values, those to learn from f32"), "{error}");
        let none = Examples::new(points.view().slice(0..0), &[]).unwrap();
        let error = TrainingData::new(&examples, Some(&none), 0.5, 0).unwrap_err().to_string();
        assert!(error.starts_with("the set of examples for validation is empty; give at least one"), "{error}");
        let labels = [Label::class(0), Label::Value(0.5), Label::class(1)];
        let values = Examples::new(points.view().slice(0..3), &labels).unwrap();
        let error = TrainingData::new(&examples, Some(&values), 0.5, 0).unwrap_err().to_string();
        assert!(error.starts_with("row 1 of the examples for validation is value 0.5, not of a class"), "{error}");
    }

    #[test]
    fn many_small_classes_give_their_share_together() {
        let kept = |sizes: &[usize], share: f64| {
            let labels: Vec<Label> =
                (0_u32..).zip(sizes).flat_map(|(class, &size)| vec![Label::class(class); size]).collect();
            let points = Points::from_u8(1, vec![0; labels.len()]).unwrap();
            let data = TrainingData::new(&Examples::new(points.view(), &labels).unwrap(), None, share, 3).unwrap();
            let mut left = vec![0; sizes.len()];
            data.train.iter().for_each(|&row| left[data.labels[row] as usize] += 1);
            assert!(left.iter().all(|&n| n > 0), "a class has none left to learn from");
            sizes.iter().zip(left).map(|(size, left)| size - left).collect::<Vec<usize>>()
        };
        assert_eq!(kept(&[5; 1000], 0.1).iter().sum::<usize>(), 500);
        assert_eq!(kept(&[4; 1000], 0.1).iter().sum::<usize>(), 400);
        assert_eq!(kept(&[2; 100], 0.1).iter().sum::<usize>(), 20);
        assert_eq!(kept(&[4, 400], 0.1), [0, 40]);
        // Single examples stay; the large class does not give theirs.
        let mut sizes = vec![1; 500];
        sizes.push(1000);
        assert_eq!(kept(&sizes, 0.1)[500], 101);
        assert_eq!(kept(&[2, 2, 2], 0.9), [1, 1, 1]);
    }

    #[test]
    fn what_cannot_be_learned_from_is_refused_with_the_reason() {
        let points = Points::from_f32(1, vec![0.0, 1.0]).unwrap();
        let refused = |labels: &[Label]| {
            let points = points.view().slice(0..labels.len());
            TrainingData::new(&Examples::new(points, labels).unwrap(), None, 0.1, 0).unwrap_err().to_string()
        };
        assert!(refused(&[Label::class(1), Label::Value(0.5)]).starts_with("row 1 is value 0.5"));
        assert!(refused(&[Label::class(1), Label::class(1)]).starts_with("all 2 examples are of one class"));
        assert!(refused(&[Label::class(1)]).starts_with("1 examples are too few"));
    }
}
