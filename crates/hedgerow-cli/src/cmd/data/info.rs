//! `hedgerow data info DATA`.

use clap::Args;
use hedgerow::PointKind;
use hedgerow::data::{Column, ConstantLabel, DataName, Dataset, ImageShape, LabelMeaning, Split, load_with};
use serde::Serialize;

use crate::context::Context;
use crate::dataset;
use crate::reading::ReadingArgs;
use crate::table::{Align, Table, bytes_text, facts_text};

/// Classes, and names of features, that the text shows; JSON has them all.
const MOST_SHOWN: usize = 30;

const EXAMPLES: &str = "\
Examples:
  hedgerow data info optdigits
  hedgerow data info 'moons?n=1000&noise=0.2'
  hedgerow data info flowers.csv --label-column species --missing drop
  cut -d, -f1-5 flowers.csv | hedgerow data info - --json";

/// Look at data: rows, features, classes, splits.
///
/// Whatever can be read is shown as every verb would read it, so this is the place to try the flags about reading files.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A name that `hedgerow data list` has, a file, a folder, or - for standard input.
    #[arg(value_name = "DATA")]
    data: String,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Serialize)]
struct Answer {
    name: String,
    kind: &'static str,
    rows: usize,
    features: usize,
    feature_type: &'static str,
    /// The smallest and largest value of any feature; none without rows.
    feature_range: Option<[f32; 2]>,
    /// None unless the names come from the data.
    feature_names: Option<Vec<String>>,
    image_shape: Option<ImageShape>,
    task: &'static str,
    label_column: Option<String>,
    classes: Vec<Class>,
    /// For regression: the smallest and largest label.
    label_range: Option<[f32; 2]>,
    unlabeled_rows: usize,
    splits: Counts,
    dropped_rows: usize,
    size_bytes: usize,
    attribution: Option<String>,
}

#[derive(Serialize)]
struct Class {
    name: String,
    rows: usize,
    splits: Counts,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    train: usize,
    validation: usize,
    test: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut options = arguments.reading.options();
    // Examples of a single class are data too, although no classifier can be fitted to them.
    options.constant_label = ConstantLabel::Allow;
    let kind = match DataName::parse(&arguments.data).map_err(dataset::with_hint)? {
        DataName::Optdigits => "embedded",
        DataName::Registered(_) => "registered",
        DataName::Synthetic(_) => "synthetic",
        DataName::StandardInput => "stream",
        _ => "path",
    };
    let dataset = load_with(&arguments.data, &options, &mut context.listener()).map_err(dataset::with_hint)?;
    context.answer(&Answer::of(&dataset, kind), text)
}

impl Answer {
    fn of(dataset: &Dataset, kind: &'static str) -> Self {
        let points = dataset.points();
        let feature_range = match (points.as_u8(), points.as_f32()) {
            (Some(bytes), _) => range(bytes.iter().map(|&byte| f32::from(byte))),
            (_, Some(values)) => range(values.iter().copied()),
            (None, None) => None,
        };
        let labels = dataset.labels();
        Self {
            name: dataset.name().to_owned(),
            kind,
            rows: dataset.len(),
            features: dataset.width(),
            feature_type: match points.kind() {
                PointKind::U8 => "u8",
                PointKind::F32 => "f32",
            },
            feature_range,
            feature_names: dataset.encoding().is_named().then(|| dataset.feature_names()),
            image_shape: dataset.image_shape(),
            task: match dataset.label_meaning() {
                Some(LabelMeaning::Classes) => "classify",
                Some(LabelMeaning::Values) => "regress",
                None => "retrieve",
            },
            label_column: dataset.schema().label_column.map(|column| match column {
                Column::Name(name) => name,
                Column::Number(number) => number.to_string(),
            }),
            classes: classes(dataset),
            label_range: range(labels.iter().filter_map(|label| label.as_value())),
            unlabeled_rows: labels
                .iter()
                .filter(|label| label.as_class().is_none() && label.as_value().is_none())
                .count(),
            splits: Counts::of(|split| dataset.rows(split).len()),
            dropped_rows: dataset.dropped_rows(),
            size_bytes: dataset.size_bytes(),
            attribution: dataset.attribution().map(str::to_owned),
        }
    }
}

