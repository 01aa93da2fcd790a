//! Building a tree and a forest, against plain trees that take one example at a time.
//!
//! Both sides must end up with the same nodes, in the same order. The plain forest is shown the examples in the orders of
//! ours, one tree after another, which is kinder to its cache than one example after another.

use std::cell::RefCell;

use hedgerow_core::{BoundaryForest, BoundaryForestParams, BoundaryTree, BoundaryTreeParams, NeighborSearch, TreeRef};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::table::Row;
use super::{RatioError, check_equal, pool};
use crate::interleaved::{Side, interleaved, timed};
use crate::plain::{FloatSum, IntegerSum, PlainDistance, PlainTree};
use crate::synthetic::{SEED, Scalar, Synthetic};

const WIDTH: usize = 784;
const EXAMPLES: usize = 5000;
const TREES: usize = 10;
const CHILDREN: usize = 50;
const FOREST_TARGET: f64 = 5.0;

pub(super) fn measure(repeats: usize) -> Result<Vec<Row>, RatioError> {
    let data = Synthetic::new(WIDTH, EXAMPLES, SEED);
    let mut rows = Vec::new();
    rows.extend(compare::<f32, _>(&data, FloatSum, "one at a time, scalar loop", repeats)?);
    rows.extend(compare::<u8, _>(&data, FloatSum, "one at a time, scalar loop summed in f32", repeats)?);
    rows.extend(compare::<u8, _>(
        &data,
        IntegerSum,
        "one at a time, integer loop vectorised by the compiler",
        repeats,
    )?);
    Ok(rows)
}

fn compare<T: Scalar, D: PlainDistance<T>>(
    data: &Synthetic,
    distance: D,
    against: &'static str,
    repeats: usize,
) -> Result<Vec<Row>, RatioError> {
    let mut rows = compare_structure::<T, D>(data, distance, against, 1, repeats)?;
    rows.extend(compare_structure::<T, D>(data, distance, against, TREES, repeats)?);
    Ok(rows)
}

/// Ours: `n_trees` is 1 for a tree.
fn build<T: Scalar>(data: &Synthetic, n_trees: usize) -> Result<Box<dyn Trees>, RatioError> {
    let tree = BoundaryTreeParams::default().max_children(CHILDREN);
    let mut built: Box<dyn Trees> = match n_trees {
        1 => Box::new(tree.build()?),
        n_trees => Box::new(BoundaryForestParams::default().tree(tree).n_trees(n_trees).build()?),
    };
    built.insert_all(&data.first(EXAMPLES, T::KIND))?;
    Ok(built)
}

/// A tree or a forest.
trait Trees: NeighborSearch {
    fn each(&self) -> Vec<TreeRef<'_>>;
}

impl Trees for BoundaryTree {
    fn each(&self) -> Vec<TreeRef<'_>> {
        vec![self.tree()]
    }
}

impl Trees for BoundaryForest {
    fn each(&self) -> Vec<TreeRef<'_>> {
        self.trees().collect()
    }
}

/// The examples that are nodes, tree by tree.
fn nodes_of(trees: &dyn Trees) -> Vec<Vec<usize>> {
    let nodes = |tree: &TreeRef<'_>| tree.nodes().map(|node| tree.id(node).0 as usize).collect();
    trees.each().iter().map(nodes).collect()
}

fn compare_structure<T: Scalar, D: PlainDistance<T>>(
    data: &Synthetic,
    distance: D,
    against: &'static str,
    n_trees: usize,
    repeats: usize,
) -> Result<Vec<Row>, RatioError> {
    let (kind, name) = (T::KIND, if n_trees == 1 { "tree" } else { "forest" });
    let what = format!("{name} insertion {kind}");
    eprintln!("{what}, {against}");
    let reference = build::<T>(data, n_trees)?;
    let nodes = nodes_of(&*reference);
    let orders = reference.each().iter().map(|tree| tree.shown().map(|id| id.0 as usize).collect()).collect::<Vec<_>>();

    let plain_tree = |order: &Vec<usize>| {
        let mut tree = PlainTree::new(T::values(data), data.labels(), WIDTH, distance, CHILDREN);
        order.iter().for_each(|row| tree.insert(*row));
        tree.rows().collect::<Vec<_>>()
    };
    let (one, two) = (pool(1)?, pool(2)?);
    let checked = RefCell::new(Ok(()));
    let check = |built: Result<Vec<Vec<usize>>, RatioError>| {
        let check = built.and_then(|built| check_equal(&format!("{what}, nodes"), &nodes, &built));
        if let Err(error) = check {
            *checked.borrow_mut() = Err(error);
        }
    };
    let per_example = |nanoseconds: f64| nanoseconds / EXAMPLES as f64;
    let ours = |pool: &ThreadPool| {
        let (built, nanoseconds) = timed(|| pool.install(|| build::<T>(data, n_trees)));
        check(built.map(|built| nodes_of(&*built)));
        per_example(nanoseconds)
    };
    let plain = |pool: &ThreadPool| {
        let (built, nanoseconds) = timed(|| pool.install(|| orders.par_iter().map(plain_tree).collect::<Vec<_>>()));
        check(Ok(built));
        per_example(nanoseconds)
    };
    let (mut ours_on_one, mut ours_on_two) = (|_| ours(&one), |_| ours(&two));
    let (mut plain_on_one, mut plain_on_two) = (|_| plain(&one), |_| plain(&two));
    let mut sides: Vec<Side<'_>> = vec![&mut ours_on_one, &mut ours_on_two, &mut plain_on_one];
    // Trees of a forest can be built side by side in the plain way too; one tree cannot.
    if n_trees > 1 {
        sides.push(&mut plain_on_two);
    }
    let times = interleaved(repeats, &mut sides);
    checked.into_inner()?;
    let stored = nodes.iter().map(Vec::len).sum::<usize>();
    let sizes = match n_trees {
        1 => format!("d = {WIDTH}, n = {EXAMPLES}, {stored} nodes"),
        _ => format!("d = {WIDTH}, n = {EXAMPLES}, {n_trees} trees, {stored} nodes"),
    };
    let row = |ours: usize, other: usize, threads: [usize; 2]| Row {
        what: what.clone(),
        against,
        sizes: sizes.clone(),
        threads,
        per: "example",
        ours: times[ours].clone(),
        other: times[other].clone(),
        target: (n_trees > 1).then_some(FOREST_TARGET),
    };
    let mut rows = vec![row(0, 2, [1, 1]), row(1, 2, [2, 1])];
    if n_trees > 1 {
        rows.push(row(1, 3, [2, 2]));
    }
    Ok(rows)
}
