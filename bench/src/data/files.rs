//! The contents of the test files: seeded, so that every run reads the same bytes.
//!
//! The mean of a feature depends on its column, so that columns taken for rows or in another order do not pass the
//! comparison of sums ([`super::reading`]), and about a quarter of the values are negative.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use hedgerow_core::Label;
use hedgerow_core::random::SplitMix64;
use hedgerow_data::Dataset;

use crate::random::nearly_normal;
use crate::synthetic::SEED;

/// Synthetic pictures: as many as MNIST has for training.
pub const PICTURES: usize = 60_000;

/// Columns of the tables of numbers.
const COLUMNS: usize = 20;

/// Features of the svmlight data.
const SPARSE_FEATURES: usize = 200;

/// Classes of all data that is made here: the row's number modulo this.
const CLASSES: usize = 10;

/// The order of the values of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    C,
    /// Column after column.
    Fortran,
}

/// What a test file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// 20 columns of numbers with six decimals, and a whole number as label.
    DecimalsCsv,
    /// The same with as many digits as it takes to tell each `f64` from all others.
    DigitsCsv,
    /// A label, then the pixels of a picture.
    PixelsCsv,
    /// A matrix of `f32`.
    FloatsNpy {
        /// Values of a row.
        width: usize,
        /// The order in which they are written.
        order: Order,
    },
    /// The pixels of pictures as a matrix of `u8`.
    PixelsNpy,
    /// About 31 of 200 features in each row.
    Svmlight,
    /// Pictures as MNIST has them.
    PicturesIdx,
    /// Labels as MNIST has them.
    LabelsIdx,
    /// [`Content::PicturesIdx`], packed.
    PicturesIdxGzip,
    /// [`Content::LabelsIdx`], packed.
    LabelsIdxGzip,
}

impl Content {
    /// The rows that make a file of about 100 MB (svmlight: 50 MB); of pictures, as many as there are.
    pub fn rows(self) -> usize {
        match self {
            Self::DecimalsCsv => 500_000,
            Self::DigitsCsv => 270_000,
            Self::FloatsNpy { width, .. } => 25_000_000 / width,
            Self::Svmlight => 125_000,
            Self::PixelsCsv | Self::PixelsNpy | Self::PicturesIdx | Self::LabelsIdx => usize::MAX,
            Self::PicturesIdxGzip | Self::LabelsIdxGzip => usize::MAX,
        }
    }

    /// Writes `rows` rows; of pictures at most as many as there are.
    ///
    /// # Errors
    /// What `out` gives.
    pub fn write(self, rows: usize, pictures: &Pictures, out: &mut dyn Write) -> io::Result<()> {
        let n_pictures = rows.min(pictures.len());
        match self {
            Self::DecimalsCsv => write_table(rows, out, |value, out| write!(out, "{value:.6},")),
            Self::DigitsCsv => write_table(rows, out, |value, out| write!(out, "{value},")),
            Self::PixelsCsv => write_pixel_table(n_pictures, pictures, out),
            Self::FloatsNpy { width, order } => write_float_matrix(rows, width, order, out),
            Self::PixelsNpy => {
                write_npy_header("|u1", Order::C, n_pictures, pictures.width(), out)?;
                out.write_all(pictures.rows(n_pictures))
            }
            Self::Svmlight => write_svmlight(rows, out),
            Self::PicturesIdx => {
                write_idx_header(&[n_pictures, pictures.shape[0], pictures.shape[1]], out)?;
                out.write_all(pictures.rows(n_pictures))
            }
            Self::LabelsIdx => {
                write_idx_header(&[n_pictures], out)?;
                out.write_all(&pictures.labels[..n_pictures])
            }
            Self::PicturesIdxGzip => packed(Self::PicturesIdx, rows, pictures, out),
            Self::LabelsIdxGzip => packed(Self::LabelsIdx, rows, pictures, out),
        }
    }
}

fn packed(content: Content, rows: usize, pictures: &Pictures, out: &mut dyn Write) -> io::Result<()> {
    let mut encoder = GzEncoder::new(out, Compression::default());
    content.write(rows, pictures, &mut encoder)?;
    encoder.finish().map(|_| ())
}

