//! What a model is, but for its examples.

use std::path::Path;

use hedgerow::learn::{Activation, DistanceScale, InputScale};
use hedgerow::{Change, DataFacts, FitParams, Metrics, Model, Task};
use serde::Serialize;

use super::super::words::{NO_METHOD, learned_text, structure_text, task_word};
use crate::table::{bytes_text, facts_text};

/// Names of classes that the text shows.
const MOST_NAMED: usize = 20;

#[derive(Serialize)]
pub(super) struct Facts<'a> {
    model: String,
    hedgerow_version: &'a str,
    task: &'static str,
    /// Regression only.
    epsilon: Option<f32>,
    data: &'a DataFacts,
    class_names: &'a [String],
    feature_names: Vec<String>,
    method: &'static str,
    structure: &'static str,
    /// Everything that it was fitted with, what was left to the data settled.
    params: &'a FitParams,
    network: Option<Network<'a>>,
    /// The distance scale of probabilities.
    closeness: DistanceScale,
    n_stored: usize,
    n_shown: usize,
    bytes: usize,
    changes: Changes,
    metrics: &'a Metrics,
    pub(super) n_trees: usize,
}

#[derive(Serialize)]
struct Network<'a> {
    n_inputs: usize,
    layers: &'a [usize],
    activation: Activation,
    n_weights: usize,
    input_scale: InputScale,
}

/// What the journal has since the fit.
#[derive(Clone, Copy, Default, Serialize)]
struct Changes {
    added: usize,
    removed: usize,
    relabelled: usize,
}

impl<'a> Facts<'a> {
    pub(super) fn of(model: &'a Model, place: &Path) -> anyhow::Result<Self> {
        let mut changes = Changes::default();
        for entry in model.history()? {
            match entry.change {
                Change::Add { .. } => changes.added += 1,
                Change::Remove { .. } => changes.removed += 1,
                _ => changes.relabelled += 1,
            }
        }
        let params = model.params();
        let network = |transform: &'a hedgerow::learn::DenseNetwork| Network {
            n_inputs: transform.architecture().n_inputs,
            layers: &transform.architecture().layers,
            activation: transform.architecture().activation,
            n_weights: transform.parameters().len(),
            input_scale: transform.scale(),
        };
        Ok(Self {
            model: place.display().to_string(),
            hedgerow_version: model.crate_version(),
            task: task_word(model.task()),
            epsilon: match model.task() {
                Task::Regression { epsilon } => Some(epsilon),
                _ => None,
            },
            data: model.data(),
            class_names: model.class_names(),
            feature_names: model.feature_names(),
            method: params.learning.as_ref().map_or(NO_METHOD, |learning| learning.method.name()),
            structure: params.structure.name(),
            params,
            network: model.transform().map(network),
            closeness: model.closeness(),
            n_stored: model.search().n_stored(),
            n_shown: model.search().n_shown(),
            bytes: model.size_bytes(),
            changes,
            metrics: model.metrics(),
            n_trees: model.structure().trees().len(),
        })
    }

    pub(super) fn text(&self, model: &Model) -> String {
        let epsilon = self.epsilon.map_or_else(String::new, |epsilon| format!(", epsilon {epsilon}"));
        let mut facts = vec![("model", format!("{}, by hedgerow {}", self.model, self.hedgerow_version))];
        facts.push(("task", format!("{}{epsilon}", self.task)));
        let data = self.data;
        facts.push(("data", format!("{}, {} examples of {} features", data.name, data.n_examples, data.n_features)));
        if !self.class_names.is_empty() {
            facts.push(("classes", few(self.class_names)));
        }
        if let Some(learned) = learned_text(model) {
            facts.push(("learned by", learned));
        }
        if !model.left_out().is_empty() {
            facts.push(("left out", format!("{} examples, outvoted by their neighbors", model.left_out().len())));
        }
        facts.push(("structure", structure_text(self.params)));
        facts.push((
            "stored",
            format!("{} of {} examples, {} of memory", self.n_stored, self.n_shown, bytes_text(self.bytes as u64)),
        ));
        if let Some(validation) = self.metrics.validation {
            facts.push(("validation", format!("{:.2} % error", validation.error_percent)));
        }
        for evaluation in &self.metrics.evaluations {
            let measured = match (evaluation.error_percent, evaluation.mean_absolute_error) {
                (Some(error), _) => format!("{error:.2} % error"),
                (None, Some(error)) => format!("mean absolute error {error:.4}"),
                (None, None) => "no error to tell".to_owned(),
            };
            facts.push(("evaluated", format!("{measured} on {}, {} rows", evaluation.data, evaluation.n_queries)));
        }
        facts.push(("changes", changes_text(self.changes)));
        facts_text(&facts)
    }
}

fn changes_text(Changes { added, removed, relabelled }: Changes) -> String {
    if added + removed + relabelled == 0 {
        return "none since the fit".to_owned();
    }
    format!("{added} added, {removed} removed, {relabelled} relabelled since the fit")
}

fn few(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}: {}{more}", names.len(), shown.join(", "))
}
