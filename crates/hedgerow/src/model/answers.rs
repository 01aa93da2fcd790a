//! What a model answers, and why.

use hedgerow_core::{
    ClassShare, Distance, Effort, Explanation, Label, Neighbor, NeighborSearch as _, Novelty, Point, PointKind, Points,
    PointsError, PointsRef, Prediction, QueryError, Task, Traversal,
};
use rayon::prelude::*;

use super::fit::prepare;
use super::{Model, Rejection, Structure, StructureParams};
use crate::error::AnswerError;

/// Queries answered at a time: bounds the memory of what lies between points and answers.
const BLOCK: usize = 8192;

/// What a model says about a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelPrediction {
    /// The class or value; what it would be, if the model does not know.
    pub label: Label,
    /// Why the model says that it does not know, if it does.
    pub unknown: Option<Unknown>,
}

impl ModelPrediction {
    /// The answer; nothing if the model does not know.
    pub fn known(&self) -> Option<Label> {
        if self.unknown.is_none() { Some(self.label) } else { None }
    }
}

/// All that a model says about a query without saying why: one row of a table of answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// As [`Model::predict`] has it.
    pub prediction: ModelPrediction,
    /// The classes by their probability, largest first, those that got none left out: as [`Model::predict_proba`] has them. None unless
    /// classes are told apart.
    pub probabilities: Vec<ClassShare>,
    /// As [`Model::novelty`] has it.
    pub novelty: Novelty,
}

/// Why a model does not know.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Unknown {
    /// The query is unlike what it was fitted to.
    Novel {
        /// Share of the training examples that are at least as far from their own answer.
        share_farther: f64,
        /// Share that there must be at least.
        at_least: f64,
    },
    /// No class is probable enough.
    Unsure {
        /// Probability of the most probable class.
        probability: f64,
        /// What it must be at least.
        at_least: f64,
    },
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Novel { share_farther, at_least } => write!(
                f,
                "unlike the training examples: {:.2} % of them are as far from their own answers, {:.2} % are asked for",
                100.0 * share_farther,
                100.0 * at_least
            ),
            Self::Unsure { probability, at_least } => write!(
                f,
                "no class is probable enough: the most probable has {probability:.3}, {at_least:.3} is asked for"
            ),
        }
    }
}

/// Class probabilities: a row for each query, a column for each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Probabilities {
    n_classes: usize,
    values: Vec<f64>,
}

impl Probabilities {
    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// One row, by class number; it adds up to 1.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_classes..(row + 1) * self.n_classes]
    }

    /// All rows, one after another.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// A decision of a model, as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The answer.
    pub prediction: ModelPrediction,
    /// The classes by their probability, largest first; none unless classes are told apart.
    pub probabilities: Vec<ClassShare>,
    /// The walk through each tree.
    pub walks: Vec<Walk>,
    /// Voters, rival, novelty. (The walks stand here once more, without probabilities.)
    pub explanation: Explanation,
}

/// The walk of a query through one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    /// The steps.
    pub traversal: Traversal,
    /// The probability of each transition: equation 1 of the DBS paper, by the model's [closeness](Model::closeness). One less than
    /// there are steps.
    pub transitions: Vec<f64>,
}

impl Model {
    /// Predicts labels.
    ///
    /// # Errors
    /// Points that the model cannot take; an emptied model.
    pub fn predict(&self, points: PointsRef<'_>) -> Result<Vec<ModelPrediction>, AnswerError> {
        let rejection = self.rejection();
        let needs_shares = rejection.probability.is_some() && self.task() == Task::Classification;
        self.in_blocks(points, |represented| {
            let voters = self.search().voters_of_all(represented)?;
            let answer = |(row, voters): (usize, &Vec<Neighbor>)| {
                let prediction = self.search().vote().decide(self.task(), voters);
                let probability = match needs_shares {
                    true => self.shares(represented.row(row), &prediction)?.first().map(|share| share.share),
                    false => None,
                };
                let unknown = self.turned_away(rejection, nearest_distance(voters), probability);
                Ok(ModelPrediction { label: prediction.label, unknown })
            };
            voters.par_iter().enumerate().with_min_len(64).map(answer).collect()
        })
    }

