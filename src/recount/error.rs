//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use crate::events::{ReadError, ReadErrorKind};
use crate::tokens::CountError;

/// Why a log could not be counted or read once more.
#[derive(Debug, thiserror::Error)]
pub enum RecountError {
    /// The log cannot be opened or read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The log.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A line of the log is not one.
    #[error("`{}`: {source}", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// Which line, and what is wrong with it.
        source: ReadError,
    },
    /// The tokenizer, the template or the source of prompts failed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// The user stopped it.
    #[error("counting was stopped")]
    Cancelled,
}

impl RecountError {
    pub(super) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    pub(super) fn line(path: &Path) -> impl Fn(ReadError) -> Self {
        move |source| match source.kind {
            ReadErrorKind::Io(source) => Self::Read { path: path.to_owned(), source },
            _ => Self::Line { path: path.to_owned(), source },
        }
    }
}
