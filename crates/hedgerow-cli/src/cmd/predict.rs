//! `hedgerow predict MODEL --data DATA`.

use std::path::PathBuf;

use clap::Args;
use hedgerow::data::write::{ColumnData, Frame, WriteFormat};
use hedgerow::{Label, Model, ModelAnswer, Points, Task, Unknown};
use serde::Serialize;

use crate::context::Context;
use crate::error::usage;
use crate::model;
use crate::output::OutputArgs;
use crate::queries::{Block, QueryArgs};
use crate::rejection::RejectionArgs;

const EXAMPLES: &str = "\
Examples:
  hedgerow predict flowers.model --data new.csv
  hedgerow predict flowers.model --data new.csv --proba --out said.parquet
  zcat log.csv.gz | hedgerow predict flowers.model --data - --json | jq .prediction
  hedgerow predict digits --data optdigits --split test --reject-novelty 0.01";

/// Answer rows of data: class or value, its probability, and how unusual the row is.
///
/// A table with a row for each row of the data: id (from its id column, else its number from 0), prediction (`unknown`
/// where the model does not know), why_unknown (`novel`, `unsure` or nothing), probability of the predicted class, distance from the
/// nearest example that decided, and share_farther, the share of training examples that are at least as far from their own answer: small for unusual
/// rows. Files and streams of any length are answered in constant memory.
///
/// NPY has numbers only: of each row the number of its class, in the order of the model's classes, and -1 where the model does not know; of
/// regression the value, and NaN; with --proba a row of probabilities. On standard output it is kept in memory until the end.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A further column for the probability of each class: `probability[NAME]`.
    #[arg(long)]
    proba: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    rejection: RejectionArgs,

    #[command(flatten)]
    queries: QueryArgs,
}

#[derive(Serialize)]
struct Counts {
    unknown: u64,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let model = arguments.rejection.apply(model::load(&arguments.model)?)?;
    if arguments.proba && model.task() != Task::Classification {
        return Err(usage(format_args!("--proba is for classes, but the task of this model is {}", model.task())));
    }
    let mut output = arguments.output.open(context)?;
    if output.format() == WriteFormat::Npy && model.task() == Task::Retrieval {
        return Err(usage(
            "the model finds examples, it predicts no numbers for NPY; give another --out-format, or use `hedgerow neighbors`",
        ));
    }
    let columns = Columns { model: &model, proba: arguments.proba, npy: output.format() == WriteFormat::Npy };
    let nothing = Block { points: Points::from_f32(1, Vec::new())?, ids: hedgerow::data::RowIds::counted(0) };
    let mut is_begun = false;
    let mut unknown = 0;
    let answer_width = if arguments.proba { model.class_names().len() } else { 1 };
    arguments.queries.for_each(&model, answer_width, context, |block| {
        let answers = context.compute(|| model.answer(block.points.view()))??;
        unknown += answers.iter().filter(|answer| answer.prediction.unknown.is_some()).count() as u64;
        is_begun = true;
        output.write(&columns.frame(block, &answers)?)
    })?;
    if !is_begun {
        output.write(&columns.frame(&nothing, &[])?)?;
    }
    let note = if model.rejection().is_none() { String::new() } else { format!("{unknown} of them unknown") };
    output.finish(context, &Counts { unknown }, &note)
}

/// What the table has.
struct Columns<'a> {
    model: &'a Model,
    proba: bool,
    npy: bool,
}

impl Columns<'_> {
    fn frame(&self, block: &Block, answers: &[ModelAnswer]) -> anyhow::Result<Frame> {
        if self.npy {
            return Ok(Frame::new(vec![(String::new(), self.numbers(answers))])?);
        }
        let number = |value: &dyn Fn(&ModelAnswer) -> f64| {
            ColumnData::Number(answers.iter().map(|answer| value(answer) as f32).collect())
        };
        let mut columns = vec![
            ("id".to_owned(), block.id_column(1)),
            ("prediction".to_owned(), self.predictions(answers)),
            ("why_unknown".to_owned(), ColumnData::Text(answers.iter().map(|answer| why(answer).to_owned()).collect())),
        ];
        if self.model.task() == Task::Classification {
            let probability = |answer: &ModelAnswer| answer.probabilities.first().map_or(0.0, |first| first.share);
            columns.push(("probability".to_owned(), number(&probability)));
        }
        columns.push(("distance".to_owned(), number(&|answer| answer.novelty.distance)));
        columns.push(("share_farther".to_owned(), number(&|answer| answer.novelty.share_farther.unwrap_or(0.0))));
        if self.proba {
            for (class, name) in self.model.class_names().iter().enumerate() {
                columns.push((format!("probability[{name}]"), number(&|answer| probability_of(answer, class))));
            }
        }
        Ok(Frame::new(columns)?)
    }

    /// Names of classes, or values: as numbers, unless some of them may be unknown.
    fn predictions(&self, answers: &[ModelAnswer]) -> ColumnData {
        if let (Task::Regression { .. }, true) = (self.model.task(), self.model.rejection().is_none()) {
            return ColumnData::Number(answers.iter().map(value).collect());
        }
        let text = |answer: &ModelAnswer| match answer.prediction.known() {
            Some(label) => self.model.label_text(label),
            None => "unknown".to_owned(),
        };
        ColumnData::Text(answers.iter().map(text).collect())
    }

    fn numbers(&self, answers: &[ModelAnswer]) -> ColumnData {
        let width = self.model.class_names().len();
        match self.model.task() {
            Task::Classification if self.proba => {
                let row = |answer: &ModelAnswer| {
                    (0..width).map(|class| probability_of(answer, class) as f32).collect::<Vec<_>>()
                };
                ColumnData::Vector { width, values: answers.iter().flat_map(row).collect() }
            }
            Task::Classification => {
                let class = |answer: &ModelAnswer| {
                    answer.prediction.known().and_then(Label::as_class).map_or(-1, |class| i64::from(class.0))
                };
                ColumnData::Integer(answers.iter().map(class).collect())
            }
            _ => ColumnData::Number(answers.iter().map(value).collect()),
        }
    }
}

fn value(answer: &ModelAnswer) -> f32 {
    answer.prediction.known().and_then(Label::as_value).unwrap_or(f32::NAN)
}

fn why(answer: &ModelAnswer) -> &'static str {
    match answer.prediction.unknown {
        None => "",
        Some(Unknown::Novel { .. }) => "novel",
        Some(Unknown::Unsure { .. }) => "unsure",
        Some(_) => "other",
    }
}

fn probability_of(answer: &ModelAnswer, class: usize) -> f64 {
    let share = answer.probabilities.iter().find(|share| share.class.0 as usize == class);
    share.map_or(0.0, |share| share.share)
}
