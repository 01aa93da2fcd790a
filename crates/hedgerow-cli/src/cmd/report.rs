//! `report`: a model on one page.

use std::path::PathBuf;

use clap::Args;
use hedgerow_report::{Asked, render_report_html, report_view};
use serde::Serialize;

use crate::context::Context;
use crate::labelled::Labelled;
use crate::queries::{MatchingArgs, SplitArg};
use crate::texts::Texts;
use crate::{dataset, model};

/// Write one self-contained HTML page about a model.
///
/// It has the training curve, a map of the representations with the stored examples marked, the tree with pictures, the confusion
/// matrix, and the most instructive mistakes with their explanations. No network is needed to open it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder of the model.
    model: PathBuf,

    /// The examples that the model is asked about, with labels: a file, a folder, or the name of a data set.
    #[arg(long, value_name = "DATA")]
    data: String,

    /// The page. A file that is there is replaced; - for standard output.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,

    /// The rows to ask about. [default: test if there are such rows, else all]
    #[arg(long)]
    split: Option<SplitArg>,

    /// Mistakes that are explained, at most.
    #[arg(long, value_name = "N", default_value_t = 8)]
    mistakes: usize,

    #[command(flatten)]
    matching: MatchingArgs,
}

/// What `--json` gives.
#[derive(Debug, Serialize)]
struct Written {
    report: String,
    data: String,
    n_queries: usize,
    error_percent: Option<f64>,
    nodes: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let model = model::load(&arguments.model)?;
    let mut texts = Texts::open(&[("--out", Some(&arguments.out))], context)?;
    let data = arguments.matching.load(&model, &arguments.data, context)?;
    let labelled = Labelled::of(&data, arguments.split, &model)?;
    let name = format!("{}, {}", data.name(), labelled.split);
    let source = |row: usize| dataset::row_source(&data, labelled.part, labelled.rows[row]);
    let asked = Asked {
        points: labelled.points(),
        labels: &labelled.labels,
        class_names: data.class_names(),
        name: &name,
        source: &source,
    };
    let go_on = || context.go_on();
    let report = context.compute(|| report_view(&model, &asked, arguments.mistakes, 2, &go_on))??;
    let (report, evaluation) = report.ok_or_else(stopped)?;
    let page = render_report_html(&report);
    // Whoever asked to stop while the page was put together does not want it either.
    if go_on().is_break() {
        return Err(stopped());
    }
    texts.write("--out", || page)?;
    if texts.take_the_answers_place() {
        return Ok(());
    }
    let written = Written {
        report: arguments.out.display().to_string(),
        data: name.clone(),
        n_queries: evaluation.n_queries,
        error_percent: evaluation.error_percent,
        nodes: evaluation.nodes,
    };
    context.answer(&written, |written| format!("{}\n", written.report))
}

/// What is told after Ctrl-C.
pub(super) fn stopped() -> anyhow::Error {
    anyhow::anyhow!("stopped; nothing was written")
}
