//! The steady state of one point.

use std::path::Path;

use super::super::finding::Sink;
use super::super::model::Point;
use super::super::tables;

/// Fewest super-passes of a window.
const MIN_SPAN: i128 = 4;
/// The status with which the window is the official result.
const OFFICIAL: &str = tables::STATUSES[0];

/// The words of the block, and whether it agrees with itself.
pub(in super::super) fn vocabulary(point: &Point, path: &Path, sink: &mut Sink) {
    const VALID: &str = "steady-state-valid";
    const CONSISTENT: &str = "steady-state-consistency";
    let Some(block) = &point.steady_state else { return };
    let mut unknown = Vec::new();
    if let Some(status) = block.status.as_deref().filter(|s| !tables::STATUSES.contains(s)) {
        unknown.push(format!("status {status:?}"));
    }
    if let Some(verdict) = block.verdict.as_deref().filter(|v| !tables::VERDICTS.contains(v)) {
        unknown.push(format!("verdict {verdict:?}"));
    }
    let states = block.state.iter().filter(|(_, s)| !tables::STATES.contains(&s.as_str()));
    unknown.extend(states.map(|(metric, state)| format!("state {state:?} of {metric}")));
    if unknown.is_empty() {
        sink.pass(VALID, path);
    } else {
        sink.add(VALID, "fail", path).with("found", unknown.join(", ")).field("steady_state");
    }
    let Some(status) = &block.status else { return };
    let mut faults = Vec::new();
    let drifting = block.drifting();
    if status == OFFICIAL {
        if let Some(span) = block.span.filter(|span| *span < MIN_SPAN) {
            faults.push(format!("windowable over {span} super-passes"));
        }
        if !drifting.is_empty() {
            faults.push(format!("windowable while {} drift", drifting.join(", ")));
        }
    } else if status == "insufficient_passes"
        && let Some(span) = block.span.filter(|span| *span >= MIN_SPAN)
    {
        faults.push(format!("insufficient_passes over {span} super-passes"));
    }
    if faults.is_empty() {
        sink.pass(CONSISTENT, path);
    } else {
        sink.add(CONSISTENT, "fail", path)
            .with("found", faults.join("; "))
            .field("steady_state.status");
    }
}

/// Whether the window is the official result.
pub(in super::super) fn basis(point: &Point, path: &Path, sink: &mut Sink) {
    const RULE: &str = "steady-state-basis";
    let Some(block) = &point.steady_state else {
        sink.add(RULE, "warn", path);
        return;
    };
    if block.status.as_deref() == Some(OFFICIAL) {
        sink.pass(RULE, path);
    } else {
        let status = block.status.as_deref().unwrap_or("absent");
        sink.add(RULE, "warn-2", path).with("found", status);
    }
    if let Some(verdict @ ("drifting_up" | "drifting_down")) = block.verdict.as_deref() {
        let metrics = block.drifting().join(", ");
        let key = if metrics.is_empty() { "drifting" } else { "drifting-metrics" };
        sink.add(RULE, key, path).with("found", verdict).with("metrics", metrics);
    }
}
