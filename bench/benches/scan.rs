//! The exact scan for 1000 queries at once.

use divan::{Bencher, counter::ItemsCount};
use hedgerow_core::{LinearScanParams, NeighborSearch, PointKind};

use hedgerow_bench::synthetic::{Case, SEED, Synthetic};

const QUERIES: usize = 1000;

fn main() {
    divan::main();
}

fn predict_all(bencher: Bencher<'_, '_>, case: Case, kind: PointKind) {
    let data = Synthetic::new(case.width, case.n + QUERIES, SEED);
    let mut scan = LinearScanParams::default().build().expect("the defaults are valid");
    scan.insert_all(&data.first(case.n, kind)).expect("the data are valid");
    let queries = data.rest(case.n, kind);
    bencher.counter(ItemsCount::new(QUERIES)).bench_local(|| scan.predict_all(queries));
}

#[divan::bench(args = Case::ALL, sample_count = 5, sample_size = 1, max_time = 2)]
fn predict_all_f32(bencher: Bencher<'_, '_>, case: Case) {
    predict_all(bencher, case, PointKind::F32);
}

#[divan::bench(args = Case::ALL, sample_count = 5, sample_size = 1, max_time = 2)]
fn predict_all_u8(bencher: Bencher<'_, '_>, case: Case) {
    predict_all(bencher, case, PointKind::U8);
}
