//! Short descriptions of long points that rule most of them out before their distance is measured.
//!
//! A sketch is the projection of a point onto a few orthonormal directions, those along which a sample varies most. The
//! distance between two sketches never exceeds the distance between the points, so a point whose *sketch* is already farther
//! than the best so far cannot be nearest. Rounding is bounded and allowed for: **answers are the same with and without
//! sketches, to the last bit and tie; only the time differs.** `docs/decisions/0002-sketches.md` has the figures.
//!
//! Coordinates are kept as 16-bit whole numbers, so that a sketch is three cache lines and is compared in some twenty instructions.

use rayon::prelude::*;

use crate::distance::Distance;
use crate::metric::Row;
use crate::points::{Point, PointsRef, retain_rows};
use crate::simd::matrix::products_of_rows;

/// Directions of a sketch.
pub(crate) const DIRECTIONS: usize = 96;

/// The largest coordinate, to which the length of the longest point is scaled. What is larger (of a query that is longer than
/// all stored points) is cut off, which brings sketches nearer to each other and so claims nothing false. Any sum of
/// squared differences fits a `u32`: 96 * (2 * 3000)^2 < 2^32.
const LARGEST: f32 = 3000.0;

/// Lengths of the longest point for which the projections stay well within the range of `f32`.
const USUAL_LENGTHS: std::ops::Range<f64> = 1e-25..1e25;

/// Narrower points are measured as fast as their sketches would be.
const MIN_WIDTH: usize = 2 * DIRECTIONS;

/// Fewer bytes of points are at hand in a cache, and measured as fast as sketches are compared. Not so in debug builds: there
/// sketches are always made, so that tests on little data test them.
const MIN_BYTES: usize = 8 << 20;

/// Points needed before directions are worth finding, and points they are found from.
const SAMPLE: usize = 1024;

/// Rounds of the search for the directions. More makes hardly a difference to what they capture.
const ROUNDS: usize = 2;

/// Below this share of the sample's variance sketches rule out too little to pay. (Of pure noise as many directions seem to
/// capture up to half, because the sample is small.)
const MIN_SHARE: f64 = 0.6;

/// Rows projected in one matrix product.
const BLOCK: usize = 256;

/// Directions, and the projections of a store's points onto them.
#[derive(Debug, Clone)]
pub(crate) struct Sketches {
    width: usize,
    /// One row of `width` numbers for each direction.
    directions: Vec<f32>,
    /// One row of `DIRECTIONS` numbers for each point.
    sketches: Vec<i16>,
    /// Coordinates to a unit of length.
    scale: f64,
    /// The length of the longest point.
    longest: f64,
    /// How much the directions, rounded, may stretch a squared length: 1 but for rounding.
    stretch: f64,
}

/// The sketches of a store, made once they are likely to pay.
#[derive(Debug, Clone, Default)]
pub(crate) struct SketchSlot {
    sketches: Option<Sketches>,
    /// How many points there were when it was last tried.
    tried_at: usize,
}

impl PartialEq for SketchSlot {
    /// Always: sketches change no answer, so that two structures with different ones are the same structure.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl SketchSlot {
    pub(crate) fn get(&self) -> Option<&Sketches> {
        self.sketches.as_ref()
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut Sketches> {
        self.sketches.as_mut()
    }

    /// Makes sketches if there are none, once the points have outgrown the caches next to the cores, and have at least
    /// doubled since that was last tried in vain.
    pub(crate) fn fill(&mut self, distance: &Distance, points: PointsRef<'_>) {
        let is_large = cfg!(debug_assertions) || points.size_bytes() >= MIN_BYTES;
        if self.sketches.is_none() && is_large && points.len() >= 2 * self.tried_at {
            self.sketches = Sketches::of(distance, points);
            self.tried_at = points.len();
        }
    }
}

/// Sketches of a block of queries, and what to allow for rounding when they are compared with stored ones.
#[derive(Debug, Clone)]
pub(crate) struct QuerySketches {
    sketches: Vec<i16>,
    allowance: Allowance,
}

/// Turns a bound on a rank into one on the squared distance of sketches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    /// What rounding may add to the distance of two sketches, in coordinates.
    absolute: f64,
    /// What it may add to a squared distance, as a factor, times the square of the scale.
    relative: f64,
    /// What a rank may lose to numbers too small for a relative bound.
    tiny: f64,
}

