//! `hedgerow embed MODEL --data DATA`.

use std::path::PathBuf;

use clap::Args;
use hedgerow::data::RowIds;
use hedgerow::data::write::{ColumnData, Frame, WriteFormat};
use hedgerow::{PointKind, Points};
use serde::Serialize;

use crate::context::Context;
use crate::model;
use crate::output::OutputArgs;
use crate::queries::{Block, QueryArgs};

const EXAMPLES: &str = "\
Examples:
  hedgerow embed digits --data optdigits --split test --out test.npy
  hedgerow embed flowers.model --data new.csv --out new.parquet
  hedgerow embed flowers.model --data - --json < new.csv";

/// Give the representation of each row: the numbers that distances are measured between.
///
/// A table with the id of each row (from its id column, else its number from 0) and `representation`: one column
/// `representation[0]`, `representation[1]`, ... for each number in CSV and TSV, a list in JSON Lines and Parquet. NPY has the numbers
/// alone. Without a learned representation they are the features, scaled as for the model. Constant memory, but NPY on standard output is kept
/// until the end.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    queries: QueryArgs,
}

#[derive(Serialize)]
struct Width {
    width: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let model = model::load(&arguments.model)?;
    let mut output = arguments.output.open(context)?;
    let with_ids = output.format() != WriteFormat::Npy;
    let none = match model.data().bytes {
        true => Points::from_u8(model.data().n_features, Vec::new())?,
        false => Points::from_f32(model.data().n_features, Vec::new())?,
    };
    let none = model.embed(none.view())?;
    let width = none.width();
    let mut is_begun = false;
    arguments.queries.for_each(&model, width, context, |block| {
        let representations = context.compute(|| model.embed(block.points.view()))??;
        is_begun = true;
        output.write(&frame(block, &representations, with_ids)?)
    })?;
    if !is_begun {
        let nothing = Block { points: none.clone(), ids: RowIds::counted(0) };
        output.write(&frame(&nothing, &none, with_ids)?)?;
    }
    output.finish(context, &Width { width }, "")
}

fn frame(block: &Block, representations: &Points, with_ids: bool) -> anyhow::Result<Frame> {
    let (width, points) = (representations.width(), representations.view());
    let numbers = match points.kind() {
        PointKind::F32 => ColumnData::Vector { width, values: points.as_f32().unwrap_or_default().to_vec() },
        PointKind::U8 => ColumnData::VectorU8 { width, values: points.as_u8().unwrap_or_default().to_vec() },
    };
    let numbers = ("representation".to_owned(), numbers);
    let columns = if with_ids { vec![("id".to_owned(), block.id_column(1)), numbers] } else { vec![numbers] };
    Ok(Frame::new(columns)?)
}
