//! The data directory: where sets are, which are there, and whether they are what they should be.
//!
//! Each set has one folder, named for it and its pins, with its files under their usual names, so that other tools can
//! read them there. The directory itself may be reached through a link (data often lives on another disk); inside it, a
//! link in place of a set's folder or file is refused, never followed. Filling the directory is [`get`](super::get())'s
//! part.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::FetchError;
use super::check::{FileCheck, FileState, check_file};
use super::manifest::{PinnedFile, RegisteredSet};
use super::sets::{find_set, sets};
use super::staging::check_folder;
use super::watch::Watch;
use crate::progress::{Act, Listener};

/// A data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    dir: PathBuf,
}

/// Whether a set is there, judged by presence and length of its files only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Presence {
    /// All files are there.
    Present,
    /// Some are missing, of another length, or not files.
    Partly,
    /// None is there.
    Absent,
}

/// A registered set and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetStatus {
    /// The set.
    pub set: &'static RegisteredSet,
    /// Its folder, there or not.
    pub folder: PathBuf,
    /// Whether it is there.
    pub presence: Presence,
    /// Bytes of the files that are there.
    pub present_bytes: u64,
}

impl Store {
    /// The data directory at `dir`, which need not exist yet. A relative path is taken from the current directory.
    ///
    /// # Errors
    /// If there is something else than a folder, or the current directory is gone.
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self, FetchError> {
        let dir = dir.into();
        let dir = std::path::absolute(&dir).map_err(|source| FetchError::Io { act: "find", path: dir, source })?;
        if dir.exists() && !dir.is_dir() {
            return Err(FetchError::NotAFolder { path: dir });
        }
        Ok(Self { dir })
    }

    /// The data directory of the user: `HEDGEROW_DATA_DIR`, else `hedgerow` in the system's folder for data of programs
    /// (`XDG_DATA_HOME`, by default `.local/share` in the home directory).
    ///
    /// # Errors
    /// As [`open`](Self::open), and if there is no home directory.
    pub fn from_environment() -> Result<Self, FetchError> {
        Self::from_setting(env::var_os("HEDGEROW_DATA_DIR"))
    }

