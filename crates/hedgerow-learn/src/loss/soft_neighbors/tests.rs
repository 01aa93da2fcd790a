//! Many queries against one after another, by hand, by finite differences, and in blocks.

use super::*;
use crate::loss::SoftNeighbor;
use hedgerow_core::random::SplitMix64;

#[test]
fn many_queries_are_one_after_another() {
    for scale in [DistanceScale::SquaredEuclidean(3.0), DistanceScale::Euclidean(0.7)] {
        for seed in 0..20 {
            let mut random = SplitMix64::new(seed, 0);
            let (n, width) = (5 + random.below(40), 1 + random.below(9));
            let values = (0..n * width).map(|_| 10.0 + 2.0 * random.normal()).collect();
            let representations = Matrix::<f64>::from_values(n, width, values);
            let labels: Vec<u32> = (0..n).map(|_| random.below(5) as u32).collect();
            let members: Vec<usize> = (0..n).filter(|_| random.below(2) == 0).chain([n - 1]).collect();
            let queries = random.below(n - 1)..n;
            let mut gradient = RepresentationGradient::default();
            let (loss, n_left_out) = SoftNeighbors::default().loss(
                scale,
                &representations,
                &labels,
                queries.clone(),
                &members,
                &mut gradient,
            );

            let mut one = SoftNeighbor::default();
            let (mut sum, mut n_counted) = (0.0, 0);
            let mut expected = RepresentationGradient::default();
            expected.clear(n, width);
            for query in queries.clone() {
                let others = members.iter().filter(|&&member| member != query);
                let references = others.clone().map(|&member| (representations.row(member), labels[member]));
                let Some(loss) = one.loss(scale, representations.row(query), labels[query], references) else {
                    continue;
                };
                (sum, n_counted) = (sum + loss, n_counted + 1);
                for (&factor, &member) in one.factors().iter().zip(others) {
                    let (a, b) = (representations.row(query), representations.row(member));
                    expected.add_difference(query, factor, a, b);
                    expected.add_difference(member, factor, b, a);
                }
            }
            let count = f64::from(n_counted.max(1));
            assert!((loss - sum / count).abs() < 1e-12 * (1.0 + loss));
            assert_eq!(n_left_out, queries.len() - n_counted as usize);
            for row in 0..n {
                let pairs = gradient.row(row).iter().zip(expected.row(row));
                assert!(pairs.into_iter().all(|(a, b)| (a - b / count).abs() < 1e-12), "seed {seed} row {row}");
            }
        }
    }
}

#[test]
fn a_batch_worked_by_hand() {
    // References at 0 (class 0) and 2 (class 1), queries at 1 (class 0) and 3 (class 1), squared, sigma 1.
    let representations = Matrix::from_values(4, 1, vec![0.0, 2.0, 1.0, 3.0_f64]);
    let mut gradient = RepresentationGradient::default();
    let (scale, mut neighbors) = (DistanceScale::SquaredEuclidean(1.0), SoftNeighbors::default());
    let (loss, n_left_out) = neighbors.loss(scale, &representations, &[0, 1, 0, 1], 2..4, &[0, 1], &mut gradient);
    assert_eq!(n_left_out, 0);
    // Query 1: both are 1 away, p = 1/2. Query 3: 9 and 1 away, p = 1 / (1 + e^-8), and 1 - p = s = 0.00033535013.
    let s = 0.000_335_350_130_466_48;
    assert!((loss - (2.0_f64.ln() + 0.000_335_406_373_4) / 2.0).abs() < 1e-12, "{loss}");
    // By query 1: 1/2 * 2 (1 - 0) - 1/2 * 2 (1 - 2) = 2. By query 3: s * 2 (3 - 2) - s * 2 (3 - 0) = -4 s.
    // By reference 0: -1 from query 1, 6 s from query 3. By reference 2: -1 and -2 s. All halved for the mean.
    for (row, expected) in [(0, -0.5 + 3.0 * s), (1, -0.5 - s), (2, 1.0), (3, -2.0 * s)] {
        assert!((gradient.row(row)[0] - expected).abs() < 1e-12, "row {row}: {}", gradient.row(row)[0]);
    }
}

/// Compares every slope with finite differences, with a tolerance that is a share of the largest.
fn compare_with_finite_differences(
    scale: DistanceScale,
    representations: &Matrix<f64>,
    labels: &[u32],
    queries: Range<usize>,
    members: &[usize],
    what: &str,
) {
    let loss = |representations: &Matrix<f64>, gradient: &mut RepresentationGradient<f64>| {
        SoftNeighbors::default().loss(scale, representations, labels, queries.clone(), members, gradient).0
    };
    let (mut gradient, mut unused) = (RepresentationGradient::default(), RepresentationGradient::default());
    loss(representations, &mut gradient);
    // Near a kink, which plain distances have at 0, the error is in proportion to the step.
    let step = if what == "distance 0" { 1e-7 } else { 1e-5 };
    let mut pairs = Vec::new();
    for at in 0..representations.values().len() {
        let mut near = |step: f64| {
            let mut representations = representations.clone();
            representations.values_mut()[at] += step;
            loss(&representations, &mut unused)
        };
        let width = representations.n_columns();
        pairs.push((gradient.row(at / width)[at % width], (near(step) - near(-step)) / (2.0 * step)));
    }
    let largest = pairs.iter().fold(0.0, |largest: f64, (_, difference)| largest.max(difference.abs()));
    assert!(largest > 0.0, "{what}, {scale:?}");
    for (slope, difference) in pairs {
        assert!((slope - difference).abs() <= 1e-6 * largest, "{what}, {scale:?}: {slope} but {difference}");
    }
}