    /// The probability of each class, by number.
    ///
    /// A soft vote. Of one tree, those vote that the end of the walk was compared with: the node where it ends, its children, its siblings
    /// and its parent. Each class is as probable as its nearest voter is close, `exp(-d / sigma)` by [`Model::closeness`], so that
    /// the most probable class is the one that [`Model::predict`] gives. Of a set, the nearest member of each class votes in the same
    /// way. In a forest, and where several neighbors vote, it is the share of the votes.
    ///
    /// # Errors
    /// As [`Model::predict`], and [`AnswerError::NoClasses`].
    pub fn predict_proba(&self, points: PointsRef<'_>) -> Result<Probabilities, AnswerError> {
        if self.task() != Task::Classification {
            return Err(AnswerError::NoClasses { task: self.task() });
        }
        let n_classes = self.class_names().len();
        let rows = self.in_blocks(points, |represented| {
            let predictions = self.search().predict_all(represented)?;
            let row = |(row, prediction): (usize, &Prediction)| {
                let mut probabilities = vec![0.0; n_classes];
                for share in self.shares(represented.row(row), prediction)? {
                    if let Some(probability) = probabilities.get_mut(share.class.0 as usize) {
                        *probability = share.share;
                    }
                }
                Ok(probabilities)
            };
            predictions.par_iter().enumerate().with_min_len(64).map(row).collect()
        })?;
        Ok(Probabilities { n_classes, values: rows.concat() })
    }

