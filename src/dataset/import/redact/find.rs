//! Where in a text something stands that is to be redacted.

use std::ops::Range;

use regex::{Captures, Regex};

use super::tokens::Tokens;
use super::{Kind, PLACEHOLDER};

/// All patterns, compiled.
pub(super) struct Finder {
    tokens: Tokens,
    key: Regex,
    assignment: Regex,
    address: Regex,
    home: Regex,
}

/// A PEM block, in one piece or with its line ends escaped; without an end only its base64.
const KEY: &str = r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s:,\\-]*?-----END [A-Z ]{0,40}PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)";

/// A name that tells a secret, and its value.
const ASSIGNMENT: &str = r#"(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credentials?)(?:\\?["'])?\s{0,3}(?::=|=>|=|:)\s{0,3}(?:\\?["'])?([^\s"'\\,;&|<>(){}\[\]$`]{8,400})"#;

/// A URL with a password.
const ADDRESS: &str = r#"://[^/\s:@"'\\]{1,64}:([^/\s@"'\\]{1,200})@"#;

/// The user's name behind where homes are.
const HOME: &str =
    r"(?:/home/|/Users/|[A-Za-z]:(?:\\\\|\\|/)Users(?:\\\\|\\|/))([A-Za-z0-9][A-Za-z0-9._-]{0,63})";

/// Homes that are nobody's.
const SHARED_HOMES: [&str; 4] = ["Shared", "Public", "Default", "linuxbrew"];

impl Finder {
    pub(super) fn new() -> Self {
        let regex = |pattern: &str| Regex::new(pattern).expect("the pattern is a constant");
        Self {
            tokens: Tokens::new(),
            key: regex(KEY),
            assignment: regex(ASSIGNMENT),
            address: regex(ADDRESS),
            home: regex(HOME),
        }
    }

    /// Everything found, in no order; may overlap.
    pub(super) fn find(&self, text: &str) -> Vec<(Kind, Range<usize>)> {
        let mut spans = Vec::new();
        let fresh = |range: &Range<usize>| !text[range.clone()].starts_with(PLACEHOLDER);
        let mut add = |kind: Kind, range: Range<usize>| {
            if fresh(&range) {
                spans.push((kind, range));
            }
        };
        if text.contains("-----BEGIN ") {
            self.key.find_iter(text).for_each(|found| add(Kind::Key, found.range()));
        }
        self.tokens.find(text, |range| add(Kind::Secret, range));
        for captures in self.assignment.captures_iter(text) {
            if let Some(range) = group(&captures).filter(|range| is_value(text, range)) {
                add(Kind::Secret, range);
            }
        }
        if text.contains("://") {
            let found = self.address.captures_iter(text);
            found.filter_map(|captures| group(&captures)).for_each(|range| {
                // A variable is no secret.
                if !text[range.clone()].contains(['$', '{', '*', '<']) {
                    add(Kind::Secret, range);
                }
            });
        }
        for range in mails(text) {
            add(Kind::Mail, range);
        }
        for captures in self.home.captures_iter(text) {
            let shared = |range: &Range<usize>| SHARED_HOMES.contains(&&text[range.clone()]);
            if let Some(range) = group(&captures).filter(|range| !shared(range)) {
                // A sentence's full stop is not the name's.
                let name = text[range.clone()].trim_end_matches('.');
                add(Kind::Home, range.start..range.start + name.len());
            }
        }
        spans
    }
}

fn group(captures: &Captures<'_>) -> Option<Range<usize>> {
    captures.get(1).map(|group| group.range())
}

/// Whether what is assigned looks like a secret and not like code.
fn is_value(text: &str, range: &Range<usize>) -> bool {
    let value = &text[range.clone()];
    let goes_on = text[range.end..].starts_with(['(', '[', '{']);
    mixed(value) && !goes_on && !value.starts_with("os.") && !value.starts_with("process.env")
}

/// Letters and digits: almost every secret has both, few words have.
pub(super) fn mixed(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit)
}

/// Mail addresses: what stands around each `@`.
fn mails(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    memchr::memchr_iter(b'@', text.as_bytes()).filter_map(|at| mail(text.as_bytes(), at))
}

fn mail(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let domain = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let before = bytes[..at].iter().rev().take(64).take_while(|byte| local(byte)).count();
    let mut start = at - before;
    // `\nann@…` inside JSON text: the n is the escape's.
    if start > 0 && bytes[start - 1] == b'\\' && b"nrt".contains(&bytes[start]) {
        start += 1;
    }
    while start < at && b".-".contains(&bytes[start]) {
        start += 1;
    }
    let after = bytes[at + 1..].iter().take(253).take_while(|byte| domain(byte)).count();
    let host = std::str::from_utf8(&bytes[at + 1..at + 1 + after]).ok()?;
    let host = host.trim_end_matches(['.', '-']);
    let (name, top) = host.rsplit_once('.')?;
    let local = &bytes[start..at];
    let is_mail = !local.is_empty()
        && local != b"git"
        && !name.is_empty()
        && !name.starts_with(['.', '-'])
        && top.len() >= 2
        && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_mail.then_some(start..at + 1 + host.len())
}
