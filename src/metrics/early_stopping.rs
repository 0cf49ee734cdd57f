//! `MLPerf`'s early-stopping estimate of a tail percentile.
//!
//! With n sorted values and t of them discarded at the top, the value `sorted[n - t]` bounds the
//! true percentile p with confidence c if so few values above it would be seen with probability
//! at most 1 - c were the true rate of values above it 1 - p: `P(Binomial(n, 1 - p) <= t) <= 1 - c`.
//! It is the one-sided Clopper-Pearson bound on the rate of values above, solved for the greatest
//! t. `MLPerf` Inference introduced it with its load generator's early stopping (inference rules,
//! appendix "Early Stopping Criterion", and `loadgen/early_stopping.cc`); the tests below repeat
//! its tables of least query counts.

/// Confidence 99 %.
const DOUBT: f64 = 1.0 - 0.99;

/// The index of the estimate for percentile `p` (0..1) among `count` sorted values: the greatest
/// number of discarded values that still holds. None when not even one may be discarded.
pub(super) fn index(p: f64, count: u64) -> Option<usize> {
    if !holds(1, p, count) {
        return None;
    }
    // The tail probability grows with t and is above one half at the mean, so the greatest t is
    // found by bisection below that.
    let (mut good, mut bad) = (1, mean(p, count).clamp(2, count));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle, p, count) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    usize::try_from(count - good).ok()
}

fn holds(discarded: u64, p: f64, count: u64) -> bool {
    discarded < count && binomial_tail(count, discarded, p) <= DOUBT
}

/// `P(Binomial(count, 1 - p) <= at_most)`, which is the regularised incomplete beta function
/// `I_p(count - at_most, at_most + 1)`.
fn binomial_tail(count: u64, at_most: u64, p: f64) -> f64 {
    let n = float(count);
    let (ln_p, ln_q) = (p.ln(), (1.0 - p).ln());
    // Terms from the greatest index down: each is the next one times a ratio, so no factorial of a
    // large number is needed beyond the first term's.
    let top = float(at_most);
    let mut ln_term = ln_choose(n, top) + top * ln_q + (n - top) * ln_p;
    let mut sum = 0.0;
    let mut k = top;
    loop {
        let term = ln_term.exp();
        sum += term;
        // Below the mean the terms shrink at least geometrically, so what is left is negligible.
        if k < 1.0 || term < sum * 1e-17 {
            return sum;
        }
        ln_term += k.ln() - (n - k + 1.0).ln() + ln_p - ln_q;
        k -= 1.0;
    }
}

/// The mean of `Binomial(count, 1 - p)`, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the mean lies in 0..=count"
)]
fn mean(p: f64, count: u64) -> u64 {
    (float(count) * (1.0 - p)).ceil() as u64
}

fn ln_choose(n: f64, k: f64) -> f64 {
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// Stirling's series after shifting the argument above 15; good to about 1e-15 relative.
fn ln_gamma(x: f64) -> f64 {
    let (mut shifted, mut product) = (x, 1.0_f64);
    while shifted < 15.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    let half_ln_two_pi = 0.918_938_533_204_672_7;
    (shifted - 0.5) * shifted.ln() - shifted + half_ln_two_pi + series - product.ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(Binomial(n, q) <= t)` term by term, for small n.
    fn tail_by_hand(n: u32, t: u32, q: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..=t {
            let mut term =
                q.powi(k.try_into().unwrap()) * (1.0 - q).powi((n - k).try_into().unwrap());
            for i in 0..k {
                term *= f64::from(n - i) / f64::from(i + 1);
            }
            sum += term;
        }
        sum
    }

    #[test]
    fn the_tail_is_the_binomial_sum() {
        for n in 1..60_u32 {
            for t in 0..n {
                for p in [0.5, 0.75, 0.9, 0.99] {
                    let (ours, by_hand) =
                        (binomial_tail(n.into(), t.into(), p), tail_by_hand(n, t, 1.0 - p));
                    assert!((ours - by_hand).abs() < 1e-12, "{n} {t} {p}: {ours} {by_hand}");
                }
            }
        }
    }

    #[test]
    fn the_estimate_is_the_greatest_that_holds() {
        for n in 0..400 {
            for p in [0.5, 0.75, 0.8, 0.9, 0.95] {
                let discarded = (1..n).take_while(|&t| holds(t, p, n)).last();
                let expected = discarded.map(|t| usize::try_from(n - t).unwrap());
                assert_eq!(index(p, n), expected, "{n} {p}");
            }
        }
    }

    /// The least numbers of queries that `MLPerf` publishes for percentiles 90 and 99.
    #[test]
    fn too_few_values_give_no_estimate() {
        assert_eq!((index(0.9, 63), index(0.9, 64)), (None, Some(63)));
        assert_eq!((index(0.99, 661), index(0.99, 662)), (None, Some(661)));
    }

    #[test]
    fn a_million_values_take_no_time() {
        let at = index(0.99, 1_000_000).unwrap();
        // Above the plain percentile by about 2.33 standard deviations of the binomial.
        assert!((990_225..990_240).contains(&at), "{at}");
    }
}
