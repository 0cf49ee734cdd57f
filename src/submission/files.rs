//! Directories that become part of a submission: their files, bounded and without links.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::SubmissionError;

/// Most files below one directory.
const MAX_FILES: usize = 10_000;
/// Largest file, in bytes, that is read into memory.
pub(super) const MAX_FILE_BYTES: u64 = 100 << 20;

/// A file below a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Below {
    /// Its path from that directory, with `/` between the parts.
    pub(super) name: String,
    /// Where it is.
    pub(super) path: PathBuf,
}

/// The files below a directory, sorted; none where there is no such directory. Hidden files are
/// left out, links are refused: a submission is complete in itself.
pub(super) fn below(directory: &Path) -> Result<Vec<Below>, SubmissionError> {
    let mut found = Vec::new();
    if directory.is_dir() {
        walk(directory, "", 0, &mut found)?;
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn walk(
    directory: &Path,
    prefix: &str,
    depth: usize,
    found: &mut Vec<Below>,
) -> Result<(), SubmissionError> {
    let refuse = |path: &Path, reason: &str| SubmissionError::unusable(path, "", reason);
    if depth > 64 {
        return Err(refuse(directory, "directories are nested more than 64 deep"));
    }
    for entry in fs::read_dir(directory).map_err(SubmissionError::read(directory))? {
        let entry = entry.map_err(SubmissionError::read(directory))?;
        let path = entry.path();
        let Ok(name) = entry.file_name().into_string() else {
            return Err(refuse(&path, "the name is not UTF-8; rename the file"));
        };
        if name.starts_with('.') {
            continue;
        }
        let kind = entry.file_type().map_err(SubmissionError::read(&path))?;
        let name = format!("{prefix}{name}");
        if kind.is_dir() {
            walk(&path, &format!("{name}/"), depth + 1, found)?;
        } else if kind.is_file() {
            found.push(Below { name, path });
        } else {
            return Err(refuse(&path, "is no regular file; replace a link by a copy"));
        }
        if found.len() > MAX_FILES {
            return Err(refuse(directory, "holds more than 10 000 files"));
        }
    }
    Ok(())
}

/// The bytes of a file of bounded size.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, SubmissionError> {
    let size = fs::metadata(path).map_err(SubmissionError::read(path))?.len();
    if size > MAX_FILE_BYTES {
        return Err(SubmissionError::unusable(path, "", "is larger than 100 MiB"));
    }
    fs::read(path).map_err(SubmissionError::read(path))
}

/// The text of a file of bounded size.
pub(super) fn text(path: &Path) -> Result<String, SubmissionError> {
    String::from_utf8(bytes(path)?)
        .map_err(|_| SubmissionError::unusable(path, "", "is not UTF-8 text"))
}