impl Allowance {
    /// A squared distance of sketches above this proves that the rank of the points is above `rank`.
    #[inline]
    pub(crate) fn ceiling(self, rank: f64) -> f64 {
        let distance = ((rank + self.tiny) * self.relative).sqrt() + self.absolute;
        distance * distance
    }
}

/// One sketch to compare stored ones with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SketchRef<'a> {
    pub(crate) sketch: &'a [i16],
    pub(crate) allowance: Allowance,
}

impl Sketches {
    /// Finds directions for the points and sketches them, if that is likely to pay.
    pub(crate) fn of(distance: &Distance, points: PointsRef<'_>) -> Option<Self> {
        let euclidean = matches!(distance, Distance::Euclidean | Distance::SquaredEuclidean);
        if !euclidean || points.width() < MIN_WIDTH || points.len() < SAMPLE {
            return None;
        }
        let directions = find_directions(points)?;
        let stretch = 1.0 + departure_from_orthonormal(&directions, points.width());
        let longest = longest_of(points);
        if !USUAL_LENGTHS.contains(&longest) {
            return None;
        }
        let scale = f64::from(LARGEST) / longest;
        let mut made = Self { width: points.width(), directions, sketches: Vec::new(), scale, longest, stretch };
        made.extend(points);
        Some(made)
    }

    /// Sketches further points.
    pub(crate) fn extend(&mut self, points: PointsRef<'_>) {
        self.longest = self.longest.max(longest_of(points));
        let sketches = self.project(points);
        self.sketches.extend(sketches);
    }

    /// Of the rows from `start` on, keeps those for which `keep` says so.
    pub(crate) fn retain_from(&mut self, start: usize, keep: &[bool]) {
        retain_rows(&mut self.sketches, DIRECTIONS, start, keep);
    }

    pub(crate) fn values(&self) -> &[i16] {
        &self.sketches
    }

    /// The sketch of a stored point.
    pub(crate) fn row(&self, row: Row) -> SketchRef<'_> {
        SketchRef {
            sketch: &self.sketches[row as usize * DIRECTIONS..][..DIRECTIONS],
            allowance: self.allowance(self.longest),
        }
    }

    /// Sketches queries.
    pub(crate) fn queries(&self, points: PointsRef<'_>) -> QuerySketches {
        QuerySketches { sketches: self.project(points), allowance: self.allowance(longest_of(points)) }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.directions.capacity() * size_of::<f32>() + self.sketches.capacity() * size_of::<i16>()
    }

    /// Rounding to whole numbers moves each coordinate by at most a half, so a difference by 1. Before that, with unit
    /// roundoff u, a projection is off by at most `width * u` of the point's length in each direction. The rank of a pair
    /// of `f32` points is itself a sum, off by `(width / 32 + 8) * u`. The last two are doubled, for second-order terms.
    fn allowance(&self, longest_query: f64) -> Allowance {
        let roundoff = f64::from(f32::EPSILON) / 2.0;
        let per_direction = 2.0 * (self.width as f64 + 2.0) * roundoff * (self.longest + longest_query) * self.scale;
        let absolute = (DIRECTIONS as f64).sqrt() * (1.0 + per_direction);
        let rounding = 1.0 + 2.0 * (self.width as f64 / 32.0 + 8.0) * roundoff;
        let tiny = 8.0 * (self.width as f64 + 8.0) * f64::from(f32::MIN_POSITIVE);
        Allowance { absolute, relative: self.stretch * rounding * self.scale * self.scale, tiny }
    }

    /// The sketches of points.
    fn project(&self, points: PointsRef<'_>) -> Vec<i16> {
        let mut sketches = vec![0; points.len() * DIRECTIONS];
        let scale = self.scale as f32;
        let project = |(block, sketches): (usize, &mut [i16])| {
            let start = block * BLOCK;
            let rows = as_floats(points.slice(start..points.len().min(start + BLOCK)));
            let mut projected = vec![0.0; sketches.len()];
            products_of_rows(&rows, &self.directions, self.width, &mut projected);
            for (sketch, projected) in sketches.iter_mut().zip(&projected) {
                *sketch = (projected * scale).clamp(-LARGEST, LARGEST).round_ties_even() as i16;
            }
        };
        match points.len() {
            0..=BLOCK => project((0, &mut sketches)),
            _ => sketches.par_chunks_mut(BLOCK * DIRECTIONS).enumerate().for_each(project),
        }
        sketches
    }
}

