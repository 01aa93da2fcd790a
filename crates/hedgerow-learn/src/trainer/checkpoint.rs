//! A run on disk: written whole or not at all, and taken up again to the same bits.
//!
//! One safetensors file: the weights, what the optimizer remembers, the best weights so far; and, as its metadata, where
//! the run stands, its parameters, a fingerprint of the data, and a checksum of all this. What is read is checked: the checksum
//! against damage, the numbers against what the run can be in. A checkpoint that passes cannot make a run panic.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::difference::{Difference, difference};
use super::event::{EpochRecord, Validation};
use crate::error::TrainError;
use crate::hash::Hash;

const FORMAT: &str = "hedgerow-checkpoint";
const VERSION: &str = "2";

/// What the checksum is over, in this order; and where it stands itself.
const TEXTS: [&str; 5] = ["format", "format_version", "params", "progress", "fingerprint"];
const TENSORS: [&str; 5] = ["parameters", "adam.first", "adam.second", "average", "best"];
const CHECKSUM: &str = "checksum";

/// Where a run stands, besides its weights.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The epoch under way, and the round in it that comes next.
    pub(crate) epoch: usize,
    pub(crate) round: usize,
    /// Gradient steps so far.
    pub(crate) step: u64,
    pub(crate) train_seconds: f64,
    /// Sums over the rounds of the epoch so far: of the losses of all queries that counted, of references, of queries that did not.
    pub(crate) loss_sum: f64,
    pub(crate) references_sum: f64,
    pub(crate) n_left_out: usize,
    pub(crate) records: Vec<EpochRecord>,
    pub(crate) best: Option<Validation>,
    pub(crate) evaluations_since_best: usize,
    /// The step of the last evaluation.
    pub(crate) evaluated_step: u64,
    /// The loss of the first round in which a query counted.
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
    /// The parameters, as JSON.
    pub(crate) params: Value,
    pub(crate) fingerprint: u64,
    pub(crate) progress: Progress,
    pub(crate) weights: Weights,
}

/// What a run is like, and with it every checkpoint of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    /// The parameters, as JSON.
    pub(crate) params: Value,
    /// Of the data; 0 in a run without checkpoints.
    pub(crate) fingerprint: u64,
    pub(crate) n_parameters: usize,
    pub(crate) n_epochs: usize,
    /// Of an epoch.
    pub(crate) n_rounds: usize,
    /// Of a round, at most.
    pub(crate) n_steps: usize,
    /// Of a round.
    pub(crate) n_queries: usize,
    pub(crate) averages: bool,
    pub(crate) validates: bool,
    /// Whether the best weights are kept beside the last.
    pub(crate) keeps_best: bool,
}

impl Weights {
    /// All that there are, in the order of their names in `TENSORS`.
    fn all(&self) -> [Option<&Vec<f32>>; 5] {
        let Self { parameters, first, second, average, best } = self;
        [Some(parameters), Some(first), Some(second), average.as_ref(), best.as_ref()]
    }
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
            ("params".to_owned(), self.params.to_string()),
            ("progress".to_owned(), json(serde_json::to_string(&self.progress))?),
            ("fingerprint".to_owned(), format!("{:016x}", self.fingerprint)),
        ]);
        let bytes: Vec<(&str, Vec<u8>)> = TENSORS
            .into_iter()
            .zip(self.weights.all())
            .filter_map(|(name, values)| Some((name, values?.iter().flat_map(|value| value.to_le_bytes()).collect())))
            .collect();
        let tensors: Vec<(&str, &[u8])> = bytes.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        metadata.insert(CHECKSUM.to_owned(), checksum(&metadata, &tensors));
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
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let found: Vec<_> = TENSORS.into_iter().filter_map(|name| Some((name, tensors.tensor(name).ok()?))).collect();
        let data: Vec<(&str, &[u8])> = found.iter().map(|(name, tensor)| (*name, tensor.data())).collect();
        // Compared as text: digits in capitals would be the same number, but not what was written.
        if *text(CHECKSUM)? != checksum(&metadata, &data) {
            return Err("it is damaged: its checksum is not that of what it holds".into());
        }
        let params = serde_json::from_str(text("params")?).map_err(|error| format!("its parameters: {error}"))?;
        let progress = serde_json::from_str(text("progress")?).map_err(|error| format!("its progress: {error}"))?;
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
        Ok(Self { params, fingerprint, progress, weights })
    }

    /// Checks that the checkpoint is one of this run, and that the run can be where it says.
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

