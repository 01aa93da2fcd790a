//! `README.md` of a model: what it is, as people and model hubs read it, with measured values only.

use std::fmt::Write as _;

use hedgerow_core::Task;

use crate::model::{Metrics, Model, StructureParams};

/// The page of a model with these metrics, as it is now.
pub(super) fn card(model: &Model, metrics: &Metrics) -> String {
    let (data, params) = (model.data(), model.params());
    let pipeline = match model.task() {
        Task::Classification if data.image_shape.is_some() => "image-classification",
        Task::Classification => "tabular-classification",
        Task::Regression { .. } => "tabular-regression",
        _ => "feature-extraction",
    };
    let mut card = format!(
        "---\nlibrary_name: hedgerow\ntags:\n- hedgerow\n- nearest-neighbors\n- interpretable\npipeline_tag: {pipeline}\n---\n\n"
    );
    let title = match &params.learning {
        Some(learning) => format!("{} and a {}", method_name(learning), structure_name(&params.structure)),
        None => format!("A {}", structure_name(&params.structure)),
    };
    let _ = writeln!(card, "# {title}, fitted to {}\n", one_line(&data.name));
    let _ = writeln!(
        card,
        "A [hedgerow](https://crates.io/crates/hedgerow) model. It answers by {} of the {} examples that it was shown, \
         which it stores and can name.\n",
        model.search().n_stored(),
        model.search().n_shown()
    );
    card += "| | |\n|---|---|\n";
    let mut row = |name: &str, value: String| {
        let _ = writeln!(card, "| {name} | {} |", one_line(&value).replace('|', "\\|"));
    };
    row("task", model.task().to_string());
    row("data", format!("{}, {} examples of {} features", data.name, data.n_examples, data.n_features));
    if let Some(attribution) = &data.attribution {
        row("whose data", attribution.clone());
    }
    if model.task() == Task::Classification {
        let names = model.class_names();
        let shown: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
        let more = if names.len() > shown.len() { ", ..." } else { "" };
        row("classes", format!("{}: {}{more}", names.len(), shown.join(", ")));
    }
    if let Some(transform) = model.transform() {
        let architecture = transform.architecture();
        let layers: Vec<String> = architecture.layers.iter().map(usize::to_string).collect();
        row("network", format!("{}-{}, {} weights", architecture.n_inputs, layers.join("-"), metrics.n_weights));
        row("learning", format!("{} epochs, {:.1} s", metrics.epochs.len(), metrics.train_seconds));
    }
    let left_out = model.left_out().len();
    if left_out > 0 {
        row("left out", format!("{left_out} examples, outvoted by their neighbors"));
    }
    if let Some(validation) = metrics.validation {
        let n_evaluations = metrics.epochs.iter().filter(|epoch| epoch.validation.is_some()).count();
        let kept = format!("on examples kept back from learning; the best of {n_evaluations} evaluations during it");
        let error = validation.error_percent;
        let before = if left_out > 0 { ", before editing" } else { "" };
        row("validation error", format!("{error:.2} % of one tree of {} nodes{before} ({kept})", validation.n_nodes));
    }
    for evaluation in &metrics.evaluations {
        let measured = match (evaluation.error_percent, evaluation.mean_absolute_error) {
            (Some(error), _) => format!("error {error:.2} %"),
            (None, Some(error)) => format!("mean absolute error {error}"),
            (None, None) => continue,
        };
        row(
            &format!("evaluated on {}", one_line(&evaluation.data)),
            format!("{measured} of {} queries, {} stored examples", evaluation.n_queries, evaluation.n_stored),
        );
    }
    row("fitted with", format!("hedgerow {}, seed {}", model.crate_version(), params.seed));
    card += "\n## Limits\n\n\
             - What is stored depends on the order in which the examples were shown.\n\
             - Removing an example is exact for the neighbor structure. A learned representation still carries it.\n\
             - Features must mean the same as in the training data; the columns and categories are in `config.json`.\n\n\
             ## Use\n\n\
             ```\nhedgerow predict MODEL --data FILE\nhedgerow explain MODEL --data FILE --row 0\nhedgerow inspect MODEL\n```\n";
    card
}

fn method_name(learning: &hedgerow_learn::TrainingParams) -> String {
    use hedgerow_learn::Method;
    match learning.method {
        Method::Dbs(_) => "A differentiable boundary set (DBS)",
        Method::Dbt(_) => "A differentiable boundary tree (DBT)",
        Method::MlpClassifier(_) => "The representation of a classifier (NNet*)",
        Method::Siamese(_) => "A siamese network",
        Method::Triplet(_) => "A triplet network",
        Method::SoftNn(_) => "The soft nearest neighbor loss",
        _ => "A learned representation",
    }
    .to_owned()
}

fn structure_name(structure: &StructureParams) -> &'static str {
    match structure {
        StructureParams::Tree { .. } => "boundary tree",
        StructureParams::Forest { .. } => "boundary forest",
        StructureParams::Set { .. } => "boundary set",
        StructureParams::Knn { .. } => "k-nearest-neighbor search",
    }
}

/// Names come from files and may hold anything.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
