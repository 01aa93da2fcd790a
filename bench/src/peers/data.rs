//! The data of the questions, and the files by which Python gets it.

use std::path::{Path, PathBuf};

use hedgerow_core::{Examples, Label, Points, PointsRef};
use hedgerow_data::{Dataset, Preprocessing, Scaling, SplitParams};
use hedgerow_learn::InputScale;

use super::{PeersError, letter};

/// Data with training and test rows, as all sides take it: bytes as they are, other numbers standardized.
#[derive(Debug)]
pub struct Data {
    /// Its name.
    pub name: String,
    dataset: Dataset,
}

impl Data {
    /// Loads it, and gets it first if it is not on this machine. Of data without test rows a fifth is kept for testing, and the others are shuffled:
    /// files sorted by class would teach those that go by the order something else. Of values each distinct one is a class.
    ///
    /// # Errors
    /// [`PeersError`].
    pub fn load(name: &str) -> Result<Self, PeersError> {
        let dataset = match name {
            letter::NAME => letter::load()?,
            _ => hedgerow_experiments::load_data(name, &mut hedgerow_experiments::silent())?,
        };
        Self::prepared(name, dataset)
    }

    fn prepared(name: &str, dataset: Dataset) -> Result<Self, PeersError> {
        let dataset = with_classes(dataset)?;
        let dataset = match dataset.test().is_empty() {
            true => shuffled(&dataset)?.split(&SplitParams { validation: 0.0, test: 0.2, seed: 0 })?,
            false => dataset,
        };
        let dataset = match dataset.train().points().as_u8() {
            Some(_) => dataset,
            None => Preprocessing::fit(&dataset, &[Scaling::Standardize])?.apply_to(dataset)?,
        };
        Ok(Self { name: name.to_owned(), dataset })
    }

    /// Of `f32` points that were made or learned, the last `n_test` of them to ask about.
    ///
    /// # Errors
    /// [`PeersError`] if they do not fit together.
    pub fn of(name: &str, points: Points, labels: Vec<Label>, n_test: usize) -> Result<Self, PeersError> {
        let n_train = labels.len() - n_test;
        let dataset = Dataset::new(name, points, labels)?.with_split_rows(n_train, 0, n_test)?;
        Ok(Self { name: name.to_owned(), dataset })
    }

    /// The same with so many of the queries, and bytes made `f32`.
    ///
    /// # Errors
    /// [`PeersError`] if the numbers are no points.
    pub fn as_floats(&self, n_queries: usize) -> Result<Self, PeersError> {
        let (train, test) = (self.dataset.train(), self.dataset.test());
        let n_queries = n_queries.min(test.len());
        let numbers = |points: PointsRef<'_>| match points.as_u8() {
            Some(bytes) => bytes.iter().map(|byte| f32::from(*byte)).collect::<Vec<f32>>(),
            None => points.as_f32().map(<[f32]>::to_vec).unwrap_or_default(),
        };
        let values = [numbers(train.points()), numbers(test.points().slice(0..n_queries))].concat();
        let labels = [train.labels(), &test.labels()[..n_queries]].concat();
        Self::of(&self.name, Points::from_f32(train.points().width(), values)?, labels, n_queries)
    }

    /// All of it.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// What is learned from.
    pub fn train(&self) -> Examples<'_> {
        self.dataset.train().examples()
    }

    /// What is asked about.
    pub fn queries(&self) -> PointsRef<'_> {
        self.dataset.test().points()
    }

    /// The truth of it.
    pub fn truth(&self) -> &[Label] {
        self.dataset.test().labels()
    }
}

/// The same with classes for values: each distinct value is one, in their order.
fn with_classes(dataset: Dataset) -> Result<Dataset, PeersError> {
    let mut values: Vec<f32> = dataset.labels().iter().filter_map(|label| label.as_value()).collect();
    if values.is_empty() {
        return Ok(dataset);
    }
    values.sort_by(f32::total_cmp);
    values.dedup();
    let class = |label: &Label| {
        let value = label.as_value().ok_or(PeersError::NoClasses)?;
        Ok(Label::class(values.partition_point(|other| *other < value) as u32))
    };
    let labels = dataset.labels().iter().map(class).collect::<Result<Vec<Label>, PeersError>>()?;
    let rows: Vec<usize> = (0..dataset.len()).collect();
    let [train, validation, test] = [dataset.train(), dataset.validation(), dataset.test()].map(|part| part.len());
    let classes = Dataset::new(dataset.name(), dataset.points().select(&rows), labels)?;
    Ok(classes.with_split_rows(train, validation, test)?)
}

