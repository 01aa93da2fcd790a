//! How the labels of several neighbors become one prediction.

use std::cmp::Ordering;

use crate::label::{ClassId, Label, Task};
use crate::neighbor_search::Neighbor;

/// The rule by which voters are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Vote {
    /// The nearest voter decides alone; the earliest of equals.
    #[default]
    Nearest,
    /// Every voter counts the same.
    Majority,
    /// Voters count by the inverse of their distance (Shepard; Mathy et al. 2015). At distance 0 an exact match decides
    /// alone; several exact matches count the same.
    Shepard,
}

/// The share of the vote that a class got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassShare {
    /// The class.
    pub class: ClassId,
    /// Its share, from 0 to 1.
    pub share: f64,
}

/// What the voters said.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The predicted class or value; in retrieval, the label of the nearest voter.
    pub label: Label,
    /// The classes that got votes, largest share first (classification only). Classes of equal share stand in the order
    /// of their nearest voters.
    pub shares: Vec<ClassShare>,
}

impl Vote {
    /// The weight of each voter. Weights sum to 1 (an empty vote has none).
    pub fn weights(self, voters: &[Neighbor]) -> Vec<f64> {
        let Some(nearest) = nearest_place(voters) else { return Vec::new() };
        let least = voters[nearest].distance;
        let weight = |(place, voter): (usize, &Neighbor)| match self {
            Self::Nearest => f64::from(u8::from(place == nearest)),
            Self::Majority => 1.0,
            Self::Shepard if least <= 0.0 => f64::from(u8::from(voter.distance <= 0.0)),
            // Relative to the least, so that neither tiny nor huge distances leave the range of numbers.
            Self::Shepard if least.is_finite() => least / voter.distance,
            Self::Shepard => 1.0, // all infinitely far away: nobody is nearer
        };
        let mut weights = voters.iter().enumerate().map(weight).collect::<Vec<_>>();
        let sum = weights.iter().sum::<f64>();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        weights
    }

    /// Lets the voters decide. An empty vote predicts [`Label::Unlabeled`].
    pub fn decide(self, task: Task, voters: &[Neighbor]) -> Prediction {
        let weights = self.weights(voters);
        match task {
            Task::Classification => classify(voters, &weights),
            Task::Regression { .. } => {
                let weighted = voters.iter().zip(&weights);
                let weighted =
                    weighted.filter_map(|(voter, weight)| Some((f64::from(voter.label.as_value()?), *weight)));
                let (sum, of) =
                    weighted.fold((0.0, 0.0), |(sum, of), (value, weight)| (sum + value * weight, of + weight));
                let label = if of > 0.0 { Label::Value((sum / of) as f32) } else { Label::Unlabeled };
                Prediction { label, shares: Vec::new() }
            }
            Task::Retrieval => {
                let label = nearest_place(voters).map_or(Label::Unlabeled, |place| voters[place].label);
                Prediction { label, shares: Vec::new() }
            }
        }
    }
}

/// Place of the nearest voter, the first of equals.
fn nearest_place(voters: &[Neighbor]) -> Option<usize> {
    // Not `total_cmp`, which sets -0 before 0.
    let distance = |place: usize| voters[place].distance;
    (0..voters.len()).min_by(|&a, &b| distance(a).partial_cmp(&distance(b)).unwrap_or(Ordering::Equal))
}