/// The mean of a column.
fn mean(column: usize) -> f32 {
    column as f32 - 4.0
}

fn write_table(
    rows: usize,
    out: &mut dyn Write,
    write_value: impl Fn(f64, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    (0..COLUMNS).try_for_each(|column| write!(out, "f{column},"))?;
    writeln!(out, "label")?;
    let mut random = SplitMix64::new(SEED, 0);
    for row in 0..rows {
        (0..COLUMNS).try_for_each(|column| write_value(f64::from(mean(column)) + random.normal(), out))?;
        writeln!(out, "{}", row % CLASSES)?;
    }
    Ok(())
}

fn write_pixel_table(rows: usize, pictures: &Pictures, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "label")?;
    (0..pictures.width()).try_for_each(|pixel| write!(out, ",p{pixel}"))?;
    writeln!(out)?;
    for (picture, label) in pictures.rows(rows).chunks(pictures.width()).zip(&pictures.labels) {
        write!(out, "{label}")?;
        picture.iter().try_for_each(|pixel| write!(out, ",{pixel}"))?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_float_matrix(rows: usize, width: usize, order: Order, out: &mut dyn Write) -> io::Result<()> {
    write_npy_header("<f4", order, rows, width, out)?;
    let mut random = SplitMix64::new(SEED, 1);
    let values = (0..rows * width).map(|at| mean(at % width) + nearly_normal(&mut random)).collect::<Vec<_>>();
    let mut write_value = |value: f32| out.write_all(&value.to_le_bytes());
    match order {
        Order::C => values.into_iter().try_for_each(write_value),
        Order::Fortran => (0..width)
            .try_for_each(|column| values.iter().skip(column).step_by(width).try_for_each(|value| write_value(*value))),
    }
}

/// The header of version 1.0: a magic number, the length of a text, and the text, padded to a multiple of 64 bytes.
fn write_npy_header(kind: &str, order: Order, rows: usize, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let fortran = if order == Order::Fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': ({rows}, {width}), }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&u16::try_from(length).map_err(io::Error::other)?.to_le_bytes())?;
    let padded = length - 1;
    writeln!(out, "{text:padded$}")
}

/// The header of an IDX file of bytes.
fn write_idx_header(sizes: &[usize], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0, 0, 8, sizes.len() as u8])?;
    for size in sizes {
        out.write_all(&u32::try_from(*size).map_err(io::Error::other)?.to_be_bytes())?;
    }
    Ok(())
}

