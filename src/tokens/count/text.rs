//! Counting texts that share most of what came before.

use std::collections::HashMap;

use crate::tokens::error::TokenizeError;
use crate::tokens::tokenizer::{Piece, Tokenizer};

/// How many bytes of pieces are remembered before the memory is emptied.
const MAX_REMEMBERED: usize = 64 * 1024 * 1024;

/// Counts the tokens of one text after another.
///
/// Where a text begins like the one before, counting goes on at the last safe cut inside the
/// common part; and a piece that was counted before is never tokenised again, wherever it stands.
/// Both rest on [`crate::tokens::tokenizer::Cuts`], so that the count always equals that of the
/// whole text.
#[derive(Debug)]
pub struct TextCounter<'t> {
    tokenizer: &'t Tokenizer,
    previous: String,
    /// The ends of the previous text's pieces, with the tokens up to there.
    ends: Vec<(usize, u64)>,
    known: HashMap<Box<str>, u64>,
    remembered: usize,
    tokenized: u64,
}

impl<'t> TextCounter<'t> {
    /// A counter that knows nothing yet.
    pub fn new(tokenizer: &'t Tokenizer) -> Self {
        Self {
            tokenizer,
            previous: String::new(),
            ends: Vec::new(),
            known: HashMap::new(),
            remembered: 0,
            tokenized: 0,
        }
    }

    /// How many bytes were really tokenised so far.
    pub fn tokenized_bytes(&self) -> u64 {
        self.tokenized
    }

    /// The number of tokens of `text`.
    ///
    /// # Errors
    /// When the tokenizer refuses the text.
    pub fn count(&mut self, text: String) -> Result<u64, TokenizeError> {
        if !self.tokenizer.is_uncut(&text) {
            self.tokenized += text.len() as u64;
            return Ok(self.tokenizer.encode(&text)?.len() as u64);
        }
        let cuts = self.tokenizer.cuts();
        // A cut in the common part is also made in this text when all that it was decided by is
        // common too.
        let sure = common_prefix(&self.previous, &text).saturating_sub(cuts.reach());
        let kept = self.ends.partition_point(|(end, _)| *end <= sure);
        self.ends.truncate(kept);
        let (from, mut tokens) = self.ends.last().copied().unwrap_or((0, 0));
        for piece in cuts.pieces(&text, from) {
            tokens += match &piece {
                Piece::Special(..) => 1,
                Piece::Text(range) => match self.piece(&text[range.clone()]) {
                    Ok(tokens) => tokens,
                    Err(error) => {
                        self.ends.clear();
                        self.previous.clear();
                        return Err(error);
                    }
                },
            };
            self.ends.push((piece.range().end, tokens));
        }
        self.previous = text;
        Ok(tokens)
    }

    fn piece(&mut self, text: &str) -> Result<u64, TokenizeError> {
        if let Some(tokens) = self.known.get(text) {
            return Ok(*tokens);
        }
        let tokens = self.tokenizer.encode(text)?.len() as u64;
        self.tokenized += text.len() as u64;
        self.remembered += text.len();
        if self.remembered > MAX_REMEMBERED {
            self.known.clear();
            self.remembered = text.len();
        }
        self.known.insert(text.into(), tokens);
        Ok(tokens)
    }
}

/// How many bytes two texts have in common at their beginning.
fn common_prefix(a: &str, b: &str) -> usize {
    const BLOCK: usize = 4096;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Whole blocks first: comparing slices is many times faster than comparing bytes.
    let same = a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let same = same.min(a.len()).min(b.len());
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::common_prefix;

    #[test]
    fn finds_common_prefixes() {
        let long = "x".repeat(10_000);
        assert_eq!(common_prefix("", "a"), 0);
        assert_eq!(common_prefix("abc", "abd"), 2);
        assert_eq!(common_prefix(&long, &format!("{long}y")), 10_000);
        assert_eq!(common_prefix(&format!("{long}a"), &format!("{long}b")), 10_000);
        assert_eq!(common_prefix(&long, &long[..5000]), 5000);
    }
}
