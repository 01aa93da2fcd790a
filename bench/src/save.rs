//! Keeps the results of a run: `bench/runs/<date>-<machine>/`.

use std::path::{Path, PathBuf};

use crate::date;
use crate::machine::Machine;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}; free the space or correct the permissions, or leave --save away", path.display())]
pub struct SaveError {
    path: PathBuf,
    source: std::io::Error,
}

/// What a command leaves behind.
#[derive(Debug, Clone)]
pub struct Results {
    /// The command, which names the files.
    pub command: String,
    /// How to run it again. Without the user's paths.
    pub command_line: String,
    /// Revision and load before the run, from [`crate::machine::describe_moment`].
    pub moment: String,
    /// The table that was printed.
    pub summary: String,
    /// Every single measurement, as CSV.
    pub raw_csv: String,
    /// A page for browsers, of commands that have one.
    pub page: Option<String>,
}

/// Where runs are kept: in this crate's folder, which `cargo run` tells.
fn runs() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("bench"), PathBuf::from).join("runs")
}

/// The files of a run, before they are written.
///
/// All commands share a folder, so that their files carry the command's name; a second run on the same day replaces them.
fn files(machine: &Machine, results: &Results) -> Vec<(String, String)> {
    let folder = format!("{}-{}", date::today(), machine.slug());
    let Results { command, command_line, moment, summary, raw_csv, page } = results;
    let page = page.iter().map(|page| (format!("{folder}/{command}.html"), page.clone()));
    [
        (format!("{folder}/setup.md"), format!("# Setup\n\n{}", machine.describe())),
        (
            format!("{folder}/{command}-summary.md"),
            format!("# {command}\n\n- command: `{command_line}`\n{moment}\n{summary}"),
        ),
        (format!("{folder}/{command}-raw.csv"), raw_csv.clone()),
    ]
    .into_iter()
    .chain(page)
    .collect()
}

/// Writes the results and gives the folder.
///
/// # Errors
/// [`SaveError`] with the file that cannot be written.
pub fn save(machine: &Machine, results: &Results) -> Result<PathBuf, SaveError> {
    let runs = runs();
    let mut folder = runs.clone();
    for (name, text) in files(machine, results) {
        let path = runs.join(name);
        folder = path.parent().map(Path::to_owned).unwrap_or(folder);
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|source| SaveError { path, source })?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_carry_the_date_the_machine_and_the_command() {
        let machine = Machine { processor: "Some CPU".into(), cores: 2 };
        let results = Results {
            command: "ratios".into(),
            command_line: "cargo run".into(),
            moment: "- load before: 0\n".into(),
            summary: "| a |\n".into(),
            raw_csv: "a\n".into(),
            page: None,
        };
        let files = files(&machine, &results);
        let names = files.iter().map(|(name, _)| &name[10..]).collect::<Vec<_>>();
        let folder = "-some-cpu-2-cores";
        let expected = ["setup.md", "ratios-summary.md", "ratios-raw.csv"].map(|file| format!("{folder}/{file}"));
        assert_eq!(names, expected);
        assert_eq!(files[1].1, "# ratios\n\n- command: `cargo run`\n- load before: 0\n\n| a |\n");
    }
}
