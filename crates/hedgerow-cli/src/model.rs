//! Opening models, for every verb that takes one: with what may have been meant where there is none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use hedgerow::data::nearest_name;
use hedgerow::{LoadError, Model, SaveError, is_model};

use crate::error::Hinted;

/// Models beside a place that are named where none is near to what was asked.
const MOST_NAMED: usize = 5;

/// Reads a model to ask it. What is changed in it stays in memory.
pub(crate) fn load(place: &Path) -> anyhow::Result<Model> {
    Model::load(place).map_err(|error| with_hint(place, error))
}

/// Reads a model as it was after so many changes.
pub(crate) fn load_as_of(place: &Path, change: u64) -> anyhow::Result<Model> {
    Model::load_as_of(place, change).map_err(|error| with_hint(place, error))
}

/// Opens a model for changes: each is on the disk when the call that makes it returns.
pub(crate) fn open(place: &Path) -> anyhow::Result<Model> {
    Model::open(place).map_err(|error| with_hint(place, error))
}

/// Makes sure, before any work, that a model can be saved in a place without anything being lost: a model that is there is replaced only by force, and
/// what is no model is never replaced. Makes the folder that it stands in.
pub(crate) fn make_room(place: &Path, force: bool) -> anyhow::Result<()> {
    if is_model(place) {
        if !force {
            let error = anyhow!("{}: there is a model here already", place.display());
            return Err(Hinted::new(error, "--force replaces it; or give another folder").into());
        }
    } else if place.exists() && !std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none()) {
        return Err(SaveError::NotAModel { path: place.to_owned() }.into());
    }
    match place.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
        }
        None => Ok(()),
    }
}

/// Where a fit that is under way keeps what it has learned: `digits.checkpoint` beside `digits`. Nothing for a place without a name,
/// such as `..`.
pub(crate) fn checkpoint_of(place: &Path) -> Option<PathBuf> {
    let mut name: OsString = place.file_name()?.to_owned();
    name.push(".checkpoint");
    Some(place.with_file_name(name))
}

fn with_hint(place: &Path, error: LoadError) -> anyhow::Error {
    match &error {
        LoadError::NoModel { .. } => match hint(place) {
            Some(hint) => Hinted::new(error, hint).into(),
            None => error.into(),
        },
        _ => error.into(),
    }
}

/// What may have been meant by a place without a model.
fn hint(place: &Path) -> Option<String> {
    if checkpoint_of(place).is_some_and(|checkpoint| checkpoint.is_file()) {
        return Some("a fit of it was not finished: run that `hedgerow fit` again with --resume".to_owned());
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter(|entry| is_model(entry.path())).map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    let asked = place.file_name().unwrap_or_default().to_string_lossy();
    if let Some(nearest) = nearest_name(&asked, names.iter().map(String::as_str)) {
        return Some(format!("did you mean {}?", place.with_file_name(nearest).display()));
    }
    match names.len() {
        0 => Some("make one: hedgerow fit --data DATA --out MODEL".to_owned()),
        n if n <= MOST_NAMED => Some(format!("models in that folder: {}", names.join(", "))),
        n => Some(format!("models in that folder: {}, and {} more", names[..MOST_NAMED].join(", "), n - MOST_NAMED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_stands_beside_its_model() {
        let of = |place: &str| checkpoint_of(Path::new(place));
        assert_eq!(of("a/digits"), Some("a/digits.checkpoint".into()));
        assert_eq!(of("digits.v2/"), Some("digits.v2.checkpoint".into()));
        assert_eq!(of(".."), None);
    }
}
