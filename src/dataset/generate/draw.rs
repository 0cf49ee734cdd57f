//! Draws on whole numbers.

use crate::rng::{self, Stream};

/// A seeded stream of draws.
pub(super) struct Draw(Stream);

/// A right-skewed distribution around 100: the quantiles of a log-normal one in 16 steps.
const SKEWED: [u64; 16] = [22, 33, 42, 50, 58, 66, 75, 84, 95, 107, 121, 139, 163, 197, 258, 410];

impl Draw {
    /// The stream called `name` under `seed`.
    pub(super) fn new(seed: u64, name: &str) -> Self {
        Self(rng::stream(seed, name))
    }

    /// A number below `n`; 0 for `n` = 0.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    /// An index below `n`; 0 for `n` = 0.
    pub(super) fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.0.below(n as u64)).expect("it is below a usize")
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high.saturating_sub(low) + 1)
    }

    /// Whether a thing of this probability happens.
    pub(super) fn percent(&mut self, probability: u64) -> bool {
        self.0.below(100) < probability
    }

    /// One of them; the lists of this module are never empty.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// A right-skewed number around `middle`: half below it, one in sixteen four times as large.
    pub(super) fn skewed(&mut self, middle: u64) -> u64 {
        let (low, step) = (self.index(SKEWED.len()), self.below(16));
        let here = SKEWED[low];
        let next = SKEWED.get(low + 1).copied().unwrap_or(here + 60);
        middle.saturating_mul(here * 16 + (next - here) * step) / 1600
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skewed_draws_keep_their_middle() {
        let mut draw = Draw::new(3, "skewed");
        let mut drawn: Vec<_> = (0..4001).map(|_| draw.skewed(1000)).collect();
        drawn.sort_unstable();
        assert!((850..1050).contains(&drawn[2000]), "{}", drawn[2000]);
        assert!(drawn[0] >= 220 && *drawn.last().unwrap() < 4800);
    }
}
