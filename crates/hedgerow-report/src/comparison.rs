//! The features that tell a query from its nearest voter and from the rival: which of many columns are worth showing.

use crate::{DecisionView, ExampleView, differing_features};

/// Features that each of the others brings in.
const MOST_EACH: usize = 5;

/// Features of the query beside those of others.
pub(crate) struct Compared {
    pub(crate) others: Vec<Other>,
    pub(crate) rows: Vec<Row>,
}

pub(crate) struct Other {
    pub(crate) heading: String,
}

pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) query: f64,
    pub(crate) others: Vec<Option<f64>>,
}

/// None where the query has no features, or nothing to be compared with.
pub(crate) fn compare(decision: &DecisionView) -> Option<Compared> {
    let query = &decision.query.features;
    let distance = |voter: &&ExampleView| voter.distance.unwrap_or(f64::INFINITY);
    let nearest = decision.voters.iter().min_by(|one, two| distance(one).total_cmp(&distance(two)));
    let named = |what: &str, example: &ExampleView| match &example.label {
        Some(label) => format!("{what} ({label})"),
        None => what.to_owned(),
    };
    let mut examples = Vec::new();
    examples.extend(nearest.map(|voter| (named("nearest voter", voter), voter)));
    examples.extend(decision.rival.as_ref().map(|rival| (named("rival", &rival.example), &rival.example)));
    examples.retain(|(_, example)| !example.features.is_empty());

    // Whatever differs most from any of them, in the order of the features.
    let differences = examples.iter().flat_map(|(_, example)| differing_features(query, &example.features, MOST_EACH));
    let names = differences.map(|of| of.name).collect::<std::collections::HashSet<_>>();
    let value =
        |example: &ExampleView, name: &str| example.features.iter().find(|of| of.name == name).map(|of| of.value);
    let row = |name: &String, query: f64| Row {
        name: name.clone(),
        query,
        others: examples.iter().map(|(_, example)| value(example, name)).collect(),
    };
    let rows = query.iter().filter(|of| names.contains(&of.name)).map(|of| row(&of.name, of.value)).collect::<Vec<_>>();
    if rows.is_empty() {
        return None;
    }
    Some(Compared { others: examples.into_iter().map(|(heading, _)| Other { heading }).collect(), rows })
}
