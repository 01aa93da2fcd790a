//! What one can ask of getting a set, and what the environment says where one does not.
//!
//! Everything that is read from the environment is read in [`GetOptions::default`], but for proxies, which each client
//! finds itself, and the data directory, which is [`Store`](super::Store)'s.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::attempt::Via;

/// How to get a set.
#[derive(Debug, Clone)]
pub struct GetOptions {
    /// Which sources to use.
    pub via: Via,
    /// A folder, file or archive to take the files from; no other source is used then, whatever `via` says.
    pub from: Option<PathBuf>,
    /// Time for each source.
    pub timeout: Duration,
    /// A mirror to ask before the known ones: the files of a set are at `MIRROR/SET/FILE.gz` or `MIRROR/SET/FILE`. By
    /// default what the environment has in `HEDGEROW_DATA_MIRROR`.
    pub mirror: Option<String>,
    /// Where to look for package clients, written like `PATH`, which is the default.
    pub search_path: Option<OsString>,
    /// System data folders, where packages of the system install data; by default those of `XDG_DATA_DIRS`.
    pub system_data_dirs: Vec<PathBuf>,
}

impl Default for GetOptions {
    fn default() -> Self {
        let system_dirs = env::var_os("XDG_DATA_DIRS").filter(|dirs| !dirs.is_empty());
        // The default that the XDG base directory specification gives.
        let system_dirs = system_dirs.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
        Self {
            via: Via::Auto,
            from: None,
            timeout: Duration::from_secs(10 * 60),
            mirror: env::var("HEDGEROW_DATA_MIRROR").ok().filter(|mirror| !mirror.is_empty()),
            search_path: None,
            system_data_dirs: env::split_paths(&system_dirs).filter(|dir| dir.is_absolute()).collect(),
        }
    }
}
