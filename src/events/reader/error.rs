//! Why a log cannot be read.

use std::io;

/// A log cannot be read further.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of the event log: {kind}")]
pub struct ReadError {
    /// 1-based line.
    pub line: u64,
    /// What is wrong with it.
    pub kind: ReadErrorKind,
}

/// What is wrong with a line of a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The line is longer than any event.
    #[error("longer than {limit} bytes; this is no event log")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The log ends inside a line, as one does whose writer was killed.
    #[error("cut off in the middle; the run that wrote the log was probably killed")]
    Truncated,
    /// Not JSON, or not of an event's shape.
    #[error("{0}")]
    Json(String),
    /// JSON, but not an event.
    #[error("{0}")]
    Shape(String),
    /// Written by a newer version.
    #[error("format version {found}, but this version reads up to {known}; use a newer scenario")]
    Version {
        /// The version in the log.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
}

impl From<serde_json::Error> for ReadErrorKind {
    fn from(error: serde_json::Error) -> Self {
        // The parser sees one line, or a part of it, so its own position would mislead.
        let text = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        Self::Json(text.strip_suffix(&position).unwrap_or(&text).to_owned())
    }
}
