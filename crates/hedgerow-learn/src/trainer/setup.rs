//! How a run begins: everything settled for the data, and the weights drawn, given, or read from a checkpoint.

use std::path::Path;

use hedgerow_core::Examples;
use serde_json::Value;

use super::RunOptions;
use super::checkpoint::{Checkpoint, NetworkShape};
use super::data::TrainingData;
use super::event::Notice;
use super::params::{Keep, TrainingParams};
use super::progress::{Progress, Shape, Weights};
use super::run::Run;
use crate::augmentation::{Augmenter, PictureShape};
use crate::error::TrainError;
use crate::hash::Hash;
use crate::learner::Learner;
use crate::methods::Workspace;
use crate::minibatch::Partition;
use crate::transform::{Architecture, DenseNetwork, InputScale, TrainableNetwork, Transform};

/// The version of this crate, which checkpoints remember.
pub(super) const CRATE_VERSION: &str = env!("CARGO_PKG_VERSION");

impl<'a> Run<'a> {
    /// A run at its start, or where its checkpoint left it.
    pub(super) fn new(
        examples: &Examples<'a>,
        validation: Option<&Examples<'_>>,
        params: &TrainingParams,
        options: &RunOptions,
    ) -> Result<Self, TrainError> {
        let data = TrainingData::new(examples, validation, params.validation_share, params.seed)?;
        let points = data.points;
        let wanted = params.method.round_size();
        let compared_with = params.method.compared_with();
        let partition =
            Partition::new(data.train.clone(), &data.labels, data.classes.len(), wanted, compared_with, params.seed);
        let mut notices = Vec::new();
        if partition.size() != wanted {
            notices.push(Notice::RoundsShrunk { wanted, now: partition.size() });
        }
        if partition.is_by_class() {
            notices.push(Notice::RoundsByClass { n_classes: data.classes.len() });
        }
        if data.validation.is_none() && params.validation_share > 0.0 {
            notices.push(Notice::NoValidation { n_examples: data.labels.len() });
        }
        let (n_examples, n_features) = (data.labels.len(), points.width());
        let initial = options.initial.as_ref();
        let mut params = params.clone();
        if params.layers.is_none() {
            params.layers = initial.map(|network| {
                let layers = &network.architecture().layers;
                layers[..layers.len() - usize::from(params.method.has_class_layer())].to_vec()
            });
        }
        let params = params.settled(n_examples, n_features, partition.n_rounds(), partition.size());
        // What was found for the data must go together with what was told: epochs with those of the warm-up.
        params.check()?;
        let n_epochs = params.epochs.expect("settled just now");
        let mut layers = params.layers.clone().expect("settled just now");
        if params.method.has_class_layer() {
            layers.push(data.classes.len());
        }
        let architecture = Architecture { n_inputs: n_features, layers, activation: params.activation };
        architecture.check()?;
        let network = match initial {
            None => DenseNetwork::new(architecture, InputScale::for_points(points), params.initialization, params.seed),
            Some(network) => fitting(network, &architecture, InputScale::for_points(points))?.clone(),
        };
        let scale = network.scale();
        let mut learner = Learner::new(TrainableNetwork::new(network), params.adam, points);
        let shape = params.picture.unwrap_or(PictureShape { height: 1, width: n_features, channels: 1 });
        if shape.n_numbers() != Some(n_features) {
            let PictureShape { height, width, channels } = shape;
            return Err(TrainError::ImageShape { height, width, channels, n_features });
        }
        let augmented_until = n_epochs.saturating_sub(params.clean_epochs) as u64;
        learner.augment(Augmenter::new(&params.augmentation, shape, scale, params.seed), augmented_until);
        let fingerprint = if options.checkpoint.is_some() { data.fingerprint() } else { 0 };
        let mut run = Self {
            labels: examples.labels(),
            data,
            partition,
            n_epochs,
            initial: initial.map(hash_of),
            learner,
            work: Workspace::default(),
            params,
            progress: Progress::default(),
            best_weights: None,
            notices,
            fingerprint,
        };
        if let Some(path) = options.checkpoint.as_deref().filter(|_| options.resume) {
            // A file that cannot be looked at is not one that is not there.
            let is_there = path.try_exists();
            if is_there.map_err(|source| TrainError::File { path: path.to_owned(), act: "looking for", source })? {
                run.take_up(path)?;
            }
        }
        Ok(run)
    }

