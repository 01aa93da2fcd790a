//! The soft-neighbor loss that DBS, both DBTs and their relatives share.
//!
//! A query r is compared with references S. Closeness is `h = softmax(-d / sigma)` over S (Algorithm 1 of the DBS paper),
//! the probability of a class is the sum of h over its members, and the loss is `-log p(y_r)`. The derivative by one distance is
//! `dL/dd_j = (h_j [y_j = y_r] / p - h_j) / sigma`.

use serde::{Deserialize, Serialize};

use super::squared_distance;
use crate::real::Real;

/// Which distance stands in `exp(-d / sigma)`, and sigma.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "distance", content = "sigma", deny_unknown_fields)]
pub enum DistanceScale {
    /// The squared Euclidean distance, as in the public code of the paper's authors: better than the plain one at equal
    /// epochs, and smooth at 0.
    SquaredEuclidean(f64),
    /// The Euclidean distance, as the paper writes. Its gradient at distance 0, which is not defined, is taken as 0.
    Euclidean(f64),
}

impl DistanceScale {
    /// Sigma: larger, and more neighbors share the vote; smaller, and the nearest decides.
    pub fn sigma(self) -> f64 {
        match self {
            Self::SquaredEuclidean(sigma) | Self::Euclidean(sigma) => sigma,
        }
    }

    /// Closeness of references, `h = softmax(-d / sigma)` of Algorithm 1 in the DBS paper, from their Euclidean distances.
    pub fn closeness(self, distances: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let is_squared = matches!(self, Self::SquaredEuclidean(_));
        let power = |distance: f64| if is_squared { distance * distance } else { distance };
        let mut closeness: Vec<f64> = distances.into_iter().map(power).collect();
        // Shifted by the smallest distance, so that not every exponential can vanish.
        let least = closeness.iter().copied().fold(f64::INFINITY, f64::min);
        closeness.iter_mut().for_each(|distance| *distance = ((least - *distance) / self.sigma()).exp());
        let sum: f64 = closeness.iter().sum();
        closeness.iter_mut().for_each(|closeness| *closeness /= sum);
        closeness
    }
}

impl Default for DistanceScale {
    fn default() -> Self {
        Self::SquaredEuclidean(60.0)
    }
}

/// Computes the loss of one query after another, over memory that is kept.
#[derive(Debug, Clone, Default)]
pub struct SoftNeighbor<R = f32> {
    distances: Vec<R>,
    is_same: Vec<bool>,
    factors: Vec<R>,
}

impl<R: Real> SoftNeighbor<R> {
    /// The loss of a query of class `label`, or `None` if no reference has its class: then the probability is 0 whatever the
    /// representations are, and there is nothing to learn.
    pub fn loss<'a>(
        &mut self,
        scale: DistanceScale,
        query: &[R],
        label: u32,
        references: impl Iterator<Item = (&'a [R], u32)>,
    ) -> Option<R> {
        self.distances.clear();
        self.is_same.clear();
        for (reference, its_label) in references {
            self.distances.push(squared_distance(query, reference));
            self.is_same.push(its_label == label);
        }
        self.factors.clear();
        self.factors.resize(self.distances.len(), R::zero());
        loss_and_factors(scale, &mut self.distances, &self.is_same, &mut self.factors)
    }

    /// For each reference of the last query the number f with which the gradient is `f * (query - reference)` for the query
    /// and `f * (reference - query)` for the reference.
    pub fn factors(&self) -> &[R] {
        &self.factors
    }
}

