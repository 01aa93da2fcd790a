//! A folder as one data set: the four files of MNIST, or files named train, validation and test.

use std::path::{Path, PathBuf};

use crate::dataset::Dataset;
use crate::error::{Place, Problem, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::options::{Column, ReadOptions};
use crate::progress::Listener;
use crate::read::{PartTable, join, read_labels, read_table};
use crate::splits::Split;
use crate::table::Table;

/// Reads a folder.
pub(crate) fn read(folder: &Path, options: &ReadOptions, listener: &mut Listener<'_>) -> Result<Dataset, ReadError> {
    let name = folder.display().to_string();
    let files = files_of(folder)?;
    let table = match mnist_files(&files) {
        MnistFiles::All(pairs) => read_mnist(&pairs, options, listener)?,
        MnistFiles::Some { missing } => {
            let detail = format!(" (of the four, {} is missing)", missing.join(" and "));
            return Err(Place::file(&name).error(Problem::NoDataInFolder { detail }));
        }
        MnistFiles::None => read_parts(&name, &files, options, listener)?,
    };
    table.into_dataset(&name, &name, options)
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let io = |error| Place::file(&folder.display().to_string()).error(Problem::Io(error));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        files.push(entry.map_err(io)?.path());
    }
    files.sort(); // the order of a folder differs from machine to machine
    Ok(files)
}

/// `options` for the next part of a data set, of which parts of `held_bytes` were read: it may take what is left.
fn with_rest(options: &ReadOptions, held_bytes: u64) -> ReadOptions {
    ReadOptions { memory_limit: options.memory_limit.saturating_sub(held_bytes), ..options.clone() }
}

/// An error from reading under [`with_rest`], in terms of the limit that the caller gave.
fn of_whole(mut error: ReadError, options: &ReadOptions, held_bytes: u64) -> ReadError {
    if let Problem::TooLarge { needed_bytes, limit_bytes } = &mut *error.problem {
        *needed_bytes = needed_bytes.saturating_add(held_bytes);
        *limit_bytes = options.memory_limit;
    }
    error
}

/// Points and labels of each split.
type Pairs = Vec<(Split, PathBuf, PathBuf)>;

enum MnistFiles {
    All(Pairs),
    Some { missing: Vec<&'static str> },
    None,
}

/// Finds the four files, with `-idx3-ubyte` or `.idx3-ubyte` at the end, and `.gz` or not.
fn mnist_files(files: &[PathBuf]) -> MnistFiles {
    let find = |stem: &str, dimensions: u8| {
        let is = |path: &&PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let rest = name.strip_suffix(".gz").unwrap_or(name).strip_prefix(stem);
            rest == Some(&*format!("-idx{dimensions}-ubyte")) || rest == Some(&*format!(".idx{dimensions}-ubyte"))
        };
        files.iter().find(is).cloned()
    };
    let found = [
        ("train-images-idx3-ubyte", find("train-images", 3)),
        ("train-labels-idx1-ubyte", find("train-labels", 1)),
        ("t10k-images-idx3-ubyte", find("t10k-images", 3)),
        ("t10k-labels-idx1-ubyte", find("t10k-labels", 1)),
    ];
    match found {
        [(_, Some(images)), (_, Some(labels)), (_, Some(test_images)), (_, Some(test_labels))] => {
            MnistFiles::All(vec![(Split::Train, images, labels), (Split::Test, test_images, test_labels)])
        }
        found if found.iter().all(|(_, file)| file.is_none()) => MnistFiles::None,
        found => {
            let missing = found.into_iter().filter(|(_, file)| file.is_none()).map(|(name, _)| name).collect();
            MnistFiles::Some { missing }
        }
    }
}

