//! Numbers for the live view.

use std::collections::VecDeque;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::sync::watch;

use super::live::Live;
use crate::clock::Nanos;
use crate::wire::FailureKind;

/// How often a snapshot is sent, in nanoseconds.
const PERIOD: Nanos = 100_000_000;
/// Over how many snapshots the rate is taken (five seconds).
const RATE_SNAPSHOTS: usize = 50;

/// The longest time to first token that the live view tells apart: an hour.
const MAX_TTFT_US: u64 = 3_600_000_000;

/// Keeps count and sends a snapshot several times a second.
pub(super) struct Meter {
    sender: watch::Sender<Live>,
    live: Live,
    ttft_us: Histogram<u64>,
    history: VecDeque<(Nanos, u64)>,
    sent_at: Nanos,
}

impl Meter {
    /// A meter that starts from the snapshot in `sender`.
    pub(super) fn new(sender: watch::Sender<Live>, turns_total: u64) -> Self {
        let live = Live { turns_total, ..sender.borrow().clone() };
        let ttft_us =
            Histogram::new_with_max(MAX_TTFT_US, 2).expect("two significant digits are allowed");
        Self { sender, live, ttft_us, history: VecDeque::new(), sent_at: 0 }
    }

    pub(super) fn slot_began(&mut self) {
        self.live.active_slots += 1;
    }

    pub(super) fn slot_ended(&mut self) {
        self.live.active_slots = self.live.active_slots.saturating_sub(1);
    }

    pub(super) fn issued(&mut self, at: Nanos) {
        self.tick(at);
    }

    /// Takes the first token of a turn that was issued at `issued_at`.
    pub(super) fn first_token(&mut self, issued_at: Nanos, at: Nanos) {
        self.ttft_us.saturating_record(at.saturating_sub(issued_at) / 1_000);
    }

    pub(super) fn over(&mut self, at: Nanos) {
        self.live.turns_done += 1;
        self.tick(at);
    }

    pub(super) fn failed(&mut self, kind: FailureKind) {
        *self.live.failures.entry(kind).or_default() += 1;
    }

    fn tick(&mut self, at: Nanos) {
        if at.saturating_sub(self.sent_at) >= PERIOD {
            self.publish(at);
        }
    }

    /// Sends a snapshot now.
    pub(super) fn publish(&mut self, at: Nanos) {
        self.sent_at = at;
        self.live.elapsed = Duration::from_nanos(at);
        if !self.ttft_us.is_empty() {
            let quantile = |q| Some(Duration::from_micros(self.ttft_us.value_at_quantile(q)));
            (self.live.ttft_p50, self.live.ttft_p90) = (quantile(0.5), quantile(0.9));
        }
        let (since, done) = self.history.front().copied().unwrap_or((0, 0));
        let span = Duration::from_nanos(at.saturating_sub(since)).as_secs_f64();
        let done = self.live.turns_done.saturating_sub(done);
        self.live.turns_per_s = if span > 0.0 { count(done) / span } else { 0.0 };
        self.live.remaining = (self.live.turns_per_s > 0.0).then(|| {
            let left = self.live.turns_total.saturating_sub(self.live.turns_done);
            Duration::try_from_secs_f64(count(left) / self.live.turns_per_s)
                .unwrap_or(Duration::MAX)
        });
        self.history.push_back((at, self.live.turns_done));
        if self.history.len() > RATE_SNAPSHOTS {
            self.history.pop_front();
        }
        self.sender.send_replace(self.live.clone());
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of turns stay far below 2^53")]
fn count(turns: u64) -> f64 {
    turns as f64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_snapshot_tells_rate_remaining_and_quantiles() {
        let (sender, receiver) = watch::channel(Live { points: 3, ..Live::default() });
        let mut meter = Meter::new(sender, 40);
        for turn in 0..10 {
            meter.slot_began();
            let issued_at = turn * 200_000_000;
            meter.issued(issued_at);
            meter.first_token(issued_at, issued_at + 40_000_000);
            meter.over(issued_at + 150_000_000);
            meter.slot_ended();
        }
        meter.failed(FailureKind::Reset);
        meter.over(2_000_000_000);
        meter.publish(2_000_000_000);
        let live = receiver.borrow().clone();
        assert_eq!((live.points, live.turns_done, live.turns_total), (3, 11, 40));
        assert_eq!(live.active_slots, 0);
        assert_eq!(live.failures, BTreeMap::from([(FailureKind::Reset, 1)]));
        let p50 = live.ttft_p50.unwrap().as_secs_f64();
        assert!((p50 - 0.04).abs() < 0.04 * 0.01, "{p50}");
        assert!(live.turns_per_s > 4.0 && live.turns_per_s < 7.0, "{}", live.turns_per_s);
        assert!(live.remaining.is_some());
        assert_eq!(live.elapsed, Duration::from_secs(2));
    }
}
