//! `hedgerow inspect MODEL`.
//!
//! `facts.rs` has what is told of the model as a whole, `nodes.rs` its stored examples.

mod facts;
mod nodes;

use std::path::PathBuf;

use clap::Args;
use hedgerow::Model;
use hedgerow_report::to_dot;
use serde::Serialize;

use crate::context::Context;
use crate::error::usage;
use crate::model;
use facts::Facts;
use nodes::Node;

const EXAMPLES: &str = "\
Examples:
  hedgerow inspect digits
  hedgerow inspect digits --limit 500
  hedgerow inspect digits --json | jq '.nodes[] | select(.label == \"7\") | .source'
  hedgerow inspect digits --dot | dot -Tsvg > tree.svg";

/// Look into a model: what it is, and the examples that it stores.
///
/// The text shows the tree, each node below its parent; --json has every node with its representation, and everything that the model was
/// fitted with.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder of the model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Which tree of a forest to show, from 0. [default: 0]
    #[arg(long, value_name = "N")]
    tree: Option<usize>,

    /// Nodes that the text shows at most: those that came first.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,

    /// Print the tree in the language of Graphviz instead.
    #[arg(long)]
    dot: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    facts: Facts<'a>,
    /// Which tree the nodes are of; none for a set and knn.
    tree: Option<usize>,
    nodes: Vec<Node<'a>>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    if arguments.dot && context.is_json() {
        return Err(usage("--dot and --json are two languages for one answer; leave one of them out"));
    }
    let model = model::load(&arguments.model)?;
    let tree = which_tree(&model, arguments)?;
    let nodes = nodes::of(&model, tree);
    if arguments.dot {
        return context.print(&to_dot(&nodes::view(&nodes)));
    }
    let answer = Answer { facts: Facts::of(&model, &arguments.model)?, tree, nodes };
    context.answer(&answer, |answer| {
        let nodes = nodes::text(&answer.nodes, answer.tree.is_some(), arguments.limit);
        format!("{}\n{}{nodes}", answer.facts.text(&model), heading(answer))
    })
}

/// What stands above the nodes of one tree of several.
fn heading(answer: &Answer<'_>) -> String {
    match (answer.tree, answer.facts.n_trees) {
        (Some(tree), n_trees) if n_trees > 1 => format!("tree {tree} of {n_trees}, {} nodes:\n", answer.nodes.len()),
        _ => String::new(),
    }
}

/// The tree to show; nothing if the structure has none.
fn which_tree(model: &Model, arguments: &Arguments) -> anyhow::Result<Option<usize>> {
    let (n_trees, name) = (model.structure().trees().len(), model.params().structure.name());
    match (n_trees, arguments.tree) {
        (0, Some(_)) => Err(usage(format_args!("--tree is of forests, and this model is a {name}; leave it out"))),
        (0, None) if arguments.dot => {
            Err(usage(format_args!("--dot draws trees, and this model is a {name}; --json lists its examples")))
        }
        (0, None) => Ok(None),
        (1, Some(tree)) if tree > 0 => {
            Err(usage(format_args!("there is no tree {tree}: this model has one, tree 0; leave --tree out")))
        }
        (n, Some(tree)) if tree >= n => {
            Err(usage(format_args!("there is no tree {tree} in this {name}; give --tree from 0 to {}", n - 1)))
        }
        (_, tree) => Ok(Some(tree.unwrap_or(0))),
    }
}
