//! Reads IDX files, the form in which MNIST is given: a big-endian header, then bytes.
//!
//! The magic number is 2051 for images (count, rows, columns follow) and 2049 for labels (count follows).

use std::path::{Path, PathBuf};

const IMAGES: u32 = 2051;
const LABELS: u32 = 2049;

/// Images as rows of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    /// Pixels of an image.
    pub width: usize,
    /// One image after another.
    pub pixels: Vec<u8>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IdxError {
    /// Not there, or not readable.
    #[error("cannot read {}: {source}; {}", path.display(), remedy(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another kind of file.
    #[error(
        "{} begins with {found}, not with {expected}, the mark of an IDX file of {what}; {}",
        path.display(),
        if *found >> 16 == 0x1f8b { "it is still compressed: unpack it with `gunzip`" } else { "check that the files have not been swapped or renamed" }
    )]
    Magic {
        /// The file.
        path: PathBuf,
        /// What should be in it.
        what: &'static str,
        /// The magic number of that.
        expected: u32,
        /// The first four bytes.
        found: u32,
    },
    /// Fewer or more bytes than the header promises.
    #[error("{} has {found} bytes but its header calls for {expected}; fetch or unpack it again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// By the header, or of the header itself.
        expected: u128,
        /// In fact.
        found: usize,
    },
    /// No images, or images without pixels.
    #[error("{} holds nothing ({count} items of {width} bytes); fetch it again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Items by the header.
        count: usize,
        /// Bytes of an item.
        width: usize,
    },
}

fn remedy(path: &Path) -> &'static str {
    let mut packed = path.as_os_str().to_owned();
    packed.push(".gz");
    match (Path::new(&packed).exists(), path.parent().is_some_and(Path::is_dir)) {
        (true, _) => "the compressed file is there: unpack it with `gunzip --keep`",
        (false, true) => "the four files must be in one folder, unpacked, under their original names",
        (false, false) => "there is no such folder: give the one that holds the four MNIST files",
    }
}

/// Reads a file of images.
///
/// # Errors
/// [`IdxError`] for a file that is missing, of another kind, cut short or empty.
pub fn read_images(path: &Path) -> Result<Images, IdxError> {
    let (sizes, pixels) = parse::<3>(path, read(path)?, "images", IMAGES)?;
    let [_, height, width] = sizes;
    Ok(Images { width: height * width, pixels })
}

/// Reads a file of labels.
///
/// # Errors
/// As [`read_images`].
pub fn read_labels(path: &Path) -> Result<Vec<u8>, IdxError> {
    Ok(parse::<1>(path, read(path)?, "labels", LABELS)?.1)
}

fn read(path: &Path) -> Result<Vec<u8>, IdxError> {
    std::fs::read(path).map_err(|source| IdxError::Read { path: path.to_owned(), source })
}

/// The `N` sizes of the header and the bytes after it.
fn parse<const N: usize>(
    path: &Path,
    mut bytes: Vec<u8>,
    what: &'static str,
    expected: u32,
) -> Result<([usize; N], Vec<u8>), IdxError> {
    let header = 4 + 4 * N;
    let length = |expected: u128| IdxError::Length { path: path.to_owned(), expected, found: bytes.len() };
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_be_bytes).ok_or(length(header as u128))
    };
    let found = number(0)?;
    if found != expected {
        return Err(IdxError::Magic { path: path.to_owned(), what, expected, found });
    }
    let mut sizes = [0; N];
    for (place, size) in sizes.iter_mut().enumerate() {
        *size = number(4 + 4 * place)? as usize;
    }
    // Three sizes of 32 bits each: their product fits 128 bits whatever the header says.
    let body = sizes.iter().map(|size| *size as u128).product::<u128>();
    if bytes.len() as u128 != header as u128 + body {
        return Err(length(header as u128 + body));
    }
    if body == 0 {
        let (count, width) = (sizes[0], sizes[1..].iter().product());
        return Err(IdxError::Empty { path: path.to_owned(), count, width });
    }
    bytes.drain(..header);
    Ok((sizes, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two images of 1 x 3 pixels.
    const TWO: [u8; 22] = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6];

    fn images(bytes: &[u8]) -> Result<([usize; 3], Vec<u8>), IdxError> {
        parse::<3>(Path::new("file"), bytes.to_vec(), "images", IMAGES)
    }

    #[test]
    fn a_good_file() {
        let (sizes, pixels) = images(&TWO).unwrap();
        assert_eq!((sizes, pixels), ([2, 1, 3], vec![1, 2, 3, 4, 5, 6]));
        let labels = parse::<1>(Path::new("file"), vec![0, 0, 8, 1, 0, 0, 0, 2, 7, 9], "labels", LABELS).unwrap();
        assert_eq!(labels, ([2], vec![7, 9]));
    }

    #[test]
    fn a_file_cut_short_or_too_long() {
        for cut in [0, 3, 4, 15, 21] {
            let text = match images(&TWO[..cut]) {
                Err(error @ IdxError::Length { .. }) => error.to_string(),
                other => panic!("{cut}: {other:?}"),
            };
            assert!(text.contains(&format!("has {cut} bytes")), "{text}");
        }
        let long = [&TWO[..], &[0]].concat();
        assert!(images(&long).unwrap_err().to_string().contains("has 23 bytes but its header calls for 22"));
    }

    #[test]
    fn sizes_beyond_all_memory_do_not_overflow() {
        let mut huge = TWO;
        huge[4..16].fill(255);
        assert!(matches!(images(&huge), Err(IdxError::Length { .. })));
    }

    #[test]
    fn another_kind_of_file() {
        let mut labels = TWO;
        labels[3] = 1;
        let text = images(&labels).unwrap_err().to_string();
        assert!(text.contains("begins with 2049, not with 2051") && text.contains("swapped"), "{text}");
        let mut packed = TWO;
        packed[..2].copy_from_slice(&[0x1f, 0x8b]);
        let text = images(&packed).unwrap_err().to_string();
        assert!(text.contains("gunzip"), "{text}");
    }

    #[test]
    fn nothing_in_it() {
        let empty = [0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3];
        assert!(matches!(images(&empty), Err(IdxError::Empty { count: 0, width: 3, .. })));
    }

    #[test]
    fn a_missing_file_says_what_to_do() {
        let text = read_labels(Path::new("no-such-folder/labels")).unwrap_err().to_string();
        assert!(text.contains("no-such-folder") && text.contains("give the one that holds"), "{text}");
    }
}
