//! A model on disk: a folder that is written whole or not at all. `docs/format.md` says what is in it.
//!
//! `config.rs` has what is read as text, `tensors.rs` the numbers, `card.rs` the page for people, `folder.rs` how a folder takes the
//! place of another at once. What happens after the fit is added to `journal.sqlite` (`crate::journal`).

mod card;
mod config;
mod folder;
mod tensors;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::error::{JournalError, LoadError, SaveError};
use crate::journal::Journal;
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
        let place = folder.as_ref();
        let partial = folder::Partial::begin(place)?;
        let mut journal = self.journal();
        let entries = journal.entries_after(0)?;
        let tensors = tensors::of(self)?;
        let config = Config::of(self, entries.last().map_or(0, |entry| entry.number), &tensors);
        partial.write(CONFIG, config.to_json()?.as_bytes())?;
        partial.write(TENSORS, &tensors)?;
        partial.write(METRICS, json(&self.metrics)?.as_bytes())?;
        partial.write(CARD, card::card(self).as_bytes())?;
        let mut written = Journal::open(&partial.path(JOURNAL))?;
        written.extend(&entries)?;
        drop(written);
        partial.sync(JOURNAL)?;
        // Others who would write to the journal that goes away wait, and find then that it is another.
        let goes_away = match Journal::open_existing(&place.join(JOURNAL))? {
            Some(mut other) => other.hold()?.then_some(other),
            None => None,
        };
        partial.publish(place)?;
        drop(goes_away);
        if journal.path() == Some(place.join(JOURNAL).as_path()) {
            *journal = Journal::open(&place.join(JOURNAL))?;
        }
        Ok(())
    }

    /// Reads a model with everything that its journal says was done since. Changes are kept in memory, until it is saved.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        read(folder.as_ref(), Attach::No, None)
    }

    /// Reads a model as it was after so many changes; 0 is as it was saved.
    ///
    /// # Errors
    /// [`LoadError`].
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
        self.metrics.evaluations.push(evaluation);
        let folder = folder.as_ref();
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
    let text =
        serde_json::to_string_pretty(value).map_err(|_| SaveError::Unwritable { what: "a number of these metrics" });
    text.map(|text| text + "\n")
}

fn read(place: &Path, attach: Attach, until: Option<u64>) -> Result<Model, LoadError> {
    let place = folder::complete(place)?;
    let text = |name: &str| {
        let path = place.join(name);
        std::fs::read_to_string(&path).map_err(|source| LoadError::File { path, source })
    };
    let config = Config::parse(&place.join(CONFIG), &text(CONFIG)?)?;
    let metrics: Metrics = serde_json::from_str(&text(METRICS)?)
        .map_err(|error| LoadError::Damaged { path: place.join(METRICS), what: error.to_string() })?;
    let path = place.join(TENSORS);
    let bytes = std::fs::read(&path).map_err(|source| LoadError::File { path: path.clone(), source })?;
    if config::sha256(&bytes) != config.tensors_sha256 {
        let what = "its SHA-256 is not the one in config.json".to_owned();
        return Err(LoadError::Damaged { path, what });
    }
    let parts = tensors::parse(&path, &bytes, &config)?;
    let journal_path = place.join(JOURNAL);
    let journal = match attach {
        Attach::Yes => Journal::open(&journal_path)?,
        Attach::No if journal_path.exists() => Journal::Memory(Journal::read(&journal_path)?),
        Attach::No => Journal::default(),
    };
    let entries = journal.entries_after(config.folded)?;
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
