//! A fast, stable 64-bit hash: the same on every machine and in every version of this program.
//!
//! Used where an answer must depend on its request alone (ids, scripted and wrong replies) and for
//! the blocks of the prefix cache. Not for untrusted keys, and no digest.

const KEYS: [u64; 2] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

/// Mixes two words: the two halves of their product, folded together.
fn fold(a: u64, b: u64) -> u64 {
    let bytes = (u128::from(a) * u128::from(b)).to_le_bytes();
    let (low, high) = bytes.split_at(8);
    word(low) ^ word(high)
}

/// Up to eight bytes as a word.
fn word(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(padded)
}

/// Continues the hash `state` with `bytes`, length included.
pub(super) fn extend(mut state: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    for part in words {
        state = fold(u64::from_le_bytes(*part) ^ KEYS[0], state ^ KEYS[1]);
    }
    fold(word(rest) ^ KEYS[1], state ^ KEYS[0] ^ (bytes.len() as u64))
}

/// The hash of several parts; parts are kept apart.
pub(super) fn of(seed: u64, parts: &[&[u8]]) -> u64 {
    parts.iter().fold(fold(seed ^ KEYS[0], KEYS[1]), |state, part| extend(state, part))
}

/// A number from 0 up to, not including, 1 made from a hash.
pub(super) fn unit(hash: u64) -> f64 {
    let [a, b, c, d, ..] = fold(hash ^ KEYS[1], KEYS[0]).to_le_bytes();
    f64::from(u32::from_le_bytes([a, b, c, d])) / (f64::from(u32::MAX) + 1.0)
}

/// A sequence of numbers made from one hash.
pub(super) struct Sequence(u64);

impl Sequence {
    /// The sequence that `hash` starts.
    pub(super) fn new(hash: u64) -> Self {
        Self(hash)
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(KEYS[0]);
        fold(self.0 ^ KEYS[1], self.0)
    }

    /// The next number below `end`, which must not be 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64)).expect("below a usize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_and_keeps_parts_apart() {
        assert_eq!(of(42, &[b"ab", b"c"]), of(42, &[b"ab", b"c"]));
        assert_ne!(of(42, &[b"ab", b"c"]), of(42, &[b"a", b"bc"]));
        assert_ne!(of(42, &[b"ab"]), of(43, &[b"ab"]));
        assert_ne!(extend(1, b"\0"), extend(1, b"\0\0"));
        assert_eq!(of(42, &[b"sim_001"]), 11_745_082_199_119_884_112);
    }

    #[test]
    fn unit_is_spread_evenly() {
        let mut sequence = Sequence::new(7);
        let low = (0..10_000).filter(|_| unit(sequence.next()) < 0.25).count();
        assert!((2_300..2_700).contains(&low), "{low}");
    }
}
