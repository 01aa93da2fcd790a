//! How well a model answers examples whose labels are known.

use std::ops::ControlFlow;
use std::time::Instant;

use hedgerow_core::{Label, PointsRef, Task};
use serde::Serialize;

use super::{Model, Unknown};
use crate::error::AnswerError;

/// Examples that are asked about between two words to the listener: enough for all threads and for the searches that are faster in blocks.
const BLOCK_ROWS: usize = 1024;

/// Bins of the calibration curve.
const BINS: usize = 10;

/// Points of the rejection curve.
const SHARES: usize = 20;

/// What an evaluation found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// Queries.
    pub n_queries: usize,
    /// Share of wrong answers among all queries, in percent; "unknown" is wrong. Classification only.
    pub error_percent: Option<f64>,
    /// Queries that the model said it does not know.
    pub n_unknown: usize,
    /// Share of wrong answers among those given, in percent.
    pub error_percent_of_answered: Option<f64>,
    /// Names of the classes, those of the queries that the model does not know last.
    pub classes: Vec<String>,
    /// Row: the true class; column: the answer; the last column counts "unknown".
    pub confusion: Vec<Vec<usize>>,
    /// Each class.
    pub per_class: Vec<ClassResult>,
    /// Mean of `-ln` of the probability of the true class, which counts as at least 1e-15.
    pub log_loss: Option<f64>,
    /// How probable answers were said to be, and how often they were right.
    pub calibration: Vec<CalibrationBin>,
    /// Mean distance between the two, weighted by the number of answers, in percent.
    pub calibration_error_percent: Option<f64>,
    /// Error among the most certain answers, by probability.
    pub rejection_by_probability: Vec<RejectionPoint>,
    /// Error among the least unusual queries, by novelty.
    pub rejection_by_novelty: Vec<RejectionPoint>,
    /// Regression only.
    pub values: Option<ValueResult>,
    /// Stored examples.
    pub nodes: usize,
    /// Bytes of the model in memory.
    pub bytes: usize,
    /// Microseconds for each query, asked together by all threads.
    pub microseconds_per_query: f64,
}

/// How one class fares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassResult {
    /// Its name.
    pub class: String,
    /// Queries of it.
    pub n_queries: usize,
    /// Share of them that got another answer, in percent; none if there are none.
    pub error_percent: Option<f64>,
    /// Share of the answers of this class that are right, in percent.
    pub precision_percent: Option<f64>,
}

/// Answers that were said to be about as probable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// From this probability.
    pub from: f64,
    /// Up to this one.
    pub to: f64,
    /// How many.
    pub n: usize,
    /// Their mean probability.
    pub mean_probability: f64,
    /// Share that was right.
    pub share_right: f64,
}

/// Error if only some queries are answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RejectionPoint {
    /// Share of the queries that is answered.
    pub share_answered: f64,
    /// What the probability, or the share of training examples that are as far, must be at least.
    pub threshold: f64,
    /// Error among these, in percent.
    pub error_percent: f64,
}

/// How far estimates are off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ValueResult {
    /// Mean absolute error.
    pub mean_absolute_error: f64,
    /// Root of the mean squared error.
    pub root_mean_squared_error: f64,
    /// Share of the variance that is explained; none if all true values are the same.
    pub r_squared: Option<f64>,
}

impl Model {
    /// Asks the model about examples whose labels are known. `class_names` are those of the labels, by number; the model's own
    /// come first where data was read by its [schema](Self::read_options).
    ///
    /// # Errors
    /// Points that the model cannot take.
    ///
    /// # Panics
    /// If there are not as many labels as points.
    pub fn evaluate(
        &self,
        points: PointsRef<'_>,
        labels: &[Label],
        class_names: &[String],
    ) -> Result<Evaluation, AnswerError> {
        let evaluation = self.evaluate_watched(points, labels, class_names, &mut |_| ControlFlow::Continue(()))?;
        Ok(evaluation.expect("nobody stops it"))
    }

