//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::error::ResultsError;

/// Writes `bytes` to `path` by way of a file beside it, so that a reader, or a crash at any moment,
/// sees the old content or the new one. Replaces what is there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let attempt = || -> io::Result<()> {
        let directory = directory_of(path);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".writing-");
        widen_permissions(&mut builder);
        let mut file = builder.tempfile_in(directory)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        sync_directory(directory)
    };
    attempt().map_err(ResultsError::write("write", path))
}

/// Writes a file of a run folder that is there already, such as a score that came later, with the
/// directories that it needs. Replaces what is there.
///
/// # Errors
/// The file or a directory cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    create_directories(directory_of(path))?;
    write(path, bytes)
}

/// Makes a directory and its parents.
pub(super) fn create_directories(path: &Path) -> Result<(), ResultsError> {
    fs::create_dir_all(path).map_err(ResultsError::write("create the directory", path))
}

/// Makes a directory that must be new, and its parents: of several processes one alone succeeds.
pub(super) fn create_new_directory(path: &Path) -> Result<(), ResultsError> {
    let made = match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(directory_of(path)).and_then(|()| fs::create_dir(path))
        }
        other => other,
    };
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(ResultsError::Exists { path: path.to_owned() })
        }
        made => made.map_err(ResultsError::write("create the directory", path)),
    }
}

/// Renames a directory; the new name must be free.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), ResultsError> {
    if to.symlink_metadata().is_ok() {
        return Err(ResultsError::Exists { path: to.to_owned() });
    }
    let attempt = || -> io::Result<()> {
        fs::rename(from, to)?;
        sync_directory(directory_of(to))
    };
    attempt().map_err(ResultsError::write("create", to))
}

/// Moves `path` to the first free hidden name beside it, `.<name>.<word>-<k>`, and returns that.
pub(super) fn move_aside(path: &Path, word: &str) -> Result<PathBuf, ResultsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_start_matches('.');
    let mut k: u64 = 1;
    loop {
        let aside = path.with_file_name(format!(".{name}.{word}-{k}"));
        match rename(path, &aside) {
            Ok(()) => return Ok(aside),
            Err(ResultsError::Exists { .. }) => k += 1,
            Err(other) => return Err(other),
        }
    }
}

/// Makes the names in a directory durable.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    // Directories cannot be opened on every system; there is nothing to sync there.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Temporary files are private by default; results are as readable as any new file (the umask
/// still applies).
#[cfg(unix)]
fn widen_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn widen_permissions(_: &mut tempfile::Builder<'_, '_>) {}
