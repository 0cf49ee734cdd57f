//! The diagnostic data model.

use std::ops::Range;
use std::path::PathBuf;

/// How much a finding matters. Ordered: the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; changes no verdict.
    Note,
    /// Suspicious; fails only strict checks.
    Warning,
    /// The input cannot be used as it is.
    Error,
}

/// Where in a file a label points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A 1-based line; used for files too large to keep in memory, such as data sets.
    Line(u64),
    /// A byte range of the file's text.
    Span(Range<usize>),
}

/// A place in a file with a short text about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The file, as the user named it where possible.
    pub file: PathBuf,
    /// The place inside the file.
    pub place: Place,
    /// What is wrong, or of interest, at this place; may be empty.
    pub message: String,
}

/// One finding: what is wrong, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable kebab-case code, unique over the whole program.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The one sentence to show if only one could be shown: names what was found.
    pub message: String,
    /// The first label is the primary one; the others give context.
    pub labels: Vec<Label>,
    /// Further facts, such as what was expected.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding without labels, notes or help.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        let (labels, notes) = (Vec::new(), Vec::new());
        Self { code, severity, message: message.into(), labels, notes, help: None }
    }

    /// An error without labels, notes or help.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning without labels, notes or help.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// Adds a label.
    #[must_use]
    pub fn at(
        mut self,
        file: impl Into<PathBuf>,
        place: Place,
        message: impl Into<String>,
    ) -> Self {
        self.labels.push(Label { file: file.into(), place, message: message.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}
