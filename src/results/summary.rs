//! `performance/result_summary.json`.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};

use super::manifest::PointState;
use super::time::epoch_nanos;
use crate::metrics::steady::{Analysis, SteadySummary};
use crate::metrics::{FinishReasons, Metrics, PrefixCache, Stats};
use crate::wire::FailureKind;

/// What the numbers of a point belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFacts {
    /// The tool's version.
    pub version: String,
    /// The commit that the tool was built from, where known.
    pub commit: Option<String>,
    /// The wall time at which the replay began.
    pub started_at: SystemTime,
    /// Complete, interrupted or failed.
    pub state: PointState,
    /// Whether the endpoint was the simulated one.
    pub simulated: bool,
    /// Whether the client machine, not the endpoint, may have set the numbers; the
    /// self-check says why.
    pub client_limited: bool,
    /// Conversations active at once.
    pub concurrency: u32,
    /// The ruleset's region of the point, where there is one.
    pub region: Option<String>,
    /// The shortest run that the ruleset takes of the point, where there is one.
    pub min_duration: Option<Duration>,
    /// The canonical benchmark name of the model, where there is one.
    pub benchmark: Option<String>,
    /// The seed of the order of trajectories.
    pub seed: u64,
    /// Requests sent before the replay to warm the server up; 0 for no warm-up.
    pub warmup_requests: u64,
}

/// The performance summary of a point, in the reference client's shape; every time in nanoseconds.
///
/// Counters follow completed + failed = issued, where completed means successful (the reference
/// client counts failed turns as completed too, which its own checker refuses). Beyond the
/// reference client's fields it says where token counts come from, whether the endpoint was
/// simulated, failures by class, the rates that a submission states, and the steady state. A number
/// that does not exist is left out or null, never 0.
#[derive(Clone, Debug, Serialize)]
pub struct ResultSummary {
    version: String,
    git_sha: Option<String>,
    test_started_at: u64,
    n_samples_issued: u64,
    n_samples_completed: u64,
    n_samples_failed: u64,
    duration_ns: Option<u64>,
    state: &'static str,
    complete: bool,
    ttft: Block,
    tpot: Block,
    latency: Block,
    output_sequence_lengths: Block,
    output_sequence_lengths_full_run: FullRun,
    input_sequence_lengths: Block,
    legacy_loadgen_window_duration_ns: Option<u64>,
    qps: Option<f64>,
    tps: Option<f64>,
    finish_reason_counts: FinishReasons,
    run_config: RunConfigBlock,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_tps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tps_per_user: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e2e_avg_interactivity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens_per_turn_total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e2e_turn_time_seconds_total: Option<f64>,
    failures_by_kind: BTreeMap<&'static str, u64>,
    token_counts: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix_cache: Option<PrefixCache>,
    simulated: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    client_limited: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    steady_state: Option<SteadySummary>,
}

#[derive(Clone, Debug, Serialize)]
struct FullRun {
    output_sequence_lengths: Block,
}

#[derive(Clone, Debug, Serialize)]
struct RunConfigBlock {
    load_pattern: LoadPattern,
    warmup: Warmup,
    scheduler_random_seed: u64,
    dataloader_random_seed: u64,
}

#[derive(Clone, Debug, Serialize)]
struct LoadPattern {
    r#type: &'static str,
    target_qps: Option<f64>,
    target_concurrency: u32,
}

#[derive(Clone, Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the reference client's names")]
struct Warmup {
    enabled: bool,
    n_requests: Option<u64>,
    salt: bool,
    drain: bool,
    warmup_random_seed: u64,
}