    /// Prediction, probabilities and novelty together. Of a tree, and of a set of one neighbor, probabilities take a second search.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn answer(&self, points: PointsRef<'_>) -> Result<Vec<ModelAnswer>, AnswerError> {
        let rejection = self.rejection();
        self.in_blocks(points, |represented| {
            let voters = self.search().voters_of_all(represented)?;
            let answer = |(row, voters): (usize, &Vec<Neighbor>)| {
                let prediction = self.search().vote().decide(self.task(), voters);
                let probabilities = match self.task() {
                    Task::Classification => self.shares(represented.row(row), &prediction)?,
                    _ => Vec::new(),
                };
                let novelty = self.novelty_of(nearest_distance(voters));
                let probability = probabilities.first().map(|share| share.share);
                let unknown = self.turned_away(rejection, novelty.distance, probability);
                Ok(ModelAnswer {
                    prediction: ModelPrediction { label: prediction.label, unknown },
                    probabilities,
                    novelty,
                })
            };
            voters.par_iter().enumerate().with_min_len(64).map(answer).collect()
        })
    }

    /// The stored examples nearest to each query, nearest first.
    ///
    /// # Errors
    /// As [`Model::predict`], and 0 neighbors.
    pub fn neighbors(
        &self,
        points: PointsRef<'_>,
        k: usize,
        effort: Effort,
    ) -> Result<Vec<Vec<Neighbor>>, AnswerError> {
        self.in_blocks(points, |represented| Ok(self.search().k_nearest_of_all(represented, k, effort)?))
    }

    /// How unusual each query is.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn novelty(&self, points: PointsRef<'_>) -> Result<Vec<Novelty>, AnswerError> {
        self.in_blocks(points, |represented| {
            let voters = self.search().voters_of_all(represented)?;
            Ok(voters.iter().map(|voters| self.novelty_of(nearest_distance(voters))).collect())
        })
    }

    /// Representations: what distances are measured between.
    ///
    /// # Errors
    /// Points that the model cannot take.
    pub fn embed(&self, points: PointsRef<'_>) -> Result<Points, AnswerError> {
        Ok(self.represent(points)?.into_owned())
    }

    /// Says why a query gets its answer.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn explain(&self, point: Point<'_>) -> Result<Decision, AnswerError> {
        let block = one(point)?;
        let represented = self.represent(block)?;
        let query = represented.view().row(0);
        let explanation = self.search().explain(query, Some(&self.calibration))?;
        let probabilities = match self.task() {
            Task::Classification => self.shares(query, &explanation.prediction)?,
            _ => Vec::new(),
        };
        let walk =
            |traversal: &Traversal| Walk { transitions: self.transitions(traversal), traversal: traversal.clone() };
        let probability = probabilities.first().map(|share| share.share);
        let unknown = self.turned_away(self.rejection(), explanation.novelty.distance, probability);
        Ok(Decision {
            prediction: ModelPrediction { label: explanation.prediction.label, unknown },
            probabilities,
            walks: explanation.traversals.iter().map(walk).collect(),
            explanation,
        })
    }

    /// The classes by their probability, largest first: that of the prediction.
    fn shares(&self, query: Point<'_>, prediction: &Prediction) -> Result<Vec<ClassShare>, QueryError> {
        let candidates = match (&self.structure, &self.params().structure) {
            (Structure::Tree(tree), _) => {
                let walks = tree.traverse(query)?;
                walks.first().map(last_candidates).unwrap_or_default()
            }
            (Structure::Set(set), StructureParams::Set { n_neighbors: 1, .. }) => {
                set.k_nearest(query, set.n_stored().max(1), Effort::FULL)?
            }
            _ => {
                let mut shares = prediction.shares.clone();
                settle_ties(&mut shares, prediction.label);
                return Ok(shares);
            }
        };
        // Of each class the nearest, in the order in which classes appear: the answer's comes first.
        let mut nearest: Vec<(hedgerow_core::ClassId, f64)> = Vec::new();
        for neighbor in candidates {
            let Some(class) = neighbor.label.as_class() else { continue };
            match nearest.iter_mut().find(|(known, _)| *known == class) {
                Some((_, distance)) => *distance = distance.min(neighbor.distance),
                None => nearest.push((class, neighbor.distance)),
            }
        }
        let closeness = self.closeness().closeness(nearest.iter().map(|(_, distance)| self.euclidean(*distance)));
        let shares = nearest.iter().zip(closeness).map(|(&(class, _), share)| ClassShare { class, share });
        let mut shares: Vec<ClassShare> = shares.collect();
        settle_ties(&mut shares, prediction.label);
        Ok(shares)
    }

    /// What [`closeness`](Model::closeness) takes for a distance of the structure.
    fn euclidean(&self, distance: f64) -> f64 {
        match self.search().distance() {
            Distance::SquaredEuclidean => distance.max(0.0).sqrt(),
            _ => distance,
        }
    }

    fn transitions(&self, walk: &Traversal) -> Vec<f64> {
        let moves = walk.steps.iter().zip(walk.steps.iter().skip(1));
        moves
            .map(|(step, next)| {
                let stay = step.may_stop.then_some(&step.at);
                let compared: Vec<_> = step.children.iter().chain(stay).collect();
                let distances = compared.iter().map(|candidate| self.euclidean(candidate.neighbor.distance));
                let closeness = self.closeness().closeness(distances);
                let taken = compared.iter().position(|candidate| candidate.node == next.at.node);
                taken.map_or(0.0, |taken| closeness[taken])
            })
            .collect()
    }

    fn novelty_of(&self, distance: f64) -> Novelty {
        Novelty { distance, share_farther: Some(self.calibration.share_farther(distance)) }
    }

    fn turned_away(&self, rejection: Rejection, distance: f64, probability: Option<f64>) -> Option<Unknown> {
        if let Some(at_least) = rejection.novelty {
            let share_farther = self.calibration.share_farther(distance);
            if share_farther < at_least {
                return Some(Unknown::Novel { share_farther, at_least });
            }
        }
        match (rejection.probability, probability) {
            (Some(at_least), Some(probability)) if probability < at_least => {
                Some(Unknown::Unsure { probability, at_least })
            }
            _ => None,
        }
    }

    /// Represents and answers block by block.
    fn in_blocks<T>(
        &self,
        points: PointsRef<'_>,
        answer: impl Fn(PointsRef<'_>) -> Result<Vec<T>, AnswerError>,
    ) -> Result<Vec<T>, AnswerError> {
        let mut answers = Vec::with_capacity(points.len());
        for start in (0..points.len()).step_by(BLOCK) {
            let block = points.slice(start..points.len().min(start + BLOCK));
            answers.extend(answer(self.represent(block)?.view())?);
        }
        Ok(answers)
    }

    /// What the structure compares, from points as they are given.
    pub(super) fn represent<'a>(&self, points: PointsRef<'a>) -> Result<Represented<'a>, AnswerError> {
        let expected = self.facts.data.n_features;
        if points.width() != expected {
            let names = self.feature_names();
            let shown: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
            let names = shown.join(", ") + if names.len() > 3 { ", ..." } else { "" };
            return Err(AnswerError::FeatureCount { expected, got: points.width(), names });
        }
        let points = self.as_fitted(points)?;
        let points = match prepare(&self.preprocessing, points.view())? {
            Some(prepared) => Represented::Owned(prepared),
            None => points,
        };
        Ok(match &self.transform {
            Some(transform) => Represented::Owned(transform.apply(points.view())?),
            None => points,
        })
    }

    /// Points of the kind that the model was fitted to: bytes for bytes.
    pub(super) fn as_fitted<'a>(&self, points: PointsRef<'a>) -> Result<Represented<'a>, AnswerError> {
        Ok(match (self.facts.data.kind(), points.kind()) {
            (PointKind::U8, PointKind::F32) => Represented::Owned(as_bytes(points)?),
            (PointKind::F32, PointKind::U8) => Represented::Owned(as_numbers(points)?),
            _ => Represented::Borrowed(points),
        })
    }
}

