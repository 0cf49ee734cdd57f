//! Counting the work of a scan, so that tests can prove it linear without a clock.

/// How many bytes the scans of one text looked at.
///
/// Every scan over a model's reply counts here. A reply of `n` bytes may cost a small multiple of
/// `n`, whatever it holds; a scan that starts over would show as a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work(u64);

impl Work {
    /// Counts one byte.
    pub(super) fn step(&mut self) {
        self.0 += 1;
    }

    /// Counts many bytes.
    pub(super) fn steps(&mut self, bytes: usize) {
        self.0 += bytes as u64;
    }

    /// What was counted.
    #[cfg(test)]
    pub(super) fn total(self) -> u64 {
        self.0
    }
}
