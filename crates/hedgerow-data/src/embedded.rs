//! optdigits, compiled into the crate: real pictures with an official split, for examples, tests and first runs.
//!
//! Each picture is 8x8 pixels of 0 (paper) to 16 (ink) and shows one digit. The set is small enough for brute force in a
//! test: the exact nearest neighbor errs on 36 of the 1797 test pictures (2.00 %). It is not a benchmark for speed, since
//! the whole training part is 245 KB as bytes and sits in a cache.
//!
//! The data are licensed under CC BY 4.0: show [`ATTRIBUTION`] where you show the pictures. The folder `embedded/` of this
//! crate has the packed file, the script that makes it, and a README that says what was changed.

use std::io::Read;

use flate2::read::GzDecoder;
use hedgerow_core::{Label, Points};

use crate::dataset::{Dataset, ImageShape};

/// Rows in both parts together.
pub const ROWS: usize = TRAIN_ROWS + TEST_ROWS;

/// Rows of the official training part.
pub const TRAIN_ROWS: usize = 3823;

/// Rows of the official test part, written by other people than the training part.
pub const TEST_ROWS: usize = 1797;

/// Pixels of one picture, row by row from the top left.
pub const PIXELS: usize = SIDE * SIDE;

/// Pixels along one side of a picture.
pub const SIDE: usize = 8;

/// The darkest pixel value; the lightest is 0.
pub const MAX_PIXEL: u8 = 16;

/// Number of classes, the digits 0 to 9.
pub const CLASSES: usize = 10;

/// Where the data come from and under which license, as one line to print.
pub const ATTRIBUTION: &str = "Optical Recognition of Handwritten Digits (optdigits), E. Alpaydin and C. Kaynak, 1998, \
     UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, CC BY 4.0; repacked, values unchanged.";

/// One row of the packed file: the pixels, then the label.
const RECORD_BYTES: usize = PIXELS + 1;

static PACKED: &[u8] = include_bytes!("../embedded/optdigits.bin.gz");

/// Unpacks the embedded optdigits: [`TRAIN_ROWS`] pictures to learn from and [`TEST_ROWS`] to test on, the latter the same
/// rows in the same order as scikit-learn's `load_digits`.
///
/// Every call decompresses all 365,300 bytes again: keep the result.
///
/// # Example
/// ```
/// use hedgerow_core::{Label, Point};
/// use hedgerow_data::embedded::optdigits;
///
/// let digits = optdigits();
/// let mean_ink = |digit: u32| {
///     let train = digits.train();
///     let is_digit = |row: &usize| train.labels()[*row] == Label::class(digit);
///     let ink = |row: usize| match train.row(row) {
///         Point::U8(pixels) => pixels.iter().map(|&pixel| u32::from(pixel)).sum::<u32>(),
///         Point::F32(_) => 0,
///     };
///     let inks: Vec<u32> = (0..train.len()).filter(is_digit).map(ink).collect();
///     inks.iter().sum::<u32>() / inks.len() as u32
/// };
/// assert!(mean_ink(7) < mean_ink(8), "an 8 takes more ink than a 7");
/// ```
#[must_use]
pub fn optdigits() -> Dataset {
    let records = unpack();
    let mut pixels = Vec::with_capacity(ROWS * PIXELS);
    let mut labels = Vec::with_capacity(ROWS);
    for record in records.chunks_exact(RECORD_BYTES) {
        pixels.extend_from_slice(&record[..PIXELS]);
        labels.push(Label::class(u32::from(record[PIXELS])));
    }
    let points = Points::from_u8(PIXELS, pixels).expect("whole pictures were unpacked");
    Dataset::new("optdigits", points, labels)
        .and_then(|digits| digits.with_split_rows(TRAIN_ROWS, 0, TEST_ROWS))
        .and_then(|digits| digits.with_image_shape(ImageShape { height: SIDE, width: SIDE, channels: 1 }))
        .expect("the archive is compiled into the crate and a test counts its rows")
        .with_attribution(ATTRIBUTION)
}

