//! Examples seen a little differently each time: for pictures, moved, turned or with noise.

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Point, PointsRef};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::Matrix;
use crate::real::Real;
use crate::transform::InputScale;

/// The stream of random numbers that augmentation draws from.
const AUGMENTATION: u64 = 0x6175_676d_656e_7400;

/// The shape of a picture. Numbers stand row by row, the channels of a place together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureShape {
    /// Rows of places.
    pub height: usize,
    /// Places in a row.
    pub width: usize,
    /// Numbers at each place.
    pub channels: usize,
}

/// One way to change examples. What a random number decides is drawn anew for each example and epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Augmentation {
    /// Moves a picture by up to so many places, up or down and left or right, fewer than it is high and wide. What comes in is 0.
    Shift(usize),
    /// Turns a picture around its middle by up to so many degrees either way.
    Rotate(f64),
    /// Adds normal noise of this standard deviation to each number (after scaling).
    Noise(f64),
    /// Sets each number to 0 with this probability, and makes the others larger to make up for it: dropout of inputs.
    Drop(f64),
    /// Mirrors a picture left to right, every other time.
    Mirror,
}

impl PictureShape {
    /// Numbers of a picture; none if there are none, or more than can be counted.
    pub(crate) fn n_numbers(self) -> Option<usize> {
        let n_numbers = self.height.checked_mul(self.width)?.checked_mul(self.channels)?;
        (n_numbers > 0).then_some(n_numbers)
    }
}

impl Augmentation {
    /// Changes one example. `spare` is as long as the row, for the change to use.
    fn change(self, shape: PictureShape, row: &mut [f32], spare: &mut [f32], random: &mut SplitMix64) {
        let PictureShape { height, width, channels } = shape;
        match self {
            Self::Noise(deviation) => {
                row.iter_mut().for_each(|value| *value += (deviation * random.normal()) as f32);
            }
            Self::Drop(share) => {
                let others = (1.0 / (1.0 - share)) as f32;
                row.iter_mut().for_each(|value| *value = if random.unit() < share { 0.0 } else { *value * others });
            }
            Self::Mirror => {
                if random.below(2) == 1 {
                    row.chunks_exact_mut(width * channels).for_each(|line| {
                        (0..width / 2).for_each(|at| {
                            (0..channels).for_each(|c| line.swap(at * channels + c, (width - 1 - at) * channels + c));
                        });
                    });
                }
            }
            Self::Shift(most) => {
                let shift = |random: &mut SplitMix64| random.below(2 * most + 1) as isize - most as isize;
                let (down, right) = (shift(random), shift(random));
                if (down, right) == (0, 0) {
                    return;
                }
                spare.copy_from_slice(row);
                row.fill(0.0);
                for y in 0..height {
                    let Some(from_y) = y.checked_add_signed(-down).filter(|&y| y < height) else { continue };
                    // The stretch of this line that comes from inside the picture.
                    let (start, end) = (right.max(0) as usize, (width as isize + right.min(0)).max(0) as usize);
                    if start < end.min(width) {
                        let from = (from_y * width).wrapping_add_signed(start as isize - right) * channels;
                        let n = (end.min(width) - start) * channels;
                        let to = (y * width + start) * channels;
                        row[to..to + n].copy_from_slice(&spare[from..from + n]);
                    }
                }
            }
            Self::Rotate(most) => {
                spare.copy_from_slice(row);
                turn(spare, shape, angle_between(most, random), row);
            }
        }
    }
}

/// An angle of up to so many degrees either way.
fn angle_between(most: f64, random: &mut SplitMix64) -> f64 {
    (2.0 * random.unit() - 1.0) * most
}

/// Writes a picture turned around its middle by so many degrees, clockwise. What comes in is 0.
fn turn(picture: &[f32], shape: PictureShape, degrees: f64, out: &mut [f32]) {
    let PictureShape { height, width, channels } = shape;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (middle_y, middle_x) = ((height as f64 - 1.0) / 2.0, (width as f64 - 1.0) / 2.0);
    for y in 0..height {
        for x in 0..width {
            let (dy, dx) = (y as f64 - middle_y, x as f64 - middle_x);
            let (from_y, from_x) = (middle_y + cos * dy - sin * dx, middle_x + sin * dy + cos * dx);
            for c in 0..channels {
                out[(y * width + x) * channels + c] =
                    between_places(picture, (height, width, channels), c, from_y, from_x);
            }
        }
    }
}

