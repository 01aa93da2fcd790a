//! What a fit answers.

use std::path::Path;

use hedgerow::{Model, Task};
use serde::Serialize;

use crate::cmd::words::{NO_METHOD, learned_text, structure_text, task_word};
use crate::table::{bytes_text, facts_text};

/// What came of a fit.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    model: String,
    data: String,
    task: &'static str,
    /// Regression only.
    epsilon: Option<f32>,
    method: &'static str,
    structure: &'static str,
    n_examples: usize,
    n_features: usize,
    n_classes: usize,
    /// Never shown, since their neighbors outvote them.
    n_left_out: usize,
    n_stored: usize,
    bytes: usize,
    /// None if nothing is learned, and so on below.
    layers: Option<Vec<usize>>,
    n_weights: usize,
    /// Epochs that were done.
    epochs: Option<usize>,
    outcome: Option<String>,
    validation_error_percent: Option<f64>,
    validation_nodes: Option<usize>,
    train_seconds: f64,
    build_seconds: f64,
    seed: u64,
    resumed: bool,
    #[serde(skip)]
    learned_text: Option<String>,
    #[serde(skip)]
    structure_text: String,
}

impl Summary {
    pub(super) fn of(model: &Model, place: &Path, resumed: bool) -> Self {
        let (data, metrics, params) = (model.data(), model.metrics(), model.params());
        Self {
            model: place.display().to_string(),
            data: data.name.clone(),
            task: task_word(model.task()),
            epsilon: match model.task() {
                Task::Regression { epsilon } => Some(epsilon),
                _ => None,
            },
            method: params.learning.as_ref().map_or(NO_METHOD, |learning| learning.method.name()),
            structure: params.structure.name(),
            n_examples: data.n_examples,
            n_features: data.n_features,
            n_classes: if model.task() == Task::Classification { model.class_names().len() } else { 0 },
            n_left_out: data.n_examples.saturating_sub(metrics.n_shown),
            n_stored: metrics.n_stored,
            bytes: model.size_bytes(),
            layers: model.transform().map(|transform| transform.architecture().layers.clone()),
            n_weights: metrics.n_weights,
            epochs: params.learning.as_ref().map(|_| metrics.epochs.len()),
            outcome: metrics.outcome.clone(),
            validation_error_percent: metrics.validation.map(|validation| validation.error_percent),
            validation_nodes: metrics.validation.map(|validation| validation.n_nodes),
            train_seconds: metrics.train_seconds,
            build_seconds: metrics.build_seconds,
            seed: params.seed,
            resumed,
            learned_text: learned_text(model),
            structure_text: structure_text(params),
        }
    }

    pub(super) fn text(&self) -> String {
        let classes = if self.n_classes > 0 { format!(", {} classes", self.n_classes) } else { String::new() };
        let mut facts = vec![
            ("model", self.model.clone()),
            ("data", format!("{}, {} examples of {} features{classes}", self.data, self.n_examples, self.n_features)),
        ];
        if let Some(learned) = &self.learned_text {
            facts.push(("learned by", learned.clone()));
        }
        let share = 100.0 * self.n_stored as f64 / self.n_examples.max(1) as f64;
        facts.push(("structure", self.structure_text.clone()));
        if self.n_left_out > 0 {
            facts.push(("left out", format!("{} examples, outvoted by their neighbors", self.n_left_out)));
        }
        facts.push((
            "stored",
            format!(
                "{} of {} examples ({share:.1} %), {} of memory",
                self.n_stored,
                self.n_examples,
                bytes_text(self.bytes as u64)
            ),
        ));
        if let (Some(error), Some(nodes)) = (self.validation_error_percent, self.validation_nodes) {
            let by = if self.method == "classifier" {
                "the class layer".to_owned()
            } else {
                format!("a tree of {nodes} nodes{}", if self.n_left_out > 0 { ", before editing" } else { "" })
            };
            facts.push(("validation", format!("{error:.2} % error of {by}, on examples kept back from learning")));
        }
        facts.push(("took", format!("{:.1} s to learn, {:.1} s to build", self.train_seconds, self.build_seconds)));
        facts_text(&facts)
    }
}
