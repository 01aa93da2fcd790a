//! A look at a checkpoint: how far a run is, and what it has learned, without its data.

use std::path::Path;

use hedgerow_core::ClassId;
use serde_json::Value;

use super::checkpoint::Checkpoint;
use super::event::{EpochRecord, Validation};
use super::params::TrainingParams;
use super::setup::INITIAL;
use crate::error::TrainError;
use crate::transform::DenseNetwork;

/// What a checkpoint says of its run.
///
/// # Example
/// ```no_run
/// use hedgerow_learn::CheckpointInfo;
///
/// let info = CheckpointInfo::read("run.safetensors")?;
/// println!("epoch {} of {:?}: {:?}", info.epoch, info.params.epochs, info.best_validation);
/// # Ok::<(), hedgerow_learn::TrainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointInfo {
    /// The version of this crate that wrote it.
    pub crate_version: String,
    /// The parameters, with what was left to the data.
    pub params: TrainingParams,
    /// The classes that are learned, in rising order.
    pub classes: Vec<ClassId>,
    /// The epoch under way, from 0; as many as there are epochs at the end of the run.
    pub epoch: usize,
    /// The round in it that comes next.
    pub round: usize,
    /// Gradient steps so far.
    pub n_steps: u64,
    /// Seconds of learning so far, evaluations left out.
    pub train_seconds: f64,
    /// Every epoch that is over.
    pub records: Vec<EpochRecord>,
    /// The best that an evaluation found.
    pub best_validation: Option<Validation>,
    /// What the last evaluation found.
    pub last_validation: Option<Validation>,
    /// The network as it would be used if the run ended now: of averaged weights, if they are averaged. That of a classifier has its last
    /// layer, with a number for each class.
    pub network: DenseNetwork,
    /// The network of the best evaluation, if the run keeps it and there was one.
    pub best_network: Option<DenseNetwork>,
}

impl CheckpointInfo {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// A file that cannot be read, or is no checkpoint, or is damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TrainError> {
        let path = path.as_ref();
        let checkpoint = Checkpoint::read(path)?;
        let refused = |reason: String| TrainError::Checkpoint { path: path.to_owned(), reason };
        checkpoint.progress.check_alone().map_err(refused)?;
        let Checkpoint { crate_version, params, network, progress, weights, .. } = checkpoint;
        let params = without_initial(params);
        let params = serde_json::from_value(params).map_err(|error| refused(format!("its parameters: {error}")))?;
        let made = |weights: Vec<f32>| {
            let made = DenseNetwork::from_parameters(network.architecture.clone(), network.scale, &weights);
            made.map_err(|error| refused(format!("its network: {error}")))
        };
        Ok(Self {
            crate_version,
            params,
            classes: network.classes.iter().copied().map(ClassId).collect(),
            epoch: progress.epoch,
            round: progress.round,
            n_steps: progress.step,
            train_seconds: progress.train_seconds,
            records: progress.records,
            best_validation: progress.best,
            last_validation: progress.last,
            network: made(weights.average.unwrap_or(weights.parameters))?,
            best_network: weights.best.map(made).transpose()?,
        })
    }
}

/// Of what decides the bits of a run, its parameters alone: where its first weights are from stands beside them.
fn without_initial(mut settled: Value) -> Value {
    if let Value::Object(settled) = &mut settled {
        settled.remove(INITIAL);
    }
    settled
}
