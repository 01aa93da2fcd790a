//! Changes of pictures.

use hedgerow_core::random::SplitMix64;

use super::{Augment, NEEDS_PICTURE, NOT_BELOW_0, PictureShape};

/// Moves by up to so many places, up or down and left or right. What comes in is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shift(pub(super) usize);

/// Turns around the middle by up to so many degrees either way. What comes in is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rotate(pub(super) f64);

/// Mirrors left to right, every other time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mirror;

impl Augment for Shift {
    fn check(&self, shape: Option<PictureShape>) -> Result<(), &'static str> {
        let PictureShape { height, width, .. } = shape.ok_or(NEEDS_PICTURE)?;
        if self.0 < height.min(width) {
            return Ok(());
        }
        Err("it would move the picture out of sight; give fewer places than it is high and wide")
    }

    fn change(&self, shape: PictureShape, row: &mut [f32], spare: &mut [f32], random: &mut SplitMix64) {
        let (PictureShape { height, width, channels }, most) = (shape, self.0);
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
}

impl Augment for Rotate {
    fn check(&self, shape: Option<PictureShape>) -> Result<(), &'static str> {
        shape.ok_or(NEEDS_PICTURE)?;
        if self.0.is_finite() && self.0 >= 0.0 { Ok(()) } else { Err(NOT_BELOW_0) }
    }

    fn change(&self, shape: PictureShape, row: &mut [f32], spare: &mut [f32], random: &mut SplitMix64) {
        spare.copy_from_slice(row);
        turn(spare, shape, angle_between(self.0, random), row);
    }
}

impl Augment for Mirror {
    fn check(&self, shape: Option<PictureShape>) -> Result<(), &'static str> {
        shape.ok_or(NEEDS_PICTURE).map(|_| ())
    }

    fn change(&self, shape: PictureShape, row: &mut [f32], _: &mut [f32], random: &mut SplitMix64) {
        let PictureShape { width, channels, .. } = shape;
        if random.below(2) == 1 {
            row.chunks_exact_mut(width * channels).for_each(|line| {
                (0..width / 2).for_each(|at| {
                    (0..channels).for_each(|c| line.swap(at * channels + c, (width - 1 - at) * channels + c));
                });
            });
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

#[cfg(test)]
mod tests {
    use super::super::tests::{PICTURE, changed};
    use super::*;

    #[test]
    fn shifts_move_by_whole_places_and_bring_in_zeros() {
        let seen: Vec<[f32; 9]> = (0..200).map(|seed| changed(&Shift(1), seed)).collect();
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
        (0..50).for_each(|seed| assert!(changed(&Shift(7), seed).iter().all(|value| *value >= 0.0)));
    }

    #[test]
    fn turning_keeps_the_middle_and_right_angles_are_exact() {
        let mut angles = Vec::new();
        for seed in 0..200 {
            let row = changed(&Rotate(15.0), seed);
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
    fn a_mirror_swaps_left_and_right_every_other_time() {
        let seen: Vec<_> = (0..20).map(|seed| changed(&Mirror, seed)).collect();
        assert!(seen.contains(&PICTURE) && seen.contains(&[3.0, 2.0, 1.0, 6.0, 5.0, 4.0, 9.0, 8.0, 7.0]));
    }
}
