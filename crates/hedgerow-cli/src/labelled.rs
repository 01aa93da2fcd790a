//! Which rows of the data a model is asked about: one split, and of it the rows with labels of the model's kind.

use anyhow::anyhow;
use hedgerow::data::{Dataset, LabelMeaning, Split};
use hedgerow::{Label, Model, Points, PointsRef, Task};

use crate::error::WithHint;
use crate::queries::SplitArg;

/// The rows that are asked about.
pub(crate) struct Labelled<'a> {
    pub(crate) split: &'static str,
    /// The split that its rows are counted in; none: all rows.
    pub(crate) part: Option<Split>,
    pub(crate) labels: Vec<Label>,
    pub(crate) n_unlabeled: usize,
    /// The rows of the data set.
    pub(crate) rows: Vec<usize>,
    all: PointsRef<'a>,
    /// Some of them, where not all have labels.
    some: Option<Points>,
}

impl<'a> Labelled<'a> {
    pub(crate) fn of(dataset: &'a Dataset, split: Option<SplitArg>, model: &Model) -> anyhow::Result<Self> {
        let has_test = !dataset.test().is_empty();
        let (name, part) = match split {
            Some(SplitArg::Test) => ("test", Some(Split::Test)),
            None if has_test => ("test", Some(Split::Test)),
            Some(SplitArg::Validation) => ("validation", Some(Split::Validation)),
            Some(SplitArg::Train) => ("train", Some(Split::Train)),
            Some(SplitArg::All) | None => ("all", None),
        };
        let rows = part.map_or(0..dataset.len(), |part| dataset.rows(part));
        if rows.is_empty() {
            let there = Split::ALL.into_iter().filter(|split| !dataset.rows(*split).is_empty());
            let there: Vec<String> = there.map(|split| format!("{} {split}", dataset.rows(split).len())).collect();
            let there = if there.is_empty() { "no rows at all".to_owned() } else { there.join(", ") };
            return Err(anyhow!("{} has no rows of the split {name}; it has {there}", dataset.name()))
                .hint("choose with --split test, validation, train or all");
        }
        let first = rows.start;
        let (points, labels) = (dataset.points().slice(rows.clone()), &dataset.labels()[rows]);
        let kept: Vec<usize> = (0..labels.len()).filter(|&row| is_of_task(labels[row], model.task())).collect();
        if kept.is_empty() {
            return Err(refusal(dataset, model.task()));
        }
        let n_unlabeled = labels.len() - kept.len();
        Ok(Self {
            split: name,
            part,
            labels: kept.iter().map(|&row| labels[row]).collect(),
            n_unlabeled,
            rows: kept.iter().map(|&row| first + row).collect(),
            all: points,
            some: (n_unlabeled > 0).then(|| points.select(&kept)),
        })
    }

    pub(crate) fn points(&self) -> PointsRef<'_> {
        self.some.as_ref().map_or(self.all, Points::view)
    }
}

fn is_of_task(label: Label, task: Task) -> bool {
    match task {
        Task::Classification => label.as_class().is_some(),
        Task::Regression { .. } => label.as_value().is_some(),
        _ => true,
    }
}

/// Why there is nothing to compare answers with.
fn refusal(dataset: &Dataset, task: Task) -> anyhow::Error {
    let name = dataset.name();
    let (what, hint) = match (dataset.label_meaning(), task) {
        (None, _) => (
            format!("{name} has no labels, so that there is nothing to compare answers with"),
            "name their column (--label-column) or file (--labels-from); `hedgerow predict` needs no labels",
        ),
        (Some(LabelMeaning::Values), _) => (
            format!("the labels of {name} are values, but the model tells classes apart"),
            "give data like that of the fit",
        ),
        (Some(LabelMeaning::Classes), _) => (
            format!("the labels of {name} are classes, but the model estimates values"),
            "give data like that of the fit",
        ),
    };
    crate::error::Hinted::new(anyhow!(what), hint).into()
}