    /// [`evaluate`](Self::evaluate) for those who want to see how far it is, or to stop it: `hear` is told after each block of how many examples
    /// the model was asked, and nothing comes of it if that breaks.
    ///
    /// # Errors
    /// Points that the model cannot take.
    ///
    /// # Panics
    /// If there are not as many labels as points.
    pub fn evaluate_watched(
        &self,
        points: PointsRef<'_>,
        labels: &[Label],
        class_names: &[String],
        hear: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Option<Evaluation>, AnswerError> {
        assert_eq!(points.len(), labels.len(), "one label for each point");
        let n = labels.len();
        let is_of_classes = self.task() == Task::Classification;
        // By name, since the numbers of the data may be others.
        let mut classes = if is_of_classes { self.class_names().to_vec() } else { Vec::new() };
        if is_of_classes {
            classes.extend(class_names.iter().filter(|name| !self.class_names().contains(name)).cloned());
        }
        let number = |label: &Label| {
            let name = label.as_class().and_then(|class| class_names.get(class.0 as usize))?;
            classes.iter().position(|class| class == name)
        };
        let mut seconds = 0.0;
        let mut n_unknown = 0;
        let mut answers: Vec<Judged> = Vec::new();
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        for start in (0..n).step_by(BLOCK_ROWS) {
            let rows = start..n.min(start + BLOCK_ROWS);
            let (block, truths) = (points.slice(rows.clone()), &labels[rows.clone()]);
            let started = Instant::now();
            let predictions = self.predict(block)?;
            seconds += started.elapsed().as_secs_f64();
            n_unknown += predictions.iter().filter(|prediction| prediction.unknown.is_some()).count();
            if is_of_classes {
                let judge = |(said, truth): (&super::ModelAnswer, &Label)| {
                    let answer = said.prediction.label.as_class()?.0 as usize;
                    let probability_of = |class: usize| {
                        said.probabilities
                            .iter()
                            .find(|share| share.class.0 as usize == class)
                            .map_or(0.0, |of| of.share)
                    };
                    let truth = number(truth)?;
                    Some(Judged {
                        truth,
                        answer,
                        unknown: said.prediction.unknown,
                        probability: probability_of(answer),
                        probability_of_truth: probability_of(truth),
                        share_farther: said.novelty.share_farther.unwrap_or(0.0),
                    })
                };
                answers.extend(self.answer(block)?.iter().zip(truths).filter_map(judge));
            } else {
                let pair = |(prediction, label): (&super::ModelPrediction, &Label)| {
                    Some((f64::from(prediction.label.as_value()?), f64::from(label.as_value()?)))
                };
                pairs.extend(predictions.iter().zip(truths).filter_map(pair));
            }
            if hear(rows.end).is_break() {
                return Ok(None);
            }
        }
        let mut evaluation = Evaluation {
            n_queries: n,
            error_percent: None,
            n_unknown,
            error_percent_of_answered: None,
            classes,
            confusion: Vec::new(),
            per_class: Vec::new(),
            log_loss: None,
            calibration: Vec::new(),
            calibration_error_percent: None,
            rejection_by_probability: Vec::new(),
            rejection_by_novelty: Vec::new(),
            values: None,
            nodes: self.search().n_stored(),
            bytes: self.size_bytes(),
            microseconds_per_query: 1e6 * seconds / n.max(1) as f64,
        };
        match self.task() {
            Task::Classification => evaluation.judge(&answers),
            Task::Regression { .. } => evaluation.values = Some(values(&pairs)),
            _ => {}
        }
        Ok(Some(evaluation))
    }
}

/// One answer beside the truth.
#[derive(Debug, Clone, Copy)]
struct Judged {
    truth: usize,
    answer: usize,
    unknown: Option<Unknown>,
    probability: f64,
    probability_of_truth: f64,
    share_farther: f64,
}

impl Judged {
    fn is_right(&self) -> bool {
        self.truth == self.answer
    }
}

impl Evaluation {
    fn judge(&mut self, answers: &[Judged]) {
        let n_classes = self.classes.len();
        self.confusion = vec![vec![0; n_classes + 1]; n_classes];
        for judged in answers {
            let column = if judged.unknown.is_some() { n_classes } else { judged.answer };
            self.confusion[judged.truth][column] += 1;
        }
        let n = answers.len();
        let n_right: usize = (0..n_classes).map(|class| self.confusion[class][class]).sum();
        let answered = n - answers.iter().filter(|judged| judged.unknown.is_some()).count();
        self.error_percent = percent(n - n_right, n);
        self.error_percent_of_answered = percent(answered - n_right, answered);
        self.per_class = (0..n_classes)
            .map(|class| {
                let n_queries = self.confusion[class].iter().sum();
                let n_answers: usize = self.confusion.iter().map(|row| row[class]).sum();
                let n_right = self.confusion[class][class];
                ClassResult {
                    class: self.classes[class].clone(),
                    n_queries,
                    error_percent: percent(n_queries - n_right, n_queries),
                    precision_percent: percent(n_right, n_answers),
                }
            })
            .collect();
        if n == 0 {
            return;
        }
        let log = |judged: &Judged| -judged.probability_of_truth.max(1e-15).ln();
        self.log_loss = Some(answers.iter().map(log).sum::<f64>() / n as f64);
        self.calibration = calibration(answers);
        let gap = |bin: &CalibrationBin| bin.n as f64 * (bin.mean_probability - bin.share_right).abs();
        self.calibration_error_percent = Some(100.0 * self.calibration.iter().map(gap).sum::<f64>() / n as f64);
        self.rejection_by_probability = rejection(answers, |judged| judged.probability);
        self.rejection_by_novelty = rejection(answers, |judged| judged.share_farther);
    }
}

fn percent(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| 100.0 * part as f64 / of as f64)
}

