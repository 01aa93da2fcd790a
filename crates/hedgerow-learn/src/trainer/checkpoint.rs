//! A run on disk: written whole or not at all, and taken up again to the same bits.
//!
//! One safetensors file: the weights, what the optimizer remembers, the best weights so far, and the records of all epochs; and, as its
//! metadata, where the run stands, its parameters as settled for the data, the shape of the network, a fingerprint of the data, the
//! version of this crate, and a checksum of all this. What is read is checked: the checksum against damage, the numbers (`progress.rs`)
//! against what the run can be in. A checkpoint that passes cannot make a run panic. `info.rs` is for those who only want to look.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::difference::{Difference, difference};
use super::progress::{Progress, Shape, TENSORS, Weights};
use super::records;
use crate::error::TrainError;
use crate::hash::Hash;
use crate::transform::{Architecture, InputScale};

const FORMAT: &str = "hedgerow-checkpoint";
const VERSION: &str = "3";

/// What the checksum is over, in this order; and where it stands itself.
const TEXTS: [&str; 7] = ["format", "format_version", "crate_version", "params", "network", "progress", "fingerprint"];
const RECORDS: &str = "records";
const CHECKSUM: &str = "checksum";

/// What the weights are those of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NetworkShape {
    pub(crate) architecture: Architecture,
    pub(crate) scale: InputScale,
    /// The classes that were learned, in rising order.
    pub(crate) classes: Vec<u32>,
}

/// A run at a moment between two rounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checkpoint {
    /// The version of the crate that wrote it.
    pub(crate) crate_version: String,
    /// The parameters as settled for the data, as JSON.
    pub(crate) params: Value,
    pub(crate) network: NetworkShape,
    pub(crate) fingerprint: u64,
    pub(crate) progress: Progress,
    pub(crate) weights: Weights,
}

/// The checksum of metadata and tensors, as it is written down.
fn checksum(metadata: &HashMap<String, String>, tensors: &[(&str, &[u8])]) -> String {
    let mut hash = Hash::new();
    for name in TEXTS {
        hash.bytes(name.as_bytes());
        hash.bytes(metadata.get(name).map_or(&[], |text| text.as_bytes()));
    }
    for (name, bytes) in tensors {
        hash.bytes(name.as_bytes());
        hash.bytes(bytes);
    }
    format!("{:016x}", hash.finish())
}

