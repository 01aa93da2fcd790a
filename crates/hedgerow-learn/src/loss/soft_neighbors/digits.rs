//! Digits of the gradient in f32, against f64.

use super::*;
use hedgerow_core::random::SplitMix64;

/// References about 10 from the origin on all sides, then a query beside each, of the same class or of another one.
fn nearly_coinciding(n_pairs: usize, width: usize, apart: f64) -> (Vec<f32>, Vec<u32>) {
    let mut random = SplitMix64::new(3, 0);
    let mut coordinate = || (10.0 / (width as f64).sqrt() * random.normal()) as f32;
    let mut values: Vec<f32> = (0..n_pairs * width).map(|_| coordinate()).collect();
    let beside: Vec<f32> = values.iter().map(|value| value + (apart * random.normal()) as f32).collect();
    values.extend(beside);
    let labels = (0..n_pairs).map(|row| row % 2).chain((0..n_pairs).map(|row| row / 2 % 2));
    (values, labels.map(|label| label as u32).collect())
}

fn gradient_of<R: Real>(scale: DistanceScale, block: usize, width: usize, values: Vec<R>, labels: &[u32]) -> Matrix<R> {
    let (n, mut gradient) = (labels.len(), RepresentationGradient::default());
    let representations = &Matrix::from_values(n, width, values);
    let members: &[usize] = &(0..n / 2).collect::<Vec<_>>();
    let compared = Compared { representations, labels, queries: n / 2..n, members };
    SoftNeighbors::default().loss_in_blocks(block, scale, &compared, &mut gradient);
    Matrix::from_values(n, width, (0..n).flat_map(|row| gradient.row(row).to_vec()).collect())
}

#[test]
fn the_gradient_keeps_its_digits_where_points_nearly_coincide() {
    let width = 4;
    for scale in [DistanceScale::SquaredEuclidean(100.0), DistanceScale::Euclidean(10.0)] {
        for apart in [1e-6, 1e-5, 1e-4, 1e-2] {
            let (values, labels) = nearly_coinciding(12, width, apart);
            let wide = values.iter().map(|&value| f64::from(value)).collect();
            let wide = gradient_of(scale, 100, width, wide, &labels);
            let narrow = gradient_of(scale, 100, width, values, &labels);
            for row in 0..labels.len() {
                let largest = wide.row(row).iter().fold(0.0, |largest: f64, slope| largest.max(slope.abs()));
                assert!(largest > 1e-4, "{scale:?}, {apart} apart: row {row} has no gradient");
                for (&slope, exact) in narrow.row(row).iter().zip(wide.row(row)) {
                    let error = (f64::from(slope) - exact).abs() / largest;
                    assert!(error < 5e-5, "{scale:?}, {apart} apart, row {row}: {slope} but {exact}");
                }
            }
        }
    }
}

#[test]
fn blocks_of_any_size_give_one_gradient_of_plain_distances() {
    let (values, labels) = nearly_coinciding(31, 3, 0.5);
    let of = |block: usize| {
        let values = values.iter().map(|&value| f64::from(value)).collect();
        gradient_of(DistanceScale::Euclidean(10.0), block, 3, values, &labels)
    };
    let at_once = of(1000);
    assert!(at_once.values().iter().all(|slope| *slope != 0.0));
    for block in [1, 8, 16] {
        let found = of(block);
        assert!(found.values().iter().zip(at_once.values()).all(|(a, b)| (a - b).abs() < 1e-14), "{block}");
    }
}