/// The length of the longest point.
fn longest_of(points: PointsRef<'_>) -> f64 {
    let square = |row| square_of(points.row(row));
    let largest = match points.len() {
        0..=BLOCK => (0..points.len()).map(square).fold(0.0, f64::max),
        _ => (0..points.len()).into_par_iter().with_min_len(BLOCK).map(square).reduce(|| 0.0, f64::max),
    };
    largest.sqrt()
}

fn square_of(point: Point<'_>) -> f64 {
    match point {
        Point::F32(values) => square(values),
        Point::U8(values) => values.iter().map(|value| u64::from(*value) * u64::from(*value)).sum::<u64>() as f64,
    }
}

impl QuerySketches {
    pub(crate) fn row(&self, row: Row) -> SketchRef<'_> {
        SketchRef { sketch: &self.sketches[row as usize * DIRECTIONS..][..DIRECTIONS], allowance: self.allowance }
    }
}

fn as_floats(points: PointsRef<'_>) -> Vec<f32> {
    match (points.as_f32(), points.as_u8()) {
        (Some(values), _) => values.to_vec(),
        (_, Some(values)) => values.iter().map(|value| f32::from(*value)).collect(),
        (None, None) => Vec::new(),
    }
}

/// The squared length of a row.
pub(crate) fn square(values: &[f32]) -> f64 {
    // Four sums, for speed; in f64 the rounding does not matter beside that of f32.
    let mut sums = [0.0; 4];
    for four in values.chunks(4) {
        for (sum, value) in sums.iter_mut().zip(four) {
            *sum += f64::from(*value) * f64::from(*value);
        }
    }
    sums.iter().sum()
}

/// The leading principal directions of a sample, by subspace iteration; nothing if they capture too little.
fn find_directions(points: PointsRef<'_>) -> Option<Vec<f32>> {
    let width = points.width();
    let step = points.len() / SAMPLE;
    let rows = (0..SAMPLE).map(|place| points.row(place * step));
    let mut sample = rows.flat_map(floats_of).collect::<Vec<_>>();
    let mut mean = vec![0.0; width];
    for row in sample.chunks_exact(width) {
        mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += f64::from(*value) / SAMPLE as f64);
    }
    let mut turned = vec![0.0; sample.len()];
    for (row, values) in sample.chunks_exact_mut(width).enumerate() {
        for (column, (value, mean)) in values.iter_mut().zip(&mean).enumerate() {
            *value -= *mean as f32;
            turned[column * SAMPLE + row] = *value;
        }
    }

    // Any start will do that is not orthogonal to the sample: rows of the sample itself.
    let mut directions = sample[..DIRECTIONS * width].to_vec();
    make_orthonormal(&mut directions, width);
    let mut projected = vec![0.0; DIRECTIONS * SAMPLE];
    for _ in 0..ROUNDS {
        products_of_rows(&directions, &sample, width, &mut projected);
        products_of_rows(&projected, &turned, SAMPLE, &mut directions);
        make_orthonormal(&mut directions, width);
    }
    products_of_rows(&directions, &sample, width, &mut projected);
    let share = square(&projected) / square(&sample);
    (share >= MIN_SHARE).then_some(directions)
}

