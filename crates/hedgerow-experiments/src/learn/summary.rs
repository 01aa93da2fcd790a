//! The runs of an experiment put together: for each data set and recipe the medians over the seeds, as data and as Markdown.

use std::fs;

use super::paper::{PaperValue, paper_value};
use super::recipes::Experiment;
use super::record::{DIVERGED, Records, RunRecord, median};
use crate::error::ExperimentError;
use crate::provenance::Provenance;

/// Medians over the seeds of a recipe on some data. Errors are in percent, of the test examples but for the validation and the experiment that chooses.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Row {
    /// The data set.
    pub data: String,
    /// The recipe.
    pub recipe: String,
    /// Runs.
    pub seeds: usize,
    /// Epochs.
    pub epochs: f64,
    /// Whether a run was cut because its time was over.
    pub cut: bool,
    /// Whether a run diverged; it has no numbers then.
    pub diverged: bool,
    /// Seconds of learning: the median of the runs with as many threads as the last. With one thread they are those of the processor, with more
    /// those of the clock, and have no median together.
    pub train_seconds: Option<f64>,
    /// How many threads these runs had; none if no run has seconds.
    pub threads: Option<usize>,
    /// One boundary tree, of one order of the examples.
    pub tree_error_percent: Option<f64>,
    /// Its nodes.
    pub nodes: Option<f64>,
    /// The mean over trees of ten orders.
    pub orders_error_percent: Option<f64>,
    /// Their mean number of nodes.
    pub orders_nodes: Option<f64>,
    /// What the DBS paper has.
    pub paper: Option<PaperValue>,
    /// The first tree with the soft vote.
    pub soft_tree_error_percent: Option<f64>,
    /// One boundary set.
    pub set_error_percent: Option<f64>,
    /// Its members.
    pub set_size: Option<f64>,
    /// A forest of 10 trees.
    pub forest_error_percent: Option<f64>,
    /// A forest of 50 trees.
    pub forest_50_error_percent: Option<f64>,
    /// Trees over the examples that their neighbors do not outvote: the mean over ten orders.
    pub edited_error_percent: Option<f64>,
    /// Their mean number of nodes.
    pub edited_nodes: Option<f64>,
    /// A forest of 50 trees over these examples.
    pub edited_forest_50_error_percent: Option<f64>,
    /// The layer that names classes, if there is one.
    pub class_layer_error_percent: Option<f64>,
    /// Examples kept back.
    pub validation_error_percent: Option<f64>,
    /// The nodes of the tree that was asked about them.
    pub validation_nodes: Option<f64>,
}

impl Row {
    fn markdown(&self, has_paper: bool) -> String {
        let with = |error: Option<f64>, stored: Option<f64>| match (error, stored) {
            (Some(error), Some(stored)) => format!("{error:.2} ({stored:.0})"),
            _ => "-".to_owned(),
        };
        let alone = |error: Option<f64>| error.map_or("-".to_owned(), |error| format!("{error:.2}"));
        let paper = match self.paper {
            Some(PaperValue { error_percent, nodes: Some(nodes) }) => format!("{error_percent} ({nodes})"),
            Some(PaperValue { error_percent, nodes: None }) => error_percent.to_string(),
            None => "-".to_owned(),
        };
        let Self { data, recipe, seeds, epochs, cut, diverged, .. } = self;
        let mut cells = vec![
            data.clone(),
            recipe.clone(),
            seeds.to_string(),
            format!("{epochs:.0}{}{}", if *cut { ", cut" } else { "" }, if *diverged { ", diverged" } else { "" }),
            self.train_seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.0}")),
            self.threads.map_or("-".to_owned(), |threads| threads.to_string()),
            with(self.tree_error_percent, self.nodes),
            with(self.orders_error_percent, self.orders_nodes),
            paper,
            alone(self.soft_tree_error_percent),
            with(self.set_error_percent, self.set_size),
            alone(self.forest_error_percent),
            alone(self.forest_50_error_percent),
            with(self.edited_error_percent, self.edited_nodes),
            alone(self.edited_forest_50_error_percent),
            alone(self.class_layer_error_percent),
            with(self.validation_error_percent, self.validation_nodes),
        ];
        if !has_paper {
            cells.remove(PAPER);
        }
        format!("| {} |\n", cells.join(" | "))
    }
}

const TITLES: [&str; 17] = [
    "data",
    "recipe",
    "seeds",
    "epochs",
    "train s",
    "threads",
    "tree (nodes)",
    "10 orders",
    "paper",
    "soft",
    "set (size)",
    "forest of 10",
    "of 50",
    "edited (nodes)",
    "edited, of 50",
    "class layer",
    "validation (nodes)",
];
/// The column with the paper's value, which only experiments of the paper have.
const PAPER: usize = 8;

impl Records {
    /// For each data set and recipe the medians over the seeds.
    pub fn rows(&self) -> Vec<Row> {
        let mut groups: Vec<(&str, &str)> = Vec::new();
        for run in &self.runs {
            if !groups.contains(&(&run.data, &run.recipe)) {
                groups.push((&run.data, &run.recipe));
            }
        }
        groups.sort_by_key(|(data, _)| *data == "fashion-mnist");
        groups.into_iter().map(|(data, recipe)| self.row(data, recipe)).collect()
    }

