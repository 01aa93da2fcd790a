//! The data of the questions, and the files by which Python gets it.

use std::path::{Path, PathBuf};

use hedgerow_core::{Examples, Label, Points, PointsRef};
use hedgerow_data::{Dataset, Preprocessing, Scaling, SplitParams};

use super::PeersError;

/// Data with training and test rows, as all sides take it: bytes as they are, other numbers standardized.
#[derive(Debug)]
pub struct Data {
    /// Its name.
    pub name: String,
    dataset: Dataset,
}

impl Data {
    /// Loads it, and gets it first if it is not on this machine. Of data without test rows a fifth is kept for testing, and the others are shuffled:
    /// files sorted by class would teach those that go by the order something else.
    ///
    /// # Errors
    /// [`PeersError`].
    pub fn load(name: &str) -> Result<Self, PeersError> {
        let dataset = hedgerow_experiments::load_data(name, &mut hedgerow_experiments::silent())?;
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
