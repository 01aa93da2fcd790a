//! A model on disk: a folder that is written whole or not at all. `docs/format.md` says what is in it.
//!
//! This file reads one, `save.rs` writes one, `bytes.rs` does both without a folder. `config.rs` has what is read as text, `tensors.rs` the numbers, `card.rs` the page for people,
//! `folder.rs` how a folder takes the place of another at once. What happens after the fit is added to `journal.sqlite` (`crate::journal`).

mod bytes;
mod card;
mod config;
mod folder;
mod save;
mod seal;
mod tensors;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::error::LoadError;
use crate::journal::{Journal, JournalError, JournalFile, Seal};
use crate::model::{Metrics, Model};
use config::Config;

const CONFIG: &str = "config.json";
const TENSORS: &str = "model.safetensors";
const METRICS: &str = "metrics.json";
const CARD: &str = "README.md";
const JOURNAL: &str = "journal.sqlite";
const FILES: [&str; 5] = [CONFIG, TENSORS, METRICS, CARD, JOURNAL];

impl Model {
    /// Reads a model with everything that its journal says was done since. Changes are kept in memory, until it is saved.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        read(folder.as_ref(), Attach::No, None)
    }

    /// Reads a model as it was after so many changes; 0 is as it was fitted. As it was when it was last [saved](Self::save), it can be had also
    /// where its journal is lost: this is how to go on then, with a new journal.
    ///
    /// # Errors
    /// [`LoadError`]; [`LoadError::NotKnownThen`] for more changes than there were, and for changes before the last [`save`](Self::save), which
    /// keeps the model as it was then.
    pub fn load_as_of(folder: impl AsRef<Path>, entry: u64) -> Result<Self, LoadError> {
        read(folder.as_ref(), Attach::No, Some(entry))
    }

    /// Opens a model for changes: each is on the disk when the call that makes it returns.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        read(folder.as_ref(), Attach::Yes, None)
    }
}

/// Whether changes go to the folder's journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attach {
    Yes,
    No,
}

/// How often a model is read again that is replaced while it is read.
const MOST_TRIES: usize = 10;

fn read(place: &Path, attach: Attach, until: Option<u64>) -> Result<Model, LoadError> {
    for _ in 1..MOST_TRIES {
        let held = folder::Held::now(place);
        let model = read_once(place, attach, until);
        // Files of two models are no model: where another was saved in this place meanwhile, that one is read.
        if held.is_in(place) {
            return model;
        }
    }
    read_once(place, attach, until)
}

/// The bytes of a file of a model.
fn bytes_of(path: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => LoadError::Missing { path: path.to_owned() },
        _ => LoadError::File { path: path.to_owned(), source },
    })
}

fn text_of(path: &Path) -> Result<String, LoadError> {
    String::from_utf8(bytes_of(path)?).map_err(|_| {
        let what = "it has bytes that are no text".to_owned();
        LoadError::Damaged { path: path.to_owned(), what }
    })
}

fn config_in(place: &Path) -> Result<Config, LoadError> {
    let path = place.join(CONFIG);
    Config::parse(&path, &text_of(&path)?)
}

/// The metrics of the model with this id.
fn metrics_in(place: &Path, id: Seal) -> Result<Metrics, LoadError> {
    let path = place.join(METRICS);
    let metrics: Metrics = seal::from_json(&path, &text_of(&path)?)?;
    if metrics.model_id != String::from(id) {
        let what = "it is of another model: its model_id is not the id in config.json".to_owned();
        return Err(LoadError::Damaged { path, what });
    }
    Ok(metrics)
}

/// The journal of a model, which goes on where the arrays end.
fn journal_in(place: &Path, attach: Attach, config: &Config) -> Result<Journal, JournalError> {
    let path = place.join(JOURNAL);
    if !path.exists() {
        return Err(JournalError::Missing { path });
    }
    let (model, journal) = match attach {
        Attach::Yes => {
            let file = JournalFile::open(&path)?;
            (file.model()?, Journal::File(file))
        }
        Attach::No => {
            let (model, entries) = JournalFile::read(&path)?;
            (model, Journal::Memory(entries))
        }
    };
    if model != config.id {
        return Err(JournalError::OtherModel { path });
    }
    if journal.seal_of(config.id, config.folded)? != config.folded_seal {
        let what = "it is not the one that the model was saved with, or is missing".to_owned();
        return Err(JournalError::Entry { path, number: config.folded, what });
    }
    Ok(journal)
}

fn read_once(place: &Path, attach: Attach, until: Option<u64>) -> Result<Model, LoadError> {
    let place = folder::complete(place)?;
    let config = config_in(&place)?;
    let metrics = metrics_in(&place, config.id)?;
    let path = place.join(TENSORS);
    let arrays = bytes_of(&path)?;
    if config::sha256(&arrays) != config.tensors_sha256 {
        let what = "its SHA-256 is not the one in config.json".to_owned();
        return Err(LoadError::Damaged { path, what });
    }
    let parts = tensors::parse(&path, &arrays, &config)?;
    let folded = config.folded;
    let lost = |source: JournalError| LoadError::Journal { source, folded };
    let (mut id, mut n_entries, mut n_lost) = (config.id, folded, config.n_lost);
    let journal = match journal_in(&place, attach, &config) {
        // The arrays are of this moment. A new journal begins, under another id: the old one, should it be found again, goes on elsewhere.
        Err(error) if until == Some(folded) && error.is_damage() => {
            (id, n_entries, n_lost) = (config.folded_seal, 0, n_lost.saturating_add(folded));
            Journal::default()
        }
        journal => journal.map_err(lost)?,
    };
    let entries = journal.entries_after(folded).map_err(lost)?;
    let last = entries.last().map_or(folded, |entry| entry.number);
    if let Some(asked) = until.filter(|until| !(folded..=last).contains(until)) {
        return Err(LoadError::NotKnownThen { path: place, asked, first: folded, last });
    }
    let mut model = Model {
        facts: config.facts,
        preprocessing: config.preprocessing,
        transform: parts.transform,
        structure: parts.structure,
        calibration: parts.calibration,
        originals: parts.originals,
        sources: parts.sources,
        left_out: parts.left_out,
        metrics,
        id,
        journal: Mutex::new(journal),
        n_entries,
        n_lost,
        next_id: config.next_id,
    };
    for entry in entries.iter().filter(|entry| until.is_none_or(|until| entry.number <= until)) {
        model.take_in(entry).map_err(|error| {
            let what = format!("it cannot be done once more: {error}");
            lost(JournalError::Entry { path: place.join(JOURNAL), number: entry.number, what })
        })?;
    }
    if let Some(until) = until {
        model.forget_after(until);
    }
    Ok(model)
}

/// Whether there is a model of any version in a folder, by its `config.json`: whole or damaged elsewhere. Other folders that have a file of
/// that name are none.
pub fn is_model(folder: impl AsRef<Path>) -> bool {
    config::is_of_a_model(&folder.as_ref().join(CONFIG))
}

/// The files of a model, as they are named in its folder.
pub fn model_files(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    FILES.map(|name| folder.as_ref().join(name)).to_vec()
}

/// The names in the folder of a model of what is no part of it. With any, the model is not replaced by another.
pub fn other_files(folder: impl AsRef<Path>) -> Vec<String> {
    folder::other_files(folder.as_ref())
}
