//! Data for hedgerow: files in, points and labels out, and the standard sets by name.
//!
//! ```
//! use hedgerow_data::{Preprocessing, Scaling, SplitParams, load};
//!
//! let moons = load("moons?n=1000&noise=0.1&seed=7")?; // or "mnist", "flowers.csv", a folder, "-", ...
//! let moons = moons.split(&SplitParams { validation: 0.1, test: 0.2, seed: 0 })?;
//! let scale = Preprocessing::fit(&moons, &[Scaling::Standardize])?; // fitted to the training rows alone
//! let moons = scale.apply_to(moons)?;
//! assert_eq!((moons.train().len(), moons.validation().len(), moons.test().len()), (700, 100, 200));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | To | use |
//! |---|---|
//! | load whatever a string names | [`load`], [`load_with`], [`DataName`] |
//! | read a file, bytes or a stream of a known format | [`read`], [`read_bytes`], [`read_stream`] with [`ReadOptions`] |
//! | read more than fits into memory, by a recorded schema | [`Blocks`] |
//! | write tables | [`mod@write`] |
//! | divide data that has no official split | [`Dataset::split`] |
//! | scale features, and undo it | [`Preprocessing`] |
//! | get the standard sets, and look after them | [`fetch`] |
//! | have data at once | [`embedded`], [`synthetic`] |
//!
//! Everything ends in a [`Dataset`]: points, labels, names of classes and features, row ids, splits, the shape of
//! pictures. What is wrong with a file is a [`ReadError`]: the place (file, line, row, column), the problem and the remedy.
//! Nothing panics on data. What a read collects stays within [`ReadOptions::memory_limit`]; where rows are copied once more
//! (categories spread over features, splits brought together), the peak is about twice that.
//!
//! How a file becomes a data set: `input.rs` undoes gzip, `format.rs` recognises the format, a reader for the format
//! (`idx.rs`, `csv/`, `npy.rs`, `npz.rs`, `parquet/`, `svmlight.rs`) adds rows to a `Table` (`table.rs`), driven by `read.rs`,
//! which reports progress and heeds the limit; the table becomes the data set when all classes and categories are known.
//!
//! The crate is not for learning: that is `hedgerow-core`'s part.

mod csv;
mod dataset;
pub mod embedded;
mod encoding;
mod error;
pub mod fetch;
mod folder;
mod format;
mod gzip;
mod idx;
mod input;
mod labels;
mod layout;
mod load;
mod npy;
mod npz;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod preprocessing;
pub mod progress;
mod read;
mod row_ids;
mod splits;
mod suggest;
mod svmlight;
pub mod synthetic;
mod table;
pub mod write;

pub use dataset::{Dataset, DatasetError, ImageShape, Part};
pub use encoding::{Encoding, FeatureColumn, LabelMeaning, Schema};
pub use error::{Place, Problem, ReadError};
pub use format::Format;
pub use load::{DataName, Known, KnownKind, LoadError, known, load, load_registered, load_with};
pub use options::{
    Column, ConstantLabel, Decimal, Header, LabelKind, MissingValues, ReadOptions, RoleColumn, UnknownCategory,
};
pub use preprocessing::{Prepared, PreprocessError, Preprocessing, Scaling};
pub use read::{Blocks, read, read_bytes, read_stream};
pub use row_ids::RowIds;
pub use splits::{Split, SplitError, SplitParams};
pub use suggest::nearest_name;
pub use synthetic::Synthetic;
