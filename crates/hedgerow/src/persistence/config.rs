//! `config.json`: everything of a model that is no array.

use std::path::Path;

use hedgerow_core::Snapshot;
use hedgerow_data::Preprocessing;
use hedgerow_learn::{Architecture, InputScale};
use serde::{Deserialize, Serialize};

use super::seal;
use crate::error::{LoadError, SaveError};
use crate::journal::{JournalEntry, Seal, last_seal};
use crate::model::{Facts, Model};

/// The version of the folder's format. It grows when older programs could no longer read what newer ones write.
pub(super) const FORMAT_VERSION: u64 = 1;
const FORMAT: &str = "hedgerow-model";

/// What is in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Config {
    format: String,
    format_version: u64,
    /// What tells the model from others: its journal and its metrics have it too.
    pub(super) id: Seal,
    /// Entries of the journal that are in the arrays already.
    pub(super) folded: u64,
    /// The seal of the last of them, or the id.
    pub(super) folded_seal: Seal,
    /// Changes before these whose record is lost.
    pub(super) n_lost: u64,
    pub(super) next_id: u64,
    /// SHA-256 of the file of arrays.
    pub(super) tensors_sha256: String,
    #[serde(rename = "model")]
    pub(super) facts: Facts,
    pub(super) preprocessing: Preprocessing,
    pub(super) network: Option<Network>,
    /// Examples that were ever shown and are not removed; more than are kept where the history is not.
    pub(super) n_shown: usize,
    pub(super) is_rooted: bool,
    pub(super) n_trees: usize,
}

/// The shape of the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Network {
    pub(super) architecture: Architecture,
    pub(super) scale: InputScale,
}

/// The part that tells whether the rest can be read.
#[derive(Debug, Deserialize)]
struct Version {
    format: Option<String>,
    format_version: Option<u64>,
}

/// Whether a file says that it is the configuration of a model. Many programs have a `config.json`.
pub(super) fn is_of_a_model(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).ok();
    let version: Option<Version> = text.and_then(|text| serde_json::from_str(&text).ok());
    version.and_then(|version| version.format).as_deref() == Some(FORMAT)
}

/// SHA-256, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Config {
    /// The configuration of a model whose arrays and journal are these.
    pub(super) fn of(model: &Model, snapshot: &Snapshot, tensors: &[u8], journal: &[JournalEntry]) -> Self {
        let folded = journal.partition_point(|entry| entry.number <= model.n_entries);
        Self {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            id: model.id,
            folded: model.n_entries,
            folded_seal: last_seal(model.id, &journal[..folded]),
            n_lost: model.n_lost,
            next_id: model.next_id,
            tensors_sha256: sha256(tensors),
            facts: model.facts.clone(),
            preprocessing: model.preprocessing.clone(),
            network: model
                .transform
                .as_ref()
                .map(|transform| Network { architecture: transform.architecture().clone(), scale: transform.scale() }),
            n_shown: snapshot.n_shown,
            is_rooted: snapshot.is_rooted,
            n_trees: snapshot.trees.len(),
        }
    }

    pub(super) fn to_json(&self) -> Result<String, SaveError> {
        seal::to_json(self).ok_or(SaveError::Unwritable { what: "a distance that is a closure" })
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, LoadError> {
        let damaged = |what: String| LoadError::Damaged { path: path.to_owned(), what };
        let version: Version = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        if version.format.as_deref() != Some(FORMAT) {
            return Err(damaged(format!("its format is not \"{FORMAT}\"")));
        }
        match version.format_version {
            Some(FORMAT_VERSION) => {}
            Some(found) => {
                return Err(LoadError::Version { path: path.to_owned(), found, expected: FORMAT_VERSION });
            }
            None => return Err(damaged("it has no format_version".to_owned())),
        }
        let config: Self = seal::from_json(path, text)?;
        match config.contradiction() {
            Some(what) => Err(damaged(what)),
            None => Ok(config),
        }
    }

    /// What of it cannot be said together. A file may say anything, and those who ask the model trust it.
    fn contradiction(&self) -> Option<String> {
        let Facts { params, task, data, schema, closeness, .. } = &self.facts;
        let (n_features, sigma) = (data.n_features, closeness.sigma());
        let n_pixels = |shape: hedgerow_data::ImageShape| {
            shape.height.checked_mul(shape.width).and_then(|pixels| pixels.checked_mul(shape.channels))
        };
        let wrong = [
            (!self.preprocessing.is_for(n_features, data.kind()), "preprocessing"),
            (schema.encoding.width() != n_features, "model.schema.encoding"),
            (data.image_shape.is_some_and(|shape| n_pixels(shape) != Some(n_features)), "model.data.image_shape"),
        ];
        if let Some((_, what)) = wrong.iter().find(|(is_wrong, _)| *is_wrong) {
            return Some(format!("{what} does not fit the {n_features} features of the model"));
        }
        if !(sigma.is_finite() && sigma > 0.0) {
            return Some(format!("the sigma of model.closeness is {sigma}, and must be above 0"));
        }
        if params.task.as_ref() != Some(task) {
            return Some("model.params.task is not model.task".to_owned());
        }
        None
    }
}
