//! Splits, and dividing data that has no official one: seeded, and stratified by class.

use hedgerow_core::Label;
use hedgerow_core::random::shuffle;

use crate::dataset::Dataset;

/// A part of a data set with a purpose of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Split {
    /// To learn from.
    Train,
    /// To choose by.
    Validation,
    /// To look at once, at the end.
    Test,
}

impl Split {
    /// All splits, in the order in which their rows stand.
    pub const ALL: [Self; 3] = [Self::Train, Self::Validation, Self::Test];

    /// The split that a word names: train or training, validation, valid, val or dev, test or testing, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "train" | "training" => Some(Self::Train),
            "validation" | "valid" | "val" | "dev" => Some(Self::Validation),
            "test" | "testing" => Some(Self::Test),
            _ => None,
        }
    }
}

impl std::fmt::Display for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        })
    }
}

/// How to divide the training rows of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitParams {
    /// The share of the rows for validation, 0 for none.
    pub validation: f64,
    /// The share of the rows for testing, 0 for none.
    pub test: f64,
    /// The same seed gives the same splits.
    pub seed: u64,
}

impl Default for SplitParams {
    /// One tenth for validation, one fifth for testing.
    fn default() -> Self {
        Self { validation: 0.1, test: 0.2, seed: 0 }
    }
}

/// Why data could not be divided.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// A share that is none, or shares that leave nothing to learn from.
    #[error(
        "the shares validation = {validation} and test = {test} leave no training rows or are negative; both must be at least 0 and together less than 1"
    )]
    Shares {
        /// The share for validation.
        validation: f64,
        /// The share for testing.
        test: f64,
    },
    /// The data has this split already.
    #[error("the data has {rows} {split} rows already; set the share for {split} to 0")]
    AlreadySplit {
        /// The split.
        split: Split,
        /// Its rows.
        rows: usize,
    },
    /// Too few rows for a share.
    #[error("{rows} rows are too few to take {share} of them for {split}; use a larger share or more data")]
    TooFewRows {
        /// Training rows there are.
        rows: usize,
        /// The share asked for.
        share: f64,
        /// The split.
        split: Split,
    },
}

impl Dataset {
    /// Takes shares of the training rows for validation and testing. Splits that are there already stay.
    ///
    /// Classes keep their shares, as far as whole rows allow, and every class keeps at least one training row. Values are
    /// divided at random. The rows of each split stay in their order.
    ///
    /// # Errors
    /// [`SplitError`].
    pub fn split(self, params: &SplitParams) -> Result<Self, SplitError> {
        let SplitParams { validation, test, seed } = *params;
        let fine = validation >= 0.0 && test >= 0.0 && validation + test < 1.0;
        if !fine {
            return Err(SplitError::Shares { validation, test });
        }
        let n_train = self.train().len();
        let wanted = [(Split::Validation, validation), (Split::Test, test)];
        for (split, share) in wanted {
            let rows = self.rows(split).len();
            if share > 0.0 && rows > 0 {
                return Err(SplitError::AlreadySplit { split, rows });
            }
            if share > 0.0 && (n_train as f64 * share).round() < 1.0 {
                return Err(SplitError::TooFewRows { rows: n_train, share, split });
            }
        }
        let mut split_of_row: Vec<Split> =
            Split::ALL.iter().flat_map(|&split| std::iter::repeat_n(split, self.rows(split).len())).collect();
        let groups = groups(self.train().labels());
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        // Every class keeps a row to learn from; what one split takes is not there for the next.
        let mut left: Vec<usize> = sizes.iter().map(|size| size.saturating_sub(1)).collect();
        let mut counts = Vec::new();
        for (split, share) in wanted {
            let taken = apportion(&sizes, share, &left);
            if share > 0.0 && taken.iter().sum::<usize>() == 0 {
                return Err(SplitError::TooFewRows { rows: n_train, share, split });
            }
            left.iter_mut().zip(&taken).for_each(|(left, taken)| *left -= taken);
            counts.push((split, taken));
        }
        for (group, mut rows) in groups.into_iter().enumerate() {
            shuffle(&mut rows, seed, group as u64);
            let mut rows = rows.into_iter();
            for (split, taken) in &counts {
                rows.by_ref().take(taken[group]).for_each(|row| split_of_row[row] = *split);
            }
        }
        Ok(self.with_splits(&split_of_row).expect("every row has a split"))
    }
}

/// The training rows of each class in turn, after those that have values or no labels.
fn groups(labels: &[Label]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (row, label) in labels.iter().enumerate() {
        let group = label.as_class().map_or(0, |class| class.0 as usize + 1);
        if groups.len() <= group {
            groups.resize_with(group + 1, Vec::new);
        }
        groups[group].push(row);
    }
    groups
}

