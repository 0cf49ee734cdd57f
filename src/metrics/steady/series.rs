//! Super-passes and small statistics over series of numbers.

use super::gather::TurnRecord;
use crate::clock::Nanos;

/// The numbers of one super-pass; times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SuperPass {
    pub(super) turns: u64,
    pub(super) first_issue: Nanos,
    pub(super) last_issue: Nanos,
    /// Sorted.
    pub(super) ttft: Vec<f64>,
    /// Sorted.
    pub(super) tpot: Vec<f64>,
    /// Sorted.
    pub(super) latency: Vec<f64>,
    pub(super) output: Vec<f64>,
}

impl SuperPass {
    fn of(turns: &[TurnRecord]) -> Self {
        let issues = || turns.iter().map(|turn| turn.issued_at);
        let sorted = |number: fn(&TurnRecord) -> Option<f64>| {
            let mut values: Vec<f64> = turns.iter().filter_map(number).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        Self {
            turns: turns.len() as u64,
            first_issue: issues().min().unwrap_or(0),
            last_issue: issues().max().unwrap_or(0),
            ttft: sorted(|turn| turn.ttft().map(float)),
            tpot: sorted(TurnRecord::tpot),
            latency: sorted(|turn| turn.latency().map(float)),
            output: turns.iter().filter_map(|turn| turn.output.map(float)).collect(),
        }
    }

    /// First to last issue.
    pub(super) fn issue_span(&self) -> f64 {
        float(self.last_issue.saturating_sub(self.first_issue))
    }
}

/// Cuts turns, in the order of their issue, into super-passes; the last one may be shorter.
pub(super) fn super_passes(turns: &[TurnRecord], size: u64) -> Vec<SuperPass> {
    let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
    turns.chunks(size).map(SuperPass::of).collect()
}

/// Percentile `p` (0..1) of sorted numbers: `sorted[int(p * (n - 1))]`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies in 0..n"
)]
pub(super) fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((p * count(last)) as usize).copied()
}

/// The median, the mean of the middle two for an even number.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count(values.len()))
}

/// Sum of squared deviations from the mean.
pub(super) fn squares(values: &[f64]) -> f64 {
    let center = mean(values).unwrap_or(0.0);
    values.iter().map(|value| (value - center) * (value - center)).sum()
}

/// Coefficient of variation: population standard deviation over the absolute mean; 0 for fewer
/// than two values, and for a series of zeros.
pub(super) fn variation(values: &[f64]) -> f64 {
    let spread = (squares(values) / count(values.len().max(1))).sqrt();
    match mean(values) {
        Some(center) if values.len() >= 2 && spread > 0.0 => spread / center.abs(),
        _ => 0.0,
    }
}

/// A time or number of tokens as a float; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53, which is 104 days in ns")]
pub(super) fn float(value: u64) -> f64 {
    value as f64
}

/// A number of values as a float.
#[expect(clippy::cast_precision_loss, reason = "no series has 2^53 values")]
pub(super) fn count(values: usize) -> f64 {
    values as f64
}
