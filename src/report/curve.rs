//! The curve: one row per point.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::table::table;
use crate::accuracy::AccuracyVerdict;
use crate::metrics::{Metrics, Stats, TokenCounts};
use crate::results::{PointState, RunFacts};

/// The points of a run, for the table and for curve.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The scenario's name.
    pub scenario: String,
    /// Whether the endpoint was the simulated one.
    pub simulated: bool,
    /// The points, in ascending concurrency.
    pub points: Vec<CurvePoint>,
    /// The accuracy gates, where the scenario names a ruleset and a model of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<AccuracyVerdict>,
}

/// The numbers of one point that a curve shows; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Where token numbers come from: `official`, `server-reported` or `none`.
    pub token_counts: Cow<'static, str>,
    /// Whether the client machine may have set the numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub client_limited: bool,
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
            token_counts: metrics.token_counts.label().into(),
            client_limited: facts.client_limited,
        }
    }
}

impl CurvePoint {
    /// The row with the numbers of another client's performance summary, in the reference client's
    /// shape, in place of those that its event log gives. Its token counts are official: it counts
    /// with the reference tokenizer, or not at all.
    #[must_use]
    pub fn with_summary(mut self, summary: &Value) -> Self {
        let number = |pointer: &str| summary.pointer(pointer).and_then(Value::as_f64);
        let of = |block: &str, p: &str| {
            let percentiles = format!("/{block}/percentiles/{p}");
            number(&percentiles).or_else(|| number(&format!("{percentiles}.0"))).map(|ns| ns / 1e6)
        };
        self.tracked_turns =
            summary.get("n_samples_issued").and_then(Value::as_u64).unwrap_or(self.tracked_turns);
        self.duration_s = number("/duration_ns").map(|ns| ns / 1e9).or(self.duration_s);
        (self.ttft_p50_ms, self.ttft_p90_ms) = (of("ttft", "50"), of("ttft", "90"));
        (self.tpot_p50_ms, self.tpot_p90_ms) = (of("tpot", "50"), of("tpot", "90"));
        self.tps_per_user = self.tpot_p90_ms.map(|tpot| 1000.0 / tpot);
        self.system_tps = number("/tps");
        let sums = number("/output_tokens_per_turn_total")
            .zip(number("/e2e_turn_time_seconds_total"))
            .or_else(|| {
                let sums = number("/output_sequence_lengths/total").zip(number("/latency/total"));
                let failed = number("/n_samples_failed");
                sums.filter(|_| failed == Some(0.0)).map(|(tokens, ns)| (tokens, ns / 1e9))
            });
        let rate = sums.filter(|(_, seconds)| *seconds > 0.0);
        self.e2e_avg_interactivity = rate.map(|(tokens, seconds)| tokens / seconds);
        let full_run = "/output_sequence_lengths_full_run/output_sequence_lengths/avg";
        // Some versions do not tell it; ours is of the whole replay as well.
        let official = self.token_counts == TokenCounts::Official.label();
        self.osl_mean = number(full_run).or(self.osl_mean.filter(|_| official));
        let counted = self.osl_mean.is_some() || number("/output_sequence_lengths/total").is_some();
        let counts =
            if counted { TokenCounts::Official } else { TokenCounts::Missing { turns: 0 } };
        self.token_counts = counts.label().into();
        self
    }
}

fn millis(stats: Option<&Stats>, p: f64) -> Option<f64> {
    Some(stats?.percentile(p)? / 1e6)
}

/// A column: its header in two lines, and what it shows of a point.
struct Column {
    header: &'static str,
    cell: fn(&CurvePoint) -> String,
}

const fn column(header: &'static str, cell: fn(&CurvePoint) -> String) -> Column {
    Column { header, cell }
}

const CLIENT_LIMITED: &str =
    "the client machine, not the endpoint, may have set these numbers; self_check.json says why.";
const REGION: &str = "\nregion";
const STATE: &str = "\nstate";
const TOKENS: &str = "\ntokens";

