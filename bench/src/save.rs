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

/// This crate's folder, which `cargo run` tells.
pub fn bench_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("bench"), PathBuf::from)
}

/// The folder of a run that begins now. To be asked for once: the day may end before the run does.
pub fn folder(machine: &Machine) -> PathBuf {
    bench_folder().join("runs").join(format!("{}-{}", date::today(), machine.slug()))
}

/// Where a command keeps what it has so far, until [`save`] writes its results.
pub fn unfinished(folder: &Path, command: &str) -> PathBuf {
    folder.join(format!("{command}-unfinished.csv"))
}

/// What names the files of a command that came to an error before its end. They have a name of their own, so that they replace no whole results.
pub fn stopped(command: &str) -> String {
    format!("{command}-stopped")
}

/// Removes what a command left on its way, once its whole results are saved: all of that is in them.
pub fn tidy(folder: &Path, command: &str) {
    let stopped = ["-summary.md", "-raw.csv", ".html"].map(|end| folder.join(stopped(command) + end));
    for path in stopped.iter().chain([&unfinished(folder, command)]) {
        // Nearly always it is not there.
        let _ = std::fs::remove_file(path);
    }
}

/// The files of a run, before they are written.
///
/// All commands share a folder, so that their files carry the command's name; a second run on the same day replaces them.
fn files(machine: &Machine, results: &Results) -> Vec<(String, String)> {
    let Results { command, command_line, moment, summary, raw_csv, page } = results;
    let page = page.iter().map(|page| (format!("{command}.html"), page.clone()));
    [
        ("setup.md".to_owned(), format!("# Setup\n\n{}", machine.describe())),
        (format!("{command}-summary.md"), format!("# {command}\n\n- command: `{command_line}`\n{moment}\n{summary}")),
        (format!("{command}-raw.csv"), raw_csv.clone()),
    ]
    .into_iter()
    .chain(page)
    .collect()
}

/// Writes the results to the folder of the run.
///
/// # Errors
/// [`SaveError`] with the file that cannot be written.
pub fn save(folder: &Path, machine: &Machine, results: &Results) -> Result<(), SaveError> {
    for (name, text) in files(machine, results) {
        let path = folder.join(name);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|source| SaveError { path, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine { processor: "Some CPU".into(), cores: 2, usable_cores: 2 }
    }

    fn results() -> Results {
        Results {
            command: "ratios".into(),
            command_line: "cargo run".into(),
            moment: "- load before: 0\n".into(),
            summary: "| a |\n".into(),
            raw_csv: "a\n".into(),
            page: None,
        }
    }

    #[test]
    fn the_folder_carries_the_date_and_the_machine_and_files_the_command() {
        let folder = folder(&machine());
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert_eq!(&name[10..], "-some-cpu-2-cores");
        let files = files(&machine(), &results());
        let names = files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        assert_eq!(names, ["setup.md", "ratios-summary.md", "ratios-raw.csv"]);
        assert_eq!(files[1].1, "# ratios\n\n- command: `cargo run`\n- load before: 0\n\n| a |\n");
    }

    #[test]
    fn what_was_stopped_replaces_nothing_and_goes_when_all_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let save = |command: String, raw: &str| {
            let (raw_csv, page) = (raw.to_owned(), Some("page".to_owned()));
            save(folder.path(), &machine(), &Results { command, raw_csv, page, ..results() }).unwrap();
        };
        let read = || std::fs::read_to_string(folder.path().join("peers-raw-raw.csv")).unwrap();
        save("peers-raw".into(), "whole");
        save(stopped("peers-raw"), "part");
        std::fs::write(unfinished(folder.path(), "peers-raw"), "part").unwrap();
        assert_eq!(read(), "whole");
        save("peers-raw".into(), "whole, again");
        tidy(folder.path(), "peers-raw");
        assert_eq!(read(), "whole, again");
        // The set-up, the summary, the measurements and the page.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_run_past_midnight_has_one_folder() {
        let parent = tempfile::tempdir().unwrap();
        // Whatever day it is by now.
        let folder = parent.path().join("2001-02-03-some-cpu");
        assert_eq!(unfinished(&folder, "peers-raw").parent(), Some(folder.as_path()));
        save(&folder, &machine(), &results()).unwrap();
        assert!(folder.join("ratios-raw.csv").exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}
