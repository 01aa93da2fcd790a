//! How a run goes.

use std::path::Path;
use std::time::Instant;

use hedgerow_core::{Examples, Label};

use super::checkpoint::{Checkpoint, Progress, Shape, Weights};
use super::data::{Held, TrainingData};
use super::event::{EpochRecord, Event, Notice, Validation};
use super::params::{Keep, TrainingParams};
use super::watch::Watch;
use super::{Classifier, Listener, Outcome, RunOptions, Trained};
use crate::augmentation::{Augmenter, PictureShape};
use crate::error::{ApplyError, StepError, TrainError};
use crate::evaluation::{ShownExamples, Structure};
use crate::learner::Learner;
use crate::methods::{Method, Round, RoundReport, Workspace};
use crate::minibatch::Partition;
use crate::optimizer::LearningRate;
use crate::transform::{Architecture, DenseNetwork, InputScale, TrainableNetwork, Transform};

/// Evaluations in a run that was not told how often.
const EVALUATIONS: usize = 20;

/// Epochs after which a run that has not found anything to learn gives up.
const EPOCHS_OF_CHANCE: usize = 10;

/// How many times larger than at first a loss is that will never come down again.
const ASTRAY: f64 = 1e6;

/// A run under way.
pub(super) struct Run<'a> {
    params: &'a TrainingParams,
    data: TrainingData<'a>,
    labels: &'a [Label],
    partition: Partition,
    n_epochs: usize,
    /// With its start.
    rate: LearningRate,
    learner: Learner<'a, f32, TrainableNetwork>,
    work: Workspace<f32>,
    progress: Progress,
    best_weights: Option<Vec<f32>>,
    notices: Vec<Notice>,
    /// Of the data; only found out if there are checkpoints.
    fingerprint: u64,
}

