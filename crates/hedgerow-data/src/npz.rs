//! NPZ, a zip archive of NumPy arrays: points and labels, perhaps of several splits, told apart by their names.
//!
//! Names say what an array is: `x_train`, `y_train`, `train_images`, `test_labels`, or just `X` and `y`; all of them are in
//! [`Role::of`]. The arrays themselves are read by [`crate::npy`]. Sizes that the archive announces are not trusted: an
//! array is read up to what its own header says, and only if that fits into the memory limit.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::{Place, Problem, ReadError, listed};
use crate::input::{Counted, Input, ReadSeek};
use crate::npy::{ArrayLabels, ArrayReader, ByteSource, read_labels_from};
use crate::options::{MissingValues, ReadOptions, RoleColumn};
use crate::progress::Listener;
use crate::read::{PartTable, STEP_BYTES, Step, join, report};
use crate::splits::Split;
use crate::table::Table;

pub(crate) mod directory;

/// Reads all arrays of points that the archive has, with their labels, as one table.
///
/// Labels come from arrays named so, unless the options name a column of the points, a second file or none.
pub(crate) fn read_table(
    input: &mut Input,
    options: &ReadOptions,
    listener: &mut Listener<'_>,
) -> Result<Table, ReadError> {
    let place = input.place();
    let mut reader = Counted { inner: input.open_anywhere(options.memory_limit)?, count: Arc::default() };
    let total_bytes = reader.seek(SeekFrom::End(0)).map_err(|error| place.clone().error(Problem::Io(error)))?;
    directory::check(&mut reader, &directory::OF_ARRAYS).map_err(|problem| place.clone().error(problem))?;
    let announced = directory::announced_entries(&mut reader).map_err(|problem| place.clone().error(problem))?;
    let count = Arc::clone(&reader.count);
    let mut archive = ZipArchive::new(reader).map_err(|error| place.clone().error(zip_problem(error)))?;
    // Else another directory was read than the one that was checked.
    if archive.len() as u64 != announced {
        let reason = format!("its directory announces {announced} entries and has {}", archive.len());
        return Err(place.error(Problem::Damaged { reason }));
    }
    count.store(0, Ordering::Relaxed); // the directory is no progress
    let from_arrays = options.label == RoleColumn::Detect && options.labels_from.is_none();
    let mut progress = |held_bytes: u64| {
        check_memory(held_bytes, options, input)?;
        // Seeking may read some bytes twice.
        let done_bytes = count.load(Ordering::Relaxed).min(total_bytes);
        report(listener, input, done_bytes, Some(total_bytes))
    };
    let mut parts: Vec<PartTable> = Vec::new();
    for part in find_parts(archive.file_names(), &place)? {
        let mut held_bytes = parts.iter().map(|part| part.table.size_bytes()).sum::<u64>();
        // Before the points: rows without a label may have to be left out of them.
        let mut labels = match (&part.labels, from_arrays) {
            (Some(name), true) => Some((name, read_labels(&mut archive, name, options, input)?)),
            _ => None,
        };
        held_bytes += labels.as_ref().map_or(0, |(_, labels)| labels.labels.size_bytes() as u64);
        let points = open_array(&mut archive, &part.points, input)?;
        let file = points.file.clone();
        let mut array = ArrayReader::open(points, options)?;
        check_memory(held_bytes.saturating_add(array.table_bytes()), options, input)?;
        if let (Some((_, labels)), MissingValues::DropRows) = (&mut labels, options.missing) {
            array.leave_out(std::mem::take(&mut labels.lacking));
        }
        let mut table = array.table();
        let rows = (STEP_BYTES / array.row_bytes()).max(1) as usize;
        loop {
            let step = array.read_rows(&mut table, rows)?;
            progress(held_bytes + table.size_bytes())?;
            if step == Step::End {
                break;
            }
        }
        drop(array);
        if let Some((name, ArrayLabels { mut labels, .. })) = labels {
            let points = table.rows + table.dropped_rows;
            if labels.len() != points {
                let problem = Problem::Count { points: points as u64, labels: labels.len() as u64 };
                return Err(Place::file(&array_name(name, input)).error(problem));
            }
            table.source_rows.iter().for_each(|rows| labels.select(rows));
            table.labels = Some(labels);
        }
        parts.push(PartTable { split: part.split.unwrap_or(Split::Train), table, file });
    }
    Ok(join(parts)?.expect("there is a part, or its absence was an error"))
}

type Archive = ZipArchive<Counted<Box<dyn ReadSeek>>>;

fn check_memory(needed_bytes: u64, options: &ReadOptions, input: &Input) -> Result<(), ReadError> {
    let limit_bytes = options.memory_limit;
    if needed_bytes > limit_bytes {
        return Err(input.place().error(Problem::TooLarge { needed_bytes, limit_bytes }));
    }
    Ok(())
}

fn read_labels(
    archive: &mut Archive,
    name: &str,
    options: &ReadOptions,
    input: &Input,
) -> Result<ArrayLabels, ReadError> {
    read_labels_from(open_array(archive, name, input)?, options)
}

/// The name of an array, for errors.
fn array_name(name: &str, input: &Input) -> String {
    format!("{} ({})", input.name(), name.strip_suffix(".npy").unwrap_or(name))
}

fn open_array<'a>(archive: &'a mut Archive, name: &str, input: &Input) -> Result<Entry<impl Read + 'a>, ReadError> {
    let file = array_name(name, input);
    let reader = archive.by_name(name).map_err(|error| Place::file(&file).error(zip_problem(error)))?;
    Ok(Entry { reader, file })
}

