//! When things happen: a model of a serving stack's time. Pure.

use crate::clock::{Nanos, nanos};

use super::Config;

/// The latency model of one endpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latency {
    ttft: Nanos,
    inter_token: Nanos,
    prefill_rate: Option<f64>,
    batch_slowdown: f64,
}

impl Latency {
    /// The model that `config` describes.
    pub(super) fn new(config: &Config) -> Self {
        Self {
            ttft: nanos(config.ttft),
            inter_token: nanos(config.inter_token),
            prefill_rate: config.prefill_rate,
            batch_slowdown: config.batch_slowdown,
        }
    }

    /// From the start of a request to its first fragment: the base, and prefill of the prompt
    /// tokens that were not cached, next to `running` requests (itself included).
    pub(super) fn first(&self, uncached_tokens: u64, running: usize) -> Nanos {
        let Some(rate) = self.prefill_rate else { return self.ttft };
        #[expect(clippy::cast_precision_loss, reason = "no prompt has 2^53 tokens")]
        let seconds = uncached_tokens as f64 / rate;
        self.ttft.saturating_add(self.stretched(whole_nanos(seconds * 1e9), running))
    }

    /// From one fragment to the next, next to `running` requests (itself included).
    pub(super) fn next(&self, running: usize) -> Nanos {
        self.stretched(self.inter_token, running)
    }

    fn stretched(&self, time: Nanos, running: usize) -> Nanos {
        if self.batch_slowdown == 0.0 || time == 0 || running <= 1 {
            return time;
        }
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 ns and requests")]
        let stretched = time as f64 * (1.0 + self.batch_slowdown * (running - 1) as f64);
        whole_nanos(stretched)
    }
}

/// Rounds to whole nanoseconds, saturating.
fn whole_nanos(value: f64) -> Nanos {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and the value is never negative"
    )]
    let whole = value.round() as Nanos;
    whole
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn model(prefill_rate: Option<f64>, batch_slowdown: f64) -> Latency {
        Latency::new(&Config {
            ttft: Duration::from_millis(30),
            inter_token: Duration::from_millis(4),
            prefill_rate,
            batch_slowdown,
            ..Config::default()
        })
    }

    #[test]
    fn base_times_without_load() {
        let latency = model(None, 0.0);
        assert_eq!(latency.first(1_000_000, 64), 30_000_000);
        assert_eq!(latency.next(64), 4_000_000);
    }

    #[test]
    fn prefill_counts_uncached_tokens_only() {
        let latency = model(Some(50_000.0), 0.0);
        assert_eq!(latency.first(0, 1), 30_000_000);
        assert_eq!(latency.first(5_000, 1), 130_000_000);
    }

    #[test]
    fn load_stretches_prefill_and_tokens_but_not_the_base() {
        let latency = model(Some(50_000.0), 0.01);
        assert_eq!(latency.first(5_000, 1), 130_000_000);
        assert_eq!(latency.first(5_000, 101), 230_000_000);
        assert_eq!(latency.next(101), 8_000_000);
    }
}