fn read_mnist(pairs: &Pairs, options: &ReadOptions, listener: &mut Listener<'_>) -> Result<Table, ReadError> {
    let options = ReadOptions { labels_from: None, ..options.clone() };
    let mut parts = Vec::new();
    let mut held_bytes = 0;
    for (split, images, labels) in pairs {
        let mut input = Input::file(images)?;
        let read = read_table(&mut input, Some(Format::Idx), &with_rest(&options, held_bytes), listener);
        let mut table = read.map_err(|error| of_whole(error, &options, held_bytes))?;
        held_bytes += table.size_bytes();
        let read = read_labels(labels, table.rows, &with_rest(&options, held_bytes));
        let labels = read.map_err(|error| of_whole(error, &options, held_bytes))?;
        held_bytes += labels.size_bytes() as u64;
        table.labels = Some(labels);
        parts.push(PartTable { split: *split, table, file: images.display().to_string() });
    }
    Ok(join(parts)?.expect("there are two parts"))
}

/// Reads train, validation and test files of any format; the later ones by the schema of the first.
fn read_parts(
    folder: &str,
    files: &[PathBuf],
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Table, ReadError> {
    let mut chosen: Vec<(Split, &PathBuf)> = Vec::new();
    for path in files {
        let stem = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
        let known = options.format.is_some() || Format::from_path(path).is_some();
        if let (Some(split), true) = (stem.and_then(Split::from_word), known) {
            if let Some((_, other)) = chosen.iter().find(|(taken, _)| *taken == split) {
                let detail = format!(" (both {} and {} are for {split})", other.display(), path.display());
                return Err(Place::file(folder).error(Problem::NoDataInFolder { detail }));
            }
            chosen.push((split, path));
        }
    }
    chosen.sort_by_key(|(split, _)| *split);
    if chosen.first().is_none_or(|(split, _)| *split != Split::Train) {
        return Err(Place::file(folder).error(Problem::NoDataInFolder { detail: String::new() }));
    }
    // The schema of the first part must not loosen what holds for its labels.
    let may_lack_labels = options.may_lack_labels();
    let mut options = options.clone();
    let mut parts: Vec<PartTable> = Vec::new();
    let mut held_bytes = 0;
    for (split, path) in chosen {
        let file = path.display().to_string();
        let mut input = Input::file(path)?;
        let format = options.format.or_else(|| Format::from_path(path));
        let read = read_table(&mut input, format, &with_rest(&options, held_bytes), listener);
        let mut table = read.map_err(|error| of_whole(error, &options, held_bytes))?;
        held_bytes += table.size_bytes();
        check_split(&mut table, split, &file)?;
        if parts.is_empty() {
            options.schema = Some(table.schema(options.schema.take().unwrap_or_default()));
        } else if !may_lack_labels {
            check_labels(&table, &file)?;
        }
        parts.push(PartTable { split, table, file });
    }
    Ok(join(parts)?.expect("the training part is there"))
}

/// A file is the split of its name. A split column may say so too, but nothing else.
fn check_split(table: &mut Table, split: Split, file: &str) -> Result<(), ReadError> {
    let splits = table.splits.take().unwrap_or_default();
    let Some(row) = splits.iter().position(|other| *other != split) else { return Ok(()) };
    let found = format!("a row for {} in the file for {split}", splits[row]);
    let supported = "in a folder of split files, the name of a file says what all its rows are for: \
                     correct the split column, leave it out (ignore), or read the file alone";
    Err(Place::file(file).row(table.source_row(row) + 1).error(Problem::Unsupported { found, supported }))
}

/// Refuses rows without a label.
fn check_labels(table: &Table, file: &str) -> Result<(), ReadError> {
    let Some(row) = table.labels.iter().flat_map(|labels| labels.is_labeled()).position(|is| !is) else {
        return Ok(());
    };
    let column = table.label_column.as_ref().map_or_else(|| "of labels".to_owned(), Column::plain);
    let place = Place::file(file).row(table.source_row(row) + 1).column(column);
    Err(place.error(Problem::Missing { text: String::new() }))
}