/// The value between four places of a picture, by how near each is; 0 outside.
fn between_places(
    picture: &[f32],
    (height, width, channels): (usize, usize, usize),
    channel: usize,
    y: f64,
    x: f64,
) -> f32 {
    let (low_y, low_x) = (y.floor(), x.floor());
    let mut sum = 0.0;
    for (place_y, share_y) in [(low_y, 1.0 - (y - low_y)), (low_y + 1.0, y - low_y)] {
        for (place_x, share_x) in [(low_x, 1.0 - (x - low_x)), (low_x + 1.0, x - low_x)] {
            let is_inside = place_y >= 0.0 && place_x >= 0.0 && place_y < height as f64 && place_x < width as f64;
            if is_inside {
                let at = (place_y as usize * width + place_x as usize) * channels + channel;
                sum += share_y * share_x * f64::from(picture[at]);
            }
        }
    }
    sum as f32
}

/// Changes the examples of a batch, each by random numbers of its own: the same for any number of threads, and for a
/// run that is taken up again.
#[derive(Debug)]
pub(crate) struct Augmenter {
    changes: Vec<Augmentation>,
    shape: PictureShape,
    scale: InputScale,
    seed: u64,
}

impl Augmenter {
    /// None if there is nothing to change.
    pub(crate) fn new(
        augmentations: &[Augmentation],
        shape: PictureShape,
        scale: InputScale,
        seed: u64,
    ) -> Option<Self> {
        (!augmentations.is_empty()).then(|| Self { changes: augmentations.to_vec(), shape, scale, seed })
    }

