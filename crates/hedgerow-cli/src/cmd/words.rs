//! Words and phrases that several verbs say of models.

use hedgerow::{FitParams, Model, Task};

/// The name for learning nothing, where others have that of a method.
pub(crate) const NO_METHOD: &str = "none";

/// The word for a task, as `--task` and JSON have it.
pub(crate) fn task_word(task: Task) -> &'static str {
    match task {
        Task::Classification => "classify",
        Task::Regression { .. } => "regress",
        _ => "retrieve",
    }
}

/// How the representation of a model was learned: `dbs, 64-100-100-20, 79 epochs`. Nothing if it was not.
pub(crate) fn learned_text(model: &Model) -> Option<String> {
    let learning = model.params().learning.as_ref()?;
    let metrics = model.metrics();
    let mut text = learning.method.name().to_owned();
    if let Some(transform) = model.transform() {
        let architecture = transform.architecture();
        let layers: Vec<String> = architecture.layers.iter().map(usize::to_string).collect();
        text += &format!(", {}-{}", architecture.n_inputs, layers.join("-"));
    }
    let ended = match metrics.outcome.as_deref() {
        Some("stopped-early") => " (ended early, since it got no better)",
        Some("time-up") => " (ended, since the time was up)",
        _ => "",
    };
    Some(format!("{text}, {} epochs{ended}", metrics.epochs.len()))
}

/// What keeps the examples, and how it measures: `boundary tree; distance euclidean`.
pub(crate) fn structure_text(params: &FitParams) -> String {
    format!("{}; distance {}", hedgerow_report::structure_text(&params.structure), params.distance)
}

/// A word as a shell takes it: in quotes, if it has other than plain characters.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+@%".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(shell_word("a/b-c.csv"), "a/b-c.csv");
        assert_eq!(shell_word("moons?n=5&seed=1"), "'moons?n=5&seed=1'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
