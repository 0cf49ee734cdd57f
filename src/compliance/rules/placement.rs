//! Where a point lies on its curve, and how long it was measured for that.

use std::path::Path;

use super::super::finding::Sink;
use super::super::model::{Point, Summary};
use super::super::tables;
use super::super::view::View;

/// Range and declared region.
pub(in super::super) fn check(view: &View<'_>, point: &Point, path: &Path, sink: &mut Sink) {
    const RANGE: &str = "concurrency-in-range";
    const PLACEMENT: &str = "region-placement";
    let Some(regions) = view.regions else { return };
    let computed = view.region(point.concurrency);
    if point.is_dedicated() || computed.is_some() {
        sink.pass(RANGE, path);
    } else {
        sink.add(RANGE, "fail", path)
            .with("found", point.concurrency)
            .with("end", regions.margin_end)
            .field("concurrency");
    }
    let declared = point.region.as_deref().filter(|region| *region != tables::REGIONS[5]);
    let (Some(declared), Some(computed)) = (declared, computed) else { return };
    if declared == computed.name() {
        sink.pass(PLACEMENT, path);
    } else {
        sink.add(PLACEMENT, "warn", path)
            .with("found", declared)
            .with("concurrency", point.concurrency)
            .with("computed", computed.name())
            .field("region");
    }
}

/// The shortest duration.
pub(in super::super) fn duration(
    view: &View<'_>,
    point: &Point,
    summary: &Summary,
    path: &Path,
    sink: &mut Sink,
) {
    const RULE: &str = "point-duration";
    if view.region(point.concurrency).is_none() {
        return;
    }
    let concurrency = u32::try_from(point.concurrency).unwrap_or(u32::MAX);
    let minimum = if point.is_agentic() {
        view.ruleset.min_duration(concurrency)
    } else {
        view.ruleset.single_turn.min_duration(concurrency)
    };
    let minimum = minimum.as_secs_f64();
    let window = point.steady_state.as_ref().and_then(|block| block.duration_s);
    // Milliseconds, as the official comparison has them.
    let (found, basis) = match window {
        Some(seconds) => (seconds * 1000.0, "steady-state window"),
        None => (summary.duration_ns / 1e6, "whole run"),
    };
    if found < minimum * 1000.0 {
        sink.add(RULE, "warn", path)
            .with("found", found / 1000.0)
            .with("concurrency", point.concurrency)
            .with("basis", basis)
            .with("minimum", minimum);
    } else {
        sink.pass(RULE, path);
    }
}
