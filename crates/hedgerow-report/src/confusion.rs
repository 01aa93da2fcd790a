//! What was said against what is true.

use serde::Serialize;

/// Counts of answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ConfusionView {
    /// The names of the classes.
    pub classes: Vec<String>,
    /// `counts[truth][said]`. Rows and numbers that are missing count as 0, those beyond the classes are not looked at.
    pub counts: Vec<Vec<u64>>,
    /// How often the answer was "unknown", by true class; empty if that was never possible.
    pub unknown: Vec<u64>,
}

/// How well one class is told from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassQuality {
    /// The number of the class.
    pub class: usize,
    /// Examples that are of this class.
    pub n_true: u64,
    /// Of these, those that got another answer; "unknown" is not counted.
    pub n_wrong: u64,
    /// Of these, those that were answered "unknown".
    pub n_unknown: u64,
    /// Examples that were said to be of this class.
    pub n_said: u64,
    /// Share of the class that was recognised, from 0 to 1; none if there is none of it.
    pub recall: Option<f64>,
    /// Share of right answers among those that name the class; none if it was never named.
    pub precision: Option<f64>,
}

/// Two classes, one taken for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConfusedPair {
    /// The true class.
    pub truth: usize,
    /// The class that was said.
    pub said: usize,
    /// How often.
    pub count: u64,
}

impl ConfusionView {
    /// How often examples of the class `truth` were said to be of the class `said`.
    pub fn count(&self, truth: usize, said: usize) -> u64 {
        self.counts.get(truth).and_then(|row| row.get(said)).copied().unwrap_or(0)
    }

    /// How well each class is told from the others, in the order of the classes.
    pub fn per_class(&self) -> Vec<ClassQuality> {
        let n = self.classes.len();
        let mut n_said = vec![0; n];
        let mut n_told = vec![0; n];
        for (truth, row) in self.counts.iter().take(n).enumerate() {
            for (said, count) in row.iter().take(n).enumerate() {
                n_said[said] += count;
                n_told[truth] += count;
            }
        }
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let quality = |class: usize| {
            let n_unknown = self.unknown.get(class).copied().unwrap_or(0);
            let n_right = self.count(class, class);
            let n_true = n_told[class] + n_unknown;
            ClassQuality {
                class,
                n_true,
                n_wrong: n_told[class] - n_right,
                n_unknown,
                n_said: n_said[class],
                recall: share(n_right, n_true),
                precision: share(n_right, n_said[class]),
            }
        };
        (0..n).map(quality).collect()
    }

    /// The at most `most` pairs that are confused most often; ties in the order of the classes.
    pub fn most_confused(&self, most: usize) -> Vec<ConfusedPair> {
        let n = self.classes.len();
        let mut pairs = Vec::new();
        for (truth, row) in self.counts.iter().take(n).enumerate() {
            let wrong = row.iter().take(n).enumerate().filter(|(said, count)| *said != truth && **count > 0);
            pairs.extend(wrong.map(|(said, &count)| ConfusedPair { truth, said, count }));
        }
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.count));
        pairs.truncate(most);
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_by_row_and_by_column() {
        let confusion = ConfusionView {
            classes: ["a", "b", "c"].map(str::to_owned).to_vec(),
            counts: vec![vec![8, 1], vec![3, 5, 0]], // the rows of c and the end of a's are missing: 0
            unknown: vec![1],
        };
        let classes = confusion.per_class();
        let a = &classes[0]; // 8 + 1 + 1 unknown are a's; 8 + 3 were said to be
        assert_eq!((a.n_true, a.n_wrong, a.n_unknown, a.n_said), (10, 1, 1, 11));
        assert_eq!((a.recall, a.precision), (Some(0.8), Some(8.0 / 11.0)));
        assert_eq!((classes[2].recall, classes[2].precision), (None, None));
        let told =
            confusion.most_confused(9).iter().map(|pair| (pair.truth, pair.said, pair.count)).collect::<Vec<_>>();
        assert_eq!(told, [(1, 0, 3), (0, 1, 1)]);
    }
}
