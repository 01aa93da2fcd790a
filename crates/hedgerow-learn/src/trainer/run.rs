//! How a run goes.

use std::path::Path;
use std::time::Instant;

use hedgerow_core::Label;

use super::data::TrainingData;
use super::event::{EpochRecord, Event, Notice};
use super::params::TrainingParams;
use super::progress::Progress;
use super::watch::Watch;
use super::{Listener, Outcome, RunOptions, Trained};
use crate::error::{StepError, TrainError};
use crate::learner::Learner;
use crate::methods::{Round, RoundReport, Workspace};
use crate::minibatch::Partition;
use crate::transform::TrainableNetwork;

/// Epochs after which a run that has not found anything to learn gives up.
const EPOCHS_OF_CHANCE: usize = 10;

/// How many times larger than at first a loss is that will never come down again.
const ASTRAY: f64 = 1e6;

/// A run under way.
pub(super) struct Run<'a> {
    /// Settled for the data.
    pub(super) params: TrainingParams,
    pub(super) data: TrainingData<'a>,
    pub(super) labels: &'a [Label],
    pub(super) partition: Partition,
    pub(super) n_epochs: usize,
    /// A hash of the weights that it began with, if they were given.
    pub(super) initial: Option<u64>,
    pub(super) learner: Learner<'a, f32, TrainableNetwork>,
    pub(super) work: Workspace<f32>,
    pub(super) progress: Progress,
    pub(super) best_weights: Option<Vec<f32>>,
    pub(super) notices: Vec<Notice>,
    /// Of the data; only found out if there are checkpoints.
    pub(super) fingerprint: u64,
}

impl Run<'_> {
    /// Writes a checkpoint: not of a run that has diverged, which could not be taken up again and might replace one that can.
    fn save(&self, path: &Path) -> Result<(), TrainError> {
        self.check()?;
        self.checkpoint().write(path)
    }

    /// Writes a checkpoint in the middle of a run. What has been learned is worth more than it: if it cannot be written, the user is
    /// told, and it is tried again when the next one is due.
    fn save_midway(&mut self, path: &Path, watch: &mut Watch<'_, '_>) -> Result<(), TrainError> {
        match self.save(path) {
            Ok(()) => watch.tell(&Event::Checkpoint(path)),
            Err(error @ TrainError::Diverged { .. }) => return Err(error),
            Err(error) => {
                let notice = Notice::NoCheckpoint { cause: cause_of(&error) };
                watch.tell(&Event::Notice(&notice));
                // A disk that stays full for a day would leave thousands.
                self.notices.retain(|notice| !matches!(notice, Notice::NoCheckpoint { .. }));
                self.notices.push(notice);
            }
        }
        Ok(())
    }

    /// Runs to the end, or until something ends it.
    pub(super) fn carry_out(
        mut self,
        options: &RunOptions,
        listener: &mut Listener<'_>,
    ) -> Result<Trained, TrainError> {
        let mut watch = Watch::new(options, listener);
        let network = self.learner.transform().network();
        watch.tell(&Event::Started {
            n_epochs: self.n_epochs,
            n_rounds: self.partition.n_rounds(),
            epoch: self.progress.epoch,
            round: self.progress.round,
            layers: &network.architecture().layers,
            n_weights: network.parameters().len(),
            learning_rate: self.params.learning_rate.start.expect("settled before the run began"),
            n_train: self.data.train.len(),
            n_validation: self.data.validation.as_ref().map_or(0, |held| held.labels.len()),
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
        if let Some(path) = &options.checkpoint {
            match self.save(path) {
                Ok(()) => watch.tell(&Event::Checkpoint(path)),
                Err(error) => {
                    let notice = Notice::NoLastCheckpoint { cause: cause_of(&error) };
                    watch.tell(&Event::Notice(&notice));
                    self.notices.push(notice);
                }
            }
        }
        self.finish(outcome, &mut watch)
    }

    /// One epoch, or what is left of it. Gives why the run is over, if it is.
    fn epoch(&mut self, watch: &mut Watch<'_, '_>) -> Result<Option<Outcome>, TrainError> {
        let epoch = self.progress.epoch;
        let rows = self.partition.epoch(epoch as u64);
        let (n_rounds, size) = (self.partition.n_rounds(), self.partition.size());
        let n_queries = self.params.method.n_queries(size);
        let (rate, n_epochs) = (self.params.learning_rate.clone(), self.n_epochs);
        let rate_of = |round: usize| rate.of_round(epoch, round, n_rounds, n_epochs);
        while self.progress.round < n_rounds {
            if let Some(ended) = watch.ended() {
                return Ok(Some(ended));
            }
            let round = self.progress.round;
            let learning_rate = rate_of(round);
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
                self.save_midway(path, watch)?;
            }
        }
        // Whoever stops a run does not wait for an evaluation: it is made when the run is taken up again.
        if watch.is_stopped() {
            return Ok(Some(Outcome::Stopped));
        }
        self.check()?;
        let n_counted = n_rounds * n_queries - self.progress.n_left_out;
        // By chance an epoch of very few examples counts nothing; many in a row are no chance.
        if self.learner.adam().n_steps() == 0 && epoch + 1 >= self.n_epochs.min(EPOCHS_OF_CHANCE) {
            let (n_queries, batch_size) = (n_rounds * n_queries, size.total());
            return Err(TrainError::NothingCounted { epoch, n_queries, batch_size });
        }
        let is_last = epoch + 1 == self.n_epochs;
        let every = self.params.evaluate_every.expect("settled before the run began");
        let validation = if is_last || (epoch + 1) % every == 0 { self.evaluate(watch)? } else { None };
        let record = EpochRecord {
            epoch,
            train_seconds: self.progress.train_seconds,
            loss: self.progress.loss_sum / n_counted.max(1) as f64,
            n_references: self.progress.references_sum / n_rounds as f64,
            n_left_out: self.progress.n_left_out,
            learning_rate: rate_of(n_rounds - 1),
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

    pub(super) fn diverged(&self, cause: StepError) -> TrainError {
        let (step, learning_rate) = (self.learner.adam().n_steps(), self.learner.learning_rate());
        let (loss, has_sigma) = (self.learner.last_loss(), self.params.method.scale().is_some());
        TrainError::Diverged { step, epoch: self.progress.epoch, learning_rate, loss, has_sigma, cause }
    }

    /// Checks that the run is still one of numbers.
    fn check(&self) -> Result<(), TrainError> {
        self.learner.check().map_err(|cause| self.diverged(cause))
    }
}

/// An error with all that led to it.
fn cause_of(error: &TrainError) -> String {
    let sources = std::iter::successors(std::error::Error::source(error), |source| source.source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}