impl Checkpoint {
    /// Writes the checkpoint beside its final name and renames it when it is whole and on the disk.
    pub(crate) fn write(&self, path: &Path) -> Result<(), TrainError> {
        let failed = |source: std::io::Error| TrainError::File { path: path.to_owned(), act: "writing", source };
        let json = |value: Result<String, serde_json::Error>| value.map_err(|error| failed(error.into()));
        let mut metadata = HashMap::from([
            ("format".to_owned(), FORMAT.to_owned()),
            ("format_version".to_owned(), VERSION.to_owned()),
            ("crate_version".to_owned(), self.crate_version.clone()),
            ("params".to_owned(), self.params.to_string()),
            ("network".to_owned(), json(serde_json::to_string(&self.network))?),
            ("progress".to_owned(), json(serde_json::to_string(&self.progress))?),
            ("fingerprint".to_owned(), format!("{:016x}", self.fingerprint)),
        ]);
        let mut bytes: Vec<(&str, Vec<u8>)> = TENSORS
            .into_iter()
            .zip(self.weights.all())
            .filter_map(|(name, values)| Some((name, values?.iter().flat_map(|value| value.to_le_bytes()).collect())))
            .collect();
        // As a tensor: metadata can have 100 MB at most, which the records of a run of very short epochs would fill.
        bytes.push((RECORDS, records::to_bytes(&self.progress.records)));
        let tensors: Vec<(&str, &[u8])> = bytes.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        metadata.insert(CHECKSUM.to_owned(), checksum(&metadata, &tensors));
        let views: Result<Vec<_>, _> = bytes
            .iter()
            .map(|(name, bytes)| {
                let (kind, shape) = match *name {
                    RECORDS => (Dtype::F64, vec![self.progress.records.len(), records::COLUMNS]),
                    _ => (Dtype::F32, vec![bytes.len() / 4]),
                };
                TensorView::new(kind, shape, bytes).map(|view| (*name, view))
            })
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
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let names = TENSORS.into_iter().chain([RECORDS]);
        let found: Vec<_> = names.filter_map(|name| Some((name, tensors.tensor(name).ok()?))).collect();
        let data: Vec<(&str, &[u8])> = found.iter().map(|(name, tensor)| (*name, tensor.data())).collect();
        // Compared as text: digits in capitals would be the same number, but not what was written.
        if *text(CHECKSUM)? != checksum(&metadata, &data) {
            return Err("it is damaged: its checksum is not that of what it holds".into());
        }
        let params = serde_json::from_str(text("params")?).map_err(|error| format!("its parameters: {error}"))?;
        let network = serde_json::from_str(text("network")?).map_err(|error| format!("its network: {error}"))?;
        let mut progress: Progress =
            serde_json::from_str(text("progress")?).map_err(|error| format!("its progress: {error}"))?;
        let fingerprint =
            u64::from_str_radix(text("fingerprint")?, 16).map_err(|error| format!("its fingerprint: {error}"))?;
        let optional = |name: &str| -> Result<Option<Vec<f32>>, String> {
            let Some((_, tensor)) = found.iter().find(|(found, _)| *found == name) else { return Ok(None) };
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
        let (_, table) = found.last().filter(|(name, _)| *name == RECORDS).ok_or("its records are missing")?;
        if table.dtype() != Dtype::F64 || table.shape().get(1) != Some(&records::COLUMNS) {
            return Err("its records are of another kind".into());
        }
        progress.records = records::from_bytes(table.data())?;
        Ok(Self { crate_version: text("crate_version")?.clone(), params, network, fingerprint, progress, weights })
    }

    /// Checks that the checkpoint is one of this run, and that the run can be where it says. The version of the crate may be another
    /// one: the run goes on then, with a notice, though another version may make other bits of the rest.
    pub(crate) fn check(&self, path: &Path, run: &Shape) -> Result<(), TrainError> {
        let path = || path.to_owned();
        if let Some(Difference { parameter, then, now }) = difference(&self.params, &run.params) {
            return Err(TrainError::OtherRun { path: path(), parameter, then, now });
        }
        if self.fingerprint != run.fingerprint {
            return Err(TrainError::OtherData { path: path() });
        }
        let checked = self.weights.check(run, self.progress.best.is_some()).and_then(|()| self.progress.check(run));
        checked.map_err(|reason| TrainError::Checkpoint { path: path(), reason })
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::{EpochRecord, Validation};
    use super::*;
    use crate::transform::Activation;

    fn shape() -> Shape {
        Shape {
            params: serde_json::json!({"seed": 1, "adam": {"beta1": 0.9}}),
            fingerprint: 7,
            n_parameters: 3,
            n_epochs: 5,
            n_rounds: 4,
            n_steps: 1,
            n_queries: 10,
            averages: true,
            validates: true,
            keeps_best: true,
        }
    }

    /// In the middle of epoch 2.
    fn checkpoint() -> Checkpoint {
        let validation = Some(Validation { error_percent: 5.0, n_nodes: 9 });
        let record = |epoch: usize| EpochRecord {
            epoch,
            train_seconds: 0.5,
            loss: 0.25,
            n_references: 3.0,
            n_left_out: 1,
            learning_rate: 1e-3,
            validation,
        };
        let progress = Progress {
            epoch: 2,
            round: 3,
            step: 11,
            n_left_out: 30,
            records: vec![record(0), record(1)],
            best: validation,
            last: validation,
            evaluations_since_best: 1,
            evaluated_step: 8,
            first_loss: Some(-0.0),
            ..Progress::default()
        };
        let values = |start: f32| vec![start, start + 1.0, start + 2.0];
        let weights = Weights {
            parameters: values(-1.0),
            first: values(-2.0),
            second: values(0.0),
            average: Some(values(4.0)),
            best: Some(values(5.0)),
        };
        let architecture = Architecture { n_inputs: 2, layers: vec![1], activation: Activation::Relu };
        let network = NetworkShape { architecture, scale: InputScale::Numbers, classes: vec![3, 5] };
        Checkpoint { crate_version: "0.1".into(), params: shape().params, network, fingerprint: 7, progress, weights }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        checkpoint().write(&path).unwrap();
        let read = Checkpoint::read(&path).unwrap();
        assert_eq!(read, checkpoint());
        read.check(&path, &shape()).unwrap();
    }

    #[test]
    fn all_rounds_of_an_epoch_may_be_done_before_the_epoch_is() {
        let mut it = checkpoint();
        (it.progress.round, it.progress.step) = (4, 12);
        it.check(Path::new("x"), &shape()).unwrap();
        // After the last epoch there is no round any more.
        let done = Shape { n_epochs: 2, ..shape() };
        let error = it.check(Path::new("x"), &done).unwrap_err().to_string();
        assert!(error.contains("its round is 4, but can be 0 at most"), "{error}");
    }

    #[test]
    fn records_of_very_long_runs_are_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut it = checkpoint();
        let record = EpochRecord { loss: 1.0 / 3.0, train_seconds: 1e5 / 7.0, ..it.progress.records[0] };
        // As text they would take more than 100 MB.
        it.progress.records = (0..600_000).map(|epoch| EpochRecord { epoch, ..record }).collect();
        it.progress.epoch = 600_000;
        it.write(&path).unwrap();
        assert!(Checkpoint::read(&path).unwrap() == it);
    }

    #[test]
    fn places_that_a_run_cannot_be_in_are_refused() {
        type Change = fn(&mut Checkpoint);
        let cases: [(Change, &str); 22] = [
            (|it| it.params["seed"] = 2.into(), "seed is 2 there and 1 here"),
            (|it| it.fingerprint = 8, "the data differs"),
            (|it| it.progress.epoch = 3, "records of 2 epochs, and is in epoch 3"),
            (|it| it.progress.round = 5, "its round is 5, but can be 4 at most"),
            (|it| it.progress.last = None, "of its best and its last validation one is missing"),
            (|it| it.progress.step = 12, "its number of steps is 12, but can be 11 at most"),
            (|it| it.progress.step = u64::MAX, "its number of steps is"),
            (|it| it.progress.evaluated_step = 12, "its last evaluated step is 12, but can be 11"),
            (|it| it.progress.evaluations_since_best = 3, "its number of evaluations is 3, but can be 2"),
            (|it| it.progress.n_left_out = 31, "its number of queries left out is 31, but can be 30"),
            (|it| it.progress.records[1].epoch = 0, "its record of epoch 1 is of epoch 0"),
            (|it| it.progress.records[1].loss = f64::NAN, "not finite"),
            (|it| it.progress.loss_sum = f64::INFINITY, "not finite"),
            (|it| it.progress.best = None, "best is there, but the run has none"),
            (|it| it.weights.best = None, "best is missing"),
            (|it| it.weights.average = None, "average is missing"),
            (|it| it.weights.parameters[1] = f32::NAN, "number 1 of parameters is NaN"),
            (|it| it.weights.first[2] = f32::INFINITY, "number 2 of adam.first is inf"),
            (|it| it.weights.second[0] = -1.0, "number 0 of adam.second is -1"),
            (|it| it.weights.second.push(0.0), "adam.second has 4 numbers, the network 3"),
            (|it| it.weights.parameters.clear(), "parameters has 0 numbers, the network 3"),
            (
                |it| {
                    it.progress.epoch = 6;
                    it.progress.round = 0;
                    let last = it.progress.records[1];
                    it.progress.records.extend((2..6).map(|epoch| EpochRecord { epoch, ..last }));
                    it.progress.n_left_out = 0;
                },
                "its epoch is 6, but can be 5 at most",
            ),
        ];
        for (change, text) in cases {
            let mut changed = checkpoint();
            change(&mut changed);
            let error = changed.check(Path::new("x"), &shape()).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
        let unvalidated = Shape { validates: false, ..shape() };
        let error = checkpoint().check(Path::new("x"), &unvalidated).unwrap_err().to_string();
        assert!(error.contains("no examples for validation"), "{error}");
    }
}
