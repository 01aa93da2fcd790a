//! One string names any data: a registered set, a synthetic one, a folder, a file or standard input.

use std::path::PathBuf;

use crate::dataset::Dataset;
use crate::embedded;
use crate::error::ReadError;
use crate::fetch::{Contents, FetchError, RegisteredSet, Store, sets};
use crate::options::{LabelKind, MissingValues, ReadOptions, RoleColumn};
use crate::progress::{Listener, silent};
use crate::read::{read, read_stream};
use crate::suggest::nearest_name;
use crate::synthetic::{Shape, Synthetic, SyntheticError};

/// What a string names.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DataName {
    /// `optdigits`, compiled in.
    Optdigits,
    /// A set that is got once (`mnist`, `fashion-mnist`, ...) and then read from the data directory.
    Registered(&'static RegisteredSet),
    /// Data made on the spot: `moons?n=1000&noise=0.1&seed=7`.
    Synthetic(Synthetic),
    /// A file or folder.
    Path(PathBuf),
    /// `-`: standard input.
    StandardInput,
}

/// Why data could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The string names nothing.
    #[error("\"{asked}\" is neither a file, a folder nor a known data set{}; known are {}, and - for standard input", did_you_mean(.nearest), .known.join(", "))]
    NoSuchData {
        /// The string.
        asked: String,
        /// The nearest known name, if one is near.
        nearest: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// A registered set is not there, or not whole.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The parameters of synthetic data are wrong.
    #[error(transparent)]
    Synthetic(#[from] SyntheticError),
    /// The data is there but cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean \"{name}\"?)"))
}

/// A name that is known without any file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: KnownKind,
    /// What it holds, in one line.
    pub description: String,
}

/// Where data of a known name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownKind {
    /// Compiled in.
    Embedded,
    /// Got once, then kept in the data directory.
    Registered,
    /// Made on the spot.
    Synthetic,
}

/// All names that are known without any file.
pub fn known() -> Vec<Known> {
    let embedded = Known {
        name: "optdigits".to_owned(),
        kind: KnownKind::Embedded,
        description: "Handwritten digits, 8x8 pixels, 3823 to train and 1797 to test, 10 classes".to_owned(),
    };
    let registered = sets().iter().map(|set| Known {
        name: set.name.clone(),
        kind: KnownKind::Registered,
        description: set.description.clone(),
    });
    let synthetic = Shape::ALL.into_iter().map(|shape| Known {
        name: shape.name().to_owned(),
        kind: KnownKind::Synthetic,
        description: format!("{}, as in {}", shape.description(), Synthetic::new(shape)),
    });
    std::iter::once(embedded).chain(registered).chain(synthetic).collect()
}

impl DataName {
    /// Finds out what a string names. Known names come before files: write `./mnist` for a file of that name.
    ///
    /// # Errors
    /// [`LoadError::NoSuchData`], with the nearest known name; [`LoadError::Synthetic`] for wrong parameters.
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        if text == "-" {
            return Ok(Self::StandardInput);
        }
        if text == "optdigits" {
            return Ok(Self::Optdigits);
        }
        if let Some(set) = sets().iter().find(|set| set.name == text) {
            return Ok(Self::Registered(set));
        }
        let shape = text.split('?').next().and_then(Shape::from_name);
        if shape.is_some() {
            return Ok(Self::Synthetic(Synthetic::parse(text)?));
        }
        let path = PathBuf::from(text);
        // Only what is certainly not there is refused here: a file that cannot be read says so itself.
        if !text.is_empty() && path.try_exists().unwrap_or(true) {
            return Ok(Self::Path(path));
        }
        let known: Vec<String> = known().into_iter().map(|known| known.name).collect();
        let name = text.split('?').next().unwrap_or(text);
        let nearest = nearest_name(name, known.iter().map(String::as_str)).map(str::to_owned);
        Err(LoadError::NoSuchData { asked: text.to_owned(), nearest, known })
    }
}

/// Loads whatever a string names, with the usual options.
///
/// # Errors
/// [`LoadError`].
///
/// # Example
/// ```
/// let moons = hedgerow_data::load("moons?n=200&noise=0.2&seed=7")?;
/// assert_eq!((moons.len(), moons.width(), moons.class_names().len()), (200, 2, 2));
/// # Ok::<(), hedgerow_data::LoadError>(())
/// ```
pub fn load(name: &str) -> Result<Dataset, LoadError> {
    load_with(name, &ReadOptions::default(), &mut silent())
}

/// Loads whatever a string names.
///
/// A registered set is read from the data directory ([`Store::from_environment`]); nothing is fetched. Options about
/// files do not apply to embedded and synthetic data.
///
/// # Errors
/// [`LoadError`]; for a registered set that is not there, with the command that gets it.
pub fn load_with(name: &str, options: &ReadOptions, listener: &mut Listener<'_>) -> Result<Dataset, LoadError> {
    match DataName::parse(name)? {
        DataName::Optdigits => Ok(embedded::optdigits()),
        DataName::Registered(set) => load_registered(&Store::from_environment()?, set, options, listener),
        DataName::Synthetic(synthetic) => Ok(synthetic.make()?),
        DataName::Path(path) => Ok(read(path, options, listener)?),
        DataName::StandardInput => Ok(read_stream("-", Box::new(std::io::stdin()), options, listener)?),
    }
}

/// Reads a registered set from a data directory.
///
/// # Errors
/// [`LoadError`]; if the set is not there, with the command that gets it.
pub fn load_registered(
    store: &Store,
    set: &RegisteredSet,
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Dataset, LoadError> {
    // A changed byte must not become data, so the files are compared with their hashes first.
    let folder = store.verified_path(set, listener)?;
    let mut options = options.clone();
    let dataset = match &set.contents {
        Contents::Mnist { class_names } => {
            options.schema = None; // four files say everything themselves
            let dataset = read(&folder, &options, listener)?;
            if class_names.len() == dataset.class_names().len() {
                dataset.with_class_names(class_names.clone()).expect("as many names as classes")
            } else {
                dataset
            }
        }
        Contents::Table { file, label, label_kind, missing } => {
            // What the caller says goes first.
            if options.label == RoleColumn::Detect && options.schema.is_none() {
                options.label = RoleColumn::At(label.clone());
            }
            if options.label_kind == LabelKind::Detect && options.schema.is_none() {
                options.label_kind = *label_kind;
            }
            if options.missing == MissingValues::Refuse {
                options.missing = *missing;
            }
            read(folder.join(file), &options, listener)?
        }
    };
    Ok(dataset.with_name(&set.name).with_attribution(&set.license))
}