fn calibration(answers: &[Judged]) -> Vec<CalibrationBin> {
    (0..BINS)
        .filter_map(|bin| {
            let (from, to) = (bin as f64 / BINS as f64, (bin + 1) as f64 / BINS as f64);
            let is_here = |judged: &&Judged| ((judged.probability * BINS as f64) as usize).min(BINS - 1) == bin;
            let here: Vec<&Judged> = answers.iter().filter(is_here).collect();
            let n = here.len();
            (n > 0).then(|| CalibrationBin {
                from,
                to,
                n,
                mean_probability: here.iter().map(|judged| judged.probability).sum::<f64>() / n as f64,
                share_right: here.iter().filter(|judged| judged.is_right()).count() as f64 / n as f64,
            })
        })
        .collect()
}

/// The error among the first shares of all answers, the surest first. Those that are equally sure are answered together, as a threshold does:
/// there can be fewer points than shares.
fn rejection(answers: &[Judged], sureness: impl Fn(&Judged) -> f64) -> Vec<RejectionPoint> {
    let mut sorted: Vec<&Judged> = answers.iter().collect();
    sorted.sort_by(|a, b| sureness(b).total_cmp(&sureness(a)));
    let mut points: Vec<RejectionPoint> = Vec::new();
    let (mut n, mut n_wrong) = (0, 0);
    for at in 1..=SHARES {
        let least = (sorted.len() * at).div_ceil(SHARES);
        if n >= least {
            continue;
        }
        let threshold = sureness(sorted[least - 1]);
        while let Some(judged) = sorted.get(n).filter(|judged| sureness(judged) >= threshold) {
            n += 1;
            n_wrong += usize::from(!judged.is_right());
        }
        points.push(RejectionPoint {
            share_answered: n as f64 / sorted.len() as f64,
            threshold,
            error_percent: 100.0 * n_wrong as f64 / n as f64,
        });
    }
    points
}

