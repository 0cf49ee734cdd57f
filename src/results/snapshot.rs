//! `metrics/final_snapshot.json`.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::manifest::PointState;
use super::summary::{Entries, RunFacts};
use crate::metrics::{Metrics, Stats};

/// The counters and series of a point in the reference client's snapshot shape. Series without
/// values, and `chunk_delta_ns`, which we do not record, are left out.
#[derive(Debug, Serialize)]
pub(super) struct Snapshot<'a> {
    counter: u64,
    timestamp_ns: u64,
    state: &'static str,
    n_pending_tasks: u64,
    metrics: Vec<Metric<'a>>,
}

#[derive(Debug)]
enum Metric<'a> {
    Counter(&'static str, u64),
    Series(&'static str, &'a Stats),
}

impl<'a> Snapshot<'a> {
    /// The snapshot at the end of a point.
    pub(super) fn new(metrics: &'a Metrics, facts: &RunFacts) -> Self {
        let counters = counters(metrics);
        let window = &metrics.window;
        let series = [
            ("sample_latency_ns", &window.latency),
            ("isl", &window.input_tokens),
            ("osl", &window.output_tokens),
            ("ttft_ns", &window.ttft),
            ("tpot_ns", &window.tpot),
        ];
        let series = series
            .into_iter()
            .filter_map(|(name, stats)| stats.as_ref().map(|stats| Metric::Series(name, stats)));
        let counters = counters.into_iter().map(|(name, value)| Metric::Counter(name, value));
        Self {
            counter: 1,
            timestamp_ns: metrics.total_duration_ns.unwrap_or(0),
            state: if facts.state == PointState::Complete { "complete" } else { "interrupted" },
            n_pending_tasks: 0,
            metrics: counters.chain(series).collect(),
        }
    }
}

fn counters(metrics: &Metrics) -> [(&'static str, u64); 15] {
    let (total, tracked, window) = (metrics.total, metrics.tracked, &metrics.window);
    let reasons = window.finish_reasons;
    [
        ("total_samples_issued", total.issued),
        ("total_samples_completed", total.completed),
        ("total_samples_failed", total.failed),
        ("tracked_samples_issued", tracked.issued),
        ("tracked_samples_completed", tracked.completed),
        ("tracked_samples_failed", tracked.failed),
        ("tracked_finish_reason_stop", reasons.stop),
        ("tracked_finish_reason_length", reasons.length),
        ("tracked_finish_reason_tool_calls", reasons.tool_calls),
        ("tracked_finish_reason_content_filter", reasons.content_filter),
        ("tracked_finish_reason_function_call", reasons.function_call),
        ("tracked_finish_reason_other", reasons.other),
        ("tracked_duration_ns", window.duration_ns.unwrap_or(0)),
        ("legacy_loadgen_window_duration_ns", window.loadgen_duration_ns.unwrap_or(0)),
        ("total_duration_ns", metrics.total_duration_ns.unwrap_or(0)),
    ]
}

impl Serialize for Metric<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Counter(name, value) => {
                let mut counter = serializer.serialize_struct("Counter", 3)?;
                counter.serialize_field("type", "counter")?;
                counter.serialize_field("name", name)?;
                counter.serialize_field("value", value)?;
                counter.end()
            }
            Self::Series(name, stats) => {
                let mut series = serializer.serialize_struct("Series", 10)?;
                series.serialize_field("type", "series")?;
                series.serialize_field("name", name)?;
                series.serialize_field("count", &stats.count)?;
                series.serialize_field("total", &stats.total)?;
                series.serialize_field("min", &stats.min)?;
                series.serialize_field("max", &stats.max)?;
                series.serialize_field("sum_sq", &stats.sum_sq)?;
                series.serialize_field("percentiles", &Entries(&stats.percentiles))?;
                if let Some(estimates) = &stats.early_stopping {
                    series.serialize_field("early_stopping_percentiles", &Entries(estimates))?;
                }
                series.serialize_field("histogram", &stats.histogram)?;
                series.end()
            }
        }
    }
}
