//! One query against a block of rows: the distance kernels as a caller meets them, in `LinearScan::nearest`.
//!
//! `Distance::between` would check both points on each call; here the check of one query is spread over all rows.

use divan::{Bencher, counter::ItemsCount};
use hedgerow_core::{LinearScanParams, NeighborSearch, PointKind};

use hedgerow_bench::synthetic::{Case, SEED, Synthetic};

const QUERIES: usize = 64;

fn main() {
    divan::main();
}

fn nearest(bencher: Bencher<'_, '_>, case: Case, kind: PointKind) {
    let data = Synthetic::new(case.width, case.n + QUERIES, SEED);
    let mut scan = LinearScanParams::default().build().expect("the defaults are valid");
    scan.insert_all(&data.first(case.n, kind)).expect("the data are valid");
    let queries = data.rest(case.n, kind);
    let mut query = 0;
    bencher.counter(ItemsCount::new(case.n)).bench_local(|| {
        query = (query + 1) % QUERIES;
        scan.nearest(queries.row(query))
    });
}

#[divan::bench(args = Case::ALL, sample_count = 200, max_time = 1)]
fn nearest_f32(bencher: Bencher<'_, '_>, case: Case) {
    nearest(bencher, case, PointKind::F32);
}

#[divan::bench(args = Case::ALL, sample_count = 200, max_time = 1)]
fn nearest_u8(bencher: Bencher<'_, '_>, case: Case) {
    nearest(bencher, case, PointKind::U8);
}
