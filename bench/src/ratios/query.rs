//! Many queries of a scan, a tree or a forest together, against one after another. Both sides are the library's own.

use hedgerow_core::{
    BoundaryForestParams, BoundaryTreeParams, LinearScanParams, NeighborSearch, ParamError, PointKind, Prediction,
    QueryError,
};

use super::kernel::in_two;
use super::table::Row;
use super::{RatioError, check_equal, pool};
use crate::interleaved::{interleaved, timed};
use crate::synthetic::{SEED, Synthetic};

const EXAMPLES: usize = 10_000;
const QUERIES: usize = 1000;

type Build = fn() -> Result<Box<dyn NeighborSearch>, ParamError>;

const STRUCTURES: [(&str, Build); 3] = [
    ("scan", || Ok(Box::new(LinearScanParams::default().build()?))),
    ("tree(50)", || Ok(Box::new(BoundaryTreeParams::default().max_children(50).build()?))),
    ("forest(50, 50)", || Ok(Box::new(BoundaryForestParams::default().build()?))),
];

pub(super) fn measure(repeats: usize) -> Result<Vec<Row>, RatioError> {
    let mut rows = Vec::new();
    for width in [20, 64, 784] {
        let data = Synthetic::new(width, EXAMPLES + QUERIES, SEED);
        for kind in [PointKind::F32, PointKind::U8] {
            for (name, build) in STRUCTURES {
                rows.push(compare(&data, kind, name, build, repeats)?);
            }
        }
    }
    Ok(rows)
}

fn compare(data: &Synthetic, kind: PointKind, name: &str, build: Build, repeats: usize) -> Result<Row, RatioError> {
    let (what, width) = (format!("queries together, {name} {kind}"), data.width());
    eprintln!("{what}, d = {width}");
    let mut search = build()?;
    search.insert_all(&data.first(EXAMPLES, kind))?;
    let (search, queries) = (&*search, data.rest(EXAMPLES, kind));
    let together = || search.predict_all(queries);
    let one_by_one = || {
        let each = (0..queries.len()).map(|query| search.predict(queries.row(query)));
        each.collect::<Result<Vec<Prediction>, QueryError>>()
    };
    let pool = pool(1)?;
    check_equal(&what, &pool.install(together)?, &pool.install(one_by_one)?)?;

    let per_query = |nanoseconds: f64| nanoseconds / QUERIES as f64;
    let mut ours = |_| per_query(timed(|| pool.install(together)).1);
    let mut other = |_| per_query(timed(|| pool.install(one_by_one)).1);
    let [ours, other] = in_two(interleaved(repeats, &mut [&mut ours, &mut other]));
    let sizes = format!("d = {width}, n = {EXAMPLES}, {} stored, {QUERIES} queries", search.n_stored());
    Ok(Row { what, against: "one after another", sizes, threads: [1, 1], per: "query", ours, other, target: None })
}
