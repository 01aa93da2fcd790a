//! How a folder takes the place of another at once.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::{CARD, CONFIG, FILES, JOURNAL, METRICS, TENSORS};
use crate::error::{LoadError, SaveError};
use crate::journal::{Identity, identity_in};

/// What a writer that was killed left behind is removed after so long.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 3600);

/// A folder that is being filled, beside the one that it will become.
pub(super) struct Partial {
    folder: TempDir,
}

fn failed<'a>(path: &'a Path, act: &'static str) -> impl Fn(std::io::Error) -> SaveError + use<'a> {
    move |source| SaveError::File { path: path.to_owned(), act, source }
}

fn parent(place: &Path) -> PathBuf {
    place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// What names of folders under way begin with.
fn prefix(place: &Path, what: &str) -> String {
    let name = place.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    format!(".{name}.{what}")
}

/// Where the old folder stands for a moment, on systems that cannot exchange two.
fn previous(place: &Path) -> PathBuf {
    parent(place).join(prefix(place, "previous"))
}

/// The folder itself where a place is a link to one: the new folder is put beside it, and the link stays.
pub(super) fn real(place: &Path) -> PathBuf {
    place.canonicalize().unwrap_or_else(|_| place.to_owned())
}

/// What tells a folder from another that took its place; nothing where there is none, or where the system cannot tell.
pub(super) fn identity(place: &Path) -> Option<Identity> {
    crate::journal::identity(place)
}

/// A folder that is held while it is read: as long as it is, no other can get its identity, which systems give again to the next one.
pub(super) struct Held {
    _folder: Option<File>,
    identity: Option<Identity>,
}

impl Held {
    pub(super) fn now(place: &Path) -> Self {
        let folder = File::open(place).ok();
        let identity = folder.as_ref().and_then(|folder| identity_in(&folder.metadata().ok()?));
        Self { _folder: folder, identity }
    }

    /// Whether it still has its place.
    pub(super) fn is_in(&self, place: &Path) -> bool {
        identity(place) == self.identity
    }
}

/// The names in a folder of a model that are none of the model's.
pub(super) fn other_files(place: &Path) -> Vec<String> {
    let is_ours = |name: &str| {
        let beside =
            [CONFIG, TENSORS, METRICS, CARD].iter().any(|file| name.starts_with(&prefix(Path::new(file), "saving-")));
        // SQLite's own file, and what a killed writer has left.
        beside || FILES.contains(&name) || name.strip_suffix("-journal") == Some(JOURNAL)
    };
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !is_ours(name));
    names.sort();
    names
}

/// Keeps for the new folder and its files who may read and write the old ones.
fn keep_permissions(old: &Path, new: &Path) {
    for name in FILES.into_iter().chain([""]) {
        if let Ok(old) = fs::metadata(old.join(name)) {
            // Where that is not allowed, they have those of any new file.
            let _ = fs::set_permissions(new.join(name), old.permissions());
        }
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

impl Partial {
    pub(super) fn begin(place: &Path) -> Result<Self, SaveError> {
        if super::is_model(place) {
            let files = other_files(place);
            if !files.is_empty() {
                return Err(SaveError::OtherFiles { path: place.to_owned(), files });
            }
        } else if place.exists() && !is_empty(place) {
            return Err(SaveError::NotAModel { path: place.to_owned() });
        }
        let parent = parent(place);
        fs::create_dir_all(&parent).map_err(failed(&parent, "making the folder"))?;
        let prefix = prefix(place, "saving-");
        sweep(&parent, &prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        // Temporary folders are for their owner alone; a model is for whom the user's settings (umask) say.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let folder = builder.tempdir_in(&parent).map_err(failed(&parent, "making a folder in it"))?;
        Ok(Self { folder })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SaveError> {
        let path = self.path(name);
        write_through(&path, bytes).map_err(failed(&path, "writing"))
    }

    /// Takes the place of what is there, if that is still the folder that was seen; [`SaveError::Taken`] if it is another.
    pub(super) fn publish(self, place: &Path, seen: Option<Identity>) -> Result<(), SaveError> {
        let parent = parent(place);
        let mut folder = self.folder;
        keep_permissions(place, folder.path());
        sync_folder(folder.path());
        // The system puts a folder in the place of an empty one or of none, and refuses any other: in one act, whoever does the same.
        match fs::rename(folder.path(), place) {
            Ok(()) => {
                folder.disable_cleanup(true);
                sync_folder(&parent);
                return Ok(());
            }
            Err(source) if !place.exists() || is_empty(place) => {
                return Err(failed(place, "renaming the folder to this")(source));
            }
            Err(_) if identity(place) != seen => return Err(SaveError::Taken { path: place.to_owned() }),
            Err(_) => {}
        }
        if exchange(folder.path(), place) {
            sync_folder(&parent);
            return Ok(()); // the old one is removed with the temporary folder
        }
        let previous = previous(place);
        let _ = fs::remove_dir_all(&previous);
        fs::rename(place, &previous).map_err(failed(place, "setting the old folder aside"))?;
        if let Err(source) = fs::rename(folder.path(), place) {
            let _ = fs::rename(&previous, place);
            return Err(failed(place, "renaming the folder to this")(source));
        }
        folder.disable_cleanup(true);
        sync_folder(&parent);
        let _ = fs::remove_dir_all(&previous);
        Ok(())
    }
}

/// Exchanges two folders in one act, where the system can.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, two: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_one: &Path, _two: &Path) -> bool {
    false
}

fn write_through(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Names must be on the disk too; not every system can be asked for that.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Removes what writers left that were killed long ago.
fn sweep(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix);
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|at| at.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > LEFT_BEHIND) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Puts a file in the place of another, whole or not at all.
pub(super) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), SaveError> {
    let folder = parent(path);
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path, "saving-");
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut partial = builder.tempfile_in(&folder).map_err(failed(path, "writing beside it"))?;
    partial.write_all(bytes).and_then(|()| partial.as_file().sync_all()).map_err(failed(path, "writing"))?;
    if let Ok(old) = fs::metadata(path) {
        let _ = partial.as_file().set_permissions(old.permissions());
    }
    partial.persist(path).map_err(|error| failed(path, "writing")(error.error))?;
    sync_folder(&folder);
    Ok(())
}

/// The folder with the last complete model: the one asked for, or the one that was set aside when a save was cut short.
pub(super) fn complete(place: &Path) -> Result<PathBuf, LoadError> {
    let set_aside = previous(place);
    match () {
        () if place.join(CONFIG).is_file() => Ok(place.to_owned()),
        () if !place.exists() && set_aside.join(CONFIG).is_file() => Ok(set_aside),
        () => Err(LoadError::NoModel { path: place.to_owned() }),
    }
}
