//! What the KV cache of some slots takes.

use serde::Serialize;

/// The tokens that the slots of a closed loop hold.
#[derive(Clone, Debug, Default)]
pub struct KvCache {
    /// Context of each turn: its prompt and the recorded answer.
    turns: u64,
    total: u128,
    /// The greatest context of each trajectory.
    greatest: Vec<u64>,
}

/// The tokens of so many slots, no prefix shared between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KvFootprint {
    /// Conversations active at once, if there are so many.
    pub slots: u32,
    /// Each at an average turn.
    pub mean_tokens: u64,
    /// The largest trajectories, each at its end.
    pub most_tokens: u64,
    /// The same in bytes, where the bytes of a token are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_bytes: Option<u64>,
    /// The same in bytes, where the bytes of a token are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<u64>,
}

impl KvCache {
    /// Takes the contexts of a trajectory's turns in.
    pub(super) fn add(&mut self, contexts: impl Iterator<Item = u64>) {
        let mut greatest = 0;
        for context in contexts {
            self.turns += 1;
            self.total += u128::from(context);
            greatest = greatest.max(context);
        }
        self.greatest.push(greatest);
    }

    /// The footprint of `slots` at `token_bytes` bytes a token.
    pub fn footprint(&self, slots: u32, token_bytes: Option<u64>) -> KvFootprint {
        // No more conversations are active than there are.
        let active = (self.greatest.len() as u128).min(u128::from(slots));
        let mean = self.total * active / u128::from(self.turns.max(1));
        let mut sorted = self.greatest.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let most: u64 = sorted.iter().take(slots as usize).sum();
        let mean = u64::try_from(mean).unwrap_or(u64::MAX);
        let bytes = |tokens: u64| token_bytes.map(|bytes| tokens.saturating_mul(bytes));
        KvFootprint {
            slots,
            mean_tokens: mean,
            most_tokens: most,
            mean_bytes: bytes(mean),
            most_bytes: bytes(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_hold_average_turns_and_at_most_the_largest_trajectories() {
        let mut cache = KvCache::default();
        cache.add([10, 20, 60].into_iter());
        cache.add([30].into_iter());
        let two = cache.footprint(2, Some(1000));
        assert_eq!((two.mean_tokens, two.most_tokens), (60, 90));
        assert_eq!((two.mean_bytes, two.most_bytes), (Some(60_000), Some(90_000)));
        // There are no more than two trajectories.
        let eight = cache.footprint(8, None);
        assert_eq!((eight.mean_tokens, eight.most_tokens), (60, 90));
        assert_eq!(KvCache::default().footprint(8, None).mean_tokens, 0);
    }
}
