//! What is kept of a trial: a line of CSV for each number of examples added and each way to take them in.

use std::path::{Path, PathBuf};

use hedgerow_learn::TrainingParams;

use crate::csv;
use crate::error::ExperimentError;
use crate::fingerprint::fingerprint;

const COLUMNS: &str = "data,data_fingerprint,new_class,seed,params,method,n_added,n_stored,new_accuracy,old_accuracy,seconds,threads,revision";

/// How a new class is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Its examples are added to the tree; what was learned stays as it is.
    Tree,
    /// A new tree is built from the representations of the old and the new examples, shuffled; what was learned stays as it is.
    Rebuilt,
    /// A classifier is trained from the beginning with old and new examples.
    Classifier,
    /// Representation and tree are learned from the beginning with old and new examples.
    Relearned,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tree, Self::Rebuilt, Self::Classifier, Self::Relearned];

    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Rebuilt => "rebuilt",
            Self::Classifier => "classifier",
            Self::Relearned => "relearned",
        }
    }

    /// What people read.
    pub fn title(self) -> &'static str {
        match self {
            Self::Tree => "added to the tree",
            Self::Rebuilt => "tree built anew",
            Self::Classifier => "NNet* trained anew",
            Self::Relearned => "DBS learned anew",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.word() == word)
    }
}

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The data set.
    pub data: String,
    /// A number that is another one for other data of that name.
    pub(super) data_fingerprint: String,
    /// The class that was not learned from.
    pub new_class: String,
    /// The seed.
    pub seed: u64,
    /// A number that is another one for other parameters.
    pub(super) params: String,
    /// How the class is taken in.
    pub method: Method,
    /// Examples of the new class.
    pub n_added: usize,
    /// Examples that the tree stores; none of a classifier.
    pub n_stored: Option<usize>,
    /// Share of right answers for test examples of the new class, in percent.
    pub new_accuracy: f64,
    /// The same for the old classes.
    pub old_accuracy: f64,
    /// Seconds that it takes to get there: of a tree, adding the examples, network and tree, one at a time; at 0 examples, and of everything that is
    /// learned anew, learning and building.
    pub seconds: f64,
    /// Threads.
    pub(super) threads: usize,
    /// Of the program.
    pub(super) revision: String,
}

impl Line {
    fn text(&self) -> String {
        // Numbers with all their digits: what is told at once is what is told when they are read again.
        let stored = self.n_stored.map_or(String::new(), |n| n.to_string());
        format!(
            "{},{},{},{},{},{},{},{stored},{},{},{},{},{}",
            csv::field(&self.data),
            self.data_fingerprint,
            csv::quoted(&self.new_class),
            self.seed,
            self.params,
            self.method.word(),
            self.n_added,
            self.new_accuracy,
            self.old_accuracy,
            self.seconds,
            self.threads,
            csv::field(&self.revision)
        )
    }

    fn parse(fields: &[&str]) -> Option<Self> {
        let [data, data_fingerprint, new_class, seed, params, method, n_added, n_stored, rest @ ..] = fields else {
            return None;
        };
        let [new_accuracy, old_accuracy, seconds, threads, revision] = rest.try_into().ok()?;
        Some(Self {
            data: (*data).to_owned(),
            data_fingerprint: (*data_fingerprint).to_owned(),
            new_class: (*new_class).to_owned(),
            seed: seed.parse().ok()?,
            params: (*params).to_owned(),
            method: Method::parse(method)?,
            n_added: n_added.parse().ok()?,
            n_stored: if n_stored.is_empty() { None } else { Some(n_stored.parse().ok()?) },
            new_accuracy: new_accuracy.parse().ok()?,
            old_accuracy: old_accuracy.parse().ok()?,
            seconds: seconds.parse().ok()?,
            threads: threads.parse().ok()?,
            revision: revision.to_owned(),
        })
    }
}

/// What is on record.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
    lines: Vec<Line>,
}

impl Records {
    pub(super) fn open(folder: &Path) -> Result<Self, ExperimentError> {
        let mut records = Self { folder: folder.to_owned(), lines: Vec::new() };
        records.lines = csv::read(&records.path(), "measurement", Line::parse)?;
        Ok(records)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("new-class-raw.csv")
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        vec![self.folder.join("new-class-summary.md"), self.path()]
    }

