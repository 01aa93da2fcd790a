//! The evaluations along the way of a run, as lines of CSV.

use hedgerow_learn::{EpochRecord, Trained, Validation};

use crate::csv;

pub(super) const CURVE_COLUMNS: &str = "data,recipe,seed,epoch,train_seconds,error_percent,nodes";

/// One evaluation within a run.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    /// The data set.
    pub data: String,
    /// The recipe.
    pub recipe: String,
    /// The seed.
    pub seed: u64,
    /// Epochs done.
    pub epoch: usize,
    /// Seconds of learning.
    pub train_seconds: f64,
    /// Error of one tree, or of the class layer.
    pub error_percent: f64,
    /// Nodes of the tree.
    pub n_nodes: usize,
}

impl CurvePoint {
    /// All evaluations of a run, with the seconds of learning at the end of each epoch.
    pub fn of_run(data: &str, recipe: &str, seed: u64, learned: &Trained, seconds: &[f64]) -> Vec<Self> {
        let evaluated = learned.records.iter().filter_map(|record| Some((record, record.validation?)));
        let point = |(record, validation): (&EpochRecord, Validation)| Self {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seed,
            epoch: record.epoch + 1,
            train_seconds: seconds.get(record.epoch).copied().unwrap_or(record.train_seconds),
            error_percent: validation.error_percent,
            n_nodes: validation.n_nodes,
        };
        evaluated.map(point).collect()
    }

    pub(super) fn line(&self) -> String {
        let Self { data, recipe, seed, epoch, train_seconds, error_percent, n_nodes } = self;
        let (data, recipe) = (csv::field(data), csv::quoted(recipe));
        format!("{data},{recipe},{seed},{epoch},{train_seconds:.3},{error_percent:.4},{n_nodes}")
    }

    pub(super) fn parse(fields: &[&str]) -> Option<Self> {
        let [data, recipe, seed, epoch, train_seconds, error_percent, n_nodes] = fields.try_into().ok()?;
        Some(Self {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seed: seed.parse().ok()?,
            epoch: epoch.parse().ok()?,
            train_seconds: train_seconds.parse().ok()?,
            error_percent: error_percent.parse().ok()?,
            n_nodes: n_nodes.parse().ok()?,
        })
    }
}
