//! The measurement of one point agrees with itself.

use std::path::Path;

use super::super::document::Value;
use super::super::finding::Sink;
use super::super::model::{Point, Summary};
use crate::ruleset::Ruleset;

/// How far a stored rate may be from the derived one.
const TOLERANCE: f64 = 0.01;

/// Every rule of `result_summary.json`.
pub(in super::super) fn check(point: &Point, summary: &Summary, path: &Path, sink: &mut Sink) {
    counts(summary, path, sink);
    let rule = "metric-consistency-system-tps";
    stored(rule, "fail", "system_tps", summary, summary.system_tps(), path, sink);
    user_rate(point, summary, path, sink);
    interactivity(summary, path, sink);
}

/// Enough completed queries for a known data set.
pub(in super::super) fn queries(
    ruleset: &Ruleset,
    point: &Point,
    summary: &Summary,
    path: &Path,
    sink: &mut Sink,
) {
    let known = ruleset.single_turn.min_queries.get(&point.dataset);
    let Some(minimum) = known.map(|minimum| i128::from(*minimum)) else { return };
    let dataset = &point.dataset;
    if summary.completed >= minimum {
        sink.pass("min-query-count", path);
        return;
    }
    sink.add("min-query-count", "fail", path)
        .with("found", summary.completed)
        .with("dataset", dataset)
        .with("minimum", minimum)
        .field("n_samples_completed");
}

fn counts(summary: &Summary, path: &Path, sink: &mut Sink) {
    const DURATION: &str = "metric-consistency-duration";
    const ACCOUNTING: &str = "metric-consistency-accounting";
    const TOKENS: &str = "metric-consistency-output-tokens";
    if summary.duration_ns <= 0.0 {
        sink.add(DURATION, "fail", path).with("found", summary.duration_ns).field("duration_ns");
    } else {
        sink.pass(DURATION, path);
    }
    if summary.issued > 0 {
        if summary.completed.saturating_add(summary.failed) == summary.issued {
            sink.pass(ACCOUNTING, path);
        } else {
            sink.add(ACCOUNTING, "fail", path)
                .with("completed", summary.completed)
                .with("failed", summary.failed)
                .with("issued", summary.issued)
                .field("n_samples_issued");
        }
    }
    if summary.whole_tokens() < 0.0 {
        sink.add(TOKENS, "fail", path)
            .with("found", summary.whole_tokens())
            .field("output_sequence_lengths.total");
    } else {
        sink.pass(TOKENS, path);
    }
}

/// A stored rate against the derived one; an absent one passes.
fn stored(
    rule: &str,
    key: &str,
    field: &'static str,
    summary: &Summary,
    derived: f64,
    path: &Path,
    sink: &mut Sink,
) {
    let found = summary.document.given(field);
    let differs = |value: &Value| value.to_float().is_none_or(|stored| is_off(stored, derived));
    match found.filter(|value| differs(value)) {
        Some(value) => {
            sink.add(rule, key, path)
                .with("found", value.show())
                .with("derived", derived)
                .field(field);
        }
        None => sink.pass(rule, path),
    }
}

/// Whether a stored value is too far from the derived one; never so for NaN, as officially.
pub(super) fn is_off(stored: f64, derived: f64) -> bool {
    (stored - derived).abs() / derived.abs().max(1e-9) > TOLERANCE
}

/// The 90th percentile of the time per output token, and the rate that follows from it.
fn user_rate(point: &Point, summary: &Summary, path: &Path, sink: &mut Sink) {
    const RULE: &str = "metric-consistency-tpot-p90";
    if point.is_dedicated() {
        sink.pass(RULE, path);
        return;
    }
    let Some(p90_ms) = summary.tpot_p90_ns.map(|ns| ns / 1e6) else {
        sink.add(RULE, "fail", path).field("tpot.percentiles.90");
        return;
    };
    if !p90_ms.is_finite() || p90_ms <= 0.0 {
        sink.add(RULE, "fail-2", path).with("found", p90_ms).field("tpot.percentiles.90");
        return;
    }
    sink.pass(RULE, path);
    let rule = "metric-consistency-tps-per-user";
    stored(rule, "fail", "tps_per_user", summary, 1000.0 / p90_ms, path, sink);
}

fn interactivity(summary: &Summary, path: &Path, sink: &mut Sink) {
    const RULE: &str = "agentic-metric-consistency";
    const FIELD: &str = "e2e_avg_interactivity";
    match (summary.interactivity(), summary.document.given(FIELD)) {
        (None, None) => {}
        (None, Some(found)) => {
            sink.add(RULE, "fail", path).with("found", found.show()).field(FIELD);
        }
        (Some(derived), _) => stored(RULE, "fail-2", FIELD, summary, derived, path, sink),
    }
}
