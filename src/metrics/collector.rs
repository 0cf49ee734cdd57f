//! One pass over the events of a replay.

use std::collections::BTreeMap;

use super::model::{Counters, FinishReasons, Metrics, PrefixCache, TokenCounts, Window};
use super::stats::Stats;
use super::tokens::{TokenSource, TurnTokens};
use crate::clock::Nanos;
use crate::events::{Event, EventKind, SampleId, SampleMap};
use crate::wire::{FailureKind, Reply, Usage};

/// Gathers the numbers of a replay from its events, in log order.
///
/// Keeps an entry per turn in flight and a few numbers per finished turn, never the events. What
/// the numbers are does not depend on the order in which different turns' events arrive, apart
/// from where the window's opening and closing stand among the issued events.
///
/// Token counts come from one [`TokenSource`]: the server's `usage` while a replay runs, official
/// counts when they have been made.
#[derive(Debug, Default)]
pub struct Collector {
    tokens: TokenSource,
    in_flight: SampleMap<Turn>,
    tracking: Option<bool>,
    opened_at: Nanos,
    last_tracked_end: Option<Nanos>,
    first_tracked_issue: Option<Nanos>,
    last_issued_ended: Option<(Nanos, Nanos)>,
    first_event: Option<Nanos>,
    last_event: Nanos,
    tracked: Counters,
    total: Counters,
    failures: BTreeMap<FailureKind, u64>,
    tracked_failures: BTreeMap<FailureKind, u64>,
    series: SeriesValues,
    finish_reasons: FinishReasons,
    prefix_cache: PrefixCache,
    uncounted: u64,
    uncounted_inputs: u64,
}

#[derive(Debug)]
struct Turn {
    issued_at: Nanos,
    first_token_at: Option<Nanos>,
    tracked: bool,
    failure: Option<FailureKind>,
}

#[derive(Debug, Default)]
struct SeriesValues {
    ttft: Vec<u64>,
    tpot: Vec<f64>,
    latency: Vec<u64>,
    output_tokens: Vec<u64>,
    input_tokens: Vec<u64>,
    full_run_output_tokens: Vec<u64>,
}

impl Collector {
    /// A collector that has seen nothing and counts tokens as the server reports them.
    pub fn new() -> Self {
        Self::default()
    }

    /// A collector that has seen nothing and counts tokens by `tokens`.
    pub fn with_tokens(tokens: TokenSource) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// Takes the next event of the log.
    pub fn push(&mut self, event: &Event) {
        let first = self.first_event.get_or_insert(event.at);
        *first = event.at.min(*first);
        self.last_event = self.last_event.max(event.at);
        match &event.kind {
            EventKind::StartTracking => self.open_window(event.at),
            EventKind::StopTracking => self.tracking = Some(false),
            EventKind::SessionStarted | EventKind::SessionEnded => {}
            EventKind::Issued(key, _) => self.issued(key.sample, event.at),
            EventKind::FirstToken(key) => {
                if let Some(turn) = self.in_flight.get_mut(&key.sample) {
                    turn.first_token_at.get_or_insert(event.at);
                }
            }
            EventKind::Failed(key, failure) => {
                if let Some(turn) = self.in_flight.get_mut(&key.sample) {
                    turn.failure.get_or_insert(failure.kind);
                }
            }
            EventKind::Complete(key, reply) => {
                if let Some(turn) = self.in_flight.remove(&key.sample) {
                    self.ended(key.sample, &turn, event.at, reply.as_deref());
                }
            }
        }
    }

    /// The numbers. Turns still in flight stay counted as issued only.
    pub fn finish(self) -> Metrics {
        let series = self.series;
        let counted = self.uncounted == 0 && self.total.completed > 0;
        let tokens = |values| if counted { Stats::of_ints(values, false) } else { None };
        let tpot = if counted { Stats::of_floats(series.tpot, true) } else { None };
        let window = Window {
            duration_ns: self.last_tracked_end.map(|end| end.saturating_sub(self.opened_at)),
            loadgen_duration_ns: self
                .first_tracked_issue
                .zip(self.last_issued_ended)
                .map(|(first_issue, (_, last_end))| last_end.saturating_sub(first_issue)),
            ttft: Stats::of_ints(series.ttft, true),
            tpot,
            latency: Stats::of_ints(series.latency, true),
            output_tokens: tokens(series.output_tokens),
            input_tokens: tokens(series.input_tokens).filter(|_| self.uncounted_inputs == 0),
            finish_reasons: self.finish_reasons,
            prefix_cache: self.prefix_cache,
        };
        Metrics {
            tracked: self.tracked,
            total: self.total,
            failures_by_kind: self.failures,
            tracked_failures_by_kind: self.tracked_failures,
            window,
            total_duration_ns: self.first_event.map(|first| self.last_event.saturating_sub(first)),
            full_run_output_tokens: tokens(series.full_run_output_tokens),
            token_counts: match self.tokens {
                _ if !counted => TokenCounts::Missing { turns: self.uncounted },
                TokenSource::ServerReported => TokenCounts::ServerReported,
                TokenSource::Official(_) => TokenCounts::Official,
            },
        }
    }