fn classify(voters: &[Neighbor], weights: &[f64]) -> Prediction {
    struct Tally {
        share: ClassShare,
        nearest: f64,
    }
    let mut tallies: Vec<Tally> = Vec::new();
    for (voter, weight) in voters.iter().zip(weights) {
        let Some(class) = voter.label.as_class() else { continue };
        match tallies.iter_mut().find(|tally| tally.share.class == class) {
            Some(tally) => {
                tally.share.share += weight;
                tally.nearest = tally.nearest.min(voter.distance);
            }
            None => {
                tallies.push(Tally { share: ClassShare { class, share: *weight }, nearest: voter.distance });
            }
        }
    }
    // Stable, so that full ties keep the order in which the classes were first voted for.
    tallies.sort_by(|a, b| b.share.share.total_cmp(&a.share.share).then(a.nearest.total_cmp(&b.nearest)));
    let shares = tallies.iter().map(|tally| tally.share).filter(|share| share.share > 0.0).collect::<Vec<_>>();
    let label = shares.first().map_or(Label::Unlabeled, |first| Label::Class(first.class));
    Prediction { label, shares }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::ExampleId;

    fn voters(classes_and_distances: &[(u32, f64)]) -> Vec<Neighbor> {
        let voter = |(class, distance): &(u32, f64)| Neighbor {
            id: ExampleId(0),
            label: Label::class(*class),
            distance: *distance,
        };
        classes_and_distances.iter().map(voter).collect()
    }

    fn winner(vote: Vote, voters: &[Neighbor]) -> Label {
        vote.decide(Task::Classification, voters).label
    }

    #[test]
    fn the_three_rules_worked_by_hand() {
        // Class 1 at 1; class 2 at 1.5 and 2.5. Shepard: 1 against 2/3 + 2/5 = 16/15.
        let voters = voters(&[(2, 1.5), (1, 1.0), (2, 2.5)]);
        assert_eq!(winner(Vote::Nearest, &voters), Label::class(1));
        assert_eq!(winner(Vote::Majority, &voters), Label::class(2));
        assert_eq!(winner(Vote::Shepard, &voters), Label::class(2));
        let shares = Vote::Shepard.decide(Task::Classification, &voters).shares;
        assert!((shares[0].share - (16.0 / 15.0) / (16.0 / 15.0 + 1.0)).abs() < 1e-12);
        assert!((shares[1].share - 1.0 / (16.0 / 15.0 + 1.0)).abs() < 1e-12);
    }

    #[test]
    fn an_exact_match_decides_alone() {
        let several = voters(&[(3, 1e-300), (1, 0.0), (3, 1e-300), (2, 0.0), (2, 0.0)]);
        let prediction = Vote::Shepard.decide(Task::Classification, &several);
        assert_eq!(prediction.label, Label::class(2)); // two exact matches against one
        assert_eq!(prediction.shares.len(), 2);
        assert_eq!(winner(Vote::Shepard, &voters(&[(3, 1e-310), (1, f64::INFINITY)])), Label::class(3));
        assert_eq!(winner(Vote::Shepard, &voters(&[(3, f64::INFINITY), (1, f64::INFINITY)])), Label::class(3));
    }

    #[test]
    fn equal_shares_go_to_the_nearer_class_then_to_the_earlier() {
        assert_eq!(winner(Vote::Majority, &voters(&[(5, 2.0), (4, 1.0)])), Label::class(4));
        assert_eq!(winner(Vote::Majority, &voters(&[(5, 1.0), (4, 1.0)])), Label::class(5));
        assert_eq!(winner(Vote::Nearest, &voters(&[(5, 1.0), (4, 1.0)])), Label::class(5));
        assert_eq!(winner(Vote::Majority, &[]), Label::Unlabeled);
    }

    #[test]
    fn regression_weighs_values() {
        let voter = |value, distance| Neighbor { id: ExampleId(0), label: Label::Value(value), distance };
        let voters = [voter(1.0, 1.0), voter(4.0, 2.0)];
        let value = |vote: Vote| vote.decide(Task::Regression { epsilon: 0.0 }, &voters).label;
        assert_eq!(value(Vote::Nearest), Label::Value(1.0));
        assert_eq!(value(Vote::Majority), Label::Value(2.5));
        assert_eq!(value(Vote::Shepard), Label::Value(2.0)); // (1/1 + 4/2) / (1/1 + 1/2)
    }
}
