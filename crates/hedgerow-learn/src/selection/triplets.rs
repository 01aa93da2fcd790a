//! Semi-hard triplets (Schroff, Kalenichenko and Philbin 2015).

use crate::loss::squared_distance;
use crate::matrix::{Matrix, vectorized};
use crate::real::Real;

/// An anchor, an example of its class and one of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triplet {
    /// The row that the two others are compared with.
    pub anchor: usize,
    /// A row of the anchor's class.
    pub positive: usize,
    /// A row of another class.
    pub negative: usize,
}

/// For each anchor and each other row of its class, the nearest row of another class that is farther away than that;
/// if there is none, the farthest row of another class. Ties go to the earliest row.
///
/// `visit` is given the triplets of one anchor after another, in rising order; not of anchors without any. There are about as many
/// triplets as pairs of rows of one class, too many to be held for a batch of all examples.
pub fn semi_hard_triplets<R: Real>(representations: &Matrix<R>, labels: &[u32], mut visit: impl FnMut(&[Triplet])) {
    let (mut negatives, mut triplets): (Vec<(R, usize)>, Vec<Triplet>) = (Vec::new(), Vec::new());
    for anchor in 0..labels.len() {
        let point = representations.row(anchor);
        negatives.clear();
        triplets.clear();
        vectorized(
            #[inline(always)]
            || {
                for row in (0..labels.len()).filter(|&row| labels[row] != labels[anchor]) {
                    negatives.push((squared_distance(point, representations.row(row)), row));
                }
            },
        );
        // A stable sort: of equal distances the earliest row stays first.
        negatives.sort_by(|a, b| a.0.wide().total_cmp(&b.0.wide()));
        let Some(&(farthest, _)) = negatives.last() else { continue };
        for positive in (0..labels.len()).filter(|&row| row != anchor && labels[row] == labels[anchor]) {
            let distance = squared_distance(point, representations.row(positive));
            let beyond = negatives.partition_point(|(negative, _)| *negative <= distance);
            let at = if beyond < negatives.len() {
                beyond
            } else {
                negatives.partition_point(|(negative, _)| *negative < farthest)
            };
            triplets.push(Triplet { anchor, positive, negative: negatives[at].1 });
        }
        if !triplets.is_empty() {
            visit(&triplets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_core::random::SplitMix64;

    /// As the definition has it: every anchor, every other of its class, every one of another class.
    fn slow(points: &[f64], width: usize, labels: &[u32]) -> Vec<Triplet> {
        let distance = |a: usize, b: usize| -> f64 {
            (0..width).map(|at| (points[a * width + at] - points[b * width + at]).powi(2)).sum()
        };
        let mut triplets = Vec::new();
        for anchor in 0..labels.len() {
            for positive in 0..labels.len() {
                if positive == anchor || labels[positive] != labels[anchor] {
                    continue;
                }
                let (mut nearest_beyond, mut farthest): (Option<usize>, Option<usize>) = (None, None);
                for negative in 0..labels.len() {
                    if labels[negative] == labels[anchor] {
                        continue;
                    }
                    let away = distance(anchor, negative);
                    if away > distance(anchor, positive) && nearest_beyond.is_none_or(|it| away < distance(anchor, it))
                    {
                        nearest_beyond = Some(negative);
                    }
                    if farthest.is_none_or(|it| away > distance(anchor, it)) {
                        farthest = Some(negative);
                    }
                }
                if let Some(negative) = nearest_beyond.or(farthest) {
                    triplets.push(Triplet { anchor, positive, negative });
                }
            }
        }
        triplets
    }

    #[test]
    fn triplets_are_those_of_a_plain_triple_loop() {
        fn fast<R: Real>(points: &[f64], width: usize, labels: &[u32]) -> Vec<Triplet> {
            let values = points.iter().map(|value| R::of(*value)).collect();
            let mut triplets = Vec::new();
            semi_hard_triplets(&Matrix::from_values(labels.len(), width, values), labels, |of_anchor: &[Triplet]| {
                triplets.extend_from_slice(of_anchor);
            });
            triplets
        }
        let (mut n_triplets, mut n_in_one_place) = (0, 0);
        for seed in 0..200 {
            let mut random = SplitMix64::new(seed, 0);
            let (n, width, n_classes) = (1 + random.below(30), 1 + random.below(4), 1 + random.below(6));
            // Whole numbers, so that sums are exact in any order: few different ones, with many ties and points in one place, or up to 1000.
            let n_values = [1, 2, 4, 1000][random.below(4)];
            let points: Vec<f64> = (0..n * width).map(|_| random.below(n_values) as f64).collect();
            let labels: Vec<u32> = (0..n).map(|_| random.below(n_classes) as u32).collect();
            let expected = slow(&points, width, &labels);
            assert_eq!(fast::<f64>(&points, width, &labels), expected, "seed {seed}");
            assert_eq!(fast::<f32>(&points, width, &labels), expected, "seed {seed}, f32");
            n_triplets += expected.len();
            n_in_one_place += if n_values == 1 { expected.len() } else { 0 };
        }
        assert!(n_triplets > 1000 && n_in_one_place > 100, "{n_triplets}, {n_in_one_place}");
    }

    #[test]
    fn negatives_are_the_nearest_beyond_the_positive_or_else_the_farthest() {
        // Class 0 at 0 and 2; class 1 at 1, 3 and 10.
        let points = Matrix::from_values(5, 1, vec![0.0, 2.0, 1.0, 3.0, 10.0_f64]);
        let (mut triplets, mut visits) = (Vec::new(), Vec::new());
        semi_hard_triplets(&points, &[0, 0, 1, 1, 1], |of_anchor: &[Triplet]| {
            visits.push((of_anchor[0].anchor, of_anchor.len()));
            triplets.extend_from_slice(of_anchor);
        });
        // One visit for each anchor: with one other of its class, or two.
        assert_eq!(visits, [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2)]);
        let of = |anchor: usize, positive: usize| {
            triplets.iter().find(|t| t.anchor == anchor && t.positive == positive).unwrap().negative
        };
        assert_eq!(of(0, 1), 3); // 2 away; of 1, 3, 10 the nearest beyond is 3
        assert_eq!(of(1, 0), 4); // 2 away; 1 and 3 are 1 away, 10 is 8 away
        assert_eq!(of(4, 2), 0); // 9 away; 0 is 10 away
        assert_eq!(of(2, 4), 0); // 9 away; none is beyond: the farthest, which both are; the earlier
        assert_eq!(triplets.len(), 2 + 6);
        // Without another class, and without another of the class, there is none.
        semi_hard_triplets(&points, &[0; 5], |of_anchor| panic!("{of_anchor:?}"));
        semi_hard_triplets(&points, &[0, 1, 2, 3, 4], |of_anchor| panic!("{of_anchor:?}"));
    }
}
