//! Throughput as a share of the curve's peak.

use super::super::context::Curve;
use super::super::document::Value;
use super::super::finding::Sink;

/// How far a stated share may be off.
const TOLERANCE: f64 = 0.1;

/// Compares every stated `tps_utilization`; reads the raw files, so that a file with other faults
/// still counts for the peak.
pub(in super::super) fn check(curve: &Curve, sink: &mut Sink) {
    const RULE: &str = "tps-utilization";
    let stated: Vec<_> = curve
        .points
        .iter()
        .filter_map(|files| {
            let summary = files.summary.map()?;
            let duration =
                summary.get("duration_ns")?.number().filter(|ns| *ns > 0.0 || ns.is_nan())?;
            let lengths = summary.get("output_sequence_lengths")?.as_map()?;
            let tps = lengths.get("total")?.number()? / (duration / 1e9);
            let share = files.system.map()?.get("tps_utilization").and_then(Value::number)?;
            Some((&files.system.path, tps, share))
        })
        .collect();
    let peak = stated.iter().map(|(_, tps, _)| *tps).fold(f64::NEG_INFINITY, f64::max);
    if peak <= 0.0 {
        return;
    }
    for (path, tps, share) in stated {
        let expected = tps / peak;
        if (share - expected).abs() <= TOLERANCE {
            sink.pass(RULE, path);
        } else {
            sink.add(RULE, "fail", path)
                .with("found", share)
                .with("expected", expected)
                .field("tps_utilization");
        }
    }
}