impl Counts {
    fn of(count: impl Fn(Split) -> usize) -> Self {
        Self { train: count(Split::Train), validation: count(Split::Validation), test: count(Split::Test) }
    }

    fn get(self, split: Split) -> usize {
        match split {
            Split::Train => self.train,
            Split::Validation => self.validation,
            Split::Test => self.test,
        }
    }
}

/// How many rows each class has, in the order of the classes' numbers.
fn classes(dataset: &Dataset) -> Vec<Class> {
    let mut counts = vec![[0; Split::ALL.len()]; dataset.class_names().len()];
    for split in Split::ALL {
        for class in dataset.labels()[dataset.rows(split)].iter().filter_map(|label| label.as_class()) {
            counts[class.0 as usize][split as usize] += 1;
        }
    }
    let class = |(name, counts): (&String, [usize; Split::ALL.len()])| Class {
        name: name.clone(),
        rows: counts.iter().sum(),
        splits: Counts::of(|split| counts[split as usize]),
    };
    dataset.class_names().iter().zip(counts).map(class).collect()
}

fn range(values: impl Iterator<Item = f32>) -> Option<[f32; 2]> {
    values.fold(None, |range, value| match range {
        None => Some([value, value]),
        Some([least, most]) => Some([least.min(value), most.max(value)]),
    })
}

fn text(answer: &Answer) -> String {
    let mut lines =
        vec![("data", format!("{}, {} rows, {}", answer.name, answer.rows, bytes_text(answer.size_bytes as u64)))];
    let range = answer.feature_range.map_or_else(String::new, |[least, most]| format!(", {least} to {most}"));
    lines.push(("features", format!("{} of type {}{range}", answer.features, answer.feature_type)));
    if let Some(names) = &answer.feature_names {
        lines.push(("named", few(names)));
    }
    if let Some(shape) = answer.image_shape {
        lines.push(("pictures", format!("{} high, {} wide, channels: {}", shape.height, shape.width, shape.channels)));
    }
    lines.push(("labels", labels_text(answer)));
    if answer.unlabeled_rows > 0 && answer.task != "retrieve" {
        lines.push(("unlabeled", format!("{} rows", answer.unlabeled_rows)));
    }
    let used = Split::ALL.into_iter().filter(|split| answer.splits.get(*split) > 0);
    let splits: Vec<String> = used.clone().map(|split| format!("{split} {}", answer.splits.get(split))).collect();
    lines.push(("splits", splits.join(", ")));
    if answer.dropped_rows > 0 {
        lines.push(("left out", format!("{} rows that lack a value", answer.dropped_rows)));
    }
    if let Some(attribution) = &answer.attribution {
        lines.push(("whose", attribution.clone()));
    }
    let mut text = facts_text(&lines);
    if !answer.classes.is_empty() {
        text.push('\n');
        text += &classes_text(&answer.classes, &used.collect::<Vec<_>>());
    }
    text
}

fn labels_text(answer: &Answer) -> String {
    let column = answer.label_column.as_ref().map_or_else(String::new, |column| format!(", from column {column}"));
    match (answer.task, answer.label_range) {
        ("classify", _) => format!("{} classes{column}", answer.classes.len()),
        (_, Some([least, most])) => format!("values from {least} to {most}{column}"),
        _ => "none".to_owned(),
    }
}

fn classes_text(classes: &[Class], splits: &[Split]) -> String {
    let titles: Vec<String> = splits.iter().map(Split::to_string).collect();
    let mut columns = vec![("class", Align::Left), ("rows", Align::Right)];
    if splits.len() > 1 {
        columns.extend(titles.iter().map(|title| (title.as_str(), Align::Right)));
    }
    let mut table = Table::new(&columns);
    for class in classes.iter().take(MOST_SHOWN) {
        let of_splits = splits.iter().map(|split| class.splits.get(*split).to_string());
        table.row([class.name.clone(), class.rows.to_string()].into_iter().chain(of_splits));
    }
    let mut text = table.text();
    if classes.len() > MOST_SHOWN {
        text += &format!("and {} more: --json has them all\n", classes.len() - MOST_SHOWN);
    }
    text
}

fn few(names: &[String]) -> String {
    let mut text = names.iter().take(MOST_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST_SHOWN {
        text += &format!(", and {} more", names.len() - MOST_SHOWN);
    }
    text
}