    /// Goes on where a checkpoint left off.
    fn take_up(&mut self, path: &Path) -> Result<(), TrainError> {
        let checkpoint = Checkpoint::read(path)?;
        checkpoint.check(path, &self.shape())?;
        let Weights { parameters, first, second, average, best } = checkpoint.weights;
        self.learner.transform_mut().parameters_and_gradient().0.copy_from_slice(&parameters);
        self.learner.adam_mut().restore(checkpoint.progress.step, &first, &second, average.as_deref());
        self.best_weights = best;
        self.progress = checkpoint.progress;
        if checkpoint.crate_version != CRATE_VERSION {
            self.notices.push(Notice::OtherVersion { then: checkpoint.crate_version, now: CRATE_VERSION.to_owned() });
        }
        Ok(())
    }

    fn shape(&self) -> Shape {
        let size = self.partition.size();
        Shape {
            params: self.settled(),
            fingerprint: self.fingerprint,
            n_parameters: self.learner.transform().parameters().len(),
            n_epochs: self.n_epochs,
            n_rounds: self.partition.n_rounds(),
            n_steps: self.params.method.n_steps(size),
            n_queries: self.params.method.n_queries(size),
            averages: self.params.adam.averaging.is_some(),
            validates: self.data.validation.is_some(),
            keeps_best: self.params.keep == Keep::Best,
        }
    }

    /// Everything but the data that decides the bits: the parameters, and the weights that the run began with if they were given.
    fn settled(&self) -> Value {
        let mut settled = serde_json::to_value(&self.params).expect("parameters are plain numbers and names");
        settled[INITIAL] = self.initial.map_or("drawn".into(), |hash| format!("given, {hash:016x}").into());
        settled
    }

    /// The run as it is now.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let (first, second) = self.learner.adam().moments();
        let weights = Weights {
            parameters: self.learner.transform().parameters().to_vec(),
            first: first.to_vec(),
            second: second.to_vec(),
            average: self.learner.adam().average().map(<[f32]>::to_vec),
            best: self.best_weights.clone(),
        };
        let network = self.learner.transform().network();
        Checkpoint {
            crate_version: CRATE_VERSION.to_owned(),
            params: self.settled(),
            network: NetworkShape {
                architecture: network.architecture().clone(),
                scale: network.scale(),
                classes: self.data.classes.iter().map(|class| class.0).collect(),
            },
            fingerprint: self.fingerprint,
            progress: Progress { step: self.learner.adam().n_steps(), ..self.progress.clone() },
            weights,
        }
    }
}

/// The name of what stands beside the parameters of a run in its checkpoint: where its first weights are from.
pub(super) const INITIAL: &str = "initial";

/// A network to start from, if it is one of the architecture and takes points of the kind. Its scale is its own: the largest byte of
/// other data would make other numbers of the same bytes.
fn fitting<'n>(
    network: &'n DenseNetwork,
    architecture: &Architecture,
    scale: InputScale,
) -> Result<&'n DenseNetwork, TrainError> {
    let got = network.architecture();
    let differences = [
        ("features", architecture.n_inputs.to_string(), got.n_inputs.to_string()),
        ("kind of points", scale.kind().to_string(), network.scale().kind().to_string()),
        ("layers", format!("{:?}", architecture.layers), format!("{:?}", got.layers)),
        ("activation", format!("{:?}", architecture.activation), format!("{:?}", got.activation)),
    ];
    match differences.into_iter().find(|(_, expected, got)| expected != got) {
        Some((what, expected, got)) => Err(TrainError::Initial { what, expected, got }),
        None => Ok(network),
    }
}

fn hash_of(network: &DenseNetwork) -> u64 {
    let mut hash = Hash::new();
    network.parameters().iter().for_each(|weight| hash.word(u64::from(weight.to_bits())));
    if let InputScale::Bytes(divisor) = network.scale() {
        hash.word(u64::from(divisor.to_bits()));
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::{silent, train};
    use hedgerow_core::{Label, Points};

    #[test]
    fn a_checkpoint_of_another_version_is_taken_up_with_a_notice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.safetensors");
        let points = Points::from_f32(1, (0..20).map(|row| row as f32).collect()).unwrap();
        let labels: Vec<Label> = (0..20).map(|row| Label::class(row / 10)).collect();
        let examples = Examples::new(points.view(), &labels).unwrap();
        let params = TrainingParams { layers: Some(vec![3]), epochs: Some(2), ..TrainingParams::default() };
        let options = RunOptions { checkpoint: Some(path.clone()), resume: true, ..RunOptions::default() };
        let run = || train(&examples, &params, &options, &mut silent()).unwrap();
        let other = Notice::OtherVersion { then: "0.0.7".into(), now: CRATE_VERSION.into() };
        let (once, again) = (run(), run());
        assert!(!again.notices.contains(&other));
        let checkpoint = Checkpoint::read(&path).unwrap();
        Checkpoint { crate_version: "0.0.7".into(), ..checkpoint }.write(&path).unwrap();
        let later = run();
        assert!(later.notices.contains(&other), "{:?}", later.notices);
        assert_eq!(later.transform, once.transform);
    }
}
