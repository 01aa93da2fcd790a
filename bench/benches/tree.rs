//! A boundary tree of at most 50 children: insertion of a block, and queries one by one and together.

use divan::{Bencher, counter::ItemsCount};
use hedgerow_core::{BoundaryTree, BoundaryTreeParams, NeighborSearch, PointKind};

use hedgerow_bench::synthetic::{Case, SEED, Synthetic};

const QUERIES: usize = 1000;

fn main() {
    divan::main();
}

fn build(data: &Synthetic, case: Case) -> BoundaryTree {
    let mut tree = BoundaryTreeParams::default().max_children(50).build().expect("50 children are valid");
    tree.insert_all(&data.first(case.n, PointKind::F32)).expect("the data are valid");
    tree
}

#[divan::bench(args = Case::ALL, sample_count = 5, sample_size = 1, max_time = 2)]
fn insert_all(bencher: Bencher<'_, '_>, case: Case) {
    let data = Synthetic::new(case.width, case.n, SEED);
    bencher.counter(ItemsCount::new(case.n)).bench_local(|| build(&data, case));
}

#[divan::bench(args = Case::ALL, sample_count = 1000, max_time = 1)]
fn predict(bencher: Bencher<'_, '_>, case: Case) {
    let data = Synthetic::new(case.width, case.n + QUERIES, SEED);
    let (tree, queries) = (build(&data, case), data.rest(case.n, PointKind::F32));
    let mut query = 0;
    bencher.bench_local(|| {
        query = (query + 1) % QUERIES;
        tree.predict(queries.row(query))
    });
}

#[divan::bench(args = Case::ALL, sample_count = 10, sample_size = 1, max_time = 1)]
fn predict_all(bencher: Bencher<'_, '_>, case: Case) {
    let data = Synthetic::new(case.width, case.n + QUERIES, SEED);
    let (tree, queries) = (build(&data, case), data.rest(case.n, PointKind::F32));
    bencher.counter(ItemsCount::new(QUERIES)).bench_local(|| tree.predict_all(queries));
}
