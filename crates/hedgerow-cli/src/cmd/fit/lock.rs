//! One fit at a time for one place: two would write to the same checkpoint.

use std::path::{Path, PathBuf};

/// Keeps other fits from a place until it is dropped, or its program ends in any other way.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: std::fs::File,
}

impl Lock {
    /// Refuses a place that another fit has. Nothing where there is no such folder yet, or no way to lock: who comes second is then told when it
    /// is done.
    #[cfg(unix)]
    pub(super) fn take(out: &Path) -> anyhow::Result<Option<Self>> {
        use crate::error::WithHint as _;
        use rustix::fs::{FlockOperation, flock};
        use std::os::unix::fs::MetadataExt as _;

        let Some(name) = out.file_name() else { return Ok(None) };
        let path = out.with_file_name(format!(".{}.fitting", name.to_string_lossy()));
        loop {
            let Ok(file) = std::fs::File::create(&path) else { return Ok(None) };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    let error = anyhow::anyhow!("{}: another fit of this model is under way", out.display());
                    return Err(error).hint("wait for it, or give another --out");
                }
                Err(_) => return Ok(None),
                Ok(()) => {}
            }
            // Whoever had it may have removed the file between the two steps, and somebody else made another.
            let identity = |file: std::fs::Metadata| (file.dev(), file.ino());
            let here = std::fs::metadata(&path).map(identity).ok();
            if here.is_some() && here == file.metadata().map(identity).ok() {
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }

    #[cfg(not(unix))]
    pub(super) fn take(_out: &Path) -> anyhow::Result<Option<Self>> {
        Ok(None)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_for_one_fit_at_a_time() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("m");
        let lock = Lock::take(&out).expect("it is free");
        let error = Lock::take(&out).expect_err("it is taken").to_string();
        assert!(error.contains("another fit"), "{error}");
        assert!(Lock::take(&folder.path().join("n")).is_ok());
        drop(lock);
        assert!(Lock::take(&out).expect("it is free again").is_some());
        assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0);
        assert!(Lock::take(&folder.path().join("none/m")).expect("nobody is there").is_none());
    }
}