    fn from_setting(setting: Option<OsString>) -> Result<Self, FetchError> {
        match setting.filter(|dir| !dir.is_empty()) {
            Some(dir) => Self::open(dir),
            None => {
                let base = etcetera::choose_base_strategy().map_err(|_| FetchError::NoHome)?;
                Self::open(base.data_dir().join("hedgerow"))
            }
        }
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the folder of a set is, or will be.
    #[must_use]
    pub fn folder(&self, set: &RegisteredSet) -> PathBuf {
        self.dir.join(set.folder_name())
    }

    /// The folder of a set that is there, by presence and length of its files; hashes are [`verify`](Self::verify)'s part.
    ///
    /// # Errors
    /// If a file is missing, a link, not a file, or of another length.
    pub fn path(&self, set: &RegisteredSet) -> Result<PathBuf, FetchError> {
        set.check_names()?;
        let folder = self.folder(set);
        let mut missing = Vec::new();
        if self.has_folder(set)? {
            for file in &set.files {
                let path = folder.join(&file.name);
                match fs::symlink_metadata(&path) {
                    Ok(metadata) if metadata.is_symlink() => return Err(FetchError::Symlink { path }),
                    Ok(metadata) if !metadata.is_file() => return Err(FetchError::NotAFile { path }),
                    Ok(metadata) if metadata.len() != file.bytes => {
                        let (expected, got) = (file.bytes, metadata.len());
                        return Err(FetchError::WrongSize { set: set.name.clone(), path, expected, got });
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(file.name.clone()),
                    Err(source) => return Err(FetchError::Io { act: "read", path, source }),
                }
            }
        } else {
            missing.extend(set.files.iter().map(|file| file.name.clone()));
        }
        if missing.is_empty() { Ok(folder) } else { Err(FetchError::Absent { set: set.name.clone(), folder, missing }) }
    }

    /// Compares every file of a set with its pin, reading all of it. What is wrong with a file is in its state.
    ///
    /// # Errors
    /// If the set's folder is a link or no folder, or the listener asks to stop.
    pub fn verify(&self, set: &RegisteredSet, listener: &mut Listener<'_>) -> Result<Vec<FileCheck>, FetchError> {
        self.check(set, &Watch::new(&set.name, listener))
    }

    /// The folder of a set that is there with every hash right: [`path`](Self::path) after reading all of it, so that a
    /// changed byte never becomes data.
    ///
    /// # Errors
    /// As [`path`](Self::path), [`FetchError::WrongHash`], and [`FetchError::Stopped`] if the listener asks to stop.
    pub fn verified_path(&self, set: &RegisteredSet, listener: &mut Listener<'_>) -> Result<PathBuf, FetchError> {
        let folder = self.path(set)?;
        for check in self.verify(set, listener)? {
            let path = folder.join(&check.file);
            match check.state {
                FileState::Verified => {}
                FileState::Unreadable(kind) => {
                    return Err(FetchError::Io { act: "read", path, source: kind.into() });
                }
                // Other content; or changed since `path` looked, for which the remedy is the same.
                _ => return Err(FetchError::WrongHash { set: set.name.clone(), path }),
            }
        }
        Ok(folder)
    }

    pub(super) fn check(&self, set: &RegisteredSet, watch: &Watch<'_>) -> Result<Vec<FileCheck>, FetchError> {
        set.check_names()?;
        let has_folder = self.has_folder(set)?;
        let folder = self.folder(set);
        watch.begin(Act::Verifying, set.bytes());
        let check = |file: &PinnedFile| {
            let state =
                if has_folder { check_file(&folder.join(&file.name), file, watch)? } else { FileState::Missing };
            Ok(FileCheck { file: file.name.clone(), state })
        };
        set.files.iter().map(check).collect()
    }

    /// All registered sets and whether they are there.
    #[must_use]
    pub fn list(&self) -> Vec<SetStatus> {
        sets().iter().map(|set| self.status(set)).collect()
    }

    /// The registered set of this name and whether it is there.
    ///
    /// # Errors
    /// [`FetchError::UnknownSet`].
    pub fn info(&self, name: &str) -> Result<SetStatus, FetchError> {
        find_set(name).map(|set| self.status(set))
    }

    fn status(&self, set: &'static RegisteredSet) -> SetStatus {
        let folder = self.folder(set);
        let real_folder = matches!(self.has_folder(set), Ok(true));
        let is_there = |file: &&PinnedFile| {
            let metadata = fs::symlink_metadata(folder.join(&file.name));
            real_folder && metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() == file.bytes)
        };
        let there: Vec<&PinnedFile> = set.files.iter().filter(is_there).collect();
        let presence = match there.len() {
            count if count == set.files.len() => Presence::Present,
            0 => Presence::Absent,
            _ => Presence::Partly,
        };
        let present_bytes = there.iter().map(|file| file.bytes).sum();
        SetStatus { set, folder, presence, present_bytes }
    }

    /// Whether the set has a folder; an error if something else is in its place.
    fn has_folder(&self, set: &RegisteredSet) -> Result<bool, FetchError> {
        match check_folder(&self.folder(set)) {
            Ok(()) => Ok(true),
            Err(FetchError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_setting_is_made_absolute_and_an_empty_one_ignored() {
        let store = Store::from_setting(Some("some/where".into())).expect("nothing is there");
        assert!(store.dir().is_absolute() && store.dir().ends_with("some/where"));
        let unset = Store::from_setting(None).expect("tests have a home directory");
        assert_eq!(Store::from_setting(Some(OsString::new())).expect("as if unset"), unset);
        assert!(unset.dir().ends_with("hedgerow"));
    }
}