fn unpack() -> Vec<u8> {
    let mut records = Vec::with_capacity(ROWS * RECORD_BYTES);
    GzDecoder::new(PACKED)
        .read_to_end(&mut records)
        .expect("the archive is compiled into the crate and a test unpacks it");
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Part;

    fn pixels<'a>(part: &Part<'a>) -> &'a [u8] {
        part.points().as_u8().unwrap()
    }

    fn class_counts(part: &Part<'_>) -> [usize; CLASSES] {
        let mut counts = [0; CLASSES];
        part.labels().iter().for_each(|label| counts[label.as_class().unwrap().0 as usize] += 1);
        counts
    }

    #[test]
    fn unpacked_bytes_have_the_checksum_printed_by_the_packing_script() {
        let records = unpack();
        // FNV-1a, 64 bits: xor the byte in, then multiply by the prime.
        let checksum = records.iter().fold(0xcbf2_9ce4_8422_2325_u64, |digest, &byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        assert_eq!(records.len(), 365_300);
        assert_eq!(checksum, 0xd887_18f3_f53b_06be);
    }

    #[test]
    fn both_parts_have_their_official_row_counts_and_pictures_their_shape() {
        let digits = optdigits();
        assert_eq!((digits.train().len(), digits.validation().len(), digits.test().len()), (3823, 0, 1797));
        assert_eq!(digits.image_shape().map(|shape| shape.to_string()), Some("8x8x1".to_owned()));
        assert_eq!(digits.class_names(), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(digits.test().row_id(0), "3823");
    }

    #[test]
    fn pixels_span_exactly_the_documented_range() {
        let digits = optdigits();
        for part in [digits.train(), digits.test()] {
            assert_eq!(pixels(&part).iter().min(), Some(&0));
            assert_eq!(pixels(&part).iter().max(), Some(&MAX_PIXEL));
        }
    }

    #[test]
    fn class_counts_are_those_of_the_official_split() {
        let digits = optdigits();
        assert_eq!(class_counts(&digits.train()), [376, 389, 380, 389, 387, 376, 377, 387, 380, 382]);
        assert_eq!(class_counts(&digits.test()), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    }

    #[test]
    fn first_row_of_each_part_is_the_zero_read_from_the_source() {
        let digits = optdigits();
        #[rustfmt::skip]
        let first_train = [
            0, 1,  6, 15, 12,  1, 0, 0,
            0, 7, 16,  6,  6, 10, 0, 0,
            0, 8, 16,  2,  0, 11, 2, 0,
            0, 5, 16,  3,  0,  5, 7, 0,
            0, 7, 13,  3,  0,  8, 7, 0,
            0, 4, 12,  0,  1, 13, 5, 0,
            0, 0, 14,  9, 15,  9, 0, 0,
            0, 0,  6, 14,  7,  1, 0, 0,
        ];
        #[rustfmt::skip]
        let first_test = [
            0, 0,  5, 13,  9,  1, 0, 0,
            0, 0, 13, 15, 10, 15, 5, 0,
            0, 3, 15,  2,  0, 11, 8, 0,
            0, 4, 12,  0,  0,  8, 8, 0,
            0, 5,  8,  0,  0,  9, 8, 0,
            0, 4, 11,  0,  1, 12, 7, 0,
            0, 2, 14,  5, 10, 12, 0, 0,
            0, 0,  6, 13, 10,  0, 0, 0,
        ];
        assert_eq!(pixels(&digits.train())[..PIXELS], first_train);
        assert_eq!(digits.train().labels()[0], Label::class(0));
        assert_eq!(pixels(&digits.test())[..PIXELS], first_test);
        assert_eq!(digits.test().labels()[0], Label::class(0));
    }

    #[test]
    fn exact_nearest_neighbor_errs_on_36_of_1797_test_rows() {
        let digits = optdigits();
        let (train, test) = (digits.train(), digits.test());
        let squared_distance =
            |a: &[u8], b: &[u8]| -> u32 { a.iter().zip(b).map(|(&x, &y)| u32::from(x.abs_diff(y)).pow(2)).sum() };
        let errors = pixels(&test)
            .chunks_exact(PIXELS)
            .zip(test.labels())
            .filter(|(query, label)| {
                // `min_by_key` keeps the earliest of equals. Eleven queries do have ties, all among rows of one label.
                let nearest = pixels(&train)
                    .chunks_exact(PIXELS)
                    .zip(train.labels())
                    .min_by_key(|(row, _)| squared_distance(query, row))
                    .expect("the training part is not empty");
                nearest.1 != *label
            })
            .count();
        // 36 / 1797 = 2.00 %
        assert_eq!(errors, 36);
    }

    #[test]
    fn attribution_names_authors_source_and_license() {
        for part in ["Alpaydin", "Kaynak", "1998", "UCI", "CC BY 4.0"] {
            assert!(ATTRIBUTION.contains(part), "{part} is missing");
        }
    }
}
