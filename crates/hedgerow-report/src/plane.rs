//! Many numbers brought to two, for a map: the plane through the mean in which the rows vary most (principal components).

/// The axes besides the two wanted that are carried along: the gap to the first one left out decides how fast the search settles.
const SPARE_AXES: usize = 8;
/// Rounds of the search; where variances are so close together that it has not settled by then, any plane among them shows as much.
const MOST_ROUNDS: usize = 300;
/// Turning of the plane in one round, as a sine squared, at which it has settled.
const SETTLED: f64 = 1e-15;

/// A plane found from rows; other rows can be brought to it too, so that queries and stored examples stand on one map.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    mean: Vec<f64>,
    axes: [Vec<f64>; 2],
    variance_share: f64,
}

/// Two numbers for each row: those of rows with at most two numbers as they are, else their place on the [`Plane`] of all rows.
pub fn project_to_plane<R: AsRef<[f32]>>(rows: &[R]) -> Vec<[f32; 2]> {
    let plane = Plane::fit(rows);
    rows.iter().map(|row| plane.project(row.as_ref())).collect()
}

impl Plane {
    /// Finds the plane in which the rows vary most. Where they have at most two numbers, these stay as they are.
    ///
    /// The result depends on the rows alone: no random start, and the direction of each axis is the one in which its largest number is
    /// positive. Rows with numbers that are not finite are not looked at; numbers that shorter rows lack count as 0.
    pub fn fit<R: AsRef<[f32]>>(rows: &[R]) -> Self {
        let width = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
        let unit = |axis: usize| (0..width).map(|place| f64::from(u8::from(place == axis))).collect::<Vec<_>>();
        if width <= 2 {
            return Self { mean: vec![0.0; width], axes: [unit(0), unit(1)], variance_share: 1.0 };
        }
        let rows = rows.iter().map(AsRef::as_ref).filter(|row| is_finite(row)).collect::<Vec<_>>();
        let mean = mean_of(&rows, width);
        let centered = rows.iter().map(|row| center(row, &mean)).collect::<Vec<_>>();
        let total = centered.iter().flatten().map(|number| number * number).sum::<f64>();
        let (axes, held) = widest_axes(&centered, width);
        let variance_share = if total > 0.0 { (held / total).min(1.0) } else { 1.0 };
        Self { mean, axes, variance_share }
    }

    /// The place of a row on the plane. A row with numbers that are not finite stands at the mean; numbers that it lacks count as 0, those
    /// beyond the plane's are not looked at.
    pub fn project(&self, row: &[f32]) -> [f32; 2] {
        if !is_finite(row) {
            return [0.0; 2];
        }
        let centered = center(row, &self.mean);
        [dot(&centered, &self.axes[0]) as f32, dot(&centered, &self.axes[1]) as f32]
    }

    /// The share of the rows' variance that lies in the plane, from 0 to 1: how far the map can be trusted.
    pub fn variance_share(&self) -> f64 {
        self.variance_share
    }
}

fn is_finite(row: &[f32]) -> bool {
    row.iter().all(|number| number.is_finite())
}

fn mean_of(rows: &[&[f32]], width: usize) -> Vec<f64> {
    let mut mean = vec![0.0; width];
    for row in rows {
        mean.iter_mut().zip(*row).for_each(|(sum, number)| *sum += f64::from(*number));
    }
    mean.iter_mut().for_each(|sum| *sum /= rows.len().max(1) as f64);
    mean
}

fn center(row: &[f32], mean: &[f64]) -> Vec<f64> {
    mean.iter()
        .enumerate()
        .map(|(place, mean)| row.get(place).map_or(0.0, |&number| f64::from(number)) - mean)
        .collect()
}

