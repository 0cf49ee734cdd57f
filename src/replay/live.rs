//! What a replay tells while it runs.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::wire::FailureKind;

/// A snapshot of one point's replay. The recorder sends one over a `tokio::sync::watch` channel
/// several times a second; whoever draws it takes the newest and never holds the replay up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The point being replayed, counted from 1.
    pub point: usize,
    /// How many points the run has.
    pub points: usize,
    /// The point's concurrency.
    pub concurrency: u32,
    /// Turns that are over: completed, failed or given up.
    pub turns_done: u64,
    /// Turns planned.
    pub turns_total: u64,
    /// Slots that hold a conversation, waiting out a delay included.
    pub active_slots: u32,
    /// Completed turns per second over the last few seconds.
    pub turns_per_s: f64,
    /// Median time to first token so far; none before the first one.
    pub ttft_p50: Option<Duration>,
    /// 90th percentile of the time to first token so far; none before the first one.
    pub ttft_p90: Option<Duration>,
    /// Failed turns by class; a class without failures has no entry.
    pub failures: BTreeMap<FailureKind, u64>,
    /// Time since the point's replay started.
    pub elapsed: Duration,
    /// Time that the point will still take at the present rate; none when that cannot be told.
    pub remaining: Option<Duration>,
}
