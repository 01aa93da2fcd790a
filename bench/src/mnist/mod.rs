//! Training and query times, errors and sizes of each structure on the user's copy of MNIST.
//!
//! Pixels are taken as they are, as bytes, and examples in the order of the file, so that errors and sizes are the same
//! on every machine and every run; only the times differ. [`idx`] reads the files, [`table`] prints.

pub mod folder;
pub mod idx;
pub mod table;

use std::path::Path;

use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, InsertError, LinearScanParams, NeighborSearch,
    ParamError, Passes, PointsError, QueryError,
};

use crate::interleaved::timed;
use folder::{FolderError, Labelled};
use table::{Row, Table};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[allow(missing_docs, reason = "each variant is the error it holds")]
pub enum MnistError {
    Folder(#[from] FolderError),
    Points(#[from] PointsError),
    Param(#[from] ParamError),
    Insert(#[from] InsertError),
    Query(#[from] QueryError),
}

struct Structure {
    name: &'static str,
    target: &'static str,
    build: fn() -> Result<Box<dyn NeighborSearch>, ParamError>,
}

const STRUCTURES: [Structure; 5] = [
    Structure { name: "exact 1-NN scan", target: "", build: || Ok(Box::new(LinearScanParams::default().build()?)) },
    Structure { name: "set, one pass", target: "", build: || Ok(Box::new(BoundarySetParams::default().build()?)) },
    Structure {
        name: "set, Hart",
        target: "",
        build: || Ok(Box::new(BoundarySetParams::default().passes(Passes::UntilConsistent).build()?)),
    },
    Structure {
        name: "tree(50)",
        target: "",
        build: || Ok(Box::new(BoundaryTreeParams::default().max_children(50).build()?)),
    },
    Structure {
        name: "forest(50, 50)",
        target: "trains in < 4 s on 2 cores",
        build: || Ok(Box::new(BoundaryForestParams::default().build()?)),
    },
];

/// Trains and asks every structure, `repeats` times in turn.
///
/// # Errors
/// [`MnistError`], nearly always about the files.
pub fn measure(folder: &Path, repeats: usize) -> Result<Table, MnistError> {
    let (train, test) = folder::read(folder)?;
    let mut rows = STRUCTURES.map(|structure| Row::new(structure.name, structure.target));
    for repeat in 0..repeats {
        for (structure, row) in STRUCTURES.iter().zip(&mut rows) {
            eprintln!("{}, {} of {repeats}", structure.name, repeat + 1);
            measure_one(structure, &train, &test, row)?;
        }
    }
    let threads = rayon::current_num_threads();
    Ok(Table { rows: rows.into(), n_train: train.labels().len(), n_test: test.labels().len(), threads })
}

fn measure_one(structure: &Structure, train: &Labelled, test: &Labelled, row: &mut Row) -> Result<(), MnistError> {
    let (examples, queries) = (train.examples()?, test.points()?);
    let mut search = (structure.build)()?;
    let (inserted, train_nanoseconds) = timed(|| search.insert_all(&examples));
    inserted?;
    let (answers, query_nanoseconds) = timed(|| search.predict_all(queries));
    let answers = answers?;
    row.train_seconds.push(train_nanoseconds * 1e-9);
    row.query_seconds.push(query_nanoseconds * 1e-9);
    row.n_wrong = answers.iter().zip(test.labels()).filter(|(answer, label)| answer.label != **label).count();
    row.n_stored = search.n_stored();
    row.size_bytes = search.size_bytes();
    Ok(())
}
