//! Why a query got its prediction, and how unusual it is.

use crate::error::QueryError;
use crate::label::{ClassId, Label};
use crate::neighbor_search::{Neighbor, NeighborSearch};
use crate::points::{Point, PointsRef};
use crate::traversal::Traversal;
use crate::vote::Prediction;

/// A stored example that took part in a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voter {
    /// The example.
    pub neighbor: Neighbor,
    /// Its weight; the weights of all voters sum to 1.
    pub weight: f64,
}

/// The strongest case against a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// The best other class: the one with the next largest share of the vote or, if all voters agree, the class of
    /// the nearest stored example of any other class.
    pub class: ClassId,
    /// The nearest stored example of that class (exact, over all stored examples).
    pub neighbor: Neighbor,
    /// How much farther the rival is than the nearest stored example of the predicted class. Small: a close
    /// call. Negative: the rival is nearer than every stored example of the predicted class.
    pub margin: f64,
}

/// How far a query is from what the structure knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Novelty {
    /// Distance from the nearest voter.
    pub distance: f64,
    /// Share of the calibration's examples that are at least as far from their own answer: small for unusual queries.
    /// There if a [`Calibration`] was given.
    pub share_farther: Option<f64>,
}

/// A decision as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// What was decided.
    pub prediction: Prediction,
    /// The walk through each tree; none in a flat structure.
    pub traversals: Vec<Traversal>,
    /// Who decided, and by how much.
    pub voters: Vec<Voter>,
    /// The nearest example of the best other class (classification with at least two classes stored).
    pub rival: Option<Rival>,
    /// How unusual the query is.
    pub novelty: Novelty,
}

impl Explanation {
    pub(crate) fn of<S: NeighborSearch + ?Sized>(
        structure: &S,
        query: Point<'_>,
        calibration: Option<&Calibration>,
    ) -> Result<Self, QueryError> {
        let neighbors = structure.voters(query)?;
        let prediction = structure.vote().decide(structure.task(), &neighbors);
        let weights = structure.vote().weights(&neighbors);
        let distance = neighbors.iter().map(|voter| voter.distance).fold(f64::INFINITY, f64::min);
        Ok(Self {
            traversals: structure.traverse(query)?,
            rival: rival(structure, query, &prediction)?,
            voters: neighbors.iter().zip(weights).map(|(&neighbor, weight)| Voter { neighbor, weight }).collect(),
            novelty: Novelty { distance, share_farther: calibration.map(|known| known.share_farther(distance)) },
            prediction,
        })
    }
}

fn rival<S: NeighborSearch + ?Sized>(
    structure: &S,
    query: Point<'_>,
    prediction: &Prediction,
) -> Result<Option<Rival>, QueryError> {
    let [first, others @ ..] = prediction.shares.as_slice() else { return Ok(None) };
    let own = Label::Class(first.class);
    let neighbor = match others.first() {
        Some(second) => structure.nearest_labelled(query, &|label| label == Label::Class(second.class))?,
        None => structure.nearest_labelled(query, &|label| label.as_class().is_some() && label != own)?,
    };
    let nearest_own = structure.nearest_labelled(query, &|label| label == own)?;
    let (Some(neighbor), Some(nearest_own)) = (neighbor, nearest_own) else { return Ok(None) };
    let Some(class) = neighbor.label.as_class() else { return Ok(None) };
    let (far, near) = (neighbor.distance, nearest_own.distance);
    // Also when a closure says that both are infinitely far.
    let margin = if far == near { 0.0 } else { far - near };
    Ok(Some(Rival { class, neighbor, margin }))
}

/// Distances that examples have from their own answers, to read the distance of a query against.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    sorted: Vec<f64>,
}

impl Calibration {
    /// Calibrates by the examples shown, each against what answered when it was shown
    /// (see [`NeighborSearch::answer_distances`]): no example counts as its own answer.
    ///
    /// # Errors
    /// [`QueryError::HistoryNeeded`] where redundant examples were not kept; use [`Self::from_queries`] then.
    pub fn from_history<S: NeighborSearch + ?Sized>(structure: &S) -> Result<Self, QueryError> {
        Ok(Self::from_distances(structure.answer_distances()?))
    }

    /// Calibrates by points that were not shown, such as a validation split, against the structure as it is.
    ///
    /// # Errors
    /// As [`NeighborSearch::nearest`].
    pub fn from_queries<S: NeighborSearch + ?Sized>(structure: &S, queries: PointsRef<'_>) -> Result<Self, QueryError> {
        let voters = structure.voters_of_all(queries)?;
        let nearest = |voters: &Vec<Neighbor>| voters.iter().map(|voter| voter.distance).fold(f64::INFINITY, f64::min);
        Ok(Self::from_distances(voters.iter().map(nearest).collect()))
    }

    /// Calibrates by distances that are known already, in any order.
    pub fn from_distances(mut distances: Vec<f64>) -> Self {
        distances.sort_unstable_by(f64::total_cmp);
        Self { sorted: distances }
    }

    /// The distances, in rising order.
    pub fn distances(&self) -> &[f64] {
        &self.sorted
    }

    /// Number of examples behind the calibration.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none; every share is then 0.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The share of examples that are at least as far from their own answer as `distance`.
    pub fn share_farther(&self, distance: f64) -> f64 {
        let nearer = self.sorted.partition_point(|known| known.total_cmp(&distance).is_lt());
        (self.len() - nearer) as f64 / self.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_counts_those_that_are_as_far() {
        let calibration = Calibration::from_distances(vec![3.0, 1.0, 2.0, 2.0]);
        assert_eq!(calibration.share_farther(0.0), 1.0);
        assert_eq!(calibration.share_farther(2.0), 0.75);
        assert_eq!(calibration.share_farther(3.0), 0.25);
        assert_eq!(calibration.share_farther(1.5), 0.75);
        assert_eq!(calibration.share_farther(4.0), 0.0);
        assert_eq!(Calibration::from_distances(vec![]).share_farther(1.0), 0.0);
    }
}
