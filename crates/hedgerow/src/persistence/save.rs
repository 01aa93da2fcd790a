//! How a model is written to its folder, and what in that place is kept, replaced or refused.

use std::path::Path;

use super::config::Config;
use super::folder::{self, Partial};
use super::{CARD, CONFIG, JOURNAL, METRICS, MOST_TRIES, TENSORS, card, config_in, metrics_in, seal, tensors};
use crate::error::SaveError;
use crate::journal::{Journal, JournalEntry, JournalError, JournalFile};
use crate::model::{Metrics, Model, RecordedEvaluation};

/// What a save may put itself in the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// No model.
    Nothing,
    /// A model, if no change of it is lost.
    Unchanged,
    /// Any model.
    Anything,
}

impl Model {
    /// Writes the model to a folder. The folder is there whole or, if anything fails or the power goes, as it was before.
    ///
    /// Where this model was saved before, changes that others made to it there since are kept. Another model is replaced if it was not
    /// changed since its fit. Files that are none of a model's are never replaced.
    ///
    /// # Errors
    /// [`SaveError`]; [`SaveError::WouldLose`] where changes would be lost.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), SaveError> {
        self.save_over_what(folder.as_ref(), Over::Unchanged)
    }

    /// [Writes](Self::save) the model to a folder that is not there yet, or empty.
    ///
    /// # Errors
    /// [`SaveError`]; [`SaveError::Taken`] where there is a model, even if it came there the moment before.
    pub fn save_new(&self, folder: impl AsRef<Path>) -> Result<(), SaveError> {
        self.save_over_what(folder.as_ref(), Over::Nothing)
    }

    /// [Writes](Self::save) the model to a folder in the place of any model that is there, whose changes are lost. That may be this model as it
    /// was later: then these are undone.
    ///
    /// # Errors
    /// [`SaveError`].
    pub fn save_over(&self, folder: impl AsRef<Path>) -> Result<(), SaveError> {
        self.save_over_what(folder.as_ref(), Over::Anything)
    }

    fn save_over_what(&self, folder: &Path, over: Over) -> Result<(), SaveError> {
        again(|| self.try_save(&folder::real(folder), over), over == Over::Nothing)
    }

    fn try_save(&self, place: &Path, over: Over) -> Result<(), SaveError> {
        let seen = folder::identity(place);
        let partial = Partial::begin(place)?;
        if over == Over::Nothing && super::is_model(place) {
            return Err(SaveError::Taken { path: place.to_owned() });
        }
        let mut journal = self.journal();
        let path = place.join(JOURNAL);
        // Others who would write to the journal that goes away wait, and find then that it is another. What they have written before is in
        // the new one, if this is the model that they change.
        let is_own = journal.is_at(&path);
        let mut goes_away = if is_own { None } else { occupant(&path)? };
        if is_own {
            journal.lock()?;
        } else if let Some(other) = &mut goes_away {
            other.lock()?;
        }
        let saved = self.entries_to_write(&journal, goes_away.as_ref(), over, place).and_then(|entries| {
            let snapshot = self.structure.snapshot();
            let tensors = tensors::of(self, &snapshot)?;
            partial.write(CONFIG, Config::of(self, &snapshot, &tensors, &entries).to_json()?.as_bytes())?;
            partial.write(TENSORS, &tensors)?;
            let metrics = Metrics { model_id: self.id.into(), ..self.metrics.clone() };
            partial.write(METRICS, json(&metrics)?.as_bytes())?;
            partial.write(CARD, card::card(self, &metrics).as_bytes())?;
            JournalFile::create(&partial.path(JOURNAL), self.id, &entries)?;
            partial.publish(place, seen)
        });
        journal.release();
        drop(goes_away);
        saved?;
        if is_own {
            *journal = Journal::File(JournalFile::open(&path)?);
        }
        Ok(())
    }

    /// The entries of the new journal: its own, and those that others have written to it in that place since it was loaded.
    fn entries_to_write(
        &self,
        own: &Journal,
        there: Option<&JournalFile>,
        over: Over,
        place: &Path,
    ) -> Result<Vec<JournalEntry>, SaveError> {
        let entries = own.entries_after(0)?;
        let Some(file) = there.filter(|_| over != Over::Anything) else { return Ok(entries) };
        let read = || Ok((file.model()?, file.entries_after(0)?));
        let (model, there) = match read() {
            Err(JournalError::Replaced { path }) => return Err(JournalError::Replaced { path }.into()),
            // One that is damaged keeps nobody from putting a good model in its place.
            Err(error) if error.is_damage() => return Ok(entries),
            read => read?,
        };
        let n_common = match model == self.id {
            true => entries.iter().zip(&there).take_while(|(own, there)| own == there).count(),
            false => 0,
        };
        match there.len() - n_common {
            0 => Ok(entries),
            _ if model == self.id && n_common == entries.len() => Ok(there),
            n_changes => Err(SaveError::WouldLose { path: place.to_owned(), n_changes }),
        }
    }

    /// Adds an evaluation to the metrics and the card of this model on disk, behind those that others have recorded.
    ///
    /// # Errors
    /// [`SaveError`]; [`SaveError::OtherModel`] where another model is in that place.
    pub fn record_evaluation(
        &mut self,
        folder: impl AsRef<Path>,
        evaluation: &RecordedEvaluation,
    ) -> Result<(), SaveError> {
        let place = &folder::real(folder.as_ref());
        again(
            || {
                // Whoever records or saves at the same time waits.
                let mut journal = JournalFile::open(&place.join(JOURNAL))?;
                journal.lock()?;
                if config_in(place)?.id != self.id {
                    return Err(SaveError::OtherModel { path: place.clone() });
                }
                let mut metrics = metrics_in(place, self.id)?;
                metrics.evaluations.push(evaluation.clone());
                folder::replace_file(&place.join(METRICS), json(&metrics)?.as_bytes())?;
                folder::replace_file(&place.join(CARD), card::card(self, &metrics).as_bytes())?;
                self.metrics = metrics;
                Ok(())
            },
            false,
        )
    }
}

/// Acts again where another model was saved in the place between two steps: what is there now is looked at anew.
fn again(mut act: impl FnMut() -> Result<(), SaveError>, taken_is_final: bool) -> Result<(), SaveError> {
    for _ in 1..MOST_TRIES {
        match act() {
            Err(SaveError::Journal(JournalError::Replaced { .. })) => {}
            Err(SaveError::Taken { .. }) if !taken_is_final => {}
            done => return done,
        }
    }
    act()
}

/// The journal of the model that is to be replaced.
fn occupant(path: &Path) -> Result<Option<JournalFile>, SaveError> {
    if !path.is_file() {
        return Ok(None);
    }
    match JournalFile::open(path) {
        Err(error) if error.is_damage() => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, SaveError> {
    seal::to_json(value).ok_or(SaveError::Unwritable { what: "a number of these metrics" })
}
