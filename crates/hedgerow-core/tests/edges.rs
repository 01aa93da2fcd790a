//! What happens at the edges: absurd numbers, ids that run out, streams without a history, effort.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Distance, Effort, ExampleId, Examples, History,
    InsertError, Label, LinearScanParams, NeighborSearch, ParamError, Point, Points, Task,
};

fn structures(history: History) -> Vec<Box<dyn NeighborSearch>> {
    let tree = BoundaryTreeParams::default().history(history);
    vec![
        Box::new(BoundarySetParams::default().history(history).build().unwrap()),
        Box::new(tree.clone().build().unwrap()),
        Box::new(BoundaryForestParams::default().tree(tree).n_trees(3).build().unwrap()),
    ]
}

/// Points on a line, whose classes change every few points.
fn line(n: usize) -> (Points, Vec<Label>) {
    let points = Points::from_f32(1, (0..n).map(|i| (i * 37 % n) as f32).collect()).unwrap();
    let labels = (0..n).map(|i| Label::class((i * 37 % n / 5 % 3) as u32)).collect();
    (points, labels)
}

#[test]
fn absurd_numbers_of_trees_are_refused() {
    for n_trees in [usize::MAX, 1 << 17] {
        let refused = BoundaryForestParams::default().n_trees(n_trees).build();
        assert_eq!(refused, Err(ParamError::TooManyTrees { n_trees }));
    }
    assert!(BoundaryForestParams::default().n_trees(1000).build().is_ok());
}

#[test]
fn ids_that_would_wrap_around_are_refused() {
    let (points, labels) = line(3);
    let examples = Examples::new(points.view(), &labels).unwrap();
    let mut scan = LinearScanParams::default().build().unwrap();
    let refused = scan.insert_all(&examples.starting_at(ExampleId(u64::MAX - 1)));
    assert_eq!(refused, Err(InsertError::IdsRunOut { first: ExampleId(u64::MAX - 1), len: 3 }));
    assert_eq!(scan.insert_all(&examples.starting_at(ExampleId(u64::MAX - 2))), Ok(3));
}

#[test]
fn a_stream_without_history_stores_what_one_with_history_stores() {
    let (points, labels) = line(400);
    for (mut full, mut lean) in structures(History::Full).into_iter().zip(structures(History::NodesOnly)) {
        for (row, &label) in labels.iter().enumerate() {
            let id = ExampleId(1000 - row as u64);
            let shown = full.insert(id, points.row(row), label).unwrap();
            assert_eq!(lean.insert(id, points.row(row), label), Ok(shown));
        }
        assert_eq!(lean.stored_ids(), full.stored_ids());
        assert_eq!(lean.n_shown(), full.n_shown());
        for query in [-3.0, 0.25, 77.5, 200.0, 1e6] {
            let query = [query];
            assert_eq!(lean.voters(Point::F32(&query)), full.voters(Point::F32(&query)));
            assert_eq!(lean.traverse(Point::F32(&query)), full.traverse(Point::F32(&query)));
        }
    }
}

#[test]
fn examples_shown_are_counted_alike_after_a_lossy_removal() {
    for mut structure in structures(History::NodesOnly) {
        for id in 0..5 {
            structure.insert(ExampleId(id), Point::F32(&[id as f32]), Label::class(0)).unwrap();
        }
        let stored = structure.stored_ids();
        for id in &stored {
            structure.remove_lossy(*id).unwrap();
        }
        assert_eq!(structure.n_stored(), 0);
        assert_eq!(structure.n_shown(), 5 - stored.len());
    }
}

#[test]
fn many_queries_find_the_neighbors_that_each_finds_alone() {
    let (points, labels) = line(300);
    let queries = Points::from_f32(1, (0..40).map(|i| i as f32 * 7.5 - 10.0).collect()).unwrap();
    let mut all = structures(History::Full);
    all.push(Box::new(LinearScanParams::default().build().unwrap()));
    for mut structure in all {
        structure.insert_all(&Examples::new(points.view(), &labels).unwrap()).unwrap();
        let together = structure.k_nearest_of_all(queries.view(), 4, Effort(2)).unwrap();
        for (row, found) in together.iter().enumerate() {
            assert_eq!(found, &structure.k_nearest(queries.row(row), 4, Effort(2)).unwrap());
        }
        assert!(structure.k_nearest_of_all(queries.view(), 0, Effort(2)).is_err());
    }
}

#[test]
fn effort_counts_beyond_what_is_needed_for_enough_neighbors() {
    let n_measured = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_measured);
    let distance = Distance::custom("counted", move |a, b| {
        counter.fetch_add(1, Ordering::Relaxed);
        f64::from((a[0] - b[0]).abs())
    });
    let (points, labels) = line(300);
    let params = BoundaryTreeParams::default().task(Task::Retrieval).distance(distance).max_children(3);
    let mut tree = params.build().unwrap();
    tree.insert_all(&Examples::new(points.view(), &labels).unwrap()).unwrap();
    let cost = |k: usize, effort: usize| {
        n_measured.store(0, Ordering::Relaxed);
        tree.k_nearest(Point::F32(&[123.4]), k, Effort(effort)).unwrap();
        n_measured.load(Ordering::Relaxed)
    };
    assert!(cost(60, 0) < cost(60, 5), "five more nodes are opened once 60 have been seen");
    assert!(cost(1, 0) < cost(1, 5));
}
