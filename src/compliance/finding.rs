//! What checks find, and the sink that they push it into.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::diagnostics::{Diagnostic, Place, Severity};

use super::document::{Document, Problem, State};
use super::rule::{Message, Rule};

/// One result of one check: a fault, or that the check passed.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// What it says.
    pub message: &'static Message,
    /// The file or directory.
    pub path: Option<PathBuf>,
    /// The field inside the file, as a dotted path; may be empty.
    pub field: String,
    /// The 1-based line, where a check knows it.
    pub line: Option<u64>,
    values: Vec<(&'static str, String)>,
}

impl Finding {
    /// How much it matters; [`Severity::Note`] for a check that passed.
    pub fn severity(&self) -> Severity {
        self.message.severity
    }

    /// What was found.
    pub fn found(&self) -> String {
        self.fill(self.message.found)
    }

    /// What the rule asks for; may be empty.
    pub fn required(&self) -> String {
        self.fill(self.message.required)
    }

    /// Gives a value for the words.
    pub(super) fn with(&mut self, name: &'static str, value: impl Display) -> &mut Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Names the field.
    pub(super) fn field(&mut self, field: impl Into<String>) -> &mut Self {
        self.field = field.into();
        self
    }

    fn fill(&self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            match self.values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => text.push_str(value),
                None => text.push_str(name),
            }
            rest = after;
        }
        text + rest
    }

    /// The finding for the renderers, at the place of its field where that is known.
    pub(super) fn diagnostic_at(&self, place: Option<Place>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.rule.id, self.severity(), self.found());
        if let Some(path) = &self.path {
            let label = if self.field.is_empty() { "" } else { self.field.as_str() };
            let line = || self.line.map_or(Place::File, Place::Line);
            let place = place.unwrap_or_else(line);
            diagnostic = diagnostic.at(path, place, label);
        }
        let required = self.required();
        if !required.is_empty() {
            diagnostic = diagnostic.note(format!("required: {required}"));
        }
        diagnostic.note(format!("rules: {}", self.rule.section)).help(self.rule.fix)
    }
}

/// Where checks push what they find.
#[derive(Debug, Default)]
pub(super) struct Sink {
    findings: Vec<Finding>,
}

impl Sink {
    /// Everything found, in order.
    pub(super) fn finish(self) -> Vec<Finding> {
        self.findings
    }

    /// Pushes a finding about a path.
    pub(super) fn add(&mut self, rule: &str, key: &str, path: &Path) -> &mut Finding {
        self.push(rule, key, Some(path.to_owned()))
    }

    /// Pushes a finding that has no place in the tree.
    pub(super) fn add_nowhere(&mut self, rule: &str, key: &str) -> &mut Finding {
        self.push(rule, key, None)
    }

    /// Notes that a check passed.
    pub(super) fn pass(&mut self, rule: &str, path: &Path) {
        self.push(rule, "pass", Some(path.to_owned()));
    }

    /// Notes why a document gives no value.
    pub(super) fn unusable(&mut self, rule: &str, document: &Document) {
        if let State::Unusable(key, reason) = &document.state {
            self.add(rule, key, &document.path).with("reason", reason).line = document.line;
        }
    }

    /// Notes what does not fit a document's schema.
    pub(super) fn misfits(&mut self, rule: &str, path: &Path, problems: &[Problem]) {
        for problem in problems {
            let at = if problem.at.is_empty() { "the document" } else { problem.at.as_str() };
            self.add(rule, problem.key, path)
                .with("field", at)
                .with("found", &problem.found)
                .field(problem.at.clone());
        }
    }

    fn push(&mut self, rule: &str, key: &str, path: Option<PathBuf>) -> &mut Finding {
        let known = Rule::named(rule).and_then(|rule| Some((rule, rule.message(key)?)));
        let (rule, message) = known.expect("the tests reach every rule and message");
        let (field, line, values) = (String::new(), None, Vec::new());
        self.findings.push(Finding { rule, message, path, field, line, values });
        self.findings.last_mut().expect("one was pushed just now")
    }
}
