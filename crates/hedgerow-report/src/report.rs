//! A whole report. Every section is left out where there is nothing to say.

use serde::Serialize;

use crate::{
    BarsView, CalibrationView, ConfusionView, CurveView, DecisionView, Fact, MapView, RejectionView, TableView,
    TreeView,
};

/// A report on a model, in the order in which it is read.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// The heading.
    pub title: String,
    /// One or two sentences under it.
    pub lead: Option<String>,
    /// The numbers that matter most.
    pub summary: Summary,
    /// Methods or models side by side.
    pub comparisons: Vec<TableView>,
    /// Amounts side by side.
    pub bars: Vec<BarsView>,
    /// How learning went: loss, validation error, nodes, each over its own axes.
    pub curves: Vec<CurveView>,
    /// The plane of the representations.
    pub map: Option<MapView>,
    /// The tree.
    pub tree: Option<TreeView>,
    /// What was said against what is true; gives the table of classes too.
    pub confusion: Option<ConfusionView>,
    /// How far probabilities can be trusted.
    pub calibration: Option<CalibrationView>,
    /// What leaving the doubtful unanswered gains.
    pub rejection: Option<RejectionView>,
    /// Mistakes worth reading.
    pub mistakes: Vec<DecisionView>,
    /// Other decisions worth reading.
    pub decisions: Vec<DecisionView>,
    /// What was learned from.
    pub data: Vec<Fact>,
    /// How it was learned: method, structure, parameters, seed.
    pub recipe: Vec<Fact>,
    /// The last line, for example the version that wrote it and the licence of the data.
    pub footer: Option<String>,
}

/// The numbers that matter most.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Summary {
    /// Wrong answers, in percent.
    pub error_percent: Option<f64>,
    /// The number of queries behind the error.
    pub n_queries: Option<u64>,
    /// Stored examples.
    pub nodes: Option<u64>,
    /// The number of examples that were learned from.
    pub n_examples: Option<u64>,
    /// Size of the model.
    pub bytes: Option<u64>,
    /// Time to answer one query.
    pub microseconds_per_query: Option<f64>,
    /// Time to learn.
    pub train_seconds: Option<f64>,
    /// Others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Fact>,
}
