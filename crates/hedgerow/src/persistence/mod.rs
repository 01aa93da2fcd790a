//! A model on disk: a folder that is written whole or not at all. `docs/format.md` says what is in it.
//!
//! `config.rs` has what is read as text, `tensors.rs` the numbers, `card.rs` the page for people, `folder.rs` how a folder takes the
//! place of another at once. What happens after the fit is added to `journal.sqlite` (`crate::journal`).

mod card;
mod config;
mod folder;
mod seal;
mod tensors;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::error::{JournalError, LoadError, SaveError};
use crate::journal::{Journal, JournalFile};
use crate::model::{Metrics, Model, RecordedEvaluation};
use config::Config;

const CONFIG: &str = "config.json";
const TENSORS: &str = "model.safetensors";
const METRICS: &str = "metrics.json";
const CARD: &str = "README.md";
const JOURNAL: &str = "journal.sqlite";

impl Model {
    /// Writes the model to a folder, in the place of another model if one is there. The folder is there whole or, if anything fails
    /// or the power goes, as it was before.
    ///
    /// # Errors
    /// [`SaveError`].
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), SaveError> {
        let place = &folder::real(folder.as_ref());
        let mut journal = self.journal();
        let path = place.join(JOURNAL);
        // Others who would write to the journal that goes away wait, and find then that it is another. What they have written before is in
        // the new one, if this is the model that they change.
        let is_own = journal.is_at(&path);
        let mut goes_away = match is_own || !path.is_file() {
            true => None,
            // One that is damaged keeps nobody from putting a good model in its place.
            false => JournalFile::open(&path).ok().map(Journal::File),
        };
        if is_own {
            journal.lock()?;
        } else if let Some(other) = &mut goes_away {
            other.lock()?;
        }
        let saved = self.save_with(&journal, place);
        journal.release();
        drop(goes_away);
        saved?;
        if is_own {
            *journal = Journal::File(JournalFile::open(&path)?);
        }
        Ok(())
    }

    fn save_with(&self, journal: &Journal, place: &Path) -> Result<(), SaveError> {
        let partial = folder::Partial::begin(place)?;
        let tensors = tensors::of(self)?;
        partial.write(CONFIG, Config::of(self, &tensors).to_json()?.as_bytes())?;
        partial.write(TENSORS, &tensors)?;
        partial.write(METRICS, json(&self.metrics)?.as_bytes())?;
        partial.write(CARD, card::card(self).as_bytes())?;
        JournalFile::create(&partial.path(JOURNAL), &journal.entries_after(0)?)?;
        partial.publish(place)
    }

    /// Reads a model with everything that its journal says was done since. Changes are kept in memory, until it is saved.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        read(folder.as_ref(), Attach::No, None)
    }

    /// Reads a model as it was after so many changes; 0 is as it was fitted. The journal is not looked at then: this is how to go on where it
    /// is lost.
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

    /// Adds an evaluation to the metrics and the card of a model on disk.
    ///
    /// # Errors
    /// [`SaveError`].
    pub fn record_evaluation(
        &mut self,
        folder: impl AsRef<Path>,
        evaluation: RecordedEvaluation,
    ) -> Result<(), SaveError> {
        let folder = folder.as_ref();
        self.metrics.evaluations.push(evaluation);
        folder::replace_file(&folder.join(METRICS), json(&self.metrics)?.as_bytes())?;
        folder::replace_file(&folder.join(CARD), card::card(self).as_bytes())
    }
}

/// Whether changes go to the folder's journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attach {
    Yes,
    No,
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, SaveError> {
    seal::to_json(value).ok_or(SaveError::Unwritable { what: "a number of these metrics" })
}

/// How often a model is read again that is replaced while it is read.
const MOST_TRIES: usize = 10;

fn read(place: &Path, attach: Attach, until: Option<u64>) -> Result<Model, LoadError> {
    for _ in 1..MOST_TRIES {
        let before = folder::identity(place);
        let model = read_once(place, attach, until);
        // Files of two models are no model: where another was saved in this place meanwhile, that one is read.
        if folder::identity(place) == before {
            return model;
        }
    }
    read_once(place, attach, until)
}

fn read_once(place: &Path, attach: Attach, until: Option<u64>) -> Result<Model, LoadError> {
    let place = folder::complete(place)?;
    let bytes = |name: &str| {
        let path = place.join(name);
        std::fs::read(&path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => LoadError::Missing { path },
            _ => LoadError::File { path, source },
        })
    };
    let text = |name: &str| {
        String::from_utf8(bytes(name)?).map_err(|_| {
            let what = "it has bytes that are no text".to_owned();
            LoadError::Damaged { path: place.join(name), what }
        })
    };
    let config = Config::parse(&place.join(CONFIG), &text(CONFIG)?)?;
    let metrics: Metrics = seal::from_json(&place.join(METRICS), &text(METRICS)?)?;
    let path = place.join(TENSORS);
    let arrays = bytes(TENSORS)?;
    if config::sha256(&arrays) != config.tensors_sha256 {
        let what = "its SHA-256 is not the one in config.json".to_owned();
        return Err(LoadError::Damaged { path, what });
    }
    let parts = tensors::parse(&path, &arrays, &config)?;
    let journal_path = place.join(JOURNAL);
    let journal = match attach {
        _ if until == Some(0) && config.folded == 0 => Journal::default(),
        _ if !journal_path.exists() => return Err(LoadError::Missing { path: journal_path }),
        Attach::Yes => Journal::File(JournalFile::open(&journal_path)?),
        Attach::No => Journal::Memory(JournalFile::read(&journal_path)?),
    };
    let entries = journal.entries_after(config.folded)?;
    let last = entries.last().map_or(config.folded, |entry| entry.number);
    if let Some(asked) = until.filter(|until| !(config.folded..=last).contains(until)) {
        return Err(LoadError::NotKnownThen { path: place, asked, first: config.folded, last });
    }
    let mut model = Model {
        facts: config.facts,
        preprocessing: config.preprocessing,
        transform: parts.transform,
        structure: parts.structure,
        calibration: parts.calibration,
        originals: parts.originals,
        sources: parts.sources,
        metrics,
        journal: Mutex::new(journal),
        n_entries: config.folded,
        next_id: config.next_id,
    };
    for entry in entries.iter().filter(|entry| until.is_none_or(|until| entry.number <= until)) {
        model.take_in(entry).map_err(|error| {
            let what = format!("it cannot be done once more: {error}");
            JournalError::Entry { path: journal_path.clone(), number: entry.number, what }
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
    [CONFIG, TENSORS, METRICS, CARD, JOURNAL].map(|name| folder.as_ref().join(name)).to_vec()
}
