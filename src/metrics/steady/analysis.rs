//! The detector's decision.

use std::collections::BTreeMap;

use super::gather::TurnRecord;
use super::measure::{Numbers, numbers};
use super::plateau::{
    COV_BOUNDS, GATES, Plateau, SHORTEST, drift, gate_variation, issue_span, plateaus,
    shortest_span, warmup,
};
use super::series::{SuperPass, float, mean, percentile, super_passes};
use super::trend::{Direction, direction, jumps};

/// The fewest super-passes of a window that a result may stand on.
pub const MIN_SUPER_PASSES: usize = SHORTEST;
/// A later plateau further away than this is another level.
const SHIFT: f64 = 0.05;

/// What the detector found.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Whether a plateau is long enough.
    pub found: bool,
    /// Why, in words.
    pub reason: String,
    /// Turns of a super-pass.
    pub super_pass_size: u64,
    /// Super-passes, an incomplete last one included.
    pub super_passes: usize,
    /// Super-passes with all their turns issued.
    pub complete_super_passes: usize,
    /// Super-passes cropped at the start.
    pub warmup: usize,
    /// The reported plateau, or the longest one if none is long enough.
    pub window: Option<Plateau>,
    /// Complete super-passes in the window.
    pub window_complete: usize,
    /// Plateaus before the reported one that were too short.
    pub skipped: usize,
    /// How long the window would have to be, in nanoseconds of issue span.
    pub shortest_span_ns: Option<f64>,
    /// The window's numbers.
    pub numbers: Option<Numbers>,
    /// The coefficients of variation of the gating series over the window.
    pub cov: BTreeMap<&'static str, f64>,
    /// The tightest of 0.03, 0.05 and 0.08 that every coefficient keeps.
    pub cov_basis: Option<f64>,
    /// A later plateau at another level, which a result has to disclose.
    pub anomaly: Option<Plateau>,
    /// From the window's start (without one, from the end of the warm-up) to the end: where the
    /// percentiles 50 and 90 of TPOT and TTFT go, whatever the size of the drift.
    pub trends: BTreeMap<&'static str, Direction>,
    /// How the gating series drift over the window, or over everything behind the warm-up if no
    /// window was found; a series with a gap is left out.
    pub drifts: BTreeMap<&'static str, Direction>,
}

/// Runs the detector over turns in the order of their issue.
pub fn analyze(turns: &[TurnRecord], super_pass_size: u64) -> Analysis {
    let all = super_passes(turns, super_pass_size);
    let warmup = if all.is_empty() { 0 } else { warmup(&all) };
    let passes = &all[warmup.min(all.len())..];
    let plateaus = plateaus(passes);
    let is_long = |plateau: &Plateau| {
        let window = plateau.of(passes);
        float(issue_span(window)) >= shortest_span(window)
    };
    let chosen = plateaus.iter().position(is_long);
    let longest = || plateaus.iter().copied().rev().max_by_key(|plateau| plateau.len());
    let window = chosen.map_or_else(longest, |at| Some(plateaus[at]));
    let later = chosen.map_or(&[][..], |at| &plateaus[at + 1..]);
    let watched = window.map_or(passes, |window| &passes[window.low..]);
    let judged = window.map_or(passes, |window| window.of(passes));
    let is_complete = |pass: &&SuperPass| pass.turns == super_pass_size;
    let cov: BTreeMap<_, _> = window
        .iter()
        .flat_map(|_| GATES)
        .filter_map(|(name, p)| Some((name, gate_variation(judged, p)?)))
        .collect();
    Analysis {
        found: chosen.is_some(),
        reason: reason(chosen, window, all.len(), passes),
        super_pass_size,
        super_passes: all.len(),
        complete_super_passes: all.iter().filter(is_complete).count(),
        warmup,
        window,
        window_complete: window.map_or(0, |_| judged.iter().filter(is_complete).count()),
        skipped: chosen.unwrap_or(plateaus.len()),
        shortest_span_ns: window.map(|_| shortest_span(judged)),
        numbers: window.map(|window| numbers(passes, window)),
        cov_basis: window.and_then(|_| {
            COV_BOUNDS.into_iter().find(|bound| cov.values().all(|cov| cov <= bound))
        }),
        cov,
        anomaly: chosen.and_then(|at| level_shift(passes, plateaus[at], later)),
        trends: trends(watched),
        drifts: GATES.into_iter().filter_map(|(name, p)| Some((name, drift(judged, p)?))).collect(),
    }
}

fn reason(
    chosen: Option<usize>,
    window: Option<Plateau>,
    super_passes: usize,
    passes: &[SuperPass],
) -> String {
    let seconds = |nanos: f64| nanos / 1e9;
    match (chosen, window) {
        (Some(0), _) => "the first plateau is long enough".to_owned(),
        (Some(skipped), _) => format!("plateau {} is the first that is long enough", skipped + 1),
        (None, Some(window)) => {
            let window = window.of(passes);
            format!(
                "no plateau is long enough: the longest spans {:.1} s of issues, {:.1} s are needed",
                seconds(float(issue_span(window))),
                seconds(shortest_span(window)),
            )
        }
        (None, None) if super_passes <= SHORTEST => format!(
            "too few super-passes: {super_passes}; a plateau takes {SHORTEST} behind the warm-up"
        ),
        (None, None) if passes.iter().all(|pass| pass.tpot.is_empty()) => {
            "no turn has a time per output token".to_owned()
        }
        (None, None) => format!("no {SHORTEST} super-passes in a row stand still"),
    }
}

/// The first later plateau whose pooled mean TPOT differs from the reported one's, if the series
/// of the super-passes' means really jumps.
fn level_shift(passes: &[SuperPass], reported: Plateau, later: &[Plateau]) -> Option<Plateau> {
    let level = |plateau: &Plateau| {
        let pooled: Vec<f64> =
            plateau.of(passes).iter().flat_map(|pass| pass.tpot.iter().copied()).collect();
        mean(&pooled)
    };
    let base = level(&reported)?;
    let is_other =
        |plateau: &Plateau| level(plateau).is_some_and(|l| (l - base).abs() > SHIFT * base);
    let shifted = later.iter().copied().find(is_other)?;
    let means: Vec<f64> = passes.iter().filter_map(|pass| mean(&pass.tpot)).collect();
    jumps(&means).then_some(shifted)
}

fn trends(passes: &[SuperPass]) -> BTreeMap<&'static str, Direction> {
    let trend = |of: fn(&SuperPass) -> &Vec<f64>, p: f64| {
        let values: Vec<f64> = passes.iter().filter_map(|pass| percentile(of(pass), p)).collect();
        direction(&values)
    };
    [
        ("tpot_p50", trend(|pass| &pass.tpot, 0.5)),
        ("tpot_p90", trend(|pass| &pass.tpot, 0.9)),
        ("ttft_p50", trend(|pass| &pass.ttft, 0.5)),
        ("ttft_p90", trend(|pass| &pass.ttft, 0.9)),
    ]
    .into()
}
