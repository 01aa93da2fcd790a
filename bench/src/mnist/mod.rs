//! Training and query times, errors and sizes of each structure on the user's copy of MNIST.
//!
//! Pixels are taken as they are, as bytes, and examples in the order of the file, so that errors and sizes are the same
//! on every machine and every run; only the times differ. `hedgerow_data` reads the files, [`table`] prints.

pub mod table;

use std::path::{Path, PathBuf};

use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Initialization, InsertError, LinearScanParams,
    NeighborSearch, ParamError, Passes, QueryError,
};
use hedgerow_data::progress::silent;
use hedgerow_data::{Dataset, Part, ReadError, ReadOptions};

use crate::interleaved::timed;
use table::{Row, Table};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "but for the first two, each variant is the error it holds")]
pub enum MnistError {
    /// A file in the place of the folder.
    #[error("{} is no folder; give the one that holds the four MNIST files", .0.display())]
    NoFolder(PathBuf),
    /// A folder of other data.
    #[error("{} has data to train with but none to test with; give a folder that holds the four MNIST files", .0.display())]
    NoTest(PathBuf),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Insert(#[from] InsertError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

pub(crate) struct Structure {
    pub(crate) name: &'static str,
    target: &'static str,
    pub(crate) build: fn() -> Result<Box<dyn NeighborSearch>, ParamError>,
}

pub(crate) const STRUCTURES: [Structure; 6] = [
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
    // As in the DBS paper. Of MNIST's last 10,000 training pictures, kept back, it has 1.97 and 2.08 % wrong (two seeds) where the forest above, as in
    // Mathy et al., has 2.16 % (both); whoever has all examples at once should take it.
    Structure {
        name: "forest(50, 50), own orders",
        target: "",
        build: || Ok(Box::new(BoundaryForestParams::default().initialization(Initialization::Permuted).build()?)),
    },
];

/// Reads the four files of MNIST, or others of the same form.
///
/// # Errors
/// [`MnistError`] about the folder or a file in it.
pub fn read_folder(folder: &Path) -> Result<Dataset, MnistError> {
    if folder.is_file() {
        return Err(MnistError::NoFolder(folder.to_owned()));
    }
    let data = hedgerow_data::read(folder, &ReadOptions::default(), &mut silent())?;
    if data.test().is_empty() {
        return Err(MnistError::NoTest(folder.to_owned()));
    }
    Ok(data)
}

/// Trains and asks every structure, `repeats` times in turn.
///
/// # Errors
/// [`MnistError`], nearly always about the files.
pub fn measure(folder: &Path, repeats: usize) -> Result<Table, MnistError> {
    let data = read_folder(folder)?;
    let (train, test) = (data.train(), data.test());
    let mut rows = STRUCTURES.map(|structure| Row::new(structure.name, structure.target));
    for repeat in 0..repeats {
        for (structure, row) in STRUCTURES.iter().zip(&mut rows) {
            eprintln!("{}, {} of {repeats}", structure.name, repeat + 1);
            measure_one(structure, &train, &test, row)?;
        }
    }
    let threads = rayon::current_num_threads();
    Ok(Table { rows: rows.into(), n_train: train.len(), n_test: test.len(), threads })
}

fn measure_one(structure: &Structure, train: &Part<'_>, test: &Part<'_>, row: &mut Row) -> Result<(), MnistError> {
    let (examples, queries) = (train.examples(), test.points());
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
