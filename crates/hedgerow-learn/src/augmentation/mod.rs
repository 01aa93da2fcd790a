//! Examples seen a little differently each time: for pictures, moved, turned or with noise.
//!
//! [`Augmentation`] is what a user asks for and what is written down; behind it, each change is an [`Augment`] of its own, in `pictures.rs` or
//! `numbers.rs`.

mod numbers;
mod pictures;

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{Point, PointsRef};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::Matrix;
use crate::real::Real;
use crate::transform::InputScale;
use numbers::{Drop, Noise};
use pictures::{Mirror, Rotate, Shift};

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

/// A change of examples.
pub(crate) trait Augment: std::fmt::Debug + Send + Sync {
    /// Checks its own numbers, for pictures of this shape or for points that are none; what it should be, if it cannot be.
    fn check(&self, shape: Option<PictureShape>) -> Result<(), &'static str>;

    /// Changes one example. `spare` is as long as the row, for the change to use.
    fn change(&self, shape: PictureShape, row: &mut [f32], spare: &mut [f32], random: &mut SplitMix64);
}

/// What a change says that makes no sense for points that are no pictures.
const NEEDS_PICTURE: &str = "it needs the shape of the pictures";
const NOT_BELOW_0: &str = "give a finite number, not below 0";

impl Augmentation {
    /// The change that it stands for.
    pub(crate) fn change(self) -> Box<dyn Augment> {
        match self {
            Self::Shift(most) => Box::new(Shift(most)),
            Self::Rotate(degrees) => Box::new(Rotate(degrees)),
            Self::Noise(deviation) => Box::new(Noise(deviation)),
            Self::Drop(probability) => Box::new(Drop(probability)),
            Self::Mirror => Box::new(Mirror),
        }
    }
}

/// Changes the examples of a batch, each by random numbers of its own: the same for any number of threads, and for a
/// run that is taken up again.
#[derive(Debug)]
pub(crate) struct Augmenter {
    changes: Vec<Box<dyn Augment>>,
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
        let changes: Vec<_> = augmentations.iter().map(|augmentation| augmentation.change()).collect();
        (!changes.is_empty()).then_some(Self { changes, shape, scale, seed })
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
    pub(super) const PICTURE: [f32; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

    /// A picture of 3 x 3 after a change.
    pub(super) fn changed(augment: &impl Augment, seed: u64) -> [f32; 9] {
        let (mut row, mut spare) = (PICTURE, [0.0; 9]);
        augment.change(SHAPE, &mut row, &mut spare, &mut SplitMix64::new(seed, 0));
        row
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
