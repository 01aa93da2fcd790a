//! What is kept of a stream: a line of CSV for each learner, seed and window; and one for each kind of insertion.

use std::path::{Path, PathBuf};

use super::drift::Drift;
use super::insertion::InsertionCost;
use super::learners::Learner;
use crate::csv;
use crate::error::ExperimentError;
use crate::fingerprint::hash;
use crate::provenance::Provenance;

const COLUMNS: &str = "learner,seed,params,end,examples,right,stored,seconds,revision";
const COST_COLUMNS: &str = "what,shown,stored,measured,p50_microseconds,p99_microseconds,threads,revision";

/// A part of the stream, as a learner went through it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// Examples of the stream up to its end.
    pub(super) end: usize,
    /// Its examples.
    pub(super) n: usize,
    /// Right answers.
    pub(super) n_right: usize,
    /// Stored examples at its end.
    pub(super) n_stored: usize,
    /// Seconds for asking and showing.
    pub(super) seconds: f64,
}

/// A window of a learner.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) learner: Learner,
    pub(super) seed: u64,
    params: String,
    pub(super) window: Window,
    pub(super) revision: String,
}

impl Line {
    fn text(&self) -> String {
        // Numbers with all their digits: what is told at once is what is told when they are read again.
        let Self { learner, seed, params, window, revision } = self;
        let Window { end, n, n_right, n_stored, seconds } = window;
        let (learner, revision) = (learner.word(), csv::field(revision));
        format!("{learner},{seed},{params},{end},{n},{n_right},{n_stored},{seconds},{revision}")
    }

    fn parse(fields: &[&str]) -> Option<Self> {
        let [learner, seed, params, end, n, n_right, n_stored, seconds, revision] = fields.try_into().ok()?;
        let window = Window {
            end: end.parse().ok()?,
            n: n.parse().ok()?,
            n_right: n_right.parse().ok()?,
            n_stored: n_stored.parse().ok()?,
            seconds: seconds.parse().ok()?,
        };
        Some(Self {
            learner: Learner::parse(learner)?,
            seed: seed.parse().ok()?,
            params: params.to_owned(),
            window,
            revision: revision.to_owned(),
        })
    }
}

/// What is on record.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
    params: String,
    lines: Vec<Line>,
    costs: Vec<InsertionCost>,
}

impl Records {
    /// Reads what is on record of a stream.
    ///
    /// # Errors
    /// A file that cannot be read, has a line that is none of ours, or is of another stream.
    pub(super) fn open(folder: &Path, drift: &Drift) -> Result<Self, ExperimentError> {
        let params = hash(&format!("{:?}", Drift { seed: 0, ..drift.clone() }));
        let mut records = Self { folder: folder.to_owned(), params, lines: Vec::new(), costs: Vec::new() };
        records.lines = csv::read(&records.path("raw"), "measurement", Line::parse)?;
        records.costs = csv::read(&records.path("insertions"), "measurement", parse_cost)?;
        if records.lines.iter().any(|line| line.params != records.params) {
            return Err(ExperimentError::OtherParams { path: records.path("raw"), recipe: "stream".to_owned() });
        }
        Ok(records)
    }

    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(format!("stream-{what}.csv"))
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        vec![self.folder.join("stream-summary.md"), self.path("raw"), self.path("insertions")]
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub(super) fn costs(&self) -> &[InsertionCost] {
        &self.costs
    }

    pub(super) fn has(&self, learner: Learner, seed: u64) -> bool {
        self.lines.iter().any(|line| line.learner == learner && line.seed == seed)
    }

    /// Writes down all windows of a learner at once.
    pub(super) fn add(
        &mut self,
        learner: Learner,
        seed: u64,
        windows: Vec<Window>,
        provenance: &Provenance,
    ) -> Result<(), ExperimentError> {
        let line = |window: Window| Line {
            learner,
            seed,
            params: self.params.clone(),
            window,
            revision: provenance.revision.clone(),
        };
        let lines: Vec<Line> = windows.into_iter().map(line).collect();
        csv::append(&self.path("raw"), COLUMNS, &lines.iter().map(Line::text).collect::<Vec<_>>())?;
        self.lines.extend(lines);
        Ok(())
    }

    /// Writes down what insertions cost.
    pub(super) fn add_costs(&mut self, costs: Vec<InsertionCost>) -> Result<(), ExperimentError> {
        let text = |cost: &InsertionCost| {
            let InsertionCost { n_shown, n_stored, n_measured, p50_microseconds, p99_microseconds, threads, .. } = cost;
            let (what, revision) = (csv::quoted(&cost.what), csv::field(&cost.revision));
            format!(
                "{what},{n_shown},{n_stored},{n_measured},{p50_microseconds},{p99_microseconds},{threads},{revision}"
            )
        };
        csv::append(&self.path("insertions"), COST_COLUMNS, &costs.iter().map(text).collect::<Vec<_>>())?;
        self.costs.extend(costs);
        Ok(())
    }
}

fn parse_cost(fields: &[&str]) -> Option<InsertionCost> {
    let [what, shown, stored, measured, p50, p99, threads, revision] = fields.try_into().ok()?;
    Some(InsertionCost {
        what: what.to_owned(),
        n_shown: shown.parse().ok()?,
        n_stored: stored.parse().ok()?,
        n_measured: measured.parse().ok()?,
        p50_microseconds: p50.parse().ok()?,
        p99_microseconds: p99.parse().ok()?,
        threads: threads.parse().ok()?,
        revision: revision.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let drift = Drift::default();
        let mut records = Records::open(folder.path(), &drift).unwrap();
        let window = Window { end: 10, n: 10, n_right: 7, n_stored: 4, seconds: 0.25 };
        let provenance = Provenance { command: String::new(), revision: "1".into(), setup: String::new() };
        records.add(Learner::Tree, 3, vec![window, Window { end: 20, ..window }], &provenance).unwrap();
        let cost = InsertionCost {
            what: "tree, small".into(),
            n_shown: 9,
            n_stored: 3,
            n_measured: 2,
            p50_microseconds: 1.5,
            p99_microseconds: 2.5,
            threads: 2,
            revision: "1".into(),
        };
        records.add_costs(vec![cost]).unwrap();
        let again = Records::open(folder.path(), &drift).unwrap();
        assert_eq!((again.lines(), again.costs()), (records.lines(), records.costs()));
        assert!(again.has(Learner::Tree, 3) && !again.has(Learner::Tree, 0) && !again.has(Learner::Forest, 3));
        let other = Drift { n_examples: 7, ..drift };
        let error = Records::open(folder.path(), &other).unwrap_err().to_string();
        assert!(error.contains("other parameters"), "{error}");
    }
}
