//! What a step is, and how it can end. Read next: `steps.rs` for the list.

use crate::workspace::Workspace;

/// One thing `cargo xtask` can run. A new check is one more of these in `steps.rs`.
pub(crate) struct Step {
    /// The word typed on the command line.
    pub(crate) name: &'static str,
    /// One line for the help text.
    pub(crate) about: &'static str,
    /// Does the work, its own set-up included.
    pub(crate) run: fn(&Workspace) -> Outcome,
}

/// How a step ended. `Skipped` is for what this machine cannot have; it never hides a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

impl Outcome {
    /// The word for the table.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Outcome::Passed => "ok",
            Outcome::Failed(_) => "FAILED",
            Outcome::Skipped(_) => "skipped",
        }
    }

    /// Why, where there is something to say.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Outcome::Passed => "",
            Outcome::Failed(reason) | Outcome::Skipped(reason) => reason,
        }
    }
}
