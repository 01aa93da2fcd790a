//! A run on disk: written whole or not at all, and taken up again to the same bits.
//!
//! One safetensors file: the weights, what the optimizer remembers, the best weights so far; and, as its metadata, where
//! the run stands, its parameters and a fingerprint of the data.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use super::event::{EpochRecord, Validation};
use super::params::TrainingParams;
use crate::error::TrainError;

const FORMAT: &str = "hedgerow-checkpoint";
const VERSION: &str = "1";

/// Where a run stands, besides its weights.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The epoch under way, and the round in it that comes next.
    pub(crate) epoch: usize,
    pub(crate) round: usize,
    /// Gradient steps so far.
    pub(crate) step: u64,
    pub(crate) train_seconds: f64,
    /// Sums over the rounds of the epoch so far.
    pub(crate) loss_sum: f64,
    pub(crate) references_sum: f64,
    pub(crate) n_left_out: usize,
    pub(crate) records: Vec<EpochRecord>,
    pub(crate) best: Option<Validation>,
    pub(crate) evaluations_since_best: usize,
    /// The step of the last evaluation.
    pub(crate) evaluated_step: u64,
    /// The loss of the first round.
    pub(crate) first_loss: Option<f64>,
}

/// The numbers of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Weights {
    pub(crate) parameters: Vec<f32>,
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    pub(crate) average: Option<Vec<f32>>,
    pub(crate) best: Option<Vec<f32>>,
}

/// A run at a moment between two rounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) params: TrainingParams,
    pub(crate) fingerprint: u64,
    pub(crate) progress: Progress,
    pub(crate) weights: Weights,
}

impl Checkpoint {
    /// Writes the checkpoint beside its final name and renames it when it is whole and on the disk.
    pub(crate) fn write(&self, path: &Path) -> Result<(), TrainError> {
        let failed = |source: std::io::Error| TrainError::File { path: path.to_owned(), act: "writing", source };
        let json = |value: Result<String, serde_json::Error>| value.map_err(|error| failed(error.into()));
        let metadata = HashMap::from([
            ("format".to_owned(), FORMAT.to_owned()),
            ("format_version".to_owned(), VERSION.to_owned()),
            ("params".to_owned(), json(serde_json::to_string(&self.params))?),
            ("progress".to_owned(), json(serde_json::to_string(&self.progress))?),
            ("fingerprint".to_owned(), format!("{:016x}", self.fingerprint)),
        ]);
        let weights = &self.weights;
        let named = [
            ("parameters", Some(&weights.parameters)),
            ("adam.first", Some(&weights.first)),
            ("adam.second", Some(&weights.second)),
            ("average", weights.average.as_ref()),
            ("best", weights.best.as_ref()),
        ];
        let bytes: Vec<(&str, Vec<u8>)> = named
            .into_iter()
            .filter_map(|(name, values)| Some((name, values?.iter().flat_map(|value| value.to_le_bytes()).collect())))
            .collect();
        let views: Result<Vec<_>, _> = bytes
            .iter()
            .map(|(name, bytes)| TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes).map(|view| (*name, view)))
            .collect();
        let views = views.map_err(|error| failed(std::io::Error::other(error)))?;
        let file =
            safetensors::serialize(views, Some(metadata)).map_err(|error| failed(std::io::Error::other(error)))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut partial =
            tempfile::Builder::new().prefix(".hedgerow-").suffix(".partial").tempfile_in(folder).map_err(failed)?;
        partial.write_all(&file).map_err(failed)?;
        partial.as_file().sync_all().map_err(failed)?;
        partial.persist(path).map_err(|error| failed(error.error))?;
        // The new name must be on the disk too; not every system can be asked for that.
        if let Ok(folder) = std::fs::File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Reads a checkpoint.
    pub(crate) fn read(path: &Path) -> Result<Self, TrainError> {
        let bytes =
            std::fs::read(path).map_err(|source| TrainError::File { path: path.to_owned(), act: "reading", source })?;
        Self::parse(&bytes).map_err(|reason| TrainError::Checkpoint { path: path.to_owned(), reason })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
        let metadata = header.metadata().clone().unwrap_or_default();
        let text = |key: &str| metadata.get(key).ok_or_else(|| format!("it has no {key}"));
        if text("format")? != FORMAT {
            return Err("it is a file of another kind".into());
        }
        if text("format_version")? != VERSION {
            return Err(format!("its version is {}, this program reads {VERSION}", text("format_version")?));
        }
        let params = serde_json::from_str(text("params")?).map_err(|error| format!("its parameters: {error}"))?;
        let progress = serde_json::from_str(text("progress")?).map_err(|error| format!("its progress: {error}"))?;
        let fingerprint =
            u64::from_str_radix(text("fingerprint")?, 16).map_err(|error| format!("its fingerprint: {error}"))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let optional = |name: &str| -> Result<Option<Vec<f32>>, String> {
            let Ok(tensor) = tensors.tensor(name) else { return Ok(None) };
            if tensor.dtype() != Dtype::F32 {
                return Err(format!("{name} does not hold f32"));
            }
            let numbers = tensor.data().chunks_exact(4);
            Ok(Some(numbers.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect()))
        };
        let needed = |name: &str| optional(name)?.ok_or_else(|| format!("{name} is missing"));
        let weights = Weights {
            parameters: needed("parameters")?,
            first: needed("adam.first")?,
            second: needed("adam.second")?,
            average: optional("average")?,
            best: optional("best")?,
        };
        let n = weights.parameters.len();
        let all = [Some(&weights.first), Some(&weights.second), weights.average.as_ref(), weights.best.as_ref()];
        if all.into_iter().flatten().any(|values| values.len() != n) {
            return Err("its tensors are not all of one length".into());
        }
        Ok(Self { params, fingerprint, progress, weights })
    }

    /// Checks that the checkpoint is one of this run.
    pub(crate) fn check(
        &self,
        path: &Path,
        params: &TrainingParams,
        fingerprint: u64,
        n_parameters: usize,
    ) -> Result<(), TrainError> {
        let other = |what: &'static str| Err(TrainError::OtherRun { path: PathBuf::from(path), what });
        if self.params != *params {
            return other("a training parameter");
        }
        if self.fingerprint != fingerprint {
            return other("the data");
        }
        let averages = params.adam.averaging.is_some();
        if self.weights.parameters.len() != n_parameters || self.weights.average.is_some() != averages {
            return other("the number of weights");
        }
        Ok(())
    }
}
