//! Where results come from, for the files that hold them.

use crate::machine::Machine;

/// Where results come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The command that makes them again, without the user's paths.
    pub command: String,
    /// The revision or version of the program. Without commas: it is a field of CSV.
    pub revision: String,
    /// The machine, in Markdown.
    pub setup: String,
}

impl Provenance {
    /// Of a program that is run from its source: the revision that it was built from, and its compiler.
    pub fn of_source(command: impl Into<String>, revision: &str) -> Self {
        Self { command: command.into(), revision: revision.to_owned(), setup: Machine::this().describe() }
    }

    /// Of a program that may be installed anywhere: its version.
    pub fn of_version(command: impl Into<String>, version: &str) -> Self {
        Self {
            command: command.into(),
            revision: version.replace(',', " "),
            setup: Machine::this().describe_hardware(),
        }
    }
}
