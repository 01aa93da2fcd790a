//! A small picture, as it is shown beside an example.

use base64::Engine;
use serde::Serialize;

/// A picture of rows of pixels, from the top left: gray (one byte per pixel, 0 black) or red, green, blue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    height: usize,
    width: usize,
    channels: usize,
    bytes: Vec<u8>,
}

/// Why bytes are not a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Neither gray nor red, green, blue.
    #[error("a picture has 1 channel (gray) or 3 (red, green, blue), not {found}")]
    Channels {
        /// What was given.
        found: usize,
    },
    /// No pixel, or too many for a picture beside a text.
    #[error(
        "a picture of {height} x {width} pixels cannot be shown; each side must be 1 to {} pixels",
        Picture::MAX_SIDE
    )]
    Size {
        /// Rows of pixels.
        height: usize,
        /// Pixels of a row.
        width: usize,
    },
    /// The bytes do not fill the pixels.
    #[error("a picture of {height} x {width} pixels and {channels} channel(s) has {} values, but {found} were given", height * width * channels)]
    Length {
        /// Rows of pixels.
        height: usize,
        /// Pixels of a row.
        width: usize,
        /// Numbers of a pixel.
        channels: usize,
        /// Values given.
        found: usize,
    },
}

impl Picture {
    /// The longest side that a picture may have.
    pub const MAX_SIDE: usize = 4096;

    /// Takes bytes as a picture, row by row, the channels of a pixel side by side.
    ///
    /// # Errors
    /// Unless there are 1 or 3 channels, sides of 1 to [`Self::MAX_SIDE`] pixels and as many bytes as these ask for.
    pub fn new(height: usize, width: usize, channels: usize, bytes: Vec<u8>) -> Result<Self, PictureError> {
        check(height, width, channels, bytes.len())?;
        Ok(Self { height, width, channels, bytes })
    }

    /// Takes numbers as a picture: `black` becomes 0, `white` 255; what lies outside is cut off, NaN is black. If both are the same number,
    /// all is black.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn from_numbers(
        height: usize,
        width: usize,
        channels: usize,
        numbers: &[f32],
        black: f32,
        white: f32,
    ) -> Result<Self, PictureError> {
        check(height, width, channels, numbers.len())?;
        // A float that does not fit into a byte is cut off by `as`, and NaN is 0.
        let bytes = numbers.iter().map(|&number| (255.0 * (number - black) / (white - black)).round() as u8);
        let bytes = if black == white { vec![0; numbers.len()] } else { bytes.collect() };
        Ok(Self { height, width, channels, bytes })
    }

    /// Rows of pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Pixels of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Numbers of a pixel: 1 or 3.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The bytes, row by row, the channels of a pixel side by side.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How bright a pixel is, from 0 to 1; of colors, as the eye weighs them (Rec. 709).
    pub(crate) fn brightness(&self, row: usize, column: usize) -> f64 {
        let first = (row * self.width + column) * self.channels;
        match self.bytes[first..first + self.channels] {
            [gray] => f64::from(gray) / 255.0,
            [red, green, blue] => {
                (0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)) / 255.0
            }
            _ => unreachable!("`new` lets 1 and 3 channels pass"),
        }
    }
}

/// The picture as a PNG file in an address that needs no network.
pub(crate) fn data_uri(picture: &Picture) -> String {
    let mut file = Vec::new();
    // Sides are at most `MAX_SIDE`.
    let mut encoder = png::Encoder::new(&mut file, picture.width as u32, picture.height as u32);
    encoder.set_color(if picture.channels == 1 { png::ColorType::Grayscale } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header().expect("sides are positive, and memory takes all bytes");
    writer.write_image_data(&picture.bytes).expect("`new` has counted the bytes");
    writer.finish().expect("memory takes all bytes");
    format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(&file))
}

fn check(height: usize, width: usize, channels: usize, found: usize) -> Result<(), PictureError> {
    if !matches!(channels, 1 | 3) {
        return Err(PictureError::Channels { found: channels });
    }
    let sides = 1..=Picture::MAX_SIDE;
    if !(sides.contains(&height) && sides.contains(&width)) {
        return Err(PictureError::Size { height, width });
    }
    if height * width * channels != found {
        return Err(PictureError::Length { height, width, channels, found });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_scaled_between_black_and_white() {
        // 0..16: 4 is a quarter, 63.75 of 255; -1 and 17 are cut off.
        let picture = Picture::from_numbers(2, 2, 1, &[4.0, -1.0, 17.0, f32::NAN], 0.0, 16.0).unwrap();
        assert_eq!(picture.bytes(), [64, 0, 255, 0]);
        // Ink on paper: black may be the larger number.
        let picture = Picture::from_numbers(1, 2, 1, &[1.0, 0.0], 1.0, 0.0).unwrap();
        assert_eq!(picture.bytes(), [0, 255]);
        let picture = Picture::from_numbers(1, 1, 1, &[3.0], 3.0, 3.0).unwrap();
        assert_eq!(picture.bytes(), [0]);
    }

    #[test]
    fn a_written_png_reads_back() {
        use base64::Engine;
        for channels in [1, 3] {
            let bytes = (0..5 * 7 * channels).map(|place| (place * 37 % 256) as u8).collect::<Vec<_>>();
            let uri = data_uri(&Picture::new(5, 7, channels, bytes.clone()).unwrap());
            let file = uri.strip_prefix("data:image/png;base64,").unwrap();
            let file = base64::engine::general_purpose::STANDARD.decode(file).unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
            let mut read = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut read).unwrap();
            assert_eq!((info.height, info.width), (5, 7));
            assert_eq!(read, bytes);
        }
    }

    #[test]
    fn what_is_no_picture_is_refused_with_its_numbers() {
        let refused = |height, width, channels, len| Picture::new(height, width, channels, vec![0; len]).unwrap_err();
        assert_eq!(refused(1, 1, 2, 2), PictureError::Channels { found: 2 });
        assert_eq!(refused(0, 8, 1, 0), PictureError::Size { height: 0, width: 8 });
        let text = refused(2, 3, 3, 17).to_string();
        assert!(text.contains("18 values") && text.contains("17 were given"), "{text}");
    }
}
