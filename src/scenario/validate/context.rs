//! What a check looks at, and how it reports.

use std::path::Path;

use crate::diagnostics::{Diagnostic, Severity};
use crate::ruleset::Ruleset;
use crate::yaml::{Node, Pointer};

use super::super::partial::Partial;

/// What a check looks at, and where it reports.
pub(super) struct Context<'a> {
    /// The document, for places.
    pub(super) root: &'a Node,
    /// The sections that can be read.
    pub(super) scenario: &'a Partial,
    /// The ruleset that the scenario names, if it is known.
    pub(super) ruleset: Option<&'a Ruleset>,
    /// What was found so far.
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Context<'_> {
    /// Adds an error about the value at a path, such as `["load", "concurrency"]`.
    pub(super) fn error(&mut self, at: &[&str], code: &'static str, message: String) -> Report<'_> {
        self.report(at, code, Severity::Error, message)
    }

    /// Adds a warning.
    pub(super) fn warning(
        &mut self,
        at: &[&str],
        code: &'static str,
        message: String,
    ) -> Report<'_> {
        self.report(at, code, Severity::Warning, message)
    }

    /// Adds a finding about the ruleset: an error when a submission is planned, else a warning,
    /// since a scenario may follow the rules for a part only.
    pub(super) fn breach(
        &mut self,
        at: &[&str],
        code: &'static str,
        message: String,
    ) -> Report<'_> {
        let planned = self.scenario.has_submission;
        let severity = if planned { Severity::Error } else { Severity::Warning };
        self.report(at, code, severity, message)
    }

    /// Adds a finding.
    fn report(
        &mut self,
        at: &[&str],
        code: &'static str,
        severity: Severity,
        message: String,
    ) -> Report<'_> {
        let pointer = at.iter().fold(Pointer::root(), |pointer, segment| pointer.join(segment));
        let origin = self.root.origin_of(&pointer);
        let finding =
            Diagnostic::new(code, severity, message).at(&*origin.file, origin.place(), "");
        self.diagnostics.push(finding);
        let root = self.root;
        let finding = self.diagnostics.last_mut().expect("pushed just now");
        Report { finding, root }
    }
}

/// A finding that was just added, to be completed.
pub(super) struct Report<'a> {
    finding: &'a mut Diagnostic,
    root: &'a Node,
}

impl Report<'_> {
    /// What the underlined place is.
    pub(super) fn label(self, text: impl Into<String>) -> Self {
        if let Some(label) = self.finding.labels.first_mut() {
            label.message = text.into();
        }
        self
    }

    /// A further place that the finding is about.
    pub(super) fn also(self, at: &[&str], text: impl Into<String>) -> Self {
        let pointer = at.iter().fold(Pointer::root(), |pointer, segment| pointer.join(segment));
        let origin = self.root.origin_of(&pointer);
        *self.finding = self.finding.clone().at(&*origin.file, origin.place(), text);
        self
    }

    /// A further value that the finding is about, in whatever file.
    pub(super) fn also_in(self, node: &Node, text: impl Into<String>) -> Self {
        let origin = &node.origin;
        *self.finding = self.finding.clone().at(&*origin.file, origin.place(), text);
        self
    }

    /// A further fact.
    pub(super) fn note(self, text: impl Into<String>) -> Self {
        self.finding.notes.push(text.into());
        self
    }

    /// How to fix it.
    pub(super) fn help(self, text: impl Into<String>) -> Self {
        self.finding.help = Some(text.into());
        self
    }
}

/// A path for a message.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// `1, 2 and 3`.
pub(super) fn and_list<T: ToString>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    match words.as_slice() {
        [] => "none".to_owned(),
        [word] => word.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