impl Weights {
    fn check(&self, run: &Shape, has_best: bool) -> Result<(), String> {
        for (name, values) in TENSORS.into_iter().zip(self.all()) {
            let is_wanted = match name {
                "average" => run.averages,
                "best" => run.keeps_best && has_best,
                _ => true,
            };
            let Some(values) = values else {
                if is_wanted {
                    return Err(format!("{name} is missing"));
                }
                continue;
            };
            if !is_wanted {
                return Err(format!("{name} is there, but the run has none"));
            }
            if values.len() != run.n_parameters {
                return Err(format!("{name} has {} numbers, the network {}", values.len(), run.n_parameters));
            }
            let is_usable = |value: &f32| value.is_finite() && (name != "adam.second" || *value >= 0.0);
            if let Some(at) = values.iter().position(|value| !is_usable(value)) {
                return Err(format!("number {at} of {name} is {}", values[at]));
            }
        }
        Ok(())
    }
}

impl Progress {
    /// Says what is wrong with the first thing that cannot be so.
    fn check(&self, run: &Shape) -> Result<(), String> {
        let &Shape { n_epochs, n_rounds, n_steps, n_queries, validates, .. } = run;
        if self.records.len() != self.epoch {
            return Err(format!("it has records of {} epochs, and is in epoch {}", self.records.len(), self.epoch));
        }
        let last_round = if self.epoch == n_epochs { 0 } else { n_rounds.saturating_sub(1) };
        // There are as many records as epochs, so that these products fit.
        let n_done = self.epoch as u128 * n_rounds as u128 + self.round as u128;
        let counts = [
            ("epoch", self.epoch as u128, n_epochs as u128),
            ("round", self.round as u128, last_round as u128),
            ("number of steps", u128::from(self.step), n_done * n_steps as u128),
            ("last evaluated step", u128::from(self.evaluated_step), u128::from(self.step)),
            ("number of evaluations", self.evaluations_since_best as u128, self.epoch as u128),
            ("number of queries left out", self.n_left_out as u128, self.round as u128 * n_queries as u128),
        ];
        if let Some((what, got, most)) = counts.into_iter().find(|(_, got, most)| got > most) {
            return Err(format!("its {what} is {got}, but can be {most} at most"));
        }
        if self.best.is_some() && !validates {
            return Err("it has a best validation, but the run has no examples for validation".into());
        }
        let numbers = [self.train_seconds, self.loss_sum, self.references_sum, self.first_loss.unwrap_or(0.0)];
        let best = self.best.iter().map(|best| best.error_percent);
        let of_records = self.records.iter().flat_map(|record| {
            let error = record.validation.map_or(0.0, |validation| validation.error_percent);
            [record.train_seconds, record.loss, record.n_references, record.learning_rate, error]
        });
        if numbers.into_iter().chain(best).chain(of_records).any(|number| !number.is_finite()) {
            return Err("one of its seconds, losses or errors is not finite".into());
        }
        match self.records.iter().enumerate().find(|(at, record)| record.epoch != *at) {
            Some((at, record)) => Err(format!("its record of epoch {at} is of epoch {}", record.epoch)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        Checkpoint { params: shape().params, fingerprint: 7, progress, weights }
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
    fn places_that_a_run_cannot_be_in_are_refused() {
        type Change = fn(&mut Checkpoint);
        let cases: [(Change, &str); 21] = [
            (|it| it.params["seed"] = 2.into(), "seed is 2 there and 1 here"),
            (|it| it.fingerprint = 8, "the data differs"),
            (|it| it.progress.epoch = 3, "records of 2 epochs, and is in epoch 3"),
            (|it| it.progress.round = 4, "its round is 4, but can be 3 at most"),
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