/// How many rows of each group make the share, by largest remainders: each group is within one row of its own share, as
/// far as `most` allows, and the sum as near to the share of all rows as follows from that. Ties go to the earlier group.
fn apportion(sizes: &[usize], share: f64, most: &[usize]) -> Vec<usize> {
    let total = (sizes.iter().sum::<usize>() as f64 * share).round() as usize;
    let exact: Vec<f64> = sizes.iter().map(|&size| size as f64 * share).collect();
    let mut taken: Vec<usize> = exact.iter().zip(most).map(|(exact, most)| (*exact as usize).min(*most)).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    let remainder = |group: usize| exact[group] - exact[group].floor();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)));
    let mut missing = total.saturating_sub(taken.iter().sum());
    for group in order {
        if missing > 0 && taken[group] < most[group] && share > 0.0 {
            taken[group] += 1;
            missing -= 1;
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use hedgerow_core::Points;
    use proptest::prelude::*;

    use super::*;

    fn data(classes: &[u32]) -> Dataset {
        let values = (0..classes.len()).map(|row| row as f32).collect();
        let labels = classes.iter().map(|&class| Label::class(class)).collect();
        Dataset::new("d", Points::from_f32(1, values).unwrap(), labels).unwrap()
    }

    fn ids(dataset: &Dataset, split: Split) -> Vec<u64> {
        let crate::RowIds::Numbers(numbers) = dataset.row_ids() else { panic!("rows are numbered") };
        numbers[dataset.rows(split)].to_vec()
    }

    #[test]
    fn classes_keep_their_shares() {
        // 60 of class 0 and 40 of class 1: a fifth is 12 and 8, a tenth 6 and 4.
        let classes: Vec<u32> = (0..100).map(|row| u32::from(row % 5 >= 3)).collect();
        let split = data(&classes).split(&SplitParams::default()).unwrap();
        let count = |split: Split, dataset: &Dataset| {
            let labels = dataset.part(split).labels();
            [0, 1].map(|class| labels.iter().filter(|label| **label == Label::class(class)).count())
        };
        assert_eq!(Split::ALL.map(|part| count(part, &split)), [[42, 28], [6, 4], [12, 8]]);
    }

    #[test]
    fn the_seed_decides() {
        let with =
            |seed| ids(&data(&[0; 50]).split(&SplitParams { seed, ..SplitParams::default() }).unwrap(), Split::Test);
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }

    #[test]
    fn official_splits_stay() {
        let official = data(&[0; 100]).with_split_rows(80, 0, 20).unwrap();
        let params = SplitParams { validation: 0.25, test: 0.0, seed: 3 };
        let split = official.clone().split(&params).unwrap();
        assert_eq!(Split::ALL.map(|part| split.rows(part).len()), [60, 20, 20]);
        assert_eq!(ids(&split, Split::Test), (80..100).collect::<Vec<_>>());
        let error = official.split(&SplitParams::default()).unwrap_err();
        assert_eq!(error, SplitError::AlreadySplit { split: Split::Test, rows: 20 });
    }

    #[test]
    fn rows_without_a_label_do_not_push_a_class_out_of_training() {
        let mut labels = vec![Label::Unlabeled; 7];
        labels.extend([0, 1, 1].map(Label::class));
        let points = Points::from_f32(1, vec![0.0; 10]).unwrap();
        let data = Dataset::new("d", points, labels).unwrap();
        for seed in 0..50 {
            let split = data.clone().split(&SplitParams { validation: 0.2, test: 0.3, seed }).unwrap();
            assert!([0, 1].iter().all(|class| split.train().labels().contains(&Label::class(*class))), "seed {seed}");
        }
    }

    #[test]
    fn impossible_shares_are_refused() {
        let split = |validation, test| data(&[0, 1, 0, 1]).split(&SplitParams { validation, test, seed: 0 });
        assert!(matches!(split(0.5, 0.5), Err(SplitError::Shares { .. })));
        assert!(matches!(split(-0.1, 0.0), Err(SplitError::Shares { .. })));
        assert!(matches!(split(f64::NAN, 0.0), Err(SplitError::Shares { .. })));
        assert!(matches!(split(0.1, 0.0), Err(SplitError::TooFewRows { rows: 4, .. })));
    }

    proptest! {
        #[test]
        fn every_row_is_in_one_split_and_every_class_can_be_learned(
            classes in proptest::collection::vec(0_u32..6, 20..200), seed: u64
        ) {
            let split = data(&classes).split(&SplitParams { validation: 0.15, test: 0.3, seed }).unwrap();
            let parts = Split::ALL.map(|part| ids(&split, part));
            prop_assert!(parts.iter().all(|part| part.is_sorted()));
            let mut all = parts.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..classes.len() as u64).collect::<Vec<_>>());
            for class in 0..6 {
                let n_all = classes.iter().filter(|other| **other == class).count();
                let n_train = split.train().labels().iter().filter(|label| **label == Label::class(class)).count();
                prop_assert!(n_all == 0 || n_train > 0, "class {}", class);
                // 0.55 of the rows, each of two shares rounded by less than one.
                prop_assert!((n_train as f64 - 0.55 * n_all as f64).abs() < 2.0, "{} of {}", n_train, n_all);
            }
            for (row, &id) in parts.concat().iter().enumerate() {
                prop_assert_eq!(split.points().row(row), hedgerow_core::Point::F32(&[id as f32]));
                prop_assert_eq!(split.labels()[row], Label::class(classes[id as usize]));
            }
        }
    }
}
