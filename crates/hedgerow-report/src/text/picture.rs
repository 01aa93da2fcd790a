//! Pictures in block characters.
//!
//! Small pictures, such as digits of 8 x 8 pixels, get two characters for each pixel, which are about square and come in five shades. Larger
//! ones get one character for two pixels, one above the other: of all blocks the one that comes nearest to both.

use unicode_width::UnicodeWidthStr;

use super::{Characters, pad, tame, wrap};
use crate::Picture;

/// The longest side of pictures that get two characters for each pixel.
const SMALL: usize = 14;
/// Wider pictures are made smaller by averaging.
const MOST_COLUMNS: usize = 32;
/// Cells between pictures.
const GAP: usize = 3;

/// A picture and what stands under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaptionedPicture<'a> {
    /// The picture.
    pub picture: &'a Picture,
    /// The text; each line stands on a line of its own, longer ones are wrapped.
    pub caption: &'a str,
}

/// Pictures side by side, with captions, as many in a row as `width` cells hold (at least one).
pub fn render_pictures_text(pictures: &[CaptionedPicture<'_>], width: usize, characters: Characters) -> String {
    let blocks = pictures.iter().map(|of| Block::new(of, width, characters)).collect::<Vec<_>>();
    let mut text = String::new();
    let mut rest = blocks.as_slice();
    while !rest.is_empty() {
        let mut used = 0;
        let fitting = rest.iter().take_while(|block| {
            used += block.width + GAP;
            used - GAP <= width
        });
        let (row, later) = rest.split_at(fitting.count().max(1));
        if !text.is_empty() {
            text.push('\n');
        }
        write_row(&mut text, row);
        rest = later;
    }
    text
}

struct Block {
    width: usize,
    picture: Vec<String>,
    caption: Vec<String>,
}

impl Block {
    fn new(of: &CaptionedPicture<'_>, width: usize, characters: Characters) -> Self {
        let picture = picture_lines(of.picture, width, characters);
        let picture_width = picture.first().map_or(0, |line| line.width());
        let caption_width = picture_width.max(16).min(width.max(1));
        let caption = of.caption.lines().flat_map(|line| wrap(&tame(line), caption_width)).collect::<Vec<_>>();
        let width = caption.iter().map(|line| line.width()).max().unwrap_or(0).max(picture_width);
        Self { width, picture, caption }
    }
}

fn write_row(text: &mut String, row: &[Block]) {
    // Pictures of digits have margins: lines that are blank in all of them say nothing.
    let is_blank =
        |place: &usize| row.iter().all(|block| block.picture.get(*place).is_none_or(|line| line.trim().is_empty()));
    let highest = row.iter().map(|block| block.picture.len()).max().unwrap_or(0);
    let first = (0..highest).take_while(is_blank).count();
    let last = highest - (first..highest).rev().take_while(is_blank).count();
    let parts: [fn(&Block) -> &Vec<String>; 2] = [|block| &block.picture, |block| &block.caption];
    for (nth, part) in parts.iter().enumerate() {
        let is_picture = nth == 0;
        let lines =
            if is_picture { first..last } else { 0..row.iter().map(|block| part(block).len()).max().unwrap_or(0) };
        for place in lines {
            let cells = row.iter().map(|block| pad(part(block).get(place).map_or("", String::as_str), block.width));
            let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
}

/// The lines of a picture, all of the same width.
fn picture_lines(picture: &Picture, width: usize, characters: Characters) -> Vec<String> {
    let is_small = picture.width().max(picture.height()) <= SMALL && picture.width() * 2 <= width;
    let columns = if is_small { picture.width() } else { picture.width().min(MOST_COLUMNS).min(width.max(1)) };
    let pixels = shrink(picture, columns);
    match (is_small, characters) {
        (true, Characters::Unicode) => pixels.iter().map(|row| doubled(row, &SHADES)).collect(),
        (true, Characters::Ascii) => pixels.iter().map(|row| doubled(row, &RAMP)).collect(),
        (false, _) => pixels.chunks(2).map(|rows| halves(&rows[0], rows.get(1), characters)).collect(),
    }
}

const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
const RAMP: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

fn shade(brightness: f64, shades: &[char]) -> char {
    shades[(brightness * (shades.len() - 1) as f64).round() as usize]
}

fn doubled(row: &[f64], shades: &[char]) -> String {
    row.iter().flat_map(|&brightness| [shade(brightness, shades); 2]).collect()
}

fn halves(above: &[f64], below: Option<&Vec<f64>>, characters: Characters) -> String {
    let below = |column: usize| below.map_or(0.0, |row| row[column]);
    let pairs = above.iter().enumerate().map(|(column, &above)| (above, below(column)));
    match characters {
        Characters::Unicode => pairs.map(|(above, below)| nearest_block(above, below)).collect(),
        Characters::Ascii => pairs.map(|(above, below)| shade((above + below) / 2.0, &RAMP)).collect(),
    }
}

/// The block whose halves are nearest to the two brightnesses, by squares; the first of equals.
fn nearest_block(above: f64, below: f64) -> char {
    const BLOCKS: [(char, f64, f64); 7] = [
        (' ', 0.0, 0.0),
        ('░', 0.25, 0.25),
        ('▒', 0.5, 0.5),
        ('▓', 0.75, 0.75),
        ('█', 1.0, 1.0),
        ('▀', 1.0, 0.0),
        ('▄', 0.0, 1.0),
    ];
    let off = |block: &(char, f64, f64)| (block.1 - above).powi(2) + (block.2 - below).powi(2);
    BLOCKS.iter().min_by(|one, two| off(one).total_cmp(&off(two))).expect("there are seven").0
}

/// Brightness by rows, averaged to `columns` columns and as many rows as keep the shape.
fn shrink(picture: &Picture, columns: usize) -> Vec<Vec<f64>> {
    let (height, width) = (picture.height(), picture.width());
    let rows = (height * columns).div_ceil(width).max(1).min(height);
    let part = |place: usize, of: usize, whole: usize| place * whole / of..((place + 1) * whole / of);
    let mean = |row: usize, column: usize| {
        let (down, right) = (part(row, rows, height), part(column, columns, width));
        let area = (down.len() * right.len()) as f64;
        down.flat_map(|row| right.clone().map(move |column| (row, column)))
            .map(|(row, column)| picture.brightness(row, column))
            .sum::<f64>()
            / area
    };
    (0..rows).map(|row| (0..columns).map(|column| mean(row, column)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shades of 4 x 4 pixels: in fifths 0, 1/4, 1/2, 3/4, 1.
    fn four_by_four() -> Picture {
        let bytes = vec![
            0, 64, 128, 255, //
            255, 64, 128, 0, //
            191, 191, 0, 255, //
            191, 191, 0, 255,
        ];
        Picture::new(4, 4, 1, bytes).unwrap()
    }

    #[test]
    fn a_small_picture_has_two_characters_for_each_pixel() {
        let expected = [
            "  ░░▒▒██", //
            "██░░▒▒  ",
            "▓▓▓▓  ██",
            "▓▓▓▓  ██",
        ];
        assert_eq!(picture_lines(&four_by_four(), 80, Characters::Unicode), expected);
        // In ninths: 64 is 2.26, 128 is 4.52 (5), 191 is 6.74 (7).
        let expected = [
            "  ::++@@", //
            "@@::++  ", "####  @@", "####  @@",
        ];
        assert_eq!(picture_lines(&four_by_four(), 80, Characters::Ascii), expected);
    }

    #[test]
    fn a_larger_picture_has_one_character_for_two_pixels() {
        // Seven cells do not hold four doubled pixels. Columns of pixel pairs: (0, 1) lower half, (1/4, 1/4) and (1/2, 1/2) shades,
        // (1, 0) upper half; then 3/4, 3/4, nothing, all.
        assert_eq!(picture_lines(&four_by_four(), 7, Characters::Unicode), ["▄░▒▀", "▓▓ █"]);
        // Means in ninths: 4.5 (5), 2.26, 4.52 (5), 4.5 (5); 6.74 (7), 7, 0, 9.
        assert_eq!(picture_lines(&four_by_four(), 7, Characters::Ascii), ["+:++", "## @"]);
    }

    #[test]
    fn too_large_a_picture_is_averaged_and_keeps_its_shape() {
        let bytes = (0..64 * 128).map(|place| if place % 128 < 64 { 255 } else { 0 }).collect();
        let lines = picture_lines(&Picture::new(64, 128, 1, bytes).unwrap(), 80, Characters::Unicode);
        assert_eq!(lines, vec![format!("{}{}", "█".repeat(16), " ".repeat(16)); 8]);
        let odd = picture_lines(&Picture::new(15, 1, 3, vec![255; 45]).unwrap(), 80, Characters::Unicode);
        assert_eq!(odd, ["█", "█", "█", "█", "█", "█", "█", "▀"]);
    }

    #[test]
    fn pictures_stand_side_by_side_and_wrap() {
        let white = Picture::new(2, 2, 1, vec![255; 4]).unwrap();
        let one = CaptionedPicture { picture: &white, caption: "asked\nwhat?" };
        let two = CaptionedPicture { picture: &white, caption: "said" };
        let text = render_pictures_text(&[one, two], 80, Characters::Unicode);
        assert_eq!(text, "████    ████\n████    ████\nasked   said\nwhat?\n");
        // Twelve cells are needed; with eleven they stand one below the other.
        let text = render_pictures_text(&[one, two], 11, Characters::Unicode);
        assert_eq!(text, "████\n████\nasked\nwhat?\n\n████\n████\nsaid\n");
        assert_eq!(render_pictures_text(&[], 80, Characters::Unicode), "");
        for width in 0..4 {
            assert!(!render_pictures_text(&[one, two], width, Characters::Ascii).is_empty());
        }
    }
}