/// Points on their way to the structure.
pub(super) enum Represented<'a> {
    Borrowed(PointsRef<'a>),
    Owned(Points),
}

impl Represented<'_> {
    pub(super) fn view(&self) -> PointsRef<'_> {
        match self {
            Self::Borrowed(points) => *points,
            Self::Owned(points) => points.view(),
        }
    }

    fn into_owned(self) -> Points {
        match self {
            Self::Borrowed(points) => points.to_owned(),
            Self::Owned(points) => points,
        }
    }
}

/// A block of one point.
pub(super) fn one(point: Point<'_>) -> Result<PointsRef<'_>, PointsError> {
    match point {
        Point::F32(values) => PointsRef::from_f32(values.len(), values),
        Point::U8(values) => PointsRef::from_u8(values.len(), values),
    }
}

/// Whole numbers from 0 to 255 as bytes: a file of text tells them no other way.
fn as_bytes(points: PointsRef<'_>) -> Result<Points, AnswerError> {
    let values = points.as_f32().unwrap_or_default();
    let is_byte = |value: &f32| (0.0..=255.0).contains(value) && value.fract() == 0.0;
    if let Some(value) = values.iter().find(|value| !is_byte(value)) {
        return Err(AnswerError::NotBytes { got: format!("f32 (such as {value})") });
    }
    Ok(Points::from_u8(points.width(), values.iter().map(|&value| value as u8).collect())?)
}

fn as_numbers(points: PointsRef<'_>) -> Result<Points, AnswerError> {
    let values = points.as_u8().unwrap_or_default().iter().map(|&byte| f32::from(byte)).collect();
    Ok(Points::from_f32(points.width(), values)?)
}

fn nearest_distance(voters: &[Neighbor]) -> f64 {
    voters.iter().map(|voter| voter.distance).fold(f64::INFINITY, f64::min)
}

/// The nodes that the end of a walk was compared with: the last first, then its children, its siblings, its parent. A full node, where
/// the walk could not have ended, is none of them.
fn last_candidates(walk: &Traversal) -> Vec<Neighbor> {
    let Some(last) = walk.steps.last() else { return Vec::new() };
    let mut candidates = vec![last.at.neighbor];
    candidates.extend(last.children.iter().map(|child| child.neighbor));
    if let [.., before, _] = walk.steps.as_slice() {
        let siblings = before.children.iter().filter(|child| child.node != last.at.node);
        candidates.extend(siblings.map(|child| child.neighbor));
        candidates.extend(before.may_stop.then_some(before.at.neighbor));
    }
    candidates
}

/// Puts the answer first and the others behind it by their share, and makes the answer's the largest where another is as large.
fn settle_ties(shares: &mut [ClassShare], answer: Label) {
    let is_answer = |share: &ClassShare| Label::Class(share.class) == answer;
    shares.sort_by(|a, b| is_answer(b).cmp(&is_answer(a)).then(b.share.total_cmp(&a.share)));
    // A sum of weights can be larger than the whole by its last bit.
    shares.iter_mut().for_each(|share| share.share = share.share.min(1.0));
    if let [first, others @ ..] = shares {
        for other in others {
            if other.share >= first.share {
                // A hair is enough for whoever looks for the largest, and too little to be seen.
                let taken = other.share - first.share + first.share * 1e-9;
                other.share -= taken;
                first.share += taken;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_core::ClassId;

    #[test]
    fn the_answer_has_the_largest_share() {
        let share = |class: u32, share: f64| ClassShare { class: ClassId(class), share };
        let mut shares = vec![share(0, 0.4), share(1, 0.2), share(2, 0.4)];
        settle_ties(&mut shares, Label::class(2));
        assert_eq!(shares[0].class, ClassId(2));
        assert!(shares[0].share > shares[1].share && (shares.iter().map(|s| s.share).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_become_bytes_only_where_they_are_some() {
        let points = |values: Vec<f32>| Points::from_f32(2, values).unwrap();
        assert_eq!(as_bytes(points(vec![0.0, 255.0]).view()).unwrap(), Points::from_u8(2, vec![0, 255]).unwrap());
        for bad in [-1.0, 256.0, 0.5] {
            let error = as_bytes(points(vec![0.0, bad]).view()).unwrap_err().to_string();
            assert!(error.contains(&bad.to_string()), "{error}");
        }
    }
}
