//! What a rule is: its id, where it is written, and the words for what it can say.

use crate::diagnostics::Severity;

use super::wording;

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The tree as a whole, and the registries.
    Submission,
    /// One system.
    System,
    /// One system with one model.
    Curve,
    /// One point.
    Point,
    /// A rule of our own, beyond the official ones.
    Own,
}

/// A rule with its words.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The official id, or one that starts with `x-`.
    pub id: &'static str,
    /// What it looks at.
    pub scope: Scope,
    /// The rule in a few words.
    pub title: &'static str,
    /// The section of the benchmark's rules.
    pub section: &'static str,
    /// The exact condition.
    pub explain: &'static str,
    /// How to mend it.
    pub fix: &'static str,
    /// What it can say.
    pub messages: &'static [Message],
}

/// One thing that a rule can say. `{name}` stands for a value that the check gives.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The official key of the message.
    pub key: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What was found.
    pub found: &'static str,
    /// What the rule asks for; may be empty.
    pub required: &'static str,
}

impl Rule {
    /// The rule of an id.
    pub fn named(id: &str) -> Option<&'static Self> {
        Self::all().find(|rule| rule.id == id)
    }

    /// Every rule, the official ones first, in the order of their scopes.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        wording::TABLES.iter().copied().flatten()
    }

    /// Whether it is one of the official checker's.
    pub fn is_official(&self) -> bool {
        self.scope != Scope::Own
    }

    /// The message of a key: the rule's own, else one that every file shares.
    pub(super) fn message(&self, key: &str) -> Option<&'static Message> {
        let own = self.messages.iter().find(|message| message.key == key);
        own.or_else(|| wording::SHARED.iter().find(|message| message.key == key))
    }

    /// The text of `scenario audit --explain`.
    pub fn explanation(&self) -> String {
        use std::fmt::Write as _;
        let mut text = format!("{}: {}\n\n{}\n", self.id, self.title, self.explain);
        for message in self.messages.iter().filter(|m| m.severity != Severity::Note) {
            let level = if message.severity == Severity::Error { "error" } else { "warning" };
            let _ = write!(text, "\n{level} {}: {}", message.key, message.found);
            if !message.required.is_empty() {
                let _ = write!(text, "\n  required: {}", message.required);
            }
        }
        let _ = write!(text, "\n\nfix: {}\nrules: {}\n", self.fix, self.section);
        text
    }
}
