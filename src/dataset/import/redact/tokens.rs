//! Tokens that are known by how they begin.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::find::mixed;

/// What a token is made of.
#[derive(Clone, Copy)]
enum Chars {
    Word,
    WordAndDash,
    WordDashAndDot,
    Base64,
}

impl Chars {
    fn has(self, byte: u8) -> bool {
        let word = byte.is_ascii_alphanumeric() || byte == b'_';
        match self {
            Self::Word => word,
            Self::WordAndDash => word || byte == b'-',
            Self::WordDashAndDot => word || matches!(byte, b'-' | b'.'),
            Self::Base64 => word || matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=' | b'~'),
        }
    }
}

/// A prefix, what follows it, and how much at least. A prefix that ends in a blank stays.
const TOKENS: &[(&str, Chars, usize)] = &[
    ("sk-", Chars::WordAndDash, 20),
    ("sk_live_", Chars::Word, 16),
    ("sk_test_", Chars::Word, 16),
    ("rk_live_", Chars::Word, 16),
    ("ghp_", Chars::Word, 30),
    ("gho_", Chars::Word, 30),
    ("ghu_", Chars::Word, 30),
    ("ghs_", Chars::Word, 30),
    ("ghr_", Chars::Word, 30),
    ("github_pat_", Chars::Word, 22),
    ("glpat-", Chars::WordAndDash, 20),
    ("xoxa-", Chars::WordAndDash, 10),
    ("xoxb-", Chars::WordAndDash, 10),
    ("xoxp-", Chars::WordAndDash, 10),
    ("xoxr-", Chars::WordAndDash, 10),
    ("xoxs-", Chars::WordAndDash, 10),
    ("AKIA", Chars::Word, 16),
    ("ASIA", Chars::Word, 16),
    ("AIza", Chars::WordAndDash, 35),
    ("ya29.", Chars::WordAndDash, 20),
    ("hf_", Chars::Word, 30),
    ("npm_", Chars::Word, 36),
    ("pypi-", Chars::WordAndDash, 50),
    ("dop_v1_", Chars::Word, 40),
    ("shpat_", Chars::Word, 32),
    ("nvapi-", Chars::WordAndDash, 40),
    ("gsk_", Chars::Word, 40),
    ("xai-", Chars::WordAndDash, 40),
    ("SG.", Chars::WordDashAndDot, 40),
    // JSON web tokens: the base64 of `{"`.
    ("eyJ", Chars::WordDashAndDot, 40),
    ("Bearer ", Chars::Base64, 16),
    ("Basic ", Chars::Base64, 16),
    ("bearer ", Chars::Base64, 16),
    ("basic ", Chars::Base64, 16),
];

/// The longest token.
const MAX: usize = 4096;

/// All of them at once.
pub(super) struct Tokens(AhoCorasick);

impl Tokens {
    pub(super) fn new() -> Self {
        let prefixes = TOKENS.iter().map(|(prefix, ..)| prefix);
        Self(AhoCorasick::new(prefixes).expect("the prefixes are constants"))
    }

    /// Tells where tokens stand.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Range<usize>)) {
        let bytes = text.as_bytes();
        for prefix in self.0.find_overlapping_iter(text) {
            let (name, chars, least) = TOKENS[prefix.pattern().as_usize()];
            if !begins(bytes, prefix.start()) {
                continue;
            }
            let rest = &bytes[prefix.end()..];
            let length = rest.iter().take(MAX).take_while(|byte| chars.has(**byte)).count();
            let body = text[prefix.end()..prefix.end() + length].trim_end_matches(['.', '-', '=']);
            if body.len() < least || !mixed(body) || (name == "eyJ" && !is_jwt(body)) {
                continue;
            }
            let end = prefix.end() + length;
            let end = if body.len() < length && !text[..end].ends_with('=') {
                prefix.end() + body.len()
            } else {
                end
            };
            found(if name.ends_with(' ') { prefix.end()..end } else { prefix.start()..end });
        }
    }
}

/// Three parts.
fn is_jwt(body: &str) -> bool {
    body.split('.').count() == 3 && body.split('.').all(|part| part.len() >= 8)
}

/// Whether a word begins here; an escape of JSON text may stand before it.
fn begins(bytes: &[u8], at: usize) -> bool {
    match bytes[..at] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !before.is_ascii_alphanumeric() && !matches!(before, b'_' | b'-' | b'.'),
    }
}
