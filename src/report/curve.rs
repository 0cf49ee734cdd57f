//! The curve: one row per point.

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::metrics::{Metrics, Stats, TokenCounts};
use crate::results::{PointState, RunFacts};

/// The points of a run, for the table and for curve.json.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The scenario's name.
    pub scenario: String,
    /// Whether the endpoint was the simulated one.
    pub simulated: bool,
    /// The points, in ascending concurrency.
    pub points: Vec<CurvePoint>,
}

/// The numbers of one point that a curve shows; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Conversations active at once.
    pub concurrency: u32,
    /// The ruleset's region, where there is one.
    pub region: Option<String>,
    /// How the point ended.
    pub state: PointState,
    /// Turns of the whole replay that were issued.
    pub turns: u64,
    /// Of these, failed ones.
    pub failed: u64,
    /// Planned turns that were not issued.
    pub skipped: u64,
    /// Turns inside the performance window, of which the numbers below are made.
    pub tracked_turns: u64,
    /// Seconds of the performance window.
    pub duration_s: Option<f64>,
    /// Median time to first token.
    pub ttft_p50_ms: Option<f64>,
    /// Percentile 90 of the time to first token.
    pub ttft_p90_ms: Option<f64>,
    /// Median time per output token.
    pub tpot_p50_ms: Option<f64>,
    /// Percentile 90 of the time per output token.
    pub tpot_p90_ms: Option<f64>,
    /// Output tokens per second of turn time.
    pub e2e_avg_interactivity: Option<f64>,
    /// Output tokens per second of the window.
    pub system_tps: Option<f64>,
    /// 1000 / P90 TPOT in ms.
    pub tps_per_user: Option<f64>,
    /// Mean output tokens of a turn over the whole replay.
    pub osl_mean: Option<f64>,
    /// Where token numbers come from: `server-reported` or `none`.
    pub token_counts: &'static str,
}

impl CurvePoint {
    /// The row of a point; `skipped` is the self-check's number.
    pub fn new(facts: &RunFacts, metrics: &Metrics, skipped: u64) -> Self {
        let window = &metrics.window;
        Self {
            concurrency: facts.concurrency,
            region: facts.region.clone(),
            state: facts.state,
            turns: metrics.total.issued,
            failed: metrics.total.failed,
            skipped,
            tracked_turns: metrics.tracked.issued,
            duration_s: metrics.duration_seconds(),
            ttft_p50_ms: millis(window.ttft.as_ref(), 50.0),
            ttft_p90_ms: millis(window.ttft.as_ref(), 90.0),
            tpot_p50_ms: millis(window.tpot.as_ref(), 50.0),
            tpot_p90_ms: millis(window.tpot.as_ref(), 90.0),
            e2e_avg_interactivity: metrics.e2e_avg_interactivity(),
            system_tps: metrics.system_tps(),
            tps_per_user: metrics.tps_per_user(),
            osl_mean: metrics.full_run_output_tokens.as_ref().map(|stats| stats.avg),
            token_counts: metrics.token_counts.label(),
        }
    }
}

fn millis(stats: Option<&Stats>, p: f64) -> Option<f64> {
    Some(stats?.percentile(p)? / 1e6)
}

const COLUMNS: [&str; 15] = [
    "concurrency",
    "region",
    "turns",
    "failed",
    "skipped",
    "duration s",
    "TTFT p50 ms",
    "TTFT p90 ms",
    "TPOT p50 ms",
    "TPOT p90 ms",
    "E2E tok/s",
    "system TPS",
    "TPS/user",
    "OSL mean",
    "state",
];

impl Curve {
    /// The table with its notes, without a trailing newline.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(COLUMNS);
        for point in &self.points {
            table.add_row(row(point));
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            let text = matches!(COLUMNS.get(at), Some(&("region" | "state")));
            let side = if text { CellAlignment::Left } else { CellAlignment::Right };
            column.set_cell_alignment(side);
        }
        let mut text = table.to_string();
        for note in self.notes() {
            text.push('\n');
            text.push_str(&note);
        }
        text
    }

    /// What a reader must know before using the numbers.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.simulated {
            notes.push(super::point::SIMULATED.to_owned());
        }
        let has = |label: &str| self.points.iter().any(|point| point.token_counts == label);
        if has(TokenCounts::ServerReported.label()) {
            notes.push(super::point::SERVER_REPORTED.to_owned());
        }
        if has(TokenCounts::Missing { turns: 1 }.label()) {
            notes.push(super::point::NO_TOKENS.to_owned());
        }
        notes
    }

    /// curve.json.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .expect("our own types have only text keys and no errors");
        bytes.push(b'\n');
        bytes
    }
}

fn row(point: &CurvePoint) -> [String; 15] {
    [
        point.concurrency.to_string(),
        point.region.clone().unwrap_or_else(|| "-".to_owned()),
        point.turns.to_string(),
        point.failed.to_string(),
        point.skipped.to_string(),
        number(point.duration_s),
        number(point.ttft_p50_ms),
        number(point.ttft_p90_ms),
        number(point.tpot_p50_ms),
        number(point.tpot_p90_ms),
        number(point.e2e_avg_interactivity),
        number(point.system_tps),
        number(point.tps_per_user),
        number(point.osl_mean),
        point.state.name().to_owned(),
    ]
}

/// At least three digits that count, or `-`.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) if value >= 1.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.3}"),
    }
}
