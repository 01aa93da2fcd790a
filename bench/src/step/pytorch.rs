//! The PyTorch side: what `bench/peers/learn.py` is asked, and what it answers.

use std::path::{Path, PathBuf};

use hedgerow_core::Points;
use serde::Deserialize;

use super::MeasureError;
use super::ours::{CosineEpochs, LAYERS, N_BOUNDARY, N_TRAIN, RATE, SIGMA, first_network};
use super::pictures::Pictures;
use super::table::{Epoch, Kind};
use crate::python::environment::Requirements;
use crate::python::process::{PeerError, Process};

const SCRIPT: &str = include_str!("../../peers/learn.py");

/// PyTorch.
pub const REQUIREMENTS: Requirements = Requirements {
    file: "bench/peers/learn-requirements.txt",
    list: include_str!("../../peers/learn-requirements.txt"),
    optional: &[],
    cost: "several gigabytes to fetch and to keep, and many minutes",
};

#[derive(Deserialize)]
struct Done {}

/// What comes of an epoch.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { failed: String },
    Epoch(Epoch),
}

/// The files that PyTorch reads: the same pictures and the same first weights as ours.
#[derive(Debug)]
pub struct Files {
    pixels: PathBuf,
    labels: PathBuf,
    weights: PathBuf,
    n_inputs: usize,
}

impl Files {
    /// Writes them to a folder.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(folder: &Path, pictures: &Pictures) -> Result<Self, MeasureError> {
        let [pixels, labels, weights] = ["pixels", "labels", "weights"].map(|name| folder.join(name));
        let n_inputs = pictures.points().width();
        write(&pixels, pictures.pixels())?;
        write(&labels, &pictures.classes().iter().map(|&class| class as u8).collect::<Vec<_>>())?;
        let numbers =
            first_network(n_inputs).parameters().iter().flat_map(|weight| weight.to_ne_bytes()).collect::<Vec<_>>();
        write(&weights, &numbers)?;
        Ok(Self { pixels, labels, weights, n_inputs })
    }
}

/// A network of PyTorch on its way, in a process of its own.
#[derive(Debug)]
pub struct PyTorch {
    process: Process,
    folder: PathBuf,
}

impl PyTorch {
    /// Starts a side in `folder`, which must not be there yet.
    ///
    /// # Errors
    /// If Python does not start or lacks PyTorch, or refuses the files.
    pub fn start(
        python: &Path,
        folder: PathBuf,
        files: &Files,
        kind: Kind,
        threads: usize,
        cosine: CosineEpochs,
    ) -> Result<Self, MeasureError> {
        std::fs::create_dir_all(&folder).map_err(|source| MeasureError::Write { path: folder.clone(), source })?;
        let mut process = Process::start(python, &[("learn.py", SCRIPT)], &folder)?;
        let widths = [files.n_inputs].into_iter().chain(LAYERS).collect::<Vec<_>>();
        let request = serde_json::json!({
            "what": "start", "pixels": files.pixels, "labels": files.labels, "weights": files.weights, "widths": widths,
            "n_boundary": N_BOUNDARY, "n_train": N_TRAIN, "sigma": SIGMA, "rate": RATE, "cosine_epochs": cosine,
            "threads": threads, "compiled": kind == Kind::Compiled,
        });
        process.ask::<Done>("its start", &request)?;
        Ok(Self { process, folder })
    }

    /// Names and versions of Python and PyTorch.
    pub fn versions(&self) -> &str {
        self.process.versions()
    }

    /// One epoch: rows in the given order, epochs counted from 0.
    ///
    /// # Errors
    /// [`MeasureError`] with what Python says.
    pub fn epoch(&mut self, order: &[usize], number: usize) -> Result<Epoch, MeasureError> {
        let path = self.folder.join("order");
        write(&path, &order.iter().flat_map(|&row| (row as i64).to_ne_bytes()).collect::<Vec<_>>())?;
        let request = serde_json::json!({"what": "epoch", "order": path, "number": number});
        match self.process.ask("an epoch", &request)? {
            Answer::Epoch(epoch) => Ok(epoch),
            Answer::Failed { failed: said } => Err(PeerError::Failed { request: "an epoch".to_owned(), said }.into()),
        }
    }

    /// Representations of all pictures.
    ///
    /// # Errors
    /// [`MeasureError`] with what Python says, or about the file that it writes them to.
    pub fn represent(&mut self) -> Result<Points, MeasureError> {
        let path = self.folder.join("representations");
        self.process.ask::<Done>("representations", &serde_json::json!({"what": "represent", "path": path}))?;
        let bytes = std::fs::read(&path).map_err(|source| MeasureError::Write { path, source })?;
        let values =
            bytes.chunks_exact(4).map(|number| f32::from_ne_bytes([number[0], number[1], number[2], number[3]]));
        Points::from_f32(LAYERS[LAYERS.len() - 1], values.collect()).map_err(MeasureError::Representations)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), MeasureError> {
    std::fs::write(path, bytes).map_err(|source| MeasureError::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_or_why_there_is_none() {
        let answer = serde_json::from_str(r#"{"seconds": 2.0, "loss": 0.5, "n_references": 17.5}"#).unwrap();
        let expected = Epoch { seconds: 2.0, loss: Some(0.5), n_references: Some(17.5) };
        assert!(matches!(answer, Answer::Epoch(epoch) if epoch == expected));
        let answer = serde_json::from_str(r#"{"failed": "no compiler"}"#).unwrap();
        assert!(matches!(answer, Answer::Failed { failed } if failed == "no compiler"));
    }
}
