//! Cropping the warm-up, and finding plateaus.

use super::series::{SuperPass, count, median, percentile, variation};
use super::trend::{Direction, direction, relative_drift};

/// The fewest super-passes of a plateau.
pub(super) const SHORTEST: usize = 4;
/// How far a super-pass of the warm-up lies from the level of the second half.
const WARMUP_BAND: f64 = 0.05;
/// A significant trend below this much drift is none.
const DRIFT: f64 = 0.05;
/// The bounds of the coefficient of variation; a plateau keeps the loosest.
pub(super) const COV_BOUNDS: [f64; 3] = [0.03, 0.05, 0.08];
/// How exactly the level of the median TPOT should be known.
const PRECISION: f64 = 0.05;
/// The shortest plateau, whatever the other bounds say: 600 s.
const SHORTEST_NANOS: f64 = 600e9;
/// A plateau is longer than this many of its 90th percentile latencies.
const LATENCIES: f64 = 5.0;

/// A run of super-passes that stands still. Indices count from the end of the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plateau {
    /// The first super-pass.
    pub low: usize,
    /// The one behind the last.
    pub high: usize,
}

impl Plateau {
    /// How many super-passes it has.
    pub fn len(self) -> usize {
        self.high - self.low
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.high <= self.low
    }

    pub(super) fn of(self, passes: &[SuperPass]) -> &[SuperPass] {
        &passes[self.low..self.high]
    }
}

/// How many super-passes are warm-up.
pub(super) fn warmup(passes: &[SuperPass]) -> usize {
    let n = passes.len();
    if n < 4 {
        return 1;
    }
    let values: Vec<Option<f64>> = passes.iter().map(|pass| percentile(&pass.tpot, 0.5)).collect();
    let Some(level) = median(values[n / 2..].iter().flatten().copied()) else { return 1 };
    // A super-pass without data has no distance from the level, so it ends the warm-up.
    let is_off = |value: &&Option<f64>| {
        value.is_some_and(|value| (value - level).abs() > WARMUP_BAND * level)
    };
    values.iter().take_while(is_off).count().clamp(1, (n / 2).max(1))
}

/// A gating series over a window; none if a super-pass has no data.
fn gating(passes: &[SuperPass], p: f64) -> Option<Vec<f64>> {
    passes.iter().map(|pass| percentile(&pass.tpot, p)).collect()
}

/// The percentiles of TPOT that gate.
pub(super) const GATES: [(&str, f64); 2] = [("tpot_p50", 0.5), ("tpot_p90", 0.9)];

/// Whether a window stands still in every gating series.
pub(super) fn is_admissible(passes: &[SuperPass]) -> bool {
    passes.len() >= SHORTEST
        && GATES.iter().all(|&(_, p)| {
            gating(passes, p).is_some_and(|values| {
                let drifts = || {
                    direction(&values) != Direction::None && relative_drift(&values).abs() >= DRIFT
                };
                variation(&values) <= COV_BOUNDS[2] && !drifts()
            })
        })
}

/// Which way a gating series drifts over a window: a significant trend of at least 5 %.
pub(super) fn drift(passes: &[SuperPass], p: f64) -> Option<Direction> {
    let values = gating(passes, p)?;
    let small = relative_drift(&values).abs() < DRIFT;
    Some(if small { Direction::None } else { direction(&values) })
}

/// The coefficient of variation of a gating series over a window.
pub(super) fn gate_variation(passes: &[SuperPass], p: f64) -> Option<f64> {
    gating(passes, p).map(|values| variation(&values))
}

/// All plateaus, in order and without overlap.
pub(super) fn plateaus(passes: &[SuperPass]) -> Vec<Plateau> {
    let mut found = Vec::new();
    let mut low = 0;
    while low + SHORTEST <= passes.len() {
        let ends = low + SHORTEST..=passes.len();
        match ends.take_while(|&high| is_admissible(&passes[low..high])).last() {
            Some(high) => {
                found.push(Plateau { low, high });
                low = high;
            }
            None => low += 1,
        }
    }
    found
}

/// First to last issue of a window, in nanoseconds.
pub(super) fn issue_span(passes: &[SuperPass]) -> u64 {
    let first = passes.iter().map(|pass| pass.first_issue).min().unwrap_or(0);
    passes.iter().map(|pass| pass.last_issue).max().unwrap_or(0).saturating_sub(first)
}

/// How long a plateau has to be, in nanoseconds.
pub(super) fn shortest_span(passes: &[SuperPass]) -> f64 {
    let mut latencies: Vec<f64> =
        passes.iter().flat_map(|pass| pass.latency.iter().copied()).collect();
    latencies.sort_unstable_by(f64::total_cmp);
    let tail = LATENCIES * percentile(&latencies, 0.9).unwrap_or(0.0);
    let needed = needed_passes(gate_variation(passes, 0.5).unwrap_or(0.0));
    let span = median(passes.iter().map(SuperPass::issue_span)).unwrap_or(0.0);
    let passes_span = if needed > count(SHORTEST) { needed * span } else { 0.0 };
    SHORTEST_NANOS.max(tail).max(passes_span)
}

/// How many super-passes give the level to 5 % with 95 % confidence; at least four.
fn needed_passes(variation: f64) -> f64 {
    let ratio = 1.96 * variation / PRECISION;
    (ratio * ratio).ceil().max(count(SHORTEST))
}
