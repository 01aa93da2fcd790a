//! What a model is, was fitted to and was fitted with, in names and values; and how learning went.

use hedgerow::data::Scaling;
use hedgerow::learn::{DistanceScale, EpochRecord};
use hedgerow::{Evaluation, Model, StructureParams, Task};

use crate::number::{count, number};
use crate::{CurveView, Fact, Series, Summary};

/// Names of classes that are listed; more are counted.
const MOST_NAMED: usize = 20;

/// The numbers that matter most. Without an evaluation, error and time stay open.
pub fn summary(model: &Model, evaluation: Option<&Evaluation>) -> Summary {
    let metrics = model.metrics();
    let off_by = evaluation.and_then(|evaluation| evaluation.values).map(|values| {
        let mut facts = vec![
            Fact::new("mean absolute error", number(values.mean_absolute_error)),
            Fact::new("root of the mean squared error", number(values.root_mean_squared_error)),
        ];
        facts.extend(values.r_squared.map(|share| Fact::new("variance explained", number(share))));
        facts
    });
    Summary {
        error_percent: evaluation.and_then(|evaluation| evaluation.error_percent),
        n_queries: evaluation.map(|evaluation| evaluation.n_queries as u64),
        nodes: Some(model.search().n_stored() as u64),
        n_examples: Some(model.search().n_shown() as u64),
        bytes: Some(model.size_bytes() as u64),
        microseconds_per_query: evaluation.map(|evaluation| evaluation.microseconds_per_query),
        train_seconds: Some(metrics.train_seconds + metrics.build_seconds),
        others: off_by.unwrap_or_default(),
    }
}

/// What a model was fitted to.
pub fn data_facts(model: &Model) -> Vec<Fact> {
    let data = model.data();
    let mut facts = vec![
        Fact::new("data", &data.name),
        Fact::new("training examples", count(data.n_examples as u64)),
        Fact::new("features", count(data.n_features as u64)),
    ];
    facts.extend(data.image_shape.map(|shape| Fact::new("pictures", shape.to_string())));
    let names = model.class_names();
    if model.task() == Task::Classification {
        let mut listed = names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        if names.len() > MOST_NAMED {
            listed += &format!(", and {} more", names.len() - MOST_NAMED);
        }
        facts.push(Fact::new("classes", format!("{}: {listed}", names.len())));
    }
    facts.push(Fact::new("SHA-256 of points and labels", &data.fingerprint));
    facts.extend(data.attribution.as_ref().map(|whose| Fact::new("whose data", whose)));
    facts
}

/// How a model was made: method, network, structure, scaling, distance, seed.
pub fn recipe_facts(model: &Model) -> Vec<Fact> {
    let params = model.params();
    let mut facts = vec![Fact::new("task", model.task().to_string())];
    facts.push(Fact::new("method", params.learning.as_ref().map_or("none", |learning| learning.method.name())));
    if let (Some(learning), Some(transform)) = (&params.learning, model.transform()) {
        let architecture = transform.architecture();
        let layers: Vec<String> = architecture.layers.iter().map(usize::to_string).collect();
        let n_weights = count(transform.parameters().len() as u64);
        facts
            .push(Fact::new("network", format!("{}-{}, {n_weights} weights", architecture.n_inputs, layers.join("-"))));
        let metrics = model.metrics();
        let outcome = metrics.outcome.as_deref().unwrap_or("finished");
        let learned = format!("{} epochs in {} s, {outcome}", metrics.epochs.len(), number(metrics.train_seconds));
        facts.push(Fact::new("learning", learned));
        facts.push(Fact::new("seed of learning", learning.seed.to_string()));
        facts.extend(metrics.validation.map(|found| {
            let nodes = count(found.n_nodes as u64);
            let before = if model.left_out().is_empty() { "" } else { ", before editing" };
            Fact::new("validation", format!("error {} %, a tree of {nodes} nodes{before}", number(found.error_percent)))
        }));
    }
    let scaling: Vec<&str> = model.preprocessing().scalings().into_iter().map(scaling_word).collect();
    facts.push(Fact::new("scaling", if scaling.is_empty() { "none".to_owned() } else { scaling.join(", ") }));
    if let (n @ 1.., Some(neighbors)) = (model.left_out().len(), params.editing) {
        let words = format!("{} examples, outvoted by their {neighbors} nearest neighbors", count(n as u64));
        facts.push(Fact::new("left out", words));
    }
    facts.push(Fact::new("structure", structure_text(&params.structure)));
    facts.push(Fact::new("distance", params.distance.to_string()));
    facts.push(Fact::new("closeness", closeness_text(model.closeness())));
    let rejection = model.rejection();
    let unknown = [
        rejection.novelty.map(|least| format!("share of training examples that are as far below {}", number(least))),
        rejection.probability.map(|least| format!("probability below {}", number(least))),
    ];
    let unknown: Vec<String> = unknown.into_iter().flatten().collect();
    if !unknown.is_empty() {
        facts.push(Fact::new("answers unknown", unknown.join(" or ")));
    }
    facts.push(Fact::new("seed", params.seed.to_string()));
    facts.push(Fact::new("fitted by", format!("hedgerow {}", model.crate_version())));
    facts
}

/// Loss, validation error and nodes, epoch by epoch; those that were never measured are left out.
pub fn learning_curves(model: &Model) -> Vec<CurveView> {
    let epochs = &model.metrics().epochs;
    let curve = |title: &str, y_label: &str, value: &dyn Fn(&EpochRecord) -> Option<f64>| {
        let points: Vec<[f64; 2]> =
            epochs.iter().filter_map(|record| Some([(record.epoch + 1) as f64, value(record)?])).collect();
        (!points.is_empty()).then(|| CurveView {
            title: title.to_owned(),
            x_label: "epoch".to_owned(),
            y_label: y_label.to_owned(),
            series: vec![Series { name: y_label.to_owned(), points }],
            ..CurveView::default()
        })
    };
    let curves = [
        curve("Loss", "loss", &|record| Some(record.loss)),
        curve("Error on examples kept for validation", "error in %", &|record| Some(record.validation?.error_percent)),
        curve("Nodes of a tree", "nodes", &|record| Some(record.validation?.n_nodes as f64)),
    ];
    curves.into_iter().flatten().collect()
}

fn scaling_word(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::UnitRange => "to 0 up to 1",
        Scaling::Standardize => "to mean 0 and variance 1",
        Scaling::UnitLength => "rows to length 1",
    }
}

/// What keeps the examples: `boundary tree of at most 50 children`.
pub fn structure_text(structure: &StructureParams) -> String {
    let children = |most: &Option<usize>| most.map_or(String::new(), |most| format!(" of at most {most} children"));
    match structure {
        StructureParams::Tree { max_children } => format!("boundary tree{}", children(max_children)),
        StructureParams::Forest { n_trees, max_children, .. } => {
            format!("boundary forest: {n_trees} trees{}", children(max_children))
        }
        StructureParams::Set { n_neighbors, .. } => format!("boundary set, {n_neighbors} nearest"),
        StructureParams::Knn { n_neighbors, .. } => format!("all examples, {n_neighbors} nearest"),
        other => other.name().to_owned(),
    }
}

fn closeness_text(scale: DistanceScale) -> String {
    match scale {
        DistanceScale::Euclidean(sigma) => format!("exp(-d / {})", number(sigma)),
        DistanceScale::SquaredEuclidean(sigma) => format!("exp(-d\u{b2} / {})", number(sigma)),
    }
}
