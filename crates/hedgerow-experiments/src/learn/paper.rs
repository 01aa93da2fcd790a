//! What the DBS paper reports (Adikari and Draper 2018, Table 1 and Figure 3), to stand beside what is measured.

use super::recipes::{Experiment, FASHION, MNIST};

/// A value of the paper. Of the classifier it is the error of its class layer, of all others that of one boundary tree over all training examples.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PaperValue {
    /// Test error, in percent.
    pub error_percent: f64,
    /// Nodes of the tree.
    pub nodes: Option<usize>,
}

/// What the paper has for a recipe. Its DBTs take one query at a time; batched ones of ours stand beside the same value.
pub fn paper_value(experiment: Experiment, data: &str, recipe: &str) -> Option<PaperValue> {
    let value = |error_percent: f64, nodes: usize| Some(PaperValue { error_percent, nodes: Some(nodes) });
    let alone = |error_percent: f64| Some(PaperValue { error_percent, nodes: None });
    match (experiment, data, recipe.trim_end_matches(", batched")) {
        (Experiment::Table, MNIST, "classifier") => alone(1.48),
        (Experiment::Table, MNIST, "dbt-v1") => value(2.23, 220),
        (Experiment::Table, MNIST, "dbt-v2") => value(1.71, 46),
        (Experiment::Table, MNIST, "dbs") => value(1.52, 29),
        (Experiment::Table, FASHION, "classifier") => alone(9.8),
        (Experiment::Table, FASHION, "dbt-v1") => value(14.2, 505),
        (Experiment::Table, FASHION, "dbt-v2") => value(10.9, 31),
        (Experiment::Table, FASHION, "dbs") => value(10.3, 26),
        (Experiment::Plane, FASHION, _) => value(11.5, 37),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_has_its_value() {
        for experiment in [Experiment::Table, Experiment::Plane] {
            for recipe in experiment.recipes() {
                for data in experiment.data().iter().filter(|data| recipe.is_for(data)) {
                    assert!(paper_value(experiment, data, &recipe.name).is_some(), "{data} {}", recipe.name);
                }
            }
        }
        assert_eq!(paper_value(Experiment::Table, MNIST, "dbs, 10 epochs"), None);
        assert_eq!(paper_value(Experiment::Ablation, MNIST, "dbs"), None);
    }
}
