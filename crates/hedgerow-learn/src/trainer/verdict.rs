//! What is found out about the weights of a run, which of them it gives, and the end.

use super::classifier::Classifier;
use super::data::Held;
use super::event::{Event, Validation};
use super::params::Keep;
use super::run::Run;
use super::watch::Watch;
use super::{Outcome, Trained};
use crate::error::{ApplyError, StepError, TrainError};
use crate::evaluation::{ShownExamples, Structure};
use crate::methods::Method;
use crate::transform::{DenseNetwork, Transform};

impl Run<'_> {
    /// What went wrong in applying a network that this run has made: the points are fine, so it is the weights.
    fn misapplied(&self, error: ApplyError) -> TrainError {
        match error {
            ApplyError::Representation { source } => self.diverged(StepError::Unusable { reason: source.to_string() }),
            ApplyError::OutputNotFinite { output, value, .. } => {
                self.diverged(StepError::NotFinite { what: "output", at: output, value })
            }
            error => TrainError::Apply(error),
        }
    }

    /// The weights that would be used if the run ended now: the average, if one is kept.
    fn weights(&self) -> &[f32] {
        self.learner.adam().average().unwrap_or_else(|| self.learner.transform().parameters())
    }

    fn network(&self, weights: &[f32]) -> Result<DenseNetwork, TrainError> {
        let network = self.learner.transform().network();
        Ok(DenseNetwork::from_parameters(network.architecture().clone(), network.scale(), weights)?)
    }

    /// Asks about the examples for validation, and remembers the weights if they are the best so far.
    pub(super) fn evaluate(&mut self, watch: &mut Watch<'_, '_>) -> Result<Option<Validation>, TrainError> {
        let Some(held) = &self.data.validation else { return Ok(None) };
        let step = self.learner.adam().n_steps();
        watch.tell(&Event::Evaluating { epoch: self.progress.epoch, step });
        let validation = self.validate(held, &self.network(self.weights())?)?;
        (self.progress.last, self.progress.evaluated_step) = (Some(validation), step);
        let quality = |validation: Validation| (validation.error_percent, validation.n_nodes);
        let best = self.progress.best.map(quality);
        let is_better = best.is_none_or(|best| quality(validation) < best);
        if is_better {
            self.progress.best = Some(validation);
            self.progress.evaluations_since_best = 0;
        } else {
            self.progress.evaluations_since_best += 1;
        }
        // Among equals the latest: the loss goes on falling where there is no more error to be seen, and classes move apart.
        if self.params.keep == Keep::Best && (is_better || best == Some(quality(validation))) {
            self.best_weights = Some(self.weights().to_vec());
        }
        Ok(Some(validation))
    }

    fn validate(&self, held: &Held, network: &DenseNetwork) -> Result<Validation, TrainError> {
        let transform = self.transform_of(network);
        let representations = transform.apply(self.data.points).map_err(|error| self.misapplied(error))?;
        let shown = ShownExamples::shuffled(representations.view(), self.labels, &self.data.train, self.params.seed);
        let queries = transform.apply(held.points.view()).map_err(|error| self.misapplied(error))?;
        let tree = shown
            .and_then(|shown| shown.evaluate(Structure::Tree, queries.view(), &held.labels, self.params.seed))
            .expect("representations that have been checked, all of one width");
        let error_percent = match self.classifier_of(network) {
            None => tree.error_percent,
            Some(classifier) => {
                let found = classifier.error_percent(held.points.view(), &held.labels);
                found.map_err(|error| self.misapplied(error))?
            }
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

    pub(super) fn finish(mut self, outcome: Outcome, watch: &mut Watch<'_, '_>) -> Result<Trained, TrainError> {
        // A run whose time is up may have learned since its last evaluation, or have had none. Whoever stops a run by hand waits for
        // its end: nothing is evaluated then.
        let is_known = self.progress.last.is_some() && self.progress.evaluated_step == self.learner.adam().n_steps();
        if outcome != Outcome::Stopped && !is_known {
            self.evaluate(watch)?;
        }
        let weights = match (self.params.keep, self.best_weights.take()) {
            (Keep::Best, Some(best)) => best,
            _ => self.weights().to_vec(),
        };
        let network = self.network(&weights)?;
        Ok(Trained {
            transform: self.transform_of(&network),
            classifier: self.classifier_of(&network),
            outcome,
            validation: match self.params.keep {
                Keep::Best => self.progress.best,
                Keep::Last => self.progress.last,
            },
            n_steps: self.learner.adam().n_steps(),
            train_seconds: self.progress.train_seconds,
            classes: self.data.classes,
            params: self.params,
            train_rows: self.data.train,
            validation_rows: self.data.kept,
            records: self.progress.records,
            notices: self.notices,
        })
    }
}
