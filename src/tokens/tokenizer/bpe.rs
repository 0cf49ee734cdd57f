//! Byte-pair merging by rank, as tiktoken does it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A merge that may be applied: lowest rank first, leftmost first among equals, exactly tiktoken's
/// order. The two ends tell whether the merge is still what it was when it was found.
type Candidate = Reverse<(u32, usize, usize)>;

/// The pieces of a word while they are merged: a linked list over byte positions.
struct Parts<'w> {
    word: &'w [u8],
    /// End of the piece that starts here; 0 when none does.
    end: Vec<usize>,
    /// Start of the piece before the one that starts here.
    previous: Vec<usize>,
}

impl Parts<'_> {
    /// The candidate that joins the piece at `start` with the next one.
    fn candidate(&self, ranks: &HashMap<Vec<u8>, u32>, start: usize) -> Option<Candidate> {
        let next = self.end[start];
        if next >= self.word.len() {
            return None;
        }
        let end = self.end[next];
        ranks.get(&self.word[start..end]).map(|rank| Reverse((*rank, start, end)))
    }
}

/// Appends the tokens of one pre-token. Bytes that are no token by themselves cannot occur:
/// [`super::ranks`] refuses such tables.
pub(super) fn encode(ranks: &HashMap<Vec<u8>, u32>, word: &[u8], ids: &mut Vec<u32>) {
    if word.is_empty() {
        return;
    }
    if let Some(rank) = ranks.get(word) {
        ids.push(*rank);
        return;
    }
    let mut parts = Parts {
        word,
        end: (1..=word.len()).collect(),
        previous: (0..word.len()).map(|at| at.saturating_sub(1)).collect(),
    };
    let mut heap: BinaryHeap<Candidate> =
        (0..word.len()).filter_map(|start| parts.candidate(ranks, start)).collect();
    while let Some(Reverse((_, start, end))) = heap.pop() {
        let next = parts.end[start];
        // Stale when either piece has changed since.
        if next == 0 || next >= word.len() || parts.end[next] != end {
            continue;
        }
        parts.end[start] = end;
        parts.end[next] = 0;
        if end < word.len() {
            parts.previous[end] = start;
        }
        heap.extend(parts.candidate(ranks, start));
        if start > 0 {
            heap.extend(parts.candidate(ranks, parts.previous[start]));
        }
    }
    let mut at = 0;
    while at < word.len() {
        let end = parts.end[at];
        ids.extend(ranks.get(&word[at..end]));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook form: the leftmost pair of the lowest rank, again and again.
    fn naive(ranks: &HashMap<Vec<u8>, u32>, word: &[u8]) -> Vec<u32> {
        let mut parts: Vec<Vec<u8>> = word.iter().map(|byte| vec![*byte]).collect();
        loop {
            let best = (0..parts.len().saturating_sub(1))
                .filter_map(|at| ranks.get(&parts[at..at + 2].concat()).map(|rank| (*rank, at)))
                .min();
            let Some((_, at)) = best else { break };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
        parts.iter().map(|part| ranks[part]).collect()
    }

    proptest::proptest! {
        #[test]
        fn equals_the_textbook_form(
            word in proptest::collection::vec(b'a'..=b'c', 1..40),
            merges in proptest::collection::vec(proptest::collection::vec(b'a'..=b'c', 2..5), 0..30),
        ) {
            let mut ranks: HashMap<Vec<u8>, u32> = (b'a'..=b'c').map(|b| (vec![b], u32::from(b - b'a'))).collect();
            for merge in merges {
                let rank = u32::try_from(ranks.len()).unwrap();
                ranks.entry(merge).or_insert(rank);
            }
            // tiktoken looks a whole word up before it merges.
            let expected = ranks.get(&word).map_or_else(|| naive(&ranks, &word), |rank| vec![*rank]);
            let mut ids = Vec::new();
            encode(&ranks, &word, &mut ids);
            proptest::prop_assert_eq!(ids, expected);
        }
    }
}