#[test]
fn gradients_are_those_of_finite_differences_wherever_the_probabilities_are() {
    for scale in [DistanceScale::SquaredEuclidean(1.5), DistanceScale::Euclidean(0.6)] {
        let mut random = SplitMix64::new(5, 0);
        let (n, width) = (14, 3);
        let labels: Vec<u32> = (0..n).map(|row| row as u32 % 3).collect();
        // Around the middle of their class: far apart and p is nearly 1; with wrong middles it is nearly 0.
        let mut around = |middle: &dyn Fn(usize) -> f64| {
            let values = (0..n * width).map(|at| middle(at / width) + 0.3 * random.normal()).collect();
            Matrix::<f64>::from_values(n, width, values)
        };
        let together = around(&|_| 0.0);
        let certain = around(&|row| 3.0 * (row % 3) as f64);
        let impossible = around(&|row| 3.0 * ((row + usize::from(row > 6)) % 3) as f64);
        let references: Vec<usize> = (0..7).collect();
        let all: Vec<usize> = (0..n).collect();
        for (representations, what) in
            [(&together, "between"), (&certain, "nearly certain"), (&impossible, "nearly impossible")]
        {
            compare_with_finite_differences(scale, representations, &labels, 7..n, &references, what);
            compare_with_finite_differences(scale, representations, &labels, 0..n, &all, what);
            // Class 2 has no reference: its queries are left out.
            compare_with_finite_differences(scale, representations, &labels, 5..n, &[0, 1, 3, 4, 7], what);
        }
        // A query where a reference is.
        let mut same = together.clone();
        for (reference, query) in [(0, 7), (1, 9)] {
            let row = same.row(reference).to_vec();
            same.row_mut(query).copy_from_slice(&row);
        }
        compare_with_finite_differences(scale, &same, &labels, 7..n, &references, "distance 0");
    }
}

#[test]
fn one_reference_teaches_nothing_and_none_leaves_all_queries_out() {
    let representations = Matrix::from_values(3, 2, vec![0.0, 1.0, 2.0, 5.0, -1.0, 0.5_f64]);
    for scale in [DistanceScale::SquaredEuclidean(1.0), DistanceScale::Euclidean(1.0)] {
        let mut gradient = RepresentationGradient::default();
        let mut neighbors = SoftNeighbors::default();
        // Of class 0: query 1 has p = 1 whatever it does, query 2 is left out.
        assert_eq!(neighbors.loss(scale, &representations, &[0, 0, 1], 1..3, &[0], &mut gradient), (0.0, 1));
        assert!((0..3).all(|row| gradient.row(row).iter().all(|slope| *slope == 0.0)));
        assert_eq!(neighbors.loss(scale, &representations, &[0, 0, 1], 1..3, &[], &mut gradient), (0.0, 2));
        gradient.settle();
        assert!(gradient.rows().is_empty());
    }
}
/// Drawn around 0, of five classes; every point query and reference.
fn drawn(n: usize, width: usize) -> (Matrix<f64>, Vec<u32>, Vec<usize>) {
    let mut random = SplitMix64::new(7, 0);
    let values = (0..n * width).map(|_| random.normal()).collect();
    let labels = (0..n).map(|_| random.below(5) as u32).collect();
    (Matrix::from_values(n, width, values), labels, (0..n).collect())
}

#[test]
fn blocks_of_any_size_give_one_result() {
    let (representations, labels, members) = drawn(61, 4);
    let scale = DistanceScale::SquaredEuclidean(2.0);
    for queries in [0..61, 30..61] {
        let of = |block: usize| {
            let mut gradient = RepresentationGradient::default();
            let (representations, labels, members, queries) =
                (&representations, &labels, &members[..40], queries.clone());
            let compared = Compared { representations, labels, queries, members };
            let found = SoftNeighbors::default().loss_in_blocks(block, scale, &compared, &mut gradient);
            (found, (0..61).flat_map(|row| gradient.row(row).to_vec()).collect::<Vec<f64>>())
        };
        let ((loss, n_left_out), gradient) = of(1000);
        for block in [1, 8, 16, 40] {
            let (found, slopes) = of(block);
            assert_eq!(found, (loss, n_left_out), "{block}");
            assert!(slopes.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-14), "{block}");
        }
    }
}

#[test]
fn memory_does_not_grow_with_the_product_of_queries_and_references() {
    // The batches of the papers are one block; all of 54,000 examples are held 72 queries at a time.
    assert!(block_queries(200) >= 200 && block_queries(1000) >= 1000);
    assert_eq!((block_queries(54_000), block_queries(0)), (72, FACTORS_AT_A_TIME));
    assert_eq!(block_queries(usize::MAX), QUERIES_AT_A_TIME);
    let n = 2300;
    let (representations, labels, members) = drawn(n, 1);
    let of = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let (mut neighbors, mut gradient) = (SoftNeighbors::default(), RepresentationGradient::default());
        let scale = DistanceScale::default();
        let loss = pool.install(|| neighbors.loss(scale, &representations, &labels, 0..n, &members, &mut gradient).0);
        assert!(neighbors.factors.values().len() <= FACTORS_AT_A_TIME);
        (loss.to_bits(), (0..n).map(|row| gradient.row(row)[0].to_bits()).collect::<Vec<u64>>())
    };
    let one = of(1);
    assert!([2, 3].into_iter().all(|n_threads| of(n_threads) == one));
}
