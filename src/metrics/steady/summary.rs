//! The detector's block in `result_summary.json`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::analysis::Analysis;
use super::measure::Numbers;
use super::trend::Direction;
use super::verdict::{Status, SteadyBlock, Verdict};

/// What the detector found, for `result_summary.json`. The official numbers of the file stay those
/// of the whole performance window; these stand beside them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SteadySummary {
    /// What official numbers may stand on.
    pub status: Status,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether a plateau is long enough.
    pub found: bool,
    /// Why, in words.
    pub reason: String,
    /// The shortest run that the ruleset takes of the point, in seconds; 0 without a ruleset.
    pub min_duration_s: f64,
    /// Turns of a super-pass.
    pub superpass_size: u64,
    /// Super-passes, an incomplete last one included.
    pub n_super_passes: usize,
    /// Super-passes cropped at the start.
    pub warmup: usize,
    /// The reported plateau, or the longest one; indices count from the end of the warm-up.
    pub window: Option<Window>,
    /// The numbers of that window; times in nanoseconds.
    pub numbers: Option<Numbers>,
    /// Coefficients of variation of the gating series over the window.
    pub cov: BTreeMap<&'static str, f64>,
    /// The bound that they all keep.
    pub cov_basis: Option<f64>,
    /// A later plateau at another level.
    pub anomaly: Option<Window>,
    /// A plateau was seen, but none that is long enough.
    pub short_window: bool,
    /// Plateaus before the reported one that were too short.
    pub skipped_plateaus: usize,
    /// Trends from the window's start to the end, whatever the size of the drift.
    pub global_trend: BTreeMap<&'static str, Direction>,
    /// Of these, the ones that climb: a warning.
    pub drifting_up: Vec<&'static str>,
}

/// A stretch of super-passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    sp_lo: usize,
    sp_hi: usize,
}

impl SteadySummary {
    /// The block for a point that the ruleset asks to run for `min_duration`.
    pub fn new(analysis: &Analysis, min_duration: Duration) -> Self {
        let block = SteadyBlock::new(analysis, min_duration);
        let stretch = |plateau: super::Plateau| Window { sp_lo: plateau.low, sp_hi: plateau.high };
        let climbs = |(&name, direction): (&&'static str, &Direction)| {
            (*direction == Direction::Up).then_some(name)
        };
        Self {
            status: block.status,
            verdict: block.verdict,
            found: analysis.found,
            reason: analysis.reason.clone(),
            min_duration_s: min_duration.as_secs_f64(),
            superpass_size: analysis.super_pass_size,
            n_super_passes: analysis.super_passes,
            warmup: analysis.warmup,
            window: analysis.window.map(stretch),
            numbers: analysis.numbers.clone(),
            cov: analysis.cov.clone(),
            cov_basis: analysis.cov_basis,
            anomaly: analysis.anomaly.map(stretch),
            short_window: analysis.window.is_some() && !analysis.found,
            skipped_plateaus: analysis.skipped,
            global_trend: analysis.trends.clone(),
            drifting_up: analysis.trends.iter().filter_map(climbs).collect(),
        }
    }
}
