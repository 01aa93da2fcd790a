//! What the verbs that change models have in common: making a change, where it stands, and ids that are not there.

use std::path::Path;

use hedgerow::{Change, ChangeError, EditError, ExampleId, JournalEntry, JournalError, Model};

use crate::context::Context;
use crate::error::Hinted;
use crate::model;

/// How often a change is tried where the model is written anew each time.
const MOST_TRIES: usize = 5;

/// Said wherever examples can be removed.
pub(crate) const STILL_CARRIED: &str =
    "the learned representation still carries what was removed; only a new fit without it does not";

/// Changes a model that was opened. If its folder was written anew meanwhile (`hedgerow replay --force`), that one is opened and changed,
/// unless it was fitted to something else: then rows and ids may mean others.
pub(crate) fn make<T: Send>(
    folder: &Path,
    model: &mut Model,
    context: &Context,
    change: impl Fn(&mut Model) -> Result<T, ChangeError> + Sync,
) -> anyhow::Result<T> {
    for _ in 1..MOST_TRIES {
        match context.compute(|| change(model))? {
            Err(ChangeError::Journal(JournalError::Replaced { .. })) => {}
            made => return made.map_err(|error| with_hint(folder, model, error)),
        }
        let anew = model::open(folder)?;
        if (anew.data(), anew.encoding()) != (model.data(), model.encoding()) {
            break;
        }
        *model = anew;
    }
    context.compute(|| change(model))?.map_err(|error| with_hint(folder, model, error))
}

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
fn with_hint(folder: &Path, model: &Model, error: ChangeError) -> anyhow::Error {
    let id = match &error {
        ChangeError::Edit(EditError::UnknownId { id, .. }) => id,
        ChangeError::Journal(JournalError::Replaced { .. }) => {
            return Hinted::new(error, "look at the model that is there now, and give the command again").into();
        }
        _ => return error.into(),
    };
    let history = model.history().unwrap_or_default();
    let hint = match last_word(&history, *id) {
        Some(JournalEntry { number, change: Change::Remove { .. }, .. }) => {
            format!("change {number} has removed it: hedgerow history {}", folder.display())
        }
        _ if model.left_out().contains(id) => {
            "it was left out when the model was fitted, since its neighbors outvote it (--editing), and has no part in any answer".to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use clap::Parser;
    use hedgerow::{FitOptions, FitParams, data, silent_fit};

    fn fitted(data: &str, folder: &Path) {
        let params = FitParams { learning: None, ..FitParams::default() };
        let dataset = data::load(data).expect("it is made on the spot");
        let model = Model::fit(&dataset, &params, &FitOptions::default(), &mut silent_fit()).expect("it can be fitted");
        model.save_over(folder).expect("it can be saved");
    }

    #[test]
    fn a_model_that_was_written_anew_meanwhile_is_changed_and_another_one_is_not() {
        let context =
            Context::new(App::try_parse_from(["hedgerow", "man"]).expect("it is well formed").globals, Vec::new());
        let dir = tempfile::tempdir().expect("a temporary folder");
        let folder = dir.path().join("model");
        let relabel =
            |model: &mut Model| make(&folder, model, &context, |model| model.relabel(ExampleId(3), "new", None));
        fitted("moons?n=50", &folder);
        let mut model = model::open(&folder).expect("it is there");
        // As `hedgerow replay --out FOLDER --force` does.
        model::load(&folder).and_then(|same| Ok(same.save(&folder)?)).expect("it can be saved");
        relabel(&mut model).expect("it is the same model");
        assert_eq!(model::load(&folder).expect("it is there").n_changes(), 1);
        fitted("moons?n=50&seed=9", &folder);
        let error = relabel(&mut model).expect_err("its example 3 is another one");
        assert!(error.to_string().contains("another model was saved"), "{error}");
        assert_eq!(model::load(&folder).expect("it is there").n_changes(), 0);
    }
}
