//! A whole report about a model and some examples that it was asked about.

use std::collections::HashMap;

use hedgerow::{AnswerError, Evaluation, Label, Model, PointsRef};

use super::{
    Views, calibration_view, confusion_view, data_facts, learning_curves, recipe_facts, rejection_view, summary,
};
use crate::{DecisionView, Report};

/// Points of the map, at most: more are no clearer, and make the page large.
const MAPPED: usize = 2000;

/// Examples whose true labels are known.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The points.
    pub points: PointsRef<'a>,
    /// Their labels.
    pub labels: &'a [Label],
    /// The names of the classes of these labels, by number.
    pub class_names: &'a [String],
    /// What they are called together: "optdigits, test".
    pub name: &'a str,
    /// What each is called, by its row.
    pub source: &'a (dyn Fn(usize) -> String + Sync),
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("name", &self.name).field("n", &self.labels.len()).finish_non_exhaustive()
    }
}

impl Asked<'_> {
    /// The true label of a row, as text.
    fn truth(&self, row: usize) -> Option<String> {
        match self.labels[row] {
            Label::Class(class) => self.class_names.get(class.0 as usize).cloned(),
            Label::Value(value) => Some(value.to_string()),
            Label::Unlabeled => None,
        }
    }
}

/// A report about a model, asked about examples; with at most so many mistakes and so many right answers explained.
///
/// Mistakes are those that teach most: answers that the model was surest of, first one of each pair of classes.
///
/// # Errors
/// Points that the model cannot take.
///
/// # Panics
/// If there are not as many labels as points.
pub fn report_view(
    model: &Model,
    asked: &Asked<'_>,
    n_mistakes: usize,
    n_right: usize,
) -> Result<(Report, Evaluation), AnswerError> {
    let views = Views::of(model);
    let evaluation = model.evaluate(asked.points, asked.labels, asked.class_names)?;
    let (wrong, right) = wrong_and_right(model, asked)?;
    let explain = |rows: &[usize]| -> Result<Vec<DecisionView>, AnswerError> {
        let one =
            |&row: &usize| views.decision(asked.points.row(row), &(asked.source)(row), asked.truth(row).as_deref());
        rows.iter().map(one).collect()
    };
    let step = asked.points.len().div_ceil(MAPPED).max(1);
    let mapped: Vec<usize> = (0..asked.points.len()).step_by(step).collect();
    let labels: Vec<Label> = mapped.iter().map(|&row| asked.labels[row]).collect();
    let map = views.map(asked.points.select(&mapped).view(), &labels, asked.class_names)?;
    let report = Report {
        title: format!("A model of {}", model.data().name),
        lead: Some(format!(
            "It answers by {} of {} training examples, and was asked about {} examples of {}.",
            model.search().n_stored(),
            model.search().n_shown(),
            asked.labels.len(),
            asked.name
        )),
        summary: summary(model, Some(&evaluation)),
        curves: learning_curves(model),
        map: Some(map),
        tree: views.tree(0),
        confusion: confusion_view(&evaluation),
        calibration: calibration_view(&evaluation),
        rejection: rejection_view(&evaluation),
        mistakes: explain(&wrong[..wrong.len().min(n_mistakes)])?,
        decisions: explain(&right[..right.len().min(n_right)])?,
        data: data_facts(model),
        recipe: recipe_facts(model),
        ..Report::default()
    };
    Ok((report, evaluation))
}

/// Rows with wrong answers, the most instructive first, and rows with right ones, one of each class first.
fn wrong_and_right(model: &Model, asked: &Asked<'_>) -> Result<(Vec<usize>, Vec<usize>), AnswerError> {
    let answers = model.predict(asked.points)?;
    if model.task() != hedgerow::Task::Classification {
        return Ok((Vec::new(), (0..answers.len()).collect()));
    }
    let probabilities = model.predict_proba(asked.points)?;
    let mut wrong = Vec::new();
    let mut right = Vec::new();
    for (row, answer) in answers.iter().enumerate() {
        let Some(truth) = asked.truth(row) else { continue };
        let said = model.label_text(answer.label);
        let sureness = probabilities.row(row).iter().copied().fold(0.0, f64::max);
        let group = (truth.clone(), said.clone());
        if said == truth { right.push((row, sureness, group)) } else { wrong.push((row, sureness, group)) }
    }
    Ok((in_turn(wrong), in_turn(right)))
}

/// The surest of each group, then the second of each, and so on.
fn in_turn(mut rows: Vec<(usize, f64, (String, String))>) -> Vec<usize> {
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let mut turns: Vec<(usize, usize, usize)> = Vec::with_capacity(rows.len());
    for (place, (row, _, group)) in rows.into_iter().enumerate() {
        let turn = seen.entry(group).or_default();
        turns.push((*turn, place, row));
        *turn += 1;
    }
    turns.sort_unstable();
    turns.into_iter().map(|(_, _, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow::{FitOptions, FitParams, StructureParams, data};

    #[test]
    fn groups_take_turns() {
        let row = |row: usize, sureness: f64, group: &str| (row, sureness, (group.to_owned(), "x".to_owned()));
        let rows = vec![row(0, 0.5, "a"), row(1, 0.9, "a"), row(2, 0.8, "a"), row(3, 0.6, "b"), row(4, 0.6, "c")];
        assert_eq!(in_turn(rows), [1, 3, 4, 2, 0]);
    }

    #[test]
    fn a_report_has_all_sections_and_explains_real_mistakes() {
        let digits = data::load("optdigits").unwrap();
        let params = FitParams { learning: None, structure: StructureParams::tree(), ..FitParams::default() };
        let silent = &mut |_: &hedgerow::FitEvent<'_>| std::ops::ControlFlow::Continue(());
        let model = Model::fit(&digits, &params, &FitOptions::default(), silent).unwrap();
        let tests = digits.test();
        let asked = Asked {
            points: tests.points().slice(0..300),
            labels: &tests.labels()[..300],
            class_names: digits.class_names(),
            name: "optdigits, test",
            source: &|row| format!("row {row}"),
        };
        let (report, evaluation) = report_view(&model, &asked, 3, 2).unwrap();
        assert_eq!((report.mistakes.len(), report.decisions.len()), (3, 2));
        assert!(report.mistakes.iter().all(|decision| decision.is_right() == Some(false)));
        assert!(report.decisions.iter().all(|decision| decision.is_right() == Some(true)));
        assert!(report.tree.is_some() && report.map.is_some() && report.confusion.is_some());
        assert_eq!(report.summary.error_percent, evaluation.error_percent);
    }
}
