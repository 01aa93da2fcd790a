//! `hedgerow neighbors MODEL --data DATA -k K`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use hedgerow::data::RowIds;
use hedgerow::data::write::{ColumnData, Frame, WriteFormat};
use hedgerow::{Effort, Model, Neighbor, Points};
use serde::Serialize;

use crate::context::Context;
use crate::model;
use crate::output::OutputArgs;
use crate::queries::{Block, QueryArgs};

const EXAMPLES: &str = "\
Examples:
  hedgerow neighbors digits --data optdigits --split test -k 3
  hedgerow neighbors digits --data optdigits --split test -k 3 --effort full
  hedgerow neighbors flowers.model --data new.csv --json | jq -r .source";

/// Find the stored examples nearest to each row.
///
/// A table with K rows for each row of the data, nearest first: query (its id, from the id column, else its number from 0), rank
/// from 1, example (the id under which the model knows it), source (where it came from), label and distance. If the model stores fewer examples
/// there are fewer rows. NPY has the ids of the examples alone, a row for each query.
///
/// Of a set or of all examples (`--structure set`, `knn`) they are the nearest; in trees, the nearest of those looked at: --effort says how many.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Neighbors of each row.
    #[arg(short = 'k', long = "neighbors", value_name = "K", default_value = "5")]
    n_neighbors: NonZeroUsize,

    /// How much further than the first walk to search trees, in nodes whose children are looked at; `full` looks at all, and is exact.
    #[arg(long, value_name = "N|full", default_value = "0", value_parser = effort)]
    effort: Effort,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    queries: QueryArgs,
}

fn effort(text: &str) -> Result<Effort, String> {
    match text.parse() {
        _ if text == "full" => Ok(Effort::FULL),
        Ok(nodes) => Ok(Effort(nodes)),
        Err(_) => Err("give a number of nodes, or `full`".to_owned()),
    }
}

#[derive(Serialize)]
struct Counts {
    queries: u64,
    neighbors: usize,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let model = model::load(&arguments.model)?;
    let mut output = arguments.output.open(context)?;
    let k = arguments.n_neighbors.get().min(model.search().n_stored().max(1));
    let frame = match output.format() {
        WriteFormat::Npy => ids_frame,
        _ => frame,
    };
    let mut is_begun = false;
    let queries = arguments.queries.for_each(&model, k, context, |block| {
        let neighbors = context.compute(|| model.neighbors(block.points.view(), k, arguments.effort))??;
        is_begun = true;
        output.write(&frame(&model, block, &neighbors, k)?)
    })?;
    if !is_begun {
        let nothing = Block { points: Points::from_f32(1, Vec::new())?, ids: RowIds::counted(0) };
        output.write(&frame(&model, &nothing, &[], k)?)?;
    }
    output.finish(context, &Counts { queries, neighbors: k }, "")
}

fn frame(model: &Model, block: &Block, neighbors: &[Vec<Neighbor>], k: usize) -> anyhow::Result<Frame> {
    let all = || neighbors.iter().flatten();
    let texts = |text: &dyn Fn(&Neighbor) -> String| ColumnData::Text(all().map(text).collect());
    let ranks = neighbors.iter().flat_map(|of_one| 1..=of_one.len() as i64).collect();
    Ok(Frame::new(vec![
        ("query".to_owned(), block.id_column(k)),
        ("rank".to_owned(), ColumnData::Integer(ranks)),
        ("example".to_owned(), ColumnData::Integer(all().map(number).collect())),
        ("source".to_owned(), texts(&|neighbor| model.source_text(neighbor.id))),
        ("label".to_owned(), texts(&|neighbor| model.label_text(neighbor.label))),
        ("distance".to_owned(), ColumnData::Number(all().map(|neighbor| neighbor.distance as f32).collect())),
    ])?)
}

/// The ids alone: a column for each rank.
fn ids_frame(_: &Model, _: &Block, neighbors: &[Vec<Neighbor>], k: usize) -> anyhow::Result<Frame> {
    let of_rank = |rank: usize| {
        let ids = neighbors.iter().map(|of_one| of_one.get(rank).map_or(-1, number)).collect();
        ((rank + 1).to_string(), ColumnData::Integer(ids))
    };
    Ok(Frame::new((0..k).map(of_rank).collect())?)
}

fn number(neighbor: &Neighbor) -> i64 {
    i64::try_from(neighbor.id.0).unwrap_or(i64::MAX)
}
