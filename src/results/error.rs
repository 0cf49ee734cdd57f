//! What can go wrong on disk.

use std::io;
use std::path::{Path, PathBuf};

/// A result directory could not be written or read. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A file or directory could not be made, written, renamed or removed.
    #[error("cannot {doing} `{}`: {}", path.display(), reason(source))]
    Write {
        /// What was tried, such as `write`.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// What should be made is already there.
    #[error("`{}` already exists; nothing is overwritten unless --force is given", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// Another process fills the directory.
    #[error("`{}` is being written by another process", path.display())]
    Busy {
        /// The directory.
        path: PathBuf,
    },
    /// A manifest is not one, or not one of this version.
    #[error("`{}` is no manifest that this version can read: {reason}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        reason: String,
    },
    /// A file of a run folder is not what its name says.
    #[error("`{}` cannot be used: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The manifest has no such point.
    #[error("`{}` plans no point of concurrency {concurrency}", path.display())]
    NoSuchPoint {
        /// The manifest's file.
        path: PathBuf,
        /// The concurrency asked for.
        concurrency: u32,
    },
}

impl ResultsError {
    /// How to mend it, where that is known.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Write { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    Some("free some space, or choose another disk with --out")
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    Some("make the directory writable, or choose another one with --out")
                }
                _ => None,
            },
            Self::Busy { .. } => Some("wait for its end, or stop it first"),
            Self::Exists { .. } => Some("choose another directory with --out, or pass --force"),
            _ => None,
        }
    }

    pub(super) fn write(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { doing, path: path.to_owned(), source }
    }

    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.to_owned(), source }
    }
}

/// The system's reason in words that say what is the matter.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => error.to_string(),
    }
}
