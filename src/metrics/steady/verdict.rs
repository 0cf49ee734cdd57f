//! The outcome in point.yaml's words.
//!
//! The detector itself knows nothing of them (`rules/agentic` §11.2, last lines): a window can be
//! reported if it was found, spans at least four super-passes, and its issue-time span reaches the
//! shortest duration that the ruleset asks of the point. Incomplete super-passes do not count
//! towards the four.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::analysis::{Analysis, MIN_SUPER_PASSES};
use super::plateau::GATES;
use super::trend::Direction;

/// What official numbers may stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The steady window.
    Windowable,
    /// The whole run: flat over four super-passes, but for too short a time.
    InsufficientDuration,
    /// The whole run: no four super-passes stand still.
    InsufficientPasses,
    /// The whole run, which did not issue every turn of the data sets once.
    PartialDataset,
}

/// What the detector thinks of the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// It stands still to the end.
    #[serde(rename = "STEADY STATE")]
    SteadyState,
    /// A gating metric climbs after the window.
    #[serde(rename = "drifting_up")]
    DriftingUp,
    /// A gating metric falls after the window.
    #[serde(rename = "drifting_down")]
    DriftingDown,
    /// A later plateau lies at another level.
    #[serde(rename = "anomaly")]
    Anomaly,
    /// No plateau is long enough.
    #[serde(rename = "not found")]
    NotFound,
}

/// What one gating metric does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum State {
    /// It stands still.
    Plateau,
    /// It climbs.
    #[serde(rename = "Drifting Up")]
    DriftingUp,
    /// It falls.
    #[serde(rename = "Drifting Down")]
    DriftingDown,
}

/// The `steady_state` block of point.yaml.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SteadyBlock {
    /// What official numbers may stand on.
    pub status: Status,
    /// The verdict.
    pub verdict: Verdict,
    /// The window, only where official numbers may stand on it: a checker takes its duration in
    /// place of the run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<SteadyWindow>,
    /// The gating metrics; those without a plateau that do not drift either are left out.
    pub state: BTreeMap<&'static str, State>,
    /// The later plateau at another level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anomaly: Option<String>,
}

/// A window; indices count from the first super-pass of the run and are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SteadyWindow {
    /// The first super-pass.
    pub super_pass_start: usize,
    /// The last super-pass.
    pub super_pass_end: usize,
    /// Turns of a super-pass.
    pub super_pass_size: u64,
    /// Turns issued in the window.
    pub n_samples: u64,
    /// First to last issue, in seconds.
    pub duration_s: f64,
}

impl SteadyBlock {
    /// The outcome for a point that the ruleset asks to run for `min_duration`.
    pub fn new(analysis: &Analysis, min_duration: Duration) -> Self {
        let window = window(analysis);
        let status = status(analysis, window.map(|window| window.duration_s), min_duration);
        Self {
            status,
            verdict: verdict(analysis),
            window: window.filter(|_| status == Status::Windowable),
            state: state(analysis),
            anomaly: analysis.anomaly.map(|later| {
                let (low, high) = (analysis.warmup + later.low, analysis.warmup + later.high - 1);
                format!("super-passes {low} to {high} lie at another level of TPOT")
            }),
        }
    }
}

fn window(analysis: &Analysis) -> Option<SteadyWindow> {
    let (window, numbers) = (analysis.window?, analysis.numbers.as_ref()?);
    Some(SteadyWindow {
        super_pass_start: analysis.warmup + window.low,
        super_pass_end: analysis.warmup + window.high - 1,
        super_pass_size: analysis.super_pass_size,
        n_samples: numbers.n_samples,
        duration_s: Duration::from_nanos(numbers.issue_span_ns).as_secs_f64(),
    })
}

fn status(analysis: &Analysis, span: Option<f64>, min_duration: Duration) -> Status {
    let long = span.is_some_and(|span| span >= min_duration.as_secs_f64());
    if analysis.complete_super_passes == 0 {
        Status::PartialDataset
    } else if analysis.window_complete < MIN_SUPER_PASSES {
        Status::InsufficientPasses
    } else if analysis.found && long {
        Status::Windowable
    } else {
        Status::InsufficientDuration
    }
}

fn verdict(analysis: &Analysis) -> Verdict {
    let gates =
        |direction| GATES.iter().any(|(name, _)| analysis.trends.get(name) == Some(&direction));
    if !analysis.found {
        Verdict::NotFound
    } else if analysis.anomaly.is_some() {
        Verdict::Anomaly
    } else if gates(Direction::Up) {
        Verdict::DriftingUp
    } else if gates(Direction::Down) {
        Verdict::DriftingDown
    } else {
        Verdict::SteadyState
    }
}

fn state(analysis: &Analysis) -> BTreeMap<&'static str, State> {
    let of = |(&name, direction): (&&'static str, &Direction)| match direction {
        Direction::Up => Some((name, State::DriftingUp)),
        Direction::Down => Some((name, State::DriftingDown)),
        Direction::None => analysis.window.map(|_| (name, State::Plateau)),
    };
    analysis.drifts.iter().filter_map(of).collect()
}
