//! `hedgerow add MODEL`: examples and classes that a model learns after it was fitted.

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use clap::Args;
use hedgerow::data::{Dataset, Split};
use hedgerow::{Addition, ExampleId, Insertion, Label, Model, Points, Task};
use hedgerow_report::tame;
use serde::Serialize;

use super::changes::{Place, changes_text, count, make};
use crate::context::Context;
use crate::error::{Hinted, usage};
use crate::queries::MatchingArgs;
use crate::{model, typed};

/// Examples that are told one by one in text; of more, the counts.
const MOST_SHOWN: usize = 10;

const EXAMPLES: &str = "\
Examples:
  hedgerow add MODEL --data new.csv
  hedgerow add MODEL --data scans.npy --label 7 --note 'checked by hand'
  hedgerow add MODEL --values 5.1,3.5,red --label rose
  generate | hedgerow add MODEL --data - --json";

/// Add examples to a model: it learns them, and new classes, at once.
///
/// All rows are added, or none. When the command ends with 0 they are on the disk, and every later answer goes by them. The
/// representation stays as it was learned. An example is stored if the nearest stored example that the structure finds has another label; else
/// it is redundant, and remembered only so that others can be removed exactly.
///
/// Every change makes loading the model a little slower; `hedgerow replay MODEL --fold` undoes that.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
// Elsewhere --label is another name of --label-column; here it is a label.
#[command(mut_arg("label_column", |argument| argument.visible_alias(None)))]
#[command(group(clap::ArgGroup::new("what").required(true).args(["data", "values"])))]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// The examples: a file or a folder, - for standard input, or a name that `hedgerow data list` has. It is read as the model's
    /// own data was: the same columns, by name.
    #[arg(long, short, value_name = "DATA")]
    data: Option<String>,

    /// One example: its values in the order of the model's columns, with commas between them.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    values: Option<String>,

    /// The label of all these examples, whatever the data says. One that the model does not know is a new class.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    label: Option<String>,

    /// Only the rows of this split of the data.
    #[arg(long, value_name = "SPLIT", value_parser = ["train", "validation", "test"], conflicts_with = "values")]
    split: Option<String>,

    /// The id that an example gets: as often as there are rows, or with commas between them; none of a training row. [default: the next ones]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    id: Vec<u64>,

    /// What people should know of this, kept in the history.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    matching: MatchingArgs,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    added: usize,
    stored: usize,
    redundant: usize,
    new_classes: Vec<String>,
    first_change: Option<u64>,
    last_change: Option<u64>,
    /// Stored examples of the model now.
    nodes: usize,
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Example {
    id: u64,
    /// Its row in the data.
    row: String,
    label: Option<String>,
    /// Whether it is stored, or redundant.
    stored: bool,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut model = model::open(&arguments.model)?;
    let rows = Rows::of(arguments, &model, context)?;
    if !arguments.id.is_empty() && arguments.id.len() != rows.len() {
        return Err(usage(format_args!(
            "{} and {}; give one --id for each row, or none",
            count(arguments.id.len(), "id"),
            count(rows.len(), "row")
        )));
    }
    if context.is_interrupted() {
        bail!("stopped; nothing was added");
    }
    let additions: Vec<Addition<'_>> = (0..rows.len())
        .map(|row| Addition {
            point: rows.points.row(row),
            label: rows.labels[row].as_deref(),
            id: arguments.id.get(row).copied().map(ExampleId),
            note: arguments.note.as_deref(),
        })
        .collect();
    let known = model.class_names().len();
    let inserted = make(&arguments.model, &mut model, context, |model| model.insert(&additions))?;
    let examples: Vec<Example> = inserted
        .iter()
        .enumerate()
        .map(|(row, inserted)| Example {
            id: inserted.id.0,
            row: rows.names[row].clone(),
            label: rows.labels[row].clone(),
            stored: inserted.insertion == Insertion::Added,
        })
        .collect();
    let place = Place::of(&arguments.model, &model, examples.len());
    let stored = examples.iter().filter(|example| example.stored).count();
    // Others may have added classes in between: those of these examples count.
    let new_classes = model.class_names().iter().skip(known);
    let new_classes = new_classes.filter(|class| examples.iter().any(|example| example.label.as_ref() == Some(class)));
    let answer = Answer {
        new_classes: new_classes.cloned().collect(),
        added: examples.len(),
        stored,
        redundant: examples.len() - stored,
        first_change: place.first_change,
        last_change: place.last_change,
        nodes: place.nodes,
        model: place.model,
        examples,
    };
    let done = format!("added as {}", changes_text(answer.first_change, answer.last_change));
    context.answer_done(done, &answer, text);
    Ok(())
}

/// Examples to be added.
struct Rows {
    points: Points,
    labels: Vec<Option<String>>,
    names: Vec<String>,
}

impl Rows {
    fn of(arguments: &Arguments, model: &Model, context: &Context) -> anyhow::Result<Self> {
        let data = match (&arguments.data, &arguments.values) {
            (Some(name), _) => arguments.matching.load(model, name, context)?,
            (None, values) => typed::read(values.as_deref().unwrap_or_default(), model, &arguments.matching)?,
        };
        let split = arguments.split.as_deref().and_then(|name| Split::ALL.into_iter().find(|s| s.to_string() == name));
        let rows = split.map_or(0..data.len(), |split| data.rows(split));
        if rows.is_empty() {
            let of = split.map_or_else(String::new, |split| format!(" of the split {split}"));
            bail!("{} has no rows{of}; nothing was added", data.name());
        }
        let label = |row: usize| match (&arguments.label, data.labels()[row]) {
            (Some(label), _) => Ok(Some(label.clone())),
            (None, Label::Unlabeled) if model.task() == Task::Retrieval => Ok(None),
            (None, Label::Unlabeled) => Err(no_label(&data, row)),
            (None, label) => Ok(Some(data.label_text(label))),
        };
        Ok(Self {
            labels: rows.clone().map(label).collect::<Result<_, _>>()?,
            names: rows.clone().map(|row| data.row_ids().text(row)).collect(),
            points: data.points().slice(rows).to_owned(),
        })
    }

    fn len(&self) -> usize {
        self.names.len()
    }
}

fn no_label(data: &Dataset, row: usize) -> anyhow::Error {
    let error = anyhow!("row {} of {} has no label; nothing was added", data.row_ids().text(row), data.name());
    Hinted::new(error, "give all rows one by --label, or name the column that has them by --label-column").into()
}

fn text(answer: &Answer) -> String {
    let mut text = String::new();
    if answer.examples.len() <= MOST_SHOWN {
        for Example { id, row, label, stored } in &answer.examples {
            let label = label.as_ref().map_or_else(String::new, |label| format!(", {}", tame(label)));
            let became =
                if *stored { "stored" } else { "redundant: the nearest that is stored has this label already" };
            text += &format!("example {id} (row {}{label}): {became}\n", tame(row));
        }
    }
    if !answer.new_classes.is_empty() {
        text += &format!("new: {}\n", tame(&answer.new_classes.join(", ")));
    }
    text += &format!(
        "added {}: {} stored, {} redundant; {}; the model stores {} now\n",
        count(answer.added, "example"),
        answer.stored,
        answer.redundant,
        changes_text(answer.first_change, answer.last_change),
        count(answer.nodes, "example"),
    );
    text
}
