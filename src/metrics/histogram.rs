//! Histogram buckets, as the reference client draws them.

/// How many buckets.
const BUCKETS: usize = 30;

/// The 31 edges of the buckets of a series: equal steps of the natural logarithm from the smallest
/// value (at least 1) to the greatest (at least ten times the lower end).
pub(super) fn edges(min: f64, max: f64) -> [f64; BUCKETS + 1] {
    let low = min.max(1.0);
    let high = max.max(low * 10.0);
    let step = (high.ln() - low.ln()) / 30.0;
    let mut edges = [0.0; BUCKETS + 1];
    let mut position = 0.0;
    for edge in &mut edges {
        *edge = (low.ln() + position * step).exp();
        position += 1.0;
    }
    edges
}

/// How many of `values` lie in each bucket; values outside count in the nearest bucket.
pub(super) fn counts(
    edges: &[f64; BUCKETS + 1],
    values: impl Iterator<Item = f64>,
) -> [u64; BUCKETS] {
    let mut counts = [0; BUCKETS];
    for value in values {
        let above = edges.partition_point(|&edge| edge <= value);
        counts[above.saturating_sub(1).min(BUCKETS - 1)] += 1;
    }
    counts
}
