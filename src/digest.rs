//! Digests that a user can recompute: SHA-256 of files and bodies, BLAKE2b only for the salt.
//!
//! Uses nothing else of the crate.

use blake2::Blake2b;
use blake2::digest::consts::U2;
use sha2::{Digest, Sha256};

/// A SHA-256 over bytes that arrive piece by piece. Cloning it clones the state, so that the
/// digests of many texts with a common beginning cost the beginning once.
#[derive(Clone, Default)]
pub struct Sha256Stream(Sha256);

impl Sha256Stream {
    /// The digest of nothing, so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything appended.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

impl std::fmt::Debug for Sha256Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sha256Stream")
    }
}

/// The SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of `bytes`, as 64 lower-case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// Lower-case hex digits of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = Vec::new();
    push_hex(&mut digits, bytes);
    String::from_utf8(digits).expect("hex digits are ASCII")
}

/// Appends the lower-case hex digits of `bytes`.
pub fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let start = out.len();
    out.resize(start + 2 * bytes.len(), 0);
    // In place: growing the vector digit by digit costs several times as much.
    let (pairs, _) = out[start..].as_chunks_mut();
    for (pair, byte) in pairs.iter_mut().zip(bytes) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
}

/// The text inside a salt marker: BLAKE2b with a digest of two bytes, no key, as four hex digits
/// (rules/agentic salt; 16 bits, so different passes or ids can collide).
pub fn salt_hex(text: &str) -> String {
    hex(&Blake2b::<U2>::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salt_matches_the_published_vectors() {
        let vectors = [("1", "4461"), ("2", "ba75"), ("sim_001", "4d58"), ("plain-conv_1", "c88c")];
        for (text, expected) in vectors {
            assert_eq!(salt_hex(text), expected, "{text}");
        }
    }

    #[test]
    fn hex_is_appended() {
        let mut out = b"x".to_vec();
        push_hex(&mut out, &[0, 0x9a, 0xff]);
        assert_eq!(out, b"x009aff");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn a_cloned_state_continues_where_it_was() {
        let mut state = Sha256Stream::new();
        state.update(b"ab");
        let mut other = state.clone();
        other.update(b"c");
        assert_eq!(other.finish(), sha256(b"abc"));
        assert_eq!(hex(&state.finish()), sha256_hex(b"ab"));
    }
}
