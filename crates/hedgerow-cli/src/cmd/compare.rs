//! `compare`: methods side by side.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use hedgerow::comparison::{ComparisonRow, Contender, compete, default_contenders};
use hedgerow::data::write::write_file;
use hedgerow::data::{Dataset, SplitParams, nearest_name};
use hedgerow_report::{Bar, BarsView, Column, Fact, Report, TableView, render_report_html};
use serde::Serialize;

use crate::context::Context;
use crate::dataset;
use crate::fitting::FitBar;
use crate::reading::ReadingArgs;
use crate::table::{Align, Table};

/// Fit several methods to the same rows and ask them about the same others.
///
/// Compared are exact 1-NN, a boundary tree, forest and set and Hart's condensed set on the features as they are, a classifier (NNet*),
/// and a boundary tree in the space that differentiable boundary sets learn (DBS). Data without rows for testing is divided.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The data, with labels that are classes: a file, a folder, or the name of a data set.
    #[arg(long, value_name = "DATA")]
    data: String,

    /// Only these methods, by their names in the table; may be given several times. [default: all]
    #[arg(long, value_name = "METHOD")]
    only: Vec<String>,

    /// How often each method is fitted, with the seeds from --seed on: means and spreads are over these.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,

    /// Share of the rows that is kept for testing, where the data has no rows for it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    test_share: f64,

    /// Also write every single result as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Also write a page with the table.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// What `--json` gives.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    pub(crate) data: String,
    pub(crate) n_train: usize,
    pub(crate) n_test: usize,
    pub(crate) methods: Vec<MethodResult>,
    pub(crate) rows: Vec<ComparisonRow>,
}

/// A method over all seeds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MethodResult {
    pub(crate) name: String,
    pub(crate) error_percent: f64,
    /// Standard deviation over the seeds; none of one seed.
    pub(crate) error_percent_spread: Option<f64>,
    pub(crate) n_stored: Option<f64>,
    pub(crate) bytes: f64,
    pub(crate) fit_seconds: f64,
    pub(crate) microseconds_per_query: f64,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let contenders = chosen(&arguments.only)?;
    let data = dataset::load(&arguments.data, &arguments.reading.options(), context)?;
    let data = with_tests(data, arguments.test_share, context)?;
    let mut rows = Vec::new();
    let n_runs = contenders.len() as u64 * arguments.seeds;
    for seed in context.seed()..context.seed() + arguments.seeds {
        for contender in &contenders {
            let mut bar = FitBar::new(context, format!("{} of {n_runs}, {}", rows.len() + 1, contender.name));
            let tests = data.test();
            let fitted = context.compute(|| compete(contender, seed, &data, &tests, &mut |event| bar.hear(event)))?;
            rows.push(fitted.with_context(|| format!("cannot fit {}", contender.name))?.0);
        }
    }
    let compared = summarize(&data, rows);
    if let Some(path) = &arguments.csv {
        write_file(path, csv(&compared.rows).as_bytes())?;
    }
    if let Some(path) = &arguments.html {
        write_file(path, html(&compared).as_bytes())?;
    }
    context.answer(&compared, |compared| table(compared).text())
}

/// Those that were named.
fn chosen(only: &[String]) -> anyhow::Result<Vec<Contender>> {
    let all = default_contenders();
    for name in only {
        if !all.iter().any(|contender| contender.name == *name) {
            let names: Vec<&str> = all.iter().map(|contender| contender.name.as_str()).collect();
            let meant = nearest_name(name, names.iter().copied())
                .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            bail!("there is no method \"{name}\"{meant} The methods are {}", names.join(", "));
        }
    }
    Ok(all.into_iter().filter(|contender| only.is_empty() || only.contains(&contender.name)).collect())
}

/// The data with rows for testing.
pub(crate) fn with_tests(data: Dataset, share: f64, context: &Context) -> anyhow::Result<Dataset> {
    if !data.test().is_empty() {
        return Ok(data);
    }
    let data = data.split(&SplitParams { validation: 0.0, test: share, seed: context.seed() })?;
    context.note(format_args!("{} rows are kept for testing", data.test().len()));
    Ok(data)
}

