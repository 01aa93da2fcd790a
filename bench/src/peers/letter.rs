//! The letters of Frey and Slate (1991): 20,000 rows of 16 numbers, 26 classes, the first 16,000 to learn from as in their paper.
//!
//! No package that `hedgerow data get` knows has them as a table; Debian's r-cran-mlbench has them in R's own format, which `bench/peers/letter.py`
//! unpacks by the standard library of Python alone.

use std::path::Path;
use std::process::Command;

use hedgerow_core::{Label, Points};
use hedgerow_data::fetch::{Contents, GetOptions, Package, PinnedFile, RegisteredSet, Sources, Store, get};
use hedgerow_data::progress::silent;
use hedgerow_data::{Column, Dataset, LabelKind, MissingValues};

use super::PeersError;
use crate::python::environment::python_as_it_is;

/// What they are asked for by.
pub(super) const NAME: &str = "letter";

const FILE: &str = "LetterRecognition.rda";
const SCRIPT: &str = include_str!("../../peers/letter.py");
const WIDTH: usize = 16;
const N_TRAIN: usize = 16_000;

/// Gets them if they are not in the data directory, and reads them.
pub(super) fn load() -> Result<Dataset, PeersError> {
    let store = Store::from_environment()?;
    let folder = get(&store, &set(), &GetOptions::default(), &mut silent())?.folder;
    let path = folder.join(FILE);
    let wrong = |reason: String| PeersError::Letter { path: path.clone(), reason };
    let (points, labels) = parsed(&unpacked(&path).map_err(wrong)?).map_err(wrong)?;
    let n_test = labels.len().saturating_sub(N_TRAIN);
    let dataset = Dataset::new(NAME, Points::from_f32(WIDTH, points)?, labels)?;
    Ok(dataset.with_split_rows(N_TRAIN, 0, n_test)?)
}

fn set() -> RegisteredSet {
    let folder = "usr/lib/R/site-library/mlbench/data".to_owned();
    RegisteredSet {
        name: NAME.to_owned(),
        description: "Letters, 16 numbers of each, 20000 rows, 26 classes".to_owned(),
        license: "Letter Recognition, D. J. Slate, UCI Machine Learning Repository; GPL-2 as part of mlbench, \
                  read in the copyright file of Debian's r-cran-mlbench"
            .to_owned(),
        // Not read as a table: only the file is wanted.
        contents: Contents::Table {
            file: FILE.to_owned(),
            label: Column::Number(0),
            label_kind: LabelKind::Classes,
            missing: MissingValues::Refuse,
        },
        files: vec![PinnedFile {
            name: FILE.to_owned(),
            sha256: "967a1a3e10b548d7269cbe50182bcecd6365cc58ea07638bbc34c51f17f34f1d".to_owned(),
            bytes: 162_580,
        }],
        sources: Sources {
            apt: Some(Package { name: "r-cran-mlbench".to_owned(), version: String::new(), folder }),
            ..Sources::default()
        },
    }
}

/// The rows as text, by Python.
fn unpacked(path: &Path) -> Result<String, String> {
    let output = Command::new(python_as_it_is()).args(["-I", "-c", SCRIPT]).arg(path).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(said.lines().last().unwrap_or("Python failed and said nothing").to_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Numbers row after row, and classes: a letter, then its numbers, in each line.
fn parsed(text: &str) -> Result<(Vec<f32>, Vec<Label>), String> {
    let (mut points, mut labels) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let wrong = || format!("row {} is not a letter and {WIDTH} numbers: {line:?}", at + 1);
        let (letter, numbers) = line.split_once(' ').ok_or_else(wrong)?;
        let &[letter @ b'A'..=b'Z'] = letter.as_bytes() else { return Err(wrong()) };
        let numbers = numbers.split(' ').map(str::parse).collect::<Result<Vec<f32>, _>>().map_err(|_| wrong())?;
        if numbers.len() != WIDTH {
            return Err(wrong());
        }
        points.extend(numbers);
        labels.push(Label::class(u32::from(letter - b'A')));
    }
    match labels.len() {
        0..=N_TRAIN => Err(format!("{} rows, and more than {N_TRAIN} were expected", labels.len())),
        _ => Ok((points, labels)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "T 2 8 3 5 1 8 13 0 6 6 10 8 0 8 0 8";

    #[test]
    fn rows_are_a_letter_and_its_numbers() {
        let (points, labels) = parsed(&[ROW].repeat(N_TRAIN + 1).join("\n")).unwrap();
        assert_eq!(labels.len(), N_TRAIN + 1);
        assert_eq!((labels[0], &points[..3]), (Label::class(19), &[2.0, 8.0, 3.0][..]));
    }

    #[test]
    fn a_row_that_is_none_is_named() {
        for wrong in
            ["T 1 2", "TT 2 8", "? 2 8 3 5 1 8 13 0 6 6 10 8 0 8 0 8", "T", "T 2 8 3 5 1 8 13 0 6 6 10 8 0 8 0 x"]
        {
            let error = parsed(&format!("{ROW}\n{wrong}")).unwrap_err();
            assert!(error.starts_with("row 2 is not a letter and 16 numbers"), "{error}");
        }
        assert_eq!(parsed(ROW).unwrap_err(), "1 rows, and more than 16000 were expected");
    }
}