impl<'a> Run<'a> {
    /// A run at its start, or where its checkpoint left it.
    pub(super) fn new(
        examples: &Examples<'a>,
        validation: Option<&Examples<'_>>,
        params: &'a TrainingParams,
        options: &RunOptions,
    ) -> Result<Self, TrainError> {
        let data = TrainingData::new(examples, validation, params.validation_share, params.seed)?;
        let points = data.points;
        let scale = InputScale::for_points(points);
        let wanted = params.method.round_size();
        let needs_references = !params.method.has_class_layer();
        let partition =
            Partition::new(data.train.clone(), &data.labels, data.classes.len(), wanted, needs_references, params.seed);
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
        let default_layers = || TrainingParams::default_layers(n_examples, n_features);
        let mut layers = params.layers.clone().unwrap_or_else(default_layers);
        let start = params.learning_rate.start.unwrap_or_else(|| TrainingParams::default_rate(n_examples, n_features));
        let rate = LearningRate { start: Some(start), ..params.learning_rate.clone() };
        if params.method.has_class_layer() {
            layers.push(data.classes.len());
        }
        let architecture = Architecture { n_inputs: n_features, layers, activation: params.activation };
        architecture.check()?;
        let network = DenseNetwork::new(architecture, scale, params.initialization, params.seed);
        let mut learner = Learner::new(TrainableNetwork::new(network), params.adam, points);
        let shape = params.picture.unwrap_or(PictureShape { height: 1, width: n_features, channels: 1 });
        if shape.n_numbers() != Some(n_features) {
            let PictureShape { height, width, channels } = shape;
            return Err(TrainError::ImageShape { height, width, channels, n_features });
        }
        let n_epochs = params.epochs.unwrap_or_else(|| params.default_epochs(partition.n_rounds()));
        let augmented_until = n_epochs.saturating_sub(params.clean_epochs) as u64;
        learner.augment(Augmenter::new(&params.augmentation, shape, scale, params.seed), augmented_until);
        let fingerprint = if options.checkpoint.is_some() { data.fingerprint() } else { 0 };
        let mut run = Self {
            params,
            labels: examples.labels(),
            data,
            partition,
            n_epochs,
            rate,
            learner,
            work: Workspace::new(&params.method),
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
        Ok(())
    }

    fn shape(&self) -> Shape {
        let size = self.partition.size();
        Shape {
            params: serde_json::to_value(self.params).expect("parameters are plain numbers and names"),
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

    /// Writes a checkpoint: not of a run that has diverged, which could not be taken up again and might replace one that can.
    fn save(&self, path: &Path) -> Result<(), TrainError> {
        self.check()?;
        let (first, second) = self.learner.adam().moments();
        let weights = Weights {
            parameters: self.learner.transform().parameters().to_vec(),
            first: first.to_vec(),
            second: second.to_vec(),
            average: self.learner.adam().average().map(<[f32]>::to_vec),
            best: self.best_weights.clone(),
        };
        let progress = Progress { step: self.learner.adam().n_steps(), ..self.progress.clone() };
        let Shape { params, fingerprint, .. } = self.shape();
        Checkpoint { params, fingerprint, progress, weights }.write(path)
    }

    /// Runs to the end, or until something ends it.
    pub(super) fn carry_out(
        mut self,
        options: &RunOptions,
        listener: &mut Listener<'_>,
    ) -> Result<Trained, TrainError> {
        let mut watch = Watch::new(options, listener);
        watch.tell(&Event::Started {
            n_epochs: self.n_epochs,
            n_rounds: self.partition.n_rounds(),
            epoch: self.progress.epoch,
        });
        self.notices.iter().for_each(|notice| watch.tell(&Event::Notice(notice)));
        // Now rather than after an hour: a folder that cannot be written to ends the run before it has begun.
        if let Some(path) = &options.checkpoint {
            self.save(path)?;
        }
        let mut outcome = Outcome::Finished;
        while self.progress.epoch < self.n_epochs {
            if self.has_waited() {
                outcome = Outcome::StoppedEarly;
                break;
            }
            if let Some(ended) = self.epoch(&mut watch)? {
                outcome = ended;
                break;
            }
        }
        self.check()?;
        // What has been learned is worth more than its checkpoint: if that cannot be written, the result says so.
        if let Some(path) = &options.checkpoint {
            match self.save(path) {
                Ok(()) => watch.tell(&Event::Checkpoint(path)),
                Err(_) => {
                    watch.tell(&Event::Notice(&Notice::NoLastCheckpoint));
                    self.notices.push(Notice::NoLastCheckpoint);
                }
            }
        }
        self.finish(outcome)
    }

    /// One epoch, or what is left of it. Gives why the run is over, if it is.
    fn epoch(&mut self, watch: &mut Watch<'_, '_>) -> Result<Option<Outcome>, TrainError> {
        let epoch = self.progress.epoch;
        let rows = self.partition.epoch(epoch as u64);
        let (n_rounds, size) = (self.partition.n_rounds(), self.partition.size());
        let n_queries = self.params.method.n_queries(size);
        let (rate, n_epochs) = (self.rate.clone(), self.n_epochs as f64);
        let rate_at = |round: usize| rate.at(epoch as f64 + round as f64 / n_rounds as f64, n_epochs);
        while self.progress.round < n_rounds {
            if let Some(ended) = watch.ended() {
                return Ok(Some(ended));
            }
            let round = self.progress.round;
            let learning_rate = rate_at(round);
            let rows = &rows[round * size.total()..(round + 1) * size.total()];
            let report = self.round(rows, epoch, round, learning_rate)?;
            self.progress.round += 1;
            self.progress.loss_sum += report.loss * (n_queries - report.n_left_out) as f64;
            self.progress.references_sum += report.n_references as f64;
            self.progress.n_left_out += report.n_left_out;
            watch.tell(&Event::Round {
                epoch,
                round,
                step: self.learner.adam().n_steps(),
                loss: report.loss,
                n_references: report.n_references,
                learning_rate,
            });
            if let Some(path) = watch.checkpoint_due() {
                self.save(path)?;
                watch.tell(&Event::Checkpoint(path));
            }
        }
        self.check()?;
        let n_counted = n_rounds * n_queries - self.progress.n_left_out;
        // By chance an epoch of very few examples counts nothing; many in a row are no chance.
        if self.learner.adam().n_steps() == 0 && epoch + 1 >= self.n_epochs.min(EPOCHS_OF_CHANCE) {
            let (n_queries, batch_size) = (n_rounds * n_queries, size.total());
            return Err(TrainError::NothingCounted { epoch, n_queries, batch_size });
        }
        let is_last = epoch + 1 == self.n_epochs;
        let every = self.params.evaluate_every.unwrap_or_else(|| self.n_epochs.div_ceil(EVALUATIONS));
        let validation = if is_last || (epoch + 1) % every == 0 { self.evaluate()? } else { None };
        let record = EpochRecord {
            epoch,
            train_seconds: self.progress.train_seconds,
            loss: self.progress.loss_sum / n_counted.max(1) as f64,
            n_references: self.progress.references_sum / n_rounds as f64,
            n_left_out: self.progress.n_left_out,
            learning_rate: rate_at(n_rounds - 1),
            validation,
        };
        self.progress.records.push(record);
        (self.progress.epoch, self.progress.round) = (epoch + 1, 0);
        (self.progress.loss_sum, self.progress.references_sum, self.progress.n_left_out) = (0.0, 0.0, 0);
        watch.tell(&Event::Epoch(&record));
        Ok(if is_last || self.has_waited() { None } else { watch.ended() })
    }

    /// Whether the validation error has not fallen for as long as the run may wait.
    fn has_waited(&self) -> bool {
        self.params.patience.is_some_and(|patience| self.progress.evaluations_since_best >= patience)
    }

    fn round(
        &mut self,
        rows: &[usize],
        epoch: usize,
        round: usize,
        learning_rate: f64,
    ) -> Result<RoundReport, TrainError> {
        let started = Instant::now();
        let labels: Vec<u32> = rows.iter().map(|&row| self.data.labels[row]).collect();
        let seed = self.partition.round_seed(epoch as u64, round);
        let n_boundary = self.partition.size().n_boundary;
        let round = Round { rows, labels: &labels, n_boundary, seed };
        self.learner.set_rate(learning_rate, epoch as u64);
        // Within the pool as a whole: each product would else be handed over from thread to thread and waited for.
        let (method, learner, work) = (&self.params.method, &mut self.learner, &mut self.work);
        let report = rayon::scope(|_| method.round(learner, &round, work));
        self.progress.train_seconds += started.elapsed().as_secs_f64();
        let report = report.and_then(|report| {
            let n_queries = self.params.method.n_queries(self.partition.size());
            if report.n_left_out == n_queries {
                return Ok(report);
            }
            let first_loss = *self.progress.first_loss.get_or_insert(report.loss);
            let is_astray = report.loss > ASTRAY * first_loss.max(1.0);
            if is_astray { Err(StepError::Diverged { loss: report.loss }) } else { Ok(report) }
        });
        report.map_err(|cause| self.diverged(cause))
    }

    fn diverged(&self, cause: StepError) -> TrainError {
        let (step, learning_rate) = (self.learner.adam().n_steps(), self.learner.learning_rate());
        TrainError::Diverged { step, epoch: self.progress.epoch, learning_rate, cause }
    }

    /// Checks that the run is still one of numbers.
    fn check(&self) -> Result<(), TrainError> {
        self.learner.check().map_err(|cause| self.diverged(cause))
    }

    /// What went wrong in applying a network that this run has made: the points are fine, so it is the weights.
    fn misapplied(&self, error: ApplyError) -> TrainError {
        match error {
            ApplyError::Representation { source } => self.diverged(StepError::Unusable { reason: source.to_string() }),
            error => TrainError::Apply(error),
        }
    }

    /// The weights that would be used if the run ended now: the average, if one is kept.
    fn weights(&self) -> &[f32] {
        self.learner.adam().average().unwrap_or_else(|| self.learner.transform().parameters())
    }

    fn network(&self, weights: &[f32]) -> Result<DenseNetwork, TrainError> {
        let network = self.learner.transform().network();
        Ok(DenseNetwork::from_parameters(network.architecture().clone(), network.scale(), weights.to_vec())?)
    }

    /// Asks about the examples kept for validation, and remembers the weights if they are the best so far.
    fn evaluate(&mut self) -> Result<Option<Validation>, TrainError> {
        let Some(held) = &self.data.validation else { return Ok(None) };
        let validation = self.validate(held, &self.network(self.weights())?)?;
        self.progress.evaluated_step = self.learner.adam().n_steps();
        let is_better = self
            .progress
            .best
            .is_none_or(|best| (validation.error_percent, validation.n_nodes) < (best.error_percent, best.n_nodes));
        if is_better {
            self.progress.best = Some(validation);
            self.progress.evaluations_since_best = 0;
            if self.params.keep == Keep::Best {
                self.best_weights = Some(self.weights().to_vec());
            }
        } else {
            self.progress.evaluations_since_best += 1;
        }
        Ok(Some(validation))
    }

    fn validate(&self, held: &Held, network: &DenseNetwork) -> Result<Validation, TrainError> {
        let transform = self.transform_of(network);
        let representations = transform.apply(self.data.points).map_err(|error| self.misapplied(error))?;
        let shown = ShownExamples::shuffled(representations.view(), self.labels, &self.data.train, self.params.seed);
        let queries = transform.apply(held.points.view()).map_err(|error| self.misapplied(error))?;
        let tree = shown
            .evaluate(Structure::Tree, queries.view(), &held.labels, self.params.seed)
            .expect("representations that have been checked, all of one width");
        let error_percent = match self.classifier_of(network) {
            None => tree.error_percent,
            Some(classifier) => classifier.error_percent(held.points.view(), &held.labels)?,
        };
        Ok(Validation { error_percent, n_nodes: tree.n_stored })
    }

    fn transform_of(&self, network: &DenseNetwork) -> DenseNetwork {
        match self.params.method {
            Method::MlpClassifier(_) => network.without_last_layer(),
            _ => network.clone(),
        }
    }

    fn classifier_of(&self, network: &DenseNetwork) -> Option<Classifier> {
        let is_classifier = self.params.method.has_class_layer();
        is_classifier.then(|| Classifier { network: network.clone(), classes: self.data.classes.clone() })
    }

    fn finish(mut self, outcome: Outcome) -> Result<Trained, TrainError> {
        // A run that was cut short may have learned since its last evaluation, or have had none.
        if self.progress.evaluated_step != self.learner.adam().n_steps() || self.progress.best.is_none() {
            self.evaluate()?;
        }
        let weights = match (self.params.keep, self.best_weights.take()) {
            (Keep::Best, Some(best)) => best,
            _ => self.weights().to_vec(),
        };
        let network = self.network(&weights)?;
        let validation = match self.params.keep {
            Keep::Best => self.progress.best,
            Keep::Last => self.data.validation.as_ref().map(|held| self.validate(held, &network)).transpose()?,
        };
        Ok(Trained {
            transform: self.transform_of(&network),
            classifier: self.classifier_of(&network),
            outcome,
            validation,
            n_steps: self.learner.adam().n_steps(),
            train_seconds: self.progress.train_seconds,
            records: self.progress.records,
            notices: self.notices,
        })
    }
}
