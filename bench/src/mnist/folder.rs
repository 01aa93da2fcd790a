//! The four files of MNIST, and whether they belong together.

use std::path::{Path, PathBuf};

use hedgerow_core::{Examples, Label, PointsError, PointsRef};

use super::idx::{IdxError, Images, read_images, read_labels};

/// Images and their labels.
#[derive(Debug, Clone)]
pub struct Labelled {
    images: Images,
    labels: Vec<Label>,
}

/// Files that cannot be used, alone or together.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A bad file.
    #[error(transparent)]
    File(#[from] IdxError),
    /// Images and labels of different number.
    #[error("{} has {images} images but {labels} labels (`{part}-*`); take both files from one source", folder.display())]
    Count {
        /// The folder.
        folder: PathBuf,
        /// `train` or `t10k`.
        part: &'static str,
        /// Number of images.
        images: usize,
        /// Number of labels.
        labels: usize,
    },
    /// Training and test images of different size.
    #[error(
        "{} has training images of {train} pixels but test images of {test}; take all four files from one source",
        folder.display()
    )]
    Width {
        /// The folder.
        folder: PathBuf,
        /// Pixels of a training image.
        train: usize,
        /// Pixels of a test image.
        test: usize,
    },
}

impl Labelled {
    fn read(folder: &Path, part: &'static str) -> Result<Self, FolderError> {
        let images = read_images(&folder.join(format!("{part}-images-idx3-ubyte")))?;
        let labels = read_labels(&folder.join(format!("{part}-labels-idx1-ubyte")))?;
        let n_images = images.pixels.len() / images.width;
        if n_images != labels.len() {
            let folder = folder.to_owned();
            return Err(FolderError::Count { folder, part, images: n_images, labels: labels.len() });
        }
        Ok(Self { images, labels: labels.iter().map(|label| Label::class(u32::from(*label))).collect() })
    }

    /// The images.
    ///
    /// # Errors
    /// None that [`read`] lets pass.
    pub fn points(&self) -> Result<PointsRef<'_>, PointsError> {
        PointsRef::from_u8(self.images.width, &self.images.pixels)
    }

    /// The labels.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Images with labels.
    ///
    /// # Errors
    /// None that [`read`] lets pass.
    pub fn examples(&self) -> Result<Examples<'_>, PointsError> {
        Examples::new(self.points()?, &self.labels)
    }
}

/// Reads the training and the test part.
///
/// # Errors
/// [`FolderError`] for the first file that is bad, and for files that do not belong together.
pub fn read(folder: &Path) -> Result<(Labelled, Labelled), FolderError> {
    let (train, test) = (Labelled::read(folder, "train")?, Labelled::read(folder, "t10k")?);
    if train.images.width != test.images.width {
        let folder = folder.to_owned();
        return Err(FolderError::Width { folder, train: train.images.width, test: test.images.width });
    }
    Ok((train, test))
}
