//! `demo`: what hedgerow does, in a few seconds, on data that is compiled in.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;
use hedgerow::comparison::{compete, default_contenders};
use hedgerow::{Model, data};
use hedgerow_report::{Asked, Characters, Report, Views, render_decision_text, render_report_html, report_view};
use serde::Serialize;

use super::compare::{Compared, summarize, table, table_view};
use super::report::stopped;
use crate::context::Context;
use crate::fitting::FitBar;
use crate::model;
use crate::texts::Texts;

/// Show what this is, in seconds, on handwritten digits that are compiled in.
///
/// Learns a space by differentiable boundary sets (DBS), compares methods, explains one decision, and writes a page.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The page that is written. A file that is there is replaced; - for standard output, in the place of the table.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,

    /// Also keep the model, in this folder.
    #[arg(long, value_name = "MODEL")]
    save: Option<PathBuf>,

    /// Replace the model that is in that folder.
    #[arg(long, requires = "save")]
    force: bool,

    /// The test picture whose decision is explained. [default: the first that the model gets wrong]
    #[arg(long, value_name = "I")]
    row: Option<usize>,

    /// Draw pictures with plain ASCII characters.
    #[arg(long)]
    ascii: bool,
}

/// What `--json` gives.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    compared: Compared,
    explained_row: usize,
    report: String,
    model: Option<String>,
}

const WIDTH: usize = 100;

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let digits = data::load("optdigits")?;
    let tests = digits.test();
    if let Some(row) = arguments.row.filter(|row| *row >= tests.len()) {
        return Err(anyhow!("there is no test picture {row}; give a number from 0 to {}", tests.len() - 1));
    }
    if let Some(folder) = &arguments.save {
        model::make_room(folder, arguments.force)?;
    }
    let mut texts = Texts::open(&[("--out", Some(&arguments.out))], context)?;
    context.note(format_args!(
        "Handwritten digits, 8 x 8: {} to learn from, {} to test on. Fitting {} methods ...",
        digits.train().len(),
        tests.len(),
        default_contenders().len()
    ));
    let (mut rows, mut learned) = (Vec::new(), None);
    for contender in default_contenders() {
        let mut bar = FitBar::new(context, contender.name.clone());
        let fitted =
            context.compute(|| compete(&contender, context.seed(), &digits, &mut |event| bar.hear(event)))??;
        rows.push(fitted.0);
        learned = fitted.1.or(learned);
    }
    // The last one is DBS with a tree.
    let model: Model = learned.context("one of the methods is a model")?;
    let compared = summarize(&digits, rows);

    let answers = model.predict(tests.points())?;
    let first_wrong = answers.iter().zip(tests.labels()).position(|(answer, truth)| answer.label != *truth);
    let row = arguments.row.or(first_wrong).unwrap_or(0);
    let source = |row: usize| format!("test picture {row}");
    let truth = |row: usize| digits.label_text(tests.labels()[row]);
    let decision = Views::of(&model).decision(tests.row(row), &source(row), Some(&truth(row)))?;

    let asked = Asked {
        points: tests.points(),
        labels: tests.labels(),
        class_names: digits.class_names(),
        name: "the test pictures of optdigits",
        source: &source,
    };
    let go_on = || context.go_on();
    let (report, _) = context.compute(|| report_view(&model, &asked, 8, 2, &go_on))??.ok_or_else(stopped)?;
    let report = Report { comparisons: vec![table_view(&compared)], ..report };
    let page = render_report_html(&report);
    if go_on().is_break() {
        return Err(stopped());
    }
    texts.write("--out", || page)?;
    if let Some(folder) = &arguments.save {
        model.save(folder)?;
    }
    if texts.take_the_answers_place() {
        return Ok(());
    }

    let shown = Shown {
        compared,
        explained_row: row,
        report: arguments.out.display().to_string(),
        model: arguments.save.as_ref().map(|folder| folder.display().to_string()),
    };
    let characters = if arguments.ascii { Characters::Ascii } else { Characters::Unicode };
    context.answer(&shown, |shown| {
        format!(
            "{}\nWhy {}?\n\n{}\nThe page is in {}.\n\nTo try next:\n  hedgerow fit --data optdigits --out digits\n  \
             hedgerow evaluate digits --data optdigits\n  hedgerow explain digits --data optdigits --row 3\n  \
             hedgerow inspect digits\n  hedgerow fit --data YOUR.csv --label-column COLUMN --out yours\n",
            table(&shown.compared).text(),
            source(shown.explained_row),
            render_decision_text(&decision, WIDTH, characters),
            shown.report
        )
    })
}
