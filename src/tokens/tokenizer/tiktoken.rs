//! Tokenizers given as tiktoken ranks, a pattern and special tokens.

use std::collections::{BTreeMap, HashMap};

use fancy_regex::Regex;

use super::cut::{Cuts, Marker};
use super::{bpe, known, ranks};
use crate::tokens::error::TokenizeError;

/// Kimi's tokenizer cuts its input into parts of this many characters first.
const KIMI_PART: usize = 400_000;
/// And those at runs of white space, or of its absence, longer than this.
const KIMI_RUN: usize = 25_000;

/// A rank table with its pattern and special tokens.
#[derive(Debug)]
pub(super) struct Tiktoken {
    ranks: HashMap<Vec<u8>, u32>,
    pattern: Regex,
    specials: Cuts,
    /// Whether long texts are cut as Kimi's tokenizer does.
    parts: bool,
}

/// What a ranks file does not say.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    /// The pre-token pattern.
    pub(super) pattern: String,
    /// Special tokens by id.
    pub(super) specials: BTreeMap<u32, String>,
    /// Whether long texts are cut as Kimi's tokenizer does.
    pub(super) parts: bool,
}

impl Tiktoken {
    /// A tokenizer from a ranks file's bytes.
    pub(super) fn new(file: &[u8], vocabulary: &Vocabulary) -> Result<(Self, Cuts), String> {
        let ranks = ranks::parse(file)?;
        let pattern = Regex::new(&vocabulary.pattern)
            .map_err(|error| format!("its pattern is not understood: {error}"))?;
        let markers: Vec<Marker> = vocabulary
            .specials
            .iter()
            .map(|(id, text)| Marker { text: text.clone(), id: *id, plain: true })
            .collect();
        let specials = Cuts::new(markers.clone(), false)?;
        // Where the text is cut into parts by length, a piece's tokens depend on where it stands;
        // texts below the limits are not touched by that (see `encode`).
        let cuts = Cuts::new(markers, known::is_line_safe(&vocabulary.pattern))?;
        Ok((Self { ranks, pattern, specials, parts: vocabulary.parts }, cuts))
    }

    /// Whether a text is tokenised without being cut by length first.
    pub(super) fn is_uncut(&self, text: &str) -> bool {
        !self.parts || text.len() <= KIMI_RUN || parts(text).len() == 1
    }

    /// The token ids of `text`, special tokens included.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizeError> {
        let mut ids = Vec::new();
        if self.is_uncut(text) {
            self.encode_part(text, &mut ids)?;
        } else {
            for part in parts(text) {
                self.encode_part(part, &mut ids)?;
            }
        }
        Ok(ids)
    }

    fn encode_part(&self, text: &str, ids: &mut Vec<u32>) -> Result<(), TokenizeError> {
        for piece in self.specials.pieces(text, 0) {
            match piece {
                super::Piece::Special(_, id) => ids.push(id),
                super::Piece::Text(range) => {
                    for word in self.pattern.find_iter(&text[range]) {
                        let word = word.map_err(|error| TokenizeError(error.to_string()))?;
                        bpe::encode(&self.ranks, word.as_str().as_bytes(), ids);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Kimi's parts: first by length, then each at overlong runs.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(KIMI_PART).map_or(rest.len(), |(at, _)| at);
        let (part, after) = rest.split_at(end);
        runs(part, &mut parts);
        rest = after;
    }
    parts
}

/// Cuts `part` where a run of white space, or of other characters, exceeds the limit.
fn runs<'t>(part: &'t str, parts: &mut Vec<&'t str>) {
    let mut start = 0;
    let mut length = 0;
    let mut in_space = part.chars().next().is_some_and(is_python_space);
    for (at, char) in part.char_indices() {
        let space = is_python_space(char);
        if space == in_space {
            length += 1;
            if length > KIMI_RUN {
                parts.push(&part[start..at]);
                start = at;
                length = 1;
            }
        } else {
            length = 1;
            in_space = space;
        }
    }
    parts.push(&part[start..]);
}

/// Python's `str.isspace` of one character.
pub(super) fn is_python_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kimi_cuts_overlong_runs() {
        let text = format!("{}{}", "a".repeat(KIMI_RUN + 5), " b");
        let lengths: Vec<usize> = parts(&text).iter().map(|part| part.len()).collect();
        assert_eq!(lengths, [KIMI_RUN, 7]);
        let text = "é ".repeat(KIMI_PART);
        let lengths: Vec<usize> = parts(&text).iter().map(|part| part.chars().count()).collect();
        assert_eq!(lengths, [KIMI_PART, KIMI_PART]);
    }
}