impl ResultSummary {
    /// The summary of a point; `steady` is what the steady-state detector found.
    pub fn new(metrics: &Metrics, facts: &RunFacts, steady: Option<&Analysis>) -> Self {
        let window = &metrics.window;
        let (output_tokens, turn_seconds) = metrics.interactivity_sums().unzip();
        let min_duration = facts.min_duration.unwrap_or_default();
        let block = |stats: &Option<Stats>| Block(stats.clone());
        let name = |(kind, &count): (&FailureKind, &u64)| (kind.name(), count);
        Self {
            version: facts.version.clone(),
            git_sha: facts.commit.clone(),
            test_started_at: epoch_nanos(facts.started_at),
            n_samples_issued: metrics.tracked.issued,
            n_samples_completed: metrics.tracked.completed,
            n_samples_failed: metrics.tracked.failed,
            duration_ns: window.duration_ns,
            state: facts.state.name(),
            complete: facts.state == PointState::Complete && metrics.total.pending() == 0,
            ttft: block(&window.ttft),
            tpot: block(&window.tpot),
            latency: block(&window.latency),
            output_sequence_lengths: block(&window.output_tokens),
            output_sequence_lengths_full_run: FullRun {
                output_sequence_lengths: block(&metrics.full_run_output_tokens),
            },
            input_sequence_lengths: block(&window.input_tokens),
            legacy_loadgen_window_duration_ns: None,
            qps: metrics.qps(),
            tps: metrics.system_tps(),
            finish_reason_counts: window.finish_reasons,
            run_config: RunConfigBlock::new(facts),
            system_tps: metrics.system_tps(),
            tps_per_user: metrics.tps_per_user(),
            e2e_avg_interactivity: metrics.e2e_avg_interactivity(),
            output_tokens_per_turn_total: output_tokens,
            e2e_turn_time_seconds_total: turn_seconds,
            failures_by_kind: metrics.failures_by_kind.iter().map(name).collect(),
            token_counts: metrics.token_counts.label(),
            prefix_cache: (window.prefix_cache.turns > 0).then_some(window.prefix_cache),
            simulated: facts.simulated,
            client_limited: facts.client_limited,
            steady_state: steady.map(|analysis| SteadySummary::new(analysis, min_duration)),
        }
    }
}

impl RunConfigBlock {
    fn new(facts: &RunFacts) -> Self {
        let warm = facts.warmup_requests > 0;
        Self {
            load_pattern: LoadPattern {
                r#type: "agentic_inference",
                target_qps: None,
                target_concurrency: facts.concurrency,
            },
            // Warm-up requests are never salted, and their replies are always awaited.
            warmup: Warmup {
                enabled: warm,
                n_requests: warm.then_some(facts.warmup_requests),
                salt: false,
                drain: warm,
                warmup_random_seed: facts.seed,
            },
            scheduler_random_seed: facts.seed,
            dataloader_random_seed: facts.seed,
        }
    }
}

/// A series' statistics in the reference client's block shape; `{}` where there are none.
#[derive(Clone, Debug)]
struct Block(Option<Stats>);

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(stats) = &self.0 else {
            return serializer.serialize_map(Some(0))?.end();
        };
        let mut block = serializer.serialize_struct("Block", 9)?;
        block.serialize_field("total", &stats.total)?;
        block.serialize_field("min", &stats.min)?;
        block.serialize_field("max", &stats.max)?;
        block.serialize_field("median", &stats.median())?;
        block.serialize_field("avg", &stats.avg)?;
        block.serialize_field("std_dev", &stats.std_dev)?;
        block.serialize_field("percentiles", &Entries(&stats.percentiles))?;
        if let Some(estimates) = &stats.early_stopping {
            block.serialize_field("early_stopping_percentiles", &Entries(estimates))?;
        }
        let (buckets, counts): (Vec<_>, Vec<_>) = stats.histogram.iter().copied().unzip();
        block.serialize_field("histogram", &Histogram { buckets, counts })?;
        block.end()
    }
}

#[derive(Serialize)]
struct Histogram {
    buckets: Vec<(f64, f64)>,
    counts: Vec<u64>,
}

/// Pairs as a JSON object in their order.
pub(super) struct Entries<'a, T>(pub(super) &'a [(&'static str, T)]);

impl<T: Serialize> Serialize for Entries<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
