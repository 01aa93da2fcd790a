//! A boundary forest of 10 trees of at most 50 children: training, and queries one by one and together.

use divan::{Bencher, counter::ItemsCount};
use hedgerow_core::{BoundaryForest, BoundaryForestParams, NeighborSearch, PointKind};

use hedgerow_bench::synthetic::{Case, SEED, Synthetic};

const QUERIES: usize = 1000;

fn main() {
    divan::main();
}

fn build(data: &Synthetic, case: Case, kind: PointKind) -> BoundaryForest {
    let mut forest = BoundaryForestParams::default().n_trees(10).build().expect("10 trees are valid");
    forest.insert_all(&data.first(case.n, kind)).expect("the data are valid");
    forest
}

fn train(bencher: Bencher<'_, '_>, case: Case, kind: PointKind) {
    let data = Synthetic::new(case.width, case.n, SEED);
    bencher.counter(ItemsCount::new(case.n)).bench_local(|| build(&data, case, kind));
}

#[divan::bench(args = Case::SMALLER, sample_count = 5, sample_size = 1, max_time = 2)]
fn insert_all_f32(bencher: Bencher<'_, '_>, case: Case) {
    train(bencher, case, PointKind::F32);
}

#[divan::bench(args = Case::SMALLER, sample_count = 5, sample_size = 1, max_time = 2)]
fn insert_all_u8(bencher: Bencher<'_, '_>, case: Case) {
    train(bencher, case, PointKind::U8);
}

#[divan::bench(args = Case::SMALLER, sample_count = 1000, max_time = 1)]
fn predict(bencher: Bencher<'_, '_>, case: Case) {
    let data = Synthetic::new(case.width, case.n + QUERIES, SEED);
    let (forest, queries) = (build(&data, case, PointKind::F32), data.rest(case.n, PointKind::F32));
    let mut query = 0;
    bencher.bench_local(|| {
        query = (query + 1) % QUERIES;
        forest.predict(queries.row(query))
    });
}

#[divan::bench(args = Case::SMALLER, sample_count = 10, sample_size = 1, max_time = 1)]
fn predict_all(bencher: Bencher<'_, '_>, case: Case) {
    let data = Synthetic::new(case.width, case.n + QUERIES, SEED);
    let (forest, queries) = (build(&data, case, PointKind::F32), data.rest(case.n, PointKind::F32));
    bencher.counter(ItemsCount::new(QUERIES)).bench_local(|| forest.predict_all(queries));
}