    /// Where a run that is under way is kept.
    pub(super) fn unfinished(
        &self,
        data: &str,
        class: &str,
        method: Method,
        n_added: usize,
        params: &TrainingParams,
    ) -> PathBuf {
        let plain: String = class.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let data: String = data.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let (method, hash, seed) = (method.word(), fingerprint(params), params.seed);
        self.folder.join(format!("unfinished-new-class-{data}-{plain}-{method}-{n_added}-{hash}-{seed}.safetensors"))
    }

    /// Whether measurements of this kind are on record.
    ///
    /// # Errors
    /// Some of other data of that name, or with other parameters: the two must not be put together.
    pub(super) fn has(
        &self,
        trial: &TrialName<'_>,
        method: Method,
        n_added: usize,
        params: &TrainingParams,
    ) -> Result<bool, ExperimentError> {
        let TrialName { data, data_fingerprint, class, seed } = *trial;
        let of_data = || self.lines.iter().filter(|line| line.data == data);
        if of_data().any(|line| line.data_fingerprint != data_fingerprint) {
            return Err(ExperimentError::OtherData { path: self.path(), data: data.to_owned() });
        }
        let mut same = of_data().filter(|line| line.method == method);
        if same.clone().any(|line| line.params != fingerprint(params)) {
            return Err(ExperimentError::OtherParams { path: self.path(), recipe: method.word().to_owned() });
        }
        Ok(same.any(|line| line.new_class == class && line.seed == seed && line.n_added == n_added))
    }

    /// Writes measurements down, all of a training at once.
    pub(super) fn add(&mut self, lines: Vec<Line>) -> Result<(), ExperimentError> {
        csv::append(&self.path(), COLUMNS, &lines.iter().map(Line::text).collect::<Vec<_>>())?;
        self.lines.extend(lines);
        Ok(())
    }
}

/// What a trial is known by.
pub(super) struct TrialName<'a> {
    pub(super) data: &'a str,
    pub(super) data_fingerprint: &'a str,
    pub(super) class: &'a str,
    pub(super) seed: u64,
}

#[cfg(test)]
pub(super) fn line(method: Method, seed: u64, n_added: usize, new_accuracy: f64) -> Line {
    Line {
        data: "digits".into(),
        data_fingerprint: "0123".into(),
        new_class: "nine, or \"9\"".into(),
        seed,
        params: fingerprint(&TrainingParams::default()),
        method,
        n_added,
        n_stored: (method != Method::Classifier).then_some(20 + n_added),
        new_accuracy,
        old_accuracy: 98.5,
        seconds: 0.25,
        threads: 2,
        revision: "0.1.0".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut records = Records::open(folder.path()).unwrap();
        records.add(vec![line(Method::Tree, 0, 0, 0.0), line(Method::Tree, 0, 1, 50.0)]).unwrap();
        records.add(vec![line(Method::Classifier, 0, 1, 10.0)]).unwrap();
        let again = Records::open(folder.path()).unwrap();
        assert_eq!(again.lines(), records.lines());
        let params = TrainingParams::default();
        let trial = |data_fingerprint: &'static str, class: &'static str, seed: u64| TrialName {
            data: "digits",
            data_fingerprint,
            class,
            seed,
        };
        let has = |seed: u64, method: Method, n: usize| {
            again.has(&trial("0123", "nine, or \"9\"", seed), method, n, &params).unwrap()
        };
        assert!(has(0, Method::Tree, 1) && has(0, Method::Classifier, 1));
        assert!(!has(1, Method::Tree, 1) && !has(0, Method::Tree, 2) && !has(0, Method::Classifier, 2));
        // Other data under the same name is not what was measured.
        let error = again.has(&trial("4567", "nine", 0), Method::Tree, 1, &params).unwrap_err().to_string();
        assert!(error.contains("other data that was called \"digits\""), "{error}");
        let other = TrainingParams { epochs: Some(3), ..params };
        assert!(again.has(&trial("0123", "x", 0), Method::Tree, 1, &other).is_err());
        std::fs::write(folder.path().join("new-class-raw.csv"), "header\nnonsense\n").unwrap();
        let error = Records::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("new-class-raw.csv, line 2"), "{error}");
    }
}
