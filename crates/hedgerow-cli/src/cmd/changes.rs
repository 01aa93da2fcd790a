//! What the verbs that change models have in common: where a change stands, and ids that are not there.

use std::path::Path;

use hedgerow::{Change, ChangeError, EditError, ExampleId, JournalEntry, Model};

use crate::error::Hinted;

/// Said wherever examples can be removed.
pub(crate) const STILL_CARRIED: &str =
    "the learned representation still carries what was removed; only a new fit without it does not";

/// Where changes stand, once they are made.
pub(crate) struct Place {
    pub(crate) model: String,
    pub(crate) first_change: Option<u64>,
    pub(crate) last_change: Option<u64>,
    /// Stored examples of the model now.
    pub(crate) nodes: usize,
}

impl Place {
    /// Of the last `n` changes of a model.
    pub(crate) fn of(folder: &Path, model: &Model, n: usize) -> Self {
        let last = model.n_changes();
        let made = n > 0;
        Self {
            model: folder.to_string_lossy().into_owned(),
            first_change: made.then_some(last + 1 - n as u64),
            last_change: made.then_some(last),
            nodes: model.search().n_stored(),
        }
    }
}

/// `change 4`, or `changes 4 to 6`.
pub(crate) fn changes_text(first: Option<u64>, last: Option<u64>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if first == last => format!("change {first}"),
        (Some(first), Some(last)) => format!("changes {first} to {last}"),
        _ => "no change".to_owned(),
    }
}

/// `1 example`, `2 examples`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// An error of a change, with what may have been meant if the example is not there.
pub(crate) fn with_hint(folder: &Path, model: &Model, error: ChangeError) -> anyhow::Error {
    let ChangeError::Edit(EditError::UnknownId { id, .. }) = &error else { return error.into() };
    let history = model.history().unwrap_or_default();
    let hint = match last_word(&history, *id) {
        Some(JournalEntry { number, change: Change::Remove { .. }, .. }) => {
            format!("change {number} has removed it: hedgerow history {}", folder.display())
        }
        _ => format!(
            "ids are those that `hedgerow explain` and `hedgerow inspect {0}` show: the training rows from 0 to {1}, and what \
             `hedgerow history {0}` has added",
            folder.display(),
            model.data().n_examples.saturating_sub(1)
        ),
    };
    Hinted::new(error, hint).into()
}

/// The last that was done to an example.
fn last_word(history: &[JournalEntry], id: ExampleId) -> Option<&JournalEntry> {
    history.iter().rev().find(|entry| entry.change.id() == id)
}