/// The loss of one query from its squared distances to the references, and for each reference the factor of the gradient.
///
/// In log-sum-exp form: with all references far away, where every `exp(-d / sigma)` is 0 in floating point, loss and
/// gradient are still right. A reference at an infinite distance counts as none.
#[inline(always)]
pub(super) fn loss_and_factors<R: Real>(
    scale: DistanceScale,
    distances: &mut [R],
    is_same: &[bool],
    factors: &mut [R],
) -> Option<R> {
    let is_plain = matches!(scale, DistanceScale::Euclidean(_));
    if is_plain {
        for distance in distances.iter_mut() {
            *distance = distance.sqrt();
        }
    }
    // Shifted by the smallest distance of all, and of the same class: then neither sum can vanish.
    let (mut least_all, mut least_same, mut has_same) = (R::infinity(), R::infinity(), false);
    for (&distance, &same) in distances.iter().zip(is_same) {
        least_all = if distance < least_all { distance } else { least_all };
        least_same = if same && distance < least_same { distance } else { least_same };
        has_same |= same;
    }
    if !has_same {
        return None;
    }
    let inverse = R::one() / R::of(scale.sigma());
    for (factor, &distance) in factors.iter_mut().zip(&*distances) {
        *factor = (least_all - distance) * inverse;
    }
    R::exp_all(factors);
    let (mut sum_others, mut sum_same) = (R::zero(), R::zero());
    for ((&factor, &distance), &same) in factors.iter().zip(&*distances).zip(is_same) {
        if same {
            sum_same += ((least_same - distance) * inverse).exp();
        } else {
            sum_others += factor;
        }
    }
    // Of the same class, in the shift of all. Probabilities are taken from this sum and that of the others, and never as 1 less
    // something: near p = 1, which is where learning ends, that would leave no digit of the gradient.
    let same_of_all = ((least_all - least_same) * inverse).exp() * sum_same;
    let share = R::one() / (same_of_all + sum_others);
    let share_of_others = sum_others * share;
    for ((factor, &distance), &same) in factors.iter_mut().zip(&*distances).zip(is_same) {
        let slope = if same {
            ((least_same - distance) * inverse).exp() / sum_same * share_of_others
        } else {
            -*factor * share
        };
        let slope = slope * inverse;
        // d(distance)/d(query) = factor * (query - reference)
        *factor = match is_plain {
            false => slope + slope,
            true if distance > R::zero() => slope / distance,
            true => R::zero(),
        };
    }
    Some(if same_of_all > sum_others {
        (sum_others / same_of_all).ln_1p()
    } else {
        // -log p where p may be too small to be a number.
        (least_same - least_all) * inverse + (same_of_all + sum_others).ln() - sum_same.ln()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(scale: DistanceScale, query: f64, label: u32, references: &[(f64, u32)]) -> (Option<f64>, Vec<f64>) {
        let mut neighbors = SoftNeighbor::default();
        let points: Vec<[f64; 1]> = references.iter().map(|(x, _)| [*x]).collect();
        let references = points.iter().zip(references).map(|(x, (_, label))| (x.as_slice(), *label));
        let loss = neighbors.loss(scale, &[query], label, references);
        (loss, neighbors.factors().to_vec())
    }

    #[test]
    fn a_value_worked_by_hand() {
        // Query 0, references at 1 (its class) and 2 (the other), squared, sigma 1: h is proportional to e^-1 and e^-4, so
        // p = 1 / (1 + e^-3) and the loss is ln(1 + e^-3) = 0.04858735.
        let (value, factors) = loss(DistanceScale::SquaredEuclidean(1.0), 0.0, 0, &[(1.0, 0), (2.0, 1)]);
        assert!((value.unwrap() - 0.048_587_351_573_742).abs() < 1e-12);
        // dL/dd is 1 - p = 0.04742587 for the first and the negative of it for the second; twice that for d = x^2.
        assert!((factors[0] - 2.0 * 0.047_425_873_177_57).abs() < 1e-12);
        assert!((factors[1] + 2.0 * 0.047_425_873_177_57).abs() < 1e-12);
        // Plain: h proportional to e^-1 and e^-2, loss ln(1 + e^-1) = 0.31326169.
        let (value, _) = loss(DistanceScale::Euclidean(1.0), 0.0, 0, &[(1.0, 0), (2.0, 1)]);
        assert!((value.unwrap() - 0.313_261_687_518_222_8).abs() < 1e-12);
        // dL/dd is 1 - p = 1 / (1 + e) = 0.26894142 and its negative; d(d)/dq is (q - x) / d, with d = 1 and d = 2.
        let (_, factors) = loss(DistanceScale::Euclidean(1.0), 0.0, 0, &[(1.0, 0), (2.0, 1)]);
        assert!((factors[0] - 0.268_941_421_369_995_1).abs() < 1e-12);
        assert!((factors[1] + 0.268_941_421_369_995_1 / 2.0).abs() < 1e-12);
    }

    #[test]
    fn closeness_worked_by_hand() {
        // 2^-d is e^(-d / sigma) with sigma = 1 / ln 2. Plain: 2^-1, 2^-2, 2^-3, that is 4 : 2 : 1.
        let sigma = 1.0 / std::f64::consts::LN_2;
        let close = |expected: [f64; 3], closeness: Vec<f64>| {
            assert_eq!(closeness.len(), 3);
            assert!(closeness.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{closeness:?}");
        };
        close([4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0], DistanceScale::Euclidean(sigma).closeness([1.0, 2.0, 3.0]));
        // Squared: 2^-1, 2^-4, 2^-9, that is 256 : 32 : 1.
        let squared = DistanceScale::SquaredEuclidean(sigma);
        close([256.0 / 289.0, 32.0 / 289.0, 1.0 / 289.0], squared.closeness([1.0, 2.0, 3.0]));
        // All so far away that each e^-d is 0.
        close(
            [4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0],
            DistanceScale::Euclidean(sigma).closeness([1e6 + 1.0, 1e6 + 2.0, 1e6 + 3.0]),
        );
    }

    /// Compares the gradient with finite differences, for the query and for every reference. The tolerance is a share of the
    /// largest slope, so that it means something where all slopes are tiny.
    fn compare_with_finite_differences(
        scale: DistanceScale,
        query: [f64; 2],
        references: &[([f64; 2], u32)],
        what: &str,
    ) {
        let points: Vec<[f64; 2]> = std::iter::once(query).chain(references.iter().map(|(x, _)| *x)).collect();
        let of = |points: &[[f64; 2]]| {
            let mut neighbors = SoftNeighbor::default();
            let others = points[1..].iter().zip(references).map(|(x, (_, label))| (x.as_slice(), *label));
            let loss = neighbors.loss(scale, &points[0], 0, others).unwrap();
            (loss, neighbors.factors().to_vec())
        };
        let mut gradient = vec![[0.0; 2]; points.len()];
        for (at, &factor) in of(&points).1.iter().enumerate() {
            for axis in 0..2 {
                gradient[0][axis] += factor * (points[0][axis] - points[at + 1][axis]);
                gradient[at + 1][axis] += factor * (points[at + 1][axis] - points[0][axis]);
            }
        }
        // Near a kink, which plain distances have at 0, the error is in proportion to the step.
        let step = if what.starts_with("at ") { 1e-7 } else { 1e-5 };
        let differences: Vec<[f64; 2]> = (0..points.len())
            .map(|at| {
                std::array::from_fn(|axis| {
                    let near = |step: f64| {
                        let mut points = points.clone();
                        points[at][axis] += step;
                        of(&points).0
                    };
                    (near(step) - near(-step)) / (2.0 * step)
                })
            })
            .collect();
        let largest = differences.iter().flatten().fold(0.0, |largest: f64, slope| largest.max(slope.abs()));
        for (slope, difference) in gradient.iter().flatten().zip(differences.iter().flatten()) {
            assert!((slope - difference).abs() <= 1e-6 * largest, "{what}, {scale:?}: {slope} but {difference}");
        }
        assert_eq!(largest > 0.0, references.iter().any(|(_, label)| *label != 0), "{what}, {scale:?}");
    }

    #[test]
    fn gradients_are_those_of_finite_differences_wherever_the_probability_is() {
        let cases = [
            ("between", vec![([1.0, 0.5], 0), ([-0.7, 1.1], 1), ([0.4, -1.6], 0), ([1.9, 0.3], 2)]),
            ("nearly certain", vec![([0.3, 0.2], 0), ([-5.1, 3.1], 1), ([0.1, -0.4], 0), ([4.5, 4.7], 2)]),
            ("nearly impossible", vec![([5.1, -3.3], 0), ([-0.2, 0.1], 1), ([0.3, 0.3], 2)]),
            // The slope of a distance at 0 is taken as 0, which is what differences to both sides give.
            ("at its own class", vec![([0.0, 0.0], 0), ([0.9, 0.4], 1)]),
            ("at the other class", vec![([0.8, 0.6], 0), ([0.0, 0.0], 1)]),
            ("one reference", vec![([0.8, 0.6], 0)]),
        ];
        for (what, references) in &cases {
            for scale in [DistanceScale::SquaredEuclidean(1.3), DistanceScale::Euclidean(0.4)] {
                compare_with_finite_differences(scale, [0.0, 0.0], references, what);
            }
        }
    }

    #[test]
    fn the_gradient_keeps_its_digits_where_the_answer_is_nearly_certain() {
        // The other class is 15 sigma farther away than its own two references.
        let points = [[0.5_f32], [0.75], [4.0]];
        let wide = points.map(|[x]| [f64::from(x)]);
        let scale = DistanceScale::SquaredEuclidean(1.0);
        let (mut narrow_loss, mut wide_loss) = (SoftNeighbor::default(), SoftNeighbor::default());
        let labels = [0, 0, 1];
        let narrow = narrow_loss.loss(scale, &[0.0], 0, points.iter().map(|x| x.as_slice()).zip(labels)).unwrap();
        let exact = wide_loss.loss(scale, &[0.0], 0, wide.iter().map(|x| x.as_slice()).zip(labels)).unwrap();
        assert!((f64::from(narrow) / exact - 1.0).abs() < 1e-5, "{narrow} {exact}");
        for (narrow, exact) in narrow_loss.factors().iter().zip(wide_loss.factors()) {
            assert!((f64::from(*narrow) / exact - 1.0).abs() < 1e-5, "{narrow} {exact}");
        }
        // One class only: nothing to learn, exactly.
        assert_eq!(narrow_loss.loss(scale, &[0.0], 0, points.iter().map(|x| x.as_slice()).zip([0; 3])), Some(0.0));
        assert!(narrow_loss.factors().iter().all(|factor| *factor == 0.0));
    }

    #[test]
    fn nothing_is_lost_far_away_and_nothing_is_undefined_nearby() {
        for scale in [DistanceScale::SquaredEuclidean(1.0), DistanceScale::Euclidean(1.0)] {
            // All far away: exp(-d) is 0 for each.
            let (value, factors) = loss(scale, 0.0, 0, &[(1e4, 0), (1e4 + 1.0, 1)]);
            assert!(value.unwrap() >= 0.0 && factors.iter().all(|factor| factor.is_finite()));
            // p -> 0: the loss is the difference of the distances.
            let (value, factors) = loss(scale, 0.0, 0, &[(1e4, 0), (0.0, 1)]);
            let distance = if scale == DistanceScale::Euclidean(1.0) { 1e4 } else { 1e8 };
            assert!((value.unwrap() - distance).abs() < 1e-6 * distance);
            assert!(factors.iter().all(|factor| factor.is_finite()) && factors[0] > 0.0);
            // One class only, one reference only, and everything at one place.
            assert_eq!(loss(scale, 1.0, 0, &[(1.0, 0), (3.0, 0)]).0, Some(0.0));
            assert_eq!(loss(scale, 1.0, 0, &[(3.0, 0)]), (Some(0.0), vec![0.0]));
            let (value, factors) = loss(scale, 1.0, 0, &[(1.0, 0), (1.0, 1)]);
            assert!((value.unwrap() - 2.0_f64.ln()).abs() < 1e-12);
            assert!(factors.iter().all(|factor| factor.is_finite()));
            // What is not a number stays so, and is noticed.
            assert!(loss(scale, f64::NAN, 0, &[(1.0, 0), (1.0, 1)]).0.unwrap().is_nan());
            assert!(!loss(scale, 1.0, 0, &[(f64::INFINITY, 0), (1.0, 1)]).0.unwrap().is_finite());
            // No reference of the class, and no reference at all.
            assert_eq!(loss(scale, 1.0, 2, &[(1.0, 0), (3.0, 0)]).0, None);
            assert_eq!(loss(scale, 1.0, 2, &[]).0, None);
        }
    }
}
