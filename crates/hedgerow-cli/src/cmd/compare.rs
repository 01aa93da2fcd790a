//! `compare`: methods side by side.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use hedgerow::comparison::{ComparisonRow, Contender, check_comparable, compete, default_contenders, learned};
use hedgerow::data::{Dataset, SplitParams, nearest_name};
use hedgerow::learn::Method;
use hedgerow_report::{Bar, BarsView, Column, Fact, Report, TableView, render_report_html};
use serde::Serialize;

use crate::context::Context;
use crate::dataset;
use crate::error::{WithHint, usage};
use crate::fitting::FitBar;
use crate::reading::ReadingArgs;
use crate::table::{Align, Table};
use crate::texts::Texts;

const EXAMPLES: &str = "\
Examples:
  hedgerow compare --data optdigits
  hedgerow compare --data flowers.csv --label-column species --seeds 5 --html flowers.html
  hedgerow compare --data optdigits --only \"exact 1-NN\" --method triplet --method dbt-v2 --csv -";

/// Fit several methods to the same rows and ask them about the same others.
///
/// Compared are exact 1-NN, a boundary tree, forest and set and Hart's condensed set on the features as they are, a classifier (NNet*),
/// and a boundary tree in the space that differentiable boundary sets learn (DBS); --method adds trees in spaces learned otherwise. Data without
/// rows for testing is divided.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The data, with labels that are classes: a file, a folder, or the name of a data set.
    #[arg(long, value_name = "DATA")]
    data: String,

    /// Of those above only this one, by its name in the table; may be given several times. [default: all]
    #[arg(long, value_name = "NAME", value_parser = contender)]
    only: Vec<Contender>,

    /// Also a boundary tree in the space that this method learns, with its defaults; may be given several times.
    #[arg(long, value_name = "METHOD", value_parser = PossibleValuesParser::new(Method::NAMES))]
    method: Vec<String>,

    /// How often each method is fitted, with the seeds from --seed on: means and spreads are over these.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,

    /// Share of the rows that is kept for testing, where the data has no rows for it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = test_share, allow_negative_numbers = true)]
    test_share: f64,

    /// Also write every single result as CSV; - for standard output, in the place of the table.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Also write a page with the table; - for standard output, in the place of the table.
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

/// A method over all seeds: means, and standard deviations over the seeds, of which one seed has none.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MethodResult {
    pub(crate) name: String,
    error_percent: f64,
    error_percent_spread: Option<f64>,
    n_stored: Option<f64>,
    n_stored_spread: Option<f64>,
    bytes: f64,
    bytes_spread: Option<f64>,
    fit_seconds: f64,
    fit_seconds_spread: Option<f64>,
    microseconds_per_query: f64,
    microseconds_per_query_spread: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let seeds = seeds(context.seed(), arguments.seeds)?;
    let contenders = chosen(arguments)?;
    let places = [("--csv", arguments.csv.as_deref()), ("--html", arguments.html.as_deref())];
    let mut texts = Texts::open(&places, context)?;
    let data = dataset::load(&arguments.data, &arguments.reading.options(), context)?;
    let data = with_tests(data, arguments.test_share, context)?;
    check_comparable(&data).hint("--label-column names the column of the classes")?;
    let mut rows = Vec::new();
    let n_runs = contenders.len() as u64 * arguments.seeds;
    for seed in seeds {
        for contender in &contenders {
            let mut bar = FitBar::new(context, format!("{} of {n_runs}, {}", rows.len() + 1, contender.name));
            let fitted = context.compute(|| compete(contender, seed, &data, &mut |event| bar.hear(event)))?;
            rows.push(fitted.with_context(|| format!("cannot fit {}", contender.name))?.0);
        }
    }
    let compared = summarize(&data, rows);
    texts.write("--csv", || csv(&compared.rows))?;
    texts.write("--html", || html(&compared))?;
    if texts.take_the_answers_place() {
        return Ok(());
    }
    context.answer(&compared, |compared| table(compared).text())
}

