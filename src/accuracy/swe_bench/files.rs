//! Small files that appear complete or not at all.

use std::io::{self, Write as _};
use std::path::Path;

/// Writes `bytes` to `path` by way of a file beside it; makes the directory where it is missing.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
