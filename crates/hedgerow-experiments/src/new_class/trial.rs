//! One trial: one class held out, one seed.

use std::time::Instant;

use hedgerow_core::random::shuffle;
use hedgerow_core::{
    BoundaryTree, BoundaryTreeParams, ClassId, ExampleId, Examples, History, Label, NeighborSearch as _, PointsRef,
};
use hedgerow_data::Dataset;
use hedgerow_learn::evaluation::EvaluationError;
use hedgerow_learn::{Keep, Method as Learning, MlpClassifier, Trained, TrainingParams};

use super::record::{Line, Method, Records, TrialName};
use crate::Extent;
use crate::data::picture_of;
use crate::error::ExperimentError;
use crate::event::{Event, Listener, Remaining};
use crate::fingerprint::fingerprint;
use crate::learn::quick::quick;
use crate::learn::recipes::Experiment;
use crate::learn::training::{Learned, Training, tell};
use crate::provenance::Provenance;

/// Numbers of examples added; all that there are come last.
const COUNTS: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const QUICK_COUNTS: [usize; 5] = [1, 5, 20, 100, 500];
/// Numbers at which a classifier is trained anew, and then with all.
const RETRAINED: [usize; 4] = [1, 10, 100, 1000];
const QUICK_RETRAINED: [usize; 1] = [20];

/// The streams of random numbers by which old examples are shown, new ones come, and both are shown together.
const OLD_ORDER: u64 = 0x6f6c_645f_6f72_6472;
const NEW_ORDER: u64 = 0x6e65_775f_6f72_6472;
const MIXED_ORDER: u64 = 0x6d69_785f_6f72_6472;

/// What is learned, and at how many examples it is looked at.
pub(super) struct Plan {
    /// How the representation is learned.
    pub(super) representation: TrainingParams,
    /// How the classifier is trained.
    pub(super) classifier: TrainingParams,
    counts: &'static [usize],
    retrained: &'static [usize],
    relearns: bool,
}

impl Plan {
    /// The recipes of the paper's table for its data, for other data what suits it: everything but the new class is as it would be without it. All
    /// examples are learned from, and the last weights kept.
    pub(super) fn new(data: &str, extent: Extent) -> Self {
        let recipes = Experiment::Table.recipes();
        let of_table = |name: &str| {
            let recipe = recipes.iter().find(|recipe| recipe.name == name && recipe.data == Some(data))?;
            Some(recipe.params.clone())
        };
        let default = TrainingParams { validation_share: 0.0, keep: Keep::Last, ..TrainingParams::default() };
        let method = Learning::MlpClassifier(MlpClassifier::default());
        let table_classifier = recipes.iter().find(|recipe| recipe.name == "classifier").map(|r| r.params.clone());
        let (representation, classifier) = match (of_table("dbs"), table_classifier) {
            (Some(dbs), Some(classifier)) => (dbs, classifier),
            _ => (default.clone(), TrainingParams { method, ..default }),
        };
        match extent {
            Extent::Full => Self { representation, classifier, counts: &COUNTS, retrained: &RETRAINED, relearns: true },
            Extent::Quick => Self {
                representation: quick(&representation),
                classifier: quick(&classifier),
                counts: &QUICK_COUNTS,
                retrained: &QUICK_RETRAINED,
                relearns: false,
            },
        }
    }
}

/// Those below a number, and the number.
fn up_to(counts: &[usize], all: usize) -> Vec<usize> {
    counts.iter().copied().filter(|count| *count < all).chain([all]).collect()
}

/// One class held out, one seed.
pub(super) struct Trial<'a> {
    pub(super) data: &'a Dataset,
    pub(super) name: &'a str,
    /// By which data of the same name is told apart.
    pub(super) data_fingerprint: &'a str,
    pub(super) class: ClassId,
    pub(super) seed: u64,
    pub(super) plan: &'a Plan,
    /// Its number, from 0, among so many.
    pub(super) place: (usize, usize),
}

/// Rows of a trial, in the order in which they come.
struct Rows {
    old: Vec<usize>,
    new: Vec<usize>,
}