/// An entry of the archive, being decompressed.
struct Entry<R> {
    reader: R,
    file: String,
}

impl<R: Read> ByteSource for Entry<R> {
    fn append_to(&mut self, into: &mut Vec<u8>, n_bytes: u64) -> Result<u64, ReadError> {
        let read = (&mut self.reader).take(n_bytes).read_to_end(into);
        read.map(|n_read| n_read as u64).map_err(|error| self.place().error(zip_problem(error.into())))
    }

    fn place(&self) -> Place {
        Place::file(&self.file)
    }
}

/// What the reader of archives found wrong, in our words.
fn zip_problem(error: ZipError) -> Problem {
    match error {
        ZipError::Io(error) => match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::Other => Problem::Compressed(error),
            _ => Problem::Io(error),
        },
        ZipError::InvalidPassword | ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Problem::Unsupported {
            found: "encrypted entries".to_owned(),
            supported: "decrypt the archive first: numpy.savez writes none",
        },
        ZipError::UnsupportedArchive(what) => Problem::Unsupported {
            found: format!("an archive of an unusual kind ({what})"),
            supported: "what numpy.savez and numpy.savez_compressed write is read: save it with one of them",
        },
        other => Problem::Damaged { reason: other.to_string() },
    }
}

/// What the name of an array says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Role {
    split: Option<Split>,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Points,
    Labels,
}

impl Role {
    /// What the array of this name is, in any letter case: a word for the content (`x`, `labels`) with or without a word
    /// for the split before or after it (`x_train`, `train_labels`), or one of the names that NumPy gives.
    fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let role = |split, content| Some(Self { split, content });
        if let "arr_0" | "arr_1" = name.as_str() {
            return role(None, if name == "arr_0" { Content::Points } else { Content::Labels });
        }
        if let Some(content) = Content::from_word(&name) {
            return role(None, content);
        }
        let (first, second) = name.split_once(['_', '-'])?;
        match (Split::from_word(first), Content::from_word(second)) {
            (Some(split), Some(content)) => role(Some(split), content),
            _ => role(Some(Split::from_word(second)?), Content::from_word(first)?),
        }
    }
}

impl Content {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "x" | "data" | "images" | "features" | "points" => Some(Self::Points),
            "y" | "label" | "labels" | "target" | "targets" => Some(Self::Labels),
            _ => None,
        }
    }
}

/// Points and labels that belong together: the names of their entries.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    split: Option<Split>,
    points: String,
    labels: Option<String>,
}

/// Finds the arrays by their names, in the order of the splits. Arrays without the name of a split are for training, unless
/// others are; if they are all there is, there are no splits.
fn find_parts<'a>(entries: impl Iterator<Item = &'a str>, place: &Place) -> Result<Vec<Part>, ReadError> {
    let entries: Vec<&str> = entries.collect();
    // Folders and other files may lie in the archive; they are no arrays.
    let arrays: Vec<&str> = entries.iter().filter_map(|name| name.strip_suffix(".npy")).collect();
    // Spreadsheets are zip archives too: of Excel, and of LibreOffice.
    if arrays.is_empty() && entries.iter().any(|name| name.starts_with("xl/") || *name == "content.xml") {
        let found = "a spreadsheet".to_owned();
        let supported = "these are not read: export the sheet as CSV (Save As, CSV UTF-8) and give that file";
        return Err(place.clone().error(Problem::Unsupported { found, supported }));
    }
    let unsupported = |found: String| {
        let supported = "name points and labels x_train, y_train, x_test, y_test, or X and y: \
                         numpy.savez(path, X=points, y=labels)";
        place.clone().error(Problem::Unsupported { found, supported })
    };
    let find = |split, content| {
        let mut same = arrays.iter().filter(|name| Role::of(name) == Some(Role { split, content }));
        let (found, other) = (same.next(), same.next());
        if let (Some(first), Some(second)) = (found, other) {
            let what = if content == Content::Points { "points" } else { "labels" };
            return Err(unsupported(format!("two arrays of the same {what}, \"{first}\" and \"{second}\"")));
        }
        Ok(found)
    };
    let mut parts = Vec::new();
    let has_training = find(Some(Split::Train), Content::Points)?.is_some();
    if let (false, Some(labels)) = (has_training, find(Some(Split::Train), Content::Labels)?) {
        return Err(unsupported(format!("the labels \"{labels}\" without points")));
    }
    for split in [if has_training { Some(Split::Train) } else { None }, Some(Split::Validation), Some(Split::Test)] {
        let entry = |name: &&str| format!("{name}.npy");
        match (find(split, Content::Points)?, find(split, Content::Labels)?) {
            (Some(points), labels) => parts.push(Part { split, points: entry(points), labels: labels.map(entry) }),
            (None, Some(labels)) if split.is_some() => {
                return Err(unsupported(format!("the labels \"{labels}\" without points")));
            }
            (None, _) => {}
        }
    }
    // Without names nothing tells four arrays apart.
    let unnamed = |part: &Part| part.points == "arr_0.npy" && arrays.contains(&"arr_2");
    if parts.is_empty() || parts.iter().any(unnamed) {
        let found = match arrays.is_empty() {
            true => "no NumPy arrays".to_owned(),
            false => format!("arrays whose names do not say what they are: {}", listed(arrays.iter().copied())),
        };
        return Err(unsupported(found));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests;
