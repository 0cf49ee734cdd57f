//! Does a series climb, fall, or jump?

use serde::Serialize;

use super::series::{count, mean, median};

/// The two-sided 5 % point of the normal distribution: p < 0.05 is |z| above it.
const SIGNIFICANT: f64 = 1.959_963_984_540_054;
/// The bound beyond which the autocorrelation at a lag counts, in standard errors.
const LAG_BOUND: f64 = 1.96;
/// Probability below which a jump is significant.
const JUMP: f64 = 0.05;

/// Where a series goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It climbs.
    Up,
    /// It falls.
    Down,
    /// No significant trend.
    None,
}

/// The Mann-Kendall test with the variance correction of Hamed and Rao (1998) on the ranks'
/// autocorrelation: the direction of a trend that is significant at 5 %.
pub(super) fn direction(values: &[f64]) -> Direction {
    let score = score(values);
    let variance = plain_variance(values) * correction(values);
    if variance <= 0.0 {
        return towards(score);
    }
    // The step of one towards zero makes the discrete score continuous.
    let z = (score - score.signum()) / variance.sqrt();
    if score.abs() > 0.0 && z.abs() > SIGNIFICANT { towards(score) } else { Direction::None }
}

fn towards(score: f64) -> Direction {
    if score > 0.0 {
        Direction::Up
    } else if score < 0.0 {
        Direction::Down
    } else {
        Direction::None
    }
}

/// Mann and Kendall's S: later values above earlier ones less those below.
fn score(values: &[f64]) -> f64 {
    let pairs = |(at, early): (usize, &f64)| -> f64 {
        values[at + 1..].iter().map(|late| sign(late - early)).sum()
    };
    values.iter().enumerate().map(pairs).sum()
}

fn sign(difference: f64) -> f64 {
    if difference > 0.0 {
        1.0
    } else if difference < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The variance of S for independent values, with the term for ties.
fn plain_variance(values: &[f64]) -> f64 {
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties: f64 = sorted.chunk_by(|a, b| a >= b).map(|group| term(count(group.len()))).sum();
    (term(count(values.len())) - ties) / 18.0
}

/// Hamed and Rao's factor on the variance; 1 where it would not be positive.
fn correction(values: &[f64]) -> f64 {
    let n = count(values.len());
    if values.len() < 3 {
        return 1.0;
    }
    let ranks = ranks(values);
    let center = mean(&ranks).unwrap_or(0.0);
    let whole: f64 = ranks.iter().map(|rank| (rank - center) * (rank - center)).sum();
    let mut sum = 0.0;
    for lag in 1..ranks.len() {
        let products = ranks.iter().zip(&ranks[lag..]).map(|(a, b)| (a - center) * (b - center));
        let correlation = products.sum::<f64>() / whole;
        if correlation.abs() > LAG_BOUND / n.sqrt() {
            let left = n - count(lag);
            sum += left * (left - 1.0) * (left - 2.0) * correlation;
        }
    }
    let factor = 1.0 + 2.0 / (n * (n - 1.0) * (n - 2.0)) * sum;
    if factor > 0.0 { factor } else { 1.0 }
}

/// Ranks from 1; equal values in the order in which they stand.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = count(rank + 1);
    }
    ranks
}

/// The drift over the whole series relative to its median: least-squares slope times n - 1.
pub(super) fn relative_drift(values: &[f64]) -> f64 {
    let n = count(values.len());
    let center_x = (n - 1.0) / 2.0;
    let center_y = mean(values).unwrap_or(0.0);
    let (mut products, mut squares) = (0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let x = count(at) - center_x;
        products += x * (value - center_y);
        squares += x * x;
    }
    let drift = products / squares * (n - 1.0);
    match median(values.iter().copied()) {
        Some(level) if level > 0.0 && drift.is_finite() => drift / level,
        _ => 0.0,
    }
}

/// Pettitt's test: whether the series jumps somewhere, at 5 %.
pub(super) fn jumps(values: &[f64]) -> bool {
    let n = count(values.len());
    let statistic = |cut: usize| -> f64 {
        let (before, after) = values.split_at(cut);
        let against = |early: &f64| after.iter().map(|late| sign(late - early)).sum::<f64>();
        before.iter().map(against).sum::<f64>().abs()
    };
    let greatest = (1..values.len()).map(statistic).fold(0.0, f64::max);
    let probability = 2.0 * (-6.0 * greatest * greatest / (n * n * n + n * n)).exp();
    values.len() >= 2 && probability < JUMP
}
