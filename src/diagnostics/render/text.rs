//! What the renderers share.

use std::fmt;

use serde::Serialize;

use super::super::model::{Diagnostic, Severity};

/// How many findings of each severity there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl Counts {
    /// Counts findings.
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> =
            [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")]
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| {
                    format!("{count} {word}{}", if *count == 1 { "" } else { "s" })
                })
                .collect();
        if words.is_empty() { f.write_str("no findings") } else { f.write_str(&words.join(", ")) }
    }
}

/// A message without characters that a terminal could take for commands, or that reorder text.
pub(super) fn clean(text: &str) -> String {
    let is_hazard = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if is_hazard(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A file name with forward slashes.
pub(super) fn file_name(path: &std::path::Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// A finding's message with its notes and its help, one per line.
pub(super) fn full_message(finding: &Diagnostic) -> String {
    let mut text = finding.message.clone();
    for note in &finding.notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
    if let Some(help) = &finding.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    clean(&text)
}
