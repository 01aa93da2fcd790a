//! Pages and other texts as files: whole or not at all.

use std::io::{self, Write as _};
use std::path::Path;

/// Puts a text in the place of a file.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut partial = tempfile::Builder::new().prefix(".hedgerow-").suffix(".partial").tempfile_in(folder)?;
    partial.write_all(text.as_bytes())?;
    partial.as_file().sync_all()?;
    // Temporary files are for their owner alone; a page is for whom the user shows it to.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        partial.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    partial.persist(path).map(|_| ()).map_err(|error| error.error)
}