fn values(pairs: &[(f64, f64)]) -> ValueResult {
    let n = pairs.len().max(1) as f64;
    let mean = pairs.iter().map(|(_, truth)| truth).sum::<f64>() / n;
    let squares = pairs.iter().map(|(answer, truth)| (answer - truth).powi(2)).sum::<f64>();
    let variance = pairs.iter().map(|(_, truth)| (truth - mean).powi(2)).sum::<f64>();
    ValueResult {
        mean_absolute_error: pairs.iter().map(|(answer, truth)| (answer - truth).abs()).sum::<f64>() / n,
        root_mean_squared_error: (squares / n).sqrt(),
        r_squared: (variance > 0.0).then(|| 1.0 - squares / variance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_worked_by_hand() {
        // Off by 1, 0 and 2 around truths 0, 2 and 4, whose mean is 2: squares 5 of a variance of 8.
        let result = values(&[(1.0, 0.0), (2.0, 2.0), (2.0, 4.0)]);
        assert_eq!(result.mean_absolute_error, 1.0);
        assert!((result.root_mean_squared_error - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(result.r_squared, Some(1.0 - 5.0 / 8.0));
        assert_eq!(values(&[(1.0, 3.0)]).r_squared, None);
    }

    #[test]
    fn blocks_are_counted_together_and_told_of_and_stopped_between() {
        let rows = BLOCK_ROWS + 100;
        let train = hedgerow_data::load("moons?n=200&noise=0.3&seed=1").expect("it is made on the spot");
        let tests = hedgerow_data::load(&format!("moons?n={rows}&noise=0.3&seed=2")).expect("it is made on the spot");
        let params = crate::FitParams { learning: None, ..crate::FitParams::default() };
        let options = crate::FitOptions::default();
        let model = Model::fit(&train, &params, &options, &mut crate::silent_fit()).expect("it can be fitted");
        let (points, labels) = (tests.points(), tests.labels());
        let mut told = Vec::new();
        let evaluation = model.evaluate_watched(points, labels, tests.class_names(), &mut |done| {
            told.push(done);
            ControlFlow::Continue(())
        });
        assert_eq!(told, [BLOCK_ROWS, rows]);
        let said = model.predict(points).expect("it answers");
        let n_wrong = said.iter().zip(labels).filter(|(said, truth)| said.label != **truth).count();
        let evaluation = evaluation.expect("it answers").expect("it was not stopped");
        assert!(n_wrong > 0 && evaluation.error_percent == percent(n_wrong, rows), "{n_wrong} of {rows}");
        let stopped = model.evaluate_watched(points, labels, tests.class_names(), &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped.expect("it answers"), None);
    }

    #[test]
    fn rejecting_the_unsure_leaves_the_right() {
        let judged = |truth: usize, probability: f64| Judged {
            truth,
            answer: 0,
            unknown: None,
            probability,
            probability_of_truth: 0.5,
            share_farther: 0.5,
        };
        let answers = [judged(1, 0.5), judged(0, 0.9), judged(0, 0.8), judged(1, 0.6)];
        let curve = rejection(&answers, |judged| judged.probability);
        let told: Vec<_> = curve.iter().map(|p| (p.share_answered, p.threshold, p.error_percent)).collect();
        assert_eq!(told, [(0.25, 0.9, 0.0), (0.5, 0.8, 0.0), (0.75, 0.6, 100.0 / 3.0), (1.0, 0.5, 50.0)]);
        assert!(rejection(&[], |judged| judged.probability).is_empty());
        let bins = calibration(&answers);
        assert_eq!(bins.iter().map(|bin| bin.n).sum::<usize>(), 4);
        assert_eq!(bins[0].share_right, 0.0);
    }

    /// Answers that were all equally sure, as of one neighbor, were cut in the order of the rows.
    #[test]
    fn the_equally_sure_are_rejected_together() {
        let judged = |truth: usize, sureness: f64| Judged {
            truth,
            answer: 0,
            unknown: None,
            probability: sureness,
            probability_of_truth: 0.5,
            share_farther: sureness,
        };
        let equal: Vec<Judged> = (0..40).map(|row| judged(row / 20, 1.0)).collect();
        let whole = RejectionPoint { share_answered: 1.0, threshold: 1.0, error_percent: 50.0 };
        assert_eq!(rejection(&equal, |judged| judged.share_farther), [whole]);
        // Every point is what its threshold gives, in whatever order the rows stand.
        let mut answers: Vec<Judged> =
            (0..97).map(|row| judged(row % 5 / 4, f64::from(row as u32 % 7) / 7.0)).collect();
        let curve = rejection(&answers, |judged| judged.probability);
        assert_eq!(curve.len(), 7);
        for point in &curve {
            let kept: Vec<&Judged> = answers.iter().filter(|judged| judged.probability >= point.threshold).collect();
            assert_eq!(point.share_answered, kept.len() as f64 / 97.0);
            let n_wrong = kept.iter().filter(|judged| !judged.is_right()).count();
            assert_eq!(point.error_percent, 100.0 * n_wrong as f64 / kept.len() as f64);
        }
        answers.reverse();
        assert_eq!(rejection(&answers, |judged| judged.probability), curve);
    }
}