    /// Writes the changed rows.
    pub(crate) fn fill<R: Real>(&self, points: PointsRef<'_>, rows: &[usize], epoch: u64, out: &mut Matrix<R>) {
        let width = points.width();
        out.resize(rows.len(), width);
        let factor = self.scale.factor();
        let filled = out.values_mut().par_chunks_mut(width).zip(rows).with_min_len(8);
        filled.for_each_init(
            || (vec![0.0; width], vec![0.0; width]),
            |(changed, spare), (out, &row)| {
                match points.row(row) {
                    Point::F32(values) => {
                        changed.iter_mut().zip(values).for_each(|(to, &value)| *to = value * factor);
                    }
                    Point::U8(values) => {
                        changed.iter_mut().zip(values).for_each(|(to, &value)| *to = f32::from(value) * factor);
                    }
                }
                let stream = AUGMENTATION ^ epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (row as u64).rotate_left(32);
                let mut random = SplitMix64::new(self.seed, stream);
                self.changes.iter().for_each(|change| change.change(self.shape, changed, spare, &mut random));
                out.iter_mut().zip(&*changed).for_each(|(to, &value)| *to = R::of(f64::from(value)));
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: PictureShape = PictureShape { height: 3, width: 3, channels: 1 };
    const PICTURE: [f32; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

    fn changed(augmentation: Augmentation, seed: u64) -> [f32; 9] {
        let (mut row, mut spare) = (PICTURE, [0.0; 9]);
        augmentation.change(SHAPE, &mut row, &mut spare, &mut SplitMix64::new(seed, 0));
        row
    }

    #[test]
    fn shifts_move_by_whole_places_and_bring_in_zeros() {
        let seen: Vec<[f32; 9]> = (0..200).map(|seed| changed(Augmentation::Shift(1), seed)).collect();
        let expected = [
            PICTURE,
            [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], // down
            [0.0, 1.0, 2.0, 0.0, 4.0, 5.0, 0.0, 7.0, 8.0], // right
            [5.0, 6.0, 0.0, 8.0, 9.0, 0.0, 0.0, 0.0, 0.0], // up and left
        ];
        assert!(expected.iter().all(|picture| seen.contains(picture)));
        let mut different: Vec<_> = seen.iter().map(|picture| format!("{picture:?}")).collect();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), 9);
        // Farther than the picture is wide: nothing is left, and nothing is out of bounds.
        (0..50).for_each(|seed| assert!(changed(Augmentation::Shift(7), seed).iter().all(|value| *value >= 0.0)));
    }

    #[test]
    fn turning_keeps_the_middle_and_right_angles_are_exact() {
        let mut angles = Vec::new();
        for seed in 0..200 {
            let row = changed(Augmentation::Rotate(15.0), seed);
            assert!((row[4] - 5.0).abs() < 1e-6);
            assert_ne!(row, PICTURE);
            angles.push(angle_between(15.0, &mut SplitMix64::new(seed, 0)));
        }
        assert!(angles.iter().all(|angle| angle.abs() <= 15.0));
        assert!(angles.iter().any(|angle| *angle < -12.0) && angles.iter().any(|angle| *angle > 12.0));

        let turned = |picture: &[f32], (height, width, channels): (usize, usize, usize), degrees: f64| {
            let mut out = vec![f32::NAN; picture.len()];
            turn(picture, PictureShape { height, width, channels }, degrees, &mut out);
            // Sines of right angles are 1e-16 off.
            out.iter().map(|value| (value * 1e4).round() / 1e4).collect::<Vec<f32>>()
        };
        // Clockwise: the first column, from below, becomes the first line.
        assert_eq!(turned(&PICTURE, (3, 3, 1), 90.0), [7.0, 4.0, 1.0, 8.0, 5.0, 2.0, 9.0, 6.0, 3.0]);
        assert_eq!(turned(&PICTURE, (3, 3, 1), -90.0), [3.0, 6.0, 9.0, 2.0, 5.0, 8.0, 1.0, 4.0, 7.0]);
        assert_eq!(turned(&PICTURE, (3, 3, 1), 360.0), PICTURE);
        // Not square, the two channels of a place together.
        assert_eq!(turned(&PICTURE[..6], (1, 3, 2), 180.0), [5.0, 6.0, 3.0, 4.0, 1.0, 2.0]);
        // A line of three that stands upright has its ends above and below the picture.
        assert_eq!(turned(&PICTURE[..3], (1, 3, 1), 90.0), [0.0, 2.0, 0.0]);
        let picture = |y: f64, x: f64| between_places(&PICTURE, (3, 3, 1), 0, y, x);
        assert_eq!((picture(0.0, 2.0), picture(0.5, 0.5), picture(-0.5, 0.0)), (3.0, 3.0, 0.5));
    }

    #[test]
    fn mirrors_and_dropped_numbers() {
        let seen: Vec<_> = (0..20).map(|seed| changed(Augmentation::Mirror, seed)).collect();
        assert!(seen.contains(&PICTURE) && seen.contains(&[3.0, 2.0, 1.0, 6.0, 5.0, 4.0, 9.0, 8.0, 7.0]));
        let dropped = changed(Augmentation::Drop(0.5), 1);
        assert!(dropped.iter().zip(PICTURE).all(|(&now, was)| now == 0.0 || now == 2.0 * was));
        assert!(dropped.contains(&0.0) && dropped.iter().any(|&value| value != 0.0));
    }

    #[test]
    fn an_example_is_changed_alike_whoever_stands_beside_it() {
        let points = hedgerow_core::Points::from_u8(9, (0..90).collect()).unwrap();
        let all = [Augmentation::Shift(1), Augmentation::Rotate(10.0), Augmentation::Noise(0.1)];
        let augmenter = Augmenter::new(&all, SHAPE, InputScale::Bytes(255.0), 7).unwrap();
        let (mut some, mut one) = (Matrix::<f32>::default(), Matrix::<f32>::default());
        augmenter.fill(points.view(), &[3, 8, 1], 4, &mut some);
        augmenter.fill(points.view(), &[8], 4, &mut one);
        assert_eq!(one.row(0), some.row(1));
        augmenter.fill(points.view(), &[8], 5, &mut one);
        assert_ne!(one.row(0), some.row(1));
    }
}
