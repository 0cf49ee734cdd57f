//! Why there is no submission.

use std::io;
use std::path::{Path, PathBuf};

/// Two places that say different things of one matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The file or directory.
    pub file: PathBuf,
    /// The field in it, as a dotted path; empty for the file itself.
    pub field: String,
    /// What it says.
    pub found: String,
    /// What it should agree with.
    pub other: PathBuf,
    /// What that says.
    pub expected: String,
}

/// Why a submission cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmissionError {
    /// A file or directory could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file or directory could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A path that holds no run.
    #[error("`{}` is no run folder, result directory or submission", path.display())]
    NoRun {
        /// The path.
        path: PathBuf,
    },
    /// A file that a run folder must have is not there.
    #[error("`{}` is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// How to bring it.
        help: &'static str,
    },
    /// A file is not what its name says, or a field of it cannot be used.
    #[error("`{}`: {}{reason}", path.display(), prefix(field))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The field, as a dotted path; empty for the file itself.
        field: String,
        /// What was found, and what was expected.
        reason: String,
    },
    /// Two places say different things of one matter.
    #[error(
        "`{}`: {}found {}, but `{}` says {}",
        _0.file.display(), prefix(&_0.field), _0.found, _0.other.display(), _0.expected
    )]
    Disagree(Box<Disagreement>),
    /// Two runs claim one place in the tree.
    #[error("`{}` and `{}` are both {what}", first.display(), second.display())]
    Twice {
        /// The one.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// What they both are.
        what: String,
    },
    /// The submission as a whole lacks something.
    #[error("{0}")]
    Incomplete(String),
    /// What should be made is already there.
    #[error("`{}` already exists", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
        /// How to go on.
        help: &'static str,
    },
}

fn prefix(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("`{field}`: ") }
}

impl SubmissionError {
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }

    pub(super) fn unusable(path: &Path, field: &str, reason: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), field: field.to_owned(), reason: reason.into() }
    }

    /// How to mend it, where that is known.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Missing { help, .. } | Self::Exists { help, .. } => Some(help),
            Self::Disagree(_) => Some("correct one of the two, or leave that run out"),
            Self::Twice { .. } => Some("leave one of the two out"),
            Self::NoRun { .. } => Some(
                "name a run folder (with point.yaml), a result directory (with manifest.json) or a \
                 submission (with results/)",
            ),
            _ => None,
        }
    }
}
