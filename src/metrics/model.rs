//! The numbers of one replay.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Number, Stats};
use crate::wire::{FailureKind, FinishReason};

/// Turns by outcome. `issued = completed + failed + pending`, pending being turns whose end is not
/// in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Turns with an issued event, those given up after an earlier failure included.
    pub issued: u64,
    /// Turns with a whole reply. The reference client counts failed turns here too.
    pub completed: u64,
    /// Turns that failed or were given up.
    pub failed: u64,
}

impl Counters {
    /// Issued turns of which the log does not tell the end.
    pub fn pending(self) -> u64 {
        self.issued.saturating_sub(self.completed.saturating_add(self.failed))
    }
}

/// Tracked, completed turns by the server's reason to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishReasons {
    /// A stop token or stop text.
    pub stop: u64,
    /// The token limit.
    pub length: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// The content filter.
    pub content_filter: u64,
    /// The old form of a tool call.
    pub function_call: u64,
    /// Anything else, and none at all.
    pub other: u64,
}

impl FinishReasons {
    /// Counts one reply.
    pub(super) fn count(&mut self, reason: Option<&FinishReason>) {
        let counter = match reason {
            Some(FinishReason::Stop) => &mut self.stop,
            Some(FinishReason::Length) => &mut self.length,
            Some(FinishReason::ToolCalls) => &mut self.tool_calls,
            Some(FinishReason::ContentFilter) => &mut self.content_filter,
            Some(FinishReason::FunctionCall) => &mut self.function_call,
            Some(FinishReason::Other(_)) | None => &mut self.other,
        };
        *counter += 1;
    }
}

/// Where the token counts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCounts {
    /// The reference tokenizer and chat template, as the rules count; every completed turn.
    Official,
    /// Every completed turn carried the server's own `usage`. Not official: the rules count with
    /// the reference tokenizer.
    ServerReported,
    /// No turn completed, or some completed turns carried no `usage` and were not counted; there
    /// are no token numbers then, since sums over a part of the turns would mislead.
    Missing {
        /// Completed turns without a count.
        turns: u64,
    },
}

impl TokenCounts {
    /// The text that stands in files.
    pub fn label(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::ServerReported => "server-reported",
            Self::Missing { .. } => "none",
        }
    }
}

/// What the server said about its prefix cache, over tracked completed turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixCache {
    /// Turns whose usage told the cached tokens.
    pub turns: u64,
    /// Prompt tokens of those turns.
    pub prompt_tokens: u64,
    /// Prompt tokens of those turns that came from the cache.
    pub cached_tokens: u64,
}

/// The numbers of the performance window: turns issued while tracking was on, and of those only
/// the completed ones in every series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// From the opening of the window to the last end of a tracked turn, in nanoseconds; none when
    /// nothing was tracked to its end.
    pub duration_ns: Option<u64>,
    /// From the first tracked issue to the end of the tracked turn that was issued last.
    pub loadgen_duration_ns: Option<u64>,
    /// Issue to first non-empty fragment, in nanoseconds.
    pub ttft: Option<Stats>,
    /// Time per output token after the first chunk, in nanoseconds.
    pub tpot: Option<Stats>,
    /// Issue to last byte, in nanoseconds.
    pub latency: Option<Stats>,
    /// Output tokens per turn (OSL).
    pub output_tokens: Option<Stats>,
    /// Prompt tokens per turn (ISL).
    pub input_tokens: Option<Stats>,
    /// Why replies ended.
    pub finish_reasons: FinishReasons,
    /// The prefix cache, where the server told.
    pub prefix_cache: PrefixCache,
}

/// All numbers of one replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// Counters of turns issued inside the performance window.
    pub tracked: Counters,
    /// Counters of the whole replay.
    pub total: Counters,
    /// Failed turns of the whole replay, by class.
    pub failures_by_kind: BTreeMap<FailureKind, u64>,
    /// Failed turns of the performance window, by class.
    pub tracked_failures_by_kind: BTreeMap<FailureKind, u64>,
    /// The performance window.
    pub window: Window,
    /// First to last event of the session, in nanoseconds.
    pub total_duration_ns: Option<u64>,
    /// Output tokens per turn over all completed turns, the tail after the window included.
    pub full_run_output_tokens: Option<Stats>,
    /// Where every token number comes from.
    pub token_counts: TokenCounts,
}

impl Metrics {
    /// Seconds of the performance window; none when it is empty.
    pub fn duration_seconds(&self) -> Option<f64> {
        self.window.duration_ns.filter(|&ns| ns > 0).map(seconds)
    }

    /// Completed turns per second of the window.
    pub fn qps(&self) -> Option<f64> {
        self.duration_seconds().map(|duration| float(self.tracked.completed) / duration)
    }

    /// Output tokens per second of the window; none without token counts.
    pub fn system_tps(&self) -> Option<f64> {
        let tokens = self.window.output_tokens.as_ref()?.total.as_f64();
        self.duration_seconds().map(|duration| tokens / duration)
    }

    /// `1000 / P90 TPOT in ms`; none without token counts or streamed replies.
    pub fn tps_per_user(&self) -> Option<f64> {
        let p90 = self.window.tpot.as_ref()?.percentile(90.0)?;
        (p90 > 0.0).then(|| 1e9 / p90)
    }

    /// The two sums behind the interactivity, over the completed turns of the window: output
    /// tokens, and seconds of turn time with tool time excluded. None without token counts, and
    /// with a failed turn in the window: the checker refuses the number then, as the time of
    /// failed turns is in neither sum.
    pub fn interactivity_sums(&self) -> Option<(u64, f64)> {
        if self.tracked.failed > 0 {
            return None;
        }
        let tokens = match self.window.output_tokens.as_ref()?.total {
            Number::Int(tokens) => u64::try_from(tokens).ok()?,
            Number::Float(_) => return None,
        };
        Some((tokens, self.window.latency.as_ref()?.total.as_f64() / 1e9))
    }

    /// Output tokens per second of turn time, in the sense of [`Self::interactivity_sums`].
    pub fn e2e_avg_interactivity(&self) -> Option<f64> {
        let (tokens, seconds) = self.interactivity_sums()?;
        (seconds > 0.0).then(|| float(tokens) / seconds)
    }
}

fn seconds(nanos: u64) -> f64 {
    float(nanos) / 1e9
}

/// A count as a float; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "rates are floats; counts stay below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
