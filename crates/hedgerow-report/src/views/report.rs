//! A whole report about a model and some examples that it was asked about.

use std::collections::HashMap;
use std::ops::ControlFlow;

use hedgerow::{AnswerError, Evaluation, Label, Model, PointsRef};

use super::{
    Views, calibration_view, confusion_view, data_facts, learning_curves, recipe_facts, rejection_view, summary,
};
use crate::Report;

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

/// A report about a model, asked about examples; with at most so many mistakes and so many right answers explained. `go_on` is asked between the parts:
/// where it breaks, there is no report.
///
/// Mistakes are those that teach most: answers that the model was surest of, first one of each pair of classes. What it turned away as unknown is neither
/// a mistake nor right.
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
    go_on: &dyn Fn() -> ControlFlow<()>,
) -> Result<Option<(Report, Evaluation)>, AnswerError> {
    let views = Views::of(model);
    let is_over = || go_on().is_break();
    let evaluation = model.evaluate_watched(asked.points, asked.labels, asked.class_names, &mut |_| go_on())?;
    let Some(evaluation) = evaluation else {
        return Ok(None);
    };
    let (mut wrong, mut right) = wrong_and_right(model, asked)?;
    wrong.truncate(n_mistakes);
    right.truncate(n_right);
    let mut decisions = Vec::with_capacity(wrong.len() + right.len());
    for &row in wrong.iter().chain(&right) {
        if is_over() {
            return Ok(None);
        }
        let truth = asked.truth(row);
        decisions.push(views.decision(asked.points.row(row), &(asked.source)(row), truth.as_deref())?);
    }
    let right = decisions.split_off(wrong.len());
    let step = asked.points.len().div_ceil(MAPPED).max(1);
    let mapped: Vec<usize> = (0..asked.points.len()).step_by(step).collect();
    let labels: Vec<Label> = mapped.iter().map(|&row| asked.labels[row]).collect();
    let map = views.map(asked.points.select(&mapped).view(), &labels, asked.class_names)?;
    let report = Report {
        title: format!("A model of {}", model.data().name),
        lead: Some(format!(
            "It answers by {} of {} training examples{}, and was asked about {} examples of {}.",
            model.search().n_stored(),
            model.search().n_shown(),
            if model.left_out().is_empty() { "" } else { " that it was shown" },
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
        mistakes: decisions,
        decisions: right,
        data: data_facts(model),
        recipe: recipe_facts(model),
        ..Report::default()
    };
    Ok(if is_over() { None } else { Some((report, evaluation)) })
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
    for (row, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.unknown.is_none()) {
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
    use hedgerow::{FitOptions, FitParams, Rejection, StructureParams, data};

    #[test]
    fn groups_take_turns() {
        let row = |row: usize, sureness: f64, group: &str| (row, sureness, (group.to_owned(), "x".to_owned()));
        let rows = vec![row(0, 0.5, "a"), row(1, 0.9, "a"), row(2, 0.8, "a"), row(3, 0.6, "b"), row(4, 0.6, "c")];
        assert_eq!(in_turn(rows), [1, 3, 4, 2, 0]);
    }

    /// A tree over the digits, and a report of what it is asked.
    fn report(rejection: Rejection, go_on: &dyn Fn() -> ControlFlow<()>) -> Option<(Report, Evaluation)> {
        let digits = data::load("optdigits").unwrap();
        let params =
            FitParams { learning: None, structure: StructureParams::tree(), rejection, ..FitParams::default() };
        let silent = &mut |_: &hedgerow::FitEvent<'_>| ControlFlow::Continue(());
        let model = Model::fit(&digits, &params, &FitOptions::default(), silent).unwrap();
        let tests = digits.test();
        let asked = Asked {
            points: tests.points().slice(0..300),
            labels: &tests.labels()[..300],
            class_names: digits.class_names(),
            name: "optdigits, test",
            source: &|row| format!("row {row}"),
        };
        report_view(&model, &asked, 3, 2, go_on).unwrap()
    }

    #[test]
    fn a_report_has_all_sections_and_explains_real_mistakes() {
        let (report, evaluation) = report(Rejection::default(), &|| ControlFlow::Continue(())).unwrap();
        assert_eq!((report.mistakes.len(), report.decisions.len()), (3, 2));
        assert!(report.mistakes.iter().all(|decision| decision.is_right() == Some(false)));
        assert!(report.decisions.iter().all(|decision| decision.is_right() == Some(true)));
        assert!(report.tree.is_some() && report.map.is_some() && report.confusion.is_some());
        assert_eq!(report.summary.error_percent, evaluation.error_percent);
    }

    #[test]
    fn what_was_turned_away_is_no_mistake() {
        // So strict that some of the surest mistakes are turned away.
        let rejection = Rejection { novelty: Some(0.3), probability: None };
        let (report, evaluation) = report(rejection, &|| ControlFlow::Continue(())).unwrap();
        assert!(evaluation.n_unknown > 50, "{}", evaluation.n_unknown);
        assert!(report.mistakes.iter().all(|decision| decision.is_right() == Some(false)));
        assert!(report.decisions.iter().all(|decision| decision.is_right() == Some(true)));
    }

    #[test]
    fn whoever_stops_it_gets_no_report_whenever_that_is() {
        for parts in 0..7 {
            let left = std::cell::Cell::new(parts);
            let go_on = || match left.get() {
                0 => ControlFlow::Break(()),
                n => {
                    left.set(n - 1);
                    ControlFlow::Continue(())
                }
            };
            assert!(report(Rejection::default(), &go_on).is_none(), "stopped after {parts} parts");
        }
    }
}