/// Eight sums at once, which the compiler turns into vectors, added up in the same order on every machine.
fn dot(one: &[f64], two: &[f64]) -> f64 {
    let (ones, twos) = (one.chunks_exact(8), two.chunks_exact(8));
    let rest = ones.remainder().iter().zip(twos.remainder()).map(|(one, two)| one * two).sum::<f64>();
    let mut sums = [0.0; 8];
    for (ones, twos) in ones.zip(twos) {
        for (sum, (one, two)) in sums.iter_mut().zip(ones.iter().zip(twos)) {
            *sum += one * two;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The two axes of largest variance, and the sum of squares along them: power iteration of several axes at once. In each round the axes are
/// turned within their span to its own principal axes (Rayleigh-Ritz), go through the covariance (never built: the rows are fewer numbers than
/// it has) and are made orthogonal again.
fn widest_axes(rows: &[Vec<f64>], width: usize) -> ([Vec<f64>; 2], f64) {
    let mut axes = starting_axes(width, width.min(2 + SPARE_AXES));
    let mut found: Option<[Vec<f64>; 2]> = None;
    let mut held = 0.0;
    for _ in 0..MOST_ROUNDS {
        let (images, matrix) = through_covariance(rows, &axes);
        let (values, vectors) = principal(matrix);
        held = values[0] + values[1];
        let plane = [combine(&axes, &vectors[0]), combine(&axes, &vectors[1])];
        let along = |old: &Vec<f64>| dot(old, &plane[0]).powi(2) + dot(old, &plane[1]).powi(2);
        let is_settled = found.as_ref().is_some_and(|before| before.iter().all(|old| 1.0 - along(old) < SETTLED));
        found = Some(plane);
        if is_settled {
            break;
        }
        axes = vectors.iter().map(|vector| combine(&images, vector)).collect();
        make_orthonormal(&mut axes);
    }
    let mut plane = found.expect("there is at least one round");
    for axis in &mut plane {
        let largest =
            axis.iter().fold(0.0_f64, |largest, &number| if number.abs() > largest.abs() { number } else { largest });
        if largest < 0.0 {
            axis.iter_mut().for_each(|number| *number = -*number);
        }
    }
    (plane, held)
}

/// Orthonormal axes that favor no direction: waves of different lengths, none of which data lines up with by chance.
fn starting_axes(width: usize, n_axes: usize) -> Vec<Vec<f64>> {
    let number =
        |axis: usize, place: usize| ((axis + 1) as f64 * (place as f64 * 0.754_877 + 0.569_84) + axis as f64).sin();
    let mut axes =
        (0..n_axes).map(|axis| (0..width).map(|place| number(axis, place)).collect()).collect::<Vec<Vec<f64>>>();
    make_orthonormal(&mut axes);
    axes
}

/// What the covariance makes of each axis, and the covariance within their span.
fn through_covariance(rows: &[Vec<f64>], axes: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut images = axes.iter().map(|axis| vec![0.0; axis.len()]).collect::<Vec<_>>();
    let mut matrix = vec![vec![0.0; axes.len()]; axes.len()];
    for row in rows {
        let along = axes.iter().map(|axis| dot(row, axis)).collect::<Vec<_>>();
        for ((image, line), one) in images.iter_mut().zip(&mut matrix).zip(&along) {
            image.iter_mut().zip(row).for_each(|(sum, number)| *sum += one * number);
            line.iter_mut().zip(&along).for_each(|(sum, two)| *sum += one * two);
        }
    }
    (images, matrix)
}

/// The sum of `axes`, each times its share.
fn combine(axes: &[Vec<f64>], shares: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; axes[0].len()];
    for (axis, share) in axes.iter().zip(shares) {
        sum.iter_mut().zip(axis).for_each(|(sum, number)| *sum += share * number);
    }
    sum
}

/// Gram-Schmidt, twice for accuracy. An axis that lies in the span of those before it, as where the rows vary in fewer directions than there
/// are axes, is replaced by the first unit direction that does not.
fn make_orthonormal(axes: &mut [Vec<f64>]) {
    for place in 0..axes.len() {
        let (before, from) = axes.split_at_mut(place);
        let axis = &mut from[0];
        let size = dot(axis, axis).sqrt();
        if !(size > 0.0 && rest_after(axis, before) > 1e-10 * size) {
            for unit in 0..axis.len() {
                axis.iter_mut().enumerate().for_each(|(at, number)| *number = f64::from(u8::from(at == unit)));
                if rest_after(axis, before) > 0.5 / (1.0 + before.len() as f64).sqrt() {
                    break;
                }
            }
        }
        let size = dot(axis, axis).sqrt();
        axis.iter_mut().for_each(|number| *number /= size.max(f64::MIN_POSITIVE));
    }
}

/// Takes the directions of `before` out of `axis`; gives what is left of its length.
fn rest_after(axis: &mut [f64], before: &[Vec<f64>]) -> f64 {
    for _ in 0..2 {
        for other in before {
            let along = dot(axis, other);
            axis.iter_mut().zip(other).for_each(|(number, other)| *number -= along * other);
        }
    }
    dot(axis, axis).sqrt()
}

/// Eigenvalues and eigenvectors of a symmetric matrix, largest first; of equal ones the first.
fn principal(matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (values, columns) = jacobi(matrix);
    let mut order = (0..values.len()).collect::<Vec<_>>();
    order.sort_by(|&one, &two| values[two].total_cmp(&values[one]));
    let vector = |&which: &usize| columns.iter().map(|line| line[which]).collect();
    (order.iter().map(|&which| values[which]).collect(), order.iter().map(vector).collect())
}

/// Eigenvalues and eigenvectors (in columns) of a symmetric matrix by Jacobi's rotations.
fn jacobi(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = matrix.len();
    let mut vectors =
        (0..n).map(|row| (0..n).map(|column| f64::from(u8::from(row == column))).collect()).collect::<Vec<Vec<f64>>>();
    for _ in 0..60 {
        let off = (0..n)
            .flat_map(|row| (0..row).map(move |column| (row, column)))
            .map(|(row, column)| matrix[row][column].powi(2));
        let diagonal = (0..n).map(|place| matrix[place][place].powi(2)).sum::<f64>();
        if off.sum::<f64>() <= 1e-32 * diagonal {
            break;
        }
        for row in 1..n {
            for column in 0..row {
                rotate(&mut matrix, &mut vectors, column, row);
            }
        }
    }
    ((0..n).map(|place| matrix[place][place]).collect(), vectors)
}

/// Rotates the plane of `p` and `q` so that their entry vanishes.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |line: &mut Vec<f64>| {
        (line[p], line[q]) = (cosine * line[p] - sine * line[q], sine * line[p] + cosine * line[q]);
    };
    matrix.iter_mut().for_each(turn);
    vectors.iter_mut().for_each(turn);
    // `p` comes before `q`.
    let (upper, lower) = matrix.split_at_mut(q);
    for (one, two) in upper[p].iter_mut().zip(&mut lower[0]) {
        (*one, *two) = (cosine * *one - sine * *two, sine * *one + cosine * *two);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Plainly right and slow: the covariance, Jacobi's rotations over all of it, the two largest.
    fn oracle(rows: &[Vec<f32>]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let width = rows[0].len();
        let views = rows.iter().map(Vec::as_slice).collect::<Vec<_>>();
        let mean = mean_of(&views, width);
        let mut covariance = vec![vec![0.0; width]; width];
        for row in &views {
            let row = center(row, &mean);
            for one in 0..width {
                for two in 0..width {
                    covariance[one][two] += row[one] * row[two];
                }
            }
        }
        principal(covariance)
    }

    /// Rows with a spread of their own in each direction, mixed.
    fn made(n: usize, width: usize, seed: u64) -> Vec<Vec<f32>> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        let mix = (0..width).map(|_| (0..width).map(|_| next()).collect::<Vec<_>>()).collect::<Vec<_>>();
        let mut row = || {
            let own = (0..width).map(|place| next() * 0.7_f64.powi(place as i32)).collect::<Vec<_>>();
            mix.iter().map(|line| dot(line, &own) as f32 + 3.0).collect()
        };
        (0..n).map(|_| row()).collect()
    }

    #[test]
    fn points_on_a_line_lie_along_the_first_axis() {
        // (0,0,0), (3,4,0), (6,8,0): along (0.6, 0.8, 0) at -5, 0 and 5 from the mean.
        let rows = [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0], [6.0, 8.0, 0.0]];
        let places = project_to_plane(&rows);
        for (place, expected) in places.iter().zip([-5.0, 0.0, 5.0]) {
            assert!((place[0] - expected).abs() < 1e-5 && place[1].abs() < 1e-5, "{places:?}");
        }
        assert!((Plane::fit(&rows).variance_share() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn two_numbers_stay_as_they_are_and_odd_rows_do_no_harm() {
        assert_eq!(project_to_plane(&[[1.5, -2.0], [0.0, 7.0]]), [[1.5, -2.0], [0.0, 7.0]]);
        assert_eq!(project_to_plane(&[[4.0]]), [[4.0, 0.0]]);
        assert_eq!(project_to_plane(&[[0.0; 0]; 2]), [[0.0; 2]; 2]);
        assert!(project_to_plane::<[f32; 3]>(&[]).is_empty());
        assert_eq!(project_to_plane(&[[1.0, 2.0, 3.0]; 4]), [[0.0; 2]; 4]); // all alike
        let rows = vec![vec![1.0, f32::NAN, 3.0], vec![1.0], vec![2.0, 2.0, 2.0, 9.0], vec![f32::MAX, 0.0, 1.0]];
        assert!(project_to_plane(&rows).iter().flatten().all(|number| number.is_finite()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_plane_is_that_of_the_slow_way(n in 3_usize..60, width in 3_usize..30, seed in any::<u64>()) {
            let rows = made(n, width, seed);
            let (variances, axes) = oracle(&rows);
            let plane = Plane::fit(&rows);
            // As much variance as any plane can hold.
            let total = variances.iter().sum::<f64>();
            let most = (variances[0] + variances[1]) / total;
            prop_assert!((plane.variance_share() - most).abs() < 1e-9, "{} of {most}", plane.variance_share());
            // Where the axes are well apart, they are the same, up to their sign.
            for (axis, expected) in plane.axes.iter().zip(&axes) {
                let place = axes.iter().position(|axis| axis == expected).unwrap();
                let gap = |one: usize, two: usize| (variances[one] - variances[two]) / variances[0];
                let is_apart = gap(place, place + 1) > 1e-3 && (place == 0 || gap(place - 1, place) > 1e-3);
                if is_apart {
                    prop_assert!(dot(axis, expected).abs() > 1.0 - 1e-8);
                }
                let largest = axis.iter().copied().max_by(|one, two| one.abs().total_cmp(&two.abs())).unwrap();
                prop_assert!(largest > 0.0);
            }
            prop_assert_eq!(&Plane::fit(&rows), &plane);
        }
    }
}
