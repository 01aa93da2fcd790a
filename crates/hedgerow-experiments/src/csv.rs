//! Lines of what is kept: fields written so that they are read as they were, whatever their text; and files read line by line.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::error::ExperimentError;

/// A text as a field, in quotes: names have commas, and class names may have anything.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text as a field, in quotes only if it needs them.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { quoted(text) } else { text.to_owned() }
}

/// The lines of a file, without its header, each made of its fields by `parse`; none if there is no such file. `what` is what a line is, for the error
/// about one that is none of ours.
pub(crate) fn read<T>(
    path: &Path,
    what: &str,
    parse: impl Fn(&[&str]) -> Option<T>,
) -> Result<Vec<T>, ExperimentError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(ExperimentError::File { path: path.to_owned(), source }),
    };
    let damaged = |line: u64| ExperimentError::Damaged {
        path: path.to_owned(),
        line: line as usize,
        what: format!("this is no {what} as this program writes them"),
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| damaged(error.position().map_or(0, csv::Position::line)))?;
        let line = record.position().map_or(0, csv::Position::line);
        lines.push(parse(&record.iter().collect::<Vec<&str>>()).ok_or_else(|| damaged(line))?);
    }
    Ok(lines)
}

/// Adds lines to a file, after the names of its columns if it is new, all at once. A file of before whose lines lack the last columns gets their names, too.
pub(crate) fn append(path: &Path, columns: &str, lines: &[String]) -> Result<(), ExperimentError> {
    let failed = ExperimentError::of_file(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(&failed)?;
    }
    let header = if path.exists() { String::new() } else { format!("{columns}\n") };
    let before = fs::read_to_string(path).unwrap_or_default();
    let (names, rest) = before.split_once('\n').unwrap_or_default();
    if !names.is_empty() && columns.strip_prefix(names).is_some_and(|more| more.starts_with(',')) {
        // By way of another file, so that none of its lines is ever not there.
        let whole = path.with_extension("new");
        fs::write(&whole, format!("{columns}\n{rest}")).and_then(|()| fs::rename(&whole, path)).map_err(&failed)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(&failed)?;
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    file.write_all(format!("{header}{text}").as_bytes()).map_err(&failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written_whatever_they_hold() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder/file.csv");
        let texts = ["plain", "a, b", "say \"so\"", "\"", "two\nlines", "", "nine, or \"9\""];
        for text in texts {
            append(&path, "name,number,again", &[format!("{},7,{}", quoted(text), field(text))]).unwrap();
        }
        let parse = |fields: &[&str]| match fields {
            [name, "7", again] if name == again => Some((*name).to_owned()),
            _ => None,
        };
        assert_eq!(read(&path, "name", parse).unwrap(), texts);
        append(&path, "name,number,again,later", &[]).unwrap();
        assert!(fs::read_to_string(&path).unwrap().starts_with("name,number,again,later\n\"plain\",7,plain\n"));
        assert_eq!(read(&path, "name", parse).unwrap(), texts);
        append(&path, "", &["nonsense".to_owned()]).unwrap();
        let error = read(&path, "name", parse).unwrap_err().to_string();
        // After the names of the columns, seven names, one of them on two lines twice.
        assert!(error.contains("file.csv, line 11: this is no name"), "{error}");
        assert_eq!(read(&folder.path().join("none.csv"), "name", parse).unwrap(), Vec::<String>::new());
    }
}