/// So many seeds, from the first on.
fn seeds(first: u64, n_seeds: u64) -> anyhow::Result<std::ops::RangeInclusive<u64>> {
    let last = first.checked_add(n_seeds - 1);
    let last = last.ok_or_else(|| {
        usage(format_args!("--seed {first} leaves no room for --seeds {n_seeds}: {} is the largest seed", u64::MAX))
    })?;
    Ok(first..=last)
}

/// One of those that are compared if nobody says, by its name.
fn contender(name: &str) -> Result<Contender, String> {
    let all = default_contenders();
    if let Some(found) = all.iter().find(|contender| contender.name == name) {
        return Ok(found.clone());
    }
    let names: Vec<&str> = all.iter().map(|contender| contender.name.as_str()).collect();
    let near = nearest_name(name, names.iter().copied());
    let meant = near.map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
    Err(format!("{meant}It is one of: {}. --method has others", names.join(", ")))
}

/// A share from which rows on both sides are left.
fn test_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("give a number between 0 and 1, such as 0.2".to_owned()),
    }
}

/// Those that were asked for, each once.
fn chosen(arguments: &Arguments) -> anyhow::Result<Vec<Contender>> {
    let mut chosen = if arguments.only.is_empty() { default_contenders() } else { Vec::new() };
    let mut add = |contender: Contender| {
        if !chosen.contains(&contender) {
            chosen.push(contender);
        }
    };
    arguments.only.iter().cloned().for_each(&mut add);
    for name in &arguments.method {
        add(learned(name.parse()?));
    }
    Ok(chosen)
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
        let of = |number: &dyn Fn(&ComparisonRow) -> f64| {
            mean_and_spread(&rows.iter().map(|row| number(row)).collect::<Vec<f64>>())
        };
        let (error_percent, error_percent_spread) = of(&|row| row.error_percent);
        let (bytes, bytes_spread) = of(&|row| row.bytes as f64);
        let (fit_seconds, fit_seconds_spread) = of(&|row| row.fit_seconds);
        let (microseconds_per_query, microseconds_per_query_spread) = of(&|row| row.microseconds_per_query);
        let stored: Option<Vec<f64>> = rows.iter().map(|row| row.n_stored.map(|n| n as f64)).collect();
        let stored = stored.map(|numbers| mean_and_spread(&numbers));
        MethodResult {
            error_percent,
            error_percent_spread,
            n_stored: stored.map(|(mean, _)| mean),
            n_stored_spread: stored.and_then(|(_, spread)| spread),
            bytes,
            bytes_spread,
            fit_seconds,
            fit_seconds_spread,
            microseconds_per_query,
            microseconds_per_query_spread,
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

/// The mean, and the standard deviation if there are several.
fn mean_and_spread(numbers: &[f64]) -> (f64, Option<f64>) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>();
    (mean, (numbers.len() > 1).then(|| (squares / (n - 1.0)).sqrt()))
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
    let with = |number: f64, spread: Option<f64>, decimals: usize| match spread {
        Some(spread) => format!("{number:.decimals$} ± {spread:.decimals$}"),
        None => format!("{number:.decimals$}"),
    };
    vec![
        method.name.clone(),
        with(method.error_percent, method.error_percent_spread, 2),
        method.n_stored.map_or("-".to_owned(), |stored| with(stored, method.n_stored_spread, 0)),
        with(method.bytes, method.bytes_spread, 0),
        with(method.fit_seconds, method.fit_seconds_spread, 2),
        with(method.microseconds_per_query, method.microseconds_per_query_spread, 1),
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
             median. Behind ± stands the standard deviation over seeds.",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_standard_deviations_of_a_sample() {
        // Mean 4; squares 4 + 0 + 4 over 2.
        assert_eq!(mean_and_spread(&[2.0, 4.0, 6.0]), (4.0, Some(2.0)));
        assert_eq!(mean_and_spread(&[7.0]), (7.0, None));
    }

    #[test]
    fn the_last_seed_is_the_largest_there_is() {
        assert_eq!(seeds(u64::MAX - 1, 2).expect("both are there"), u64::MAX - 1..=u64::MAX);
        assert!(seeds(u64::MAX, 2).is_err());
    }
}
