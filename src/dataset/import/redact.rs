//! Redaction: strings that look like secrets, keys, mail addresses and home paths are replaced.
//!
//! Every pattern is linear in the text. A placeholder counts through the different strings of its
//! kind in the order in which they appear in the output, so that equal strings stay equal, the same
//! input gives the same output, and nothing about the string can be learnt from it.

mod find;
mod tokens;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::draft::{Call, Ready, Row};
use super::shelf::{Mark, mark};
use crate::wire;

use find::Finder;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A token, password or API key.
    Secret,
    /// A private key block.
    Key,
    /// A mail address.
    Mail,
    /// The user's name in the path of a home directory.
    Home,
}

impl Kind {
    /// The name for people: one of them, and several.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Secret => ("secret", "secrets"),
            Self::Key => ("private key", "private keys"),
            Self::Mail => ("mail address", "mail addresses"),
            Self::Home => ("home path", "home paths"),
        }
    }

    fn placeholder(self, number: u32) -> String {
        let kind = match self {
            Self::Secret => "SECRET",
            Self::Key => "KEY",
            Self::Mail => "MAIL",
            Self::Home => "USER",
        };
        format!("{PLACEHOLDER}{kind}_{number}")
    }
}

/// How placeholders begin.
const PLACEHOLDER: &str = "REDACTED_";

/// How often something of a kind was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// Replacements.
    pub times: u64,
    /// Different strings.
    pub different: u32,
}

/// The patterns, compiled when first asked for.
static FINDER: LazyLock<Finder> = LazyLock::new(Finder::new);

/// How deeply JSON inside JSON texts is looked into.
const MAX_DEPTH: u32 = 3;

/// Replaces, and remembers what by what.
#[derive(Default)]
pub(super) struct Redactor {
    known: HashMap<(Kind, Mark), u32>,
    counts: BTreeMap<Kind, Redacted>,
}

impl Redactor {
    /// What was replaced so far.
    pub(super) fn counts(&self) -> &BTreeMap<Kind, Redacted> {
        &self.counts
    }

    /// Redacts all texts of a conversation.
    pub(super) fn conversation(&mut self, ready: &mut Ready) {
        for text in [&mut ready.system, &mut ready.tools].into_iter().flatten() {
            self.replace(text);
        }
        for row in &mut ready.rows {
            match row {
                Row::User { content, .. } => self.replace(content),
                Row::Assistant { content, reasoning, calls } => {
                    if let Some(content) = content {
                        self.replace(content);
                    }
                    self.replace(reasoning);
                    for (_, Call { arguments, whole, .. }) in calls {
                        match whole {
                            Some(whole) => self.replace(whole),
                            None => self.replace(arguments),
                        }
                    }
                }
                Row::Tool { results, .. } => {
                    for (_, content) in results {
                        self.replace(content);
                    }
                }
            }
        }
    }

    /// Redacts one text.
    pub(super) fn replace(&mut self, text: &mut String) {
        if let Some(redacted) = self.redacted(text, MAX_DEPTH) {
            *text = redacted;
        }
    }

    /// The redacted text; none where nothing was found. Texts in JSON are looked at as what they
    /// mean, so that an escape does not hide the beginning of a secret; then the JSON itself, so that
    /// the name of a member tells what its value is.
    fn redacted(&mut self, text: &str, depth: u32) -> Option<String> {
        let inside = match text.trim_start().as_bytes().first() {
            Some(b'{' | b'[' | b'"') if depth > 0 && is_json(text) => self.json(text, depth - 1),
            _ => None,
        };
        let outside = self.plain(inside.as_deref().unwrap_or(text));
        outside.or(inside)
    }

    /// Redacts the string literals of a JSON document.
    fn json(&mut self, json: &str, depth: u32) -> Option<String> {
        let mut out = Vec::new();
        let mut rest = json;
        let mut found = false;
        while let Some(start) = memchr::memchr(b'"', rest.as_bytes()) {
            let length = literal_length(&rest[start..]);
            let literal = &rest[start..start + length];
            out.extend_from_slice(&rest.as_bytes()[..start]);
            let value = serde_json::from_str::<String>(literal).ok();
            match value.and_then(|value| self.redacted(&value, depth)) {
                Some(redacted) => {
                    wire::json::push_string(&mut out, &redacted);
                    found = true;
                }
                None => out.extend_from_slice(literal.as_bytes()),
            }
            rest = &rest[start + length..];
        }
        out.extend_from_slice(rest.as_bytes());
        found.then(|| String::from_utf8(out).ok())?
    }

    fn plain(&mut self, text: &str) -> Option<String> {
        let mut spans = FINDER.find(text);
        if spans.is_empty() {
            return None;
        }
        spans.sort_by_key(|(_, span)| (span.start, usize::MAX - span.end));
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (kind, span) in spans {
            // The longest of those that begin first; what lies in it is gone with it.
            if span.start < at {
                continue;
            }
            out.push_str(&text[at..span.start]);
            let number = self.number(kind, &text[span.clone()]);
            out.push_str(&kind.placeholder(number));
            at = span.end;
        }
        out.push_str(&text[at..]);
        Some(out)
    }

    fn number(&mut self, kind: Kind, text: &str) -> u32 {
        let count = self.counts.entry(kind).or_default();
        count.times += 1;
        *self.known.entry((kind, mark(text.as_bytes()))).or_insert_with(|| {
            count.different += 1;
            count.different
        })
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The length of the string literal at the beginning of `text`, which is valid JSON.
fn literal_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests;
