//! `hedgerow explain MODEL --data DATA --row ROW`.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use hedgerow::data::{Dataset, RowIds, Split, nearest_name};
use hedgerow::{Label, Model};
use hedgerow_report::{
    Characters, DecisionView, Report, Views, render_decision_html, render_decision_text, render_report_html,
};
use serde::Serialize;

use crate::context::Context;
use crate::error::{Hinted, WithHint};
use crate::queries::{MatchingArgs, SplitArg};
use crate::rejection::RejectionArgs;
use crate::texts::Texts;
use crate::{dataset, model, typed};

/// Width of texts where no terminal says its own, and of the widest.
const USUAL_WIDTH: usize = 100;
const MOST_WIDTH: usize = 160;

const EXAMPLES: &str = "\
Examples:
  hedgerow explain digits --data optdigits --row 0
  hedgerow explain digits --data optdigits --row 0 --row 17 --html decisions.html
  hedgerow explain flowers.model --data new.csv --id rose-12 --json
  hedgerow explain flowers.model --values 5.1,3.5,1.4,0.2";

/// Say why rows get their answers: the walk, who voted, the nearest rival, and how unusual the row is.
///
/// For people as text, with small pictures where the data is pictures; with --json as one object a row, documented in docs/cli.md;
/// with --html as a page.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Where the rows are: a file, - for standard input, a folder, or a name that `hedgerow data list` has.
    #[arg(long, short, value_name = "DATA", required_unless_present = "values")]
    data: Option<String>,

    /// A row, by its number in the split, from 0, or by its id if that is no number. May be given several times.
    #[arg(long, value_name = "ROW", required_unless_present_any = ["id", "values"])]
    row: Vec<String>,

    /// A row by its id, as `hedgerow predict` shows it. May be given several times.
    #[arg(long, value_name = "ID")]
    id: Vec<String>,

    /// The rows that are counted. [default: test, if there are such rows, else all]
    #[arg(long, value_name = "SPLIT")]
    split: Option<SplitArg>,

    /// The values of a row typed by hand, in the order of the training data's columns: 5.1,3.5,1.4,0.2. May be given several times.
    #[arg(long, value_name = "V,V,...", allow_hyphen_values = true, conflicts_with_all = ["data", "row", "id", "split"])]
    values: Vec<String>,

    /// Write a page that needs nothing else to this file; - for standard output, in the place of the text.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Draw with plain characters, for terminals without blocks and lines.
    #[arg(long)]
    ascii: bool,

    #[command(flatten)]
    rejection: RejectionArgs,

    #[command(flatten)]
    matching: MatchingArgs,
}

/// What is known of a row besides its decision.
#[derive(Debug, Serialize)]
struct Explained {
    /// Its number in the split, from 0; none of values typed by hand.
    row: Option<usize>,
    id: Option<String>,
    split: Option<String>,
    #[serde(flatten)]
    decision: DecisionView,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut texts = Texts::open(&[("--html", arguments.html.as_deref())], context)?;
    let model = arguments.rejection.apply(model::load(&arguments.model)?)?;
    let explained = match &arguments.data {
        Some(data) => rows(arguments, &model, data, context)?,
        None => typed_rows(&arguments.values, &model, &arguments.matching)?,
    };
    texts.write("--html", || page(&explained))?;
    if texts.take_the_answers_place() {
        return Ok(());
    }
    let characters = if arguments.ascii { Characters::Ascii } else { Characters::Unicode };
    for (at, explained) in explained.iter().enumerate() {
        let between = if at == 0 { "" } else { "\n" };
        context.answer(explained, |explained| {
            format!("{between}{}", render_decision_text(&explained.decision, width(), characters))
        })?;
    }
    Ok(())
}

