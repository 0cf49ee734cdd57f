//! What speaks against a log, kept short.

use std::fmt::{Display, Write as _};

/// Most places that a fault names.
const SHOWN: usize = 3;

/// One fault of a log: a rule, one of its messages, and values for its words.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Fault {
    pub(in crate::compliance) rule: &'static str,
    pub(in crate::compliance) key: &'static str,
    /// The 1-based line of the log; none where it is about the log as a whole.
    pub(in crate::compliance) line: Option<u64>,
    pub(in crate::compliance) values: Vec<(&'static str, String)>,
}

impl Fault {
    pub(super) fn new(rule: &'static str, key: &'static str) -> Self {
        Self { rule, key, line: None, values: Vec::new() }
    }

    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    #[must_use]
    pub(super) fn at(mut self, line: Option<u64>) -> Self {
        self.line = line;
        self
    }
}

/// Places that speak for one fault: how many, and the first few.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    count: u64,
    line: Option<u64>,
    shown: Vec<String>,
}

impl Evidence {
    /// Adds a place.
    pub(super) fn add(&mut self, line: Option<u64>, text: impl FnOnce() -> String) {
        self.count += 1;
        self.line = self.line.or(line);
        if self.shown.len() < SHOWN {
            self.shown.push(text());
        }
    }

    /// How many places there are.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The fault, where there is a place: `{found}` is the list, `{count}` how many.
    pub(super) fn fault(&self, rule: &'static str, key: &'static str) -> Option<Fault> {
        if self.count == 0 {
            return None;
        }
        let more = self.count - self.shown.len() as u64;
        let mut text = self.shown.join("; ");
        if more > 0 {
            let _ = write!(text, "; and {more} more");
        }
        let fault = Fault::new(rule, key).with("found", text).with("count", self.count);
        Some(fault.at(self.line))
    }
}

/// Nanoseconds for a message, in seconds.
#[expect(clippy::cast_precision_loss, reason = "a time for people")]
pub(super) fn seconds(nanos: u64) -> String {
    format!("{:.3} s", nanos as f64 / 1e9)
}