impl Trial<'_> {
    /// Makes what is not on record.
    pub(super) fn make(
        &self,
        records: &mut Records,
        provenance: &Provenance,
        listener: &mut Listener<'_>,
    ) -> Result<(), ExperimentError> {
        let rows = self.rows()?;
        let all = rows.new.len();
        let counts = up_to(self.plan.counts, all);
        let retrained = up_to(self.plan.retrained, all);
        let trainings = 1 + retrained.len() + usize::from(self.plan.relearns);
        let mut number = self.place.0 * trainings;
        let n_trainings = self.place.1 * trainings;

        let params = self.params(&self.plan.representation);
        number += 1;
        // The last is written together with all others.
        if !self.is_there(records, Method::Tree, all, &params)? {
            let learned = self.learn(&rows.old, Method::Tree, 0, &params, (number, n_trainings), records, listener)?;
            let lines = self.add_to_tree(&learned, &rows, &counts, &params, provenance, records, listener)?;
            self.tell(&lines, listener);
            records.add(lines)?;
            learned.forget()?;
        }
        let classifier = self.params(&self.plan.classifier);
        for &n_added in &retrained {
            number += 1;
            if !self.is_there(records, Method::Classifier, n_added, &classifier)? {
                let shown = [&rows.old[..], &rows.new[..n_added]].concat();
                let place = (number, n_trainings);
                let learned = self.learn(&shown, Method::Classifier, n_added, &classifier, place, records, listener)?;
                let line = self.line_of_classifier(&learned, n_added, &classifier, provenance)?;
                self.tell(std::slice::from_ref(&line), listener);
                records.add(vec![line])?;
                learned.forget()?;
            }
        }
        if self.plan.relearns && !self.is_there(records, Method::Relearned, all, &params)? {
            let mut shown = [&rows.old[..], &rows.new[..]].concat();
            // Not the new ones last: a tree goes by the order.
            shuffle(&mut shown, self.seed, MIXED_ORDER);
            let place = (number + 1, n_trainings);
            let learned = self.learn(&shown, Method::Relearned, all, &params, place, records, listener)?;
            let start = Instant::now();
            let tree = self.tree_of(&learned.trained, &shown)?;
            let seconds = seconds_of(&learned) + start.elapsed().as_secs_f64();
            let asked = learned.trained.transform.apply(self.data.test().points())?;
            let line = self.line(Method::Relearned, all, &tree, seconds, asked.view(), &params, provenance)?;
            self.tell(std::slice::from_ref(&line), listener);
            records.add(vec![line])?;
            learned.forget()?;
        }
        Ok(())
    }

    fn class_name(&self) -> String {
        self.data.label_text(Label::Class(self.class))
    }

    fn label(&self) -> String {
        format!("{} without {} seed {}", self.name, self.class_name(), self.seed)
    }

    fn params(&self, params: &TrainingParams) -> TrainingParams {
        TrainingParams { seed: self.seed, picture: picture_of(self.data), ..params.clone() }
    }

    fn is_there(
        &self,
        records: &Records,
        method: Method,
        n: usize,
        params: &TrainingParams,
    ) -> Result<bool, ExperimentError> {
        let (data, data_fingerprint, seed) = (self.name, self.data_fingerprint, self.seed);
        records.has(&TrialName { data, data_fingerprint, class: &self.class_name(), seed }, method, n, params)
    }

    fn rows(&self) -> Result<Rows, ExperimentError> {
        let new = Label::Class(self.class);
        let labels = self.data.train().labels();
        let (mut new_rows, mut old): (Vec<usize>, Vec<usize>) = (0..labels.len()).partition(|&row| labels[row] == new);
        let n_tests = self.data.test().labels().iter().filter(|label| **label == new).count();
        if new_rows.is_empty() || n_tests == 0 {
            let (name, n_examples) = (self.class_name(), new_rows.len());
            return Err(ExperimentError::EmptyClass { name, n_examples, n_tests });
        }
        shuffle(&mut old, self.seed, OLD_ORDER);
        shuffle(&mut new_rows, self.seed, NEW_ORDER);
        Ok(Rows { old, new: new_rows })
    }

    #[allow(clippy::too_many_arguments, reason = "a training, where it is kept, and who hears of it")]
    fn learn(
        &self,
        rows: &[usize],
        method: Method,
        n_added: usize,
        params: &TrainingParams,
        place: (usize, usize),
        records: &Records,
        listener: &mut Listener<'_>,
    ) -> Result<Learned, ExperimentError> {
        let train = self.data.train();
        let (points, labels) = (train.points().select(rows), of_rows(train.labels(), rows));
        let label = format!("{}, {}", self.label(), if method == Method::Tree { "DBS" } else { method.title() });
        let label = if method == Method::Classifier { format!("{label} with {n_added}") } else { label };
        let training = Training {
            label: &label,
            place,
            params,
            checkpoint: records.unfinished(self.name, &self.class_name(), method, n_added, params),
            max_seconds: None,
            afterwards: Remaining { seconds: 0.0, at_least: place.0 < place.1 },
        };
        let examples = Examples::new(points.view(), &labels).expect("as many labels as points");
        training.carry_out(&examples, None, listener)
    }

    /// The tree over the representations of some rows, in their order.
    fn tree_of(&self, learned: &Trained, rows: &[usize]) -> Result<BoundaryTree, ExperimentError> {
        let train = self.data.train();
        let points = learned.transform.apply(train.points().select(rows).view())?;
        let labels = of_rows(train.labels(), rows);
        let tree = BoundaryTreeParams::default().history(History::NodesOnly).build();
        let mut tree = tree.map_err(EvaluationError::from)?;
        let examples = Examples::new(points.view(), &labels).expect("as many labels as points");
        tree.insert_all(&examples).map_err(EvaluationError::from)?;
        Ok(tree)
    }

    #[allow(clippy::too_many_arguments, reason = "what is added to what, where it is kept, and who hears of it")]
    fn add_to_tree(
        &self,
        learned: &Learned,
        rows: &Rows,
        counts: &[usize],
        params: &TrainingParams,
        provenance: &Provenance,
        records: &Records,
        listener: &mut Listener<'_>,
    ) -> Result<Vec<Line>, ExperimentError> {
        let transform = &learned.trained.transform;
        let train = self.data.train();
        let start = Instant::now();
        let mut tree = self.tree_of(&learned.trained, &rows.old)?;
        let learning = seconds_of(learned) + start.elapsed().as_secs_f64();
        let asked = transform.apply(self.data.test().points())?;
        let measure = |method: Method, n_added: usize, tree: &BoundaryTree, seconds: f64| {
            self.line(method, n_added, tree, seconds, asked.view(), params, provenance)
        };
        let mut lines = vec![measure(Method::Tree, 0, &tree, learning)?];
        let label = self.label();
        let (mut added, mut seconds) = (0, 0.0);
        for (at, &count) in counts.iter().enumerate() {
            let event = Event::Working { run: &label, act: "adding", done: at, total: counts.len() };
            let interrupted = || ExperimentError::Interrupted { folder: records.folder().to_owned() };
            tell(listener, &event).ok_or_else(interrupted)?;
            for &row in &rows.new[added..count] {
                // One at a time through network and tree, as they come when a model is in use.
                let start = Instant::now();
                let representation = transform.apply(train.points().slice(row..row + 1))?;
                let id = ExampleId((rows.old.len() + added) as u64);
                tree.insert(id, representation.row(0), Label::Class(self.class)).map_err(EvaluationError::from)?;
                seconds += start.elapsed().as_secs_f64();
                added += 1;
            }
            lines.push(measure(Method::Tree, count, &tree, seconds)?);
            let mut shown: Vec<usize> = rows.old.iter().chain(&rows.new[..count]).copied().collect();
            shuffle(&mut shown, self.seed, MIXED_ORDER);
            let start = Instant::now();
            let rebuilt = self.tree_of(&learned.trained, &shown)?;
            lines.push(measure(Method::Rebuilt, count, &rebuilt, start.elapsed().as_secs_f64())?);
        }
        Ok(lines)
    }

    fn line_of_classifier(
        &self,
        learned: &Learned,
        n_added: usize,
        params: &TrainingParams,
        provenance: &Provenance,
    ) -> Result<Line, ExperimentError> {
        let classifier = learned.trained.classifier.as_ref().expect("the method is a classifier");
        let said = classifier.predict(self.data.test().points())?;
        let said: Vec<Label> = said.into_iter().map(Label::Class).collect();
        let accuracy = self.accuracy(&said);
        Ok(self.line_with(Method::Classifier, n_added, None, accuracy, seconds_of(learned), params, provenance))
    }

    #[allow(clippy::too_many_arguments, reason = "what a line holds")]
    fn line(
        &self,
        method: Method,
        n_added: usize,
        tree: &BoundaryTree,
        seconds: f64,
        asked: PointsRef<'_>,
        params: &TrainingParams,
        provenance: &Provenance,
    ) -> Result<Line, ExperimentError> {
        let said = tree.predict_all(asked).map_err(EvaluationError::from)?;
        let said: Vec<Label> = said.iter().map(|said| said.label).collect();
        let (stored, accuracy) = (Some(tree.n_stored()), self.accuracy(&said));
        Ok(self.line_with(method, n_added, stored, accuracy, seconds, params, provenance))
    }

    #[allow(clippy::too_many_arguments, reason = "what a line holds")]
    fn line_with(
        &self,
        method: Method,
        n_added: usize,
        n_stored: Option<usize>,
        (new_accuracy, old_accuracy): (f64, f64),
        seconds: f64,
        params: &TrainingParams,
        provenance: &Provenance,
    ) -> Line {
        Line {
            data: self.name.to_owned(),
            data_fingerprint: self.data_fingerprint.to_owned(),
            new_class: self.class_name(),
            seed: self.seed,
            params: fingerprint(params),
            method,
            n_added,
            n_stored,
            new_accuracy,
            old_accuracy,
            seconds,
            threads: rayon::current_num_threads(),
            revision: provenance.revision.clone(),
        }
    }

    /// Shares of right answers among test examples of the new and of the old classes, in percent.
    fn accuracy(&self, said: &[Label]) -> (f64, f64) {
        let truth = self.data.test().labels();
        let share = |is_new: bool| {
            let mine = || said.iter().zip(truth).filter(|(_, t)| (**t == Label::Class(self.class)) == is_new);
            100.0 * mine().filter(|(s, t)| s == t).count() as f64 / mine().count().max(1) as f64
        };
        (share(true), share(false))
    }

    fn tell(&self, lines: &[Line], listener: &mut Listener<'_>) {
        if let Some(line) = lines.iter().rev().find(|line| line.method != Method::Rebuilt) {
            let result = format!(
                "{} with {}: new {:.1} %, old {:.1} %, {:.3} s",
                line.method.title(),
                line.n_added,
                line.new_accuracy,
                line.old_accuracy,
                line.seconds
            );
            // Whoever wants to stop here is heard at the next event.
            let _ = listener(&Event::Finished { run: &self.label(), result: &result });
        }
    }
}

fn seconds_of(learned: &Learned) -> f64 {
    learned.clock.epochs().last().copied().unwrap_or_else(|| learned.clock.seconds())
}

fn of_rows(labels: &[Label], rows: &[usize]) -> Vec<Label> {
    rows.iter().map(|&row| labels[row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_with_all() {
        assert_eq!(up_to(&[1, 5, 20], 5), [1, 5]);
        assert_eq!(up_to(&[1, 5, 20], 21), [1, 5, 20, 21]);
    }

    #[test]
    fn the_paper_has_its_recipes_and_other_data_what_suits_it() {
        let epochs = |data: &str, extent: Extent| {
            let plan = Plan::new(data, extent);
            (plan.representation.epochs, plan.classifier.epochs)
        };
        assert_eq!(epochs("mnist", Extent::Full), (Some(100), Some(60)));
        assert_eq!(epochs("fashion-mnist", Extent::Full), (Some(600), Some(60)));
        assert_eq!(epochs("optdigits", Extent::Full), (None, None));
        assert_eq!(epochs("optdigits", Extent::Quick), (Some(20), Some(20)));
    }
}
