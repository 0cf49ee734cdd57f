//! The findings of one file, bounded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostics::{Diagnostic, Place, Severity};

/// How many distinct once-only findings are remembered; more are dropped.
const MAX_ONCE: usize = 1000;

/// Collects the findings of one file up to a limit, and counts the rest.
#[derive(Debug)]
pub(super) struct Findings {
    file: PathBuf,
    limit: usize,
    list: Vec<Diagnostic>,
    errors: u64,
    warnings: u64,
    dropped: u64,
    worst_dropped: Severity,
    once: BTreeSet<String>,
}

/// Where a finding belongs.
#[derive(Clone, Debug, Default)]
pub(super) struct At {
    /// The row (1-based line); none for the file as a whole.
    row: Option<u64>,
    /// The conversation as far as known; may be empty.
    conversation: String,
    /// Its turn, as far as known.
    pub(super) turn: Option<u32>,
}

impl At {
    /// A row of which nothing more is known.
    pub(super) fn row(row: u64) -> Self {
        Self { row: Some(row), ..Self::default() }
    }

    /// A row of a conversation.
    pub(super) fn turn(row: u64, conversation: &str, turn: Option<u32>) -> Self {
        Self { row: Some(row), conversation: conversation.to_owned(), turn }
    }

    /// The conversation and turn, for the label.
    fn whose(&self) -> String {
        match (&*self.conversation, self.turn) {
            ("", _) => String::new(),
            (id, None) => format!("conversation {}", excerpt(id)),
            (id, Some(turn)) => format!("conversation {}, turn {turn}", excerpt(id)),
        }
    }
}

impl Findings {
    pub(super) fn new(file: &Path, limit: usize) -> Self {
        Self {
            file: file.to_owned(),
            limit,
            list: Vec::new(),
            errors: 0,
            warnings: 0,
            dropped: 0,
            worst_dropped: Severity::Note,
            once: BTreeSet::new(),
        }
    }

    /// Everything found so far, in the order found.
    pub(super) fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// How many errors were found, those beyond the limit included.
    pub(super) fn errors(&self) -> u64 {
        self.errors
    }

    /// How many warnings were found, those beyond the limit included.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings
    }

    /// Records a finding; its message gets the row number in front.
    pub(super) fn push(&mut self, at: &At, mut finding: Diagnostic) {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => {}
        }
        if self.list.len() >= self.limit {
            self.dropped += 1;
            self.worst_dropped = self.worst_dropped.max(finding.severity);
            return;
        }
        let place = at.row.map_or(Place::File, Place::Line);
        if let Some(row) = at.row {
            finding.message = format!("row {row}: {}", finding.message);
        }
        self.list.push(finding.at(self.file.clone(), place, at.whose()));
    }

    /// Records a finding unless one with this key was recorded before.
    pub(super) fn push_once(&mut self, key: String, at: &At, finding: Diagnostic) {
        if self.once.len() < MAX_ONCE && self.once.insert(key) {
            self.push(at, finding);
        }
    }

    /// Closes the list: puts it into the order of rows, and says how many findings did not fit. It is as severe as the worst of them,
    /// so that a list that was cut never looks better than the file is.
    pub(super) fn close(&mut self) {
        self.list.sort_by_key(|finding| match finding.labels.first().map(|label| &label.place) {
            Some(Place::Line(line)) => *line,
            // Findings about the file as a whole come last.
            _ => u64::MAX,
        });
        let dropped = std::mem::take(&mut self.dropped);
        if dropped == 0 {
            return;
        }
        let (verb, plural) = if dropped == 1 { ("is", "") } else { ("are", "s") };
        let text = format!("{dropped} more finding{plural} {verb} not shown");
        let finding = Diagnostic::new("dataset-more-findings", self.worst_dropped, text)
            .note(format!("the first {} are shown", self.limit))
            .help("mend those first and validate again");
        self.list.push(finding.at(self.file.clone(), Place::File, ""));
    }
}

/// `text` in backquotes, escaped and cut to a length that fits a message.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut out = String::from("`");
    for (n, c) in text.chars().enumerate() {
        if n == MAX_CHARS {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('`');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_list_says_so_and_keeps_the_worst_severity() {
        let mut findings = Findings::new(Path::new("a.jsonl"), 1);
        findings.push(&At::row(3), Diagnostic::warning("x", "odd"));
        findings.push(&At::row(4), Diagnostic::error("y", "wrong"));
        findings.push(&At::row(5), Diagnostic::warning("x", "odd"));
        findings.close();
        findings.close();
        let list = findings.list();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].message, "row 3: odd");
        assert_eq!(list[1].message, "2 more findings are not shown");
        assert_eq!(list[1].severity, Severity::Error);
        assert_eq!(findings.errors(), 1);
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("a\u{1b}[31m\n"), "`a\\u{1b}[31m\\n`");
        assert_eq!(excerpt(&"é".repeat(1000)).chars().count(), 63);
    }
}