    /// Only the first opening counts: a replay has one performance window.
    fn open_window(&mut self, at: Nanos) {
        if self.tracking.is_none() {
            self.tracking = Some(true);
            self.opened_at = at;
        }
    }

    fn issued(&mut self, sample: SampleId, at: Nanos) {
        let tracked = self.tracking == Some(true);
        let turn = Turn { issued_at: at, first_token_at: None, tracked, failure: None };
        if self.in_flight.insert(sample, turn).is_some() {
            // The same turn again is one turn; the self-check reports it.
            return;
        }
        self.total.issued += 1;
        if tracked {
            self.tracked.issued += 1;
            let first = self.first_tracked_issue.get_or_insert(at);
            *first = at.min(*first);
        }
    }

    fn ended(&mut self, sample: SampleId, turn: &Turn, at: Nanos, reply: Option<&Reply>) {
        if turn.tracked {
            self.last_tracked_end = self.last_tracked_end.max(Some(at));
            self.last_issued_ended = self.last_issued_ended.max(Some((turn.issued_at, at)));
        }
        match (turn.failure, reply) {
            (None, Some(reply)) => self.completed(sample, turn, at, reply),
            (failure, _) => self.failed(turn, failure.unwrap_or(FailureKind::Unclassified)),
        }
    }

    fn failed(&mut self, turn: &Turn, kind: FailureKind) {
        self.total.failed += 1;
        *self.failures.entry(kind).or_default() += 1;
        if turn.tracked {
            self.tracked.failed += 1;
            *self.tracked_failures.entry(kind).or_default() += 1;
        }
    }

    fn completed(&mut self, sample: SampleId, turn: &Turn, at: Nanos, reply: &Reply) {
        let tokens = self.tokens.of(sample, reply);
        self.total.completed += 1;
        match tokens {
            Some(tokens) => self.series.full_run_output_tokens.push(tokens.output),
            None => self.uncounted += 1,
        }
        if !turn.tracked {
            return;
        }
        self.tracked.completed += 1;
        self.finish_reasons.count(reply.finish_reason.as_ref());
        self.series.latency.push(at.saturating_sub(turn.issued_at));
        if let Some(first) = turn.first_token_at {
            self.series.ttft.push(first.saturating_sub(turn.issued_at));
        }
        if let Some(usage) = reply.usage {
            self.prefix_cache(usage);
        }
        if let Some(tokens) = tokens {
            self.count(tokens);
            if let Some(nanos) = turn.first_token_at.and_then(|first| at.checked_sub(first)) {
                self.time_per_token(nanos, tokens.after_first);
            }
        }
    }

    fn count(&mut self, tokens: TurnTokens) {
        self.series.output_tokens.push(tokens.output);
        match tokens.input {
            Some(input) => self.series.input_tokens.push(input),
            None => self.uncounted_inputs += 1,
        }
    }

    /// What the server says about its cache; its own words whoever counts the tokens.
    fn prefix_cache(&mut self, usage: Usage) {
        if let Some(cached) = usage.cached_tokens {
            let cache = &mut self.prefix_cache;
            cache.turns += 1;
            cache.prompt_tokens = cache.prompt_tokens.saturating_add(usage.prompt_tokens);
            cache.cached_tokens = cache.cached_tokens.saturating_add(cached);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a turn's time and tokens stay below 2^53")]
    fn time_per_token(&mut self, nanos: Nanos, tokens: u64) {
        if tokens > 0 {
            self.series.tpot.push(nanos as f64 / tokens as f64);
        }
    }
}