/// The same rows in an order by chance.
fn shuffled(dataset: &Dataset) -> Result<Dataset, PeersError> {
    let mut rows: Vec<usize> = (0..dataset.len()).collect();
    hedgerow_core::random::shuffle(&mut rows, 0, 0);
    let labels = rows.iter().map(|&row| dataset.labels()[row]).collect();
    Ok(Dataset::new(dataset.name(), dataset.points().select(&rows), labels)?)
}

/// The files of some data, in a folder that goes with them.
#[derive(Debug)]
pub struct Files {
    folder: tempfile::TempDir,
    width: usize,
    kind: &'static str,
}

impl Files {
    /// Writes them: rows of numbers without a header, classes as `u32`.
    ///
    /// # Errors
    /// What the system says; labels that are not classes.
    pub fn write(data: &Data) -> Result<Self, PeersError> {
        let folder = tempfile::tempdir().map_err(|source| PeersError::Write { path: std::env::temp_dir(), source })?;
        let (train, test) = (data.dataset.train(), data.dataset.test());
        let kind = if train.points().as_u8().is_some() { "u8" } else { "f32" };
        let files = Self { folder, width: data.dataset.width(), kind };
        for (name, part) in [("train", train), ("test", test)] {
            files.write_numbers(name, &bytes(part.points()))?;
            let class = |label: &Label| label.as_class().map(|class| class.0).ok_or(PeersError::NoClasses);
            let classes = part.labels().iter().map(class).collect::<Result<Vec<u32>, _>>()?;
            files.write_numbers(
                &format!("{name}-labels"),
                &classes.iter().flat_map(|c| c.to_ne_bytes()).collect::<Vec<_>>(),
            )?;
        }
        Ok(files)
    }

    /// Writes one more, and gives its place.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_numbers(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, PeersError> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).map_err(|source| PeersError::Write { path: path.clone(), source })?;
        Ok(path)
    }

    /// Their folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What Python is told of them.
    pub fn request(&self) -> serde_json::Value {
        let [train, test, train_labels, test_labels] =
            ["train", "test", "train-labels", "test-labels"].map(|name| self.folder.path().join(name));
        serde_json::json!({
            "train": train, "test": test, "train_labels": train_labels, "test_labels": test_labels,
            "width": self.width, "kind": self.kind,
        })
    }
}

/// The numbers of points as bytes.
pub(super) fn bytes(points: PointsRef<'_>) -> Vec<u8> {
    match (points.as_u8(), points.as_f32()) {
        (Some(values), _) => values.to_vec(),
        (_, Some(values)) => floats(values),
        _ => Vec::new(),
    }
}

/// Numbers as bytes.
pub(super) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

/// What a network multiplies its inputs by.
pub(super) fn factor(scale: InputScale) -> f32 {
    match scale {
        InputScale::Bytes(largest) => 1.0 / largest,
        InputScale::Numbers => 1.0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One row to learn from and one to ask about.
    pub(in super::super) fn two_rows() -> Data {
        Data::of("two", Points::from_f32(1, vec![0.0, 1.0]).unwrap(), vec![Label::class(0), Label::class(1)], 1)
            .unwrap()
    }

    #[test]
    fn files_hold_the_numbers_and_the_classes() {
        let files = Files::write(&two_rows()).unwrap();
        let read = |name: &str| std::fs::read(files.folder().join(name)).unwrap();
        assert_eq!(read("test"), 1.0_f32.to_ne_bytes());
        assert_eq!(read("test-labels"), 1_u32.to_ne_bytes());
        assert_eq!(files.request()["kind"], "f32");
    }

    #[test]
    fn bytes_as_floats_are_the_same_numbers() {
        let labels = [0, 1, 1].map(Label::class).to_vec();
        let bytes = Data::of("a", Points::from_u8(2, vec![0, 255, 3, 4, 5, 6]).unwrap(), labels, 2).unwrap();
        let floats = bytes.as_floats(1).unwrap();
        assert_eq!(floats.train().points().as_f32(), Some(&[0.0, 255.0][..]));
        assert_eq!((floats.queries().as_f32(), floats.truth()), (Some(&[3.0, 4.0][..]), &[Label::class(1)][..]));
    }

    #[test]
    fn values_are_classes_in_their_order() {
        let labels = [6.0, 3.0, 6.0, 9.0, 3.0].map(Label::Value).to_vec();
        let points = Points::from_f32(1, vec![0.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
        let dataset = Dataset::new("wine", points, labels).unwrap();
        let of_parts = dataset.clone().with_split_rows(3, 0, 2).unwrap();
        let data = Data::prepared("wine", of_parts).unwrap();
        assert_eq!(data.dataset().labels(), [1, 0, 1, 2, 0].map(Label::class));
        assert_eq!((data.train().len(), data.truth().len()), (3, 2));
        let data = Data::prepared("wine", dataset).unwrap();
        assert_eq!((data.train().len(), data.truth().len()), (4, 1));
        Files::write(&data).unwrap();
    }
}