    fn row(&self, data: &str, recipe: &str) -> Row {
        let runs: Vec<&RunRecord> = self.runs.iter().filter(|run| run.data == data && run.recipe == recipe).collect();
        let at = |column: &str| median(runs.iter().filter_map(|run| run.number(column)));
        let timed = || runs.iter().filter_map(|run| Some((run.threads, run.number("train_seconds")?)));
        let threads = timed().next_back().map(|(threads, _)| threads);
        Row {
            data: data.to_owned(),
            recipe: recipe.to_owned(),
            seeds: runs.len(),
            epochs: median(runs.iter().map(|run| run.epochs as f64)).unwrap_or(0.0),
            cut: runs.iter().any(|run| run.outcome == "cut"),
            diverged: runs.iter().any(|run| run.outcome == DIVERGED),
            train_seconds: median(timed().filter(|(its, _)| Some(*its) == threads).map(|(_, seconds)| seconds)),
            threads,
            tree_error_percent: at("tree_error"),
            nodes: at("tree_nodes"),
            orders_error_percent: at("orders_error"),
            orders_nodes: at("orders_nodes"),
            paper: paper_value(self.experiment, data, recipe),
            soft_tree_error_percent: at("soft_tree_error"),
            set_error_percent: at("set_error"),
            set_size: at("set_size"),
            forest_error_percent: at("forest_error"),
            forest_50_error_percent: at("forest_50_error"),
            edited_error_percent: at("edited_error"),
            edited_nodes: at("edited_nodes"),
            edited_forest_50_error_percent: at("edited_forest_50_error"),
            class_layer_error_percent: at("class_layer_error"),
            validation_error_percent: at("validation_error"),
            validation_nodes: at("validation_nodes"),
        }
    }

    /// A Markdown table of [`rows`](Self::rows).
    pub fn summary(&self) -> String {
        let rows = self.rows();
        let has_paper = rows.iter().any(|row| row.paper.is_some());
        let mut text = String::from(
            "Medians over seeds. Errors in percent. Seconds are of learning, of the runs with as many threads as the last one of the recipe: \
             with 1 thread those of the processor, where the system tells them, with more those of the clock. \
             Tree, set and forest are built from the representations of all training examples; validation is of examples kept back, with the nodes of its tree. \
             The first tree is one of one order of the examples, by the seed; the second column is the mean over 10 orders, `soft` the \
             first tree with the soft vote. `edited` are trees, 10 orders too, of the examples whose class has most votes among their 100 nearest; \
             `edited, of 50` is a forest over these.",
        );
        if self.experiment == Experiment::Choice {
            text += " All errors are of the examples kept back, and the others are shown: the test examples are not looked at.";
        }
        if has_paper {
            text += " `paper` is what the DBS paper reports for one tree, with its nodes; of the classifier, for the class layer.";
        }
        let mut titles = TITLES.to_vec();
        if !has_paper {
            titles.remove(PAPER);
        }
        text += &format!("\n\n| {} |\n|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
        rows.iter().for_each(|row| text += &row.markdown(has_paper));
        text
    }

    /// Writes the summary beside the runs.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_summary(&self, provenance: &Provenance) -> Result<(), ExperimentError> {
        let name = self.experiment.name();
        let path = self.folder().join(format!("learn-{name}-summary.md"));
        let each = |of: fn(&RunRecord) -> String| {
            let mut all: Vec<String> = self.runs.iter().map(of).collect();
            all.sort_unstable();
            all.dedup();
            all.join(", ")
        };
        let text = format!(
            "# learn {name}\n\n- command: `{}`\n- revisions: {}\n- threads: {}\n\n{}\n## Setup\n\n{}",
            provenance.command,
            each(|run| run.revision.clone()),
            each(|run| run.threads.to_string()),
            self.summary(),
            provenance.setup
        );
        fs::create_dir_all(self.folder()).map_err(ExperimentError::of_file(self.folder()))?;
        fs::write(&path, text).map_err(ExperimentError::of_file(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::record::tests::run;

    #[test]
    fn seconds_of_runs_with_one_thread_and_with_two_have_no_median_together() {
        let folder = tempfile::tempdir().unwrap();
        let mut records = Records::open(folder.path(), Experiment::Table).unwrap();
        let timed = |seed, threads, seconds| run("dbs", seed, 1.5).timed(threads, seconds);
        let mut row_after = |run: RunRecord| {
            records.add(run, &[]).unwrap();
            let line = records.summary().lines().last().unwrap().to_owned();
            let Row { train_seconds, threads, .. } = records.rows().remove(0);
            (train_seconds, threads, line.split(" | ").skip(4).take(2).collect::<Vec<_>>().join(" | "))
        };
        // Without seconds, as of a run that diverged, it cannot be said how many threads they are of.
        assert_eq!(row_after(timed(0, 2, None)), (None, None, "- | -".into()));
        assert_eq!(row_after(timed(1, 2, Some(10.0))), (Some(10.0), Some(2), "10 | 2".into()));
        assert_eq!(row_after(timed(2, 1, Some(30.0))), (Some(30.0), Some(1), "30 | 1".into()));
        assert_eq!(row_after(timed(3, 1, Some(32.0))), (Some(31.0), Some(1), "31 | 1".into()));
        assert_eq!(row_after(timed(4, 4, None)), (Some(31.0), Some(1), "31 | 1".into()));
        assert_eq!(row_after(timed(5, 2, Some(12.0))), (Some(11.0), Some(2), "11 | 2".into()));
    }
}