/// Decisions about rows of data.
fn rows(arguments: &Arguments, model: &Model, data: &str, context: &Context) -> anyhow::Result<Vec<Explained>> {
    let dataset = arguments.matching.load(model, data, context)?;
    let split = match arguments.split {
        Some(split) => split.split(),
        None => Some(Split::Test).filter(|test| !dataset.rows(*test).is_empty()),
    };
    let places = Places { dataset: &dataset, split };
    let by_row = arguments.row.iter().map(|asked| places.by_row(asked));
    let by_id = arguments.id.iter().map(|asked| places.by_id(asked));
    let rows = by_row.chain(by_id).collect::<anyhow::Result<Vec<usize>>>()?;
    let views = Views::of(model);
    let explain = |row: &usize| {
        let label = dataset.labels()[*row];
        let truth = (label != Label::Unlabeled).then(|| dataset.label_text(label));
        let decision = views.decision(
            dataset.points().row(*row),
            &dataset::row_source(&dataset, split, *row),
            truth.as_deref(),
        )?;
        Ok(Explained {
            row: Some(row - places.range().start),
            id: Some(dataset.row_ids().text(*row)),
            split: split.map(|split| split.to_string()),
            decision,
        })
    };
    context.compute(|| rows.iter().map(explain).collect())?
}

/// Decisions about rows typed by hand.
fn typed_rows(values: &[String], model: &Model, matching: &MatchingArgs) -> anyhow::Result<Vec<Explained>> {
    let views = Views::of(model);
    let explain = |values: &String| {
        let dataset = typed::read(values, model, matching)?;
        let decision = views.decision(dataset.points().row(0), "values typed by hand", None)?;
        Ok(Explained { row: None, id: None, split: None, decision })
    };
    values.iter().map(explain).collect()
}

/// Rows of a data set, as people ask for them.
struct Places<'a> {
    dataset: &'a Dataset,
    /// None: all rows.
    split: Option<Split>,
}

impl Places<'_> {
    fn range(&self) -> std::ops::Range<usize> {
        self.split.map_or(0..self.dataset.len(), |split| self.dataset.rows(split))
    }

    /// How the rows are called that are counted.
    fn shown(&self) -> String {
        let name = self.dataset.name();
        self.split.map_or_else(|| name.to_owned(), |split| format!("the {split} split of {name}"))
    }

    fn by_row(&self, asked: &str) -> anyhow::Result<usize> {
        let Ok(number) = asked.parse::<usize>() else { return self.by_id(asked) };
        let rows = self.range();
        if number < rows.len() {
            return Ok(rows.start + number);
        }
        let error = match rows.len() {
            0 => anyhow!("there is no row {number}: {} has none", self.shown()),
            n => anyhow!("there is no row {number}: {} has rows 0 to {}", self.shown(), n - 1),
        };
        let has_id = self.position_of(asked).is_some();
        Err(if has_id { Hinted::new(error, format!("a row has that id: --id {asked}")).into() } else { error })
    }

    fn by_id(&self, asked: &str) -> anyhow::Result<usize> {
        let rows = self.range();
        match self.position_of(asked) {
            Some(row) if rows.contains(&row) => Ok(row),
            Some(_) => Err(anyhow!("the row with id {asked} is not in {}", self.shown()))
                .hint("--split all looks for it in all rows"),
            None => {
                let error = anyhow!("no row of {} has the id \"{asked}\"", self.dataset.name());
                let nearest = match self.dataset.row_ids() {
                    RowIds::Names(names) => nearest_name(asked, names.iter().map(String::as_str)),
                    RowIds::Numbers(_) => None,
                };
                Err(match nearest {
                    Some(nearest) => Hinted::new(error, format!("did you mean {nearest}?")).into(),
                    None => error,
                })
            }
        }
    }

    fn position_of(&self, id: &str) -> Option<usize> {
        match self.dataset.row_ids() {
            RowIds::Numbers(numbers) => {
                let id: u64 = id.parse().ok()?;
                numbers.iter().position(|number| *number == id)
            }
            RowIds::Names(names) => names.iter().position(|name| name == id),
        }
    }
}

fn page(explained: &[Explained]) -> String {
    match explained {
        [one] => render_decision_html(&one.decision),
        several => render_report_html(&Report {
            title: "Decisions".to_owned(),
            decisions: several.iter().map(|explained| explained.decision.clone()).collect(),
            ..Report::default()
        }),
    }
}

/// Cells of a line: what COLUMNS says, else the terminal.
fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(seen).filter(|width| *width > 0).unwrap_or(USUAL_WIDTH).min(MOST_WIDTH)
}