/// Means over the seeds, in the order of the contenders.
pub(crate) fn summarize(data: &Dataset, rows: Vec<ComparisonRow>) -> Compared {
    let mut names: Vec<String> = Vec::new();
    for row in &rows {
        if !names.contains(&row.name) {
            names.push(row.name.clone());
        }
    }
    let method = |name: String| {
        let rows: Vec<&ComparisonRow> = rows.iter().filter(|row| row.name == name).collect();
        let n = rows.len() as f64;
        let mean = |of: &dyn Fn(&ComparisonRow) -> f64| rows.iter().map(|row| of(row)).sum::<f64>() / n;
        let error_percent = mean(&|row| row.error_percent);
        let squares = rows.iter().map(|row| (row.error_percent - error_percent).powi(2)).sum::<f64>();
        MethodResult {
            error_percent,
            error_percent_spread: (rows.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
            n_stored: rows[0].n_stored.map(|_| mean(&|row| row.n_stored.unwrap_or(0) as f64)),
            bytes: mean(&|row| row.bytes as f64),
            fit_seconds: mean(&|row| row.fit_seconds),
            microseconds_per_query: mean(&|row| row.microseconds_per_query),
            name,
        }
    };
    Compared {
        data: data.name().to_owned(),
        n_train: data.train().len(),
        n_test: data.test().len(),
        methods: names.into_iter().map(method).collect(),
        rows,
    }
}

const TITLES: [(&str, Align); 6] = [
    ("method", Align::Left),
    ("error %", Align::Right),
    ("stored examples", Align::Right),
    ("bytes", Align::Right),
    ("fit s", Align::Right),
    ("us per query", Align::Right),
];

fn cells(method: &MethodResult) -> Vec<String> {
    let spread = method.error_percent_spread.map_or(String::new(), |spread| format!(" ± {spread:.2}"));
    vec![
        method.name.clone(),
        format!("{:.2}{spread}", method.error_percent),
        method.n_stored.map_or("-".to_owned(), |n| format!("{n:.0}")),
        format!("{:.0}", method.bytes),
        format!("{:.2}", method.fit_seconds),
        format!("{:.1}", method.microseconds_per_query),
    ]
}

/// The table as text.
pub(crate) fn table(compared: &Compared) -> Table {
    let mut table = Table::new(&TITLES);
    compared.methods.iter().for_each(|method| table.row(cells(method)));
    table
}

/// The table for a page.
pub(crate) fn table_view(compared: &Compared) -> TableView {
    let column = |(title, align): &(&str, Align)| match align {
        Align::Left => Column::left(*title),
        Align::Right => Column::right(*title),
    };
    TableView {
        title: "Methods side by side".to_owned(),
        note: Some(format!(
            "Fitted to {} examples, asked about {} others. Bytes are what answering needs; a query is asked alone, its time is the \
             median.",
            compared.n_train, compared.n_test
        )),
        columns: TITLES.iter().map(column).collect(),
        rows: compared.methods.iter().map(cells).collect(),
        marked_row: compared.methods.iter().position(|method| method.name.starts_with("DBS")),
    }
}

fn html(compared: &Compared) -> String {
    let bars = |title: &str, unit: &str, of: &dyn Fn(&MethodResult) -> Option<f64>| BarsView {
        title: title.to_owned(),
        unit: unit.to_owned(),
        bars: compared
            .methods
            .iter()
            .filter_map(|method| Some(Bar { name: method.name.clone(), value: of(method)? }))
            .collect(),
    };
    render_report_html(&Report {
        title: format!("Methods on {}", compared.data),
        comparisons: vec![table_view(compared)],
        bars: vec![
            bars("Error", "%", &|method| Some(method.error_percent)),
            bars("Stored examples", "", &|method| method.n_stored),
        ],
        data: vec![
            Fact::new("data", compared.data.clone()),
            Fact::new("training examples", compared.n_train.to_string()),
            Fact::new("test examples", compared.n_test.to_string()),
        ],
        ..Report::default()
    })
}

fn csv(rows: &[ComparisonRow]) -> String {
    let mut text = String::from("method,seed,error_percent,n_stored,bytes,fit_seconds,microseconds_per_query\n");
    for row in rows {
        let stored = row.n_stored.map_or(String::new(), |n| n.to_string());
        text += &format!(
            "\"{}\",{},{},{stored},{},{},{}\n",
            row.name, row.seed, row.error_percent, row.bytes, row.fit_seconds, row.microseconds_per_query
        );
    }
    text
}