impl Curve {
    /// The table with its notes, without a trailing newline. Columns that hold nothing are left
    /// out: the region without a ruleset, skipped turns, where token counts come from if only some
    /// are official, and the state of sound points.
    pub fn table(&self) -> String {
        let columns = self.columns();
        let header: Vec<&str> = columns.iter().map(|column| column.header).collect();
        let row = |point| columns.iter().map(|column| (column.cell)(point)).collect();
        let rows = self.points.iter().map(row).collect();
        let mut text = table(&header, rows, &[REGION, TOKENS, STATE]);
        let notes = self.notes();
        if !notes.is_empty() {
            text.push('\n');
        }
        for note in notes {
            text.push('\n');
            text.push_str(&note);
        }
        text
    }

    fn columns(&self) -> Vec<Column> {
        let any = |has: fn(&CurvePoint) -> bool| self.points.iter().any(has);
        let mut columns = vec![column("\nconcurrency", |point| point.concurrency.to_string())];
        if any(|point| point.region.is_some()) {
            columns.push(column(REGION, |p| p.region.clone().unwrap_or_else(|| "-".to_owned())));
        }
        columns.push(column("\nturns", |point| point.turns.to_string()));
        columns.push(column("\nfailed", |point| point.failed.to_string()));
        if any(|point| point.skipped > 0) {
            columns.push(column("\nskipped", |point| point.skipped.to_string()));
        }
        columns.extend([
            column("window\ns", |point| number(point.duration_s)),
            column("TTFT ms\np50", |point| number(point.ttft_p50_ms)),
            column("TTFT ms\np90", |point| number(point.ttft_p90_ms)),
            column("TPOT ms\np50", |point| number(point.tpot_p50_ms)),
            column("TPOT ms\np90", |point| number(point.tpot_p90_ms)),
            column("E2E\ntok/s", |point| number(point.e2e_avg_interactivity)),
            column("system\nTPS", |point| number(point.system_tps)),
            column("TPS/\nuser", |point| number(point.tps_per_user)),
            column("OSL\nmean", |point| number(point.osl_mean)),
        ]);
        let official = |point: &CurvePoint| point.token_counts == TokenCounts::Official.label();
        if any(official) && !self.points.iter().all(official) {
            columns.push(column(TOKENS, |point| point.token_counts.to_string()));
        }
        if any(|point| point.state != PointState::Complete) {
            columns.push(column(STATE, |point| point.state.name().to_owned()));
        }
        columns
    }

