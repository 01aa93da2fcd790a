//! The pictures that all sides learn from.

use std::path::{Path, PathBuf};

use hedgerow_core::{Label, PointsRef};
use hedgerow_data::Dataset;

use super::MeasureError;
use super::ours::ROUND;
use crate::mnist;

/// Training pictures of bytes, with classes.
#[derive(Debug)]
pub struct Pictures {
    name: &'static str,
    data: Dataset,
    classes: Vec<u32>,
}

impl Pictures {
    /// MNIST from a folder, or from the data directory.
    ///
    /// # Errors
    /// [`MeasureError`]; if it is not on this machine, with how to get it.
    pub fn mnist(folder: Option<&Path>) -> Result<Self, MeasureError> {
        match folder {
            Some(folder) => Self::in_folder("MNIST", folder),
            None => {
                Self::new("MNIST", hedgerow_data::load("mnist").map_err(MeasureError::NoMnist)?, Path::new("mnist"))
            }
        }
    }

    /// Fashion-MNIST from a folder.
    ///
    /// # Errors
    /// [`MeasureError`] about the folder or a file in it.
    pub fn fashion(folder: &Path) -> Result<Self, MeasureError> {
        Self::in_folder("Fashion-MNIST", folder)
    }

    fn in_folder(name: &'static str, folder: &Path) -> Result<Self, MeasureError> {
        Self::new(name, mnist::read_folder(folder)?, folder)
    }

    pub(super) fn new(name: &'static str, data: Dataset, source: &Path) -> Result<Self, MeasureError> {
        let refuse = || MeasureError::NoPictures(PathBuf::from(source));
        let class = |label: &Label| label.as_class().map(|class| class.0).filter(|&class| class <= u32::from(u8::MAX));
        let classes = data.train().labels().iter().map(class).collect::<Option<Vec<_>>>().ok_or_else(refuse)?;
        data.train().points().as_u8().ok_or_else(refuse)?;
        match classes.len() {
            n if n < ROUND => Err(MeasureError::TooFew { name, n, least: ROUND }),
            _ => Ok(Self { name, data, classes }),
        }
    }

    /// What they are.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// One row of bytes for each picture.
    pub fn points(&self) -> PointsRef<'_> {
        self.data.train().points()
    }

    /// All pixels, picture after picture.
    pub fn pixels(&self) -> &[u8] {
        self.data.train().points().as_u8().expect("bytes, as was found out when these were taken")
    }

    /// The class of each picture.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The same as labels.
    pub fn labels(&self) -> &[Label] {
        self.data.train().labels()
    }
}

#[cfg(test)]
mod tests {
    use hedgerow_core::Points;

    use super::*;

    fn pictures(points: Points) -> Result<Pictures, MeasureError> {
        let labels = (0..points.len()).map(|row| Label::class(row as u32 % 2)).collect();
        Pictures::new("these", Dataset::new("a", points, labels).unwrap(), Path::new("folder"))
    }

    #[test]
    fn only_bytes_and_enough_of_them_will_do() {
        let taken = pictures(Points::from_u8(1, vec![7; 200]).unwrap()).unwrap();
        assert_eq!((taken.pixels().len(), taken.classes()[3], taken.labels().len()), (200, 1, 200));
        let error = pictures(Points::from_u8(1, vec![7; 199]).unwrap()).unwrap_err();
        assert!(matches!(error, MeasureError::TooFew { n: 199, least: 200, .. }), "{error}");
        let error = pictures(Points::from_f32(1, vec![7.0; 200]).unwrap()).unwrap_err();
        assert!(matches!(error, MeasureError::NoPictures(_)), "{error}");
    }
}