fn write_svmlight(rows: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut random = SplitMix64::new(SEED, 2);
    for row in 0..rows {
        write!(out, "{}", row % CLASSES)?;
        // Steps of 1 to 12, 6.5 on average.
        let mut index = 1 + random.below(12);
        while index <= SPARSE_FEATURES {
            write!(out, " {index}:{:.6}", f64::from(mean(index)) + random.normal())?;
            index += 1 + random.below(12);
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Pictures with labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pictures {
    /// Height and width.
    shape: [usize; 2],
    /// One picture after another.
    pixels: Vec<u8>,
    labels: Vec<u8>,
}

impl Pictures {
    /// Pictures of 28 x 28 pixels that resemble those of MNIST in what matters for reading: four fifths of the pixels
    /// are 0, in long runs.
    pub fn synthetic(n: usize) -> Self {
        let mut random = SplitMix64::new(SEED, 3);
        let mut is_ink = false;
        let mut pixel = || {
            // Ink ends after 4 pixels on average, a gap after 16: one pixel in five has ink.
            let bits = random.bits();
            is_ink = if is_ink { bits % 4 != 0 } else { bits % 16 == 0 };
            if is_ink { 1 + ((bits >> 32) % 255) as u8 } else { 0 }
        };
        let pixels = (0..n * 28 * 28).map(|_| pixel()).collect();
        Self { shape: [28, 28], pixels, labels: (0..n).map(|row| (row % CLASSES) as u8).collect() }
    }

    /// The training pictures of a data set, if it has pictures of one channel of bytes and labels from 0 to 255.
    pub fn of_training(data: &Dataset) -> Option<Self> {
        let (shape, part) = (data.image_shape().filter(|shape| shape.channels == 1)?, data.train());
        let label = |label: &Label| data.label_text(*label).parse().ok();
        let labels = part.labels().iter().map(label).collect::<Option<Vec<u8>>>()?;
        Some(Self { shape: [shape.height, shape.width], pixels: part.points().as_u8()?.to_vec(), labels })
    }

    /// Number of pictures.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Pixels of a picture.
    fn width(&self) -> usize {
        self.shape[0] * self.shape[1]
    }

    /// The pixels of the first pictures.
    fn rows(&self, n: usize) -> &[u8] {
        &self.pixels[..n * self.width()]
    }
}

#[cfg(test)]
mod tests {
    use hedgerow_data::{ReadOptions, read_bytes};

    use super::*;
    use crate::data::reading::Reading;

    fn bytes(content: Content, rows: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        content.write(rows, &Pictures::synthetic(30), &mut bytes).unwrap();
        bytes
    }

    fn reading(name: &str, content: Content) -> Reading {
        Reading::of(&read_bytes(name, &bytes(content, 20), &ReadOptions::default()).unwrap())
    }

    #[test]
    fn the_files_are_what_they_claim_to_be() {
        for (name, content, width, kind) in [
            ("a.csv", Content::DecimalsCsv, 20, "f32"),
            ("a.csv", Content::DigitsCsv, 20, "f32"),
            ("a.csv", Content::PixelsCsv, 784, "f32"),
            ("a.npy", Content::FloatsNpy { width: 64, order: Order::C }, 64, "f32"),
            ("a.npy", Content::PixelsNpy, 784, "u8"),
            ("a-idx3-ubyte", Content::PicturesIdx, 784, "u8"),
            ("a-idx3-ubyte.gz", Content::PicturesIdxGzip, 784, "u8"),
        ] {
            let reading = reading(name, content);
            assert_eq!((reading.rows, reading.width, &*reading.kind), (20, width, kind), "{content:?}");
            // Twice each of the labels 0 to 9.
            let label_sum = name.ends_with("csv").then_some(90.0);
            assert_eq!(reading.label_sum, label_sum, "{content:?}");
        }
        let text = String::from_utf8(bytes(Content::Svmlight, 1)).unwrap();
        assert!(text.starts_with("0 ") && text.matches(':').count() > 15, "{text}");
    }

    #[test]
    fn one_content_in_two_forms_reads_the_same() {
        let floats = |order| reading("a.npy", Content::FloatsNpy { width: 64, order });
        assert_eq!(floats(Order::C).difference(&floats(Order::Fortran)), None);
        let (decimals, digits) = (reading("a.csv", Content::DecimalsCsv), reading("a.csv", Content::DigitsCsv));
        // Six decimals of 400 numbers.
        assert!((decimals.sum - digits.sum).abs() < 400.0 * 5e-7, "{decimals:?} {digits:?}");
        let pixels = reading("a.npy", Content::PixelsNpy);
        assert_eq!(pixels.difference(&reading("a-idx3-ubyte", Content::PicturesIdx)), None);
        assert_eq!(pixels.sum, reading("a.csv", Content::PixelsCsv).sum);
    }

    #[test]
    fn pictures_survive_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [
            ("train-images-idx3-ubyte", Content::PicturesIdx),
            ("train-labels-idx1-ubyte", Content::LabelsIdx),
            ("t10k-images-idx3-ubyte.gz", Content::PicturesIdxGzip),
            ("t10k-labels-idx1-ubyte.gz", Content::LabelsIdxGzip),
        ] {
            std::fs::write(folder.path().join(name), bytes(content, 30)).unwrap();
        }
        let data = crate::mnist::read_folder(folder.path()).unwrap();
        assert_eq!(Pictures::of_training(&data), Some(Pictures::synthetic(30)));
    }

    #[test]
    fn a_fifth_of_the_pixels_has_ink() {
        let pictures = Pictures::synthetic(100);
        let ink = pictures.pixels.iter().filter(|pixel| **pixel > 0).count();
        assert!((14_000..17_500).contains(&ink), "{ink} of 78400");
    }
}