    /// What a reader must know before using the numbers.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.simulated {
            notes.push(super::point::SIMULATED.to_owned());
        }
        let limited = self.points.iter().filter(|point| point.client_limited);
        let limited: Vec<String> = limited.map(|point| point.concurrency.to_string()).collect();
        if !limited.is_empty() {
            let points = limited.join(", ");
            notes.push(format!("CLIENT-LIMITED at concurrency {points}: {CLIENT_LIMITED}"));
        }
        let has = |label: &str| self.points.iter().any(|point| point.token_counts == label);
        if has(TokenCounts::Official.label()) {
            notes.push(super::point::OFFICIAL.to_owned());
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn point(concurrency: u32) -> CurvePoint {
        CurvePoint {
            concurrency,
            region: None,
            state: PointState::Complete,
            turns: 103,
            failed: 0,
            skipped: 0,
            tracked_turns: 90,
            duration_s: Some(12.345),
            ttft_p50_ms: Some(21.7),
            ttft_p90_ms: Some(123.4),
            tpot_p50_ms: Some(0.944),
            tpot_p90_ms: Some(1.0),
            e2e_avg_interactivity: Some(436.2),
            system_tps: Some(401.0),
            tps_per_user: Some(1024.0),
            osl_mean: Some(15.26),
            token_counts: "server-reported".into(),
            client_limited: false,
        }
    }

    fn curve(points: Vec<CurvePoint>) -> Curve {
        Curve { scenario: "n".to_owned(), simulated: true, points, accuracy: None }
    }

    #[test]
    fn a_sound_run_has_no_column_for_what_did_not_happen() {
        insta::assert_snapshot!(curve(vec![point(1), point(64)]).table(), @r"
                                        window   TTFT ms   TTFT ms   TPOT ms   TPOT ms     E2E   system   TPS/    OSL
         concurrency   turns   failed        s       p50       p90       p50       p90   tok/s      TPS   user   mean
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
                   1     103        0     12.3      21.7       123     0.944      1.00     436      401   1024   15.3
                  64     103        0     12.3      21.7       123     0.944      1.00     436      401   1024   15.3

        SIMULATED: the endpoint was simulated; these numbers measure no real system.
        Token counts are server-reported, not official: the rules count with the reference tokenizer.
        ");
    }

    #[test]
    fn what_went_wrong_has_its_column() {
        let mut broken = point(8);
        broken.region = Some("low_concurrency".to_owned());
        (broken.state, broken.failed, broken.skipped) = (PointState::Interrupted, 3, 40);
        (broken.e2e_avg_interactivity, broken.system_tps, broken.tps_per_user) = (None, None, None);
        (broken.osl_mean, broken.token_counts) = (None, "none".into());
        insta::assert_snapshot!(curve(vec![point(1), broken]).table(), @r"
                                                                    window   TTFT ms   TTFT ms   TPOT ms   TPOT ms     E2E   system   TPS/    OSL
         concurrency   region            turns   failed   skipped        s       p50       p90       p50       p90   tok/s      TPS   user   mean   state
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                   1   -                   103        0         0     12.3      21.7       123     0.944      1.00     436      401   1024   15.3   complete
                   8   low_concurrency     103        3        40     12.3      21.7       123     0.944      1.00       -        -      -      -   interrupted

        SIMULATED: the endpoint was simulated; these numbers measure no real system.
        Token counts are server-reported, not official: the rules count with the reference tokenizer.
        No token numbers where no turn completed or a completed turn carried no usage.
        ");
    }

    #[test]
    fn points_that_the_client_limited_are_named() {
        let limited = |concurrency| CurvePoint { client_limited: true, ..point(concurrency) };
        let curve = curve(vec![point(1), limited(64), limited(512)]);
        let notes = curve.notes();
        let told =
            notes.iter().filter(|note| note.starts_with("CLIENT-LIMITED at concurrency 64, 512: "));
        assert_eq!(told.count(), 1, "{notes:?}");
        assert!(curve.table().contains("CLIENT-LIMITED at concurrency 64, 512"));
        let json = String::from_utf8(curve.to_json()).unwrap();
        assert_eq!(json.matches("\"client_limited\": true").count(), 2);
    }

    #[test]
    fn numbers_keep_three_digits() {
        let texts = [0.0, 0.012_34, 1.0, 12.345, 1_234.5].map(|value| number(Some(value)));
        assert_eq!(texts, ["0.000", "0.012", "1.00", "12.3", "1234"]);
        assert_eq!(number(None), "-");
    }

    #[test]
    fn curve_json() {
        let mut partial = point(8);
        (partial.region, partial.tpot_p50_ms) = (Some("low_latency".to_owned()), None);
        insta::assert_snapshot!(String::from_utf8(curve(vec![partial]).to_json()).unwrap(), @r#"
    {
      "scenario": "n",
      "simulated": true,
      "points": [
        {
          "concurrency": 8,
          "region": "low_latency",
          "state": "complete",
          "turns": 103,
          "failed": 0,
          "skipped": 0,
          "tracked_turns": 90,
          "duration_s": 12.345,
          "ttft_p50_ms": 21.7,
          "ttft_p90_ms": 123.4,
          "tpot_p50_ms": null,
          "tpot_p90_ms": 1.0,
          "e2e_avg_interactivity": 436.2,
          "system_tps": 401.0,
          "tps_per_user": 1024.0,
          "osl_mean": 15.26,
          "token_counts": "server-reported"
        }
      ]
    }
    "#);
    }
}
