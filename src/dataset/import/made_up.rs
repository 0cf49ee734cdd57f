//! Words in the place of tokens.

/// Words that are one token, with the blank before them, in the vocabularies of most models.
#[rustfmt::skip]
const WORDS: [&str; 256] = [
    "the", "of", "and", "to", "in", "is", "that", "for", "it", "as", "was", "with", "be", "by", "on", "not",
    "he", "his", "but", "at", "are", "this", "have", "from", "or", "had", "an", "they", "which", "one", "you", "were",
    "all", "her", "she", "there", "would", "their", "we", "him", "been", "has", "when", "who", "will", "no", "more", "if",
    "out", "so", "up", "said", "what", "its", "about", "than", "into", "them", "can", "only", "other", "time", "new", "some",
    "could", "these", "two", "may", "first", "then", "do", "any", "like", "my", "now", "over", "such", "our", "man", "me",
    "even", "most", "made", "after", "also", "well", "did", "many", "before", "must", "years", "back", "through", "much", "where", "your",
    "down", "way", "should", "because", "long", "each", "just", "state", "those", "people", "too", "little", "how", "good", "world", "make",
    "very", "year", "still", "see", "own", "work", "men", "day", "get", "here", "old", "life", "both", "between", "being", "under",
    "three", "never", "know", "same", "last", "another", "while", "us", "off", "might", "great", "states", "go", "come", "since", "against",
    "right", "came", "take", "used", "himself", "few", "house", "use", "place", "during", "high", "without", "again", "home", "around", "small",
    "however", "found", "part", "school", "general", "once", "upon", "say", "every", "does", "got", "left", "number", "course", "war", "until",
    "always", "away", "something", "fact", "water", "less", "public", "put", "think", "almost", "hand", "enough", "took", "head", "far", "yet",
    "better", "set", "told", "nothing", "night", "end", "why", "called", "find", "going", "look", "asked", "later", "knew", "point", "next",
    "program", "city", "business", "group", "give", "days", "young", "let", "room", "present", "side", "social", "given", "order", "second", "rather",
    "per", "face", "among", "form", "important", "often", "things", "early", "white", "case", "large", "need", "big", "four", "within", "felt",
    "along", "children", "best", "church", "ever", "least", "power", "development", "light", "thing", "family", "want", "seemed", "interest", "open", "area",
];

/// FNV-1a of some bytes: a seed.
pub(super) fn seed_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The finaliser of SplitMix64: a number that looks random, for each number.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A text in the making, one word for each token.
#[derive(Default)]
pub(super) struct Tokens(String);

impl Tokens {
    /// Appends the words of a block with this seed from its word `within` on.
    pub(super) fn push(&mut self, seed: u64, within: u64, count: u64) {
        // Eight words at a time.
        let mut known: Option<(u64, u64)> = None;
        for at in within..within + count {
            let bits = match known {
                Some((eight, bits)) if eight == at / 8 => bits,
                _ => mix(seed.wrapping_add((at / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))),
            };
            known = Some((at / 8, bits));
            if !self.0.is_empty() {
                self.0.push(' ');
            }
            self.0.push_str(WORDS[usize::from(bits.to_le_bytes()[(at % 8) as usize])]);
        }
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_in_pieces_is_the_block() {
        let mut whole = Tokens::default();
        whole.push(seed_of(b"7"), 0, 40);
        let mut pieces = Tokens::default();
        pieces.push(seed_of(b"7"), 0, 13);
        pieces.push(seed_of(b"7"), 13, 27);
        let (whole, pieces) = (whole.into_text(), pieces.into_text());
        assert_eq!(whole, pieces);
        assert_eq!(whole.split(' ').count(), 40);
    }

    #[test]
    fn words_are_different_and_none_is_repeated_all_the_time() {
        let distinct: std::collections::BTreeSet<_> = WORDS.iter().collect();
        assert_eq!(distinct.len(), 256);
        let mut text = Tokens::default();
        text.push(1, 0, 2000);
        let text = text.into_text();
        let used: std::collections::BTreeSet<_> = text.split(' ').collect();
        assert!(used.len() > 240, "{}", used.len());
    }
}