fn floats_of(point: Point<'_>) -> Vec<f32> {
    as_floats(PointsRef::one(point))
}

/// Gram and Schmidt, twice, in `f64`. A row that depends on earlier ones becomes zero.
fn make_orthonormal(rows: &mut [f32], width: usize) {
    let mut done: Vec<Vec<f64>> = Vec::new();
    for row in rows.chunks_exact_mut(width) {
        let mut vector = row.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
        let before = product(&vector, &vector).sqrt();
        for _ in 0..2 {
            for other in &done {
                let along = product(&vector, other);
                vector.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
            }
        }
        let after = product(&vector, &vector).sqrt();
        let scale = if after > 1e-6 * before { 1.0 / after } else { 0.0 };
        vector.iter_mut().for_each(|value| *value *= scale);
        row.iter_mut().zip(&vector).for_each(|(row, value)| *row = *value as f32);
        done.push(vector);
    }
}

/// A bound on how much more than 1 the directions stretch a squared length: the size of `D D^T - I`, in which rows that are
/// zero may be left out.
fn departure_from_orthonormal(directions: &[f32], width: usize) -> f64 {
    let wide = |row: &[f32]| row.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
    let rows = directions.chunks_exact(width).map(wide).collect::<Vec<_>>();
    let mut sum = 0.0;
    for (i, a) in rows.iter().enumerate() {
        let own = product(a, a);
        sum += if own > 0.0 { (own - 1.0).powi(2) } else { 0.0 };
        sum += rows[..i].iter().map(|b| 2.0 * product(a, b).powi(2)).sum::<f64>();
    }
    sum.sqrt()
}

/// The product of two vectors, in four sums for speed.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;

    /// Points on a plane in 256 dimensions, with a little noise.
    fn flat_points() -> Points {
        let value = |row: usize, column: usize| {
            let (a, b) = ((row % 61) as f32, (row % 17) as f32);
            let noise = ((row * 7919 + column * 104_729) % 1000) as f32 / 1000.0;
            a * (column as f32 / 40.0).sin() + b * (column as f32 / 90.0).cos() + 0.1 * noise
        };
        let values = (0..2000).flat_map(|row| (0..256).map(move |column| value(row, column)));
        Points::from_f32(256, values.collect()).unwrap()
    }

    #[test]
    fn a_sketch_never_claims_more_than_the_distance() {
        let points = flat_points();
        let sketches = Sketches::of(&Distance::Euclidean, points.view()).expect("two directions capture nearly all");
        let metric = crate::metric::Metric::new(&Distance::Euclidean, points.view());
        let mut closest = 0.0_f64;
        for (a, b) in [(0, 1), (5, 66), (100, 1500), (7, 7), (1999, 3)] {
            let rank = metric.rank(points.row(a), b);
            let (first, second) = (sketches.row(a as Row), sketches.row(b));
            let squares = first.sketch.iter().zip(second.sketch).map(|(a, b)| f64::from(a - b).powi(2));
            let claimed = squares.sum::<f64>();
            assert!(claimed <= first.allowance.ceiling(rank), "{a} {b}");
            if rank > 0.0 {
                closest = closest.max(claimed / first.allowance.ceiling(rank));
            }
        }
        assert!(closest > 0.95, "the plane is captured: {closest}");
    }

    #[test]
    fn noise_in_every_direction_is_not_sketched() {
        let mut state = 1_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32
        };
        let points = Points::from_f32(512, (0..512 * 1024).map(|_| noise()).collect()).unwrap();
        assert!(Sketches::of(&Distance::Euclidean, points.view()).is_none());
        assert!(Sketches::of(&Distance::Manhattan, flat_points().view()).is_none());
    }
}
